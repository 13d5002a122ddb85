//! Who must act on an error. Each module keeps its own error type; this trait is all they share.

use std::error::Error;
use std::fmt;

use crate::exit::Exit;

/// Where a page below `docs/` is read: whoever gets a hint may have the program and nothing else of this repository.
macro_rules! docs {
    ($page:literal) => {
        concat!("https://github.com/rankhold/rankhold/blob/main/docs/", $page)
    };
}
pub(crate) use docs;

/// Where the files of this repository are read.
pub(crate) const SOURCE: &str = "https://github.com/rankhold/rankhold/blob/main/";

/// What a message quotes of a text: so many characters of it at most, control characters told and not done. Where it is
/// cut it goes on with `…`, by which [`Secrets`](crate::process::Secrets) know half a secret.
pub(crate) fn quoted(text: &str, most: usize) -> String {
    let mut quoted = String::new();
    for (at, c) in text.chars().enumerate() {
        match c {
            _ if at == most => return quoted + "…",
            c if c.is_control() => quoted.extend(c.escape_unicode()),
            c => quoted.push(c),
        }
    }
    quoted
}

/// Who must act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// What was typed or written is wrong: arguments, configuration, suite, baseline.
    User,
    /// The machine could not do it: a tool is missing, a file is unreadable, a time-out struck.
    Environment,
    /// Rankhold is wrong.
    Bug,
}

impl Blame {
    /// The exit code that an error of this blame ends the process with.
    pub fn exit(self) -> Exit {
        match self {
            Self::User => Exit::Usage,
            Self::Environment | Self::Bug => Exit::NotMeasured,
        }
    }
}

/// An error that knows who must act and, if there is one, the next step.
pub trait Blamed: Error + Send + Sync + 'static {
    /// Who must act.
    fn blame(&self) -> Blame;

    /// The next step, as a sentence without a full stop.
    fn hint(&self) -> Option<String> {
        None
    }
}

/// Any module's error on its way to the terminal: message, blame and next step.
#[derive(Debug)]
pub struct Failure(Box<dyn Blamed>);

impl Failure {
    /// Who must act.
    pub fn blame(&self) -> Blame {
        self.0.blame()
    }

    /// The next step, if the error knows one.
    pub fn hint(&self) -> Option<String> {
        self.0.hint()
    }

    /// The exit code it ends the process with.
    pub fn exit(&self) -> Exit {
        self.blame().exit()
    }
}

impl<E: Blamed> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(cause) = source {
            write!(f, ": {cause}")?;
            source = cause.source();
        }
        Ok(())
    }
}
