//! Workers, well-behaved and hostile, asked through the retriever.
#![expect(clippy::disallowed_methods, reason = "tests look at what a worker wrote")]

use rankhold::ranking::{ErrorClass, RawHit};
use rankhold::retriever::worker::{Worker, WorkerOptions};
use rankhold::retriever::{Availability, Query, QueryError, Retriever, Session, Sight};

use crate::grounds::{Grounds, in_time, paths, probe};
use crate::zoo::{Zoo, soon};

/// A worker that does what the query says, and ranks a file of the query's name first.
const ANIMAL: &str = r#"
import json, os, signal, sys, time

def say(id, **fields):
    print(json.dumps({"id": id, "ok": True, **fields}), flush=True)

def behave(id, query):
    hits = [query + ".rs"]
    if query == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(1000)
    elif query == "late":
        time.sleep(5)
        say(id, hits=hits)
    elif query == "garbage":
        print("Loading model: 100%", flush=True)
    elif query == "binary":
        sys.stdout.buffer.write(b"\0\xff\x1b[2J\n")
        sys.stdout.flush()
    elif query == "long":
        say(id, hits=["x" * 100000])
    elif query == "another":
        say(id + 1, hits=hits)
    elif query == "twice":
        say(id, hits=hits)
        say(id, hits=["second.rs"])
    elif query == "die":
        sys.stdout.write('{"id": %d, "ok": true, "hits": ["half' % id)
        sys.stdout.flush()
        print("out of memory", file=sys.stderr)
        os._exit(7)
    elif query == "after":
        say(id, hits=hits)
        os._exit(0)
    elif query == "close":
        os.close(1)
        time.sleep(1000)
    elif query == "no":
        detail = "no index of " + os.environ.get("PATH", "")
        print(json.dumps({"id": id, "ok": False, "error": {"detail": detail}}), flush=True)
    elif query == "talk":
        sys.stderr.write("progress\n" * 200000)
        say(id, hits=hits)
    else:
        say(id, hits=hits)

with open(os.environ["ZOO"] + "/starts", "a") as starts:
    starts.write("start\n")
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        say(request["id"], protocol=1, name="animal", version="1")
    elif request["op"] == "query":
        behave(request["id"], request["query"])
    else:
        say(request["id"], units=2, files=["b.rs", "a.rs"])
"#;

struct Cage {
    zoo: Zoo,
    grounds: Grounds,
    options: WorkerOptions,
}

fn cage(source: &str) -> Cage {
    let zoo = Zoo::new();
    let options = WorkerOptions {
        argv: zoo.program("python3", source),
        env: zoo.extra().set,
        max_output: Some("64KiB".parse().unwrap()),
        ..WorkerOptions::default()
    };
    Cage { zoo, grounds: Grounds::new(&[("ok.rs", "x")]), options }
}

impl Cage {
    fn worker(&self) -> Worker {
        Worker::new(self.options.clone(), self.grounds.repo()).unwrap()
    }

    /// Asks one query after the other in one session, and looks that nothing is left running.
    fn ask(&self, queries: &[&str]) -> Vec<Result<Vec<RawHit>, QueryError>> {
        let worker = self.worker();
        let answers = self.grounds.site(1, |site| {
            let prepared = worker.prepare(site).unwrap();
            let mut session = prepared.open().unwrap();
            queries.iter().map(|query| ask(&mut *session, query)).collect()
        });
        self.zoo.assert_empty();
        answers
    }

    /// The same, with every answer as a word: its first path, or the class of its failure.
    fn told(&self, queries: &[&str]) -> Vec<String> {
        let told = |answer: Result<Vec<RawHit>, QueryError>| match answer {
            Ok(hits) => paths(&hits)[0].to_owned(),
            Err(error) => error.class.to_string(),
        };
        self.ask(queries).into_iter().map(told).collect()
    }

    fn starts(&self) -> usize {
        std::fs::read_to_string(self.zoo.path("starts")).unwrap().lines().count()
    }
}

/// The harness's way: ready first, then the query in its own time. Only those that hang get little of it.
fn ask(session: &mut dyn Session, query: &str) -> Result<Vec<RawHit>, QueryError> {
    session.ready(in_time())?;
    let deadline = if ["hang", "late"].contains(&query) { soon() } else { in_time() };
    session.query(&Query { id: "a case", text: query }, 50, deadline)
}

#[test]
fn one_process_answers_many_queries() {
    let cage = cage(ANIMAL);
    assert_eq!(cage.told(&["a", "b", "talk", "c"]), ["a.rs", "b.rs", "talk.rs", "c.rs"]);
    assert_eq!(cage.starts(), 1);
}

#[test]
fn a_worker_says_who_it_is_and_how_much_it_indexed() {
    let cage = cage(ANIMAL);
    let worker = cage.worker();
    assert_eq!(worker.sight(), Sight::Copy);
    cage.grounds.site(1, |site| {
        let prepared = worker.prepare(site).unwrap();
        assert_eq!(prepared.description().unwrap().version, "animal 1");
        assert_eq!((prepared.units(), prepared.max_sessions()), (Some(2), 1));
        assert_eq!(prepared.reach(), Ok(Some(["a.rs", "b.rs"].map(str::to_owned).into())));
    });
    let Availability::Ready(said) = probe(&worker) else { panic!("not ready") };
    assert_eq!(said.version, "animal 1");
    assert!(said.program.is_some_and(|program| program.path.is_absolute()));
    cage.zoo.assert_empty();
}

#[test]
fn after_a_time_out_the_next_query_gets_its_own_answer_from_a_new_worker() {
    let cage = cage(ANIMAL);
    assert_eq!(cage.told(&["late", "a", "hang", "b"]), ["timeout", "a.rs", "timeout", "b.rs"]);
    assert_eq!(cage.starts(), 3);
}

#[test]
fn what_is_no_reply_is_a_protocol_failure_and_the_worker_is_started_anew() {
    for bad in ["garbage", "binary", "long", "another"] {
        let cage = cage(ANIMAL);
        assert_eq!(cage.told(&[bad, "a"]), ["protocol", "a.rs"], "{bad}");
        assert_eq!(cage.starts(), 2, "{bad}");
    }
    let told = cage(ANIMAL).ask(&["binary"]).remove(0).unwrap_err().detail;
    assert!(told.contains(r"\u{1b}[2J") && told.chars().all(|c| !c.is_control()), "{told:?}");
}

#[test]
fn a_second_answer_fails_the_next_query_and_is_never_its_answer() {
    assert_eq!(cage(ANIMAL).told(&["twice", "a", "b"]), ["twice.rs", "protocol", "b.rs"]);
}

#[test]
fn a_reply_that_is_there_before_its_request_is_none() {
    // With the reply to what was asked, in one piece: whoever has read one has read the other.
    let ahead = |with: &str| {
        ANIMAL.replace(
            r#"say(request["id"], protocol=1, name="animal", version="1")"#,
            &format!(
                r#"os.write(1, b'{{"id": 1, "ok": true, "protocol": 1, "name": "animal", "version": "1"}}\n{with}')"#
            ),
        )
    };
    let refused = |source: &str| {
        let cage = cage(source);
        let detail = cage.grounds.site(1, |site| cage.worker().prepare(site).err().unwrap().detail);
        cage.zoo.assert_empty();
        detail
    };
    let told = refused(&ahead(r#"{"id": 2, "ok": true}\n"#));
    assert!(told.contains("said something that was not asked"), "{told}");
    // Its end alone comes after the request.
    let half = ahead(r#"{"id": 2, "ok": "#)
        .replace(r#"say(request["id"], units=2, files=["b.rs", "a.rs"])"#, r#"print("true}", flush=True)"#);
    let told = refused(&half);
    assert!(told.contains("said something that was not asked"), "{told}");
    // All that will be asked, before a word is read.
    let all = r#"import json, os, sys
hello = {"protocol": 1, "name": "animal", "version": "1"}
replies = [json.dumps({"id": id, "ok": True, "hits": [], **hello}) + "\n" for id in range(1, 9)]
os.write(1, "".join(replies).encode())
for line in sys.stdin: pass"#;
    let told = refused(all);
    assert!(told.contains("said something that was not asked"), "{told}");
}

#[test]
fn half_an_answer_before_a_death_is_a_death() {
    let cage = cage(ANIMAL);
    let answers = cage.ask(&["die", "a"]);
    let error = answers[0].clone().unwrap_err();
    assert_eq!(error.class, ErrorClass::Died);
    assert!(error.detail.contains("exit code 7") && error.detail.contains("out of memory"), "{error}");
    assert_eq!(paths(answers[1].as_ref().unwrap()), ["a.rs"]);
}

#[test]
fn a_worker_that_ends_after_an_answer_or_closes_its_output_has_died() {
    assert_eq!(cage(ANIMAL).told(&["after", "a", "b"]), ["after.rs", "died", "b.rs"]);
    assert_eq!(cage(ANIMAL).told(&["close", "a"]), ["died", "a.rs"]);
}

#[test]
fn three_failures_in_a_row_are_enough() {
    let cage = cage(ANIMAL);
    assert_eq!(cage.told(&["die", "die", "die", "a", "b"]), ["died"; 5]);
    assert_eq!(cage.starts(), 3);
}

#[test]
fn an_answer_between_failures_keeps_it_going() {
    let cage = cage(ANIMAL);
    let queries = ["die", "a", "die", "b", "die", "c", "die", "d"];
    assert_eq!(cage.told(&queries), ["died", "a.rs", "died", "b.rs", "died", "c.rs", "died", "d.rs"]);
}

#[test]
fn a_worker_that_says_no_lives_on_and_its_secrets_are_kept() {
    let mut cage = cage(ANIMAL);
    cage.options.pass_env = vec!["PATH".to_owned()];
    let answers = cage.ask(&["no", "a"]);
    let error = answers[0].clone().unwrap_err();
    assert_eq!(error.class, ErrorClass::Tool);
    assert!(error.detail.contains("said no: no index of ") && error.detail.contains("***"), "{error}");
    assert!(!error.detail.contains(&std::env::var("PATH").unwrap()), "{error}");
    assert!(answers[1].is_ok());
    assert_eq!(cage.starts(), 1);
}

#[test]
fn side_by_side_each_session_has_a_worker_of_its_own() {
    let mut cage = cage(ANIMAL);
    cage.options.parallel = Some(2);
    let worker = cage.worker();
    cage.grounds.site(2, |site| {
        let prepared = worker.prepare(site).unwrap();
        assert_eq!(prepared.max_sessions(), 2);
        let (mut one, mut two) = (prepared.open().unwrap(), prepared.open().unwrap());
        assert_eq!(paths(&ask(&mut *two, "b").unwrap()), ["b.rs"]);
        assert_eq!(paths(&ask(&mut *one, "a").unwrap()), ["a.rs"]);
    });
    assert_eq!(cage.starts(), 2);
    cage.zoo.assert_empty();
}

#[test]
fn a_worker_that_reads_nothing_is_told_in_time() {
    let cage = cage("import time\ntime.sleep(1000)");
    let worker = cage.worker();
    let error = cage.grounds.site_until(soon(), 1, |site| worker.prepare(site).err().unwrap());
    assert!(error.detail.contains("did not reply in time"), "{error}");
    assert!(error.detail.contains("`run-timeout` is the time for all of it"), "{error}");
    cage.zoo.assert_empty();
}

#[test]
fn a_worker_that_ignores_its_end_is_ended() {
    let stubborn = format!("{ANIMAL}\nwhile True: time.sleep(1000)");
    assert_eq!(cage(&stubborn).told(&["a"]), ["a.rs"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_of_a_worker_ends_with_it() {
    let source = format!(
        "import os\nWIPE = False\nif os.fork() == 0:\n    exec({:?})\n    os._exit(0)\nos.wait()\n{ANIMAL}",
        crate::zoo::DAEMON
    );
    let cage = cage(&source);
    assert_eq!(cage.told(&["a"]), ["a.rs"]);
    assert!(crate::zoo::gone(&std::fs::read_to_string(cage.zoo.path("daemon")).unwrap()));
}

#[test]
fn a_probe_tells_what_is_missing_and_what_is_broken() {
    let mut absent = cage(ANIMAL);
    absent.options.argv[0] = "no-such-program".to_owned();
    assert!(matches!(probe(&absent.worker()), Availability::Missing { .. }));

    let incomplete = ANIMAL.replace(
        r#"say(request["id"], protocol=1, name="animal", version="1")"#,
        r#"print(json.dumps({"id": 1, "ok": False, "error": {"detail": "no model", "hint": "fetch one"}}), flush=True)"#,
    );
    let incomplete = cage(&incomplete);
    let missing = Availability::Missing { what: "no model".to_owned(), hint: "fetch one".to_owned() };
    assert_eq!(probe(&incomplete.worker()), missing);
    let detail = incomplete.grounds.site(1, |site| incomplete.worker().prepare(site).err().unwrap().detail);
    assert!(detail.contains("said no: no model") && detail.ends_with("; fetch one"), "{detail}");

    let other = ANIMAL.replace("protocol=1", "protocol=2");
    let Availability::Broken { detail, .. } = probe(&cage(&other).worker()) else { panic!("not broken") };
    assert!(detail.contains("speaks version 2 of the protocol, Rankhold 1"), "{detail}");
    let dead = cage("import no_such_module");
    let Availability::Broken { detail, .. } = probe(&dead.worker()) else { panic!("not broken") };
    assert!(detail.contains("exit code 1") && detail.contains("no_such_module"), "{detail}");
    let plain = cage("print('[]')");
    let Availability::Broken { detail, hint } = probe(&plain.worker()) else { panic!("not broken") };
    assert!(detail.ends_with("; a reply to `hello` was expected"), "{detail}");
    assert!(hint.unwrap().contains("write `kind = \"command\"`"));
}

#[test]
fn a_worker_cannot_hold_a_query_in_its_arguments() {
    let mut cage = cage(ANIMAL);
    cage.options.argv.push("{query}".to_owned());
    let problem = Worker::new(cage.options.clone(), cage.grounds.repo()).unwrap_err();
    assert_eq!(problem.to_string(), "argv: an argument cannot hold `{query}`");
}
