//! Commands, well-behaved and hostile, asked through the retriever.
#![expect(clippy::disallowed_methods, reason = "tests look at what a command wrote")]

use rankhold::corpus::copy::{Access, materialise, verify};
use rankhold::process::Deadline;
use rankhold::ranking::{ErrorClass, RawHit};
use rankhold::retriever::command::{Command, CommandOptions};
use rankhold::retriever::output::Format;
use rankhold::retriever::{Availability, Query, QueryError, Retriever};

use crate::grounds::{Grounds, in_time, paths, probe};
use crate::zoo::{Zoo, soon};

type Change = fn(&mut CommandOptions);

/// A command that runs a program of the zoo; its query is its last argument.
struct Cage {
    zoo: Zoo,
    grounds: Grounds,
    options: CommandOptions,
}

fn cage(interpreter: &str, source: &str) -> Cage {
    let zoo = Zoo::new();
    let mut argv = zoo.program(interpreter, source);
    argv.push("{query}".to_owned());
    let mut options = CommandOptions::new(argv);
    options.env = zoo.extra().set;
    Cage { zoo, grounds: Grounds::new(&[("a.rs", "alpha"), ("sub/b.rs", "beta")]), options }
}

impl Cage {
    fn with(mut self, change: impl FnOnce(&mut CommandOptions)) -> Self {
        change(&mut self.options);
        self
    }

    fn command(&self) -> Command {
        Command::new(self.options.clone(), self.grounds.repo()).unwrap()
    }

    /// Asks, and looks that nothing is left running.
    fn ask(&self, query: &str) -> Result<Vec<RawHit>, QueryError> {
        let answer = self.grounds.ask(&self.command(), query);
        self.zoo.assert_empty();
        answer
    }

    fn fails(&self, class: ErrorClass) -> String {
        let error = self.ask("q").unwrap_err();
        assert_eq!(error.class, class, "{error}");
        error.detail
    }
}

#[test]
fn hits_come_in_the_order_they_are_printed() {
    let cage = cage("sh", r#"printf '[{"path": "sub/b.rs", "score": 2}, "a.rs"]'"#);
    let hits = cage.ask("q").unwrap();
    assert_eq!(paths(&hits), ["sub/b.rs", "a.rs"]);
    assert_eq!(hits[0].score, Some(2.0));
}

#[test]
fn a_query_is_one_argument_whatever_it_holds() {
    let echo = r#"import json, sys; print(json.dumps([{"path": "a.rs", "summary": sys.argv[1], "kind": str(len(sys.argv))}]))"#;
    let cage = cage("python3", echo);
    for query in ["-n", "--help", "$(touch x); `id` | &", "a  \"b\" 'c'\n{corpus} *", "čeština 字"] {
        let hit = cage.ask(query).unwrap().remove(0);
        assert_eq!((hit.summary.as_deref(), hit.kind.as_deref()), (Some(query), Some("2")));
    }
    assert_eq!(cage.ask("a\0b").unwrap_err().class, ErrorClass::Tool);
}

#[test]
fn it_searches_the_copy_with_what_it_is_given() {
    let source = r#"printf '%s\n' "$@" "$PWD" > "$ZOO/seen"; ls"#;
    let cage = cage("sh", source).with(|options| {
        options.format = Format::Paths;
        options.argv.extend(["{fetch}", "{corpus}", "{repo}/x", "{scratch}"].map(str::to_owned));
    });
    materialise(cage.grounds.corpus(), &cage.grounds.tree(), Access::ReadOnly, in_time()).unwrap();
    assert_eq!(paths(&cage.ask("q").unwrap()), ["a.rs", "sub"]);
    let seen = std::fs::read_to_string(cage.zoo.path("seen")).unwrap();
    let text = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
    let tree = text(cage.grounds.tree());
    let repo = text(cage.grounds.repo().join("x"));
    assert_eq!(
        seen.lines().collect::<Vec<_>>(),
        ["q", "50", &tree, &repo, &text(cage.grounds.scratch()), &tree]
    );
}

#[test]
fn more_hits_than_asked_for_are_cut() {
    let cage = cage("sh", "seq 1 60").with(|options| options.format = Format::Paths);
    assert_eq!(cage.ask("q").unwrap().len(), 50);
}

#[test]
fn exit_codes_mean_what_the_configuration_says() {
    let grep = |code: u8| {
        cage("sh", &format!("exit {code}")).with(|options| {
            options.format = Format::Grep;
            options.empty_exits = vec![1];
        })
    };
    assert_eq!(grep(1).ask("q").unwrap(), []);
    assert_eq!(grep(0).ask("q").unwrap(), []);
    let told = grep(2).fails(ErrorClass::Tool);
    assert!(told.contains("exit code 2, which is in neither `ok-exits` nor `empty-exits`"), "{told}");
    let printed = cage("sh", "echo a.rs:1:x; exit 1").with(|options| options.empty_exits = vec![1]);
    printed.fails(ErrorClass::Protocol);
}

#[test]
fn an_error_with_exit_code_0_is_no_empty_answer() {
    let told = cage("sh", r#"echo '{"error": "no index"}'"#).fails(ErrorClass::Protocol);
    assert!(
        told.contains("there is no list of hits at the top, but an object with the keys error"),
        "{told}"
    );
    assert!(told.contains(r#"it begins: `{"error": "no index"}`"#), "{told}");
}

#[test]
fn what_stands_where_errors_do_is_the_tool_s_word() {
    let saying = |text: &str| {
        cage("sh", &format!("echo '{text}'")).with(|options| {
            options.hits = Some("/results".into());
            options.error = Some("/error".into());
            options.empty_texts = vec!["No results found.".into()];
        })
    };
    assert_eq!(saying(r#"{"error": "No results found."}"#).ask("q").unwrap(), []);
    assert_eq!(paths(&saying(r#"{"results": ["a.rs"], "error": null}"#).ask("q").unwrap()), ["a.rs"]);
    let told = saying(r#"{"error": "no index"}"#).fails(ErrorClass::Tool);
    assert!(told.contains("said no: it says `no index`"), "{told}");
}

#[test]
fn garbage_is_a_protocol_failure_told_in_printable_characters() {
    let told =
        cage("sh", r"printf '\000\377\033[2Jgarbage'; echo 'what\nnow' >&2").fails(ErrorClass::Protocol);
    assert!(told.contains(r"\u{0}") && told.contains(r"\u{1b}[2Jgarbage"), "{told}");
    assert!(told.chars().all(|c| !c.is_control()), "{told:?}");
    cage("sh", r"printf 'a\000b\n'")
        .with(|options| options.format = Format::Paths)
        .fails(ErrorClass::Protocol);
    cage("sh", "").fails(ErrorClass::Protocol);
}

#[test]
fn half_an_answer_before_a_crash_is_a_failure() {
    let told =
        cage("sh", r#"printf '["a.rs"'; echo 'out of memory' >&2; kill -KILL $$"#).fails(ErrorClass::Died);
    assert!(told.contains("signal 9") && told.contains("`out of memory`"), "{told}");
}

#[test]
fn a_command_that_hangs_is_ended_at_its_deadline() {
    for hang in
        ["trap '' TERM; while :; do sleep 1000; done", "exec >&- 2>&-; sleep 1000", "cat; sleep 1000 & wait"]
    {
        let cage = cage("sh", hang);
        let answer = cage.grounds.site(1, |site| {
            let command = cage.command();
            let prepared = command.prepare(site).unwrap();
            prepared.open().unwrap().query(&Query { id: "1", text: "q" }, 5, soon())
        });
        assert_eq!(answer.unwrap_err().class, ErrorClass::Timeout, "{hang}");
        cage.zoo.assert_empty();
    }
}

#[test]
fn a_flood_is_ended_on_either_stream() {
    for redirect in ["", ">&2"] {
        let cage = cage("sh", &format!("while :; do echo '[[[[[[[[[[[[[[[[[[[[[[[['; done {redirect}"))
            .with(|options| options.max_output = Some("64KiB".parse().unwrap()));
        let told = cage.fails(ErrorClass::OutputLimit);
        assert!(told.contains("65536 bytes") && told.contains("`max-output`"), "{told}");
    }
}

/// As a common word makes them: long lines around few matches.
#[test]
fn events_of_ripgrep_are_read_as_they_come_and_only_what_matched_is_kept() {
    let source = r#"
import json, sys
line = {"type": "match", "data": {"path": {"text": "a.rs"}, "lines": {"text": "x" * 500000}, "line_number": 1,
        "absolute_offset": 0, "submatches": [{"match": {"text": "x"}, "start": 0, "end": 1}]}}
for _ in range(60): print(json.dumps(line, separators=(",", ":")))
print(json.dumps({"type": "summary", "data": {}}))
sys.exit(int(sys.argv[1]))
"#;
    let cage = |limit: &str| {
        cage("python3", source).with(|options| {
            options.format = Format::Ripgrep;
            options.max_output = Some(limit.parse().unwrap());
        })
    };
    let hits = cage("40MiB").ask("0").unwrap();
    assert_eq!((paths(&hits), hits[0].score), (vec!["a.rs"], Some(4_294_967_296.0 + 60.0)));
    let error = cage("40MiB").ask("2").unwrap_err();
    assert_eq!(error.class, ErrorClass::Tool, "hits of a tool that failed are none: {error}");
    let told = cage("20MiB").fails(ErrorClass::OutputLimit);
    assert!(told.contains("20971520 bytes"), "{told}");

    let cage = crate::command::cage("sh", "printf 'nothing'; exit 0").with(|options| {
        options.format = Format::Ripgrep;
        options.empty_texts = vec!["nothing".to_owned()];
    });
    assert_eq!(cage.ask("q").unwrap(), []);
    let other = cage.with(|options| options.empty_texts.clear());
    let told = other.fails(ErrorClass::Protocol);
    assert!(
        told.contains("line 1 is no event of `rg --json`") && told.contains("it begins: `nothing`"),
        "{told}"
    );
}

/// What is read as it comes is only stdout; the other stream is kept, and so has the usual limit at most.
#[test]
fn a_flood_on_stderr_beside_what_is_read_as_it_comes_is_ended() {
    let cage = cage("sh", "head -c 30000000 /dev/zero >&2").with(|options| {
        options.format = Format::Ripgrep;
        options.max_output = Some("1GiB".parse().unwrap());
    });
    let told = cage.fails(ErrorClass::OutputLimit);
    assert!(told.contains("16777216 bytes"), "{told}");
}

/// What is kept of such an answer may be blank while the rest is not.
#[test]
fn blanks_before_an_answer_that_is_read_as_it_comes_do_not_hide_it() {
    let blanks = "head -c 4096 /dev/zero | tr '\\0' '\\n'";
    let event = r#"{"type":"match","data":{"path":{"text":"a.rs"},"submatches":[{"match":{"text":"x"}}]}}"#;
    let end = r#"{"type":"summary","data":{}}"#;
    let answer = format!("echo '{event}'; echo '{end}'");
    let heard = |source: &str| {
        cage("sh", source).with(|options| {
            options.format = Format::Ripgrep;
            options.empty_exits = vec![1];
            options.empty_texts = vec!["Nothing".to_owned()];
        })
    };
    assert_eq!(paths(&heard(&format!("{blanks}; {answer}")).ask("q").unwrap()), ["a.rs"]);
    assert_eq!(heard(&format!("{blanks}; exit 1")).ask("q").unwrap(), []);
    assert_eq!(heard("echo; echo Nothing; exit 0").ask("q").unwrap(), []);
    for source in [
        format!("{blanks}; {answer}; exit 1"),
        format!("{blanks}; echo 'panic: index corrupt'; exit 1"),
        format!("echo Nothing; {blanks}; {answer}"),
        format!("echo Nothing; {blanks}; echo 'error: index corrupt'"),
    ] {
        heard(&source).fails(ErrorClass::Protocol);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_it_leaves_is_ended_and_its_answer_counts() {
    let source = format!("WIPE = False\n{}\nprint('[\"a.rs\"]')", crate::zoo::DAEMON);
    let cage = cage("python3", &source);
    assert_eq!(paths(&cage.ask("q").unwrap()), ["a.rs"]);
    assert!(crate::zoo::gone(&std::fs::read_to_string(cage.zoo.path("daemon")).unwrap()));
}

#[test]
fn what_it_writes_into_the_corpus_is_found() {
    let cage = cage("sh", "chmod u+w a.rs; echo x > a.rs; echo y > new.db; echo '[]'");
    materialise(cage.grounds.corpus(), &cage.grounds.tree(), Access::ReadOnly, in_time()).unwrap();
    assert_eq!(cage.ask("q").unwrap(), []);
    let changed = verify(cage.grounds.corpus(), &cage.grounds.tree()).unwrap_err();
    assert_eq!((changed.changed, changed.new), (vec!["a.rs".to_owned()], vec!["new.db".to_owned()]));
}

/// `PATH` is always set, so it stands for a secret here: a test must not change its own environment.
#[test]
fn a_passed_value_is_in_no_message() {
    let secret = std::env::var("PATH").unwrap();
    let passing =
        |source: &str| cage("sh", source).with(|options| options.pass_env = vec!["PATH".to_owned()]);
    for (source, class) in [
        ("echo $PATH; echo \"token $PATH\" >&2; exit 3", ErrorClass::Tool),
        ("echo \"{\\\"$PATH\\\": 1}\"", ErrorClass::Protocol),
        ("echo \"{\\\"$PATH\\\": 1, \\\"$PATH\\\": 2}\"", ErrorClass::Protocol),
        ("while :; do echo \"token=$PATH\"; done >&2", ErrorClass::OutputLimit),
    ] {
        let told = passing(source).fails(class);
        // Nor is the beginning of it, where it was cut.
        assert!(told.contains("***") && !told.contains(&secret[..8]), "{told}");
    }
}

#[test]
fn a_probe_runs_the_tool_or_says_what_is_missing() {
    let version = |script: &str| {
        let cage = cage("sh", script);
        let argv = cage.options.argv[..2].to_vec();
        probe(&cage.with(|options| options.version = Some(argv)).command())
    };
    let Availability::Ready(description) = version("echo; echo 'tool 1.2.3'") else { panic!("not ready") };
    assert_eq!(description.version, "tool 1.2.3");
    let Availability::Broken { detail, .. } = version("echo 'no model' >&2; exit 1") else {
        panic!("not broken")
    };
    assert!(detail.contains("exit code 1") && detail.contains("`no model`"), "{detail}");

    let absent = cage("sh", "").with(|options| options.argv[0] = "no-such-program".to_owned());
    let Availability::Missing { what, hint } = probe(&absent.command()) else { panic!("not missing") };
    assert_eq!(what, "`no-such-program` is in no folder of PATH");
    assert_eq!(hint, "install it, or give its absolute path");
    let unset = cage("sh", "").with(|options| options.pass_env = vec!["NO_SUCH_VARIABLE".to_owned()]);
    let Availability::Missing { what, .. } = probe(&unset.command()) else { panic!("not missing") };
    assert_eq!(what, "the variable `NO_SUCH_VARIABLE` is not set here");
}

#[test]
fn an_index_is_built_once_before_the_queries() {
    let index = cage("sh", "cat \"$2/index\"").with(|options| {
        options.format = Format::Paths;
        options.argv.push("{scratch}".to_owned());
        let script = "echo built >> \"$0/index\"; echo a.rs >> \"$0/index\"";
        options.prepare = Some(["sh", "-c", script, "{scratch}"].map(str::to_owned).to_vec());
    });
    let answers = index.grounds.ask_all(&index.command(), &["p", "q"]).unwrap();
    assert!(answers.into_iter().all(|answer| paths(&answer.unwrap()) == ["built", "a.rs"]));

    let broken = cage("sh", "").with(|options| {
        options.prepare = Some(["sh", "-c", "echo 'disk full' >&2; exit 5"].map(str::to_owned).to_vec());
    });
    let error = broken.grounds.ask_all(&broken.command(), &["p"]).unwrap_err();
    assert!(error.detail.contains("exit code 5") && error.detail.contains("disk full"), "{error}");
}

#[test]
fn settings_that_make_no_sense_are_refused_with_their_key() {
    let problem = |change: Change| {
        let cage = cage("sh", "").with(change);
        Command::new(cage.options.clone(), cage.grounds.repo()).unwrap_err().to_string()
    };
    let expected: [(Change, &str); 9] = [
        (
            |options| options.argv = vec!["x".into()],
            "argv: no argument holds `{query}`, so every query would be the same",
        ),
        (
            |options| options.argv.push("{fetsh}".into()),
            "argv: `{fetsh}` is no placeholder; did you mean `fetch`?",
        ),
        (
            |options| options.hits = Some("results".into()),
            "hits: `results` is no JSON pointer; write `/results`, or nothing for the whole value",
        ),
        (
            |options| {
                options.format = Format::Paths;
                options.path = Some("/x".into());
            },
            "path: has no meaning in this `format`; take it out",
        ),
        (
            |options| options.score_above = Some(f64::NAN),
            "score-above: must be a number that scores can be above",
        ),
        (
            |options| options.restore = vec!["{corpus}/index".to_owned()],
            "restore: `{corpus}/index`: nothing can be written there without `writes = true`, which gives the tool a copy of its own",
        ),
        (
            |options| options.empty_exits = vec![0],
            "empty-exits: 0 is in `ok-exits` too; an exit code means one thing",
        ),
        (
            |options| options.pass_env = vec!["GITHUB_TOKEN".into()],
            "pass-env: `GITHUB_TOKEN` is never given to a retriever",
        ),
        (
            |options| {
                options.env.insert("RANKHOLD_JOB".into(), "x".into());
            },
            "env: `RANKHOLD_JOB` is never given to a retriever",
        ),
    ];
    for (change, message) in expected {
        assert_eq!(problem(change), message);
    }
}

#[test]
fn a_run_out_deadline_is_a_time_out_even_for_a_quick_command() {
    let cage = cage("sh", "sleep 1000");
    let answer = cage.grounds.site(1, |site| {
        let command = cage.command();
        let prepared = command.prepare(site).unwrap();
        let over = Deadline::after(std::time::Duration::ZERO);
        prepared.open().unwrap().query(&Query { id: "1", text: "q" }, 5, over)
    });
    assert_eq!(answer.unwrap_err().class, ErrorClass::Timeout);
    cage.zoo.assert_empty();
}

#[test]
fn files_and_a_program_that_goes_on_for_ever_come_before_the_queries() {
    let index = r#"trap 'echo ended > "$ZOO/ended"; exit 0' TERM
cat settings.yaml > index; printf 'indexing\rready to serve\n'
while :; do sleep 0.05; done"#;
    let cage = cage("sh", r#"cat index "$ZOO/ended" > "$ZOO/seen"; echo a.rs"#).with(|options| {
        options.format = Format::Paths;
        options.writes = true;
        options.values.insert("endpoint".to_owned(), "http://localhost".to_owned());
        options.files = serde_json::from_value(serde_json::json!([
            { "path": "{corpus}/settings.yaml", "text": "at: {endpoint}\nin: {scratch}\n" }
        ]))
        .unwrap();
        options.prepare = Some(vec!["sh".to_owned(), "-c".to_owned(), index.to_owned()]);
        options.until = Some("ready".to_owned());
    });
    cage.ask("q").unwrap();
    let seen = std::fs::read_to_string(cage.zoo.path("seen")).unwrap();
    let scratch = cage.grounds.scratch();
    assert_eq!(seen, format!("at: http://localhost\nin: {}\nended\n", scratch.display()));
}

#[test]
fn a_preparation_that_never_says_it_is_ready_is_told() {
    for (index, message) in [
        (
            "echo no model >&2; exit 1",
            "ended with exit code 1 and never wrote `ready`; its last words on stderr: `no model`",
        ),
        ("exit 0", "ended with exit code 0 and never wrote `ready`"),
        ("trap 'exit 3' TERM; echo ready; sleep 20 & wait", "ended with exit code 3"),
        // By itself, before or after it was asked to.
        ("trap '' TERM; echo ready; exit 3", "ended with exit code 3"),
    ] {
        let cage = cage("sh", "echo a.rs").with(|options| {
            options.prepare = Some(vec!["sh".to_owned(), "-c".to_owned(), index.to_owned()]);
            options.until = Some("ready".to_owned());
        });
        let error = cage.grounds.ask_all(&cage.command(), &["q"]).unwrap_err();
        assert!(error.detail.contains(message), "{error}");
        cage.zoo.assert_empty();
    }
}

#[test]
fn a_preparation_that_does_not_end_when_asked_is_told_with_the_key() {
    for (index, message) in [
        (
            "trap '' TERM; echo ready; while :; do sleep 1000; done",
            "wrote `ready`, was asked to end (SIGTERM) and did not: it was ended by Rankhold: its time ran out (`run-timeout`",
        ),
        (
            "while :; do sleep 1000; done",
            "its time ran out (`run-timeout` is the time for all of it, and `--timeout` of `compare`) and never wrote `ready`",
        ),
    ] {
        let cage = cage("sh", "echo a.rs").with(|options| {
            options.prepare = Some(vec!["sh".to_owned(), "-c".to_owned(), index.to_owned()]);
            options.until = Some("ready".to_owned());
        });
        let strikes = Deadline::after(std::time::Duration::from_secs(3));
        let error = cage.grounds.site_until(strikes, 1, |site| cage.command().prepare(site).err().unwrap());
        assert!(error.detail.contains(message), "{error}");
        cage.zoo.assert_empty();
    }
}

#[test]
fn a_file_is_written_inside_its_folders_alone() {
    for (path, writes, message) in [
        ("/etc/tool.yaml", true, "must begin with `{scratch}/` or `{corpus}/`"),
        ("{scratch}/../x", true, "must begin with `{scratch}/` or `{corpus}/` and stay there"),
        ("{scratch}x", true, "must begin with"),
        ("{corpus}/", true, "must begin with"),
        ("{corpus}/x", false, "`writes = true` gives the tool a copy of its own"),
        ("{repo}/x", true, "cannot hold `{repo}`"),
    ] {
        let cage = cage("sh", "echo").with(|options| {
            options.writes = writes;
            options.files =
                serde_json::from_value(serde_json::json!([{ "path": path, "text": "" }])).unwrap();
        });
        let error = Command::new(cage.options.clone(), cage.grounds.repo()).unwrap_err();
        assert_eq!(error.key, "files", "{path}");
        assert!(error.message.contains(message), "{error}");
    }
}

#[test]
fn words_of_a_query_and_a_longer_limit_reach_the_tool() {
    let cage = cage("sh", r#"printf '%s\n' "$@" > "$ZOO/seen"; echo a.rs"#).with(|options| {
        options.format = Format::Paths;
        options.argv.extend(["--regexp={word}", "--limit={timeout}"].map(str::to_owned));
    });
    cage.ask("Count the Tokens, count").unwrap();
    let seen = std::fs::read_to_string(cage.zoo.path("seen")).unwrap();
    let (words, limit) = seen.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(words, "Count the Tokens, count\n--regexp=count\n--regexp=the\n--regexp=tokens");
    let limit: u64 = limit.strip_prefix("--limit=").unwrap().parse().unwrap();
    assert!((121..=180).contains(&limit), "our two minutes and one more, not {limit}");
}

#[test]
fn a_trial_tells_a_tool_that_only_says_its_version() {
    let trial = |source: &str| {
        let cage = cage("sh", source).with(|options| {
            options.format = Format::Paths;
            options.trial = true;
            options.install = Some("install the model too".to_owned());
        });
        let availability = probe(&cage.command());
        cage.zoo.assert_empty();
        availability
    };
    assert!(matches!(trial("ls"), Availability::Ready(_)));
    for (source, message) in [
        ("echo no model >&2; exit 1", "in a trial with one file `sh` ended with exit code 1"),
        ("exit 0", "it did not find the word `lighthouse`"),
    ] {
        let Availability::Broken { detail, hint } = trial(source) else { panic!("{source}: it works") };
        assert!(detail.contains(message), "{detail}");
        assert_eq!(hint.as_deref(), Some("it needs: install the model too"));
    }
}

#[test]
fn a_trial_finds_the_scripts_of_the_repository_where_a_run_finds_them() {
    let tool = "import sys, words; print(words.find(sys.argv[1]))";
    let words = "import os\ndef find(word): return '\\n'.join(f for f in os.listdir() if word in f)";
    let grounds = Grounds::new(&[("tools/find.py", tool), ("tools/words.py", words)]);
    let look = |argv: &[&str], trial: bool| {
        let mut options = CommandOptions::new(argv.iter().map(|word| (*word).to_owned()).collect());
        (options.format, options.trial) = (Format::Paths, trial);
        probe(&Command::new(options, grounds.repo()).unwrap())
    };
    let tried = |argv: &[&str], trial: bool| {
        let Availability::Ready(said) = look(argv, trial) else { panic!("not ready") };
        said.tried
    };
    assert!(tried(&["python3", "tools/find.py", "{query}"], true));
    assert!(tried(&["python3", "./tools/find.py", "{query}"], true));
    assert!(!tried(&["python3", "tools/find.py", "{query}"], false));
    let Availability::Broken { detail, hint } = look(&["sh", "tools/find.py", "{query}"], true) else {
        panic!("sh reads no Python")
    };
    assert!(detail.contains("in a trial with one file") && !detail.contains("in the corpus"), "{detail}");
    assert_eq!(hint, None);
}

#[cfg(unix)]
#[test]
fn a_script_is_told_from_a_program() {
    let cage = cage("sh", "echo");
    let script = cage.grounds.repo().join("wrapper");
    std::fs::write(&script, "#!/bin/sh\nexec rg \"$@\"\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let is_script = |program: &str| {
        let options = CommandOptions::new([program, "{query}"].map(str::to_owned).to_vec());
        let Availability::Ready(said) = probe(&Command::new(options, cage.grounds.repo()).unwrap()) else {
            panic!("{program} is there")
        };
        said.program.unwrap().is_script
    };
    assert!(is_script("{repo}/wrapper") && !is_script("sh"));
}

#[test]
fn what_a_tool_leaves_out_is_known_by_globs_or_by_its_own_list() {
    let reach = |change: Change| {
        let cage = cage("sh", "echo").with(change);
        materialise(cage.grounds.corpus(), &cage.grounds.tree(), Access::ReadOnly, in_time()).unwrap();
        cage.grounds.site(1, |site| cage.command().prepare(site).unwrap().reach())
    };
    let files = |paths: &[&str]| Ok(Some(paths.iter().map(|path| (*path).to_owned()).collect()));
    assert_eq!(reach(|_| {}), Ok(None));
    assert_eq!(reach(|options| options.skips = vec!["**/sub/**".to_owned()]), files(&["a.rs"]));
    assert_eq!(reach(|options| options.reads = vec!["sub/*".to_owned()]), files(&["sub/b.rs"]));
    assert_eq!(
        reach(
            |options| options.lists = Some(["find", "{corpus}", "-name", "b.*"].map(str::to_owned).to_vec())
        ),
        files(&["sub/b.rs"])
    );
    assert_eq!(
        reach(|options| options.lists =
            Some(["sh", "-c", "echo no index >&2; exit 3"].map(str::to_owned).to_vec())),
        Err("`sh` of `lists` ended with exit code 3; its last words on stderr: `no index`".to_owned())
    );
    let lists: [(Change, &str); 2] = [
        (
            |options| options.lists = Some(["sh", "-c", "echo /etc/passwd"].map(str::to_owned).to_vec()),
            "printed a path outside the corpus in line 1",
        ),
        (
            |options| options.lists = Some(["sh", "-c", "exit 0"].map(str::to_owned).to_vec()),
            "printed no file of the corpus",
        ),
    ];
    for (change, what) in lists {
        assert_eq!(reach(change), Err(format!("`sh` of `lists` {what}")));
    }
}

#[test]
fn a_program_is_known_by_its_content() {
    let cage = cage("sh", "echo");
    let Availability::Ready(description) = probe(&cage.command()) else { panic!("it is there") };
    let program = description.program.unwrap();
    assert!(program.path.is_absolute());
    assert_eq!(program.hash, rankhold::canon::Digest::of_bytes(&std::fs::read(&program.path).unwrap()));
}

#[test]
fn a_file_that_an_ended_query_damaged_is_put_back() {
    let cage = cage(
        "sh",
        "case $1 in slow) : > index; sleep 60;; esac
[ -s index ] || { echo damaged >&2; exit 1; }
echo a.rs",
    )
    .with(|options| {
        options.format = Format::Paths;
        options.writes = true;
        options.prepare = Some(["sh", "-c", "echo built > index"].map(str::to_owned).to_vec());
        options.restore = vec!["{corpus}/index".to_owned()];
    });
    let command = cage.command();
    let (slow, quick) = cage.grounds.site(1, |site| {
        let prepared = command.prepare(site).unwrap();
        let mut session = prepared.open().unwrap();
        let mut ask = |text| {
            session.query(&Query { id: text, text }, 5, if text == "slow" { soon() } else { in_time() })
        };
        (ask("slow"), ask("quick"))
    });
    assert_eq!(slow.unwrap_err().class, ErrorClass::Timeout);
    assert_eq!(paths(&quick.unwrap()), ["a.rs"]);
    cage.zoo.assert_empty();
}

#[test]
fn a_floor_takes_the_model_away() {
    let kind = |name| rankhold::retriever::kind(name).unwrap();
    let keys = |text: &str| serde_json::from_value(serde_json::from_str(text).unwrap()).unwrap();
    assert_eq!(kind("bm25").floor(&keys("{}")), None);
    assert_eq!(kind("colgrep").floor(&keys("{}")), None, "nothing says where such a model is");
    let floor = kind("colgrep")
        .floor(&keys(r#"{"values": {"model": "/models/real"}, "floor": {"model": "/models/random"}}"#))
        .unwrap();
    assert_eq!(floor["values"]["model"], "/models/random");
    assert!(!floor.contains_key("floor"));
    let of_an_mcp = r#"{"values": {"model": "small"}, "floor": {"model": "random"}, "stand-in": true}"#;
    let floor = kind("grepai-mcp").floor(&keys(of_an_mcp)).unwrap();
    assert_eq!((&floor["values"]["model"], floor.get("stand-in")), (&"random".into(), None));
    assert_eq!(kind("semble").floor(&keys("{}")).unwrap()["random-model"], true);
    assert_eq!(kind("semble").floor(&keys(r#"{"mode": "bm25"}"#)), None);
    assert_eq!(kind("semble").floor(&keys(r#"{"random-model": true}"#)), None, "it is one");
}

/// Whatever a query made of the places meanwhile, and of the folder above them.
#[cfg(unix)]
#[test]
fn what_is_put_back_goes_through_no_link_and_into_no_pipe() {
    for (damage, after) in [
        ("rm -f state/index; mkfifo state/index", "built"),
        ("rm -f state/index; ln -s \"$ZOO/victim\" state/index", "built"),
        ("rm -rf state; ln -s \"$ZOO\" state", "built"),
        ("rm -f state/index; mkdir state/index", "built"),
        ("rm -rf state", "built"),
        (": > state/new", "built"),
    ] {
        let source = format!(
            "case $1 in slow) {damage}; sleep 60;; esac\n[ ! -e state/new ] && cat state/index\necho"
        );
        let cage = cage("sh", &source).with(|options| {
            options.format = Format::Paths;
            options.writes = true;
            options.prepare =
                Some(["sh", "-c", "mkdir state; echo built > state/index"].map(str::to_owned).to_vec());
            options.restore = ["{corpus}/state/index", "{corpus}/state/new"].map(str::to_owned).to_vec();
        });
        std::fs::write(cage.zoo.path("victim"), "mine").unwrap();
        let command = cage.command();
        let quick = cage.grounds.site(1, |site| {
            let prepared = command.prepare(site).unwrap();
            let mut session = prepared.open().unwrap();
            session.query(&Query { id: "slow", text: "slow" }, 5, soon()).unwrap_err();
            session.query(&Query { id: "q", text: "q" }, 5, in_time())
        });
        assert_eq!(paths(&quick.unwrap()), [after], "{damage}");
        assert_eq!(std::fs::read_to_string(cage.zoo.path("victim")).unwrap(), "mine", "{damage}");
        assert!(!cage.zoo.path("index").exists(), "{damage}");
        cage.zoo.assert_empty();
    }
}

#[cfg(unix)]
#[test]
fn a_model_that_is_no_folder_of_files_is_told() {
    use std::os::unix::fs::symlink;
    let models = tempfile::tempdir().unwrap();
    for (name, part) in [("device", "is no file"), ("empty", "it holds no file"), ("dangling", "`x`")] {
        let folder = models.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        match name {
            "device" => symlink("/dev/zero", folder.join("x")).unwrap(),
            "dangling" => symlink("nowhere", folder.join("x")).unwrap(),
            _ => {}
        }
        let cage = cage("sh", "echo").with(|options| {
            options.values.insert("model".to_owned(), folder.to_str().unwrap().to_owned());
            options.model = Some("{model}".to_owned());
        });
        let Availability::Missing { what, .. } = probe(&cage.command()) else { panic!("{name}") };
        assert!(what.contains(part), "{what}");
    }
}
