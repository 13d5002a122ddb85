//! Signals that end the program: nothing of it is left, neither children nor folders, and nothing is reported.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests start the program and look at what it left")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

use rankhold::process::{ScratchFolder, end_jobs_with_us, undivided};
use rustix::fs::{CWD, FileType, mknodat};
use rustix::process::{Pid, Signal, kill_process};

use crate::program::{Tree, garden_of, program, shell};
use crate::zoo::running;

/// Whoever starts the tests may ignore signals, and what is ignored stays ignored in every child (`trap '' INT; cargo
/// test`). What is caught here begins with its default there.
pub(crate) fn begin_with_the_default(signal: Signal) {
    let always = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    signal_hook::flag::register_conditional_default(signal.as_raw(), always).unwrap();
}

/// A garden whose retriever says through a pipe that it was asked, and then hangs.
struct Hanging {
    tree: Tree,
    temporary: tempfile::TempDir,
}

impl Hanging {
    fn new() -> Self {
        let temporary = tempfile::Builder::new().prefix("hanging-").tempdir().unwrap();
        let pipe = temporary.path().join("asked");
        mknodat(CWD, &pipe, FileType::Fifo, 0o600.into(), 0).unwrap();
        std::fs::create_dir(temporary.path().join("tmp")).unwrap();
        let tree = garden_of(&shell(&format!("echo asked > {}; exec sleep 86400", pipe.display())));
        Self { tree, temporary }
    }

    /// Starts a run and waits until its retriever hangs.
    fn run(&self) -> Child {
        let mut command = program(&self.tree.root());
        command.args(["run", "--results", "out"]).env("TMPDIR", self.temporary.path().join("tmp"));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        assert_eq!(std::fs::read_to_string(self.temporary.path().join("asked")).unwrap(), "asked\n");
        child
    }

    fn folders(&self) -> usize {
        std::fs::read_dir(self.temporary.path().join("tmp")).unwrap().count()
    }

    fn tag(&self) -> &str {
        self.temporary.path().file_name().unwrap().to_str().unwrap()
    }
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn whatever_signal_ends_it_nothing_is_left() {
    for signal in [
        Signal::INT,
        Signal::TERM,
        Signal::HUP,
        Signal::QUIT,
        Signal::ABORT,
        Signal::ALARM,
        Signal::USR1,
        Signal::USR2,
        Signal::XCPU,
    ] {
        begin_with_the_default(signal);
        let hanging = Hanging::new();
        let child = hanging.run();
        assert_eq!(hanging.folders(), 1);
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(signal.as_raw()), "{signal:?}: {output:?}");
        assert_eq!(hanging.folders(), 0, "{signal:?}");
        assert_eq!(running(hanging.tag()), Vec::<String>::new(), "{signal:?}");
        // What a retriever said after it was ended is no answer, and so there is no report of it.
        assert!(output.stdout.is_empty() && !hanging.tree.exists("out"), "{signal:?}: {output:?}");
    }
}

#[test]
fn a_signal_that_whoever_started_it_ignores_is_ignored() {
    let tree = garden_of(&shell("kill -HUP $PPID; echo '[]'"));
    let script = format!("trap '' HUP; exec {} run", env!("CARGO_BIN_EXE_rankhold"));
    let output =
        std::process::Command::new("sh").args(["-c", &script]).current_dir(tree.root()).output().unwrap();
    assert_eq!(output.status.signal(), None, "{output:?}");
    begin_with_the_default(Signal::HUP);
    let output = program(&tree.root()).arg("run").output().unwrap();
    assert_eq!(output.status.signal(), Some(Signal::HUP.as_raw()), "{output:?}");
}

#[test]
fn what_must_not_be_divided_comes_to_its_end_first() {
    begin_with_the_default(Signal::TERM);
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["signals::role_writes_two_files", "--exact", "--ignored", "--nocapture"]);
    command.env("WRITES_TO", folder.path()).env("TMPDIR", folder.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let told = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let scratch =
        told.into_iter().find_map(|line| line.split_once("between ").map(|(_, path)| path.to_owned()));
    let scratch = std::path::PathBuf::from(scratch.expect("it wrote the first"));
    send(&child, Signal::TERM);
    // Its folder goes when the signal was heard; what is left to do before the end is the second file.
    while scratch.exists() {
        std::thread::yield_now();
    }
    child.stdin.take().unwrap().write_all(b"go on\n").unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
    let left: Vec<String> = ["first", "second", "third"]
        .into_iter()
        .filter(|name| folder.path().join(name).exists())
        .map(str::to_owned)
        .collect();
    assert_eq!(left, ["first", "second"], "and nothing begins any more");
}

#[test]
#[ignore = "a part that another test plays in a process of its own"]
fn role_writes_two_files() {
    let Some(folder) = std::env::var_os("WRITES_TO").map(std::path::PathBuf::from) else { return };
    end_jobs_with_us();
    let scratch = ScratchFolder::new_in(&folder).unwrap();
    let both = undivided();
    std::fs::write(folder.join("first"), "").unwrap();
    std::io::stdout().write_all(format!("between {}\n", scratch.path().display()).as_bytes()).unwrap();
    std::io::stdin().read_line(&mut String::new()).unwrap();
    drop(undivided()); // within another one
    std::fs::write(folder.join("second"), "").unwrap();
    drop(both);
    let _another = undivided();
    std::fs::write(folder.join("third"), "").unwrap();
}
