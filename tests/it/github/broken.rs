//! The command's run, with something going wrong at each of its requests, stopped at each of them, and with somebody else at
//! work meanwhile: never two commits, never an approval without its record, never a green check without an approval, and a
//! second attempt finishes what the first began.

use std::collections::BTreeSet;

use rankhold::artifact::Baseline;
use rankhold::github::Sha;

use super::fake::world::World;
use super::fake::{Fake, GRAPHQL};
use super::faults::{FAULTS, Fault, Named, side_by_side};
use super::scene::{BASELINE, Scene, US, commits_of_ours, conclusion, losing_more, push};
use super::stage::{REPOSITORY, Step};

const RECORD: &str = "[approval]\nmode = \"record\"";

/// What an approval leaves where people and later runs look.
#[derive(Debug, PartialEq)]
struct Left {
    head: Sha,
    conclusion: String,
    baseline: Option<Vec<u8>>,
    commits: usize,
    /// What we said, the reports included.
    said: Vec<String>,
    texts: BTreeSet<Option<String>>,
}

impl Left {
    fn of(world: &World, pull: u64) -> Self {
        let head = world.repo(REPOSITORY).pulls[&pull].head_sha.clone();
        let baseline = match world.graph.tree(&head).get(BASELINE) {
            Some(super::fake::graph::Entry::File(bytes)) => Some(bytes.clone()),
            _ => None,
        };
        let is_doubt = |body: &str| body.contains("did not say") || body.contains("could not be read");
        let said = world.comments(REPOSITORY, pull).into_iter();
        let said = said.filter(|one| one.author == US && !is_doubt(&one.body));
        Self {
            conclusion: conclusion(world, &head),
            baseline,
            commits: commits_of_ours(world).len(),
            said: said.map(|one| one.body.replace("attempts/2", "attempts/1")).collect(),
            texts: world.checks(REPOSITORY, &head).iter().map(|check| check.text.clone()).collect(),
            head,
        }
    }
}

/// Whatever went wrong, nobody can be misled by what is there.
#[track_caller]
fn assert_sound(world: &World, pull: u64, comment: u64, may_approve: bool) {
    let ours = commits_of_ours(world);
    assert!(ours.len() <= usize::from(may_approve), "{ours:?}");
    for commit in &ours {
        let Some(super::fake::graph::Entry::File(bytes)) = world.graph.tree(commit).get(BASELINE) else {
            panic!("an approval without its file")
        };
        let record = Baseline::read(bytes).unwrap().approval.github.expect("an approval without its record");
        assert_eq!(record.comment, comment);
    }
    let head = &world.repo(REPOSITORY).pulls[&pull].head_sha;
    assert!(may_approve || !conclusion(world, head).contains("success"), "green");
    let commented = world.comments(REPOSITORY, pull).into_iter().filter(|one| one.author == US).count();
    // A stranger may hear that GitHub did not say what he may, and then that he may not.
    assert!(commented <= if may_approve { 2 } else { 3 }, "the report and one answer");
}

/// Runs a command undisturbed; then with each fault at each request; then with each route out of order, and again when it is
/// back; then stopped at each request, and again. Says how often it ran.
fn in_any_weather(scene: &Scene, comment: u64, may_approve: bool) -> usize {
    let step = scene.run_of(scene.stage.heard(scene.pull, comment));
    let left = |fake: &Fake| fake.with(|world| Left::of(world, scene.pull));
    let fake = scene.stage.fake.copy();
    step.play(&fake, &[]).ran.ends(0);
    let calm = left(&fake);
    assert_eq!(calm.conclusion, if may_approve { "success" } else { "failure" });
    let routes: Vec<String> = fake.log().into_iter().map(|logged| logged.route).collect();

    let places = routes.iter().enumerate();
    let cases: Vec<_> = places.flat_map(|place| FAULTS.iter().map(move |fault| (place, *fault))).collect();
    side_by_side(&cases, |&((position, route), fault)| {
        let _named = Named(format!("{fault:?} at request {position}, {route}"));
        let fake = scene.stage.fake.copy();
        fake.fail_at(position, fault);
        let ended = step.play(&fake, &[]);
        fake.with(|world| assert_sound(world, scene.pull, comment, may_approve));
        assert_eq!(left(&fake), calm, "{}", ended.ran.err);
    });

    let kinds: BTreeSet<&String> = routes.iter().collect();
    let lasting = [Fault::ServerError, Fault::SecondaryLimit, Fault::Unanswered];
    let outages: Vec<_> = kinds.into_iter().flat_map(|route| lasting.map(|fault| (route, fault))).collect();
    side_by_side(&outages, |&(route, fault)| {
        let _named = Named(format!("{fault:?} at every request of {route}"));
        let fake = scene.stage.fake.copy();
        fake.fail_always(route, fault);
        let first = step.play(&fake, &[]);
        assert!([0, 3].contains(&first.ran.code), "{}{}", first.ran.out, first.ran.err);
        fake.with(|world| assert_sound(world, scene.pull, comment, may_approve));
        fake.recover();
        let again = step.play(&fake, &[("GITHUB_RUN_ATTEMPT", "2")]);
        fake.with(|world| assert_sound(world, scene.pull, comment, may_approve));
        assert_eq!(left(&fake), calm, "{}{}", again.ran.out, again.ran.err);
    });

    let nth = |position: usize| routes[..=position].iter().filter(|one| **one == routes[position]).count();
    let stops: Vec<(usize, usize)> = (0..routes.len()).map(|position| (position, nth(position))).collect();
    side_by_side(&stops, |&(position, nth)| {
        let _named = Named(format!("stopped at request {position}, {}", routes[position]));
        let there = scene.copy();
        let step =
            there.stage.heard(there.pull, comment).with("GITHUB_RUN_ID", step.variable("GITHUB_RUN_ID"));
        step.run_until(&routes[position], nth);
        there.with(|world| assert_sound(world, there.pull, comment, may_approve));
        step.with("GITHUB_RUN_ATTEMPT", "2").run().ran.ends(0);
        there.with(|world| assert_sound(world, there.pull, comment, may_approve));
        assert_eq!(left(&there.stage.fake), calm);
    });
    1 + cases.len() + 2 * outages.len() + 2 * stops.len()
}

#[test]
fn an_approval_that_is_committed() {
    let scene = Scene::of("");
    let comment = scene.note(scene.pull, "max", &scene.command());
    let runs = in_any_weather(&scene, comment, true);
    assert!(runs >= 300, "{runs}");
}

#[test]
fn an_approval_that_is_recorded() {
    let scene = Scene::of(RECORD);
    let comment = scene.note(scene.pull, "max", &scene.command());
    let runs = in_any_weather(&scene, comment, true);
    assert!(runs >= 300, "{runs}");
}

#[test]
fn a_command_that_is_refused() {
    let scene = Scene::of("");
    let comment = scene.note(scene.pull, "mallory", &scene.command());
    let runs = in_any_weather(&scene, comment, false);
    assert!(runs >= 150, "{runs}");
}

/// Two maintainers at the same moment: one commit, with the record of one, and the other hears of it.
#[test]
fn of_two_approvals_at_once_one_wins_and_the_other_is_told() {
    for round in 0..6 {
        let scene = Scene::of("");
        let command = scene.command();
        let said: Vec<(u64, Step<'_>)> = ["max", "bea"]
            .iter()
            .map(|login| {
                let comment = scene.note(scene.pull, login, &command);
                (comment, scene.run_of(scene.stage.heard(scene.pull, comment)))
            })
            .collect();
        side_by_side(&said, |(_, step)| drop(step.run()));
        let ours = scene.commits_of_ours();
        assert_eq!(ours.len(), 1, "round {round}");
        assert_eq!(scene.now(), "success", "round {round}");
        let text = scene.baseline(&ours[0]).unwrap();
        let record = Baseline::read(text.as_bytes()).unwrap().approval.github.unwrap();
        let replies = scene.replies(scene.pull);
        assert_eq!(replies.len(), 2, "round {round}: {replies:#?}");
        let won = |reply: &&String| reply.contains("approved these figures");
        assert_eq!(replies.iter().filter(won).count(), 1, "round {round}: {replies:#?}");
        let winner = replies.iter().find(won).unwrap();
        assert!(winner.contains(&format!("<!-- rankhold:reply:{} -->", record.comment)), "{winner}");
        let other = replies.iter().find(|reply| !won(reply)).unwrap();
        assert!(other.contains("other figures") || other.contains("moved on"), "{other}");
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "success", "round {round}: after a review");
    }
}

/// Which GraphQL request of a command is the commit, from 1.
fn commit_call(scene: &Scene, comment: u64) -> usize {
    let step = scene.run_of(scene.stage.heard(scene.pull, comment));
    let fake = scene.stage.fake.copy();
    step.run_against(&fake);
    let asked: Vec<_> = fake.log().into_iter().filter(|logged| logged.route == GRAPHQL).collect();
    let is_commit = |logged: &super::fake::Logged| logged.body.to_string().contains("createCommitOnBranch");
    1 + asked.iter().position(is_commit).expect("it commits")
}

#[test]
fn a_push_between_the_look_and_the_commit_wins() {
    let scene = Scene::of("");
    let comment = scene.note(scene.pull, "max", &scene.command());
    let (nth, pull) = (commit_call(&scene, comment), scene.pull);
    scene.stage.fake.before(GRAPHQL, nth, move |world| _ = push(world, pull, &losing_more()));
    let approved = scene.head();
    scene.hear(scene.pull, comment).ran.ends(0);
    assert_ne!(scene.head(), approved);
    assert_eq!(scene.commits_of_ours(), [] as [Sha; 0]);
    assert!(!scene.now().contains("success") && scene.conclusion(&approved) == "failure");
    let [reply] = scene.replies(scene.pull).try_into().unwrap();
    assert!(reply.contains("moved on"), "{reply}");
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "failure");
}

/// Another run of ours commits the same figures for another comment, and our answer is lost: its commit is not ours.
#[test]
fn a_commit_for_another_comment_is_not_taken_for_one_s_own() {
    let scene = Scene::of("");
    let (command, token) = (scene.command(), scene.token());
    let (mine, other) = (scene.note(scene.pull, "max", &command), scene.note(scene.pull, "bea", &command));
    let text = scene.forged(scene.pull, "bea", other);
    let nth = commit_call(&scene, mine);
    scene.stage.fake.before(GRAPHQL, nth, move |world| {
        let tip = world.tip(REPOSITORY, "topic");
        let mut commit = {
            let made = world.commit(&tip, &[(BASELINE, &text)]);
            world.graph.get(&made).unwrap().clone()
        };
        (commit.author, commit.message) = (US.to_owned(), format!("Approve retrieval baselines ({token})"));
        let sha = world.graph.add(commit);
        world.push(REPOSITORY, "topic", &sha);
    });
    scene.stage.fake.fail(GRAPHQL, nth, Fault::AnswerLost);
    scene.hear(scene.pull, mine).ran.ends(0);
    let [reply] = scene.replies(scene.pull).try_into().unwrap();
    assert!(reply.contains("moved on"), "{reply}");
    assert_eq!(scene.now(), "none", "the verdict there is the other run's to give");
}

/// A push in the moment after the commit: the verdict stays with the commit that was approved.
#[test]
fn a_push_right_after_the_commit_is_not_approved() {
    let scene = Scene::of("");
    let comment = scene.note(scene.pull, "max", &scene.command());
    let (nth, pull) = (commit_call(&scene, comment), scene.pull);
    scene.stage.fake.after(GRAPHQL, nth, move |world| _ = push(world, pull, &losing_more()));
    scene.hear(scene.pull, comment).ran.ends(0);
    let [ours] = scene.commits_of_ours().try_into().unwrap();
    assert_eq!(scene.conclusion(&ours), "success");
    assert_eq!(scene.now(), "none");
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "failure");
}
