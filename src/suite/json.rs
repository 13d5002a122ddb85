//! JSON as a suite needs it: a byte-order mark is harmless, and an error knows line and column.

use serde::de::DeserializeSeed;
use serde_json::Value;

use super::{Place, SuiteError};

/// The text of a file: UTF-8, without a byte-order mark.
pub(super) fn text(bytes: &[u8]) -> Result<&str, SuiteError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let line = good.matches('\n').count() + 1;
        let column = good.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        SuiteError::one(Place::line(line).column(column), "not UTF-8; save the file as UTF-8")
    })
}

/// Reads a whole document with `seed`; nothing may follow it.
pub(super) fn read<'de, S: DeserializeSeed<'de>>(bytes: &'de [u8], seed: S) -> Result<S::Value, SuiteError> {
    let text = text(bytes)?;
    if text.trim().is_empty() {
        return Err(SuiteError::one(Place::document(), "the file is empty; it should hold a JSON object"));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = seed.deserialize(&mut reader).map_err(|error| explain(&error))?;
    reader.end().map_err(|error| explain(&error))?;
    Ok(value)
}

fn explain(error: &serde_json::Error) -> SuiteError {
    let place = Place::line(error.line()).column(error.column());
    let full = error.to_string();
    let message = full.rsplit_once(" at line ").map_or(full.as_str(), |(message, _)| message);
    if error.is_data() {
        return SuiteError::one(place, message);
    }
    SuiteError::one(place, format!("not valid JSON: {message}"))
}

/// A value's type, for messages.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strict::Strict;

    fn refused(bytes: &[u8]) -> String {
        read(bytes, Strict).expect_err("must be refused").to_string()
    }

    #[test]
    fn a_byte_order_mark_and_crlf_are_harmless() {
        assert_eq!(read(b"\xef\xbb\xbf{\r\n\"a\":1\r\n}\r\n", Strict), Ok(serde_json::json!({"a": 1})));
    }

    #[test]
    fn what_is_no_json_is_told_with_line_and_column() {
        assert_eq!(refused(b""), "the file is empty; it should hold a JSON object");
        assert_eq!(refused(b"{\n  \"a\" 1}"), "line 2, column 7: not valid JSON: expected `:`");
        assert_eq!(refused(b"{} x"), "line 1, column 4: not valid JSON: trailing characters");
        assert_eq!(refused(b"{\n\"\xc3\xa9\xff\"}"), "line 2, column 3: not UTF-8; save the file as UTF-8");
        assert!(refused(b"{\"a\": 1e999}").contains("out of range"));
        assert!(refused(&b"[".repeat(100_000)).contains("recursion limit"));
    }

    #[test]
    fn a_key_that_appears_twice_is_refused_wherever_it_stands() {
        assert_eq!(
            refused(b"[\n{\"a\": 1,\n\"a\": 2}]"),
            "line 3, column 3: the key `a` appears twice in one object"
        );
    }
}
