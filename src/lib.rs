//! Rankhold answers one question on every pull request: does the ranking hold?
//!
//! The tour, in reading order. A module may import those above it, never below.

pub mod canon;
pub mod error;
pub mod exit;
pub mod name;

pub mod suite;

pub mod ranking;

pub mod metric;

pub mod artifact;

pub mod gate;

pub mod report;

pub mod corpus;

pub mod retriever;

pub mod progress;

pub mod term;
