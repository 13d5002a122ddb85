//! The rules that Open Eval Format 2026-04's own validator applies (AgentsKit-io/agentskit,
//! `packages/core/src/eval-format.ts`, MIT), held without our reader over every suite of this repository and everything
//! our writer writes.

use rankhold::suite::open_eval::{document, parse, text};
use serde_json::{Value, json};

use crate::support::{Random, data, random_suite, read, seed};

/// Why the format's validator would refuse a document.
fn refuses(document: &Value) -> Option<String> {
    let Some(root) = document.as_object() else { return Some("the root is no object".to_owned()) };
    if root.get("evalFormatVersion") != Some(&json!("2026-04")) {
        return Some("evalFormatVersion is not 2026-04".to_owned());
    }
    if !root.get("name").is_some_and(Value::is_string) {
        return Some("name is no string".to_owned());
    }
    let Some(cases) = root.get("cases").and_then(Value::as_array) else {
        return Some("cases is no array".to_owned());
    };
    cases
        .iter()
        .enumerate()
        .find_map(|(at, case)| refuses_case(case).map(|why| format!("cases[{at}]: {why}")))
}

fn refuses_case(case: &Value) -> Option<String> {
    let Some(fields) = case.as_object() else { return Some("is no object".to_owned()) };
    for key in ["id", "input"] {
        if !fields.get(key).is_some_and(Value::is_string) {
            return Some(format!("{key} is no string"));
        }
    }
    if fields.get("metadata").is_some_and(|metadata| !metadata.is_object()) {
        return Some("metadata is no object".to_owned());
    }
    match fields.get("expected") {
        None | Some(Value::String(_)) => None,
        Some(Value::Object(expected)) => {
            let is_text = |value: &Value| value.is_string();
            let is_regex = |value: &Value| {
                value.get("body").is_some_and(Value::is_string) && value.get("flags").is_none_or(is_text)
            };
            let is_share = |value: &Value| value.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share));
            let wrong = expected.get("contains").is_some_and(|value| !is_text(value))
                || expected.get("equalsNormalized").is_some_and(|value| !is_text(value))
                || expected.get("regex").is_some_and(|value| !is_regex(value))
                || expected.get("semanticSimilarity").is_some_and(|value| !is_share(value));
            wrong.then(|| "expected has a member of the wrong type".to_owned())
        }
        Some(_) => Some("expected is neither a string nor an object".to_owned()),
    }
}

/// What the validator would drop without a word.
fn drops(document: &Value) -> Vec<String> {
    let known = ["evalFormatVersion", "name", "description", "tags", "cases"];
    let root = document.as_object().unwrap();
    let mut dropped: Vec<_> = root.keys().filter(|key| !known.contains(&key.as_str())).cloned().collect();
    if root.get("description").is_some_and(|value| !value.is_string()) {
        dropped.push("description".to_owned());
    }
    let is_text = |tags: &Value| tags.as_array().is_some_and(|tags| tags.iter().all(Value::is_string));
    if root.get("tags").is_some_and(|tags| !is_text(tags)) {
        dropped.push("tags".to_owned());
    }
    dropped
}

fn conforms(bytes: &[u8], what: &str) {
    let document: Value = serde_json::from_slice(bytes).unwrap();
    assert_eq!(refuses(&document), None, "{what}");
    assert_eq!(drops(&document), Vec::<String>::new(), "{what}");
}

#[test]
fn the_rules_can_refuse() {
    let good = json!({"evalFormatVersion": "2026-04", "name": "s", "cases": [{"id": "a", "input": "b"}]});
    assert_eq!(refuses(&good), None);
    for (path, value) in [
        ("/evalFormatVersion", json!("2026-05")),
        ("/name", json!(1)),
        ("/cases", json!({})),
        ("/cases/0", json!("a")),
        ("/cases/0/id", json!(1)),
        ("/cases/0/input", json!(null)),
        ("/cases/0", json!({"id": "a", "input": "b", "metadata": []})),
        ("/cases/0", json!({"id": "a", "input": "b", "expected": 1})),
        ("/cases/0", json!({"id": "a", "input": "b", "expected": {"contains": 1}})),
        ("/cases/0", json!({"id": "a", "input": "b", "expected": {"regex": {"flags": "i"}}})),
        ("/cases/0", json!({"id": "a", "input": "b", "expected": {"semanticSimilarity": 1.01}})),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = value;
        assert!(refuses(&bad).is_some(), "{bad}");
        assert!(parse(bad.to_string().as_bytes()).is_err(), "our reader is laxer than the format: {bad}");
    }
    assert!(!drops(&json!({"tags": [1], "description": {}, "x": 1})).is_empty());
}

#[test]
fn every_suite_of_this_repository_conforms() {
    for name in ["retrieval-suite-v1.json", "agentskit-retrieval-suite-v1.json"] {
        conforms(&seed(name), name);
    }
    let Ok(entries) = data("../../suites").read_dir() else { return };
    for path in
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension() == Some("json".as_ref()))
    {
        conforms(&read(&path), &path.display().to_string());
    }
}

#[test]
fn everything_we_write_conforms() {
    let mut random = Random::new(3);
    for round in 0..300 {
        let suite = random_suite(&mut random);
        conforms(text(&suite).as_bytes(), &format!("round {round}"));
        conforms(document(&suite).to_string().as_bytes(), &format!("round {round}"));
    }
}

#[test]
fn what_the_format_accepts_beyond_our_keys_loads() {
    // Unknown keys of a case and metadata of any shape travel along; so do empty expectations.
    for case in [
        json!({"id": "a", "input": ""}),
        json!({"id": "a", "input": "b", "anything": {"goes": [1, null]}}),
        json!({"id": "a", "input": "b", "expected": {}}),
        json!({"id": "a", "input": "b", "expected": {"unknown": 1}}),
        json!({"id": "a", "input": "b", "metadata": {"nested": {"deep": [{}]}}}),
    ] {
        let document = json!({"evalFormatVersion": "2026-04", "name": "", "cases": [case]});
        assert_eq!(refuses(&document), None);
        assert!(parse(document.to_string().as_bytes()).is_ok(), "{document}");
    }
}
