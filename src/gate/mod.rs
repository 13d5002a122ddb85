//! Result against baseline: what was lost, and whether that is allowed.

mod compare;
mod decimal;
mod flips;
mod notice;
mod policy;
mod reason;
mod verdict;

pub use compare::{CasePair, Change, Comparison, Delta, Link, Trend};
pub use decimal::{Decimal, NotADecimal};
pub use flips::Flips;
pub use notice::Notice;
pub use policy::{Gated, Policy, SegmentRule};
pub use reason::Reason;
pub use verdict::{Judgement, Unjudgeable, Verdict, floors_of, judge};
