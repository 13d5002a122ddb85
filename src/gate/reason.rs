//! Why a verdict is what it is: every reason is a sentence.

use std::fmt;

use super::notice::cases_and_targets;
use super::{Decimal, SegmentRule};
use crate::metric::Figure;
use crate::name::Name;
use crate::suite::CaseId;

/// Why the verdict is what it is. `Display` is the sentence for the reader, without a full stop.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A critical case is not found.
    Critical(CaseId),
    /// A figure is below its floor.
    BelowFloor {
        /// As people write it.
        metric: &'static str,
        /// The result's figure.
        figure: Figure,
        /// The floor.
        floor: Decimal,
    },
    /// Something of the measurement differs that makes figures incomparable.
    Differs {
        /// What.
        what: &'static str,
        /// The baseline's.
        before: String,
        /// The result's.
        after: String,
    },
    /// A rule needs per-case outcomes that a version 1 baseline does not have.
    NeedsCases(SegmentRule),
    /// A gated figure that the baseline does not have.
    NeedsFigure(&'static str),
    /// The suite is another one than the approved.
    SuiteEdited {
        /// Cases that were edited.
        edited: usize,
        /// Cases that are new.
        added: usize,
        /// Cases that are gone.
        removed: usize,
    },
    /// What was approved is not known here.
    BaselineUnknown,
    /// The baseline's file is not the base's, and nothing approves that.
    BaselineEdited,
    /// The pair has a baseline and is no longer configured.
    PairGone,
    /// More cases were lost net than allowed.
    LostNet {
        /// The gated figure, with its segment if the rule is about one.
        what: String,
        /// Found before, not now.
        lost: u64,
        /// Found now, not before.
        won: u64,
        /// Comparable scored cases.
        of: u64,
        /// How many may be lost net.
        allowed: u64,
    },
    /// More cases were lost than `max-lost`.
    LostGross {
        /// The gated figure.
        what: String,
        /// Found before, not now.
        lost: u64,
        /// `max-lost`.
        allowed: u64,
    },
    /// Lost cases whose targets are not in the corpus any more.
    TargetsGone(Vec<(CaseId, Name)>),
    /// The suite changed, and cases that did not change were lost.
    LostToo {
        /// How many.
        cases: u64,
        /// The gated figure.
        what: &'static str,
        /// Found in the baseline.
        before: u64,
        /// Found now.
        after: u64,
        /// Comparable scored cases.
        of: u64,
    },
    /// No baseline yet.
    FirstRun {
        /// `require-baseline` makes that a failure.
        required: bool,
    },
    /// Nothing gated fell beyond what is allowed.
    Holds {
        /// Lost cases.
        lost: usize,
        /// Won cases.
        won: usize,
    },
    /// The same against a baseline that knows only its counts.
    HoldsByCount,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Critical(id) => write!(
                f,
                "critical case {id} is not among the first three; no approval lifts this, only a change of the suite does"
            ),
            Self::BelowFloor { metric, figure, floor } => match (figure.value, figure.count) {
                (None, _) => write!(f, "{metric} has a floor of {floor}, but no case asks for it"),
                (Some(value), Some(count)) => {
                    write!(f, "{metric} is {value:.3} ({count} of {}), below its floor of {floor}", figure.of)
                }
                (Some(value), None) => write!(f, "{metric} is {value:.3}, below its floor of {floor}"),
            },
            Self::Differs { what, before, after } => {
                write!(f, "{what}: the baseline has {before}, this run {after}")
            }
            Self::NeedsCases(rule) => write!(
                f,
                "the rule for {} = {} needs outcomes per case, which this version 1 baseline does not have",
                rule.key, rule.value
            ),
            Self::NeedsFigure(name) => {
                write!(f, "the gate is on {name}, which this baseline does not have")
            }
            Self::SuiteEdited { edited, added, removed } => {
                write!(f, "the suite changed: {edited} edited, {added} added, {removed} removed")
            }
            Self::BaselineUnknown => f.write_str(
                "without a token GitHub cannot be asked what was approved: nothing was held against these figures",
            ),
            Self::BaselineEdited => f.write_str(
                "the baseline's file differs from the base's, and no approval covers the change; the verdict is against the base's",
            ),
            Self::PairGone => {
                f.write_str("there is an approved baseline, but the pair is no longer configured")
            }
            Self::LostNet { what, lost, won, of, allowed } => {
                write!(
                    f,
                    "{what}: {lost} lost, {won} won of {of} comparable cases; {allowed} may be lost net"
                )
            }
            Self::LostGross { what, lost, allowed } => {
                write!(f, "{what}: {lost} lost; max-lost allows {allowed}")
            }
            Self::TargetsGone(cases) => write!(
                f,
                "{} for what is not in the tree any more, so the suite is stale there and not the ranking ({})",
                if cases.len() == 1 {
                    "one of the lost asks".to_owned()
                } else {
                    format!("{} of the lost ask", cases.len())
                },
                cases_and_targets(cases)
            ),
            Self::LostToo { cases, what, before, after, of } => {
                let were = if *cases == 1 {
                    "1 unchanged case was".to_owned()
                } else {
                    format!("{cases} unchanged cases were")
                };
                write!(f, "and {were} lost: {what} {before}/{of} → {after}/{of}")
            }
            Self::FirstRun { required: false } => f.write_str("there is no approved baseline yet"),
            Self::FirstRun { required: true } => {
                f.write_str("there is no approved baseline yet, and require-baseline asks for one")
            }
            Self::HoldsByCount => f.write_str("the gated figures did not fall beyond what is allowed"),
            Self::Holds { lost: 0, won: 0 } => f.write_str("no case was lost"),
            Self::Holds { lost, won } => write!(f, "{lost} lost, {won} won, within what is allowed"),
        }
    }
}
