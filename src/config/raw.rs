//! The file as it is written: every key, nothing else.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ByteSize, Span};
use crate::gate::Decimal;
use crate::suite::MatchMode;

/// rankhold.toml
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RawConfig {
    /// Format of this file: 1.
    pub version: Option<u64>,
    /// Which files are searched.
    #[serde(default)]
    pub corpus: RawCorpus,
    /// How many hits.
    #[serde(default)]
    pub measure: RawMeasure,
    /// The suites; without any, every `suites/*.json`.
    #[serde(default)]
    pub suite: Vec<RawSuite>,
    /// Retrievers that need settings; embedded ones and known tools need no entry.
    #[serde(default)]
    #[schemars(with = "Vec<RawRetriever>")]
    pub retriever: Vec<Table>,
    /// What is allowed. A local run reads this file; the bot reads it from the base branch of a pull request.
    #[serde(default)]
    pub gate: RawGate,
    /// Who may approve by a comment on a pull request, and what that does. The bot reads it from the base branch.
    #[serde(default)]
    pub approval: RawApproval,
    /// What the reader gets. A local run reads this file; the bot reads it from the base branch of a pull request.
    #[serde(default)]
    pub report: RawReport,
}

/// `[corpus]`
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RawCorpus {
    /// Globs; a file must match one. Default `["**"]`.
    pub include: Option<Vec<String>>,
    /// Globs; a file must match none. Default none.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Larger files are left out. Default 1MiB.
    pub max_file_bytes: Option<ByteSize>,
    /// Entity records: a JSON list of {id, path, title?, text?, kind?}.
    pub entities: Option<String>,
}

/// `[measure]`
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RawMeasure {
    /// Hits asked of a retriever. Default 50.
    pub fetch: Option<u64>,
    /// Hits kept after collapsing. Default 20.
    pub limit: Option<u64>,
}

/// `[[suite]]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RawSuite {
    /// `[a-z0-9-]+`; default the file's stem.
    pub name: Option<String>,
    /// Relative to this file.
    pub path: String,
    /// Which retrievers it is measured with. Default `["bm25"]`.
    pub retrievers: Option<Vec<String>>,
    /// Metadata keys reported apart. Default `["lang", "kind"]`.
    pub segments: Option<Vec<String>>,
    /// `all` (default) or `any`: one right answer is enough.
    #[serde(rename = "match", default)]
    pub match_mode: MatchMode,
}

/// A table whose keys are not all known here.
pub(super) type Table = BTreeMap<String, serde_json::Value>;

/// The keys that every `[[retriever]]` has; the others are its kind's business.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RawRetriever {
    /// `[a-z0-9-]+`, used in `[[suite]] retrievers`.
    pub name: String,
    /// Default: the name.
    pub kind: Option<String>,
    /// Time for one query. Default 10s.
    pub timeout: Option<Span>,
    /// Time for everything, preparation included. Default 5m.
    pub run_timeout: Option<Span>,
}

impl RawRetriever {
    /// The keys of [`RawRetriever`] as written in the file.
    pub const KEYS: [&str; 4] = ["name", "kind", "timeout", "run-timeout"];
}

/// `[gate]`
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RawGate {
    /// Gated figures, each a hit@k. Default `["hit@3"]`.
    pub metrics: Option<Vec<String>>,
    /// Absolute rate that may be lost net: 0.02 is two points. Default 0.
    #[serde(default)]
    pub tolerance: Decimal,
    /// Gross losses allowed. Default unset.
    pub max_lost: Option<u64>,
    /// Failed cases up to which there is a verdict. Default 0.
    #[serde(default)]
    pub max_failed: u64,
    /// A first run fails instead of being neutral. Default false.
    #[serde(default)]
    pub require_baseline: bool,
    /// Lowest figures allowed, by metric: `{ "hit@3" = 0.6 }`.
    #[serde(default)]
    pub floors: BTreeMap<String, Decimal>,
    /// Segments with a tolerance of their own: `[{ lang = "pt", tolerance = 0.05 }]`.
    #[serde(default)]
    pub segments: Vec<Table>,
}

/// `[approval]`
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RawApproval {
    /// What an approval does: `commit` (default) commits the baseline to the head branch, with `record` the comment is all
    /// there is, and `file` trusts the baseline files of a pull request without one.
    #[serde(default)]
    pub mode: super::ApprovalMode,
    /// Repository roles that may approve, literally as GitHub names them: none includes another. They need permission to
    /// write. Default `["maintain", "admin"]`.
    pub roles: Option<Vec<String>>,
    /// Logins that may approve beside them, whatever their role. They need permission to write, too.
    #[serde(default)]
    pub users: Vec<String>,
    /// The author of a pull request may approve it. Default true.
    pub allow_author: Option<bool>,
}

/// `[report]`
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RawReport {
    /// When to comment: `changes` (default), `always`, `failures`, `never`.
    #[serde(default)]
    pub comment: super::CommentMode,
    /// Where the verdict goes: `check` (default) or `status`.
    #[serde(default)]
    pub publish: super::Publish,
    /// A template of your own for the comment, relative to this file.
    pub template: Option<String>,
}

impl JsonSchema for Decimal {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Decimal".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number", "minimum": 0 })
    }
}
