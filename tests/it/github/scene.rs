//! A repository that reads comments, with the people of a small project and a pull request that loses a page.

use std::collections::BTreeSet;

use rankhold::approval::{Bundle, Place, places_of};
use rankhold::artifact::{ApprovalToken, Instant, Record};
use rankhold::github::Sha;

use super::fake::PROPOSE;
use super::fake::graph::Entry;
use super::fake::world::{Check, Merge, Pull, World};
use super::stage::{Ended, REPOSITORY, Stage, Step, burying, texts};

/// The file of the pair that every scene has.
pub(crate) const BASELINE: &str = "baselines/garden.bm25.json";

/// Who writes with a workflow's token.
pub(crate) const US: &str = "github-actions[bot]";

/// The repository, and the pull request that it is all about.
pub(crate) struct Scene {
    pub(crate) stage: Stage,
    pub(crate) pull: u64,
}

/// Everybody's role: ada owns it, bea and max maintain, wim writes, tri sorts issues, fay maintained once, and a program
/// has every right.
const ROLES: &[(&str, &str)] = &[
    ("bea", "maintain"),
    ("max", "maintain"),
    ("wim", "write"),
    ("tri", "triage"),
    ("fay", "maintain"),
    ("rob[bot]", "admin"),
];

/// Commits to the base, by pull request or branch name, that lose one page more.
pub(crate) fn losing_more() -> Vec<(String, String)> {
    let noise = "# Turn the compost heap\n\nTurn the compost heap. Turn the compost heap.\n";
    let mut files: Vec<(String, String)> =
        (0..4).map(|at| (format!("docs/heap{at}.md"), noise.to_owned())).collect();
    files.push(("docs/compost.md".to_owned(), "# Compost\n\nNothing.\n".to_owned()));
    files
}

impl Scene {
    /// A branch of the repository loses a page; `[approval]` and gate as given, nobody has reviewed it.
    pub(crate) fn unreviewed(config: &str) -> Self {
        let stage = Self::ready(config);
        let pull = stage.losing_pull();
        Self { stage, pull }
    }

    /// It was reviewed.
    pub(crate) fn of(config: &str) -> Self {
        let scene = Self::unreviewed(config);
        scene.review(scene.pull).ran.ends(0);
        scene
    }

    /// A fork loses a page, and its results were published.
    pub(crate) fn of_fork(config: &str) -> Self {
        let stage = Self::ready(config);
        let pull = stage.fork_pull();
        let scene = Self { stage, pull };
        scene.review(pull).ran.ends(0);
        scene
    }

    fn ready(config: &str) -> Stage {
        let stage = Stage::new();
        if !config.is_empty() {
            stage.commit("main", &[("rankhold.toml", &format!("version = 1\n{config}\n"))]);
        }
        stage.approve_main();
        let stage = stage.listens();
        stage.fake.with(|world| {
            for (login, role) in ROLES {
                world.role(REPOSITORY, login, role);
            }
            world.user("mallory");
        });
        stage
    }

    /// The same, elsewhere.
    pub(crate) fn copy(&self) -> Self {
        Self { stage: self.stage.copy(), pull: self.pull }
    }

    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut World) -> T) -> T {
        self.stage.fake.with(look)
    }

    /// Each step is of a workflow run of its own, later than all before it.
    pub(crate) fn run_of<'a>(&'a self, step: Step<'a>) -> Step<'a> {
        let run = self.with(|world| world.run(REPOSITORY, "any", ".github/workflows/any.yml", "main"));
        step.with("GITHUB_RUN_ID", run.to_string())
    }

    /// The pull request's head, as its workflow reviews it; a fork's is measured and then published.
    pub(crate) fn review(&self, pull: u64) -> Ended {
        let foreign = self.with(|world| world.repo(REPOSITORY).pulls[&pull].head_repository.0 != REPOSITORY);
        if foreign {
            let measured = self.run_of(self.stage.step(pull)).token(Some(&self.stage.reader)).run();
            return self.run_of(self.stage.publishing(pull, &measured.files, |_| {})).run();
        }
        self.run_of(self.stage.step(pull)).run()
    }

    /// A merge, and no workflow runs yet.
    pub(crate) fn merge(&self, pull: u64, how: Merge) -> Sha {
        self.with(|world| world.merge(REPOSITORY, pull, how))
    }

    /// The workflow of the default branch, for its tip, with a token that may propose.
    pub(crate) fn pushed(&self) -> Ended {
        let token = self.with(|world| world.workflow_token(REPOSITORY, PROPOSE));
        self.run_of(self.stage.pushed("main").token(Some(&token))).run()
    }

    /// The open pull requests that we made.
    pub(crate) fn proposals(&self) -> Vec<Pull> {
        let ours = |pull: &&Pull| pull.author == US && pull.state == "open";
        self.with(|world| world.repo(REPOSITORY).pulls.values().filter(ours).cloned().collect())
    }

    /// Somebody comments, and no workflow runs yet.
    pub(crate) fn note(&self, pull: u64, login: &str, body: &str) -> u64 {
        self.with(|world| world.comment(REPOSITORY, pull, login, body))
    }

    /// The workflow runs for a comment.
    pub(crate) fn hear(&self, pull: u64, comment: u64) -> Ended {
        self.run_of(self.stage.heard(pull, comment)).run()
    }

    /// Both.
    pub(crate) fn say(&self, login: &str, body: &str) -> Ended {
        let comment = self.note(self.pull, login, body);
        self.hear(self.pull, comment)
    }

    /// The token that the newest report of the pull request shows.
    pub(crate) fn token(&self) -> String {
        self.token_of(self.pull)
    }

    pub(crate) fn token_of(&self, pull: u64) -> String {
        let head = self.stage.head(pull);
        self.bundle(&head)
            .unwrap_or_else(|| panic!("nothing to approve at {head}"))
            .covered
            .token()
            .to_string()
    }

    /// The command that approves what the report shows.
    pub(crate) fn command(&self) -> String {
        format!("/rankhold approve {}", self.token())
    }

    pub(crate) fn head(&self) -> Sha {
        self.stage.head(self.pull)
    }

    /// What our newest check on a commit says can be approved.
    pub(crate) fn bundle(&self, commit: &Sha) -> Option<Bundle> {
        self.with(|world| {
            let text = ours(world, commit).last()?.text.clone()?;
            match places_of(&text).pop()? {
                Place::Here(packed) => packed.parse().ok(),
                Place::Uploaded { .. } => None,
            }
        })
    }

    /// Files on top of the pull request's head, wherever that lies.
    pub(crate) fn push(&self, pull: u64, files: &[(String, String)]) -> Sha {
        self.with(|world| push(world, pull, files))
    }

    /// A pull request of a branch of its own with these files.
    pub(crate) fn another(&self, branch: &str, files: &[(String, String)]) -> u64 {
        self.stage.pull(branch, &texts(files))
    }

    /// The text of the pair's baseline at a commit.
    pub(crate) fn baseline(&self, commit: &Sha) -> Option<String> {
        self.with(|world| match world.graph.tree(commit).get(BASELINE)? {
            Entry::File(bytes) => Some(String::from_utf8(bytes.clone()).unwrap()),
            Entry::Symlink(_) | Entry::Submodule(_) => None,
        })
    }

    /// The conclusion on a commit; all our check runs there must say the same.
    pub(crate) fn conclusion(&self, commit: &Sha) -> String {
        self.with(|world| conclusion(world, commit))
    }

    /// That on the pull request's head.
    pub(crate) fn now(&self) -> String {
        self.conclusion(&self.head())
    }

    /// Every commit that we made.
    pub(crate) fn commits_of_ours(&self) -> Vec<Sha> {
        self.with(|world| commits_of_ours(world))
    }

    /// The answers below a pull request, the report aside.
    pub(crate) fn replies(&self, pull: u64) -> Vec<String> {
        let ours = |comment: &&super::fake::world::Comment| {
            comment.author == US && !comment.body.contains("<!-- rankhold:report -->")
        };
        self.with(|world| {
            world.comments(REPOSITORY, pull).into_iter().filter(ours).map(|one| one.body.clone()).collect()
        })
    }

    /// A baseline file as an approval by that comment would write it, of what can be approved at the head of a pull request.
    pub(crate) fn forged(&self, pull: u64, login: &str, comment: u64) -> String {
        let bundle = self.bundle(&self.stage.head(pull)).expect("there is something to approve");
        self.recorded(&bundle, login, comment)
    }

    /// The same of a bundle.
    pub(crate) fn recorded(&self, bundle: &Bundle, login: &str, comment: u64) -> String {
        let (author, at) =
            self.with(|world| (world.user(login), world.repo(REPOSITORY).comments[&comment].created.clone()));
        let token: ApprovalToken = bundle.covered.token();
        let record = Record { comment, author, token, covered: bundle.covered.clone() };
        let at: Instant = at.parse().unwrap();
        bundle.candidate("garden", "bm25").unwrap().clone().approve_on_github(login, &at, None, record)
    }

    /// The base branch's configuration is another one from now on.
    pub(crate) fn reconfigure(&self, config: &str) {
        self.stage.commit("main", &[("rankhold.toml", &format!("version = 1\n{config}\n"))]);
    }

    /// The base branch's baseline is another one from now on: with other pages, and one of them lost.
    pub(crate) fn move_the_base(&self) {
        let noise = "# Keep slugs away from lettuce\n\nKeep slugs away from lettuce. Keep slugs away.\n";
        let mut files: Vec<(String, String)> =
            (0..4).map(|at| (format!("docs/slug{at}.md"), noise.to_owned())).collect();
        files.push(("docs/slugs.md".to_owned(), "# Slugs\n\nNothing.\n".to_owned()));
        self.stage.commit("main", &texts(&files));
        let checkout = self.stage.checkout(&self.stage.tip("main"));
        checkout.run("approve --by ada").ends(0);
        let text = checkout.read(BASELINE);
        assert_ne!(Some(&text), self.baseline(&self.stage.tip("main")).as_ref(), "nothing was approved");
        self.stage.commit("main", &[(BASELINE, &text)]);
    }
}

/// Files on top of a pull request's head.
pub(crate) fn push(world: &mut World, pull: u64, files: &[(String, String)]) -> Sha {
    let there = world.repo(REPOSITORY).pulls[&pull].clone();
    let commit = world.commit(&there.head_sha, &texts(files));
    world.push(&there.head_repository.0, &there.head, &commit);
    commit
}

/// Our check runs on a commit that are required where the pull request goes to the default branch.
pub(crate) fn ours<'a>(world: &'a World, commit: &Sha) -> Vec<&'a Check> {
    let checks = world.checks(REPOSITORY, commit).into_iter();
    checks.filter(|check| check.app.slug == "github-actions" && check.name == "rankhold/verdict").collect()
}

/// What they say.
pub(crate) fn conclusion(world: &World, commit: &Sha) -> String {
    let says = |check: &&Check| check.conclusion.clone().unwrap_or_else(|| check.status.clone());
    let all: BTreeSet<String> = ours(world, commit).iter().map(says).collect();
    match all.len() {
        0 => "none".to_owned(),
        _ => all.into_iter().collect::<Vec<_>>().join(" and "),
    }
}

/// Every commit of ours that a branch has.
pub(crate) fn commits_of_ours(world: &World) -> Vec<Sha> {
    let tips = world.repositories.values().flat_map(|repository| repository.branches.values());
    let all: BTreeSet<Sha> = tips.flat_map(|tip| world.graph.ancestors(tip)).collect();
    all.into_iter().filter(|sha| world.graph.get(sha).unwrap().author == US).collect()
}

/// What a fork's pull request changes when it takes back what it lost.
pub(crate) fn repairing() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> =
        burying().into_iter().map(|(path, _)| (path, "# Nothing\n".to_owned())).collect();
    files.push((
        "docs/beans.md".to_owned(),
        "# Beans\n\nSow runner beans after frost, two by two.\n".to_owned(),
    ));
    files
}
