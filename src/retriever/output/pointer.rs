//! Where in a JSON value something is.

use std::fmt;

use serde_json::Value;

/// A JSON pointer (RFC 6901): empty for the whole value, else `/key/0/key`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer(String);

/// A text that is no pointer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no JSON pointer; write `/{0}`, or nothing for the whole value")]
pub struct PointerProblem(String);

impl Pointer {
    /// Reads one.
    pub fn new(text: &str) -> Result<Self, PointerProblem> {
        if text.is_empty() || text.starts_with('/') {
            Ok(Self(text.to_owned()))
        } else {
            Err(PointerProblem(text.to_owned()))
        }
    }

    /// The whole value.
    pub(super) fn root() -> Self {
        Self(String::new())
    }

    /// One key of an object.
    pub(super) fn key(name: &str) -> Self {
        Self(format!("/{name}"))
    }

    /// What is there, if anything but null is.
    pub fn of<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        value.pointer(&self.0).filter(|value| !value.is_null())
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
