//! The stand-in keeps GitHub's rules: one test each, asked over HTTP with the client that users run.

use rankhold::github::{
    Annotation, Artifacts, Branch, Call, CheckRun, CheckRuns, Comment, Commit, Compare, Entry as Listed,
    GithubProblem, Level, Pull, PullFile, RemoteRepository, Repository, Run, Sha, Status, Token, endpoint,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::graph::Entry;
use super::world::{Merge, World};
use super::{COMMAND, FORK, Fake, PUBLISH};

fn repository() -> Repository {
    "o/r".parse().unwrap()
}

/// A repository with a pull request of one commit, and the token of a workflow that publishes.
fn scene() -> (Fake, Token) {
    let fake = Fake::start();
    let token = fake.with(|world| {
        let root = world.repository("o/r");
        let head = world.commit(&root, &[("docs/a.md", "text")]);
        world.push("o/r", "topic", &head);
        assert_eq!(world.pull("o/r", "topic", "main"), 1);
        world.workflow_token("o/r", PUBLISH)
    });
    (fake, token)
}

fn head(fake: &Fake) -> Sha {
    fake.with(|world| world.tip("o/r", "topic"))
}

fn ask<T: DeserializeOwned>(fake: &Fake, token: &Token, call: &Call) -> Result<T, GithubProblem> {
    fake.block_on(async |fake| fake.client(token).json(call).await)
}

fn post<T: DeserializeOwned>(fake: &Fake, token: &Token, call: &Call) -> Result<T, GithubProblem> {
    let look = async || panic!("no answer was lost");
    let written = fake.block_on(async |fake| fake.client(token).once(call, look).await);
    written.map(rankhold::github::Written::into_inner)
}

/// Status and words of a refusal.
#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, GithubProblem>) -> (u16, String) {
    match outcome.unwrap_err() {
        GithubProblem::BadToken { .. } => (401, String::new()),
        GithubProblem::Forbidden { message, .. } => (403, message),
        GithubProblem::NotFound { .. } => (404, String::new()),
        GithubProblem::Refused { status, message, .. } => (status, message),
        other => panic!("{other}"),
    }
}

/// A client that adds nothing.
fn plain() -> reqwest::Client {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    let redirect = reqwest::redirect::Policy::none();
    reqwest::Client::builder().tls_backend_preconfigured(tls).redirect(redirect).no_proxy().build().unwrap()
}

/// Asks what no endpoint function asks yet.
fn raw(fake: &Fake, token: Option<&Token>, method: &str, target: &str, body: &Value) -> (u16, Value) {
    fake.block_on(async |fake| {
        let method = method.parse::<reqwest::Method>().unwrap();
        let request = plain().request(method, format!("{}{target}", fake.address()));
        let mut request = request.header("user-agent", "tests").header("x-github-api-version", "2022-11-28");
        if let Some(token) = token {
            let granted = fake.with(|world| world.secret(token));
            request = request.header("authorization", format!("Bearer {granted}"));
        }
        if !body.is_null() {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
    })
}

fn fields(conclusion: Option<&'static str>) -> endpoint::CheckFields {
    endpoint::CheckFields {
        conclusion,
        external_id: "run 1".to_owned(),
        details_url: None,
        title: "title".to_owned(),
        summary: "summary".to_owned(),
        text: None,
        annotations: Vec::new(),
    }
}

fn status(state: &str, description: &str) -> Status {
    Status {
        context: "c".to_owned(),
        state: state.to_owned(),
        description: Some(description.to_owned()),
        target_url: None,
    }
}

fn annotation(message: &str) -> Annotation {
    Annotation {
        path: "docs/a.md".to_owned(),
        start_line: 1,
        end_line: 1,
        level: Level::Failure,
        title: "title".to_owned(),
        message: message.to_owned(),
    }
}

// Tokens.

#[test]
fn a_token_does_what_its_permissions_say_and_the_rest_is_refused_in_githubs_words() {
    let (fake, _) = scene();
    let reader = fake.with(|world| world.workflow_token("o/r", FORK));
    let forbidden = (403, "Resource not accessible by integration".to_owned());
    assert!(ask::<Pull>(&fake, &reader, &endpoint::pull(&repository(), 1)).is_ok());
    let comment = endpoint::create_comment(&repository(), 1, "text");
    assert_eq!(refused(post::<Comment>(&fake, &reader, &comment)), forbidden);
    let check = endpoint::create_check(&repository(), "n", &head(&fake), &fields(None));
    assert_eq!(refused(post::<CheckRun>(&fake, &reader, &check)), forbidden);
    let status = endpoint::create_status(&repository(), &head(&fake), &status("success", ""));
    assert_eq!(refused(post::<Value>(&fake, &reader, &status)), forbidden);
    // Either of two permissions is enough for comments.
    for permission in ["pull-requests: write", "issues: write"] {
        let token = fake.with(|world| world.workflow_token("o/r", &[permission]));
        assert!(post::<Comment>(&fake, &token, &comment).is_ok(), "{permission}");
    }
    // Another repository's token reads what is public and writes nothing.
    let stranger = fake.with(|world| {
        world.repository("s/t");
        world.workflow_token("s/t", PUBLISH)
    });
    assert!(ask::<Pull>(&fake, &stranger, &endpoint::pull(&repository(), 1)).is_ok());
    assert_eq!(refused(post::<Comment>(&fake, &stranger, &comment)), forbidden);
}

#[test]
fn a_private_repository_is_hidden_from_strangers_and_read_by_permission_alone() {
    let (fake, _) = scene();
    let (bare, stranger) = fake.with(|world| {
        world.repo_mut("o/r").private = true;
        world.repository("s/t");
        (world.workflow_token("o/r", &[]), world.workflow_token("s/t", PUBLISH))
    });
    let pull = endpoint::pull(&repository(), 1);
    assert_eq!(refused(ask::<Pull>(&fake, &stranger, &pull)).0, 404);
    assert_eq!(refused(ask::<Pull>(&fake, &bare, &pull)).0, 403);
    let found = ask::<RemoteRepository>(&fake, &bare, &endpoint::repository(&repository())).unwrap();
    assert_eq!(found.default_branch.as_deref(), Some("main"));
    assert_eq!(raw(&fake, None, "GET", "/repos/o/r/pulls/1", &Value::Null).0, 404);
}

#[test]
fn a_token_that_nobody_gave_out_is_no_token() {
    let (fake, _) = scene();
    let unknown = Token::new("ghs_made_up").unwrap();
    let pull = endpoint::pull(&repository(), 1);
    assert_eq!(refused(ask::<Pull>(&fake, &unknown, &pull)).0, 401);
    // Without one, what is public is read and nothing written.
    assert_eq!(raw(&fake, None, "GET", "/repos/o/r/pulls/1", &Value::Null).0, 200);
    let body = json!({ "body": "text" });
    assert_eq!(raw(&fake, None, "POST", "/repos/o/r/issues/1/comments", &body).0, 401);
}

#[test]
fn an_apps_token_does_not_know_who_it_is_and_writes_as_a_bot() {
    let (fake, token) = scene();
    assert_eq!(raw(&fake, Some(&token), "GET", "/user", &Value::Null).0, 403);
    let written: Comment = post(&fake, &token, &endpoint::create_comment(&repository(), 1, "text")).unwrap();
    let author = written.user.unwrap();
    assert_eq!((author.login.as_str(), author.kind.as_str()), ("github-actions[bot]", "Bot"));
    let other = fake.with(|world| world.app_token("other", "o/r", PUBLISH));
    let written: Comment = post(&fake, &other, &endpoint::create_comment(&repository(), 1, "text")).unwrap();
    assert_eq!(written.user.unwrap().login, "other[bot]");
    let person = fake.with(|world| world.person_token("ada"));
    assert_eq!(raw(&fake, Some(&person), "GET", "/user", &Value::Null).1["login"], "ada");
    // GraphQL says what REST does not.
    let viewer = json!({ "query": "query { viewer { login } }" });
    let (_, answer) = raw(&fake, Some(&token), "POST", "/graphql", &viewer);
    assert_eq!(answer["data"]["viewer"]["login"], "github-actions[bot]");
}

#[test]
fn people_write_what_their_role_allows_and_no_check_runs() {
    let (fake, _) = scene();
    let (ada, eve) = fake.with(|world| {
        world.role("o/r", "ada", "write");
        (world.person_token("ada"), world.person_token("eve"))
    });
    let check = endpoint::create_check(&repository(), "n", &head(&fake), &fields(None));
    assert!(refused(post::<CheckRun>(&fake, &ada, &check)).1.contains("via a GitHub App"));
    let status = endpoint::create_status(&repository(), &head(&fake), &status("success", ""));
    assert!(post::<Value>(&fake, &ada, &status).is_ok());
    assert_eq!(refused(post::<Value>(&fake, &eve, &status)).0, 404);
    assert!(post::<Comment>(&fake, &eve, &endpoint::create_comment(&repository(), 1, "text")).is_ok());
}

#[test]
fn a_permission_has_an_older_word_and_an_exact_one() {
    let (fake, token) = scene();
    let ask = |login: &str| {
        let target = format!("/repos/o/r/collaborators/{login}/permission");
        let (status, answer) = raw(&fake, Some(&token), "GET", &target, &Value::Null);
        let word = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        (status, word("permission"), word("role_name"))
    };
    for (role, permission) in [
        ("admin", "admin"),
        ("maintain", "write"),
        ("write", "write"),
        ("triage", "read"),
        ("read", "read"),
        ("release-manager", "write"),
    ] {
        fake.with(|world| world.role("o/r", "ada", role));
        assert_eq!(ask("ada"), (200, permission.to_owned(), role.to_owned()));
    }
    fake.with(|world| world.user("eve"));
    assert_eq!(ask("eve").1, "read", "a public repository is read by everybody");
    assert_eq!(ask("nobody").0, 404);
    let target = "/repos/o/r/collaborators/ada/permission";
    for (login, status) in [("ada", 200), ("eve", 403)] {
        let token = fake.with(|world| world.person_token(login));
        assert_eq!(raw(&fake, Some(&token), "GET", target, &Value::Null).0, status, "{login} asks");
    }
    assert_eq!(raw(&fake, None, "GET", target, &Value::Null).0, 401);
    fake.with(|world| world.repo_mut("o/r").private = true);
    assert_eq!(ask("eve").1, "none");
}

// Pull requests.

#[test]
fn a_head_follows_its_branch_and_a_base_does_not() {
    let (fake, token) = scene();
    let before: Pull = ask(&fake, &token, &endpoint::pull(&repository(), 1)).unwrap();
    let (newer, base) = fake.with(|world| {
        let (topic, main) = (world.tip("o/r", "topic"), world.tip("o/r", "main"));
        let newer = world.commit(&topic, &[("docs/b.md", "text")]);
        let base = world.commit(&main, &[("docs/c.md", "text")]);
        world.push("o/r", "main", &base);
        (newer, base)
    });
    let after: Pull = ask(&fake, &token, &endpoint::pull(&repository(), 1)).unwrap();
    assert_eq!(before, after, "a base branch that moves shows in no pull request");
    fake.with(|world| world.push("o/r", "topic", &newer));
    let after: Pull = ask(&fake, &token, &endpoint::pull(&repository(), 1)).unwrap();
    assert_eq!((after.head.sha, after.base.sha), (newer, base));
    fake.with(|world| {
        let main = world.tip("o/r", "main");
        world.push("o/r", "next", &main);
        world.retarget("o/r", 1, "next");
        world.pull_mut("o/r", 1).draft = true;
    });
    let after: Pull = ask(&fake, &token, &endpoint::pull(&repository(), 1)).unwrap();
    assert_eq!((after.base.branch.as_str(), after.draft), ("next", true));
}

#[test]
fn a_fork_is_another_repository_and_null_when_it_is_gone() {
    let (fake, token) = scene();
    let head = fake.with(|world| {
        world.fork("o/r", "eve/r");
        let main = world.tip("eve/r", "main");
        let head = world.commit(&main, &[("docs/a.md", "text")]);
        world.push("eve/r", "topic", &head);
        assert_eq!(world.pull("o/r", "eve/r:topic", "main"), 2);
        head
    });
    let pull: Pull = ask(&fake, &token, &endpoint::pull(&repository(), 2)).unwrap();
    assert_ne!(pull.head.repo.unwrap().id, pull.base.repo.unwrap().id);
    let from = |owner: &str| -> Vec<u64> {
        let found: Vec<Pull> =
            ask(&fake, &token, &endpoint::pulls_from(&repository(), owner, "topic")).unwrap();
        found.iter().map(|pull| pull.number).collect()
    };
    assert_eq!((from("o"), from("eve"), from("ada")), (vec![1], vec![2], vec![]));
    // The base repository knows a fork's commit only once it is merged.
    let of_commit = |commit: &Sha| {
        let (_, found) =
            raw(&fake, Some(&token), "GET", &format!("/repos/o/r/commits/{commit}/pulls"), &Value::Null);
        found.as_array().unwrap().iter().map(|pull| pull["number"].clone()).collect::<Vec<_>>()
    };
    assert_eq!((of_commit(&head), of_commit(&self::head(&fake))), (vec![], vec![json!(1)]));
    fake.with(|world| world.remove("eve/r"));
    let pull: Pull = ask(&fake, &token, &endpoint::pull(&repository(), 2)).unwrap();
    assert_eq!((pull.head.repo, pull.head.sha), (None, head));
}

#[test]
fn merging_moves_the_base_branch_in_three_ways() {
    for (how, parents) in [(Merge::Commit, 2), (Merge::Squash, 1), (Merge::Rebase, 1)] {
        let (fake, token) = scene();
        let merged = fake.with(|world| world.merge("o/r", 1, how));
        let branch: Branch = ask(&fake, &token, &endpoint::branch(&repository(), "main")).unwrap();
        assert_eq!(branch.commit.sha, merged);
        let commit: Commit = ask(&fake, &token, &endpoint::commit(&repository(), &merged)).unwrap();
        assert_eq!(commit.parents.len(), parents, "{how:?}");
        let pull: Pull = ask(&fake, &token, &endpoint::pull(&repository(), 1)).unwrap();
        assert_eq!(pull.state, "closed");
        let open: Vec<Pull> = ask(&fake, &token, &endpoint::pulls_from(&repository(), "o", "topic")).unwrap();
        assert_eq!(open, []);
        let target = format!("/repos/o/r/commits/{merged}/pulls");
        assert_eq!(raw(&fake, Some(&token), "GET", &target, &Value::Null).1[0]["number"], 1, "{how:?}");
    }
}

#[test]
fn the_files_of_a_pull_request_are_those_it_changed_since_it_parted() {
    let (fake, token) = scene();
    fake.with(|world| {
        let main = world.tip("o/r", "main");
        let base = world.commit(&main, &[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]);
        let head = world.edit(&base, |tree| {
            tree.insert("a".to_owned(), Entry::File(b"changed".to_vec()));
            tree.remove("b");
            let moved = tree.remove("c").unwrap();
            tree.insert("moved".to_owned(), moved);
            tree.insert("new".to_owned(), Entry::File(b"new".to_vec()));
        });
        let ahead = world.commit(&base, &[("d", "elsewhere")]);
        world.push("o/r", "main", &ahead);
        world.push("o/r", "topic", &head);
    });
    let files: Vec<PullFile> = ask(&fake, &token, &endpoint::pull_files(&repository(), 1)).unwrap();
    let files: Vec<_> = files.iter().map(|file| (file.filename.as_str(), file.status.as_str())).collect();
    assert_eq!(files, [("a", "modified"), ("b", "removed"), ("moved", "renamed"), ("new", "added")]);
}

#[test]
fn a_repository_of_an_old_name_sends_elsewhere_and_that_is_no_answer() {
    let (fake, token) = scene();
    let at = head(&fake);
    fake.with(|world| world.rename("o/r", "o/new"));
    let moved = (301, "Moved Permanently".to_owned());
    assert_eq!(refused(ask::<Pull>(&fake, &token, &endpoint::pull(&repository(), 1))), moved);
    let file = endpoint::file(&repository(), "docs/a.md", &at);
    assert_eq!(refused(fake.block_on(async |fake| fake.client(&token).bytes(&file).await)), moved);
    let comment = endpoint::create_comment(&repository(), 1, "text");
    assert_eq!(refused(post::<Comment>(&fake, &token, &comment)).0, 307);
    fake.block_on(async |fake| {
        let list = endpoint::comments(&repository(), 1);
        let all = fake.client(&token).all(&list, |page: Vec<Comment>| page).await;
        assert_eq!(refused(all).0, 301);
        let delete = endpoint::delete_comment(&repository(), 1);
        assert_eq!(refused(fake.client(&token).done(&delete).await).0, 307);
    });
}

// Comments.

#[test]
fn a_comment_has_a_longest_length_in_characters() {
    let (fake, token) = scene();
    let write =
        |body: &str| post::<Comment>(&fake, &token, &endpoint::create_comment(&repository(), 1, body));
    let longest = write(&"é".repeat(65_536)).unwrap();
    let (status, words) = refused(write(&"é".repeat(65_537)));
    assert_eq!(status, 422);
    assert!(words.contains("body is too long (maximum is 65536 characters)"), "{words}");
    let update = endpoint::update_comment(&repository(), longest.id, &"a".repeat(65_537));
    assert_eq!(refused(ask::<Comment>(&fake, &token, &update)).0, 422);
    assert_eq!(refused(write(" \n")).0, 422);
}

#[test]
fn comments_come_oldest_first_in_pages_that_name_the_next() {
    let (fake, token) = scene();
    fake.with(|world| {
        for number in 0..250 {
            world.comment("o/r", 1, "ada", &number.to_string());
        }
    });
    let call = endpoint::comments(&repository(), 1);
    let all = fake.block_on(async |fake| fake.client(&token).all(&call, |page: Vec<Comment>| page).await);
    let all: Vec<_> = all.unwrap().iter().map(|comment| comment.body.clone().unwrap()).collect();
    assert_eq!(all, (0..250).map(|number| number.to_string()).collect::<Vec<_>>());
    assert_eq!(fake.log().len(), 3);
    // More than a hundred a page are not given, and thirty are if nothing is said.
    let page = |query: &str| {
        let target = format!("/repos/o/r/issues/1/comments{query}");
        raw(&fake, Some(&token), "GET", &target, &Value::Null).1.as_array().unwrap().len()
    };
    assert_eq!((page("?per_page=1000"), page(""), page("?page=99")), (100, 30, 0));
    assert_eq!(refused(ask::<Value>(&fake, &token, &endpoint::comments(&repository(), 9))).0, 404);
}

#[test]
fn a_comment_is_changed_and_deleted_and_says_when_it_was_edited() {
    let (fake, token) = scene();
    let id = fake.with(|world| world.comment("o/r", 1, "ada", "by hand"));
    let edited = || {
        let query = "query($id: ID!) { node(id: $id) { ... on IssueComment { lastEditedAt } } }";
        let body = json!({ "query": query, "variables": { "id": format!("IC_{id}") } });
        raw(&fake, Some(&token), "POST", "/graphql", &body).1["data"]["node"]["lastEditedAt"].clone()
    };
    assert_eq!(edited(), Value::Null);
    let update = endpoint::update_comment(&repository(), id, "by a bot");
    let changed: Comment = ask(&fake, &token, &update).unwrap();
    assert_eq!((changed.body.as_deref(), changed.user.unwrap().login.as_str()), (Some("by a bot"), "ada"));
    assert_ne!(edited(), Value::Null);
    let delete = endpoint::delete_comment(&repository(), id);
    fake.block_on(async |fake| fake.client(&token).done(&delete).await).unwrap();
    assert_eq!(refused(ask::<Comment>(&fake, &token, &update)).0, 404);
    assert_eq!(raw(&fake, None, "GET", &format!("/repos/o/r/issues/comments/{id}"), &Value::Null).0, 404);
}

#[test]
fn a_reaction_of_one_person_is_there_once() {
    let (fake, token) = scene();
    let id = fake.with(|world| world.comment("o/r", 1, "ada", "text"));
    let target = format!("/repos/o/r/issues/comments/{id}/reactions");
    let react = || raw(&fake, Some(&token), "POST", &target, &json!({ "content": "+1" })).0;
    assert_eq!((react(), react()), (201, 200));
    let (_, all) = raw(&fake, Some(&token), "GET", &target, &Value::Null);
    assert_eq!((all.as_array().unwrap().len(), &all[0]["content"]), (1, &json!("+1")));
    assert_eq!(raw(&fake, Some(&token), "POST", &target, &json!({ "content": "boo" })).0, 201);
    assert_eq!(fake.take_violations().len(), 2, "no such reaction, in the request and in the answer");
}

// Checks and statuses.

#[test]
fn a_check_run_is_completed_by_a_conclusion() {
    let (fake, token) = scene();
    let commit = head(&fake);
    let made: CheckRun =
        post(&fake, &token, &endpoint::create_check(&repository(), "n", &commit, &fields(None))).unwrap();
    assert_eq!((made.status.as_str(), made.conclusion), ("in_progress", None));
    let update = endpoint::update_check(&repository(), made.id, &fields(Some("neutral")));
    let done: CheckRun = ask(&fake, &token, &update).unwrap();
    assert_eq!((done.status.as_str(), done.conclusion.as_deref()), ("completed", Some("neutral")));
    assert_eq!(done.external_id.as_deref(), Some("run 1"));
    let again: CheckRun =
        ask(&fake, &token, &endpoint::update_check(&repository(), made.id, &fields(None))).unwrap();
    assert_eq!((again.status.as_str(), again.conclusion), ("in_progress", None));
    let target = format!("/repos/o/r/check-runs/{}", made.id);
    let bare = json!({ "status": "completed" });
    assert_eq!(raw(&fake, Some(&token), "PATCH", &target, &bare).0, 422, "it needs a conclusion");
    let stale = json!({ "conclusion": "stale" });
    assert_eq!(raw(&fake, Some(&token), "PATCH", &target, &stale).0, 422, "only GitHub says so");
    let (_, answer) = raw(&fake, Some(&token), "GET", &target, &Value::Null);
    assert_eq!(answer["app"]["slug"], "github-actions");
    let nowhere = Sha::new(&"0".repeat(40)).unwrap();
    let call = endpoint::create_check(&repository(), "n", &nowhere, &fields(None));
    assert_eq!(
        refused(post::<CheckRun>(&fake, &token, &call)),
        (422, format!("No commit found for SHA: {nowhere}"))
    );
    fake.take_violations();
}

#[test]
fn the_text_of_a_check_run_has_a_longest_length() {
    let (fake, token) = scene();
    let commit = head(&fake);
    let make = |change: &dyn Fn(&mut endpoint::CheckFields)| {
        let mut fields = fields(None);
        change(&mut fields);
        post::<CheckRun>(&fake, &token, &endpoint::create_check(&repository(), "n", &commit, &fields))
    };
    assert!(make(&|fields| fields.summary = "é".repeat(65_535)).is_ok());
    assert_eq!(fake.take_violations(), [""; 0]);
    for (status, words) in [
        refused(make(&|fields| fields.summary = "s".repeat(65_536))),
        refused(make(&|fields| fields.text = Some("s".repeat(65_536)))),
        refused(make(&|fields| fields.annotations = vec![annotation("m"); 51])),
        refused(make(&|fields| fields.annotations = vec![annotation(&"m".repeat((64 << 10) + 1))])),
        refused(make(&|fields| {
            fields.annotations = vec![Annotation { title: "t".repeat(256), ..annotation("m") }];
        })),
    ] {
        assert_eq!(status, 422, "{words}");
        assert!(words.contains("were supplied"), "{words}");
    }
    assert_eq!(fake.take_violations().len(), 3, "the description knows three of these limits");
}

#[test]
fn annotations_are_added_to_those_that_are_there() {
    let (fake, token) = scene();
    let mut fields = fields(None);
    fields.annotations = vec![annotation("m"); 50];
    let made: CheckRun =
        post(&fake, &token, &endpoint::create_check(&repository(), "n", &head(&fake), &fields)).unwrap();
    fields.annotations.truncate(3);
    let _: CheckRun = ask(&fake, &token, &endpoint::update_check(&repository(), made.id, &fields)).unwrap();
    let target = format!("/repos/o/r/check-runs/{}", made.id);
    let (_, answer) = raw(&fake, Some(&token), "GET", &target, &Value::Null);
    assert_eq!(answer["output"]["annotations_count"], 53);
    let (_, page) = raw(&fake, Some(&token), "GET", &format!("{target}/annotations?page=2"), &Value::Null);
    assert_eq!(page.as_array().unwrap().len(), 23);
}

#[test]
fn several_check_runs_may_have_one_name_and_the_latest_is_shown_unless_all_are_asked_for() {
    let (fake, token) = scene();
    let commit = head(&fake);
    let create = endpoint::create_check(&repository(), "n", &commit, &fields(None));
    let ids: Vec<_> = (0..2).map(|_| post::<CheckRun>(&fake, &token, &create).unwrap().id).collect();
    let foreign = fake.with(|world| world.foreign_check("o/r", &commit, "n"));
    let call = endpoint::check_runs(&repository(), &commit, "n");
    let all: CheckRuns = ask(&fake, &token, &call).unwrap();
    let found: Vec<_> = all.check_runs.iter().map(|check| check.id).collect();
    assert_eq!((all.total_count, found), (3, vec![foreign, ids[1], ids[0]]));
    let none: CheckRuns = ask(&fake, &token, &endpoint::check_runs(&repository(), &commit, "other")).unwrap();
    assert_eq!(none.total_count, 0);
    let list = |query: &str| {
        let target = format!("/repos/o/r/commits/topic/check-runs{query}");
        raw(&fake, Some(&token), "GET", &target, &Value::Null).1["total_count"].clone()
    };
    assert_eq!(
        (list(""), list("?app_id=15368"), list("?filter=all&app_id=15368")),
        (json!(2), json!(1), json!(2))
    );
    // Nobody changes what another app made.
    let update = endpoint::update_check(&repository(), foreign, &fields(None));
    let (status, words) = refused(ask::<CheckRun>(&fake, &token, &update));
    assert!(
        status == 403 && words.contains("can only be modified by the GitHub App that created it"),
        "{words}"
    );
}

#[test]
fn a_status_has_a_short_description_and_the_newest_comes_first() {
    let (fake, token) = scene();
    let commit = head(&fake);
    let write = |state: &str, description: &str| {
        let call = endpoint::create_status(&repository(), &commit, &status(state, description));
        post::<Value>(&fake, &token, &call)
    };
    write("pending", &"é".repeat(140)).unwrap();
    write("failure", "no").unwrap();
    let (status, words) = refused(write("success", &"é".repeat(141)));
    assert_eq!(status, 422);
    assert!(words.contains("description is too long (maximum is 140 characters)"), "{words}");
    let all: Value = ask(&fake, &token, &endpoint::statuses(&repository(), &commit)).unwrap();
    assert_eq!((&all[0]["state"], &all[1]["state"]), (&json!("failure"), &json!("pending")));
}

// Commits and contents.

#[test]
fn two_commits_lie_to_each_other_as_the_graph_says() {
    let (fake, token) = scene();
    let (root, one, other, merge, foreign) = fake.with(|world| {
        let root = world.tip("o/r", "main");
        let one = world.commit(&root, &[("a", "1")]);
        let one = world.commit(&one, &[("a", "2")]);
        let other = world.commit(&root, &[("b", "1")]);
        let merge = world.merge_commit(&one, &other);
        (root, one, other, merge, world.repository("s/t"))
    });
    let compare = |from: &Sha, to: &Sha| -> (String, u64, u64, Sha) {
        let found: Compare = ask(&fake, &token, &endpoint::compare(&repository(), from, to)).unwrap();
        (found.status, found.ahead_by, found.behind_by, found.merge_base_commit.sha)
    };
    assert_eq!(compare(&root, &one), ("ahead".to_owned(), 2, 0, root.clone()));
    assert_eq!(compare(&one, &root), ("behind".to_owned(), 0, 2, root.clone()));
    assert_eq!(compare(&one, &other), ("diverged".to_owned(), 1, 2, root.clone()));
    assert_eq!(compare(&one, &one), ("identical".to_owned(), 0, 0, one.clone()));
    assert_eq!(compare(&one, &merge), ("ahead".to_owned(), 2, 0, one.clone()));
    let unrelated = endpoint::compare(&repository(), &root, &foreign);
    assert_eq!(refused(ask::<Compare>(&fake, &token, &unrelated)).0, 404);
    let commit: Commit = ask(&fake, &token, &endpoint::commit(&repository(), &merge)).unwrap();
    let parents: Vec<_> = commit.parents.into_iter().map(|parent| parent.sha).collect();
    assert_eq!(parents, [one.clone(), other.clone()]);
    // Files come with the first page alone.
    let page = |query: &str| {
        let target = format!("/repos/o/r/compare/{root}...{merge}{query}");
        raw(&fake, Some(&token), "GET", &target, &Value::Null).1
    };
    assert_eq!(page("")["files"].as_array().unwrap().len(), 2);
    assert!(page("?page=2&per_page=1").get("files").is_none());
}

#[test]
fn branches_have_slashes_and_what_is_not_there_is_said_each_in_its_way() {
    let (fake, token) = scene();
    let tip = fake.with(|world| {
        let tip = world.tip("o/r", "topic");
        world.push("o/r", "feat/a b", &tip);
        tip
    });
    let branch: Branch = ask(&fake, &token, &endpoint::branch(&repository(), "feat/a b")).unwrap();
    assert_eq!(branch.commit.sha, tip);
    assert_eq!(refused(ask::<Branch>(&fake, &token, &endpoint::branch(&repository(), "none"))).0, 404);
    let nowhere = Sha::new(&"0".repeat(40)).unwrap();
    assert_eq!(refused(ask::<Commit>(&fake, &token, &endpoint::commit(&repository(), &nowhere))).0, 422);
    let checks = endpoint::check_runs(&repository(), &nowhere, "n");
    assert_eq!(refused(ask::<CheckRuns>(&fake, &token, &checks)).0, 422);
    assert_eq!(
        refused(ask::<Value>(&fake, &token, &endpoint::folder(&repository(), "docs", &nowhere))).0,
        404
    );
    assert_eq!(
        refused(ask::<Compare>(&fake, &token, &endpoint::compare(&repository(), &tip, &nowhere))).0,
        404
    );
}

fn bytes(fake: &Fake, token: &Token, path: &str, at: &Sha) -> Option<Vec<u8>> {
    let call = endpoint::file(&repository(), path, at);
    fake.block_on(async |fake| fake.client(token).bytes(&call).await).unwrap()
}

#[test]
fn a_file_is_its_bytes_and_a_large_one_nothing_else() {
    let (fake, token) = scene();
    let large = vec![0xff; (1 << 20) + 1];
    let at = fake.with(|world| {
        let main = world.tip("o/r", "main");
        let large = large.clone();
        world.edit(&main, |tree| {
            tree.insert("docs/caf\u{e9} #1.md".to_owned(), Entry::File(b"{\"json\": true}".to_vec()));
            tree.insert("large".to_owned(), Entry::File(large));
            tree.insert("docs/link".to_owned(), Entry::Symlink("../large".to_owned()));
            tree.insert("docs/dangling".to_owned(), Entry::Symlink("nowhere".to_owned()));
        })
    });
    assert_eq!(bytes(&fake, &token, "docs/caf\u{e9} #1.md", &at).unwrap(), b"{\"json\": true}");
    assert_eq!(bytes(&fake, &token, "large", &at).unwrap(), large);
    assert_eq!(bytes(&fake, &token, "docs/link", &at).unwrap(), large, "a link to a file is that file");
    assert_eq!(bytes(&fake, &token, "docs/dangling", &at).unwrap(), b"nowhere");
    assert_eq!(bytes(&fake, &token, "docs/none", &at), None);
    let (status, words) =
        refused(ask::<Value>(&fake, &token, &endpoint::folder(&repository(), "large", &at)));
    assert!(status == 403 && words.contains("up to 1 MB"), "{words}");
    let small: Value =
        ask(&fake, &token, &endpoint::folder(&repository(), "docs/caf\u{e9} #1.md", &at)).unwrap();
    assert_eq!((&small["encoding"], &small["type"]), (&json!("base64"), &json!("file")));
    let link: Value = ask(&fake, &token, &endpoint::folder(&repository(), "docs/dangling", &at)).unwrap();
    assert_eq!(link["type"], "symlink");
}

#[test]
fn a_folder_shows_its_first_thousand_entries_and_does_not_say_that_there_are_more() {
    let (fake, token) = scene();
    let module = head(&fake);
    let at = fake.with(|world| {
        let main = world.tip("o/r", "main");
        world.edit(&main, |tree| {
            tree.insert("docs/below/a.md".to_owned(), Entry::File(Vec::new()));
            tree.insert("docs/a.md".to_owned(), Entry::File(Vec::new()));
            tree.insert("docs/link".to_owned(), Entry::Symlink("a.md".to_owned()));
            tree.insert("docs/module".to_owned(), Entry::Submodule(module));
            for number in 0..1001 {
                tree.insert(format!("many/{number}"), Entry::File(Vec::new()));
            }
        })
    });
    let list = |path: &str| -> Vec<(String, String)> {
        let found: Vec<Listed> = ask(&fake, &token, &endpoint::folder(&repository(), path, &at)).unwrap();
        found.into_iter().map(|entry| (entry.path, entry.kind)).collect()
    };
    let found = list("docs");
    let found: Vec<_> = found.iter().map(|(path, kind)| (path.as_str(), kind.as_str())).collect();
    let expected =
        [("docs/a.md", "file"), ("docs/below", "dir"), ("docs/link", "symlink"), ("docs/module", "file")];
    assert_eq!(found, expected);
    assert_eq!(list("").len(), 2);
    assert_eq!(list("many").len(), 1000);
    assert_eq!(refused(ask::<Value>(&fake, &token, &endpoint::folder(&repository(), "none", &at))).0, 404);
}

// Workflow runs.

#[test]
fn a_run_says_what_it_was_about_and_no_pull_request() {
    let (fake, token) = scene();
    let id = fake.with(|world| {
        world.fork("o/r", "eve/r");
        let main = world.tip("eve/r", "main");
        let head = world.commit(&main, &[("docs/a.md", "text")]);
        world.push("eve/r", "topic", &head);
        let id = world.run("o/r", "pull_request", ".github/workflows/hold.yml", "eve/r:topic");
        world.run_mut("o/r", id).attempt = 2;
        id
    });
    let run: Run = ask(&fake, &token, &endpoint::run(&repository(), id)).unwrap();
    assert_eq!((run.event.as_str(), run.path.as_str()), ("pull_request", ".github/workflows/hold.yml"));
    assert_eq!((run.head_branch.as_deref(), run.run_attempt), (Some("topic"), Some(2)));
    assert_eq!(run.head_repository.unwrap().full_name.to_string(), "eve/r");
    assert!(run.run_started_at.is_some());
    let (_, answer) = raw(&fake, Some(&token), "GET", &format!("/repos/o/r/actions/runs/{id}"), &Value::Null);
    assert_eq!(answer["pull_requests"], json!([]));
    fake.with(|world| world.remove("eve/r"));
    let run: Run = ask(&fake, &token, &endpoint::run(&repository(), id)).unwrap();
    assert_eq!(run.head_repository, None);
    assert_eq!(refused(ask::<Run>(&fake, &token, &endpoint::run(&repository(), 9))).0, 404);
}

#[test]
fn an_archive_lies_elsewhere_under_an_address_that_does_not_hold_for_long() {
    let (fake, token) = scene();
    let (run, id) = fake.with(|world| {
        let run = world.run("o/r", "pull_request", "hold.yml", "topic");
        world.artifact("o/r", run, "other", b"PK other");
        (run, world.artifact("o/r", run, "rankhold", b"PK archive"))
    });
    let page: Artifacts = ask(&fake, &token, &endpoint::run_artifacts(&repository(), run)).unwrap();
    assert_eq!((page.total_count, page.artifacts[0].id, page.artifacts[0].size_in_bytes), (2, id, 10));
    let call = endpoint::artifact_archive(&repository(), id);
    let follow = || fake.block_on(async |fake| fake.client(&token).follow(&call, 100).await);
    assert_eq!(follow().unwrap(), b"PK archive");
    fake.after(&format!("{} {}", call.verb.word(), call.route), 1, World::expire_links);
    assert_eq!(refused(follow()).0, 403);
    // Anybody sees that it is there, and nobody without an account gets it.
    let target = format!("/repos/o/r/actions/artifacts/{id}");
    assert_eq!(raw(&fake, None, "GET", &target, &Value::Null).1["name"], "rankhold");
    assert_eq!(raw(&fake, None, "GET", &format!("{target}/zip"), &Value::Null).0, 401);
    fake.with(|world| world.repo_mut("o/r").artifacts.get_mut(&id).unwrap().expired = true);
    assert_eq!(refused(follow()).0, 404, "410 is as good as 404");
}

// GraphQL.

#[test]
fn a_commit_on_a_branch_is_made_only_on_the_tip_that_was_expected() {
    let (fake, publisher) = scene();
    let token = fake.with(|world| world.workflow_token("o/r", COMMAND));
    let old = head(&fake);
    let commit = |token: &Token, expected: &Sha| {
        let input = json!({
            "branch": { "repositoryNameWithOwner": "o/r", "branchName": "topic" },
            "expectedHeadOid": expected,
            "message": { "headline": "Approve" },
            "fileChanges": { "additions": [{ "path": "new.md", "contents": "dGV4dA==" }], "deletions": [{ "path": "docs/a.md" }] },
        });
        let query = "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }";
        raw(
            &fake,
            Some(token),
            "POST",
            "/graphql",
            &json!({ "query": query, "variables": { "input": input } }),
        )
        .1
    };
    assert_eq!(commit(&publisher, &old)["errors"][0]["type"], "FORBIDDEN");
    let made = commit(&token, &old)["data"]["createCommitOnBranch"]["commit"]["oid"].clone();
    assert_eq!(made, head(&fake).as_str());
    let pull: Pull = ask(&fake, &token, &endpoint::pull(&repository(), 1)).unwrap();
    assert_eq!(pull.head.sha.as_str(), made);
    assert_eq!(bytes(&fake, &token, "new.md", &head(&fake)).unwrap(), b"text");
    assert_eq!(bytes(&fake, &token, "docs/a.md", &head(&fake)), None);
    let stale = commit(&token, &old);
    assert_eq!(
        (&stale["errors"][0]["type"], stale["data"]["createCommitOnBranch"].is_null()),
        (&json!("STALE_DATA"), true)
    );
    fake.with(|world| world.repo_mut("o/r").protected.insert("topic".to_owned()));
    assert!(!commit(&token, &head(&fake))["errors"].is_null());
    let unknown = raw(&fake, Some(&token), "POST", "/graphql", &json!({ "query": "{ nonsense }" }));
    assert_eq!((unknown.0, fake.take_violations().len()), (400, 1));
}

// The stand-in itself.

#[test]
#[should_panic(expected = "against GitHub's description")]
fn a_request_that_breaks_the_description_fails_its_test() {
    let (fake, token) = scene();
    raw(&fake, Some(&token), "POST", "/repos/o/r/issues/1/comments", &json!({ "body": "text", "bdy": "x" }));
}

#[test]
fn what_the_stand_in_does_not_know_is_no_silence() {
    let (fake, token) = scene();
    let problems = |method: &str, target: &str| {
        raw(&fake, Some(&token), method, target, &Value::Null);
        fake.take_violations().join("\n")
    };
    assert!(problems("GET", "/repos/o/r/labels").contains("the description has no"));
    assert!(
        problems("GET", "/repos/o/r/issues/1/comments?since=2026-01-01T00:00:00Z").contains("heed ?since")
    );
    assert!(problems("GET", "/repos/o/r/pulls/one").contains("pull_number"));
    let private = Fake::private_server();
    let outside = private.block_on(async |fake| {
        let (host, _) = fake.hosts();
        plain().get(format!("http://{host}/repos/o/r")).send().await.unwrap().status().as_u16()
    });
    assert_eq!(outside, 404);
    assert!(private.take_violations().join("\n").contains("below /api/v3"));
}

#[test]
#[should_panic(expected = "a panic of the stand-in")]
fn a_hook_that_panics_fails_its_test() {
    let (fake, token) = scene();
    fake.before("GET /repos/{owner}/{repo}/pulls/{pull_number}", 1, |world| world.remove("no/such"));
    drop(ask::<Pull>(&fake, &token, &endpoint::pull(&repository(), 1)));
}

#[test]
fn the_world_changes_between_two_requests_where_a_test_says_so() {
    let (fake, token) = scene();
    let route = "GET /repos/{owner}/{repo}/pulls/{pull_number}";
    fake.before(route, 2, |world| world.pull_mut("o/r", 1).draft = true);
    fake.after(route, 2, |world| world.pull_mut("o/r", 1).state = "closed");
    let seen: Vec<_> = (0..3)
        .map(|_| {
            let pull: Pull = ask(&fake, &token, &endpoint::pull(&repository(), 1)).unwrap();
            (pull.draft, pull.state)
        })
        .collect();
    let expected = [(false, "open"), (true, "open"), (true, "closed")];
    assert_eq!(seen, expected.map(|(draft, state)| (draft, state.to_owned())));
    let _ = post::<Comment>(&fake, &token, &endpoint::create_comment(&repository(), 1, "text")).unwrap();
    assert_eq!(fake.writes(), ["POST /repos/{owner}/{repo}/issues/{issue_number}/comments"]);
    let last = fake.log().pop().unwrap();
    assert_eq!(
        (last.target.as_str(), &last.body),
        ("/repos/o/r/issues/1/comments", &json!({ "body": "text" }))
    );
    assert_eq!(last.status, Some(201));
}
