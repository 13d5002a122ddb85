//! What the tests share.

use std::path::{Path, PathBuf};

/// A file under `tests/data`.
pub(crate) fn data(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(path)
}

/// The bytes of a file under `tests/data/seed`.
pub(crate) fn seed(name: &str) -> Vec<u8> {
    read(data("seed").join(name))
}

/// The bytes of a file.
#[expect(clippy::disallowed_methods, reason = "tests read their own data")]
pub(crate) fn read(path: impl AsRef<Path>) -> Vec<u8> {
    std::fs::read(path.as_ref()).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}
