//! This repository's own suite: honest, whole, and held by the gate like anybody else's.

use std::collections::BTreeMap;

use rankhold::suite::{CaseKind, Suite, open_eval};
use serde_json::Value;

use crate::pages::{home, rankhold};
use crate::support::read;

const SUITE: &str = "suites/rankhold.json";

fn suite() -> Suite {
    open_eval::parse(&read(home().join(SUITE))).unwrap().suite
}

#[test]
fn lint_has_nothing_to_correct() {
    let ran = rankhold("", &["suite", "lint", SUITE, "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.out.contains("\"error\"") && !ran.out.contains("\"warning\""), "{}", ran.out);
}

#[test]
fn it_asks_in_both_languages_and_for_every_kind() {
    let suite = suite();
    assert!(suite.count(CaseKind::Scored) >= 60);
    assert!(suite.count(CaseKind::Negative) >= 3);
    assert!(
        suite.cases.iter().filter(|case| case.critical).count() <= 2,
        "critical is for what may never go"
    );
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for case in &suite.cases {
        for key in ["lang", "kind"] {
            let value = case.segment(key).unwrap_or_else(|| panic!("{}: has no {key}", case.id));
            *counts.entry((key.to_owned(), value.to_owned())).or_default() += 1;
        }
    }
    let values =
        |key: &str| counts.keys().filter(|at| at.0 == key).map(|at| at.1.as_str()).collect::<Vec<_>>();
    assert_eq!(values("lang"), ["en", "pt"]);
    assert_eq!(values("kind"), ["ownership", "path", "question", "symbol"]);
    assert!(counts.values().all(|count| *count >= 12), "a segment of a few cases says little: {counts:?}");
}

#[test]
fn a_case_without_an_answer_gets_none() {
    let ran = rankhold("", &["run", "--json"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    let figures = report["pairs"][0]["figures"].as_array().unwrap();
    let figure = figures.iter().find(|figure| figure["key"] == "falsePositiveRate").unwrap();
    assert_eq!(figure["after"]["value"], 0.0, "{figure}");
}

#[test]
fn the_approved_baseline_is_whole() {
    let ran = rankhold("", &["verify", "baselines/rankhold.bm25.json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}
