//! A corpus on disk with all that a retriever needs to be asked.

#![expect(clippy::disallowed_methods, reason = "tests write corpora")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use rankhold::artifact::CorpusRules;
use rankhold::corpus::{Corpus, Hidden};
use rankhold::ranking::RawHit;
use rankhold::retriever::{Availability, Bench, Deadline, PrepareError, Query, QueryError, Retriever, Site};

/// A corpus in a folder of its own.
pub(crate) struct Grounds {
    folder: tempfile::TempDir,
    corpus: Corpus,
}

impl Grounds {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repo");
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        for name in ["scratch", "tree"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let rules = CorpusRules {
            include: vec!["**".to_owned()],
            exclude: Vec::new(),
            max_file_bytes: 1 << 20,
            entities: None,
        };
        let corpus = Corpus::open(&root, &rules, &Hidden::default(), 2).unwrap();
        Self { folder, corpus }
    }

    pub(crate) fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    pub(crate) fn scratch(&self) -> PathBuf {
        self.folder.path().join("scratch")
    }

    pub(crate) fn repo(&self) -> &Path {
        self.corpus.root()
    }

    /// Does something at a site with so many threads.
    pub(crate) fn site<R>(&self, threads: usize, act: impl FnOnce(&Site<'_>) -> R) -> R {
        self.site_until(in_time(), threads, act)
    }

    pub(crate) fn site_until<R>(
        &self,
        deadline: Deadline,
        threads: usize,
        act: impl FnOnce(&Site<'_>) -> R,
    ) -> R {
        let (tree, scratch) = (self.tree(), self.scratch());
        act(&Site {
            corpus: &self.corpus,
            tree: &tree,
            scratch: &scratch,
            repo: self.repo(),
            threads,
            deadline,
        })
    }

    /// One query after the other in one session.
    pub(crate) fn ask_all(
        &self,
        retriever: &dyn Retriever,
        queries: &[&str],
    ) -> Result<Vec<Result<Vec<RawHit>, QueryError>>, PrepareError> {
        self.site(2, |site| {
            let prepared = retriever.prepare(site)?;
            let mut session = prepared.open()?;
            let mut ask = |text: &&str| session.query(&Query { id: text, text }, 50, in_time());
            Ok(queries.iter().map(&mut ask).collect())
        })
    }

    pub(crate) fn ask(&self, retriever: &dyn Retriever, query: &str) -> Result<Vec<RawHit>, QueryError> {
        self.ask_all(retriever, &[query]).unwrap().remove(0)
    }
}

/// Long enough for any machine.
pub(crate) fn in_time() -> Deadline {
    Deadline::after(Duration::from_mins(2))
}

pub(crate) fn paths(hits: &[RawHit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.path.as_deref().unwrap()).collect()
}

/// Looks at a retriever in an empty folder.
pub(crate) fn probe(retriever: &dyn Retriever) -> Availability {
    let folder = tempfile::tempdir().unwrap();
    retriever.probe(&Bench::new(folder.path(), in_time()))
}
