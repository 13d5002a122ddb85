//! Why GitHub could not be asked, or what it refused.

use super::call::Call;
use super::endpoint;
use crate::error::{Blame, Blamed};

/// A request that did not end well. None of these shows a token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GithubProblem {
    /// The token may not do it.
    #[error("GitHub does not let this token do `{asked}`: {message}")]
    Forbidden {
        /// Verb and path.
        asked: String,
        /// GitHub's words.
        message: String,
        /// The line that a workflow's `permissions:` lacks, if the request needs one.
        permission: Option<&'static str>,
    },
    /// The token itself is refused.
    #[error("GitHub does not accept the token (`{asked}` answered 401)")]
    BadToken {
        /// Verb and path.
        asked: String,
    },
    /// It is not there, or the token may not know of it.
    #[error("GitHub knows nothing at `{asked}`")]
    NotFound {
        /// Verb and path.
        asked: String,
    },
    /// A limit that outlasts our patience.
    #[error("GitHub's rate limit does not let `{asked}` through{}", reset.map(|at| format!(" before {at}")).unwrap_or_default())]
    Limited {
        /// Verb and path.
        asked: String,
        /// When it ends.
        reset: Option<jiff::Timestamp>,
    },
    /// No usable answer, however often it was asked.
    #[error("GitHub could not be reached for `{asked}`, tried {attempts} times: {last}")]
    Unreachable {
        /// Verb and path.
        asked: String,
        /// How often.
        attempts: u32,
        /// What the last attempt ended in.
        last: String,
    },
    /// GitHub understood and said no.
    #[error("GitHub refused `{asked}` ({status}): {message}")]
    Refused {
        /// Verb and path.
        asked: String,
        /// HTTP status.
        status: u16,
        /// GitHub's words.
        message: String,
    },
    /// The answer is not what GitHub's description promises.
    #[error("GitHub's answer to `{asked}` cannot be read: {message}")]
    Unreadable {
        /// Verb and path.
        asked: String,
        /// What is wrong with it, with the field.
        message: String,
    },
}

impl GithubProblem {
    /// What a status that is no success means.
    pub(super) fn of(call: &Call, status: u16, message: String) -> Self {
        let asked = asked(call);
        match status {
            401 => Self::BadToken { asked },
            403 => Self::Forbidden { asked, message, permission: endpoint::permission(call) },
            404 | 410 => Self::NotFound { asked },
            _ => Self::Refused { asked, status, message },
        }
    }

    /// The token may not do it (GitHub hides from some tokens that a thing exists at all).
    pub fn is_forbidden(&self) -> bool {
        matches!(self, Self::Forbidden { .. })
    }

    /// It is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}

/// What was asked, for a message.
pub(super) fn asked(call: &Call) -> String {
    format!("{} {}", call.verb.word(), call.path)
}

impl Blamed for GithubProblem {
    fn blame(&self) -> Blame {
        Blame::Environment
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Forbidden { permission: Some(line), .. } => format!(
                "add `{line}` to the job's `permissions:` (pull requests of forks and of Dependabot never get it: \
                 docs/workflows/ has a set-up with two workflows for them)"
            ),
            Self::Forbidden { permission: None, .. } => "give the job a token that may".to_owned(),
            Self::BadToken { .. } => "pass `github.token`, or a token that has not expired".to_owned(),
            Self::NotFound { .. } => {
                "check the name; a token without the permission to read also gets this answer".to_owned()
            }
            Self::Limited { .. } => "run the job again later, and fewer of its kind at once".to_owned(),
            Self::Unreachable { .. } => {
                "see whether GitHub has an incident; behind a proxy set HTTPS_PROXY, on a private server `ca-file`"
                    .to_owned()
            }
            Self::Refused { .. } => "the message above is GitHub's; https://docs.github.com/rest explains it".to_owned(),
            Self::Unreadable { .. } => {
                "an API older or newer than this rankhold, or a proxy that answers in GitHub's place".to_owned()
            }
        })
    }
}
