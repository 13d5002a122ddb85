//! BEIR's layout: `queries.jsonl` (`{_id, text, metadata?}` a line) and `qrels/*.tsv` (`query-id`, `corpus-id`,
//! `score`). The corpus file is not needed: the tree is the corpus.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::error::Problems;
use super::export::{Exported, Losses};
use super::judgements::Judgements;
use super::open_eval::convert;
use super::source::{Source, Tally, native, plural};
use super::{Loaded, Place, Suite, SuiteError, json as text};
use crate::strict::Strict;

/// Reads queries and one or more judgement files as a suite of that name. A queries file holds the queries of every
/// split, so those that nobody judged are left out.
pub fn parse(
    name: &str,
    queries: Source<'_>,
    qrels: &[Source<'_>],
    level: u32,
) -> Result<Loaded, SuiteError> {
    let judgements = judgements(qrels)?;
    let mut notes = Vec::new();
    let mut unjudged = Tally::default();
    let mut cases = Vec::new();
    let mut asked = std::collections::HashSet::new();
    for (id, input, mut metadata) in read_queries(queries)? {
        let judged = judgements.enter(&id, level, &mut metadata);
        if judged || metadata.contains_key("expectNoResult") || metadata.contains_key("forbiddenTargets") {
            cases.push(native(&id, &input, metadata));
            asked.insert(id);
        } else {
            unjudged.add(&id);
        }
    }
    unjudged.tell(&mut notes, queries.whole(), |count| {
        format!("left out {} without a judgement", plural(count, "query", "queries"))
    });
    let mut unasked = Tally::default();
    for id in judgements.queries().filter(|id| !asked.contains(*id)) {
        unasked.add(id);
    }
    unasked.tell(&mut notes, Place::document(), |count| {
        format!(
            "{} that {} does not hold",
            plural(count, "query is judged", "queries are judged"),
            queries.name
        )
    });
    judgements.tell(&mut notes, &Place::document());
    let mut loaded = convert(name, cases)?;
    loaded.notes.splice(0..0, notes);
    Ok(loaded)
}

type Query = (String, String, Map<String, Value>);

fn read_queries(source: Source<'_>) -> Result<Vec<Query>, SuiteError> {
    let text = text::text(source.bytes).map_err(|error| error.within(source.name))?;
    let mut problems = Problems::default();
    let mut queries = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match text::read(line.as_bytes(), Strict) {
            Ok(value) => match query(value) {
                Ok(query) => queries.push(query),
                Err(message) => problems.push(source.line(at + 1), message),
            },
            Err(error) => {
                let problem = &error.problems()[0];
                let mut place = source.line(at + 1);
                place.column = problem.place.column;
                problems.push(place, problem.message.as_str());
            }
        }
    }
    problems.into_result()?;
    Ok(queries)
}

fn query(value: Value) -> Result<Query, &'static str> {
    let form = "must be an object {\"_id\": …, \"text\": …} of strings";
    let Value::Object(mut fields) = value else { return Err(form) };
    let (Some(Value::String(id)), Some(Value::String(input))) = (fields.remove("_id"), fields.remove("text"))
    else {
        return Err(form);
    };
    match fields.remove("metadata") {
        None => Ok((id, input, Map::new())),
        Some(Value::Object(metadata)) => Ok((id, input, metadata)),
        Some(_) => Err("metadata must be an object"),
    }
}

/// Reads tab-separated judgements with a header.
fn judgements(sources: &[Source<'_>]) -> Result<Judgements, SuiteError> {
    let mut judgements = Judgements::default();
    let mut problems = Problems::default();
    for source in sources {
        let text = text::text(source.bytes).map_err(|error| error.within(source.name))?;
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let columns: Vec<_> = line.split('\t').map(str::trim).collect();
            match columns.as_slice() {
                ["query-id", ..] if at == 0 => {}
                [query, doc, grade] => judgements.add((*source, at + 1), [query, doc, grade], &mut problems),
                other => {
                    let message = format!(
                        "expected 3 columns with tabs between (query-id, corpus-id, score), found {}",
                        other.len()
                    );
                    problems.push(source.line(at + 1), message);
                }
            }
        }
    }
    problems.into_result()?;
    Ok(judgements)
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(rename = "_id")]
    id: &'a str,
    text: &'a str,
    metadata: Map<String, Value>,
}

/// Writes the layout. Everything of `metadata` that is no judgement travels along with the query.
pub fn write(suite: &Suite) -> Result<Exported, SuiteError> {
    let mut losses = Losses::default();
    let mut problems = Problems::default();
    let (mut queries, mut qrels) = (String::new(), String::from("query-id\tcorpus-id\tscore\n"));
    for (at, case) in suite.cases.iter().enumerate() {
        let place = || Place::case(at + 1, Some(&case.id.0));
        losses.count("expected", case.expected.is_some());
        losses.count("keys of their own", !case.extra.is_empty());
        let mut metadata = case.metadata.clone();
        metadata.retain(|key, _| key != "expectedTargets" && key != "grades");
        queries.push_str(&json!(Line { id: &case.id.0, text: &case.input, metadata }).to_string());
        queries.push('\n');
        for (name, grade) in case.qrels.table() {
            if [case.id.0.as_str(), name.as_str()].iter().any(|text| text.contains(['\t', '\n', '\r'])) {
                problems.push(place(), format!("`{name}` or the id has a tab or a line break in it"));
            }
            let only_graded = grade > 0 && !case.qrels.targets().contains(name);
            losses.count("the difference between expected and graded", only_graded);
            qrels.extend([&case.id.0, "\t", name.as_str(), "\t", &grade.to_string(), "\n"]);
        }
    }
    problems.into_result()?;
    Ok(Exported {
        files: vec![("queries.jsonl".to_owned(), queries), ("qrels/test.tsv".to_owned(), qrels)],
        notes: losses.into_notes("BEIR"),
    })
}
