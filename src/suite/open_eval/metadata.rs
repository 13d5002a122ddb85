//! The keys of a case's `metadata` that mean something to a retrieval suite. All others are kept as they are.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde_json::{Map, Value};

use super::super::json::type_of;
use super::super::{Qrels, Quarantine};
use super::case::Tell;
use crate::name::Name;

/// Every key of `metadata` that has a meaning; `suite lint` looks for near misses of these.
pub const KEYS: [&str; 9] = [
    "expectedTargets",
    "lang",
    "kind",
    "grades",
    "aliases",
    "forbiddenTargets",
    "expectNoResult",
    "critical",
    "quarantined",
];

/// What `metadata` says.
pub(super) struct Meant {
    pub(super) qrels: Qrels,
    pub(super) critical: bool,
    pub(super) quarantined: Option<Quarantine>,
}

impl Meant {
    /// Reads all keys, so that every problem is told; none if there is one.
    pub(super) fn read(metadata: &Map<String, Value>, tell: &mut Tell<'_>) -> Option<Self> {
        let segments = ["lang", "kind"].map(|key| match metadata.get(key) {
            None | Some(Value::String(_)) => Some(()),
            Some(other) => wrong(tell, key, format!("must be a string, not {}", type_of(other))),
        });
        let targets = names(metadata, "expectedTargets", tell);
        let grades = grades(metadata, tell);
        let aliases = aliases(metadata, tell);
        let forbidden = names(metadata, "forbiddenTargets", tell);
        let negative = flag(metadata, "expectNoResult", tell);
        let critical = flag(metadata, "critical", tell);
        let quarantined = quarantine(metadata, tell);
        let qrels = Qrels::new(targets?, grades?, aliases?, forbidden?, negative?);
        let qrels = match qrels {
            Ok(qrels) => Some(qrels),
            Err(problem) => tell.wrong("metadata", problem.to_string()),
        };
        segments.into_iter().collect::<Option<Vec<()>>>()?;
        Some(Self { qrels: qrels?, critical: critical?, quarantined: quarantined? })
    }
}

fn wrong<T>(tell: &mut Tell<'_>, key: &str, message: impl Into<String>) -> Option<T> {
    tell.wrong(&format!("metadata.{key}"), message)
}

fn names(metadata: &Map<String, Value>, key: &str, tell: &mut Tell<'_>) -> Option<Vec<Name>> {
    metadata.get(key).map_or(Some(Vec::new()), |value| list(value, key, tell))
}

fn list(value: &Value, key: &str, tell: &mut Tell<'_>) -> Option<Vec<Name>> {
    let Value::Array(items) = value else {
        let example = value.as_str().map(|text| format!("; write {}", Value::from(vec![text])));
        let example = example.unwrap_or_default();
        return wrong(tell, key, format!("must be an array of strings, not {}{example}", type_of(value)));
    };
    let mut names = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        match item {
            Value::String(text) => names.push(Name::new(text)),
            other => {
                let message = format!("must be a string, not {}", type_of(other));
                return wrong(tell, &format!("{key}[{at}]"), message);
            }
        }
    }
    Some(names)
}

fn grades(metadata: &Map<String, Value>, tell: &mut Tell<'_>) -> Option<BTreeMap<Name, u32>> {
    let fields = match metadata.get("grades") {
        None => return Some(BTreeMap::new()),
        Some(Value::Object(fields)) => fields,
        Some(other) => {
            let message = format!("must be an object {{target: grade}}, not {}", type_of(other));
            return wrong(tell, "grades", message);
        }
    };
    let mut grades = BTreeMap::new();
    for (target, value) in fields {
        let Some(grade) = grade(value) else {
            let message = format!("`{target}` has the grade {value}; a grade is an integer from 0 up");
            return wrong(tell, "grades", message);
        };
        let name = Name::new(target);
        match grades.get(&name) {
            Some(&other) if other != grade => {
                let message = format!("`{name}` has the grades {other} and {grade}; keep one");
                return wrong(tell, "grades", message);
            }
            _ => grades.insert(name, grade),
        };
    }
    Some(grades)
}

/// An integer from 0 up; 2.0 is one, since the document's hash can't tell it from 2.
fn grade(value: &Value) -> Option<u32> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
    (0.0..=f64::from(u32::MAX)).contains(&number).then_some(number as u32)
}

fn aliases(metadata: &Map<String, Value>, tell: &mut Tell<'_>) -> Option<Vec<Vec<Name>>> {
    match metadata.get("aliases") {
        None => Some(Vec::new()),
        Some(Value::Array(sets)) => {
            sets.iter().enumerate().map(|(at, set)| list(set, &format!("aliases[{at}]"), tell)).collect()
        }
        Some(other) => {
            let found = type_of(other);
            wrong(tell, "aliases", format!("must be an array [[target, other name], …], not {found}"))
        }
    }
}

fn flag(metadata: &Map<String, Value>, key: &str, tell: &mut Tell<'_>) -> Option<bool> {
    match metadata.get(key) {
        None => Some(false),
        Some(Value::Bool(flag)) => Some(*flag),
        Some(other) => wrong(tell, key, format!("must be true or false, not {}", type_of(other))),
    }
}

/// `{reason, until}`; the outer none is a problem that was told, the inner one an absent key.
#[expect(clippy::option_option, reason = "a problem and an absent key are two things")]
fn quarantine(metadata: &Map<String, Value>, tell: &mut Tell<'_>) -> Option<Option<Quarantine>> {
    let fields = match metadata.get("quarantined") {
        None => return Some(None),
        Some(Value::Object(fields)) => fields,
        Some(other) => {
            let message = format!("must be an object {{reason, until}}, not {}", type_of(other));
            return wrong(tell, "quarantined", message);
        }
    };
    if let Some(key) = fields.keys().find(|key| !["reason", "until"].contains(&key.as_str())) {
        let message = format!("has the key `{key}`; only reason and until mean something");
        return wrong(tell, "quarantined", message);
    }
    let reason = fields.get("reason").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let Some(reason) = reason else {
        return wrong(tell, "quarantined.reason", "must be a string that says why the case is set aside");
    };
    let until = fields.get("until").unwrap_or(&Value::Null);
    // jiff also reads a date with a time behind it; a quarantine ends with a day.
    let date = until.as_str().filter(|text| text.len() == 10).and_then(|text| text.parse::<Date>().ok());
    let Some(until) = date else {
        let message = format!("is {until}; it must be a date such as \"2027-01-31\"");
        return wrong(tell, "quarantined.until", message);
    };
    Some(Some(Quarantine { reason: reason.to_owned(), until }))
}
