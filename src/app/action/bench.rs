//! Measuring the pairs of a tree and judging each by what the base says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Job;
use super::approvals::{Approval, Approvals, PairName};
use super::rules::{Placed, Rules};
use super::waiting::Waiting;
use crate::app::pairs::{Pair, pairs};
use crate::app::review::{Reviewed, Reviewer};
use crate::app::typed::Planned;
use crate::app::workspace::{WorkspaceError, suite_of};
use crate::artifact::{Baseline, SuiteResult};
use crate::canon::Digest;
use crate::config::ApprovalMode;
use crate::error::{Blame, Blamed, Failure, docs};
use crate::files;
use crate::gate::{Notice, Reason, judge};
use crate::github::{Base, Client, Repository, file_at, files_of};
use crate::report::Commands;
use crate::retriever;

/// One suite × one retriever, and what became of it.
pub(super) struct Row {
    /// Suite name.
    pub suite: String,
    /// Retriever name.
    pub retriever: String,
    /// The suite's file in the repository, for annotations.
    pub file: Option<PathBuf>,
    /// What a reader types to go on.
    pub commands: Commands,
    /// Content hash of the base's baseline; none if it has none, or none that can be read.
    pub supersedes: Option<Digest>,
    /// What became of it.
    pub outcome: RowOutcome,
}

/// What became of a pair.
pub(super) enum RowOutcome {
    /// There is a verdict.
    Judged(Box<Reviewed>),
    /// There is none.
    Unjudged(Failure),
    /// The base has a baseline for it, and the tree has no such pair.
    Gone(Box<Baseline>),
}

impl Row {
    /// Nobody knows whether there is a baseline, which is not to say that there is none.
    pub(super) fn forget_the_baseline(&mut self) {
        if let RowOutcome::Judged(reviewed) = &mut self.outcome {
            reviewed.judgement = reviewed.judgement.clone().with_baseline_unknown();
        }
    }
}

/// A pair that the base owes a verdict, and no verdict came.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unmet {
    /// There is no result of it.
    #[error("the base has a baseline for this pair, and no result of it was measured")]
    Missing,
    /// It runs code of the tree, and this job holds a token.
    #[error("`{kind}` runs a program, and this job holds a token that a program could read")]
    Program {
        /// The retriever's kind.
        kind: String,
    },
    /// The measured base is older than the baseline.
    #[error(
        "`{branch}` has a baseline for this pair that the commit this was measured against ({base}) has not"
    )]
    Outdated {
        /// The base's branch.
        branch: String,
        /// The measured base, short.
        base: String,
    },
    /// The measured base is no state that the branch was ever in.
    #[error(
        "the commit this was measured against ({base}) was never the tip of `{branch}`, and its baseline is not the one that `{branch}` has"
    )]
    Aside {
        /// The base's branch.
        branch: String,
        /// The measured base, short.
        base: String,
    },
    /// A result of another suite file than the tree has.
    #[error("the result was measured on another version of the suite than the tree has")]
    OtherSuite,
    /// A claim that does not hold.
    #[error("the result that was handed over is not what measuring this tree gives")]
    NotSo,
    /// A result of another tree.
    #[error("the result was measured on other files than the tree has")]
    OtherTree,
}

impl Blamed for Unmet {
    fn blame(&self) -> Blame {
        match self {
            Self::Missing | Self::Program { .. } => Blame::Environment,
            Self::Outdated { .. } | Self::Aside { .. } | Self::OtherSuite | Self::OtherTree | Self::NotSo => {
                Blame::User
            }
        }
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::Missing => {
                    "measure it in this job or pass its result; to give it up, remove it from rankhold.toml and approve that"
                }
                Self::Program { .. } => {
                    concat!(
                        "measure it in a job of its own without a token and pass `result` here: ",
                        docs!("workflows/external.yml")
                    )
                }
                Self::Outdated { .. } | Self::Aside { .. } => "update the branch: merge or rebase onto the base",
                Self::OtherSuite | Self::OtherTree => "measure the tree that is checked out here",
                Self::NotSo => "run the workflow that measures again, with the rankhold of this one",
            }
            .to_owned(),
        )
    }
}

/// The baselines of a base: the files of the measured base, and over them what was approved and has no file there yet.
pub(super) struct Baselines<'a> {
    branch: String,
    short: String,
    placed: &'a Placed,
    /// By path in the repository.
    files: BTreeMap<String, Vec<u8>>,
    waiting: Waiting,
    /// The pairs whose file there says nothing.
    aside: Vec<PairName>,
}

impl<'a> Baselines<'a> {
    /// Reads those of the pairs wanted.
    pub(super) async fn read(
        client: &Client,
        repository: &Repository,
        base: &Base,
        placed: &'a Placed,
        wanted: &[PairName],
        waiting: Waiting,
        aside: Vec<PairName>,
    ) -> Result<Self, Failure> {
        let there = files_of(client, repository, &placed.path(super::BASELINES), &base.measured).await?;
        let mut files = BTreeMap::new();
        for (suite, retriever) in wanted {
            let path = placed.baseline(suite, retriever);
            if there.contains(&path) {
                let bytes = file_at(client, repository, &path, &base.measured).await?;
                files.extend(bytes.map(|bytes| (path, bytes)));
            }
        }
        let short = base.measured.short().to_owned();
        Ok(Self { branch: base.branch.clone(), short, placed, files, waiting, aside })
    }

    /// None of any pair: where nobody can be asked.
    pub(super) fn none(placed: &'a Placed) -> Self {
        let (branch, short) = (String::new(), String::new());
        let (files, waiting, aside) = (BTreeMap::new(), Waiting::default(), Vec::new());
        Self { branch, short, placed, files, waiting, aside }
    }

    /// The one in force of a pair.
    fn of(&self, suite: &str, retriever: &str, owed: bool) -> Result<Option<Baseline>, Failure> {
        if self.aside.iter().any(|pair| pair.0 == suite && pair.1 == retriever) {
            return Err(Unmet::Aside { branch: self.branch.clone(), base: self.short.clone() }.into());
        }
        match self.waiting.of(suite, retriever).map(|approval| approval.recorded(None)) {
            Some(Some(recorded)) => return Ok(Some(recorded.baseline.clone())),
            Some(None) if !owed => return Ok(None),
            // Given up here, and there again at the tip.
            Some(None) => {
                return Err(Unmet::Outdated { branch: self.branch.clone(), base: self.short.clone() }.into());
            }
            None => {}
        }
        let path = self.placed.baseline(suite, retriever);
        match self.files.get(&path) {
            Some(bytes) => {
                let problem = |problem| WorkspaceError::Artifact {
                    path: format!("{} ({})", path, self.branch).into(),
                    problem,
                };
                Ok(Some(Baseline::read(bytes).map_err(problem)?))
            }
            None if owed => {
                Err(Unmet::Outdated { branch: self.branch.clone(), base: self.short.clone() }.into())
            }
            None => Ok(None),
        }
    }

    /// The file of a pair.
    fn file(&self, suite: &str, retriever: &str) -> Option<&[u8]> {
        self.files.get(&self.placed.baseline(suite, retriever)).map(Vec::as_slice)
    }

    /// What was approved and has no file yet.
    pub(super) fn into_waiting(self) -> Waiting {
        self.waiting
    }
}

/// Results that were measured elsewhere.
pub(super) struct Handed {
    /// The results.
    pub results: Vec<SuiteResult>,
    /// Whoever measured them could have written anything.
    pub by_stranger: bool,
}

/// Everything that a tree is judged by.
pub(super) struct Bench<'a> {
    /// The job.
    pub job: &'a Job<'a>,
    /// What the base decides.
    pub rules: &'a Rules,
    /// What it approved.
    pub baselines: &'a Baselines<'a>,
    /// What comments of the pull request approved.
    pub approvals: &'a Approvals,
    /// Results that were measured elsewhere, if that is so.
    pub handed: Option<Handed>,
    /// Where results go.
    pub results: Option<PathBuf>,
}

impl Bench<'_> {
    /// Every configured pair, then the owed ones that are gone from the configuration.
    pub(super) fn rows(&self) -> Result<Vec<Row>, Failure> {
        let workspace = &self.job.workspace;
        let suites = workspace.choose(&[])?;
        let all = pairs(workspace, &suites, &[], None)?;
        let chosen = workspace.choose(&self.job.step.inputs.suites)?;
        let measured = pairs(workspace, &chosen, &self.job.step.inputs.retrievers, None)?;
        let reviewer = Reviewer {
            workspace,
            corpus: &workspace.corpus(&suites, &[])?,
            policy: &self.rules.policy,
            today: self.job.today,
            results: self.results.clone(),
            console: self.job.step.console,
        };
        let is = |pair: &Pair, other: &Pair| pair.baseline == other.baseline;
        let planned = Planned::new(workspace);
        let row = |pair: &Pair, judged| Row {
            supersedes: self.supersedes(&pair.suite.entry.name, &pair.retriever.name),
            ..row(pair, planned.commands(pair, None), judged)
        };
        let mut rows: Vec<Row> =
            measured.iter().map(|pair| row(pair, self.judged(pair, &reviewer))).collect();
        let left = all.iter().filter(|pair| !measured.iter().any(|done| is(pair, done)));
        for pair in left.filter(|pair| self.rules.owes(&pair.suite.entry.name, &pair.retriever.name)) {
            rows.push(row(pair, Err(Unmet::Missing.into())));
        }
        for owed in &self.rules.owed {
            let known = |row: &Row| row.suite == owed.suite && row.retriever == owed.retriever;
            if rows.iter().any(known) {
                continue;
            }
            let path = self.job.placed.baseline(&owed.suite, &owed.retriever);
            let goes = self.approvals.of(&owed.suite, &owed.retriever);
            if goes.is_some_and(Approval::is_removal) {
                continue;
            }
            let outcome = match self.baselines.of(&owed.suite, &owed.retriever, true) {
                Ok(Some(baseline)) => RowOutcome::Gone(Box::new(baseline)),
                Ok(None) => continue,
                Err(failure) => RowOutcome::Unjudged(failure),
            };
            rows.push(Row {
                suite: owed.suite.clone(),
                retriever: owed.retriever.clone(),
                file: None,
                commands: Commands { baseline: Some(path), ..Commands::default() },
                supersedes: self.supersedes(&owed.suite, &owed.retriever),
                outcome,
            });
        }
        Ok(rows)
    }

    fn supersedes(&self, suite: &str, retriever: &str) -> Option<Digest> {
        let baseline = self.baselines.of(suite, retriever, false).ok().flatten();
        baseline.map(|baseline| baseline.digest)
    }

    fn judged(&self, pair: &Pair, reviewer: &Reviewer<'_>) -> Result<Reviewed, Failure> {
        let (suite, name) = (&pair.suite.entry.name, &pair.retriever.name);
        let in_force = self.baselines.of(suite, name, self.rules.owes(suite, name))?;
        let is_owed = in_force.is_some();
        let root = &self.job.workspace.root;
        let here = files::read_in_if_there(root, &pair.baseline, files::MAX_BYTES)?;
        let here = here.as_deref();
        let recorded = self.approvals.of(suite, name).and_then(|approval| approval.recorded(here));
        let waits = self.baselines.waiting.of(suite, name);
        let differs = here != self.baselines.file(suite, name);
        let trusted = differs && self.rules.approvers.mode == ApprovalMode::File;
        let baseline = match (recorded, here) {
            (Some(recorded), _) => Some(recorded.baseline.clone()),
            (None, Some(bytes)) if trusted => {
                let problem = |problem| WorkspaceError::Artifact { path: pair.baseline.clone(), problem };
                Some(Baseline::read(bytes).map_err(problem)?)
            }
            (None, _) => in_force,
        };
        let mut judged = match &self.handed {
            Some(handed) if handed.by_stranger && is_embedded(pair) => {
                self.measured_again(pair, handed, reviewer, baseline)?
            }
            Some(handed) => self.taken(pair, handed, reviewer, baseline)?,
            None => self.measured(pair, reviewer, baseline)?,
        };
        let notices = &mut judged.judgement.notices;
        match (recorded, waits) {
            (Some(recorded), _) => {
                notices.push(Notice::ApprovedHere(recorded.baseline.approval.approved_by.clone()));
            }
            (None, Some(approval)) => notices.extend(approval.recorded(None).map(|recorded| {
                let by = recorded.baseline.approval.approved_by.clone();
                Notice::Waits { by, pull: approval.pull }
            })),
            (None, None) => {}
        }
        // The file of what waits is as good wherever it comes from: that is what it waits for.
        let filed = recorded.or_else(|| waits.and_then(|approval| approval.recorded(here)));
        let is_filed = filed.is_some_and(|recorded| here == Some(recorded.text.as_bytes()));
        if trusted {
            judged.judgement.notices.push(Notice::TrustedFile);
        } else if is_owed && differs && !is_filed {
            judged.judgement.hold(Reason::BaselineEdited);
        }
        Ok(judged)
    }

    /// Measured now, if that runs no program beside a token.
    fn measured(
        &self,
        pair: &Pair,
        reviewer: &Reviewer<'_>,
        baseline: Option<Baseline>,
    ) -> Result<Reviewed, Failure> {
        // What nobody knows runs nothing, and is refused by its name.
        let is_program = retriever::kind(&pair.retriever.kind).is_some_and(|kind| !kind.embedded);
        if self.job.step.holds_token() && is_program {
            return Err(Unmet::Program { kind: pair.retriever.kind.clone() }.into());
        }
        reviewer.review_against(pair, baseline)
    }

    /// A stranger's result of a retriever that we have ourselves: it must be what measuring gives.
    fn measured_again(
        &self,
        pair: &Pair,
        handed: &Handed,
        reviewer: &Reviewer<'_>,
        baseline: Option<Baseline>,
    ) -> Result<Reviewed, Failure> {
        let measured = self.measured(pair, reviewer, baseline)?;
        let claimed = handed.of(pair).ok_or(Unmet::Missing)?;
        if claimed.digest() == measured.result.digest() { Ok(measured) } else { Err(Unmet::NotSo.into()) }
    }

    /// Measured elsewhere: it must be of this suite and of this tree.
    fn taken(
        &self,
        pair: &Pair,
        handed: &Handed,
        reviewer: &Reviewer<'_>,
        baseline: Option<Baseline>,
    ) -> Result<Reviewed, Failure> {
        let result = handed.of(pair).ok_or(Unmet::Missing)?.clone();
        let suite = suite_of(&pair.suite, &self.job.workspace)?;
        if suite.hash != result.measurement.suite.content_hash {
            return Err(Unmet::OtherSuite.into());
        }
        if *reviewer.corpus.digest() != result.measurement.corpus.content_hash {
            return Err(Unmet::OtherTree.into());
        }
        let mut judgement = judge(&result, baseline.as_ref(), &self.rules.policy, self.job.today)?;
        if handed.by_stranger {
            judgement.notices.push(Notice::Claimed);
        }
        Ok(Reviewed { result, baseline, judgement })
    }
}

impl Handed {
    /// The result of a pair.
    fn of(&self, pair: &Pair) -> Option<&SuiteResult> {
        self.results.iter().find(|result| {
            result.measurement.suite.name == pair.suite.entry.name
                && result.measurement.retriever.name == pair.retriever.name
        })
    }
}

/// It runs in this process. What nobody knows is not known to.
fn is_embedded(pair: &Pair) -> bool {
    retriever::kind(&pair.retriever.kind).is_some_and(|kind| kind.embedded)
}

/// Reads results that were measured elsewhere: files, and every `*.result.json` of folders.
pub(super) fn given(paths: &[PathBuf], root: &Path) -> Result<Vec<SuiteResult>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let path = root.join(path);
        if path.is_dir() {
            let inside = files::folder_if_there(&path)?;
            files.extend(inside.into_iter().filter(|file| file.to_string_lossy().ends_with(".result.json")));
        } else {
            files.push(path);
        }
    }
    files
        .into_iter()
        .map(|path| {
            let bytes = files::read(&path, files::MAX_BYTES)?;
            let problem = |problem| WorkspaceError::Artifact { path: path.clone(), problem };
            Ok(SuiteResult::read(&bytes).map_err(problem)?)
        })
        .collect()
}

fn row(pair: &Pair, commands: Commands, judged: Result<Reviewed, Failure>) -> Row {
    Row {
        commands,
        suite: pair.suite.entry.name.clone(),
        retriever: pair.retriever.name.clone(),
        file: Some(pair.suite.file.clone()),
        supersedes: None,
        outcome: judged.map_or_else(RowOutcome::Unjudged, |it| RowOutcome::Judged(Box::new(it))),
    }
}
