//! One integration-test binary; each module is a topic.
#![expect(
    clippy::unwrap_used,
    reason = "a test that unwraps fails with the place and the error, which is what a test is for"
)]

mod action_phases;
mod action_yml;
mod approval;
mod architecture;
mod bad_input;
mod coderankembed;
mod command;
mod compare;
mod corpus;
mod corpus_copy;
mod determinism;
mod docs;
mod docs_approvals;
mod doctor_workflow;
mod doctor_workflow_hostile;
mod failures;
mod flow;
mod forgery;
mod full_action;
mod github;
mod grounds;
mod http;
mod inputs;
mod leaks;
mod mcp;
mod metrics_conformance;
mod missteps;
mod mistyped;
mod outputs;
mod own_suite;
mod pages;
mod process;
mod program;
mod protocol;
mod python;
mod replay;
mod report;
mod report_budget;
mod report_docs;
mod report_hostile;
mod report_scenes;
mod report_table;
mod ripgrep;
mod semble;
mod served;
mod setup;
mod signals;
mod strangers;
mod suites_add;
mod suites_commands;
mod suites_conformance;
mod suites_formats;
mod suites_lint;
mod suites_open_eval;
mod suites_scale;
mod support;
mod templates;
mod transcripts;
mod verdict;
mod worker;
mod zoo;
