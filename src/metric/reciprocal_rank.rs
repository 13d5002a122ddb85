//! Reciprocal rank: 1 over the rank of the first right answer.

use super::{Direction, Judged, Metric, Shape};

/// 1/rank, or 0 without a right answer, over the kept ranking.
pub(super) struct ReciprocalRank;

impl Metric for ReciprocalRank {
    fn name(&self) -> &'static str {
        "MRR"
    }
    fn key(&self) -> &'static str {
        "meanReciprocalRank"
    }
    fn direction(&self) -> Direction {
        Direction::Higher
    }
    fn shape(&self) -> Shape {
        Shape::Mean
    }
    fn about(&self) -> &'static str {
        "mean of 1/rank of the first right answer, 0 where there is none (trec_eval: recip_rank)"
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_scored().then(|| case.rank().map_or(0.0, |rank| 1.0 / f64::from(rank)))
    }
}
