//! `owner/name`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

/// A repository by its full name, of characters that GitHub allows in one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Repository {
    /// User or organisation.
    pub owner: String,
    /// Its own name.
    pub name: String,
}

/// It is no `owner/name`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no repository: expected owner/name", .0.escape_debug())]
pub struct BadRepository(pub String);

impl FromStr for Repository {
    type Err = BadRepository;

    fn from_str(text: &str) -> Result<Self, BadRepository> {
        let part = |text: &str| {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            !text.is_empty() && text.bytes().all(fits) && text != "." && text != ".."
        };
        match text.split_once('/') {
            Some((owner, name)) if part(owner) && part(name) => {
                Ok(Self { owner: owner.to_owned(), name: name.to_owned() })
            }
            _ => Err(BadRepository(text.to_owned())),
        }
    }
}

impl<'de> Deserialize<'de> for Repository {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_name_is_a_repository() {
        assert_eq!("a-b/c.d_e".parse::<Repository>().unwrap().to_string(), "a-b/c.d_e");
        for text in ["", "a", "/a", "a/", "a/b/c", "../b", "a/..", "a/b?x", "a b/c", "a/b\n"] {
            assert!(text.parse::<Repository>().is_err(), "{text:?}");
        }
    }
}
