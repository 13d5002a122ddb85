//! What keeps `rankhold suite add` from adding.

use crate::error::{Blame, Blamed};
use crate::name::Name;

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
    /// Somebody else wrote the file in the meantime.
    #[error("{file}: was changed while the case was added, and is left as it is now")]
    Changed {
        /// The suite's file.
        file: String,
    },
}

impl Blamed for AddProblem {
    fn blame(&self) -> Blame {
        match self {
            Self::Changed { .. } => Blame::Environment,
            _ => Blame::User,
        }
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
                Self::Changed { .. } => "add the case again",
            }
            .to_owned(),
        )
    }
}
