//! The figures: one trait, one table, one file each.
//!
//! The definitions are a contract (`docs/metrics.md`). A metric sees one judged case at a time and gives a value or, if
//! the case does not ask for it, none; [`Figures`] holds the means over any set of cases.

mod average_precision;
mod context;
mod failure;
mod judged;
mod ndcg;
mod precision;
mod reciprocal_rank;
mod success;
mod zero_result;

mod figures;

pub use context::{Payload, payload};
pub use figures::{CaseFigures, Figure, Figures, round6};
pub use judged::{FOUND_AT, Judged, State};

/// Raised whenever a definition changes, so that figures of two definitions are never compared.
pub const DEFINITIONS: u32 = 1;

/// Which way a figure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// How per-case values become one figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each case gives 0 or 1; the figure is a count of a number of cases.
    Rate,
    /// The mean, six decimals, rounded half up.
    Mean,
    /// The mean as an integer, rounded half up.
    IntegerMean,
}

/// One figure: what it is called, what it means, and what one case contributes.
pub trait Metric: Sync {
    /// As people write it: `hit@3`.
    fn name(&self) -> &'static str;
    /// As artifacts write it: `hitAt3`.
    fn key(&self) -> &'static str;
    /// Which way it is better.
    fn direction(&self) -> Direction;
    /// How cases are summed up.
    fn shape(&self) -> Shape;
    /// The definition in one line, for help and docs.
    fn about(&self) -> &'static str;
    /// What this case contributes, or none if it is not asked.
    fn of(&self, case: &Judged<'_>) -> Option<f64>;
    /// The `k` of a `hit@k`: only these can be gated.
    fn gates_at(&self) -> Option<u32> {
        None
    }
}

/// Every figure, in the order of output.
pub static METRICS: &[&dyn Metric] = &[
    &success::Success { k: 1, name: "hit@1", key: "hitAt1" },
    &success::Success { k: 3, name: "hit@3", key: "hitAt3" },
    &success::Success { k: 5, name: "hit@5", key: "hitAt5" },
    &success::Success { k: 10, name: "hit@10", key: "hitAt10" },
    &reciprocal_rank::ReciprocalRank,
    &ndcg::Ndcg { k: 10, name: "ndcg@10", key: "ndcgAt10" },
    &precision::Recall { k: 3, name: "recall@3", key: "recallAt3" },
    &precision::Recall { k: 10, name: "recall@10", key: "recallAt10" },
    &precision::Precision { k: 3, name: "precision@3", key: "precisionAt3" },
    &precision::Precision { k: 10, name: "precision@10", key: "precisionAt10" },
    &average_precision::AveragePrecision,
    &context::ContextBytes,
    &context::ApproxTokens,
    &context::ContextBytesAnswered,
    &zero_result::ZeroResult,
    &zero_result::FalsePositive,
    &failure::ForbiddenHit { k: 3, name: "forbiddenHit@3", key: "forbiddenHitAt3" },
    &failure::Failed,
];

/// The figure that gates by default.
pub const GATE: &str = "hit@3";

/// The metric of that name (`hit@3`) or key (`hitAt3`).
pub fn by_name(name: &str) -> Option<&'static dyn Metric> {
    METRICS.iter().copied().find(|metric| metric.name() == name || metric.key() == name)
}
