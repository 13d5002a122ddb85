//! hit@k, elsewhere called success@k: did any right answer come within the first k?

use super::{Card, Judged, Metric};

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
        case.is_scored().then(|| f64::from(u8::from(case.rank().is_some_and(|rank| rank <= self.k))))
    }
    fn gates_at(&self) -> Option<u32> {
        Some(self.k)
    }
}
