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

/// More levels than this are left to whoever is told of the folder.
const DEEPEST: usize = 1_000_000;

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

/// Removes it with all that is in it, and says whether it is gone. Links are not followed.
fn remove(folder: &Path) -> bool {
    let gone = |outcome: io::Result<()>| match outcome {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if gone(std::fs::remove_dir_all(folder)) {
        return true;
    }
    // Each round takes one level away. Whoever still writes there may add as many.
    let _ = (0..DEEPEST).any(|_| !flatten(folder));
    gone(std::fs::remove_dir_all(folder))
}

/// Brings what is two levels down one level up, for folders so deep that no path leads to their bottom. Says whether there
/// was any.
fn flatten(folder: &Path) -> bool {
    make_removable(folder);
    let mut moved = false;
    for outer in folders_in(folder) {
        make_removable(&outer);
        for inner in folders_in(&outer) {
            make_removable(&inner);
            let name = format!("{:016x}", RandomState::new().hash_one(&inner));
            moved |= std::fs::rename(&inner, folder.join(name)).is_ok();
        }
        let _ = std::fs::remove_dir_all(&outer);
    }
    moved
}

/// Lets us enter and change it: a tool may make its folders read-only, as Go's module cache does.
fn make_removable(folder: &Path) {
    #[cfg(unix)]
    let _ = std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700));
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
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
        assert!(flatten(folder.path()) && !flatten(folder.path()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(std::fs::metadata(&outside).unwrap().permissions().mode() & 0o777, 0o555);
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists() && outside.exists());
    }

    #[test]
    fn a_folder_goes_however_deep_it_is() {
        let parent = tempfile::tempdir().unwrap();
        let folder = ScratchFolder::new_in(parent.path()).unwrap();
        // Deeper than any path reaches: a chain is put below another.
        for _ in 0..3 {
            let (chain, below) = (folder.path().join("chain"), folder.path().join("below"));
            let steps = "d/".repeat(1_500);
            std::fs::create_dir_all(below.join(&steps)).unwrap();
            std::fs::write(below.join(&steps).join("file"), "x").unwrap();
            if chain.exists() {
                std::fs::rename(&chain, below.join(&steps).join("e")).unwrap();
            }
            std::fs::rename(&below, &chain).unwrap();
        }
        let rounds = std::iter::from_fn(|| flatten(folder.path()).then_some(())).count();
        assert!(rounds > 4_000, "{rounds}");
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }
}
