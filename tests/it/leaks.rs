//! What a retriever is not told it does not learn, and what it is told in confidence goes no further.
#![cfg(unix)]

use crate::program::{Ran, Tree, garden_of, program, shell};

const TOKEN: &str = "ghs_that_nobody_else_may_have";
const SECRET: &str = "hunter2\"hunter2";

fn run(tree: &Tree, line: &str) -> Ran {
    let mut command = program(&tree.root());
    command.args(line.split(' ')).env("GITHUB_TOKEN", TOKEN).env("API_KEY", SECRET);
    Ran::of(&command.output().unwrap())
}

/// Root may read every process where it may trace them; in a container it may not.
#[cfg(target_os = "linux")]
#[test]
fn a_retriever_cannot_read_our_environment() {
    use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
    let tree = garden_of(&shell("cat /proc/$PPID/environ | tr '\\\\0' ' ' >&2; exit 3"));
    let ran = std::thread::scope(|scope| {
        let started = scope.spawn(|| {
            for capability in [CapabilitySet::SYS_PTRACE, CapabilitySet::SYS_ADMIN, CapabilitySet::PERFMON] {
                let _ = remove_capability_from_bounding_set(capability); // who may not do that has none of them
            }
            run(&tree, "run")
        });
        started.join().unwrap()
    });
    assert!(!ran.err.contains(TOKEN) && !ran.out.contains(TOKEN), "{}", ran.err);
    ran.ends(3).says(&["Permission denied"]);
}

/// Says its secret in every field there is.
const TALKER: &str = r#"
import json, os, sys
key = os.environ["API_KEY"]
for line in sys.stdin:
    request = json.loads(line)
    reply = {"id": request["id"], "ok": True}
    if request["op"] == "hello":
        model = {"name": key, "sha256": "0" * 64}
        reply.update(protocol=1, name=key, version=key, model=model)
    elif request["op"] == "query" and "hive" in request["query"]:
        reply["hits"] = [{"path": "/out/" + key}]
    elif request["op"] == "query" and "heap" in request["query"]:
        reply["hits"] = [{"path": key, "score": key}]
    elif request["op"] == "query" and "graft" in request["query"]:
        print(key, file=sys.stderr)
        reply.update(ok=False, error={"detail": key})
    elif request["op"] == "query":
        reply["hits"] = [{"path": key + ".md", "id": key, "kind": key, "summary": key}]
    print(json.dumps(reply), flush=True)
"#;

/// The same as a server of tools.
const TALKING_TOOL: &str = r#"
import json, os, sys
key = os.environ["API_KEY"]
print(key, file=sys.stderr, flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    query = request.get("params", {}).get("arguments", {}).get("query", "")
    def text(text, **more):
        return {"content": [{"type": "text", "text": text}], **more}
    if request["method"] == "initialize":
        server = {"name": key, "version": key}
        reply["result"] = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": server}
    elif request["method"] == "tools/list":
        reply["result"] = {"tools": [{"name": "search", "inputSchema": {"type": "object"}}]}
    elif "hive" in query:
        reply["result"] = text(json.dumps([{"path": "/out/" + key}]))
    elif "heap" in query:
        reply["result"] = text(key)
    elif "graft" in query:
        reply["error"] = {"code": 1, "message": key}
    else:
        reply["result"] = text(json.dumps([{"path": key + ".md", "id": key, "kind": key, "summary": key}]))
    print(json.dumps(reply), flush=True)
"#;

/// The same as a server that is asked over HTTP.
const TALKING_SERVER: &str = r#"
import http.server, json, os, sys, urllib.parse
key = os.environ["API_KEY"]
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query).get("q", [""])[0]
        said = key + self.path + self.headers["x-key"]
        body = json.dumps([{"path": key + ".md", "id": said, "kind": key, "summary": said}])
        if self.path.startswith("/version") or "heap" in query:
            body = said
        if "hive" in query:
            body = json.dumps([{"path": "/out/" + key}])
        self.send_response(500 if "graft" in query else 200, key)
        self.end_headers()
        self.wfile.write((said if "graft" in query else body).encode())
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"#;

#[test]
fn a_passed_value_is_in_nothing_that_is_written() {
    let worker =
        garden_of("kind = \"worker\"\nargv = [\"python3\", \"tools/talker.py\"]\npass-env = [\"API_KEY\"]");
    worker.write("tools/talker.py", TALKER);
    let script = r#"python3 -c 'import json, os; key = os.environ["API_KEY"]; print(json.dumps([{"path": key + ".md", "id": key, "kind": key, "summary": key}]))'"#;
    let version = r#"version = ["sh", "-c", "echo tool $API_KEY"]"#;
    let command = garden_of(&format!("{}\npass-env = [\"API_KEY\"]\n{version}", shell(script)));
    let mcp = garden_of(
        "kind = \"mcp\"\nargv = [\"python3\", \"tools/tool.py\"]\ntool = \"search\"\narguments = { query = \"{query}\", key = \"{env:API_KEY}\" }\npass-env = [\"API_KEY\"]",
    );
    mcp.write("tools/tool.py", TALKING_TOOL);
    let http = garden_of(
        "kind = \"http\"\nstart = [\"python3\", \"tools/server.py\", \"{port}\"]\nurl = \"http://127.0.0.1:{port}/?q={query}&key={env:API_KEY}\"\nheaders = { x-key = \"{env:API_KEY}\" }\nversion = { url = \"http://127.0.0.1:{port}/version?key={env:API_KEY}\" }\npass-env = [\"API_KEY\"]",
    );
    http.write("tools/server.py", TALKING_SERVER);
    for tree in [worker, command, mcp, http] {
        let config = tree.read("rankhold.toml");
        tree.write("rankhold.toml", format!("{config}\n[gate]\nmax-failed = 9\n"));
        for line in
            ["run -v --results out", "run --json", "run --format markdown", "doctor", "doctor --format json"]
                .into_iter()
                .chain([
                    "explain graft --retriever ours",
                    "explain water --retriever ours",
                    "compare --against ours",
                ])
        {
            let ran = run(&tree, line);
            assert!(!format!("{}{}", ran.out, ran.err).contains("hunter2"), "{line}: {}{}", ran.out, ran.err);
        }
        let results: Vec<_> = tree.files().into_iter().filter(|file| file.starts_with("out/")).collect();
        assert_eq!(results.len(), 3);
        for file in results {
            let text = tree.read(&file);
            assert!(!text.contains("hunter2"), "{file}: {text}");
        }
        assert!(tree.read("out/garden.ours.result.json").contains("***"));
    }
}

/// What is public is no secret whoever was told it: a word that occurs in a path changes no figure.
#[test]
fn a_passed_value_that_occurs_in_paths_hides_no_answer() {
    let tree =
        garden_of("kind = \"worker\"\nargv = [\"python3\", \"tools/finder.py\"]\npass-env = [\"MODE\"]");
    tree.write("tools/finder.py", FINDER);
    let results = ["production", "docs"].map(|mode| {
        let mut command = program(&tree.root());
        let ran = Ran::of(&command.args(["run", "--results", "out"]).env("MODE", mode).output().unwrap());
        ran.ends(0);
        tree.read("out/garden.ours.result.json")
    });
    assert!(results[0].contains("\"docs/"), "{}", results[0]);
    assert_eq!(results[0], results[1]);
}

/// Finds every page, and one that is not there.
const FINDER: &str = r#"
import json, pathlib, sys
for line in sys.stdin:
    request = json.loads(line)
    reply = {"id": request["id"], "ok": True}
    if request["op"] == "hello":
        reply.update(protocol=1, name="finder", version="1")
    elif request["op"] == "query":
        reply["hits"] = [{"path": path} for path in sorted(map(str, pathlib.Path("docs").glob("*.md")))]
    print(json.dumps(reply), flush=True)
"#;

#[test]
fn nor_is_a_file_that_is_named_by_it_shown_by_its_name() {
    let script = r#"chmod u+w . && touch "$API_KEY.db"; echo "[]""#;
    let tree = garden_of(&format!("{}\npass-env = [\"API_KEY\"]", shell(script)));
    for line in ["run", "run --json", "compare --against ours", "compare --against ours --format json"] {
        let ran = run(&tree, line);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains(".db") && !said.contains("hunter2"), "{line}: {said}");
    }
}
