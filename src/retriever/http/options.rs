//! The settings of a server that is asked over HTTP.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::super::output::{Format, Keys};
use crate::config::ByteSize;
use crate::ranking::Unit;

/// How a query is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// It is in the address.
    #[default]
    Get,
    /// It is in the body, most likely.
    Post,
    /// The same, and may be repeated.
    Put,
}

/// Where a server says its version.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct VersionOptions {
    /// The address, asked with GET and with `headers`.
    pub url: String,
    /// JSON pointer to the version in the answer. Default: the first line of the answer.
    #[serde(default)]
    pub pointer: Option<String>,
}

/// The keys of a `[[retriever]]` of kind `http`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HttpOptions {
    /// `GET` (default), `POST`, `PUT`.
    #[serde(default)]
    pub method: Method,
    /// The address, with optionally `{query}`, `{fetch}`, `{env:NAME}` and, of a server in `start`, `{port}`; what they
    /// stand for is percent-encoded.
    pub url: String,
    /// Headers of every request, for instance `{ authorization = "Bearer {env:KEY}" }`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// What is sent: a table is sent as JSON, and its texts may hold `{query}`, `{fetch}`, `{corpus}`, `{repo}`,
    /// `{scratch}`, `{env:NAME}` (`"{fetch}"` alone is a number); a text is sent as it is.
    #[serde(default)]
    pub body: Option<Value>,
    /// A file of certificates (PEM) that are trusted beside Mozilla's, relative to the repository.
    #[serde(default)]
    pub ca_file: Option<String>,
    /// A server to start, with its arguments: `{port}` is a free one (also the variable PORT), and `{corpus}`, `{repo}`,
    /// `{scratch}` are places.
    #[serde(default)]
    pub start: Option<Vec<String>>,
    /// The address that answers with a status from 200 to 299 once that server is ready. Default: its port accepts
    /// connections.
    #[serde(default)]
    pub ready: Option<String>,
    /// Run once before all that, to build an index.
    #[serde(default)]
    pub prepare: Option<Vec<String>>,
    /// Where the server says its version, for instance `{ url = "…", pointer = "/version" }`.
    #[serde(default)]
    pub version: Option<VersionOptions>,
    /// Ask it for a word in a folder of one file before it is called ready; of a server that is not in `start` any answer
    /// will do. Default false.
    #[serde(default)]
    pub trial: bool,
    /// The model it uses, with a hash of it: what should be noticed when it changes.
    #[serde(default)]
    pub model: Option<String>,
    /// The model is a substitute for the one that the tool is made for: its figures say that it works and no more.
    #[serde(default)]
    pub stand_in: bool,
    /// What a hit is: `file` (default), `chunk`, `entity`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub unit: Option<Unit>,
    /// The order of its hits means something. Default true.
    #[serde(default)]
    pub ranked: Option<bool>,
    /// What it answers with: `json` (default), `json-lines`, `paths`, `grep`.
    #[serde(default)]
    pub format: Format,
    /// JSON pointer to the list of hits. Default: the whole answer is the list.
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
    /// JSON pointer to what went wrong, in an answer of success that is an error. Default none.
    #[serde(default)]
    pub error: Option<String>,
    /// Texts that mean "nothing found": a whole answer, or what stands at `error`. Default none.
    #[serde(default)]
    pub empty_texts: Vec<String>,
    /// Statuses of success. Default `[200]`.
    #[serde(default)]
    pub ok_statuses: Option<Vec<u16>>,
    /// Statuses that mean "nothing found", for instance 404. Default none.
    #[serde(default)]
    pub empty_statuses: Vec<u16>,
    /// How often a request is repeated, where that is safe. Default 2.
    #[serde(default)]
    pub retries: Option<u32>,
    /// Variables with their values, for `{env:NAME}` and the server in `start`.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The same with the value they have here; the values are secrets and never shown.
    #[serde(default)]
    pub pass_env: Vec<String>,
    /// The longest answer. Default 16MiB.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub max_output: Option<ByteSize>,
    /// How many queries may run side by side. Default 1.
    #[serde(default)]
    pub parallel: Option<usize>,
    /// The server in `start` writes into the folder it searches, and gets a copy of its own.
    #[serde(default)]
    pub writes: bool,
}

impl HttpOptions {
    /// The default of everything but the address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            method: Method::Get,
            url: url.into(),
            headers: BTreeMap::new(),
            body: None,
            ca_file: None,
            start: None,
            ready: None,
            prepare: None,
            version: None,
            trial: false,
            model: None,
            stand_in: false,
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
            ok_statuses: None,
            empty_statuses: Vec::new(),
            retries: None,
            env: BTreeMap::new(),
            pass_env: Vec::new(),
            max_output: None,
            parallel: None,
            writes: false,
        }
    }

    /// Statuses of success.
    pub(super) fn ok_statuses(&self) -> &[u16] {
        self.ok_statuses.as_deref().unwrap_or(&[200])
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
