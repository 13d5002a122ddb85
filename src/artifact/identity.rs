//! What was measured with what: the part that two artifacts must share to be comparable.

use serde::{Deserialize, Serialize};

use super::ArtifactProblem;
use crate::canon::Digest;
use crate::name::is_slug;
use crate::ranking::Unit;
use crate::suite::MatchMode;

/// The suite of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SuiteIdentity {
    /// Its name in the configuration, else the file's stem: `[a-z0-9-]+`.
    pub name: String,
    /// The name that the document gives itself.
    pub document_name: String,
    /// Hash of the document as read.
    pub content_hash: Digest,
    /// Cases of every kind.
    pub case_count: u64,
}

/// Which files may be searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CorpusRules {
    /// Globs; a file must match one.
    pub include: Vec<String>,
    /// Globs; a file must match none.
    pub exclude: Vec<String>,
    /// Larger files are left out, in bytes.
    pub max_file_bytes: u64,
    /// The entity records' path, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entities: Option<String>,
}

/// The corpus of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CorpusIdentity {
    /// Digest over paths, sizes and contents.
    pub content_hash: Digest,
    /// Files.
    pub file_count: u64,
    /// The rules that chose them.
    pub rules: CorpusRules,
}

/// The retriever of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetrieverIdentity {
    /// Its name in the configuration: `[a-z0-9-]+`.
    pub name: String,
    /// Its kind: `bm25`, `command` …
    pub kind: String,
    /// The tool's version; an embedded one's ranking version.
    pub version: String,
    /// The model and its content hash, if one is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What its hits are.
    pub unit: Unit,
    /// Hash of everything of its configuration that can change a ranking.
    pub config_hash: Digest,
}

/// Everything about a measurement but its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Measurement {
    /// The suite.
    pub suite: SuiteIdentity,
    /// How many of a case's targets are wanted.
    #[serde(rename = "match")]
    pub match_mode: MatchMode,
    /// The corpus.
    pub corpus: CorpusIdentity,
    /// The retriever.
    pub retriever: RetrieverIdentity,
    /// Hits asked of the tool.
    pub fetch: u64,
    /// Hits kept.
    pub limit: u64,
    /// Version of the metric definitions.
    pub definitions: u32,
}

impl Measurement {
    /// What must hold of it before any of its names becomes part of a path. `cases` are those in the same file.
    pub(super) fn check(&self, cases: usize) -> Result<(), ArtifactProblem> {
        let refuse = |at: &str, message: String| {
            Err(ArtifactProblem::Shape { at: format!("measurement.{at}"), message })
        };
        let names = [
            ("suite.name", &self.suite.name),
            ("retriever.name", &self.retriever.name),
            ("retriever.kind", &self.retriever.kind),
        ];
        if let Some((at, name)) = names.into_iter().find(|(_, name)| !is_slug(name)) {
            return refuse(at, format!("`{}` is no name: a-z, 0-9 and - only", name.escape_debug()));
        }
        if cases as u64 != self.suite.case_count {
            return refuse(
                "suite.caseCount",
                format!("says {}, the file holds {cases}", self.suite.case_count),
            );
        }
        if self.limit == 0 || self.limit > self.fetch {
            return refuse("limit", format!("{} of {} fetched hits cannot be kept", self.limit, self.fetch));
        }
        Ok(())
    }
}

/// How many cases of which sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Counts {
    /// All cases.
    pub cases: u64,
    /// With targets.
    pub scored: u64,
    /// `expectNoResult`.
    pub negative: u64,
    /// Neither.
    pub unscored: u64,
    /// Scored cases that got at least one hit.
    pub answered: u64,
    /// Asked cases that the retriever failed.
    pub failed: u64,
    /// Cases marked as quarantined, whatever the date.
    pub quarantined: u64,
    /// Kept hits whose path names nothing in the corpus.
    pub unknown_paths: u64,
}
