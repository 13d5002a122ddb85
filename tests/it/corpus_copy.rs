//! The copy of the corpus that external tools see.
#![expect(clippy::disallowed_methods, reason = "tests write into the copy")]

use std::fs;
use std::time::Duration;

use rankhold::corpus::copy::{Access, Changed, CopyProblem, materialise, verify};
use rankhold::error::Blamed as _;
use rankhold::measure::MeasureError;
use rankhold::process::Deadline;

use crate::grounds::{Grounds, in_time};

fn grounds() -> Grounds {
    Grounds::new(&[("a.txt", "a"), ("sub/b.txt", "b"), ("sub/deep/c.txt", "c"), (".hidden", "h")])
}

#[test]
fn a_copy_is_the_corpus_until_something_is_written() {
    let grounds = grounds();
    let tree = grounds.tree();
    materialise(grounds.corpus(), &tree, Access::Writable, in_time()).unwrap();
    assert_eq!(fs::read_to_string(tree.join("sub/deep/c.txt")).unwrap(), "c");
    assert_eq!(verify(grounds.corpus(), &tree), Ok(()));

    fs::create_dir(tree.join("empty")).unwrap();
    assert_eq!(verify(grounds.corpus(), &tree), Ok(()));

    fs::write(tree.join("a.txt"), "A").unwrap();
    fs::write(tree.join("sub/new.db"), "").unwrap();
    fs::remove_file(tree.join("sub/b.txt")).unwrap();
    let changed = verify(grounds.corpus(), &tree).unwrap_err();
    let named = |path: &str| vec![path.to_owned()];
    assert_eq!(
        changed,
        Changed { new: named("sub/new.db"), changed: named("a.txt"), removed: named("sub/b.txt") }
    );
    assert!(
        changed.to_string().starts_with(
            "the tool wrote into the corpus; new: sub/new.db; changed: a.txt; removed: sub/b.txt"
        )
    );
}

#[test]
fn what_changed_since_it_was_hashed_is_not_copied() {
    let grounds = grounds();
    fs::write(grounds.repo().join("sub/b.txt"), "other").unwrap();
    let error = materialise(grounds.corpus(), &grounds.tree(), Access::ReadOnly, in_time()).unwrap_err();
    assert!(error.to_string().starts_with("sub/b.txt: changed while it was measured"), "{error}");
}

#[test]
fn a_folder_with_something_in_it_is_refused() {
    let grounds = grounds();
    fs::write(grounds.tree().join("left over"), "").unwrap();
    assert!(materialise(grounds.corpus(), &grounds.tree(), Access::ReadOnly, in_time()).is_err());
}

#[test]
fn a_copy_ends_with_the_time_for_it_and_says_how_far_it_came() {
    let grounds = grounds();
    let late = Deadline::after(Duration::ZERO);
    let source = materialise(grounds.corpus(), &grounds.tree(), Access::ReadOnly, late).unwrap_err();
    assert!(matches!(source, CopyProblem::Late { copied: 0, of: 4 }), "{source}");
    assert_eq!(fs::read_dir(grounds.tree()).unwrap().count(), 0);
    let error = MeasureError::Stage { name: "ours".to_owned(), source };
    let hint = error.hint().unwrap();
    assert!(hint.contains("`run-timeout`") && hint.contains("`exclude`"), "{hint}");
}

#[cfg(unix)]
#[test]
fn what_cannot_be_looked_into_is_new() {
    let grounds = grounds();
    let tree = grounds.tree();
    materialise(grounds.corpus(), &tree, Access::Writable, in_time()).unwrap();
    // Deeper than any path reaches: one chain of folders is put below another.
    let steps = "d/".repeat(1_500);
    for chain in ["one", "two"] {
        fs::create_dir_all(tree.join(chain).join(&steps)).unwrap();
    }
    fs::write(tree.join("one").join(&steps).join("file"), "x").unwrap();
    assert_eq!(verify(grounds.corpus(), &tree).unwrap_err().new.len(), 1);
    fs::rename(tree.join("one"), tree.join("two").join(&steps).join("one")).unwrap();
    let changed = verify(grounds.corpus(), &tree).unwrap_err();
    assert!(changed.new.len() == 1 && changed.new[0].starts_with("two/d/"), "{changed}");
    fs::rename(tree.join("two").join(&steps).join("one"), tree.join("one")).unwrap();
    fs::remove_dir_all(tree.join("one")).unwrap();
    assert_eq!(verify(grounds.corpus(), &tree), Ok(()));

    let aside = tree.with_file_name("aside");
    fs::rename(&tree, &aside).unwrap();
    std::os::unix::fs::symlink(&aside, &tree).unwrap();
    assert_eq!(verify(grounds.corpus(), &tree).unwrap_err().changed, ["the folder itself"]);
}

#[cfg(unix)]
#[test]
fn a_shared_copy_is_read_only_and_keeps_what_is_executable() {
    use std::os::unix::fs::PermissionsExt;
    let grounds = grounds();
    fs::set_permissions(grounds.repo().join("a.txt"), fs::Permissions::from_mode(0o740)).unwrap();
    materialise(grounds.corpus(), &grounds.tree(), Access::ReadOnly, in_time()).unwrap();
    let mode = |path: &str| fs::metadata(grounds.tree().join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("a.txt"), mode("sub/b.txt")), (0o555, 0o444));
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_file_is_a_change() {
    let grounds = grounds();
    let tree = grounds.tree();
    materialise(grounds.corpus(), &tree, Access::Writable, in_time()).unwrap();
    fs::rename(tree.join("a.txt"), grounds.scratch().join("a.txt")).unwrap();
    std::os::unix::fs::symlink(grounds.scratch().join("a.txt"), tree.join("a.txt")).unwrap();
    assert_eq!(verify(grounds.corpus(), &tree).unwrap_err().changed, ["a.txt"]);
}
