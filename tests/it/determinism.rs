//! Same input, same bytes: whatever order the files were made in, whatever the folder is called, however many threads
//! look at it. `tests/data/determinism/digests.txt` holds what the bytes hash to; it is the same for every platform.

#![expect(clippy::disallowed_methods, reason = "tests copy a tree and start the program")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rankhold::artifact::SuiteResult;

use crate::support::{Random, data, read};

const RETRIEVERS: [&str; 2] = ["bm25", "ripgrep"];

/// The result files of one run, by retriever.
type Results = BTreeMap<&'static str, Vec<u8>>;

/// Runs the program over a tree, as `scripts/determinism.sh` does with the static binaries.
fn run(tree: &Path, threads: usize) -> Results {
    let out = tempfile::tempdir().unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_rankhold"))
        .args(["run", "--quiet", "--threads", &threads.to_string(), "--repo"])
        .arg(tree)
        .arg("--results")
        .arg(out.path())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    RETRIEVERS.map(|name| (name, read(out.path().join(format!("golden.{name}.result.json"))))).into()
}

fn committed() -> PathBuf {
    data("determinism/tree")
}

/// Every file of the committed tree, by its relative path.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                found.push(entry.path().strip_prefix(folder).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// Makes the tree anew, file by file in a random order.
fn remake(root: &Path, random: &mut Random) {
    let mut left = files(&committed());
    while !left.is_empty() {
        let file = left.swap_remove(random.below(left.len()));
        let to = root.join(&file);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, read(committed().join(&file))).unwrap();
    }
}

fn assert_same(expected: &Results, actual: &Results, when: &str) {
    for (retriever, bytes) in expected {
        let same = *bytes == actual[retriever];
        assert!(same, "the result of {retriever} is another {when}");
    }
}

#[test]
fn the_digest_is_the_committed_one() {
    let lines = run(&committed(), 2).into_iter().fold(String::new(), |mut lines, (retriever, bytes)| {
        let digest = SuiteResult::read(&bytes).unwrap().digest();
        writeln!(lines, "golden.{retriever} {digest}").unwrap();
        lines
    });
    let file = data("determinism/digests.txt");
    if std::env::var_os("RANKHOLD_BLESS").is_some() {
        fs::write(file, lines).unwrap();
        return;
    }
    let expected = fs::read_to_string(file).unwrap();
    assert_eq!(
        lines, expected,
        "rankings, figures or the format changed: tests/data/determinism/README.md says what to do"
    );
}

#[test]
fn threads_do_not_matter() {
    let one = run(&committed(), 1);
    for threads in [2, 4, 7] {
        assert_same(&one, &run(&committed(), threads), &format!("with {threads} threads"));
    }
}

#[test]
fn neither_the_order_in_which_files_were_made_nor_the_folder_matters() {
    let expected = run(&committed(), 2);
    let mut random = Random::new(20_261_130);
    for name in ["a", "another folder, with ünusual name", "deep/er/still"] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join(name);
        remake(&root, &mut random);
        assert_same(&expected, &run(&root, 2), &format!("in `{name}`"));
    }
}

#[test]
fn what_the_tree_ignores_and_git_itself_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    remake(folder.path(), &mut Random::new(1));
    for (file, text) in
        [("noise.log", "ReminderQueue"), (".git/HEAD", "ref: refs/heads/x"), ("vendor/a.rs", "LOAN_DAYS")]
    {
        let file = folder.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    assert_same(&run(&committed(), 2), &run(folder.path(), 2), "beside ignored files");
}

#[test]
fn a_result_names_no_folder_and_has_unix_lines() {
    let folder = tempfile::Builder::new().prefix("telltale-").tempdir().unwrap();
    remake(folder.path(), &mut Random::new(2));
    for (retriever, bytes) in run(folder.path(), 2) {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains('\r') && text.ends_with("}\n"), "{retriever}");
        for telltale in ["telltale-", env!("CARGO_MANIFEST_DIR")] {
            assert!(!text.contains(telltale), "the result of {retriever} says {telltale}");
        }
    }
}
