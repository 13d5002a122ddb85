//! Which tree the results in a folder were measured on: written beside them, and read back as a stranger's word.

use serde::{Deserialize, Serialize};

use crate::error::{Blame, Blamed};
use crate::github::Sha;

/// The file's name.
pub(super) const FILE: &str = "measurement.json";

/// The value of `type`.
const TYPE: &str = "rankhold-measurement";

/// What was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Manifest {
    #[serde(rename = "type")]
    kind: String,
    schema_version: u32,
    /// The commit that was checked out.
    pub commit: Sha,
}

/// It is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{FILE} of the artifact {0}")]
pub(super) struct BadManifest(String);

impl Blamed for BadManifest {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some("let the workflow that measures upload the whole folder that rankhold wrote".to_owned())
    }
}

impl Manifest {
    /// Of a tree.
    pub(super) fn of(commit: Sha) -> Self {
        Self { kind: TYPE.to_owned(), schema_version: 1, commit }
    }

    /// The file's text.
    pub(super) fn to_text(&self) -> String {
        crate::canon::pretty(&serde_json::to_value(self).expect("our own types serialise"))
    }

    /// Reads it.
    pub(super) fn read(bytes: Option<&Vec<u8>>) -> Result<Self, BadManifest> {
        let bytes = bytes.ok_or_else(|| BadManifest("is not there".to_owned()))?;
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|error| BadManifest(format!("cannot be read: {error}")))?;
        if manifest.kind != TYPE || manifest.schema_version != 1 {
            return Err(BadManifest("is of another type or version".to_owned()));
        }
        Ok(manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_back_and_nothing_else_does() {
        let manifest = Manifest::of(Sha::new(&"b".repeat(40)).unwrap());
        assert_eq!(Manifest::read(Some(&manifest.to_text().into_bytes())), Ok(manifest.clone()));
        assert!(Manifest::read(None).is_err());
        let other = manifest.to_text().replace(TYPE, "x");
        for text in [other.as_str(), "{}", "x", &manifest.to_text().replace('b', "B")] {
            assert!(Manifest::read(Some(&text.as_bytes().to_vec())).is_err(), "{text}");
        }
    }
}
