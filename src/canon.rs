//! Canonical JSON (RFC 8785) and the content hash over it.
//!
//! Two values that mean the same have the same canonical text, so a hash of that text identifies the content and not
//! its layout.

use std::cmp::Ordering;
use std::fmt;

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The name artifacts give to this way of hashing.
pub const ALGORITHM: &str = "sha256-normalized-v1";

/// A SHA-256 content hash, 64 lower-case hexadecimal digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The hash of raw bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// What a hasher that was fed piece by piece has come to.
    pub fn from_hasher(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }

    /// The hash of a JSON value's canonical form.
    pub fn of_json(value: &Value) -> Self {
        Self::of_bytes(canonical(value, KeyOrder::Utf16).as_bytes())
    }

    /// The hash of a JSON value as JavaScript's `JSON.stringify` orders the keys of a sorted object: keys that look
    /// like array indices first, in numeric order. Version 1 of the baseline file was hashed that way.
    pub fn of_json_v1(value: &Value) -> Self {
        Self::of_bytes(canonical(value, KeyOrder::JavaScript).as_bytes())
    }

    /// The hash of a serialisable value's canonical form.
    pub fn of<T: Serialize>(value: &T) -> Self {
        Self::of_json(&serde_json::to_value(value).expect("our own types serialise"))
    }

    /// The raw 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first `digits` hexadecimal digits, for people.
    pub fn short(&self, digits: usize) -> String {
        self.to_string()[..digits.min(64)].to_owned()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::str::FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        if text.len() != 64 || !text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(NotADigest);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).expect("checked to be ASCII");
            *byte = u8::from_str_radix(pair, 16).expect("checked to be hexadecimal");
        }
        Ok(Self(bytes))
    }
}

/// The text is no SHA-256 in lower-case hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected 64 lower-case hexadecimal digits")]
pub struct NotADigest;

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// How the keys of an object are ordered in the canonical text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOrder {
    /// By UTF-16 code units (RFC 8785).
    Utf16,
    /// As `JSON.stringify` prints an object whose keys were inserted in UTF-16 order.
    JavaScript,
}

impl KeyOrder {
    fn compare(self, a: &str, b: &str) -> Ordering {
        let by_utf16 = || a.encode_utf16().cmp(b.encode_utf16());
        match self {
            Self::Utf16 => by_utf16(),
            Self::JavaScript => match (array_index(a), array_index(b)) {
                (Some(a), Some(b)) => a.cmp(&b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => by_utf16(),
            },
        }
    }
}

/// The key as an ECMAScript array index: canonical decimal below 2^32 − 1.
fn array_index(key: &str) -> Option<u32> {
    let canonical =
        key == "0" || (!key.starts_with('0') && !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit()));
    canonical.then(|| key.parse().ok()).flatten().filter(|index| *index != u32::MAX)
}

/// The canonical text of a value: no white space, ordered keys, numbers as ECMAScript prints them.
pub fn canonical(value: &Value, order: KeyOrder) -> String {
    let mut out = String::new();
    write_value(value, order, &mut out);
    out
}

fn write_value(value: &Value, order: KeyOrder, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => {
            let number = number.as_f64().expect("every JSON number we hold is a finite double");
            out.push_str(ryu_js::Buffer::new().format(number));
        }
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_value(item, order, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut keys: Vec<_> = fields.iter().collect();
            keys.sort_by(|(a, _), (b, _)| order.compare(a, b));
            out.push('{');
            for (at, (key, field)) in keys.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write_value(field, order, out);
            }
            out.push('}');
        }
    }
}

fn write_string(text: &str, out: &mut String) {
    // serde_json escapes exactly what RFC 8785 §3.2.2.2 asks for.
    out.push_str(&serde_json::to_string(text).expect("a string serialises"));
}

/// How a value is laid out on disk: sorted keys, two spaces, a newline at the end, so that it diffs.
pub fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a value serialises");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_and_strings_are_written_as_rfc_8785_asks() {
        // The example of RFC 8785 §3.2.2, numbers and literals.
        let value: Value = serde_json::from_str(
            r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0.0,9007199254740993],
                "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#,
        )
        .expect("valid JSON");
        assert_eq!(
            canonical(&value, KeyOrder::Utf16),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27,0,9007199254740992],\
             \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
        );
    }

    #[test]
    fn keys_are_ordered_by_utf16_code_units() {
        // RFC 8785 §3.2.3: an emoji (surrogate pair) sorts before U+FB33.
        let value =
            json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
        let text = canonical(&value, KeyOrder::Utf16);
        let values: Vec<_> = text.split(':').skip(1).filter_map(|rest| rest.chars().next()).collect();
        assert_eq!(values.iter().collect::<String>(), "2467153");
    }

    #[test]
    fn version_1_puts_integer_like_keys_first() {
        let value = json!({"a": 0, "10": 0, "9": 0, "01": 0, "4294967295": 0});
        assert_eq!(canonical(&value, KeyOrder::JavaScript), r#"{"9":0,"10":0,"01":0,"4294967295":0,"a":0}"#);
        assert_eq!(canonical(&value, KeyOrder::Utf16), r#"{"01":0,"10":0,"4294967295":0,"9":0,"a":0}"#);
    }

    #[test]
    fn a_digest_reads_back_and_refuses_anything_else() {
        let digest = Digest::of_bytes(b"");
        assert_eq!(digest.to_string(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(digest.to_string().parse::<Digest>(), Ok(digest.clone()));
        assert!(digest.to_string().to_uppercase().parse::<Digest>().is_err());
        assert!("e3".parse::<Digest>().is_err());
    }
}
