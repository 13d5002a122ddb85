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

/// What a figure is called and means: data for artifacts, help and docs.
pub struct Card {
    /// As people write it: `hit@3`.
    pub name: &'static str,
    /// As artifacts write it: `hitAt3`.
    pub key: &'static str,
    /// Which way it is better.
    pub direction: Direction,
    /// How cases are summed up.
    pub shape: Shape,
    /// The definition in one line.
    pub about: &'static str,
}

/// One figure: its card, and what one case contributes.
pub trait Metric: Sync {
    /// What it is called and means.
    fn card(&self) -> &Card;
    /// What this case contributes, or none if it is not asked.
    fn of(&self, case: &Judged<'_>) -> Option<f64>;
    /// The `k` of a `hit@k`: only these can be gated.
    fn gates_at(&self) -> Option<u32> {
        None
    }
    /// What a case contributes if it ended so, where state and rank alone fix it: what a baseline says of a case is held
    /// against this. A failed case is 0 in every figure that is better when higher.
    fn implied(&self, state: State, _rank: Option<u32>) -> Option<f64> {
        (state == State::Failed && self.direction() == Direction::Higher).then_some(0.0)
    }
    /// As people write it.
    fn name(&self) -> &'static str {
        self.card().name
    }
    /// As artifacts write it.
    fn key(&self) -> &'static str {
        self.card().key
    }
    /// Which way it is better.
    fn direction(&self) -> Direction {
        self.card().direction
    }
    /// How cases are summed up.
    fn shape(&self) -> Shape {
        self.card().shape
    }
    /// The definition in one line.
    fn about(&self) -> &'static str {
        self.card().about
    }
}

/// A card of a figure that is better the higher it is.
const fn higher(name: &'static str, key: &'static str, shape: Shape, about: &'static str) -> Card {
    Card { name, key, direction: Direction::Higher, shape, about }
}

/// A card of a figure that is better the lower it is.
const fn lower(name: &'static str, key: &'static str, shape: Shape, about: &'static str) -> Card {
    Card { name, key, direction: Direction::Lower, shape, about }
}

/// Every figure, in the order of output.
pub static METRICS: &[&dyn Metric] = &[
    &success::Success {
        k: 1,
        card: higher(
            "hit@1",
            "hitAt1",
            Shape::Rate,
            "share of scored cases with a right answer first (trec_eval: success_1)",
        ),
    },
    &success::Success {
        k: 3,
        card: higher(
            "hit@3",
            "hitAt3",
            Shape::Rate,
            "share of scored cases with a right answer among the first 3 (trec_eval: success_3)",
        ),
    },
    &success::Success {
        k: 5,
        card: higher(
            "hit@5",
            "hitAt5",
            Shape::Rate,
            "share of scored cases with a right answer among the first 5 (trec_eval: success_5)",
        ),
    },
    &success::Success {
        k: 10,
        card: higher(
            "hit@10",
            "hitAt10",
            Shape::Rate,
            "share of scored cases with a right answer among the first 10 (trec_eval: success_10)",
        ),
    },
    &reciprocal_rank::ReciprocalRank,
    &ndcg::Ndcg {
        k: 10,
        card: higher(
            "ndcg@10",
            "ndcgAt10",
            Shape::Mean,
            "mean of DCG/ideal DCG over the first 10, gain = grade, discount log2(rank + 1)",
        ),
    },
    &precision::Recall {
        k: 3,
        card: higher(
            "recall@3",
            "recallAt3",
            Shape::Mean,
            "mean share of a case's expected targets that are among the first 3",
        ),
    },
    &precision::Recall {
        k: 10,
        card: higher(
            "recall@10",
            "recallAt10",
            Shape::Mean,
            "mean share of a case's expected targets that are among the first 10",
        ),
    },
    &precision::Precision {
        k: 3,
        card: higher(
            "precision@3",
            "precisionAt3",
            Shape::Mean,
            "mean share of the first 3 places (not of the hits returned) that hold a new right answer",
        ),
    },
    &precision::Precision {
        k: 10,
        card: higher(
            "precision@10",
            "precisionAt10",
            Shape::Mean,
            "mean share of the first 10 places (not of the hits returned) that hold a new right answer",
        ),
    },
    &average_precision::AveragePrecision,
    &context::ContextBytes,
    &context::ApproxTokens,
    &context::ContextBytesAnswered,
    &zero_result::ZeroResult,
    &zero_result::FalsePositive,
    &failure::ForbiddenHit {
        k: 3,
        card: lower(
            "forbiddenHit@3",
            "forbiddenHitAt3",
            Shape::Rate,
            "share of cases with forbidden targets that show one among the first 3; a failed one counts as one",
        ),
    },
    &failure::Failed,
];

/// The figure that gates by default.
pub const GATE: &str = "hit@3";

/// The metric of that name (`hit@3`) or key (`hitAt3`).
pub fn by_name(name: &str) -> Option<&'static dyn Metric> {
    METRICS.iter().copied().find(|metric| metric.name() == name || metric.key() == name)
}

/// The metric that artifacts call so.
pub fn by_key(key: &str) -> Option<&'static dyn Metric> {
    METRICS.iter().copied().find(|metric| metric.key() == key)
}
