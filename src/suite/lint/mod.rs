//! What a suite's author would want to know before the gate does.
//!
//! A pure function over the suite and what the caller knows about the tree. An error is only what makes a case or the
//! suite worthless: a case none of whose targets is there, a suite that cannot fail. Everything else is a warning
//! (likely a mistake) or a note (worth knowing).

mod judgements;
mod keys;
mod quotes;
mod targets;
mod tree;

pub use quotes::Quotes;
pub use targets::whereabouts;
pub use tree::{Presence, Tree, TreeFacts, looks_like_an_id};

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use jiff::civil::Date;
use serde::Serialize;

use super::{Case, CaseKind, Note, Place, Suite};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The case or the suite is worthless as it is.
    Error,
    /// Likely a mistake.
    Warning,
    /// Worth knowing.
    Note,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// What.
    pub message: String,
    /// What to do, if that is clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        write!(f, "{severity}: {}", self.without_severity())
    }
}

impl Finding {
    /// Where, what and what to do, for a place that has a word of its own for how bad it is.
    pub fn without_severity(&self) -> String {
        let place = if self.place.is_document() { String::new() } else { format!("{}: ", self.place) };
        let next = self.next.as_ref().map(|next| format!("; {next}")).unwrap_or_default();
        format!("{place}{}{next}", self.message)
    }
}

impl From<&Note> for Finding {
    fn from(note: &Note) -> Self {
        let severity = if note.is_warning { Severity::Warning } else { Severity::Note };
        Self { severity, place: note.place.clone(), message: note.message.clone(), next: None }
    }
}

/// Looks a suite over: first what its reader noted, then the suite as a whole, then case by case in the order of the
/// file. Without a tree nothing is said about whether targets exist.
pub fn lint(suite: &Suite, notes: &[Note], tree: Option<&dyn Tree>, today: Date) -> Vec<Finding> {
    let mut found = Found(notes.iter().map(Finding::from).collect());
    found.0.extend(tree.into_iter().flat_map(Tree::remarks).map(Finding::from));
    can_fail(suite, today, &mut found);
    keys::check(suite, &mut found);
    let firsts = first_with_input(suite);
    for (at, case) in suite.cases.iter().enumerate() {
        let mut about = About { number: at + 1, id: &case.id.0, found: &mut found };
        case_as_such(case, today, &mut about);
        let first = firsts[case.input.trim()];
        if first < at {
            same_input(&suite.cases[first], case, &mut about);
        }
        judgements::check(case, &mut about);
        if let Some(tree) = tree {
            targets::check(case, tree, &mut about);
        }
    }
    found.0
}

/// Findings as they come.
struct Found(Vec<Finding>);

impl Found {
    fn push(&mut self, severity: Severity, place: Place, message: impl Into<String>, next: Option<String>) {
        self.0.push(Finding { severity, place, message: message.into(), next });
    }
}

/// Findings about one case.
struct About<'a> {
    number: usize,
    id: &'a str,
    found: &'a mut Found,
}

impl About<'_> {
    fn tell(&mut self, severity: Severity, field: &str, message: impl Into<String>, next: Option<&str>) {
        let case = Place::case(self.number, Some(self.id));
        let place = if field.is_empty() { case } else { case.field(field) };
        self.found.push(severity, place, message, next.map(str::to_owned));
    }

    fn warn(&mut self, field: &str, message: impl Into<String>, next: &str) {
        self.tell(Severity::Warning, field, message, Some(next));
    }

    fn note(&mut self, field: &str, message: impl Into<String>) {
        self.tell(Severity::Note, field, message, None);
    }
}

/// A gate over this suite can say no.
fn can_fail(suite: &Suite, today: Date, found: &mut Found) {
    let scored: Vec<_> = suite.cases.iter().filter(|case| case.qrels.kind() == CaseKind::Scored).collect();
    let place = || Place::document().field("cases");
    if scored.is_empty() {
        let next = "give at least one case metadata.expectedTargets".to_owned();
        found.push(Severity::Error, place(), "none is scored, so this suite cannot fail", Some(next));
    } else if scored.iter().all(|case| case.quarantined.as_ref().is_some_and(|held| held.holds(today))) {
        let next = "take one out of quarantine".to_owned();
        let message = format!("all scored cases are quarantined on {today}, so this suite cannot fail");
        found.push(Severity::Error, place(), message, Some(next));
    }
}

fn first_with_input(suite: &Suite) -> HashMap<&str, usize> {
    let mut firsts = HashMap::new();
    for (at, case) in suite.cases.iter().enumerate() {
        firsts.entry(case.input.trim()).or_insert(at);
    }
    firsts
}

fn same_input(first: &Case, case: &Case, about: &mut About<'_>) {
    if first.qrels == case.qrels {
        let message = format!("asks the same as case {:?} and counts twice", first.id.0);
        about.warn("input", message, "remove one");
    } else {
        let message = format!("asks the same as case {:?} and expects something else", first.id.0);
        about.warn("input", message, "one of the two can hardly be right: merge their targets");
    }
}

fn case_as_such(case: &Case, today: Date, about: &mut About<'_>) {
    let kind = case.qrels.kind();
    if case.input.trim().is_empty() {
        about.warn("input", "is empty", "write the query as a person would type it");
    }
    if case.critical && kind != CaseKind::Scored {
        about.warn(
            "metadata.critical",
            "means nothing on a case without targets",
            "remove it or add targets",
        );
    }
    if let Some(held) = case.quarantined.as_ref().filter(|held| !held.holds(today)) {
        let message = format!("ended on {}; the case counts again", held.until);
        about.warn("metadata.quarantined", message, "remove it or set a later date");
    }
    match kind {
        CaseKind::Unscored if case.qrels.grades().values().any(|grade| *grade > 0) => {
            let message = "has grades but no expectedTargets, so it is not scored";
            about.warn("metadata.grades", message, "list under expectedTargets what a right answer is");
        }
        CaseKind::Unscored => about.note("", "has neither targets nor expectNoResult, so it is not scored"),
        CaseKind::Scored | CaseKind::Negative => {}
    }
}

/// Findings counted by severity, for a summary.
pub fn count(findings: &[Finding]) -> BTreeMap<Severity, usize> {
    let mut counts = BTreeMap::new();
    for finding in findings {
        *counts.entry(finding.severity).or_default() += 1;
    }
    counts
}
