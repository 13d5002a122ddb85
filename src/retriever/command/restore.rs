//! Files that a tool writes anew with each query, and leaves damaged if it is ended meanwhile: kept after the preparation,
//! and put back.

use std::path::{Component, Path, PathBuf};

use super::super::PrepareError;
use super::super::external::{OptionProblem, Tool};
use super::super::template::{Placeholder, TextTemplate, Values};

/// Where the copies are, in the scratch folder.
const KEPT: &str = "kept";

/// The files.
#[derive(Clone, Debug)]
pub(super) struct Restore(Vec<TextTemplate>);

impl Restore {
    /// Checks the settings.
    pub(super) fn new(paths: &[String]) -> Result<Self, OptionProblem> {
        let checked = |path: &String| {
            let problem = |message: String| OptionProblem::new("restore", format!("`{path}`: {message}"));
            let allowed = [Placeholder::Corpus, Placeholder::Scratch];
            let template = TextTemplate::new(path, &allowed, &Values::new())
                .map_err(|error| problem(error.to_string()))?;
            let inside = Path::new(path).components().all(|part| part != Component::ParentDir);
            if inside && allowed.into_iter().any(|place| template.begins_with(place)) {
                Ok(template)
            } else {
                Err(problem("must begin with `{scratch}/` or `{corpus}/` and stay there".to_owned()))
            }
        };
        paths.iter().map(checked).collect::<Result<_, _>>().map(Self)
    }

    /// Keeps them as they are now. One that is not there is not kept.
    pub(super) fn keep(&self, tool: &Tool, tree: &Path, scratch: &Path) -> Result<(), PrepareError> {
        for (file, kept) in self.pairs(tool, tree, scratch) {
            if file.is_file() {
                copy(&file, &kept)?;
            }
        }
        Ok(())
    }

    /// Puts them back.
    pub(super) fn put_back(&self, tool: &Tool, tree: &Path, scratch: &Path) -> Result<(), PrepareError> {
        for (file, kept) in self.pairs(tool, tree, scratch) {
            if kept.is_file() {
                copy(&kept, &file)?;
            }
        }
        Ok(())
    }

    fn pairs(&self, tool: &Tool, tree: &Path, scratch: &Path) -> impl Iterator<Item = (PathBuf, PathBuf)> {
        let kept = scratch.join(KEPT);
        let file = move |template| PathBuf::from(tool.text(template, tree, scratch));
        self.0.iter().enumerate().map(move |(at, template)| (file(template), kept.join(at.to_string())))
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), PrepareError> {
    let copied = to.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::copy(from, to));
    copied
        .map(drop)
        .map_err(|error| PrepareError { detail: format!("{} cannot be copied: {error}", from.display()) })
}
