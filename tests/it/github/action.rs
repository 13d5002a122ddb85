//! The action as users meet it: the program, started as a runner starts it, against the stand-in for GitHub. Each known
//! way in which a pull request slips past such a gate is a test here.

use std::collections::BTreeMap;

use super::stage::{Ended, REPOSITORY, Stage, Step, burying, texts};
use crate::program::suite;

#[test]
fn a_first_pull_request_without_a_baseline_is_neutral_and_says_what_to_do() {
    let stage = Stage::new();
    let pull = stage.pull("topic", &[("docs/new.md", "# New\n")]);
    let ended = stage.review(pull);
    let ended = ended.ran.ends(0);
    assert!(ended.out.contains("no approved baseline"), "{}", ended.out);
    let (conclusion, title, summary) = stage.verdict(&stage.head(pull));
    assert_eq!((conclusion.as_str(), title.as_str()), ("neutral", "There is no approved baseline yet"));
    assert!(summary.contains("rankhold approve --by NAME"), "{summary}");
    let comments = stage.comments(pull);
    assert_eq!(comments.len(), 1);
    assert!(comments[0].starts_with("## ⚪ There is no approved baseline yet"), "{}", comments[0]);
}

#[test]
fn a_pull_request_that_loses_a_case_gets_a_red_check_and_a_comment_and_a_repair_turns_both() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    let lost_at = stage.head(pull);
    let ended = stage.review(pull);
    assert_eq!(ended.outputs["verdict"], "regressed");
    assert_eq!(ended.outputs["exit-code"], "1");
    assert_eq!((ended.outputs["lost"].as_str(), ended.outputs["hit-at-3"].as_str()), ("1", "0.75"));
    assert_eq!(ended.outputs["delta"], "-0.25");
    assert!(ended.outputs["comment-url"].starts_with("http"), "{}", ended.outputs["comment-url"]);
    assert!(ended.summary.contains("The ranking does not hold"));
    assert!(ended.files.contains_key("garden.bm25.result.json") && ended.files.contains_key("report.md"));
    // The check carries the verdict, so that an approval can turn it green without a re-run of this job.
    ended.ran.ends(0);
    assert_eq!(stage.verdict(&lost_at).0, "failure");
    let [comment] = stage.comments(pull).try_into().unwrap();
    assert!(
        comment.starts_with("## ❌ The ranking does not hold") && comment.contains("`beans`"),
        "{comment}"
    );
    // What this pull request put above it is marked, and so is what it did to the page itself.
    assert!(comment.contains("1. `docs/noise0.md` (added here)"), "{comment}");
    assert!(comment.contains("`docs/beans.md` (changed here)"), "{comment}");

    // A remark stands at the line of the lost case.
    let annotations = stage.fake.with(|world| world.checks(REPOSITORY, &lost_at)[0].annotations.clone());
    let text = stage.checkout(&lost_at).read("suites/garden.json");
    let line = text.lines().position(|line| line.contains("\"beans\"")).unwrap() + 1;
    assert_eq!(annotations.len(), 1);
    assert_eq!(annotations[0]["path"], "suites/garden.json");
    let at = annotations[0]["start_line"].as_u64().unwrap();
    assert!(at == line as u64 || at + 1 == line as u64, "line {at}, the case is at {line}");

    let original = stage.checkout(&stage.tip("main")).read("docs/beans.md");
    let mut repaired: Vec<(String, String)> =
        burying().into_iter().map(|(path, _)| (path, "nothing\n".to_owned())).collect();
    repaired.push(("docs/beans.md".to_owned(), original));
    stage.commit("topic", &texts(&repaired));
    stage.review(pull).ran.ends(0);
    assert_eq!(stage.verdict(&stage.head(pull)).0, "success");
    let [comment] = stage.comments(pull).try_into().unwrap();
    assert!(comment.starts_with("## ✅"), "{comment}");
    // What was said of the earlier head stays said.
    assert_eq!(stage.verdict(&lost_at).0, "failure");
}

#[test]
fn the_step_fails_as_it_is_told_to() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    for (when, code) in [("auto", 0), ("always", 1), ("never", 0)] {
        stage.step(pull).input("fail-step", when).run().ran.ends(code);
    }
    // What could not be measured always fails it.
    let pull = stage.pull("broken", &[("suites/garden.json", "{")]);
    for when in ["auto", "never"] {
        stage.step(pull).input("fail-step", when).run().ran.ends(2);
    }
    let (conclusion, title, _) = stage.verdict(&stage.head(pull));
    assert_eq!(
        (conclusion.as_str(), title.as_str()),
        ("failure", "There is no verdict: the input cannot be used")
    );
}

#[test]
fn nothing_changed_is_no_comment_and_a_green_check() {
    let stage = Stage::approved();
    let pull = stage.pull("topic", &[("docs/other.md", "# Other\n\nThings.\n")]);
    stage.review(pull).ran.ends(0);
    assert_eq!(stage.verdict(&stage.head(pull)).0, "success");
    assert!(stage.comments(pull).is_empty());
    // Unless it is asked for; and once there is one, it is kept up to date.
    stage.step(pull).input("comment", "always").run().ran.ends(0);
    assert_eq!(stage.comments(pull).len(), 1);
    stage.review(pull).ran.ends(0);
    assert_eq!(stage.comments(pull).len(), 1);
    let pull = stage.losing_pull();
    stage.step(pull).input("comment", "never").run().ran.ends(0);
    assert!(stage.comments(pull).is_empty());
}

#[test]
fn a_pull_request_cannot_loosen_its_own_gate() {
    let stage = Stage::approved();
    let mut files = burying();
    files.push(("rankhold.toml".to_owned(), "version = 1\n[gate]\ntolerance = 0.5\n".to_owned()));
    let pull = stage.pull("topic", &texts(&files));
    let ended = stage.step(pull).input("tolerance", "0.5").run();
    assert_eq!(stage.verdict(&stage.head(pull)).0, "failure");
    let looser = "looser than the";
    assert!(ended.ran.err.contains(looser), "{}", ended.ran.err);
    assert!(stage.comments(pull)[0].contains(looser));
}

#[test]
fn what_is_looked_for_in_the_working_directory_is_looked_for_nowhere_else() {
    let stage = Stage::approved();
    let pull = stage.pull("topic", &[("docs/new.md", "# New\n")]);
    let err = stage.step(pull).input("working-directory", "docs").run().ran.err;
    assert!(
        err.contains("no rankhold.toml was found in") && err.contains("The input `working-directory`"),
        "{err}"
    );
}

#[test]
fn a_changed_suite_a_shrunken_corpus_and_a_pair_that_is_gone_fail_closed() {
    let stage = Stage::approved();
    let fewer = suite("Garden", &[("roses", "how to prune roses in winter", "docs/roses.md")]);
    let renamed = "version = 1\n[[suite]]\nname = \"other\"\npath = \"suites/garden.json\"\n";
    for (branch, file, text, words) in [
        ("suite", "suites/garden.json", fewer.as_str(), "the suite changed"),
        ("corpus", "rankhold.toml", "version = 1\n[corpus]\nexclude = [\"docs/s*\"]\n", "corpus exclude"),
        ("gone", "rankhold.toml", renamed, "no longer configured"),
    ] {
        let pull = stage.pull(branch, &[(file, text)]);
        let ended = stage.review(pull);
        assert_eq!(ended.outputs["exit-code"], "1", "{branch}");
        let (conclusion, _, summary) = stage.verdict(&stage.head(pull));
        assert_eq!(conclusion, "failure", "{branch}");
        assert!(summary.contains(words), "{branch}: {summary}");
    }
}

#[test]
fn a_missing_result_and_a_program_beside_a_token_are_no_verdict() {
    let stage = Stage::approved();
    let pull = stage.pull("topic", &[("docs/new.md", "# New\n")]);
    // The suite is configured, and this job measures another one alone.
    let other = suite("Other", &[("roses", "how to prune roses in winter", "docs/roses.md")]);
    stage.commit("topic", &[("suites/other.json", &other)]);
    let ended = stage.step(pull).input("suites", "other").run();
    ended.ran.ends(3);
    let (conclusion, _, summary) = stage.verdict(&stage.head(pull));
    assert_eq!(conclusion, "failure");
    assert!(summary.contains("no result of it was measured"), "{summary}");

    let config = "version = 1\n[[suite]]\npath = \"suites/garden.json\"\nretrievers = [\"ours\"]\n\
                  [[retriever]]\nname = \"ours\"\nkind = \"command\"\nargv = [\"touch\", \"ran-with-a-token\"]\n";
    let pull = stage.pull("program", &[("rankhold.toml", config)]);
    let step = stage.step(pull);
    step.run().ran.ends(3);
    assert!(!step.checkout.exists("ran-with-a-token"));
    assert!(stage.verdict(&stage.head(pull)).2.contains("holds a token"));
}

#[test]
fn a_changed_baseline_is_held_until_it_is_approved() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    let checkout = stage.checkout(&stage.head(pull));
    checkout.run("approve --by mallory").ends(0);
    stage.commit("topic", &[("baselines/garden.bm25.json", &checkout.read("baselines/garden.bm25.json"))]);
    stage.review(pull);
    let (conclusion, _, summary) = stage.verdict(&stage.head(pull));
    assert_eq!(conclusion, "failure");
    assert!(summary.contains("no approval covers the change"), "{summary}");
    // The same without a loss: what is gained could be lost again unseen.
    let text = stage.checkout(&stage.tip("main")).read("baselines/garden.bm25.json");
    let edited = text.replace("\"approvedBy\": \"ada\"", "\"approvedBy\": \"eve\"");
    let pull = stage.pull("same", &[("baselines/garden.bm25.json", &edited)]);
    stage.review(pull);
    assert_eq!(stage.verdict(&stage.head(pull)).0, "failure");
}

#[test]
fn the_pull_request_of_a_fork_keeps_exit_code_summary_and_files() {
    let stage = Stage::approved();
    let pull = stage.fork_pull();
    let ended = stage.step(pull).token(Some(&stage.reader)).run();
    let ran = ended.ran.ends(1);
    assert!(ran.err.contains("only reads"), "{}", ran.err);
    assert!(ended.summary.contains("The ranking does not hold"));
    assert!(
        ended.files.contains_key("garden.bm25.result.json") && ended.files.contains_key("measurement.json")
    );
    assert!(stage.fake.with(|world| world.checks(REPOSITORY, &stage_head(world, pull)).is_empty()));
    assert!(stage.comments(pull).is_empty());
    // No check carries remarks, so that the runner is told of them.
    let [remark] = ended.remarks.try_into().unwrap();
    assert_eq!(remark.word, "error");
    assert_eq!(remark.properties["file"], "suites/garden.json");
    assert_eq!(remark.properties["title"], "Lost with bm25");
    assert_eq!(remark.message, "sow runner beans after frost\nrank 1 → 5");
}

fn stage_head(world: &super::fake::world::World, pull: u64) -> rankhold::github::Sha {
    world.repo(REPOSITORY).pulls[&pull].head_sha.clone()
}

#[test]
fn a_missing_permission_is_said_as_such_and_the_exit_code_stays() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    let ended = stage.step(pull).token(Some(&stage.reader)).run();
    let ran = ended.ran.ends(1);
    assert!(ran.err.contains("checks: write"), "{}", ran.err);
}

#[test]
fn a_branch_that_lacks_the_baseline_of_its_base_is_to_be_updated() {
    let stage = Stage::new();
    let pull = stage.pull("topic", &[("docs/new.md", "# New\n")]);
    stage.approve_main();
    stage.review(pull).ran.ends(2);
    let (conclusion, _, summary) = stage.verdict(&stage.head(pull));
    assert_eq!(conclusion, "failure");
    assert!(summary.contains("update the branch"), "{summary}");
}

#[test]
fn the_test_merge_is_held_against_its_first_parent() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    // Main moves on; the merge that is measured contains that.
    stage.commit("main", &[("docs/late.md", "# Late\n")]);
    let (main, head) = (stage.tip("main"), stage.head(pull));
    let merge = stage.fake.with(|world| world.merge_commit(&main, &head));
    let payload = stage.pull_payload("synchronize", pull);
    Step::new(&stage, "pull_request", payload.clone(), stage.checkout(&merge)).run();
    let (conclusion, _, summary) = stage.verdict(&head);
    assert_eq!(conclusion, "failure");
    assert!(summary.contains(main.short()), "{summary}");
    // Any other tree is none of this pull request.
    let ended = Step::new(&stage, "pull_request", payload, stage.checkout(&main)).run();
    let ran = ended.ran.ends(2);
    assert!(ran.err.contains("neither the head"), "{}", ran.err);
}

#[test]
fn what_moved_on_is_left_to_its_newer_run() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    let old = stage.step(pull);
    let old_head = stage.head(pull);
    stage.commit("topic", &[("docs/more.md", "# More\n")]);
    // A re-run shows the old event.
    let ran = old.run().ran.ends(0);
    assert!(ran.err.contains("moved on"), "{}", ran.err);
    assert!(stage.fake.with(|world| world.checks(REPOSITORY, &old_head).is_empty()));
    // The head moves while it is measured.
    let step = stage.step(pull);
    let head = stage.head(pull);
    stage.fake.before("GET /repos/{owner}/{repo}/pulls/{pull_number}", 3, move |world| {
        let next = world.commit(&head, &[("docs/even-more.md", "# Even more\n")]);
        world.push(REPOSITORY, "topic", &next);
    });
    let measured = stage.head(pull);
    step.run().ran.ends(0);
    assert_eq!(stage.verdict(&measured).0, "in_progress");
    assert!(stage.comments(pull).is_empty());
}

#[test]
fn an_older_run_does_not_overwrite_a_newer_verdict() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    stage.step(pull).with("GITHUB_RUN_ID", "200").run().ran.ends(0);
    let (_, _, newer) = stage.verdict(&stage.head(pull));
    let ran = stage.step(pull).with("GITHUB_RUN_ID", "150").run().ran.ends(0);
    assert!(ran.err.contains("newer"), "{}", ran.err);
    let (_, _, after) = stage.verdict(&stage.head(pull));
    assert_eq!(newer, after);
    // A later attempt of the older run is newer than nothing it knows of.
    stage.step(pull).with("GITHUB_RUN_ID", "200").with("GITHUB_RUN_ATTEMPT", "2").run().ran.ends(0);
    assert!(stage.verdict(&stage.head(pull)).2.contains("attempts/2"));
}

#[test]
fn a_merge_group_and_a_push_to_the_default_branch_get_their_checks() {
    let stage = Stage::approved();
    let main = stage.tip("main");
    let pull = stage.losing_pull();
    let group = stage.group(pull);
    let ended = stage.queued(&group).run();
    assert_eq!(ended.outputs["verdict"], "regressed");
    assert_eq!(stage.verdict(&group).0, "failure");
    assert!(stage.comments(pull).is_empty());

    stage.pushed("main").run().ran.ends(0);
    assert_eq!(stage.verdict(&main).0, "success");
    let ran = stage.pushed("topic").run().ran.ends(0);
    assert!(ran.err.contains("not the default branch"), "{}", ran.err);
}

#[test]
fn what_changes_nothing_is_one_clear_sentence() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    for (action, words) in [("closed", "was closed"), ("labeled", "changes nothing")] {
        let payload = stage.pull_payload(action, pull);
        let ended = Step::new(&stage, "pull_request", payload, stage.checkout(&stage.head(pull))).run();
        assert!(ended.summary.contains(words), "{}", ended.summary);
        ended.ran.ends(0);
    }
    assert!(stage.fake.with(|world| world.checks(REPOSITORY, &stage_head(world, pull)).is_empty()));
}

#[test]
fn another_base_than_the_default_branch_has_a_check_of_its_own_name() {
    let stage = Stage::approved();
    stage.commit("release", &[("docs/new.md", "# New\n")]);
    let pull = stage.losing_pull();
    stage.fake.with(|world| world.retarget(REPOSITORY, pull, "release"));
    stage.review(pull);
    let name = stage.fake.with(|world| world.checks(REPOSITORY, &stage_head(world, pull))[0].name.clone());
    assert_eq!(name, "rankhold/verdict (release)");
}

#[test]
fn a_status_carries_the_verdict_where_that_is_configured() {
    let stage = Stage::new();
    stage.commit("main", &[("rankhold.toml", "version = 1\n[report]\npublish = \"status\"\n")]);
    stage.approve_main();
    let pull = stage.losing_pull();
    stage.review(pull).ran.ends(0);
    stage.fake.with(|world| {
        let head = stage_head(world, pull);
        assert!(world.checks(REPOSITORY, &head).is_empty());
        let status = world.repo(REPOSITORY).statuses.iter().rfind(|status| status.commit == head).unwrap();
        assert_eq!((status.state.as_str(), status.context.as_str()), ("failure", "rankhold/verdict"));
        assert!(status.description.as_ref().unwrap().ends_with("[run 100.1]"), "{:?}", status.description);
    });
}

#[test]
fn a_run_that_was_cancelled_leaves_no_check_in_progress() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    // The head moves before the verdict, so that the main phase leaves its check in progress; then it moves back.
    let head = stage.head(pull);
    let back = head.clone();
    let step = stage.step(pull);
    stage.fake.before("GET /repos/{owner}/{repo}/pulls/{pull_number}", 3, move |world| {
        let next = world.commit(&head, &[("docs/more.md", "# More\n")]);
        world.push(REPOSITORY, "topic", &next);
    });
    let ended = step.run();
    assert_eq!(ended.state["rankhold"], "told");
    stage.fake.with(|world| world.push(REPOSITORY, "topic", &back));
    let announced =
        format!("check\t{back}\trankhold-1 {} 100.1\trankhold/verdict\t{pull}\tmain", stage.tip("main"));
    let ran = stage.step(pull).with("STATE_rankhold", announced).run().ran.ends(0);
    assert!(ran.err.contains("ended before its verdict"), "{}", ran.err);
    let (conclusion, title, _) = stage.verdict(&back);
    assert_eq!(conclusion, "failure");
    assert!(title.contains("no verdict"), "{title}");
    // A verdict that was told stays.
    stage.review(pull).ran.ends(0);
    stage.step(pull).with("STATE_rankhold", "told").run().ran.ends(0);
    assert_eq!(stage.verdict(&back).1, "The ranking does not hold");
}

#[test]
fn what_a_fork_measured_is_published_by_another_workflow() {
    let stage = Stage::approved();
    let pull = stage.fork_pull();
    let head = stage.head(pull);
    let honest = stage.step(pull).token(Some(&stage.reader)).run().files;
    stage.publishing(pull, &honest, |_| {}).run().ran.ends(0);
    assert_eq!(stage.verdict(&head).0, "failure");
    let [comment] = stage.comments(pull).try_into().unwrap();
    assert!(comment.contains("`beans`"), "{comment}");

    // A result that hides the loss: what an embedded retriever gives is measured again.
    let main = stage.checkout(&stage.tip("main"));
    main.run("run --results out").ends(0);
    let better = main.read("out/garden.bm25.result.json");
    let mut forged = honest.clone();
    forged.insert("garden.bm25.result.json".to_owned(), better.into_bytes());
    let ran = stage.publishing(pull, &forged, |_| {}).run().ran.ends(2);
    assert!(ran.out.contains("not what measuring this tree gives"), "{}{}", ran.out, ran.err);
    assert_eq!(stage.verdict(&head).0, "failure");

    // The run of another workflow or event is none that measures.
    for change in [
        (|run| ".github/workflows/evil.yml".clone_into(&mut run.workflow))
            as fn(&mut super::fake::world::Run),
        |run| "push".clone_into(&mut run.event),
    ] {
        let ran = stage.publishing(pull, &honest, change).run().ran.ends(2);
        assert!(ran.err.contains("results come from `pull_request`"), "{}", ran.err);
    }
    assert!(stage.verdict(&head).2.contains("not what measuring this tree gives"), "and says nothing here");
}

#[test]
fn an_artifact_that_is_refused_is_said_at_the_head_of_its_pull_request() {
    let manifest = |stage: &Stage| {
        let commit = stage.tip("main");
        format!("{{\"type\":\"rankhold-measurement\",\"schemaVersion\":1,\"commit\":\"{commit}\"}}")
    };
    let stage = Stage::approved();
    let pull = stage.fork_pull();
    let head = stage.head(pull);
    let other = manifest(&stage);
    for (file, text, words) in [
        ("../x", "", "no plain file"),
        ("garden.bm25.result.json", "", "measurement.json of the artifact is not there"),
        ("measurement.json", other.as_str(), "the tree checked out is"),
    ] {
        let files = BTreeMap::from([(file.to_owned(), text.as_bytes().to_vec())]);
        let ended = stage.publishing(pull, &files, |_| {}).run();
        assert_no_verdict(&stage, &head, &ended, words);
        ended.ran.ends(2);
        let [comment] = stage.comments(pull).try_into().unwrap();
        assert!(comment.starts_with("## 🚫 There is no verdict"), "{comment}");
    }
    // An honest one afterwards has the verdict.
    let honest = stage.step(pull).token(Some(&stage.reader)).run().files;
    stage.publishing(pull, &honest, |_| {}).run().ran.ends(0);
    assert_eq!(stage.verdict(&head).1, "The ranking does not hold");
}

/// Log, summary, outputs and the check on a commit say that there is no verdict, and why.
#[track_caller]
fn assert_no_verdict(stage: &Stage, commit: &rankhold::github::Sha, ended: &Ended, words: &str) {
    assert!(ended.ran.err.contains(words), "{}", ended.ran.err);
    assert!(ended.summary.contains("There is no verdict"), "{}", ended.summary);
    assert_eq!(ended.outputs["verdict"], "not-measured");
    assert_eq!(ended.outputs["exit-code"], ended.ran.code.to_string());
    let (conclusion, title, summary) = stage.verdict(commit);
    assert_eq!((conclusion.as_str(), title.as_str()), ("failure", "There is no verdict"));
    assert!(summary.contains(words), "{summary}");
}

#[test]
fn a_tree_that_cannot_be_judged_leaves_no_check_that_is_waited_for() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    let head = stage.head(pull);
    let payload = stage.pull_payload("synchronize", pull);
    let group = stage.group(pull);
    // Another commit, none at all, a configuration that nobody can read.
    let other = Step::new(&stage, "pull_request", payload.clone(), stage.checkout(&stage.tip("main"))).run();
    assert_no_verdict(&stage, &head, &other, "neither the head");
    other.ran.ends(2);
    let step = stage.step(pull);
    step.checkout.write(".git/HEAD", "nonsense");
    let bare = step.run();
    assert_no_verdict(&stage, &head, &bare, "names no commit");
    bare.ran.ends(2);
    let step = stage.step(pull);
    step.checkout.write("rankhold.toml", "version = [");
    let ended = step.run();
    assert_no_verdict(&stage, &head, &ended, "rankhold.toml");
    ended.ran.ends(2);
    // A later attempt on the right tree has the verdict, and one comment stays one.
    stage.step(pull).with("GITHUB_RUN_ATTEMPT", "2").run().ran.ends(0);
    assert_eq!(stage.verdict(&head).1, "The ranking does not hold");
    assert_eq!(stage.comments(pull).len(), 1);
    // So has the merge queue.
    let mut queued = stage.queued(&group);
    queued.checkout = stage.checkout(&head);
    let ended = queued.run();
    assert_no_verdict(&stage, &group, &ended, "the tree checked out is");
    ended.ran.ends(2);
    // Who may not write says it in the log alone, and no less.
    let step = Step::new(&stage, "pull_request", payload, stage.checkout(&stage.tip("main")));
    let ended = step.token(Some(&stage.reader)).with("GITHUB_RUN_ID", "200").run();
    assert!(ended.summary.contains("neither the head"), "{}", ended.summary);
    let ran = ended.ran.ends(2);
    assert!(ran.err.contains("checks: write") && ran.err.contains("neither the head"), "{}", ran.err);
}

#[test]
fn a_failure_is_told_in_the_outlet_and_the_comment_that_are_configured() {
    let stage = Stage::new();
    stage.commit("main", &[("rankhold.toml", "version = 1\n[report]\npublish = \"status\"\n")]);
    stage.approve_main();
    let pull = stage.losing_pull();
    let payload = stage.pull_payload("synchronize", pull);
    let step = Step::new(&stage, "pull_request", payload, stage.checkout(&stage.tip("main")));
    step.input("comment", "never").run().ran.ends(2);
    assert!(stage.comments(pull).is_empty());
    stage.fake.with(|world| {
        let head = stage_head(world, pull);
        assert!(world.checks(REPOSITORY, &head).is_empty());
        let status = world.repo(REPOSITORY).statuses.iter().rfind(|status| status.commit == head).unwrap();
        assert_eq!(status.state, "failure");
        assert_eq!(status.description.as_deref(), Some("There is no verdict [run 100.1]"));
    });
}

#[test]
fn a_verdict_that_was_told_is_not_taken_back_at_the_end_of_the_job() {
    for setting in ["check", "status"] {
        let stage = Stage::approved();
        let pull = stage.losing_pull();
        let step = stage.step(pull).input("publish", setting);
        // Killed between the verdict and the note that it was told.
        let comments = "GET /repos/{owner}/{repo}/issues/{issue_number}/comments";
        // The first time approvals are looked for, the second time ours.
        let ended = step.run_until(comments, 2);
        assert!(ended.state["rankhold"].starts_with(setting), "{:?}", ended.state);
        let end = stage.step(pull).input("publish", setting).with("STATE_rankhold", &ended.state["rankhold"]);
        let ran = end.run().ran.ends(0);
        assert_eq!(ran.err, "");
        let says = stage.fake.with(|world| {
            let head = stage_head(world, pull);
            let status = world.repo(REPOSITORY).statuses.last().and_then(|status| status.description.clone());
            let check = world.checks(REPOSITORY, &head).first().and_then(|check| check.title.clone());
            check.or(status).unwrap()
        });
        assert!(says.starts_with("The ranking does not hold"), "{says}");
    }
}

#[test]
fn the_most_important_remarks_come_first_and_ten_at_most() {
    let stage = Stage::new();
    let case = |at: usize, critical: bool| {
        let metadata =
            serde_json::json!({ "expectedTargets": [format!("docs/p{at}.md")], "critical": critical });
        serde_json::json!({ "id": format!("c{at:02}"), "input": format!("word{at} here"), "metadata": metadata })
    };
    let cases: Vec<_> = (0..30).map(|at| case(at, at == 27)).collect();
    let suite = serde_json::json!({ "evalFormatVersion": "2026-04", "name": "Garden", "cases": cases });
    let mut files: Vec<(String, String)> =
        (0..30).map(|at| (format!("docs/p{at}.md"), format!("# word{at}\n\nword{at} here\n"))).collect();
    files.push(("suites/garden.json".to_owned(), serde_json::to_string_pretty(&suite).unwrap()));
    stage.commit("main", &texts(&files));
    stage.approve_main();
    let emptied: Vec<_> = (5..30).map(|at| (format!("docs/p{at}.md"), "nothing\n".to_owned())).collect();
    let pull = stage.fork_pull_of(&emptied);
    let ended = stage.step(pull).token(Some(&stage.reader)).run();
    assert_eq!(ended.remarks.len(), 10);
    assert!(ended.remarks[0].message.starts_with("word27 here\n"), "{:?}", ended.remarks[0]);
    let lines = stage.checkout(&stage.head(pull)).read("suites/garden.json");
    let line: usize = ended.remarks[0].properties["line"].parse().unwrap();
    let around: String = lines.lines().skip(line - 1).take(3).collect();
    assert!(around.contains("\"c27\""), "{around}");
    // Where a check carries them, the log does not repeat them.
    let fork = ended.files;
    assert_eq!(stage.publishing(pull, &fork, |_| {}).run().remarks, []);
}
