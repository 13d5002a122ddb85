//! The tree of files that is searched, without suites, baselines, results and ground truth.
#![expect(clippy::disallowed_methods, reason = "edge: the corpus is read from disk")]

use std::path::PathBuf;

use crate::canon::Digest;
use crate::name::Name;

/// One file of the corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Repository-relative, `/` separated, as on disk (not normalised to NFC).
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256 of the bytes.
    pub hash: Digest,
}

/// The files, byte-sorted by path.
#[derive(Clone, Debug)]
pub struct Corpus {
    root: PathBuf,
    entries: Vec<Entry>,
    digest: Digest,
    known: std::collections::BTreeSet<Name>,
    entities: Vec<Entity>,
}

/// An entity record: something with an id of its own that lives in a file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entity {
    /// The id, for instance `document:docs/mcp.md`.
    pub id: String,
    /// The file it lives in.
    pub path: String,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its own text; without it the file's text stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What it is, for instance `document`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl Corpus {
    /// The folder the paths are relative to (absolute).
    pub fn root(&self) -> &std::path::Path {
        &self.root
    }

    /// The files, byte-sorted by path.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// SHA-256 over `path NUL size NUL sha256(bytes) LF` of every file.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Entity records, if the configuration names any.
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// The name is a file or a folder of the corpus.
    pub fn knows(&self, name: &Name) -> bool {
        self.known.contains(name)
    }

    /// The bytes of one file.
    pub fn read(&self, entry: &Entry) -> std::io::Result<Vec<u8>> {
        std::fs::read(self.root.join(&entry.path))
    }
}
