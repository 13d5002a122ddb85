//! GitHub's and the runner's limits, met by a suite that is far over all of them. The stand-in refuses what GitHub
//! refuses, and the stage what a runner drops.

use serde_json::json;

use super::fake::world::Status;
use super::stage::{REPOSITORY, Stage};

/// A query of a thousand characters.
fn query(at: usize) -> String {
    format!("{at}: {}", "how is the ßtep decided | `x` & y ".repeat(29))
}

/// A stage whose suite is answered from a file, and a fork's pull request by which that file finds nothing any more.
fn losing(cases: usize) -> (Stage, u64) {
    let rankings = |found: bool| {
        let hits = json!([if found { "docs/beans.md" } else { "docs/roses.md" }]);
        let queries: serde_json::Map<_, _> =
            (0..cases).map(|at| (format!("case-{at}"), hits.clone())).collect();
        json!({ "type": "rankhold-rankings", "version": 1, "queries": queries }).to_string()
    };
    let asked = |at: usize| {
        let lang = format!("l{}", at % 500);
        let metadata = json!({ "expectedTargets": ["docs/beans.md"], "lang": lang });
        json!({ "id": format!("case-{at}"), "input": query(at), "metadata": metadata })
    };
    let cases: Vec<_> = (0..cases).map(asked).collect();
    let suite = json!({ "evalFormatVersion": "2026-04", "name": "Garden", "cases": cases });
    let suite = serde_json::to_string_pretty(&suite).unwrap();
    let config = "version = 1\n[[suite]]\npath = \"suites/garden.json\"\nretrievers = [\"recorded\"]\n\
                  [[retriever]]\nname = \"recorded\"\nkind = \"replay\"\nfile = \"recorded.json\"\n";
    let stage = Stage::new();
    let (found, lost) = (rankings(true), rankings(false));
    stage.commit(
        "main",
        &[("suites/garden.json", &suite), ("rankhold.toml", config), ("recorded.json", &found)],
    );
    let checkout = stage.checkout(&stage.tip("main"));
    checkout.run("approve --by ada").ends(0);
    let baseline = "baselines/garden.recorded.json";
    stage.commit("main", &[(baseline, &checkout.read(baseline))]);
    let pull = stage.fork_pull_of(&[("recorded.json".to_owned(), lost)]);
    (stage, pull)
}

#[test]
fn ten_thousand_lost_cases_fit_everywhere() {
    let (stage, pull) = losing(10_000);
    let head = stage.head(pull);
    let measured = stage.step(pull).token(Some(&stage.reader)).run();
    assert_eq!(measured.outputs["lost"], "10000", "{}", measured.ran.err);
    assert_eq!(measured.remarks.len(), 10);
    assert!(measured.summary.len() > 100_000, "{}", measured.summary.len());
    measured.ran.ends(1);
    // What it leaves is not too much for the workflow that publishes it.
    let published = stage.publishing(pull, &measured.files, |_| {}).run();
    published.ran.ends(0);
    assert_eq!(stage.verdict(&head).0, "failure");
    let [comment] = stage.comments(pull).try_into().unwrap();
    assert!(comment.len() > 50_000 && comment.contains("more"), "{}", comment.len());
    let annotations = stage.fake.with(|world| world.checks(REPOSITORY, &head)[0].annotations.len());
    assert_eq!(annotations, 150);
}

#[test]
fn a_report_takes_the_room_that_is_left() {
    let (stage, pull) = losing(1_000);
    let full = "x".repeat((1 << 20) - 200_000);
    let ended = stage.step(pull).token(Some(&stage.reader)).after(full.clone()).run();
    let told = ended.summary.strip_prefix(&full).unwrap();
    assert!(told.contains("The ranking does not hold") && told.len() > 50_000, "{}", told.len());
    // A status has a line and no more.
    stage.publishing(pull, &ended.files, |_| {}).input("publish", "status").run().ran.ends(0);
    let described = |status: &Status| status.description.clone().unwrap();
    let words = stage.fake.with(|world| world.repo(REPOSITORY).statuses.last().map(described)).unwrap();
    assert!(words.starts_with("The ranking does not hold"), "{words}");
}

#[test]
fn a_page_that_is_full_stays_as_it_is() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    for (left, words) in [
        (5_000, "does not hold"),
        (400, "does not hold"),
        (150, "has no room for the report"),
        (50, ""),
        (0, ""),
    ] {
        let full = "x".repeat((1 << 20) - left);
        let ended = stage.step(pull).after(full.clone()).run();
        let told = ended.summary.strip_prefix(&full).unwrap();
        assert_eq!((told.contains(words), told.is_empty()), (true, words.is_empty()), "{told}");
        ended.ran.ends(0);
    }
}
