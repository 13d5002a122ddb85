//! Answers where there should be none, and none where there should be some.

use super::{Direction, Judged, Metric, Shape};

/// Completed scored cases without a hit, over scored cases.
pub(super) struct ZeroResult;

/// Negative cases that got a hit (or failed), over negative cases.
pub(super) struct FalsePositive;

impl Metric for ZeroResult {
    fn name(&self) -> &'static str {
        "zero-result rate"
    }
    fn key(&self) -> &'static str {
        "zeroResultRate"
    }
    fn direction(&self) -> Direction {
        Direction::Lower
    }
    fn shape(&self) -> Shape {
        Shape::Rate
    }
    fn about(&self) -> &'static str {
        "share of scored cases that completed without a single hit"
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_scored().then(|| f64::from(u8::from(case.is_completed() && !case.is_answered())))
    }
}

impl Metric for FalsePositive {
    fn name(&self) -> &'static str {
        "false-positive rate"
    }
    fn key(&self) -> &'static str {
        "falsePositiveRate"
    }
    fn direction(&self) -> Direction {
        Direction::Lower
    }
    fn shape(&self) -> Shape {
        Shape::Rate
    }
    fn about(&self) -> &'static str {
        "share of negative cases (expectNoResult) with any hit; a failed one counts as one"
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        let negative = case.kind() == crate::suite::CaseKind::Negative;
        negative.then(|| f64::from(u8::from(case.is_answered() || !case.is_completed())))
    }
}
