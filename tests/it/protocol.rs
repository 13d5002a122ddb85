//! `docs/protocol.md` is what the program does: its workers are the files, its conversation is what they say, its
//! rankings are read.
#![expect(clippy::disallowed_methods, reason = "tests read the documentation")]

use std::path::PathBuf;
use std::time::Duration;

use rankhold::corpus::copy::{Access, materialise, verify};
use rankhold::process::{Conversation, Environment, Heard, Launch, Program};
use rankhold::ranking::RawHit;
use rankhold::retriever::command::CommandOptions;
use rankhold::retriever::http::HttpOptions;
use rankhold::retriever::mcp::McpOptions;
use rankhold::retriever::replay::{Replay, ReplayFormat, ReplayOptions};
use rankhold::retriever::worker::{Worker, WorkerOptions};
use rankhold::retriever::{Availability, Query, Retriever};
use serde_json::Value;

use crate::grounds::{Grounds, in_time, paths, probe};

const WORKERS: [(&str, &str, &str); 2] = [("python3", "words.py", "python"), ("node", "words.mjs", "js")];

fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> String {
    std::fs::read_to_string(home().join("docs/protocol.md")).unwrap()
}

/// The fenced blocks of that language.
fn blocks(language: &str) -> Vec<String> {
    let page = page();
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// The corpus that the page's conversation is about.
fn grounds() -> Grounds {
    let grounds = Grounds::new(&[
        ("docs/verdict.md", "The rules of a verdict.\n"),
        ("src/gate.rs", "// Says the verdict.\n"),
    ]);
    materialise(grounds.corpus(), &grounds.tree(), Access::ReadOnly, in_time()).unwrap();
    grounds
}

/// Told, not hidden: a machine without that interpreter proves nothing of that worker.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn is_there(interpreter: &str) -> bool {
    let there = Program::find(interpreter).is_ok();
    if !there {
        eprintln!("skipped: there is no {interpreter} here");
    }
    there
}

fn worker(interpreter: &str, file: &str) -> Worker {
    let argv = vec![interpreter.to_owned(), format!("{{repo}}/examples/workers/{file}")];
    Worker::new(WorkerOptions { argv, ..WorkerOptions::default() }, &home()).unwrap()
}

#[test]
fn the_workers_on_the_page_are_the_files() {
    for (_, file, language) in WORKERS {
        let text = std::fs::read_to_string(home().join("examples/workers").join(file)).unwrap();
        assert!(blocks(language).contains(&text), "{file} differs from the page");
    }
}

#[test]
fn the_conversation_on_the_page_is_what_the_workers_say() {
    let conversation = blocks("text").remove(0);
    for (interpreter, file, _) in WORKERS.into_iter().filter(|(interpreter, ..)| is_there(interpreter)) {
        let grounds = grounds();
        let script = home().join("examples/workers").join(file);
        let launch = Launch {
            program: &Program::find(interpreter).unwrap(),
            arguments: &[script.to_str().unwrap().to_owned()],
            folder: &grounds.tree(),
            environment: &Environment::scrubbed(&grounds.scratch(), &rankhold::process::Extra::default())
                .unwrap(),
        };
        let mut child = Conversation::start(&launch, 1 << 20).unwrap();
        for line in conversation.lines() {
            if let Some(request) = line.strip_prefix("> ") {
                child.say(&request.replace("/corpus", grounds.tree().to_str().unwrap()));
            } else if let Some(reply) = line.strip_prefix("< ") {
                let Heard::Line(heard) = child.hear(in_time()) else { panic!("{file} does not say {reply}") };
                let value = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
                assert_eq!(value(&heard), value(reply.replace("words.py", file).as_bytes()), "{file}");
            }
        }
        assert_eq!(child.hang_up(in_time()), rankhold::process::End::Code(0), "{file}");
    }
}

#[test]
fn the_workers_answer_through_the_retriever_and_leave_the_corpus_alone() {
    for (interpreter, file, _) in WORKERS.into_iter().filter(|(interpreter, ..)| is_there(interpreter)) {
        let grounds = grounds();
        let worker = worker(interpreter, file);
        let Availability::Ready(said) = probe(&worker) else { panic!("{file} is not ready") };
        assert_eq!(said.version, format!("{file} 1.0"));
        let answers =
            grounds.ask_all(&worker, &["The RULES", "says", "absent", "verdict\u{2028}\n"]).unwrap();
        let answers: Vec<Vec<RawHit>> = answers.into_iter().map(Result::unwrap).collect();
        let found: Vec<Vec<&str>> = answers.iter().map(|hits| paths(hits)).collect();
        let both = vec!["docs/verdict.md", "src/gate.rs"];
        assert_eq!(found, [both.clone(), vec!["src/gate.rs"], vec![], both], "{file}");
        assert_eq!(verify(grounds.corpus(), &grounds.tree()), Ok(()), "{file}");
    }
}

#[test]
fn the_rankings_on_the_page_are_read() {
    let blocks = blocks("json");
    for (format, text) in [(ReplayFormat::Json, &blocks[0]), (ReplayFormat::JsonLines, &blocks[1])] {
        let grounds = grounds();
        std::fs::write(grounds.repo().join("rankings"), text).unwrap();
        let options = ReplayOptions { file: "rankings".to_owned(), format: Some(format), unit: None };
        let replay = Replay::new(options, grounds.repo()).unwrap();
        let answers = grounds.ask_all(&replay, &["case-1", "how does it end?"]).unwrap();
        assert_eq!(paths(answers[0].as_ref().unwrap()), ["docs/verdict.md", "src/gate.rs"]);
        assert_eq!(answers[1], Ok(Vec::new()));
    }
}

#[test]
fn the_settings_on_the_page_are_settings() {
    let all = ["command", "worker", "mcp", "http", "replay"];
    let kinds: Vec<_> = entries(&all).into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(kinds, ["command", "worker", "mcp", "mcp", "http", "http", "replay"]);
    assert_eq!(blocks("toml").len(), kinds.len());
}

/// Every key of a kind has a row in its section, and the page's defaults are those of the code.
#[test]
fn every_key_is_on_the_page() {
    let page = page();
    let keys = |schema: schemars::Schema| {
        let value = schema.to_value();
        value["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    for (title, keys) in [
        ("Command", keys(schemars::schema_for!(CommandOptions))),
        ("Worker", keys(schemars::schema_for!(WorkerOptions))),
        ("MCP", keys(schemars::schema_for!(McpOptions))),
        ("HTTP", keys(schemars::schema_for!(HttpOptions))),
        ("Replay", keys(schemars::schema_for!(ReplayOptions))),
    ] {
        let section = page.split(&format!("\n## {title}: ")).nth(1).unwrap().split("\n## ").next().unwrap();
        for key in keys {
            assert!(section.contains(&format!("`{key}`")), "the section of {title} does not name `{key}`");
        }
    }
    let least: CommandOptions = toml::from_str("argv = ['x', '{query}']").unwrap();
    assert_eq!(least, CommandOptions::new(vec!["x".to_owned(), "{query}".to_owned()]));
}

#[test]
fn a_query_of_a_session_that_was_not_made_ready_works_too() {
    let Some((interpreter, file, _)) = WORKERS.into_iter().find(|(interpreter, ..)| is_there(interpreter))
    else {
        return;
    };
    let grounds = grounds();
    let worker = worker(interpreter, file);
    grounds.site_until(rankhold::retriever::Deadline::after(Duration::from_mins(2)), 1, |site| {
        let prepared = worker.prepare(site).unwrap();
        let mut session = prepared.open().unwrap();
        let hits = session.query(&Query { id: "1", text: "rules" }, 1, in_time()).unwrap();
        assert_eq!(paths(&hits), ["docs/verdict.md"]);
    });
}

/// The `[[retriever]]` entries on the page of these kinds, built as the file's keys say.
fn entries(kinds: &[&str]) -> Vec<(String, String, Box<dyn Retriever>)> {
    let settings = |block: String| {
        let settings = rankhold::config::Settings::parse(&format!("version = 1\n{block}")).unwrap();
        settings.retrievers.into_iter()
    };
    let of_kind = |entry: &rankhold::config::RetrieverEntry| kinds.contains(&entry.kind.as_str());
    let build = |entry: rankhold::config::RetrieverEntry| {
        let built = rankhold::retriever::build(&entry, &home()).unwrap_or_else(|problem| panic!("{problem}"));
        (entry.kind, entry.name, built)
    };
    blocks("toml").into_iter().flat_map(settings).filter(of_kind).map(build).collect()
}

#[test]
fn the_servers_on_the_page_are_configured_as_it_says_and_answer() {
    let entries = entries(&["mcp", "http"]);
    let named: Vec<_> = entries.iter().map(|(kind, name, _)| (kind.as_str(), name.as_str())).collect();
    assert_eq!(named, [("mcp", "ours"), ("mcp", "remote"), ("http", "ours"), ("http", "engine")]);
    if !is_there("python3") {
        return;
    }
    for (kind, _, retriever) in entries.into_iter().filter(|(_, name, _)| name == "ours") {
        let grounds = grounds();
        let Availability::Ready(said) = probe(&*retriever) else { panic!("{kind} is not ready") };
        assert_eq!(said.version, if kind == "mcp" { "words_mcp.py 1.0" } else { "1.0" });
        let answers = grounds.ask_all(&*retriever, &["verdict rules", "absent"]).unwrap();
        let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
        assert_eq!(paths(&answers[0]), ["docs/verdict.md", "src/gate.rs"], "{kind}");
        assert_eq!(answers[1], [], "{kind}");
        verify(grounds.corpus(), &grounds.tree()).unwrap();
    }
}
