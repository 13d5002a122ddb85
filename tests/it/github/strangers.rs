//! What a stranger wrote, through the whole of a review: it shows on GitHub and in the log, and acts nowhere.

use std::collections::BTreeMap;

use serde_json::json;

use super::fake::STORAGE;
use super::faults::Fault;
use super::stage::{REPOSITORY, Stage, Step, texts};
use crate::report_hostile::{Dice, acting, found_by_github, skeleton, uneven_row};

/// What a runner, a terminal or GitHub would act on.
const HOSTILE: &str = "x\u{1b}[31m\u{1b}]0;t\u{7}\n::error::pwned\r\n##[group]g \u{202e}evil\u{2028}::add-mask::x @octocat <b>|";

/// The log has no line that acts but the remarks, and each of those is one of ours.
#[track_caller]
fn assert_inert(text: &str) {
    let others: Vec<&str> =
        text.split('\n').filter(|line| !line.starts_with("::error file=suites/")).collect();
    assert_eq!(acting(&others.join("\n")), None, "{text}");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text}");
}

#[test]
fn a_hostile_suite_acts_neither_on_github_nor_in_a_log() {
    const CASES: usize = 200;
    let mut dice = Dice::of(0x00ff_1ce5);
    let mut hostile = move |at: usize| if at.is_multiple_of(7) { HOSTILE.to_owned() } else { dice.hostile() };
    let cases: Vec<_> = (0..CASES)
        .map(|at| {
            let metadata = json!({
                "expectedTargets": [format!("docs/p{at}.md")], "lang": hostile(at), "kind": hostile(at),
                "critical": at.is_multiple_of(50),
            });
            let (id, input) = (format!("{at}{}", hostile(at)), format!("word{at} {}", hostile(at)));
            json!({ "id": id, "input": input, "metadata": metadata })
        })
        .collect();
    let suite = json!({ "evalFormatVersion": "2026-04", "name": HOSTILE, "cases": cases });
    let page = |at: usize| (format!("docs/p{at}.md"), format!("# word{at}\n\nword{at} word{at}\n"));
    let mut files: Vec<(String, String)> = (0..CASES).map(page).collect();
    files.push(("suites/garden.json".to_owned(), serde_json::to_string_pretty(&suite).unwrap()));
    let stage = Stage::new();
    stage.commit("main", &texts(&files));
    stage.approve_main();
    let emptied: Vec<_> =
        (0..CASES / 2).map(|at| (format!("docs/p{at}.md"), "nothing\n".to_owned())).collect();
    let pull = stage.fork_pull_of(&emptied);

    let measured = stage.step(pull).token(Some(&stage.reader)).run();
    assert_eq!(measured.outputs["verdict"], "regressed", "{}", measured.ran.err);
    assert_eq!(measured.remarks.len(), 10);
    for text in [&measured.ran.out, &measured.ran.err] {
        assert_inert(text);
    }
    let published = stage.publishing(pull, &measured.files, |_| {}).run();
    assert_eq!(published.remarks, []);
    for text in [&published.ran.out, &published.ran.err] {
        assert_inert(text);
    }
    let (_, title, summary) = stage.verdict(&stage.head(pull));
    let [comment] = stage.comments(pull).try_into().unwrap();
    for text in [&title, &summary, &comment, &measured.summary, &published.summary] {
        assert_eq!(found_by_github(&skeleton(text).text), None, "{text}");
        assert_eq!(uneven_row(text), None);
        assert_eq!(acting(text), None, "{text}");
    }
    let annotations = stage.fake.with(|world| {
        world.checks(REPOSITORY, &world.repo(REPOSITORY).pulls[&pull].head_sha)[0].annotations.clone()
    });
    assert!(annotations.len() > 50, "{}", annotations.len());
    for annotation in annotations {
        for field in ["title", "message"] {
            let text = annotation[field].as_str().unwrap();
            let hidden =
                text.lines().any(|line| acting(&format!("x{line}")).is_some_and(|it| !it.contains("##[")));
            assert!(text.lines().count() <= 2 && !hidden, "{text:?}");
        }
    }
}

#[test]
fn what_an_event_or_github_says_acts_nowhere_either() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    let mut payload = stage.pull_payload("synchronize", pull);
    payload["ref"] = json!(format!("refs/heads/{HOSTILE}"));
    payload["after"] = payload["pull_request"]["head"]["sha"].clone();
    payload["deleted"] = json!(false);
    // A branch of that name, a payload that does not fit, words of the API.
    let pushed = Step::new(&stage, "push", payload.clone(), stage.checkout(&stage.head(pull))).run();
    payload["pull_request"]["head"]["sha"] = json!(HOSTILE);
    let odd = Step::new(&stage, "pull_request", payload, stage.checkout(&stage.head(pull))).run();
    stage.fake.fail("GET /repos/{owner}/{repo}/branches/{branch}", 1, Fault::Refusal(HOSTILE));
    let refused = stage.step(pull).run();
    assert!(stage.verdict(&stage.head(pull)).2.contains("pwned"));
    let archive = BTreeMap::from([(HOSTILE.replace('\n', ""), Vec::new())]);
    let pull = stage.fork_pull();
    let artifact = stage.publishing(pull, &archive, |_| {}).run();
    stage.fake.fail(STORAGE, 1, Fault::Refusal(HOSTILE));
    let storage = stage.publishing(pull, &archive, |_| {}).run();
    for (ended, code) in [(pushed, 0), (odd, 2), (refused, 3), (artifact, 2), (storage, 3)] {
        assert!(!ended.ran.err.is_empty());
        for text in [&ended.ran.out, &ended.ran.err, &ended.summary] {
            assert_inert(text);
        }
        assert_eq!(found_by_github(&skeleton(&ended.summary).text), None, "{}", ended.summary);
        assert_eq!(ended.remarks, []);
        ended.ran.ends(code);
    }
    let (_, _, summary) = stage.verdict(&stage.head(pull));
    assert_eq!((acting(&summary), found_by_github(&skeleton(&summary).text)), (None, None), "{summary}");
}
