//! Reciprocal rank: 1 over the rank of the first right answer.

use super::{Card, Judged, Metric, Shape, State, higher};

/// 1/rank, or 0 without a right answer, over the kept ranking.
pub(super) struct ReciprocalRank;

impl Metric for ReciprocalRank {
    fn card(&self) -> &Card {
        const CARD: Card = higher(
            "MRR",
            "meanReciprocalRank",
            Shape::Mean,
            "mean of 1/rank of the first right answer, 0 where there is none (trec_eval: recip_rank)",
        );
        &CARD
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_scored().then(|| reciprocal(case.rank()))
    }
    fn implied(&self, _: State, rank: Option<u32>) -> Option<f64> {
        Some(reciprocal(rank))
    }
}

fn reciprocal(rank: Option<u32>) -> f64 {
    rank.map_or(0.0, |rank| 1.0 / f64::from(rank))
}
