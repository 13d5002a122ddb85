//! A comparison and its verdict rendered: terminal text, markdown, JSON. Values in, one string out.
//!
//! A [`Report`] becomes one finished [`view::View`]; a format only lays it out.

mod brief;
mod budget;
mod commands;
mod footer;
mod format;
mod json;
mod markdown;
pub mod place;
mod proposal;
mod remark;
mod rendered;
mod reply;
pub mod table;
mod template;
mod text;
mod touched;
pub mod view;

pub use brief::{idle_summary, no_verdict};
pub use commands::{Commands, line as command_line, words};
pub use footer::{Footer, footer};
pub use format::{Colour, FORMATS, Format, Options, UnknownFormat};
pub use proposal::{Proposal, ProposedPair, proposal};
pub use remark::{Remark, RemarkLevel, remarks};
pub use rendered::Rendered;
pub use reply::{Reply, ReplyPair, above_candidates, reply};
pub use template::{Template, TemplateProblem};
pub use touched::{Touch, Touched};

use crate::artifact::{Baseline, SuiteResult};
use crate::exit::Exit;
use crate::gate::{Judgement, Policy, Verdict};

/// What is to be reported: pairs in the order of the configuration.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The rules the pairs were judged by.
    pub policy: &'a Policy,
    /// The pairs.
    pub pairs: Vec<PairReport<'a>>,
    /// What the change under review touches, where that is known.
    pub touched: Option<&'a Touched>,
}

/// One suite with one retriever, and what became of it.
#[derive(Clone, Debug)]
pub struct PairReport<'a> {
    /// Suite name.
    pub suite: &'a str,
    /// Retriever name.
    pub retriever: &'a str,
    /// What a reader types to go on.
    pub commands: Commands,
    /// What became of it.
    pub outcome: Outcome<'a>,
}

/// What became of a pair.
#[derive(Clone, Debug)]
pub enum Outcome<'a> {
    /// There is a verdict.
    Judged {
        /// What was measured.
        result: &'a SuiteResult,
        /// What it was compared with.
        baseline: Option<&'a Baseline>,
        /// What the gate says.
        judgement: &'a Judgement,
        /// What the flips say about queries like these, for the small print.
        power: Option<Power>,
    },
    /// There is none: the input cannot be used, or it could not be measured.
    Unjudged {
        /// What happened.
        message: String,
        /// The next step.
        hint: Option<String>,
        /// How the process ends for this pair.
        exit: Exit,
    },
    /// The base has a baseline for the pair, and it is no longer configured.
    Gone {
        /// That baseline.
        baseline: &'a Baseline,
    },
}

/// Evidence about the flips of the first gated figure. It decides nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// Cases that fell out.
    pub lost: u64,
    /// Cases that came in.
    pub won: u64,
    /// Comparable scored cases.
    pub of: u64,
    /// One-sided mid-p of the sign test: P(more losses) + half of P(as many).
    pub mid_p: f64,
    /// Smallest net drop, as a rate, that this many cases reveal with 80 % power.
    pub detectable_drop: Option<f64>,
}

impl Report<'_> {
    /// How the process ends.
    pub fn exit(&self) -> Exit {
        self.pairs.iter().map(PairReport::exit).fold(Exit::Pass, Exit::and)
    }
}

impl PairReport<'_> {
    /// How the process would end for this pair alone.
    pub fn exit(&self) -> Exit {
        match &self.outcome {
            Outcome::Judged { judgement, .. } => judgement.exit,
            Outcome::Unjudged { exit, .. } => *exit,
            Outcome::Gone { .. } => Exit::Held,
        }
    }

    /// What the gate says, if it says anything.
    pub fn verdict(&self) -> Option<Verdict> {
        match &self.outcome {
            Outcome::Judged { judgement, .. } => Some(judgement.verdict),
            Outcome::Unjudged { .. } => None,
            Outcome::Gone { .. } => Some(Verdict::SuiteChanged),
        }
    }
}
