//! The native form: what loads, what is refused, and what is said about it.

use rankhold::error::{Blame, Blamed};
use rankhold::suite::open_eval::{document, parse, text};
use rankhold::suite::{CaseKind, Suite, SuiteError};
use serde_json::{Value, json};

use crate::support::seed;

fn suite(document: &Value) -> Suite {
    parse(document.to_string().as_bytes()).unwrap().suite
}

fn refusal(document: &Value) -> String {
    parse(document.to_string().as_bytes()).unwrap_err().to_string()
}

fn with_case(case: &Value) -> Value {
    json!({"evalFormatVersion": "2026-04", "name": "s", "cases": [case]})
}

fn with_metadata(metadata: &Value) -> Value {
    with_case(&json!({"id": "x", "input": "q", "metadata": metadata}))
}

#[test]
fn the_first_seed_suite_loads_unchanged_and_has_the_hash_its_baseline_recorded() {
    let loaded = parse(&seed("retrieval-suite-v1.json")).unwrap();
    assert_eq!(loaded.notes, []);
    assert_eq!(loaded.suite.name, "doc-bridge-retrieval-v1");
    assert_eq!(loaded.suite.cases.len(), 60);
    assert_eq!(loaded.suite.count(CaseKind::Scored), 60);
    assert_eq!(
        loaded.suite.hash.to_string(),
        "8f789470ce0fca41154474191fed0163869518b278f7c91d6b5370b919cde072"
    );
}

#[test]
fn the_second_seed_suite_loads_unchanged() {
    let loaded = parse(&seed("agentskit-retrieval-suite-v1.json")).unwrap();
    assert_eq!((loaded.notes.len(), loaded.suite.cases.len()), (0, 60));
    let case = loaded.suite.case("symbol-compose-tool").unwrap();
    assert_eq!((case.segment("lang"), case.segment("kind")), (Some("en"), Some("symbol")));
}

#[test]
fn every_key_of_a_case_is_read_and_the_unknown_ones_are_kept() {
    let suite = suite(&json!({
        "evalFormatVersion": "2026-04", "name": "s", "description": "d", "tags": ["a", "b"],
        "cases": [{
            "id": "x", "input": "q", "expected": {"contains": "a.rs"}, "owner": "me",
            "metadata": {
                "expectedTargets": ["./src\\a.rs", "src/b.rs"], "lang": "en", "kind": "symbol", "team": "core",
                "grades": {"src/a.rs": 3, "src/c.rs": 1.0}, "aliases": [["src/a.rs", "entity:a"]],
                "forbiddenTargets": ["old.rs"], "critical": true,
                "quarantined": {"reason": "moved", "until": "2027-01-31"}
            }
        }, {"id": "none", "input": "weather", "metadata": {"expectNoResult": true}}, {"id": "bare", "input": "?"}]
    }));
    assert_eq!((suite.description.as_deref(), suite.tags.len()), (Some("d"), 2));
    let case = suite.case("x").unwrap();
    assert_eq!(
        case.qrels.targets().iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["src/a.rs", "src/b.rs"]
    );
    assert_eq!(case.qrels.grades().values().sum::<u32>(), 4);
    assert_eq!((case.qrels.aliases().len(), case.qrels.forbidden().len(), case.critical), (1, 1, true));
    let quarantine = case.quarantined.as_ref().unwrap();
    assert!(
        quarantine.holds("2027-01-31".parse().unwrap()) && !quarantine.holds("2027-02-01".parse().unwrap())
    );
    assert_eq!((case.segment("team"), &case.extra["owner"]), (Some("core"), &json!("me")));
    let kinds: Vec<_> = suite.cases.iter().map(|case| case.qrels.kind()).collect();
    assert_eq!(kinds, [CaseKind::Scored, CaseKind::Negative, CaseKind::Unscored]);
}

#[test]
fn layout_byte_order_mark_and_line_ends_do_not_change_the_suite_but_unknown_root_keys_change_its_hash() {
    let plain = json!({"evalFormatVersion": "2026-04", "name": "é", "cases": [{"id": "x", "input": "q"}]});
    let pretty = serde_json::to_string_pretty(&plain).unwrap().replace('\n', "\r\n");
    let windows = parse(format!("\u{feff}{pretty}").as_bytes()).unwrap().suite;
    assert_eq!(windows, suite(&plain));

    let mut more = plain.clone();
    more["aaa"] = json!(1);
    more["zzz"] = json!({"b": 2});
    assert_eq!(suite(&more).cases, suite(&plain).cases);
    assert_ne!(suite(&more).hash, suite(&plain).hash);
    assert_eq!(suite(&more).hash, rankhold::canon::Digest::of_json(&more));
}

#[test]
fn what_the_format_drops_silently_is_noted() {
    let loaded = parse(
        br#"{"evalFormatVersion":"2026-04","name":"s","description":3,"tags":["a",1],"owner":"me",
            "cases":[{"id":"x","input":"q"}]}"#,
    )
    .unwrap();
    let notes: Vec<_> = loaded.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "description: must be a string, not a number; it is left out",
            "owner: is no key of the format; it is left out, but changing it changes the suite's hash",
            "tags: must be an array of strings; it is left out",
        ]
    );
    assert_eq!((loaded.suite.description, loaded.suite.tags.len()), (None, 0));
}

#[test]
fn a_document_that_is_no_suite_is_refused_with_the_next_step() {
    assert_eq!(
        refusal(&json!({"evalFormatVersion": "2025-01", "name": "s", "cases": [{"id": "x", "input": "q"}]})),
        "evalFormatVersion: is \"2025-01\"; only \"2026-04\" can be read"
    );
    assert!(
        refusal(&json!({"type": "retrieval-benchmark-baseline"})).contains("`retrieval-benchmark-baseline`")
    );
    assert!(refusal(&json!({"queries": ["a"]})).contains("--from queries"));
    assert!(
        refusal(&json!({"evalFormatVersion": "2026-04", "name": 1, "cases": []})).contains("name: must be")
    );
    assert_eq!(
        refusal(&json!({"evalFormatVersion": "2026-04", "name": "s", "cases": []})),
        "cases: is empty; a suite without a case cannot fail: add one (`rankhold suite add`)"
    );
    assert!(refusal(&json!({"evalFormatVersion": "2026-04", "name": "s"})).starts_with("cases: is missing"));
    assert!(
        refusal(&json!({"evalFormatVersion": "2026-04", "cases": {}})).contains("`cases` to be an array")
    );
    assert!(refusal(&json!([1])).contains("an Open Eval suite, which is a JSON object"));
}

#[test]
fn a_wrong_case_is_refused_by_number_id_and_field() {
    let cases = [
        (json!("x"), "case 1: must be an object, not a string"),
        (json!({"input": "q"}), "case 1: id: is missing; each case needs one"),
        (json!({"id": 7, "input": "q"}), "case 1: id: must be a string, not a number"),
        (json!({"id": "x"}), r#"case 1 (id "x"): input: is missing; each case needs one"#),
        (
            json!({"id": "x", "input": "q", "metadata": []}),
            r#"case 1 (id "x"): metadata: must be an object, not an array"#,
        ),
        (
            json!({"id": "x", "input": "q", "expected": 1}),
            r#"case 1 (id "x"): expected: must be a string or an object"#,
        ),
        (
            json!({"id": "x", "input": "q", "expected": {"regex": {"body": 1}}}),
            r#"case 1 (id "x"): expected.regex.body: must be a string"#,
        ),
        (
            json!({"id": "x", "input": "q", "expected": {"semanticSimilarity": 1.5}}),
            r#"case 1 (id "x"): expected.semanticSimilarity: must be a number from 0 to 1"#,
        ),
    ];
    for (case, message) in cases {
        assert_eq!(refusal(&with_case(&case)), message);
    }
}

#[test]
fn wrong_metadata_is_refused_with_what_would_be_right() {
    let cases = [
        (
            json!({"expectedTargets": "a"}),
            r#"expectedTargets: must be an array of strings, not a string; write ["a"]"#,
        ),
        (json!({"expectedTargets": null}), "expectedTargets: must be an array of strings, not null"),
        (json!({"expectedTargets": ["a", 1]}), "expectedTargets[1]: must be a string, not a number"),
        (json!({"lang": 1}), "lang: must be a string, not a number"),
        (json!({"kind": ["a"]}), "kind: must be a string, not an array"),
        (json!({"grades": ["a"]}), "grades: must be an object {target: grade}, not an array"),
        (json!({"grades": {"a": 0.5}}), "grades: `a` has the grade 0.5; a grade is an integer from 0 up"),
        (json!({"grades": {"a": -1}}), "grades: `a` has the grade -1; a grade is an integer from 0 up"),
        (json!({"grades": {"a": "2"}}), "grades: `a` has the grade \"2\"; a grade is an integer from 0 up"),
        (
            json!({"grades": {"a": 5_000_000_000_u64}}),
            "grades: `a` has the grade 5000000000; a grade is an integer from 0 up",
        ),
        (json!({"grades": {"a": 1, "./a": 2}}), "grades: `a` has the grades 2 and 1; keep one"),
        (
            json!({"aliases": {"a": "b"}}),
            "aliases: must be an array [[target, other name], …], not an object",
        ),
        (json!({"aliases": ["a"]}), r#"aliases[0]: must be an array of strings, not a string; write ["a"]"#),
        (json!({"forbiddenTargets": {}}), "forbiddenTargets: must be an array of strings, not an object"),
        (json!({"expectNoResult": "yes"}), "expectNoResult: must be true or false, not a string"),
        (json!({"critical": 1}), "critical: must be true or false, not a number"),
        (json!({"quarantined": true}), "quarantined: must be an object {reason, until}, not true or false"),
        (
            json!({"quarantined": {"reason": "r", "till": "2027-01-31"}}),
            "quarantined: has the key `till`; only reason and until mean something",
        ),
        (
            json!({"quarantined": {"reason": " ", "until": "2027-01-31"}}),
            "quarantined.reason: must be a string that says why the case is set aside",
        ),
        (
            json!({"quarantined": {"reason": "r"}}),
            "quarantined.until: is null; it must be a date such as \"2027-01-31\"",
        ),
        (
            json!({"quarantined": {"reason": "r", "until": "2027-02-30"}}),
            "quarantined.until: is \"2027-02-30\"; it must be a date such as \"2027-01-31\"",
        ),
        (
            json!({"quarantined": {"reason": "r", "until": "31.1.2027"}}),
            "quarantined.until: is \"31.1.2027\"; it must be a date such as \"2027-01-31\"",
        ),
    ];
    for (metadata, message) in cases {
        assert_eq!(refusal(&with_metadata(&metadata)), format!(r#"case 1 (id "x"): metadata.{message}"#));
    }
}

#[test]
fn contradicting_judgements_are_refused() {
    let cases = [
        (json!({"expectedTargets": ["../a"]}), "lies outside the tree"),
        (json!({"expectedTargets": ["/etc/passwd"]}), "lies outside the tree"),
        (json!({"forbiddenTargets": ["C:\\x"]}), "lies outside the tree"),
        (json!({"expectedTargets": [""]}), "an empty name"),
        (
            json!({"expectedTargets": ["a"], "grades": {"a": 0}}),
            "grades gives `a` a 0, but expectedTargets expects it",
        ),
        (json!({"expectedTargets": ["a"], "forbiddenTargets": ["./a"]}), "both expected and forbidden"),
        (json!({"expectedTargets": ["a"], "expectNoResult": true}), "a negative case has none"),
    ];
    for (metadata, message) in cases {
        let refusal = refusal(&with_metadata(&metadata));
        assert!(
            refusal.starts_with(r#"case 1 (id "x"): metadata: "#) && refusal.contains(message),
            "{refusal}"
        );
    }
}

#[test]
fn every_problem_is_told_at_once_and_the_user_must_act() {
    let error: SuiteError = parse(
        json!({"evalFormatVersion": "2026-04", "cases": [
            {"id": "a", "input": "q", "metadata": {"critical": 1, "lang": 2}},
            {"id": "b", "input": 3},
            {"id": "b", "input": "q"}, {"id": "c", "input": "q"}, {"id": "c", "input": "q"},
        ]})
        .to_string()
        .as_bytes(),
    )
    .unwrap_err()
    .labelled("suites/a.json");
    assert_eq!(
        error.to_string(),
        "suites/a.json: 5 problems\
         \n  name: is missing; give the suite a name\
         \n  case 1 (id \"a\"): metadata.lang: must be a string, not a number\
         \n  case 1 (id \"a\"): metadata.critical: must be true or false, not a number\
         \n  case 2 (id \"b\"): input: must be a string, not a number\
         \n  case 5 (id \"c\"): id: case 4 has the same id; make each id unique"
    );
    assert_eq!(error.blame(), Blame::User);
}

#[test]
fn a_written_suite_loads_again_to_the_same_suite() {
    for name in ["retrieval-suite-v1.json", "agentskit-retrieval-suite-v1.json"] {
        let read = parse(&seed(name)).unwrap().suite;
        let written = text(&read);
        assert_eq!(parse(written.as_bytes()).unwrap().suite, read, "{name}");
        assert_eq!(document(&read), serde_json::from_slice::<Value>(&seed(name)).unwrap(), "{name}");
        // The seeds' authors write as we do: two spaces, id before input before expected before metadata.
        assert_eq!(
            written.lines().take(3).collect::<Vec<_>>(),
            ["{", "  \"evalFormatVersion\": \"2026-04\",", &format!("  \"name\": {:?},", read.name)]
        );
    }
}
