//! A baseline: approved figures, per-case outcomes and the record of the approval.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::approved::Approved;
use super::seal::{self, Kind};
use super::{ArtifactProblem, Candidate, CaseOutcome, Instant, Measurement, Record, Segments, v1};
use crate::canon::Digest;
use crate::metric::Figures;

/// Who approved what, when and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approval {
    /// When.
    pub approved_at: Instant,
    /// A person.
    pub approved_by: String,
    /// In that person's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Content hash of the result that was approved.
    pub result_hash: Digest,
    /// Digest of the corpus it was measured on.
    pub index_hash: Digest,
    /// Where on GitHub; none if it was recorded on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub github: Option<Record>,
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
    /// Content hash of the candidate that was approved; unknown in version 1.
    pub candidate: Option<Digest>,
}

impl Baseline {
    /// The file's text for approved figures with their record.
    pub(super) fn text(approved: &Approved, approval: &Approval) -> String {
        let mut content = json(approved);
        content.as_object_mut().expect("a struct").insert(APPROVAL.to_owned(), json(approval));
        seal::seal_text(Kind::Baseline, &content)
    }

    /// Reads a file of either version; a hand-edited one is refused, and so is one that contradicts itself.
    pub fn read(bytes: &[u8]) -> Result<Self, ArtifactProblem> {
        let mut opened = seal::open(Kind::Baseline, bytes, &[1, 2])?;
        let digest = opened.digest.clone();
        if opened.version == 1 {
            return opened.read::<v1::Wire>()?.baseline(digest);
        }
        let approval: Approval = opened.take(APPROVAL)?;
        let approved: Approved = opened.read()?;
        approved.check()?;
        let candidate = Candidate::digest_of(&approved, &approval.result_hash, &approval.index_hash);
        if let Some(record) = &approval.github {
            let Measurement { suite, retriever, .. } = &approved.measurement;
            record.check(&suite.name, &retriever.name, &candidate)?;
        }
        let Approved { measurement, metrics, segments, cases, .. } = approved;
        Ok(Self {
            document_name: measurement.suite.document_name.clone(),
            suite_hash: measurement.suite.content_hash.clone(),
            case_count: measurement.suite.case_count,
            measurement: Some(measurement),
            metrics,
            segments,
            cases: Some(cases),
            approval,
            digest,
            candidate: Some(candidate),
        })
    }
}

/// The field that a baseline has and a candidate has not.
const APPROVAL: &str = "approval";

fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("our own types serialise")
}
