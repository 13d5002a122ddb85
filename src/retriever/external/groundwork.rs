//! What is done once before the queries: files that a tool wants to find, and a program that builds its index.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::template::{Placeholder, TextTemplate, Values};
use super::super::{Deadline, PrepareError};
use super::{OptionProblem, TIME, Tool, Unusable, is_inside, last_words};
use crate::process::{Bounds, End, Environment, Launch, run_until};

/// A file that a tool wants to find, such as its configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FileOption {
    /// Where: `{scratch}/…`, or `{corpus}/…` for a tool that has a copy of its own (`writes`).
    pub path: String,
    /// What it holds, with `{corpus}`, `{repo}`, `{scratch}` and the names of `values`.
    pub text: String,
}

/// The preparation, checked.
#[derive(Clone, Debug)]
pub(in super::super) struct Groundwork {
    /// Path and text.
    files: Vec<(TextTemplate, TextTemplate)>,
    repo: PathBuf,
    program: Option<Tool>,
    until: Option<String>,
}

/// Where it is done.
#[derive(Clone, Copy)]
pub(in super::super) struct Place<'a> {
    pub(in super::super) tree: &'a Path,
    pub(in super::super) scratch: &'a Path,
    pub(in super::super) environment: &'a Environment,
}

impl Groundwork {
    /// Checks the settings: `prepare` is the program, with its key named in problems; `writes` says whether the tool has a
    /// copy of its own.
    pub(in super::super) fn new(
        files: &[FileOption],
        prepare: Option<Result<Tool, OptionProblem>>,
        until: Option<&str>,
        values: &Values,
        writes: bool,
        repo: &Path,
    ) -> Result<Self, OptionProblem> {
        let files = files.iter().map(|file| checked(file, values, writes)).collect::<Result<_, _>>()?;
        if until.is_some_and(str::is_empty) {
            return Err(OptionProblem::new(
                "until",
                "is empty; name what the program prints when it is ready",
            ));
        }
        if until.is_some() && prepare.is_none() {
            return Err(OptionProblem::new("until", "has no meaning without `prepare`; take it out"));
        }
        let program = prepare.transpose().map_err(|problem| match problem.key {
            "argv" => OptionProblem { key: "prepare", ..problem },
            _ => problem,
        })?;
        Ok(Self { files, repo: repo.to_owned(), program, until: until.map(str::to_owned) })
    }

    /// Nothing is done.
    pub(in super::super) fn is_nothing(&self) -> bool {
        self.files.is_empty() && self.program.is_none()
    }

    /// The program, if there is one.
    pub(in super::super) fn tool(&self) -> Option<&Tool> {
        self.program.as_ref()
    }

    /// The program is there, if there is one.
    pub(in super::super) fn find(&self) -> Result<(), Unusable> {
        self.program.as_ref().map_or(Ok(()), |program| program.program().map(drop))
    }

    /// Writes the files and runs the program to its end, or until it has said that it is ready.
    pub(in super::super) fn lay(&self, place: &Place<'_>, deadline: Deadline) -> Result<(), PrepareError> {
        for (path, text) in &self.files {
            let here = |template: &TextTemplate| {
                template.text(|placeholder| {
                    let folder = match placeholder {
                        Placeholder::Corpus => place.tree,
                        Placeholder::Scratch => place.scratch,
                        _ => &self.repo, // `checked` allows no other
                    };
                    folder.to_string_lossy().into_owned()
                })
            };
            write(Path::new(&here(path)), &here(text))?;
        }
        let Some(tool) = &self.program else { return Ok(()) };
        let launch = Launch {
            program: &tool.program()?,
            arguments: &tool.arguments(place.tree, place.scratch, None),
            folder: place.tree,
            environment: place.environment,
        };
        let bounds = Bounds { deadline, stdout: tool.max_output, stderr: tool.max_output };
        let (finished, said) = run_until(&launch, bounds, self.until.as_deref())
            .map_err(|error| PrepareError::new(error.to_string()))?;
        let refused = |what: String| {
            let words = last_words(place.environment.secrets(), &finished.stderr);
            let misplaced = tool.misplaced(place.tree);
            let why = misplaced.as_ref().map(ToString::to_string).unwrap_or_default();
            let advice = misplaced.map(|misplaced| misplaced.advice());
            PrepareError::new(format!("its `prepare` command {what}{why}{words}")).advising(advice)
        };
        match (&self.until, finished.end) {
            (Some(until), end) if !said => Err(refused(format!("{} and never wrote `{until}`", told(end)))),
            (Some(until), End::Timeout) => Err(refused(format!(
                "wrote `{until}`, was asked to end (SIGTERM) and did not: it {}",
                told(End::Timeout)
            ))),
            // A program that has no way of its own to end dies of the signal it was sent.
            (Some(_), End::Code(0) | End::Signal(15)) | (None, End::Code(0)) => Ok(()),
            (_, end) => Err(refused(told(end))),
        }
    }
}

/// How it ended, with the key that set its time if that ran out.
fn told(end: End) -> String {
    match end {
        End::Timeout => format!("{end} ({TIME})"),
        end => end.to_string(),
    }
}

fn checked(
    file: &FileOption,
    values: &Values,
    writes: bool,
) -> Result<(TextTemplate, TextTemplate), OptionProblem> {
    let problem = |message: String| OptionProblem::new("files", format!("`{}`: {message}", file.path));
    let path = TextTemplate::new(&file.path, &[Placeholder::Corpus, Placeholder::Scratch], &Values::new())
        .map_err(|error| problem(error.to_string()))?;
    let in_corpus = path.begins_with(Placeholder::Corpus);
    if !is_inside(&file.path) {
        return Err(problem("must begin with `{scratch}/` or `{corpus}/` and stay there".to_owned()));
    }
    if in_corpus && !writes {
        return Err(problem(
            "the corpus is shared; `writes = true` gives the tool a copy of its own".to_owned(),
        ));
    }
    let text = TextTemplate::new(&file.text, &Placeholder::FOLDERS, values)
        .map_err(|error| problem(error.to_string()))?;
    Ok((path, text))
}

#[expect(clippy::disallowed_methods, reason = "edge: files inside the folders that were made for the tool")]
fn write(path: &Path, text: &str) -> Result<(), PrepareError> {
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
        // What lies there is a copy of the corpus's, or a link that leads out of it.
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        std::fs::write(path, text)
    });
    written.map_err(|error| PrepareError::new(format!("{} cannot be written: {error}", path.display())))
}
