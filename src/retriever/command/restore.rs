//! Files that a tool writes anew with each query, and leaves damaged if it is ended meanwhile: kept after the preparation,
//! and put back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::PrepareError;
use super::super::external::{OptionProblem, Tool, is_inside};
use super::super::template::{Placeholder, TextTemplate, Values};

/// Where the copies are, in the scratch folder.
const KEPT: &str = "kept";

/// The files.
#[derive(Clone, Debug)]
pub(super) struct Restore(Vec<TextTemplate>);

impl Restore {
    /// Checks the settings.
    pub(super) fn new(paths: &[String], writes: bool) -> Result<Self, OptionProblem> {
        let checked = |path: &String| {
            let problem = |message: String| OptionProblem::new("restore", format!("`{path}`: {message}"));
            let allowed = [Placeholder::Corpus, Placeholder::Scratch];
            let template = TextTemplate::new(path, &allowed, &Values::new())
                .map_err(|error| problem(error.to_string()))?;
            if !writes && path.starts_with("{corpus}") {
                let why = "nothing can be written there without `writes = true`, which gives the tool a copy of its own";
                Err(problem(why.to_owned()))
            } else if is_inside(path) {
                Ok(template)
            } else {
                Err(problem("must begin with `{scratch}/` or `{corpus}/` and stay there".to_owned()))
            }
        };
        paths.iter().map(checked).collect::<Result<_, _>>().map(Self)
    }

    /// Keeps them as they are now; also that one is not there.
    pub(super) fn keep(&self, tool: &Tool, tree: &Path, scratch: &Path) -> Result<(), PrepareError> {
        for (file, kept) in self.pairs(tool, tree, scratch) {
            if is_file(&file) {
                let copied =
                    kept.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::copy(&file, &kept));
                copied.map_err(|error| problem(&file, &error))?;
            }
        }
        Ok(())
    }

    /// Puts them back, whatever the tool made of their places meanwhile: nothing is written through a link, into a pipe, or
    /// outside the two folders.
    pub(super) fn put_back(&self, tool: &Tool, tree: &Path, scratch: &Path) -> Result<(), PrepareError> {
        for (file, kept) in self.pairs(tool, tree, scratch) {
            let root = if file.starts_with(tree) { tree } else { scratch };
            put(&file, is_file(&kept).then_some(&kept), root).map_err(|error| problem(&file, &error))?;
        }
        Ok(())
    }

    fn pairs(&self, tool: &Tool, tree: &Path, scratch: &Path) -> impl Iterator<Item = (PathBuf, PathBuf)> {
        let kept = scratch.join(KEPT);
        let file = move |template| PathBuf::from(tool.text(template, tree, scratch));
        self.0.iter().enumerate().map(move |(at, template)| (file(template), kept.join(at.to_string())))
    }
}

/// A file itself, and no link to one.
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

fn put(file: &Path, kept: Option<&PathBuf>, root: &Path) -> io::Result<()> {
    // Every folder on the way must be one, and not a link that leads elsewhere.
    let mut folder = root.to_owned();
    let below = file.strip_prefix(root).unwrap_or(file);
    for part in below.parent().into_iter().flat_map(Path::components) {
        folder.push(part);
        match fs::symlink_metadata(&folder) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                fs::remove_file(&folder)?;
                fs::create_dir(&folder)?;
            }
            Err(_) => fs::create_dir(&folder)?,
        }
    }
    match fs::symlink_metadata(file) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(file)?,
        Ok(_) => fs::remove_file(file)?,
        Err(_) => {}
    }
    let Some(kept) = kept else { return Ok(()) };
    // A new file that takes the place: a rename follows no link and opens nothing that is there.
    let new = folder.join(".rankhold-put-back");
    let _ = fs::remove_file(&new);
    fs::copy(kept, &new)?;
    fs::rename(&new, file)
}

fn problem(file: &Path, error: &io::Error) -> PrepareError {
    PrepareError::new(format!("{} cannot be kept as it was: {error}", file.display()))
}
