//! Result against baseline: what was lost, and whether that is allowed.

mod compare;
mod decimal;
mod policy;
mod verdict;

pub use compare::{CasePair, Change, Comparison, Delta, Link, Trend};
pub use decimal::{Decimal, NotADecimal};
pub use policy::{Gated, Policy, SegmentRule};
pub use verdict::{Flips, Judgement, Notice, Reason, Unjudgeable, Verdict, judge};
