//! CodeRankEmbed's worker: what is a query and what a document, and whose code runs.

use rankhold::retriever::python::{CODERANKEMBED, Mode, Words};
use rankhold::retriever::{Availability, Retriever};
use serde_json::Value;

use crate::grounds::probe;
use crate::python::{Laboratory, found};

const PROMPT: &str = "Represent this query for searching relevant code: ";

fn laboratory() -> Laboratory {
    Laboratory::new(&CODERANKEMBED, &[("src/gate.rs", "// Says the verdict."), ("src/io.rs", "oooo iiii")])
}

/// What the model was asked to encode: texts, how many at a time, and how long they may be.
fn encoded(laboratory: &Laboratory) -> Vec<(String, Value)> {
    let read = |line: &str| {
        let said: Value = serde_json::from_str(line).unwrap();
        assert_eq!(said["batch_size"], 1, "neighbours change no vector");
        assert_eq!(said["texts"].as_array().unwrap().len(), 1);
        (said["texts"][0].as_str().unwrap().to_owned(), said["max_seq_length"].clone())
    };
    laboratory.left("huggingface/encoded.jsonl").lines().map(read).collect()
}

#[test]
fn a_look_says_what_would_run() {
    let Availability::Ready(said) = probe(&laboratory().retriever()) else { panic!("not ready") };
    assert_eq!(said.version, "coderankembed semble 0.7.0, sentence-transformers 3.0, torch 1.0");
    assert!(said.model.unwrap().starts_with("net sha256:"));
}

#[test]
fn queries_have_the_prompt_and_documents_have_none() {
    let laboratory = laboratory();
    let answers = laboratory.ask(&["oio", "verdict"]);
    assert_eq!(found(&answers[0])[0], "src/io.rs");
    let texts: Vec<String> = encoded(&laboratory).into_iter().map(|(text, _)| text).collect();
    let documents = ["// Says the verdict.", "oooo iiii"];
    let queries = ["oio", "verdict"].map(|query| format!("{PROMPT}{query}"));
    assert_eq!(texts, ["one", documents[0], documents[1], &queries[0], &queries[1]]);
}

#[test]
fn a_corpus_of_one_chunk_is_a_document() {
    let laboratory = Laboratory::new(&CODERANKEMBED, &[("a.rs", "alone")]);
    laboratory.ask(&["a"]);
    assert_eq!(encoded(&laboratory)[1].0, "alone");
}

#[test]
fn a_model_that_was_told_a_prompt_has_its_own_and_the_configuration_has_the_last_word() {
    let mut laboratory = laboratory();
    laboratory.write("config_sentence_transformers.json", r#"{"prompts": {"query": "find: "}}"#);
    laboratory.ask(&["x"]);
    assert_eq!(encoded(&laboratory).last().unwrap().0, "find: x");
    laboratory.options.query_prompt = Some("seek ".to_owned());
    laboratory.ask(&["x"]);
    assert_eq!(encoded(&laboratory).last().unwrap().0, "seek x");
}

#[test]
fn texts_are_cut_at_the_length_that_is_configured_but_never_beyond_the_models() {
    let mut laboratory = laboratory();
    let length = |laboratory: &Laboratory| {
        laboratory.ask(&["x"]);
        encoded(laboratory).pop().unwrap().1
    };
    assert_eq!(length(&laboratory), 512);
    laboratory.write("config.json", r#"{"max_seq_length": 8192}"#);
    assert_eq!(length(&laboratory), 512);
    laboratory.write("config.json", r#"{"max_seq_length": 128}"#);
    assert_eq!(length(&laboratory), 128);
    laboratory.options.max_seq_length = Some(64);
    assert_eq!(length(&laboratory), 64);
}

#[test]
fn code_of_the_model_runs_only_if_the_configuration_trusts_it() {
    let mut laboratory = laboratory();
    laboratory.write("config.json", r#"{"auto_map": {"AutoModel": "modeling.Net"}}"#);
    let Availability::Missing { what, hint } = probe(&laboratory.retriever()) else { panic!("not missing") };
    let expected =
        "the permission to run code: the model `net` brings Python of its own, which would run here";
    assert_eq!((what.as_str(), hint.as_str()), (expected, "read it, then write `trust-remote-code = true`"));
    laboratory.options.trust_remote_code = true;
    assert!(matches!(probe(&laboratory.retriever()), Availability::Ready(_)));
}

/// A model is the costly thing to fetch, and of no use without what runs it.
#[cfg(unix)]
#[test]
fn what_is_missing_beside_an_absent_model_is_told_with_it() {
    let mut laboratory = laboratory();
    let few = laboratory.models().join("packages");
    std::fs::create_dir(&few).unwrap();
    let packages = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/python");
    for name in ["semble", "numpy.py"] {
        std::os::unix::fs::symlink(packages.join(name), few.join(name)).unwrap();
    }
    laboratory.options.env = [("PYTHONPATH".to_owned(), few.to_str().unwrap().to_owned())].into();
    laboratory.options.python = Some(Words::of(["python3", "-S"]));
    laboratory.options.model = None;
    laboratory.options.model_cache = Some(laboratory.models().join("hub").to_str().unwrap().to_owned());
    let Availability::Missing { what, hint } = probe(&laboratory.retriever()) else { panic!("not missing") };
    let (package, model) = what.split_once("; ").unwrap();
    assert!(package.ends_with(" has no package `sentence_transformers`"), "{what}");
    assert!(model.starts_with("the model `nomic-ai/CodeRankEmbed` at revision "), "{what}");
    assert!(hint.starts_with("`pip install sentence-transformers einops`"), "{hint}");
    assert!(hint.contains("; run `hf download nomic-ai/CodeRankEmbed --revision "), "{hint}");
}

#[test]
fn packages_that_several_parts_want_are_installed_by_one_command() {
    let mut laboratory = laboratory();
    laboratory.options.env.clear();
    laboratory.options.python = Some(Words::of(["python3", "-S"]));
    laboratory.options.model = None;
    laboratory.options.model_cache = Some(laboratory.models().join("hub").to_str().unwrap().to_owned());
    let Availability::Missing { what, hint } = probe(&laboratory.retriever()) else { panic!("not missing") };
    assert!(
        what.contains("no package `semble`") && what.contains("no package `sentence_transformers`"),
        "{what}"
    );
    assert_eq!(hint.matches("pip install").count(), 1, "{hint}");
    assert!(
        hint.starts_with("`pip install semble==0.7.0 sentence-transformers einops` for that Python"),
        "{hint}"
    );
}

#[test]
fn a_package_that_the_models_code_needs_is_named() {
    let laboratory = laboratory();
    laboratory.write("config.json", r#"{"needs": "einops"}"#);
    let Availability::Missing { what, .. } = probe(&laboratory.retriever()) else { panic!("not missing") };
    assert_eq!(what, "the model `net` needs another package: This modeling file requires: einops");
}

#[test]
fn hybrid_weighs_words_too_and_has_an_index_of_its_own() {
    let mut laboratory = laboratory();
    laboratory.options.mode = Some(Mode::Hybrid);
    assert_eq!(found(&laboratory.ask(&["verdict verdict verdict verdict"])[0])[0], "src/gate.rs");
    let configuration = laboratory.retriever().configuration();
    assert_eq!((&configuration["mode"], &configuration["max-seq-length"]), (&"hybrid".into(), &512.into()));
}
