//! Where a command writes what it made: stdout, or the place that `--out` names.

use std::path::{Path, PathBuf};

use super::console::Console;
use super::workspace::Workspace;
use crate::error::{Blame, Blamed, Failure};
use crate::files;
use crate::report::Rendered;

/// Names of our own stdout. Opened as a file it would be written from its beginning, over what is there.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// A report in the place of what it is about.
#[derive(Debug, thiserror::Error)]
#[error("{place}: the configuration, a suite or a baseline lies there, or what lies there would be taken for one", place = place.display())]
pub(super) struct Kept {
    place: PathBuf,
}

impl Blamed for Kept {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(
            "name a place elsewhere, such as report.json; baselines are written by `rankhold approve`"
                .to_owned(),
        )
    }
}

/// One of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination<'a> {
    /// stdout.
    Stdout,
    /// A file, or whatever is there.
    Place(&'a Path),
}

/// Two outputs with one destination.
#[derive(Debug, thiserror::Error)]
#[error("{first} and {second} would be written to the same place")]
pub(super) struct SamePlace {
    first: &'static str,
    second: &'static str,
}

impl Blamed for SamePlace {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some("give one of them another place".to_owned())
    }
}

impl<'a> Destination<'a> {
    /// As given; stdout if nothing is.
    pub(super) fn of(out: Option<&'a Path>) -> Self {
        match out {
            Some(path) if !STDOUT.iter().any(|name| path == Path::new(name)) => Self::Place(path),
            _ => Self::Stdout,
        }
    }

    /// The place, if it is not stdout.
    pub(super) fn place(self) -> Option<&'a Path> {
        match self {
            Self::Place(path) => Some(path),
            Self::Stdout => None,
        }
    }

    /// Refuses to overwrite what the command reads. Asked before anything is measured.
    pub(super) fn spares<'p>(self, inputs: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
        match self {
            Self::Place(path) => Ok(files::is_no_input(path, inputs.into_iter())?),
            Self::Stdout => Ok(()),
        }
    }

    /// Refuses the places of suites and baselines. Asked before anything is measured.
    pub(super) fn leaves(self, workspace: &Workspace) -> Result<(), Kept> {
        match self {
            Self::Place(path) if workspace.keeps(path) => Err(Kept { place: path.to_owned() }),
            Self::Place(_) | Self::Stdout => Ok(()),
        }
    }

    /// Refuses a second output that would replace the first.
    pub(super) fn differs(
        self,
        name: &'static str,
        other: Self,
        other_name: &'static str,
    ) -> Result<(), SamePlace> {
        let same = match (self, other) {
            (Self::Place(one), Self::Place(two)) => {
                one == two
                    || one.canonicalize().is_ok_and(|one| two.canonicalize().is_ok_and(|two| one == two))
            }
            (one, two) => one == two,
        };
        if same { Err(SamePlace { first: name, second: other_name }) } else { Ok(()) }
    }

    /// Writes it there.
    pub(super) fn write(self, text: &Rendered, console: &Console) -> Result<(), Failure> {
        match self {
            Self::Stdout => console.report(text),
            Self::Place(path) => files::write_atomically(path, text.as_bytes())?,
        }
        Ok(())
    }
}
