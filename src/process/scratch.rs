//! Folders of ours that go when we do, however we end.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What of them is there now.
struct Folders {
    /// Not removed yet.
    live: BTreeSet<PathBuf>,
    /// Could not be removed.
    left: Vec<PathBuf>,
}

static FOLDERS: Mutex<Folders> = Mutex::new(Folders { live: BTreeSet::new(), left: Vec::new() });

fn lock() -> MutexGuard<'static, Folders> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder with a name that nobody can guess, which only we can enter; removed when it is dropped, and by a signal that
/// ends us.
#[derive(Debug)]
pub struct ScratchFolder(PathBuf);

impl ScratchFolder {
    /// Makes one.
    pub fn new_in(parent: &Path) -> io::Result<Self> {
        // Made under the lock, so that a signal finds every folder that is there.
        let mut folders = lock();
        let folder = make(parent)?;
        folders.live.insert(folder.clone());
        Ok(Self(folder))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        let gone = remove(&self.0);
        let mut folders = lock();
        folders.live.remove(&self.0);
        if !gone {
            folders.left.push(self.0.clone());
        }
    }
}

/// A new folder. Its name has digits and no letters that change: some tools compare the words of a query with the path of
/// what they search, and letters drawn by lot would rank files by lot.
fn make(parent: &Path) -> io::Result<PathBuf> {
    loop {
        // By keys that the system gives this process.
        let drawn = RandomState::new().hash_one(std::process::id()) % 1_000_000_000_000;
        let name = format!("rankhold-{drawn:012}");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&name).rand_bytes(0);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        match builder.tempdir_in(parent) {
            Ok(folder) => return Ok(folder.keep()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Folders that could not be removed, for somebody who can.
pub fn left_behind() -> Vec<PathBuf> {
    lock().left.clone()
}

/// Removes every folder. Whoever still writes into one may make a part of it anew while it goes; so it is looked at
/// again.
#[cfg(unix)]
pub(super) fn remove_all() {
    let folders = lock();
    for folder in &folders.live {
        let _ = (0..100).any(|_| remove(folder));
    }
}

/// Removes it with all that is in it, and says whether it is gone.
fn remove(folder: &Path) -> bool {
    let gone = |outcome: io::Result<()>| match outcome {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if gone(std::fs::remove_dir_all(folder)) {
        return true;
    }
    // A tool may make its folders read-only, as Go's module cache does.
    make_removable(folder);
    gone(std::fs::remove_dir_all(folder))
}

/// Lets us enter and change every folder below. Links are not followed.
fn make_removable(folder: &Path) {
    #[cfg(unix)]
    let _ = std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700));
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_removable(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_differ_by_digits_alone() {
        let parent = tempfile::tempdir().unwrap();
        let folders = [(); 2].map(|()| ScratchFolder::new_in(parent.path()).unwrap());
        let names = folders.each_ref().map(|folder| folder.path().file_name().unwrap().to_str().unwrap());
        assert_ne!(names[0], names[1]);
        for name in names {
            let drawn = name.strip_prefix("rankhold-").unwrap();
            assert!(drawn.len() == 12 && drawn.bytes().all(|byte| byte.is_ascii_digit()), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_goes_with_what_is_in_it_even_if_that_is_read_only() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let parent = tempfile::tempdir().unwrap();
        let folder = ScratchFolder::new_in(parent.path()).unwrap();
        let deep = folder.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("file"), "x").unwrap();
        let outside = parent.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::set_permissions(&outside, std::fs::Permissions::from_mode(0o555)).unwrap();
        symlink(&outside, deep.join("link")).unwrap();
        for path in [&deep, &folder.path().join("a")] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o555)).unwrap();
        }
        // Root is not held up by permissions, and so calls what makes them go.
        make_removable(folder.path());
        assert_eq!(std::fs::metadata(&deep).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(std::fs::metadata(&outside).unwrap().permissions().mode() & 0o777, 0o555);
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists() && outside.exists());
    }
}
