//! One case of an Open Eval document.

use serde_json::{Map, Value};

use super::super::error::Problems;
use super::super::json::type_of;
use super::super::{Case, CaseId, Expected, Place};
use super::metadata::Meant;

/// Reads the case with that 1-based number. What is wrong goes into `problems`, and then there is no case.
pub(super) fn read(value: Value, number: usize, problems: &mut Problems) -> Option<Case> {
    let Value::Object(mut fields) = value else {
        problems.push(Place::case(number, None), format!("must be an object, not {}", type_of(&value)));
        return None;
    };
    let mut tell = Tell { number, id: None, problems };
    tell.id = text(&mut fields, "id", &mut tell);
    if tell.id.take_if(|id| id.trim().is_empty()).is_some() {
        tell.id = tell.wrong("id", "is empty; give the case a name that a report can show");
    }
    let input = text(&mut fields, "input", &mut tell);
    let expected = match fields.remove("expected").as_ref().map_or(Ok(None), Expected::read) {
        Ok(expected) => Some(expected),
        Err(message) => {
            let (field, message) = message.split_once(": ").unwrap_or(("expected", &message));
            tell.wrong(field, message)
        }
    };
    let metadata = match fields.remove("metadata") {
        None => Map::new(),
        Some(Value::Object(metadata)) => metadata,
        Some(other) => return tell.wrong("metadata", format!("must be an object, not {}", type_of(&other))),
    };
    let meant = Meant::read(&metadata, &mut tell)?;
    Some(Case {
        id: CaseId(tell.id?),
        input: input?,
        expected: expected?,
        qrels: meant.qrels,
        critical: meant.critical,
        quarantined: meant.quarantined,
        metadata,
        extra: fields,
    })
}

/// Where problems of one case are told.
pub(super) struct Tell<'a> {
    number: usize,
    id: Option<String>,
    problems: &'a mut Problems,
}

impl Tell<'_> {
    /// Tells a problem; nothing can be made of the field.
    pub(super) fn wrong<T>(&mut self, field: &str, message: impl Into<String>) -> Option<T> {
        self.problems.push(Place::case(self.number, self.id.as_deref()).field(field), message);
        None
    }
}

fn text(fields: &mut Map<String, Value>, key: &str, tell: &mut Tell<'_>) -> Option<String> {
    match fields.remove(key) {
        Some(Value::String(text)) => Some(text),
        Some(other) => tell.wrong(key, format!("must be a string, not {}", type_of(&other))),
        None => tell.wrong(key, "is missing; each case needs one"),
    }
}
