//! A candidate: the baseline that an approval of a result would record, without the approval.

use serde::{Deserialize, Serialize};

use super::approved::Approved;
use super::seal::{self, Kind, VERSION};
use super::{Approval, ArtifactProblem, Baseline, CaseOutcome, Instant, Measurement, Record, SuiteResult};
use crate::canon::Digest;
use crate::metric::Figures;

/// What an approval would record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Candidate {
    approved: Approved,
    /// Content hash of the result.
    pub result_hash: Digest,
    /// Digest of the corpus.
    pub index_hash: Digest,
}

impl Candidate {
    /// The candidate of a result.
    pub fn of(result: &SuiteResult) -> Self {
        Self {
            approved: Approved {
                measurement: result.measurement.clone(),
                segment_keys: result.segment_keys.clone(),
                counts: result.counts,
                metrics: result.metrics.clone(),
                segments: result.segments.clone(),
                cases: result.cases.iter().map(CaseOutcome::from).collect(),
            },
            result_hash: result.digest(),
            index_hash: result.measurement.corpus.content_hash.clone(),
        }
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        seal::seal_text(Kind::Candidate, self)
    }

    /// Reads a file; a hand-edited one is refused, and so is one that contradicts itself.
    pub fn read(bytes: &[u8]) -> Result<Self, ArtifactProblem> {
        let candidate: Self = seal::open(Kind::Candidate, bytes, &[VERSION])?.read()?;
        candidate.approved.check()?;
        let measured = &candidate.approved.measurement.corpus.content_hash;
        if candidate.index_hash != *measured {
            return Err(ArtifactProblem::Contradiction {
                at: "/indexHash".into(),
                stated: candidate.index_hash.to_string(),
                actual: measured.to_string(),
            });
        }
        Ok(candidate)
    }

    /// Its content hash.
    pub fn digest(&self) -> Digest {
        Self::digest_of(&self.approved, &self.result_hash, &self.index_hash)
    }

    /// The content hash of a candidate of these parts.
    pub(super) fn digest_of(approved: &Approved, result_hash: &Digest, index_hash: &Digest) -> Digest {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Parts<'a> {
            approved: &'a Approved,
            result_hash: &'a Digest,
            index_hash: &'a Digest,
        }
        seal::seal(Kind::Candidate, &Parts { approved, result_hash, index_hash }).1
    }

    /// What was measured with what.
    pub fn measurement(&self) -> &Measurement {
        &self.approved.measurement
    }

    /// Per case.
    pub fn cases(&self) -> &[CaseOutcome] {
        &self.approved.cases
    }

    /// Over all cases.
    pub fn metrics(&self) -> &Figures {
        &self.approved.metrics
    }

    /// The baseline file's text once somebody approved it on the command line.
    pub fn approve(self, approved_by: &str, approved_at: &Instant, reason: Option<&str>) -> String {
        self.approved(approved_by, approved_at, reason, None)
    }

    /// The baseline file's text once somebody approved it on GitHub, with the place where that is looked up.
    pub fn approve_on_github(
        self,
        approved_by: &str,
        approved_at: &Instant,
        reason: Option<&str>,
        record: Record,
    ) -> String {
        self.approved(approved_by, approved_at, reason, Some(record))
    }

    fn approved(self, by: &str, at: &Instant, reason: Option<&str>, github: Option<Record>) -> String {
        let approval = Approval {
            approved_at: at.clone(),
            approved_by: by.to_owned(),
            reason: reason.map(str::to_owned),
            result_hash: self.result_hash,
            index_hash: self.index_hash,
            github,
        };
        Baseline::text(&self.approved, &approval)
    }
}
