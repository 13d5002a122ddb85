//! The files of what was approved and merged without them, proposed in one pull request that is kept current.

use super::approvals::PairName;
use super::publish::Publication;
use super::rules::Rules;
use super::subject::Subject;
use super::waiting::Waiting;
use super::{Github, Job};
use crate::error::{Blamed as _, Failure};
use crate::gate::Policy;
use crate::github::endpoint::Changes;
use crate::github::{
    Branch, Client, Commit, Compare, GithubProblem, Place, Pull, PullPlace, Repository, Sha, Us, endpoint,
    file_at, is_nothing_but, loose_commit, publish,
};
use crate::report::view::figure_text;
use crate::report::{Proposal, ProposedPair, idle_summary, proposal};

/// The branch that it comes from. Nobody else's commits are overwritten there.
const BRANCH: &str = "rankhold/baselines";

/// Its title, and the message of its commit: nothing that a person typed.
const TITLE: &str = "Baselines that were approved";

/// Proposes what waits at the tip of a branch, or takes back what waits no longer.
pub(super) async fn propose(
    job: &Job<'_>,
    github: &Github,
    subject: &Subject,
    rules: &Rules,
    waiting: &Waiting,
    publication: &Publication,
) -> Result<(), Failure> {
    if subject.pull.is_some() || subject.group.is_some() {
        return Ok(());
    }
    let (step, client) = (job.step, &github.client);
    let here = There {
        client,
        by: github.committer.as_ref().unwrap_or(client),
        repository: &step.runner.repository,
        base: &subject.base.branch,
    };
    let tip: Branch = client.json(&endpoint::branch(here.repository, here.base)).await?;
    if tip.commit.sha != subject.base.measured {
        return Ok(()); // the run for that tip proposes
    }
    let open = here.open().await?;
    if waiting.is_empty() {
        return match open {
            Some(pull) if here.is_ours(&pull).await? => here.close(&pull).await,
            _ => Ok(()),
        };
    }
    let changes = waiting.changes(job.placed);
    let say = |text: &str| {
        step.console.note(text);
        Ok::<_, Failure>(step.runner.summarise(&idle_summary(text)?)?)
    };
    let head = match here.branch(&changes, &tip.commit.sha).await {
        Ok(Some(head)) => head,
        Ok(None) => {
            return say(&format!(
                "`{BRANCH}` has commits that are not rankhold's: whoever may write deletes the branch, and the next run proposes \
                 there what was approved"
            ));
        }
        Err(problem) if problem.is_forbidden() => return say(&not_proposed(&problem)),
        Err(problem) => return Err(problem.into()),
    };
    let text = proposal(&Proposal {
        branch: here.base.to_owned(),
        pairs: waiting.iter().map(|(pair, approval)| row(pair, approval, &rules.policy)).collect(),
    })?;
    let pull = match here.pull(open, &text).await {
        Ok(pull) => Some(pull),
        Err(problem) if problem.is_forbidden() => None,
        Err(problem) => return Err(problem.into()),
    };
    let address = match &pull {
        Some(pull) => pull.html_url.clone().unwrap_or_default(),
        None => step.runner.compare_url(here.base, BRANCH),
    };
    say(&match &pull {
        Some(_) => format!("The files of what was approved are proposed in {address}"),
        None => format!(
            "The files of what was approved are on `{BRANCH}`; this token may not open the pull request: {address} does"
        ),
    })?;
    let moved = pull.map(|pull| PullPlace { number: pull.number, base: here.base.to_owned() });
    let place = Place { commit: head, pull: moved, ..subject.verdicts(step, rules) };
    // A commit of the workflow's own token starts no workflow that could say this.
    publish(client, &place, None, &subject.stamp, &publication.shown()).await?;
    Ok(())
}

fn not_proposed(problem: &GithubProblem) -> String {
    let hint = problem.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!(
        "Figures were approved whose files are not on the branch yet, and they cannot be proposed: {problem}{hint}"
    )
}

fn row(
    (suite, retriever): &PairName,
    approval: &super::approvals::Approval,
    policy: &Policy,
) -> ProposedPair {
    let recorded = approval.recorded(None);
    let gated = policy.metrics.first().copied().or_else(|| Policy::default().metrics.first().copied());
    ProposedPair {
        suite: suite.clone(),
        retriever: retriever.clone(),
        after: recorded
            .zip(gated)
            .and_then(|(recorded, gated)| figure_text(gated, &recorded.baseline.metrics)),
        by: recorded.map(|recorded| recorded.baseline.approval.approved_by.clone()),
        pull: approval.pull,
    }
}

fn is_ours(commit: &Commit) -> bool {
    commit.commit.as_ref().is_some_and(|inside| inside.message == TITLE)
}

/// Where it is proposed, and to whom.
struct There<'a> {
    client: &'a Client,
    /// Who commits and opens.
    by: &'a Client,
    repository: &'a Repository,
    base: &'a str,
}

impl There<'_> {
    /// The pull request, if it is open.
    async fn open(&self) -> Result<Option<Pull>, GithubProblem> {
        let call = endpoint::pulls_from(self.repository, &self.repository.owner, BRANCH);
        let pulls: Vec<Pull> = self.client.all(&call, |page: Vec<Pull>| page).await?;
        Ok(pulls.into_iter().find(|pull| !pull.is_foreign() && pull.base.branch == self.base))
    }

    async fn is_ours(&self, pull: &Pull) -> Result<bool, GithubProblem> {
        let us = Us { login: self.by.viewer().await? };
        Ok(pull.user.as_ref().is_some_and(|user| us.are(user)))
    }

    async fn close(&self, pull: &Pull) -> Result<(), Failure> {
        match self.by.done(&endpoint::close_pull(self.repository, pull.number)).await {
            // It is in nobody's way.
            Err(problem) if problem.is_forbidden() => Ok(()),
            closed => Ok(closed?),
        }
    }

    /// The tip of the branch once it has those files and nothing else; none if somebody else's commits are there.
    async fn branch(&self, changes: &Changes, tip: &Sha) -> Result<Option<Sha>, GithubProblem> {
        let there = match self.client.json::<Branch>(&endpoint::branch(self.repository, BRANCH)).await {
            Ok(branch) => Some(branch.commit.sha),
            Err(problem) if problem.is_not_found() => None,
            Err(problem) => return Err(problem),
        };
        let Some(there) = there else {
            let made = loose_commit(self.by, self.repository, tip, TITLE, changes).await?;
            let call = endpoint::create_branch(self.repository, BRANCH, &made);
            let look =
                async || match self.client.json::<Branch>(&endpoint::branch(self.repository, BRANCH)).await {
                    Ok(branch) if branch.commit.sha == made => Ok(Some(serde::de::IgnoredAny)),
                    Ok(_) => Ok(None),
                    Err(problem) if problem.is_not_found() => Ok(None),
                    Err(problem) => Err(problem),
                };
            self.by.once(&call, look).await?;
            return Ok(Some(made));
        };
        let compare = endpoint::commits_between(self.repository, tip, &there);
        let compare: Compare = self.client.json(&compare).await?;
        match (compare.ahead_by, compare.commits.as_slice()) {
            // Merged and left there, it holds nothing that could be lost.
            (0, _) => {}
            // One commit of ours on a commit of the base, and nothing below it that the base has not.
            (1, [only]) if only.parents.len() == 1 && is_ours(only) => {
                let parent = &only.parents[0].sha;
                if is_nothing_but(self.client, self.repository, changes, parent, &there).await?
                    && self.same_files(changes, parent, tip).await?
                {
                    return Ok(Some(there));
                }
            }
            _ => return Ok(None),
        }
        let made = loose_commit(self.by, self.repository, tip, TITLE, changes).await?;
        // GitHub moves a branch without asking where it was: what came meanwhile is looked for as late as can be.
        let now: Branch = self.client.json(&endpoint::branch(self.repository, BRANCH)).await?;
        if now.commit.sha != there {
            return Ok(None);
        }
        self.by.done(&endpoint::move_branch(self.repository, BRANCH, &made, true)).await?;
        Ok(Some(made))
    }

    /// Two commits have the same files in those places, so that a change of them on one fits the other.
    async fn same_files(&self, changes: &Changes, one: &Sha, other: &Sha) -> Result<bool, GithubProblem> {
        let paths = changes.written.iter().map(|(path, _)| path).chain(&changes.removed);
        for path in paths {
            let of = |at| file_at(self.client, self.repository, path, at);
            if of(one).await? != of(other).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The pull request, made now or brought up to date.
    async fn pull(&self, open: Option<Pull>, text: &str) -> Result<Pull, GithubProblem> {
        match open {
            Some(pull) if pull.body.as_deref().map(str::trim_end) == Some(text.trim_end()) => Ok(pull),
            Some(pull) => {
                self.by.json(&endpoint::update_pull(self.repository, pull.number, TITLE, text)).await
            }
            None => {
                let call = endpoint::create_pull(self.repository, BRANCH, self.base, TITLE, text);
                Ok(self.by.once::<Pull, _>(&call, async || self.open().await).await?.into_inner())
            }
        }
    }
}
