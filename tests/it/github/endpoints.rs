//! Every request that we can make is one that GitHub describes, and asks for the permission that we say.

use std::collections::BTreeSet;

use rankhold::github::{
    Annotation, Call, Client, GithubProblem, Level, Sha, Status, Transport, Verb, endpoint,
};

use super::fake::graph::tree_name;
use super::fake::{Fake, IMPATIENT, PUBLISH};
use super::openapi::{Asked, description};
use crate::pages::page;

/// What the requests are about.
struct Scene {
    fake: Fake,
    commit: Sha,
    comment: u64,
    check: u64,
    run: u64,
    artifact: u64,
    tree: Sha,
}

impl Scene {
    /// A private repository, where nothing is read without a permission.
    fn new() -> Self {
        let fake = Fake::start();
        let (commit, comment, run, artifact) = fake.with(|world| {
            let root = world.repository("o/r");
            world.repo_mut("o/r").private = true;
            let main = world.commit(&root, &[("docs/a b.md", "text")]);
            world.push("o/r", "main", &main);
            let commit = world.commit(&main, &[("docs/a b.md", "another text")]);
            world.push("o/r", "feat/x", &commit);
            world.pull("o/r", "feat/x", "main");
            world.push("o/r", "loose", &commit);
            world.repo_mut("o/r").workflows_open = true;
            let run = world.run("o/r", "pull_request", "hold.yml", "feat/x");
            (commit, world.comment("o/r", 1, "ada", "text"), run, world.artifact("o/r", run, "name", b"PK"))
        });
        let tree = fake.with(|world| tree_name(world.graph.tree(&commit)));
        let token = fake.with(|world| world.workflow_token("o/r", PUBLISH));
        let create = endpoint::create_check(&"o/r".parse().unwrap(), "n", &commit, &fields());
        let made = fake.block_on(async |fake| fake.connection(Some(&token)).send(&create).await.unwrap());
        let check = serde_json::from_slice::<serde_json::Value>(&made.body).unwrap()["id"].as_u64().unwrap();
        Self { fake, commit, comment, check, run, artifact, tree }
    }

    /// A call of every function, by its name.
    fn calls(&self) -> Vec<(&'static str, Call)> {
        let repository = "o/r".parse().unwrap();
        let (repository, commit) = (&repository, &self.commit);
        vec![
            ("repository", endpoint::repository(repository)),
            ("pull", endpoint::pull(repository, 1)),
            ("pulls_from", endpoint::pulls_from(repository, "o", "feat/x")),
            ("pulls_to", endpoint::pulls_to(repository, "main")),
            ("commits_between", endpoint::commits_between(repository, commit, commit)),
            ("pull_files", endpoint::pull_files(repository, 1)),
            ("comments", endpoint::comments(repository, 1)),
            ("create_comment", endpoint::create_comment(repository, 1, "text")),
            ("update_comment", endpoint::update_comment(repository, self.comment, "text")),
            ("default_file", endpoint::default_file(repository, "docs/a b.md")),
            ("comment", endpoint::comment(repository, self.comment)),
            ("react", endpoint::react(repository, self.comment, "+1")),
            ("permission_of", endpoint::permission_of(repository, "ada")),
            ("check_runs", endpoint::check_runs(repository, commit, "rankhold/verdict (main)")),
            ("create_check", endpoint::create_check(repository, "rankhold/verdict", commit, &fields())),
            ("update_check", endpoint::update_check(repository, self.check, &fields())),
            ("create_status", endpoint::create_status(repository, commit, &status())),
            ("statuses", endpoint::statuses(repository, commit)),
            ("commit", endpoint::commit(repository, commit)),
            ("compare", endpoint::compare(repository, commit, commit)),
            ("branch", endpoint::branch(repository, "feat/x")),
            ("pulls_of", endpoint::pulls_of(repository, commit)),
            ("create_tree", endpoint::create_tree(repository, &self.tree, &changes())),
            ("create_loose_commit", endpoint::create_loose_commit(repository, &self.tree, commit, "message")),
            ("create_branch", endpoint::create_branch(repository, "feat/new", commit)),
            ("move_branch", endpoint::move_branch(repository, "feat/x", commit, true)),
            ("create_pull", endpoint::create_pull(repository, "loose", "main", "title", "text")),
            ("update_pull", endpoint::update_pull(repository, 1, "title", "text")),
            ("close_pull", endpoint::close_pull(repository, 1)),
            ("file", endpoint::file(repository, "docs/a b.md", commit)),
            ("folder", endpoint::folder(repository, "docs", commit)),
            ("run", endpoint::run(repository, self.run)),
            ("run_artifacts", endpoint::run_artifacts(repository, self.run)),
            ("artifact_archive", endpoint::artifact_archive(repository, self.artifact)),
            // Last, since the others need it.
            ("delete_comment", endpoint::delete_comment(repository, self.comment)),
        ]
    }
}

fn changes() -> endpoint::Changes {
    endpoint::Changes {
        written: vec![("docs/b.md".to_owned(), b"text".to_vec())],
        removed: vec!["docs/a b.md".to_owned()],
    }
}

fn status() -> Status {
    Status {
        context: "c".to_owned(),
        state: "success".to_owned(),
        description: Some("d".to_owned()),
        target_url: Some("https://x.invalid/".to_owned()),
    }
}

fn fields() -> endpoint::CheckFields {
    let annotation = Annotation {
        path: "docs/a b.md".to_owned(),
        start_line: 1,
        end_line: 2,
        level: Level::Warning,
        title: "title".to_owned(),
        message: "message".to_owned(),
    };
    endpoint::CheckFields {
        conclusion: Some("failure"),
        external_id: "run 1".to_owned(),
        details_url: Some("https://x.invalid/".to_owned()),
        title: "title".to_owned(),
        summary: "summary".to_owned(),
        text: Some("text".to_owned()),
        annotations: vec![annotation],
    }
}

#[test]
fn every_request_is_one_that_github_describes() {
    for (name, call) in Scene::new().calls() {
        let query: Vec<_> =
            call.query.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let asked =
            Asked { method: call.verb.word(), path: &call.path, query: &query, body: call.body.as_ref() };
        assert_eq!(description().request(&asked), [""; 0], "{name}");
        let place = description().place(call.verb.word(), &call.path).unwrap();
        assert_eq!(place.route, call.route, "{name}: its route is not the one that its path fits");
    }
}

#[test]
fn every_function_that_makes_a_request_is_among_them() {
    let text = page("src/github/endpoint.rs").text;
    let written: BTreeSet<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub fn ")?.split('(').next())
        .map(str::to_owned)
        .collect();
    let mut walked: BTreeSet<_> = Scene::new().calls().into_iter().map(|(name, _)| name.to_owned()).collect();
    // GraphQL has a schema of its own, which `graphql.rs` holds its documents against.
    walked.extend(["viewer", "last_edited", "create_commit", "merged"].map(str::to_owned));
    assert_eq!(written, walked, "left src/github/endpoint.rs, right `Scene::calls` of this file");
}

#[test]
fn the_permission_that_a_refusal_names_is_the_one_that_is_missing() {
    let scene = Scene::new();
    let ask = |call: &Call, permissions: &[&str]| {
        let token = scene.fake.with(|world| world.workflow_token("o/r", permissions));
        scene.fake.block_on(async |fake| {
            let client = Client::new(Box::new(fake.connection(Some(&token))), IMPATIENT);
            if call.verb == Verb::Post {
                let made =
                    client.once::<serde_json::Value, _>(call, async || panic!("no answer is lost")).await;
                return made.map(drop);
            }
            if call.route.ends_with("{archive_format}") {
                return client.follow(call, 100).await.map(drop);
            }
            client.done(call).await
        })
    };
    for (name, call) in scene.calls() {
        match ask(&call, &[]) {
            Ok(()) => assert!(["repository", "permission_of"].contains(&name), "{name}: every token may"),
            Err(GithubProblem::Forbidden { permission: Some(line), .. }) => {
                assert_eq!(ask(&call, &[line]), Ok(()), "{name}: `{line}` is not enough");
            }
            Err(other) => panic!("{name}: {other}"),
        }
    }
}
