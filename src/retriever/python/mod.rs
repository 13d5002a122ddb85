//! Tools that are Python packages (`docs/retrievers-python.md`). Their workers ship inside this program, are written to
//! the scratch folder and speak the worker protocol, so that a model is loaded once and an index is built once.

mod coderankembed;
mod host;
mod options;
mod scripts;
mod semble;
mod words;

use std::path::Path;

use serde_json::{Value, json};

pub use self::coderankembed::CODERANKEMBED;
use self::options::Checked;
pub use self::options::{Content, Mode, PythonOptions};
use self::scripts::Laid;
pub use self::semble::SEMBLE;
pub use self::words::Words;
use super::external::{OptionProblem, Unusable};
use super::worker::{Worker, WorkerOptions};
use super::{Availability, Bench, Description, PrepareError, Prepared, Retriever, Sight, Site};

/// What is particular about one of these tools.
#[derive(Debug)]
pub struct System {
    /// The kind.
    pub name: &'static str,
    /// The script that is its worker.
    script: &'static str,
    /// The model it is documented to use.
    pub model: &'static str,
    /// The commit of that model which is used unless the configuration names another model.
    pub revision: &'static str,
    /// How it can rank; the first unless the configuration says so.
    modes: &'static [Mode],
    /// Its model knows queries from documents, has a longest text and may bring code of its own.
    encodes: bool,
}

/// One of these tools, as configured.
#[derive(Debug)]
pub struct Python {
    system: &'static System,
    settings: Checked,
    worker: Worker,
}

impl Python {
    /// Checks the settings; `repo` (absolute) is where `{repo}` points.
    pub fn new(system: &'static System, options: PythonOptions, repo: &Path) -> Result<Self, OptionProblem> {
        let settings = Checked::new(system, options, repo)?;
        let mut argv = settings.python.clone();
        argv.push(scripts::entry(system.script));
        let env = settings.variables();
        let pass_env = settings.options.pass_env.clone();
        let worker = WorkerOptions { argv, env, pass_env, ..WorkerOptions::default() };
        let worker = Worker::new(worker, repo).map_err(|problem| match problem.key {
            "argv" => OptionProblem { key: "python", ..problem },
            _ => problem,
        })?;
        Ok(Self { system, settings, worker })
    }

    /// Writes the worker and what it is told into the scratch folder.
    fn lay(&self, scratch: &Path, laid: Laid) -> Result<(), Unusable> {
        scripts::lay(scratch, &self.settings.told(self.system, laid)).map_err(|error| Unusable::Broken {
            hint: None,
            detail: format!("its worker could not be written to the scratch folder: {error}"),
        })
    }
}

impl Retriever for Python {
    fn probe(&self, bench: &Bench<'_>) -> Availability {
        match self.lay(bench.scratch, Laid::ForALook) {
            Ok(()) => match self.worker.probe(bench) {
                // Its worker tries itself out as soon as it has what it ranks with.
                Availability::Ready(said) => {
                    let tried = said.model.is_some() || self.settings.mode == Mode::Bm25;
                    // The file of a Python says nothing of what it runs; the packages' versions are said.
                    Availability::Ready(Description { tried, program: None, ..said })
                }
                // Ours speaks as it should.
                Availability::Broken { detail, hint: _ } => Availability::Broken { detail, hint: None },
                missing @ Availability::Missing { .. } => missing,
            },
            Err(unusable) => unusable.into(),
        }
    }

    fn configuration(&self) -> Value {
        let Checked { options, mode, content, candidates, .. } = &self.settings;
        let mut all = json!({
            "mode": mode,
            "model": self.settings.model_in_the_hash(),
            "content": content,
            "candidates": candidates,
            "random-model": options.random_model,
            "env": options.env,
            "pass-env": options.pass_env,
        });
        if self.system.encodes {
            all["max-seq-length"] = json!(self.settings.max_seq_length);
            all["query-prompt"] = json!(options.query_prompt);
            all["trust-remote-code"] = json!(options.trust_remote_code);
        }
        all
    }

    fn sight(&self) -> Sight {
        Sight::Copy
    }

    fn prepare<'a>(&'a self, site: &Site<'a>) -> Result<Box<dyn Prepared + 'a>, PrepareError> {
        self.lay(site.scratch, Laid::ForThreads(site.threads))?;
        self.worker.prepare(site).map_err(|error| error.advising(None))
    }
}
