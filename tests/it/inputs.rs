//! What input may be: regular files of the tree, and what somebody typed. Nothing hangs, nothing leads out of the tree,
//! and what is not there is not taken for absent.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests make pipes and links")]

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::program::{Ran, Tree, approved_garden, garden};

const OURS: &str = "version = 1\n[corpus]\nentities = \"docs/entities.json\"\n[report]\ntemplate = \"ours.j2\"\n\
[[retriever]]\nname = \"recorded\"\nkind = \"replay\"\nfile = \"recorded.json\"\n\
[[suite]]\npath = \"suites/garden.json\"\nretrievers = [\"bm25\", \"recorded\"]\n";

/// A garden in which every kind of file that a tree may name is there and good.
fn complete() -> Tree {
    let tree = approved_garden();
    tree.write("rankhold.toml", OURS);
    tree.write("ours.j2", "{{ exit }}");
    tree.write("docs/entities.json", r#"[{"id": "bee:1", "path": "docs/bees.md"}]"#);
    tree.write("docs/.ignore", "nothing\n");
    tree.write(
        "recorded.json",
        r#"{"type": "rankhold-rankings", "version": 1, "queries": {"graft": ["docs/apples.md"]}}"#,
    );
    tree
}

const NAMED: [&str; 7] = [
    "baselines/garden.bm25.json",
    "docs/.ignore",
    "docs/entities.json",
    "ours.j2",
    "rankhold.toml",
    "recorded.json",
    "suites/garden.json",
];

/// Puts something else where a file is, and gives what was there back.
fn instead(tree: &Tree, file: &str, make: impl FnOnce(&Path)) {
    let path = tree.path(file);
    let kept = tree.read(file);
    std::fs::remove_file(&path).unwrap();
    make(&path);
    let ran = tree.run("run");
    assert!([2, 3].contains(&ran.code), "{file}: {} {}", ran.out, ran.err);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains(Path::new(file).file_name().unwrap().to_str().unwrap()), "{file}: {said}");
    assert!(!said.contains("PATH="), "{file}: {said}");
    if path.is_dir() && !path.is_symlink() {
        std::fs::remove_dir(&path)
    } else {
        std::fs::remove_file(&path)
    }
    .unwrap();
    tree.write(file, kept);
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_in_the_place_of_a_file_of_the_tree_is_refused_at_once() {
    use rustix::fs::{CWD, FileType, mknodat};
    let tree = complete();
    for file in NAMED {
        instead(&tree, file, |path| mknodat(CWD, path, FileType::Fifo, 0o600.into(), 0).unwrap());
    }
    mknodat(CWD, tree.path("suites/second.json"), FileType::Fifo, 0o600.into(), 0).unwrap();
    std::fs::remove_file(tree.path("rankhold.toml")).unwrap();
    for line in ["suite lint", "suite stats", "run", "explain graft"] {
        tree.run(line).ends(2).says(&["second.json: is a pipe, not a file"]);
    }
}

#[test]
fn links_of_the_tree_to_nowhere_to_devices_and_out_of_the_tree_are_refused() {
    let tree = complete();
    let outside = tree.root().parent().unwrap().join("environ");
    std::fs::write(&outside, "PATH=secret\0TOKEN=secret\0").unwrap();
    for file in NAMED {
        for target in ["/no/where", "/dev/zero", outside.to_str().unwrap(), "/"] {
            instead(&tree, file, |path| symlink(target, path).unwrap());
        }
        instead(&tree, file, |path| std::fs::create_dir(path).unwrap());
    }
}

#[test]
fn a_link_to_nowhere_is_no_absent_baseline() {
    let tree = approved_garden();
    std::fs::rename(tree.path("baselines"), tree.path("kept")).unwrap();
    tree.run("run").ends(0).says(&["no-baseline"]);
    symlink("/no/where", tree.path("baselines")).unwrap();
    tree.run("run").ends(2).says(&["baselines: is a link to /no/where, which is not there"]);
    std::fs::remove_file(tree.path("baselines")).unwrap();
    symlink("kept", tree.path("baselines")).unwrap();
    tree.run("run").ends(0).says(&["pass"]); // a link inside the tree is the tree's own
    // A pair that is gone from the configuration is not forgotten either.
    symlink("/no/where", tree.path("kept/garden.ripgrep.json")).unwrap();
    tree.run("run").ends(2).says(&["garden.ripgrep.json", "link"]);
}

#[test]
fn suites_that_cannot_be_listed_are_no_absent_suites() {
    let tree = garden();
    symlink("/no/where", tree.path("suites/second.json")).unwrap();
    tree.run("run").ends(2).says(&["second.json", "/no/where"]);
    std::fs::remove_dir_all(tree.path("suites")).unwrap();
    symlink("/no/where", tree.path("suites")).unwrap();
    tree.run("run").ends(2).says(&["suites: is a link to /no/where"]);
    tree.run("init").ends(2).says(&["suites: is a link to /no/where"]);
}

#[test]
fn a_shell_s_process_substitution_is_a_file_as_any_other() {
    let tree = approved_garden();
    tree.write("rankhold.toml", "version = 1\n[[suite]]\npath = \"suites/garden.json\"\n");
    tree.run("run --results out").ends(0);
    let rankhold = env!("CARGO_BIN_EXE_rankhold");
    let (result, baseline) = ("<(cat out/garden.bm25.result.json)", "<(cat baselines/garden.bm25.json)");
    for line in [
        format!("verify {result} {baseline}"),
        format!("gate {result} {baseline}"),
        format!("report {result} {baseline} --format markdown --template <(echo '{{{{ exit }}}}')"),
        format!("run --baseline {baseline} --config <(cat rankhold.toml) --repo ."),
        "suite stats <(cat suites/garden.json)".to_owned(),
    ] {
        let script = format!("{rankhold} {line}");
        let mut bash = std::process::Command::new("bash");
        bash.current_dir(tree.root()).args(["-c", &script]).env("TMPDIR", std::env::temp_dir());
        let Ok(output) = bash.output() else { return }; // no bash here
        Ran::of(&output).ends(0);
    }
}
