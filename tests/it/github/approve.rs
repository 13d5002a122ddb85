//! Approval by a comment, as maintainers and everybody else meet it: the program, run as the command workflow runs it.

use super::stage::{REPOSITORY, Stage};

/// A repository that reads comments, with a pull request that loses a page and was reviewed; ada owns it, bea maintains.
fn scene() -> (Stage, u64, String) {
    let stage = Stage::approved().listens();
    stage.fake.with(|world| {
        world.role(REPOSITORY, "bea", "maintain");
        world.role(REPOSITORY, "wim", "write");
        world.role(REPOSITORY, "tri", "triage");
        world.user("mallory");
    });
    let pull = stage.losing_pull();
    stage.review(pull).ran.ends(0);
    let token = stage.shown_token(pull);
    (stage, pull, token)
}

/// What stands below a pull request beside the report, in order.
fn replies(stage: &Stage, pull: u64) -> Vec<String> {
    let comments = stage.comments(pull);
    comments
        .into_iter()
        .filter(|body| body.contains("<!-- rankhold:re") && !body.contains("<!-- rankhold:report"))
        .collect()
}

#[test]
fn a_maintainer_s_approval_is_committed_and_the_new_head_passes() {
    let (stage, pull, token) = scene();
    let before = stage.head(pull);
    let ended = stage
        .said(pull, "bea", &format!("/rankhold approve {token} the page on beans was wrong\n\nthanks"))
        .run();
    ended.ran.ends(0);
    let head = stage.head(pull);
    assert_ne!(before, head, "nothing was committed");
    let (conclusion, title, summary) = stage.verdict(&head);
    assert_eq!(
        (conclusion.as_str(), title.as_str()),
        ("success", "The new figures are approved"),
        "{summary}"
    );
    assert_eq!(stage.verdict(&before).0, "failure", "the old head is as it was");
    let [reply] = replies(&stage, pull).try_into().unwrap();
    for words in [
        "`bea` approved",
        "the page on beans was wrong",
        "hit@3 4/4 (100.0 %)",
        "hit@3 3/4 (75.0 %)",
        head.short(),
    ] {
        assert!(reply.contains(words), "{words}: {reply}");
    }
    // The file is the candidate with its record, and nobody's words are in the commit's message.
    let tree = stage.checkout(&head);
    let ran = tree.run("verify baselines/garden.bm25.json").ends(0);
    assert!(ran.out.contains("approved by bea") && ran.out.contains(&token), "{}", ran.out);
    stage.fake.with(|world| {
        assert_eq!(world.graph.get(&head).unwrap().message, format!("Approve retrieval baselines ({token})"));
    });
    // The report says the same as the check.
    assert!(stage.comments(pull)[0].contains("The new figures are approved"), "{}", stage.comments(pull)[0]);
}

#[test]
fn a_stale_token_is_answered_with_the_new_one() {
    let (stage, pull, token) = scene();
    stage.commit("topic", &[("docs/more.md", "# More\n")]);
    stage.review(pull).ran.ends(0);
    let now = stage.shown_token(pull);
    assert_ne!(token, now);
    let head = stage.head(pull);
    stage.said(pull, "bea", &format!("/rankhold approve {token}")).run().ran.ends(0);
    assert_eq!(stage.head(pull), head);
    let [reply] = replies(&stage, pull).try_into().unwrap();
    assert!(
        reply.contains(&format!("/rankhold approve {now}")) && reply.contains("other figures"),
        "{reply}"
    );
}

#[test]
fn nobody_else_s_approval_counts() {
    let (stage, pull, token) = scene();
    let head = stage.head(pull);
    for login in ["mallory", "tri", "wim"] {
        for _ in 0..3 {
            stage.said(pull, login, &format!("/rankhold approve {token} please")).run().ran.ends(0);
        }
        assert_eq!(stage.head(pull), head, "{login}");
        assert_eq!(stage.verdict(&head).0, "failure", "{login}");
    }
    // One refusal for each, however often he tries.
    let replies = replies(&stage, pull);
    assert_eq!(replies.len(), 3, "{replies:#?}");
    assert!(
        replies.iter().all(|reply| reply.contains("not one of this repository's approvers")),
        "{replies:#?}"
    );
}

#[test]
fn help_and_status_are_answered() {
    let (stage, pull, token) = scene();
    stage.said(pull, "mallory", "/rankhold help").run().ran.ends(0);
    stage.said(pull, "bea", "/rankhold status").run().ran.ends(0);
    let [help, status] = replies(&stage, pull).try_into().unwrap();
    assert!(help.contains("`/rankhold approve TOKEN"), "{help}");
    assert!(status.contains(&token) && status.contains("`garden`"), "{status}");
}

#[test]
fn an_app_commits_where_its_token_is_given_and_the_workflow_says_the_rest() {
    let (stage, pull, token) = scene();
    let secret = stage.fake.with(|world| {
        let app = world.app_token("gatekeeper", REPOSITORY, &["contents: write"]);
        world.secret(&app)
    });
    let said = stage.said(pull, "bea", &format!("/rankhold approve {token}"));
    said.input("commit-token", &secret).run().ran.ends(0);
    let head = stage.head(pull);
    let author = stage.fake.with(|world| world.graph.get(&head).unwrap().author.clone());
    assert_eq!(author, "gatekeeper[bot]");
    assert_eq!(stage.verdict(&head).0, "success");
    let [reply] = replies(&stage, pull).try_into().unwrap();
    assert!(reply.contains("Workflows run on it as on any push"), "{reply}");
}

#[test]
fn a_merge_group_counts_the_approvals_of_its_pull_requests() {
    let (stage, pull, token) = scene();
    stage.said(pull, "bea", &format!("/rankhold approve {token}")).run().ran.ends(0);
    let group = stage.group(pull);
    let ended = stage.queued(&group).run();
    assert_eq!(ended.outputs["verdict"], "pass", "{}", ended.summary);
    ended.ran.ends(0);
    assert_eq!(stage.verdict(&group).0, "success");
    // Without the approval the same group is held.
    let comment = stage.fake.with(|world| {
        let comments = world.comments(REPOSITORY, pull);
        comments.iter().find(|comment| comment.author == "bea").unwrap().id
    });
    stage.fake.with(|world| world.delete_comment(REPOSITORY, comment));
    let ended = stage.queued(&group).with("GITHUB_RUN_ID", "300").run();
    assert_eq!(ended.outputs["exit-code"], "1");
    assert_eq!(stage.verdict(&group).0, "failure");
}

#[test]
fn an_approved_head_passes_its_own_review_and_says_who_approved() {
    let (stage, pull, token) = scene();
    stage.said(pull, "bea", &format!("/rankhold approve {token}")).run().ran.ends(0);
    let ended = stage.step(pull).with("GITHUB_RUN_ID", "400").run();
    assert_eq!(ended.outputs["verdict"], "pass");
    ended.ran.ends(0);
    assert!(stage.report(pull).contains("bea approved in this pull request"), "{}", stage.report(pull));
    // And once more: what the approval stands for is still found.
    let ended = stage.step(pull).with("GITHUB_RUN_ID", "401").run();
    assert_eq!(ended.outputs["verdict"], "pass");
}
