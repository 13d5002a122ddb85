//! Reading files with a limit and writing them whole or not at all.
#![expect(clippy::disallowed_methods, reason = "edge: files are read and written here")]

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{Blame, Blamed};

/// The largest file that is read whole: suites of a million cases fit, a mistaken archive does not.
pub const MAX_BYTES: u64 = 2 << 30;

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is not there.
    #[error("{path}: there is no such file", path = path.display())]
    Absent {
        /// Which.
        path: PathBuf,
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
            Self::Absent { .. } | Self::TooLarge { .. } => Blame::User,
            Self::Read { source, .. } if source.kind() == io::ErrorKind::IsADirectory => Blame::User,
            Self::Read { .. } | Self::Write { .. } => Blame::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::Absent { .. } => {
                    "check the path; relative ones start at the folder the command runs in"
                }
                Self::Read { .. } => "check the file's permissions",
                Self::TooLarge { .. } => "check that this is the file you mean",
                Self::Write { .. } => "check the folder's permissions and free space",
            }
            .to_owned(),
        )
    }
}

/// The bytes of a file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => FileError::Absent { path: path.to_owned() },
        _ => FileError::Read { path: path.to_owned(), source },
    };
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

/// The bytes of a file, or none if there is none.
pub fn read_if_there(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
    match read(path, limit) {
        Err(FileError::Absent { .. }) => Ok(None),
        other => other.map(Some),
    }
}

/// Writes a file whole or not at all: a temporary file beside it, synced, then renamed over it. Missing folders are
/// made.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |source: io::Error| FileError::Write { path: path.to_owned(), source };
    // A link is written through: it goes on pointing at the file.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rankhold-");
    #[cfg(unix)]
    let new = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666); // less the umask
    #[cfg(unix)]
    builder.permissions(new);
    let mut temporary = builder.tempfile_in(folder).map_err(failed)?;
    temporary.write_all(bytes).map_err(failed)?;
    if let Ok(old) = fs::metadata(path) {
        temporary.as_file().set_permissions(old.permissions()).map_err(failed)?;
    }
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(path).map_err(|error| failed(error.error))?;
    // The rename itself is durable once the folder is synced; not every system can do that, and none needs to.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// The entries of a folder, sorted by name.
pub fn folder(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => FileError::Absent { path: path.to_owned() },
        _ => FileError::Read { path: path.to_owned(), source },
    };
    let entries = fs::read_dir(path).map_err(failed)?;
    let mut paths: Vec<_> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_replaces_the_whole_file_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/file.json");
        write_atomically(&path, b"one").expect("written");
        write_atomically(&path, b"two").expect("written again");
        assert_eq!(read(&path, 3).expect("read"), b"two");
        assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("listed").count(), 1);
    }

    #[test]
    fn a_failed_write_says_which_file_and_keeps_the_old_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("taken");
        fs::create_dir(&path).expect("a folder in the way");
        let error = write_atomically(&path, b"x").expect_err("a folder is in the way");
        assert!(error.to_string().contains("taken"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1);
    }

    #[test]
    fn an_absent_and_a_too_large_file_are_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f");
        assert!(matches!(read(&path, 9), Err(FileError::Absent { .. })));
        assert!(read_if_there(&path, 9).expect("absent is fine").is_none());
        fs::write(&path, b"four").expect("written");
        assert!(matches!(read(&path, 3), Err(FileError::TooLarge { limit: 3, .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_written_through_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("a.json"), folder.path().join("link.json"));
        write_atomically(&path, b"one").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("ours");
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        write_atomically(&link, b"two").expect("written");
        assert_eq!(fs::read(&path).expect("read"), b"two");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    }
}
