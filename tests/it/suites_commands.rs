//! The suite commands over real files and a real git history.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use jiff::civil::Date;
use rankhold::app::suite::{Adding, NewCase, Said, add, export, import, lint, load, stats};
use rankhold::cli::Shown;
use rankhold::error::{Blame, Failure};
use rankhold::exit::Exit;
use rankhold::history::renames;
use rankhold::name::Name;
use rankhold::suite::lint::TreeFacts;
use serde_json::Value;

use crate::support::{data, read};

fn today() -> Date {
    "2026-11-30".parse().unwrap()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[expect(clippy::disallowed_methods, reason = "tests make their own files")]
fn write(path: &Path, text: &str) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    path.to_owned()
}

fn text(path: &Path) -> String {
    String::from_utf8(read(path)).unwrap()
}

fn suite(folder: &Path, target: &str) -> PathBuf {
    let document = format!(
        "{{\"evalFormatVersion\": \"2026-04\", \"name\": \"s\", \"cases\": [\n  {{\"id\": \"a\", \"input\": \"q\", \
         \"metadata\": {{\"expectedTargets\": [{target:?}]}}}}\n]}}\n"
    );
    write(&folder.join("s.json"), &document)
}

fn failure(result: Result<Said, Failure>) -> Failure {
    result.err().unwrap()
}

#[test]
fn lint_lists_findings_and_fails_only_for_errors() {
    let folder = folder();
    let tree = TreeFacts::new(["src/a.rs"]);
    let lint = |path: &PathBuf, shown| {
        lint(std::slice::from_ref(path), None, Some(&tree), None, today(), shown).unwrap()
    };
    let good = lint(&suite(folder.path(), "src/a.rs"), Shown::Text);
    assert_eq!((good.out.as_str(), good.exit), ("s: 1 cases, 0 errors, 0 warnings, 0 notes\n", Exit::Pass));
    let path = suite(folder.path(), "a.rs");
    let bad = lint(&path, Shown::Text);
    assert_eq!(bad.exit, Exit::Usage);
    assert!(
        bad.out.starts_with("error: case 1 (id \"a\"): metadata.expectedTargets: its only target `a.rs`")
    );
    let json: Value = serde_json::from_str(&lint(&path, Shown::Json).out).unwrap();
    assert_eq!(json["findings"][0]["severity"], "error");
    assert_eq!((&json["findings"][0]["case"], &json["findings"][0]["number"]), (&"a".into(), &1.into()));
    assert_eq!(json["findings"][0]["next"], "did `a.rs` move to `src/a.rs`?");
}

#[test]
fn stats_counts_and_says_what_the_suite_can_show() {
    let path = data("seed/retrieval-suite-v1.json");
    let keys = ["lang".to_owned(), "kind".to_owned()];
    let said = stats(std::slice::from_ref(&path), None, &keys, today(), Shown::Text).unwrap();
    assert_eq!(
        said.out.as_str(),
        "doc-bridge-retrieval-v1\
         \n  hash     8f789470ce0fca41154474191fed0163869518b278f7c91d6b5370b919cde072\
         \n  cases    60: 60 scored\
         \n  targets  1 to 5 a case, 2 in the middle, 68 different ones\
         \n  kind     ownership 6, path 8, question 26, symbol 20\
         \n  lang     en 50, pt 10\
         \n  reveals  a drop of 9.0 points or more with 80 % power (12.4 points if 2 % of the cases are won by chance); \
         five points would take 208 scored cases\n"
    );
    let json = stats(&[path], None, &keys, today(), Shown::Json).unwrap();
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&json["scored"], &json["segments"]["lang"]["pt"]), (&60.into(), &10.into()));
}

#[test]
fn import_and_export_go_through_files_and_folders() {
    let folder = folder();
    let pair = data("seed/queries.json");
    let native = folder.path().join("native.json");
    let said = import(std::slice::from_ref(&pair), None, Some(&native)).unwrap();
    assert_eq!(said.out.as_str(), "");
    assert_eq!(
        said.notes,
        [format!(
            "{0} cases: {0} scored, 0 negative, 0 unscored",
            load(std::slice::from_ref(&native), None).unwrap().suite.cases.len()
        )]
    );
    for format in ["queries", "trec", "beir", "csv"] {
        let out = folder.path().join(format).join(if format == "csv" { "suite.csv" } else { "" });
        let said = export(std::slice::from_ref(&native), None, format, Some(&out));
        if format == "trec" {
            assert!(failure(said).to_string().contains("TREC's ids have no white space"));
            continue;
        }
        said.unwrap();
        let back = load(&[out], None).unwrap();
        assert_eq!(
            back.suite.cases,
            load(std::slice::from_ref(&native), None).unwrap().suite.cases,
            "{format}"
        );
    }
    let on_stdout = import(&[pair], Some("queries"), None).unwrap();
    assert_eq!(on_stdout.document, text(&native));
}

#[test]
fn either_file_of_a_pair_and_their_folder_name_the_same_suite() {
    let folder = folder();
    write(&folder.path().join("t/topics.tsv"), "1\tone\n");
    write(&folder.path().join("t/qrels.txt"), "1 0 a.md 1\n");
    write(&folder.path().join("u/dev.topics"), "1\tone\n");
    write(&folder.path().join("u/dev.qrels"), "1 0 a.md 1\n");
    let cases = |files: &[&str]| {
        let files: Vec<_> = files.iter().map(|file| folder.path().join(file)).collect();
        load(&files, Some("trec")).unwrap_or_else(|failure| panic!("{files:?}: {failure}")).suite.cases
    };
    let whole = cases(&["t"]);
    for files in [
        &["t/topics.tsv"][..],
        &["t/qrels.txt"],
        &["t/topics.tsv", "t/qrels.txt"],
        &["u/dev.topics"],
        &["u/dev.qrels"],
    ] {
        assert_eq!(cases(files), whole, "{files:?}");
    }
}

#[test]
fn a_failure_names_the_file_and_who_must_act() {
    let folder = folder();
    let absent = folder.path().join("absent.json");
    let failed = failure(import(&[absent], None, None));
    assert!(failed.to_string().contains("absent.json"), "{failed}");
    assert_eq!(failed.blame(), Blame::User);
    let broken = write(&folder.path().join("broken.json"), "{\n \"a\" 1}");
    let failed = failure(import(std::slice::from_ref(&broken), None, None));
    assert_eq!(
        failed.to_string(),
        format!("{}: line 2, column 6: not valid JSON: expected `:`", broken.display())
    );
    let failed = failure(export(std::slice::from_ref(&broken), None, "trecc", None));
    assert!(failed.hint().unwrap().starts_with("did you mean `trec`?"));
    let good = suite(folder.path(), "src/a.rs");
    let failed = failure(export(std::slice::from_ref(&good), None, "beir", None));
    assert_eq!(failed.hint().unwrap(), "name a folder with --out");
    let failed = failure(import(&[good.clone(), good], Some("csv"), None));
    assert_eq!(failed.to_string(), "this format is read from one file, but 2 files were given");
    write(&folder.path().join("b/queries.jsonl"), "");
    let failed = failure(import(&[folder.path().join("b")], None, None));
    assert!(failed.hint().unwrap().contains("qrels/*.tsv"), "{failed}");
}

#[test]
fn add_appends_a_case_to_the_file() {
    let folder = folder();
    let path = suite(folder.path(), "src/a.rs");
    let case = NewCase {
        id: "b".into(),
        query: "where is b".into(),
        targets: vec!["src/b.rs".into()],
        lang: Some("en".into()),
        forbidden: vec!["old/b.rs".into()],
        ..NewCase::default()
    };
    let said = add(folder.path(), &path, &case, &Adding::default()).unwrap();
    let file = path.file_name().unwrap().display();
    assert_eq!(said.out.as_str(), format!("{file}: case 2 (id \"b\") added\n"));
    let loaded = load(std::slice::from_ref(&path), None).unwrap().suite;
    assert_eq!(loaded.cases[1].qrels.forbidden(), [Name::new("old/b.rs")]);

    let before = text(&path);
    let failed = failure(add(folder.path(), &path, &case, &Adding::default()));
    assert!(
        failed.to_string().ends_with("the id \"b\" is taken by case 2, which asks: where is b"),
        "{failed}"
    );
    assert!(failed.hint().unwrap().contains("--replace"));
    let contradiction = NewCase { id: "c".into(), no_result: true, ..case };
    let failed = failure(add(folder.path(), &path, &contradiction, &Adding::default()));
    assert!(failed.to_string().contains("a negative case has none"));
    assert_eq!(text(&path), before, "a refused case must not touch the file");
}

#[expect(clippy::disallowed_methods, reason = "tests make their own history")]
fn git(folder: &Path, arguments: &[&str]) -> bool {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"];
    let status = Command::new("git")
        .current_dir(folder)
        .args(identity)
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output();
    status.is_ok_and(|output| output.status.success())
}

#[test]
fn history_follows_a_file_through_its_renames_below_the_folder_that_is_asked_about() {
    let folder = folder();
    let root = folder.path();
    if !git(root, &["init", "-q"]) {
        return; // without git there is nothing to ask; `history`'s own tests hold the reading of its output
    }
    let body = "a line\n".repeat(30);
    write(&root.join("sub/first.md"), &body);
    assert!(git(root, &["add", "."]) && git(root, &["commit", "-q", "-m", "one"]));
    for (old, new) in [("sub/first.md", "sub/second name.md"), ("sub/second name.md", "sub/thïrd.md")] {
        assert!(git(root, &["mv", old, new]) && git(root, &["commit", "-q", "-m", "move"]));
    }
    let limit = Duration::from_secs(20);
    let found = renames(root, limit).unwrap();
    assert_eq!(found[&Name::new("sub/first.md")], Name::new("sub/thïrd.md"));
    assert_eq!(found[&Name::new("sub/second name.md")], Name::new("sub/thïrd.md"));
    let below = renames(&root.join("sub"), limit).unwrap();
    assert_eq!(below[&Name::new("first.md")], Name::new("thïrd.md"));
}

#[cfg(target_os = "linux")] // the trap is laid with GNU sed
#[test]
fn a_repositorys_own_configuration_runs_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let root = folder.path();
    if !git(root, &["init", "-q"]) {
        return;
    }
    write(&root.join("a.md"), &"a line\n".repeat(30));
    assert!(git(root, &["add", "."]) && git(root, &["commit", "-q", "-m", "one"]));
    assert!(git(root, &["mv", "a.md", "b.md"]) && git(root, &["commit", "-q", "-m", "two"]));
    // A signed commit makes `git log` run gpg.program, if the repository says so.
    let trap = root.join("trapped");
    let program = write(&root.join("gpg"), &format!("#!/bin/sh\ntouch '{}'\n", trap.display()));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let sign = "git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n \
                -----END PGP SIGNATURE-----' | git hash-object -t commit -w --stdin | xargs git reset -q --hard";
    assert!(git(root, &["-c", &format!("alias.sign=!{sign}"), "sign"]));
    assert!(git(root, &["config", "gpg.program", &program.display().to_string()]));
    assert!(git(root, &["config", "log.showSignature", "true"]));
    assert!(git(root, &["log", "-1"]) && trap.exists(), "the trap does not work");
    std::fs::remove_file(&trap).unwrap();

    let found = renames(root, Duration::from_secs(20)).unwrap();
    assert_eq!(found[&Name::new("a.md")], Name::new("b.md"));
    assert!(!trap.exists());
}
