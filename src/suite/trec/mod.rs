//! TREC's text formats: topics and qrels make a suite, a run is a ranking per query.

mod run;
mod topics;

pub use run::{Run, RunHit, run};

use serde_json::Map;

use super::error::Problems;
use super::export::{Exported, Losses};
use super::json;
use super::judgements::Judgements;
use super::open_eval::convert;
use super::source::{Source, Tally, native, plural};
use super::{CaseKind, Loaded, Note, Place, Suite, SuiteError};

/// Reads qrels, and topics if there are any, as a suite of that name. Documents graded at least `level` (usually 1)
/// are the targets. Without topics the id stands for the query's text.
pub fn parse(
    name: &str,
    topics: Option<Source<'_>>,
    qrels: Source<'_>,
    level: u32,
) -> Result<Loaded, SuiteError> {
    let mut notes = Vec::new();
    let judgements = judgements(qrels)?;
    let queries = if let Some(source) = topics {
        topics::parse(source)?
    } else {
        let message = "there are no topics, so the id stands for the text of a query";
        notes.push(Note::new(Place::document(), message));
        judgements.queries().map(|id| (id.to_owned(), id.to_owned(), Map::new())).collect()
    };
    let mut unjudged = Tally::default();
    let cases: Vec<_> = queries
        .into_iter()
        .map(|(id, text, mut metadata)| {
            if !judgements.enter(&id, level, &mut metadata) {
                unjudged.add(&id);
            }
            native(&id, &text, metadata)
        })
        .collect();
    unjudged.tell(&mut notes, qrels.whole(), |count| {
        format!("no judgement for {}, which cannot be scored", plural(count, "topic", "topics"))
    });
    let mut loaded = convert(name, cases)?;
    let mut unasked = Tally::default();
    let asked: std::collections::HashSet<_> =
        loaded.suite.cases.iter().map(|case| case.id.0.as_str()).collect();
    for id in judgements.queries().filter(|id| !asked.contains(id)) {
        unasked.add(id);
    }
    unasked.tell(&mut notes, qrels.whole(), |count| {
        format!("{} that no topic asks", plural(count, "query is judged", "queries are judged"))
    });
    judgements.tell(&mut notes, &qrels.whole());
    loaded.notes.splice(0..0, notes);
    Ok(loaded)
}

/// Reads `query iteration document grade` lines. An id may begin with `#`; blank lines mean nothing.
fn judgements(source: Source<'_>) -> Result<Judgements, SuiteError> {
    let text = json::text(source.bytes).map_err(|error| error.within(source.name))?;
    let mut judgements = Judgements::default();
    let mut problems = Problems::default();
    for (at, line) in text.lines().enumerate() {
        let columns: Vec<_> = line.split_ascii_whitespace().collect();
        match columns.as_slice() {
            [] => {}
            [query, _, doc, grade] => {
                judgements.add((source, at + 1), [query, doc, grade], &mut problems);
            }
            other => {
                let form = "query 0 document grade";
                problems.push(source.line(at + 1), columns_wrong(4, form, other.len()));
            }
        }
    }
    problems.into_result()?;
    Ok(judgements)
}

fn columns_wrong(wanted: usize, form: &str, found: usize) -> String {
    format!(
        "expected {wanted} columns ({form}), found {found}; a name with a space cannot be written in TREC's formats: \
         use open-eval or csv"
    )
}

/// Writes topics (`id TAB text`) and qrels. What has white space in it cannot be written.
pub fn write(suite: &Suite) -> Result<Exported, SuiteError> {
    let mut problems = Problems::default();
    let mut losses = Losses::default();
    let (mut topics, mut qrels) = (String::new(), String::new());
    for (at, case) in suite.cases.iter().enumerate() {
        let place = || Place::case(at + 1, Some(&case.id.0));
        if case.id.0.is_empty() || case.id.0.contains(char::is_whitespace) {
            problems.push(place().field("id"), "TREC's ids have no white space; rename the case");
        }
        let input = case.input.split_whitespace().collect::<Vec<_>>().join(" ");
        losses.count("line breaks and runs of spaces in their text", input != case.input);
        losses.keys(case, &["expectedTargets", "grades"]);
        losses.count("expectNoResult", case.qrels.kind() == CaseKind::Negative);
        topics.extend([&case.id.0, "\t", &input, "\n"]);
        for (name, grade) in case.qrels.table() {
            if name.as_str().contains(char::is_whitespace) {
                let message = format!("`{name}` has white space in it, which TREC's formats cannot write");
                problems.push(place().field("metadata.expectedTargets"), message);
            }
            let only_graded = grade > 0 && !case.qrels.targets().contains(name);
            losses.count("the difference between expected and graded", only_graded);
            qrels.extend([&case.id.0, " 0 ", name.as_str(), " ", &grade.to_string(), "\n"]);
        }
    }
    problems.into_result()?;
    Ok(Exported {
        files: vec![("topics.tsv".to_owned(), topics), ("qrels.txt".to_owned(), qrels)],
        notes: losses.into_notes("TREC"),
    })
}
