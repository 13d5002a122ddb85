//! Rankings that were made elsewhere, read from a file (`docs/protocol.md` has the forms).

mod rankings;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use self::rankings::Rankings;
use super::external::OptionProblem;
use super::{
    Availability, Bench, Deadline, Description, PrepareError, Prepared, Query, QueryError, Retriever,
    Session, Site,
};
use crate::canon::Digest;
use crate::error::Failure;
use crate::files;
use crate::ranking::{ErrorClass, RawHit, Unit};

/// The form of a file of rankings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayFormat {
    /// Our own: one document.
    Json,
    /// One `{"query", "hits"}` a line.
    JsonLines,
    /// A TREC run, whose topics are case ids.
    Trec,
}

/// The keys of a `[[retriever]]` of kind `replay`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ReplayOptions {
    /// The file, relative to the repository.
    pub file: String,
    /// Its form: `json`, `json-lines`, `trec`. Default: by its ending, `.json`, `.jsonl` or `.ndjson`, else `trec`.
    #[serde(default)]
    pub format: Option<ReplayFormat>,
    /// What a hit is: `file` (default), `chunk`, `entity`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub unit: Option<Unit>,
}

/// Rankings from a file, as configured.
#[derive(Debug)]
pub struct Replay {
    options: ReplayOptions,
    repo: PathBuf,
    path: PathBuf,
    format: ReplayFormat,
    read: OnceLock<Result<Recorded, Unread>>,
}

#[derive(Debug)]
struct Recorded {
    rankings: Rankings,
    hash: Digest,
}

#[derive(Clone, Debug)]
enum Unread {
    Absent(String),
    Unreadable(String),
}

impl Replay {
    /// Checks the settings; `repo` (absolute) is where the file is looked for.
    pub fn new(options: ReplayOptions, repo: &Path) -> Result<Self, OptionProblem> {
        if options.file.is_empty() {
            return Err(OptionProblem::new("file", "is empty; name a file of rankings"));
        }
        let ending = Path::new(&options.file).extension().and_then(|ending| ending.to_str());
        let by_ending = match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("json") => ReplayFormat::Json,
            Some("jsonl" | "ndjson") => ReplayFormat::JsonLines,
            _ => ReplayFormat::Trec,
        };
        let (path, format) = (repo.join(&options.file), options.format.unwrap_or(by_ending));
        Ok(Self { options, repo: repo.to_owned(), path, format, read: OnceLock::new() })
    }

    /// The file is read once: what is described is what is replayed.
    fn recorded(&self) -> Result<&Recorded, Unread> {
        let read = || {
            let bytes =
                files::read_in(&self.repo, &self.path, files::MAX_BYTES).map_err(|error| match error {
                    files::FileError::Absent { .. } => {
                        Unread::Absent(format!("there is no file `{}`", self.options.file))
                    }
                    error => Unread::Unreadable(Failure::from(error).to_string()),
                })?;
            let rankings =
                Rankings::read(&self.options.file, &bytes, self.format).map_err(Unread::Unreadable)?;
            Ok(Recorded { rankings, hash: Digest::of_bytes(&bytes) })
        };
        self.read.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    fn describe(&self, recorded: &Recorded) -> Description {
        Description {
            version: format!("sha256:{}", recorded.hash.short(12)),
            model: None,
            program: None,
            stand_in: false,
            tried: true,
            unit: self.options.unit.unwrap_or(Unit::File),
            ranked: true,
        }
    }
}

impl Retriever for Replay {
    fn probe(&self, _: &Bench<'_>) -> Availability {
        match self.recorded() {
            Ok(recorded) => Availability::Ready(self.describe(recorded)),
            Err(Unread::Absent(what)) => Availability::Missing {
                what,
                hint: "record the rankings first, or correct `file`".to_owned(),
            },
            Err(Unread::Unreadable(detail)) => Availability::Broken { detail, hint: None },
        }
    }

    fn configuration(&self) -> serde_json::Value {
        let hash = self.recorded().ok().map(|recorded| recorded.hash.to_string());
        json!({ "rankings": hash, "format": format!("{:?}", self.format), "unit": self.options.unit })
    }

    fn prepare<'a>(&'a self, site: &Site<'a>) -> Result<Box<dyn Prepared + 'a>, PrepareError> {
        match self.recorded() {
            Ok(recorded) => Ok(Box::new(Player { replay: self, recorded, threads: site.threads })),
            Err(Unread::Absent(detail) | Unread::Unreadable(detail)) => Err(PrepareError::new(detail)),
        }
    }
}

struct Player<'a> {
    replay: &'a Replay,
    recorded: &'a Recorded,
    threads: usize,
}

impl Prepared for Player<'_> {
    fn description(&self) -> Option<Description> {
        Some(self.replay.describe(self.recorded))
    }

    fn max_sessions(&self) -> usize {
        self.threads.max(1)
    }

    fn open(&self) -> Result<Box<dyn Session + '_>, PrepareError> {
        Ok(Box::new(Playing(self)))
    }
}

struct Playing<'a>(&'a Player<'a>);

impl Session for Playing<'_> {
    fn query(
        &mut self,
        query: &Query<'_>,
        fetch: usize,
        _deadline: Deadline,
    ) -> Result<Vec<RawHit>, QueryError> {
        let rankings = &self.0.recorded.rankings;
        let found = rankings.find(query.id).or_else(|| rankings.find(query.text));
        let mut hits = found.ok_or_else(|| {
            let file = &self.0.replay.options.file;
            let what = format!(
                "{file} has no ranking for the case `{}`, under its id or its query; record it anew",
                query.id
            );
            QueryError::new(ErrorClass::Tool, what)
        })?;
        hits.truncate(fetch);
        Ok(hits)
    }
}
