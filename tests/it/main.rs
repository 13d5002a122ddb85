//! One integration-test binary; each module is a topic.

mod report;
mod report_docs;
mod report_scenes;
mod report_table;
mod support;
mod templates;
