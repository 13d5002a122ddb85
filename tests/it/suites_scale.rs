//! A suite of a million cases is read, looked over and counted in seconds.

use std::fmt::Write as _;

use rankhold::app::suite::load;
use rankhold::suite::lint::{Severity, TreeFacts, lint};
use rankhold::suite::open_eval::parse;
use rankhold::suite::stats::Stats;

const MILLION: usize = 1_000_000;

#[expect(clippy::disallowed_methods, reason = "tests make their own files")]
fn file(folder: &std::path::Path) -> std::path::PathBuf {
    let mut document = String::from("{\"evalFormatVersion\":\"2026-04\",\"name\":\"many\",\"cases\":[");
    for at in 0..MILLION {
        let comma = if at == 0 { "" } else { "," };
        let target = at % 1000;
        write!(
            document,
            "{comma}\n{{\"id\":\"c{at}\",\"input\":\"query number {at}\",\"metadata\":{{\"expectedTargets\":\
             [\"src/f{target}.rs\"],\"lang\":\"en\"}}}}"
        )
        .unwrap();
    }
    document.push_str("\n]}\n");
    let path = folder.join("many.json");
    std::fs::write(&path, document).unwrap();
    path
}

#[test]
fn a_million_cases_load_lint_and_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path());
    let loaded = load(&[path], None).unwrap();
    assert_eq!(loaded.suite.cases.len(), MILLION);
    assert!(loaded.notes[0].message.starts_with("1000000 cases: every one is asked on every pull request"));

    // One of the thousand files is gone.
    let files: Vec<_> = (0..999).map(|at| format!("src/f{at}.rs")).collect();
    let tree = TreeFacts::new(files.iter().map(String::as_str));
    let today = "2026-11-30".parse().unwrap();
    let found = lint(&loaded.suite, &loaded.notes, Some(&tree), today);
    assert_eq!(found.iter().filter(|finding| finding.severity == Severity::Error).count(), 1000);

    let stats = Stats::of(&loaded.suite, &["lang".to_owned()], today);
    assert_eq!((stats.scored, stats.distinct_targets), (MILLION, 1000));
    assert!(stats.power.drop_with_some_wins.unwrap() < 0.001);
}

#[test]
fn a_case_of_a_hundred_thousand_targets_is_no_trap() {
    let names: Vec<_> = (0..100_000).map(|at| format!("f{at}.rs")).collect();
    let metadata = serde_json::json!({"expectedTargets": names, "forbiddenTargets": ["no.rs"]});
    let case = serde_json::json!({"id": "a", "input": "q", "metadata": metadata});
    let document = serde_json::json!({"evalFormatVersion": "2026-04", "name": "s", "cases": [case]});
    let loaded = parse(document.to_string().as_bytes()).unwrap();
    let tree = TreeFacts::new(names.iter().map(String::as_str));
    let found = lint(&loaded.suite, &loaded.notes, Some(&tree), "2026-11-30".parse().unwrap());
    assert_eq!(found.len(), 1, "{found:?}");
}
