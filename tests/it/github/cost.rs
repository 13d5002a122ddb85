//! What a run asks of GitHub: a workflow's token has a thousand requests an hour, for all runs of the repository.

use std::collections::BTreeMap;

use super::fake::world::Merge;
use super::scene::{Scene, losing_more};
use super::stage::Ended;

const RECORD: &str = "[approval]\nmode = \"record\"";

const RIGHTS: &str = "GET /repos/{owner}/{repo}/collaborators/{username}/permission";
const COMMENTS: &str = "GET /repos/{owner}/{repo}/issues/{issue_number}/comments";
const PULL: &str = "GET /repos/{owner}/{repo}/pulls/{pull_number}";

/// The requests of a run, by route; those of the test itself are none of it.
fn asked(scene: &Scene, run: impl FnOnce() -> Ended) -> (usize, BTreeMap<String, usize>) {
    let before = scene.stage.fake.log().len();
    let ended = run();
    ended.ran.ends(0);
    let mut routes: BTreeMap<String, usize> = BTreeMap::new();
    for logged in &scene.stage.fake.log()[before..] {
        let walks = logged.body["variables"].get("commit").is_some();
        let route = if walks { "walk".to_owned() } else { logged.route.clone() };
        *routes.entry(route).or_default() += 1;
    }
    (routes.values().sum(), routes)
}

/// Pull requests that were approved, each on the figures of the one before, and merged without a file.
fn merged(many: usize) -> Scene {
    let mut scene = Scene::unreviewed(RECORD);
    for at in 0..many {
        let files = vec![(format!("docs/page{at}.md"), format!("# Page {at}\n"))];
        let pull = scene.another(&format!("page{at}"), &files);
        scene.review(pull).ran.ends(0);
        scene = Scene { pull, ..scene };
        let by = if at.is_multiple_of(2) { "max" } else { "bea" };
        scene.say(by, &scene.command()).ran.ends(0);
        scene.note(pull, "mallory", &scene.command());
        scene.merge(pull, Merge::Squash);
    }
    scene
}

#[test]
fn many_pull_requests_that_approved_are_read_once() {
    const MANY: usize = 6;
    let scene = merged(MANY);
    let pull = scene.another("worse", &losing_more());
    // The base moves on meanwhile, so that the measured base is not the tip.
    let files = [("docs/tip.md", "# Tip\n")];
    scene.stage.commit("main", &files);
    let scene = Scene { pull, ..scene };
    let (all, routes) = asked(&scene, || scene.review(pull));
    assert_eq!(scene.now(), "failure");
    assert_eq!(routes[COMMENTS], MANY + 3, "each merged one once, and this one's");
    assert_eq!(routes[RIGHTS], 2, "two people approved");
    // 99 when each walk read everything again and asked about everybody anew.
    assert!(all <= 40, "{all}: {routes:#?}");
}

#[test]
fn what_anybody_may_ask_costs_no_walk() {
    let scene = merged(2);
    let pull = scene.another("worse", &losing_more());
    scene.review(pull).ran.ends(0);
    let scene = Scene { pull, ..scene };
    let says = |login: &str, words: &str| {
        let comment = scene.note(pull, login, words);
        asked(&scene, || scene.hear(pull, comment))
    };
    // Of help and of any other word 32 when everything was looked up before anybody asked what for.
    let (all, help) = says("mallory", "/rankhold help");
    assert!(all <= 17 && !help.contains_key("walk"), "{all}: {help:#?}");
    let (all, status) = says("mallory", "/rankhold status");
    assert!(all <= 20 && !status.contains_key("walk"), "{all}: {status:#?}");
    let (all, approve) = says("mallory", &scene.command());
    assert!(all <= 17 && !approve.contains_key("walk"), "{all}: {approve:#?}");
    assert_eq!(approve[PULL], 1);
    // Who may approve is told the figures that count.
    let (_, status) = says("max", "/rankhold status");
    assert!(status.contains_key("walk"), "{status:#?}");
    let answers = scene.replies(pull);
    let told: Vec<_> = answers.iter().filter(|answer| answer.contains(&scene.command())).collect();
    assert_eq!(told.len(), 2, "{answers:#?}");
    assert!(told[1].contains("hit@3 4/4") && !told[0].contains("hit@3 4/4"), "{told:#?}");
}
