//! What we read of GitHub's answers, and no more: a field that we do not need cannot break us.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::Repository;

/// A commit's name: 40 lower-case hexadecimal digits (64 where a repository uses SHA-256).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Sha(String);

impl Sha {
    /// Takes a full object name; an abbreviated one is none.
    pub fn new(text: &str) -> Option<Self> {
        let fits = matches!(text.len(), 40 | 64)
            && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        fits.then(|| Self(text.to_owned()))
    }

    /// In full.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As people read it.
    pub fn short(&self) -> &str {
        &self.0[..7]
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Sha {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).ok_or_else(|| serde::de::Error::custom("expected the full name of a commit"))
    }
}

/// A repository as part of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RemoteRepository {
    /// Never reused.
    pub id: u64,
    /// Its name today.
    pub full_name: Repository,
    /// The branch that workflows of comments run from.
    #[serde(default)]
    pub default_branch: Option<String>,
}

/// One end of a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PullBranch {
    /// The branch's name.
    #[serde(rename = "ref")]
    pub branch: String,
    /// Its tip.
    pub sha: Sha,
    /// Where it lies; none when that fork was deleted.
    pub repo: Option<RemoteRepository>,
}

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Pull {
    /// Its number.
    pub number: u64,
    /// `open` or `closed`.
    pub state: String,
    /// Not ready for review.
    #[serde(default)]
    pub draft: bool,
    /// What is proposed.
    pub head: PullBranch,
    /// Onto what.
    pub base: PullBranch,
    /// Who opened it; none when the account was deleted.
    #[serde(default)]
    pub user: Option<Author>,
    /// When it was merged, RFC 3339.
    #[serde(default)]
    pub merged_at: Option<String>,
    /// Where people read it.
    #[serde(default)]
    pub html_url: Option<String>,
    /// Its text.
    #[serde(default)]
    pub body: Option<String>,
    /// The commit that merged it; while it is open, that of the test merge.
    #[serde(default)]
    pub merge_commit_sha: Option<Sha>,
}

/// Who wrote something.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Author {
    /// Never reused.
    pub id: u64,
    /// The name today.
    pub login: String,
    /// `User`, `Bot` …
    #[serde(rename = "type")]
    pub kind: String,
}

/// A comment of a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Comment {
    /// Its number.
    pub id: u64,
    /// Its text; GitHub may leave it out.
    #[serde(default)]
    pub body: Option<String>,
    /// None when the account was deleted.
    pub user: Option<Author>,
    /// Where people read it.
    pub html_url: String,
    /// Its name for GraphQL.
    #[serde(default)]
    pub node_id: Option<String>,
    /// When it was written, RFC 3339.
    #[serde(default)]
    pub created_at: Option<String>,
    /// The API's address of what it stands below.
    #[serde(default)]
    pub issue_url: Option<String>,
}

/// A file that a pull request touches.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PullFile {
    /// Its path.
    pub filename: String,
    /// `added`, `removed`, `modified`, `renamed` …
    pub status: String,
    /// Its path before, if it was renamed.
    #[serde(default)]
    pub previous_filename: Option<String>,
}

/// A commit by name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Commit {
    /// Its name.
    pub sha: Sha,
    /// Its parents, the first first.
    #[serde(default)]
    pub parents: Vec<Parent>,
    /// What is in it.
    #[serde(default)]
    pub commit: Option<Inside>,
}

/// What is in a commit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Inside {
    /// Its message.
    #[serde(default)]
    pub message: String,
    /// Its files.
    #[serde(default)]
    pub tree: Option<Named>,
}

/// An object of git, by name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Named {
    /// Its name.
    pub sha: Sha,
}

/// A parent of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Parent {
    /// Its name.
    pub sha: Sha,
}

/// A branch.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Branch {
    /// Its tip.
    pub commit: Commit,
    /// Rules guard it.
    #[serde(default)]
    pub protected: Option<bool>,
}

/// How two commits lie to each other.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Compare {
    /// `ahead`, `behind`, `identical` or `diverged`: the second against the first.
    pub status: String,
    /// Commits that the second has and the first has not.
    pub ahead_by: u64,
    /// The reverse.
    pub behind_by: u64,
    /// Where they parted.
    pub merge_base_commit: Commit,
    /// What the second has and the first has not, as far as it was asked for.
    #[serde(default)]
    pub commits: Vec<Commit>,
    /// The files that differ, where they were asked for. GitHub lists the first 300.
    #[serde(default)]
    pub files: Vec<PullFile>,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Entry {
    /// `file`, `dir`, `symlink`, `submodule`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its name in the folder.
    pub name: String,
    /// Its path in the repository.
    pub path: String,
    /// Its object's name.
    pub sha: String,
}

/// A check run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CheckRun {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// The commit it is about.
    pub head_sha: Sha,
    /// `queued`, `in_progress`, `completed`.
    pub status: String,
    /// How it ended.
    pub conclusion: Option<String>,
    /// What its maker says of itself.
    #[serde(default)]
    pub external_id: Option<String>,
    /// Where people read it.
    #[serde(default)]
    pub html_url: Option<String>,
    /// Where its maker sends people for details.
    #[serde(default)]
    pub details_url: Option<String>,
    /// What it says.
    #[serde(default)]
    pub output: Output,
    /// Who made it; none if that app is gone.
    #[serde(default)]
    pub app: Option<App>,
}

/// An app.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct App {
    /// The part of its address that is its name; its bot has it too.
    #[serde(default)]
    pub slug: Option<String>,
}

/// What a check run says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Output {
    /// In a line.
    #[serde(default)]
    pub title: Option<String>,
    /// Markdown.
    #[serde(default)]
    pub summary: Option<String>,
    /// Markdown below it.
    #[serde(default)]
    pub text: Option<String>,
    /// How many annotations it has. They can be added to, never taken back.
    #[serde(default)]
    pub annotations_count: u64,
}

/// A status of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Status {
    /// Its name.
    pub context: String,
    /// `error`, `failure`, `pending` or `success`.
    pub state: String,
    /// In a line.
    #[serde(default)]
    pub description: Option<String>,
    /// Where the details are.
    #[serde(default)]
    pub target_url: Option<String>,
}

/// A page of check runs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CheckRuns {
    /// Of them all.
    pub total_count: u64,
    /// This page's.
    pub check_runs: Vec<CheckRun>,
}

/// How loud an annotation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// For information.
    Notice,
    /// Look here.
    Warning,
    /// This is why it failed.
    Failure,
}

/// A remark at a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Annotation {
    /// The file.
    pub path: String,
    /// 1-based.
    pub start_line: u64,
    /// 1-based, the same line or a later one.
    pub end_line: u64,
    /// How loud.
    #[serde(rename = "annotation_level")]
    pub level: Level,
    /// In a line, at most 255 characters.
    pub title: String,
    /// At most 64 KB.
    pub message: String,
}

/// A workflow run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Run {
    /// Its number.
    pub id: u64,
    /// Its attempt.
    #[serde(default)]
    pub run_attempt: Option<u64>,
    /// What started it.
    pub event: String,
    /// The workflow's file.
    pub path: String,
    /// How it ended.
    pub conclusion: Option<String>,
    /// The commit it was about.
    pub head_sha: Sha,
    /// The branch it was about.
    pub head_branch: Option<String>,
    /// Where that branch lies; none when that fork was deleted.
    pub head_repository: Option<RemoteRepository>,
    /// When this attempt began.
    #[serde(default)]
    pub run_started_at: Option<jiff::Timestamp>,
}

/// A page of artifacts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Artifacts {
    /// Of them all.
    pub total_count: u64,
    /// This page's.
    pub artifacts: Vec<Artifact>,
}

/// A file that a workflow run left.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Artifact {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Packed, in bytes.
    pub size_in_bytes: u64,
    /// It is gone.
    pub expired: bool,
}
