//! Children: argument vectors without a shell, limits on time and output, ended as a whole tree, a scrubbed environment.
//!
//! A child is a [`Job`]: itself and whatever it starts. However a job ends (success, failure, time-out, flood, a panic
//! of ours) nothing of it is left running:
//!
//! * **Linux**: its own process group, an adopted-by-us rule for orphans (child subreaper), and a walk of `/proc` that
//!   follows parents, process groups and a marker variable which descendants inherit. A descendant that forks twice,
//!   calls `setsid` *and* wipes its environment carries no sign of its job any more; it is ended with the last job
//!   that runs, so that one job never ends what belongs to another.
//! * **other Unix systems**: the process group; a descendant that leaves it is not found.
//! * **Windows**: the child itself only.
//!
//! When Rankhold itself is interrupted, [`end_jobs_with_us`] does the same first. After `SIGKILL` nobody can; a worker
//! then sees the end of its input. (`PR_SET_PDEATHSIG` would have to be set between fork and exec, which is `unsafe` in
//! Rust; besides, it fires when the *thread* that started the child ends.)
#![expect(
    clippy::disallowed_methods,
    reason = "edge: the one place that starts children; reads clock and environment"
)]

mod capture;
mod conversation;
mod deadline;
mod environment;
mod folders;
mod interrupt;
mod job;
mod refusal;
mod registry;
mod resolve;
mod run;
mod scratch;
mod secrets;
mod service;
mod shield;
#[cfg(target_os = "linux")]
#[path = "tree_linux.rs"]
mod tree;
#[cfg(not(target_os = "linux"))]
#[path = "tree_other.rs"]
mod tree;

use std::path::Path;

pub use conversation::{Conversation, Heard};
pub use deadline::Deadline;
pub use environment::{Environment, EnvironmentError, Extra, MARKER};
pub use folders::Folders;
pub use interrupt::{Undivided, end_jobs_with_us, undivided, wait_if_interrupted};
pub use resolve::{NotFound, Program};
pub use run::{Bounds, Finished, Stream, run, run_heard, run_until};
pub use scratch::{ScratchFolder, left_behind};
pub use secrets::Secrets;
pub use service::{Service, free_port};
pub use shield::hide_from_children;

use job::Job;

/// A child that is to be started.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// What runs.
    pub program: &'a Program,
    /// Its arguments, without the program's name.
    pub arguments: &'a [String],
    /// The folder it starts in (absolute).
    pub folder: &'a Path,
    /// Every variable it sees; nothing else is inherited.
    pub environment: &'a Environment,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Code(i32),
    /// By a signal that was not ours (Unix).
    Signal(i32),
    /// By us: its time ran out.
    Timeout,
    /// By us: it wrote more than allowed.
    Flood {
        /// Where.
        stream: Stream,
        /// The limit in bytes.
        limit: usize,
    },
}

/// A child that could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system refused.
    #[error("`{program}` could not be started: {why}")]
    Refused {
        /// The program, as configured.
        program: String,
        /// What the system said, and what that means.
        why: String,
    },
    /// Rankhold is being interrupted.
    #[error("`{program}` was not started: Rankhold is ending")]
    Ending {
        /// The program, as configured.
        program: String,
    },
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "ended with exit code {code}"),
            Self::Signal(signal) => write!(f, "was ended by signal {signal}"),
            Self::Timeout => write!(f, "was ended by Rankhold: its time ran out"),
            Self::Flood { stream, limit } => {
                write!(f, "was ended by Rankhold: it wrote more than {limit} bytes to {stream}")
            }
        }
    }
}

impl From<std::process::ExitStatus> for End {
    fn from(status: std::process::ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        Self::Code(status.code().unwrap_or(-1))
    }
}
