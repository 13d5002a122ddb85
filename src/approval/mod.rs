//! Approval by a comment: what was typed, whether it counts, what it covers. Values in, values out.
//!
//! Nothing here asks GitHub: the edge finds out what [`Situation`] wants to know and does what [`decide`] says. What could
//! not be found out denies.

mod bundle;
mod command;
mod decide;

pub use bundle::{ApprovedBy, Bundle, BundleProblem, Place, places_of};
pub use command::{Approve, Command, Parsed, parse};
pub use decide::{
    Author, Decision, Head, How, Ignored, Permission, Proof, PullState, Refusal, Selection, Situation,
    Trigger, TypedToken, decide,
};
