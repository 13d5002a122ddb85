//! What is wrong with a suite: every problem with its place, the first twenty spelled out.

use std::error::Error;
use std::fmt;

use serde::Serialize;

use super::CaseId;
use crate::error::{Blame, Blamed, docs};

/// How many problems are spelled out; the rest is counted.
pub const SPELLED_OUT: usize = 20;

/// Where in a suite something is: a line, a case, a field, or the document as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file, where a suite is made of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// 1-based, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// 1-based number of the case in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// The case's id, if it has one.
    #[serde(rename = "case", skip_serializing_if = "Option::is_none")]
    pub id: Option<CaseId>,
    /// The field, dotted: `metadata.grades`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

impl Place {
    /// The document as a whole.
    pub fn document() -> Self {
        Self::default()
    }

    /// A line of a text file.
    pub fn line(line: usize) -> Self {
        Self { line: Some(line), ..Self::default() }
    }

    /// A case, by its 1-based number and its id, if it has one.
    pub fn case(number: usize, id: Option<&str>) -> Self {
        Self { number: Some(number), id: id.map(CaseId::from), ..Self::default() }
    }

    /// The same place, narrowed to a field.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// The same place, at that column.
    #[must_use]
    pub fn column(mut self, column: usize) -> Self {
        self.column = Some(column);
        self
    }

    /// The same place, in that file of several.
    #[must_use]
    pub fn within(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// It names nothing narrower than the document.
    pub fn is_document(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = match (self.line, self.column) {
            (Some(line), Some(column)) => Some(format!("line {line}, column {column}")),
            (Some(line), None) => Some(format!("line {line}")),
            _ => None,
        };
        let case = match (self.number, &self.id) {
            (Some(number), Some(id)) => Some(format!("case {number} (id {:?})", id.0)),
            (Some(number), None) => Some(format!("case {number}")),
            (None, Some(id)) => Some(format!("case {:?}", id.0)),
            (None, None) => None,
        };
        let parts: Vec<_> = [self.file.clone(), at, case, self.field.clone()].into_iter().flatten().collect();
        f.write_str(&parts.join(": "))
    }
}

/// One thing that is wrong: where, what, and in the same sentence what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What is wrong and the next step.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_document() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)
    }
}

/// Something that loads all the same, and that a reader should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// It is likely a mistake, not only worth knowing.
    pub is_warning: bool,
    /// Where.
    pub place: Place,
    /// What.
    pub message: String,
}

impl Note {
    /// Worth knowing.
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        Self { is_warning: false, place, message: message.into() }
    }

    /// Likely a mistake.
    pub fn warning(place: Place, message: impl Into<String>) -> Self {
        Self { is_warning: true, place, message: message.into() }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Problem { place: self.place.clone(), message: self.message.clone() }.fmt(f)
    }
}

/// A suite that cannot be used, with everything that is wrong in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteError {
    label: Option<String>,
    problems: Vec<Problem>,
    more: usize,
}

impl SuiteError {
    /// A single problem.
    pub fn one(place: Place, message: impl Into<String>) -> Self {
        Self { label: None, problems: vec![Problem { place, message: message.into() }], more: 0 }
    }

    /// The same error, naming the file it is about; a label that is there stays.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label.get_or_insert_with(|| label.into());
        self
    }

    /// The same error, its places in that file of several.
    #[must_use]
    pub(super) fn within(mut self, file: &str) -> Self {
        for problem in &mut self.problems {
            problem.place.file.get_or_insert_with(|| file.to_owned());
        }
        self
    }

    /// The problems that are spelled out, in the order of the file.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// How many problems there are, spelled out or not.
    pub fn count(&self) -> usize {
        self.problems.len() + self.more
    }
}

impl fmt::Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Where a suite is made of several files, each place names its own.
        let name_theirs = self.problems.iter().all(|problem| problem.place.file.is_some());
        if let Some(label) = self.label.as_ref().filter(|_| !name_theirs) {
            write!(f, "{label}: ")?;
        }
        if let ([problem], 0) = (self.problems.as_slice(), self.more) {
            return problem.fmt(f);
        }
        write!(f, "{} problems", self.count())?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        if self.more > 0 {
            write!(f, "\n  and {} more", self.more)?;
        }
        Ok(())
    }
}

impl Error for SuiteError {}

impl Blamed for SuiteError {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(concat!("correct the file; every key and format: ", docs!("suites.md")).to_owned())
    }
}

/// Problems on their way into a [`SuiteError`].
#[derive(Clone, Debug, Default)]
pub(super) struct Problems {
    found: Vec<Problem>,
    more: usize,
}

impl Problems {
    /// Adds one; past the first twenty it is only counted.
    pub(super) fn push(&mut self, place: Place, message: impl Into<String>) {
        if self.found.len() < SPELLED_OUT {
            self.found.push(Problem { place, message: message.into() });
        } else {
            self.more += 1;
        }
    }

    /// Puts all of `other` behind these.
    pub(super) fn append(&mut self, other: Self) {
        for problem in other.found {
            self.push(problem.place, problem.message);
        }
        self.more += other.more;
    }

    /// Nothing is wrong.
    fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The error, if anything is wrong.
    pub(super) fn into_result(self) -> Result<(), SuiteError> {
        if self.is_empty() {
            return Ok(());
        }
        Err(SuiteError { label: None, problems: self.found, more: self.more })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_problem_is_one_line_with_file_and_place() {
        let place = Place::case(12, Some("x")).field("metadata.grades");
        let error = SuiteError::one(place, "must be an object").labelled("suites/a.json").labelled("other");
        assert_eq!(
            error.to_string(),
            r#"suites/a.json: case 12 (id "x"): metadata.grades: must be an object"#
        );
    }

    #[test]
    fn the_first_twenty_are_spelled_out_and_the_rest_counted() {
        let mut problems = Problems::default();
        for number in 1..=30 {
            problems.push(Place::case(number, None), "bad");
        }
        let mut all = Problems::default();
        all.push(Place::document(), "no version");
        all.append(problems);
        let error = all.into_result().expect_err("there are problems").labelled("a.json");
        let text = error.to_string();
        assert!(text.starts_with("a.json: 31 problems\n  no version\n  case 1: bad\n"), "{text}");
        assert!(text.ends_with("\n  case 19: bad\n  and 11 more"), "{text}");
    }
}
