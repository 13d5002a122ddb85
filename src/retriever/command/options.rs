//! The settings of a `command`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::external::OptionProblem;
use super::super::output::{Fields, Format, Pointer};
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
            ok_exits: success(),
            empty_exits: Vec::new(),
            env: BTreeMap::new(),
            pass_env: Vec::new(),
            max_output: None,
            parallel: 1,
            writes: false,
        }
    }

    /// The pointers, checked; those that have no meaning in the format are refused.
    pub(super) fn fields(&self) -> Result<Fields, OptionProblem> {
        let mut fields = Fields::default();
        let given: [(&'static str, &Option<String>, &mut Pointer); 6] = [
            ("hits", &self.hits, &mut fields.hits),
            ("path", &self.path, &mut fields.path),
            ("id", &self.id, &mut fields.id),
            ("score", &self.score, &mut fields.score),
            ("summary", &self.summary, &mut fields.summary),
            ("hit-kind", &self.hit_kind, &mut fields.kind),
        ];
        for (key, text, pointer) in given {
            let Some(text) = text else { continue };
            let useless = match self.format {
                Format::Json => false,
                Format::JsonLines => key == "hits",
                Format::Paths | Format::Grep => true,
            };
            if useless {
                return Err(OptionProblem::new(key, "has no meaning in this `format`; take it out"));
            }
            *pointer = Pointer::new(text).map_err(|problem| OptionProblem::new(key, problem.to_string()))?;
        }
        Ok(fields)
    }
}
