//! Workflows of GitHub Actions as data: read into types of our own, and held against what the action needs.
//!
//! Values in, values out. A workflow is hostile text: [`Workflow::read`] refuses by line what it cannot read, and nothing
//! in it is run or believed. [`check`] gives findings, each with the lines that cure it.

mod check;
mod edit;
mod examples;
mod facts;
mod finding;
mod model;
mod ours;
mod read;
mod yaml;

pub use check::{RULES, check, judging};
pub use edit::{Edit, Region};
pub use examples::{
    COMMAND, EXTERNAL, Example, FORKS_EXTERNAL, FORKS_MEASURE, FORKS_PUBLISH, MATRIX, PROPOSE,
    PROPOSE_EXTERNAL, SAME_REPOSITORY,
};
pub use facts::{Configured, Facts, Names, Pair};
pub use finding::{Cure, Finding, Level, Rule};
pub use model::Workflow;
pub use ours::Local;
pub use yaml::{MAX_BYTES, Refused};
