//! A suite: golden cases, validated, whatever format they were written in.

mod error;
mod expected;
mod export;
mod format;
pub(crate) mod json;
mod judgements;
mod qrels;
mod source;

pub mod beir;
pub mod csv;
pub mod lint;
pub mod open_eval;
pub mod queries_truth;
pub mod stats;
pub mod trec;

pub use error::{Note, Place, Problem, SPELLED_OUT, SuiteError};
pub use expected::{Expected, Unsupported};
pub use export::Exported;
pub use format::{FORMATS, Format, UnknownFormat};
pub use open_eval::Loaded;
pub use qrels::{CaseKind, Group, MatchMode, Qrels, QrelsProblem};
pub use source::Source;

use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::canon::Digest;

/// The id of a case, unique within its suite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CaseId(pub String);

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for CaseId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

/// A file of golden cases, in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// The document's own name.
    pub name: String,
    /// What the suite is about.
    pub description: Option<String>,
    /// Free labels.
    pub tags: Vec<String>,
    /// At least one case; ids are unique.
    pub cases: Vec<Case>,
    /// Hash of the document as read, unknown keys included; of the conversion for the other formats.
    pub hash: Digest,
}

impl Suite {
    /// The case of that id.
    pub fn case(&self, id: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.id.0 == id)
    }

    /// How many cases are of that kind.
    pub fn count(&self, kind: CaseKind) -> usize {
        self.cases.iter().filter(|case| case.qrels.kind() == kind).count()
    }
}

/// One query with what a right answer is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Unique within the suite.
    pub id: CaseId,
    /// The query text, exactly as a person would type it.
    pub input: String,
    /// The format's own expectation over the answer's text. It never decides a hit.
    pub expected: Option<Expected>,
    /// What is relevant, and what must not appear.
    pub qrels: Qrels,
    /// Must stay in the top three, whatever is approved.
    pub critical: bool,
    /// Left out of reports and verdict up to a date.
    pub quarantined: Option<Quarantine>,
    /// Every key of `metadata`, known ones included.
    pub metadata: Map<String, Value>,
    /// Keys of the case that the format does not know; they travel along.
    pub extra: Map<String, Value>,
}

impl Case {
    /// Its value of a segment key (`lang`, `kind`, any string-valued metadata key).
    pub fn segment(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).and_then(Value::as_str)
    }
}

/// A case that is set aside for a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quarantine {
    /// Why, for the reader of the report.
    pub reason: String,
    /// The last day (UTC, inclusive) on which it is left out.
    pub until: Date,
}

impl Quarantine {
    /// It still holds on that day.
    pub fn holds(&self, today: Date) -> bool {
        today <= self.until
    }
}
