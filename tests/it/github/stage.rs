//! A repository on the stand-in, checkouts of its commits, and the program run as a runner runs it.

#![expect(clippy::disallowed_methods, reason = "a runner writes files and starts the program")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rankhold::github::{Sha, Token, endpoint};
use serde_json::{Value, json};

use super::fake::graph::Entry;
use super::fake::world::{Check, Run};
use super::fake::{FORK, Fake, PUBLISH};
use crate::program::{Ran, Tree, program, suite};

/// The repository on the stand-in.
pub(crate) const REPOSITORY: &str = "ada/garden";

/// The workflow whose results are published for forks.
pub(crate) const MEASURES: &str = ".github/workflows/rankhold-measure.yml";

/// The suite's cases: each finds its page first.
const CASES: &[(&str, &str, &str)] = &[
    ("roses", "how to prune roses in winter", "docs/roses.md"),
    ("beans", "sow runner beans after frost", "docs/beans.md"),
    ("compost", "turn the compost heap", "docs/compost.md"),
    ("slugs", "keep slugs away from lettuce", "docs/slugs.md"),
];

/// Its pages.
fn pages() -> Vec<(&'static str, &'static str)> {
    vec![
        ("docs/roses.md", "# Roses\n\nHow to prune roses in winter: above a bud.\n"),
        ("docs/beans.md", "# Beans\n\nSow runner beans after frost, two by two.\n"),
        ("docs/compost.md", "# Compost\n\nTurn the compost heap once a month.\n"),
        ("docs/slugs.md", "# Slugs\n\nKeep slugs away from lettuce with sand.\n"),
    ]
}

/// What buries the page on beans.
pub(crate) fn burying() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = (0..4)
        .map(|at| (format!("docs/noise{at}.md"), "# Sow runner beans after frost\n\nSow runner beans after frost. Sow runner beans after frost.\n".to_owned()))
        .collect();
    files.push(("docs/beans.md".to_owned(), "# Beans\n\nNothing.\n".to_owned()));
    files
}

/// A stand-in with a repository of a suite, with or without its baseline.
pub(crate) struct Stage {
    pub(crate) fake: Fake,
    /// May publish.
    pub(crate) publisher: Token,
    /// Only reads, as a fork's.
    pub(crate) reader: Token,
}

/// How a step ended, and what it left for later ones.
pub(crate) struct Ended {
    pub(crate) ran: Ran,
    pub(crate) outputs: BTreeMap<String, String>,
    pub(crate) summary: String,
    pub(crate) state: BTreeMap<String, String>,
    /// The files under the runner's temporary folder.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Stage {
    /// Without a baseline.
    pub(crate) fn new() -> Self {
        let fake = Fake::start();
        let (publisher, reader) = fake.with(|world| {
            let root = world.repository(REPOSITORY);
            let suite = suite("Garden", CASES);
            let mut files = pages();
            files.push(("suites/garden.json", &suite));
            let first = world.commit(&root, &files);
            world.push(REPOSITORY, "main", &first);
            (world.workflow_token(REPOSITORY, PUBLISH), world.workflow_token(REPOSITORY, FORK))
        });
        Self { fake, publisher, reader }
    }

    /// With the baseline of what main is.
    pub(crate) fn approved() -> Self {
        let stage = Self::new();
        stage.approve_main();
        stage
    }

    /// Commits to main what an approval of main records.
    pub(crate) fn approve_main(&self) {
        let tip = self.tip("main");
        let checkout = self.checkout(&tip);
        checkout.run("approve --by ada").ends(0);
        let text = checkout.read("baselines/garden.bm25.json");
        self.commit("main", &[("baselines/garden.bm25.json", &text)]);
    }

    pub(crate) fn tip(&self, branch: &str) -> Sha {
        self.fake.with(|world| world.tip(REPOSITORY, branch))
    }

    /// A commit on a branch, which starts at main if there is none.
    pub(crate) fn commit(&self, branch: &str, files: &[(&str, &str)]) -> Sha {
        self.fake.with(|world| {
            let known = world.repo(REPOSITORY).branches.contains_key(branch);
            let on = world.tip(REPOSITORY, if known { branch } else { "main" });
            let commit = world.commit(&on, files);
            world.push(REPOSITORY, branch, &commit);
            commit
        })
    }

    /// A pull request of a branch with these files changed.
    pub(crate) fn pull(&self, branch: &str, files: &[(&str, &str)]) -> u64 {
        self.commit(branch, files);
        self.fake.with(|world| world.pull(REPOSITORY, branch, "main"))
    }

    /// The pull request that buries a page.
    pub(crate) fn losing_pull(&self) -> u64 {
        let files = burying();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        self.pull("topic", &files)
    }

    /// The payload of a workflow run that measured a fork's branch (`owner/name:branch`) and left these files, with that
    /// run's number.
    pub(crate) fn finished(
        &self,
        branch: &str,
        files: &[(&str, &[u8])],
        change: impl FnOnce(&mut Run),
    ) -> (Value, u64) {
        let run = self.fake.with(|world| {
            let run = world.run(REPOSITORY, "pull_request", MEASURES, branch);
            change(world.run_mut(REPOSITORY, run));
            world.artifact(REPOSITORY, run, "rankhold", &packed(files));
            run
        });
        let repository = REPOSITORY.parse().unwrap();
        let payload = json!({
            "action": "completed",
            "workflow_run": self.ask(&endpoint::run(&repository, run)),
            "repository": self.ask(&endpoint::repository(&repository)),
        });
        (payload, run)
    }

    /// The payload of a merge group that is this pull request merged into main, and the group's commit.
    pub(crate) fn queued(&self, pull: u64) -> (Value, Sha) {
        let (main, head) = (self.tip("main"), self.head(pull));
        let group = self.fake.with(|world| world.merge_commit(&main, &head));
        let payload = json!({
            "action": "checks_requested",
            "repository": self.ask(&endpoint::repository(&REPOSITORY.parse().unwrap())),
            "merge_group": {
                "head_sha": group,
                "head_ref": format!("refs/heads/gh-readonly-queue/main/pr-{pull}-{main}"),
                "base_sha": main,
                "base_ref": "refs/heads/main",
            },
        });
        (payload, group)
    }

    /// The files of a commit, as actions/checkout leaves them.
    pub(crate) fn checkout(&self, commit: &Sha) -> Tree {
        let files = self.fake.with(|world| world.graph.tree(commit).clone());
        let tree = Tree::new(&[]);
        for (path, entry) in files {
            if let Entry::File(bytes) = entry {
                tree.write(&path, bytes);
            }
        }
        tree.write(".git/HEAD", format!("{commit}\n"));
        tree
    }

    /// The head of a pull request.
    pub(crate) fn head(&self, pull: u64) -> Sha {
        self.fake.with(|world| world.repo(REPOSITORY).pulls[&pull].head_sha.clone())
    }

    /// What GitHub says of something, for a payload.
    pub(crate) fn ask(&self, call: &rankhold::github::Call) -> Value {
        let call = call.clone();
        self.fake.block_on(async |fake| fake.client(&self.publisher).json::<Value>(&call).await).unwrap()
    }

    /// The payload of what happened to a pull request.
    pub(crate) fn pull_payload(&self, action: &str, pull: u64) -> Value {
        let repository = REPOSITORY.parse().unwrap();
        json!({
            "action": action,
            "number": pull,
            "pull_request": self.ask(&endpoint::pull(&repository, pull)),
            "repository": self.ask(&endpoint::repository(&repository)),
        })
    }

    /// Reviews a pull request as its workflow does: head checked out, publishing token.
    pub(crate) fn review(&self, pull: u64) -> Ended {
        self.step(pull).run()
    }

    /// A step on a pull request, to be changed before it runs.
    pub(crate) fn step(&self, pull: u64) -> Step<'_> {
        let payload = self.pull_payload("synchronize", pull);
        Step::new(self, "pull_request", payload, self.checkout(&self.head(pull)))
    }

    /// The one verdict on a commit: conclusion, title, summary. Each workflow run has a check run, and all say the same.
    pub(crate) fn verdict(&self, commit: &Sha) -> (String, String, String) {
        self.fake.with(|world| {
            let says = |check: &&Check| {
                assert!(check.name.starts_with("rankhold/verdict"), "{}", check.name);
                (
                    check.conclusion.clone().unwrap_or_else(|| check.status.clone()),
                    check.title.clone().unwrap_or_default(),
                    check.summary.clone().unwrap_or_default(),
                )
            };
            let all: std::collections::BTreeSet<_> =
                world.checks(REPOSITORY, commit).iter().map(says).collect();
            let mut all: Vec<_> = all.into_iter().collect();
            assert_eq!(all.len(), 1, "{all:#?}");
            all.remove(0)
        })
    }

    /// Texts of the comments of a pull request.
    pub(crate) fn comments(&self, pull: u64) -> Vec<String> {
        self.fake.with(|world| {
            world.comments(REPOSITORY, pull).into_iter().map(|comment| comment.body.clone()).collect()
        })
    }
}

/// One step of a workflow.
pub(crate) struct Step<'a> {
    stage: &'a Stage,
    event: &'static str,
    payload: Value,
    pub(crate) checkout: Tree,
    token: Option<Token>,
    variables: BTreeMap<String, String>,
}

impl<'a> Step<'a> {
    pub(crate) fn new(stage: &'a Stage, event: &'static str, payload: Value, checkout: Tree) -> Self {
        let variables = [
            ("GITHUB_RUN_ID", "100"),
            ("GITHUB_RUN_ATTEMPT", "1"),
            ("GITHUB_REPOSITORY", REPOSITORY),
            ("GITHUB_ACTOR", "ada"),
            ("GITHUB_SERVER_URL", "https://github.example"),
        ];
        let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            stage,
            event,
            payload,
            checkout,
            token: Some(stage.publisher.clone()),
            variables: variables.collect(),
        }
    }

    /// With another token, or none.
    pub(crate) fn token(self, token: Option<&Token>) -> Self {
        Self { token: token.cloned(), ..self }
    }

    /// With a variable set: an input, or what a runner sets.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// With an input.
    pub(crate) fn input(self, name: &str, value: &str) -> Self {
        self.with(&format!("INPUT_{}", name.to_uppercase()), value)
    }

    /// Runs it.
    pub(crate) fn run(&self) -> Ended {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("event.json"), self.payload.to_string()).unwrap();
        std::fs::create_dir(path("temp")).unwrap();
        let mut command = program(&self.checkout.root());
        command.arg("action").env("GITHUB_EVENT_NAME", self.event);
        command.env("GITHUB_API_URL", self.stage.fake.address());
        for (name, file) in [
            ("GITHUB_EVENT_PATH", "event.json"),
            ("GITHUB_OUTPUT", "output"),
            ("GITHUB_STEP_SUMMARY", "summary"),
            ("GITHUB_STATE", "state"),
            ("RUNNER_TEMP", "temp"),
        ] {
            command.env(name, path(file));
        }
        command.env("GITHUB_WORKSPACE", self.checkout.root()).envs(&self.variables);
        if let Some(token) = &self.token {
            command.env("INPUT_TOKEN", self.stage.fake.with(|world| world.secret(token)));
        }
        let ran = Ran::of(&command.output().unwrap());
        if let Some(token) = &self.token {
            let secret = self.stage.fake.with(|world| world.secret(token));
            assert!(!ran.out.contains(&secret) && !ran.err.contains(&secret), "the token is in the log");
        }
        let text = |name: &str| std::fs::read_to_string(path(name)).unwrap_or_default();
        let state = text("state");
        Ended {
            outputs: outputs(&text("output")),
            summary: text("summary"),
            state: state
                .lines()
                .filter_map(|line| line.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            files: files(&path("temp/rankhold")),
            ran,
        }
    }
}

/// An artifact as GitHub keeps it.
pub(crate) fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write as _;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Values as a runner reads them.
fn outputs(text: &str) -> BTreeMap<String, String> {
    let mut outputs = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let (name, fence) = line.split_once("<<").expect("name<<fence");
        let value: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        outputs.insert(name.to_owned(), value.join("\n"));
    }
    outputs
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    entries
        .into_iter()
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect()
}
