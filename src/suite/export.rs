//! What the writers of the other formats share.

use std::collections::BTreeMap;

use super::{Case, Note, Place};

/// A suite in another format: its files, and what that format cannot say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Relative file name and content; one file for a format of one file.
    pub files: Vec<(String, String)>,
    /// What was left out, counted.
    pub notes: Vec<Note>,
}

/// Counts what a format leaves out.
#[derive(Debug, Default)]
pub(super) struct Losses(BTreeMap<&'static str, usize>);

impl Losses {
    /// One more case loses `what`, if it does.
    pub(super) fn count(&mut self, what: &'static str, lost: bool) {
        if lost {
            *self.0.entry(what).or_default() += 1;
        }
    }

    /// The keys of `metadata` and of the case that are not in `kept`.
    pub(super) fn keys(&mut self, case: &Case, kept: &[&str]) {
        self.count("expected", case.expected.is_some());
        self.count("keys of their own", !case.extra.is_empty());
        let lost = |key: &String| !kept.contains(&key.as_str());
        self.count("metadata", case.metadata.keys().any(lost));
    }

    /// The notes, `3 cases lose their metadata`.
    pub(super) fn into_notes(self, format: &str) -> Vec<Note> {
        let tell = |(what, count): (&str, usize)| {
            let who = if count == 1 { "case loses" } else { "cases lose" };
            Note::warning(Place::document(), format!("{count} {who} {what}: {format} cannot say it"))
        };
        self.0.into_iter().map(tell).collect()
    }
}
