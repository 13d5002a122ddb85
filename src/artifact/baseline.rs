//! A baseline: approved figures, per-case outcomes and the record of the approval.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::seal::{self, Kind};
use super::{ArtifactProblem, CaseResult, Counts, Measurement, Segments, v1};
use crate::canon::Digest;
use crate::metric::{CaseFigures, Figures, State};
use crate::suite::{CaseId, Quarantine};

/// What is kept of a case: enough to say later whether it was lost.
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

/// The figures that an approval covers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Approved {
    pub(super) measurement: Measurement,
    pub(super) segment_keys: Vec<String>,
    pub(super) counts: Counts,
    pub(super) metrics: Figures,
    pub(super) segments: Segments,
    pub(super) cases: Vec<CaseOutcome>,
}

/// Who approved what, when and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approval {
    /// RFC 3339, UTC.
    pub approved_at: String,
    /// A person.
    pub approved_by: String,
    /// In that person's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Content hash of the result that was approved.
    pub result_hash: Digest,
    /// Digest of the corpus it was measured on.
    pub index_hash: Digest,
}

/// A baseline of either version. What version 1 does not say is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// What its suite's document was called.
    pub document_name: String,
    /// Hash of that suite.
    pub suite_hash: Digest,
    /// How many cases it had.
    pub case_count: u64,
    /// What was measured with what; unknown in version 1.
    pub measurement: Option<Measurement>,
    /// Over all cases. Version 1 knows a few.
    pub metrics: Figures,
    /// By segment; empty in version 1.
    pub segments: Segments,
    /// Per case; unknown in version 1.
    pub cases: Option<Vec<CaseOutcome>>,
    /// The record.
    pub approval: Approval,
    /// Its verified content hash.
    pub digest: Digest,
}

/// Version 2 on disk.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wire {
    measurement: Measurement,
    segment_keys: Vec<String>,
    counts: Counts,
    metrics: Figures,
    segments: Segments,
    cases: Vec<CaseOutcome>,
    approval: Approval,
}

impl Baseline {
    /// The file's text for approved figures with their record.
    pub(super) fn text(approved: Approved, approval: Approval) -> String {
        let Approved { measurement, segment_keys, counts, metrics, segments, cases } = approved;
        let wire = Wire { measurement, segment_keys, counts, metrics, segments, cases, approval };
        seal::seal_text(Kind::Baseline, &wire)
    }

    /// Reads a file of either version; a hand-edited one is refused.
    pub fn read(bytes: &[u8]) -> Result<Self, ArtifactProblem> {
        let opened = seal::open(Kind::Baseline, bytes, &[1, 2])?;
        let digest = opened.digest.clone();
        if opened.version == 1 {
            return Ok(opened.read::<v1::Wire>()?.baseline(digest));
        }
        let wire: Wire = opened.read()?;
        check(&wire)?;
        Ok(Self {
            document_name: wire.measurement.suite.document_name.clone(),
            suite_hash: wire.measurement.suite.content_hash.clone(),
            case_count: wire.measurement.suite.case_count,
            measurement: Some(wire.measurement),
            metrics: wire.metrics,
            segments: wire.segments,
            cases: Some(wire.cases),
            approval: wire.approval,
            digest,
        })
    }
}

/// What a baseline says of its cases must agree with the figures it sums them up to.
fn check(wire: &Wire) -> Result<(), ArtifactProblem> {
    let shape = |at: String, message: String| Err(ArtifactProblem::Shape { at, message });
    if wire.cases.len() as u64 != wire.measurement.suite.case_count {
        return shape("cases".into(), format!("{} cases are announced", wire.measurement.suite.case_count));
    }
    let mut ids = std::collections::HashSet::new();
    if let Some(case) = wire.cases.iter().find(|case| !ids.insert(&case.id)) {
        return shape("cases".into(), format!("two cases have the id `{}`", case.id));
    }
    let summed = Figures::over(wire.cases.iter().map(|case| &case.figures));
    for (key, figure) in &summed.0 {
        let stated = wire.metrics.get(key);
        let agrees = stated.is_some_and(|stated| {
            let close = match (stated.value, figure.value) {
                // The stated mean is of unrounded values, the summed one of rounded ones.
                (Some(a), Some(b)) => (a - b).abs() < 2e-6,
                (a, b) => a == b,
            };
            close && stated.count == figure.count && stated.of == figure.of
        });
        if !agrees {
            return Err(ArtifactProblem::Contradiction {
                at: format!("/metrics/{key}"),
                stated: stated.map_or_else(|| "nothing".into(), |figure| json(figure).to_string()),
                actual: json(figure).to_string(),
            });
        }
    }
    Ok(())
}

fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("our own types serialise")
}
