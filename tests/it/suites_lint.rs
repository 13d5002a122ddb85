//! What lint finds, and what it leaves alone.

use rankhold::name::Name;
use rankhold::suite::lint::{Finding, Severity, TreeFacts, lint};
use rankhold::suite::open_eval::parse;
use serde_json::{Value, json};

use crate::support::seed;

const FILES: [&str; 7] =
    ["README.md", "src/a.rs", "src/new.rs", "docs/mcp.md", "docs/deep/only.md", "one/same.md", "two/same.md"];

fn tree() -> TreeFacts {
    let renames = [(Name::new("src/old.rs"), Name::new("src/new.rs"))];
    TreeFacts::new(FILES).with_renames(renames.into())
}

fn findings(cases: impl Into<Value>, tree: &TreeFacts) -> Vec<Finding> {
    let cases: Value = cases.into();
    let document = json!({"evalFormatVersion": "2026-04", "name": "s", "cases": cases});
    let loaded = parse(document.to_string().as_bytes()).unwrap();
    lint(&loaded.suite, &loaded.notes, Some(tree), "2026-11-30".parse().unwrap())
}

fn said(cases: Value) -> Vec<String> {
    findings(cases, &tree()).iter().map(ToString::to_string).collect()
}

/// What is said of a suite of a sound case and this one.
fn of_case(mut case: Value) -> Vec<String> {
    case["id"] = "x".into();
    case["input"] = "q".into();
    said(json!([{"id": "sound", "input": "s", "metadata": {"expectedTargets": ["src/a.rs"]}}, case]))
}

fn expecting(targets: &[&str]) -> Vec<String> {
    of_case(json!({"metadata": {"expectedTargets": targets}}))
}

const NONE: [&str; 0] = [];
const TARGETS: &str = r#"case 2 (id "x"): metadata.expectedTargets"#;

#[test]
fn a_sound_case_is_left_alone() {
    assert_eq!(expecting(&["./src\\a.rs", "docs/mcp.md"]), NONE);
}

#[test]
fn an_error_is_only_a_case_none_of_whose_targets_is_there() {
    assert_eq!(
        expecting(&["gone.rs"]),
        [format!(
            "error: {TARGETS}: its only target `gone.rs` is not in the tree; correct the targets, or remove the case"
        )]
    );
    assert_eq!(
        expecting(&["gone.rs", "away.md"]),
        [format!(
            "error: {TARGETS}: none of its 2 targets is in the tree: `gone.rs`, `away.md`; correct the targets, or remove \
         the case"
        )]
    );
    assert_eq!(
        expecting(&["src/a.rs", "gone.rs"]),
        [format!("note: {TARGETS}: `gone.rs` is not in the tree")]
    );
}

#[test]
fn where_a_target_went_is_told() {
    assert!(expecting(&["src/old.rs"])[0].ends_with("; `src/old.rs` was renamed to `src/new.rs`"));
    assert!(expecting(&["docs/only.md"])[0].ends_with("; did `docs/only.md` move to `docs/deep/only.md`?"));
    assert!(expecting(&["SRC/A.rs"])[0].ends_with("; write `src/a.rs`"));
    assert!(expecting(&[" src/a.rs "])[0].ends_with("; remove the white space around `src/a.rs`"));
    assert!(expecting(&["three/same.md"])[0].ends_with("; correct the targets, or remove the case"));
    assert!(expecting(&["docs/mcp.md", "src/old.rs"])[0].starts_with("note: "));
    let other_case = expecting(&["docs/mcp.md", "Src/a.rs"]);
    assert!(
        other_case[0].starts_with("warning: ") && other_case[0].ends_with("write `src/a.rs`"),
        "{other_case:?}"
    );
}

#[test]
fn directories_and_entity_ids_are_notes() {
    assert_eq!(
        expecting(&["src/"]),
        [format!("note: {TARGETS}: `src` is a directory, which a retriever of files never returns")]
    );
    assert_eq!(
        expecting(&["package:core"]),
        [format!("note: {TARGETS}: `package:core` looks like an entity id, which the tree cannot confirm")]
    );
    let known = tree().with_entities(["package:core"]);
    let case = |target| json!([{"id": "x", "input": "q", "metadata": {"expectedTargets": [target]}}]);
    assert_eq!(findings(case("package:core"), &known), []);
    assert_eq!(findings(case("package:gone"), &known)[0].severity, Severity::Error);
}

#[test]
fn one_name_of_an_alias_set_is_enough() {
    let metadata = json!({"expectedTargets": ["gone.rs"], "aliases": [["gone.rs", "src/a.rs"]]});
    assert_eq!(of_case(json!({"metadata": metadata})), NONE);
}

#[test]
fn expected_is_held_against_the_targets() {
    let with = |expected: Value| {
        of_case(json!({"expected": expected, "metadata": {"expectedTargets": ["src/a.rs"]}}))
    };
    assert_eq!(with(json!("a.rs")), NONE);
    assert_eq!(with(json!({"regex": {"body": "^SRC/a\\.rs$", "flags": "i"}})), NONE);
    assert_eq!(with(json!({"semanticSimilarity": 0.9})), NONE);
    assert_eq!(
        with(json!("b.rs")),
        [
            r#"warning: case 2 (id "x"): expected: none of the expectedTargets satisfies it; correct the targets or the expectation"#
        ]
    );
    let unsupported = with(json!({"regex": {"body": "(?=a)"}}));
    assert!(
        unsupported[0].starts_with(r#"note: case 2 (id "x"): expected: the expression `(?=a)`"#),
        "{unsupported:?}"
    );
    let anchored = json!({"expected": {"regex": {"body": "^docs/mcp\\.md$"}},
        "metadata": {"expectedTargets": ["src/a.rs", "docs/mcp.md"]}});
    assert_eq!(of_case(anchored), NONE);
}

#[test]
fn judgements_that_say_nothing_are_told() {
    let metadata = |metadata: Value| of_case(json!({"metadata": metadata}));
    assert!(
        metadata(json!({"expectedTargets": ["src/a.rs"], "aliases": [["x.md", "y.md"]]}))[0]
            .contains("metadata.aliases[0]: touches no target and no grade")
    );
    assert!(
        metadata(json!({"expectedTargets": ["src/a.rs"], "aliases": [["src/a.rs", "./src/a.rs"]]}))[0]
            .contains("metadata.aliases[0]: holds no two names")
    );
    assert!(
        metadata(json!({"expectedTargets": ["src/a.rs"], "grades": {"docs/mcp.md": 2, "README.md": 0}}))[0]
            .ends_with("metadata.grades: `docs/mcp.md` graded but not expected, so only NDCG sees it")
    );
    assert!(metadata(json!({"grades": {"src/a.rs": 2}}))[0].contains("has grades but no expectedTargets"));
    assert!(
        metadata(json!({"expectNoResult": true, "critical": true}))[0]
            .contains("means nothing on a case without")
    );
    assert!(
        metadata(json!({}))[0]
            .starts_with(r#"note: case 2 (id "x"): has neither targets nor expectNoResult"#)
    );
    assert!(
        metadata(json!({"expectNoResult": true, "forbiddenTargets": ["gone.rs"]}))[0]
            .contains("can hardly turn up")
    );
}

#[test]
fn an_ended_quarantine_is_told_and_a_current_one_is_not() {
    let until = |date: &str| {
        let quarantined = json!({"reason": "r", "until": date});
        of_case(json!({"metadata": {"expectedTargets": ["src/a.rs"], "quarantined": quarantined}}))
    };
    assert_eq!(until("2026-11-30"), NONE);
    assert!(until("2026-11-29")[0].contains("ended on 2026-11-29; the case counts again"));
}

#[test]
fn the_same_question_twice_is_told() {
    let case =
        |id: &str, target: &str| json!({"id": id, "input": "q ", "metadata": {"expectedTargets": [target]}});
    assert_eq!(
        said(json!([case("a", "src/a.rs"), case("b", "src/a.rs"), case("c", "docs/mcp.md")])),
        [
            r#"warning: case 2 (id "b"): input: asks the same as case "a" and counts twice; remove one"#,
            "warning: case 3 (id \"c\"): input: asks the same as case \"a\" and expects something else; one of the two can \
         hardly be right: merge their targets",
        ]
    );
    assert!(
        said(json!([{"id": "a", "input": "", "metadata": {"expectedTargets": ["src/a.rs"]}}])).len() == 1
    );
}

#[test]
fn a_suite_that_cannot_fail_is_an_error() {
    let negative = json!([{"id": "a", "input": "q", "metadata": {"expectNoResult": true}}]);
    assert_eq!(
        said(negative),
        [
            "error: cases: none is scored, so this suite cannot fail; give at least one case metadata.expectedTargets"
        ]
    );
    let held =
        json!({"expectedTargets": ["src/a.rs"], "quarantined": {"reason": "r", "until": "2026-12-01"}});
    let quarantined = said(json!([{"id": "a", "input": "q", "metadata": held}]));
    assert_eq!(
        quarantined,
        [
            "error: cases: all scored cases are quarantined on 2026-11-30, so this suite cannot fail; take one out of \
         quarantine"
        ]
    );
}

#[test]
fn keys_that_look_mistyped_are_told_once_with_the_number_of_cases() {
    let case = |id: &str| {
        json!({"id": id, "input": id, "expectedTargets": ["src/a.rs"], "metadata": {
            "expectedTargets": ["src/a.rs"], "quarantine": {}, "note": "mine"}})
    };
    assert_eq!(
        said(json!([case("a"), case("b"), case("c")])),
        [
            r#"warning: case 1 (id "a"): expectedTargets: means nothing here (and in 2 more cases); did you mean `metadata.expectedTargets`?"#,
            r#"warning: case 1 (id "a"): metadata.quarantine: means nothing here (and in 2 more cases); did you mean `quarantined`?"#,
        ]
    );
}

#[test]
fn what_the_reader_noted_comes_first() {
    let document = r#"{"evalFormatVersion":"2026-04","name":"s","owner":1,"cases":[{"id":"a","input":"q"}]}"#;
    let loaded = parse(document.as_bytes()).unwrap();
    let found = lint(&loaded.suite, &loaded.notes, None, "2026-11-30".parse().unwrap());
    assert!(found[0].to_string().starts_with("note: owner: is no key of the format"));
}

#[test]
fn the_seeds_have_no_error_where_their_files_are_and_no_warning_without_a_tree() {
    for name in ["retrieval-suite-v1.json", "agentskit-retrieval-suite-v1.json"] {
        let loaded = parse(&seed(name)).unwrap();
        let today = "2026-11-30".parse().unwrap();
        assert_eq!(lint(&loaded.suite, &loaded.notes, None, today), [], "{name}");
        let files = loaded.suite.cases.iter().flat_map(|case| case.qrels.targets()).map(Name::as_str);
        let tree = TreeFacts::new(files.filter(|name| name.contains('.')));
        let found = lint(&loaded.suite, &loaded.notes, Some(&tree), today);
        let errors: Vec<_> = found.iter().filter(|finding| finding.severity != Severity::Note).collect();
        assert_eq!(errors, Vec::<&Finding>::new(), "{name}");
    }
}
