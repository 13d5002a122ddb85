//! A file that could not be read or written, and what its reader can do about it.

use std::io;
use std::path::PathBuf;

use crate::error::{Blame, Blamed};

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is not there.
    #[error("{path}: there is no such file", path = path.display())]
    Absent {
        /// Which.
        path: PathBuf,
    },
    /// A link is there, and what it leads to is not.
    #[error("{path}: is a link to {target}, which is not there", path = path.display(), target = target.display())]
    Dangling {
        /// The link.
        path: PathBuf,
        /// As the link says.
        target: PathBuf,
    },
    /// A pipe, a device or a socket: reading it could wait or go on for ever.
    #[error("{path}: is {what}, not a file", path = path.display())]
    NotRegular {
        /// Which.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A link of the repository leads out of it.
    #[error("{path}: leads out of the repository, to {target}", path = path.display(), target = target.display())]
    Outside {
        /// As the repository names it.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// It is there and cannot be read.
    #[error("{path}: cannot be read", path = path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// The system's word.
        source: io::Error,
    },
    /// It is too large.
    #[error("{path}: is larger than {limit} bytes", path = path.display())]
    TooLarge {
        /// Which.
        path: PathBuf,
        /// What is read at the most.
        limit: u64,
    },
    /// What is read would be overwritten.
    #[error("{path}: is read by this command and would be overwritten", path = path.display())]
    OwnInput {
        /// Which.
        path: PathBuf,
    },
    /// It could not be written; what was there before is still there.
    #[error("{path}: cannot be written", path = path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// The system's word.
        source: io::Error,
    },
}

impl Blamed for FileError {
    fn blame(&self) -> Blame {
        match self {
            Self::Read { source, .. } | Self::Write { source, .. } if is_a_wrong_path(source) => Blame::User,
            Self::Read { .. } | Self::Write { .. } => Blame::Environment,
            _ => Blame::User,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::Absent { .. } => {
                    "check the path; relative ones start at the folder the command runs in"
                }
                Self::Dangling { .. } => "restore what the link leads to, or remove the link",
                Self::NotRegular { .. } => "put a regular file there",
                Self::Outside { .. } => {
                    "put the file itself there: what a checkout links to elsewhere on this machine is not used"
                }
                Self::TooLarge { .. } => "check that this is the file you mean",
                Self::OwnInput { .. } => "write it under another name",
                Self::Read { source, .. } => in_the_way(source, "check the disk or share it lies on"),
                Self::Write { source, .. } => in_the_way(source, "check the folder's permissions and free space"),
            }
            .to_owned(),
        )
    }
}

/// The path itself is wrong, whoever may do what on this machine.
fn is_a_wrong_path(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, IsADirectory, NotADirectory};
    matches!(error.kind(), IsADirectory | NotADirectory | AlreadyExists) || is_a_loop(error)
}

fn in_the_way(error: &io::Error, otherwise: &'static str) -> &'static str {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::IsADirectory => "it is a folder; name a file",
        // Where folders are made, a file of that name is what "exists already".
        Kind::NotADirectory | Kind::AlreadyExists => "a file stands where a folder of this path should be",
        Kind::PermissionDenied => "check the permissions of the file and of its folders",
        Kind::ReadOnlyFilesystem => "the file system is read-only; name a place that can be written",
        Kind::StorageFull | Kind::QuotaExceeded => "make room on the disk",
        _ if is_a_loop(error) => "its links lead back to themselves; put a file there",
        _ => otherwise,
    }
}

/// `ErrorKind` has no stable word for it.
fn is_a_loop(error: &io::Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    #[cfg(not(unix))]
    return {
        let _ = error;
        false
    };
}
