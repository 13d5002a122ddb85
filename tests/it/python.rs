//! A Python in which packages of our own stand in for those of others, and what its workers share.
#![expect(clippy::disallowed_methods, reason = "tests write models and look at what was left")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rankhold::process::{Bounds, Deadline, End, Environment, Extra, Launch, Program, run};
use rankhold::ranking::RawHit;
use rankhold::retriever::python::{CODERANKEMBED, Python, PythonOptions, SEMBLE, System};
use rankhold::retriever::{Prepared, Query, QueryError, Retriever};

use crate::grounds::{Grounds, in_time};

fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What stands in for packages: for `env`.
pub(crate) fn packages() -> BTreeMap<String, String> {
    let packages = home().join("tests/data/python");
    BTreeMap::from([("PYTHONPATH".to_owned(), packages.to_str().unwrap().to_owned())])
}

/// A corpus, a model and settings that use it.
pub(crate) struct Laboratory {
    pub(crate) grounds: Grounds,
    pub(crate) options: PythonOptions,
    system: &'static System,
    models: tempfile::TempDir,
}

impl Laboratory {
    pub(crate) fn new(system: &'static System, files: &[(&str, &str)]) -> Self {
        let grounds = Grounds::new(files);
        for (path, text) in files {
            let path = grounds.tree().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let models = tempfile::tempdir().unwrap();
        let folder = models.path().join("net");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("model.safetensors"), "0.25").unwrap();
        std::fs::write(folder.join("config.json"), "{}").unwrap();
        let model = Some(folder.to_str().unwrap().to_owned());
        let options = PythonOptions { model, env: packages(), ..PythonOptions::default() };
        Self { grounds, options, system, models }
    }

    /// A file of the model.
    pub(crate) fn write(&self, path: &str, text: &str) {
        std::fs::write(self.models.path().join("net").join(path), text).unwrap();
    }

    pub(crate) fn retriever(&self) -> Python {
        Python::new(self.system, self.options.clone(), self.grounds.repo()).unwrap()
    }

    /// Does something with the index.
    pub(crate) fn prepared<R>(&self, act: impl FnOnce(&dyn Prepared) -> R) -> R {
        let retriever = self.retriever();
        self.grounds.site(2, |site| {
            let prepared = retriever.prepare(site).unwrap_or_else(|error| panic!("{error}"));
            act(&*prepared)
        })
    }

    /// One query after the other, of one session.
    pub(crate) fn ask(&self, queries: &[&str]) -> Vec<Result<Vec<RawHit>, QueryError>> {
        self.prepared(|prepared| {
            let mut session = prepared.open().unwrap();
            let ask = |text: &&str| session.query(&Query { id: "a case", text }, 50, in_time());
            queries.iter().map(ask).collect()
        })
    }

    /// A file that the worker left in the scratch folder.
    pub(crate) fn left(&self, path: &str) -> String {
        std::fs::read_to_string(self.grounds.scratch().join(path)).unwrap()
    }

    pub(crate) fn models(&self) -> &Path {
        self.models.path()
    }
}

/// The first paths of an answer's hits.
pub(crate) fn found(answer: &Result<Vec<RawHit>, QueryError>) -> Vec<&str> {
    let hits = answer.as_ref().unwrap_or_else(|error| panic!("{error}"));
    crate::grounds::paths(hits)
}

#[test]
fn the_parts_that_need_no_package_do_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let places = [home().join("tests/data/python"), home().join("src/retriever/python")];
    let path = std::env::join_paths(places).unwrap().into_string().unwrap();
    let extra = Extra { set: BTreeMap::from([("PYTHONPATH".to_owned(), path)]), ..Extra::default() };
    let launch = Launch {
        program: &Program::find("python3").unwrap(),
        arguments: &["-m", "unittest", "units"].map(str::to_owned),
        folder: folder.path(),
        environment: &Environment::scrubbed(folder.path(), &extra).unwrap(),
    };
    let bounds = Bounds { deadline: in_time(), stdout: 1 << 20, stderr: 1 << 20 };
    let finished = run(&launch, bounds).unwrap();
    let words = String::from_utf8_lossy(&finished.stderr);
    assert_eq!(finished.end, End::Code(0), "{words}");
    assert!(!words.contains("Ran 0 tests"), "{words}");
}

/// A problem with settings, in the words of a reader.
fn problem(system: &'static System, keys: &str) -> String {
    let options: PythonOptions = match toml::from_str(keys) {
        Ok(options) => options,
        Err(error) => return error.message().to_owned(),
    };
    Python::new(system, options, Path::new("/repo")).unwrap_err().to_string()
}

#[test]
fn settings_that_cannot_be_used_say_why() {
    for (keys, expected) in [
        ("python = '{query}'", "python: the program cannot hold `{query}`"),
        (
            "model = 'net'",
            "model: must be a model of the hub (`owner/name`), an absolute folder, or begin with `{repo}/`",
        ),
        (
            "model = 'a/b/c'",
            "model: must be a model of the hub (`owner/name`), an absolute folder, or begin with `{repo}/`",
        ),
        (
            "model = '../net'",
            "model: must be a model of the hub (`owner/name`), an absolute folder, or begin with `{repo}/`",
        ),
        (
            "revision = 'main'",
            "revision: must be a commit's full hash, 40 hexadecimal digits: what branches and tags mean changes",
        ),
        (
            "model = '/m'\nrevision = '0123456789012345678901234567890123456789'",
            "revision: has no meaning for a folder; take it out",
        ),
        ("model-cache = 'hub'", "model-cache: must be an absolute folder or begin with `{repo}/`"),
        ("content = []", "content: is empty; name `code`, `docs` or `config`"),
        ("candidates = 0", "candidates: must be at least 1"),
        ("threads = 0", "threads: at least one is needed"),
        ("env = { GITHUB_TOKEN = 'x' }", "env: `GITHUB_TOKEN` is never given to a retriever"),
        ("pass-env = ['GH_TOKEN']", "pass-env: `GH_TOKEN` is never given to a retriever"),
    ] {
        for system in [&SEMBLE, &CODERANKEMBED] {
            assert_eq!(problem(system, keys), expected, "{keys}");
        }
    }
    for (keys, expected) in [
        (
            "trust-remote-code = true",
            "trust-remote-code: has no meaning here, where the model is a table of vectors; take it out",
        ),
        (
            "max-seq-length = 1",
            "max-seq-length: has no meaning here, where the model is a table of vectors; take it out",
        ),
        (
            "mode = 'bm25'\nmodel = 'a/b'",
            "model: has no meaning with `mode = \"bm25\"`, which uses no model; take it out",
        ),
        (
            "mode = 'bm25'\nrandom-model = true",
            "random-model: has no meaning with `mode = \"bm25\"`, which uses no model; take it out",
        ),
    ] {
        assert_eq!(problem(&SEMBLE, keys), expected, "{keys}");
    }
    let mode = "mode: bm25 has no place for this model; kind `semble` has that mode";
    assert_eq!(problem(&CODERANKEMBED, "mode = 'bm25'"), mode);
    assert_eq!(problem(&CODERANKEMBED, "max-seq-length = 0"), "max-seq-length: must be at least 1");
}

#[test]
fn the_hash_of_a_configuration_knows_what_can_change_a_ranking_and_no_machine() {
    let hashed = |system, keys: &str| {
        let options = toml::from_str(keys).unwrap();
        Python::new(system, options, Path::new("/repo")).unwrap().configuration()
    };
    for system in [&SEMBLE, &CODERANKEMBED] {
        let plain = hashed(system, "");
        for same in [
            "python = '/venv/bin/python'",
            "python = ['uv', 'run', 'python']",
            "model-cache = '/cache'",
            "online = true",
            "stand-in = true",
            "threads = 7",
            "candidates = 50",
            "content = ['code', 'code']",
        ] {
            assert_eq!(hashed(system, same), plain, "{same}");
        }
        for other in [
            "mode = 'hybrid'\ncandidates = 51",
            "model = 'lab/net'",
            "model = '/models/net'",
            "revision = '0123456789012345678901234567890123456789'",
            "content = ['docs']",
            "random-model = true",
            "env = { SEMBLE_MAX_FILE_BYTES = '1' }",
        ] {
            assert_ne!(hashed(system, other), plain, "{other}");
        }
        assert_eq!(plain["model"]["id"], system.model);
        assert_eq!(plain["model"]["revision"], system.revision);
        assert_eq!(hashed(system, "model = '/a/net'"), hashed(system, "model = '/b/net'"));
        assert_eq!(hashed(system, "model = '{repo}/a/net'")["model"]["folder"], "{repo}/a/net");
    }
    for other in ["max-seq-length = 8", "query-prompt = ''", "trust-remote-code = true", "mode = 'hybrid'"] {
        assert_ne!(hashed(&CODERANKEMBED, other), hashed(&CODERANKEMBED, ""), "{other}");
    }
}

#[test]
fn a_worker_that_takes_too_long_to_load_is_ended() {
    let laboratory = Laboratory::new(&SEMBLE, &[("a.rs", "x")]);
    let slow = laboratory.models().join("packages/semble");
    std::fs::create_dir_all(&slow).unwrap();
    std::fs::write(slow.join("__init__.py"), "import time\ntime.sleep(1000)\n").unwrap();
    let mut options = laboratory.options.clone();
    options.env.insert("PYTHONPATH".to_owned(), slow.parent().unwrap().to_str().unwrap().to_owned());
    let slow = Python::new(&SEMBLE, options, laboratory.grounds.repo()).unwrap();
    let soon = Deadline::after(std::time::Duration::from_secs(1));
    let error = laboratory.grounds.site_until(soon, 1, |site| slow.prepare(site).err().unwrap());
    assert!(error.detail.contains("did not reply in time"), "{error}");
}
