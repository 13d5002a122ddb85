//! Answers where there should be none, and none where there should be some.

use super::{Card, Judged, Metric, Shape, State, lower};

/// Completed scored cases without a hit, over scored cases.
pub(super) struct ZeroResult;

/// Negative cases that got a hit (or failed), over negative cases.
pub(super) struct FalsePositive;

impl Metric for ZeroResult {
    fn card(&self) -> &Card {
        const CARD: Card = lower(
            "zero-result rate",
            "zeroResultRate",
            Shape::Rate,
            "share of scored cases that completed without a single hit",
        );
        &CARD
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_scored().then(|| f64::from(u8::from(case.is_completed() && !case.is_answered())))
    }
    fn implied(&self, state: State, rank: Option<u32>) -> Option<f64> {
        (state == State::Failed || rank.is_some()).then_some(0.0)
    }
}

impl Metric for FalsePositive {
    fn card(&self) -> &Card {
        const CARD: Card = lower(
            "false-positive rate",
            "falsePositiveRate",
            Shape::Rate,
            "share of negative cases (expectNoResult) with any hit; a failed one counts as one",
        );
        &CARD
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        let negative = case.kind() == crate::suite::CaseKind::Negative;
        negative.then(|| f64::from(u8::from(case.is_answered() || !case.is_completed())))
    }
    fn implied(&self, state: State, _: Option<u32>) -> Option<f64> {
        Some(f64::from(u8::from(matches!(state, State::FalsePositive | State::Failed))))
    }
}
