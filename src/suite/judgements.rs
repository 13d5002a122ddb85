//! Relevance judgements in a table of query, document and grade, as TREC and BEIR keep them.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::error::Problems;
use super::source::{Source, Tally};
use super::{Note, Place};
use crate::name::Name;

/// The judgements of all queries, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Judgements {
    queries: Vec<(String, Judged)>,
    index: HashMap<String, usize>,
    repeated: Tally,
    negative: Tally,
}

/// The judgements of one query.
#[derive(Debug, Default)]
struct Judged {
    order: Vec<Name>,
    /// The grade and the line that gives it.
    grades: BTreeMap<Name, (u32, usize)>,
}

impl Judgements {
    /// Adds one line. A grade below 0 means what 0 means; two different grades for one document are a problem.
    pub(super) fn add(&mut self, at: (Source<'_>, usize), row: [&str; 3], problems: &mut Problems) {
        let ([query, doc, grade], place) = (row, || at.0.line(at.1));
        let Ok(number) = grade.parse::<i64>() else {
            problems
                .push(place(), format!("the grade {grade:?} is not an integer; grades count whole steps"));
            return;
        };
        let Ok(grade) = u32::try_from(number.max(0)) else {
            problems.push(place(), format!("the grade {number} is too large"));
            return;
        };
        if number < 0 {
            self.negative.add(query);
        }
        let index = *self.index.entry(query.to_owned()).or_insert_with(|| {
            self.queries.push((query.to_owned(), Judged::default()));
            self.queries.len() - 1
        });
        let judged = &mut self.queries[index].1;
        let name = Name::new(doc);
        match judged.grades.get(&name) {
            None => {
                judged.order.push(name.clone());
                judged.grades.insert(name, (grade, at.1));
            }
            Some((other, _)) if *other == grade => self.repeated.add(query),
            Some((other, first)) => {
                let message = format!(
                    "{query} judges `{name}` with the grade {grade}, but line {first} with {other}; keep one"
                );
                problems.push(place(), message);
            }
        }
    }

    /// The queries that are judged, in order.
    pub(super) fn queries(&self) -> impl Iterator<Item = &str> {
        self.queries.iter().map(|(query, _)| query.as_str())
    }

    /// Puts the judgements of a query into `metadata`: targets are the documents graded at least `level`; grades are
    /// written when they say more than that. False if nobody judged the query.
    pub(super) fn enter(&self, query: &str, level: u32, metadata: &mut Map<String, Value>) -> bool {
        let Some(judged) = self.index.get(query).map(|at| &self.queries[*at].1) else { return false };
        let grade = |name: &Name| judged.grades[name].0;
        let relevant = |name: &&Name| grade(name) >= level.max(1);
        let targets: Vec<Value> =
            judged.order.iter().filter(relevant).map(|name| name.as_str().into()).collect();
        if judged.order.iter().any(|name| grade(name) != 1 || level > 1) {
            let grades = judged.order.iter().map(|name| (name.as_str().to_owned(), grade(name).into()));
            metadata.insert("grades".to_owned(), Value::Object(grades.collect()));
        }
        if !targets.is_empty() {
            metadata.insert("expectedTargets".to_owned(), targets.into());
        }
        true
    }

    /// What looked odd, said once.
    pub(super) fn tell(self, notes: &mut Vec<Note>, place: &Place) {
        self.repeated.tell(notes, place.clone(), |count| format!("{count} judgements are there twice"));
        self.negative.tell(notes, place.clone(), |count| {
            format!("{count} grades below 0 are read as 0 (not relevant)")
        });
    }
}
