//! A question with a known answer, asked before a tool is called ready: only that shows that its model and its libraries
//! load.
#![expect(clippy::disallowed_methods, reason = "edge: writes the one file that is searched")]

use super::super::external::Unusable;
use super::super::{Bench, Query, Session};
use super::Command;
use crate::artifact::CorpusRules;
use crate::corpus::{Corpus, Hidden};

/// The word that is asked for, and the file that holds it.
const WORD: &str = "lighthouse";
const FILE: &str = "lighthouse.py";
const TEXT: &str = "\"\"\"The lighthouse shows ships the way into the harbour.\"\"\"\n\n\ndef lighthouse(ships):\n    \"\"\"Counts the ships that the lighthouse has seen.\"\"\"\n    return len(ships)\n";

/// Prepares a folder of one file and asks for the word in it.
pub(super) fn run(command: &Command, bench: &Bench<'_>) -> Result<(), Unusable> {
    let broken = |what: String| Unusable::Broken { detail: format!("in a trial with one file {what}") };
    let io = |error: std::io::Error| broken(format!("no folder could be made: {error}"));
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
    let ready = command.ready(&corpus, &tree, &scratch, bench.deadline)?;
    command.groundwork.lay(&ready.place(), bench.deadline).map_err(|error| broken(error.detail))?;
    let hits = ready
        .asking()
        .query(&Query { id: WORD, text: WORD }, 10, bench.deadline)
        .map_err(|error| broken(error.detail))?;
    let found = hits.iter().any(|hit| hit.path.as_deref().is_some_and(|path| path.ends_with(FILE)));
    if found { Ok(()) } else { Err(broken(format!("it did not find the word `{WORD}`"))) }
}
