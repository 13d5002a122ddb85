//! What the stand-in remembers: everything that the answers depend on. Tests change it as people and other programs do.

use std::collections::{BTreeMap, BTreeSet};

use rankhold::github::{Sha, Token};

use super::graph::{Commit, Entry, Graph, Tree};
use super::token::{App, Grant};

/// The whole of it.
#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) graph: Graph,
    pub(crate) repositories: BTreeMap<String, Repository>,
    pub(crate) grants: BTreeMap<String, Grant>,
    pub(crate) users: BTreeMap<String, u64>,
    /// The numbers of repositories by the names that they had.
    pub(crate) moved: BTreeMap<String, u64>,
    /// Archives by the signature of their address.
    signed: BTreeMap<String, Vec<u8>>,
    /// The server is too old to commit by GraphQL.
    pub(crate) old: bool,
    /// Trees that no commit has yet.
    pub(crate) trees: BTreeMap<Sha, Tree>,
    numbers: u64,
    clock: i64,
}

/// A repository.
#[derive(Clone)]
pub(crate) struct Repository {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) private: bool,
    pub(crate) fork_of: Option<String>,
    pub(crate) default_branch: String,
    pub(crate) branches: BTreeMap<String, Sha>,
    /// Branches that nothing may be committed to directly.
    pub(crate) protected: BTreeSet<String>,
    pub(crate) pulls: BTreeMap<u64, Pull>,
    pub(crate) comments: BTreeMap<u64, Comment>,
    pub(crate) checks: BTreeMap<u64, Check>,
    pub(crate) statuses: Vec<Status>,
    pub(crate) runs: BTreeMap<u64, Run>,
    pub(crate) artifacts: BTreeMap<u64, Artifact>,
    /// Commits that pull requests of other repositories brought there: which, their number, what was said below them.
    pub(crate) brought_elsewhere: Vec<(Sha, u64, String)>,
    /// Workflows may open pull requests: a setting of the repository, off where nobody turned it on.
    pub(crate) workflows_open: bool,
    /// What people may do, by their role's name.
    pub(crate) roles: BTreeMap<String, String>,
}

impl Repository {
    pub(crate) fn owner(&self) -> &str {
        self.name.split('/').next().unwrap()
    }
}

/// A pull request.
#[derive(Clone, Debug)]
pub(crate) struct Pull {
    pub(crate) number: u64,
    pub(crate) author: String,
    pub(crate) state: &'static str,
    pub(crate) draft: bool,
    /// The head's repository, by name and number; both stay when it is removed.
    pub(crate) head_repository: (String, u64),
    pub(crate) head: String,
    /// The tip of the head branch; stays when branch or repository go.
    pub(crate) head_sha: Sha,
    pub(crate) base: String,
    /// The base branch's tip at the last push to the head or the last retargeting. GitHub does not move it with the base
    /// branch, which is why nobody may measure against it unseen.
    pub(crate) base_sha: Sha,
    pub(crate) merged_as: Option<Sha>,
    pub(crate) merged_at: Option<String>,
    pub(crate) title: String,
    pub(crate) body: Option<String>,
}

/// A comment of a pull request.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    pub(crate) id: u64,
    pub(crate) pull: u64,
    pub(crate) author: String,
    pub(crate) body: String,
    pub(crate) created: String,
    pub(crate) updated: String,
    /// When its text was last changed.
    pub(crate) edited: Option<String>,
    pub(crate) reactions: Vec<(u64, String, String)>,
}

/// A check run.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) id: u64,
    pub(crate) app: App,
    pub(crate) name: String,
    pub(crate) commit: Sha,
    pub(crate) status: String,
    pub(crate) conclusion: Option<String>,
    pub(crate) external_id: String,
    pub(crate) details_url: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) summary: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) annotations: Vec<serde_json::Value>,
    pub(crate) started: String,
    pub(crate) completed: Option<String>,
}

/// A status of a commit.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) id: u64,
    pub(crate) commit: Sha,
    pub(crate) context: String,
    pub(crate) state: String,
    pub(crate) description: Option<String>,
    pub(crate) target: Option<String>,
    pub(crate) creator: String,
    pub(crate) created: String,
}

/// A workflow run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) id: u64,
    pub(crate) attempt: u64,
    pub(crate) event: String,
    pub(crate) workflow: String,
    pub(crate) status: String,
    pub(crate) conclusion: Option<String>,
    pub(crate) head_repository: String,
    pub(crate) head_branch: String,
    pub(crate) head_sha: Sha,
    pub(crate) started: String,
}

impl Check {
    /// One of which nothing is known but whose it is.
    pub(crate) fn queued(id: u64, app: App, name: String, commit: Sha, started: String) -> Self {
        Self {
            id,
            app,
            name,
            commit,
            status: "queued".to_owned(),
            conclusion: None,
            external_id: String::new(),
            details_url: None,
            title: None,
            summary: None,
            text: None,
            annotations: Vec::new(),
            started,
            completed: None,
        }
    }
}

/// A file that a workflow run left.
#[derive(Clone, Debug)]
pub(crate) struct Artifact {
    pub(crate) id: u64,
    pub(crate) run: u64,
    pub(crate) name: String,
    pub(crate) archive: Vec<u8>,
    pub(crate) expired: bool,
}

impl Pull {
    /// It brought a commit, or wants to. The base repository knows nothing of a fork's commit before it is merged.
    pub(crate) fn brings(&self, world: &World, base: &Repository, commit: &Sha) -> bool {
        match &self.merged_as {
            Some(merged) => merged == commit || world.graph.only(merged, &self.base_sha).contains(commit),
            None => {
                self.head_repository.0 == base.name
                    && world.graph.only(&self.head_sha, &self.base_sha).contains(commit)
            }
        }
    }
}

/// How a pull request is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    Commit,
    Squash,
    Rebase,
}

impl World {
    /// A public repository whose branch `main` has one commit without files; that commit is given.
    pub(crate) fn repository(&mut self, name: &str) -> Sha {
        let root = self.graph.add(Commit {
            parents: Vec::new(),
            tree: Tree::new(),
            author: name.split('/').next().unwrap().to_owned(),
            message: format!("first commit of {name}"),
        });
        self.insert(name, None, BTreeMap::from([("main".to_owned(), root.clone())]));
        root
    }

    /// A fork, with the branches that the original has now.
    pub(crate) fn fork(&mut self, of: &str, name: &str) {
        let branches = self.repo(of).branches.clone();
        self.insert(name, Some(of.to_owned()), branches);
    }

    fn insert(&mut self, name: &str, fork_of: Option<String>, branches: BTreeMap<String, Sha>) {
        let owner = name.split('/').next().unwrap().to_owned();
        self.user(&owner);
        let repository = Repository {
            id: self.number(),
            name: name.to_owned(),
            private: false,
            fork_of,
            default_branch: "main".to_owned(),
            branches,
            protected: BTreeSet::new(),
            pulls: BTreeMap::new(),
            comments: BTreeMap::new(),
            checks: BTreeMap::new(),
            statuses: Vec::new(),
            runs: BTreeMap::new(),
            artifacts: BTreeMap::new(),
            brought_elsewhere: Vec::new(),
            workflows_open: false,
            roles: BTreeMap::from([(owner, "admin".to_owned())]),
        };
        assert!(self.repositories.insert(name.to_owned(), repository).is_none(), "{name} is there already");
    }

    /// A repository that is there.
    pub(crate) fn repo(&self, name: &str) -> &Repository {
        self.repositories.get(name).unwrap_or_else(|| panic!("no repository {name}"))
    }

    /// As [`World::repo`], to be changed.
    pub(crate) fn repo_mut(&mut self, name: &str) -> &mut Repository {
        self.repositories.get_mut(name).unwrap_or_else(|| panic!("no repository {name}"))
    }

    /// The repository is gone, and the `head.repo` of its pull requests is null.
    pub(crate) fn remove(&mut self, name: &str) {
        assert!(self.repositories.remove(name).is_some(), "no repository {name}");
    }

    /// The repository has another name; whoever asks for the old one is sent away.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        let mut repository = self.repositories.remove(from).unwrap_or_else(|| panic!("no repository {from}"));
        self.moved.insert(from.to_owned(), repository.id);
        to.clone_into(&mut repository.name);
        self.repositories.insert(to.to_owned(), repository);
    }

    /// A commit on another with these files written.
    pub(crate) fn commit(&mut self, on: &Sha, files: &[(&str, &str)]) -> Sha {
        self.edit(on, |tree| {
            for (path, text) in files {
                tree.insert((*path).to_owned(), Entry::File(text.as_bytes().to_vec()));
            }
        })
    }

    /// A commit on another with its files changed in any way.
    pub(crate) fn edit(&mut self, on: &Sha, edit: impl FnOnce(&mut Tree)) -> Sha {
        let mut tree = self.graph.tree(on).clone();
        edit(&mut tree);
        let message = "a change".to_owned();
        self.graph.add(Commit { parents: vec![on.clone()], tree, author: "ada".to_owned(), message })
    }

    /// The commit that merges `second` into `first`, as GitHub makes one to test a pull request.
    pub(crate) fn merge_commit(&mut self, first: &Sha, second: &Sha) -> Sha {
        let tree = self.graph.merged(first, second);
        let parents = vec![first.clone(), second.clone()];
        let message = format!("Merge {second} into {first}");
        self.graph.add(Commit { parents, tree, author: "ada".to_owned(), message })
    }

    /// Sets a branch, in any direction, and with it the open pull requests from it.
    pub(crate) fn push(&mut self, repository: &str, branch: &str, to: &Sha) {
        assert!(self.graph.get(to).is_some(), "no commit {to}");
        self.repo_mut(repository).branches.insert(branch.to_owned(), to.clone());
        for base in self.repositories.values_mut() {
            for pull in base.pulls.values_mut().filter(|pull| pull.state == "open") {
                if pull.head_repository.0 == repository && pull.head == branch {
                    pull.head_sha = to.clone();
                    pull.base_sha = base.branches[&pull.base].clone();
                }
            }
        }
    }

    /// A branch's tip.
    pub(crate) fn tip(&self, repository: &str, branch: &str) -> Sha {
        self.repo(repository).branches[branch].clone()
    }

    /// A pull request from a branch (`branch`, or `owner/name:branch` of a fork) to another; its number is given.
    pub(crate) fn pull(&mut self, repository: &str, head: &str, base: &str) -> u64 {
        let (from, branch) = head.split_once(':').unwrap_or((repository, head));
        let (head_sha, base_sha) = (self.tip(from, branch), self.tip(repository, base));
        let head_repository = (from.to_owned(), self.repo(from).id);
        let author = self.repo(from).owner().to_owned();
        let number = self.repo(repository).pulls.len() as u64 + 1;
        let pull = Pull {
            number,
            author,
            state: "open",
            draft: false,
            head_repository,
            head: branch.to_owned(),
            head_sha,
            base: base.to_owned(),
            base_sha,
            merged_as: None,
            merged_at: None,
            title: format!("pull request {number}"),
            body: None,
        };
        self.repo_mut(repository).pulls.insert(number, pull);
        number
    }

    /// A pull request, to be changed.
    pub(crate) fn pull_mut(&mut self, repository: &str, number: u64) -> &mut Pull {
        self.repo_mut(repository).pulls.get_mut(&number).unwrap_or_else(|| panic!("no pull request {number}"))
    }

    /// Another base branch.
    pub(crate) fn retarget(&mut self, repository: &str, number: u64, base: &str) {
        let base_sha = self.tip(repository, base);
        let pull = self.pull_mut(repository, number);
        (pull.base, pull.base_sha) = (base.to_owned(), base_sha);
    }

    /// Merges; what the base branch then points to is given.
    pub(crate) fn merge(&mut self, repository: &str, number: u64, how: Merge) -> Sha {
        let pull = self.pull_mut(repository, number).clone();
        let base = self.tip(repository, &pull.base);
        let author = pull.author.clone();
        let merged = match how {
            Merge::Commit => self.merge_commit(&base, &pull.head_sha),
            Merge::Squash => {
                let tree = self.graph.merged(&base, &pull.head_sha);
                let message = format!("everything (#{number})");
                self.graph.add(Commit { parents: vec![base], tree, author, message })
            }
            Merge::Rebase => self.graph.only(&pull.head_sha, &base).iter().fold(base, |onto, commit| {
                let tree = self.graph.merged(&onto, commit);
                let message = self.graph.get(commit).unwrap().message.clone();
                self.graph.add(Commit { parents: vec![onto], tree, author: author.clone(), message })
            }),
        };
        self.merged(repository, number, &merged);
        merged
    }

    /// A commit merged a pull request, whoever made it.
    pub(crate) fn merged(&mut self, repository: &str, number: u64, merged: &Sha) {
        let (at, base) = (self.now(), self.pull_mut(repository, number).base.clone());
        self.push(repository, &base, merged);
        let pull = self.pull_mut(repository, number);
        (pull.state, pull.merged_as, pull.merged_at) = ("closed", Some(merged.clone()), Some(at));
    }

    /// An account has another name from now on: everything that it did is by that one.
    pub(crate) fn rename_user(&mut self, from: &str, to: &str) {
        let id = self.users.remove(from).expect("the account is there");
        self.users.insert(to.to_owned(), id);
        for repository in self.repositories.values_mut() {
            if let Some(role) = repository.roles.remove(from) {
                repository.roles.insert(to.to_owned(), role);
            }
            for comment in repository.comments.values_mut().filter(|comment| comment.author == from) {
                to.clone_into(&mut comment.author);
            }
            for pull in repository.pulls.values_mut().filter(|pull| pull.author == from) {
                to.clone_into(&mut pull.author);
            }
        }
    }

    /// Somebody comments.
    pub(crate) fn comment(&mut self, repository: &str, pull: u64, author: &str, body: &str) -> u64 {
        self.user(author);
        let (id, now) = (self.number(), self.now());
        let comment = Comment {
            id,
            pull,
            author: author.to_owned(),
            body: body.to_owned(),
            created: now.clone(),
            updated: now,
            edited: None,
            reactions: Vec::new(),
        };
        self.repo_mut(repository).comments.insert(id, comment);
        id
    }

    /// Somebody changes a comment's text; its author stays.
    pub(crate) fn edit_comment(&mut self, repository: &str, id: u64, body: &str) {
        let now = self.now();
        let comment = self.repo_mut(repository).comments.get_mut(&id).expect("the comment is there");
        (comment.body, comment.updated, comment.edited) = (body.to_owned(), now.clone(), Some(now));
    }

    /// Somebody deletes a comment.
    pub(crate) fn delete_comment(&mut self, repository: &str, id: u64) {
        assert!(self.repo_mut(repository).comments.remove(&id).is_some(), "no comment {id}");
    }

    /// The comments of a pull request, oldest first.
    pub(crate) fn comments(&self, repository: &str, pull: u64) -> Vec<&Comment> {
        self.repo(repository).comments.values().filter(|comment| comment.pull == pull).collect()
    }

    /// The check runs on a commit, oldest first.
    pub(crate) fn checks(&self, repository: &str, commit: &Sha) -> Vec<&Check> {
        self.repo(repository).checks.values().filter(|check| check.commit == *commit).collect()
    }

    /// A check run of another app.
    pub(crate) fn foreign_check(&mut self, repository: &str, commit: &Sha, name: &str) -> u64 {
        let app = App { id: self.number(), slug: "another-app".to_owned() };
        let (id, started) = (self.number(), self.now());
        let check = Check::queued(id, app, name.to_owned(), commit.clone(), started);
        self.repo_mut(repository).checks.insert(id, check);
        id
    }

    /// A workflow run about a branch (`branch`, or `owner/name:branch` of a fork), successfully completed.
    pub(crate) fn run(&mut self, repository: &str, event: &str, workflow: &str, head: &str) -> u64 {
        let (from, branch) = head.split_once(':').unwrap_or((repository, head));
        let (id, started) = (self.number(), self.now());
        let run = Run {
            id,
            attempt: 1,
            event: event.to_owned(),
            workflow: workflow.to_owned(),
            status: "completed".to_owned(),
            conclusion: Some("success".to_owned()),
            head_repository: from.to_owned(),
            head_branch: branch.to_owned(),
            head_sha: self.tip(from, branch),
            started,
        };
        self.repo_mut(repository).runs.insert(id, run);
        id
    }

    /// A workflow run, to be changed.
    pub(crate) fn run_mut(&mut self, repository: &str, id: u64) -> &mut Run {
        self.repo_mut(repository).runs.get_mut(&id).unwrap_or_else(|| panic!("no run {id}"))
    }

    /// A file that a run left, as the bytes of its archive.
    pub(crate) fn artifact(&mut self, repository: &str, run: u64, name: &str, archive: &[u8]) -> u64 {
        let id = self.number();
        let artifact = Artifact { id, run, name: name.to_owned(), archive: archive.to_vec(), expired: false };
        self.repo_mut(repository).artifacts.insert(id, artifact);
        id
    }

    /// A secret address of an archive, by its signature.
    pub(crate) fn sign(&mut self, archive: Vec<u8>) -> String {
        let signature = format!("secret-{}", self.number());
        self.signed.insert(signature.clone(), archive);
        signature
    }

    /// What lies at a secret address.
    pub(crate) fn signed(&self, signature: &str) -> Option<&Vec<u8>> {
        self.signed.get(signature)
    }

    /// A minute has passed: no secret address holds any more.
    pub(crate) fn expire_links(&mut self) {
        self.signed.clear();
    }

    /// Somebody gets a role: `admin`, `maintain`, `write`, `triage`, `read` or one of the organisation's own (which the
    /// stand-in takes for one that may write).
    pub(crate) fn role(&mut self, repository: &str, login: &str, role: &str) {
        self.user(login);
        self.repo_mut(repository).roles.insert(login.to_owned(), role.to_owned());
    }

    /// A `GITHUB_TOKEN` with permissions as a workflow writes them: `checks: write`. What is not named is none.
    pub(crate) fn workflow_token(&mut self, repository: &str, permissions: &[&str]) -> Token {
        self.token(Grant::app(App::actions(), repository, permissions))
    }

    /// A token of another app.
    pub(crate) fn app_token(&mut self, slug: &str, repository: &str, permissions: &[&str]) -> Token {
        let app = App { id: self.number(), slug: slug.to_owned() };
        self.token(Grant::app(app, repository, permissions))
    }

    /// Somebody's own token.
    pub(crate) fn person_token(&mut self, login: &str) -> Token {
        self.user(login);
        self.token(Grant::Person { login: login.to_owned() })
    }

    fn token(&mut self, grant: Grant) -> Token {
        self.user(&grant.login());
        let text = format!("ghs_secret{:030}", self.number());
        self.grants.insert(text.clone(), grant);
        Token::new(&text).unwrap()
    }

    /// The text of a token that was given out here; the token itself shows it to nobody.
    pub(crate) fn secret(&self, token: &Token) -> String {
        let found = self.grants.keys().find(|text| Token::new(text).as_ref() == Ok(token));
        found.expect("it was given out here").clone()
    }

    /// The number of an account, which is made if there is none.
    pub(crate) fn user(&mut self, login: &str) -> u64 {
        if let Some(id) = self.users.get(login) {
            return *id;
        }
        // github.com's own number for the account of its workflows.
        let id = if login == "github-actions[bot]" { 41_898_282 } else { self.number() };
        self.users.insert(login.to_owned(), id);
        id
    }

    /// A number that nothing else has.
    pub(crate) fn number(&mut self) -> u64 {
        self.numbers += 1;
        1_000 + self.numbers
    }

    /// The next moment: each is a second later than the one before.
    pub(crate) fn now(&mut self) -> String {
        self.clock += 1;
        let start: jiff::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        jiff::Timestamp::from_second(start.as_second() + self.clock).unwrap().to_string()
    }
}
