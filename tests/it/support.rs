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

/// A file of the `tests` folder.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Compares with `tests/snapshots/NAME`, byte for byte. `RANKHOLD_BLESS=1` writes the file instead.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "a snapshot is a file")]
pub(crate) fn assert_snapshot(name: &str, actual: &str) {
    let path = fixture("snapshots").join(name);
    if std::env::var_os("RANKHOLD_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder can be made");
        std::fs::write(&path, actual).expect("the snapshot can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let lines = expected.lines().zip(actual.lines()).enumerate();
    let differs = lines.into_iter().find(|(_, (expected, actual))| expected != actual);
    assert!(
        expected == actual,
        "tests/snapshots/{name} is not what is rendered (RANKHOLD_BLESS=1 rewrites it); first difference: {differs:?}"
    );
}
