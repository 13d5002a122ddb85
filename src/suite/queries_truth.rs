//! A `queries.json` with a `groundtruth.json`: a list of query texts, and per text the paths that answer it. The text
//! is the id.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::Problems;
use super::export::{Exported, Losses};
use super::json::{read, type_of};
use super::open_eval::convert;
use super::source::{Source, Tally, native, plural};
use super::{CaseKind, Loaded, Note, Suite, SuiteError};
use crate::strict::Strict;

/// Reads the pair as a suite of that name.
pub fn parse(name: &str, queries: Source<'_>, truth: Source<'_>) -> Result<Loaded, SuiteError> {
    let mut notes = Vec::new();
    let texts = texts(queries)?;
    let mut answers = answers(truth)?;
    let mut unanswered = Tally::default();
    let cases = texts.iter().map(|text| {
        let mut metadata = Map::new();
        match answers.remove(text) {
            Some(targets) => drop(metadata.insert("expectedTargets".to_owned(), targets)),
            None => unanswered.add(text),
        }
        native(text, text, metadata)
    });
    let cases: Vec<_> = cases.collect();
    unanswered.tell(&mut notes, truth.whole(), |count| {
        format!("no entry for {}, which cannot be scored", plural(count, "query", "queries"))
    });
    let mut unasked = Tally::default();
    for text in answers.keys() {
        unasked.add(text);
    }
    unasked.tell(&mut notes, truth.whole(), |count| {
        format!("{} that {} does not ask", plural(count, "entry", "entries"), queries.name)
    });
    let mut loaded = convert(name, cases)?;
    loaded.notes.splice(0..0, notes);
    Ok(loaded)
}

fn root(source: Source<'_>) -> Result<Map<String, Value>, SuiteError> {
    let value = read(source.bytes, Strict).map_err(|error| error.within(source.name))?;
    match value {
        Value::Object(fields) => Ok(fields),
        other => {
            let message = format!("must be an object with the key `queries`, not {}", type_of(&other));
            Err(SuiteError::one(source.whole(), message))
        }
    }
}

fn texts(source: Source<'_>) -> Result<Vec<String>, SuiteError> {
    let place = || source.whole().field("queries");
    let items = match root(source)?.remove("queries") {
        Some(Value::Array(items)) => items,
        Some(Value::Object(_)) => {
            let message = "is an object, as in a ground-truth file; give the file with the list of queries";
            return Err(SuiteError::one(place(), message));
        }
        _ => return Err(SuiteError::one(place(), "must be an array of query texts")),
    };
    let mut problems = Problems::default();
    let mut texts = Vec::with_capacity(items.len());
    for (at, item) in items.into_iter().enumerate() {
        match item {
            Value::String(text) => texts.push(text),
            other => {
                let message = format!("must be a query text, not {}", type_of(&other));
                problems.push(source.whole().field(format!("queries[{at}]")), message);
            }
        }
    }
    problems.into_result()?;
    Ok(texts)
}

fn answers(source: Source<'_>) -> Result<BTreeMap<String, Value>, SuiteError> {
    let Some(Value::Object(fields)) = root(source)?.remove("queries") else {
        let message = "must be an object {query text: [path, …]}";
        return Err(SuiteError::one(source.whole().field("queries"), message));
    };
    Ok(fields.into_iter().collect())
}

#[derive(Serialize)]
struct Queries<T> {
    queries: T,
}

/// Writes the pair. Two cases with the same text cannot both be written.
pub fn write(suite: &Suite) -> Result<Exported, SuiteError> {
    let mut losses = Losses::default();
    let mut notes: Vec<Note> = Vec::new();
    let mut truth = BTreeMap::new();
    let mut problems = Problems::default();
    for (at, case) in suite.cases.iter().enumerate() {
        if truth.insert(case.input.as_str(), case.qrels.targets()).is_some() {
            let place = super::Place::case(at + 1, Some(&case.id.0)).field("input");
            problems.push(place, "another case asks the same; here the text is the id, so it must be unique");
        }
        losses.keys(case, &["expectedTargets"]);
        losses.count("their id", case.id.0 != case.input);
    }
    problems.into_result()?;
    truth.retain(|_, targets| !targets.is_empty());
    let texts: Vec<_> = suite.cases.iter().map(|case| case.input.as_str()).collect();
    if suite.count(CaseKind::Negative) > 0 {
        let message = "cases that expect no result become queries without an answer";
        notes.push(Note::warning(super::Place::document(), message));
    }
    notes.extend(losses.into_notes("a queries and ground-truth pair"));
    let file = |text: Result<String, serde_json::Error>| text.expect("strings serialise") + "\n";
    Ok(Exported {
        files: vec![
            ("queries.json".to_owned(), file(serde_json::to_string_pretty(&Queries { queries: texts }))),
            ("groundtruth.json".to_owned(), file(serde_json::to_string_pretty(&Queries { queries: truth }))),
        ],
        notes,
    })
}
