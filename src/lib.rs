//! Rankhold answers one question on every pull request: does the ranking hold?
//!
//! The tour, in reading order. A module may import those above it, never below.

pub mod canon;
pub mod error;
pub mod exit;
pub mod name;
pub mod stats;
pub mod strict;

pub mod suite;

pub mod ranking;

pub mod metric;

pub mod artifact;

pub mod gate;

pub mod report;

pub mod config;

pub mod approval;

pub mod workflow;

pub mod cli;

pub mod files;
pub mod parallel;

pub mod process;

pub mod progress;
pub mod term;
pub mod web;

pub mod history;

pub mod corpus;

pub mod retriever;

pub mod measure;

pub mod github;

pub mod app;
