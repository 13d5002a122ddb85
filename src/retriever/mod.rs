//! The systems that rank: one contract, one table, one file or folder each.
//!
//! `probe` (is it there?) → `prepare` (build an index, if it has one) → `open` sessions → `query` … Everything a
//! retriever hands back is a claim; the harness ([`crate::measure`]) applies its own rules to it.

pub mod bm25;
pub mod command;
mod external;
mod headers;
pub mod http;
mod known;
mod lexicon;
pub mod mcp;
pub mod output;
mod places;
pub mod python;
pub mod replay;
pub mod ripgrep;
mod table;
pub mod template;
mod text;
pub mod worker;

pub use external::OptionProblem;
pub use table::{BuildProblem, Kind, RETRIEVERS, build, kind};

use std::collections::BTreeSet;

use serde::Serialize;

use crate::canon::Digest;
use crate::corpus::Corpus;
pub use crate::process::Deadline;
use crate::process::Secrets;
pub use crate::ranking::Unit;
use crate::ranking::{ErrorClass, RawHit};

/// What a retriever says of itself once it is known to be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The tool's own version; of an embedded one its ranking version.
    pub version: String,
    /// The program that would run, for one that starts a program: versions do not tell all programs apart.
    pub program: Option<ProgramIdentity>,
    /// The model and its content hash, if one is used.
    pub model: Option<String>,
    /// The model is a substitute: the figures show that the tool works, not how well.
    pub stand_in: bool,
    /// It was asked something before it was called ready, or runs in this process, where nothing can be absent.
    pub tried: bool,
    /// What its hits are.
    pub unit: Unit,
    /// Its order means something.
    pub ranked: bool,
}

/// Which file runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramIdentity {
    /// Where it is on this machine.
    pub path: std::path::PathBuf,
    /// What it holds.
    pub hash: Digest,
    /// It begins with `#!` and starts something else, of which the hash says nothing.
    pub is_script: bool,
}

/// Whether a retriever can be used here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    /// It ran.
    Ready(Description),
    /// It is not installed.
    Missing {
        /// What is absent.
        what: String,
        /// How to get it.
        hint: String,
    },
    /// It is there and does not work.
    Broken {
        /// What it did.
        detail: String,
        /// What to do, where that is known.
        hint: Option<String>,
    },
}

/// A query that got no answer. An empty answer is none of these.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {detail}")]
pub struct QueryError {
    /// The class, as results store it.
    pub class: ErrorClass,
    /// What happened, for the log; never stored.
    pub detail: String,
    /// What to do, where that is known; `detail` may say it too, in the place where it is read best.
    pub advice: Option<String>,
}

impl QueryError {
    /// An error of that class.
    pub fn new(class: ErrorClass, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into(), advice: None }
    }

    /// The same, with what to do.
    #[must_use]
    pub fn advising(self, advice: Option<String>) -> Self {
        Self { advice, ..self }
    }

    /// What happened and what to do.
    pub fn told(&self) -> String {
        match &self.advice {
            Some(advice) if !self.detail.contains(advice) => format!("{}; {advice}", self.detail),
            _ => self.detail.clone(),
        }
    }
}

/// A retriever that could not be made ready: no query can be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct PrepareError {
    /// What happened and what to do.
    pub detail: String,
    /// What to do alone, where that is known.
    pub advice: Option<String>,
}

impl PrepareError {
    /// What happened.
    pub fn new(detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), advice: None }
    }

    /// The same, with what to do.
    #[must_use]
    pub fn advising(self, advice: Option<String>) -> Self {
        Self { advice, ..self }
    }
}

/// Which folder a retriever searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// The corpus itself: it reads through [`Corpus`] and starts no program.
    Corpus,
    /// A read-only copy without suites, baselines and results, the same for every tool.
    Copy,
    /// A writable copy of its own, for a tool that insists on writing beside what it searches.
    PrivateCopy,
}

/// What a retriever may use while it is prepared and asked.
pub struct Site<'a> {
    /// The files to search.
    pub corpus: &'a Corpus,
    /// The folder an external tool sees (absolute): the copy that [`Retriever::sight`] asks for, else the corpus root.
    pub tree: &'a std::path::Path,
    /// A folder of its own for whatever it must write (absolute), outside `tree`.
    pub scratch: &'a std::path::Path,
    /// The repository's root (absolute), for tools that are built there.
    pub repo: &'a std::path::Path,
    /// How many threads it may use.
    pub threads: usize,
    /// Preparation must end before it.
    pub deadline: Deadline,
}

/// What a retriever may use while it is only looked at.
#[derive(Clone, Copy, Debug)]
pub struct Bench<'a> {
    /// An empty folder (absolute) to start in and to write into; nothing to use for one that starts no program.
    pub scratch: &'a std::path::Path,
    /// It must have answered before it.
    pub deadline: Deadline,
}

impl<'a> Bench<'a> {
    /// Half a minute in this folder, and no longer than the rest of a run.
    pub fn new(scratch: &'a std::path::Path, run: Deadline) -> Self {
        Self { scratch, deadline: Deadline::after(std::time::Duration::from_secs(30)).min(run) }
    }
}

/// A system that ranks, as configured.
pub trait Retriever: Send + Sync {
    /// Is it there, and what is it? Cheap, downloads nothing, but really runs the tool.
    fn probe(&self, bench: &Bench<'_>) -> Availability;

    /// Everything of its configuration that can change a ranking, as JSON; its hash goes into the result. Never paths
    /// of this machine, secrets or time-outs.
    fn configuration(&self) -> serde_json::Value;

    /// Which folder it searches; the harness makes it before [`Retriever::prepare`] and checks it afterwards.
    fn sight(&self) -> Sight {
        Sight::Corpus
    }

    /// Builds the index, if it has one, and whatever else queries share.
    fn prepare<'a>(&'a self, site: &Site<'a>) -> Result<Box<dyn Prepared + 'a>, PrepareError>;
}

/// When a retriever's process starts: what a query's time contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartUp {
    /// It runs in this process.
    Never,
    /// With a session: its first query waits for it, later ones are warm.
    EverySession,
    /// With each query: all are cold.
    EveryQuery,
}

/// A retriever with its index, ready to open sessions.
pub trait Prepared: Sync {
    /// What it says of itself now that it runs; the probe's word if unchanged.
    fn description(&self) -> Option<Description> {
        None
    }

    /// Units indexed, if it knows.
    fn units(&self) -> Option<u64> {
        None
    }

    /// The files that it can find at all, by their paths in the corpus; none if it does not say. An error is why it could
    /// not.
    fn reach(&self) -> Result<Option<BTreeSet<String>>, String> {
        Ok(None)
    }

    /// What nobody may read, wherever the tool puts it; none if it was given nothing.
    fn secrets(&self) -> Option<&Secrets> {
        None
    }

    /// When a process of it starts.
    fn start_up(&self) -> StartUp {
        StartUp::Never
    }

    /// Ends what earlier sessions left running for later ones, so that the next one starts it anew. No session is open.
    fn rest(&self) {}

    /// How many sessions may run side by side.
    fn max_sessions(&self) -> usize;

    /// A session for one thread.
    fn open(&self) -> Result<Box<dyn Session + '_>, PrepareError>;

    /// Why a case ranks as it does, if it can tell: the parts of the score of `name` (an id or a path) for this query.
    fn explain(&self, _query: &str, _name: &str) -> Option<Explanation> {
        None
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query<'a> {
    /// The case's id: for answers that are looked up. No tool is told it, since an id may name the target.
    pub id: &'a str,
    /// The query itself.
    pub text: &'a str,
}

/// One conversation; dropped, it stops and leaves nothing running.
pub trait Session: Send {
    /// Makes it ready for the next query outside that query's time, for instance after a failure that took the process
    /// with it. An error is that of the next query; a session that is ready does nothing.
    fn ready(&mut self, _deadline: Deadline) -> Result<(), QueryError> {
        Ok(())
    }

    /// At most `fetch` hits, best first; an empty list is an answer.
    fn query(
        &mut self,
        query: &Query<'_>,
        fetch: usize,
        deadline: Deadline,
    ) -> Result<Vec<RawHit>, QueryError>;
}

/// The parts of one hit's score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// 1-based place in the full ranking; none if it has no score.
    pub rank: Option<usize>,
    /// The score, where it means something to a reader.
    pub score: Option<f64>,
    /// Label, amount, and how it enters: in the order of computation.
    pub parts: Vec<Part>,
}

/// One part of a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// What it is, for instance `term "verdict" in body`.
    pub label: String,
    /// How much, or how often.
    pub amount: f64,
    /// How it enters.
    pub enters: Enters,
}

/// How a part enters a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Enters {
    /// It is added.
    Added,
    /// It multiplies the sum so far.
    Factor,
    /// It is counted; earlier counts outweigh later ones.
    Counted,
}
