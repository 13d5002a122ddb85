//! Everybody who must not approve, with every trick: no commit, no green check, and the right answer or none.

use rankhold::approval::Bundle;
use rankhold::artifact::Candidate;
use rankhold::canon::Digest;
use rankhold::github::Sha;
use serde_json::{Value, json};

use super::faults::{Named, side_by_side};
use super::scene::{BASELINE, Scene, US, conclusion, losing_more, ours, push};
use super::stage::{REPOSITORY, burying};

const NOT_ALLOWED: &str = "not one of this repository's approvers";
const EDITED: &str = "the comment was edited";
const STALE: &str = "other figures";
const NOT_OPEN: &str = "the pull request is not open";

/// Somebody whose approval does not count.
struct Attacker {
    who: &'static str,
    login: &'static str,
    /// The role that he has only until he has written.
    former: bool,
    /// What he hears where nothing else is wrong; nothing if he is no person.
    hears: Option<&'static str>,
    stage: fn() -> Scene,
}

fn plain() -> Scene {
    Scene::of("")
}

/// The pull request is bea's own, and nobody approves his own here.
fn own() -> Scene {
    let scene = Scene::unreviewed("[approval]\nallow-author = false");
    scene.with(|world| "bea".clone_into(&mut world.pull_mut(REPOSITORY, scene.pull).author));
    scene.review(scene.pull).ran.ends(0);
    scene
}

const ATTACKERS: &[Attacker] = &[
    Attacker { who: "no rights", login: "mallory", former: false, hears: Some(NOT_ALLOWED), stage: plain },
    Attacker {
        who: "a fork's author",
        login: "mallory",
        former: false,
        hears: Some(NOT_ALLOWED),
        stage: || Scene::of_fork(""),
    },
    Attacker { who: "triage", login: "tri", former: false, hears: Some(NOT_ALLOWED), stage: plain },
    Attacker { who: "write", login: "wim", former: false, hears: Some(NOT_ALLOWED), stage: plain },
    Attacker { who: "a former approver", login: "fay", former: true, hears: Some(NOT_ALLOWED), stage: plain },
    Attacker {
        who: "the author himself",
        login: "bea",
        former: false,
        hears: Some("nobody approves his own pull request here"),
        stage: own,
    },
    Attacker { who: "a program", login: "rob[bot]", former: false, hears: None, stage: plain },
];

/// What somebody hears after a trick.
#[derive(Clone, Copy)]
enum Hears {
    /// What he hears whatever he says.
    His,
    /// These words, if he is a person.
    Words(&'static str),
    /// These words, since a person's comment was used.
    Always(&'static str),
    Nothing,
}

/// One attack: what is done, with the scene to itself.
type Trick = fn(&Scene, &Attacker);

const TRICKS: &[(&str, Hears, Trick)] = &[
    ("the right token", Hears::His, |scene, attacker| {
        attacker.says(scene, &scene.command());
    }),
    ("the right token with a reason and a suite", Hears::His, |scene, attacker| {
        attacker.says(scene, &format!("{} I maintain this --suite garden", scene.command()));
    }),
    ("a stale token", Hears::His, |scene, attacker| {
        let command = scene.command();
        scene.push(scene.pull, &[("docs/more.md".to_owned(), "# More\n".to_owned())]);
        scene.review(scene.pull).ran.ends(0);
        attacker.says(scene, &command);
    }),
    ("the token of another pull request", Hears::His, |scene, attacker| {
        let other = scene.another("other", &losing_more());
        scene.review(other).ran.ends(0);
        attacker.says(scene, &format!("/rankhold approve {}", scene.token_of(other)));
    }),
    ("a comment of his own, edited into a command", Hears::Words(EDITED), |scene, attacker| {
        let comment = scene.note(scene.pull, attacker.login, "nice work");
        scene.with(|world| world.edit_comment(REPOSITORY, comment, &scene.command_there(world)));
        scene.run_of(scene.stage.heard(scene.pull, comment).action("edited")).run().ran.ends(0);
        attacker.falls(scene);
        scene.hear(scene.pull, comment).ran.ends(0);
    }),
    ("a maintainer's comment, edited into a command", Hears::Always(EDITED), |scene, _| {
        let comment = scene.note(scene.pull, "max", "nice work");
        scene.with(|world| world.edit_comment(REPOSITORY, comment, &scene.command_there(world)));
        scene.run_of(scene.stage.heard(scene.pull, comment).action("edited")).run().ran.ends(0);
        scene.hear(scene.pull, comment).ran.ends(0);
    }),
    ("a maintainer's command, with another one in the event", Hears::Always(EDITED), |scene, _| {
        // The event says what the comment said when the run was asked for.
        let comment = scene.note(scene.pull, "max", "/rankhold status");
        let step = scene.run_of(scene.stage.heard(scene.pull, comment));
        let command = scene.command();
        scene.with(|world| world.edit_comment(REPOSITORY, comment, &command));
        step.run().ran.ends(0);
    }),
    ("a deleted comment", Hears::Nothing, |scene, attacker| {
        let comment = scene.note(scene.pull, attacker.login, &scene.command());
        let step = scene.run_of(scene.stage.heard(scene.pull, comment));
        scene.with(|world| world.delete_comment(REPOSITORY, comment));
        step.run();
    }),
    ("a maintainer's words, quoted, indented, fenced, further down", Hears::Nothing, |scene, _| {
        let command = scene.command();
        for body in [
            format!("> {command}"),
            format!("    {command}"),
            format!(" {command}"),
            format!("\n{command}"),
            format!("what about\n{command}"),
            format!("```\n{command}\n```"),
            format!("`{command}`"),
            format!("\u{feff}{command}"),
            format!("<!-- -->{command}"),
            command.replace("/rankhold", "/Rankhold"),
            command.replace(' ', "\u{a0}"),
        ] {
            scene.say("max", &body).ran.ends(0);
        }
    }),
    ("hints at the figures", Hears::His, |scene, attacker| {
        let (token, head) = (scene.token(), scene.head());
        for _ in 0..6 {
            scene.note(scene.pull, attacker.login, &format!("<!-- rankhold-approved {token} {head} -->"));
        }
        attacker
            .says(scene, &format!("/rankhold approve {token}\n<!-- rankhold-approved {token} {head} -->"));
    }),
    ("a report and an answer of his own", Hears::His, |scene, attacker| {
        for key in ["report", "reply:1", "reply:9999"] {
            let said = format!("## ✅ The new figures are approved\n<!-- rankhold:{key} -->");
            scene.note(scene.pull, attacker.login, &said);
        }
        attacker.says(scene, &format!("{}\n<!-- rankhold:report -->", scene.command()));
    }),
    ("forty of them", Hears::His, |scene, attacker| {
        for at in 0..40 {
            scene.note(scene.pull, attacker.login, &format!("{} {at}", scene.command()));
        }
        attacker.says(scene, &scene.command());
    }),
    ("a baseline that a command wrote", Hears::Nothing, |scene, _| {
        let checkout = scene.stage.checkout(&scene.head());
        checkout.run("approve --by max").ends(0);
        scene.push(scene.pull, &[(BASELINE.to_owned(), checkout.read(BASELINE))]);
    }),
    ("a baseline with a record of his own comment", Hears::Nothing, |scene, attacker| {
        let comment = scene.note(scene.pull, attacker.login, &scene.command());
        let text = scene.forged(scene.pull, attacker.login, comment);
        attacker.falls(scene);
        scene.push(scene.pull, &[(BASELINE.to_owned(), text)]);
    }),
    ("a baseline with a record of a maintainer's harmless comment", Hears::Nothing, |scene, _| {
        let comment = scene.note(scene.pull, "max", "nice work");
        let text = scene.forged(scene.pull, "max", comment);
        scene.push(scene.pull, &[(BASELINE.to_owned(), text)]);
    }),
    ("a record of a maintainer's status, edited into a command", Hears::Nothing, |scene, _| {
        let comment = scene.note(scene.pull, "max", "/rankhold status");
        let command = scene.command();
        scene.with(|world| world.edit_comment(REPOSITORY, comment, &command));
        let text = scene.forged(scene.pull, "max", comment);
        scene.push(scene.pull, &[(BASELINE.to_owned(), text)]);
    }),
    ("a configuration of his own that lets him", Hears::His, |scene, attacker| {
        let config = format!(
            "version = 1\n[approval]\nusers = [\"{}\"]\nroles = [\"read\", \"triage\", \"write\"]\nmode = \"file\"\n",
            attacker.login
        );
        scene.push(scene.pull, &[("rankhold.toml".to_owned(), config)]);
        scene.review(scene.pull).ran.ends(0);
        attacker.says(scene, &scene.command());
    }),
    ("figures in another app's check", Hears::His, |scene, attacker| {
        let token = forge_foreign(scene);
        attacker.says(scene, &format!("/rankhold approve {token}"));
    }),
];

impl Attacker {
    /// Comments; the workflow runs once he has lost what he has to lose.
    fn says(&self, scene: &Scene, body: &str) {
        let comment = scene.note(scene.pull, self.login, body);
        self.falls(scene);
        scene.hear(scene.pull, comment).ran.ends(0);
    }

    fn falls(&self, scene: &Scene) {
        if self.former {
            scene.with(|world| world.role(REPOSITORY, self.login, "write"));
        }
    }
}

impl Scene {
    /// As [`Scene::command`], inside a look at the world.
    fn command_there(&self, world: &super::fake::world::World) -> String {
        let head = &world.repo(REPOSITORY).pulls[&self.pull].head_sha;
        let text = ours(world, head).last().and_then(|check| check.text.clone()).unwrap();
        let Some(rankhold::approval::Place::Here(packed)) = rankhold::approval::places_of(&text).pop() else {
            panic!("{text}")
        };
        format!("/rankhold approve {}", packed.parse::<Bundle>().unwrap().covered.token())
    }
}

/// A bundle of another candidate than was measured; all of it agrees with itself.
fn forged_bundle(scene: &Scene) -> Bundle {
    let mut bundle = scene.bundle(&scene.head()).unwrap();
    let mut document: Value = serde_json::from_str(&bundle.candidates[0].to_text()).unwrap();
    document["resultHash"] = json!(Digest::of_bytes(b"made up"));
    let candidate = Candidate::read(&sealed(document)).unwrap();
    bundle.covered.pairs[0].candidate = Some(candidate.digest());
    bundle.candidates[0] = candidate;
    bundle
}

fn sealed(mut document: Value) -> Vec<u8> {
    document.as_object_mut().unwrap().remove("contentHash");
    document["contentHash"] = json!(Digest::of_json(&document));
    document.to_string().into_bytes()
}

/// Another app's check of our name, newer than ours by its stamp, green, with figures of its own. Gives their token.
fn forge_foreign(scene: &Scene) -> String {
    let (bundle, head) = (forged_bundle(scene), scene.head());
    scene.with(|world| {
        let honest = ours(world, &head).last().map(|check| (*check).clone()).unwrap();
        let id = world.foreign_check(REPOSITORY, &head, "rankhold/verdict");
        let check = world.repo_mut(REPOSITORY).checks.get_mut(&id).unwrap();
        // "rankhold-1 BASE RUN.ATTEMPT STARTED of RUN"
        let base = honest.external_id.split(' ').nth(1).unwrap().to_owned();
        check.external_id = format!("rankhold-1 {base} 999999.1 2026-12-31T00:00:00Z of 999999");
        (check.status, check.conclusion) = ("completed".to_owned(), Some("success".to_owned()));
        (check.title, check.summary) = (Some("fine".to_owned()), Some("## ✅ all is fine".to_owned()));
        check.text = bundle.block(60_000);
    });
    bundle.covered.token().to_string()
}

/// Nothing of ours was committed, no check of ours on any head is green, and none becomes so.
#[track_caller]
fn assert_unharmed(scene: &Scene) {
    assert_eq!(scene.commits_of_ours(), [] as [Sha; 0], "committed");
    let pulls: Vec<u64> = scene.with(|world| world.repo(REPOSITORY).pulls.keys().copied().collect());
    for pull in pulls {
        let head = scene.stage.head(pull);
        assert!(!scene.conclusion(&head).contains("success"), "green after the trick");
        scene.review(pull);
        assert_eq!(scene.conclusion(&head), "failure", "after a review");
    }
    let report = scene.with(|world| {
        let comments = world.comments(REPOSITORY, scene.pull).into_iter();
        comments
            .filter(|one| one.author == US && one.body.trim_end().ends_with("<!-- rankhold:report -->"))
            .map(|one| one.body.clone())
            .collect::<Vec<_>>()
    });
    assert_eq!(report.len(), 1, "{report:#?}");
    assert!(!report[0].contains('✅'), "{}", report[0]);
}

#[test]
fn nobody_who_may_not_approve_gets_anywhere_with_any_trick() {
    let stages: Vec<Scene> = ATTACKERS.iter().map(|attacker| (attacker.stage)()).collect();
    let rows: Vec<_> =
        ATTACKERS.iter().zip(&stages).flat_map(|row| TRICKS.iter().map(move |trick| (row, trick))).collect();
    assert_eq!(rows.len(), 7 * 18);
    side_by_side(&rows, |&((attacker, stage), (name, hears, trick))| {
        let _named = Named(format!("{}: {name}", attacker.who));
        let scene = stage.copy();
        trick(&scene, attacker);
        let replies = scene.replies(scene.pull);
        let words = match *hears {
            Hears::His => attacker.hears,
            Hears::Words(words) => attacker.hears.map(|_| words),
            Hears::Always(words) => Some(words),
            Hears::Nothing => None,
        };
        assert_eq!(replies.len(), usize::from(words.is_some()), "{replies:#?}");
        if let Some(words) = words {
            assert!(replies[0].contains(words), "{words}: {}", replies[0]);
        }
        assert_unharmed(&scene);
    });
}

#[test]
fn forty_bogus_approvals_do_not_hide_the_real_one() {
    let scene = Scene::of("[approval]\nmode = \"record\"");
    let (command, token, head) = (scene.command(), scene.token(), scene.head());
    for at in 0..40 {
        let login = ["mallory", "tri", "wim", "rob[bot]"][at % 4];
        let false_head = "0123456789".repeat(4);
        scene.note(scene.pull, login, &format!("{command}\n<!-- rankhold-approved {token} {false_head} -->"));
    }
    scene.say("max", &command).ran.ends(0);
    for at in 0..10 {
        let hint = format!("<!-- rankhold-approved {token} {at}{} -->", "0".repeat(39));
        scene.note(scene.pull, ["mallory", "rob[bot]"][at % 2], &hint);
    }
    assert_eq!(scene.now(), "success");
    // Further heads find it as well: their checks are not where the figures lie.
    scene.push(scene.pull, &[("docs/more.md".to_owned(), "# More\n".to_owned())]);
    scene.review(scene.pull).ran.ends(0);
    assert_ne!(scene.head(), head);
    assert_eq!(scene.now(), "success");
}

/// Something happens between a maintainer's comment and the run for it.
#[test]
fn what_changes_between_comment_and_run_is_what_counts() {
    type Before = fn(&Scene, u64);
    const COMMIT: &str = "";
    const RECORD: &str = "[approval]\nmode = \"record\"";
    let rows: &[(&str, &str, Option<&str>, Before)] = &[
        ("the head moves", COMMIT, Some(STALE), |scene, _| {
            scene.push(scene.pull, &losing_more());
        }),
        ("the head moves", RECORD, Some(STALE), |scene, _| {
            scene.push(scene.pull, &losing_more());
        }),
        ("the head moves and is reviewed", COMMIT, Some(STALE), |scene, _| {
            scene.push(scene.pull, &losing_more());
            scene.review(scene.pull).ran.ends(0);
        }),
        ("it is closed", COMMIT, Some(NOT_OPEN), |scene, _| {
            scene.with(|world| world.pull_mut(REPOSITORY, scene.pull).state = "closed");
        }),
        ("he may not any more", COMMIT, Some(NOT_ALLOWED), |scene, _| {
            scene.with(|world| world.role(REPOSITORY, "max", "write"));
        }),
        ("the base's approvers are others", COMMIT, Some(NOT_ALLOWED), |scene, _| {
            scene.reconfigure("[approval]\nroles = [\"admin\"]");
        }),
        ("the base trusts files", COMMIT, Some("does not approve by comments"), |scene, _| {
            scene.reconfigure("[approval]\nmode = \"file\"");
        }),
        (
            "the base's rules are broken",
            COMMIT,
            Some("rules about approvals could not be read"),
            |scene, _| {
                scene.stage.commit("main", &[("rankhold.toml", "version = [")]);
            },
        ),
        ("the base's baseline is another", COMMIT, Some(STALE), |scene, _| scene.move_the_base()),
        ("the base's baseline is another", RECORD, Some(STALE), |scene, _| scene.move_the_base()),
        ("our check holds other figures", COMMIT, Some(STALE), |scene, _| {
            let (bundle, head) = (forged_bundle(scene), scene.head());
            rewrite_ours(scene, &head, &bundle.block(60_000).unwrap());
        }),
        (
            "our check holds other figures below the old token",
            COMMIT,
            Some("could not be read"),
            |scene, _| {
                let (honest, head) = (scene.bundle(&scene.head()).unwrap(), scene.head());
                let lie = Bundle { covered: honest.covered, candidates: forged_bundle(scene).candidates };
                rewrite_ours(scene, &head, &lie.block(60_000).unwrap());
            },
        ),
        ("our check holds nothing", COMMIT, Some("other figures"), |scene, _| {
            let head = scene.head();
            rewrite_ours(scene, &head, "nothing here");
        }),
        ("another app's check holds other figures", COMMIT, None, |scene, _| drop(forge_foreign(scene))),
        ("the comment is edited and edited back", COMMIT, Some(EDITED), |scene, comment| {
            let body = scene.with(|world| world.repo(REPOSITORY).comments[&comment].body.clone());
            scene.with(|world| world.edit_comment(REPOSITORY, comment, "no"));
            scene.with(|world| world.edit_comment(REPOSITORY, comment, &body));
        }),
        ("its record is pushed with more", COMMIT, Some(""), push_with_record),
        ("its record is pushed with more", RECORD, Some(""), push_with_record),
    ];
    side_by_side(rows, |&(name, config, words, before)| {
        let _named = Named(format!("{name} ({config})"));
        let scene = Scene::of(config);
        answered_after(&scene, words, before);
    });
    let _named = Named("a fork pushes the record with more".to_owned());
    answered_after(&Scene::of_fork(""), Some(""), push_with_record);
}

/// A maintainer approves, something happens, and only then the workflow runs. Words of a refusal, or none if it counts.
fn answered_after(scene: &Scene, words: Option<&str>, before: fn(&Scene, u64)) {
    let approved = scene.head();
    let comment = scene.note(scene.pull, "max", &scene.command());
    before(scene, comment);
    let head = scene.head();
    scene.hear(scene.pull, comment);
    let replies = scene.replies(scene.pull);
    assert_eq!(replies.len(), 1, "{replies:#?}");
    let Some(words) = words else {
        assert!(replies[0].contains("approved these figures"), "{replies:#?}");
        assert_eq!(scene.now(), "success");
        return;
    };
    assert!(replies[0].contains(words), "{words}: {}", replies[0]);
    assert!(!replies[0].contains("approved these figures"), "{}", replies[0]);
    assert_eq!(scene.head(), head, "something was committed");
    assert_eq!(scene.commits_of_ours(), [] as [Sha; 0], "committed");
    for commit in [&approved, &head] {
        assert!(!scene.conclusion(commit).contains("success"), "green at {commit}");
    }
}

fn rewrite_ours(scene: &Scene, head: &Sha, text: &str) {
    scene.with(|world| {
        for check in world.repo_mut(REPOSITORY).checks.values_mut().filter(|check| check.commit == *head) {
            check.text = Some(text.to_owned());
        }
    });
}

/// Whoever may push to the head takes the maintainer's comment for a record, and adds what he wants: the head then looks
/// like a commit of ours whose run broke off.
fn push_with_record(scene: &Scene, comment: u64) {
    let mut files = losing_more();
    files.push((BASELINE.to_owned(), scene.forged(scene.pull, "max", comment)));
    scene.push(scene.pull, &files);
}

/// The same after the approval was carried out, and somebody who may runs the command's workflow again.
#[test]
fn a_command_that_is_run_again_approves_nothing_else() {
    for config in ["", "[approval]\nmode = \"record\""] {
        let scene = Scene::of(config);
        let head = scene.head();
        let bundle = scene.bundle(&head).unwrap();
        let comment = scene.note(scene.pull, "max", &scene.command());
        scene.hear(scene.pull, comment).ran.ends(0);
        assert_eq!(scene.now(), "success");
        let mut files = losing_more();
        files.push((BASELINE.to_owned(), scene.recorded(&bundle, "max", comment)));
        let forged = scene.with(|world| {
            let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            let forged = world.commit(&head, &files);
            world.push(REPOSITORY, "topic", &forged);
            forged
        });
        scene.run_of(scene.stage.heard(scene.pull, comment)).with("GITHUB_RUN_ATTEMPT", "2").run();
        assert!(!scene.conclusion(&forged).contains("success"), "{config}: green");
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.conclusion(&forged), "failure", "{config}");
    }
}

/// Something happens after an approval: whatever it is, the next review of the head says that it does not hold any more.
#[test]
fn an_approval_holds_only_as_long_as_everything_that_it_rests_on() {
    type After = fn(&Scene, u64);
    let rows: &[(&str, After)] = &[
        ("the comment is edited", |scene, comment| {
            scene.with(|world| world.edit_comment(REPOSITORY, comment, "never mind"));
        }),
        ("the comment is edited to the same", |scene, comment| {
            scene.with(|world| {
                let body = world.repo(REPOSITORY).comments[&comment].body.clone();
                world.edit_comment(REPOSITORY, comment, &body);
            });
        }),
        ("the comment is deleted", |scene, comment| {
            scene.with(|world| world.delete_comment(REPOSITORY, comment));
        }),
        ("its author may only write", |scene, _| {
            scene.with(|world| world.role(REPOSITORY, "max", "write"));
        }),
        ("its author may only read", |scene, _| {
            scene.with(|world| world.role(REPOSITORY, "max", "read"));
        }),
        ("its author's account is gone", |scene, _| {
            scene.with(|world| _ = world.users.remove("max"));
        }),
        ("the base's approvers are others", |scene, _| {
            scene.reconfigure("[approval]\nroles = [\"admin\"]");
        }),
        ("the base's gate has a floor", |scene, _| {
            scene.reconfigure("[gate.floors]\n\"hit@3\" = 0.9");
        }),
        ("the base's baseline is another", |scene, _| scene.move_the_base()),
        ("the pull request loses more", |scene, _| {
            scene.push(scene.pull, &losing_more());
        }),
        ("a figure of the record is edited", |scene, _| {
            let text = scene.baseline(&scene.head()).unwrap();
            let mut document: Value = serde_json::from_str(&text).unwrap();
            document["approval"]["resultHash"] = json!(Digest::of_bytes(b"made up"));
            let text = String::from_utf8(sealed(document)).unwrap();
            scene.push(scene.pull, &[(BASELINE.to_owned(), text)]);
        }),
        ("the reason in the record is edited", |scene, _| {
            let text = scene.baseline(&scene.head()).unwrap();
            let mut document: Value = serde_json::from_str(&text).unwrap();
            document["approval"]["reason"] = json!("everybody agrees");
            let text = String::from_utf8(sealed(document)).unwrap();
            scene.push(scene.pull, &[(BASELINE.to_owned(), text)]);
        }),
        ("a blank is added to the file", |scene, _| {
            let text = scene.baseline(&scene.head()).unwrap();
            scene.push(scene.pull, &[(BASELINE.to_owned(), text + "\n")]);
        }),
    ];
    let scenes = ["", "[approval]\nmode = \"record\""].map(|config| {
        let scene = Scene::of(config);
        let comment = scene.note(scene.pull, "max", &scene.command());
        scene.hear(scene.pull, comment).ran.ends(0);
        assert_eq!(scene.now(), "success");
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "success", "a review of the same head");
        (config, scene, comment)
    });
    let rows: Vec<_> = scenes.iter().flat_map(|scene| rows.iter().map(move |row| (scene, row))).collect();
    side_by_side(&rows, |&((config, scene, comment), (name, after))| {
        let _named = Named(format!("{name} ({config})"));
        let scene = scene.copy();
        after(&scene, *comment);
        scene.review(scene.pull);
        assert_eq!(scene.now(), "failure");
    });
}

/// A record is good in its own pull request alone, whatever stands beside it.
#[test]
fn a_copied_record_counts_nowhere_else() {
    let scene = Scene::of("");
    let token = scene.token();
    let bundle_head = scene.head();
    scene.say("max", &scene.command()).ran.ends(0);
    let text = scene.baseline(&scene.head()).unwrap();
    let commits = scene.commits_of_ours().len();
    let mut files = burying();
    files.push((BASELINE.to_owned(), text));
    let copy = scene.another("copy", &files);
    for body in
        [format!("<!-- rankhold-approved {token} {bundle_head} -->"), format!("/rankhold approve {token}")]
    {
        scene.note(copy, "mallory", &body);
        scene.review(copy).ran.ends(0);
        assert_eq!(scene.conclusion(&scene.stage.head(copy)), "failure", "{body}");
    }
    // A maintainer who types the other's token there approves nothing either.
    let comment = scene.note(copy, "max", &format!("/rankhold approve {token}"));
    scene.hear(copy, comment).ran.ends(0);
    scene.review(copy).ran.ends(0);
    assert_eq!(scene.conclusion(&scene.stage.head(copy)), "failure");
    assert_eq!(scene.commits_of_ours().len(), commits);
}

/// Whoever can push a branch can let it name him an approver, and lead the pull request there and back.
#[test]
fn a_base_branch_of_one_s_own_approves_for_itself_alone() {
    let scene = Scene::unreviewed("");
    let own = "version = 1\n[approval]\nusers = [\"wim\"]\n";
    scene.stage.commit("easy", &[("rankhold.toml", own)]);
    scene.with(|world| world.retarget(REPOSITORY, scene.pull, "easy"));
    scene.review(scene.pull).ran.ends(0);
    let [comment] = scene.stage.comments(scene.pull).try_into().unwrap();
    let (_, rest) = comment.split_once("/rankhold approve ").unwrap();
    scene.say("wim", &format!("/rankhold approve {}", &rest[..32])).ran.ends(0);
    assert_eq!(scene.now(), "none", "the check that main asks for");
    scene.with(|world| world.retarget(REPOSITORY, scene.pull, "main"));
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "failure");
}

/// A stale token is refused, and a stranger's pointer to the old figures does not make the refused comment count.
#[test]
fn a_refused_command_stays_refused_whoever_points_at_its_figures() {
    let scene = Scene::of("");
    let (command, token, old) = (scene.command(), scene.token(), scene.head());
    scene.push(scene.pull, &[("docs/more.md".to_owned(), "# More\n".to_owned())]);
    scene.review(scene.pull).ran.ends(0);
    scene.say("max", &command).ran.ends(0);
    assert!(scene.replies(scene.pull)[0].contains(STALE));
    for login in ["mallory", "rob[bot]"] {
        scene.note(scene.pull, login, &format!("<!-- rankhold-approved {token} {old} -->"));
        scene.review(scene.pull).ran.ends(0);
        assert_eq!(scene.now(), "failure", "{login}");
    }
}

/// A person whose login is the bot's without its suffix is not the bot.
#[test]
fn a_namesake_s_comments_are_none_of_ours() {
    let scene = Scene::unreviewed("");
    scene.with(|world| {
        world.user("github-actions");
        world.comment(REPOSITORY, scene.pull, "github-actions", "## ✅ fine\n<!-- rankhold:report -->")
    });
    scene.review(scene.pull).ran.ends(0);
    let (theirs, ours) = scene.with(|world| {
        let comments = world.comments(REPOSITORY, scene.pull);
        let of = |login: &str| comments.iter().filter(|one| one.author == login).count();
        (comments[0].body.clone(), of(US))
    });
    assert_eq!((theirs.as_str(), ours), ("## ✅ fine\n<!-- rankhold:report -->", 1));
}

/// With `mode = "file"` a comment approves nothing, and a file is trusted as it is.
#[test]
fn where_files_are_trusted_comments_are_not() {
    let scene = Scene::of("[approval]\nmode = \"file\"");
    scene.say("max", &scene.command()).ran.ends(0);
    assert!(scene.replies(scene.pull)[0].contains("does not approve by comments"));
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "failure");
    let checkout = scene.stage.checkout(&scene.head());
    checkout.run("approve --by wim").ends(0);
    scene.push(scene.pull, &[(BASELINE.to_owned(), checkout.read(BASELINE))]);
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "success");
    scene.with(|world| {
        let head = world.repo(REPOSITORY).pulls[&scene.pull].head_sha.clone();
        assert_eq!(conclusion(world, &head), "success");
        // What was said about trusting it stands in the report.
        let report = ours(world, &head)[0].summary.clone().unwrap();
        assert!(report.contains("mode = \"file\"") || report.contains("trusted"), "{report}");
        push(world, scene.pull, &losing_more());
    });
    scene.review(scene.pull).ran.ends(0);
    assert_eq!(scene.now(), "failure", "it loses more than the file says");
}
