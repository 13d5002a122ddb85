//! A program, or a program with its arguments: `"python3"`, `["uv", "run", "python"]`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The words of a command line; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(Vec<String>);

impl Words {
    /// These words.
    pub fn of<const N: usize>(words: [&str; N]) -> Self {
        const { assert!(N > 0, "a command line has a program") };
        Self(words.map(str::to_owned).to_vec())
    }

    /// All of them.
    pub fn into_vec(self) -> Vec<String> {
        self.0
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Words;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a program, or a list of a program and its arguments")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Words, E> {
                Ok(Words::of([word]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Words, A::Error> {
                let mut words = Vec::new();
                while let Some(word) = seq.next_element()? {
                    words.push(word);
                }
                if words.is_empty() { Err(A::Error::invalid_length(0, &self)) } else { Ok(Words(words)) }
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

impl JsonSchema for Words {
    fn schema_name() -> Cow<'static, str> {
        "Words".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" }, "minItems": 1 },
            ],
        })
    }
}
