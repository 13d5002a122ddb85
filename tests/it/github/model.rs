//! Random lives of a repository: people push, comment, edit, delete, merge and change roles, workflows run late, again or
//! never. After every step nothing is approved that nobody approved.
//!
//! The model knows one thing of a tree: how many pages it has lost, the first ones first. So a head is as good as another
//! if it has lost no more, and what an approval covers is a number.

use std::collections::{BTreeMap, BTreeSet};

use rankhold::approval::{Command, Parsed, parse};
use rankhold::artifact::Baseline;
use rankhold::canon::Digest;
use rankhold::github::Sha;

use super::fake::graph::Entry;
use super::fake::world::{Merge, World};
use super::faults::{Named, side_by_side};
use super::scene::{BASELINE, Scene, US, commits_of_ours, ours};
use super::stage::REPOSITORY;
use crate::support::Random;

const LIVES: usize = 10;
const STEPS: usize = 60;

/// The pages that can be lost: path, text, and what buries it.
const PAGES: &[(&str, &str, &str)] = &[
    (
        "docs/beans.md",
        "# Beans\n\nSow runner beans after frost, two by two.\n",
        "Sow runner beans after frost.",
    ),
    ("docs/compost.md", "# Compost\n\nTurn the compost heap once a month.\n", "Turn the compost heap."),
    (
        "docs/slugs.md",
        "# Slugs\n\nKeep slugs away from lettuce with sand.\n",
        "Keep slugs away from lettuce.",
    ),
];

const LOST: &str = "# Lost\n\nNothing.\n";

/// The files of a tree that has lost that many.
fn lost(many: usize) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (at, (path, text, query)) in PAGES.iter().enumerate() {
        let is_lost = at < many;
        files.push(((*path).to_owned(), if is_lost { LOST } else { text }.to_owned()));
        for noise in 0..4 {
            let text =
                if is_lost { format!("# {query}\n\n{query} {query}\n") } else { "# Nothing\n".to_owned() };
            files.push((format!("docs/noise{at}{noise}.md"), text));
        }
    }
    files
}

/// How many a tree has lost.
fn level(world: &World, commit: &Sha) -> usize {
    let is_lost = |path: &str| world.graph.tree(commit).get(path) == Some(&Entry::File(LOST.into()));
    PAGES.iter().filter(|(path, _, _)| is_lost(path)).count()
}

/// A comment of a person, with the workflow run for it.
#[derive(Clone)]
struct Spoken {
    comment: u64,
    pull: u64,
    run: String,
    attempts: usize,
}

struct Life {
    scene: Scene,
    random: Random,
    /// Open pull requests with their branches.
    open: Vec<(u64, String)>,
    spoken: Vec<Spoken>,
    /// What tokens stand for: the pull request and how many pages it had lost.
    tokens: BTreeMap<String, (u64, usize)>,
    /// The same of candidates.
    candidates: BTreeMap<Digest, usize>,
    /// What was there after the last step.
    commits: BTreeSet<Sha>,
    green: BTreeSet<Sha>,
    pushed: usize,
    told: Vec<String>,
    /// How often something was approved, and something refused: a life in which nothing happens tests nothing.
    approved: usize,
    /// And how often files were proposed.
    filed: usize,
}

/// A life that fails is told.
impl Drop for Life {
    fn drop(&mut self) {
        drop(Named(self.told.join("\n")));
    }
}

impl Life {
    fn new(seed: u64) -> Self {
        let config = if seed.is_multiple_of(3) { "" } else { "[approval]\nmode = \"record\"" };
        let scene = Scene::unreviewed(config);
        scene.with(|world| world.repo_mut(REPOSITORY).workflows_open = true);
        let pull = scene.pull;
        let main = scene.stage.tip("main");
        let baseline = Baseline::read(scene.baseline(&main).unwrap().as_bytes()).unwrap();
        let mut life = Self {
            scene,
            random: Random::new(seed),
            open: vec![(pull, "topic".to_owned())],
            spoken: Vec::new(),
            tokens: BTreeMap::new(),
            candidates: baseline.candidate.map(|digest| (digest, 0)).into_iter().collect(),
            commits: BTreeSet::new(),
            green: BTreeSet::new(),
            pushed: 0,
            told: vec![format!("seed {seed}")],
            approved: 0,
            filed: 0,
        };
        life.set(pull, 1);
        life.begin();
        life.scene.with(|world| {
            let main = world.tip(REPOSITORY, "main");
            world.push(REPOSITORY, "next", &main);
        });
        let foreign = life.scene.stage.fork_pull_of(&lost(1));
        life.open.push((foreign, "patch".to_owned()));
        life
    }

    /// Another pull request from main.
    fn begin(&mut self) {
        let branch = format!("branch{}", self.pushed);
        self.pushed += 1;
        let pull = self.scene.another(&branch, &lost(1));
        self.open.push((pull, branch));
    }

    fn set(&mut self, pull: u64, many: usize) {
        let mut files = lost(many);
        self.pushed += 1;
        files.push((format!("docs/page{}.md", self.pushed), format!("# Page {}\n", self.pushed)));
        self.scene.push(pull, &files);
    }

    fn any_pull(&mut self) -> u64 {
        let at = self.random.below(self.open.len());
        self.open[at].0
    }

    /// One thing happens.
    fn step(&mut self) {
        let pull = self.any_pull();
        match self.random.below(20) {
            0..=2 => {
                let many = self.random.below(PAGES.len() + 1);
                self.tell(format!("push to {pull}: {many} lost"));
                self.set(pull, many);
            }
            3..=7 => self.review(pull),
            8..=12 => {
                self.speak(pull);
                if !self.random.once_in(3) {
                    self.run();
                }
            }
            13..=15 => self.run(),
            16 => self.meddle(),
            17 => {
                let login = self.random.pick(&["max", "bea"]).to_owned();
                let role = self.random.pick(&["maintain", "maintain", "admin", "write", "read"]).to_owned();
                self.tell(format!("{login} is {role}"));
                self.scene.with(|world| world.role(REPOSITORY, &login, &role));
            }
            18 => {
                let heads = self.open.iter().map(|(pull, _)| *pull);
                let good = heads.into_iter().find(|pull| {
                    let head = self.scene.stage.head(*pull);
                    self.scene.conclusion(&head) == "success"
                });
                let merged = good.filter(|_| !self.random.once_in(4)).unwrap_or(pull);
                self.merge(merged);
                if !self.random.once_in(3) {
                    self.main_runs();
                }
            }
            19 if self.random.once_in(4) => {
                let base = self.random.pick(&["main", "main", "next"]).to_owned();
                self.tell(format!("{pull} goes to {base}"));
                self.scene.with(|world| world.retarget(REPOSITORY, pull, &base));
            }
            _ => {
                // Somebody goes back to what was there before.
                self.tell(format!("{pull} loses its last commit"));
                self.scene.with(|world| {
                    let there = world.repo(REPOSITORY).pulls[&pull].clone();
                    let parents = world.graph.get(&there.head_sha).unwrap().parents.clone();
                    let main = world.tip(REPOSITORY, "main");
                    let is_own = |parent: &Sha| !world.graph.ancestors(&main).contains(parent);
                    if let Some(parent) = parents.first().filter(|parent| is_own(parent)).cloned() {
                        world.push(&there.head_repository.0, &there.head, &parent);
                    }
                });
            }
        }
    }

    fn tell(&mut self, what: String) {
        self.told.push(what);
    }

    fn review(&mut self, pull: u64) {
        let head = self.scene.stage.head(pull);
        let ended = self.scene.review(pull);
        self.tell(format!("review of {pull}: {}", self.scene.conclusion(&head)));
        assert_eq!(ended.ran.code, 0, "{}", ended.ran.err);
        self.learn(pull, &head);
    }

    /// What the check on a head says can be approved there.
    fn learn(&mut self, pull: u64, head: &Sha) {
        let Some(bundle) = self.scene.bundle(head) else { return };
        let many = self.scene.with(|world| level(world, head));
        self.tokens.insert(bundle.covered.token().to_string(), (pull, many));
        self.candidates.extend(bundle.candidates.iter().map(|candidate| (candidate.digest(), many)));
    }

    fn speak(&mut self, pull: u64) {
        let login = self.random.pick(&["max", "bea", "max", "bea", "wim", "mallory"]).to_owned();
        let tokens: Vec<String> = self.tokens.keys().cloned().collect();
        let current = self.scene.bundle(&self.scene.stage.head(pull));
        let current = current.map(|bundle| bundle.covered.token().to_string());
        let any = (!tokens.is_empty()).then(|| tokens[self.random.below(tokens.len())].clone());
        let body = match (self.random.below(8), current, any) {
            (0..=4, Some(token), _) | (5, _, Some(token)) => format!("/rankhold approve {token}"),
            (6, _, Some(token)) => {
                let head = self.scene.stage.head(pull);
                format!("<!-- rankhold-approved {token} {head} -->")
            }
            (7, _, _) => "nice work".to_owned(),
            _ => "/rankhold status".to_owned(),
        };
        self.tell(format!("{login} at {pull}: {body}"));
        let comment = self.scene.note(pull, &login, &body);
        let run = self.scene.with(|world| world.run(REPOSITORY, "issue_comment", "command.yml", "main"));
        self.spoken.push(Spoken { comment, pull, run: run.to_string(), attempts: 0 });
    }

    /// The workflow runs for a comment, the latest more often than others; perhaps not for the first time.
    fn run(&mut self) {
        if self.spoken.is_empty() {
            return;
        }
        let last = self.spoken.len() - 1;
        let at = if self.random.once_in(3) { self.random.below(last + 1) } else { last };
        self.spoken[at].attempts += 1;
        let Spoken { comment, pull, run, attempts } = self.spoken[at].clone();
        if !self.scene.with(|world| world.repo(REPOSITORY).comments.contains_key(&comment)) {
            return;
        }
        let step = self.scene.stage.heard(pull, comment);
        let step = step.with("GITHUB_RUN_ID", run).with("GITHUB_RUN_ATTEMPT", attempts.to_string());
        let before = self.scene.stage.head(pull);
        let ended = step.run();
        let head = self.scene.stage.head(pull);
        self.tell(format!("run for {comment} at {pull}: {}", self.scene.conclusion(&head)));
        assert_eq!(ended.ran.code, 0, "{}", ended.ran.err);
        self.approved += usize::from(ended.summary.contains("approved these figures"));
        assert!(before == head || self.scene.with(|world| world.graph.get(&head).unwrap().author == US));
        self.learn(pull, &head);
    }

    fn meddle(&mut self) {
        if self.spoken.is_empty() {
            return;
        }
        let at = self.random.below(self.spoken.len());
        let comment = self.spoken[at].comment;
        let deletes = self.random.once_in(2);
        self.tell(format!("comment {comment} is {}", if deletes { "deleted" } else { "edited" }));
        self.scene.with(|world| match world.repo(REPOSITORY).comments.get(&comment).cloned() {
            None => {}
            Some(_) if deletes => world.delete_comment(REPOSITORY, comment),
            // To the same: whoever reads it again sees nothing.
            Some(there) => world.edit_comment(REPOSITORY, comment, &there.body),
        });
    }

    /// The workflow of the default branch, after some merges or none; somebody may merge what it proposes.
    fn main_runs(&mut self) {
        let ended = self.scene.pushed();
        let main = self.scene.stage.tip("main");
        self.tell(format!("run of main: {}", self.scene.conclusion(&main)));
        assert_eq!(ended.ran.code, 0, "{}", ended.ran.err);
        let proposals = self.scene.proposals();
        assert!(proposals.len() <= 1, "{proposals:#?}");
        for proposal in proposals {
            let before = self.scene.baseline(&main);
            assert_ne!(self.scene.baseline(&proposal.head_sha), before, "it proposes nothing");
            self.filed += 1;
            self.tell(format!("{} proposes", proposal.number));
            if self.random.once_in(2) {
                self.tell(format!("{} is merged", proposal.number));
                self.scene.merge(proposal.number, Merge::Squash);
            }
        }
    }

    fn merge(&mut self, pull: u64) {
        self.tell(format!("{pull} is merged"));
        let how = [Merge::Commit, Merge::Squash, Merge::Rebase][self.random.below(3)];
        self.scene.with(|world| world.merge(REPOSITORY, pull, how));
        self.open.retain(|(number, _)| *number != pull);
        self.begin();
    }

    /// Nothing is approved that nobody approved.
    fn check(&mut self) {
        let Self { scene, tokens, candidates, commits, green, .. } = self;
        scene.with(|world| {
            for commit in commits_of_ours(world) {
                if commits.insert(commit.clone()) {
                    let Some(Entry::File(bytes)) = world.graph.tree(&commit).get(BASELINE) else {
                        panic!("an approval without its file")
                    };
                    let record = Baseline::read(bytes).unwrap().approval.github.expect("it has a record");
                    let approvals = approvals(world, record.covered.pull_request, tokens);
                    assert!(approvals.contains_key(&record.comment), "the comment does not approve");
                }
            }
            let heads: BTreeSet<Sha> =
                world.repo(REPOSITORY).checks.values().map(|check| check.commit.clone()).collect();
            let is_green = |commit: &&Sha| {
                ours(world, commit).iter().any(|check| check.conclusion.as_deref() == Some("success"))
            };
            let now: BTreeSet<Sha> = heads.iter().filter(is_green).cloned().collect();
            for commit in now.difference(green) {
                let (many, main) = (level(world, commit), world.tip(REPOSITORY, "main"));
                let parted = world.graph.merge_base(&main, commit).unwrap();
                let approved = |at: &Sha| match world.graph.tree(at).get(BASELINE) {
                    Some(Entry::File(bytes)) => {
                        let baseline = Baseline::read(bytes).unwrap();
                        baseline.candidate.and_then(|digest| candidates.get(&digest).copied()).unwrap_or(0)
                    }
                    _ => 0,
                };
                let of_base = approved(&parted).max(approved(&main));
                let pulls = world.repo(REPOSITORY).pulls.values();
                let here: Vec<u64> =
                    pulls.filter(|pull| pull.head_sha == *commit).map(|pull| pull.number).collect();
                let of_comments = here.iter().flat_map(|pull| approvals(world, *pull, tokens).into_values());
                // What was merged with an approval waits for its file.
                let merged = world.repo(REPOSITORY).pulls.values().filter(|pull| {
                    let there = world.graph.ancestors(&main);
                    pull.merged_as.as_ref().is_some_and(|commit| there.contains(commit))
                });
                let waiting = merged.flat_map(|pull| approvals(world, pull.number, tokens).into_values());
                let waiting = waiting.max().unwrap_or(0);
                let covered = of_comments.max().unwrap_or(0).max(of_base).max(waiting);
                assert!(many <= covered, "{commit} lost {many} and is green, {covered} are approved");
            }
            *green = now;
            for pull in world.repo(REPOSITORY).pulls.keys() {
                let reports = world.comments(REPOSITORY, *pull).into_iter().filter(|one| {
                    one.author == US && one.body.trim_end().ends_with("<!-- rankhold:report -->")
                });
                assert!(reports.count() <= 1, "two reports");
            }
        });
    }
}

/// The comments of a pull request that approve now, with how many lost pages each covers.
fn approvals(world: &World, pull: u64, tokens: &BTreeMap<String, (u64, usize)>) -> BTreeMap<u64, usize> {
    let mut found = BTreeMap::new();
    for comment in world.comments(REPOSITORY, pull) {
        let role = world.repo(REPOSITORY).roles.get(&comment.author).map_or("read", String::as_str);
        let Parsed::Command(Command::Approve(approve)) = parse(&comment.body) else { continue };
        let Some((of, many)) = tokens.get(approve.token.as_str()) else { continue };
        if *of == pull && comment.edited.is_none() && ["maintain", "admin"].contains(&role) {
            found.insert(comment.id, *many);
        }
    }
    found
}

#[test]
fn whatever_people_do_nothing_is_approved_that_nobody_approved() {
    let lives: Vec<u64> = (1..=LIVES as u64).collect();
    let [approved, filed] = [(); 2].map(|()| std::sync::atomic::AtomicUsize::new(0));
    side_by_side(&lives, |seed| {
        let mut life = Life::new(*seed);
        for _ in 0..STEPS {
            life.step();
            life.check();
        }
        approved.fetch_add(life.approved, std::sync::atomic::Ordering::Relaxed);
        filed.fetch_add(life.filed, std::sync::atomic::Ordering::Relaxed);
    });
    let (approved, filed) = (approved.into_inner(), filed.into_inner());
    assert!(approved >= LIVES, "only {approved} approvals in {LIVES} lives");
    assert!(filed >= LIVES / 5, "only {filed} proposals in {LIVES} lives");
}
