//! The table of kinds: what a configuration may name, and how each is built from its keys.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Retriever;
use super::bm25::{Bm25, Bm25Options};
use super::command::{Command, CommandOptions};
use super::http::{Http, HttpOptions};
use super::known::Preset;
use super::mcp::{Mcp, McpOptions};
use super::python::{CODERANKEMBED, Python, PythonOptions, SEMBLE, System};
use super::replay::{Replay, ReplayOptions};
use super::ripgrep::{Ripgrep, RipgrepOptions};
use super::worker::{Worker, WorkerOptions};
use crate::config::{self, RetrieverEntry, did_you_mean};
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
    /// Its key `random-model` takes the model away.
    random_model: bool,
    /// What it is made from.
    origin: Origin,
}

/// What a kind is made from.
enum Origin {
    /// Code of its own.
    Code {
        /// From its keys.
        build: fn(&Options, &Path) -> Built,
        /// The JSON Schema of its keys.
        schema: fn(&mut SchemaGenerator) -> Schema,
    },
    /// Another kind with keys that are given already: the text of a file in `known/`.
    Preset(&'static str),
}

pub(super) type Options = BTreeMap<String, Value>;
type Built = Result<Box<dyn Retriever>, String>;

/// Every kind, in the order of output.
pub static RETRIEVERS: &[Kind] = &[
    Kind {
        name: "bm25",
        about: "embedded field-weighted BM25 with definitions, stemming and Portuguese; the default",
        embedded: true,
        needs_no_entry: true,
        answers: None,
        random_model: false,
        origin: Origin::Code {
            build: |keys, _| options::<Bm25Options>(keys).map(|_| Box::new(Bm25) as Box<dyn Retriever>),
            schema: Bm25Options::json_schema,
        },
    },
    Kind {
        name: "ripgrep",
        about: "embedded literal search (the crates of ripgrep), ranked by evidence",
        embedded: true,
        needs_no_entry: true,
        answers: None,
        random_model: false,
        origin: Origin::Code {
            build: |keys, _| Ok(Box::new(Ripgrep::new(options::<RipgrepOptions>(keys)?))),
            schema: RipgrepOptions::json_schema,
        },
    },
    Kind {
        name: "command",
        about: "your program, started once for each query",
        embedded: false,
        needs_no_entry: false,
        answers: None,
        random_model: false,
        origin: Origin::Code {
            build: |keys, repo| {
                let command = Command::new(options(keys)?, repo).map_err(|problem| problem.to_string())?;
                Ok(Box::new(command))
            },
            schema: CommandOptions::json_schema,
        },
    },
    Kind {
        name: "worker",
        about: "your process that speaks JSON Lines: one index, many queries (docs/protocol.md)",
        embedded: false,
        needs_no_entry: false,
        answers: None,
        random_model: false,
        origin: Origin::Code {
            build: |keys, repo| {
                let worker = Worker::new(options(keys)?, repo).map_err(|problem| problem.to_string())?;
                Ok(Box::new(worker))
            },
            schema: WorkerOptions::json_schema,
        },
    },
    Kind {
        name: "mcp",
        about: "any MCP server, over its stdin and stdout or over streamable HTTP",
        embedded: false,
        needs_no_entry: false,
        answers: None,
        random_model: false,
        origin: Origin::Code {
            build: |keys, repo| {
                let mcp = Mcp::new(options(keys)?, repo).map_err(|problem| problem.to_string())?;
                Ok(Box::new(mcp))
            },
            schema: McpOptions::json_schema,
        },
    },
    Kind {
        name: "http",
        about: "any search server, asked over HTTP; it may be started here",
        embedded: false,
        needs_no_entry: false,
        answers: None,
        random_model: false,
        origin: Origin::Code {
            build: |keys, repo| {
                let http = Http::new(options(keys)?, repo).map_err(|problem| problem.to_string())?;
                Ok(Box::new(http))
            },
            schema: HttpOptions::json_schema,
        },
    },
    Kind {
        name: "replay",
        about: "rankings from a file: JSON, JSON lines or a TREC run",
        embedded: true,
        needs_no_entry: false,
        answers: Some("file"),
        random_model: false,
        origin: Origin::Code {
            build: |keys, repo| {
                let replay = Replay::new(options(keys)?, repo).map_err(|problem| problem.to_string())?;
                Ok(Box::new(replay))
            },
            schema: ReplayOptions::json_schema,
        },
    },
    Kind {
        name: "rg",
        about: "ripgrep itself, a process per query; `ripgrep` is the embedded one",
        embedded: false,
        needs_no_entry: true,
        answers: None,
        random_model: false,
        origin: Origin::Preset(include_str!("known/rg.toml")),
    },
    Kind {
        name: "probe",
        about: "code search with BM25 over syntax trees",
        embedded: false,
        needs_no_entry: true,
        answers: None,
        random_model: false,
        origin: Origin::Preset(include_str!("known/probe.toml")),
    },
    Kind {
        name: "colgrep",
        about: "late-interaction (ColBERT) code search",
        embedded: false,
        needs_no_entry: true,
        answers: None,
        random_model: false,
        origin: Origin::Preset(include_str!("known/colgrep.toml")),
    },
    Kind {
        name: "grepai",
        about: "semantic search with an embedding server",
        embedded: false,
        needs_no_entry: true,
        answers: None,
        random_model: false,
        origin: Origin::Preset(include_str!("known/grepai.toml")),
    },
    Kind {
        name: "grepai-mcp",
        about: "the same, asked over MCP by one process",
        embedded: false,
        needs_no_entry: true,
        answers: None,
        random_model: false,
        origin: Origin::Preset(include_str!("known/grepai-mcp.toml")),
    },
    Kind {
        name: "semble",
        about: "semble: BM25 and static embeddings over chunks of code, in a Python of yours",
        embedded: false,
        needs_no_entry: true,
        answers: None,
        random_model: true,
        origin: Origin::Code {
            build: |keys, repo| python(&SEMBLE, keys, repo),
            schema: PythonOptions::json_schema,
        },
    },
    Kind {
        name: "coderankembed",
        about: "the embedding model CodeRankEmbed over semble's chunks, in a Python of yours",
        embedded: false,
        needs_no_entry: true,
        answers: None,
        random_model: true,
        origin: Origin::Code {
            build: |keys, repo| python(&CODERANKEMBED, keys, repo),
            schema: PythonOptions::json_schema,
        },
    },
    Kind {
        name: "ak-docs",
        about: "documentation search of doc-bridge",
        embedded: false,
        needs_no_entry: true,
        answers: None,
        random_model: false,
        origin: Origin::Preset(include_str!("known/ak-docs.toml")),
    },
    Kind {
        name: "ak-docs-mcp",
        about: "the same, asked over MCP",
        embedded: false,
        needs_no_entry: true,
        answers: None,
        random_model: false,
        origin: Origin::Preset(include_str!("known/ak-docs-mcp.toml")),
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
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { .. } => {
                "name one of these, or describe it in a [[retriever]] of rankhold.toml".to_owned()
            }
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
    kind.build(&entry.options, repo).map_err(|message| BuildProblem::Keys {
        name: entry.name.clone(),
        kind: entry.kind.clone(),
        message,
    })
}

impl Kind {
    /// It is another kind with keys that are given already.
    pub fn preset(&self) -> Option<&'static str> {
        match self.origin {
            Origin::Code { .. } => None,
            Origin::Preset(text) => Some(text),
        }
    }

    /// The same with random vectors in the place of its model's, if its keys can say that: how far a suite brings whoever
    /// understands nothing.
    pub fn floor(&self, keys: &Options) -> Option<Options> {
        match self.origin {
            Origin::Code { .. } => {
                let mut floor = keys.clone();
                let has_no_model = keys.get("mode").and_then(Value::as_str) == Some("bm25")
                    || keys.get("random-model") == Some(&Value::Bool(true));
                if self.random_model && has_no_model {
                    return None; // there is none to take away
                }
                if self.random_model {
                    floor.insert("random-model".to_owned(), true.into());
                } else {
                    let Some(Value::Object(random)) = floor.remove("floor") else { return None };
                    let values =
                        floor.entry("values".to_owned()).or_insert_with(|| Value::Object(Map::new()));
                    values.as_object_mut()?.extend(random);
                }
                // What stands for nothing stands in for nothing.
                floor.remove("stand-in");
                Some(floor)
            }
            // The preset's keys are filled in again when it is built; the user's win.
            Origin::Preset(text) => {
                let preset = Preset::read(text);
                preset.kind().floor(&preset.with(keys).ok()?)
            }
        }
    }

    /// The JSON Schema of its keys. Of a preset's none is required.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        match self.origin {
            Origin::Code { schema, .. } => schema(generator),
            Origin::Preset(text) => {
                let mut schema = Preset::read(text).kind().schema(generator);
                schema.remove("required");
                schema
            }
        }
    }

    fn build(&self, keys: &Options, repo: &Path) -> Built {
        match self.origin {
            Origin::Code { build, .. } => build(keys, repo),
            Origin::Preset(text) => {
                let preset = Preset::read(text);
                preset.kind().build(&preset.with(keys)?, repo)
            }
        }
    }
}

fn unknown(name: &str) -> BuildProblem {
    let names = || RETRIEVERS.iter().map(|kind| kind.name);
    let near = did_you_mean(name, names());
    BuildProblem::Unknown { name: name.to_owned(), known: names().collect::<Vec<_>>().join(", "), near }
}

fn python(system: &'static System, keys: &Options, repo: &Path) -> Built {
    let python = Python::new(system, options(keys)?, repo).map_err(|problem| problem.to_string())?;
    Ok(Box::new(python))
}

/// Keys that hold a program and its arguments.
const COMMAND_LINES: [&str; 5] = ["argv", "prepare", "version", "lists", "start"];

/// What to write where a list is wanted and a text stands. No shell reads a command line, so it is split here, for once.
fn listed(key: &str, text: &str) -> String {
    let words = if COMMAND_LINES.contains(&key) { split(text) } else { vec![text.to_owned()] };
    let is_code = |word: &str| key.ends_with("-exits") && word.parse::<i32>().is_ok();
    let word =
        |word: &String| if is_code(word) { word.clone() } else { Value::from(word.as_str()).to_string() };
    let words: Vec<String> = words.iter().map(word).collect();
    format!("it is a text and must be a list: write `{key} = [{}]`", words.join(", "))
}

/// Words between blanks; quotes keep one together.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if ['"', '\''].contains(&c) => quote = Some(c),
            None if c.is_whitespace() => {
                words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
            }
            _ => word.push(c),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

/// Keys as a strict type. The message names the key, with a suggestion where one is near.
fn options<T: DeserializeOwned>(keys: &Options) -> Result<T, String> {
    let keys = Value::Object(keys.clone().into_iter().collect());
    config::read(&keys).map_err(|misread| {
        let text = misread.at.as_ref().and_then(|at| Some((at, keys.get(at)?.as_str()?)));
        match text {
            Some((at, text)) if misread.wants_a_list() => format!("{at}: {}", listed(at, text)),
            _ => misread.to_string(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_replaces_what_is_there() {
        let problem = |floor: &str| {
            let keys = format!(
                "argv = ['x', '{{model}}', '{{query}}']\nvalues = {{ model = 'm' }}\nfloor = {floor}"
            );
            let entry = RetrieverEntry {
                options: toml::from_str(&keys).unwrap(),
                ..RetrieverEntry::plain("command")
            };
            build(&entry, Path::new("/repo")).err().map(|problem| problem.to_string())
        };
        assert_eq!(problem("{ model = 'random' }"), None);
        let keys = "argv = ['x', '{model}']\ntool = 't'\narguments = { q = '{query}' }\nvalues = { model = 'm' }\nfloor = { modle = 'random' }";
        let options = toml::from_str(keys).unwrap();
        let entry = RetrieverEntry { options, ..RetrieverEntry::plain("mcp") };
        let told = build(&entry, Path::new("/repo")).err().unwrap().to_string();
        assert!(told.ends_with("floor: `modle` is not in `values`; did you mean `model`?"), "{told}");
        let told = problem("{ modle = 'random' }").unwrap();
        assert!(told.ends_with("floor: `modle` is not in `values`; did you mean `model`?"), "{told}");
    }

    #[test]
    fn a_text_where_a_list_is_wanted_is_shown_as_one() {
        let problem = |kind: &str, keys: &str| {
            let options: Options = toml::from_str(keys).unwrap();
            let entry = RetrieverEntry { options, ..RetrieverEntry::plain(kind) };
            build(&entry, Path::new("/repo")).err().unwrap().to_string()
        };
        let told = problem("command", r#"argv = "python3 'my tools/find.py' {query}""#);
        let wanted = r#"write `argv = ["python3", "my tools/find.py", "{query}"]`"#;
        assert!(told.ends_with(&format!("argv: it is a text and must be a list: {wanted}")), "{told}");
        let told = problem("command", "argv = ['x', '{query}']\nskips = 'a b/**'");
        assert!(told.ends_with(r#"write `skips = ["a b/**"]`"#), "{told}");
        let told = problem("command", "argv = ['x', '{query}']\nempty-exits = '1'");
        assert!(told.ends_with("write `empty-exits = [1]`"), "{told}");
        let told = problem("command", "argv = ['x', '{query}']\nparallel = '2'");
        assert!(told.ends_with("parallel: is the text \"2\" and must be a whole number from 0 on; write it like `parallel = 2`"), "{told}");
    }
}
