//! The text of a pull request that proposes baselines.

use serde::Serialize;

use super::{TemplateProblem, template};

/// What is proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// To which branch.
    pub branch: String,
    /// The pairs whose files it has.
    pub pairs: Vec<ProposedPair>,
}

/// A pair of a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProposedPair {
    /// Suite name.
    pub suite: String,
    /// Retriever name.
    pub retriever: String,
    /// The first gated figure as it was approved; none if the pair is given up.
    pub after: Option<String>,
    /// Who approved it.
    pub by: Option<String>,
    /// In which pull request.
    pub pull: u64,
}

/// As markdown.
pub fn proposal(proposal: &Proposal) -> Result<String, TemplateProblem> {
    Ok(template::ours("proposal.md.j2", proposal)?.trim().to_owned() + "\n")
}
