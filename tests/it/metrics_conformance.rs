//! Our figures beside trec_eval 10.0's, on thirty-three cases where evaluation tools disagree.
//!
//! Where the definition is the same the value must be; each difference is named in [`DIFFERENCES`] and must be one.

use std::collections::BTreeMap;

use rankhold::metric::{CaseFigures, Figures, Judged};
use rankhold::name::Name;
use rankhold::ranking::{Answer, Place, Ranking, RawHit};
use rankhold::suite::trec::{self, Run};
use rankhold::suite::{CaseKind, Loaded, MatchMode, Source, SuiteError};
use serde_json::Value;

use crate::support::{data, read};

/// Where we say something else than trec_eval, and why.
const DIFFERENCES: &[(&str, &str)] = &[
    ("case02", "equal scores: the order of the list stands, trec_eval sorts by document id"),
    ("case03", "equal scores: the order of the list stands, trec_eval sorts by document id"),
    ("case04", "equal scores: the order of the list stands, trec_eval sorts by document id"),
    ("case05", "equal scores: the order of the list stands, trec_eval sorts by document id"),
    ("case09", "a query without a relevant document is not scored, trec_eval counts it as 0"),
    ("case11", "a document that is there twice counts once, trec_eval refuses the run"),
    ("case14", "a NaN score is an error, trec_eval sorts it somewhere"),
    ("case21", "an empty run is a run without results, trec_eval cannot read it"),
    ("case22", "a grade of 0.5 is an error, trec_eval reads it as 0"),
    ("case27", "a blank line means nothing, trec_eval refuses it"),
    ("case28", "the tag column may be missing, trec_eval refuses the line"),
    ("case29", "a score that is no number is an error, trec_eval reads it as 0"),
    ("case31", "a NaN score is an error, trec_eval sorts it somewhere"),
    ("case32", "an id may begin with #, trec_eval takes the line for a comment"),
];

/// trec_eval's measures by the names of ours.
const MEASURES: &[(&str, &str)] = &[
    ("P_3", "precisionAt3"),
    ("recall_3", "recallAt3"),
    ("map", "meanAveragePrecision"),
    ("ndcg_cut_10", "ndcgAt10"),
    ("recip_rank", "meanReciprocalRank"),
    ("success_1", "hitAt1"),
    ("success_3", "hitAt3"),
];

/// The proposal's measures by the names of ours.
const PROPOSED: &[(&str, &str)] =
    &[("hit@1", "hitAt1"), ("hit@3", "hitAt3"), ("rr", "meanReciprocalRank"), ("ndcg@10", "ndcgAt10")];

/// Document ids are no files, so there is nothing they could be missing from.
struct Anywhere;

impl Place for Anywhere {
    fn strip(&self, text: &str) -> String {
        text.to_owned()
    }
    fn knows(&self, _: &Name) -> bool {
        true
    }
}

struct Measured {
    suite: Loaded,
    run: Run,
    figures: Figures,
}

fn measure(case: &str, level: u32) -> Result<Measured, SuiteError> {
    let file = |extension| read(data("ir-cases").join(format!("{case}.{extension}")));
    let (qrels, lines) = (file("qrels"), file("run"));
    let suite = trec::parse(case, None, Source { name: "qrels", bytes: &qrels }, level)?;
    let run = trec::run(Source { name: "run", bytes: &lines })?;
    let cases: Vec<_> = suite
        .suite
        .cases
        .iter()
        .map(|case| {
            let hits = run.hits(&case.id.0).iter().map(RawHit::from).collect();
            let answer = Answer::Completed(Ranking::new(hits, &Anywhere, 1000).unwrap());
            CaseFigures::of(&Judged::new(&case.qrels, MatchMode::All, &answer))
        })
        .collect();
    Ok(Measured { figures: Figures::over(&cases), suite, run })
}

fn expected() -> BTreeMap<String, Value> {
    let file: Value = serde_json::from_slice(&read(data("ir-cases/expected.json"))).unwrap();
    file["cases"].as_object().unwrap().clone().into_iter().collect()
}

fn level(case: &Value) -> u32 {
    u32::try_from(case["level"].as_u64().unwrap()).unwrap()
}

fn value(measured: &Measured, key: &str) -> f64 {
    measured.figures.get(key).unwrap().value.unwrap()
}

#[test]
fn there_are_thirty_three_cases_and_each_difference_names_one_of_them() {
    let cases = expected();
    assert_eq!(cases.len(), 33);
    assert!(DIFFERENCES.iter().all(|(case, _)| cases.contains_key(*case)));
}

#[test]
fn our_figures_are_trec_evals_wherever_no_difference_is_named() {
    for (name, case) in expected() {
        let reference = &case["trec_eval10"];
        let ours = measure(&name, level(&case));
        let agrees = match (&ours, reference.get("error")) {
            (Err(_), Some(_)) => true,
            (Ok(_), Some(_)) | (Err(_), None) => false,
            (Ok(ours), None) => {
                let scored = ours.suite.suite.count(CaseKind::Scored);
                let same_number =
                    reference["num_q"].as_f64() == Some(f64::from(u32::try_from(scored).unwrap()));
                same_number
                    && MEASURES.iter().all(|(theirs, key)| {
                        // trec_eval prints four decimals.
                        (value(ours, key) - reference[theirs].as_f64().unwrap()).abs() <= 0.000_051
                    })
            }
        };
        let named = DIFFERENCES.iter().find(|(case, _)| *case == name).map(|(_, why)| *why);
        assert_eq!(
            agrees,
            named.is_none(),
            "{name} ({}), named difference: {named:?}, trec_eval: {reference}, ours: {:?}",
            case["title"],
            ours.map(|ours| ours.figures)
        );
    }
}

#[test]
fn our_figures_are_the_proposed_ones_in_all_thirty_three_cases() {
    for (name, case) in expected() {
        let proposed = &case["proposed"];
        let ours = measure(&name, level(&case));
        let Some(mean) = proposed.get("mean") else {
            let error = ours.err().unwrap_or_else(|| panic!("{name} must be refused: {}", proposed["error"]));
            let line = proposed["error"].as_str().unwrap().split(':').next().unwrap().replacen(' ', ": ", 1);
            assert!(error.to_string().starts_with(&line), "{name}: {error} does not start with {line}");
            continue;
        };
        let ours = ours.unwrap_or_else(|error| panic!("{name}: {error}"));
        for (theirs, key) in PROPOSED {
            let difference = value(&ours, key) - mean[theirs].as_f64().unwrap();
            assert!(difference.abs() <= 0.000_001, "{name}, {key}: {} against {mean}", value(&ours, key));
        }
        let count = |figure: &str| ours.figures.get(figure).unwrap().count;
        assert_eq!(count("zeroResultRate"), proposed["zero_result_queries"].as_u64(), "{name}");
        let unscored = ours.suite.suite.cases.iter().filter(|case| case.qrels.kind() == CaseKind::Unscored);
        let unscored: Vec<_> = unscored.map(|case| Value::from(case.id.0.as_str())).collect();
        assert_eq!(&Value::from(unscored), &proposed["unscorable"], "{name}");
    }
}

#[test]
fn what_the_proposal_warns_of_is_said() {
    for (name, case) in expected().into_iter().filter(|(_, case)| case["proposed"].get("mean").is_some()) {
        let ours = measure(&name, level(&case)).unwrap();
        let said: Vec<_> = ours.run.notes.iter().map(ToString::to_string).collect();
        let warnings = case["proposed"]["warnings"].as_array().unwrap();
        let warns_of = |part: &str| warnings.iter().any(|warning| warning.as_str().unwrap().contains(part));
        let says = |part: &str| said.iter().any(|note| note.contains(part));
        assert_eq!(says("equal scores"), warns_of("tied scores"), "{name}: {said:?}");
        assert_eq!(says("a document twice"), warns_of("duplicate"), "{name}: {said:?}");
        assert_eq!(!ours.run.unasked(&ours.suite.suite).is_empty(), warns_of("not in the suite"), "{name}");
        assert_eq!(says("rank and score disagree"), name == "case17", "{name}: {said:?}");
    }
}

#[test]
fn an_error_tells_line_and_value() {
    let refused = |case| measure(case, 1).err().unwrap().to_string();
    assert_eq!(
        refused("case12"),
        "qrels: line 2: q1 judges `a` with the grade 0, but line 1 with 1; keep one"
    );
    assert_eq!(refused("case14"), "run: line 1: the score is NaN, which has no place in an order");
    assert!(
        refused("case19").starts_with("qrels: line 1: expected 4 columns (query 0 document grade), found 5")
    );
    assert_eq!(
        refused("case22"),
        "qrels: line 1: the grade \"0.5\" is not an integer; grades count whole steps"
    );
    assert_eq!(refused("case29"), "run: line 1: the score \"high\" is not a number");
}

#[test]
fn a_negative_grade_is_read_as_not_relevant_and_said() {
    let ours = measure("case13", 1).unwrap();
    assert!(ours.suite.notes.iter().any(|note| note.message.contains("grades below 0")));
    assert_eq!(ours.suite.suite.cases[0].qrels.grades()[&Name::new("s")], 0);
}
