//! Why an artifact is refused.

use crate::canon::Digest;
use crate::error::{Blame, Blamed};

use super::Kind;

/// What is wrong with a result, candidate or baseline. The edge adds which file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArtifactProblem {
    /// It is no JSON.
    #[error("is not JSON: {0}")]
    NotJson(String),
    /// It is something else.
    #[error("should be a {}, but its `type` is {found}", wanted.word())]
    OtherKind {
        /// What was asked for.
        wanted: Kind,
        /// What `type` says.
        found: String,
    },
    /// It is none of our types.
    #[error("is neither baseline nor candidate, result or timings file: its `type` is {found}")]
    Foreign {
        /// What `type` says.
        found: String,
    },
    /// A format of a newer or unknown version.
    #[error("has schemaVersion {found}, which this rankhold does not read (it reads {reads})")]
    Version {
        /// What the file says.
        found: String,
        /// What is read.
        reads: &'static str,
    },
    /// The content is not what was hashed.
    #[error("was changed by hand or damaged: its contentHash says {stated}, its content hashes to {actual}")]
    Hash {
        /// What the file says.
        stated: Digest,
        /// What its content gives.
        actual: Digest,
    },
    /// A field is missing, unknown or of the wrong type.
    #[error("does not have the shape of its format at `{at}`: {message}")]
    Shape {
        /// JSON path of the field.
        at: String,
        /// What is wrong there.
        message: String,
    },
    /// A figure does not follow from the rest of the same file.
    #[error("contradicts itself at `{at}`: it says {stated}, the rest of the file gives {actual}")]
    Contradiction {
        /// JSON pointer of the field.
        at: String,
        /// What the file says.
        stated: String,
        /// What recomputing gives.
        actual: String,
    },
}

impl Blamed for ArtifactProblem {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Hash { .. } | Self::Contradiction { .. } => {
                "restore the file from version control, or have the figures measured and approved anew with \
                 `rankhold approve --by NAME`; a figure is never edited by hand"
                    .to_owned()
            }
            Self::NotJson(_) | Self::Shape { .. } => {
                "restore the file from version control (a merge conflict in it is never merged by hand: take the \
                 base's file and approve anew)"
                    .to_owned()
            }
            Self::OtherKind { .. } | Self::Foreign { .. } => "check which file belongs where".to_owned(),
            Self::Version { .. } => "update rankhold".to_owned(),
        })
    }
}
