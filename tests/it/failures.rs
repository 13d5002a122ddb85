//! Retrievers that do not answer: what happened is said once, where it is seen, and never looks like a success.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests look at the folders that are left")]

use crate::grounds::Grounds;
use crate::program::{Tree, garden_of, program, shell};
use crate::zoo::soon;

#[test]
fn a_message_says_what_happened_once() {
    let changes = garden_of(&shell("chmod -R u+w . && echo x > docs/new.md; echo '[]'"));
    let prepares =
        garden_of(&format!("{}\nprepare = [\"sh\", \"-c\", \"echo disc full >&2; exit 5\"]", shell("")));
    for (tree, once) in [(changes, "docs/new.md"), (prepares, "disc full")] {
        let out = tree.run("run").ends(3).out;
        assert_eq!(out.matches(once).count(), 1, "{out}");
    }
}

#[test]
fn what_all_queries_met_is_said_once_and_is_in_the_report() {
    let tree = garden_of(&shell("echo no index at $PWD/index >&2; exit 7"));
    let ran = tree.run("run").ends(3);
    assert_eq!(ran.err.matches("no index").count(), 1, "{}", ran.err);
    ran.says(&["warning: garden × ours: 4 of 4 queries failed: tool: `sh` ended with exit code 7"]);
    for line in ["run -q", "run -q --format markdown", "run -q --json"] {
        let out = tree.run(line).ends(3).out;
        assert!(out.contains("no index at index") && out.contains("4 of 4 queries"), "{line}: {out}");
        assert!(!out.contains("log above") && !out.contains("rankhold-"), "{line}: {out}");
    }
    let one = garden_of(&shell("case $0 in *hive*) exit 7;; esac; echo '[\"docs/apples.md\"]'"));
    let report = one.run("run -q --json").ends(3).json();
    let message = report["pairs"][0]["problem"]["message"].as_str().unwrap();
    assert!(
        message.contains("1 case failed, max-failed allows 0; case hive failed: tool: `sh` ended"),
        "{message}"
    );
}

#[test]
fn a_table_of_systems_that_answered_nothing_is_no_success() {
    let tree = garden_of(&shell("echo no index >&2; exit 7"));
    tree.run("compare --against ours").ends(3).says(&["failed: 4 of 4 queries failed", "exit code 7"]);
    tree.run("compare --against ours,bm25")
        .ends(0)
        .says(&["failed: 4 of 4", "compared 1 of 2 systems; failed: ours"]);
    let partly = garden_of(&shell("case $0 in *hive*) exit 7;; esac; echo '[\"docs/apples.md\"]'"));
    partly.run("compare --against ours").ends(0).says(&["⚠ 1 failed"]);
    let text = partly.run("compare --against ours --format text").ends(0).out;
    assert!(text.contains("ran, 1 failed"), "{text}");
    assert_eq!(partly.run("compare --against ours --format json").json()["rows"][0]["failed"], 1);
}

#[test]
fn a_failed_query_is_explained_by_its_failure() {
    let tree = garden_of(&shell("echo no index >&2; exit 7"));
    let ran = tree.run("explain graft --retriever ours").ends(3);
    assert!(!ran.out.contains("rank"), "{}", ran.out);
    ran.says(&["graft × ours: failed", "failed    tool: `sh` ended with exit code 7", "no index"]);
}

#[test]
fn answers_that_all_name_no_file_are_pointed_at() {
    let nowhere = "warning: garden × ours: all 4 answers name no file in the tree, e.g. `py/docs/x`";
    garden_of(&shell("echo '[\"py/docs/x\", \"py/y\"]'"))
        .run("run")
        .says(&[nowhere, "relative to the repository"]);
    let ran = garden_of(&shell("echo '[\"py/docs/x\", \"docs/bees.md\"]'")).run("run");
    assert!(!ran.err.contains("answers name"), "{}", ran.err);
}

const WORKER: &str = r#"
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    more = {"hello": {"protocol": 1, "name": "w", "version": "1"}, "query": {"hits": ["docs/apples.md"]}}
    print(json.dumps({"id": request["id"], "ok": True, **more.get(request["op"], {})}), flush=True)
"#;

/// A command whose version and queries come from one script.
const COMMAND: &str = "import sys; print('one 1' if '--version' in sys.argv else '[\"docs/apples.md\"]')";

const MCP: &str = r#"
import json, sys
replies = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "m", "version": "1"}},
    "tools/list": {"tools": [{"name": "search", "inputSchema": {"type": "object"}}]},
    "tools/call": {"content": [{"type": "text", "text": '["docs/apples.md"]'}]},
}
for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        reply = {"jsonrpc": "2.0", "id": request["id"], "result": replies[request["method"]]}
        print(json.dumps(reply), flush=True)
"#;

const HTTP: &str = r#"
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'["docs/apples.md"]')
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"#;

fn scripted(kind: &str) -> Tree {
    let keys = match kind {
        "worker" => "kind = \"worker\"\nargv = [\"python3\", \"tools/tool.py\"]",
        "mcp" => {
            "kind = \"mcp\"\nargv = [\"python3\", \"tools/tool.py\"]\ntool = \"search\"\narguments = { query = \"{query}\" }"
        }
        "http" => {
            "kind = \"http\"\nstart = [\"python3\", \"tools/tool.py\", \"{port}\"]\nurl = \"http://127.0.0.1:{port}/?q={query}\""
        }
        _ => {
            "kind = \"command\"\nargv = [\"python3\", \"tools/tool.py\", \"{query}\"]\nversion = [\"python3\", \"tools/tool.py\", \"--version\"]"
        }
    };
    let tree = garden_of(keys);
    let script = match kind {
        "worker" => WORKER,
        "mcp" => MCP,
        "http" => HTTP,
        _ => COMMAND,
    };
    tree.write("tools/tool.py", script);
    tree
}

#[test]
fn a_script_of_the_repository_is_found_in_the_same_way_by_every_kind() {
    for kind in ["worker", "command", "mcp", "http"] {
        let tree = scripted(kind);
        tree.run("doctor").ends(0).says(&["ready"]);
        tree.run("run").ends(0).says(&["1/4"]);
        let config = tree.read("rankhold.toml");
        tree.write("rankhold.toml", format!("{config}\n[corpus]\nexclude = [\"tools/**\"]\n"));
        tree.run("run").ends(3).says(&["write", "`{repo}/tools/tool.py`"]);
        let config = tree.read("rankhold.toml").replace("tools/tool.py", "{repo}/tools/tool.py");
        tree.write("rankhold.toml", config);
        tree.run("run").ends(0).says(&["1/4"]);
    }
}

#[test]
fn a_trial_asks_every_kind_for_a_word_and_without_one_it_is_not_tried() {
    for kind in ["worker", "command", "mcp", "http"] {
        let tree = scripted(kind);
        tree.run("doctor").ends(0).says(&["ours", "ready (not tried)"]);
        let state = |tree: &Tree| {
            let told = tree.run("doctor --format json").json();
            let rows = told["retrievers"].as_array().unwrap();
            rows.iter().find(|row| row["name"] == "ours").unwrap().clone()
        };
        assert_eq!(
            (&state(&tree)["state"], &state(&tree)["tried"]),
            (&"ready".into(), &false.into()),
            "{kind}"
        );
        let config = tree.read("rankhold.toml");
        tree.write("rankhold.toml", config.replace("kind =", "trial = true\nkind ="));
        let told = state(&tree);
        assert_eq!(
            told["detail"], "in a trial with one file it did not find the word `lighthouse`",
            "{kind}"
        );
        let script = tree.read("tools/tool.py");
        tree.write("tools/tool.py", script.replace("docs/apples.md", "lighthouse.py"));
        assert_eq!(state(&tree)["tried"], true, "{kind}: {}", state(&tree));
    }
}

#[test]
fn doctor_cuts_nothing_that_says_what_to_do() {
    let trial = |script: &str| garden_of(&format!("{}\ntrial = true", shell(script)));
    let long = "x".repeat(380);
    let tree = trial(&format!("echo {long} >&2; echo ModuleNotFoundError: the last line >&2; exit 1"));
    tree.run("doctor").ends(3).says(&["| ModuleNotFoundError: the last line`"]);
    let ran = trial("echo docs/apples.md").run("doctor").ends(3);
    ran.says(&["it looks like `format = \"paths\"`", "next: write `format = \"paths\"`"]);
}

#[test]
fn an_entry_that_cannot_be_used_is_a_mistake_of_its_author() {
    let tree = garden_of("kind = \"command\"\nargv = \"python3 tools/find.py {query}\"");
    let list = "write `argv = [\"python3\", \"tools/find.py\", \"{query}\"]`";
    tree.run("doctor").ends(2).says(&["misconfigured", list]);
}

#[test]
fn the_copy_of_the_corpus_has_its_name_where_a_tool_names_the_folder_itself() {
    let tree = garden_of(&shell("echo \"[ '$PWD' ] and $PWD/docs/bees.md\" >&2; exit 7"));
    tree.run("run").ends(3).says(&["[ '{corpus}' ] and docs/bees.md"]);
}

#[test]
fn plain_paths_where_json_is_expected_name_the_format() {
    garden_of(&shell("echo docs/apples.md")).run("run").ends(3).says(&["it looks like `format = \"paths\"`"]);
}

#[test]
fn a_temporary_folder_that_cannot_be_used_is_not_the_retriever_s_fault() {
    let tree = garden_of(&shell("echo '[]'"));
    for name in ["TMPDIR", "RUNNER_TEMP"] {
        let run = |line: &str| {
            let mut command = program(&tree.root());
            crate::program::Ran::of(&command.args(line.split(' ')).env(name, "/no/where").output().unwrap())
                .ends(3)
        };
        let ran =
            run("run").says(&["no copy of the corpus could be made", "/no/where", "RUNNER_TEMP, TMPDIR"]);
        assert!(!ran.out.contains("broken"), "{}", ran.out);
        run("doctor").says(&["no scratch folder", "/no/where", "RUNNER_TEMP, TMPDIR"]);
    }
}

#[test]
fn a_temporary_folder_without_a_name_is_not_the_repository() {
    let seen = tempfile::NamedTempFile::new().unwrap();
    let tree = garden_of(&shell(&format!("pwd > {}; echo '[]'", seen.path().display())));
    let output = program(&tree.root()).arg("run").env("RUNNER_TEMP", "").env("TMPDIR", "").output().unwrap();
    let folder = std::fs::read_to_string(seen.path()).unwrap();
    assert!(
        !folder.is_empty() && !std::path::Path::new(folder.trim()).starts_with(tree.root()),
        "{folder} {output:?}"
    );
}

#[test]
fn a_look_at_a_worker_takes_no_longer_than_a_run_may() {
    use rankhold::retriever::worker::{Worker, WorkerOptions};
    use rankhold::retriever::{Availability, Bench, Retriever};
    let grounds = Grounds::new(&[("a.md", "x")]);
    let argv = ["sh", "-c", "exec sleep 86400"].map(str::to_owned).to_vec();
    let worker = Worker::new(WorkerOptions { argv, ..WorkerOptions::default() }, grounds.repo()).unwrap();
    let run = soon();
    let bench = Bench::new(grounds.repo(), run);
    let left = run.left();
    assert!(bench.deadline.left() <= left);
    let Availability::Broken { detail, .. } = worker.probe(&bench) else { panic!("not broken") };
    assert!(detail.contains("did not reply in time"), "{detail}");
}

#[test]
fn a_refused_approval_names_its_pair_once() {
    let tree = garden_of(&shell("echo '[\"docs/none.md\"]'"));
    let err = tree.run("approve --by Ada").ends(2).err;
    assert_eq!(err.matches("garden × ours: no case is found").count(), 1, "{err}");
    assert!(!err.contains("garden × ours: garden × ours"), "{err}");
}
