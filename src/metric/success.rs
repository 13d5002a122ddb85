//! hit@k, elsewhere called success@k: did any right answer come within the first k?

use super::{Direction, Judged, Metric, Shape};

/// 1 if the first right answer's rank is at most `k`.
pub(super) struct Success {
    pub(super) k: u32,
    pub(super) name: &'static str,
    pub(super) key: &'static str,
}

impl Metric for Success {
    fn name(&self) -> &'static str {
        self.name
    }
    fn key(&self) -> &'static str {
        self.key
    }
    fn direction(&self) -> Direction {
        Direction::Higher
    }
    fn shape(&self) -> Shape {
        Shape::Rate
    }
    fn about(&self) -> &'static str {
        "share of scored cases with a right answer among the first k (trec_eval: success_k)"
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_scored().then(|| f64::from(u8::from(case.rank().is_some_and(|rank| rank <= self.k))))
    }
    fn gates_at(&self) -> Option<u32> {
        Some(self.k)
    }
}
