//! semble's worker, over a package of ours that behaves as badly as any.
#![expect(clippy::disallowed_methods, reason = "tests lay models out and look at what was left")]

use std::collections::BTreeSet;
use std::path::Path;

use rankhold::ranking::{ErrorClass, Unit};
use rankhold::retriever::python::{Content, Mode, SEMBLE, Words};
use rankhold::retriever::{Availability, Query, Retriever};

use crate::grounds::{in_time, probe};
use crate::python::{Laboratory, found};

fn laboratory() -> Laboratory {
    let long = "\n".repeat(12);
    Laboratory::new(
        &SEMBLE,
        &[
            ("src/gate.rs", &format!("// Says the verdict.{long}// The verdict: verdict rules.")),
            ("src/rules.rs", "// The rules of a verdict."),
            ("docs/verdict.md", "The verdict."),
        ],
    )
}

#[test]
fn a_look_says_what_would_run() {
    let laboratory = laboratory();
    let Availability::Ready(said) = probe(&laboratory.retriever()) else { panic!("not ready") };
    assert_eq!((said.version.as_str(), said.unit, said.ranked), ("semble 0.7.0", Unit::Chunk, true));
    assert_eq!(said.program, None, "the file of a Python says nothing of what it runs");
    let model = said.model.unwrap();
    let (name, hash) = model.split_once(" sha256:").unwrap();
    assert_eq!((name, hash.len()), ("net", 64));
    laboratory.write("config.json", "{ }");
    let Availability::Ready(said) = probe(&laboratory.retriever()) else { panic!("not ready") };
    assert!(said.model.unwrap() != model && !said.stand_in);
}

#[test]
fn a_substitute_is_marked() {
    let mut laboratory = laboratory();
    laboratory.options.stand_in = true;
    let Availability::Ready(said) = probe(&laboratory.retriever()) else { panic!("not ready") };
    assert!(said.stand_in);
    assert!(laboratory.prepared(|prepared| prepared.description().unwrap().stand_in));
}

#[test]
fn one_index_answers_many_queries_with_one_hit_a_file() {
    let answers = laboratory().ask(&["rules", "verdict rules", "", "zzqx"]);
    assert_eq!(found(&answers[0]), ["src/gate.rs", "src/rules.rs"]);
    assert_eq!(found(&answers[1]), ["src/gate.rs", "src/rules.rs"]);
    assert!(found(&answers[2]).is_empty());
    assert_eq!(found(&answers[3]), ["src/gate.rs", "src/rules.rs"], "vectors are near everything");
}

#[test]
fn what_is_indexed_is_known() {
    let mut laboratory = laboratory();
    let reach = |laboratory: &Laboratory| {
        laboratory.prepared(|prepared| (prepared.units(), prepared.reach().unwrap().unwrap()))
    };
    let files = |files: &[&str]| files.iter().map(|file| (*file).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(reach(&laboratory), (Some(3), files(&["src/gate.rs", "src/rules.rs"])));
    laboratory.options.content = Some(vec![Content::Docs]);
    assert_eq!(reach(&laboratory), (Some(1), files(&["docs/verdict.md"])));
}

#[test]
fn bm25_asks_no_model() {
    let mut laboratory = laboratory();
    (laboratory.options.mode, laboratory.options.model) = (Some(Mode::Bm25), None);
    let Availability::Ready(said) = probe(&laboratory.retriever()) else { panic!("not ready") };
    assert_eq!(said.model, None);
    let answers = laboratory.ask(&["rules", "zzqx"]);
    assert_eq!(found(&answers[0]), ["src/gate.rs", "src/rules.rs"]);
    assert!(found(&answers[1]).is_empty());
}

#[test]
fn a_worker_that_died_takes_up_the_index_again() {
    let laboratory = laboratory();
    let answers = laboratory.ask(&["rules", "!die", "rules"]);
    let error = answers[1].clone().unwrap_err();
    assert_eq!(error.class, ErrorClass::Died);
    assert!(error.detail.contains("exit code 7") && error.detail.contains("out of memory"), "{error}");
    assert_eq!(found(&answers[2]), found(&answers[0]));
    assert_eq!(
        laboratory.left("cache/semble/builds"),
        "2 workers\n",
        "indexed once, with the threads that are allowed"
    );
}

#[test]
fn what_the_tool_fails_with_is_told_and_it_lives_on() {
    let answers = laboratory().ask(&["!raise", "!exit", "rules"]);
    let error = answers[0].clone().unwrap_err();
    assert_eq!(error.class, ErrorClass::Tool);
    assert!(error.detail.contains("said no: KeyError: 'no such chunk'"), "{error}");
    // Of a worker that lives what it wrote to stderr just now may not have been read yet; what it wrote before is.
    assert!(error.detail.contains("last words on stderr"), "{error}");
    assert!(answers[1].clone().unwrap_err().detail.contains("said no: SystemExit: giving up"));
    assert_eq!(found(&answers[2]), ["src/gate.rs", "src/rules.rs"]);
}

#[test]
fn what_a_library_prints_is_no_reply_and_what_it_reads_is_empty() {
    let answers = laboratory().ask(&["!print", "!read", "rules"]);
    assert_eq!(found(&answers[0]), ["src/gate.rs", "src/rules.rs"]);
    assert!(answers[1].clone().unwrap_err().detail.contains("ValueError: read '', b''"));
    assert_eq!(found(&answers[2]), ["src/gate.rs", "src/rules.rs"]);
}

#[test]
fn nothing_is_written_outside_the_scratch_folder() {
    let laboratory = laboratory();
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/python");
    let outside = || {
        let mut files = BTreeSet::new();
        for folder in [laboratory.models(), &laboratory.grounds.tree(), laboratory.grounds.repo(), &packages]
        {
            list(folder, &mut files);
        }
        files
    };
    let before = outside();
    laboratory.ask(&["rules"]);
    assert_eq!(outside(), before);
    for home in ["home", "tmp", "cache", "config", "huggingface"] {
        assert_eq!(laboratory.left(&format!("{home}/left-by-semble")), "x", "{home}");
    }
}

/// Every file below with its content.
fn list(folder: &Path, files: &mut BTreeSet<(std::path::PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            list(&entry.path(), files);
        } else {
            files.insert((entry.path(), std::fs::read(entry.path()).unwrap()));
        }
    }
}

/// What is missing, and what to do.
fn missing(laboratory: &Laboratory) -> (String, String) {
    match probe(&laboratory.retriever()) {
        Availability::Missing { what, hint } => (what, hint),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_python_without_the_package_says_what_to_install() {
    let mut laboratory = laboratory();
    laboratory.options.env.clear();
    laboratory.options.python = Some(Words::of(["python3", "-S"]));
    let (what, hint) = missing(&laboratory);
    assert!(what.starts_with("Python 3.") && what.ends_with(" has no package `semble`"), "{what}");
    assert!(hint.starts_with("`pip install semble==0.7.0` for that Python"), "{hint}");
    let error = laboratory.grounds.site(1, |site| laboratory.retriever().prepare(site).err().unwrap());
    assert!(
        error.detail.contains("has no package `semble`") && error.detail.contains("; `pip install"),
        "{error}"
    );
}

#[test]
fn a_python_that_is_not_there_is_missing() {
    let mut laboratory = laboratory();
    laboratory.options.python = Some(Words::of(["no-such-python"]));
    assert_eq!(missing(&laboratory).0, "`no-such-python` is in no folder of PATH");
}

#[test]
fn a_model_of_the_hub_is_read_from_the_cache_at_its_revision() {
    let mut laboratory = laboratory();
    let cache = laboratory.models().join("hub");
    laboratory.options.model = None;
    laboratory.options.model_cache = Some(cache.to_str().unwrap().to_owned());
    let (what, hint) = missing(&laboratory);
    let wanted =
        format!("the model `{}` at revision {} is not on this machine", SEMBLE.model, SEMBLE.revision);
    assert!(what.starts_with(&wanted), "{what}");
    assert!(hint.contains(&format!("hf download {} --revision {}", SEMBLE.model, SEMBLE.revision)), "{hint}");

    let lay = |revision: &str, weight: &str| {
        let snapshot = cache.join("models--minishlab--potion-code-16M-v2/snapshots").join(revision);
        std::fs::create_dir_all(&snapshot).unwrap();
        std::fs::write(snapshot.join("model.safetensors"), weight).unwrap();
    };
    lay(SEMBLE.revision, "0.25");
    lay("0000000000000000000000000000000000000000", "no number");
    let Availability::Ready(said) = probe(&laboratory.retriever()) else { panic!("not ready") };
    let name = format!("{}@{} sha256:", SEMBLE.model, SEMBLE.revision);
    assert!(said.model.as_ref().unwrap().starts_with(&name), "{said:?}");

    laboratory.options.revision = Some("0".repeat(40));
    let Availability::Broken { detail, .. } = probe(&laboratory.retriever()) else { panic!("not broken") };
    assert!(detail.contains("ValueError: could not convert string to float"), "{detail}");
}

#[test]
fn a_corpus_without_a_file_of_its_kinds_is_the_tools_own_error() {
    let laboratory = Laboratory::new(&SEMBLE, &[("a.md", "prose")]);
    let error = laboratory.grounds.site(1, |site| laboratory.retriever().prepare(site).err().unwrap());
    assert!(error.detail.contains("said no: ValueError: No supported files found"), "{error}");
}

#[test]
fn a_query_in_its_own_time_gets_at_most_what_is_fetched() {
    laboratory().prepared(|prepared| {
        let mut session = prepared.open().unwrap();
        let hits = session.query(&Query { id: "1", text: "rules" }, 1, in_time()).unwrap();
        assert_eq!(hits.len(), 1);
    });
}
