//! What must not happen: a forbidden target near the top, a query that failed.

use super::{Direction, Judged, Metric, Shape};

/// Cases with a forbidden target among the first `k` (or failed), over cases that forbid something.
pub(super) struct ForbiddenHit {
    pub(super) k: usize,
    pub(super) name: &'static str,
    pub(super) key: &'static str,
}

/// Asked cases that the retriever failed, over asked cases.
pub(super) struct Failed;

impl Metric for ForbiddenHit {
    fn name(&self) -> &'static str {
        self.name
    }
    fn key(&self) -> &'static str {
        self.key
    }
    fn direction(&self) -> Direction {
        Direction::Lower
    }
    fn shape(&self) -> Shape {
        Shape::Rate
    }
    fn about(&self) -> &'static str {
        "share of cases with forbidden targets that show one among the first 3; a failed one counts as one"
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.forbids().then(|| f64::from(u8::from(case.forbidden_within(self.k) || !case.is_completed())))
    }
}

impl Metric for Failed {
    fn name(&self) -> &'static str {
        "failed"
    }
    fn key(&self) -> &'static str {
        "failedRate"
    }
    fn direction(&self) -> Direction {
        Direction::Lower
    }
    fn shape(&self) -> Shape {
        Shape::Rate
    }
    fn about(&self) -> &'static str {
        "share of asked cases that the retriever failed; never averaged away"
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_asked().then(|| f64::from(u8::from(!case.is_completed())))
    }
}
