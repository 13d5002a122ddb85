//! Open Eval Format `2026-04`, the native form of a suite.
//!
//! The rules are those of the format's own validator (AgentsKit-io/agentskit, `eval-format.ts`), plus ours for the keys
//! of `metadata` that a retrieval suite needs. `docs/suites.md` lists them.

mod add;
mod case;
mod lines;
mod metadata;
mod write;

pub use add::{add, replace};
pub use lines::lines;
pub use metadata::KEYS as METADATA_KEYS;
pub use write::{case_value, document, text, write};

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::error::Problems;
use super::json::{read, type_of};
use super::{Case, Note, Place, Suite, SuiteError};
use crate::canon::{Digest, KeyOrder, canonical};
use crate::strict::{Strict, twice};

/// The one version of the format that is read and written.
pub const VERSION: &str = "2026-04";

/// More cases than this are read, and said to be many.
pub const MANY_CASES: usize = 10_000;

/// A suite with what a reader should know about the file it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The suite.
    pub suite: Suite,
    /// What the format drops silently, and what else loads but looks odd.
    pub notes: Vec<Note>,
}

/// Reads an Open Eval document. The error holds every problem, and no file name: see [`SuiteError::labelled`].
pub fn parse(bytes: &[u8]) -> Result<Loaded, SuiteError> {
    read(bytes, Root)?.finish()
}

/// Makes a suite of cases that another format's reader has put into the native form. The hash is that of the document
/// these would make.
pub fn convert(name: &str, cases: Vec<Map<String, Value>>) -> Result<Loaded, SuiteError> {
    let mut draft = Draft::default();
    draft.fields.insert("evalFormatVersion".to_owned(), VERSION.into());
    draft.fields.insert("name".to_owned(), name.into());
    let mut list = Cases::default();
    for case in cases {
        list.push(Value::Object(case));
    }
    draft.cases = Some(list);
    draft.finish()
}

/// The root of a document as far as it is read. Cases are turned into [`Case`]s one by one, so that a million of them
/// never stand in memory twice.
#[derive(Default)]
struct Draft {
    /// Every root key but `cases`.
    fields: BTreeMap<String, Value>,
    cases: Option<Cases>,
}

#[derive(Default)]
struct Cases {
    read: Vec<Case>,
    /// The number of the case that has an id.
    ids: HashMap<String, usize>,
    /// The canonical text of the array so far, for the hash.
    canonical: String,
    count: usize,
    problems: Problems,
}

impl Cases {
    fn push(&mut self, value: Value) {
        self.count += 1;
        self.canonical.push(if self.count == 1 { '[' } else { ',' });
        self.canonical.push_str(&canonical(&value, KeyOrder::Utf16));
        let Some(case) = case::read(value, self.count, &mut self.problems) else { return };
        if let Some(first) = self.ids.get(&case.id.0) {
            let place = Place::case(self.count, Some(&case.id.0)).field("id");
            self.problems.push(place, format!("case {first} has the same id; make each id unique"));
            return;
        }
        self.ids.insert(case.id.0.clone(), self.count);
        self.read.push(case);
    }
}

impl Draft {
    fn finish(mut self) -> Result<Loaded, SuiteError> {
        let mut problems = Problems::default();
        self.check_version(&mut problems);
        let name = self.name(&mut problems);
        let hash = self.hash();
        let cases = match self.cases.take() {
            Some(cases) if cases.count > 0 => {
                problems.append(cases.problems);
                cases.read
            }
            Some(_) => {
                let message = "is empty; a suite without a case cannot fail: add one (`rankhold suite add`)";
                problems.push(Place::document().field("cases"), message);
                Vec::new()
            }
            None => {
                let message = "is missing; it must be an array of {id, input, metadata}";
                problems.push(Place::document().field("cases"), message);
                Vec::new()
            }
        };
        problems.into_result()?;
        let mut notes = self.notes();
        if cases.len() > MANY_CASES {
            let message = format!(
                "{} cases: every one is asked on every pull request; a few hundred tell as much",
                cases.len()
            );
            notes.push(Note::warning(Place::document().field("cases"), message));
        }
        let description = match self.fields.remove("description") {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let tags = self.fields.remove("tags").as_ref().and_then(strings).unwrap_or_default();
        Ok(Loaded { suite: Suite { name, description, tags, cases, hash }, notes })
    }

    fn check_version(&self, problems: &mut Problems) {
        let place = Place::document().field("evalFormatVersion");
        match self.fields.get("evalFormatVersion") {
            Some(Value::String(version)) if version == VERSION => {}
            Some(other) => {
                problems.push(place, format!("is {other}; only \"{VERSION}\" can be read"));
            }
            None => problems.push(place, self.guess()),
        }
    }

    /// What a document without a version may be instead.
    fn guess(&self) -> String {
        let is = |key: &str| self.fields.contains_key(key);
        match self.fields.get("type").and_then(Value::as_str) {
            Some(kind) => {
                format!("is missing: the file says it is a `{kind}`, not a suite; name the suite's file")
            }
            None if is("queries") => {
                "is missing: this looks like a queries or ground-truth file; convert the pair with \
                 `rankhold suite import --from queries`"
                    .to_owned()
            }
            None => format!("is missing; write \"evalFormatVersion\": \"{VERSION}\" at the root"),
        }
    }

    fn name(&self, problems: &mut Problems) -> String {
        let place = || Place::document().field("name");
        match self.fields.get("name") {
            Some(Value::String(name)) => return name.clone(),
            Some(other) => problems.push(place(), format!("must be a string, not {}", type_of(other))),
            None => problems.push(place(), "is missing; give the suite a name"),
        }
        String::new()
    }

    /// What the format drops without a word.
    fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        for (key, value) in &self.fields {
            let place = Place::document().field(key.as_str());
            match key.as_str() {
                "description" if !value.is_string() => {
                    let found = type_of(value);
                    notes
                        .push(Note::warning(place, format!("must be a string, not {found}; it is left out")));
                }
                "tags" if strings(value).is_none() => {
                    notes.push(Note::warning(place, "must be an array of strings; it is left out"));
                }
                "evalFormatVersion" | "name" | "cases" | "description" | "tags" => {}
                _ => notes.push(Note::new(
                    place,
                    "is no key of the format; it is left out, but changing it changes the suite's hash",
                )),
            }
        }
        notes
    }

    /// The digest of the document's canonical form, put together around the cases, which are most of it.
    fn hash(&mut self) -> Digest {
        let mut cases = self.cases.as_mut().map(|cases| {
            let mut text = std::mem::take(&mut cases.canonical);
            text.push_str(if cases.count == 0 { "[]" } else { "]" });
            text
        });
        let by_utf16 = |key: &str| key.encode_utf16().collect::<Vec<_>>();
        let mut members: Vec<_> =
            self.fields.iter().map(|(key, value)| (by_utf16(key), key.as_str(), Some(value))).collect();
        if cases.is_some() {
            members.push((by_utf16("cases"), "cases", None));
        }
        members.sort_by(|a, b| a.0.cmp(&b.0));
        let mut text = String::from("{");
        for (at, (_, key, value)) in members.into_iter().enumerate() {
            text.push_str(if at > 0 { "," } else { "" });
            text.push_str(&canonical(&Value::from(key), KeyOrder::Utf16));
            text.push(':');
            match (value, cases.take()) {
                (Some(value), other) => {
                    text.push_str(&canonical(value, KeyOrder::Utf16));
                    cases = other;
                }
                (None, Some(mut list)) => {
                    list.insert_str(0, &text);
                    text = list;
                }
                (None, None) => {}
            }
        }
        text.push('}');
        Digest::of_bytes(text.as_bytes())
    }
}

/// The strings of an array of nothing but strings.
fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Reads the root object.
struct Root;

impl<'de> DeserializeSeed<'de> for Root {
    type Value = Draft;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Draft, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Root {
    type Value = Draft;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an Open Eval suite, which is a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Draft, A::Error> {
        let mut draft = Draft::default();
        while let Some(key) = fields.next_key::<String>()? {
            if draft.fields.contains_key(&key) || (key == "cases" && draft.cases.is_some()) {
                return Err(twice(&key));
            }
            if key == "cases" {
                draft.cases = Some(fields.next_value_seed(List)?);
            } else {
                draft.fields.insert(key, fields.next_value_seed(Strict)?);
            }
        }
        Ok(draft)
    }
}

/// Reads `cases`.
struct List;

impl<'de> DeserializeSeed<'de> for List {
    type Value = Cases;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cases, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List {
    type Value = Cases;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`cases` to be an array of {id, input, metadata}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Cases, A::Error> {
        let mut cases = Cases::default();
        while let Some(value) = items.next_element_seed(Strict)? {
            cases.push(value);
        }
        Ok(cases)
    }
}
