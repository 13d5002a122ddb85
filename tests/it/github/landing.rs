//! After the merge: what was approved without a commit stays in force, and its files are proposed.

use super::fake::world::Merge;
use super::scene::{BASELINE, Scene, US, losing_more};
use super::stage::{Ended, REPOSITORY, texts};

const RECORD: &str = "[approval]\nmode = \"record\"";

const WAYS: [Merge; 3] = [Merge::Commit, Merge::Squash, Merge::Rebase];

/// A pull request whose figures were approved by a comment alone: of a branch, or of a fork.
fn approved(foreign: bool) -> Scene {
    let scene = if foreign { Scene::of_fork("") } else { Scene::of(RECORD) };
    scene.with(|world| world.repo_mut(REPOSITORY).workflows_open = true);
    scene.say("max", &scene.command()).ran.ends(0);
    assert_eq!(scene.now(), "success");
    assert!(scene.commits_of_ours().is_empty());
    scene
}

/// A pull request of somebody else, on what main is now.
fn reviewed(scene: &Scene, branch: &str, files: &[(String, String)]) -> (u64, String) {
    let pull = scene.another(branch, files);
    scene.review(pull).ran.ends(0);
    (pull, scene.conclusion(&scene.stage.head(pull)))
}

fn page() -> Vec<(String, String)> {
    vec![("docs/more.md".to_owned(), "# More\n".to_owned())]
}

#[test]
fn what_was_approved_is_in_force_and_proposed_however_it_was_merged() {
    for foreign in [false, true] {
        for how in WAYS {
            let scene = approved(foreign);
            scene.push(scene.pull, &page()); // several commits, of which the last was never approved itself
            scene.review(scene.pull).ran.ends(0);
            let merged = scene.merge(scene.pull, how);
            let before = scene.baseline(&merged);
            let ended = scene.pushed();
            ended.ran.ends(0);
            assert_eq!(scene.conclusion(&merged), "success", "{how:?} {foreign}");
            let summary = scene.stage.verdict(&merged).2;
            assert!(summary.contains("the figures that max approved in pull request 1"), "{summary}");
            assert!(ended.summary.contains("are proposed in"), "{}", ended.summary);

            let [proposal] = scene.proposals().try_into().unwrap();
            assert_eq!(proposal.base, "main");
            let text = proposal.body.clone().unwrap();
            assert!(text.contains("`max`") && text.contains("#1"), "{text}");
            let changed = scene.with(|world| world.graph.changes(&merged, &proposal.head_sha));
            let paths: Vec<_> = changed.iter().map(|change| change.path.as_str()).collect();
            assert_eq!(paths, [BASELINE]);
            assert_eq!(scene.conclusion(&proposal.head_sha), "success");
            // A workflow that runs for it, since an App's token opened it or somebody updated it, says so too.
            scene.review(proposal.number).ran.ends(0);
            assert_eq!(scene.conclusion(&proposal.head_sha), "success");

            // Others are judged by what was approved: no loss is one more than approved.
            assert_eq!(reviewed(&scene, "idle", &page()).1, "success");
            assert_eq!(reviewed(&scene, "worse", &losing_more()).1, "failure");

            let landed = scene.merge(proposal.number, how);
            assert_ne!(scene.baseline(&landed), before);
            assert_eq!(scene.baseline(&landed), scene.baseline(&proposal.head_sha));
            scene.pushed().ran.ends(0);
            assert_eq!(scene.conclusion(&landed), "success");
            let summary = scene.stage.verdict(&landed).2;
            assert!(!summary.contains("has not yet"), "{summary}");
            assert!(scene.proposals().is_empty(), "nothing waits any more");
            assert_eq!(reviewed(&scene, "later", &page()).1, "success");
        }
    }
}

#[test]
fn several_merges_between_two_runs_are_one_proposal() {
    let scene = approved(false);
    scene.merge(scene.pull, Merge::Squash);
    // The next one is judged by what was approved before, and approved in turn; no run of main between them.
    let (second, conclusion) = reviewed(&scene, "second", &losing_more());
    assert_eq!(conclusion, "failure");
    let scene = Scene { pull: second, ..scene };
    scene.say("bea", &scene.command()).ran.ends(0);
    assert_eq!(scene.now(), "success");
    let merged = scene.merge(second, Merge::Rebase);
    scene.pushed().ran.ends(0);
    assert_eq!(scene.conclusion(&merged), "success");
    let [proposal] = scene.proposals().try_into().unwrap();
    let text = proposal.body.unwrap();
    assert!(text.contains("`bea`") && text.contains("#2") && !text.contains("#1"), "{text}");
}

#[test]
fn a_proposal_is_kept_current_in_one_pull_request() {
    let scene = approved(false);
    scene.merge(scene.pull, Merge::Squash);
    scene.pushed().ran.ends(0);
    let [first] = scene.proposals().try_into().unwrap();

    // What changes nothing that is approved leaves it alone.
    scene.stage.commit("main", &texts(&page()));
    scene.pushed().ran.ends(0);
    let [same] = scene.proposals().try_into().unwrap();
    assert_eq!((same.number, &same.head_sha), (first.number, &first.head_sha));

    let (second, _) = reviewed(&scene, "second", &losing_more());
    let scene = Scene { pull: second, ..scene };
    scene.say("max", &scene.command()).ran.ends(0);
    scene.merge(second, Merge::Squash);
    scene.pushed().ran.ends(0);
    let [newer] = scene.proposals().try_into().unwrap();
    assert_eq!(newer.number, first.number);
    assert_ne!(newer.head_sha, first.head_sha);
    assert!(newer.body.unwrap().contains("#3"));
    let parents = scene.with(|world| world.graph.get(&newer.head_sha).unwrap().parents.clone());
    assert_eq!(parents, [scene.stage.tip("main")]);

    // Somebody filed it by hand: there is nothing to propose.
    let text = scene.baseline(&newer.head_sha).unwrap();
    scene.stage.commit("main", &[(BASELINE, &text)]);
    scene.pushed().ran.ends(0);
    assert!(scene.proposals().is_empty());
    assert_eq!(scene.conclusion(&scene.stage.tip("main")), "success");
}

#[test]
fn commits_of_others_are_not_overwritten() {
    let scene = approved(false);
    scene.stage.commit("rankhold/baselines", &texts(&page()));
    let there = scene.stage.tip("rankhold/baselines");
    scene.merge(scene.pull, Merge::Squash);
    let ended = scene.pushed();
    ended.ran.ends(0);
    assert!(ended.summary.contains("has commits that are not"), "{}", ended.summary);
    assert_eq!(scene.stage.tip("rankhold/baselines"), there);
    assert_eq!(scene.conclusion(&scene.stage.tip("main")), "success");
    assert!(scene.proposals().is_empty());
}

#[test]
fn what_a_token_may_not_is_left_to_people() {
    let scene = approved(false);
    scene.with(|world| world.repo_mut(REPOSITORY).workflows_open = false);
    let merged = scene.merge(scene.pull, Merge::Squash);
    // It may not even write: the verdict is there all the same.
    let ended = scene.run_of(scene.stage.pushed("main")).run();
    ended.ran.ends(0);
    assert!(ended.summary.contains("contents: write"), "{}", ended.summary);
    assert_eq!(scene.conclusion(&merged), "success");
    assert!(!scene.with(|world| world.repo(REPOSITORY).branches.contains_key("rankhold/baselines")));
    // It may write, and open nothing: the branch is there, and the link that opens it.
    let ended = scene.pushed();
    let err = ended.ran.ends(0).err;
    assert!(err.contains("/compare/main...rankhold/baselines?expand=1"), "{err}");
    assert!(scene.proposals().is_empty());
    let head = scene.stage.tip("rankhold/baselines");
    assert_eq!(scene.conclusion(&head), "success");
    // Whoever opens it, it holds.
    let by_hand = scene.with(|world| world.pull(REPOSITORY, "rankhold/baselines", "main"));
    scene.review(by_hand).ran.ends(0);
    assert_eq!(scene.conclusion(&head), "success");
    // And the next run keeps it current without another.
    scene.pushed().ran.ends(0);
    assert_eq!(scene.with(|world| world.repo(REPOSITORY).pulls.len()), 2);
}

/// The verdict on main once something happened to the approval.
fn after(how: Merge, what: impl FnOnce(&Scene)) -> (String, usize) {
    let scene = approved(false);
    let merged = scene.merge(scene.pull, how);
    what(&scene);
    scene.pushed().ran.ends(0);
    (scene.conclusion(&merged), scene.proposals().len())
}

fn approving_comment(scene: &Scene) -> u64 {
    scene.with(|world| {
        let comments = world.comments(REPOSITORY, scene.pull);
        comments.iter().find(|comment| comment.body.starts_with("/rankhold approve")).unwrap().id
    })
}

#[test]
fn an_approval_that_does_not_hold_any_more_is_none() {
    assert_eq!(after(Merge::Squash, |_| {}), ("success".to_owned(), 1));
    let nothing = ("failure".to_owned(), 0);
    let edited = |scene: &Scene| {
        let comment = approving_comment(scene);
        scene.with(|world| {
            let body = world.repo(REPOSITORY).comments[&comment].body.clone();
            world.edit_comment(REPOSITORY, comment, &body);
        });
    };
    assert_eq!(after(Merge::Squash, edited), nothing);
    let deleted = |scene: &Scene| {
        let comment = approving_comment(scene);
        scene.with(|world| world.delete_comment(REPOSITORY, comment));
    };
    assert_eq!(after(Merge::Commit, deleted), nothing);
    let demoted = |scene: &Scene| scene.with(|world| world.role(REPOSITORY, "max", "write"));
    assert_eq!(after(Merge::Rebase, demoted), nothing);
    let another_baseline = |scene: &Scene| {
        let text = scene.baseline(&scene.stage.tip("main")).unwrap();
        scene.stage.commit("main", &[("rankhold.toml", "version = 1\n[approval]\nmode = \"file\"\n")]);
        scene.stage.commit("main", &[(BASELINE, &format!("{text}\n"))]);
    };
    let scene = approved(false);
    scene.merge(scene.pull, Merge::Squash);
    another_baseline(&scene);
    scene.pushed().ran.ends(0);
    assert_eq!(scene.conclusion(&scene.stage.tip("main")), "failure", "`file` knows no comments");
}

/// Merged over a red check, and approved afterwards: that is no approval.
#[test]
fn what_is_said_after_the_merge_approves_nothing() {
    let scene = Scene::of(RECORD);
    let command = scene.command();
    let merged = scene.merge(scene.pull, Merge::Squash);
    scene.say("max", &command).ran.ends(0);
    scene.pushed().ran.ends(0);
    assert_eq!(scene.conclusion(&merged), "failure");
    assert!(scene.proposals().is_empty());
    assert!(scene.replies(scene.pull)[0].contains("not open"), "{:#?}", scene.replies(scene.pull));
}

/// Whoever takes a baseline back on purpose does not get it again from the comment that once led to it.
#[test]
fn a_file_that_was_taken_back_stays_back() {
    for how in WAYS {
        let scene = approved(false);
        let before = scene.baseline(&scene.stage.tip("main")).unwrap();
        scene.merge(scene.pull, how);
        scene.pushed().ran.ends(0);
        let [proposal] = scene.proposals().try_into().unwrap();
        scene.merge(proposal.number, how);
        scene.stage.commit("main", &[(BASELINE, &before)]);
        scene.pushed().ran.ends(0);
        assert_eq!(scene.conclusion(&scene.stage.tip("main")), "failure", "{how:?}");
        assert!(scene.proposals().is_empty(), "{how:?}");
    }
}

#[test]
fn a_copy_of_what_waits_is_as_good_and_one_with_an_edit_is_not() {
    let scene = approved(false);
    scene.merge(scene.pull, Merge::Squash);
    scene.pushed().ran.ends(0);
    let text = scene.baseline(&scene.stage.tip("rankhold/baselines")).unwrap();
    let file = |text: &str| vec![(BASELINE.to_owned(), text.to_owned())];
    assert_eq!(reviewed(&scene, "copy", &file(&text)).1, "success");
    let edited = text.replacen("max", "maxi", 1);
    assert_ne!(edited, text);
    assert_eq!(reviewed(&scene, "edited", &file(&edited)).1, "failure");
}

#[test]
fn a_merge_group_rests_on_what_waits() {
    let scene = approved(false);
    scene.merge(scene.pull, Merge::Squash);
    scene.pushed().ran.ends(0);
    let idle = scene.another("idle", &page());
    let group = scene.stage.group(idle);
    let queued = |scene: &Scene, group| -> Ended { scene.run_of(scene.stage.queued(group)).run() };
    queued(&scene, &group).ran.ends(0);
    assert_eq!(scene.conclusion(&group), "success");
    let [proposal] = scene.proposals().try_into().unwrap();
    let group = scene.stage.group(proposal.number);
    queued(&scene, &group).ran.ends(0);
    assert_eq!(scene.conclusion(&group), "success");
    let worse = scene.another("worse", &losing_more());
    let group = scene.stage.group(worse);
    queued(&scene, &group).ran.ends(0);
    assert_eq!(scene.conclusion(&group), "failure");
}

/// A page of commits later, and with more comments than come along.
#[test]
fn an_approval_is_found_far_behind() {
    let scene = approved(false);
    for at in 0..120 {
        scene.note(scene.pull, "bea", &format!("comment {at}"));
    }
    scene.merge(scene.pull, Merge::Squash);
    for at in 0..70 {
        scene.stage.commit("main", &[("docs/more.md", &format!("# More {at}\n"))]);
    }
    scene.pushed().ran.ends(0);
    assert_eq!(scene.conclusion(&scene.stage.tip("main")), "success");
    assert_eq!(scene.proposals().len(), 1);
}

#[test]
fn the_first_baseline_and_the_end_of_a_pair_wait_likewise() {
    let scene = approved(false);
    // The pair is given up.
    scene.merge(scene.pull, Merge::Squash);
    scene.pushed().ran.ends(0);
    let [proposal] = scene.proposals().try_into().unwrap();
    scene.merge(proposal.number, Merge::Squash);
    let config =
        format!("version = 1\n{RECORD}\n[[suite]]\nname = \"other\"\npath = \"suites/garden.json\"\n");
    let (gone, conclusion) = reviewed(&scene, "other", &[("rankhold.toml".to_owned(), config)]);
    assert_eq!(conclusion, "failure");
    let scene = Scene { pull: gone, ..scene };
    scene.say("max", &scene.command()).ran.ends(0);
    assert_eq!(scene.now(), "success");
    let merged = scene.merge(gone, Merge::Rebase);
    scene.pushed().ran.ends(0);
    assert_eq!(scene.conclusion(&merged), "success");
    let [proposal] = scene.proposals().try_into().unwrap();
    assert_eq!(scene.baseline(&proposal.head_sha), None);
    let text = proposal.body.clone().unwrap();
    assert!(text.contains("given up") && text.contains("`other`"), "{text}");
    // Nobody may lose the pair that has no file yet.
    let config = format!("version = 1\n{RECORD}\n");
    assert_eq!(reviewed(&scene, "lost", &[("rankhold.toml".to_owned(), config)]).1, "failure");
    let landed = scene.merge(proposal.number, Merge::Squash);
    scene.pushed().ran.ends(0);
    assert_eq!(scene.conclusion(&landed), "success");
    assert!(scene.proposals().is_empty());
}

/// An App's token proposes where one is given, and the workflow's own writes the verdict.
#[test]
fn an_app_proposes() {
    let scene = approved(false);
    scene.with(|world| world.repo_mut(REPOSITORY).workflows_open = false);
    scene.merge(scene.pull, Merge::Squash);
    let secret = scene.with(|world| {
        let token = world.app_token("gardener", REPOSITORY, &["contents: write", "pull-requests: write"]);
        world.secret(&token)
    });
    let step = scene.stage.pushed("main").input("commit-token", &secret);
    scene.run_of(step).run().ran.ends(0);
    let pulls = scene.with(|world| world.repo(REPOSITORY).pulls.clone());
    let proposal = &pulls[&2];
    assert_eq!(proposal.author, "gardener[bot]");
    assert_eq!(scene.conclusion(&proposal.head_sha), "success");
    assert_ne!(proposal.author, US);
}

/// Somebody who may write and not approve puts a commit of his under one that looks like ours.
#[test]
fn what_lies_under_a_commit_like_ours_is_no_proposal() {
    let scene = approved(false);
    scene.merge(scene.pull, Merge::Squash);
    scene.pushed().ran.ends(0);
    let [proposal] = scene.proposals().try_into().unwrap();
    let text = scene.baseline(&proposal.head_sha).unwrap();
    let evil = scene.with(|world| {
        let main = world.tip(REPOSITORY, "main");
        let below = world.commit(&main, &texts(&losing_more()));
        let top = world.commit(&below, &[(BASELINE, &text)]);
        world.graph.rename(&top, "Baselines that were approved");
        world.push(REPOSITORY, "rankhold/baselines", &top);
        top
    });
    scene.review(proposal.number).ran.ends(0);
    assert_eq!(scene.conclusion(&evil), "failure");
    let ended = scene.pushed();
    ended.ran.ends(0);
    assert_eq!(scene.conclusion(&evil), "failure", "what was measured stays");
    assert!(ended.summary.contains("that are not rankhold"), "{}", ended.summary);
}

/// Somebody presses "Update branch", and the proposal is merged: the branch is free again.
#[test]
fn an_updated_proposal_is_left_alone_and_replaced_once_it_is_merged() {
    let scene = approved(false);
    scene.merge(scene.pull, Merge::Squash);
    scene.pushed().ran.ends(0);
    let [proposal] = scene.proposals().try_into().unwrap();
    scene.stage.commit("main", &texts(&page()));
    scene.with(|world| {
        let main = world.tip(REPOSITORY, "main");
        let updated = world.merge_commit(&proposal.head_sha, &main);
        world.push(REPOSITORY, "rankhold/baselines", &updated);
    });
    scene.review(proposal.number).ran.ends(0);
    scene.pushed().ran.ends(0);
    assert_eq!(scene.conclusion(&scene.stage.head(proposal.number)), "success");
    scene.merge(proposal.number, Merge::Commit);
    let (second, _) = reviewed(&scene, "second", &losing_more());
    let scene = Scene { pull: second, ..scene };
    scene.say("max", &scene.command()).ran.ends(0);
    scene.merge(second, Merge::Squash);
    scene.pushed().ran.ends(0);
    assert_eq!(scene.proposals().len(), 1);
}

/// A fork has a pull request of the same number, merged into its own main, that brought a commit of ours.
#[test]
fn a_number_of_another_repository_is_none_of_ours() {
    let scene = Scene::of(RECORD);
    scene.say("max", &scene.command()).ran.ends(0);
    assert_eq!(scene.now(), "success");
    let other = scene.another("idle", &page());
    let merged = scene.merge(other, Merge::Commit);
    let body = format!("/rankhold approve {}", "0".repeat(32));
    scene.with(|world| {
        world.repo_mut(REPOSITORY).brought_elsewhere =
            vec![(merged.clone(), scene.pull, body.clone()), (merged.clone(), 4711, body)];
    });
    scene.pushed().ran.ends(0);
    assert!(scene.proposals().is_empty());
    assert_eq!(reviewed(&scene, "worse", &super::stage::burying()).1, "failure");
}

#[test]
fn more_pull_requests_than_come_along_are_asked_for() {
    let scene = approved(false);
    scene.merge(scene.pull, Merge::Squash);
    let merged = scene.stage.tip("main");
    scene.with(|world| {
        let theirs = (100..130).map(|number| (merged.clone(), number, String::new()));
        world.repo_mut(REPOSITORY).brought_elsewhere = theirs.collect();
    });
    scene.pushed().ran.ends(0);
    assert_eq!(scene.conclusion(&merged), "success");
    assert_eq!(scene.proposals().len(), 1);
}

/// The commit was a tip of main by mistake, and its own push held it against itself.
#[test]
fn what_was_held_against_itself_says_nothing_of_a_pull_request() {
    let stage = super::stage::Stage::approved();
    let main = stage.tip("main");
    let worse = stage.commit("main", &texts(&super::stage::burying()));
    let checkout = stage.checkout(&worse);
    checkout.run("approve --by wim").ends(0);
    let worse = stage.commit("main", &[(BASELINE, &checkout.read(BASELINE))]);
    stage.pushed("main").run().ran.ends(0);
    assert_eq!(stage.verdict(&worse).0, "success");
    let pull = stage.fake.with(|world| {
        world.push(REPOSITORY, "main", &main);
        world.push(REPOSITORY, "oops", &worse);
        world.pull(REPOSITORY, "oops", "main")
    });
    stage.step(pull).with("GITHUB_RUN_ID", "900").run().ran.ends(0);
    let says = stage.fake.with(|world| super::scene::ours(world, &worse).last().unwrap().conclusion.clone());
    assert_eq!(says.as_deref(), Some("failure"), "the newest of the name is the one that GitHub shows");
}

/// It was approved that the pair goes, and then it stayed.
#[test]
fn a_removal_is_none_while_the_pair_is_there() {
    let scene = Scene::of(RECORD);
    scene.with(|world| world.repo_mut(REPOSITORY).workflows_open = true);
    let config = |extra: &str| format!("version = 1\n{RECORD}\n{extra}");
    let renamed = config("[[suite]]\nname = \"other\"\npath = \"suites/garden.json\"\n");
    let (pull, _) = reviewed(&scene, "renamed", &[("rankhold.toml".to_owned(), renamed)]);
    let scene = Scene { pull, ..scene };
    scene.say("max", &format!("{} --suite garden", scene.command())).ran.ends(0);
    scene.push(pull, &[("rankhold.toml".to_owned(), config(""))]);
    scene.review(pull).ran.ends(0);
    assert_eq!(scene.now(), "success");
    let merged = scene.merge(pull, Merge::Squash);
    scene.pushed().ran.ends(0);
    assert_eq!(scene.conclusion(&merged), "success", "held against its file, as before");
    for proposal in scene.proposals() {
        assert!(scene.baseline(&proposal.head_sha).is_some(), "its file is to go");
    }
    assert_eq!(reviewed(&scene, "worse", &super::stage::burying()).1, "failure");
}

/// He was refused, and maintains the repository since.
#[test]
fn a_refused_command_is_none_whoever_its_author_is_today() {
    let scene = Scene::of(RECORD);
    scene.with(|world| world.repo_mut(REPOSITORY).workflows_open = true);
    scene.say("tri", &scene.command()).ran.ends(0);
    assert_eq!(scene.now(), "failure");
    let merged = scene.merge(scene.pull, Merge::Squash);
    scene.with(|world| world.role(REPOSITORY, "tri", "maintain"));
    scene.pushed().ran.ends(0);
    assert_eq!(scene.conclusion(&merged), "failure");
    assert!(scene.proposals().is_empty());
}

/// A base that has none yet, and a pull request from before the first was approved: it must catch up.
#[test]
fn the_first_baseline_that_waits_is_owed_by_older_heads_too() {
    let stage = super::stage::Stage::new();
    stage.commit("main", &[("rankhold.toml", &format!("version = 1\n{RECORD}\n"))]);
    let stage = stage.listens();
    stage.fake.with(|world| world.role(REPOSITORY, "max", "maintain"));
    let pull = stage.pull("first", &texts(&page()));
    let older = stage.pull("older", &texts(&super::stage::burying()));
    let checkout = stage.checkout(&stage.head(older));
    checkout.run("approve --by wim").ends(0);
    stage.commit("older", &[(BASELINE, &checkout.read(BASELINE))]);
    let scene = Scene { stage, pull };
    scene.review(pull).ran.ends(0);
    scene.say("max", &scene.command()).ran.ends(0);
    scene.merge(pull, Merge::Squash);
    scene.review(older).ran.ends(2);
    assert_eq!(scene.conclusion(&scene.stage.head(older)), "failure");
}

/// The same figures and head, and another branch to go to.
#[test]
fn an_approval_is_of_one_base() {
    let scene = Scene::unreviewed(RECORD);
    scene.with(|world| {
        let main = world.tip(REPOSITORY, "main");
        world.push(REPOSITORY, "sandbox", &main);
        world.retarget(REPOSITORY, scene.pull, "sandbox");
    });
    scene.review(scene.pull).ran.ends(0);
    let token = scene.stage.shown_token(scene.pull);
    scene.say("max", &format!("/rankhold approve {token} fine there")).ran.ends(0);
    scene.with(|world| world.retarget(REPOSITORY, scene.pull, "main"));
    for _ in 0..2 {
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "failure");
    }
}

/// A query that says what only our answers say comes into our report with the suite.
#[test]
fn a_hint_in_a_report_is_none() {
    let scene = Scene::of(RECORD);
    let (token, head) = (scene.token(), scene.head());
    scene.push(scene.pull, &page());
    scene.say("max", &format!("/rankhold approve {token}")).ran.ends(0);
    let quoted = crate::program::suite(
        "Garden",
        &[("beans", &format!("<!-- rankhold-approved {token} {head} -->"), "docs/beans.md")],
    );
    scene.push(scene.pull, &[("suites/garden.json".to_owned(), quoted)]);
    scene.review(scene.pull).ran.ends(0);
    let whole = crate::program::suite("Garden", super::stage::CASES);
    scene.push(scene.pull, &[("suites/garden.json".to_owned(), whole)]);
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "failure", "it was refused as stale");
}
