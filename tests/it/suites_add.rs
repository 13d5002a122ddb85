//! Adding a case leaves the rest of a file's text as it is.

use rankhold::suite::open_eval::{add, replace};
use serde_json::{Map, Value, json};

use crate::support::seed;

fn case() -> Map<String, Value> {
    let case =
        json!({"id": "new", "input": "where", "metadata": {"lang": "en", "expectedTargets": ["a.md"]}});
    case.as_object().unwrap().clone()
}

fn added(document: &str) -> String {
    add(document.as_bytes(), case()).unwrap().0
}

#[test]
fn a_pretty_file_keeps_its_text_and_gets_a_pretty_case() {
    let before = String::from_utf8(seed("retrieval-suite-v1.json")).unwrap();
    let after = added(&before);
    let added = r#",
    {
      "id": "new",
      "input": "where",
      "metadata": {
        "expectedTargets": [
          "a.md"
        ],
        "lang": "en"
      }
    }"#;
    assert_eq!(after.replacen(added, "", 1), before);
    assert!(after.contains(added), "{}", &after[after.len() - 400..]);
}

#[test]
fn indentation_and_line_ends_are_the_files_own() {
    let tabs = "\u{feff}{\r\n\t\"name\": \"s\",\r\n\t\"cases\": [\r\n\t\t{\r\n\t\t\t\"id\": \"[\\\"cases\\\"]\",\r\n\
                \t\t\t\"input\": \"q\"\r\n\t\t}\r\n\t],\r\n\t\"evalFormatVersion\": \"2026-04\"\r\n}";
    let after = added(tabs);
    assert!(after.starts_with("\u{feff}{\r\n\t\"name\""), "{after:?}");
    assert!(
        after.contains("\t\t},\r\n\t\t{\r\n\t\t\t\"id\": \"new\",\r\n\t\t\t\"input\": \"where\",\r\n"),
        "{after:?}"
    );
    assert!(after.ends_with("\t\t}\r\n\t],\r\n\t\"evalFormatVersion\": \"2026-04\"\r\n}"), "{after:?}");
    assert!(!after.replace("\r\n", "").contains('\n'));
}

#[test]
fn a_case_per_line_stays_a_case_per_line() {
    let lines = "{\"evalFormatVersion\":\"2026-04\",\"name\":\"s\",\"cases\":[\n  {\"id\": \"a\", \"input\": \"q\"}\n]}\n";
    assert_eq!(
        added(lines),
        "{\"evalFormatVersion\":\"2026-04\",\"name\":\"s\",\"cases\":[\n  {\"id\": \"a\", \"input\": \"q\"},\n  \
         {\"id\": \"new\", \"input\": \"where\", \"metadata\": {\"expectedTargets\": [\"a.md\"], \"lang\": \"en\"}}\n]}\n"
    );
}

#[test]
fn a_file_on_one_line_stays_on_one_line() {
    let dense = r#"{"cases":[{"id":"a","input":"q"}],"evalFormatVersion":"2026-04","name":"s"}"#;
    assert_eq!(
        added(dense),
        r#"{"cases":[{"id":"a","input":"q"},{"id":"new","input":"where","metadata":{"expectedTargets":["a.md"],"lang":"en"}}],"evalFormatVersion":"2026-04","name":"s"}"#
    );
}

#[test]
fn an_empty_suite_gets_its_first_case() {
    let empty = "{\n  \"evalFormatVersion\": \"2026-04\",\n  \"name\": \"s\",\n  \"cases\": []\n}\n";
    let after = added(empty);
    assert!(after.ends_with("  \"cases\": [\n    {\n      \"id\": \"new\",\n      \"input\": \"where\",\n      \"metadata\": {\n        \"expectedTargets\": [\n          \"a.md\"\n        ],\n        \"lang\": \"en\"\n      }\n    }\n  ]\n}\n"), "{after}");
    let spread = empty.replace("[]", "[\n  ]");
    assert_eq!(added(&spread), after);
    assert!(
        added(r#"{"evalFormatVersion":"2026-04","name":"s","cases":[ ]}"#)
            .contains(r#""cases":[{"id":"new","#)
    );
}

#[test]
fn what_cannot_be_added_is_refused_and_says_why() {
    let refused = |document: &str| add(document.as_bytes(), case()).unwrap_err().to_string();
    let twice = added(r#"{"evalFormatVersion":"2026-04","name":"s","cases":[]}"#);
    assert_eq!(refused(&twice), r#"case 2 (id "new"): id: case 1 has the same id; make each id unique"#);
    assert_eq!(refused("{}"), "cases: there is no array to add to; name an Open Eval suite");
    assert!(refused("[]").contains("there is no array to add to"));
    assert!(refused("{").contains("not valid JSON"));
    assert!(refused(r#"{"cases":[]}"#).contains("evalFormatVersion: is missing"));
}

#[test]
fn a_replaced_case_stands_where_the_old_one_stood_and_looks_like_it() {
    let replaced = |document: &str| replace(document.as_bytes(), case()).unwrap().unwrap().0;
    let spread = "{\r\n\t\"cases\": [\r\n\t\t{\r\n\t\t\t\"id\": \"new\",\r\n\t\t\t\"input\": \"old\"\r\n\t\t},\r\n\t\t\
                  {\"id\": \"b\", \"input\": \"q\"}\r\n\t],\r\n\t\"name\": \"s\",\r\n\t\"evalFormatVersion\": \"2026-04\"\r\n}";
    let after = replaced(spread);
    assert!(
        after.contains("\t\t{\r\n\t\t\t\"id\": \"new\",\r\n\t\t\t\"input\": \"where\",\r\n"),
        "{after:?}"
    );
    assert!(after.ends_with(&spread[spread.find(",\r\n\t\t{\"id\": \"b\"").unwrap()..]), "{after:?}");
    let dense = r#"{"cases":[{"id":"a","input":"q"},{"id":"new","input":"q"}],"evalFormatVersion":"2026-04","name":"s"}"#;
    assert_eq!(
        replaced(dense),
        r#"{"cases":[{"id":"a","input":"q"},{"id":"new","input":"where","metadata":{"expectedTargets":["a.md"],"lang":"en"}}],"evalFormatVersion":"2026-04","name":"s"}"#
    );
    assert!(
        replace(r#"{"evalFormatVersion":"2026-04","name":"s","cases":[]}"#.as_bytes(), case())
            .unwrap()
            .is_none()
    );
}
