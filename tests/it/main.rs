//! One integration-test binary; each module is a topic.
#![expect(
    clippy::unwrap_used,
    reason = "a test that unwraps fails with the place and the error, which is what a test is for"
)]

#[cfg(unix)]
mod command;
mod corpus_copy;
mod grounds;
mod metrics_conformance;
#[cfg(unix)]
mod process;
mod protocol;
mod replay;
mod report;
mod report_scenes;
mod ripgrep;
mod suites_open_eval;
mod support;
mod templates;
mod verdict;
#[cfg(unix)]
mod worker;
#[cfg(unix)]
mod zoo;
