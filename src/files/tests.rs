use std::fs;

use super::*;
use crate::error::Blamed;

fn hint(error: &FileError) -> String {
    error.hint().expect("every one has a next step")
}

#[test]
fn a_write_replaces_the_whole_file_and_leaves_nothing_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new/file.json");
    write_atomically(&path, b"one").expect("written");
    write_atomically(&path, b"two").expect("written again");
    assert_eq!(read(&path, 3).expect("read"), b"two");
    assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("listed").count(), 1);
}

#[test]
fn a_failed_write_says_which_file_and_keeps_the_old_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("taken");
    fs::create_dir(&path).expect("a folder in the way");
    let error = write_atomically(&path, b"x").expect_err("a folder is in the way");
    assert!(error.to_string().contains("taken"), "{error}");
    assert_eq!(hint(&error), "it is a folder; name a file");
    assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1);
}

#[test]
fn an_absent_and_a_too_large_file_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f");
    assert!(matches!(read(&path, 9), Err(FileError::Absent { .. })));
    assert!(read_in_if_there(folder.path(), &path, 9).expect("absent is fine").is_none());
    fs::write(&path, b"four").expect("written");
    assert!(matches!(read(&path, 3), Err(FileError::TooLarge { limit: 3, .. })));
}

#[cfg(unix)]
#[test]
fn a_link_is_written_through_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let (path, link) = (folder.path().join("a.json"), folder.path().join("link.json"));
    write_atomically(&path, b"one").expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("ours");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    write_atomically(&link, b"two").expect("written");
    assert_eq!(fs::read(&path).expect("read"), b"two");
    assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
}

#[test]
fn the_next_step_fits_what_is_in_the_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "x").expect("written");
    assert_eq!(hint(&read(folder.path(), 9).expect_err("a folder")), "it is a folder; name a file");
    let below = "a file stands where a folder of this path should be";
    assert_eq!(hint(&read(&file.join("x"), 9).expect_err("below a file")), below);
    assert_eq!(hint(&write_atomically(&file.join("x"), b"x").expect_err("below a file")), below);
    assert_eq!(hint(&write_atomically(&file.join("x/y"), b"x").expect_err("below a file")), below);
}

#[test]
fn what_is_read_is_not_written_over_under_any_of_its_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, other) = (folder.path().join("a"), folder.path().join("b"));
    fs::write(&path, "x").expect("written");
    let again = folder.path().join(".").join("a");
    assert!(is_no_input(&again, [other.as_path(), &path].into_iter()).is_err());
    assert!(is_no_input(&other, [path.as_path()].into_iter()).is_ok());
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_is_no_absence_wherever_on_the_way_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        symlink("nowhere", folder.path().join("file")).expect("a link");
        symlink("nowhere", folder.path().join("folder")).expect("a link");
        for name in ["file", "folder/file"] {
            let error = read_in_if_there(folder.path(), &folder.path().join(name), 9).expect_err(name);
            assert!(matches!(error, FileError::Dangling { .. }), "{error}");
        }
        assert!(folder_if_there(&folder.path().join("folder")).is_err());
        assert!(folder_if_there(&folder.path().join("none")).expect("absent").is_empty());
    }

    #[test]
    fn a_link_that_leads_to_itself_is_told_as_such() {
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("link");
        symlink("link", &link).expect("a link");
        for error in [read(&link, 9).expect_err("a loop"), write_atomically(&link, b"x").expect_err("a loop")]
        {
            assert_eq!(hint(&error), "its links lead back to themselves; put a file there");
            assert_eq!(error.blame(), crate::error::Blame::User);
        }
    }

    #[test]
    fn a_link_that_leads_nowhere_yet_is_written_through() {
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("link");
        symlink("new", &link).expect("a link");
        write_atomically(&link, b"x").expect("written");
        assert_eq!(fs::read(folder.path().join("new")).expect("read"), b"x");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    }

    #[test]
    fn a_link_of_the_tree_leads_out_of_it_neither_to_read_nor_to_write() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("root");
        let outside = folder.path().join("outside");
        fs::create_dir_all(root.join("inside")).expect("a folder");
        fs::create_dir(&outside).expect("a folder");
        fs::write(outside.join("file"), "theirs").expect("written");
        for (link, target) in
            [("file", "../outside/file"), ("new", "../outside/new"), ("folder", "../outside")]
        {
            symlink(target, root.join(link)).expect("a link");
        }
        for name in ["file", "folder/file"] {
            let error = read_in(&root, &root.join(name), 9).expect_err(name);
            assert!(matches!(error, FileError::Outside { .. }), "{error}");
        }
        for name in ["file", "new", "folder/file", "folder/new", "folder/deep/new"] {
            let error = write_in(&root, &root.join(name), b"ours").expect_err(name);
            assert!(matches!(error, FileError::Outside { .. }), "{error}");
        }
        assert_eq!(fs::read_dir(&outside).expect("listed").count(), 1);
        assert_eq!(fs::read(outside.join("file")).expect("read"), b"theirs");

        symlink("inside/file", root.join("within")).expect("a link");
        write_in(&root, &root.join("within"), b"ours").expect("written");
        assert_eq!(read_in(&root, &root.join("within"), 9).expect("read"), b"ours");
        // Named by somebody: theirs to choose.
        write_in(&root, &root.join("../outside/other"), b"ours").expect("written");
        assert_eq!(read_in(&root, &root.join("../outside/other"), 9).expect("read"), b"ours");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_is_written_into_and_read_only_where_somebody_named_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .expect("a pipe");
        let error = read_in(folder.path(), &pipe, 9).expect_err("nobody writes");
        assert!(matches!(error, FileError::NotRegular { what: "a pipe", .. }), "{error}");
        assert!(matches!(
            read(Path::new("/dev/zero"), 9),
            Err(FileError::NotRegular { what: "a device", .. })
        ));
        for (text, whole) in [(&b"four"[..], true), (b"twelve bytes", false)] {
            std::thread::scope(|scope| {
                let reader = scope.spawn(|| read(&pipe, 9));
                // A reader that has read enough goes away, and then writing may fail.
                let written = write_atomically(&pipe, text);
                match reader.join().expect("no panic") {
                    Ok(bytes) => assert!(whole && written.is_ok() && bytes == text),
                    Err(error) => assert!(!whole && matches!(error, FileError::TooLarge { .. })),
                }
            });
        }
        let kind = fs::symlink_metadata(&pipe).expect("there").file_type();
        assert!(std::os::unix::fs::FileTypeExt::is_fifo(&kind));
    }
}
