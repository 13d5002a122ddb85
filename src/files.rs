//! Reading files with a limit and writing them whole or not at all.
//!
//! Whose word a path is decides what it may lead to. What somebody typed may be a pipe. What a configuration names or a
//! convention finds is a stranger's word: a regular file, below the root, without a wait.
#![expect(clippy::disallowed_methods, reason = "edge: files are read and written here")]

mod error;
mod identity;
mod lock;
mod read;
#[cfg(test)]
mod tests;
mod together;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use error::FileError;
pub use identity::FileId;
pub use lock::{Lock, lock};
pub use read::{folder_if_there, is_named_in, is_there, read, read_in, read_in_if_there};
pub use together::write_all_in;

use self::read::{special, stays_in};
use crate::process::undivided;

/// The largest file that is read whole: suites of a million cases fit, a mistaken archive does not.
pub const MAX_BYTES: u64 = 2 << 30;

/// Whether `path` can be read as a file of the tree under `root`, without reading it.
pub fn check_in(root: &Path, path: &Path) -> Result<(), FileError> {
    stays_in(root, path)?;
    read::is_regular(path)
}

/// More links than this in a row lead nowhere, as for the system itself.
const LINKS: usize = 40;

/// Writes a file whole or not at all: a temporary file beside it, synced, then renamed over it. Missing folders are
/// made. A pipe, a device or a socket has no "whole": it is written into.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |source: io::Error| FileError::Write { path: path.to_owned(), source };
    if let Ok(there) = fs::metadata(path) {
        if there.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        if special(there.file_type()).is_some() {
            let file = fs::OpenOptions::new().write(true).open(path);
            return file.and_then(|mut file| file.write_all(bytes)).map_err(failed);
        }
    }
    replace(&end_of_links(path).map_err(failed)?, bytes).map_err(failed)
}

/// The same for a file of the tree: a link that leads out of `root` is not followed, since whoever wrote the tree
/// would choose what is overwritten.
pub fn write_in(root: &Path, path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |source: io::Error| FileError::Write { path: path.to_owned(), source };
    stays_in(root, path)?;
    // A new file: what is there of its folders decides.
    let target = end_of_links(path).map_err(failed)?;
    let folder = target.ancestors().skip(1).find(|folder| folder.exists());
    if is_named_in(root, path)
        && let (Ok(root), Some(Ok(folder))) = (root.canonicalize(), folder.map(Path::canonicalize))
        && !folder.starts_with(root)
    {
        return Err(FileError::Outside { path: path.to_owned(), target });
    }
    write_atomically(path, bytes)
}

/// Refuses to write over what is read. Two names of one file are one file.
pub fn is_no_input<'a>(path: &Path, mut inputs: impl Iterator<Item = &'a Path>) -> Result<(), FileError> {
    let Ok(output) = path.canonicalize() else { return Ok(()) }; // not there yet
    let is_special = fs::metadata(path).is_ok_and(|there| special(there.file_type()).is_some());
    if !is_special && inputs.any(|input| input.canonicalize().is_ok_and(|input| input == output)) {
        return Err(FileError::OwnInput { path: path.to_owned() });
    }
    Ok(())
}

/// Where a path's links lead, whether something is there or not: a link is written through and goes on pointing there.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut end = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&end) {
            Ok(next) => end = end.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(end),
        }
    }
    // As the system says it.
    fs::metadata(path).map(|_| end)
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let _whole = undivided();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rankhold-");
    #[cfg(unix)]
    let new = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666); // less the umask
    #[cfg(unix)]
    builder.permissions(new);
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    if let Ok(old) = fs::metadata(path) {
        temporary.as_file().set_permissions(old.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    // The rename itself is durable once the folder is synced; not every system can do that, and none needs to.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}
