//! `rankhold verify --github`: the record of a baseline, held against what GitHub has.

use rankhold::artifact::{Baseline, Candidate, Covered};
use rankhold::canon::Digest;
use serde_json::{Value, json};

use super::fake::world::{Merge, World};
use super::fake::{Fake, GRAPHQL, tls};
use super::faults::{FAULTS, Fault, Named, side_by_side};
use super::scene::{BASELINE, Scene, US, losing_more};
use super::stage::{REPOSITORY, Stage, impatient, played, remarks};
use super::ways::two_suites;
use crate::program::{Ran, Tree};

const PULLS: &str = "GET /repos/{owner}/{repo}/pulls";
const COMMENT: &str = "GET /repos/{owner}/{repo}/issues/comments/{comment_id}";
const COMMENTS: &str = "GET /repos/{owner}/{repo}/issues/{issue_number}/comments";
const PULL: &str = "GET /repos/{owner}/{repo}/pulls/{pull_number}";
const ITSELF: &str = "GET /repos/{owner}/{repo}";
const RIGHTS: &str = "GET /repos/{owner}/{repo}/collaborators/{username}/permission";
const BRANCH: &str = "GET /repos/{owner}/{repo}/branches/{branch}";
const CONTENTS: &str = "GET /repos/{owner}/{repo}/contents/{path}";

/// A baseline that max approved, with the comment that says so.
struct Approved {
    scene: Scene,
    comment: u64,
    /// The file.
    text: String,
}

impl Approved {
    /// By a commit; the pull request is open.
    fn open() -> Self {
        Self::by_commit("")
    }

    fn by_commit(config: &str) -> Self {
        let scene = Scene::of(config);
        let comment = scene.note(scene.pull, "max", &format!("{} new words", scene.command()));
        scene.hear(scene.pull, comment).ran.ends(0);
        let text = scene.baseline(&scene.head()).unwrap();
        assert_eq!(scene.commits_of_ours().len(), 1);
        Self { scene, comment, text }
    }

    /// By a commit, and merged.
    fn merged() -> Self {
        let approved = Self::open();
        approved.scene.with(|world| world.merge(REPOSITORY, approved.scene.pull, Merge::Commit));
        approved
    }

    /// Of a fork's pull request, to which nothing is committed: the file is what its comment stands for.
    fn of_fork() -> Self {
        let scene = Scene::of_fork("");
        let comment = scene.note(scene.pull, "max", &scene.command());
        let text = scene.forged(scene.pull, "max", comment);
        scene.hear(scene.pull, comment).ran.ends(0);
        assert_eq!(scene.now(), "success");
        Self { scene, comment, text }
    }

    fn copy(&self) -> Self {
        Self { scene: self.scene.copy(), comment: self.comment, text: self.text.clone() }
    }

    fn with<T>(&self, look: impl FnOnce(&mut World) -> T) -> T {
        self.scene.with(look)
    }

    fn verify(&self) -> Ran {
        verify(&self.scene.stage.fake, &[("garden.json", &self.text)]).run()
    }

    /// The file with its record changed; it agrees with itself all the same.
    fn forge(&mut self, change: impl FnOnce(&mut Value)) {
        let mut document: Value = serde_json::from_str(&self.text).unwrap();
        change(&mut document["approval"]);
        let covered: Covered =
            serde_json::from_value(document["approval"]["github"]["covered"].clone()).unwrap();
        document["approval"]["github"]["token"] = json!(covered.token());
        self.text = sealed(document);
        assert_eq!(Baseline::read(self.text.as_bytes()).map(|_| ()), Ok(()), "offline it is fine");
    }

    /// Our answer is gone; what it said is given.
    fn unanswer(&self) -> String {
        self.with(|world| {
            let of = |one: &&super::fake::world::Comment| one.body.contains("<!-- rankhold:reply:");
            let answer = world.comments(REPOSITORY, self.scene.pull).into_iter().find(of).unwrap().clone();
            world.delete_comment(REPOSITORY, answer.id);
            answer.body
        })
    }

    fn body(&self, change: impl FnOnce(&str) -> String) {
        self.with(|world| {
            let comment = world.repo_mut(REPOSITORY).comments.get_mut(&self.comment).unwrap();
            comment.body = change(&comment.body);
        });
    }
}

fn sealed(mut document: Value) -> String {
    document.as_object_mut().unwrap().remove("contentHash");
    document["contentHash"] = json!(Digest::of_json(&document));
    document.to_string()
}

/// `verify` of these files in a folder of their own, to be changed before it runs.
struct Verify<'a> {
    fake: &'a Fake,
    tree: Tree,
    line: String,
    variables: Vec<(&'static str, String)>,
}

fn verify<'a>(fake: &'a Fake, files: &[(&str, &str)]) -> Verify<'a> {
    let token = fake.with(|world| {
        let token = world.workflow_token(REPOSITORY, &["pull-requests: read", "contents: read"]);
        world.secret(&token)
    });
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let variables = vec![
        ("GITHUB_API_URL", fake.address()),
        ("GITHUB_REPOSITORY", REPOSITORY.to_owned()),
        ("GITHUB_TOKEN", token),
    ];
    Verify { fake, tree: Tree::new(files), line: format!("verify {} --github", names.join(" ")), variables }
}

impl Verify<'_> {
    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.retain(|(known, _)| *known != name);
        self.variables.push((name, value.into()));
        self
    }

    fn flags(mut self, flags: &str) -> Self {
        self.line = format!("{} {flags}", self.line);
        self
    }

    /// Nothing is written there, and no token is told to anybody.
    fn run(&self) -> Ran {
        let written =
            |fake: &Fake| fake.writes().into_iter().filter(|route| !route.ends_with("graphql")).count();
        let before = written(self.fake);
        let mut command = impatient(self.fake, &self.tree.root(), &self.line);
        let ran = played(command.envs(self.variables.iter().map(|(name, value)| (*name, value))));
        assert_eq!(written(self.fake), before, "something was written");
        let shown = format!("{}{}", ran.out, ran.err);
        for (name, value) in self.variables.iter().filter(|(name, _)| name.ends_with("TOKEN")) {
            assert!(value.is_empty() || !shown.contains(value), "{name} is shown: {shown}");
        }
        ran
    }
}

/// What was asked since then.
fn asked(fake: &Fake, since: usize) -> Vec<String> {
    fake.log()[since..].iter().map(|logged| logged.route.clone()).collect()
}

#[test]
fn an_approval_that_stands_there_is_confirmed() {
    let open = Approved::open();
    let (comment, token) = (open.comment, &Baseline::read(open.text.as_bytes()).unwrap().approval);
    let (at, token) = (token.approved_at.clone(), token.github.clone().unwrap().token);
    let line = |rest: &str| {
        format!(
            "ok  garden.json: baseline, format 2, of Garden (4 cases), approved by max at {at} by comment {comment} of pull request #1 (token {token}; {rest})\n"
        )
    };
    let there = "GitHub has this approval there, unedited and by the same account";
    let before = open.scene.stage.fake.log().len();
    let ran = open.verify().ends(0);
    assert_eq!(ran.out, line(&format!("{there}; the pull request to `main` is open; max may approve today")));
    assert_eq!(ran.err, "");
    let asked = asked(&open.scene.stage.fake, before);
    assert_eq!(asked, [ITSELF, PULL, COMMENT, RIGHTS, GRAPHQL, BRANCH, CONTENTS]);
    // Offline it says what it said before, and asks nobody.
    let offline = verify(&open.scene.stage.fake, &[("garden.json", &open.text)]);
    let ran = offline.tree.run("verify garden.json").ends(0);
    assert_eq!(
        ran.out,
        line(
            "that it stands there, by whom, unedited, and that he may approve, only GitHub confirms: --github"
        )
    );
    open.with(|world| world.merge(REPOSITORY, 1, Merge::Commit));
    let ran = open.verify().ends(0);
    assert_eq!(
        ran.out,
        line(&format!("{there}; the pull request is merged into `main`; max may approve today"))
    );
    open.with(|world| world.pull_mut(REPOSITORY, 1).merged_at = None);
    open.verify()
        .ends(0)
        .says(&["the pull request to `main` was closed without a merge; max may approve today"]);
}

#[test]
fn so_is_one_of_a_fork_s_pull_request_and_one_of_a_repository_that_approves_by_record() {
    Approved::of_fork().verify().ends(0).says(&["GitHub has this approval there", "max may approve today"]);
    let scene = Scene::of("[approval]\nmode = \"record\"");
    let comment = scene.note(scene.pull, "max", &scene.command());
    let text = scene.forged(scene.pull, "max", comment);
    Approved { scene, comment, text }.verify().ends(0).says(&["GitHub has this approval there"]);
}

/// The same token in the same words, and each of its pairs has a file of its own.
#[test]
fn a_suite_that_was_not_selected_was_not_approved() {
    let scene = two_suites("[approval]\nmode = \"record\"");
    let bundle = scene.bundle(&scene.head()).unwrap();
    let texts = |comment: u64| {
        let garden = scene.recorded(&bundle, "max", comment);
        // The other pair with the record of the same comment.
        let record = Baseline::read(garden.as_bytes()).unwrap().approval;
        let herbs: &Candidate = bundle.candidate("herbs", "bm25").unwrap();
        let herbs = herbs.clone().approve_on_github("max", &record.approved_at, None, record.github.unwrap());
        (garden, herbs)
    };
    let fake = &scene.stage.fake;
    let one = scene.note(scene.pull, "max", &format!("{} --suite garden", scene.command()));
    let (garden, herbs) = texts(one);
    let ran = verify(fake, &[("garden.json", &garden), ("herbs.json", &herbs)]).run().ends(2);
    assert!(ran.out.starts_with("ok  garden.json:") && ran.out.lines().count() == 1, "{}", ran.out);
    assert!(
        ran.err.contains("herbs.json")
            && ran.err.contains("approves --suite garden, and this file is of `herbs`"),
        "{}",
        ran.err
    );
    let all = scene.note(scene.pull, "max", &scene.command());
    let both = format!("{} --suite herbs --suite garden", scene.command());
    for comment in [all, scene.note(scene.pull, "max", &both)] {
        let (garden, herbs) = texts(comment);
        let before = fake.log().len();
        let ran = verify(fake, &[("garden.json", &garden), ("herbs.json", &herbs)]).run().ends(0);
        assert_eq!(ran.out.matches("GitHub has this approval there").count(), 2, "{}", ran.out);
        assert_eq!(asked(fake, before).len(), 7, "one comment is asked about once");
    }
}

type Change = fn(&mut Approved);

/// What is done to the file or on GitHub, and what is said.
const FALSE: &[(&str, Change, &str)] = &[
    (
        "the comment was deleted",
        |it| it.with(|world| world.delete_comment(REPOSITORY, it.comment)),
        "there is no such comment: it was deleted, or never written",
    ),
    (
        "another comment, of which there is none",
        |it| it.forge(|approval| approval["github"]["comment"] = json!(999_999)),
        "there is no such comment",
    ),
    (
        "the comment was edited",
        |it| it.with(|world| world.edit_comment(REPOSITORY, it.comment, "never mind")),
        "the comment approves nothing",
    ),
    (
        "the comment was edited to the same",
        |it| {
            it.with(|world| {
                let body = world.repo(REPOSITORY).comments[&it.comment].body.clone();
                world.edit_comment(REPOSITORY, it.comment, &body);
            });
        },
        "the comment was edited",
    ),
    (
        "somebody else's comment says it, edited by him",
        |it| {
            let bea = it.scene.note(1, "bea", "nice work");
            let body = it.with(|world| world.repo(REPOSITORY).comments[&it.comment].body.clone());
            it.with(|world| world.edit_comment(REPOSITORY, bea, &body));
            let (id, at) =
                it.with(|world| (world.user("bea"), world.repo(REPOSITORY).comments[&bea].created.clone()));
            it.forge(|approval| {
                approval["github"]["comment"] = json!(bea);
                approval["github"]["author"] = json!(id);
                approval["approvedAt"] = json!(at);
            });
        },
        "the comment was edited",
    ),
    (
        "by another account",
        |it| {
            it.with(|world| {
                let comment = world.repo_mut(REPOSITORY).comments.get_mut(&it.comment).unwrap();
                "bea".clone_into(&mut comment.author);
            });
        },
        "the comment is by bea, account 10",
    ),
    (
        "an account of that name, and another one",
        |it| {
            let id = it.with(World::number);
            it.with(|world| _ = world.users.insert("max".to_owned(), id));
        },
        "the comment is by max, account",
    ),
    (
        "another author in the record",
        |it| it.forge(|approval| approval["github"]["author"] = json!(1)),
        "and the record names account 1",
    ),
    (
        "by a program",
        |it| {
            let id = it.with(|world| {
                let comment = world.repo_mut(REPOSITORY).comments.get_mut(&it.comment).unwrap();
                "rob[bot]".clone_into(&mut comment.author);
                world.user("rob[bot]")
            });
            it.forge(|approval| approval["github"]["author"] = json!(id));
        },
        "by rob[bot], a program, and no program approves",
    ),
    (
        "below another pull request",
        |it| {
            let other = it.scene.another("other", &losing_more());
            it.with(|world| {
                world.repo_mut(REPOSITORY).comments.get_mut(&it.comment).unwrap().pull = other;
            });
        },
        "the comment stands below #2",
    ),
    (
        "another pull request in the record",
        |it| {
            it.scene.another("other", &losing_more());
            it.forge(|approval| approval["github"]["covered"]["pullRequest"] = json!(2));
        },
        "the comment stands below #1",
    ),
    (
        "a pull request that there is not",
        |it| it.forge(|approval| approval["github"]["covered"]["pullRequest"] = json!(77)),
        "there is no such pull request",
    ),
    (
        "another repository in the record",
        |it| it.forge(|approval| approval["github"]["covered"]["repository"] = json!(1)),
        "it is of the repository with the number 1, and this one has the number",
    ),
    (
        "a repository that was made anew",
        |it| {
            let id = it.with(World::number);
            it.with(|world| world.repo_mut(REPOSITORY).id = id);
        },
        "it is of the repository with the number",
    ),
    (
        "other figures before",
        |it| {
            let other = Digest::of_bytes(b"made up");
            it.forge(|approval| approval["github"]["covered"]["pairs"][0]["supersedes"] = json!(other));
        },
        "approves other figures, those of the token",
    ),
    (
        "another head",
        |it| it.forge(|approval| approval["github"]["covered"]["head"] = json!("0".repeat(40))),
        "approves other figures",
    ),
    (
        "another outcome",
        |it| it.forge(|approval| approval["github"]["covered"]["pairs"][0]["exit"] = json!(0)),
        "approves other figures",
    ),
    (
        "another token on GitHub",
        |it| it.body(|_| format!("/rankhold approve {} new words", "0".repeat(32))),
        "those of the token 00000000000000000000000000000000",
    ),
    (
        "another suite selected",
        |it| it.body(|body| format!("{body} --suite other")),
        "approves --suite other, and this file is of `garden`",
    ),
    (
        "another reason in the file",
        |it| it.forge(|approval| approval["reason"] = json!("everybody\nagrees")),
        "gives the reason `new words`, and the file the reason `everybody\\nagrees`",
    ),
    (
        "no reason in the file",
        |it| it.forge(|approval| _ = approval.as_object_mut().unwrap().remove("reason")),
        "gives the reason `new words`, and the file no reason",
    ),
    (
        "no reason on GitHub",
        |it| it.body(|body| body.replace(" new words", "")),
        "gives no reason, and the file the reason `new words`",
    ),
    (
        "another time in the file",
        |it| it.forge(|approval| approval["approvedAt"] = json!("2026-12-31T00:00:00Z")),
        "and the file says 2026-12-31T00:00:00Z",
    ),
    ("another command", |it| it.body(|_| "/rankhold status".to_owned()), "the comment approves nothing"),
    ("no command", |it| it.body(|body| format!("> {body}")), "the comment approves nothing"),
    ("a malformed command", |it| it.body(|body| format!("{body} --suite")), "the comment approves nothing"),
];

#[test]
fn whatever_of_it_is_false_is_found_whether_it_was_merged_or_not() {
    let scenes = [Approved::open(), Approved::merged()];
    let rows: Vec<_> = scenes.iter().flat_map(|scene| FALSE.iter().map(move |row| (scene, row))).collect();
    side_by_side(&rows, |&(approved, (name, change, words))| {
        let _named = Named((*name).to_owned());
        let mut approved = approved.copy();
        change(&mut approved);
        let ran = approved.verify().ends(2);
        assert_eq!(ran.out, "", "{name}");
        let start = "error: garden.json: its approval, comment ";
        assert!(
            ran.err.starts_with(start) && ran.err.contains("does not hold in ada/garden: "),
            "{}",
            ran.err
        );
        assert!(ran.err.contains(words) && ran.err.contains("\nnext: "), "{name}: {words}: {}", ran.err);
    });
}

/// The record of a fork's pull request is of the repository that it goes to.
#[test]
fn another_repository_than_the_one_that_was_approved_in_confirms_nothing() {
    let approved = Approved::of_fork();
    let fake = &approved.scene.stage.fake;
    let ran = verify(fake, &[("garden.json", &approved.text)]);
    let ran = ran.flags("--repository mallory/garden").run().ends(2);
    ran.says(&["does not hold in mallory/garden: it is of the repository", "next: name the repository"]);
}

/// Whoever may not approve today may have been able to: rankhold asked on that day, if its answer stands there.
#[test]
fn who_may_not_approve_any_more_has_approved_what_rankhold_answered_then() {
    type Fall = fn(&Approved);
    let rows: &[(&str, Fall, &str)] = &[
        (
            "he may only write",
            |it| it.with(|world| world.role(REPOSITORY, "max", "write")),
            "max may not approve today",
        ),
        (
            "he left",
            |it| it.with(|world| _ = world.repo_mut(REPOSITORY).roles.remove("max")),
            "max may not approve today",
        ),
        (
            "the base's approvers are others",
            |it| it.scene.reconfigure("[approval]\nroles = [\"admin\"]"),
            "max may not approve today",
        ),
        (
            "his own pull request",
            |it| {
                it.with(|world| "max".clone_into(&mut world.pull_mut(REPOSITORY, 1).author));
                it.scene.reconfigure("[approval]\nallow-author = false");
            },
            "max may not approve today: the pull request is his own, and allow-author is off",
        ),
        (
            "nobody approves by comments",
            |it| it.scene.reconfigure("[approval]\nmode = \"file\""),
            "max may not approve today: the base branch approves by files",
        ),
    ];
    let (merged, open) = (Approved::merged(), Approved::open());
    side_by_side(rows, |&(name, fall, words)| {
        let _named = Named(name.to_owned());
        let merged = merged.copy();
        fall(&merged);
        let ran = merged.verify().ends(0);
        let said = format!(
            "unedited and by the same account; the pull request is merged into `main`; rankhold answered it then, so that \
             max could approve on that day; {words})\n"
        );
        assert!(ran.out.ends_with(&said), "{}", ran.out);
        merged.unanswer();
        let ran = merged.verify().ends(3);
        let said = format!(
            "could not be looked up in ada/garden: {words}; whether max could on the day only GitHub could tell on that day"
        );
        assert!(ran.out.is_empty() && ran.err.contains(&said), "{}{}", ran.out, ran.err);
        let open = open.copy();
        fall(&open);
        let ran = open.verify().ends(2);
        let said = format!("does not hold in ada/garden: {words}, and the pull request is not merged");
        assert!(ran.out.is_empty() && ran.err.contains(&said), "{}{}", ran.out, ran.err);
    });
}

/// Somebody who merges past a red check writes the comment, the file, and what looks like our answer.
#[test]
fn an_answer_that_is_not_ours_or_not_to_that_comment_answers_nothing() {
    let approved = Approved::merged();
    approved.with(|world| world.role(REPOSITORY, "max", "write"));
    let ours = approved.unanswer();
    let token = Baseline::read(approved.text.as_bytes()).unwrap().approval.github.unwrap().token.to_string();
    let head = approved.with(|world| {
        let head = &world.repo(REPOSITORY).pulls[&1].head_sha;
        world.graph.get(head).unwrap().parents[0].to_string()
    });
    assert!(ours.contains(&token) && ours.contains(&head), "{ours}");
    let id = approved.comment.to_string();
    for (who, body) in [
        ("mallory", ours.clone()),
        ("max", ours.clone()),
        ("rob[bot]", ours.clone()),
        (US, ours.replace(&id, "4711")),
        (US, ours.replace(&token, &"0".repeat(32))),
        (US, ours.replace(&head, &"0".repeat(40))),
        (US, format!("{ours}\nand more")),
        (US, format!("> {}", ours.replace('\n', "\n> "))),
    ] {
        let one = approved.copy();
        one.scene.note(1, who, &body);
        one.verify().ends(3).says(&["no answer of rankhold stands there"]);
    }
    approved.scene.note(1, US, &ours);
    approved.verify().ends(0).says(&["could approve on that day"]);
    // Answers that cannot be read are none, and no falsehood.
    approved.scene.stage.fake.fail_always(COMMENTS, Fault::ServerError);
    approved.verify().ends(3).says(&["could not be looked up", "HTTP status 500"]);
    // Of whom may approve today nobody needs to know.
    approved.with(|world| world.role(REPOSITORY, "max", "maintain"));
    approved.verify().ends(0);
}

#[test]
fn an_account_with_another_name_is_the_same_and_one_without_a_name_is_nobody() {
    let approved = Approved::merged();
    approved.with(|world| {
        let id = world.users.remove("max").unwrap();
        world.users.insert("maxine".to_owned(), id);
        world.role(REPOSITORY, "maxine", "maintain");
        let comment = world.repo_mut(REPOSITORY).comments.get_mut(&approved.comment).unwrap();
        "maxine".clone_into(&mut comment.author);
    });
    approved.verify().ends(0).says(&[
        "approved by max at",
        "by the same account, which is called maxine today (that it was called max GitHub does not say)",
        "; maxine may approve today)",
    ]);
    // A name that nobody ever had is no better confirmed.
    let mut approved = Approved::open();
    approved.forge(|approval| approval["approvedBy"] = json!("the board"));
    approved
        .verify()
        .ends(0)
        .says(&["is called max today (that it was called the board GitHub does not say)"]);
    // GitHub knows nobody, or says `ghost`: whose the comment was cannot be told.
    approved.with(|world| _ = world.users.remove("max"));
    let gone = "could not be looked up in ada/garden: the account that wrote the comment is gone";
    approved.verify().ends(3).says(&[gone]);
    let ghost = approved.with(|world| {
        let comment = world.repo_mut(REPOSITORY).comments.get_mut(&approved.comment).unwrap();
        "ghost".clone_into(&mut comment.author);
        world.user("ghost")
    });
    approved.verify().ends(3).says(&[gone]);
    approved.forge(|approval| approval["github"]["author"] = json!(ghost));
    approved.verify().ends(3).says(&[gone]);
}

#[test]
fn what_cannot_be_read_is_in_doubt_and_says_who_must_act() {
    type Hinder = fn(&Approved);
    let rows: &[(&str, Hinder, &[&str])] = &[
        (
            "the repository",
            |it| it.scene.stage.fake.fail_always(ITSELF, Fault::ServerError),
            &["HTTP status 500"],
        ),
        (
            "the pull request",
            |it| it.scene.stage.fake.fail_always(PULL, Fault::ServerError),
            &["HTTP status 500"],
        ),
        (
            "the comment",
            |it| it.scene.stage.fake.fail_always(COMMENT, Fault::Unanswered),
            &["could not be reached"],
        ),
        (
            "the edits",
            |it| it.scene.stage.fake.fail_always(GRAPHQL, Fault::BadGateway),
            &["does not say whether the comment was edited: ", "HTTP status 502", "next: see whether GitHub"],
        ),
        (
            "the edits, refused by GraphQL",
            |it| {
                let comment = it.comment;
                it.scene
                    .stage
                    .fake
                    .before(GRAPHQL, 1, move |world| world.delete_comment(REPOSITORY, comment));
            },
            &["GitHub does not say whether the comment was edited\n", "by GraphQL"],
        ),
        (
            "a limit",
            |it| it.scene.stage.fake.fail_always(COMMENT, Fault::TooManyRequests),
            &["rate limit", "later"],
        ),
        (
            "another name",
            |it| it.with(|world| world.rename(REPOSITORY, "ada/allotment")),
            &["(301)", "next: the repository has another name today: give that one with --repository"],
        ),
        (
            "gone",
            |it| it.with(|world| world.remove(REPOSITORY)),
            &["knows nothing at `GET /repos/ada/garden`"],
        ),
    ];
    let scenes = [Approved::open(), Approved::merged()];
    let rows: Vec<_> = scenes.iter().flat_map(|scene| rows.iter().map(move |row| (scene, row))).collect();
    side_by_side(&rows, |&(approved, &(name, hinder, words))| {
        let _named = Named(name.to_owned());
        let approved = approved.copy();
        // The token is given out before.
        let verify = verify(&approved.scene.stage.fake, &[("garden.json", &approved.text)]);
        hinder(&approved);
        let ran = verify.run().ends(3);
        assert_eq!(ran.out, "");
        assert!(ran.err.contains("could not be looked up in ada/garden: "), "{}", ran.err);
        ran.says(words).says(&["\nnext: "]);
    });
}

#[test]
fn a_token_that_may_not_read_is_told_what_it_lacks() {
    let approved = Approved::merged();
    approved.with(|world| world.repo_mut(REPOSITORY).private = true);
    let fake = &approved.scene.stage.fake;
    let with = |permissions: &[&str]| {
        let token = fake.with(|world| {
            let token = world.workflow_token(REPOSITORY, permissions);
            world.secret(&token)
        });
        verify(fake, &[("garden.json", &approved.text)]).with("GITHUB_TOKEN", token).run()
    };
    with(&["pull-requests: read", "contents: read"]).ends(0).says(&["max may approve today"]);
    with(&["contents: read"]).ends(3).says(&[
        "does not let this token do `GET /repos/ada/garden/pulls/1`",
        "the token needs `pull-requests: read`",
    ]);
    // Who may approve today decides nothing about what was merged.
    let ran = with(&["pull-requests: read"]).ends(0);
    ran.says(&[
        "so that max could approve on that day; whether max may approve today could not be found out: GitHub does not let",
    ]);
    let unknown = verify(fake, &[("garden.json", &approved.text)]).with("GITHUB_TOKEN", "ghs_unknown").run();
    unknown.ends(3).says(&["does not accept the token", "next: set GITHUB_TOKEN or GH_TOKEN"]);
}

/// A token that may not read pull requests may hear that there is none, of each of them and of their list.
#[test]
fn a_pull_request_is_missing_only_where_others_could_be_seen() {
    let mut approved = Approved::merged();
    approved.forge(|approval| approval["github"]["covered"]["pullRequest"] = json!(77));
    approved.verify().ends(2).says(&["does not hold in ada/garden: there is no such pull request"]);
    approved.scene.stage.fake.fail_always(PULLS, Fault::ServerError);
    approved.verify().ends(3).says(&["could not be looked up in ada/garden: GitHub could not be reached"]);
}

#[test]
fn a_stranger_s_text_is_shown_and_acts_nowhere() {
    let approved = Approved::merged();
    approved.body(|body| format!("{body} ##[error]pwned \u{1b}[31m \u{202e} ::error::pwned %0A::error::x"));
    let ran = approved.verify().ends(2).says(&["gives the reason `new words"]);
    assert_eq!(remarks(&ran.err), []);
    assert!(!ran.err.contains(['\u{1b}', '\u{202e}']), "{}", ran.err);
}

/// GitHub tells the rights of others to those who may write.
#[test]
fn a_stranger_can_verify_and_is_told_what_he_may_not_know() {
    let approved = Approved::merged();
    let stranger = |approved: &Approved| {
        let fake = &approved.scene.stage.fake;
        let secret = fake.with(|world| {
            let token = world.person_token("mallory");
            world.secret(&token)
        });
        let verify = verify(fake, &[("garden.json", &approved.text)]);
        verify.with("GITHUB_TOKEN", "").with("GH_TOKEN", secret).run()
    };
    stranger(&approved).ends(0).says(&[
        "GitHub has this approval there",
        "whether max may approve today could not be found out: ",
        "Must have push access",
    ]);
    // Of what is not merged it decides.
    let ran = stranger(&Approved::open()).ends(3);
    ran.says(&[
        "the pull request is not merged, and whether max may approve could not be found out",
        "next: ",
    ]);
}

#[test]
fn rights_that_cannot_be_read_decide_nothing_about_what_was_answered_and_merged_and_everything_before() {
    let (merged, open) = (Approved::merged(), Approved::open());
    for route in [RIGHTS, BRANCH, CONTENTS] {
        for (approved, code) in [(&merged, 0), (&open, 3)] {
            let approved = approved.copy();
            approved.scene.stage.fake.fail_always(route, Fault::ServerError);
            let said = "could not be found out: GitHub could not be reached for `GET ";
            approved.verify().ends(code).says(&[said]);
            approved.unanswer();
            approved.verify().ends(3).says(&[said]);
        }
    }
    let approved = merged.copy();
    approved.scene.stage.commit("main", &[("rankhold.toml", "not toml")]);
    let ran = approved.verify().ends(0);
    let said = "whether max may approve today could not be found out: rankhold.toml of `main`: ";
    assert!(ran.out.contains(said) && ran.out.lines().count() == 1, "{}", ran.out);
    let approved = merged.copy();
    approved.with(|world| _ = world.repo_mut(REPOSITORY).branches.remove("main"));
    approved.verify().ends(0).says(&["max may approve today could not be found out: "]);
}

/// Whatever goes wrong once is asked again, and what is said is the same.
#[test]
fn one_fault_at_any_request_changes_nothing() {
    let approved = Approved::merged();
    let calm = approved.copy().verify().ends(0).out;
    let rows: Vec<_> = (0..7).flat_map(|at| FAULTS.iter().map(move |fault| (at, *fault))).collect();
    side_by_side(&rows, |&(at, fault)| {
        let _named = Named(format!("{fault:?} at request {at}"));
        let approved = approved.copy();
        let fake = &approved.scene.stage.fake;
        fake.fail_at(at, fault);
        assert_eq!(approved.verify().ends(0).out, calm);
        assert_eq!(fake.log().len(), 8, "{:#?}", asked(fake, 0));
    });
}

#[test]
fn what_was_approved_on_the_command_line_has_nothing_to_confirm() {
    let stage = Stage::approved();
    let checkout = stage.checkout(&stage.tip("main"));
    checkout.run("run --results out").ends(0);
    let first = crate::support::seed("retrieval-baseline-v1.json");
    let first = String::from_utf8(first).unwrap();
    let files = [
        ("approved.json", checkout.read(BASELINE)),
        ("first.json", first),
        ("candidate.json", checkout.read("out/garden.bm25.candidate.json")),
        ("result.json", checkout.read("out/garden.bm25.result.json")),
    ];
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let before = stage.fake.log().len();
    let ran = verify(&stage.fake, &files).run().ends(0);
    assert_eq!(stage.fake.log().len(), before, "nothing is asked");
    let lines: Vec<_> = ran.out.lines().collect();
    assert_eq!(lines.len(), 4, "{}", ran.out);
    for line in &lines[..2] {
        assert!(line.ends_with("; it names no comment, so GitHub has nothing to confirm"), "{line}");
    }
    assert!(lines[2..].iter().all(|line| !line.contains("GitHub")), "{}", ran.out);
}

#[test]
fn every_file_is_looked_at_and_the_worst_of_them_counts() {
    let (merged, open) = (Approved::merged(), Approved::open());
    let fake = &merged.scene.stage.fake;
    let mut elsewhere = merged.copy();
    elsewhere.forge(|approval| approval["github"]["comment"] = json!(999_999));
    let damaged = merged.text.replace("\"exit\": 1", "\"exit\": 0");
    assert_ne!(damaged, merged.text);
    let files = [
        ("damaged.json", damaged.as_str()),
        ("good.json", &merged.text),
        ("false.json", &elsewhere.text),
        ("again.json", &merged.text),
        ("none.json", "{}"),
    ];
    let ran = verify(fake, &files).flags("nowhere.json").run().ends(2);
    let said: Vec<_> = ran.out.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(said, ["ok  good.json", "ok  again.json"]);
    for name in
        ["damaged.json: was changed by hand", "false.json: its approval", "none.json: ", "nowhere.json: "]
    {
        assert!(ran.err.contains(&format!("error: {name}")), "{name}: {}", ran.err);
    }
    // Doubt about one is no doubt about another, and what is false counts more than doubt.
    let fake = &open.scene.stage.fake;
    let files = [("one.json", open.text.as_str()), ("two.json", &open.text), ("good.json", &open.text)];
    fake.fail_always(COMMENT, Fault::ServerError);
    let before = fake.log().len();
    let ran = verify(fake, &files).run().ends(3);
    assert_eq!(ran.err.matches("could not be looked up").count(), 3, "{}", ran.err);
    let comments = asked(fake, before).into_iter().filter(|route| route == COMMENT).count();
    assert_eq!(comments, 3, "as often as patience wants, for one of them");
    let ran = verify(fake, &[files[0], ("damaged.json", &damaged)]).run().ends(2);
    assert!(ran.err.contains("could not be looked up") && ran.err.contains("changed by hand"), "{}", ran.err);
}

#[test]
fn without_a_repository_or_a_token_nothing_is_asked() {
    let approved = Approved::merged();
    let fake = &approved.scene.stage.fake;
    let before = fake.log().len();
    let verify = || verify(fake, &[("garden.json", &approved.text)]);
    for (verify, words) in [
        (verify().with("GITHUB_REPOSITORY", ""), "name it with --repository OWNER/NAME"),
        (verify().with("GITHUB_REPOSITORY", "garden"), "GITHUB_REPOSITORY: `garden` is no repository"),
        (verify().flags("--repository ada/garden/x"), "--repository: `ada/garden/x` is no repository"),
        (verify().with("GITHUB_TOKEN", ""), "neither of the variables GITHUB_TOKEN and GH_TOKEN is set"),
        (verify().with("GITHUB_TOKEN", "ghs secret"), "GITHUB_TOKEN: the token is empty or has characters"),
        (verify().with("GITHUB_API_URL", "api.github.com"), "is no address of an API"),
        (verify().flags("--ca-file nowhere.pem"), "nowhere.pem"),
        (verify().flags("--ca-file garden.json"), "holds no certificate"),
        (verify().flags("--config ../rankhold.toml"), "--config names a file outside the repository"),
    ] {
        let ran = verify.run().ends(2).says(&[words, "next: "]);
        assert_eq!(ran.out, "");
    }
    assert_eq!(fake.log().len(), before);
    let given = verify().with("GITHUB_REPOSITORY", "").flags("--repository ada/garden");
    given.run().ends(0).says(&["GitHub has this approval there"]);
    for line in ["verify garden.json --repository ada/garden", "verify garden.json --ca-file x.pem"] {
        verify().tree.run(line).ends(2).says(&["--github"]);
    }
}

#[test]
fn a_private_server_is_asked_with_its_own_authority() {
    let approved = Approved::merged();
    let fake = Fake::over_tls();
    let world = approved.with(|world| world.clone());
    fake.with(|there| *there = world);
    let verify = || verify(&fake, &[("garden.json", &approved.text)]);
    verify().run().ends(3).says(&["could not be reached"]);
    let trusting = verify().flags("--ca-file authority.pem");
    trusting.tree.write("authority.pem", tls::authority());
    trusting.run().ends(0).says(&["GitHub has this approval there", "max may approve today"]);
}

/// Who may approve is read where the configuration lies here: below the folder that holds `.git`.
#[test]
fn the_approvers_are_those_of_the_configuration_s_place() {
    let approved = Approved::merged();
    let strict = "version = 1\n[approval]\nroles = [\"admin\"]\n";
    approved.scene.stage.commit("main", &[("search/rankhold.toml", strict)]);
    let fake = &approved.scene.stage.fake;
    let verify = || verify(fake, &[("garden.json", &approved.text)]);
    verify().run().ends(0).says(&["max may approve today"]);
    verify().flags("--config search/rankhold.toml").run().ends(0).says(&["max may not approve today"]);
    let inside = verify();
    inside.tree.write(".git/HEAD", "ref: refs/heads/main\n");
    inside.tree.write("search/rankhold.toml", "version = 1\n");
    inside.run().ends(0).says(&["max may approve today"]);
    inside.flags("--repo search").run().ends(0).says(&["max may not approve today"]);
}

/// What a file says twice must agree before anybody is asked.
#[test]
fn a_record_that_contradicts_its_file_is_refused_offline() {
    let approved = Approved::open();
    let document: Value = serde_json::from_str(&approved.text).unwrap();
    let fitting = |document: &mut Value| {
        let covered: Covered =
            serde_json::from_value(document["approval"]["github"]["covered"].clone()).unwrap();
        document["approval"]["github"]["token"] = json!(covered.token());
    };
    let other = json!(Digest::of_bytes(b"made up"));
    let token = "/approval/github/token";
    let figures = "/approval/github/covered (garden × bm25)";
    let rows = [
        ("/approval/github/token", json!("0".repeat(32)), false, token),
        ("/approval/github/covered/pullRequest", json!(2), false, token),
        ("/approval/github/covered/repository", json!(2), false, token),
        ("/approval/github/covered/pairs/0/supersedes", other.clone(), false, token),
        ("/approval/github/covered/pairs/0/candidate", other.clone(), false, token),
        // Where the token fits, the file's figures are not those that it stands for.
        ("/approval/github/covered/pairs/0/candidate", other.clone(), true, figures),
        ("/approval/github/covered/pairs/0/suite", json!("herbs"), true, figures),
        ("/approval/github/covered/pairs", json!([]), true, figures),
        ("/approval/resultHash", other, true, figures),
    ];
    let fake = &approved.scene.stage.fake;
    let before = fake.log().len();
    for (at, value, fits, place) in rows {
        let mut forged = document.clone();
        *forged.pointer_mut(at).unwrap() = value;
        if fits {
            fitting(&mut forged);
        }
        let text = sealed(forged);
        let asking = verify(fake, &[("garden.json", &text)]);
        for ran in [asking.tree.run("verify garden.json"), asking.run()] {
            let ran = ran.ends(2);
            let said = format!("error: garden.json: contradicts itself at `{place}`");
            assert!(ran.out.is_empty() && ran.err.contains(&said), "{at}: {}", ran.err);
        }
    }
    assert_eq!(fake.log().len(), before, "nobody was asked");
}

/// What the docs show, with the numbers that they use elsewhere.
pub(crate) fn sample() -> String {
    let (good, edited) = (Approved::merged(), Approved::merged());
    good.with(|world| world.role(REPOSITORY, "max", "write"));
    edited.with(|world| {
        let body = world.repo(REPOSITORY).comments[&edited.comment].body.clone();
        world.edit_comment(REPOSITORY, edited.comment, &body);
    });
    let said = |approved: &Approved, name: &str, comment: &str, pull: &str| {
        let ran = verify(&approved.scene.stage.fake, &[(name, &approved.text)]).run();
        let approval = Baseline::read(approved.text.as_bytes()).unwrap().approval;
        format!("{}{}", ran.out, ran.err)
            .replace(&approved.comment.to_string(), comment)
            .replace(approval.github.unwrap().token.as_str(), "8af3960ffcd44c63bf91c4bc360a2705")
            .replace(&approval.approved_at.to_string(), "2026-11-30T09:12:44Z")
            .replace("#1", pull)
    };
    format!(
        "```text\n{}{}```",
        said(&good, "baselines/docs.bm25.json", "2911305114", "#57"),
        said(&edited, "baselines/help.bm25.json", "2911310228", "#61")
    )
}
