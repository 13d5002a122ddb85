//! GitHub: what is read there, what is written there, and in which order.
//!
//! Nothing here measures or judges, and nothing here runs code of a pull request. A request is a value ([`Call`]) until
//! a [`Transport`] sends it, so that `replay` can print it and tests can hold it against GitHub's own description of its
//! API. The only asynchronous part of rankhold.

mod call;
mod client;
mod patience;
mod problem;
mod repository;
mod token;
mod transport;
mod wire;

pub mod endpoint;

pub use call::{Accept, Call, Verb};
pub use client::{Client, Written};
pub use patience::{Next, Patience, Seen};
pub use problem::GithubProblem;
pub use repository::{BadRepository, Repository};
pub use token::{BadToken, Token};
pub use transport::{Answer, Broken, Connection, ConnectionProblem, Headers, Reply, Transport};
pub use wire::{
    Annotation, Artifact, Artifacts, Author, Branch, CheckRun, CheckRuns, Comment, Commit, Compare, Entry,
    Level, Output, Pull, PullBranch, PullFile, RemoteRepository, Run, Sha,
};
