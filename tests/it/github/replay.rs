//! `rankhold replay EVENT.json --dry-run`: what would be asked and written, without a network.

#![expect(clippy::disallowed_methods, reason = "a payload is piped in by a shell")]

use serde_json::{Value, json};

use super::stage::{Stage, packed};
use crate::program::{Ran, Tree, scrubbed};

/// The replay of a payload in a tree, with its requests as `VERB /path`.
fn replayed(tree: &Tree, payload: &Value, flags: &str) -> (Ran, Vec<(String, Value)>) {
    tree.write(".git/event.json", payload.to_string());
    let ran = tree.run(&format!("replay .git/event.json --dry-run --format json {flags}"));
    let requests = serde_json::from_str::<Value>(&ran.out).ok();
    let requests = requests.and_then(|all| all["requests"].as_array().cloned()).unwrap_or_default();
    let line = |request: &Value| {
        let word = |name: &str| request[name].as_str().unwrap().to_owned();
        (format!("{} {}", word("method"), word("target")), request["body"].clone())
    };
    (ran, requests.iter().map(line).collect())
}

fn writes(requests: &[(String, Value)]) -> Vec<&str> {
    let writes = requests.iter().map(|(line, _)| line.as_str());
    writes.filter(|line| !line.starts_with("GET ") && *line != "POST /graphql").collect()
}

#[test]
fn a_pull_request_is_rehearsed_to_its_check_and_comment() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    let head = stage.head(pull);
    let tree = stage.checkout(&head);
    let (ran, requests) = replayed(&tree, &stage.pull_payload("synchronize", pull), "");
    let ran = ran.ends(0);
    assert!(ran.err.contains("nothing is sent"), "{}", ran.err);
    let repository = "/repos/ada/garden";
    let expected = [
        format!("POST {repository}/check-runs"),
        format!("PATCH {repository}/check-runs/1"),
        format!("POST {repository}/issues/{pull}/comments"),
    ];
    assert_eq!(writes(&requests), expected);
    let comment =
        &requests.iter().find(|(line, _)| line.contains("/comments") && line.starts_with("POST")).unwrap().1;
    assert!(comment["body"].as_str().unwrap().contains("`beans`"), "{comment}");
    let check = &requests.iter().find(|(line, _)| line.starts_with("PATCH")).unwrap().1;
    assert_eq!(
        (&check["conclusion"], &check["output"]["title"]),
        (&json!("failure"), &json!("The ranking does not hold"))
    );
    // The report that it would make, once as data and once as people read it.
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    let report = json["report"].as_str().unwrap();
    assert!(report.contains("The ranking does not hold") && report.contains("`beans`"), "{report}");
    assert!(comment["body"].as_str().unwrap().starts_with(report.trim_end()));
    let people = tree.run("replay .git/event.json --dry-run").ends(0).out;
    let (told, requests_too) = people.split_once("GET /repos/").unwrap();
    assert!(told.contains("The ranking does not hold") && told.contains("beans"), "{told}");
    assert!(requests_too.contains("PATCH /repos/ada/garden/check-runs/1"));
    // It is what the action really asks for, which the stand-in holds against GitHub's description of its API.
    let step = stage.step(pull).with("GITHUB_RUN_ID", "1");
    let before = stage.fake.log().len();
    step.run();
    let real = stage.fake.log()[before..]
        .iter()
        .map(|logged| format!("{} {}", logged.method, logged.target))
        .collect::<Vec<_>>();
    let rehearsed: Vec<_> = requests.iter().map(|(line, _)| numberless(line)).collect();
    assert_eq!(rehearsed, real.iter().map(|line| numberless(line)).collect::<Vec<_>>());
}

/// Without the number that GitHub gave a check run.
fn numberless(line: &str) -> String {
    let (start, number) = line.rsplit_once('/').unwrap();
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && start.ends_with("/check-runs");
    if is_number { format!("{start}/N") } else { line.to_owned() }
}

#[test]
fn a_fork_s_token_writes_nothing_in_a_rehearsal_either() {
    let stage = Stage::approved();
    let pull = stage.fork_pull_of(&[("docs/new.md".to_owned(), "# New\n".to_owned())]);
    let head = stage.head(pull);
    let tree = stage.checkout(&head);
    let (ran, requests) = replayed(&tree, &stage.pull_payload("opened", pull), "");
    assert!(ran.ends(0).err.contains("only reads"));
    assert_eq!(
        writes(&requests),
        ["POST /repos/ada/garden/check-runs"],
        "tried once, refused, and that was all"
    );
    // The second workflow, with the archive that the first one left.
    let measured = stage.step(pull).token(Some(&stage.reader)).run();
    let payload = stage.publishing(pull, &measured.files, |_| {}).payload().clone();
    tree.write(".git/left.zip", packed(&measured.files));
    let (ran, requests) = replayed(&tree, &payload, "--artifact .git/left.zip");
    let ran = ran.ends(0);
    assert!(writes(&requests).contains(&"POST /repos/ada/garden/check-runs"), "{}{requests:#?}", ran.err);
    let (ran, _) = replayed(&tree, &payload, "");
    assert!(ran.ends(2).err.contains("not in the payload"));
}

#[test]
fn a_merge_group_a_push_and_a_manual_run_are_rehearsed() {
    let stage = Stage::approved();
    let pull = stage.pull("topic", &[("docs/new.md", "# New\n")]);
    let group = stage.group(pull);
    let payload = stage.queued(&group).payload().clone();
    let tree = stage.checkout(&group);
    let (ran, requests) = replayed(&tree, &payload, "");
    ran.ends(0);
    let conclusion = requests.iter().rev().find_map(|(_, body)| body["conclusion"].as_str());
    assert_eq!(conclusion, Some("success"));
    let repository = payload["repository"].clone();
    let push = json!({ "ref": "refs/heads/main", "after": stage.tip("main"), "deleted": false, "repository": repository });
    let (ran, requests) = replayed(&tree, &push, "--with publish=status");
    ran.ends(0);
    assert_eq!(writes(&requests).len(), 2, "{requests:#?}");
    assert!(writes(&requests)[0].contains("/statuses/"));
    let (ran, requests) = replayed(&tree, &json!({ "repository": repository, "inputs": null }), "");
    ran.ends(0);
    assert_eq!(writes(&requests), Vec::<&str>::new());
}

#[test]
fn what_cannot_be_rehearsed_is_said() {
    let stage = Stage::approved();
    let pull = stage.pull("topic", &[("docs/new.md", "# New\n")]);
    let tree = stage.checkout(&stage.head(pull));
    let payload = stage.pull_payload("opened", pull);
    for (payload, flags, words) in [
        (&payload, "--with comments=never", "did you mean `comment`?"),
        (&payload, "--with comment", "there is no `=`"),
        (&payload, "--with token=ghs_secret", "no use for a secret"),
        (&payload, "--event push", "does not fit at"),
        (&payload, "--event check_run", "none that rankhold acts on"),
        (&payload, "--event pullrequest", "did you mean `pull_request`?"),
        (&json!([]), "", "holds a list, and GitHub writes an object"),
        (&json!([]), "--event push", "holds a list, and GitHub writes an object"),
        (&json!("x"), "", "holds a text"),
        (&json!({ "check_run": {} }), "", "`check_run` is none that rankhold acts on"),
        (&json!({}), "", "does not show which event"),
        (&json!({ "pull_request": {} }), "", "missing field"),
    ] {
        let (ran, requests) = replayed(&tree, payload, flags);
        let ran = ran.ends(2);
        assert!(ran.err.contains(words), "{flags}: {}", ran.err);
        assert!(requests.is_empty());
        assert!(!ran.err.contains("ghs_secret"));
    }
    // What is piped in is read, whatever it is.
    let piped = |text: &str| {
        let script = format!(
            "printf '%s' '{text}' | exec {} replay - --dry-run --format json",
            env!("CARGO_BIN_EXE_rankhold")
        );
        let mut command = scrubbed(std::process::Command::new("sh"), &tree.root());
        Ran::of(&command.args(["-c", &script]).output().unwrap())
    };
    assert!(piped("[]").ends(2).err.contains("holds a list"));
    let from_file = replayed(&tree, &payload, "").0.ends(0);
    assert_eq!(piped(&payload.to_string().replace('\'', " ")).ends(0).out, from_file.out);
    // Without the flag nothing happens at all.
    tree.run("replay .git/event.json").ends(2);
    // What changes nothing is one sentence.
    let (ran, requests) = replayed(&tree, &stage.pull_payload("closed", pull), "");
    assert!(ran.ends(0).err.contains("was closed") && requests.is_empty());
}

#[test]
fn of_a_comment_it_is_shown_how_its_command_is_read() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    let tree = stage.checkout(&stage.head(pull));
    let say = |body: &str| {
        let payload = json!({
            "action": "created",
            "issue": { "number": pull, "pull_request": {} },
            "comment": { "id": 7, "html_url": "https://github.invalid/", "body": body, "user": { "id": 1, "login": "ada", "type": "User" },
                "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z" },
            "repository": stage.pull_payload("opened", pull)["repository"],
        });
        let (ran, _) = replayed(&tree, &payload, "");
        let ran = ran.ends(0);
        assert!(ran.err.contains("cannot be shown"), "{}", ran.err);
        serde_json::from_str::<Value>(&ran.out).unwrap()
    };
    let typo = say("/rankhold aprove");
    assert_eq!(typo["command"], "malformed");
    assert!(typo["answer"].as_str().unwrap().contains("aprove"), "{typo}");
    assert!(say("/rankhold help")["answer"].as_str().unwrap().contains("/rankhold status"));
    assert_eq!(
        (&say("/rankhold status")["command"], &say("/rankhold status")["answer"]),
        (&json!("status"), &Value::Null)
    );
}

#[test]
fn a_review_is_not_taken_for_its_pull_request() {
    let stage = Stage::approved();
    let pull = stage.losing_pull();
    let tree = stage.checkout(&stage.head(pull));
    for (field, event) in [("review", "pull_request_review"), ("comment", "pull_request_review_comment")] {
        let mut payload = stage.pull_payload("submitted", pull);
        payload[field] = json!({});
        let (ran, _) = replayed(&tree, &payload, "");
        assert!(ran.ends(2).err.contains(event));
    }
}
