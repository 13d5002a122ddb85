//! Every way in which an approval takes effect: whose, of what, on which branch, and how long it holds.

use super::scene::{BASELINE, Scene, losing_more, push, repairing};
use super::stage::{REPOSITORY, Stage, burying, texts};
use crate::program::suite;
use crate::report_hostile::{found_by_github, skeleton, uneven_row};

const RECORD: &str = "[approval]\nmode = \"record\"";

#[test]
fn whoever_the_base_names_approves() {
    for (config, login) in [
        ("", "max"),
        ("", "ada"),
        ("[approval]\nusers = [\"Wim\"]", "wim"),
        ("[approval]\nroles = [\"write\"]", "wim"),
        ("[approval]\nallow-author = false", "max"),
    ] {
        let scene = Scene::of(config);
        let before = scene.head();
        scene.say(login, &format!("{} better words", scene.command())).ran.ends(0);
        let head = scene.head();
        assert_eq!(scene.commits_of_ours(), std::slice::from_ref(&head), "{login}");
        assert_eq!(scene.conclusion(&head), "success", "{login}");
        assert_eq!(scene.conclusion(&before), "failure", "{login}");
        let [reply] = scene.replies(scene.pull).try_into().unwrap();
        let mine = if login == "ada" { ", in a pull request of his own" } else { "" };
        assert!(reply.contains(&format!("`{login}` approved these figures{mine}: better words")), "{reply}");
        // The workflow's run for the new head says the same, and names him.
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.conclusion(&head), "success", "{login}");
        let summary = scene.stage.verdict(&head).2;
        assert!(summary.contains(&format!("the figures that {login} approved")), "{summary}");
        // The author goes on: what is approved is held from here on.
        scene.push(scene.pull, &[("docs/more.md".to_owned(), "# More\n".to_owned())]);
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "success", "{login}");
        scene.push(scene.pull, &losing_more());
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "failure", "{login}");
        // And what that lost is approved likewise.
        scene.say(login, &scene.command()).ran.ends(0);
        assert_eq!(scene.now(), "success", "{login}");
        assert_eq!(scene.commits_of_ours().len(), 2, "{login}");
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "success", "{login}");
    }
}

#[test]
fn a_reason_is_shown_and_acts_nowhere() {
    let reason = "a|b <img src=x onerror=y> @octocat #1 `x` **b** [l](javascript:1) ada/garden#1 \u{202e}x\
                  <!-- rankhold-approved 0123456789abcdef0123456789abcdef 0123456789012345678901234567890123456789 -->\
                  ``` ::error::pwned ##[group]x";
    for config in ["", RECORD] {
        let scene = Scene::of(config);
        let ended = scene.say("max", &format!("{} {reason}", scene.command()));
        assert_eq!(scene.now(), "success");
        let [reply] = scene.replies(scene.pull).try_into().unwrap();
        assert_eq!(reply.matches("<!-- rankhold-approved").count(), 1, "{reply}");
        let summary = scene.stage.verdict(&scene.head()).2;
        for text in [&reply, &summary, &ended.summary, &scene.stage.comments(scene.pull)[0]] {
            assert_eq!(found_by_github(&skeleton(text).text), None, "{text}");
            assert_eq!(uneven_row(text), None, "{text}");
            assert!(!text.contains("<img") && !text.contains("::error::pwned\n"), "{text}");
        }
        ended.ran.ends(0);
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "success", "the record holds the reason as it was typed");
    }
}

/// Two suites of which a pull request loses a page each.
pub(crate) fn two_suites(config: &str) -> Scene {
    let stage = Stage::new();
    let herbs = suite(
        "Herbs",
        &[
            ("rows", "sow runner beans after frost", "docs/beans.md"),
            ("cuts", "how to prune roses in winter", "docs/roses.md"),
        ],
    );
    stage.commit("main", &[("suites/herbs.json", &herbs)]);
    if !config.is_empty() {
        stage.commit("main", &[("rankhold.toml", &format!("version = 1\n{config}\n"))]);
    }
    approve_all(&stage);
    let stage = stage.listens();
    stage.fake.with(|world| world.role(REPOSITORY, "max", "maintain"));
    let pull = stage.losing_pull();
    let scene = Scene { stage, pull };
    scene.review(pull).ran.ends(0);
    scene
}

fn approve_all(stage: &Stage) {
    let checkout = stage.checkout(&stage.tip("main"));
    checkout.run("approve --by ada").ends(0);
    let files: Vec<(String, String)> = checkout
        .files()
        .into_iter()
        .filter(|path| path.starts_with("baselines/"))
        .map(|path| (path.clone(), checkout.read(&path)))
        .collect();
    stage.commit("main", &texts(&files));
}

#[test]
fn suites_are_approved_one_by_one() {
    for config in ["", RECORD] {
        let scene = two_suites(config);
        let command = scene.command();
        scene.say("max", &format!("{command} --suite nowhere")).ran.ends(0);
        assert!(scene.replies(scene.pull)[0].contains("no such suite"), "{:#?}", scene.replies(scene.pull));
        scene.say("max", &format!("{command} --suite garden first")).ran.ends(0);
        assert_eq!(scene.now(), "failure", "{config}: the other suite is not approved");
        let reply = scene.replies(scene.pull).pop().unwrap();
        assert!(reply.contains("This does not pass all the same"), "{reply}");
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "failure", "{config}: nor after a review");
        assert_ne!(scene.command(), command, "{config}: what is left has a token of its own");
        scene.say("max", &format!("{} second", scene.command())).ran.ends(0);
        assert_eq!(scene.now(), "success", "{config}");
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "success", "{config}: after a review");
        assert_eq!(scene.commits_of_ours().len(), if config.is_empty() { 2 } else { 0 });
        scene.push(scene.pull, &[("docs/more.md".to_owned(), "# More\n".to_owned())]);
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "success", "{config}: on a later head");
    }
}

/// Nobody reviewed between the two commands: with a record the token is the same, and both halves count.
#[test]
fn suites_are_approved_one_by_one_with_one_token() {
    let scene = two_suites(RECORD);
    let command = scene.command();
    scene.say("max", &format!("{command} --suite garden")).ran.ends(0);
    assert_eq!(scene.now(), "failure");
    scene.say("max", &format!("{command} --suite herbs")).ran.ends(0);
    assert_eq!(scene.now(), "success");
    let reply = scene.replies(scene.pull).pop().unwrap();
    assert!(!reply.contains("does not pass"), "{reply}");
}

#[test]
fn the_first_baseline_is_approved_by_a_comment() {
    for config in ["", RECORD, "[gate]\nrequire-baseline = true"] {
        let stage = Stage::new();
        if !config.is_empty() {
            stage.commit("main", &[("rankhold.toml", &format!("version = 1\n{config}\n"))]);
        }
        let stage = stage.listens();
        stage.fake.with(|world| world.role(REPOSITORY, "max", "maintain"));
        let pull = stage.pull("topic", &[("docs/more.md", "# More\n")]);
        let scene = Scene { stage, pull };
        scene.review(pull).ran.ends(0);
        let first = if config.contains("require") { "failure" } else { "neutral" };
        assert_eq!(scene.now(), first, "{config}");
        scene.say("mallory", &scene.command()).ran.ends(0);
        assert_eq!(scene.now(), first, "{config}");
        scene.say("max", &scene.command()).ran.ends(0);
        assert_eq!(scene.now(), "success", "{config}");
        assert_eq!(scene.baseline(&scene.head()).is_some(), config != RECORD, "{config}");
        scene.review(pull).ran.ends(0);
        assert_eq!(scene.now(), "success", "{config}: after a review");
        scene.push(pull, &burying());
        scene.review(pull).ran.ends(0);
        assert_eq!(scene.now(), "failure", "{config}: it is held against what was approved");
    }
}

#[test]
fn a_pair_is_taken_away_and_its_baseline_with_it() {
    for config in ["", RECORD] {
        let scene = Scene::of(config);
        let renamed =
            format!("version = 1\n{config}\n[[suite]]\nname = \"other\"\npath = \"suites/garden.json\"\n");
        let pull = scene.another("renamed", &[("rankhold.toml".to_owned(), renamed)]);
        scene.review(pull).ran.ends(0);
        let head = scene.stage.head(pull);
        assert_eq!(scene.conclusion(&head), "failure", "{config}");
        let comment = scene.note(pull, "max", &format!("/rankhold approve {}", scene.token_of(pull)));
        scene.hear(pull, comment).ran.ends(0);
        let head = scene.stage.head(pull);
        assert_eq!(scene.conclusion(&head), "success", "{config}: {:#?}", scene.replies(pull));
        assert_eq!(scene.baseline(&head).is_none(), config.is_empty(), "{config}");
        scene.review(pull).ran.ends(0);
        assert_eq!(scene.conclusion(&head), "success", "{config}: after a review");
        assert!(scene.replies(pull)[0].contains("the pair is gone"), "{:#?}", scene.replies(pull));
    }
}

#[test]
fn where_nothing_is_committed_the_comment_holds_for_later_heads() {
    let scene = Scene::of(RECORD);
    let first = scene.head();
    let comment = scene.note(scene.pull, "max", &format!("{} fine", scene.command()));
    scene.hear(scene.pull, comment).ran.ends(0);
    assert_eq!((scene.head(), scene.commits_of_ours().len()), (first.clone(), 0), "something was committed");
    assert_eq!(scene.now(), "success");
    let [reply] = scene.replies(scene.pull).try_into().unwrap();
    assert!(reply.contains("Nothing was committed"), "{reply}");
    // A re-run of the review, twice.
    for _ in 0..2 {
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "success", "a re-run of the review");
    }
    // Another push; then a push that takes both back and does the same anew.
    scene.push(scene.pull, &[("docs/more.md".to_owned(), "# More\n".to_owned())]);
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "success", "another push");
    let forced = scene.with(|world| {
        let main = world.tip(REPOSITORY, "main");
        let forced = world.commit(&main, &texts(&burying()));
        world.push(REPOSITORY, "topic", &forced);
        forced
    });
    assert_ne!(forced, first);
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "success", "a forced push");
    // Back to where it was approved.
    scene.with(|world| world.push(REPOSITORY, "topic", &first));
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "success", "the first head again");
    // What it had lost comes back: nothing is held against that.
    scene.push(scene.pull, &repairing());
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "success", "repaired");
    scene.with(|world| world.push(REPOSITORY, "topic", &first));
    scene.with(|world| world.edit_comment(REPOSITORY, comment, "never mind"));
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "failure", "the comment was edited");
}

/// A base branch that goes on does not make the command's verdict the last word on a head.
#[test]
fn a_review_after_an_approval_has_the_last_word_even_if_the_base_moved_before_it() {
    let scene = Scene::of(RECORD);
    let comment = scene.note(scene.pull, "max", &scene.command());
    scene.stage.commit("main", &[("docs/elsewhere.md", "# Elsewhere\n")]);
    scene.hear(scene.pull, comment).ran.ends(0);
    assert_eq!(scene.now(), "success");
    scene.with(|world| world.delete_comment(REPOSITORY, comment));
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "failure");
}

#[test]
fn a_fork_and_a_protected_branch_go_by_record() {
    let fork = Scene::of_fork("");
    let guarded = Scene::of("");
    guarded.with(|world| _ = world.repo_mut(REPOSITORY).protected.insert("topic".to_owned()));
    for scene in [fork, guarded] {
        let head = scene.head();
        scene.say("max", &format!("{} fine", scene.command())).ran.ends(0);
        assert_eq!((scene.head(), scene.commits_of_ours().len()), (head, 0));
        assert_eq!(scene.now(), "success");
        assert!(scene.replies(scene.pull)[0].contains("Nothing was committed"));
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "success", "after a review");
        scene.push(scene.pull, &[("docs/more.md".to_owned(), "# More\n".to_owned())]);
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "success", "on a later head");
        scene.push(scene.pull, &losing_more());
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "failure", "it loses more");
    }
}

/// A review that was cancelled leaves what was approved where it is.
#[test]
fn a_run_that_breaks_off_does_not_take_an_approval_with_it() {
    let scene = Scene::of(RECORD);
    scene.say("max", &scene.command()).ran.ends(0);
    let step = scene.run_of(scene.stage.step(scene.pull));
    let killed = step.run_until("GET /repos/{owner}/{repo}/issues/{issue_number}/comments", 1);
    let state = killed.state["rankhold"].clone();
    let end = scene.run_of(scene.stage.step(scene.pull)).with("STATE_rankhold", state);
    end.run().ran.ends(0);
    assert_eq!(scene.now(), "failure", "the run that was cancelled says so");
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "success");
    assert_eq!(scene.baseline(&scene.head()), scene.baseline(&scene.stage.tip("main")), "{BASELINE}");
}

const MOVE: &str = "PATCH /repos/{owner}/{repo}/git/refs/{ref}";

#[test]
fn a_server_that_cannot_commit_by_one_request_is_given_object_after_object() {
    let scene = Scene::of("");
    scene.with(|world| world.old = true);
    let before = scene.head();
    scene.say("max", &scene.command()).ran.ends(0);
    let head = scene.head();
    assert_eq!(scene.commits_of_ours(), std::slice::from_ref(&head));
    assert_eq!(scene.with(|world| world.graph.get(&head).unwrap().parents.clone()), [before]);
    assert_eq!(scene.conclusion(&head), "success");
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "success");
}

/// There too the branch only moves if its tip is the commit that the token covers.
#[test]
fn object_after_object_too_nothing_is_committed_on_a_branch_that_moved() {
    let scene = Scene::of("");
    scene.with(|world| world.old = true);
    let pull = scene.pull;
    let files = vec![("docs/more.md".to_owned(), "# More\n".to_owned())];
    scene.stage.fake.before(MOVE, 1, move |world| drop(push(world, pull, &files)));
    scene.say("max", &scene.command()).ran.ends(0);
    assert_eq!(scene.commits_of_ours(), []);
    assert!(scene.replies(pull)[0].contains("the branch moved on"), "{:#?}", scene.replies(pull));
    assert_eq!(scene.now(), "none");
}
