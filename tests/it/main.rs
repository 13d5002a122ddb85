//! One integration-test binary; each module is a topic.

mod report;
mod report_budget;
mod report_docs;
mod report_hostile;
mod report_scenes;
mod report_table;
mod support;
mod templates;
