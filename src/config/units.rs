//! Durations and sizes, read the same in flags and in the file.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

/// A duration such as `500ms`, `10s`, `5m`, `1h30m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Duration);

/// A size in bytes such as `4096`, `64KiB`, `1MiB`, `2GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

/// The text is no duration or size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitProblem {
    /// Not a duration.
    #[error("`{0}` is no duration; write it like 500ms, 10s, 5m or 1h30m")]
    Span(String),
    /// Not a size.
    #[error("`{0}` is no size; write it like 64KiB, 1MiB or a number of bytes")]
    Size(String),
}

impl FromStr for Span {
    type Err = UnitProblem;

    fn from_str(text: &str) -> Result<Self, UnitProblem> {
        let refuse = || UnitProblem::Span(text.to_owned());
        let mut rest = text;
        let mut total = 0_u64;
        while !rest.is_empty() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let amount: u64 = rest[..digits].parse().map_err(|_| refuse())?;
            rest = &rest[digits..];
            let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
            let milliseconds = match &rest[..letters] {
                "ms" => 1,
                "s" => 1_000,
                "m" => 60_000,
                "h" => 3_600_000,
                _ => return Err(refuse()),
            };
            rest = &rest[letters..];
            total = amount
                .checked_mul(milliseconds)
                .and_then(|part| total.checked_add(part))
                .ok_or_else(refuse)?;
        }
        // A year is longer than any run; beyond it the clock's arithmetic could overflow.
        if total == 0 || total > 31_536_000_000 {
            Err(refuse())
        } else {
            Ok(Self(Duration::from_millis(total)))
        }
    }
}

impl FromStr for ByteSize {
    type Err = UnitProblem;

    fn from_str(text: &str) -> Result<Self, UnitProblem> {
        let refuse = || UnitProblem::Size(text.to_owned());
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let amount: u64 = text[..digits].parse().map_err(|_| refuse())?;
        let unit: u64 = match text[digits..].trim_start() {
            "" | "B" => 1,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            _ => return Err(refuse()),
        };
        amount.checked_mul(unit).filter(|bytes| *bytes > 0).map(Self).ok_or_else(refuse)
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0;
        match bytes {
            _ if bytes.is_multiple_of(1 << 30) => write!(f, "{}GiB", bytes >> 30),
            _ if bytes.is_multiple_of(1 << 20) => write!(f, "{}MiB", bytes >> 20),
            _ if bytes.is_multiple_of(1 << 10) => write!(f, "{}KiB", bytes >> 10),
            _ => write!(f, "{bytes}"),
        }
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Span;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as \"10s\"")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Span, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = ByteSize;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size such as \"1MiB\" or a number of bytes")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<ByteSize, E> {
                text.parse().map_err(E::custom)
            }
            fn visit_i64<E: serde::de::Error>(self, bytes: i64) -> Result<ByteSize, E> {
                bytes.to_string().parse().map_err(E::custom)
            }
            fn visit_u64<E: serde::de::Error>(self, bytes: u64) -> Result<ByteSize, E> {
                bytes.to_string().parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

macro_rules! text_schema {
    ($type:ty, $name:literal, $pattern:literal) => {
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "pattern": $pattern })
            }
        }
    };
}

text_schema!(Span, "Duration", "^([0-9]+(ms|s|m|h))+$");
text_schema!(ByteSize, "ByteSize", "^[0-9]+ ?(B|KiB|MiB|GiB)?$");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_they_are_written() {
        let ms = |text: &str| text.parse::<Span>().map(|span| span.0.as_millis());
        assert_eq!(
            (ms("500ms"), ms("10s"), ms("5m"), ms("1h30m")),
            (Ok(500), Ok(10_000), Ok(300_000), Ok(5_400_000))
        );
        for text in ["", "5", "0s", "-1s", "1 s", "1d", "s", "99999999999999999h", "ten"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_read_and_print_the_same() {
        for text in ["1MiB", "64KiB", "2GiB", "1000"] {
            assert_eq!(text.parse::<ByteSize>().expect("a size").to_string(), text);
        }
        for text in ["", "MiB", "1MB", "0", "-1", "1.5MiB", "99999999999GiB"] {
            assert!(text.parse::<ByteSize>().is_err(), "{text}");
        }
    }
}
