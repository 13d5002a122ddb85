//! What a pull request's report ends with.

use serde::Serialize;

use super::{TemplateProblem, template};

/// What a report was held against, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Footer {
    /// The base's branch.
    pub branch: String,
    /// The commit whose baselines the figures were compared with, shortened.
    pub base: String,
    /// How many commits the branch's tip is ahead of it.
    pub behind: u64,
    /// Where people read the run.
    pub run: String,
    /// Our version.
    pub version: &'static str,
    /// The tolerance of the workflow, if it counts for nothing.
    pub looser: Option<String>,
    /// Something can be approved, and no workflow reads comments.
    pub unanswered: bool,
}

/// As markdown.
pub fn footer(footer: &Footer) -> Result<String, TemplateProblem> {
    template::ours("footer.md.j2", footer)
}
