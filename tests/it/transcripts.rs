//! What the real tools printed (tests/data/transcripts), read as the presets read it, with no tool on the machine.
//!
//! A program that prints the recording stands where the tool would; everything else is the preset's.

#![expect(clippy::disallowed_methods, reason = "tests read recordings and write programs")]

use std::fmt::Write as _;
use std::path::Path;

use rankhold::config::RetrieverEntry;
use rankhold::ranking::{ErrorClass, RawHit};
use rankhold::retriever::{self, QueryError};
use serde_json::{Value, json};

use crate::grounds::Grounds;
use crate::support::assert_snapshot;
use crate::zoo::Zoo;

const FOLDER: &str = "tests/data/transcripts";

/// A folder of recordings, and whose preset reads them: those whose arguments hold this word, if it is one program of
/// several ways.
struct Tool {
    folder: &'static str,
    kind: &'static str,
    with: &'static str,
}

const TOOLS: [Tool; 6] = [
    Tool { folder: "rg", kind: "rg", with: "--json" },
    Tool { folder: "probe-older", kind: "probe", with: "search" },
    Tool { folder: "probe-newer", kind: "probe", with: "search" },
    Tool { folder: "colgrep", kind: "colgrep", with: "search" },
    Tool { folder: "grepai", kind: "grepai", with: "search" },
    Tool { folder: "ak-docs", kind: "ak-docs", with: "search" },
];

/// Every recording of a folder, by its shape.
fn all(folder: &str) -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join(folder);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let recording = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        found.push((path.file_stem().unwrap().to_str().unwrap().to_owned(), recording));
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}

/// Those of one of its ways, with an end.
fn recordings(tool: &Tool) -> Vec<(String, Value)> {
    let ran = |recording: &Value| {
        let argv = recording["argv"].as_array().cloned().unwrap_or_default();
        argv.contains(&json!(tool.with)) && recording["exit"].is_number()
    };
    all(tool.folder).into_iter().filter(|(_, recording)| ran(recording)).collect()
}

fn read(kind: &str, recording: &Value) -> Result<Vec<RawHit>, QueryError> {
    let zoo = Zoo::new();
    for stream in ["stdout", "stderr"] {
        std::fs::write(zoo.path(stream), recording[stream].as_str().unwrap()).unwrap();
    }
    let source = format!("cat \"$ZOO/stdout\"; cat \"$ZOO/stderr\" >&2; exit {}", recording["exit"]);
    let mut argv = zoo.program("sh", &source);
    argv.push("{query}".to_owned());
    let mut entry = RetrieverEntry::plain(kind);
    entry.options.insert("argv".to_owned(), json!(argv));
    entry.options.insert("env".to_owned(), json!(zoo.extra().set));
    // An index that is there, and whatever a preset waits for.
    entry.options.insert("prepare".to_owned(), json!(["echo", "Watching for changes"]));
    let grounds = Grounds::new(&[("a.rs", "alpha")]);
    let system = retriever::build(&entry, grounds.repo()).unwrap();
    let answer = grounds.ask(&*system, "q");
    zoo.assert_empty();
    answer
}

#[test]
fn every_shape_of_an_answer_is_read_as_what_it_is() {
    let mut told = String::new();
    for tool in &TOOLS {
        let recordings = recordings(tool);
        assert!(recordings.len() >= 3, "{}: hits, none and an error at least", tool.folder);
        for (shape, recording) in recordings {
            let name = format!("{}/{shape}", tool.folder);
            let answer = read(tool.kind, &recording);
            let word = shape.trim_start_matches("json-").split('-').next().unwrap();
            let expected = match (word, shape.as_str()) {
                ("hits" | "one" | "words" | "bytes" | "folder", _) => {
                    matches!(&answer, Ok(hits) if !hits.is_empty())
                }
                ("none" | "zero", _) => matches!(&answer, Ok(hits) if hits.is_empty()),
                // A folder that is not there looks like nothing found, and no option tells them apart.
                ("exit", "exit-0-error") if tool.kind == "probe" => answer.is_ok(),
                ("error" | "partial" | "exit", _) => answer.is_err(),
                _ => panic!("{name}: what should it be?"),
            };
            let line = match &answer {
                Ok(hits) => {
                    hits.iter().map(|hit| hit.path.as_deref().unwrap_or("–")).collect::<Vec<_>>().join(" ")
                }
                Err(error) => {
                    assert!(
                        matches!(error.class, ErrorClass::Tool | ErrorClass::Protocol),
                        "{name}: {error}"
                    );
                    let words = error.detail.split('`').skip(2).collect::<Vec<_>>().join("`");
                    format!("! {}: {}", error.class, words.trim())
                }
            };
            assert!(expected, "{name}: {line}");
            let _ = writeln!(told, "{name}: {line}");
        }
    }
    assert_snapshot("transcripts.txt", &told);
}

/// A server that knows one tool and gives one recorded reply.
const SERVER: &str = r#"
import json, os, sys
recording = json.load(open(os.path.join(os.environ["ZOO"], "recording")))
name = recording["request"]["name"]
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "initialize":
        info = {"name": recording["tool"], "version": recording["version"]}
        version = message["params"]["protocolVersion"]
        answer["result"] = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    elif message["method"] == "tools/list":
        answer["result"] = {"tools": [{"name": name, "inputSchema": {"type": "object"}}]}
    elif message["method"] == "tools/call":
        asked = message["params"]["arguments"]
        assert set(recording["request"]["arguments"]) <= set(asked), asked
        answer.update({key: value for key, value in recording["reply"].items() if key in ("result", "error")})
    else:
        answer["result"] = {}
    print(json.dumps(answer), flush=True)
"#;

fn read_served(kind: &str, recording: &Value) -> Result<Vec<RawHit>, QueryError> {
    let zoo = Zoo::new();
    std::fs::write(zoo.path("recording"), recording.to_string()).unwrap();
    let mut entry = RetrieverEntry::plain(kind);
    entry.options.insert("argv".to_owned(), json!(zoo.program("python3", SERVER)));
    entry.options.insert("env".to_owned(), json!(zoo.extra().set));
    entry.options.insert("prepare".to_owned(), json!(["echo", "Watching for changes"]));
    entry.options.insert("version".to_owned(), json!(["echo", "1"]));
    let grounds = Grounds::new(&[("a.rs", "alpha")]);
    let system = retriever::build(&entry, grounds.repo()).unwrap();
    let answer = grounds.ask(&*system, "q");
    zoo.assert_empty();
    answer
}

#[test]
fn every_reply_of_a_server_is_read_as_what_it_is() {
    let mut told = String::new();
    let servers = [
        Tool { folder: "grepai", kind: "grepai-mcp", with: "grepai_search" },
        Tool { folder: "ak-docs", kind: "ak-docs-mcp", with: "doc.search" },
    ];
    for server in &servers {
        let asked: Vec<_> = all(server.folder)
            .into_iter()
            .filter(|(_, recording)| recording["request"]["name"] == server.with)
            .filter(|(_, recording)| recording["request"]["arguments"]["limit"].is_number())
            .collect();
        assert!(asked.len() >= 3, "{}: {asked:?}", server.folder);
        for (shape, recording) in asked {
            let answer = read_served(server.kind, &recording);
            let as_expected = match &answer {
                Ok(hits) if hits.is_empty() => shape.starts_with("mcp-none"),
                Ok(_) => shape.starts_with("mcp-hits"),
                Err(error) => shape.starts_with("mcp-error") && error.class == ErrorClass::Tool,
            };
            let line = match &answer {
                Ok(hits) => {
                    hits.iter().map(|hit| hit.path.as_deref().unwrap_or("–")).collect::<Vec<_>>().join(" ")
                }
                Err(error) => {
                    let words = error.detail.split('`').skip(2).collect::<Vec<_>>().join("`");
                    format!("! {}: {}", error.class, words.trim())
                }
            };
            assert!(as_expected, "{}/{shape}: {line}", server.folder);
            let _ = writeln!(told, "{}/{shape}: {line}", server.folder);
        }
    }
    assert_snapshot("transcripts-mcp.txt", &told);
}
