//! Files that no retriever may see, because they hold the answers.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::artifact::kind_of;
use crate::name::Name;

/// Paths out of every retriever's sight: each configured suite, baseline, ground-truth and output path. A folder hides
/// what is below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden(BTreeSet<Name>);

impl Hidden {
    /// Hides these repository-relative paths.
    pub fn new(paths: impl IntoIterator<Item = Name>) -> Self {
        Self(paths.into_iter().filter(|path| !path.is_empty()).collect())
    }

    /// Hides one more.
    pub(super) fn with(&self, path: Option<&str>) -> Self {
        Self(self.0.iter().cloned().chain(path.map(Name::new)).collect())
    }

    /// The path or a folder above it is hidden.
    pub(super) fn covers(&self, path: &Name) -> bool {
        self.0.contains(path) || path.ancestors().any(|folder| self.0.contains(folder))
    }
}

/// The `type` of a file of rankings that `replay` reads.
pub const RANKINGS: &str = "rankhold-rankings";

/// A JSON document whose root is a suite or one of our own types, wherever it lies.
pub(super) fn is_answer_file(path: &str, bytes: &[u8]) -> bool {
    let is_json = path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("json"));
    if !is_json || !may_be_ours(bytes) {
        return false;
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice::<Value>(text).is_ok_and(|document| {
        document.get("evalFormatVersion").is_some()
            || kind_of(&document).is_some()
            || document.get("type").and_then(Value::as_str) == Some(RANKINGS)
    })
}

/// Cheap: the words that such a document must hold are there.
fn may_be_ours(bytes: &[u8]) -> bool {
    ["evalFormatVersion", "retrieval-benchmark-", RANKINGS]
        .iter()
        .any(|word| memchr::memmem::find(bytes, word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_hides_what_is_below_it_and_nothing_beside_it() {
        let hidden = Hidden::new([Name::new("baselines"), Name::new("suites/a.json")]);
        for path in ["baselines/x.json", "baselines/deep/x", "suites/a.json", "baselines"] {
            assert!(hidden.covers(&Name::new(path)), "{path}");
        }
        for path in ["baselines.md", "suites/b.json", "suites"] {
            assert!(!hidden.covers(&Name::new(path)), "{path}");
        }
    }

    #[test]
    fn answer_files_are_known_by_their_root() {
        assert!(is_answer_file("x/any.json", b"\xef\xbb\xbf{\"evalFormatVersion\": \"2026-04\"}"));
        assert!(is_answer_file("r.JSON", br#"{"type": "retrieval-benchmark-result"}"#));
        assert!(is_answer_file("r.json", br#"{"type": "rankhold-rankings"}"#));
        assert!(!is_answer_file("notes.md", br#"{"evalFormatVersion": "2026-04"}"#));
        assert!(!is_answer_file("nested.json", br#"{"a": {"evalFormatVersion": "2026-04"}}"#));
    }
}
