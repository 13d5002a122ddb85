//! Rankings read from a file.
#![expect(clippy::disallowed_methods, reason = "tests write rankings")]

use rankhold::ranking::{ErrorClass, RawHit};
use rankhold::retriever::replay::{Replay, ReplayOptions};
use rankhold::retriever::{Availability, Query, QueryError, Retriever};

use crate::grounds::{Grounds, in_time, paths, probe};

fn replay(grounds: &Grounds, file: &str) -> Replay {
    let options = ReplayOptions { file: file.to_owned(), format: None, unit: None };
    Replay::new(options, grounds.repo()).unwrap()
}

fn recorded(file: &str, text: &str) -> (Grounds, Replay) {
    let grounds = Grounds::new(&[("a.md", "a")]);
    std::fs::write(grounds.repo().join(file), text).unwrap();
    let replay = replay(&grounds, file);
    (grounds, replay)
}

fn ask(
    grounds: &Grounds,
    replay: &Replay,
    id: &str,
    text: &str,
    fetch: usize,
) -> Result<Vec<RawHit>, QueryError> {
    grounds.site(1, |site| {
        let prepared = replay.prepare(site).unwrap();
        prepared.open().unwrap().query(&Query { id, text }, fetch, in_time())
    })
}

const JSON: &str = r#"{
  "type": "rankhold-rankings",
  "version": 1,
  "queries": {
    "case-1": ["by-id.md"],
    "how it ranks": ["by-text.md", {"id": "document:b", "path": "b.md", "score": 0.5}],
    "nothing": []
  }
}"#;

#[test]
fn a_case_is_found_by_its_id_and_else_by_its_text() {
    let (grounds, replay) = recorded("r.json", JSON);
    let first = |id, text| paths(&ask(&grounds, &replay, id, text, 50).unwrap())[0].to_owned();
    assert_eq!(first("case-1", "how it ranks"), "by-id.md");
    assert_eq!(first("case-2", "how it ranks"), "by-text.md");
    assert_eq!(ask(&grounds, &replay, "case-2", "how it ranks", 1).unwrap().len(), 1);
}

#[test]
fn an_absent_query_is_an_error_and_an_empty_list_is_an_answer() {
    let (grounds, replay) = recorded("r.json", JSON);
    assert_eq!(ask(&grounds, &replay, "nothing", "x", 50), Ok(Vec::new()));
    let error = ask(&grounds, &replay, "case-9", "x", 50).unwrap_err();
    assert_eq!(error.class, ErrorClass::Tool);
    assert!(error.detail.starts_with("r.json has no ranking for the case `case-9`"), "{error}");
}

#[test]
fn the_ending_tells_the_form() {
    let (grounds, replay) = recorded("r.jsonl", "{\"query\": \"q\", \"hits\": [\"a.md\"]}\n");
    assert_eq!(paths(&ask(&grounds, &replay, "q", "", 50).unwrap()), ["a.md"]);
    let (grounds, replay) = recorded("bm25.run", "q Q0 b.md 2 1.0 x\nq Q0 a.md 1 2.0 x\n");
    assert_eq!(paths(&ask(&grounds, &replay, "q", "", 50).unwrap()), ["a.md", "b.md"]);
}

#[test]
fn a_probe_knows_the_file_by_its_content() {
    let (_grounds, one) = recorded("r.json", JSON);
    let (grounds, same) = recorded("other.json", JSON);
    let Availability::Ready(said) = probe(&one) else { panic!("not ready") };
    assert!(said.version.starts_with("sha256:"), "{}", said.version);
    assert_eq!(one.configuration(), same.configuration());

    let Availability::Missing { what, .. } = probe(&replay(&grounds, "gone.json")) else {
        panic!("not missing")
    };
    assert_eq!(what, "there is no file `gone.json`");
    let (_grounds, bad) = recorded("r.json", "{}");
    let Availability::Broken { detail, .. } = probe(&bad) else { panic!("not broken") };
    assert!(detail.starts_with("r.json: missing field"), "{detail}");
}
