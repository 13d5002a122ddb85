//! MCP servers, well-behaved and hostile, asked through the retriever: children of ours, and one over HTTP.
#![expect(clippy::disallowed_methods, reason = "tests look at what a server wrote")]

use rankhold::ranking::{ErrorClass, RawHit};
use rankhold::retriever::mcp::{Mcp, McpOptions};
use rankhold::retriever::output::Format;
use rankhold::retriever::{Availability, Query, QueryError, Retriever, Session, Sight};
use serde_json::{Map, Value, json};

use crate::grounds::{Grounds, in_time, paths, probe};
use crate::served::{Answer, Seen, Served};
use crate::zoo::{Zoo, soon};

/// A server that does what the query says, and ranks a file of the query's name first.
const ANIMAL: &str = r#"
import json, os, signal, sys, time

def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def reply(id, result):
    send(id=id, result=result)

def text(id, *texts, **more):
    reply(id, {"content": [{"type": "text", "text": text} for text in texts], **more})

def ask(method, params):
    """A request of the server's own; what comes back is written down."""
    send(id="mine", method=method, params=params)
    with open(os.environ["ZOO"] + "/told", "a") as told:
        told.write(sys.stdin.readline())

def behave(id, query, arguments):
    hits = json.dumps({"hits": [query + ".rs"]})
    if query == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(1000)
    elif query == "late":
        time.sleep(5)
        text(id, hits)
    elif query == "log":
        print("Loading model: 100%", flush=True)
        text(id, hits)
    elif query == "binary":
        sys.stdout.buffer.write(b"\0\xff\x1b[2J\n")
        sys.stdout.flush()
    elif query == "json":
        print(json.dumps({"hits": []}), flush=True)
    elif query == "batch":
        print(json.dumps([{"jsonrpc": "2.0", "id": id, "result": {"content": []}}]), flush=True)
    elif query == "long":
        text(id, "x" * 100000)
    elif query == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    elif query == "another":
        text(id + 1, hits)
    elif query == "next":
        text(id, hits)
        text(id + 1, json.dumps({"hits": ["forged.rs"]}))
    elif query == "word":
        text(str(id), hits)
    elif query == "both":
        send(id=id, result={"content": [{"type": "text", "text": hits}]}, error={"code": 1, "message": "no"})
    elif query == "repeated":
        print('{"jsonrpc": "2.0", "id": %d, "result": {"isError": true, "isError": false, "content": []}}' % id, flush=True)
    elif query == "nobody":
        send(id=None, error={"code": -32700, "message": "Parse error"})
    elif query == "twice":
        text(id, hits)
        text(id, json.dumps({"hits": ["second.rs"]}))
    elif query == "die":
        sys.stdout.write('{"jsonrpc": "2.0", "id": %d, "result": {"content": [' % id)
        sys.stdout.flush()
        print("out of memory", file=sys.stderr)
        os._exit(7)
    elif query == "after":
        text(id, hits)
        os._exit(0)
    elif query == "close":
        os.close(1)
        time.sleep(1000)
    elif query == "no":
        text(id, "no index of " + os.environ["PATH"], isError=True)
    elif query == "error":
        send(id=id, error={"code": -32000, "message": "no index of " + os.environ["PATH"]})
    elif query == "plain":
        text(id, "Failed to index: no such folder")
    elif query == "said":
        text(id, json.dumps({"error": "no model"}))
    elif query == "nothing":
        text(id, json.dumps({"error": "No results found."}))
    elif query == "other":
        reply(id, {"tools": []})
    elif query == "structured":
        reply(id, {"content": [], "structuredContent": json.loads(hits)})
    elif query == "chatter":
        sys.stderr.write("progress\n" * 200000)
        send(method="notifications/progress", params={"progressToken": 1, "progress": 0.5})
        send(method="notifications/message", params={"level": "info", "data": "half way"})
        send(method="notifications/ours", params={"free": "form"})
        text(id, hits)
    elif query == "ask":
        ask("ping", {})
        ask("roots/list", {})
        ask("sampling/createMessage", {"messages": [], "maxTokens": 9})
        ask("elicitation/create", {"message": "who?", "requestedSchema": {"type": "object", "properties": {}}})
        ask("our/own", {})
        text(id, hits)
    elif query == "arguments":
        text(id, json.dumps({"hits": [json.dumps(arguments, sort_keys=True)]}))
    else:
        text(id, hits)

def handshake(message):
    return {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "animal", "version": "1"}}

def tools(message):
    return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("search", "find_related")]}

with open(os.environ["ZOO"] + "/starts", "a") as starts:
    starts.write("start\n")
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        reply(message["id"], handshake(message))
    elif method == "tools/list":
        reply(message["id"], tools(message))
    elif method == "tools/call":
        arguments = message["params"]["arguments"]
        behave(message["id"], arguments["query"], arguments)
"#;

struct Cage {
    zoo: Zoo,
    grounds: Grounds,
    options: McpOptions,
}

fn arguments() -> Map<String, Value> {
    let arguments = json!({"query": "{query}", "limit": "{fetch}"});
    arguments.as_object().unwrap().clone()
}

fn options() -> McpOptions {
    McpOptions {
        hits: Some("/hits".into()),
        error: Some("/error".into()),
        empty_texts: vec!["No results found.".into()],
        max_output: Some("64KiB".parse().unwrap()),
        ..McpOptions::new("search", arguments())
    }
}

fn cage(source: &str) -> Cage {
    let zoo = Zoo::new();
    let argv = Some(zoo.program("python3", source));
    let options = McpOptions { argv, env: zoo.extra().set, ..options() };
    Cage { zoo, grounds: Grounds::new(&[("ok.rs", "x")]), options }
}

impl Cage {
    fn mcp(&self) -> Mcp {
        Mcp::new(self.options.clone(), self.grounds.repo()).unwrap_or_else(|problem| panic!("{problem}"))
    }

    /// Asks one query after the other in one session, and looks that nothing is left running.
    fn ask(&self, queries: &[&str]) -> Vec<Result<Vec<RawHit>, QueryError>> {
        let mcp = self.mcp();
        let answers = self.grounds.site(1, |site| {
            let prepared = mcp.prepare(site).unwrap_or_else(|error| panic!("{error}"));
            let mut session = prepared.open().unwrap();
            queries.iter().map(|query| ask(&mut *session, query)).collect()
        });
        self.zoo.assert_empty();
        answers
    }

    /// The same, with every answer as a word: its first path, or the class of its failure.
    fn told(&self, queries: &[&str]) -> Vec<String> {
        self.ask(queries).into_iter().map(word).collect()
    }

    fn fails(&self, query: &str, class: ErrorClass) -> String {
        let error = self.ask(&[query]).remove(0).unwrap_err();
        assert_eq!(error.class, class, "{error}");
        error.detail
    }

    fn starts(&self) -> usize {
        std::fs::read_to_string(self.zoo.path("starts")).unwrap().lines().count()
    }
}

fn word(answer: Result<Vec<RawHit>, QueryError>) -> String {
    match answer {
        Ok(hits) if hits.is_empty() => "empty".to_owned(),
        Ok(hits) => paths(&hits)[0].to_owned(),
        Err(error) => error.class.to_string(),
    }
}

/// The harness's way: ready first, then the query in its own time. Only those that hang get little of it.
fn ask(session: &mut dyn Session, query: &str) -> Result<Vec<RawHit>, QueryError> {
    session.ready(in_time())?;
    let deadline = if ["hang", "late"].contains(&query) { soon() } else { in_time() };
    session.query(&Query { id: "a case", text: query }, 50, deadline)
}

#[test]
fn one_server_answers_many_queries() {
    let cage = cage(ANIMAL);
    let queries = ["a", "structured", "chatter", "nothing", "b"];
    assert_eq!(cage.told(&queries), ["a.rs", "structured.rs", "chatter.rs", "empty", "b.rs"]);
    assert_eq!(cage.starts(), 1);
}

#[test]
fn arguments_are_values_whatever_a_query_holds() {
    let mut cage = cage(ANIMAL);
    let written = json!({
        "query": "{query}", "limit": "{fetch}", "text": "{fetch} in {corpus}", "deep": [{"q": "<{query}>"}, 7],
        "where": ["{repo}", "{scratch}", "{env:LIMIT}"],
    });
    cage.options.env.insert("LIMIT".into(), "9".into());
    cage.options.arguments = written.as_object().unwrap().clone();
    let said: Value = serde_json::from_str(&cage.told(&["arguments"])[0]).unwrap();
    let place = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let (tree, scratch) = (place(&cage.grounds.tree()), place(&cage.grounds.scratch()));
    let expected = json!({
        "query": "arguments", "limit": 50, "text": format!("50 in {tree}"), "deep": [{"q": "<arguments>"}, 7],
        "where": [place(cage.grounds.repo()), scratch, "9"],
    });
    assert_eq!(said, expected);
    let odd = "a\", \"limit\": 1, \"x\": \"\n{corpus} \u{2028}";
    assert_eq!(cage.told(&[odd]), [format!("{odd}.rs")]);
}

#[test]
fn a_server_says_who_it_is() {
    let cage = cage(ANIMAL);
    let mcp = cage.mcp();
    assert_eq!(mcp.sight(), Sight::Copy);
    cage.grounds.site(1, |site| {
        let prepared = mcp.prepare(site).unwrap();
        assert_eq!(prepared.description().unwrap().version, "animal 1");
        assert_eq!(prepared.max_sessions(), 1);
    });
    let Availability::Ready(said) = probe(&mcp) else { panic!("not ready") };
    assert_eq!(said.version, "animal 1");
    assert!(said.program.is_some_and(|program| program.path.is_absolute()));
    cage.zoo.assert_empty();
}

#[test]
fn a_command_says_the_version_better_than_the_server() {
    let mut cage = cage(ANIMAL);
    cage.options.values =
        [("model", "tiny"), ("port", "1")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    cage.options.model = Some("{model} at {port}".to_owned());
    cage.options.version =
        Some(["sh", "-c", "echo; echo '  zoo 0.35.0  '; pwd >&2"].map(str::to_owned).to_vec());
    let looked = |mcp: &Mcp| match probe(mcp) {
        Availability::Ready(said) => (said.version, said.model.unwrap()),
        other => panic!("{other:?}"),
    };
    let told = ("zoo 0.35.0".to_owned(), "tiny at 1".to_owned());
    assert_eq!(looked(&cage.mcp()), told);
    // One that has to be prepared is not started by a look, and its version is known all the same.
    cage.options.prepare = Some(["sh", "-c", ":"].map(str::to_owned).to_vec());
    let mcp = cage.mcp();
    assert_eq!(looked(&mcp), told);
    cage.grounds.site(1, |site| {
        let said = mcp.prepare(site).unwrap().description().unwrap();
        assert_eq!((said.version, said.model.unwrap()), told);
    });
    cage.options.version = Some(["sh", "-c", "exit 3"].map(str::to_owned).to_vec());
    let Availability::Broken { detail, .. } = probe(&cage.mcp()) else { panic!("not broken") };
    assert!(detail.starts_with("its `version` command ended with exit code 3"), "{detail}");
    cage.options.argv = None;
    cage.options.url = Some("https://example.org/mcp".to_owned());
    let problem = Mcp::new(cage.options.clone(), cage.grounds.repo()).unwrap_err();
    assert_eq!((problem.key, &*problem.message), ("version", "goes with `argv` alone; take it out"));
    cage.zoo.assert_empty();
}

#[test]
fn a_tool_that_is_not_there_is_told_with_those_that_are() {
    let mut cage = cage(ANIMAL);
    cage.options.tool = "serach".into();
    let Availability::Broken { detail, .. } = probe(&cage.mcp()) else { panic!("not broken") };
    let expected = "has no tool `serach`; did you mean `search`? (it has: find_related, search)";
    assert!(detail.contains(expected), "{detail}");
    cage.zoo.assert_empty();
}

#[test]
fn a_list_of_tools_is_read_page_by_page_and_ends() {
    let pages = |next: &str| {
        let list =
            r#"{"name": name, "inputSchema": {"type": "object"}} for name in ("search", "find_related")]}"#;
        let page = r#"{"name": name, "inputSchema": {"type": "object"}} for name in names(message)], **next(message)}"#;
        let source = ANIMAL.replace(list, page);
        assert_ne!(source, ANIMAL);
        let at = r#"int((message.get("params") or {}).get("cursor", 0))"#;
        let helpers = format!(
            "def names(message):\n    return [[\"other\"], [\"search\"]][{at} == 1]\ndef next(message):\n    at = {at}\n    return {next}\n"
        );
        cage(&source.replace("def tools(message):", &format!("{helpers}def tools(message):")))
    };
    let two = pages(r#"{"nextCursor": "1"} if at == 0 else {}"#);
    assert_eq!(two.told(&["a"]), ["a.rs"]);
    for (next, expected) in [
        (r#"{"nextCursor": "5"}"#, "names a page of its list of tools that it named before"),
        (
            r#"{"nextCursor": str(at + 2)}"#,
            "has more than 100 pages of tools, and `search` is on none of them",
        ),
        ("{}", "has no tool `search` (it has: other)"),
    ] {
        let cage = pages(next);
        let Availability::Broken { detail, .. } = probe(&cage.mcp()) else { panic!("not broken") };
        assert!(detail.contains(expected), "{detail}");
        cage.zoo.assert_empty();
    }
}

#[test]
fn what_says_no_is_a_failure_of_the_tool_and_the_server_lives_on() {
    let mut cage = cage(ANIMAL);
    cage.options.pass_env = vec!["PATH".to_owned()];
    for (query, parts) in [
        // An interpreter may put folders of its own before what it is given.
        ("no", ["said no: no index of ", "***"]),
        ("error", ["said no: no index of ", "*** (code -32000)"]),
        ("said", ["said no: it says `no model`", ""]),
    ] {
        let told = cage.fails(query, ErrorClass::Tool);
        assert!(parts.iter().all(|part| told.contains(part)), "{told}");
        assert!(!told.contains(&std::env::var("PATH").unwrap()), "{told}");
    }
    let before = cage.starts();
    let queries = ["no", "error", "said", "plain", "no", "a"];
    assert_eq!(cage.told(&queries), ["tool", "tool", "tool", "protocol", "tool", "a.rs"]);
    assert_eq!(cage.starts() - before, 1);
}

#[test]
fn plain_text_where_json_was_expected_is_no_empty_answer() {
    let told = cage(ANIMAL).fails("plain", ErrorClass::Protocol);
    assert!(told.contains("its output is not one JSON value"), "{told}");
    assert!(told.contains("it begins: `Failed to index: no such folder`"), "{told}");
}

#[test]
fn text_that_is_no_json_is_read_in_its_format() {
    let mut cage = cage(
        &ANIMAL.replace("text(id, \"Failed", "text(id, \"a.rs\\nb.rs\") or (lambda *_: 0)(id, \"Failed"),
    );
    cage.options.format = Format::Paths;
    (cage.options.hits, cage.options.error) = (None, None);
    assert_eq!(paths(cage.ask(&["plain"])[0].as_ref().unwrap()), ["a.rs", "b.rs"]);
}

#[test]
fn after_a_time_out_the_next_query_gets_its_own_answer_from_a_new_server() {
    let cage = cage(ANIMAL);
    assert_eq!(cage.told(&["late", "a", "hang", "b"]), ["timeout", "a.rs", "timeout", "b.rs"]);
    assert_eq!(cage.starts(), 3);
}

#[test]
fn what_is_no_reply_is_a_protocol_failure_and_the_server_is_started_anew() {
    for bad in ["log", "binary", "json", "batch", "another", "nobody", "other", "word", "both", "repeated"] {
        let cage = cage(ANIMAL);
        assert_eq!(cage.told(&[bad, "a"]), ["protocol", "a.rs"], "{bad}");
        // A result of another kind is a reply all the same, to what was asked.
        assert_eq!(cage.starts(), 2, "{bad}");
    }
    let told = cage(ANIMAL).fails("log", ErrorClass::Protocol);
    assert!(told.contains("wrote a line to stdout that is no JSON-RPC message"), "{told}");
    assert!(told.contains("the line begins: `Loading model: 100%`"), "{told}");
    let told = cage(ANIMAL).fails("binary", ErrorClass::Protocol);
    assert!(told.contains(r"\u{1b}[2J") && told.chars().all(|c| !c.is_control()), "{told:?}");
    let told = cage(ANIMAL).fails("another", ErrorClass::Protocol);
    assert!(told.contains("replied to a request that was not asked, to which no reply was due"), "{told}");
    let told = cage(ANIMAL).fails("word", ErrorClass::Protocol);
    assert!(told.contains("replied to a request with its id as a text, to which"), "{told}");
    let told = cage(ANIMAL).fails("repeated", ErrorClass::Protocol);
    assert!(told.contains("the key `isError` appears twice in one object"), "{told}");
    assert!(told.contains(r#"the line begins: `{"jsonrpc": "2.0", "id": …, "result""#), "{told}");
    assert_eq!(told, cage(ANIMAL).fails("repeated", ErrorClass::Protocol), "a random id is in no message");
}

#[test]
fn more_than_allowed_is_an_output_limit_and_the_server_is_started_anew() {
    for bad in ["long", "flood"] {
        let cage = cage(ANIMAL);
        assert_eq!(cage.told(&[bad, "a"]), ["output-limit", "a.rs"], "{bad}");
        assert_eq!(cage.starts(), 2, "{bad}");
    }
}

#[test]
fn a_second_answer_fails_the_next_query_and_is_never_its_answer() {
    for more in ["twice", "next"] {
        // Whether or not the line too many is there before the query it came with is over.
        let expected = [&format!("{more}.rs"), "protocol", "b.rs"];
        assert_eq!(cage(ANIMAL).told(&[more, "a", "b"]), expected, "a request's id cannot be guessed");
    }
}

#[test]
fn half_an_answer_before_a_death_is_a_death() {
    let cage = cage(ANIMAL);
    assert_eq!(cage.told(&["die", "a"]), ["died", "a.rs"]);
    let told = cage.fails("die", ErrorClass::Died);
    assert!(told.contains("ended with exit code 7") && told.contains("out of memory"), "{told}");
}

#[test]
fn a_server_that_ends_after_an_answer_or_closes_its_output_has_died() {
    assert_eq!(cage(ANIMAL).told(&["after", "a", "b"]), ["after.rs", "died", "b.rs"]);
    assert_eq!(cage(ANIMAL).told(&["close", "a"]), ["died", "a.rs"]);
}

#[test]
fn three_failures_in_a_row_are_enough_and_an_answer_between_them_counts() {
    let cage = cage(ANIMAL);
    assert_eq!(cage.told(&["die", "die", "die", "a", "b"]), ["died"; 5]);
    assert_eq!(cage.starts(), 3);
    let queries = ["die", "a", "die", "no", "die", "c"];
    assert_eq!(self::cage(ANIMAL).told(&queries), ["died", "a.rs", "died", "tool", "died", "c.rs"]);
}

#[test]
fn nothing_is_granted_that_a_server_asks_for() {
    let cage = cage(ANIMAL);
    assert_eq!(cage.told(&["ask"]), ["ask.rs"]);
    let told = std::fs::read_to_string(cage.zoo.path("told")).unwrap();
    let replies: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(replies[0]["result"], json!({}), "a ping is answered");
    for reply in &replies[1..] {
        assert_eq!((&reply["error"]["code"], &reply["id"]), (&json!(-32601), &json!("mine")), "{reply}");
    }
    assert_eq!(replies.len(), 5);
}

#[test]
fn a_server_that_cannot_be_greeted_is_broken_and_says_why() {
    let broken = |source: &str| {
        let cage = cage(source);
        let Availability::Broken { detail, .. } = probe(&cage.mcp()) else { panic!("not broken") };
        cage.zoo.assert_empty();
        detail
    };
    let dead = broken("import no_such_module");
    assert!(dead.contains("exit code 1") && dead.contains("no_such_module"), "{dead}");
    let loud = broken(&format!("print('Server v1 listening on stdio', flush=True)\n{ANIMAL}"));
    assert!(
        loud.contains("(what it logs belongs on stderr); the line begins: `Server v1 listening"),
        "{loud}"
    );
    let refusing = broken(&ANIMAL.replace(
        "reply(message[\"id\"], handshake(message))",
        "send(id=message[\"id\"], error={\"code\": -32602, \"message\": \"no licence\"})",
    ));
    assert!(refusing.contains("refused the handshake: no licence"), "{refusing}");
    let mut absent = cage(ANIMAL);
    absent.options.argv.as_mut().unwrap()[0] = "no-such-program".to_owned();
    assert!(matches!(probe(&absent.mcp()), Availability::Missing { .. }));
}

#[test]
fn a_server_that_knows_no_handshake_is_asked_in_the_way_of_2026() {
    let modern = ANIMAL
        .replace("method == \"initialize\"", "method == \"server/discover\"")
        .replace(
            "reply(message[\"id\"], handshake(message))",
            r#"reply(message["id"], {"resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0,
                "cacheScope": "private", "capabilities": {"tools": {}},
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "modern", "version": "3"}}})"#,
        )
        .replace("return {\"tools\": [", "return {\"resultType\": \"complete\", \"tools\": [");
    let modern = format!(
        "{}\n    elif method == \"initialize\":\n        send(id=message[\"id\"], error={{\"code\": -32601, \"message\": \"no\"}})\n",
        modern.trim_end()
    );
    let cage = cage(&modern);
    let Availability::Ready(said) = probe(&cage.mcp()) else { panic!("not ready") };
    assert_eq!(said.version, "modern 3");
    assert_eq!(cage.told(&["a", "hang", "b"]), ["a.rs", "timeout", "b.rs"]);
}

#[test]
fn a_server_that_reads_nothing_is_told_in_time() {
    let cage = cage("import time\ntime.sleep(1000)");
    let mcp = cage.mcp();
    let error = cage.grounds.site_until(soon(), 1, |site| mcp.prepare(site).err().unwrap());
    assert!(error.detail.contains("did not reply in time"), "{error}");
    cage.zoo.assert_empty();
}

#[test]
fn a_server_that_ignores_its_end_is_ended() {
    let stubborn = format!("{ANIMAL}\nwhile True: time.sleep(1000)");
    assert_eq!(cage(&stubborn).told(&["a"]), ["a.rs"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_of_a_server_ends_with_it() {
    let source = format!(
        "import os\nWIPE = False\nif os.fork() == 0:\n    exec({:?})\n    os._exit(0)\nos.wait()\n{ANIMAL}",
        crate::zoo::DAEMON
    );
    let cage = cage(&source);
    assert_eq!(cage.told(&["a"]), ["a.rs"]);
    assert!(crate::zoo::gone(&std::fs::read_to_string(cage.zoo.path("daemon")).unwrap()));
}

#[test]
fn side_by_side_each_session_has_a_server_of_its_own() {
    let mut cage = cage(ANIMAL);
    cage.options.parallel = Some(2);
    let mcp = cage.mcp();
    cage.grounds.site(2, |site| {
        let prepared = mcp.prepare(site).unwrap();
        assert_eq!(prepared.max_sessions(), 2);
        let (mut one, mut two) = (prepared.open().unwrap(), prepared.open().unwrap());
        assert_eq!(paths(&ask(&mut *two, "b").unwrap()), ["b.rs"]);
        assert_eq!(paths(&ask(&mut *one, "a").unwrap()), ["a.rs"]);
    });
    assert_eq!(cage.starts(), 2);
    cage.zoo.assert_empty();
}

#[test]
fn an_index_is_built_before_the_server_is_started() {
    let mut cage = cage(ANIMAL);
    let script = "test ! -e \"$ZOO/starts\" && echo built > \"$0/index\"";
    cage.options.prepare = Some(["sh", "-c", script, "{scratch}"].map(str::to_owned).to_vec());
    let Availability::Ready(said) = probe(&cage.mcp()) else { panic!("not ready") };
    assert_eq!(said.version, "not asked, since only a run starts it");
    assert_eq!(cage.told(&["a"]), ["a.rs"]);
    assert!(cage.grounds.scratch().join("index").exists());
    // A trial starts it once its index is there, and hears who it is.
    let mut tried = self::cage(&ANIMAL.replace("query + \".rs\"", "query + \".py\""));
    tried.options.prepare = Some(["true"].map(str::to_owned).to_vec());
    tried.options.trial = true;
    let Availability::Ready(said) = probe(&tried.mcp()) else { panic!("not ready") };
    assert_eq!((said.version.as_str(), said.tried), ("animal 1", true));
}

/// A server over streamable HTTP that does what the query says.
fn speak(seen: &Seen) -> Answer {
    if seen.verb != "POST" {
        return Answer::status(405, "");
    }
    let message = seen.json();
    let reply = |result: Value| json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    let texts = |text: &str| reply(json!({"content": [{"type": "text", "text": text}]})).to_string();
    let whole = |kind: &str, body: String| {
        let headers = vec![("content-type", kind.to_owned()), ("mcp-session-id", "s1".to_owned())];
        Answer::Whole(200, headers, body)
    };
    let answer = |body: String| whole("application/json", body);
    let query = message["params"]["arguments"]["query"].as_str().unwrap_or_default().to_owned();
    let hits = json!({"hits": [format!("{query}.rs")]}).to_string();
    match (message["method"].as_str().unwrap_or_default(), query.as_str()) {
        ("initialize", _) => answer(
            reply(json!({
                "protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "remote", "version": "2"},
            }))
            .to_string(),
        ),
        ("tools/list", _) => answer(
            reply(json!({"tools": [{"name": "search", "inputSchema": {"type": "object"}}]})).to_string(),
        ),
        ("tools/call", "events") => {
            let note = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}});
            whole("text/event-stream", format!("data: {note}\n\ndata: {}\n\n", texts(&hits)))
        }
        ("tools/call", "two events") => {
            let second = texts(&json!({"hits": []}).to_string());
            whole("text/event-stream", format!("data: {}\n\ndata: {second}\n\n", texts(&hits)))
        }
        ("tools/call", "repeated event") => {
            let repeated = texts(&hits).replacen('{', "{\"jsonrpc\": \"2.0\", ", 1);
            whole("text/event-stream", format!("data: {repeated}\n\n"))
        }
        ("tools/call", "repeated") => {
            let first = texts(&hits).replacen(
                "\"result\":{",
                "\"result\":{\"structuredContent\":{\"hits\":[\"first.rs\"],\"hits\":[\"last.rs\"]},",
                1,
            );
            answer(first)
        }
        ("tools/call", "long events") => {
            whole("text/event-stream", format!("data: {}\n\n", texts(&"x".repeat(100_000))))
        }
        ("tools/call", "garbage event") => {
            whole("text/event-stream", format!("data: garbage\n\ndata: {}\n\n", texts(&hits)))
        }
        ("tools/call", "ping event") => {
            whole("text/event-stream", format!("event: ping\ndata: garbage\n\ndata: {}\n\n", texts(&hits)))
        }
        ("tools/call", "batch") => answer(format!("[{}]", texts(&hits))),
        ("tools/call", "no events") => whole("text/event-stream", String::new()),
        ("tools/call", "hang") => Answer::Hang,
        ("tools/call", "close") => Answer::Close,
        ("tools/call", "half") => Answer::Half,
        ("tools/call", "long") => answer(texts(&"x".repeat(100_000))),
        ("tools/call", "page") => whole("text/html", "<html>sign in</html>".into()),
        ("tools/call", "broken") => Answer::status(500, "index lost"),
        ("tools/call", "another") => answer(
            json!({"jsonrpc": "2.0", "id": 4711, "result": {"content": [{"type": "text", "text": hits}]}})
                .to_string(),
        ),
        ("tools/call", "error") => answer(
            json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32000, "message": "no index"}})
                .to_string(),
        ),
        ("tools/call", "secret") => {
            let header = seen.header("authorization").unwrap().to_owned();
            answer(reply(json!({"isError": true, "content": [{"type": "text", "text": header}]})).to_string())
        }
        ("tools/call", _) => answer(texts(&hits)),
        _ => Answer::status(202, ""),
    }
}

/// Those who ask it as `options` say.
struct Far {
    served: Served,
    grounds: Grounds,
    options: McpOptions,
}

fn far() -> Far {
    let served = Served::new(|seen, _| speak(seen));
    let options = McpOptions { url: Some(served.url("/mcp")), ..options() };
    Far { served, grounds: Grounds::new(&[("ok.rs", "x")]), options }
}

impl Far {
    fn mcp(&self) -> Mcp {
        Mcp::new(self.options.clone(), self.grounds.repo()).unwrap_or_else(|problem| panic!("{problem}"))
    }

    fn ask(&self, queries: &[&str]) -> Vec<Result<Vec<RawHit>, QueryError>> {
        let mcp = self.mcp();
        self.grounds.site(1, |site| {
            let prepared = mcp.prepare(site).unwrap_or_else(|error| panic!("{error}"));
            let mut session = prepared.open().unwrap();
            queries.iter().map(|query| ask(&mut *session, query)).collect()
        })
    }

    fn told(&self, queries: &[&str]) -> Vec<String> {
        self.ask(queries).into_iter().map(word).collect()
    }
}

#[test]
fn a_server_elsewhere_answers_with_json_or_with_events() {
    let far = far();
    assert_eq!(far.told(&["a", "events", "b"]), ["a.rs", "events.rs", "b.rs"]);
    assert_eq!(far.told(&["repeated"]), ["last.rs"], "plain JSON is read by rmcp, as docs/protocol.md says");
    let sessions: Vec<_> = far.served.seen();
    assert!(
        sessions
            .iter()
            .filter(|seen| seen.body.contains("tools/call"))
            .all(|seen| seen.header("mcp-session-id") == Some("s1"))
    );
    assert!(sessions.iter().any(|seen| seen.verb == "DELETE"), "the session is ended");
    let Availability::Ready(said) = probe(&far.mcp()) else { panic!("not ready") };
    assert_eq!(said.version, "remote 2");
}

#[test]
fn a_server_elsewhere_may_misbehave_and_the_next_query_gets_its_own_answer() {
    for (query, class) in [
        ("hang", "timeout"),
        ("close", "died"),
        ("half", "died"),
        ("no events", "died"),
        ("long", "output-limit"),
        ("long events", "output-limit"),
        ("page", "protocol"),
        ("another", "protocol"),
        ("two events", "protocol"),
        ("repeated event", "protocol"),
        ("garbage event", "protocol"),
        ("ping event", "ping event.rs"),
        ("batch", "protocol"),
        ("broken", "tool"),
        ("error", "tool"),
    ] {
        assert_eq!(far().told(&[query, "a"]), [class, "a.rs"], "{query}");
    }
}

/// The ids of requests are random, and a message is the same in every run.
#[test]
fn what_a_server_elsewhere_said_is_told_without_the_id() {
    let told = || {
        let far = far();
        let error = far.ask(&["batch"]).remove(0).unwrap_err();
        error.detail.replace(far.options.url.as_deref().unwrap(), "")
    };
    let first = told();
    assert!(first.contains("\"id\":…"), "{first}");
    assert_eq!(first, told());
}

#[test]
fn three_failures_elsewhere_in_a_row_are_enough() {
    assert_eq!(far().told(&["close", "close", "close", "a"]), ["died"; 4]);
}

#[test]
fn a_secret_for_a_server_elsewhere_is_sent_and_in_nothing_that_is_said() {
    let secret = std::env::var("PATH").unwrap();
    let mut far = far();
    far.options.headers.insert("Authorization".into(), "Bearer {env:PATH}".into());
    far.options.pass_env = vec!["PATH".into()];
    let error = far.ask(&["secret"]).remove(0).unwrap_err();
    assert!(error.detail.contains("said no: Bearer ***") && !error.detail.contains(&secret), "{error}");
    let sent = |seen: &Seen| seen.header("authorization") == Some(&format!("Bearer {secret}"));
    assert!(far.served.seen().iter().all(sent));
    let mcp = far.mcp();
    for text in [mcp.configuration().to_string(), format!("{mcp:?}")] {
        assert!(text.contains("{env:PATH}") && !text.contains(&secret), "{text}");
    }
}

#[test]
fn nobody_elsewhere_is_told() {
    let mut far = far();
    let port = rankhold::process::free_port().unwrap();
    far.options.url = Some(format!("http://127.0.0.1:{port}/mcp"));
    let Availability::Broken { detail, .. } = probe(&far.mcp()) else { panic!("not broken") };
    assert!(detail.contains("could not be reached"), "{detail}");
    let away = Served::new(|_, _| {
        Answer::Whole(302, vec![("location", "http://127.0.0.1:1/".into())], String::new())
    });
    far.options.url = Some(away.url("/mcp"));
    let Availability::Broken { detail, .. } = probe(&far.mcp()) else { panic!("not broken") };
    assert!(detail.contains("302"), "{detail}");
}

type Change = fn(&mut McpOptions);

#[test]
fn settings_that_make_no_sense_are_refused_with_their_key() {
    let problem = |change: Change| {
        let mut cage = cage("");
        change(&mut cage.options);
        Mcp::new(cage.options.clone(), cage.grounds.repo()).unwrap_err().to_string()
    };
    let expected: [(Change, &str); 11] = [
        (|o| o.argv = None, "argv: is missing, and so is `url`: nothing says where the server is"),
        (|o| o.url = Some("http://x/".into()), "url: is beside `argv`; one of them says where the server is"),
        (|o| drop(o.headers.insert("a".into(), "b".into())), "headers: goes with `url` alone; take it out"),
        (
            |o| (o.argv, o.url) = (None, Some("x".into())),
            "url: `x` is no address; write it like https://host/mcp",
        ),
        (
            |o| (o.argv, o.url) = (None, Some("https://x/${KEY}".into())),
            "url: no shell reads `${KEY}` here; write `{env:KEY}`, with `KEY` in `pass-env`",
        ),
        (
            |o| o.arguments = Map::new(),
            "arguments: no text in it holds `{query}`, so every query would be the same",
        ),
        (
            |o| drop(o.arguments.insert("k".into(), "{fecth}".into())),
            "arguments: `{fecth}` is no placeholder; did you mean `fetch`?",
        ),
        (
            |o| drop(o.arguments.insert("k".into(), "{env:KEY}".into())),
            "arguments: `{env:KEY}` needs `KEY` in `pass-env` (or in `env`)",
        ),
        (|o| o.argv.as_mut().unwrap().push("{query}".into()), "argv: an argument cannot hold `{query}`"),
        (
            |o| o.prepare = Some(vec!["x".into(), "{query}".into()]),
            "prepare: an argument cannot hold `{query}`",
        ),
        (
            |o| o.hits = Some("hits".into()),
            "hits: `hits` is no JSON pointer; write `/hits`, or nothing for the whole value",
        ),
    ];
    for (change, message) in expected {
        assert_eq!(problem(change), message);
    }
}

#[test]
fn the_keys_of_a_file_are_read() {
    let keys = json!({
        "argv": ["semble"], "tool": "search", "arguments": {"query": "{query}", "top_k": "{fetch}"},
        "hits": "/results", "path": "/file_path", "error": "/error", "empty-texts": ["No results found."],
        "unit": "chunk", "pass-env": ["KEY"], "hit-kind": "/t", "max-output": "1MiB",
    });
    let options: McpOptions = serde_json::from_value(keys).unwrap();
    assert_eq!(options.empty_texts, ["No results found."]);
    assert!(serde_json::from_value::<McpOptions>(json!({"tool": "x", "arguments": {}, "args": []})).is_err());
}
