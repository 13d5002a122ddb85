//! GitHub: what is read there, what is written there, and in which order.
//!
//! Nothing here measures or judges, and nothing here runs code of a pull request. A request is a value ([`Call`]) until
//! a [`Transport`] sends it, so that `replay` can print it and tests can hold it against GitHub's own description of its
//! API. The only asynchronous part of rankhold.

mod artifact;
mod base;
mod call;
mod client;
mod comment;
mod commit;
mod event;
mod merged;
mod patience;
mod person;
mod problem;
mod publish;
mod rehearsal;
mod repository;
mod stamp;
mod token;
mod transport;
mod verdict;
mod wire;

pub mod endpoint;

pub use artifact::{ArtifactRefused, archived_files, artifact_files};
pub use base::{Base, BaseProblem, entries_of, file_at, files_of};
pub use call::{Accept, Call, Verb};
pub use client::{Client, Written};
pub use comment::{Sticky, Us, Want};
pub use commit::{NewCommit, Swap, commit, holds, is_nothing_but, loose_commit};
pub use event::{
    EVENTS, Event, EventProblem, Finished, Manual, MergeGroup, PullEvent, Push, Queued, Said, SaidBelow,
};
pub use merged::{Behind, Merged, Passed, Speaks, Spoken, Walk};
pub use patience::{Next, Patience, Seen};
pub use person::{Rights, is_unedited, rights_of};
pub use problem::GithubProblem;
pub use publish::{Published, publish};
pub use rehearsal::{Files, Made, Rehearsal, Supposed};
pub use repository::{BadRepository, Repository};
pub use stamp::Stamp;
pub use token::{BadToken, Token};
pub use transport::{API, Answer, Broken, Connection, ConnectionProblem, Headers, Reply, Transport};
pub use verdict::{Conclusion, Outlet, Place, PullPlace, Shown, Standing, check_name};
pub use wire::{
    Annotation, Artifact, Artifacts, Author, Branch, CheckRun, CheckRuns, Comment, Commit, Compare, Entry,
    Level, Named, Output, Pull, PullBranch, PullFile, RemoteRepository, Run, Sha, Status,
};
