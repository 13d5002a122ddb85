//! The seal around every artifact: its type, its schema version and the hash of its content.

use serde::Serialize;
use serde::de::{DeserializeOwned, DeserializeSeed};
use serde_json::{Map, Value, json};

use super::ArtifactProblem;
use crate::canon::{ALGORITHM, Digest, pretty};
use crate::strict::Strict;

/// What kind of artifact a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Approved figures.
    Baseline,
    /// What an approval would record.
    Candidate,
    /// One measured suite.
    Result,
    /// How long it took.
    Timings,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Baseline, Self::Candidate, Self::Result, Self::Timings];

    /// The value of `type`.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Baseline => "retrieval-benchmark-baseline",
            Self::Candidate => "retrieval-benchmark-candidate",
            Self::Result => "retrieval-benchmark-result",
            Self::Timings => "retrieval-benchmark-timings",
        }
    }

    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Candidate => "candidate",
            Self::Result => "result",
            Self::Timings => "timings file",
        }
    }
}

/// Which of our types a JSON document is, if any.
pub fn kind_of(document: &Value) -> Option<Kind> {
    let tag = document.get("type")?.as_str()?;
    Kind::ALL.into_iter().find(|kind| kind.tag() == tag)
}

/// The JSON of a file. A byte-order mark is harmless; a key given twice is not: readers differ in which one counts, so
/// that a person and a program could read different approvals.
pub fn document(bytes: &[u8]) -> Result<Value, ArtifactProblem> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = serde_json::Deserializer::from_slice(text);
    let read = Strict.deserialize(&mut reader).and_then(|document| reader.end().map(|()| document));
    read.map_err(|error| {
        if !error.is_data() {
            return ArtifactProblem::NotJson(error.to_string());
        }
        let full = error.to_string();
        let message = full.rsplit_once(" at line ").map_or(full.as_str(), |(message, _)| message);
        let at = format!("line {}, column {}", error.line(), error.column());
        ArtifactProblem::Shape { at, message: message.to_owned() }
    })
}

/// The schema version that we write.
pub(super) const VERSION: u64 = 2;

/// Adds type, version and content hash.
pub(super) fn seal<T: Serialize>(kind: Kind, content: &T) -> (Value, Digest) {
    let Value::Object(mut fields) = serde_json::to_value(content).expect("our own types serialise") else {
        unreachable!("artifacts are structs")
    };
    fields.insert("type".into(), kind.tag().into());
    fields.insert("schemaVersion".into(), VERSION.into());
    fields.insert("contentHashAlgo".into(), ALGORITHM.into());
    let document = Value::Object(fields);
    let digest = Digest::of_json(&document);
    let Value::Object(mut fields) = document else { unreachable!("just built") };
    fields.insert("contentHash".into(), json!(digest));
    (Value::Object(fields), digest)
}

/// As [`seal`], laid out for disk.
pub(super) fn seal_text<T: Serialize>(kind: Kind, content: &T) -> String {
    pretty(&seal(kind, content).0)
}

/// A document of the right kind whose hash was verified, without its seal.
pub(super) struct Opened {
    /// The content.
    pub(super) fields: Map<String, Value>,
    /// Its schema version.
    pub(super) version: u64,
    /// The verified hash.
    pub(super) digest: Digest,
}

/// Parses, checks kind and hash. `versions` are those we read; version 1 was hashed with JavaScript's key order.
pub(super) fn open(kind: Kind, bytes: &[u8], versions: &'static [u64]) -> Result<Opened, ArtifactProblem> {
    let shape = |at: &str, message: &str| ArtifactProblem::Shape { at: at.into(), message: message.into() };
    let Value::Object(mut fields) = document(bytes)? else { return Err(shape(".", "expected an object")) };
    let tag = fields.get("type").cloned().unwrap_or(Value::Null);
    if tag != kind.tag() {
        return Err(ArtifactProblem::OtherKind { wanted: kind, found: tag.to_string() });
    }
    let version = fields.get("schemaVersion").cloned().unwrap_or(Value::Null);
    let Some(version) = version.as_u64().filter(|version| versions.contains(version)) else {
        let reads = if versions == [1, 2] { "1 and 2" } else { "2" };
        return Err(ArtifactProblem::Version { found: version.to_string(), reads });
    };
    if fields.get("contentHashAlgo").and_then(Value::as_str) != Some(ALGORITHM) {
        return Err(shape("contentHashAlgo", &format!("expected \"{ALGORITHM}\"")));
    }
    let stated: Digest = fields
        .remove("contentHash")
        .and_then(|hash| serde_json::from_value(hash).ok())
        .ok_or_else(|| shape("contentHash", "expected 64 lower-case hexadecimal digits"))?;
    let document = Value::Object(fields);
    let actual = if version == 1 { Digest::of_json_v1(&document) } else { Digest::of_json(&document) };
    if stated != actual {
        return Err(ArtifactProblem::Hash { stated, actual });
    }
    let Value::Object(mut fields) = document else { unreachable!("just built") };
    for key in ["type", "schemaVersion", "contentHashAlgo"] {
        fields.remove(key);
    }
    Ok(Opened { fields, version, digest: actual })
}

impl Opened {
    /// Takes one field out, as a strict type.
    pub(super) fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<T, ArtifactProblem> {
        let missing = || ArtifactProblem::Shape { at: key.to_owned(), message: "is missing".to_owned() };
        let value = self.fields.remove(key).ok_or_else(missing)?;
        serde_path_to_error::deserialize(value).map_err(|error| ArtifactProblem::Shape {
            at: format!("{key}.{}", error.path()),
            message: error.inner().to_string(),
        })
    }

    /// The content as a strict type; an error names the field.
    pub(super) fn read<T: DeserializeOwned>(self) -> Result<T, ArtifactProblem> {
        serde_path_to_error::deserialize(Value::Object(self.fields)).map_err(|error| ArtifactProblem::Shape {
            at: error.path().to_string(),
            message: error.inner().to_string(),
        })
    }
}
