//! `rankhold suite add`: one more case or another one in its place, the rest of the file untouched.

use std::path::Path;

use jiff::civil::Date;
use serde_json::{Map, Value};

use super::{Said, texts};
use crate::config::did_you_mean;
use crate::error::{Blame, Blamed, Failure};
use crate::files::{MAX_BYTES, read_in_if_there, write_in};
use crate::name::Name;
use crate::suite::lint::{Tree, lint};
use crate::suite::{SuiteError, open_eval};

/// A case as the command line gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewCase {
    /// Unique in the suite.
    pub id: String,
    /// The query's text.
    pub query: String,
    /// What a right answer is called.
    pub targets: Vec<String>,
    /// Its language, for segments.
    pub lang: Option<String>,
    /// Its kind, for segments.
    pub kind: Option<String>,
    /// What must not come first.
    pub forbidden: Vec<String>,
    /// The right answer is none.
    pub no_result: bool,
}

impl NewCase {
    fn fields(&self) -> Map<String, Value> {
        let mut metadata = Map::new();
        let mut put = |key: &str, value: Value| drop(metadata.insert(key.to_owned(), value));
        if !self.targets.is_empty() {
            put("expectedTargets", self.targets.clone().into());
        }
        if !self.forbidden.is_empty() {
            put("forbiddenTargets", self.forbidden.clone().into());
        }
        if self.no_result {
            put("expectNoResult", true.into());
        }
        for (key, value) in [("lang", &self.lang), ("kind", &self.kind)] {
            if let Some(value) = value {
                put(key, value.as_str().into());
            }
        }
        let mut fields = Map::new();
        fields.insert("id".to_owned(), self.id.as_str().into());
        fields.insert("input".to_owned(), self.query.as_str().into());
        if !metadata.is_empty() {
            fields.insert("metadata".to_owned(), metadata.into());
        }
        fields
    }
}

/// What else is wanted of an addition.
#[derive(Clone, Copy, Default)]
pub struct Adding<'a> {
    /// What is known of the tree; without it nothing is said about targets that are not there.
    pub tree: Option<&'a dyn Tree>,
    /// The day that lint looks at.
    pub today: Date,
    /// Put the case in the place of the one that has its id.
    pub replace: bool,
    /// Start the file if there is none.
    pub create: bool,
}

/// Puts a case into an Open Eval file: behind the others, or in the place of the one that has its id.
/// A link of the tree under `root` must not choose which file of this machine grows.
pub fn add(root: &Path, path: &Path, case: &NewCase, adding: &Adding<'_>) -> Result<Said, Failure> {
    case.check()?;
    let file = || path.strip_prefix(root).unwrap_or(path).display().to_string();
    let (document, is_new) = match read_in_if_there(root, path, MAX_BYTES)? {
        Some(document) => (document, false),
        None if !adding.create => {
            return Err(AddProblem::NoFile { file: file(), near: String::new() }.into());
        }
        None if path.extension().is_none_or(|ending| ending != "json") => {
            return Err(AddProblem::NotJson { file: file() }.into());
        }
        None => (empty(path), true),
    };
    // What cannot be read at all is told below, with its place.
    let before = open_eval::parse(&document).ok().map(|loaded| loaded.suite);
    let taken = before.as_ref().and_then(|suite| suite.cases.iter().position(|old| old.id.0 == case.id));
    let labelled = |error: SuiteError| error.labelled(file());
    let (text, loaded) = if adding.replace {
        let replaced = open_eval::replace(&document, case.fields()).map_err(labelled)?;
        replaced.ok_or_else(|| AddProblem::Nothing {
            file: file(),
            id: case.id.clone(),
            near: did_you_mean(&case.id, before.iter().flat_map(|it| &it.cases).map(|old| old.id.0.as_str())),
        })?
    } else if let (Some(at), Some(suite)) = (taken, &before) {
        let (file, query) = (file(), suite.cases[at].input.clone());
        return Err(AddProblem::Taken { file, id: case.id.clone(), number: at + 1, query }.into());
    } else {
        open_eval::add(&document, case.fields()).map_err(labelled)?
    };
    write_in(root, path, text.as_bytes())?;
    let number = loaded.suite.cases.iter().position(|it| it.id.0 == case.id).map_or(0, |at| at + 1);
    let what = if adding.replace { "replaced" } else { "added" };
    let begun = if is_new { format!("new suite `{}`, ", loaded.suite.name) } else { String::new() };
    let out = format!("{}: {begun}case {number} (id {:?}) {what}\n", file(), case.id);
    let warnings = lint(&loaded.suite, &[], adding.tree, adding.today)
        .into_iter()
        .filter(|finding| finding.place.id.as_ref().is_some_and(|id| id.0 == case.id))
        .map(|finding| finding.without_severity())
        .collect();
    Ok(Said { warnings, ..Said::new(out, texts(&loaded.notes)) })
}

/// A suite without a case, named after its file.
fn empty(path: &Path) -> Vec<u8> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let head = serde_json::json!(name);
    format!(
        "{{\n  \"evalFormatVersion\": \"{}\",\n  \"name\": {head},\n  \"cases\": []\n}}\n",
        open_eval::VERSION
    )
    .into_bytes()
}

/// A case that is not worth adding, or has no place to go.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddProblem {
    /// It asks nothing.
    #[error("the query is empty")]
    EmptyQuery,
    /// It expects nothing.
    #[error("the case names no target, so nothing could be right or wrong about it")]
    NoTarget,
    /// A name twice.
    #[error("the target `{0}` is given twice")]
    Twice(Name),
    /// No word of the query can be part of an id.
    #[error("no id can be made of this query")]
    NoId,
    /// The id belongs to another case.
    #[error("{file}: the id {id:?} is taken by case {number}, which asks: {query}")]
    Taken {
        /// The suite's file.
        file: String,
        /// The id.
        id: String,
        /// Its 1-based number.
        number: usize,
        /// What it asks.
        query: String,
    },
    /// There is no case to replace.
    #[error("{file}: there is no case {id:?} to replace{near}")]
    Nothing {
        /// The suite's file.
        file: String,
        /// The id.
        id: String,
        /// A suggestion.
        near: String,
    },
    /// There is no file to add to.
    #[error("{file}: there is no such suite{near}")]
    NoFile {
        /// As given.
        file: String,
        /// A suggestion.
        near: String,
    },
    /// A new file that no command would take for a suite.
    #[error("{file}: a new suite is a .json file")]
    NotJson {
        /// As given.
        file: String,
    },
}

impl Blamed for AddProblem {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::EmptyQuery => "write it as a person would type it: --query TEXT",
                Self::NoTarget => {
                    "name the right answers with --target, or say --no-result if the right answer is none"
                }
                Self::Twice(_) => "name it once; `./a.md` and `a.md` are the same",
                Self::NoId => "name one with --id",
                Self::Taken { .. } => {
                    "put the new case in its place with --replace, or give it another id with --id"
                }
                Self::Nothing { .. } => "leave --replace out to add it, or name another with --id",
                Self::NotJson { .. } => "name it so: suites/users.json",
                Self::NoFile { .. } => "check the path, or start a new suite there with --create",
            }
            .to_owned(),
        )
    }
}

impl NewCase {
    fn check(&self) -> Result<(), AddProblem> {
        if self.query.trim().is_empty() {
            return Err(AddProblem::EmptyQuery);
        }
        if self.id.trim().is_empty() {
            return Err(AddProblem::NoId);
        }
        // A case that only forbids something is asked, and judged by that.
        if self.targets.is_empty() && !self.no_result && self.forbidden.is_empty() {
            return Err(AddProblem::NoTarget);
        }
        let names: Vec<Name> = self.targets.iter().map(|target| Name::new(target)).collect();
        match names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
            Some((_, name)) => Err(AddProblem::Twice(name.clone())),
            None => Ok(()),
        }
    }
}
