//! What a stranger wrote, printed by every command: it shows and never acts. A terminal or a build log reads both
//! streams.
#![expect(clippy::disallowed_methods, reason = "tests run the program")]

use serde_json::{Value, json};

use crate::program::{Ran, Tree, garden, program};

/// ANSI and OSC sequences, a line of its own, workflow commands old and new, and letters that turn the line around.
const HOSTILE: &str = "x\u{1b}[31m\u{1b}]0;t\u{7}\n::error::pwned\r\n##[group]g \u{202e}evil\u{9b}2J\u{200b}";

/// The line that would act, if there is one.
fn acting(text: &str) -> Option<&str> {
    let acts = |c: char| c.is_control() || "\u{202e}\u{200b}".contains(c);
    text.split('\n')
        .find(|line| line.trim_start().starts_with("::") || line.contains("##[") || line.chars().any(acts))
}

#[track_caller]
fn inert(ran: &Ran, what: &str) {
    assert_eq!(acting(&ran.out), None, "{what}, stdout:\n{}", ran.out);
    assert_eq!(acting(&ran.err), None, "{what}, stderr:\n{}", ran.err);
    assert!(!ran.out.is_empty() || !ran.err.is_empty(), "{what} says nothing");
}

/// Its suite is hostile in every text that may hold anything.
fn hostile_garden() -> Tree {
    let tree = garden();
    let case = |id: &str, target: &str| {
        json!({
            "id": id, "input": format!("graft {HOSTILE}"), HOSTILE: HOSTILE, "expected": HOSTILE,
            "metadata": { "expectedTargets": [target], "lang": HOSTILE, "kind": HOSTILE, HOSTILE: HOSTILE,
                "aliases": [[HOSTILE, "b"]], "quarantined": { "reason": HOSTILE, "until": "2020-01-01" } },
        })
    };
    let cases = [case("graft", "docs/apples.md"), case(HOSTILE, HOSTILE)];
    let document = json!({ "evalFormatVersion": "2026-04", "name": HOSTILE, HOSTILE: 1, "cases": cases });
    tree.write("suites/garden.json", document.to_string());
    tree
}

#[test]
fn no_command_repeats_what_would_act() {
    let tree = hostile_garden();
    let by = HOSTILE;
    let rows: &[&[&str]] = &[
        &["approve", "--by", by, "--reason", HOSTILE],
        &["verify", "baselines/garden.bm25.json"],
        &["run", "-v"],
        &["run", "--format", "markdown"],
        &["run", "--json"],
        &["run", "--results", "out", "--update-baseline", "--by", by],
        &["approve", "out/garden.bm25.result.json", "--by", by],
        &["verify", "out/garden.bm25.result.json", "out/garden.bm25.timings.json", HOSTILE],
        &["suite", "lint"],
        &["suite", "lint", "--format", "json"],
        &["suite", "stats"],
        &["suite", "stats", "--format", "json", "--segments", HOSTILE],
        &["suite", "stats", "--segments", HOSTILE],
        &["suite", "list"],
        &["suite", "list", "--format", "json"],
        &["suite", "add", "suites/garden.json", "--query", HOSTILE, "--id", HOSTILE, "--target", "x"],
        &["suite", "add", "garden", "--query", "a", "--id", HOSTILE, "--target", HOSTILE, "--replace"],
        &["suite", "add", HOSTILE, "--query", "a", "--target", "x"],
        &["explain", "graft"],
        &["explain", HOSTILE],
        &["compare", "--against", "bm25", "--format", "text"],
        &["compare", "--against", HOSTILE],
        &["doctor", "--config", HOSTILE],
        &["report", HOSTILE],
        &["run", "--baseline", HOSTILE],
        &["gate", "out/garden.bm25.result.json", "baselines/garden.bm25.json"],
        // What clap says.
        &["run", "--tolerance", HOSTILE],
        &["run", &format!("--{HOSTILE}")],
        &[HOSTILE],
    ];
    for row in rows {
        let ran = Ran::of(&program(&tree.root()).args(*row).output().unwrap());
        inert(&ran, &row.join(" "));
    }
}

#[test]
fn a_workflow_does_not_act() {
    let tree = garden();
    let hostile = json!(HOSTILE).to_string();
    for workflow in [
        format!("on: {hostile}\njobs: {{}}\n"),
        format!(
            "on: {{{hostile}: }}\njobs:\n  {hostile}:\n    steps:\n      - uses: rankhold/rankhold@{HOSTILE}\n"
        ),
        format!(
            "on: [pull_request, {hostile}]\nname: {hostile}\njobs:\n  {hostile}:\n    concurrency: {hostile}\n    permissions:\n      {hostile}: write\n    steps:\n      - uses: \"rankhold/rankhold@x\"\n        with:\n          {hostile}: {hostile}\n          comment: {hostile}\n"
        ),
        format!(
            "on: {{workflow_run: {{workflows: [{hostile}]}}}}\njobs:\n  {hostile}:\n    steps:\n      - uses: \"rankhold/rankhold@x\"\n        with: {{id: {hostile}}}\n"
        ),
        format!("on: push\njobs: {{}}\n{hostile}: 1\n{hostile}: 2\n"),
        format!("on: push\njobs:\n  a:\n    permissions: {hostile}\n"),
        HOSTILE.to_owned(),
    ] {
        tree.write(".github/workflows/a.yml", &workflow);
        for format in ["text", "json"] {
            let args = ["doctor", "--workflow", "--format", format];
            inert(&Ran::of(&program(&tree.root()).args(args).output().unwrap()), &workflow);
        }
    }
}

#[cfg(unix)]
#[test]
fn names_of_files_and_folders_do_not_act_either() {
    let tree = hostile_garden();
    let root = tree.path(&HOSTILE.replace('/', ""));
    std::fs::create_dir(&root).unwrap();
    std::fs::create_dir_all(root.join(".github/workflows")).unwrap();
    std::fs::write(root.join(".github/workflows").join(format!("{}.yml", HOSTILE.replace('/', ""))), "on: [")
        .unwrap();
    for row in [&["doctor"][..], &["doctor", "--workflow"], &["init"], &["verify", HOSTILE]] {
        std::fs::write(root.join("a.md"), "# One heading of its own\n").unwrap();
        std::fs::write(root.join(HOSTILE), "{}").unwrap();
        inert(&Ran::of(&program(&root).args(row).output().unwrap()), &row.join(" "));
    }
}

#[test]
fn a_line_of_ours_cannot_be_forged() {
    let tree = garden();
    let by = "Ada\nok  other.json: baseline";
    let approved = Ran::of(&program(&tree.root()).args(["approve", "--by", by]).output().unwrap()).ends(0);
    assert_eq!(approved.out.lines().count(), 1, "{}", approved.out);
    let verified = tree.run("verify baselines/garden.bm25.json").ends(0);
    assert_eq!(verified.out.lines().count(), 1, "{}", verified.out);
    assert!(verified.out.contains("Ada⏎ok"), "{}", verified.out);
}

#[test]
fn no_wrapped_line_begins_with_a_command() {
    let tree = garden();
    let id = |at: usize| format!("{}{at} ::error::pwned", "a".repeat(at));
    let case = |at: usize, target: &str| {
        let input = format!("graft an apple tree {at}");
        // A reason names each critical case that is not found, in a sentence that is wrapped.
        let metadata = json!({ "expectedTargets": [target], "critical": true });
        json!({ "id": id(at), "input": input, "metadata": metadata })
    };
    let mut cases: Vec<Value> = (1..60).map(|at| case(at, &format!("{}.md", id(at)))).collect();
    cases.push(case(60, "docs/apples.md"));
    let document = |cases: &[Value]| {
        json!({ "evalFormatVersion": "2026-04", "name": "Garden", "cases": cases }).to_string()
    };
    tree.write("suites/garden.json", document(&cases[59..]));
    tree.run("approve --by Ada").ends(0);
    tree.write("suites/garden.json", document(&cases));
    let mut guarded = 0;
    let style = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    for columns in [40, 57, 60, 80, 93, 120] {
        let run = |colour: &str| {
            let mut command = program(&tree.root());
            let args = ["run", "--color", colour];
            Ran::of(&command.env("COLUMNS", columns.to_string()).args(args).output().unwrap())
        };
        let ran = run("never");
        inert(&ran, &format!("{columns} columns"));
        guarded += ran.out.lines().filter(|line| line.trim_start().starts_with("\\u{3a}:error")).count();
        let coloured = run("always").out;
        let plain = style.replace_all(&coloured, "").into_owned();
        assert_eq!(acting(&plain), None, "{columns} columns, coloured");
    }
    assert!(guarded > 0, "no id was broken before its command");
}

#[test]
fn an_exported_suite_is_a_file_and_keeps_its_bytes() {
    let tree = hostile_garden();
    let exported = tree.run("suite export suites/garden.json --to open-eval").ends(0);
    let document: Value = serde_json::from_str(&exported.out).unwrap();
    assert_eq!(document["cases"][1]["id"], HOSTILE);
    assert!(exported.out.contains('\u{202e}'), "a file is not escaped");
}
