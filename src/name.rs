//! What a target or a hit is called: an entity id or a repository path, normalised so that equality is matching.

use std::borrow::Borrow;
use std::fmt;

use unicode_normalization::{UnicodeNormalization, is_nfc};

/// A name that may become part of a file name: `[a-z0-9-]+`. Suites, retrievers and kinds are called so.
pub fn is_slug(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// A normalised entity id or repository-relative path.
///
/// `\` becomes `/`, leading `./` and trailing `/` go, and the rest is in Unicode NFC. Nothing else: no case folding, no
/// prefixes, no suffix matching.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Box<str>);

impl Name {
    /// Normalises `raw`.
    pub fn new(raw: &str) -> Self {
        let slashed = raw.replace('\\', "/");
        let mut rest = slashed.as_str();
        while let Some(stripped) = rest.strip_prefix("./") {
            rest = stripped.trim_start_matches('/');
        }
        let rest = rest.trim_end_matches('/');
        Self(if is_nfc(rest) { rest.into() } else { rest.nfc().collect::<String>().into() })
    }

    /// The normalised text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Nothing is left after normalising.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// It names something outside the tree: an absolute path, a drive, or a path that climbs out with `..`.
    pub fn escapes(&self) -> bool {
        let text = self.as_str();
        let bytes = text.as_bytes();
        if text.starts_with('/')
            || (bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && &bytes[1..3] == b":/")
        {
            return true;
        }
        let mut depth = 0_i64;
        for part in text.split('/') {
            match part {
                ".." => depth -= 1,
                "" | "." => {}
                _ => depth += 1,
            }
            if depth < 0 {
                return true;
            }
        }
        false
    }

    /// The folders above it, nearest first: `a/b` and `a` for `a/b/c`.
    pub fn ancestors(&self) -> impl Iterator<Item = &str> {
        let text = self.as_str();
        text.char_indices().rev().filter(|(_, c)| *c == '/').map(move |(at, _)| &text[..at])
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &self.0)
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(raw: &str) -> Self {
        Self::new(raw)
    }
}

impl serde::Serialize for Name {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for Name {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::new(&String::deserialize(deserializer)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_dots_slashes_and_unicode_forms_do_not_matter() {
        for raw in [
            "src/a.rs",
            "./src/a.rs",
            "././src/a.rs",
            ".//src/a.rs",
            "src\\a.rs",
            ".\\src\\a.rs",
            "src/a.rs/",
        ] {
            assert_eq!(Name::new(raw).as_str(), "src/a.rs", "{raw}");
        }
        assert_eq!(Name::new("cafe\u{301}.md"), Name::new("caf\u{e9}.md"));
    }

    #[test]
    fn case_and_suffixes_do_matter() {
        assert_ne!(Name::new("src/A.rs"), Name::new("src/a.rs"));
        assert_ne!(Name::new("a.rs"), Name::new("src/a.rs"));
        assert_ne!(Name::new("../a.rs"), Name::new("a.rs"));
    }

    #[test]
    fn a_name_that_leaves_the_tree_is_told() {
        for raw in ["/etc/passwd", "..", "../x", "a/../../x", "C:\\x", "c:/x", "./../x"] {
            assert!(Name::new(raw).escapes(), "{raw}");
        }
        for raw in ["a/../b", "document:docs/mcp.md", "a..b", "...", "c:x", ".github/x"] {
            assert!(!Name::new(raw).escapes(), "{raw}");
        }
    }

    #[test]
    fn ancestors_go_upwards() {
        assert_eq!(Name::new("a/b/c").ancestors().collect::<Vec<_>>(), ["a/b", "a"]);
        assert_eq!(Name::new("a").ancestors().count(), 0);
    }
}
