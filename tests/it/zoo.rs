//! Hostile programs, made in a folder of their own, and a look at whether anything of them still runs.

#![expect(clippy::disallowed_methods, reason = "tests write programs and read /proc")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use rankhold::process::{Bounds, Deadline, Environment, Extra, Finished, Launch, Program, run, run_heard};

/// One animal's cage: scripts, scratch folder and a tag that every process started here carries.
pub(crate) struct Zoo {
    folder: tempfile::TempDir,
}

impl Zoo {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::Builder::new().prefix("zoo-").tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What every process started here has in its command line or its environment.
    pub(crate) fn tag(&self) -> String {
        self.folder.path().file_name().unwrap().to_str().unwrap().to_owned()
    }

    /// Writes a program and returns the argument vector that runs it.
    pub(crate) fn program(&self, interpreter: &str, source: &str) -> Vec<String> {
        let path = self.path("animal");
        std::fs::write(&path, source).unwrap();
        vec![interpreter.to_owned(), path.to_str().unwrap().to_owned()]
    }

    pub(crate) fn extra(&self) -> Extra {
        let mut extra = Extra::default();
        extra.set.insert("ZOO".to_owned(), self.folder.path().to_str().unwrap().to_owned());
        extra
    }

    pub(crate) fn environment(&self) -> Environment {
        Environment::scrubbed(&self.path("scratch"), &self.extra()).unwrap()
    }

    /// Runs a program under generous limits.
    pub(crate) fn run(&self, interpreter: &str, source: &str) -> Finished {
        self.run_within(interpreter, source, generous())
    }

    pub(crate) fn run_within(&self, interpreter: &str, source: &str, bounds: Bounds) -> Finished {
        self.launch(interpreter, source, |launch| run(launch, bounds).unwrap())
    }

    pub(crate) fn run_heard(
        &self,
        interpreter: &str,
        source: &str,
        keep: usize,
        listener: impl FnMut(&[u8]) + Send + 'static,
    ) -> Finished {
        let bounds = Bounds { stdout: 1 << 30, ..generous() };
        self.launch(interpreter, source, |launch| run_heard(launch, bounds, keep, listener).unwrap())
    }

    fn launch<T>(&self, interpreter: &str, source: &str, run: impl FnOnce(&Launch<'_>) -> T) -> T {
        let argv = self.program(interpreter, source);
        run(&Launch {
            program: &Program::find(&argv[0]).unwrap(),
            arguments: &argv[1..],
            folder: self.folder(),
            environment: &self.environment(),
        })
    }

    /// The processes of this zoo that run now.
    pub(crate) fn running(&self) -> Vec<String> {
        running(&self.tag())
    }

    pub(crate) fn assert_empty(&self) {
        assert_eq!(self.running(), Vec::<String>::new(), "still running");
    }
}

/// Long enough for any machine.
pub(crate) fn generous() -> Bounds {
    Bounds { deadline: Deadline::after(Duration::from_mins(2)), stdout: 1 << 20, stderr: 1 << 20 }
}

/// A deadline that strikes while the program hangs; how soon does not matter to any test.
pub(crate) fn soon() -> Deadline {
    Deadline::after(Duration::from_millis(700))
}

/// Living processes with the tag in their command line or environment (none where there is no `/proc`).
pub(crate) fn running(tag: &str) -> Vec<String> {
    let Ok(folder) = std::fs::read_dir("/proc") else { return Vec::new() };
    let us = std::process::id().to_string();
    let ids = folder.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    ids.filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()) && *id != us)
        .filter_map(|id| {
            let text = |file: &str| {
                let bytes = std::fs::read(format!("/proc/{id}/{file}")).unwrap_or_default();
                String::from_utf8_lossy(&bytes).replace('\0', " ")
            };
            let command = text("cmdline");
            (command.contains(tag) || text("environ").contains(tag)).then(|| format!("{id}: {command}"))
        })
        .collect()
}

/// The process has ended and been reaped.
pub(crate) fn gone(id: &str) -> bool {
    !Path::new("/proc").join(id.trim()).exists()
}

/// Forks twice with a session of its own and goes on for ever; its parent ends once it is settled. With `WIPE` it
/// carries no environment and no tag.
pub(crate) const DAEMON: &str = r#"
import os, signal, sys
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open(os.environ["ZOO"] + "/daemon", "w") as f:
            f.write(str(os.getpid()))
        if WIPE:
            os.execve("/bin/sleep", ["sleep", "86400"], {})  # closes the pipe
        os.close(w)
        signal.pause()
    os._exit(0)
os.close(w)
os.read(r, 1)  # until the daemon is settled
"#;
