//! What is kept of a case in a baseline: enough to say later whether it was lost.

use serde::{Deserialize, Serialize};

use super::{ArtifactProblem, CaseResult};
use crate::canon::Digest;
use crate::metric::{CaseFigures, FOUND_AT, METRICS, Shape, State, by_key, round6};
use crate::suite::{CaseId, CaseKind, Quarantine};

/// How one case ended when it was approved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CaseOutcome {
    /// Its id in the suite.
    pub id: CaseId,
    /// Hash of everything that changes the score.
    pub digest: Digest,
    /// How it ended.
    pub state: State,
    /// Rank of the first right answer.
    pub rank: Option<u32>,
    /// It was set aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<Quarantine>,
    /// Its value of every metric.
    pub figures: CaseFigures,
}

impl From<&CaseResult> for CaseOutcome {
    fn from(case: &CaseResult) -> Self {
        Self {
            id: case.id.clone(),
            digest: case.digest.clone(),
            state: case.state,
            rank: case.rank,
            quarantined: case.quarantined.clone(),
            figures: case.figures.clone(),
        }
    }
}

impl CaseOutcome {
    /// What kind of case it is: only scored ones have hits, only negative ones can be false positives.
    pub(super) fn kind(&self) -> CaseKind {
        let has = |shape: fn(&dyn crate::metric::Metric) -> bool| {
            METRICS.iter().any(|metric| shape(*metric) && self.figures.0.contains_key(metric.key()))
        };
        if has(|metric| metric.gates_at().is_some()) {
            CaseKind::Scored
        } else if has(|metric| metric.key() == "falsePositiveRate") {
            CaseKind::Negative
        } else {
            CaseKind::Unscored
        }
    }

    /// State, rank and figures say the same three times over; a file in which they differ was made by hand. `at` is the
    /// JSON pointer of the case.
    pub(super) fn check(&self, at: &str, limit: u64) -> Result<(), ArtifactProblem> {
        let refuse = |field: String, stated: String, actual: String| {
            Err(ArtifactProblem::Contradiction { at: format!("{at}/{field}"), stated, actual })
        };
        if let Some(rank) = self.rank.filter(|rank| *rank == 0 || u64::from(*rank) > limit) {
            return refuse("rank".into(), rank.to_string(), format!("1 to {limit}"));
        }
        let implied = match (self.kind(), self.state) {
            (_, State::Failed) => State::Failed,
            (CaseKind::Scored, _) if self.rank.is_some_and(|rank| rank <= FOUND_AT) => State::Found,
            (CaseKind::Scored, _) => State::Missed,
            (CaseKind::Negative, State::FalsePositive) => State::FalsePositive,
            (CaseKind::Negative, _) => State::Clean,
            (CaseKind::Unscored, _) => State::Unscored,
        };
        if self.state != implied {
            return refuse("state".into(), self.state.word().into(), implied.word().into());
        }
        let without_rank = self.kind() != CaseKind::Scored || self.state == State::Failed;
        if let Some(rank) = self.rank.filter(|_| without_rank) {
            return refuse("rank".into(), rank.to_string(), "null".into());
        }
        for (key, value) in &self.figures.0 {
            let field = || format!("figures/{key}");
            let Some(metric) = by_key(key) else {
                return refuse(field(), value.to_string(), "no figure this rankhold knows".into());
            };
            let (most, whole) = match metric.shape() {
                Shape::Rate => (1.0, true),
                Shape::Mean => (1.0, false),
                Shape::IntegerMean => (f64::MAX, true),
            };
            if !(0.0..=most).contains(value) || (whole && value.fract() != 0.0) {
                return refuse(field(), value.to_string(), "a value that the figure can have".into());
            }
            // Both were rounded by the same function, so they are equal to the bit or not at all.
            let implied = metric.implied(self.state, self.rank).map(round6);
            if let Some(implied) = implied.filter(|implied| implied.to_bits() != value.to_bits()) {
                return refuse(field(), value.to_string(), implied.to_string());
            }
        }
        Ok(())
    }
}
