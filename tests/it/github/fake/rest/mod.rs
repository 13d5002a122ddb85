//! What each request does, by subject.

pub(super) mod actions;
pub(super) mod checks;
pub(super) mod comments;
pub(super) mod commits;
pub(super) mod contents;
pub(super) mod git;
pub(super) mod people;
pub(super) mod pulls;
pub(super) mod statuses;
