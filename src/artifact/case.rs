//! One case of a result: what was asked, what came, how it is judged. Everything needed to recompute it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::canon::Digest;
use crate::metric::{CaseFigures, Judged, State};
use crate::name::Name;
use crate::ranking::{Answer, ErrorClass, Hit, Ranking};
use crate::suite::{Case, CaseId, MatchMode, Qrels, QrelsProblem, Quarantine};

/// One case of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CaseResult {
    /// Its id in the suite.
    pub id: CaseId,
    /// The query.
    pub input: String,
    /// Its values of the segment keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub segments: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    expected_targets: Vec<Name>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    grades: BTreeMap<Name, u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<Vec<Name>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    forbidden_targets: Vec<Name>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    expect_no_result: bool,
    /// Must be found, whatever is approved.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub critical: bool,
    /// Set aside for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<Quarantine>,
    /// Expected targets that name nothing in the corpus: the suite is stale there, not the ranking.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent_targets: Vec<Name>,
    /// Hash of everything that changes the score.
    pub digest: Digest,
    /// How it ended.
    pub state: State,
    /// Why it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorClass>,
    /// 1-based rank of the first hit that matches an expected target.
    pub rank: Option<u32>,
    hits: Vec<HitRecord>,
    /// Its value of every metric that asks for it, six decimals.
    pub figures: CaseFigures,
}

/// A hit as a result stores it; type and summary of the first three only, since an agent reads no more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HitRecord {
    id: Name,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<Name>,
    tie: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unknown: bool,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
}

impl CaseResult {
    /// Judges an answer. Returns the unrounded figures beside the record, for sums.
    pub(super) fn judge(
        case: &Case,
        keys: &[String],
        mode: MatchMode,
        answer: &Answer,
    ) -> (Self, CaseFigures) {
        let judged = Judged::new(&case.qrels, mode, answer);
        let figures = CaseFigures::of(&judged);
        let segments = keys.iter().filter_map(|key| Some((key.clone(), case.segment(key)?.to_owned())));
        let record = Self {
            id: case.id.clone(),
            input: case.input.clone(),
            segments: segments.collect(),
            expected_targets: case.qrels.targets().to_vec(),
            grades: case.qrels.grades().clone(),
            aliases: case.qrels.aliases().to_vec(),
            forbidden_targets: case.qrels.forbidden().to_vec(),
            expect_no_result: case.qrels.expects_no_result(),
            critical: case.critical,
            quarantined: case.quarantined.clone(),
            absent_targets: Vec::new(),
            digest: case.qrels.digest(&case.input),
            state: judged.state(),
            error: match answer {
                Answer::Completed(_) => None,
                Answer::Failed(class) => Some(*class),
            },
            rank: judged.rank(),
            hits: answer.hits().iter().enumerate().map(|(at, hit)| HitRecord::of(hit, at < 3)).collect(),
            figures: figures.rounded(),
        };
        (record, figures)
    }

    /// The case as the suite would hold it, as far as judging goes.
    pub(super) fn asked(&self) -> Result<Case, QrelsProblem> {
        let metadata = self.segments.iter().map(|(key, value)| (key.clone(), value.clone().into())).collect();
        Ok(Case {
            id: self.id.clone(),
            input: self.input.clone(),
            expected: None,
            qrels: Qrels::new(
                self.expected_targets.clone(),
                self.grades.clone(),
                self.aliases.clone(),
                self.forbidden_targets.clone(),
                self.expect_no_result,
            )?,
            critical: self.critical,
            quarantined: self.quarantined.clone(),
            metadata,
            extra: serde_json::Map::new(),
        })
    }

    /// The answer that was judged.
    pub fn answer(&self) -> Answer {
        match self.error {
            Some(class) => Answer::Failed(class),
            None => Answer::Completed(Ranking::from_hits(self.hits.iter().map(HitRecord::hit).collect())),
        }
    }

    /// What was expected.
    pub fn targets(&self) -> &[Name] {
        &self.expected_targets
    }

    /// It has targets, and none of them is in the corpus: no retriever could find it.
    pub fn asks_for_nothing(&self) -> bool {
        !self.expected_targets.is_empty() && self.absent_targets.len() == self.expected_targets.len()
    }

    /// The kept hits.
    pub fn hit_count(&self) -> usize {
        self.hits.len()
    }

    /// Kept hits whose path names nothing in the corpus.
    pub(super) fn unknown_paths(&self) -> u64 {
        self.hits.iter().filter(|hit| hit.unknown).count() as u64
    }
}

impl HitRecord {
    fn of(hit: &Hit, read_by_agents: bool) -> Self {
        Self {
            id: hit.id.clone(),
            path: hit.path.clone(),
            tie: hit.tie,
            unknown: hit.unknown,
            kind: read_by_agents.then(|| hit.kind.clone()),
            summary: hit.summary.clone().filter(|_| read_by_agents),
        }
    }

    fn hit(&self) -> Hit {
        Hit {
            id: self.id.clone(),
            path: self.path.clone(),
            tie: self.tie,
            unknown: self.unknown,
            kind: self.kind.clone().unwrap_or_else(|| "file".to_owned()),
            summary: self.summary.clone(),
        }
    }
}
