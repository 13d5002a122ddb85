//! The table of kinds: what a configuration may name, and how each is built from its keys.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Retriever;
use super::bm25::{Bm25, Bm25Options};
use super::command::{Command, CommandOptions};
use super::http::{Http, HttpOptions};
use super::mcp::{Mcp, McpOptions};
use super::replay::{Replay, ReplayOptions};
use super::ripgrep::{Ripgrep, RipgrepOptions};
use super::worker::{Worker, WorkerOptions};
use crate::catalog;
use crate::config::{RetrieverEntry, did_you_mean, with_suggestion};
use crate::error::{Blame, Blamed};

/// One kind of retriever.
pub struct Kind {
    /// As `kind = "…"` names it.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// It runs in this process and starts no program: it may be asked beside a token.
    pub embedded: bool,
    /// It needs no `[[retriever]]` entry.
    pub needs_no_entry: bool,
    /// The key that names a file of answers, which no retriever may see.
    pub answers: Option<&'static str>,
    /// From its keys.
    build: fn(&Options, &Path) -> Built,
    /// The JSON Schema of its keys.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

type Options = BTreeMap<String, Value>;
type Built = Result<Box<dyn Retriever>, String>;

/// Every kind, in the order of output.
pub static RETRIEVERS: &[Kind] = &[
    Kind {
        name: "bm25",
        about: "embedded field-weighted BM25 with definitions, stemming and Portuguese; the default",
        embedded: true,
        needs_no_entry: true,
        answers: None,
        build: |keys, _| options::<Bm25Options>(keys).map(|_| Box::new(Bm25) as Box<dyn Retriever>),
        schema: Bm25Options::json_schema,
    },
    Kind {
        name: "ripgrep",
        about: "embedded literal search (the crates of ripgrep), ranked by evidence",
        embedded: true,
        needs_no_entry: true,
        answers: None,
        build: |keys, _| Ok(Box::new(Ripgrep::new(options::<RipgrepOptions>(keys)?))),
        schema: RipgrepOptions::json_schema,
    },
    Kind {
        name: "command",
        about: "your program, started once for each query",
        embedded: false,
        needs_no_entry: false,
        answers: None,
        build: |keys, repo| {
            let command = Command::new(options(keys)?, repo).map_err(|problem| problem.to_string())?;
            Ok(Box::new(command))
        },
        schema: CommandOptions::json_schema,
    },
    Kind {
        name: "worker",
        about: "your process that speaks JSON Lines: one index, many queries (docs/protocol.md)",
        embedded: false,
        needs_no_entry: false,
        answers: None,
        build: |keys, repo| {
            let worker = Worker::new(options(keys)?, repo).map_err(|problem| problem.to_string())?;
            Ok(Box::new(worker))
        },
        schema: WorkerOptions::json_schema,
    },
    Kind {
        name: "mcp",
        about: "any MCP server, over its stdin and stdout or over streamable HTTP",
        embedded: false,
        needs_no_entry: false,
        answers: None,
        build: |keys, repo| {
            let mcp = Mcp::new(options(keys)?, repo).map_err(|problem| problem.to_string())?;
            Ok(Box::new(mcp))
        },
        schema: McpOptions::json_schema,
    },
    Kind {
        name: "http",
        about: "any search server, asked over HTTP; it may be started here",
        embedded: false,
        needs_no_entry: false,
        answers: None,
        build: |keys, repo| {
            let http = Http::new(options(keys)?, repo).map_err(|problem| problem.to_string())?;
            Ok(Box::new(http))
        },
        schema: HttpOptions::json_schema,
    },
    Kind {
        name: "replay",
        about: "rankings from a file: JSON, JSON lines or a TREC run",
        embedded: true,
        needs_no_entry: false,
        answers: Some("file"),
        build: |keys, repo| {
            let replay = Replay::new(options(keys)?, repo).map_err(|problem| problem.to_string())?;
            Ok(Box::new(replay))
        },
        schema: ReplayOptions::json_schema,
    },
];

/// A retriever that cannot be built from its configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildProblem {
    /// No such kind.
    #[error("there is no retriever `{name}`: neither configured nor built in ({known}){near}")]
    Unknown {
        /// As named.
        name: String,
        /// What there is.
        known: String,
        /// A suggestion.
        near: String,
    },
    /// A tool of the field that this version has no adapter for.
    #[error("this version has no adapter for {name} yet")]
    NotYet {
        /// The tool.
        name: String,
        /// How to use it meanwhile.
        hint: &'static str,
    },
    /// A key is missing, unknown or of the wrong type.
    #[error("[[retriever]] `{name}` (kind {kind}): {message}")]
    Keys {
        /// The retriever.
        name: String,
        /// Its kind.
        kind: String,
        /// What is wrong.
        message: String,
    },
}

impl Blamed for BuildProblem {
    fn blame(&self) -> Blame {
        match self {
            Self::Unknown { .. } | Self::Keys { .. } => Blame::User,
            Self::NotYet { .. } => Blame::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { .. } => {
                "name one of these, or describe it in a [[retriever]] of rankhold.toml".to_owned()
            }
            Self::NotYet { hint, .. } => (*hint).to_owned(),
            Self::Keys { kind, .. } => format!("`rankhold schema` prints the keys of kind {kind}"),
        })
    }
}

/// The kind of that name.
pub fn kind(name: &str) -> Option<&'static Kind> {
    RETRIEVERS.iter().find(|kind| kind.name == name)
}

/// Builds the retriever that an entry describes; `repo` is the repository's root (absolute).
pub fn build(entry: &RetrieverEntry, repo: &Path) -> Result<Box<dyn Retriever>, BuildProblem> {
    let Some(kind) = kind(&entry.kind) else { return Err(unknown(&entry.kind)) };
    (kind.build)(&entry.options, repo).map_err(|message| BuildProblem::Keys {
        name: entry.name.clone(),
        kind: entry.kind.clone(),
        message,
    })
}

fn unknown(name: &str) -> BuildProblem {
    if let Some(tool) = catalog::tool(name) {
        return BuildProblem::NotYet { name: name.to_owned(), hint: tool.meanwhile };
    }
    let names = || RETRIEVERS.iter().map(|kind| kind.name);
    let near = did_you_mean(name, names().chain(catalog::TOOLS.iter().map(|tool| tool.name)));
    BuildProblem::Unknown { name: name.to_owned(), known: names().collect::<Vec<_>>().join(", "), near }
}

/// Keys as a strict type. The message names the key, with a suggestion where one is near.
fn options<T: DeserializeOwned>(keys: &Options) -> Result<T, String> {
    let keys = Value::Object(keys.clone().into_iter().collect());
    serde_path_to_error::deserialize(keys).map_err(|error| {
        let at = error.path().to_string();
        let message = with_suggestion(&error.into_inner().to_string());
        if at == "." { message } else { format!("{at}: {message}") }
    })
}
