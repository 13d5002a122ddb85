//! The settings of a `command`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::external::OptionProblem;
use super::super::external::groundwork::FileOption;
use super::super::output::{Format, Keys, RankBy, Reader};
use super::super::template::Values;
use crate::config::ByteSize;
use crate::ranking::Unit;

/// The keys of a `[[retriever]]` of kind `command`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "a mirror of the file, key by key")]
pub struct CommandOptions {
    /// The program and its arguments, with `{query}` (or `{word}`: the argument is repeated for each word of the
    /// query) and optionally `{fetch}`, `{timeout}` (seconds, more than we wait), `{corpus}`, `{repo}`, `{scratch}`.
    pub argv: Vec<String>,
    /// Names for texts: `{name}` stands for the text in `argv`, `prepare`, `version`, `lists`, `model` and `files`.
    #[serde(default)]
    pub values: Values,
    /// Files that are written before `prepare`: `[{ path = "{scratch}/tool.yaml", text = "…" }]`.
    #[serde(default)]
    pub files: Vec<FileOption>,
    /// Run once before the queries, to build an index; its placeholders are those of `argv` but for the query's.
    #[serde(default)]
    pub prepare: Option<Vec<String>>,
    /// What `prepare` prints when it is ready, for a program that goes on for ever: it is then asked to end.
    #[serde(default)]
    pub until: Option<String>,
    /// Prints the tool's version on its first line, for instance `["tool", "--version"]`.
    #[serde(default)]
    pub version: Option<Vec<String>>,
    /// The model it uses, with a hash of it: what should be noticed when it changes. A text that holds a value and no
    /// space, such as `{model}`, is a folder or a model of a hub that must be on this machine, and is hashed.
    #[serde(default)]
    pub model: Option<String>,
    /// The model is a substitute for the one that the tool is made for: its figures say that it works and no more.
    #[serde(default)]
    pub stand_in: bool,
    /// Values in the place of those of `values` for `compare --floor`: a model of random vectors.
    #[serde(default)]
    pub floor: Option<Values>,
    /// The tool reads models from a hub's cache: `"auto"`, or its folder.
    #[serde(default)]
    pub model_cache: Option<String>,
    /// How to get it, for whoever does not have it.
    #[serde(default)]
    pub install: Option<String>,
    /// Ask it for a word in a folder of one file before it is called ready. Default false.
    #[serde(default)]
    pub trial: bool,
    /// Files that it writes anew with each query: put back as they were after `prepare` when a query had to be ended.
    #[serde(default)]
    pub restore: Vec<String>,
    /// Globs of the files that it reads, if it reads no others.
    #[serde(default)]
    pub reads: Vec<String>,
    /// Globs of files that it leaves out by itself.
    #[serde(default)]
    pub skips: Vec<String>,
    /// Prints the files that it searches, one path a line.
    #[serde(default)]
    pub lists: Option<Vec<String>>,
    /// What a hit is: `file` (default), `chunk`, `entity`.
    #[serde(default = "file")]
    #[schemars(with = "String")]
    pub unit: Unit,
    /// The order of its hits means something. Default true.
    #[serde(default = "yes")]
    pub ranked: bool,
    /// What it prints: `json` (default), `json-in-text`, `json-lines`, `paths`, `grep`, `ripgrep` (`rg --json`).
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
    /// Hits whose score is not above it are none. Default: all are hits.
    #[serde(default)]
    pub score_above: Option<f64>,
    /// What puts its hits in order: `printed` (default), or `score`, then path.
    #[serde(default)]
    pub rank_by: RankBy,
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
    /// The same for variables that may be absent.
    #[serde(default)]
    pub pass_env_if_set: Vec<String>,
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
            values: Values::new(),
            files: Vec::new(),
            prepare: None,
            until: None,
            version: None,
            model: None,
            stand_in: false,
            floor: None,
            model_cache: None,
            install: None,
            trial: false,
            restore: Vec::new(),
            reads: Vec::new(),
            skips: Vec::new(),
            lists: None,
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
            score_above: None,
            rank_by: RankBy::Printed,
            ok_exits: success(),
            empty_exits: Vec::new(),
            env: BTreeMap::new(),
            pass_env: Vec::new(),
            pass_env_if_set: Vec::new(),
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
        let reader = Reader::new(self.format, keys, &self.empty_texts)
            .and_then(|reader| reader.in_order(self.rank_by, self.score_above));
        reader.map_err(|(key, message)| OptionProblem::new(key, message))
    }
}
