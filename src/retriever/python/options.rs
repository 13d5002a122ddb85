//! The keys of these kinds, and what they mean once they are checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::external::OptionProblem;
use super::System;
use super::host::{self, Named};
use super::scripts::Laid;
use super::words::Words;

/// How many chunks semble is asked for, whatever is fetched: its ranks depend on it.
const CANDIDATES: u32 = 50;

/// How many tokens of a text its vector is made of.
const MAX_SEQ_LENGTH: u32 = 512;

/// How it ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Vectors and BM25, weighed by the query.
    Hybrid,
    /// BM25 alone, without a model.
    Bm25,
    /// Vectors alone.
    Semantic,
}

/// Which files it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Source code.
    Code,
    /// Prose.
    Docs,
    /// Settings.
    Config,
}

/// The keys of a `[[retriever]]` of kind `semble` or `coderankembed`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
pub struct PythonOptions {
    /// The Python that has the packages: a program, or a list such as `["uv", "run", "--no-project", "python"]`.
    /// Default `python3`.
    #[serde(default)]
    pub python: Option<Words>,
    /// `hybrid`, `bm25` or `semantic`. Default of semble `hybrid`, of coderankembed `semantic`.
    #[serde(default)]
    pub mode: Option<Mode>,
    /// A model of the hub (`owner/name`) or a folder that holds one, absolute or `{repo}/…`. Default the documented one.
    #[serde(default)]
    pub model: Option<String>,
    /// The commit of a hub's model, in full. Default that of the documented model, else the only one in the cache.
    #[serde(default)]
    pub revision: Option<String>,
    /// The hub's cache, which is only read: absolute or `{repo}/…`. Default where the hub's own programs keep it.
    #[serde(default)]
    pub model_cache: Option<String>,
    /// A model that is not in the cache is downloaded for each run. Default false.
    #[serde(default)]
    pub online: bool,
    /// Code that the model brings may run here (coderankembed). Default false.
    #[serde(default)]
    pub trust_remote_code: bool,
    /// The model is a substitute: what is measured shows that things work, not how good the tool is. Default false.
    #[serde(default)]
    pub stand_in: bool,
    /// Seeded random vectors in the model's place, with its tokenizer: the floor. Default false.
    #[serde(default)]
    pub random_model: bool,
    /// What semble indexes: `code` (default), `docs`, `config`.
    #[serde(default)]
    pub content: Option<Vec<Content>>,
    /// How many chunks semble is asked for, whatever is fetched. Default 50.
    #[serde(default)]
    pub candidates: Option<u32>,
    /// How many tokens of a text are embedded (coderankembed). Default 512.
    #[serde(default)]
    pub max_seq_length: Option<u32>,
    /// What stands before each query (coderankembed). Default the model's own, else CodeRankEmbed's.
    #[serde(default)]
    pub query_prompt: Option<String>,
    /// How many threads it may use. Default as many as Rankhold.
    #[serde(default)]
    pub threads: Option<usize>,
    /// Variables it sees, with their values.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Variables it sees with the value they have here; the values are secrets and never shown.
    #[serde(default)]
    pub pass_env: Vec<String>,
}

/// Which model is used.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// None: nothing is embedded.
    Nothing,
    /// A model of the hub, at a commit unless only the cache says which.
    Hub { id: String, revision: Option<String> },
    /// A folder, as it is written and where it is.
    Folder { written: String, folder: PathBuf },
}

/// Settings that can be used.
#[derive(Clone, Debug)]
pub(super) struct Checked {
    pub(super) options: PythonOptions,
    pub(super) python: Vec<String>,
    pub(super) mode: Mode,
    pub(super) content: Vec<Content>,
    pub(super) candidates: u32,
    pub(super) max_seq_length: u32,
    source: Source,
    cache: Option<Named>,
}

impl Checked {
    pub(super) fn new(system: &System, options: PythonOptions, repo: &Path) -> Result<Self, OptionProblem> {
        let usual = if cfg!(windows) { "python" } else { "python3" };
        let python = options.python.clone().unwrap_or_else(|| Words::of([usual])).into_vec();
        let mode = mode(system, &options)?;
        fit(system, mode, &options)?;
        let source = source(system, mode, &options, repo)?;
        let cache = match &options.model_cache {
            Some(written) => {
                let folder = folder(written, repo).ok_or_else(|| {
                    OptionProblem::new("model-cache", "must be an absolute folder or begin with `{repo}/`")
                })?;
                Some(Named { name: format!("`{written}`"), folder })
            }
            None => host::hub_cache(),
        };
        let mut content = options.content.clone().unwrap_or_else(|| vec![Content::Code]);
        content.sort();
        content.dedup();
        if content.is_empty() {
            return Err(OptionProblem::new("content", "is empty; name `code`, `docs` or `config`"));
        }
        let candidates = positive("candidates", options.candidates, CANDIDATES)?;
        let max_seq_length = positive("max-seq-length", options.max_seq_length, MAX_SEQ_LENGTH)?;
        if options.threads == Some(0) {
            return Err(OptionProblem::new("threads", "at least one is needed"));
        }
        Ok(Self { options, python, mode, content, candidates, max_seq_length, source, cache })
    }

    /// The variables it sees: the user's Python packages and no network, unless the configuration says otherwise.
    pub(super) fn variables(&self) -> BTreeMap<String, String> {
        let mut variables = BTreeMap::new();
        if let Some(packages) = host::user_packages() {
            variables.insert("PYTHONUSERBASE".to_owned(), packages);
        }
        if !self.options.online {
            variables.insert("UV_OFFLINE".to_owned(), "1".to_owned());
        }
        variables.extend(self.options.env.clone());
        variables
    }

    /// The model as the configuration's hash has it: without folders of this machine.
    pub(super) fn model_in_the_hash(&self) -> Value {
        match &self.source {
            Source::Nothing => Value::Null,
            Source::Hub { id, revision } => json!({ "id": id, "revision": revision }),
            Source::Folder { written, folder } => {
                let last = || folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                json!({ "folder": if Path::new(written).is_absolute() { last() } else { written.clone() } })
            }
        }
    }

    /// The hub's own program: the one beside the Python that is configured, if that is named by its place. Of one in the
    /// repository it is the path from there.
    fn hub_program(&self) -> String {
        let usual = "hf".to_owned();
        let [python] = self.python.as_slice() else { return usual };
        let python = Path::new(python.strip_prefix("{repo}/").unwrap_or(python));
        match python.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            Some(folder) => folder.join("hf").to_string_lossy().into_owned(),
            None => usual,
        }
    }

    /// What its worker is told.
    pub(super) fn told(&self, system: &System, laid: Laid) -> Value {
        let threads = match laid {
            Laid::ForALook => 1,
            Laid::ForThreads(threads) => threads,
        };
        let model = match &self.source {
            Source::Nothing => Value::Null,
            Source::Hub { id, revision } => json!({ "name": id, "revision": revision }),
            Source::Folder { written, folder } => {
                let name = folder.file_name().map_or(written.as_str().into(), |name| name.to_string_lossy());
                json!({ "name": name, "folder": folder, "written": written })
            }
        };
        let cache = |cache: &Named| json!({ "name": cache.name, "folder": cache.folder });
        json!({
            "system": system.name,
            "trial": laid == Laid::ForALook,
            "threads": self.options.threads.unwrap_or(threads).max(1),
            "online": self.options.online,
            "hf": self.hub_program(),
            "caches": self.cache.iter().map(cache).collect::<Vec<_>>(),
            "model": model,
            "mode": self.mode,
            "content": self.content,
            "candidates": self.candidates,
            "max_seq_length": self.max_seq_length,
            "query_prompt": self.options.query_prompt,
            "trust_remote_code": self.options.trust_remote_code,
            "random": self.options.random_model,
            "stand_in": self.options.stand_in,
        })
    }
}

fn mode(system: &System, options: &PythonOptions) -> Result<Mode, OptionProblem> {
    let mode = options.mode.unwrap_or(system.modes[0]);
    if system.modes.contains(&mode) {
        Ok(mode)
    } else {
        Err(OptionProblem::new("mode", "bm25 has no place for this model; kind `semble` has that mode"))
    }
}

/// Keys that have a meaning here.
fn fit(system: &System, mode: Mode, options: &PythonOptions) -> Result<(), OptionProblem> {
    let of_a_model: [(&'static str, bool); 6] = [
        ("model", options.model.is_some()),
        ("revision", options.revision.is_some()),
        ("model-cache", options.model_cache.is_some()),
        ("random-model", options.random_model),
        ("stand-in", options.stand_in),
        ("online", options.online),
    ];
    let of_an_encoder: [(&'static str, bool); 3] = [
        ("trust-remote-code", options.trust_remote_code),
        ("max-seq-length", options.max_seq_length.is_some()),
        ("query-prompt", options.query_prompt.is_some()),
    ];
    let refuse = |keys: &[(&'static str, bool)], why: &str| {
        let given = keys.iter().find(|(_, given)| *given);
        given.map_or(Ok(()), |(key, _)| Err(OptionProblem::new(key, format!("{why}; take it out"))))
    };
    if mode == Mode::Bm25 {
        refuse(&of_a_model, "has no meaning with `mode = \"bm25\"`, which uses no model")?;
    }
    if !system.encodes {
        refuse(&of_an_encoder, "has no meaning here, where the model is a table of vectors")?;
    }
    Ok(())
}

fn source(
    system: &System,
    mode: Mode,
    options: &PythonOptions,
    repo: &Path,
) -> Result<Source, OptionProblem> {
    if mode == Mode::Bm25 {
        return Ok(Source::Nothing);
    }
    let commit =
        |text: &str| text.len() == 40 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if options.revision.as_deref().is_some_and(|revision| !commit(revision)) {
        let what = "must be a commit's full hash, 40 hexadecimal digits: what branches and tags mean changes";
        return Err(OptionProblem::new("revision", what));
    }
    let written = options.model.as_deref().unwrap_or(system.model);
    if let Some(folder) = folder(written, repo) {
        if options.revision.is_some() {
            return Err(OptionProblem::new("revision", "has no meaning for a folder; take it out"));
        }
        return Ok(Source::Folder { written: written.to_owned(), folder });
    }
    if !is_hub_id(written) {
        let what = "must be a model of the hub (`owner/name`), an absolute folder, or begin with `{repo}/`";
        return Err(OptionProblem::new("model", what));
    }
    let documented = (written == system.model).then(|| system.revision.to_owned());
    Ok(Source::Hub { id: written.to_owned(), revision: options.revision.clone().or(documented) })
}

/// A folder of this machine, or of the repository.
fn folder(written: &str, repo: &Path) -> Option<PathBuf> {
    match written.strip_prefix("{repo}/") {
        Some(below) => Some(repo.join(below)),
        None => Path::new(written).is_absolute().then(|| PathBuf::from(written)),
    }
}

fn is_hub_id(text: &str) -> bool {
    let word = |word: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !word.is_empty() && !word.starts_with('.') && word.bytes().all(plain)
    };
    text.split_once('/').is_some_and(|(owner, name)| word(owner) && word(name))
}

fn positive(key: &'static str, given: Option<u32>, usual: u32) -> Result<u32, OptionProblem> {
    match given {
        Some(0) => Err(OptionProblem::new(key, "must be at least 1")),
        given => Ok(given.unwrap_or(usual)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CODERANKEMBED, SEMBLE};
    use super::*;

    fn checked(keys: &str) -> Checked {
        Checked::new(&SEMBLE, toml::from_str(keys).unwrap(), Path::new("/repo")).unwrap()
    }

    #[test]
    fn there_is_no_network_unless_it_is_asked_for_and_the_configuration_has_the_last_word() {
        let value = |keys: &str, name: &str| checked(keys).variables().get(name).cloned();
        assert_eq!(value("", "UV_OFFLINE").as_deref(), Some("1"));
        assert_eq!(value("online = true", "UV_OFFLINE"), None);
        assert_eq!(value("env = { UV_OFFLINE = '0' }", "UV_OFFLINE").as_deref(), Some("0"));
        assert_eq!(value("env = { PYTHONUSERBASE = '/x' }", "PYTHONUSERBASE").as_deref(), Some("/x"));
    }

    #[test]
    fn a_worker_is_told_what_is_configured_and_what_it_is_written_for() {
        let looked_at = checked("").told(&SEMBLE, Laid::ForALook);
        assert_eq!((&looked_at["trial"], &looked_at["threads"]), (&true.into(), &1.into()));
        let asked = checked("model = '{repo}/models/net'\nthreads = 3").told(&SEMBLE, Laid::ForThreads(8));
        assert_eq!((&asked["trial"], &asked["threads"]), (&false.into(), &3.into()));
        assert_eq!(
            asked["model"],
            json!({ "name": "net", "folder": "/repo/models/net", "written": "{repo}/models/net" })
        );
        let cache = checked("model-cache = '{repo}/hub'").told(&SEMBLE, Laid::ForThreads(8));
        assert_eq!(cache["caches"], json!([{ "name": "`{repo}/hub`", "folder": "/repo/hub" }]));
        assert_eq!((&cache["model"]["name"], &cache["threads"]), (&SEMBLE.model.into(), &8.into()));
    }

    #[test]
    fn the_hubs_program_is_the_one_beside_the_python_that_is_named() {
        let hub = |keys: &str| checked(keys).told(&SEMBLE, Laid::ForALook)["hf"].clone();
        for (keys, program) in [
            ("", "hf"),
            ("python = 'python3.12'", "hf"),
            ("python = ['uv', 'run', 'python']", "hf"),
            ("python = '/opt/vs/bin/python'", "/opt/vs/bin/hf"),
            ("python = '{repo}/.venv/bin/python'", ".venv/bin/hf"),
        ] {
            assert_eq!(hub(keys), program, "{keys}");
        }
    }

    #[test]
    fn the_first_way_to_rank_is_the_usual_one() {
        let mode = |system| Checked::new(system, PythonOptions::default(), Path::new("/repo")).unwrap().mode;
        assert_eq!((mode(&SEMBLE), mode(&CODERANKEMBED)), (Mode::Hybrid, Mode::Semantic));
    }
}
