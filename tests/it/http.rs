//! Servers that are asked over HTTP, well-behaved and hostile, asked through the retriever.
#![expect(clippy::disallowed_methods, reason = "tests look at what was written, and at the clock")]

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use rankhold::process::Deadline;
use rankhold::ranking::{ErrorClass, RawHit};
use rankhold::retriever::http::{Http, HttpOptions, Method, VersionOptions};
use rankhold::retriever::output::Format;
use rankhold::retriever::{Availability, Query, QueryError, Retriever, Sight};
use serde_json::json;

use crate::grounds::{Grounds, paths, probe};
use crate::served::{Answer, Seen, Served};
use crate::zoo::{Zoo, soon};

/// A name that is always set stands for a secret: a test must not change its own environment.
const SECRET: &str = "PATH";

fn grounds() -> Grounds {
    Grounds::new(&[("a.rs", "alpha"), ("sub/b.rs", "beta")])
}

fn http(options: HttpOptions, grounds: &Grounds) -> Http {
    Http::new(options, grounds.repo()).unwrap_or_else(|problem| panic!("{problem}"))
}

fn get(served: &Served) -> HttpOptions {
    HttpOptions::new(served.url("/search?q={query}&n={fetch}"))
}

fn ask(options: HttpOptions, query: &str) -> Result<Vec<RawHit>, QueryError> {
    let grounds = grounds();
    grounds.ask(&http(options, &grounds), query)
}

/// Asks in little time.
fn ask_soon(options: HttpOptions, query: &str) -> Result<Vec<RawHit>, QueryError> {
    let grounds = grounds();
    let http = http(options, &grounds);
    grounds.site(1, |site| {
        let prepared = http.prepare(site).unwrap();
        let mut session = prepared.open().unwrap();
        session.query(&Query { id: "1", text: query }, 50, soon())
    })
}

fn fails(options: HttpOptions, class: ErrorClass) -> String {
    let error = ask(options, "q").unwrap_err();
    assert_eq!(error.class, class, "{error}");
    error.detail
}

fn found() -> Answer {
    Answer::json(r#"["sub/b.rs", "a.rs"]"#)
}

#[test]
fn hits_come_in_the_order_of_the_answer() {
    let answer =
        r#"{"data": {"hits": [{"doc": {"file": "sub/b.rs"}, "s": 2}, {"doc": {"file": "a.rs"}, "s": 1}]}}"#;
    let served = Served::new(move |_, _| Answer::json(answer));
    let options = HttpOptions {
        hits: Some("/data/hits".into()),
        path: Some("/doc/file".into()),
        score: Some("/s".into()),
        ..get(&served)
    };
    let hits = ask(options, "q").unwrap();
    assert_eq!(paths(&hits), ["sub/b.rs", "a.rs"]);
    assert_eq!(hits[0].score, Some(2.0));
}

#[test]
fn a_query_in_an_address_is_percent_encoded_and_leads_nowhere_else() {
    let served = Served::new(|_, _| found());
    for query in ["a b&n=1#x", "č ☃/../..?", "%2e", "{fetch}", "http://elsewhere/"] {
        ask(get(&served), query).unwrap();
        let target = served.seen().pop().unwrap().target;
        let sent = target.strip_prefix("/search?q=").unwrap().strip_suffix("&n=50").unwrap();
        let plain = sent.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"%-._~".contains(&byte));
        assert!(plain, "{target}");
        let read = percent_encoding::percent_decode_str(sent).decode_utf8().unwrap();
        assert_eq!(read, query);
    }
    let in_path = || HttpOptions::new(served.url("/search/{query}/hits"));
    ask(in_path(), "a/b").unwrap();
    assert_eq!(served.seen().pop().unwrap().target, "/search/a%2Fb/hits");
    let before = served.seen().len();
    let refused = ask(in_path(), "..").unwrap_err();
    assert_eq!((refused.class, served.seen().len()), (ErrorClass::Tool, before));
    assert!(refused.detail.contains("lead to another place"), "{refused}");
}

#[test]
fn a_query_in_a_body_is_a_json_text_and_fetch_a_number() {
    let served = Served::new(|_, _| found());
    let query = "a\", \"size\": 0, \"x\": \"\n{corpus}";
    for method in [Method::Post, Method::Put] {
        let body =
            json!({"query": {"match": {"text": "{query}"}}, "size": "{fetch}", "filter": [true, null, 1.5]});
        let options = HttpOptions { method, body: Some(body), ..HttpOptions::new(served.url("/s")) };
        ask(options, query).unwrap();
        let seen = served.seen().pop().unwrap();
        let expected = json!({"query": {"match": {"text": query}}, "size": 50, "filter": [true, null, 1.5]});
        assert_eq!((seen.json(), seen.header("content-type")), (expected, Some("application/json")));
        assert_eq!(seen.verb, if method == Method::Post { "POST" } else { "PUT" });
    }
}

#[test]
fn a_text_body_is_sent_as_it_is_and_a_form_is_encoded() {
    let served = Served::new(|_, _| found());
    let with = |kind: Option<&str>, text: &str| {
        let mut options = HttpOptions::new(served.url("/s"));
        options.method = Method::Post;
        options.body = Some(text.into());
        options.headers.extend(kind.map(|kind| ("Content-Type".to_owned(), kind.to_owned())));
        ask(options, "a b&c").unwrap();
        let seen = served.seen().pop().unwrap();
        (seen.body.clone(), seen.header("content-type").unwrap().to_owned())
    };
    assert_eq!(with(None, "find {query}"), ("find a b&c".into(), "text/plain; charset=utf-8".into()));
    let form = "application/x-www-form-urlencoded";
    assert_eq!(with(Some(form), "q={query}&n={fetch}"), ("q=a%20b%26c&n=50".into(), form.into()));
}

#[test]
fn statuses_mean_what_the_configuration_says() {
    let served = Served::new(|seen, _| match &seen.target {
        target if target.contains("none") => Answer::status(404, "no such thing"),
        target if target.contains("made") => Answer::Whole(201, Vec::new(), "[\"a.rs\"]".into()),
        target if target.contains("broken") => Answer::status(500, "index\u{1b}[2J lost"),
        _ => found(),
    });
    let options =
        || HttpOptions { ok_statuses: Some(vec![200, 201]), empty_statuses: vec![404], ..get(&served) };
    assert_eq!(ask(options(), "none").unwrap(), []);
    assert_eq!(paths(&ask(options(), "made").unwrap()), ["a.rs"]);
    let error = ask(options(), "broken").unwrap_err();
    assert_eq!(error.class, ErrorClass::Tool);
    assert!(error.detail.contains("status 500, which is in neither `ok-statuses`"), "{error}");
    assert!(error.detail.contains(r"index\u{1b}[2J lost"), "{error}");
    let strict = get(&served);
    assert_eq!(ask(strict, "none").unwrap_err().class, ErrorClass::Tool);
}

#[test]
fn an_error_with_a_status_of_success_is_no_empty_answer() {
    let answering = |body: &'static str| get(&Served::new(move |_, _| Answer::json(body)));
    let told = fails(answering(r#"{"error": "no index"}"#), ErrorClass::Protocol);
    assert!(told.contains("no list of hits at the top, but an object with the keys error"), "{told}");
    let pointed = |body| HttpOptions {
        hits: Some("/hits".into()),
        error: Some("/error".into()),
        empty_texts: vec!["nothing".into()],
        ..answering(body)
    };
    let told = fails(pointed(r#"{"hits": [], "error": "no index"}"#), ErrorClass::Tool);
    assert!(told.contains("said no: it says `no index`"), "{told}");
    assert_eq!(ask(pointed(r#"{"error": "nothing"}"#), "q").unwrap(), []);
    for garbage in ["", "<html>sign in</html>", "[] []", "null"] {
        fails(answering(garbage), ErrorClass::Protocol);
    }
}

#[test]
fn other_formats_are_read_as_those_of_a_command() {
    for (format, body) in [
        (Format::Paths, "a.rs\nsub/b.rs\n"),
        (Format::Grep, "a.rs:1:x\nsub/b.rs:2:y\n"),
        (Format::JsonLines, "\"a.rs\"\n{\"path\": \"sub/b.rs\"}\n"),
    ] {
        let served = Served::new(move |_, _| Answer::status(200, body));
        let hits = ask(HttpOptions { format, ..get(&served) }, "q").unwrap();
        assert_eq!(paths(&hits), ["a.rs", "sub/b.rs"], "{format:?}");
    }
}

#[test]
fn ways_to_misbehave_each_fail_their_query() {
    let ways: [(fn() -> Answer, ErrorClass); 5] = [
        (|| Answer::Close, ErrorClass::Died),
        (|| Answer::Half, ErrorClass::Died),
        (|| Answer::Flood, ErrorClass::OutputLimit),
        (|| Answer::json("x".repeat(100_000)), ErrorClass::OutputLimit),
        (|| Answer::Hang, ErrorClass::Timeout),
    ];
    for (answer, class) in ways {
        let served = Served::new(move |_, _| answer());
        let options =
            HttpOptions { retries: Some(0), max_output: Some("64KiB".parse().unwrap()), ..get(&served) };
        let error = ask_soon(options, "q").unwrap_err();
        assert_eq!(error.class, class, "{error}");
    }
}

#[test]
fn a_failure_does_not_reach_the_next_query() {
    let served = Served::new(|seen, _| match &seen.target {
        target if target.contains("hang") => Answer::Hang,
        target if target.contains("close") => Answer::Close,
        target if target.contains("again") => Answer::json(r#"["again.rs"]"#),
        _ => found(),
    });
    let grounds = grounds();
    let http = http(HttpOptions { retries: Some(0), ..get(&served) }, &grounds);
    grounds.site(1, |site| {
        let prepared = http.prepare(site).unwrap();
        let mut session = prepared.open().unwrap();
        let mut ask = |text: &str| session.query(&Query { id: "1", text }, 50, soon());
        assert_eq!(ask("hang").unwrap_err().class, ErrorClass::Timeout);
        assert_eq!(paths(&ask("again").unwrap()), ["again.rs"]);
        assert_eq!(ask("close").unwrap_err().class, ErrorClass::Died);
        assert_eq!(paths(&ask("q").unwrap()), ["sub/b.rs", "a.rs"]);
    });
}

/// Busy at first, then there.
fn busy(times: usize, headers: &[(&'static str, &str)]) -> Served {
    let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Served::new(
        move |_, nth| {
            if nth < times { Answer::Whole(503, headers.clone(), "busy".into()) } else { found() }
        },
    )
}

fn post(served: &Served) -> HttpOptions {
    let body = Some(json!({"q": "{query}"}));
    HttpOptions { method: Method::Post, body, ..HttpOptions::new(served.url("/s")) }
}

#[test]
fn what_may_be_repeated_is_and_nothing_else() {
    let served = busy(2, &[]);
    assert_eq!(ask(get(&served), "q").unwrap().len(), 2);
    assert_eq!(served.seen().len(), 3);
    let served = busy(3, &[]);
    assert_eq!(ask(get(&served), "q").unwrap_err().class, ErrorClass::Tool);
    assert_eq!(served.seen().len(), 3);
    let served = busy(1, &[]);
    let put = HttpOptions { method: Method::Put, ..post(&served) };
    assert_eq!(ask(put, "q").unwrap().len(), 2);
    // A POST may have done something.
    let served = busy(1, &[]);
    assert_eq!(ask(post(&served), "q").unwrap_err().class, ErrorClass::Tool);
    assert_eq!(served.seen().len(), 1);
    let served = Served::new(|_, _| Answer::Close);
    assert_eq!(ask(post(&served), "q").unwrap_err().class, ErrorClass::Died);
    assert_eq!(served.seen().len(), 1);
    let served = Served::new(|_, nth| if nth == 0 { Answer::Close } else { found() });
    assert_eq!(ask(get(&served), "q").unwrap().len(), 2);
}

#[test]
fn a_pause_that_the_server_asks_for_is_kept_if_there_is_time() {
    let served = busy(1, &[("retry-after", "1")]);
    let start = Instant::now();
    assert_eq!(ask(get(&served), "q").unwrap().len(), 2);
    assert!(start.elapsed() >= Duration::from_secs(1));
    let served = busy(1, &[("retry-after", "3600")]);
    let start = Instant::now();
    assert_eq!(ask(get(&served), "q").unwrap_err().class, ErrorClass::Tool);
    assert!(start.elapsed() < Duration::from_mins(1) && served.seen().len() == 1);
}

#[test]
fn nobody_there_is_told_after_the_repetitions() {
    let port = rankhold::process::free_port().unwrap();
    for method in [Method::Get, Method::Post] {
        let body = (method == Method::Post).then(|| json!({"q": "{query}"}));
        let url = format!("http://127.0.0.1:{port}/s?q={{query}}");
        let told = fails(HttpOptions { method, body, ..HttpOptions::new(url) }, ErrorClass::Died);
        assert!(told.contains("could not be reached: ") && told.contains("?q={query}` "), "{told}");
    }
}

#[test]
fn a_redirect_is_followed_to_the_same_host_alone() {
    let elsewhere = Served::new(|_, _| found());
    let target = elsewhere.url("/taken");
    let served = Served::new(move |seen, _| match &seen.target {
        target if target.starts_with("/new") => found(),
        loop_ if loop_.contains("loop") => {
            Answer::Whole(302, vec![("location", "/x?q=loop".into())], String::new())
        }
        away if away.contains("away") => {
            Answer::Whole(307, vec![("location", target.clone())], String::new())
        }
        _ => Answer::Whole(302, vec![("location", "/new".into())], String::new()),
    });
    assert_eq!(ask(get(&served), "q").unwrap().len(), 2);
    let error = ask(get(&served), "away").unwrap_err();
    assert_eq!((error.class, elsewhere.seen().len()), (ErrorClass::Tool, 0));
    assert!(error.detail.contains("status 307 and leads to `127.0.0.1`, where nothing is sent"), "{error}");
    let error = ask(get(&served), "loop").unwrap_err();
    assert_eq!(error.class, ErrorClass::Tool);
    assert!(error.detail.contains("status 302 and leads on for the 6th time"), "{error}");
    // A POST would become a GET without its body.
    let error = ask(post(&served), "q").unwrap_err();
    assert_eq!(error.class, ErrorClass::Tool);
    assert!(error.detail.contains("leads to another address, where the body would not be sent"), "{error}");
}

fn with_secret(served: &Served) -> HttpOptions {
    HttpOptions {
        headers: [("authorization".to_owned(), format!("Bearer {{env:{SECRET}}}"))].into(),
        pass_env: vec![SECRET.to_owned()],
        ..HttpOptions::new(served.url(&format!("/s?q={{query}}&key={{env:{SECRET}}}")))
    }
}

#[test]
fn a_secret_is_sent_and_in_nothing_that_is_said() {
    let secret = std::env::var(SECRET).unwrap();
    let served = Served::new(|seen, _| {
        let (header, target) = (seen.header("authorization").unwrap().to_owned(), seen.target.clone());
        Answer::status(500, &format!("you sent {header} to {target}"))
    });
    let error = ask(with_secret(&served), "q").unwrap_err();
    assert!(error.detail.contains("you sent Bearer *** to /s?q=q&key=***"), "{error}");
    let seen = served.seen().remove(0);
    assert_eq!(seen.header("authorization"), Some(&*format!("Bearer {secret}")));
    let grounds = grounds();
    let http = http(with_secret(&served), &grounds);
    for text in [http.configuration().to_string(), format!("{http:?}")] {
        assert!(!text.contains(&secret) && text.contains("{env:PATH}"), "{text}");
    }
    let absent = HttpOptions { pass_env: vec!["NO_SUCH_VARIABLE".into()], ..get(&served) };
    let Availability::Missing { what, .. } = probe(&Http::new(absent, grounds.repo()).unwrap()) else {
        panic!("not missing")
    };
    assert_eq!(what, "the variable `NO_SUCH_VARIABLE` is not set here");
}

#[test]
fn an_answer_too_many_is_that_of_no_other_query() {
    let served = Served::new(|_, _| Answer::Kept(r#"["a.rs"]"#.to_owned()));
    let grounds = grounds();
    let http = http(get(&served), &grounds);
    let answers = grounds.site(1, |site| {
        let prepared = http.prepare(site).unwrap();
        let mut session = prepared.open().unwrap();
        ["one", "two"].map(|text| {
            session.query(&Query { id: "1", text }, 5, Deadline::after(Duration::from_mins(1))).unwrap()
        })
    });
    assert_eq!(answers, [vec![RawHit::file("a.rs")], vec![RawHit::file("a.rs")]]);
}

#[test]
fn an_encoding_that_nobody_asked_for_is_not_read_as_if_it_were_none() {
    let served = Served::new(|seen, _| {
        assert_eq!(seen.header("accept-encoding"), None);
        Answer::Whole(200, vec![("content-encoding", "gzip".to_owned())], r#"["a.rs"]"#.to_owned())
    });
    let told = fails(get(&served), ErrorClass::Protocol);
    assert!(told.contains("in the encoding `gzip`, which nobody asked for"), "{told}");
}

#[test]
fn what_goes_with_queries_goes_nowhere_else() {
    let other = Served::new(|_, _| Answer::status(200, "2.0"));
    let served = Served::new(|_, _| Answer::status(200, "1.0"));
    let grounds = grounds();
    for (at, sent) in [(&served, true), (&other, false)] {
        let version = Some(VersionOptions { url: at.url("/version"), pointer: None });
        let options = HttpOptions { version, ..with_secret(&served) };
        assert!(matches!(probe(&http(options, &grounds)), Availability::Ready(_)));
        assert_eq!(at.seen()[0].header("authorization").is_some(), sent);
    }
}

#[test]
fn an_unreachable_address_with_a_secret_is_told_without_it() {
    let secret = std::env::var(SECRET).unwrap();
    let port = rankhold::process::free_port().unwrap();
    let options = HttpOptions {
        pass_env: vec![SECRET.to_owned()],
        ..HttpOptions::new(format!("http://127.0.0.1:{port}/{{env:{SECRET}}}?q={{query}}"))
    };
    let told = fails(options, ErrorClass::Died);
    assert!(told.contains("/{env:PATH}?q={query}`") && !told.contains(&secret), "{told}");
}

#[test]
fn a_version_is_read_and_an_absent_server_is_broken() {
    let served = Served::new(|seen, _| match seen.target.as_str() {
        "/about" => Answer::json(r#"{"version": {"number": "8.1"}}"#),
        "/version" => Answer::status(200, "search 2.0\nbuilt today"),
        _ => found(),
    });
    let grounds = grounds();
    let version = |url: String, pointer: Option<&str>| {
        let version = Some(VersionOptions { url, pointer: pointer.map(str::to_owned) });
        match probe(&http(HttpOptions { version, ..get(&served) }, &grounds)) {
            Availability::Ready(said) => said.version,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(version(served.url("/about"), Some("/version/number")), "8.1");
    assert_eq!(version(served.url("/version"), None), "search 2.0");
    let Availability::Ready(said) = probe(&http(get(&served), &grounds)) else { panic!("not ready") };
    assert_eq!(said.version, "unknown");
    assert_eq!(served.seen().pop().unwrap().target, "/");

    let port = rankhold::process::free_port().unwrap();
    let nobody = HttpOptions::new(format!("http://127.0.0.1:{port}/?q={{query}}"));
    let Availability::Broken { detail, .. } = probe(&http(nobody, &grounds)) else { panic!("not broken") };
    assert!(detail.contains("could not be reached"), "{detail}");
    let bad = Some(VersionOptions { url: served.url("/about"), pointer: Some("/none".into()) });
    let Availability::Broken { detail, .. } =
        probe(&http(HttpOptions { version: bad, ..get(&served) }, &grounds))
    else {
        panic!("not broken")
    };
    assert!(detail.contains("says no version; it begins: `{"), "{detail}");
}

/// One answer over TLS, with a certificate that nobody trusts unasked.
fn over_tls() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = std::sync::Arc::clone(crate::github::fake::tls::acceptor().config());
    std::thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            let session = rustls::ServerConnection::new(std::sync::Arc::clone(&config)).unwrap();
            let mut stream = rustls::StreamOwned::new(session, connection);
            let mut request = [0; 4096];
            if stream.read(&mut request).is_ok() {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n[\"a.rs\"]");
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    port
}

#[test]
fn a_private_server_is_trusted_by_its_own_authority_alone() {
    let grounds = grounds();
    std::fs::write(grounds.repo().join("authority.pem"), crate::github::fake::tls::authority()).unwrap();
    let options = |ca_file: Option<&str>| HttpOptions {
        ca_file: ca_file.map(str::to_owned),
        retries: Some(0),
        ..HttpOptions::new(format!("https://127.0.0.1:{}/s?q={{query}}", over_tls()))
    };
    let hits = grounds.ask(&http(options(Some("authority.pem")), &grounds), "q").unwrap();
    assert_eq!(paths(&hits), ["a.rs"]);
    let error = grounds.ask(&http(options(None), &grounds), "q").unwrap_err();
    assert_eq!(error.class, ErrorClass::Died);
    assert!(error.detail.contains("could not be reached") && error.detail.contains("certificate"), "{error}");
}

#[test]
fn a_proxy_of_the_environment_is_asked_but_for_this_machine() {
    let proxy = Served::new(|_, _| Answer::json(r#"["docs/apples.md"]"#));
    let here = Served::new(|_, _| Answer::json(r#"["docs/bees.md"]"#));
    let run = |url: &str| {
        let tree = crate::program::garden_of(&format!("kind = \"http\"\nurl = {url:?}"));
        let mut command = crate::program::program(&tree.root());
        command.arg("run").env("HTTP_PROXY", proxy.url("")).env("http_proxy", proxy.url(""));
        crate::program::Ran::of(&command.output().unwrap()).ends(0).says(&["1/4"]);
    };
    run("http://search.invalid/?q={query}");
    let asked = proxy.seen();
    assert!(asked.iter().all(|seen| seen.target.starts_with("http://search.invalid/")), "{asked:?}");
    assert_eq!(asked.len(), 5, "a look and four queries");
    run(&here.url("/?q={query}"));
    assert_eq!((proxy.seen().len(), here.seen().len()), (5, 5));
}

#[test]
fn sessions_may_ask_side_by_side() {
    let served = Served::new(|_, _| found());
    let grounds = grounds();
    let http = http(HttpOptions { parallel: Some(3), ..get(&served) }, &grounds);
    assert_eq!(http.sight(), Sight::Copy);
    grounds.site(3, |site| {
        let prepared = http.prepare(site).unwrap();
        assert_eq!(prepared.max_sessions(), 3);
        let answers = std::thread::scope(|scope| {
            let ask = || {
                let mut session = prepared.open().unwrap();
                session.query(&Query { id: "1", text: "q" }, 1, crate::grounds::in_time()).unwrap()
            };
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap().len()).collect::<Vec<_>>()
        });
        assert_eq!(answers, [1, 1, 1]);
    });
}

/// A server that does what the query says.
const SERVER: &str = r#"
import json, os, subprocess, sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlparse(self.path)
        query = parse_qs(url.query).get("q", [""])[0]
        if query == "die":
            print("out of memory", file=sys.stderr, flush=True)
            os._exit(7)
        body = json.dumps(sorted(os.listdir("."))).encode()
        self.send_response(503 if url.path == "/ready" and not warm() else 200)
        self.end_headers()
        self.wfile.write(b"1.5" if url.path == "/version" else body)

    def log_message(self, *more):
        sys.stdout.write("a line of a log\n" * 100)
        sys.stdout.flush()

def warm():
    path = os.environ["ZOO"] + "/asked"
    with open(path, "a") as asked:
        asked.write("x")
    return os.path.getsize(path) > 2

with open(os.environ["ZOO"] + "/starts", "a") as starts:
    starts.write("start\n")
subprocess.Popen(["sleep", "86400"])
assert os.environ["PORT"] == sys.argv[1]
HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"#;

struct Cage {
    zoo: Zoo,
    grounds: Grounds,
    options: HttpOptions,
}

fn cage(source: &str) -> Cage {
    let zoo = Zoo::new();
    let mut start = zoo.program("python3", source);
    start.push("{port}".to_owned());
    let options = HttpOptions {
        start: Some(start),
        env: zoo.extra().set,
        retries: Some(0),
        ..HttpOptions::new("http://127.0.0.1:{port}/search?q={query}")
    };
    Cage { zoo, grounds: grounds(), options }
}

impl Cage {
    fn http(&self) -> Http {
        http(self.options.clone(), &self.grounds)
    }

    fn starts(&self) -> usize {
        std::fs::read_to_string(self.zoo.path("starts")).unwrap().lines().count()
    }

    /// Answers as words: the first path, or the class of the failure.
    fn told(&self, queries: &[&str]) -> Vec<String> {
        std::fs::write(self.grounds.tree().join("a.rs"), "alpha").unwrap();
        let answers = self.grounds.site(1, |site| {
            let http = self.http();
            let prepared = http.prepare(site).unwrap();
            let mut session = prepared.open().unwrap();
            let mut ask = |text: &str| {
                session.ready(crate::grounds::in_time())?;
                session.query(&Query { id: "1", text }, 50, crate::grounds::in_time())
            };
            queries.iter().map(|query| ask(query)).collect::<Vec<_>>()
        });
        self.zoo.assert_empty();
        let told = |answer: Result<Vec<RawHit>, QueryError>| match answer {
            Ok(hits) => paths(&hits)[0].to_owned(),
            Err(error) => error.class.to_string(),
        };
        answers.into_iter().map(told).collect()
    }
}

#[test]
fn a_server_of_ours_is_started_once_waited_for_and_ended_with_all_it_started() {
    let mut cage = cage(SERVER);
    cage.options.ready = Some("http://127.0.0.1:{port}/ready".into());
    cage.options.version =
        Some(VersionOptions { url: "http://127.0.0.1:{port}/version".into(), pointer: None });
    assert_eq!(cage.told(&["q", "r", "s"]), ["a.rs", "a.rs", "a.rs"]);
    assert_eq!(cage.starts(), 1);
    assert!(std::fs::read_to_string(cage.zoo.path("asked")).unwrap().len() > 2);
    let Availability::Ready(said) = probe(&cage.http()) else { panic!("not ready") };
    assert_eq!(said.version, "1.5");
    cage.zoo.assert_empty();
}

#[test]
fn a_server_of_ours_that_dies_is_started_anew_for_the_next_query_three_times_at_most() {
    let cage = cage(SERVER);
    assert_eq!(cage.told(&["die", "q", "die", "r"]), ["died", "a.rs", "died", "a.rs"]);
    assert_eq!(cage.starts(), 3);
    let answer = cage.grounds.site(1, |site| {
        let http = cage.http();
        let prepared = http.prepare(site).unwrap();
        let mut session = prepared.open().unwrap();
        session.query(&Query { id: "1", text: "die" }, 50, crate::grounds::in_time())
    });
    let told = answer.unwrap_err().detail;
    assert!(told.contains("its server ended with exit code 7") && told.contains("out of memory"), "{told}");
    let before = cage.starts();
    assert_eq!(cage.told(&["die", "die", "die", "q", "r"]), ["died"; 5]);
    assert_eq!(cage.starts() - before, 3);
}

#[test]
fn a_server_of_ours_that_never_gets_ready_is_told_with_what_it_said() {
    let died = cage("import sys; print('no model', file=sys.stderr); sys.exit(3)");
    let Availability::Broken { detail, .. } = probe(&died.http()) else { panic!("not broken") };
    assert!(
        detail.contains("its server ended with exit code 3") && detail.contains("`no model`"),
        "{detail}"
    );
    let deaf = cage("import time; time.sleep(1000)");
    let detail = deaf.grounds.site_until(Deadline::after(Duration::from_secs(2)), 1, |site| {
        deaf.http().prepare(site).err().unwrap().detail
    });
    assert!(detail.contains("was not ready in time (its port cannot be reached"), "{detail}");
    deaf.zoo.assert_empty();
    let mut absent = cage("");
    absent.options.start.as_mut().unwrap()[0] = "no-such-program".into();
    assert!(matches!(probe(&absent.http()), Availability::Missing { .. }));
}

#[test]
fn an_index_is_built_before_the_server_is_started() {
    let mut cage = cage(SERVER);
    cage.options.prepare = Some(
        ["sh", "-c", "test ! -e \"$ZOO/starts\" && echo built > \"$0/index\"", "{scratch}"]
            .map(str::to_owned)
            .to_vec(),
    );
    // There is nothing to start on yet, so it is only looked whether the programs are there.
    let Availability::Ready(said) = probe(&cage.http()) else { panic!("not ready") };
    assert_eq!(said.version, "not asked, since only a run starts it");
    assert_eq!(cage.told(&["q"]), ["a.rs"]);
    assert!(cage.grounds.scratch().join("index").exists());
    let mut broken = self::cage("");
    broken.options.prepare = Some(["sh", "-c", "echo 'disk full' >&2; exit 5"].map(str::to_owned).to_vec());
    let error = broken.grounds.site(1, |site| broken.http().prepare(site).err().unwrap());
    assert!(error.detail.contains("exit code 5") && error.detail.contains("disk full"), "{error}");
}

type Change = fn(&mut HttpOptions);

#[test]
fn settings_that_make_no_sense_are_refused_with_their_key() {
    let grounds = grounds();
    let expected: [(Change, &str); 20] = [
        (
            |o| o.url = "http://x/".into(),
            "url: neither this nor `body` holds `{query}`, so every query would be the same",
        ),
        (
            |o| o.url = "ftp://x/{query}".into(),
            "url: `ftp://x/{query}` is no address; write it like https://host/search",
        ),
        (|o| o.url = "http://{query}.example/".into(), "url: whom it asks depends on the query"),
        (
            |o| o.url = "http://me:pw@x/{query}".into(),
            "url: holds a user; write it as a header with `{env:NAME}`",
        ),
        (
            |o| o.url = "http://x/{query}?kind={kind}".into(),
            "url: `{kind}` is no placeholder; a brace of the address itself is written `%7B`",
        ),
        (
            |o| drop(o.headers.insert("Content-Length".into(), "5".into())),
            "headers: `Content-Length` is for the connection to say, and not for a configuration",
        ),
        (
            |o| o.url = "http://x/{query}/{env:KEY}".into(),
            "url: `{env:KEY}` needs `KEY` in `pass-env` (or in `env`)",
        ),
        (
            |o| o.url = "http://x:{port}/{query}".into(),
            "url: holds `{port}`, which is that of a server in `start`; there is none",
        ),
        (
            |o| o.start = Some(vec!["x".into()]),
            "url: holds no `{port}`, so another server than that in `start` would be asked",
        ),
        (|o| o.start = Some(vec![]), "start: it is empty; name the program first"),
        (|o| o.body = Some(json!({})), "body: goes with `method = \"POST\"` or `\"PUT\"`"),
        (
            |o| {
                o.method = Method::Post;
                o.body = Some(r#"{"q": "{query}"}"#.into());
            },
            "body: is JSON as a text, in which a query could mean more than itself; write a table",
        ),
        (
            |o| drop(o.headers.insert("a b".into(), String::new())),
            "headers: `a b` is not the name of a header",
        ),
        (
            |o| drop(o.headers.insert("a".into(), "Bearer ${KEY}".into())),
            "headers: `a` cannot be used: no shell reads `${KEY}` here; write `{env:KEY}`, with `KEY` in `pass-env`",
        ),
        (
            |o| o.url = "http://x/${KEY}/{query}".into(),
            "url: no shell reads `${KEY}` here; write `{env:KEY}`, with `KEY` in `pass-env`",
        ),
        (
            |o| drop(o.headers.insert("a".into(), "{query}".into())),
            "headers: `a` cannot be used: `{query}` has no meaning here",
        ),
        (
            |o| o.pass_env = vec!["GITHUB_TOKEN".into()],
            "pass-env: `GITHUB_TOKEN` is never given to a retriever",
        ),
        (
            |o| o.empty_statuses = vec![200],
            "empty-statuses: 200 is in `ok-statuses` too; a status means one thing",
        ),
        (
            |o| {
                o.format = Format::Paths;
                o.path = Some("/x".into());
            },
            "path: has no meaning in this `format`; take it out",
        ),
        (|o| o.ca_file = Some("none.pem".into()), "ca-file: "),
    ];
    for (change, message) in expected {
        let mut options = HttpOptions::new("http://x/{query}");
        change(&mut options);
        let problem = Http::new(options, grounds.repo()).unwrap_err().to_string();
        assert!(problem == message || (message.ends_with(": ") && problem.starts_with(message)), "{problem}");
    }
}

#[test]
fn the_keys_of_a_file_are_read() {
    let keys = json!({
        "method": "POST", "url": "http://x/", "headers": {"x-key": "{env:KEY}"}, "body": {"q": "{query}"},
        "version": {"url": "http://x/v", "pointer": "/v"}, "pass-env": ["KEY"], "hit-kind": "/t",
        "ok-statuses": [200], "empty-statuses": [404], "empty-texts": ["none"], "retries": 0, "max-output": "1MiB",
    });
    let options: HttpOptions = serde_json::from_value(keys).unwrap();
    assert_eq!((options.method, options.retries), (Method::Post, Some(0)));
    assert!(serde_json::from_value::<HttpOptions>(json!({"url": "x", "verb": "GET"})).is_err());
}

/// What two requests have in common, for a look at what goes with all of them.
#[test]
fn what_is_asked_says_what_it_takes_and_who_asks() {
    let served = Served::new(|_, _| found());
    ask(get(&served), "q").unwrap();
    let seen: Seen = served.seen().remove(0);
    assert_eq!(
        (seen.header("accept"), seen.header("user-agent")),
        (Some("application/json"), Some("rankhold"))
    );
}
