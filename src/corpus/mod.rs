//! The tree of files that is searched, without suites, baselines, results and ground truth.
//!
//! What counts is what the tree itself says: the ignore files inside it, and the corpus rules. Neither the user's git
//! settings nor a parent folder nor whether `.git` is there changes anything.

mod answers;
pub mod copy;
mod entity;
mod hidden;
mod prune;
mod read;
mod walk;

pub use entity::Entity;
pub use hidden::{Hidden, RANKINGS};

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::artifact::{CorpusIdentity, CorpusRules};
use crate::canon::Digest;
use crate::error::{Blame, Blamed};
use crate::files::FileError;
use crate::name::Name;
use crate::ranking::Place;
use crate::suite::lint::looks_like_an_id;

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

/// Why a file of the tree is not in the corpus although no rule excludes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// A NUL byte among its first 8 KiB.
    Binary,
    /// Larger than `max-file-bytes`.
    TooLarge,
    /// Its path is not UTF-8.
    UnreadablePath,
    /// A suite, judgements, rankings, or one of our own artifacts and reports.
    AnswerFile,
    /// One that a rankhold is writing, or was when it was killed.
    Unfinished,
    /// Its name holds a backslash, so that a target of that name is another file.
    Backslash,
    /// Another file has its name in Unicode's composed form, and a target of that name is that one.
    SameName,
}

impl LeftOut {
    /// Somebody should do something about it.
    pub fn is_odd(self) -> bool {
        matches!(self, Self::UnreadablePath | Self::Unfinished | Self::Backslash | Self::SameName)
    }
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Binary => "binary",
            Self::TooLarge => "larger than max-file-bytes",
            Self::UnreadablePath => "its path is not UTF-8",
            Self::AnswerFile => "it holds answers: a suite, judgements, rankings, baseline, result or report",
            Self::Unfinished => "left by a rankhold that was killed while it wrote; it can be removed",
            Self::Backslash => "its name holds a backslash, which in targets stands for /; rename it",
            Self::SameName => "another file has the same name in Unicode's composed form; rename one",
        })
    }
}

/// The files, byte-sorted by path.
#[derive(Clone, Debug)]
pub struct Corpus {
    root: PathBuf,
    rules: CorpusRules,
    entries: Vec<Entry>,
    left_out: Vec<(String, LeftOut)>,
    entities: Vec<Entity>,
    known: BTreeSet<Name>,
    digest: Digest,
}

/// A corpus that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// A glob of the rules is none.
    #[error("corpus {field}: `{glob}` is no glob")]
    Glob {
        /// `include` or `exclude`.
        field: &'static str,
        /// As written.
        glob: String,
        /// What is wrong with it.
        source: globset::Error,
    },
    /// The tree cannot be walked.
    #[error("the tree cannot be walked")]
    Walk(#[source] ignore::Error),
    /// A file cannot be read.
    #[error("{path}: cannot be read")]
    Read {
        /// Repository-relative.
        path: String,
        /// The system's word.
        source: io::Error,
    },
    /// A file that the walk itself reads, or the entity records, cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The entity records are malformed.
    #[error("{path}: {message}")]
    Entities {
        /// As configured.
        path: String,
        /// What is wrong, and where.
        message: String,
    },
}

impl Blamed for CorpusError {
    fn blame(&self) -> Blame {
        match self {
            Self::Glob { .. } | Self::Entities { .. } => Blame::User,
            Self::Walk(_) | Self::Read { .. } => Blame::Environment,
            Self::File(error) => error.blame(),
        }
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::File(error) => return error.hint(),
                Self::Glob { .. } => "correct it in [corpus] of rankhold.toml",
                Self::Entities { .. } => "a list of {id, path, title?, text?, kind?} is expected",
                Self::Walk(_) | Self::Read { .. } => {
                    "make it readable, or leave it out: exclude = [\"FOLDER/**\"] under [corpus] of rankhold.toml"
                }
            }
            .to_owned(),
        )
    }
}

impl Corpus {
    /// Walks and hashes the tree under `root` (absolute) with so many threads.
    pub fn open(
        root: &Path,
        rules: &CorpusRules,
        hidden: &Hidden,
        threads: usize,
    ) -> Result<Self, CorpusError> {
        let entities = entity::load(root, rules)?;
        let hidden = hidden.with(rules.entities.as_deref());
        let walked = walk::walk(root, rules, &hidden)?;
        let mut left_out = walked.left_out;
        let mut entries = Vec::with_capacity(walked.paths.len());
        for (path, seen) in read::all(root, walked.paths, threads)? {
            match seen {
                read::Seen::Text { size, hash } => entries.push(Entry { path, size, hash }),
                read::Seen::LeftOut(why) => left_out.push((path, why)),
            }
        }
        left_out.sort();
        let mut known: BTreeSet<Name> = entries.iter().map(|entry| Name::new(&entry.path)).collect();
        let folders: Vec<Name> =
            known.iter().flat_map(|name| name.ancestors().map(Name::new).collect::<Vec<_>>()).collect();
        known.extend(folders);
        let digest = digest(&entries, &entities);
        Ok(Self { root: root.to_owned(), rules: rules.clone(), entries, left_out, entities, known, digest })
    }

    /// The folder the paths are relative to (absolute).
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The files, byte-sorted by path.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Files that no rule excludes and that are not searched all the same, byte-sorted by path.
    pub fn left_out(&self) -> &[(String, LeftOut)] {
        &self.left_out
    }

    /// SHA-256 over `path NUL size NUL sha256(bytes) LF` of every file (size in decimal, hash in hexadecimal), then
    /// over the canonical JSON of the entity records, if there are any.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Entity records, if the rules name any.
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// The name is a file or a folder of the corpus.
    pub fn knows(&self, name: &Name) -> bool {
        self.known.contains(name)
    }

    /// A target of that name can be found: a file, a folder or an entity. What looks like an entity id is given the
    /// benefit of the doubt where no records say which there are: an external retriever may know it.
    pub fn may_hold(&self, target: &Name) -> bool {
        let is_entity = |entity: &Entity| Name::new(&entity.id) == *target;
        let unknowable = || self.entities.is_empty() && looks_like_an_id(target);
        self.knows(target) || self.entities.iter().any(is_entity) || unknowable()
    }

    /// The bytes of one file.
    pub fn read(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        read::file(&self.root.join(&entry.path))
    }

    /// What artifacts say of it.
    pub fn identity(&self) -> CorpusIdentity {
        CorpusIdentity {
            content_hash: self.digest.clone(),
            file_count: self.entries.len() as u64,
            rules: self.rules.clone(),
        }
    }
}

fn digest(entries: &[Entry], entities: &[Entity]) -> Digest {
    let mut hasher = Sha256::new();
    for entry in entries {
        hasher.update(entry.path.as_bytes());
        hasher.update(b"\0");
        hasher.update(entry.size.to_string().as_bytes());
        hasher.update(b"\0");
        hasher.update(entry.hash.to_string().as_bytes());
        hasher.update(b"\n");
    }
    if !entities.is_empty() {
        hasher.update(Digest::of(&entities).to_string().as_bytes());
    }
    Digest::from_hasher(hasher)
}

/// A corpus, seen from where a retriever looked at it: in place, or as a copy under another root.
pub struct SeenFrom<'a> {
    corpus: &'a Corpus,
    roots: Vec<String>,
}

impl<'a> SeenFrom<'a> {
    /// Strips these folders (absolute) from every text a retriever returns.
    pub fn new(corpus: &'a Corpus, folders: &[&Path]) -> Self {
        let mut roots: Vec<String> = folders
            .iter()
            .flat_map(|folder| [Some((*folder).to_owned()), folder.canonicalize().ok()])
            .flatten()
            .filter_map(|folder| {
                folder.to_str().map(|text| text.replace('\\', "/").trim_end_matches('/').to_owned())
            })
            .filter(|text| !text.is_empty())
            .collect();
        roots.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        roots.dedup();
        Self { corpus, roots }
    }
}

impl Place for SeenFrom<'_> {
    fn strip(&self, text: &str) -> String {
        let slashed = text.replace('\\', "/");
        if !self.roots.iter().any(|root| slashed.contains(root.as_str())) {
            return text.to_owned();
        }
        self.roots.iter().fold(slashed, |text, root| without(&text, root))
    }

    fn knows(&self, path: &Name) -> bool {
        self.corpus.knows(path)
    }
}

/// The text without a folder's path, wherever it stands as a whole: `/a/b/x` loses `/a/b/`, `/a/bc` loses nothing.
fn without(text: &str, root: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(root) {
        let after = &rest[at + root.len()..];
        kept.push_str(&rest[..at]);
        rest = if let Some(below) = after.strip_prefix('/') {
            below
        } else if after.starts_with(|next: char| next.is_alphanumeric() || "-_.".contains(next)) {
            kept.push_str(root);
            after
        } else {
            after
        };
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn a_root_goes_where_it_stands_as_a_whole() {
        assert_eq!(without("see /a/b/x and /a/b, not /a/bc/y", "/a/b"), "see x and , not /a/bc/y");
        assert_eq!(without("/a/b", "/a/b"), "");
    }
}
