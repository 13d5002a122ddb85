//! Several files, all of them written or none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{FileError, MAX_BYTES, end_of_links, is_there, read, write_atomically, write_in};
use crate::process::undivided;

/// Writes files of the tree under `root`; if one cannot be, everything is as it was before.
pub fn write_all_in(root: &Path, files: &[(PathBuf, Vec<u8>)]) -> Result<(), FileError> {
    let _all = undivided();
    let mut written = files.iter().map(|(path, _)| Before::of(path)).collect::<Result<Vec<_>, _>>()?;
    for (at, (path, bytes)) in files.iter().enumerate() {
        if let Err(error) = write_in(root, path, bytes) {
            written.truncate(at + 1);
            written.into_iter().rev().for_each(Before::restore);
            return Err(error);
        }
    }
    Ok(())
}

/// What was there before a file was written.
struct Before {
    path: PathBuf,
    bytes: Option<Vec<u8>>,
    /// Folders that were not there, the innermost first.
    folders: Vec<PathBuf>,
}

impl Before {
    /// Of a link what it leads to: that is what is written. Refuses a path that leads through something that is no folder,
    /// since nothing need be tried to know that it fails.
    fn of(path: &Path) -> Result<Self, FileError> {
        let failed = |source| FileError::Write { path: path.to_owned(), source };
        let target = end_of_links(path).map_err(failed)?;
        let above = || target.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let nearest = above().find(|folder| is_there(folder));
        if nearest.is_some_and(|there| !there.is_dir()) {
            return Err(failed(io::ErrorKind::NotADirectory.into()));
        }
        let folders = above().take_while(|folder| !is_there(folder)).map(Path::to_owned).collect();
        let bytes = if target.is_file() { Some(read(&target, MAX_BYTES)?) } else { None };
        Ok(Self { path: target, bytes, folders })
    }

    /// As far as it can be: the error that is told is the first one.
    fn restore(self) {
        if let Some(bytes) = self.bytes {
            let _ = write_atomically(&self.path, &bytes);
        } else if is_there(&self.path) {
            let _ = fs::remove_file(&self.path);
        }
        for folder in self.folders {
            let _ = fs::remove_dir(folder);
        }
    }
}
