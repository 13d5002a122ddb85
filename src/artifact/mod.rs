//! The files that cross runs: result, candidate, baseline. Sealed with a content hash, strict to read.
//!
//! Nothing here knows a clock, a machine or a path of one: the same input gives the same bytes.

mod approved;
mod baseline;
mod candidate;
mod case;
mod identity;
mod instant;
mod outcome;
mod problem;
mod record;
mod result;
mod seal;
mod timings;
mod v1;

pub use baseline::{Approval, Baseline};
pub use candidate::Candidate;
pub use case::CaseResult;
pub use identity::{CorpusIdentity, CorpusRules, Counts, Measurement, RetrieverIdentity, SuiteIdentity};
pub use instant::{Instant, NoInstant};
pub use outcome::CaseOutcome;
pub use problem::ArtifactProblem;
pub use record::{ApprovalToken, Covered, CoveredPair, NoToken, Record};
pub use result::{Segments, SuiteResult, segment_key};
pub use seal::{Kind, document, kind_of};
pub use timings::{Timings, percentile};
