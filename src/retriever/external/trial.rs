//! A question with a known answer, asked before a tool is called ready: only that shows that its model and its libraries
//! load, and that what it answers can be read.
#![expect(clippy::disallowed_methods, reason = "edge: writes the one file that is searched")]

use std::io;
use std::path::Path;

use super::{Tool, Unusable};
use crate::artifact::CorpusRules;
use crate::corpus::{Corpus, Hidden};
use crate::retriever::{Bench, Query, Retriever, Site};

/// The word that is asked for, and the file that holds it.
const WORD: &str = "lighthouse";
const FILE: &str = "lighthouse.py";
const TEXT: &str = "\"\"\"The lighthouse shows ships the way into the harbour.\"\"\"\n\n\ndef lighthouse(ships):\n    \"\"\"Counts the ships that the lighthouse has seen.\"\"\"\n    return len(ships)\n";

/// What an answer must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Wanted {
    /// The file that holds the word.
    TheFile,
    /// Whatever can be read: a server elsewhere does not see the folder.
    AnyAnswer,
}

/// Prepares a folder of one file and asks for the word in it. Scripts of the repository that these programs name as the
/// corpus has them lie there too, as they do in a run. The version that it says it is while it runs, if it says one.
pub(in super::super) fn run(
    retriever: &dyn Retriever,
    programs: &[&Tool],
    wanted: Wanted,
    repo: &Path,
    bench: &Bench<'_>,
) -> Result<Option<String>, Unusable> {
    let told = |what: String| format!("in a trial with one file {what}");
    let broken = |what: String| Unusable::broken(told(what));
    let io = |error: io::Error| broken(format!("no folder could be made: {error}"));
    let (tree, scratch) = (bench.scratch.join("trial"), bench.scratch.join("trial-scratch"));
    for folder in [&tree, &scratch] {
        std::fs::create_dir(folder).map_err(io)?;
    }
    std::fs::write(tree.join(FILE), TEXT).map_err(io)?;
    let rules = CorpusRules {
        include: vec!["**".to_owned()],
        exclude: Vec::new(),
        max_file_bytes: 1 << 20,
        entities: None,
    };
    let corpus = Corpus::open(&tree, &rules, &Hidden::default(), 1)
        .map_err(|error| broken(format!("it could not be read: {error}")))?;
    for script in programs.iter().flat_map(|tool| tool.scripts()) {
        lay(&repo.join(script), &tree.join(script)).map_err(io)?;
    }
    let site =
        Site { corpus: &corpus, tree: &tree, scratch: &scratch, repo, threads: 1, deadline: bench.deadline };
    let prepared = retriever.prepare(&site);
    let prepared =
        prepared.map_err(|error| Unusable::Broken { detail: told(error.detail), hint: error.advice })?;
    let mut session = prepared
        .open()
        .map_err(|error| Unusable::Broken { detail: told(error.detail), hint: error.advice })?;
    let hits = session
        .ready(bench.deadline)
        .and_then(|()| session.query(&Query { id: WORD, text: WORD }, 10, bench.deadline))
        .map_err(|error| Unusable::Broken { detail: told(error.detail), hint: error.advice })?;
    let found = hits.iter().any(|hit| hit.path.as_deref().is_some_and(|path| path.ends_with(FILE)));
    if found || wanted == Wanted::AnyAnswer {
        Ok(prepared.description().map(|said| said.version))
    } else {
        Err(broken(format!("it did not find the word `{WORD}`")))
    }
}

/// Puts a script where the corpus would have it: as a link, beside which an interpreter finds what the script imports.
fn lay(script: &Path, place: &Path) -> io::Result<()> {
    if place.exists() {
        return Ok(()); // named twice
    }
    place.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    #[cfg(unix)]
    return std::os::unix::fs::symlink(script, place);
    #[cfg(not(unix))]
    return std::fs::copy(script, place).map(drop);
}
