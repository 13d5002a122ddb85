//! Children: what they see, what they may use, and that nothing of them is left.
#![expect(clippy::disallowed_methods, reason = "tests start a process of their own and read files")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use rankhold::process::{
    Bounds, Conversation, Deadline, End, Heard, Launch, Program, Stream, end_jobs_with_us,
    wait_if_interrupted,
};

use crate::zoo::{DAEMON, Zoo, generous, gone, running, soon};

#[test]
fn a_child_gives_its_output_and_its_exit_code() {
    let zoo = Zoo::new();
    let finished = zoo.run("sh", "echo out; echo err >&2; exit 3");
    assert_eq!(finished.end, End::Code(3));
    assert_eq!((&*finished.stdout, &*finished.stderr), (&b"out\n"[..], &b"err\n"[..]));
    zoo.assert_empty();
}

#[test]
fn a_signal_is_not_an_exit_code() {
    let zoo = Zoo::new();
    assert_eq!(zoo.run("sh", "kill -ABRT $$").end, End::Signal(6));
}

#[test]
fn a_child_sees_an_empty_stdin_its_folder_and_a_scrubbed_environment() {
    let zoo = Zoo::new();
    let finished = zoo.run("sh", "cat; pwd; env");
    let text = String::from_utf8(finished.stdout).unwrap();
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
    assert_eq!(text.lines().next(), zoo.folder().canonicalize().unwrap().to_str());
    assert_eq!(value("HF_HUB_OFFLINE"), Some("1"));
    assert_eq!(value("HOME"), zoo.path("scratch/home").to_str());
    for ours in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "GITHUB_TOKEN"] {
        assert_eq!(value(ours), None, "{ours} went through");
    }
}

#[test]
fn a_hanging_child_that_ignores_sigterm_is_ended_at_its_deadline() {
    let zoo = Zoo::new();
    let hang = "trap '' TERM INT HUP; echo begun; while :; do sleep 1000; done";
    let finished = zoo.run_within("sh", hang, Bounds { deadline: soon(), ..generous() });
    assert_eq!(finished.end, End::Timeout);
    zoo.assert_empty();
}

#[test]
fn closed_output_is_no_end() {
    let zoo = Zoo::new();
    let finished =
        zoo.run_within("sh", "exec >&- 2>&-; sleep 1000", Bounds { deadline: soon(), ..generous() });
    assert_eq!(finished.end, End::Timeout);
    zoo.assert_empty();
}

#[test]
fn a_flood_is_ended_and_its_head_kept_on_either_stream() {
    for (redirect, stream) in [("", Stream::Stdout), (">&2", Stream::Stderr)] {
        let zoo = Zoo::new();
        let flood = format!("while :; do echo 0123456789012345678901234567890123456789; done {redirect}");
        let finished = zoo.run("sh", &flood);
        assert_eq!(finished.end, End::Flood { stream, limit: 1 << 20 });
        let kept = if stream == Stream::Stdout { finished.stdout } else { finished.stderr };
        assert_eq!(kept.len(), 1 << 20);
        assert!(kept.starts_with(b"0123456789"));
        zoo.assert_empty();
    }
}

#[test]
fn as_much_as_allowed_is_no_flood() {
    let zoo = Zoo::new();
    let finished = zoo.run_within("sh", "printf 12345", Bounds { stdout: 5, ..generous() });
    assert_eq!((finished.end, &*finished.stdout), (End::Code(0), &b"12345"[..]));
    let finished = zoo.run_within("sh", "printf 12345", Bounds { stdout: 4, ..generous() });
    assert_eq!(finished.end, End::Flood { stream: Stream::Stdout, limit: 4 });
}

#[test]
fn what_is_heard_is_not_kept() {
    let zoo = Zoo::new();
    let (sender, heard) = std::sync::mpsc::channel();
    let finished = zoo.run_heard("sh", "printf first; head -c 3000000 /dev/zero", 8, move |piece| {
        sender.send(piece.len()).unwrap();
    });
    assert_eq!((finished.end, &*finished.stdout), (End::Code(0), &b"first\0\0\0"[..]));
    assert_eq!(heard.iter().sum::<usize>(), 3_000_005);
}

#[test]
fn a_background_child_that_holds_the_pipes_does_not_hold_us() {
    let zoo = Zoo::new();
    let finished = zoo.run("sh", "sleep 86400 & echo answer");
    assert_eq!((finished.end, &*finished.stdout), (End::Code(0), &b"answer\n"[..]));
    zoo.assert_empty();
}

#[cfg(unix)]
#[test]
fn a_script_whose_interpreter_is_not_there_is_not_found_and_says_which() {
    let zoo = Zoo::new();
    let script = zoo.path("script");
    for (first_line, named) in [
        ("#!/no/such/interpreter -x\n", "`/no/such/interpreter`, which is not there"),
        ("#!/bin/sh\r\n", "`/bin/sh`, and the line ends with CR LF"),
    ] {
        std::fs::write(&script, first_line).unwrap();
        make_executable(&script);
        let missing = Program::find(script.to_str().unwrap()).unwrap_err();
        assert!(missing.what.contains(named) && missing.hint.contains("#!"), "{missing:?}");
    }
    std::fs::write(&script, "#! /bin/sh\n").unwrap();
    Program::find(script.to_str().unwrap()).unwrap();
}

#[cfg(unix)]
#[test]
fn a_program_that_the_system_refuses_says_what_to_do() {
    let zoo = Zoo::new();
    let script = zoo.path("script");
    std::fs::write(&script, "echo no first line\n").unwrap();
    make_executable(&script);
    let refused = |program: &str, arguments: &[String]| {
        let launch = Launch {
            program: &Program::find(program).unwrap(),
            arguments,
            folder: zoo.folder(),
            environment: &zoo.environment(),
        };
        rankhold::process::run(&launch, generous()).unwrap_err().to_string()
    };
    let told = refused(script.to_str().unwrap(), &[]);
    assert!(told.contains("could not be started") && told.contains("no `#!` line"), "{told}");
    let told = refused("sh", &["x".repeat(64 << 20)]);
    assert!(told.contains("67108864 bytes") && told.contains("`worker`"), "{told}");
}

#[cfg(target_os = "linux")]
mod daemons {
    use super::*;

    fn daemon(zoo: &Zoo) -> String {
        std::fs::read_to_string(zoo.path("daemon")).unwrap()
    }

    #[test]
    fn a_daemon_with_a_session_of_its_own_ends_with_its_job() {
        let zoo = Zoo::new();
        let finished = zoo.run("python3", &format!("WIPE = False\n{DAEMON}"));
        assert_eq!(finished.end, End::Code(0), "{}", String::from_utf8_lossy(&finished.stderr));
        assert!(gone(&daemon(&zoo)));
        zoo.assert_empty();
    }

    #[test]
    fn a_daemon_of_one_job_outlives_a_job_beside_it() {
        let zoo = Zoo::new();
        let mut held =
            converse(&zoo, &format!("WIPE = False\n{DAEMON}\nprint('settled', flush=True)\ninput()"));
        assert_eq!(held.hear(generous().deadline), Heard::Line(b"settled".to_vec()));

        let beside = Zoo::new();
        assert_eq!(beside.run("sh", "true").end, End::Code(0));
        assert!(!gone(&daemon(&zoo)), "one job ended another's daemon");

        assert_eq!(held.hang_up(generous().deadline), End::Code(1)); // `input()` meets the end of its input
        assert!(gone(&daemon(&zoo)));
        zoo.assert_empty();
    }

    #[test]
    fn a_daemon_without_environment_ends_with_the_last_job() {
        assert!(alone("process::daemons::role_wiped_daemon", &Zoo::new()).wait().unwrap().success());
    }

    /// In a process of its own, since the jobs of other tests would count as jobs beside this one.
    #[test]
    #[ignore = "a part that another test plays in a process of its own"]
    fn role_wiped_daemon() {
        let Some(_) = std::env::var_os("ZOO_ROLE") else { return };
        let zoo = Zoo::new();
        let mut beside = converse(&Zoo::new(), "input()");
        let finished = zoo.run("python3", &format!("WIPE = True\n{DAEMON}"));
        assert_eq!(finished.end, End::Code(0), "{}", String::from_utf8_lossy(&finished.stderr));
        assert!(!gone(&daemon(&zoo)), "it could have been the other job's");
        beside.end();
        assert!(gone(&daemon(&zoo)));
    }

    #[test]
    fn an_interrupt_ends_every_job_first() {
        crate::signals::begin_with_the_default(rustix::process::Signal::INT);
        let zoo = Zoo::new();
        let mut parent = alone("process::daemons::role_interrupted", &zoo);
        let told = BufReader::new(parent.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(told.into_iter().any(|line| line.ends_with("settled")), "it ended before its time");
        let id = rustix::process::Pid::from_raw(parent.id().cast_signed()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        let status = parent.wait().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(2));
        assert!(gone(&daemon(&zoo)));
        zoo.assert_empty();
    }

    #[test]
    #[ignore = "a part that another test plays in a process of its own"]
    fn role_interrupted() {
        let Some(folder) = std::env::var_os("ZOO_ROLE") else { return };
        end_jobs_with_us();
        let folder = std::path::PathBuf::from(folder);
        let zoo = Zoo::new();
        let source = DAEMON.replace("os.environ[\"ZOO\"]", &format!("{:?}", folder.to_str().unwrap()));
        let mut held =
            converse(&zoo, &format!("WIPE = False\n{source}\nprint('settled', flush=True)\nsignal.pause()"));
        assert_eq!(held.hear(generous().deadline), Heard::Line(b"settled".to_vec()));
        std::io::stdout().write_all(b"settled\n").unwrap();
        held.hear(generous().deadline);
        // As the program does: what ended because we are ending is no answer.
        wait_if_interrupted();
    }

    /// Plays one ignored test of this binary in a process of its own.
    fn alone(test: &str, zoo: &Zoo) -> std::process::Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([test, "--exact", "--ignored", "--nocapture"]).env("ZOO_ROLE", zoo.folder());
        command.stdout(Stdio::piped()).spawn().unwrap()
    }
}

#[test]
fn a_panic_of_ours_leaves_nothing_running() {
    let zoo = Zoo::new();
    let outcome = std::panic::catch_unwind(|| {
        let mut held = converse(&zoo, "print('settled', flush=True)\nimport signal\nsignal.pause()");
        assert_eq!(held.hear(generous().deadline), Heard::Line(b"settled".to_vec()));
        assert_ne!(running(&zoo.tag()), Vec::<String>::new());
        std::panic::resume_unwind(Box::new("ours"));
    });
    assert!(outcome.is_err());
    zoo.assert_empty();
}

#[test]
fn a_conversation_hears_the_last_line_of_a_child_that_ends() {
    let zoo = Zoo::new();
    let mut child =
        converse(&zoo, "print(input()[::-1]); import sys; sys.stderr.write('bye\\n'); sys.exit(4)");
    child.say("abc");
    let deadline = Deadline::after(Duration::from_mins(2));
    assert_eq!(child.hear(deadline), Heard::Line(b"cba".to_vec()));
    assert_eq!(child.hear(deadline), Heard::Ended(End::Code(4)));
    assert_eq!(child.last_words(), b"bye\n");
}

#[test]
fn a_child_that_never_reads_does_not_block_the_one_who_speaks() {
    let zoo = Zoo::new();
    let mut child = converse(&zoo, "import signal; signal.pause()");
    for _ in 0..64 {
        child.say(&"x".repeat(1 << 16));
    }
    assert_eq!(child.hear(soon()), Heard::Nothing);
    assert_eq!(child.end(), End::Signal(9));
    zoo.assert_empty();
}

#[test]
fn a_flood_of_lines_waits_in_the_pipe_and_an_over_long_line_is_told() {
    let zoo = Zoo::new();
    let mut child = converse(&zoo, "while True: print('line')");
    assert_eq!(child.hear(generous().deadline), Heard::Line(b"line".to_vec()));
    drop(child);
    zoo.assert_empty();
    let mut child = converse(&zoo, "print('x' * 5000)");
    assert_eq!(child.hear(generous().deadline), Heard::TooLong);
    drop(child);
    zoo.assert_empty();
}

/// A Python program to converse with; its lines may be 4,096 bytes long.
fn converse(zoo: &Zoo, source: &str) -> Conversation {
    let argv = zoo.program("python3", source);
    let launch = Launch {
        program: &Program::find(&argv[0]).unwrap(),
        arguments: &argv[1..],
        folder: zoo.folder(),
        environment: &zoo.environment(),
    };
    Conversation::start(&launch, 4096).unwrap()
}

#[cfg(unix)]
fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
