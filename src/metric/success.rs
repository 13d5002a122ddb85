//! hit@k, elsewhere called success@k: did any right answer come within the first k?

use super::{Card, Judged, Metric, State};

/// 1 if the first right answer's rank is at most `k`.
pub(super) struct Success {
    pub(super) k: u32,
    pub(super) card: Card,
}

impl Metric for Success {
    fn card(&self) -> &Card {
        &self.card
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_scored().then(|| self.at(case.rank()))
    }
    fn implied(&self, _: State, rank: Option<u32>) -> Option<f64> {
        Some(self.at(rank))
    }
    fn gates_at(&self) -> Option<u32> {
        Some(self.k)
    }
}

impl Success {
    fn at(&self, rank: Option<u32>) -> f64 {
        f64::from(u8::from(rank.is_some_and(|rank| rank <= self.k)))
    }
}
