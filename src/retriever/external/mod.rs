//! What all retrievers that start a program share.

pub(super) mod groundwork;
pub(super) mod models;
pub(super) mod reach;
pub(super) mod trial;
pub(super) mod version;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::template::{Placeholder, Template, TextTemplate, Values, check_names};
use super::{Availability, Deadline, PrepareError, ProgramIdentity, QueryError};
use crate::config::ByteSize;
use crate::process::{Environment, EnvironmentError, Extra, Program, Secrets};
use crate::ranking::ErrorClass;

/// How much a tool may print if the configuration does not say.
pub(super) const MAX_OUTPUT: ByteSize = ByteSize(16 << 20);

/// How many characters of a tool's own words a message quotes.
const QUOTED: usize = 400;

/// How much longer a tool's own limit is than ours, so that it is always ours that ends it.
const PATIENCE: Duration = Duration::from_mins(1);

/// What sets the time for all that comes before a query, as the rest of a message.
pub(super) const TIME: &str = "`run-timeout` is the time for all of it, and `--timeout` of `compare`";

/// What sets the time for a look at a tool, as the rest of a message.
pub(super) const TIME_FOR_A_LOOK: &str = "a look at it may take 30 seconds, or `run-timeout` if that is less";

/// The version of what a look does not start: its index or its files are not there yet.
pub(super) const NOT_ASKED: &str = "not asked, since only a run starts it";

/// What a program is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) text: &'a str,
    pub(super) fetch: usize,
    pub(super) deadline: Deadline,
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct OptionProblem {
    /// The key, as written in the file.
    pub key: &'static str,
    /// What is wrong and what to do.
    pub message: String,
}

impl OptionProblem {
    pub(super) fn new(key: &'static str, message: impl Into<String>) -> Self {
        Self { key, message: message.into() }
    }
}

/// A program with its arguments and what it sees, not found yet.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) argv: Template,
    extra: Extra,
    repo: PathBuf,
    /// Bytes of output, of each stream or each line.
    pub(super) max_output: usize,
}

impl Tool {
    /// Checks the settings; nothing is looked up yet.
    pub(super) fn new(
        argv: &[String],
        allowed: &[Placeholder],
        extra: Extra,
        max_output: Option<ByteSize>,
        values: &Values,
        repo: &Path,
    ) -> Result<Self, OptionProblem> {
        check_names(values).map_err(|problem| OptionProblem::new("values", problem.to_string()))?;
        let argv = Template::new(argv, allowed, values)
            .map_err(|problem| OptionProblem::new("argv", problem.to_string()))?;
        check_extra(&extra)?;
        let max_output = bytes(max_output);
        Ok(Self { argv, extra, repo: repo.to_owned(), max_output })
    }

    /// The repository's root.
    pub(super) fn repo(&self) -> &Path {
        &self.repo
    }

    /// The same settings for another program.
    pub(super) fn with(&self, argv: Template) -> Self {
        Self { argv, ..self.clone() }
    }

    /// The program, found.
    pub(super) fn program(&self) -> Result<Program, Unusable> {
        let name = self.argv.program(|_| utf8(&self.repo));
        Program::find(&name).map_err(|missing| Unusable::Missing { what: missing.what, hint: missing.hint })
    }

    /// Which file would run.
    pub(super) fn identity(&self) -> Result<ProgramIdentity, Unusable> {
        let path = self.program()?.path().to_owned();
        let hash = models::file_hash(&path).map_err(|error| Unusable::Broken {
            hint: None,
            detail: format!("`{}` cannot be read: {error}", path.display()),
        })?;
        let is_script = models::is_script(&path);
        Ok(ProgramIdentity { path, hash, is_script })
    }

    /// What it sees while it searches `tree`, with its homes inside `scratch`.
    pub(super) fn environment(&self, tree: &Path, scratch: &Path) -> Result<Environment, Unusable> {
        environment(&self.extra, tree, scratch, &self.repo)
    }

    /// Its arguments, at these places.
    pub(super) fn arguments(&self, tree: &Path, scratch: &Path, asked: Option<&Asked<'_>>) -> Vec<String> {
        let words = match asked {
            Some(asked) if self.argv.holds(Placeholder::Word) => super::ripgrep::words(asked.text),
            _ => Vec::new(),
        };
        let of = |value: &dyn Fn(&Asked<'_>) -> String| asked.map(value).unwrap_or_default();
        self.argv.arguments(&words, |placeholder| match placeholder {
            Placeholder::Corpus => utf8(tree),
            Placeholder::Scratch => utf8(scratch),
            Placeholder::Repo => utf8(&self.repo),
            Placeholder::Query => of(&|asked| asked.text.to_owned()),
            Placeholder::Fetch => of(&|asked| asked.fetch.to_string()),
            Placeholder::Timeout => of(&|asked| (asked.deadline.left() + PATIENCE).as_secs().to_string()),
            Placeholder::Word => String::new(), // filled in for each word
        })
    }

    /// A text with folders in it, at these places.
    pub(super) fn text(&self, template: &TextTemplate, tree: &Path, scratch: &Path) -> String {
        template.text(|placeholder| match placeholder {
            Placeholder::Corpus => utf8(tree),
            Placeholder::Scratch => utf8(scratch),
            Placeholder::Repo => utf8(&self.repo),
            Placeholder::Query | Placeholder::Fetch | Placeholder::Timeout | Placeholder::Word => {
                String::new()
            }
        })
    }

    /// Its arguments while it is only looked at, in a folder with nothing in it. A script of the repository that is named
    /// as the corpus has it (`python3 tools/search.py`) is found there later, and so it is here.
    pub(super) fn bench_arguments(&self, scratch: &Path) -> Vec<String> {
        let of_the_repo = |argument: String| {
            let there = self.repo.join(&argument);
            if Path::new(&argument).is_relative() && there.is_file() { utf8(&there) } else { argument }
        };
        self.arguments(scratch, scratch, None).into_iter().map(of_the_repo).collect()
    }

    /// Arguments that name a file of the repository as the corpus would have it.
    pub(super) fn scripts(&self) -> impl Iterator<Item = &str> {
        let is_below = |path: &Path| {
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        self.argv
            .plain_arguments()
            .filter(move |argument| is_below(Path::new(argument)) && self.repo.join(argument).is_file())
    }

    /// An argument that names a file of the repository which is not in the corpus, and so not where the tool starts.
    pub(super) fn misplaced(&self, tree: &Path) -> Option<Misplaced> {
        self.scripts()
            .find(|argument| !tree.join(argument).exists())
            .map(|argument| Misplaced(argument.to_owned()))
    }

    /// What of it can change a ranking.
    pub(super) fn configuration(&self, argv: &[String]) -> serde_json::Value {
        let mut argv = argv.to_vec();
        if let Some(program) = argv.first_mut() {
            *program = portable(program);
        }
        let Extra { set, pass, pass_if_set } = &self.extra;
        let mut configuration = serde_json::json!({ "argv": argv, "env": set, "pass-env": pass });
        if !pass_if_set.is_empty() {
            configuration["pass-env-if-set"] = serde_json::json!(pass_if_set);
        }
        configuration
    }
}

/// A file of the repository that an argument names, and that is not where the tool starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misplaced(String);

impl Misplaced {
    /// What to do about it.
    pub(super) fn advice(&self) -> String {
        format!("write `{{repo}}/{}`", self.0)
    }
}

/// As a part of a message, after what happened.
impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "; `{}` is in the repository and not in the corpus, where it starts: {}",
            self.0,
            self.advice()
        )
    }
}

/// A first question that failed while a tool was made ready, with what may be the cause of it.
pub(super) fn unprepared(error: QueryError, misplaced: Option<Misplaced>) -> PrepareError {
    let QueryError { detail, advice, class: _ } = error;
    match misplaced {
        Some(misplaced) => {
            PrepareError::new(format!("{detail}{misplaced}")).advising(Some(misplaced.advice()))
        }
        None => PrepareError::new(detail).advising(advice),
    }
}

/// An argument vector as it may enter a hash: its program without a folder.
pub(super) fn portable_argv(argv: &[String]) -> Vec<String> {
    let mut argv = argv.to_vec();
    if let Some(program) = argv.first_mut() {
        *program = portable(program);
    }
    argv
}

/// Values as they may enter a hash.
pub(super) fn portable_values(values: &Values) -> Values {
    values.iter().map(|(name, text)| (name.clone(), portable(text))).collect()
}

/// With the preset's or the user's word on how to get it.
pub(super) fn advised(unusable: Unusable, install: Option<&str>) -> Unusable {
    match (unusable, install) {
        (Unusable::Missing { what, hint: _ }, Some(install)) => {
            Unusable::Missing { what, hint: install.to_owned() }
        }
        (Unusable::Broken { detail, hint }, Some(install)) => {
            let needs = format!("it needs: {install}");
            let hint = hint.map_or_else(|| needs.clone(), |hint| format!("{hint}; {needs}"));
            Unusable::Broken { detail, hint: Some(hint) }
        }
        (unusable, None) => unusable,
    }
}

/// A file by its name alone: its folder is this machine's.
pub(super) fn portable(text: &str) -> String {
    let name = Path::new(text).file_name().filter(|_| Path::new(text).is_absolute());
    name.map_or_else(|| text.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Why a tool cannot be used here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// Something is not there.
    Missing { what: String, hint: String },
    /// It is there and does not work.
    Broken { detail: String, hint: Option<String> },
}

impl Unusable {
    /// It does not work, and nobody knows a cure.
    pub(super) fn broken(detail: impl Into<String>) -> Self {
        Self::Broken { detail: detail.into(), hint: None }
    }
}

impl From<Unusable> for Availability {
    fn from(unusable: Unusable) -> Self {
        match unusable {
            Unusable::Missing { what, hint } => Self::Missing { what, hint },
            Unusable::Broken { detail, hint } => Self::Broken { detail, hint },
        }
    }
}

impl From<Unusable> for PrepareError {
    fn from(unusable: Unusable) -> Self {
        match unusable {
            Unusable::Missing { what, hint } => Self::new(format!("{what}; {hint}")).advising(Some(hint)),
            Unusable::Broken { detail, hint } => Self::new(detail).advising(hint),
        }
    }
}

/// How much may be printed, in bytes.
pub(super) fn bytes(max_output: Option<ByteSize>) -> usize {
    usize::try_from(max_output.unwrap_or(MAX_OUTPUT).0).unwrap_or(usize::MAX)
}

/// Variables that may be given to a tool.
pub(super) fn check_extra(extra: &Extra) -> Result<(), OptionProblem> {
    extra.check().map_err(|error| match error {
        EnvironmentError::Reserved { ref name } | EnvironmentError::Malformed { ref name }
            if extra.set.contains_key(name) =>
        {
            OptionProblem::new("env", error.to_string())
        }
        error => OptionProblem::new("pass-env", error.to_string()),
    })
}

/// What a tool sees while it searches `tree`, with its homes inside `scratch`; messages call these folders as a
/// configuration does.
pub(super) fn environment(
    extra: &Extra,
    tree: &Path,
    scratch: &Path,
    repo: &Path,
) -> Result<Environment, Unusable> {
    let scrubbed = Environment::scrubbed(scratch, extra).map_err(|error| match error {
        EnvironmentError::Unset { .. } => Unusable::Missing {
            what: error.to_string(),
            hint: "set it, or take it out of `pass-env`".to_owned(),
        },
        error => Unusable::broken(error.to_string()),
    })?;
    let named = scrubbed.naming(scratch, "{scratch}").naming(tree, "{corpus}");
    Ok(named.naming(repo, "{repo}"))
}

/// `env` and `pass-env` of a configuration.
pub(super) fn extra(set: &BTreeMap<String, String>, pass: &[String]) -> Extra {
    Extra { set: set.clone(), pass: pass.to_vec(), ..Extra::default() }
}

/// A failure before any query, with what sets the time if that ran out.
pub(super) fn in_its_time(error: QueryError, setting: &str) -> QueryError {
    match error.class {
        ErrorClass::Timeout => QueryError { detail: format!("{}; {setting}", error.detail), ..error },
        _ => error,
    }
}

/// The end of what a tool wrote to stderr, as the end of a message.
pub(super) fn last_words(secrets: &Secrets, stderr: &[u8]) -> String {
    match secrets.tail(stderr, QUOTED) {
        words if words.is_empty() => "; it wrote nothing to stderr".to_owned(),
        words => format!("; its last words on stderr: `{words}`"),
    }
}

/// The beginning of what a tool printed, as the end of a message.
pub(super) fn first_words(secrets: &Secrets, stdout: &[u8]) -> String {
    match secrets.head(stdout, QUOTED) {
        words if words.is_empty() => String::new(),
        words => format!("; it begins: `{words}`"),
    }
}

/// The path is below one of the two folders, as it is written.
pub(super) fn is_inside(path: &str) -> bool {
    let below = ["{corpus}/", "{scratch}/"].into_iter().find_map(|folder| path.strip_prefix(folder));
    below.is_some_and(|rest| {
        !rest.is_empty() && Path::new(rest).components().all(|part| matches!(part, Component::Normal(_)))
    })
}

/// A path as an argument. Placeholders stand for folders that we made or were given as text.
fn utf8(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
