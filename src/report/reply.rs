//! Answers to slash commands.

use serde::Serialize;

use super::{TemplateProblem, template};

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Reply {
    /// The command is not carried out.
    Refused {
        /// Whose command it is.
        to: String,
        /// Why, as a sentence without a full stop.
        what: String,
        /// What to do, likewise.
        hint: String,
        /// What can be approved now.
        token: Option<String>,
    },
    /// The commands.
    Help,
    /// What can be approved.
    Status {
        /// The commit, shortened.
        head: String,
        /// The pairs.
        pairs: Vec<ReplyPair>,
        /// What stands for them.
        token: String,
    },
    /// It was carried out.
    Approved {
        /// Whose command it is.
        by: String,
        /// He opened the pull request too.
        own: bool,
        /// In his words.
        reason: Option<String>,
        /// What was approved.
        pairs: Vec<ReplyPair>,
        /// What does not pass all the same.
        rest: Vec<ReplyPair>,
        /// The commit that it was written to, shortened.
        commit: Option<String>,
        /// An App made that commit, so that workflows run on it.
        app: bool,
        /// Nothing was committed: the comment is the approval.
        record: bool,
    },
}

/// A pair in an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplyPair {
    /// Suite name.
    pub suite: String,
    /// Retriever name.
    pub retriever: String,
    /// The first gated figure as it was approved.
    pub before: Option<String>,
    /// The one that is approved.
    pub after: Option<String>,
    /// What else to say.
    pub note: String,
}

/// As markdown.
pub fn reply(reply: &Reply) -> Result<String, TemplateProblem> {
    Ok(template::ours("reply.md.j2", reply)?.trim().to_owned() + "\n")
}

/// What stands above the packed candidates in a check's text.
pub fn above_candidates(token: &str) -> Result<String, TemplateProblem> {
    #[derive(Serialize)]
    struct Above<'a> {
        token: &'a str,
    }
    template::ours("candidates.md.j2", &Above { token })
}
