//! What GitHub says of the comments that baselines name.

use std::collections::BTreeMap;

use super::record::{Claim, Confirmed, Found, Heard, Today, author};
use super::server::Server;
use super::unconfirmed::{Doubt, Falsehood, Why};
use crate::app::action::{Answered, Placed, runtime, settings};
use crate::app::speaker::{Speaker, pull_state};
use crate::app::workspace::{config_in_repository, read_argument};
use crate::approval::PullState;
use crate::cli::{Global, VerifyArgs};
use crate::config::Approvers;
use crate::error::{Blame, Blamed, Failure};
use crate::github::{
    Branch, Client, Comment, Connection, GithubProblem, Patience, Pull, RemoteRepository, Repository, Us,
    endpoint,
};

/// A repository on GitHub, asked about each comment once.
pub(super) struct Lookup {
    runtime: tokio::runtime::Runtime,
    client: Client,
    repository: Repository,
    /// Where its rules lie.
    placed: Placed,
    /// What it is, once that was asked.
    itself: Option<Result<RemoteRepository, GithubProblem>>,
    /// By pull request and comment.
    heard: BTreeMap<(u64, u64), Result<Heard, GithubProblem>>,
}

/// The approvers are read on the base branch, and only a path inside the repository is there.
#[derive(Debug, thiserror::Error)]
#[error(
    "--config names a file outside the repository, and who may approve is read from the one on its base branch"
)]
struct OutsideConfig;

impl Blamed for OutsideConfig {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some("name the file inside the repository, or leave --config out".to_owned())
    }
}

impl Lookup {
    /// Finds out whom to ask; asks nothing yet.
    pub(super) fn open(args: &VerifyArgs, global: &Global, patience: Patience) -> Result<Self, Failure> {
        #[expect(clippy::disallowed_methods, reason = "edge: a workflow says in variables where GitHub is")]
        let variable = |name: &str| std::env::var(name).ok();
        let server = Server::read(args.repository.as_deref(), &variable)?;
        let config = config_in_repository(global)?.ok_or(OutsideConfig)?.to_string();
        let certificates = args.ca_file.as_deref().map(read_argument).transpose()?;
        let runtime = runtime()?;
        let connection = {
            let _inside = runtime.enter();
            Connection::open(&server.api, Some(&server.token), certificates.as_deref(), patience.answer)?
        };
        Ok(Self {
            client: Client::new(Box::new(connection), patience),
            runtime,
            repository: server.repository,
            placed: Placed { root: String::new(), config },
            itself: None,
            heard: BTreeMap::new(),
        })
    }

    /// Who is asked.
    pub(super) fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Holds what a baseline says against what GitHub has.
    pub(super) fn confirm(&mut self, claim: &Claim<'_>) -> Result<Confirmed, Why> {
        let Self { runtime, client, repository, placed, itself, heard } = self;
        let ask = Ask { client, repository, placed };
        let itself = itself.get_or_insert_with(|| runtime.block_on(ask.itself())).as_ref();
        let itself = itself.map_err(|problem| Doubt::Github(problem.clone()))?;
        let covered = &claim.record.covered;
        if itself.id != covered.repository {
            return Err(Falsehood::OtherRepository { id: itself.id, covered: covered.repository }.into());
        }
        let (pull, comment) = (covered.pull_request, claim.record.comment);
        let heard = heard
            .entry((pull, comment))
            .or_insert_with(|| runtime.block_on(ask.about(itself, pull, comment)));
        claim.held_against(heard.as_ref().map_err(|problem| Doubt::Github(problem.clone()))?)
    }
}

/// The questions.
struct Ask<'a> {
    client: &'a Client,
    repository: &'a Repository,
    placed: &'a Placed,
}

impl Ask<'_> {
    async fn itself(&self) -> Result<RemoteRepository, GithubProblem> {
        self.client.json(&endpoint::repository(self.repository)).await
    }

    /// Everything that there is to know of a comment of a pull request.
    async fn about(
        &self,
        itself: &RemoteRepository,
        pull: u64,
        comment: u64,
    ) -> Result<Heard, GithubProblem> {
        let Some(pull) = self.pull(itself, pull).await? else { return Ok(Heard::NoPull) };
        let Some(comment) = self.comment(comment).await? else { return Ok(Heard::NoComment) };
        let speaker = match author(&comment) {
            Some(_) => Some(Speaker::of(self.client, self.repository, &comment, &pull).await),
            None => None,
        };
        let approvers = self.approvers(&pull).await;
        let mut found = Found { pull, comment, speaker, approvers, answers: Ok(Vec::new()) };
        if pull_state(&found.pull) == PullState::Merged && !matches!(found.today(), None | Some(Today::May)) {
            found.answers = self.answers(&found.pull).await;
        }
        Ok(Heard::There(Box::new(found)))
    }

    /// What rankhold answered below a pull request: with a workflow's token, or with the App's that asks now.
    async fn answers(&self, pull: &Pull) -> Result<Vec<Answered>, GithubProblem> {
        let viewer = Us { login: self.client.viewer().await? };
        let us = if viewer.login.ends_with("[bot]") { viewer } else { Us::workflow() };
        let call = endpoint::comments(self.repository, pull.number);
        let comments: Vec<Comment> = self.client.all(&call, |page: Vec<Comment>| page).await?;
        Ok(Answered::all(&comments, &us))
    }

    /// None if there certainly is none.
    async fn pull(&self, itself: &RemoteRepository, number: u64) -> Result<Option<Pull>, GithubProblem> {
        match self.client.json(&endpoint::pull(self.repository, number)).await {
            Err(problem) if problem.is_not_found() => {
                // A token that may not read pull requests may hear the same, of the list too.
                let base = itself.default_branch.as_deref().unwrap_or("main");
                let list = self.client.json::<Vec<Pull>>(&endpoint::pulls_to(self.repository, base)).await;
                list.map(|_| None)
            }
            found => found.map(Some),
        }
    }

    /// None if there is none. Whoever could read the pull request can read its comments.
    async fn comment(&self, id: u64) -> Result<Option<Comment>, GithubProblem> {
        match self.client.json(&endpoint::comment(self.repository, id)).await {
            Err(problem) if problem.is_not_found() => Ok(None),
            found => found.map(Some),
        }
    }

    /// Who may approve by the tip of the base branch.
    async fn approvers(&self, pull: &Pull) -> Result<Approvers, Failure> {
        let branch = &pull.base.branch;
        let base: Branch = self.client.json(&endpoint::branch(self.repository, branch)).await?;
        let read = settings(self.client, self.repository, self.placed, branch, &base.commit.sha).await?;
        Ok(read.approval)
    }
}
