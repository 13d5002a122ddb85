//! One process at a time changes a file.

use std::fs::File;
use std::path::Path;

use super::FileError;

/// Held from reading a file to having written it again, so that no change of another process gets lost in between.
#[derive(Debug)]
pub struct Lock {
    /// The system lets go of it when it is closed, however we end.
    _folder: Option<File>,
}

/// Waits until no other rankhold changes a file of the same folder. The folder is what is locked: a file is replaced when
/// it is written, and a new one is not there yet. Where a folder cannot be locked nothing is; see what the caller does
/// about a file that changed meanwhile.
pub fn lock(path: &Path) -> Result<Lock, FileError> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(not(unix)) || !folder.is_dir() {
        return Ok(Lock { _folder: None });
    }
    let unread = |source| FileError::Read { path: folder.to_owned(), source };
    let folder = File::open(folder).map_err(unread)?;
    let locked = folder.lock().is_ok(); // some network file systems know no locks
    Ok(Lock { _folder: Some(folder).filter(|_| locked) })
}
