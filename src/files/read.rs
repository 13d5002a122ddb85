//! Reading a file with a limit, as far as it may be trusted to have an end.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::FileError;

/// What may be read beside regular files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    /// What somebody typed: `<(…)` of a shell is a pipe, and has an end.
    Pipes,
    /// What is found in the tree: nobody is there to write into a pipe.
    Files,
}

/// The bytes of a file that somebody named on the command line, of at most `limit` bytes. It may be a pipe.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    read_as(path, limit, Allowed::Pipes)
}

/// The bytes of a file that is named by a configuration or found by convention: a regular one and, if it is below
/// `root`, really there. A checkout is a stranger's: a link in it must not show what lies elsewhere on this machine.
pub fn read_in(root: &Path, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    stays_in(root, path)?;
    read_as(path, limit, Allowed::Files)
}

/// The same, or none if there is none. A link that leads nowhere is no absence: something was meant to be there.
pub fn read_in_if_there(root: &Path, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
    match read_in(root, path, limit) {
        Err(FileError::Absent { .. }) => Ok(None),
        other => other.map(Some),
    }
}

/// The entries of a folder, sorted by name; none if there is no such folder.
pub fn folder_if_there(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    let entries = match fs::read_dir(path).map_err(|error| unread(path, error)) {
        Err(FileError::Absent { .. }) => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>();
    let mut paths = paths.map_err(|error| unread(path, error))?;
    paths.sort();
    Ok(paths)
}

/// Something has that name, even if it is a link that leads nowhere.
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whatever `path` leads to is a regular file.
pub(super) fn is_regular(path: &Path) -> Result<(), FileError> {
    check(path, Allowed::Files)
}

fn read_as(path: &Path, limit: u64, allowed: Allowed) -> Result<Vec<u8>, FileError> {
    // Before it is opened: opening a pipe waits for its writer, and opening a device may do something.
    check(path, allowed)?;
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(|error| unread(path, error))?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

fn check(path: &Path, allowed: Allowed) -> Result<(), FileError> {
    let kind = fs::metadata(path).map_err(|error| unread(path, error))?.file_type();
    match special(kind) {
        Some("a pipe") if allowed == Allowed::Pipes => Ok(()),
        Some(what) => Err(FileError::NotRegular { path: path.to_owned(), what }),
        None if kind.is_dir() => {
            Err(FileError::Read { path: path.to_owned(), source: io::ErrorKind::IsADirectory.into() })
        }
        None => Ok(()),
    }
}

/// What it is, if it is neither a file nor a folder.
pub(super) fn special(kind: FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    (!kind.is_file() && !kind.is_dir()).then_some("a device")
}

/// By its name alone `path` is below `root`: whatever links there are on the way.
pub fn is_named_in(root: &Path, path: &Path) -> bool {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain.starts_with(root)
}

/// Where `path` leads is below `root`, if its name says that it is.
pub(super) fn stays_in(root: &Path, path: &Path) -> Result<(), FileError> {
    if !is_named_in(root, path) {
        return Ok(());
    }
    // What cannot be resolved cannot be read either, and says why better.
    let (Ok(root), Ok(target)) = (root.canonicalize(), path.canonicalize()) else { return Ok(()) };
    if target.starts_with(root) { Ok(()) } else { Err(FileError::Outside { path: path.to_owned(), target }) }
}

fn unread(path: &Path, source: io::Error) -> FileError {
    if source.kind() != io::ErrorKind::NotFound {
        return FileError::Read { path: path.to_owned(), source };
    }
    match dangling(path) {
        Some((path, target)) => FileError::Dangling { path, target },
        None => FileError::Absent { path: path.to_owned() },
    }
}

/// The link on the way to `path` that leads nowhere, if that is why nothing is found.
fn dangling(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let on_the_way = path.ancestors().find(|part| is_there(part))?;
    let target = fs::read_link(on_the_way).ok()?;
    fs::metadata(on_the_way).is_err().then(|| (on_the_way.to_owned(), target))
}
