//! `rankhold suite add`: one more case or another one in its place, the rest of the file untouched.

use std::borrow::Cow;
use std::path::Path;

use jiff::civil::Date;
use serde_json::{Map, Value};

use super::add_problem::AddProblem;
use super::{Said, texts};
use crate::config::did_you_mean;
use crate::error::Failure;
use crate::files::{MAX_BYTES, lock, read_in_if_there, write_in};
use crate::name::Name;
use crate::report::Rendered;
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

/// Puts a case into an Open Eval file: behind the others, or in the place of the one that has its id. A link of the tree
/// under `root` must not choose which file of this machine grows.
pub fn add(root: &Path, path: &Path, case: &NewCase, adding: &Adding<'_>) -> Result<Said, Failure> {
    case.check()?;
    let file = || path.strip_prefix(root).unwrap_or(path).display().to_string();
    let _lock = lock(path)?;
    let there = read_in_if_there(root, path, MAX_BYTES)?;
    let document = match &there {
        Some(document) => Cow::Borrowed(document.as_slice()),
        None if !adding.create => {
            return Err(AddProblem::NoFile { file: file(), near: String::new() }.into());
        }
        None if path.extension().is_none_or(|ending| ending != "json") => {
            return Err(AddProblem::NotJson { file: file() }.into());
        }
        None => Cow::Owned(empty(path)),
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
    // An editor knows nothing of our lock.
    if read_in_if_there(root, path, MAX_BYTES)? != there {
        return Err(AddProblem::Changed { file: file() }.into());
    }
    write_in(root, path, text.as_bytes())?;
    let number = loaded.suite.cases.iter().position(|it| it.id.0 == case.id).map_or(0, |at| at + 1);
    let what = if adding.replace { "replaced" } else { "added" };
    let begun = if there.is_none() { format!("new suite `{}`, ", loaded.suite.name) } else { String::new() };
    let out = format!("{}: {begun}case {number} (id {:?}) {what}", file(), case.id);
    let warnings = lint(&loaded.suite, &[], adding.tree, adding.today)
        .into_iter()
        .filter(|finding| finding.place.id.as_ref().is_some_and(|id| id.0 == case.id))
        .map(|finding| finding.without_severity())
        .collect();
    Ok(Said { warnings, ..Said::new(Rendered::lines([out]), texts(&loaded.notes)) })
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
