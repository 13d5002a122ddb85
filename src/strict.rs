//! JSON that means one thing: no key twice in one object, however deep; and, where strangers write it, no more of it than
//! there is room for.
//!
//! Readers disagree on which of two equal keys counts, so neither does. And a few bytes of JSON can stand for many of
//! memory, an object with one short key for a hundred times its length: a limit on bytes alone holds little.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use crate::error::quoted;

/// So many values an answer may hold, of whatever kind.
const MOST_VALUES: usize = 2_000_000;

/// So many of them may be objects, which take the most memory.
const MOST_OBJECTS: usize = 200_000;

/// How many characters of a key a message quotes.
const QUOTED: usize = 40;

/// The error of a key that an object has twice.
pub fn twice<E: Error>(key: &str) -> E {
    let key = quoted(key, QUOTED);
    E::custom(format_args!("the key `{key}` appears twice in one object"))
}

/// Reads one value, however large.
#[derive(Clone, Copy, Debug)]
pub struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Seed(&mut Room { values: usize::MAX, objects: usize::MAX }).deserialize(deserializer)
    }
}

/// What else may come.
#[derive(Debug)]
pub struct Room {
    values: usize,
    objects: usize,
}

impl Default for Room {
    /// That of one answer of a retriever.
    fn default() -> Self {
        Self { values: MOST_VALUES, objects: MOST_OBJECTS }
    }
}

impl Room {
    /// Reads one value, which takes its room. An error whose `is_data` is true is about JSON that is not taken.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Value, serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let value = Seed(self).deserialize(&mut reader)?;
        reader.end()?;
        Ok(value)
    }

    fn value<E: Error>(&mut self) -> Result<(), E> {
        self.values = self.values.checked_sub(1).ok_or_else(|| {
            E::custom(format_args!("it holds more than {MOST_VALUES} values; ask it for less"))
        })?;
        Ok(())
    }

    fn object<E: Error>(&mut self) -> Result<(), E> {
        self.objects = self.objects.checked_sub(1).ok_or_else(|| {
            E::custom(format_args!("it holds more than {MOST_OBJECTS} objects; ask it for less"))
        })?;
        Ok(())
    }
}

/// Reads one answer, with all the room of one.
pub fn read_answer(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    Room::default().read(bytes)
}

/// One answer of a stream of several, each with all the room of one.
#[derive(Debug)]
pub struct Answer(pub Value);

impl<'de> Deserialize<'de> for Answer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Seed(&mut Room::default()).deserialize(deserializer).map(Self)
    }
}

/// Reads into a room.
struct Seed<'a>(&'a mut Room);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.0.value()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
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
        while let Some(item) = items.next_element_seed(Seed(self.0))? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        self.0.object()?;
        let mut object = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            match object.entry(key) {
                Entry::Occupied(entry) => return Err(twice(entry.key())),
                Entry::Vacant(entry) => drop(entry.insert(fields.next_value_seed(Seed(self.0))?)),
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_value_is_read_as_it_is() {
        let text = r#"{"a": [null, true, 18446744073709551615, -3, 0.5, "x\u00e9"], "b": {}}"#;
        let expected = json!({"a": [null, true, u64::MAX, -3, 0.5, "x\u{e9}"], "b": {}});
        assert_eq!(read_answer(text.as_bytes()).unwrap(), expected);
        for bad in ["", "[", "[] []", "{\"a\": 1e999}", "nonsense"] {
            assert!(!read_answer(bad.as_bytes()).unwrap_err().is_data(), "{bad}");
        }
        assert!(read_answer(&b"[".repeat(100_000)).is_err());
    }

    #[test]
    fn a_key_that_appears_twice_is_refused_wherever_it_stands() {
        let error = read_answer(br#"[{"x": [{"ok": false, "ok": true}]}]"#).unwrap_err();
        assert!(error.is_data());
        assert_eq!(error.to_string(), "the key `ok` appears twice in one object at line 1 column 26");
    }

    #[test]
    fn more_values_than_there_is_room_for_are_refused() {
        let told = |room: &mut Room, text: &str| {
            room.read(text.as_bytes()).map_err(|error| {
                assert!(error.is_data(), "{error}");
                error.to_string()
            })
        };
        let mut room = Room { values: 5, objects: 2 };
        assert_eq!(told(&mut room, "[[], 1]"), Ok(json!([[], 1])));
        assert!(told(&mut room, "[1, 2]").unwrap_err().starts_with("it holds more than 2000000 values"));
        let mut room = Room { values: 50, objects: 2 };
        assert!(told(&mut room, "[{}, {}]").is_ok());
        assert!(told(&mut room, "{}").unwrap_err().starts_with("it holds more than 200000 objects"));
        let many = format!("[{}0]", "{},".repeat(MOST_OBJECTS + 1));
        assert!(read_answer(many.as_bytes()).is_err(), "one answer has the room of one");
    }
}
