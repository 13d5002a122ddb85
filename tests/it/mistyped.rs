//! A value of the wrong type, at every key of `rankhold.toml`: the key is named, and what must stand there is said in the
//! words of the file.

use std::collections::BTreeSet;

use rankhold::config::Settings;
use rankhold::retriever::{RETRIEVERS, build};
use serde_json::{Map, Value};

use crate::program::{Tree, garden};

/// What only somebody who writes Rust has read before.
const OF_RUST: [&str; 23] = [
    "usize",
    "u64",
    "u32",
    "u16",
    "i32",
    "i64",
    "f64",
    "sequence",
    "variant",
    "struct",
    "enum",
    "invalid type",
    "invalid value",
    "invalid length",
    "non-zero",
    "nonzero",
    "floating point",
    "boolean",
    "missing field",
    "unknown field",
    "Option",
    "identifier",
    " map",
];

/// One of each type that TOML has, as it is written.
const VALUES: [&str; 8] = ["10", "-1", "1.5", "true", "'zzz'", "[3]", "[true]", "{ zzz = 3 }"];

fn schema() -> Value {
    Tree::new(&[]).run("schema").ends(0).json()
}

/// The keys of an object in the schema, each with what it takes.
fn keys(schema: &Value) -> Map<String, Value> {
    schema["properties"].as_object().cloned().unwrap_or_default()
}

fn refusal(text: &str) -> Option<String> {
    let settings = match Settings::parse(text) {
        Ok(settings) => settings,
        Err(problem) => return Some(problem.to_string()),
    };
    let entry = settings.retrievers.first()?;
    build(entry, std::path::Path::new("/repo")).err().map(|problem| problem.to_string())
}

/// Every one of these values at the key: whoever is refused is told which key, and nothing of Rust.
fn assert_told(key: &str, file: &dyn Fn(&str) -> String) -> usize {
    let mut refused = 0;
    for value in VALUES {
        // A text that is no kind is told where the commands are, which know the kinds (missteps.rs).
        if (key, value) == ("kind", "'zzz'") {
            continue;
        }
        let Some(told) = refusal(&file(value)) else { continue };
        refused += 1;
        // One of the right type may be wrong beside another key, which is then the one to change.
        let of_another = told.contains("[[retriever]]") && !told.contains("must be");
        assert!(told.contains(key) || of_another, "{key} = {value}: the key is not named: {told}");
        let foreign = OF_RUST.iter().find(|word| told.contains(**word));
        assert!(foreign.is_none(), "{key} = {value}: `{}`: {told}", foreign.unwrap());
        assert!(!told.contains("must be ;") && !told.ends_with("must be "), "{key} = {value}: {told}");
    }
    refused
}

#[test]
fn every_key_of_every_section_is_told_in_the_words_of_the_file() {
    let schema = schema();
    let mut sections = BTreeSet::new();
    for (section, what) in keys(&schema) {
        assert!(assert_told(&section, &|value| format!("version = 1\n{section} = {value}")) > 3, "{section}");
        let definition = what["$ref"].as_str().or(what["items"]["$ref"].as_str());
        let Some(definition) = definition.and_then(|path| schema.pointer(&path[1..])) else { continue };
        if section == "retriever" {
            continue; // below, kind by kind
        }
        let several = what["type"] == "array";
        let (head, path) = if several {
            (format!("[[{section}]]"), "path = 'a.json'\n")
        } else {
            (format!("[{section}]"), "")
        };
        for key in keys(definition).keys() {
            let others = if key == "path" { "" } else { path };
            let told = assert_told(key, &|value| format!("version = 1\n{head}\n{others}{key} = {value}"));
            assert!(told > 3, "{section}.{key}");
            sections.insert(section.clone());
        }
    }
    assert_eq!(Vec::from_iter(sections), ["approval", "corpus", "gate", "measure", "report", "suite"]);
}

#[test]
fn every_key_of_every_kind_is_told_in_the_words_of_the_file() {
    let kinds = schema()["$defs"]["RawRetriever"]["oneOf"].as_array().unwrap().clone();
    assert_eq!(kinds.len(), RETRIEVERS.len());
    for kind in &kinds {
        let name = kind["properties"]["kind"]["const"].as_str().unwrap();
        for key in keys(kind).keys() {
            let required = kind["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
            let others: String = required
                .filter(|other| *other != key && !["name", "kind"].contains(other))
                .map(|other| match other {
                    "argv" if name == "worker" => "argv = ['x']\n".to_owned(),
                    "argv" => "argv = ['x', '{query}']\n".to_owned(),
                    "arguments" => "arguments = { q = '{query}' }\n".to_owned(),
                    "url" => "url = 'http://h/{query}'\n".to_owned(),
                    other => format!("{other} = 'x'\n"),
                })
                .collect();
            // Nothing of these is required, and one of them is.
            let others = match key.as_str() {
                "headers" | "ca-file" if name == "mcp" => format!("{others}url = 'http://h/'\n"),
                "argv" | "url" => others,
                _ if name == "mcp" => format!("{others}argv = ['x']\n"),
                _ => others,
            };
            let head = match key.as_str() {
                "name" => format!("kind = '{name}'\n"),
                "kind" => "name = 'x'\n".to_owned(),
                _ => format!("name = 'x'\nkind = '{name}'\n"),
            };
            let file = |value: &str| format!("version = 1\n[[retriever]]\n{head}{others}{key} = {value}");
            let told = assert_told(key, &file);
            assert!(told > 3 || ["body", "python"].contains(&key.as_str()), "{name}: {key}: {told}");
        }
    }
}

#[test]
fn what_was_found_what_is_wanted_and_how_it_is_written_are_said() {
    let retriever = "[[retriever]]\nname = 'x'\nkind = 'command'\nargv = ['x', '{query}']\n";
    let semble = "[[retriever]]\nname = 'semble'\n";
    for (text, said) in [
        (
            "[measure]\nfetch = \"x\"".to_owned(),
            "line 3, measure.fetch: is the text \"x\" and must be a whole number from 0 on; write it like `fetch = 1`",
        ),
        (
            "[gate]\nmax-lost = '2'".to_owned(),
            "line 3, gate.max-lost: is the text \"2\" and must be a whole number from 0 on; write it like `max-lost = 2`",
        ),
        (
            "[gate]\ntolerance = true".to_owned(),
            "line 3, gate.tolerance: is `true` and must be a decimal fraction; write it like `tolerance = 0.02`",
        ),
        (
            "[gate]\nmetrics = 'hit@3'".to_owned(),
            "line 3, gate.metrics: is the text \"hit@3\" and must be a list in brackets; write it like `metrics = [\"hit@3\"]`",
        ),
        (
            "[corpus]\ninclude = ['a', 3]".to_owned(),
            "line 3, corpus.include[1]: is the number 3 and must be a text in quotes; write it like `include = [\"3\"]`",
        ),
        (
            "[corpus]\nmax-file-bytes = 1.5".to_owned(),
            "must be a size; write it like `max-file-bytes = \"1MiB\"`",
        ),
        (
            "[report]\ncomment = true".to_owned(),
            "line 3, report.comment: is `true` and must be \"changes\", \"always\", \"failures\" or \"never\"",
        ),
        (
            "[report]\ncomment = 'sometimes'".to_owned(),
            "is \"sometimes\" and must be \"changes\", \"always\", \"failures\" or \"never\"",
        ),
        ("[[suite]]\nname = 'a'".to_owned(), "the key `path` is missing"),
        (
            format!("{retriever}timeout = 10"),
            "[[retriever]] `x`: timeout: is the number 10 and must be a duration; write it like `timeout = \"10s\"`",
        ),
        (
            format!("{retriever}parallel = -1"),
            "parallel: is the number -1 and must be a whole number from 0 on; write it like `parallel = 1`",
        ),
        (
            format!("{retriever}trial = 'yes'"),
            "trial: is the text \"yes\" and must be true or false; write it like `trial = true`",
        ),
        (
            format!("{retriever}unit = 3"),
            "unit: is the number 3 and must be \"file\", \"chunk\" or \"entity\"",
        ),
        (format!("{retriever}format = 'jsn'"), "did you mean `json`?"),
        (format!("{retriever}env = 'A=1'"), "env: is the text \"A=1\" and must be a table"),
        (
            format!("{retriever}skips = ['a', 1]"),
            "skips[1]: is the number 1 and must be a text in quotes; write it like `skips = [\"1\"]`",
        ),
        (
            format!("{retriever}files = [{{ path = 1, text = 'x' }}]"),
            "files[0].path: is the number 1 and must be a text in quotes; write it like `path = \"1\"`",
        ),
        (format!("{retriever}score-above = nan"), "score-above: is `nan` or `inf` and must be a number"),
        (format!("{retriever}sikps = ['a']"), "no key is called `sikps`; did you mean `skips`?"),
        (
            format!("{semble}content = ['code', true]"),
            "content[1]: is `true` and must be \"code\", \"docs\" or \"config\"",
        ),
        (
            format!("{semble}python = []"),
            "python: is an empty list and must be a program, or a list of a program and its arguments",
        ),
    ] {
        let told = refusal(&format!("version = 1\n{text}")).unwrap_or_else(|| panic!("{text}: accepted"));
        assert!(told.contains(said), "{text}:\n{told}\n{said}");
    }
}

/// The file, too; and a number on the command line is told as one in the file.
#[test]
fn the_file_is_named_and_an_argument_is_told_as_well() {
    let tree = garden();
    tree.write("rankhold.toml", "version = 1\n[[retriever]]\nname = \"ours\"\nkind = \"command\"\nargv = [\"x\", \"{query}\"]\nranked = 3\n");
    tree.run("compare --against ours")
        .ends(2)
        .says(&["error: rankhold.toml: [[retriever]] `ours` (kind command): ranked: is the number 3"]);
    for line in ["compare --repeats 0", "compare --top-k x", "compare --top-k 1.5"] {
        let ran = tree.run(line).ends(2);
        assert!(ran.err.contains("must be a whole number from 1 on"), "{line}: {}", ran.err);
    }
}
