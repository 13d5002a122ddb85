//! The settings of an MCP server.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::external::groundwork::FileOption;
use super::super::output::{Format, Keys, RankBy};
use super::super::template::Values;
use crate::config::ByteSize;
use crate::ranking::Unit;

/// The keys of a `[[retriever]]` of kind `mcp`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct McpOptions {
    /// The server and its arguments, with optionally `{corpus}`, `{repo}`, `{scratch}`: it is spoken to over its stdin
    /// and stdout. Either this or `url`.
    #[serde(default)]
    pub argv: Option<Vec<String>>,
    /// The address of a server that runs already: it is spoken to over streamable HTTP.
    #[serde(default)]
    pub url: Option<String>,
    /// Headers of every request to `url`, for instance `{ authorization = "Bearer {env:KEY}" }`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// A file of certificates (PEM) that are trusted beside Mozilla's, relative to the repository.
    #[serde(default)]
    pub ca_file: Option<String>,
    /// The tool that searches.
    pub tool: String,
    /// Its arguments: texts may hold `{query}`, `{fetch}`, `{corpus}`, `{repo}`, `{scratch}`, `{env:NAME}`; `"{fetch}"`
    /// alone is a number.
    pub arguments: Map<String, Value>,
    /// Names for texts: `{name}` stands for the text in `argv`, `prepare`, `version`, `model` and `files`.
    #[serde(default)]
    pub values: Values,
    /// Values in the place of those of `values` for `compare --floor`: a model of random vectors.
    #[serde(default)]
    pub floor: Option<Values>,
    /// Files that are written before `prepare`: `[{ path = "{scratch}/tool.yaml", text = "…" }]`.
    #[serde(default)]
    pub files: Vec<FileOption>,
    /// Run once before the server is started, to build an index.
    #[serde(default)]
    pub prepare: Option<Vec<String>>,
    /// What `prepare` prints when it is ready, for a program that goes on for ever: it is then asked to end.
    #[serde(default)]
    pub until: Option<String>,
    /// Prints the version of the server in `argv` on its first line, for instance `["server", "--version"]`. Default:
    /// what the server says of itself.
    #[serde(default)]
    pub version: Option<Vec<String>>,
    /// How to get it, for whoever does not have it.
    #[serde(default)]
    pub install: Option<String>,
    /// Ask it for a word in a folder of one file before it is called ready; of a server at `url` any answer will do. Default false.
    #[serde(default)]
    pub trial: bool,
    /// The model is a substitute for the one that the tool is made for: its figures say that it works and no more.
    #[serde(default)]
    pub stand_in: bool,
    /// Hits whose score is not above it are none. Default: all are hits.
    #[serde(default)]
    pub score_above: Option<f64>,
    /// What puts its hits in order: `printed` (default), or `score`, then path.
    #[serde(default)]
    pub rank_by: RankBy,
    /// The model it uses, with a hash of it: what should be noticed when it changes. A text that holds a value and no
    /// space, such as `{model}`, is a folder or a model of a hub that must be on this machine, and is hashed.
    #[serde(default)]
    pub model: Option<String>,
    /// What a hit is: `file` (default), `chunk`, `entity`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub unit: Option<Unit>,
    /// The order of its hits means something. Default true.
    #[serde(default)]
    pub ranked: Option<bool>,
    /// The form of the text it answers with: `json` (default), `json-lines`, `paths`, `grep`.
    #[serde(default)]
    pub format: Format,
    /// JSON pointer to the list of hits, in the structured content, else in the text. Default: the whole of it.
    #[serde(default)]
    pub hits: Option<String>,
    /// JSON pointer inside a hit to its path. Default `/path`.
    #[serde(default)]
    pub path: Option<String>,
    /// … to its id. Default `/id`.
    #[serde(default)]
    pub id: Option<String>,
    /// … to its score, larger is better. Default `/score`.
    #[serde(default)]
    pub score: Option<String>,
    /// … to the text an agent would receive. Default `/summary`.
    #[serde(default)]
    pub summary: Option<String>,
    /// … to what it is. Default `/kind`.
    #[serde(default)]
    pub hit_kind: Option<String>,
    /// JSON pointer to what went wrong, in an answer that is an error and does not say so. Default none.
    #[serde(default)]
    pub error: Option<String>,
    /// Texts that mean "nothing found": a whole answer, or what stands at `error`. Default none.
    #[serde(default)]
    pub empty_texts: Vec<String>,
    /// Variables it sees, with their values.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Variables it sees with the value they have here; the values are secrets and never shown.
    #[serde(default)]
    pub pass_env: Vec<String>,
    /// The longest message it may send. Default 16MiB.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub max_output: Option<ByteSize>,
    /// How many servers (or sessions with the one at `url`) there may be side by side. Default 1.
    #[serde(default)]
    pub parallel: Option<usize>,
    /// It writes into the folder it searches, and gets a copy of its own.
    #[serde(default)]
    pub writes: bool,
}

impl McpOptions {
    /// The default of everything but where the server is.
    pub fn new(tool: impl Into<String>, arguments: Map<String, Value>) -> Self {
        Self {
            argv: None,
            url: None,
            headers: BTreeMap::new(),
            ca_file: None,
            tool: tool.into(),
            arguments,
            values: Values::new(),
            floor: None,
            files: Vec::new(),
            prepare: None,
            until: None,
            version: None,
            install: None,
            trial: false,
            stand_in: false,
            score_above: None,
            rank_by: RankBy::Printed,
            model: None,
            unit: None,
            ranked: None,
            format: Format::Json,
            hits: None,
            path: None,
            id: None,
            score: None,
            summary: None,
            hit_kind: None,
            error: None,
            empty_texts: Vec::new(),
            env: BTreeMap::new(),
            pass_env: Vec::new(),
            max_output: None,
            parallel: None,
            writes: false,
        }
    }

    /// Where things are in an answer.
    pub(super) fn keys(&self) -> Keys<'_> {
        Keys {
            hits: self.hits.as_deref(),
            path: self.path.as_deref(),
            id: self.id.as_deref(),
            score: self.score.as_deref(),
            summary: self.summary.as_deref(),
            hit_kind: self.hit_kind.as_deref(),
            error: self.error.as_deref(),
        }
    }
}
