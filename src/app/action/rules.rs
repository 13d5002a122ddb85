//! What the base branch decides. Nothing of it can be changed by the tree that is judged.

use std::path::Path;

use super::approvals::PairName;
use super::inputs::Inputs;
use super::waiting::Waiting;
use crate::app::workspace::SUITES;
use crate::config::{Approvers, ReportSettings, Settings, SuiteEntry};
use crate::error::{Blame, Blamed, Failure};
use crate::gate::{Decimal, Policy};
use crate::github::endpoint::Changes;
use crate::github::{Base, Client, GithubProblem, Repository, Sha, file_at, files_of};
use crate::name::Name;
use crate::report::Template;

/// Policy, report settings and owed pairs, read at the tip of the base.
pub(super) struct Rules {
    /// The gate.
    pub policy: Policy,
    /// How it is told.
    pub report: ReportSettings,
    /// The template for markdown, if the base has one.
    pub template: Option<Template>,
    /// Who may approve.
    pub approvers: Approvers,
    /// The pairs that have a baseline at the tip.
    pub owed: Vec<Owed>,
    /// Those that it measures: what waits of them is owed, whatever the tree that is judged measures.
    pub measured: Vec<PairName>,
    /// The tolerance of the workflow, if it is looser than the gate's and counts for nothing.
    pub looser: Option<Decimal>,
}

/// The configuration at a branch's tip.
pub(in crate::app) async fn settings(
    client: &Client,
    repository: &Repository,
    placed: &Placed,
    branch: &str,
    tip: &Sha,
) -> Result<Settings, Failure> {
    let Some(bytes) = file_at(client, repository, &placed.config, tip).await? else {
        return Ok(Settings::default());
    };
    let wrong = |problem: String| BaseFile::Config {
        path: placed.config.clone(),
        branch: branch.to_owned(),
        problem,
    };
    let text = String::from_utf8(bytes).map_err(|_| wrong("is not UTF-8".to_owned()))?;
    Ok(Settings::parse(&text).map_err(|problem| wrong(problem.to_string()))?)
}

/// A pair that must be measured, since the base has a baseline for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owed {
    /// Suite name.
    pub suite: String,
    /// Retriever name.
    pub retriever: String,
}

/// The base's own files are wrong: no pull request can be judged by them.
#[derive(Debug, thiserror::Error)]
pub(super) enum BaseFile {
    /// Its configuration.
    #[error("{path} of `{branch}`: {problem}")]
    Config {
        /// Which file.
        path: String,
        /// Which branch.
        branch: String,
        /// What is wrong.
        problem: String,
    },
    /// Its template is not there, or is no text.
    #[error("{path} of `{branch}`: the report's template is {what}")]
    Template {
        /// Which file.
        path: String,
        /// Which branch.
        branch: String,
        /// What is wrong.
        what: &'static str,
    },
}

impl Blamed for BaseFile {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some("repair it on the base branch first: gate, approvers and template are read there".to_owned())
    }
}

/// Where in the repository the measured tree lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::app) struct Placed {
    /// The root's path in the repository, empty for the repository itself.
    pub root: String,
    /// The configuration's path in the repository.
    pub config: String,
}

/// A path input that leaves the checkout.
#[derive(Debug, thiserror::Error)]
#[error("`working-directory` and `config` must lie inside the checkout ({root})")]
struct Outside {
    root: String,
}

impl Blamed for Outside {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some("name them relative to the root of the checkout, without `..`".to_owned())
    }
}

impl Placed {
    /// Where the inputs put it. The root is the working directory and nothing above it: a tree cannot move its own root.
    pub(super) fn of(inputs: &Inputs, checkout: &Path) -> Result<Self, Failure> {
        let root = Name::new(&inputs.working_directory.to_string_lossy().replace('\\', "/"));
        let inside = if root.as_str() == "." { String::new() } else { root.as_str().to_owned() };
        let config = inputs.config.clone().unwrap_or_else(|| crate::config::FILE.into());
        let placed = Self { root: inside, config: String::new() };
        let config = placed.path(&Name::new(&config.to_string_lossy()).to_string());
        if root.escapes() || Name::new(&config).escapes() {
            return Err(Outside { root: checkout.display().to_string() }.into());
        }
        Ok(Self { config, ..placed })
    }

    /// A path of the tree as the repository knows it.
    pub(super) fn path(&self, inside: &str) -> String {
        if self.root.is_empty() { inside.to_owned() } else { format!("{}/{inside}", self.root) }
    }

    /// A path of the repository as the tree knows it; none if it lies elsewhere.
    pub(super) fn inside<'a>(&self, path: &'a str) -> Option<&'a str> {
        if self.root.is_empty() { Some(path) } else { path.strip_prefix(&self.root)?.strip_prefix('/') }
    }

    /// What a commit does that writes the baselines of pairs, or removes those of pairs without a text.
    pub(super) fn changes(&self, files: impl IntoIterator<Item = (PairName, Option<String>)>) -> Changes {
        let mut changes = Changes::default();
        for ((suite, retriever), text) in files {
            let path = self.baseline(&suite, &retriever);
            match text {
                Some(text) => changes.written.push((path, text.into_bytes())),
                None => changes.removed.push(path),
            }
        }
        changes
    }

    /// Where the baseline of a pair lies.
    pub(super) fn baseline(&self, suite: &str, retriever: &str) -> String {
        self.path(&format!("{}/{suite}.{retriever}.json", super::BASELINES))
    }
}

impl Rules {
    /// Reads them at the tip of the base. A tolerance of the workflow's counts where it is stricter.
    pub(super) async fn read(
        client: &Client,
        repository: &Repository,
        base: &Base,
        placed: &Placed,
        tolerance: Option<Decimal>,
    ) -> Result<Self, Failure> {
        let settings = settings(client, repository, placed, &base.branch, &base.tip).await?;
        let measured = pairs_of(client, repository, placed, &settings, &base.tip).await?;
        let Settings { mut policy, report, approval, .. } = settings;
        let looser = tolerance.filter(|given| *given > policy.tolerance);
        if let Some(stricter) = tolerance.filter(|given| *given < policy.tolerance) {
            policy.tolerance = stricter;
        }
        let template = match &report.template {
            None => None,
            Some(name) => {
                let path = placed.path(name.as_str());
                let wrong =
                    |what| BaseFile::Template { path: path.clone(), branch: base.branch.clone(), what };
                let bytes = file_at(client, repository, &path, &base.tip).await?;
                let bytes = bytes.ok_or_else(|| wrong("not there"))?;
                let source = String::from_utf8(bytes).map_err(|_| wrong("not UTF-8"))?;
                Some(Template { name: path, source })
            }
        };
        let owed = owed(client, repository, base, placed).await?;
        Ok(Self { policy, report, template, approvers: approval, owed, measured, looser })
    }

    /// What waits for its file is owed as if it were there, and what was given up is not.
    pub(super) fn wait_for(&mut self, waiting: &Waiting) {
        for ((suite, retriever), approval) in waiting.iter() {
            let pair = Owed { suite: suite.clone(), retriever: retriever.clone() };
            if approval.is_removal() {
                self.owed.retain(|owed| *owed != pair);
            } else if !self.owed.contains(&pair) {
                self.owed.push(pair);
            }
        }
    }

    /// Those of nobody: where a tree is only measured.
    pub(super) fn unknown() -> Self {
        let Settings { policy, report, approval, .. } = Settings::default();
        let (owed, measured) = (Vec::new(), Vec::new());
        Self { policy, report, template: None, approvers: approval, owed, measured, looser: None }
    }

    /// The base has a baseline for the pair.
    pub(super) fn owes(&self, suite: &str, retriever: &str) -> bool {
        self.owed.iter().any(|owed| owed.suite == suite && owed.retriever == retriever)
    }
}

/// The pairs that a tree measures, as far as its configuration and its folder of suites tell.
pub(super) async fn pairs_of(
    client: &Client,
    repository: &Repository,
    placed: &Placed,
    settings: &Settings,
    at: &Sha,
) -> Result<Vec<PairName>, GithubProblem> {
    let suites = if settings.suites.is_empty() {
        let files = files_of(client, repository, &placed.path(SUITES), at).await?;
        let files = files.into_iter().filter(|path| path.rsplit('.').next() == Some("json"));
        files.filter_map(|path| SuiteEntry::of_file(&Name::new(&path)).ok()).collect()
    } else {
        settings.suites.clone()
    };
    let pairs = |suite: SuiteEntry| {
        suite.retrievers.into_iter().map(move |retriever| (suite.name.clone(), retriever))
    };
    Ok(suites.into_iter().flat_map(pairs).collect())
}

async fn owed(
    client: &Client,
    repository: &Repository,
    base: &Base,
    placed: &Placed,
) -> Result<Vec<Owed>, GithubProblem> {
    let files = files_of(client, repository, &placed.path(super::BASELINES), &base.tip).await?;
    let pair = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or_default().strip_suffix(".json")?;
        let (suite, retriever) = name.split_once('.')?;
        Some(Owed { suite: suite.to_owned(), retriever: retriever.to_owned() })
    };
    Ok(files.iter().filter_map(pair).collect())
}
