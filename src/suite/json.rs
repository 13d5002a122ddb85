//! JSON as a suite needs it: a byte-order mark is harmless, a key that appears twice is not, and an error knows line
//! and column.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

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

/// A JSON value in which no object has a key twice: readers disagree on which one counts, so neither does here.
pub(crate) struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            match object.entry(key) {
                Entry::Occupied(entry) => return Err(twice(entry.key())),
                Entry::Vacant(entry) => drop(entry.insert(fields.next_value_seed(Self)?)),
            }
        }
        Ok(Value::Object(object))
    }
}

/// The error of a key that an object has twice.
pub(super) fn twice<E: serde::de::Error>(key: &str) -> E {
    E::custom(format_args!("the key `{key}` appears twice in one object; keep one"))
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
            "line 3, column 3: the key `a` appears twice in one object; keep one"
        );
    }
}
