//! The settings of a `command`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::external::OptionProblem;
use super::super::output::{Format, Keys, Reader};
use crate::config::ByteSize;
use crate::ranking::Unit;

/// The keys of a `[[retriever]]` of kind `command`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CommandOptions {
    /// The program and its arguments, with `{query}` and optionally `{fetch}`, `{corpus}`, `{repo}`, `{scratch}`.
    pub argv: Vec<String>,
    /// Run once before the queries, to build an index; its placeholders are those of `argv` but for the query's.
    #[serde(default)]
    pub prepare: Option<Vec<String>>,
    /// Prints the tool's version on its first line, for instance `["tool", "--version"]`.
    #[serde(default)]
    pub version: Option<Vec<String>>,
    /// The model it uses, with a hash of it: what should be noticed when it changes.
    #[serde(default)]
    pub model: Option<String>,
    /// What a hit is: `file` (default), `chunk`, `entity`.
    #[serde(default = "file")]
    #[schemars(with = "String")]
    pub unit: Unit,
    /// The order of its hits means something. Default true.
    #[serde(default = "yes")]
    pub ranked: bool,
    /// What it prints: `json` (default), `json-lines`, `paths`, `grep`.
    #[serde(default)]
    pub format: Format,
    /// JSON pointer to the list of hits. Default: the whole output is the list.
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
    /// JSON pointer to what went wrong, in an output that is an error and exits with success. Default none.
    #[serde(default)]
    pub error: Option<String>,
    /// Texts that mean "nothing found": the whole output, or what stands at `error`. Default none.
    #[serde(default)]
    pub empty_texts: Vec<String>,
    /// Exit codes of success. Default `[0]`.
    #[serde(default = "success")]
    pub ok_exits: Vec<i32>,
    /// Exit codes that mean "no results", such as 1 of grep. Default none.
    #[serde(default)]
    pub empty_exits: Vec<i32>,
    /// Variables it sees, with their values.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Variables it sees with the value they have here; the values are secrets and never shown.
    #[serde(default)]
    pub pass_env: Vec<String>,
    /// The most it may print, on stdout and on stderr. Default 16MiB.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub max_output: Option<ByteSize>,
    /// How many queries may run side by side. Default 1.
    #[serde(default = "one")]
    pub parallel: usize,
    /// It writes into the folder it searches, and gets a copy of its own.
    #[serde(default)]
    pub writes: bool,
}

fn file() -> Unit {
    Unit::File
}

fn yes() -> bool {
    true
}

fn success() -> Vec<i32> {
    vec![0]
}

fn one() -> usize {
    1
}

impl CommandOptions {
    /// The default of everything but the argument vector.
    pub fn new(argv: Vec<String>) -> Self {
        Self {
            argv,
            prepare: None,
            version: None,
            model: None,
            unit: Unit::File,
            ranked: true,
            format: Format::Json,
            hits: None,
            path: None,
            id: None,
            score: None,
            summary: None,
            hit_kind: None,
            error: None,
            empty_texts: Vec::new(),
            ok_exits: success(),
            empty_exits: Vec::new(),
            env: BTreeMap::new(),
            pass_env: Vec::new(),
            max_output: None,
            parallel: 1,
            writes: false,
        }
    }

    /// How its output is read; keys that have no meaning in the format are refused.
    pub(super) fn reader(&self) -> Result<Reader, OptionProblem> {
        let keys = Keys {
            hits: self.hits.as_deref(),
            path: self.path.as_deref(),
            id: self.id.as_deref(),
            score: self.score.as_deref(),
            summary: self.summary.as_deref(),
            hit_kind: self.hit_kind.as_deref(),
            error: self.error.as_deref(),
        };
        let reader = Reader::new(self.format, keys, &self.empty_texts);
        reader.map_err(|(key, message)| OptionProblem::new(key, message))
    }
}
