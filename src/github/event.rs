//! What happened, as our own type: payloads are read at the door, and a field that is missing is named there.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Comment, Pull, RemoteRepository, Run, Sha};
use crate::approval::{Parsed, parse};
use crate::config::suggestion;
use crate::error::{Blame, Blamed};

/// An event that can lead to a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// `pull_request`: the checkout is the pull request's own tree.
    Pull(PullEvent),
    /// `pull_request_target`: the workflow is the base's, the tree a stranger's.
    PullTarget(PullEvent),
    /// `workflow_run`: another workflow ended; what it left is to be published.
    Finished(Finished),
    /// `merge_group`: a group of the merge queue wants its checks.
    Queued(Queued),
    /// `push`.
    Push(Push),
    /// `schedule` or `workflow_dispatch`.
    Manual(Manual),
    /// `issue_comment`: somebody said something, perhaps to us.
    Said(Said),
}

/// Something happened to a comment.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Said {
    /// `created`, `edited`, `deleted`.
    pub action: String,
    /// What it stands below.
    pub issue: SaidBelow,
    /// The comment, as it was then.
    pub comment: Comment,
    /// Where.
    pub repository: RemoteRepository,
}

/// What a comment stands below: GitHub numbers issues and pull requests together.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SaidBelow {
    /// Its number.
    pub number: u64,
    /// There if it is a pull request.
    #[serde(default)]
    pub pull_request: Option<serde_json::Value>,
}

/// What happened to a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PullEvent {
    /// `opened`, `synchronize` …
    pub action: String,
    /// As it was then; a re-run shows the same again.
    #[serde(rename = "pull_request")]
    pub pull: Pull,
    /// Where it is open.
    pub repository: RemoteRepository,
}

/// A workflow run ended.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Finished {
    /// `completed` …
    pub action: String,
    /// The run.
    #[serde(rename = "workflow_run")]
    pub run: Run,
    /// Whose workflow it is.
    pub repository: RemoteRepository,
}

/// A merge group.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MergeGroup {
    /// Its tip.
    pub head_sha: Sha,
    /// Its branch.
    pub head_ref: String,
    /// What it is built on.
    pub base_sha: Sha,
    /// The branch it wants to become.
    pub base_ref: String,
}

/// A merge group wants something.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Queued {
    /// `checks_requested` …
    pub action: String,
    /// The group.
    #[serde(rename = "merge_group")]
    pub group: MergeGroup,
    /// Whose queue.
    pub repository: RemoteRepository,
}

/// Commits came to a branch or tag.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Push {
    /// `refs/heads/main`, `refs/tags/v1`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its new tip; all zeros if it is gone.
    pub after: Sha,
    /// It is gone.
    pub deleted: bool,
    /// Where.
    pub repository: RemoteRepository,
}

/// Somebody or a clock asked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Manual {
    /// Where.
    pub repository: RemoteRepository,
}

/// A payload that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventProblem {
    /// It is no JSON.
    #[error("the event's payload is not JSON: {0}")]
    NotJson(String),
    /// It is JSON, and no object.
    #[error("the event's payload holds {0}, and GitHub writes an object")]
    NoObject(&'static str),
    /// A field is missing or of the wrong type.
    #[error("the payload of `{event}` does not fit at `{at}`: {message}")]
    Shape {
        /// The event.
        event: String,
        /// Path of the field.
        at: String,
        /// What is wrong there.
        message: String,
    },
    /// An event that nothing can be measured for.
    #[error("the event `{0}` is none that rankhold acts on")]
    Unknown(String),
    /// No event was named, and the payload does not show which it is.
    #[error("the payload does not show which event it is of")]
    Nameless,
}

/// The events that we act on.
pub const EVENTS: &[&str] = &[
    "pull_request",
    "pull_request_target",
    "workflow_run",
    "merge_group",
    "push",
    "schedule",
    "workflow_dispatch",
    "issue_comment",
];

impl Blamed for EventProblem {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotJson(_) | Self::NoObject(_) | Self::Shape { .. } => {
                "pass the file that GITHUB_EVENT_PATH names, as GitHub wrote it".to_owned()
            }
            Self::Unknown(name) => {
                let near = suggestion(name, EVENTS.iter().copied());
                let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
                format!(
                    "{near}A workflow is started by one of {}, and `rankhold replay --event` takes the same",
                    EVENTS.join(", ")
                )
            }
            Self::Nameless => format!("name it: --event {}", EVENTS.join(" | ")),
        })
    }
}

impl Event {
    /// Reads the payload of an event by its name.
    pub fn read(name: &str, payload: &[u8]) -> Result<Self, EventProblem> {
        let payload = object(payload)?;
        Ok(match name {
            "pull_request" => Self::Pull(shaped(name, payload)?),
            "pull_request_target" => Self::PullTarget(shaped(name, payload)?),
            "workflow_run" => Self::Finished(shaped(name, payload)?),
            "merge_group" => Self::Queued(shaped(name, payload)?),
            "push" => Self::Push(shaped(name, payload)?),
            "schedule" | "workflow_dispatch" => Self::Manual(shaped(name, payload)?),
            "issue_comment" => Self::Said(shaped(name, payload)?),
            _ => return Err(EventProblem::Unknown(name.to_owned())),
        })
    }

    /// The event's name by the shape of its payload, for a replay.
    pub fn name_of(payload: &[u8]) -> Result<&'static str, EventProblem> {
        let payload = object(payload)?;
        let signs = [
            ("workflow_run", "workflow_run"),
            ("merge_group", "merge_group"),
            // Of these the pull request is only where they happened.
            ("review", "pull_request_review"),
            ("thread", "pull_request_review_thread"),
            ("pull_request", "pull_request"),
            ("check_run", "check_run"),
            ("comment", "issue_comment"),
            ("schedule", "schedule"),
            ("after", "push"),
            ("inputs", "workflow_dispatch"),
        ];
        if payload.get("comment").is_some() && payload.get("pull_request").is_some() {
            return Ok("pull_request_review_comment");
        }
        let sign = signs.into_iter().find(|(field, _)| payload.get(field).is_some());
        sign.map(|(_, name)| name).ok_or(EventProblem::Nameless)
    }

    /// Where it happened.
    pub fn repository(&self) -> &RemoteRepository {
        match self {
            Self::Pull(event) | Self::PullTarget(event) => &event.repository,
            Self::Finished(event) => &event.repository,
            Self::Queued(event) => &event.repository,
            Self::Push(event) => &event.repository,
            Self::Manual(event) => &event.repository,
            Self::Said(event) => &event.repository,
        }
    }

    /// Why there is nothing to judge, in a sentence, if so.
    pub fn idle(&self) -> Option<String> {
        match self {
            Self::Pull(event) | Self::PullTarget(event) => match event.action.as_str() {
                "closed" => Some("the pull request was closed: its last verdict stays".to_owned()),
                "labeled"
                | "unlabeled"
                | "assigned"
                | "unassigned"
                | "locked"
                | "unlocked"
                | "milestoned"
                | "demilestoned"
                | "review_requested"
                | "review_request_removed"
                | "auto_merge_enabled"
                | "auto_merge_disabled"
                | "enqueued"
                | "dequeued" => Some(format!(
                    "`{}` changes nothing that is measured: the last verdict stays",
                    event.action
                )),
                // `edited` may be another base, and a title's edit may have cancelled a run that was to judge.
                _ => None,
            },
            Self::Finished(event) if event.action != "completed" => {
                Some(format!("the run is `{}`: its result comes when it is completed", event.action))
            }
            Self::Finished(Finished { run, .. }) => match run.conclusion.as_deref() {
                Some("success" | "failure") => None,
                other => Some(format!(
                    "the run that measures ended as `{}` and left nothing to publish",
                    other.unwrap_or("nothing")
                )),
            },
            Self::Queued(event) if event.action != "checks_requested" => {
                Some(format!("the merge group is `{}`: nothing is asked of it", event.action))
            }
            Self::Push(push) if push.deleted => {
                Some("the branch is gone: there is nothing to measure".to_owned())
            }
            Self::Push(push) => {
                let default = push.repository.default_branch.as_deref()?;
                let is_default = push.reference.strip_prefix("refs/heads/") == Some(default);
                (!is_default).then(|| {
                    format!(
                        "`{}` is not the default branch `{default}`: pull requests of it are judged, pushes are not",
                        push.reference
                    )
                })
            }
            Self::Said(said) => said.idle().map(str::to_owned),
            Self::Queued(_) | Self::Manual(_) => None,
        }
    }
}

impl MergeGroup {
    /// The name of the branch it wants to become.
    pub fn branch(&self) -> &str {
        branch(&self.base_ref)
    }
}

impl Push {
    /// The name of the branch; a tag has none and keeps its reference.
    pub fn branch(&self) -> &str {
        branch(&self.reference)
    }
}

fn branch(reference: &str) -> &str {
    reference.strip_prefix("refs/heads/").unwrap_or(reference)
}

impl Said {
    /// Why it is no command, in a sentence, if so.
    fn idle(&self) -> Option<&'static str> {
        let body = self.comment.body.as_deref().unwrap_or_default();
        let is_program = self.comment.user.as_ref().is_none_or(|user| user.kind != "User");
        if self.action != "created" {
            Some("a comment that is edited or deleted is no command: commands are new comments")
        } else if self.issue.pull_request.is_none() {
            Some("the comment stands below an issue: commands are for pull requests")
        } else if parse(body) == Parsed::Nothing {
            Some("the comment is no command")
        } else if is_program {
            Some("no person wrote the comment: programs are not answered")
        } else {
            None
        }
    }
}

impl Pull {
    /// Its head lies elsewhere, or nobody knows where any more: a stranger's.
    pub fn is_foreign(&self) -> bool {
        match (&self.head.repo, &self.base.repo) {
            (Some(head), Some(base)) => head.id != base.id,
            _ => true,
        }
    }
}

fn object(payload: &[u8]) -> Result<Value, EventProblem> {
    let payload =
        serde_json::from_slice(payload).map_err(|error| EventProblem::NotJson(error.to_string()))?;
    let found = match payload {
        Value::Object(_) => return Ok(payload),
        Value::Array(_) => "a list",
        Value::String(_) => "a text",
        Value::Number(_) => "a number",
        Value::Bool(_) => "a truth value",
        Value::Null => "null",
    };
    Err(EventProblem::NoObject(found))
}

fn shaped<T: DeserializeOwned>(event: &str, payload: Value) -> Result<T, EventProblem> {
    serde_path_to_error::deserialize(payload).map_err(|error| EventProblem::Shape {
        event: event.to_owned(),
        at: error.path().to_string(),
        message: error.inner().to_string(),
    })
}
