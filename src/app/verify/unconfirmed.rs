//! Why a record is not confirmed: GitHub has something else, or nobody can tell.

use std::path::{Path, PathBuf};

use crate::approval::Refusal;
use crate::artifact::{ApprovalToken, Instant, Record};
use crate::error::{Blame, Blamed};
use crate::github::{GithubProblem, Repository};

/// A record that is not confirmed.
#[derive(Debug, thiserror::Error)]
#[error(
    "{path}: its approval, comment {comment} of pull request #{pull}, {what} in {repository}: {why}",
    path = path.display(),
    what = why.what()
)]
pub(super) struct Unconfirmed {
    path: PathBuf,
    repository: Repository,
    comment: u64,
    pull: u64,
    why: Why,
}

impl Unconfirmed {
    /// That of a file.
    pub(super) fn new(path: &Path, repository: &Repository, record: &Record, why: Why) -> Self {
        Self {
            path: path.to_owned(),
            repository: repository.clone(),
            comment: record.comment,
            pull: record.covered.pull_request,
            why,
        }
    }
}

impl Blamed for Unconfirmed {
    fn blame(&self) -> Blame {
        match &self.why {
            Why::False(_) => Blame::User,
            Why::Doubt(_) => Blame::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        match &self.why {
            Why::False(falsehood) => Some(falsehood.hint().to_owned()),
            Why::Doubt(doubt) => doubt.hint(),
        }
    }
}

/// Why a record is not confirmed.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Why {
    /// GitHub has something else.
    #[error(transparent)]
    False(#[from] Falsehood),
    /// Nobody can tell.
    #[error(transparent)]
    Doubt(#[from] Doubt),
}

impl Why {
    fn what(&self) -> &'static str {
        match self {
            Self::False(_) => "does not hold",
            Self::Doubt(_) => "could not be looked up",
        }
    }
}

/// What is not as the record says.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Falsehood {
    /// It is of another repository.
    #[error("it is of the repository with the number {covered}, and this one has the number {id}")]
    OtherRepository {
        /// Number of the one that was asked.
        id: u64,
        /// That of the record.
        covered: u64,
    },
    /// There is no such pull request.
    #[error("there is no such pull request")]
    NoPull,
    /// There is no such comment.
    #[error("there is no such comment: it was deleted, or never written")]
    NoComment,
    /// It belongs to another one.
    #[error("the comment stands below #{0}")]
    OtherPull(u64),
    /// Somebody else wrote it.
    #[error("the comment is by {login}, account {id}, and the record names account {recorded}")]
    OtherAuthor {
        /// His name today.
        login: String,
        /// His number.
        id: u64,
        /// That of the record.
        recorded: u64,
    },
    /// No person wrote it.
    #[error("the comment is by {0}, a program, and no program approves")]
    Program(String),
    /// It was edited.
    #[error("the comment was edited")]
    Edited,
    /// It is no approval.
    #[error("the comment approves nothing: its first line is no `/rankhold approve` with a token")]
    NoApproval,
    /// What is said after the merge approves nothing.
    #[error("the comment was written after the pull request was merged")]
    AfterMerge,
    /// It approves something else.
    #[error("the comment approves other figures, those of the token {0}")]
    OtherToken(ApprovalToken),
    /// It approves other pairs.
    #[error("the comment approves --suite {}, and this file is of `{suite}`", said.join(" --suite "))]
    OtherSuite {
        /// What it names.
        said: Vec<String>,
        /// The file's.
        suite: String,
    },
    /// It gives another reason.
    #[error("the comment gives {}, and the file {}", reason(said.as_deref()), reason(recorded.as_deref()))]
    OtherReason {
        /// In the comment.
        said: Option<String>,
        /// In the file.
        recorded: Option<String>,
    },
    /// It was written at another time.
    #[error("the comment was written at {said}, and the file says {recorded}")]
    OtherTime {
        /// On GitHub.
        said: Instant,
        /// In the file.
        recorded: Instant,
    },
    /// He may not approve today, and nothing was merged yet.
    #[error("{login} may not approve today{}, and the pull request is not merged", because(refusal))]
    NotAllowed {
        /// His name today.
        login: String,
        /// Why.
        refusal: Refusal,
    },
}

/// Why somebody may not, where it is not for what he is.
pub(super) fn because(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::OwnPull => ": the pull request is his own, and allow-author is off",
        Refusal::FileMode => ": the base branch approves by files",
        _ => "",
    }
}

fn reason(text: Option<&str>) -> String {
    text.map_or_else(|| "no reason".to_owned(), |text| format!("the reason `{}`", text.escape_debug()))
}

impl Falsehood {
    fn hint(&self) -> &'static str {
        match self {
            Self::OtherRepository { .. } => {
                "name the repository in which it was approved with --repository; a file that was copied from another one is approved there alone"
            }
            Self::NoComment | Self::Edited => {
                "have the figures approved anew: who edits or deletes the comment of an approval takes the approval back"
            }
            Self::NotAllowed { .. } => "have the figures approved by somebody who may",
            _ => {
                "restore the file from the base branch, or have the figures measured and approved anew; a record is never edited by hand"
            }
        }
    }
}

/// What could not be found out.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Doubt {
    /// GitHub could not be asked.
    #[error("{0}")]
    Github(GithubProblem),
    /// Whether the comment was edited.
    #[error("GitHub does not say whether the comment was edited{}", because_of(.0.as_ref()))]
    Edits(Option<GithubProblem>),
    /// Whose comment it is.
    #[error("the account that wrote the comment is gone, so that nobody can tell whose it was")]
    NoAuthor,
    /// Something that GitHub's description promises.
    #[error("GitHub does not say {0}")]
    Unsaid(&'static str),
    /// Whether he could approve when it was merged.
    #[error(
        "{today}; whether {login} could on the day only GitHub could tell on that day, and no answer of rankhold stands there that says so"
    )]
    ThatDay {
        /// His name today.
        login: String,
        /// What he may today.
        today: String,
    },
    /// Whether he may approve, and nothing was merged yet.
    #[error("the pull request is not merged, and whether {login} may approve could not be found out: {why}")]
    Rights {
        /// His name today.
        login: String,
        /// What was in the way.
        why: String,
    },
}

fn because_of(problem: Option<&GithubProblem>) -> String {
    problem.map(|problem| format!(": {problem}")).unwrap_or_default()
}

impl Doubt {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Github(problem) | Self::Edits(Some(problem)) => who_must_act(problem),
            Self::Edits(None) => Some(
                "verify it again in a while; if it stays so, the token may not read pull requests by GraphQL".to_owned(),
            ),
            Self::ThatDay { .. } => Some(
                "look below the pull request for what was said and done that day, or have the present figures approved anew"
                    .to_owned(),
            ),
            Self::NoAuthor => Some("have the figures approved anew".to_owned()),
            Self::Unsaid(_) => {
                Some("verify it again in a while; if it stays so, something answers in GitHub's place".to_owned())
            }
            Self::Rights { .. } => Some(
                "verify it again with a token that may read the contents, of somebody who may write to the repository"
                    .to_owned(),
            ),
        }
    }
}

/// As the problem says, for whoever typed the command and not for a job of the action.
fn who_must_act(problem: &GithubProblem) -> Option<String> {
    match problem {
        GithubProblem::Forbidden { permission, .. } => Some(format!(
            "the token needs `{}`: in a workflow add it to the job's `permissions:`",
            permission.unwrap_or("pull-requests: read")
        )),
        GithubProblem::BadToken { .. } => Some(
            "set GITHUB_TOKEN or GH_TOKEN to a token that has not expired, of the server that GITHUB_API_URL names"
                .to_owned(),
        ),
        GithubProblem::Refused { status: 301 | 307 | 308, .. } => {
            Some("the repository has another name today: give that one with --repository".to_owned())
        }
        other => other.hint(),
    }
}
