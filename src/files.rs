//! Reading and writing files at the edge, with errors that name the file.
#![expect(clippy::disallowed_methods, reason = "edge: this is where files are read and written")]

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::error::{Blame, Blamed};

/// A file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is not there, is a directory, must not be touched …
    #[error("cannot {verb} {path}: {source}", path = path.display())]
    Io {
        /// `read`, `write` or `create`.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It is larger than anything of its kind.
    #[error("{path} holds {size} bytes, more than the {limit} that are read", path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        size: u64,
        /// What is read at most.
        limit: u64,
    },
}

impl Blamed for FileError {
    fn blame(&self) -> Blame {
        match self {
            Self::Io { verb: "read", source, .. }
                if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::IsADirectory) =>
            {
                Blame::User
            }
            Self::Io { .. } => Blame::Environment,
            Self::TooLarge { .. } => Blame::User,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Io { verb: "read", source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Some("check the path; it is relative to the current folder".to_owned())
            }
            Self::TooLarge { .. } => Some("name the right file, or split it".to_owned()),
            Self::Io { .. } => None,
        }
    }
}

/// The bytes of a file of at most `max_bytes`.
pub fn read(path: &Path, max_bytes: u64) -> Result<Vec<u8>, FileError> {
    let failed = |source| FileError::Io { verb: "read", path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(max_bytes)).unwrap_or(0));
    // A pipe has no size, and a file may grow: the limit holds for what is really read.
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    let size = size.max(bytes.len() as u64);
    if size > max_bytes {
        return Err(FileError::TooLarge { path: path.to_owned(), size, limit: max_bytes });
    }
    Ok(bytes)
}

/// Writes a file whole or not at all: beside it first, to disk, then renamed over it. A link is written through, and a
/// file that is there keeps its permissions.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |source| FileError::Io { verb: "write", path: path.to_owned(), source };
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = real.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rankhold-").suffix(".tmp");
    let permissions = fs::metadata(&real).map(|metadata| metadata.permissions()).ok();
    #[cfg(unix)]
    let new = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666); // less the umask
    #[cfg(unix)]
    builder.permissions(new);
    let mut draft = builder.tempfile_in(folder).map_err(failed)?;
    draft.write_all(bytes).map_err(failed)?;
    if let Some(permissions) = permissions {
        draft.as_file().set_permissions(permissions).map_err(failed)?;
    }
    draft.as_file().sync_all().map_err(failed)?;
    draft.persist(&real).map_err(|error| failed(error.error))?;
    // The rename itself lives in the folder; where a folder cannot be synced there is nothing more to do.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// The entries of a folder, sorted by name.
pub fn folder(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    let failed = |source| FileError::Io { verb: "read", path: path.to_owned(), source };
    let entries = fs::read_dir(path).map_err(failed)?;
    let mut paths: Vec<_> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}

/// Makes a folder and those above it, if they are missing.
pub fn create_folder(path: &Path) -> Result<(), FileError> {
    fs::create_dir_all(path).map_err(|source| FileError::Io { verb: "create", path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else_stays_behind() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = folder.path().join("a.json");
        write_atomically(&path, b"one").expect("writable");
        write_atomically(&path, b"two").expect("writable");
        assert_eq!(read(&path, 3).expect("readable"), b"two");
        assert_eq!(fs::read_dir(folder.path()).expect("listable").count(), 1);
    }

    #[test]
    fn an_absent_file_is_the_users_to_correct_and_a_large_one_is_refused() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = folder.path().join("a.json");
        let error = read(&path, 3).expect_err("absent");
        assert_eq!(error.blame(), Blame::User);
        assert!(error.to_string().starts_with("cannot read") && error.to_string().contains("a.json"));
        write_atomically(&path, b"four").expect("writable");
        assert!(
            read(&path, 3).expect_err("too large").to_string().contains("holds 4 bytes, more than the 3")
        );
    }

    #[test]
    fn a_folder_that_is_not_there_cannot_be_written_into() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let error = write_atomically(&folder.path().join("x/a.json"), b"").expect_err("no folder");
        assert!(error.to_string().starts_with("cannot write"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_written_through_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (path, link) = (folder.path().join("a.json"), folder.path().join("link.json"));
        write_atomically(&path, b"one").expect("writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("ours");
        std::os::unix::fs::symlink(&path, &link).expect("linkable");
        write_atomically(&link, b"two").expect("writable");
        assert_eq!(fs::read(&path).expect("readable"), b"two");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    }
}
