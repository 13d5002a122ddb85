//! Artifacts made by hand and sealed with a right hash: whatever a file says twice must agree.
//!
//! Each test changes one leaf of an honest file after the other, seals it anew and reads it. What is accepted stands in
//! a snapshot: it is what only the suite, the corpus or the rankings can confirm, and every line of it needs a reason.

use std::collections::BTreeSet;

use rankhold::artifact::{
    Baseline, Candidate, CorpusIdentity, CorpusRules, Measurement, RetrieverIdentity, SuiteIdentity,
    SuiteResult,
};
use rankhold::canon::Digest;
use rankhold::name::Name;
use rankhold::ranking::{Answer, ErrorClass, Hit, Ranking, Unit};
use rankhold::suite::{Case, CaseId, MatchMode, Qrels, Quarantine};
use serde_json::{Value, json};

use crate::support;

fn measurement(case_count: u64) -> Measurement {
    Measurement {
        suite: SuiteIdentity {
            name: "docs".into(),
            document_name: "Docs".into(),
            content_hash: Digest::of_bytes(b"suite"),
            case_count,
        },
        match_mode: MatchMode::All,
        corpus: CorpusIdentity {
            content_hash: Digest::of_bytes(b"corpus"),
            file_count: 10,
            rules: CorpusRules {
                include: vec!["**".into()],
                exclude: vec!["vendor/**".into()],
                max_file_bytes: 1 << 20,
                entities: Some("entities.json".into()),
            },
        },
        retriever: RetrieverIdentity {
            name: "bm25".into(),
            kind: "bm25".into(),
            version: "1".into(),
            model: Some("m".into()),
            unit: Unit::File,
            config_hash: Digest::of_bytes(b"config"),
        },
        fetch: 50,
        limit: 20,
        definitions: 1,
    }
}

fn case(id: &str, lang: &str, qrels: Qrels) -> Case {
    Case {
        id: CaseId::from(id),
        input: format!("query {id}"),
        expected: None,
        qrels,
        critical: false,
        quarantined: None,
        metadata: [("lang".to_owned(), json!(lang))].into_iter().collect(),
        extra: serde_json::Map::new(),
    }
}

fn answer(paths: &[&str]) -> Answer {
    let hits = (0..).zip(paths).map(|(tie, path)| Hit {
        id: Name::new(path),
        path: Some(Name::new(path)),
        tie,
        unknown: *path == "nowhere",
        kind: "file".into(),
        summary: (*path == "x").then(|| "about x".to_owned()),
    });
    Answer::Completed(Ranking::from_hits(hits.collect()))
}

/// A result with a case of every kind and state.
fn honest() -> SuiteResult {
    let negative = || Qrels::new(vec![], [].into(), vec![], vec![], true).unwrap();
    let forbidding =
        Qrels::new(vec![Name::new("x")], [].into(), vec![], vec![Name::new("y")], false).unwrap();
    let quarantined = Quarantine { reason: "flaky".into(), until: jiff::civil::date(2026, 12, 1) };
    let answers = [
        (case("found", "en", Qrels::expecting(&["x"]).unwrap()), answer(&["x", "y", "z", "w"])),
        (case("second", "pt", Qrels::expecting(&["x", "y"]).unwrap()), answer(&["nowhere", "x"])),
        (case("missed", "pt", Qrels::expecting(&["w"]).unwrap()), answer(&["x", "y", "z", "w"])),
        (case("empty", "pt", Qrels::expecting(&["w"]).unwrap()), answer(&[])),
        (case("failed", "en", Qrels::expecting(&["w"]).unwrap()), Answer::Failed(ErrorClass::Timeout)),
        (case("forbids", "en", forbidding), answer(&["y", "x"])),
        (case("clean", "en", negative()), answer(&[])),
        (case("false-positive", "en", negative()), answer(&["x"])),
        (case("unscored", "en", Qrels::expecting(&[]).unwrap()), answer(&["x"])),
        (
            Case { quarantined: Some(quarantined), ..case("aside", "en", Qrels::expecting(&["x"]).unwrap()) },
            answer(&["x"]),
        ),
    ];
    SuiteResult::new(measurement(answers.len() as u64), &["lang".to_owned()], &answers)
}

fn sealed(document: &Value) -> Vec<u8> {
    let mut document = document.clone();
    document.as_object_mut().unwrap().remove("contentHash");
    document["contentHash"] = json!(Digest::of_json(&document));
    document.to_string().into_bytes()
}

/// Pointers of everything in the document, the deepest included.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                all.push(at.clone());
                pointers(value, &at, all);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                let at = format!("{at}/{index}");
                all.push(at.clone());
                pointers(value, &at, all);
            }
        }
        _ => {}
    }
}

/// Other values for one place.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![json!(1), json!(7)],
        Value::Bool(it) => vec![json!(!it)],
        Value::Number(it) => {
            let it = it.as_f64().unwrap();
            let whole = it.fract() == 0.0;
            let mut others = vec![json!(it / 2.0 + 0.25), Value::Null, json!(-1)];
            #[expect(clippy::cast_possible_truncation, reason = "small numbers of a test")]
            let step = |by: i64| json!(it as i64 + by);
            if whole {
                others.extend([step(1), step(1000)]);
            }
            others
        }
        Value::String(it) if it.len() == 64 => vec![json!(Digest::of_bytes(b"forged"))],
        Value::String(it) => {
            vec![json!(format!("{it}z")), json!("../../outside"), json!("missed"), json!("found")]
        }
        Value::Array(items) => vec![Value::Array(items.iter().skip(1).cloned().collect())],
        Value::Object(_) => vec![json!({})],
    }
}

/// Where a changed or absent value is read without a word.
fn accepted(honest: &Value, read: impl Fn(&[u8]) -> bool) -> BTreeSet<String> {
    let mut all = Vec::new();
    pointers(honest, "", &mut all);
    let mut accepted = BTreeSet::new();
    for at in all.iter().filter(|at| *at != "/contentHash") {
        let value = honest.pointer(at).unwrap();
        for other in others(value).into_iter().filter(|other| other != value) {
            let mut forged = honest.clone();
            *forged.pointer_mut(at).unwrap() = other;
            if read(&sealed(&forged)) {
                accepted.insert(at.clone());
            }
        }
        let (parent, key) = at.rsplit_once('/').unwrap();
        let mut forged = honest.clone();
        if let Some(fields) = forged.pointer_mut(parent).and_then(Value::as_object_mut) {
            fields.remove(&key.replace("~1", "/").replace("~0", "~"));
            // An absent null is the same as a null.
            if !value.is_null() && read(&sealed(&forged)) {
                accepted.insert(format!("{at} (absent)"));
            }
        }
    }
    accepted
}

fn lines(accepted: &BTreeSet<String>) -> String {
    accepted.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

#[test]
fn a_baseline_contradicts_itself_wherever_one_value_is_forged() {
    let text =
        Candidate::of(&honest()).approve("Ada", &"2026-11-01T00:00:00Z".parse().unwrap(), Some("meant"));
    assert!(Baseline::read(text.as_bytes()).is_ok());
    let honest: Value = serde_json::from_str(&text).unwrap();
    let accepted = accepted(&honest, |bytes| Baseline::read(bytes).is_ok());
    let decides = |at: &&String| ["/rank", "/state", "hitAt"].iter().any(|part| at.contains(part));
    assert_eq!(accepted.iter().find(decides), None);
    support::assert_snapshot("forgery/baseline.txt", &lines(&accepted));
}

#[test]
fn a_key_given_twice_is_refused_wherever_it_stands() {
    let baseline =
        Candidate::of(&honest()).approve("Ada", &"2026-11-01T00:00:00Z".parse().unwrap(), Some("meant"));
    let twice = |text: &str, key: &str| {
        let at = text.find(&format!("\"{key}\"")).unwrap();
        format!("{}\"{key}\": \"Eve\", {}", &text[..at], &text[at..])
    };
    let problem = Baseline::read(twice(&baseline, "approvedBy").as_bytes()).unwrap_err().to_string();
    assert!(problem.contains("line 4") && problem.contains("`approvedBy` appears twice"), "{problem}");
    assert!(Candidate::read(twice(&Candidate::of(&honest()).to_text(), "cases").as_bytes()).is_err());
    assert!(SuiteResult::read(twice(&honest().to_text(), "input").as_bytes()).is_err());
    // As in a suite, a byte-order mark says nothing.
    assert!(Baseline::read(format!("\u{feff}{baseline}").as_bytes()).is_ok());
}

#[test]
fn so_does_a_candidate() {
    let honest: Value = serde_json::from_str(&Candidate::of(&honest()).to_text()).unwrap();
    let accepted = accepted(&honest, |bytes| Candidate::read(bytes).is_ok());
    support::assert_snapshot("forgery/candidate.txt", &lines(&accepted));
}

#[test]
fn and_a_result_whose_figures_do_not_follow_from_its_rankings() {
    let text = honest().to_text();
    assert!(SuiteResult::read(text.as_bytes()).is_ok());
    let honest: Value = serde_json::from_str(&text).unwrap();
    let accepted = accepted(&honest, |bytes| SuiteResult::read(bytes).is_ok());
    assert!(accepted.iter().all(|at| !at.contains("/figures") && !at.contains("/metrics")));
    support::assert_snapshot("forgery/result.txt", &lines(&accepted));
}

#[test]
fn a_version_1_baseline_has_rates_that_its_cases_can_have() {
    let honest: Value = serde_json::from_slice(&support::seed("retrieval-baseline-v1.json")).unwrap();
    let seal = |document: &Value| {
        let mut document = document.clone();
        document.as_object_mut().unwrap().remove("contentHash");
        document["contentHash"] = json!(Digest::of_json_v1(&document));
        document.to_string().into_bytes()
    };
    assert!(Baseline::read(&seal(&honest)).is_ok());
    let forged = [
        ("caseCount", json!(2)),
        ("caseCount", json!(0)),
        ("caseCount", json!(61)),
        ("hitAt3", json!(7.5)),
        ("hitAt3", json!(0.2)),
        ("hitAt3", json!(0.24)),
        ("hitAt3", json!(-0.1)),
        ("hitAt1", json!(0.25)),
        ("meanReciprocalRank", json!(0.9)),
        ("meanReciprocalRank", json!(0.1)),
        ("meanReciprocalRank", json!(1e300)),
        ("meanContextBytes", json!(-1)),
        ("meanApproxTokens", json!(-0.5)),
        ("zeroResultRate", json!(2)),
    ];
    for (key, value) in forged {
        let mut document = honest.clone();
        document["metrics"][key] = value.clone();
        let problem = Baseline::read(&seal(&document)).expect_err(&format!("{key} = {value}"));
        assert!(problem.to_string().contains("contradicts itself at `/metrics/"), "{problem}");
    }
}

#[test]
fn a_name_that_would_leave_the_folder_is_refused() {
    let honest: Value = serde_json::from_str(&honest().to_text()).unwrap();
    for at in ["/measurement/suite/name", "/measurement/retriever/name", "/measurement/retriever/kind"] {
        for name in ["../../outside", "/etc/x", "a/b", "a.b", "", "A", "a\u{0}"] {
            let mut forged = honest.clone();
            *forged.pointer_mut(at).unwrap() = json!(name);
            let problem = SuiteResult::read(&sealed(&forged)).expect_err(name);
            assert!(problem.to_string().contains("is no name"), "{problem}");
        }
    }
}
