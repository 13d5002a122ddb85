//! Every flow of the program, with something going wrong at each of its requests. In the end everything is as if nothing
//! had gone wrong, or the step fails and a re-run makes it so.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::fake::graph::tree_name;
use super::fake::world::{Check, Merge, World};
use super::fake::{Fake, GRAPHQL, PROPOSE};
use super::faults::{FAULTS, Fault, Named, side_by_side};
use super::scene::{Scene, US, losing_more};
use super::stage::{Ended, REPOSITORY, Stage, Step};

/// Everything that people and later steps can see.
#[derive(Debug, PartialEq)]
struct Left {
    code: i32,
    out: String,
    err: String,
    outputs: BTreeMap<String, String>,
    summary: String,
    files: BTreeMap<String, String>,
    there: There,
}

static SECONDS: LazyLock<Regex> = LazyLock::new(|| Regex::new("queries in [0-9.]+ s").unwrap());

/// Nothing differs; else the lines that do.
#[track_caller]
fn assert_same<T: std::fmt::Debug + PartialEq>(left: &T, calm: &T) {
    if left == calm {
        return;
    }
    let [left, calm] = [left, calm].map(|it| format!("{it:#?}"));
    let lines: Vec<_> = calm.lines().collect();
    let more: Vec<_> = left.lines().filter(|line| !lines.contains(line)).collect();
    let lines: Vec<_> = left.lines().collect();
    let less: Vec<_> = calm.lines().filter(|line| !lines.contains(line)).collect();
    panic!("there is more: {more:#?}\nthere is less: {less:#?}");
}

/// The part of it that is on GitHub.
#[derive(Debug, PartialEq)]
struct There {
    /// Pull request, author, text.
    comments: Vec<(u64, String, String)>,
    checks: Vec<Shown>,
    /// Proposals: number, state, text, files.
    proposals: Vec<(u64, &'static str, Option<String>, String)>,
    /// By commit and name: state and description of the latest, the only one that counts.
    statuses: BTreeMap<(String, String), (String, String)>,
}

/// What a check run shows.
#[derive(Debug, PartialEq)]
struct Shown {
    commit: String,
    name: String,
    status: String,
    conclusion: Option<String>,
    title: Option<String>,
    summary: Option<String>,
    annotations: Vec<serde_json::Value>,
}

impl Shown {
    fn of(world: &World, check: &Check) -> Self {
        // What a commit of ours is called depends on how many were made before it.
        let is_ours = world.graph.get(&check.commit).is_some_and(|commit| commit.author == US);
        let tree = || format!("ours, {}", tree_name(world.graph.tree(&check.commit)));
        Self {
            commit: if is_ours { tree() } else { check.commit.to_string() },
            name: check.name.clone(),
            status: check.status.clone(),
            conclusion: check.conclusion.clone(),
            title: check.title.clone(),
            summary: check.summary.clone(),
            annotations: check.annotations.clone(),
        }
    }
}

impl There {
    fn of(world: &World) -> Self {
        let repository = world.repo(REPOSITORY);
        let comments = repository.comments.values();
        let statuses = repository.statuses.iter().map(|one| {
            let description = one.description.clone().unwrap_or_default();
            ((one.commit.to_string(), one.context.clone()), (one.state.clone(), description))
        });
        Self {
            comments: comments.map(|one| (one.pull, one.author.clone(), one.body.clone())).collect(),
            checks: repository.checks.values().map(|check| Shown::of(world, check)).collect(),
            proposals: repository
                .pulls
                .values()
                .filter(|pull| pull.author == US)
                .map(|pull| {
                    let files = tree_name(world.graph.tree(&pull.head_sha)).to_string();
                    (pull.number, pull.state, pull.body.clone(), files)
                })
                .collect(),
            statuses: statuses.collect(),
        }
    }
}

impl Left {
    fn of(ended: Ended, fake: &Fake) -> Self {
        let Ended { ran, mut outputs, summary, mut files, .. } = ended;
        // Where a comment is read depends on how many things were made before it; times are times.
        outputs.entry("comment-url".to_owned()).and_modify(|url| url.truncate(url.find('#').unwrap_or(0)));
        files.retain(|name, _| !name.ends_with(".timings.json"));
        let text = |(name, bytes): (String, Vec<u8>)| (name, String::from_utf8(bytes).unwrap());
        let files = files.into_iter().map(text).collect();
        let there = fake.with(|world| There::of(world));
        let err = SECONDS.replace_all(&ran.err, "queries in … s").into_owned();
        Self { code: ran.code, out: ran.out, err, outputs, summary, files, there }
    }

    /// As a second attempt of the run leaves it.
    fn of_attempt(ended: Ended, fake: &Fake) -> Self {
        let again = |text: &str| text.replace("attempts/2", "attempts/1").replace(".2]", ".1]");
        let left = Self::of(ended, fake);
        let files = left.files.into_iter().map(|(name, text)| (name, again(&text)));
        let There { comments, checks, proposals, statuses } = left.there;
        let there = There {
            comments: comments.into_iter().map(|(pull, author, body)| (pull, author, again(&body))).collect(),
            checks: checks
                .into_iter()
                .map(|check| Shown { summary: check.summary.as_deref().map(again), ..check })
                .collect(),
            proposals,
            statuses: statuses
                .into_iter()
                .map(|(place, (state, words))| (place, (state, again(&words))))
                .collect(),
        };
        Self { summary: again(&left.summary), files: files.collect(), there, ..left }
    }
}

/// What is asked for the marks alone.
const TOUCHED: &str = "GET /repos/{owner}/{repo}/pulls/{pull_number}/files";

/// What a flow is to end in.
struct Expected {
    code: i32,
    /// The conclusions of all check runs.
    checks: &'static [&'static str],
    comments: usize,
}

/// Runs a flow undisturbed, by the program itself and by the part that has less patience; then with each fault at each of
/// its requests; then with each of its routes out of order until the job has ended. Says how often it ran.
fn in_any_weather(step: &Step<'_>, expected: &Expected) -> usize {
    let fake = step.fake().copy();
    let calm = Left::of(step.play(&fake, &[]), &fake);
    assert_eq!(calm.code, expected.code, "{}{}", calm.out, calm.err);
    let conclusions = calm.there.checks.iter().map(|check| check.conclusion.as_deref().unwrap_or("none"));
    assert_eq!(conclusions.collect::<Vec<_>>(), expected.checks);
    assert_eq!(calm.there.comments.len(), expected.comments);
    let program = step.fake().copy();
    assert_same(&Left::of(step.run_against(&program), &program), &calm);

    let routes: Vec<String> = fake.log().into_iter().map(|logged| logged.route).collect();
    let places = routes.iter().enumerate();
    let cases: Vec<_> = places.flat_map(|place| FAULTS.iter().map(move |fault| (place, *fault))).collect();
    side_by_side(&cases, |&((position, route), fault)| {
        let _named = Named(format!("{fault:?} at request {position}, {route}"));
        let fake = step.fake().copy();
        fake.fail_at(position, fault);
        assert_same(&Left::of(step.play(&fake, &[]), &fake), &calm);
    });

    let before = step.fake().with(|world| There::of(world).comments.len());
    let most_comments = before.max(expected.comments);
    // Marks beside lost cases decide nothing: without them the verdict is the same.
    let unmarked = |route: &&String| route.as_str() != TOUCHED;
    if !routes.iter().all(|route| unmarked(&route)) {
        let fake = step.fake().copy();
        fake.fail_always(TOUCHED, Fault::ServerError);
        let ended = step.play(&fake, &[]);
        assert!(ended.ran.err.contains("is not marked"), "{}", ended.ran.err);
        let left = Left::of(ended, &fake);
        assert_eq!((left.code, left.there.comments.len()), (calm.code, calm.there.comments.len()));
        let verdict = |there: &There| -> Vec<_> {
            there.checks.iter().map(|check| (check.conclusion.clone(), check.title.clone())).collect()
        };
        assert_eq!(verdict(&left.there), verdict(&calm.there));
    }
    let kinds: BTreeSet<&String> = routes.iter().filter(unmarked).collect();
    let lasting = [Fault::ServerError, Fault::SecondaryLimit, Fault::Unanswered];
    let outages: Vec<_> =
        kinds.into_iter().flat_map(|route| lasting.map(|fault| (route.as_str(), fault))).collect();
    side_by_side(&outages, |&(route, fault)| {
        let _named = Named(format!("{fault:?} at every request of {route}"));
        let fake = step.fake().copy();
        fake.fail_always(route, fault);
        let ended = step.play(&fake, &[]);
        // Where nobody comments, who we are need not be known.
        if route == GRAPHQL && ended.ran.code == calm.code && calm.there.comments.is_empty() {
            return assert_same(&Left::of(ended, &fake), &calm);
        }
        assert_gave_up(&ended, &fake, &calm, (routes.len(), most_comments));
        // Nobody takes a failure for a pass.
        let [verdict, right] = [&ended.outputs, &calm.outputs].map(|outputs| outputs.get("verdict").cloned());
        assert!(verdict.as_deref() != Some("pass") || verdict == right, "{verdict:?}");
        // The end of the job, when the network is back; then the job anew.
        let state = ended.state.get("rankhold").cloned().unwrap_or_default();
        fake.recover();
        if !step.is_the_end_of_a_job() {
            step.play(&fake, &[("STATE_rankhold", &state)]).ran.ends(0);
            let waiting = fake.with(|world| {
                let checks = world.repo(REPOSITORY).checks.values();
                checks.filter(|check| check.status != "completed").count()
            });
            assert_eq!(waiting, 0, "a check is waited for");
        }
        let again = Left::of_attempt(step.play(&fake, &[("GITHUB_RUN_ATTEMPT", "2")]), &fake);
        assert_same(&again, &calm);
    });
    2 + cases.len() + 3 * outages.len()
}

/// The step failed after a while, and said what to do.
fn assert_gave_up(ended: &Ended, fake: &Fake, calm: &Left, (requests, most_comments): (usize, usize)) {
    let ran = &ended.ran;
    // A failure that could not be told stays what it is.
    let codes = if calm.code == 2 { [2, 3] } else { [3, 3] };
    assert!(codes.contains(&ran.code), "{}: {}{}", ran.code, ran.out, ran.err);
    assert!(ran.err.contains("error: ") && ran.err.contains("next: "), "{}", ran.err);
    let asked = fake.log().len();
    assert!(asked <= 3 * requests + 20, "{asked} requests, {requests} where nothing goes wrong");
    let passes = |conclusion: &str| matches!(conclusion, "success" | "neutral");
    let right: BTreeSet<_> = calm.there.checks.iter().filter_map(|check| check.conclusion.clone()).collect();
    let there = fake.with(|world| There::of(world));
    for check in &there.checks {
        let wrong = check.conclusion.as_ref().filter(|word| passes(word) && !right.contains(*word));
        assert_eq!(wrong, None, "a check passes: {check:#?}");
    }
    assert!(there.comments.len() <= most_comments, "{:#?}", there.comments);
}

#[test]
fn a_pull_request_that_loses_a_case() {
    let stage = Stage::approved();
    let step = stage.step(stage.losing_pull());
    let runs = in_any_weather(&step, &Expected { code: 0, checks: &["failure"], comments: 1 });
    assert!(runs >= 240, "{runs}");
}

#[test]
fn a_first_pull_request() {
    let stage = Stage::new();
    let step = stage.step(stage.pull("topic", &[("docs/new.md", "# New\n")]));
    let runs = in_any_weather(&step, &Expected { code: 0, checks: &["neutral"], comments: 1 });
    assert!(runs >= 230, "{runs}");
}

#[test]
fn a_pull_request_that_has_a_comment_and_by_accident_two() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    stage.review(pull).ran.ends(0);
    stage.fake.with(|world| {
        let twin = "## an old one\n<!-- rankhold:report -->\n";
        world.comment(REPOSITORY, pull, "github-actions[bot]", twin);
    });
    stage.commit("topic", &[("docs/more.md", "# More\n")]);
    let step = stage.step(pull).with("GITHUB_RUN_ID", "101");
    let runs = in_any_weather(&step, &Expected { code: 0, checks: &["failure", "failure"], comments: 1 });
    assert!(runs >= 250, "{runs}");
}

#[test]
fn a_run_that_nobody_waits_for() {
    let stage = Stage::approved();
    let repository = stage.pull_payload("opened", stage.losing_pull())["repository"].clone();
    let payload = serde_json::json!({ "schedule": "0 0 * * *", "repository": repository });
    let step = Step::new(&stage, "schedule", payload, stage.checkout(&stage.tip("main")));
    let runs = in_any_weather(&step, &Expected { code: 0, checks: &[], comments: 0 });
    assert!(runs >= 50, "{runs}");
}

#[test]
fn a_verdict_in_a_status() {
    let stage = Stage::approved();
    let step = stage.step(stage.losing_pull()).input("publish", "status").input("comment", "never");
    let runs = in_any_weather(&step, &Expected { code: 0, checks: &[], comments: 0 });
    assert!(runs >= 170, "{runs}");
}

#[test]
fn a_fork_whose_token_only_reads() {
    let stage = Stage::approved();
    let step = stage.step(stage.fork_pull()).token(Some(&stage.reader));
    let runs = in_any_weather(&step, &Expected { code: 1, checks: &[], comments: 0 });
    assert!(runs >= 130, "{runs}");
}

#[test]
fn the_publisher_of_what_a_fork_measured() {
    let stage = Stage::approved();
    let pull = stage.fork_pull();
    let measured = stage.step(pull).token(Some(&stage.reader)).run();
    let step = stage.publishing(pull, &measured.files, |_| {});
    let runs = in_any_weather(&step, &Expected { code: 0, checks: &["failure"], comments: 1 });
    assert!(runs >= 300, "{runs}");
}

#[test]
fn a_group_of_the_merge_queue() {
    let stage = Stage::approved();
    let step = stage.queued(&stage.group(stage.losing_pull()));
    let runs = in_any_weather(&step, &Expected { code: 0, checks: &["failure"], comments: 0 });
    assert!(runs >= 140, "{runs}");
}

#[test]
fn a_push_to_the_default_branch() {
    let stage = Stage::approved();
    let head = stage.head(stage.losing_pull());
    stage.fake.with(|world| world.push(REPOSITORY, "main", &head));
    let runs =
        in_any_weather(&stage.pushed("main"), &Expected { code: 0, checks: &["failure"], comments: 0 });
    assert!(runs >= 120, "{runs}");
}

/// What a comment approved is merged, and its file is proposed; then once more, when more is approved.
#[test]
fn a_push_that_proposes() {
    let scene = Scene::of("[approval]\nmode = \"record\"");
    scene.with(|world| world.repo_mut(REPOSITORY).workflows_open = true);
    scene.say("max", &scene.command()).ran.ends(0);
    scene.merge(scene.pull, Merge::Squash);
    let token = scene.with(|world| world.workflow_token(REPOSITORY, PROPOSE));
    let step = scene.run_of(scene.stage.pushed("main").token(Some(&token)));
    // Its own check, and that of the proposal; the others say the same since the approval.
    let comments = scene.stage.comments(scene.pull).len();
    let runs = in_any_weather(&step, &Expected { code: 0, checks: &["success"; 4], comments });
    assert!(runs >= 250, "{runs}");
    step.run().ran.ends(0);

    let second = scene.another("second", &losing_more());
    scene.review(second).ran.ends(0);
    let scene = Scene { pull: second, ..scene };
    scene.say("max", &scene.command()).ran.ends(0);
    scene.merge(second, Merge::Rebase);
    let step = scene.run_of(scene.stage.pushed("main").token(Some(&token)));
    let comments = scene.with(|world| There::of(world).comments.len());
    in_any_weather(&step, &Expected { code: 0, checks: &["success"; 8], comments });
}

#[test]
fn the_end_of_a_job_that_was_cancelled() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    let killed = stage.step(pull).run_until("GET /repos/{owner}/{repo}/contents/{path}", 5);
    let step = stage.step(pull).with("STATE_rankhold", &killed.state["rankhold"]);
    let runs = in_any_weather(&step, &Expected { code: 0, checks: &["failure"], comments: 0 });
    assert!(runs >= 50, "{runs}");
}

/// Its artifact is refused: whoever waits at the head hears of that, whatever goes wrong meanwhile.
#[test]
fn a_failure_that_is_told_at_the_head() {
    let stage = Stage::approved();
    let pull = stage.fork_pull();
    let step = stage.publishing(pull, &BTreeMap::new(), |_| {});
    let runs = in_any_weather(&step, &Expected { code: 2, checks: &["failure"], comments: 1 });
    assert!(runs >= 290, "{runs}");
}
