//! When something was approved.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

/// An RFC 3339 instant, as it is spelled: a file's hash covers the spelling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Instant(String);

/// A text that names no instant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no instant of RFC 3339, such as 2026-11-01T09:30:00Z")]
pub struct NoInstant(String);

impl Instant {
    /// Which moment it is, whatever its spelling.
    pub fn moment(&self) -> jiff::Timestamp {
        self.0.parse().expect("it was parsed before")
    }
}

impl FromStr for Instant {
    type Err = NoInstant;

    /// jiff reads more than RFC 3339 allows: other separators, no punctuation, time zones by name.
    fn from_str(text: &str) -> Result<Self, NoInstant> {
        let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"-:.+TZ".contains(&byte));
        let separated = text.as_bytes().get(10) == Some(&b'T');
        if plain && separated && text.parse::<jiff::Timestamp>().is_ok() {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoInstant(text.chars().take(60).collect()))
        }
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_keeps_its_spelling_and_anything_else_is_refused() {
        for good in ["2026-11-01T09:30:00Z", "2026-09-14T15:30:54.173Z", "2026-11-01T09:30:00+01:00"] {
            assert_eq!(good.parse::<Instant>().expect(good).to_string(), good);
        }
        let bad = [
            "",
            "yesterday",
            "2026-11-01",
            "2026-11-01 09:30:00Z",
            "2026-13-01T09:30:00Z",
            "2026-11-01T09:30:00",
            "20261101T093000Z",
            "2026-11-01T09:30:00Z[Europe/Paris]",
            "2026-11-01T09:30:00Z\n::error::x",
        ];
        for bad in bad {
            assert!(bad.parse::<Instant>().is_err(), "{bad}");
        }
    }
}
