//! Where output goes: onto what is there, through links, into pipes, and never lost without a word.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests make pipes, links and devices and look at them")]

use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::Stdio;

use rustix::fs::{CWD, FileType, mknodat};

use crate::program::{Ran, Tree, approved_garden, program};

/// An approved garden with a result beside it.
fn measured() -> Tree {
    let tree = approved_garden();
    tree.run("run --results out").ends(0);
    tree
}

const RESULT: &str = "out/garden.bm25.result.json";

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_written_into_and_stays_one() {
    let tree = measured();
    let pipe = tree.path("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, 0o600.into(), 0).unwrap();
    for line in [
        format!("report {RESULT} --format json --out pipe"),
        format!("gate {RESULT} baselines/garden.bm25.json --json --out pipe"),
        "run --json --out pipe".to_owned(),
        "compare --against bm25 --format json --out pipe".to_owned(),
        "compare --against bm25 --json pipe".to_owned(),
        "suite export suites/garden.json --to open-eval --out pipe".to_owned(),
    ] {
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(|| std::fs::read_to_string(&pipe).unwrap());
            let ran = tree.run(&line);
            // Whoever waits to read goes on, even if nobody wrote.
            let _ = std::fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
            ran.ends(0);
            reader.join().unwrap()
        });
        let document: Result<serde_json::Value, _> = serde_json::from_str(&read);
        assert!(document.is_ok(), "{line}: {read}");
        assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo(), "{line} replaced the pipe");
    }
}

/// Only root can make a device to lose.
#[cfg(target_os = "linux")]
#[test]
fn a_device_is_written_into_and_stays_one() {
    let tree = measured();
    let null = tree.path("null");
    let device = rustix::fs::makedev(1, 3);
    if mknodat(CWD, &null, FileType::CharacterDevice, 0o600.into(), device).is_err() {
        return;
    }
    tree.run(&format!("report {RESULT} --out null")).ends(0);
    tree.run("compare --against bm25 --out null --json null").ends(2).says(&["same place"]);
    tree.run("compare --against bm25 --json null").ends(0);
    assert!(null.symlink_metadata().unwrap().file_type().is_char_device());
}

#[test]
fn a_dash_and_the_names_of_stdout_are_stdout() {
    let tree = measured();
    let plain = tree.run(&format!("report {RESULT} --format json")).ends(0).out;
    for name in ["-", "/dev/stdout", "/dev/fd/1"] {
        assert_eq!(
            tree.run(&format!("report {RESULT} --format json --out {name}")).ends(0).out,
            plain,
            "{name}"
        );
    }
    for line in ["run --json".to_owned(), format!("gate {RESULT} baselines/garden.bm25.json --json")] {
        assert_eq!(tree.run(&format!("{line} --out -")).ends(0).out, tree.run(&line).ends(0).out, "{line}");
    }
    let suite = tree.run("suite export suites/garden.json --to csv --out -").ends(0);
    assert!(suite.out.contains("graft an apple tree"), "{}", suite.out);
    tree.run("suite export suites/garden.json --to trec --out -").ends(2).says(&["--out"]);
    tree.run("compare --against bm25 --json -").ends(2).says(&["--json and the table", "next"]);
    let json = tree.run("compare --against bm25 --json - --out table.md").ends(0).json();
    assert_eq!(json["rows"][0]["retriever"], "bm25");
    assert!(!tree.exists("-"));
}

#[test]
fn a_link_is_written_through_even_if_nothing_is_there_yet() {
    let tree = measured();
    symlink("new.md", tree.path("link.md")).unwrap();
    tree.run(&format!("report {RESULT} --format markdown --out link.md")).ends(0);
    assert!(tree.read("new.md").contains("hit@3"));
    assert!(tree.path("link.md").is_symlink());
}

#[test]
fn a_folder_in_the_place_of_a_file_is_called_one() {
    let tree = measured();
    tree.run(&format!("report {RESULT} --out docs")).ends(2).says(&["docs", "it is a folder; name a file"]);
    let below = "a file stands where a folder of this path should be";
    tree.run(&format!("report {RESULT} --out docs/bees.md/x")).ends(2).says(&[below]);
    tree.run("verify docs").ends(2).says(&["it is a folder; name a file"]);
}

#[test]
fn what_is_read_is_not_written_over() {
    let tree = measured();
    tree.write("gt/queries.json", r#"[{"id": "a", "query": "graft an apple"}]"#);
    tree.write("gt/groundtruth.json", r#"{"a": ["docs/apples.md"]}"#);
    tree.write("ours.toml", "version = 1\n");
    let before: Vec<_> = tree.files().iter().map(|file| tree.read(file)).collect();
    for line in [
        format!("report {RESULT} --out {RESULT}"),
        format!("report {RESULT} --out ./out/../{RESULT}"),
        format!("report {RESULT} baselines/garden.bm25.json --out baselines/garden.bm25.json"),
        format!("gate {RESULT} baselines/garden.bm25.json --out {RESULT}"),
        format!("gate {RESULT} baselines/garden.bm25.json --out baselines/garden.bm25.json"),
        "run --out suites/garden.json".to_owned(),
        "run --config ours.toml --out ours.toml".to_owned(),
        "run --out baselines/garden.bm25.json".to_owned(),
        format!("run --baseline {RESULT} --out {RESULT}"),
        "suite export suites/garden.json --to csv --out suites/garden.json".to_owned(),
        "suite export garden --to csv --out suites/garden.json".to_owned(),
        "suite import suites/garden.json --from open-eval --out suites/garden.json".to_owned(),
        "compare --against bm25 --out suites/garden.json".to_owned(),
        "compare --against bm25 --queries gt/queries.json --groundtruth gt/groundtruth.json --json gt/queries.json"
            .to_owned(),
        "compare --against bm25 --out table --json table".to_owned(),
    ] {
        tree.run(&line).ends(2).says(&["next"]);
        let after: Vec<_> = tree.files().iter().map(|file| tree.read(file)).collect();
        assert_eq!(after, before, "{line}");
    }
}

#[test]
fn a_baseline_is_not_written_to_where_a_link_of_the_tree_leads() {
    let tree = measured();
    let outside = tree.root().parent().unwrap().join("precious");
    std::fs::write(&outside, "theirs").unwrap();
    let baseline = tree.path("baselines/garden.bm25.json");
    std::fs::remove_file(&baseline).unwrap();
    symlink("../../precious", &baseline).unwrap();
    tree.run("approve --by Ada").ends(2).says(&["leads out of the repository", "precious"]);
    tree.run(&format!("approve --by Ada {RESULT}")).ends(2).says(&["leads out of the repository"]);
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "theirs");
}

/// `/dev/full` takes nothing, as a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_report_that_stdout_does_not_take_is_no_success() {
    let tree = measured();
    for (line, code) in [
        ("run", 3),
        ("run --json", 3),
        ("gate out/garden.bm25.result.json baselines/garden.bm25.json", 3),
        ("report out/garden.bm25.result.json", 3),
        ("verify out/garden.bm25.result.json", 3),
        ("compare --against bm25", 3),
        ("compare --against bm25 --smoke", 3),
        ("explain graft", 3),
        ("doctor", 3),
        ("doctor --workflow", 2),
        ("approve --by Ada", 3),
        ("suite lint", 3),
        ("suite stats", 3),
        ("suite export suites/garden.json --to csv", 3),
        ("schema", 3),
        ("man", 3),
        ("completions bash", 3),
        ("--help", 3),
        ("--version", 3),
        ("verify out/garden.bm25.result.json nowhere.json", 2),
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = program(&tree.root()).args(line.split(' ')).stdout(full).output().unwrap();
        Ran::of(&output).ends(code).says(&["written to stdout", "No space left on device"]);
    }
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let tree = measured();
    for line in ["run", "man", "--help"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let child = program(&tree.root()).args(line.split(' ')).stdout(writer).stderr(Stdio::piped()).spawn();
        let ran = Ran::of(&child.unwrap().wait_with_output().unwrap()).ends(0);
        assert!(!ran.err.contains("stdout"), "{}", ran.err);
    }
}
