//! A tree of real text: the sources of the crates that this package is built from.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Files on disk.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) bytes: u64,
    crates: usize,
}

impl Tree {
    /// A folder that is there.
    pub(crate) fn there(root: &Path) -> Self {
        Self { root: root.to_owned(), files: Vec::new(), bytes: 0, crates: 0 }
    }

    /// Copies so many files, chosen by the hash of their names, so many times.
    pub(crate) fn make(root: &Path, count: usize, times: usize) -> Self {
        let mut found = sources();
        found.sort_by_key(|(name, _)| Sha256::digest(name.as_bytes()).to_vec());
        found.truncate(count);
        let crates = found.iter().map(|(name, _)| name.split('/').next()).collect::<BTreeSet<_>>().len();
        let (mut files, mut bytes) = (Vec::new(), 0);
        for copy in 1..=times {
            for (name, from) in &found {
                let to = root.join(format!("copy{copy}")).join(name);
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                bytes += fs::copy(from, &to).unwrap();
                files.push(to);
            }
        }
        Self { root: root.to_owned(), files, bytes, crates }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, megabytes) = (self.files.len(), self.bytes / 1_000_000);
        write!(f, "tree: {files} files, {megabytes} MB of text, out of the sources of {} crates", self.crates)
    }
}

/// `CRATE-VERSION/path` of every text file, and where it is.
fn sources() -> Vec<(String, PathBuf)> {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let mut found = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        if package["source"].is_null() {
            continue; // our own
        }
        let name = format!("{}-{}", package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        collect(folder, &name, &mut found);
    }
    found
}

fn collect(folder: &Path, name: &str, found: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let below = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            collect(&path, &below, found);
        } else if is_text(&path) && entry.metadata().unwrap().len() <= 1 << 20 {
            found.push((below, path));
        }
    }
}

fn is_text(path: &Path) -> bool {
    let endings = ["rs", "md", "toml", "c", "h", "py", "sh"];
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| endings.contains(&ending))
}
