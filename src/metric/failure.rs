//! What must not happen: a forbidden target near the top, a query that failed.

use super::{Card, Judged, Metric, Shape, State, lower};

/// Cases with a forbidden target among the first `k` (or failed), over cases that forbid something.
pub(super) struct ForbiddenHit {
    pub(super) k: usize,
    pub(super) card: Card,
}

/// Asked cases that the retriever failed, over asked cases.
pub(super) struct Failed;

impl Metric for ForbiddenHit {
    fn card(&self) -> &Card {
        &self.card
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.forbids().then(|| f64::from(u8::from(case.forbidden_within(self.k) || !case.is_completed())))
    }
    fn implied(&self, state: State, _: Option<u32>) -> Option<f64> {
        (state == State::Failed).then_some(1.0)
    }
}

impl Metric for Failed {
    fn card(&self) -> &Card {
        const CARD: Card = lower(
            "failed",
            "failedRate",
            Shape::Rate,
            "share of asked cases that the retriever failed; never averaged away",
        );
        &CARD
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_asked().then(|| f64::from(u8::from(!case.is_completed())))
    }
    fn implied(&self, state: State, _: Option<u32>) -> Option<f64> {
        Some(f64::from(u8::from(state == State::Failed)))
    }
}
