//! `rankhold compare` end to end: what counts as an answer, and where its numbers come from.

use std::sync::Mutex;

use rankhold::config::{RetrieverEntry, SuiteEntry};
use rankhold::measure::{Plan, Round, Thoroughness, Watch, measure_thoroughly};
use rankhold::name::Name;
use rankhold::retriever::ripgrep::Ripgrep;
use rankhold::suite::open_eval::parse;
use serde_json::{Value, json};

use crate::grounds::Grounds;
use crate::program::{Tree, garden, suite};

/// The garden with a query that has nothing to find, searched by a script of `sh` whose query is `$0`.
#[cfg(unix)]
fn garden_with_nothing_to_find(script: &str) -> Tree {
    let tree = crate::program::garden_of(&crate::program::shell(script));
    let mut document: Value = serde_json::from_str(&tree.read("suites/garden.json")).unwrap();
    let nothing = json!({ "id": "none", "input": "unicorns", "metadata": { "expectNoResult": true } });
    document["cases"].as_array_mut().unwrap().push(nothing);
    tree.write("suites/garden.json", document.to_string());
    tree
}

#[cfg(unix)]
#[test]
fn silence_where_nothing_is_to_be_found_does_not_save_a_system_that_answers_nothing_else() {
    let tree =
        garden_with_nothing_to_find("case $0 in unicorns) echo '[]';; *) echo no index >&2; exit 7;; esac");
    tree.run("compare --against ours").ends(3).says(&[
        "- `ours`: failed: 4 of 4 queries with targets failed: tool: ",
        "compared 0 of 1 systems; failed: ours",
    ]);
    let fails_there = garden_with_nothing_to_find("case $0 in unicorns) exit 7;; esac; echo '[]'");
    fails_there.run("compare --against ours").ends(0).says(&["⚠ 1 failed", "| 1/1 (100.0 %) |"]);
}

#[cfg(unix)]
#[test]
fn what_should_find_nothing_has_a_column_and_the_numbers_of_queries_are_told() {
    let tree = garden_with_nothing_to_find("echo '[\"docs/apples.md\"]'");
    let markdown = tree.run("compare --against ours,bm25").ends(0).out;
    for part in [
        "4 queries with targets in `Garden`, and 1 with nothing to find: 5 are asked",
        "| coverage | false positives | steady |",
        "| 4/4 (100.0 %) | 1/1 (100.0 %) | 5/5 (3×) |",
        "| 4/4 (100.0 %) | 0/1 (0.0 %) | 5/5 (3×) |",
    ] {
        assert!(markdown.contains(part), "`{part}` is not in\n{markdown}");
    }
    let text = tree.run("compare --against ours --format text").out;
    for part in ["false positives  1/1 (100.0 %)", "4 queries with targets, 1 with nothing to find, 10 hits"]
    {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    let table = tree.run("compare --against ours --format json").json();
    assert_eq!((&table["negative"], &table["rows"][0]["falsePositives"]), (&json!(1), &json!(1)));
    let headings = table["headings"].as_array().unwrap();
    assert_eq!(headings.len(), table["rows"][0]["columns"].as_array().unwrap().len());
    let without = garden().run("compare --against bm25").ends(0).out;
    assert!(!without.contains("false positives") && !without.contains("nothing to find"), "{without}");
}

#[cfg(unix)]
#[test]
fn a_query_that_fails_every_time_is_not_steady() {
    let tree =
        crate::program::garden_of(&crate::program::shell("case $0 in *hive*) exit 7;; esac; echo '[]'"));
    let row = tree.run("compare --against ours --format json").ends(0).json()["rows"][0].clone();
    assert_eq!((&row["steady"], &row["passes"], &row["failedLater"]), (&json!(3), &json!(3), &json!(2)));
}

#[cfg(unix)]
#[test]
fn the_program_of_what_stays_running_is_named_too() {
    let worker = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/workers/words.py");
    let tree = crate::program::garden_of(&format!("kind = \"worker\"\nargv = [\"python3\", {worker:?}]"));
    let row = tree.run("compare --against ours --format json").ends(0).json()["rows"][0].clone();
    assert_eq!(row["version"], "words.py 1.0");
    assert!(row["program"].as_str().is_some_and(|hash| hash.len() == 12), "{row}");
}

/// A server that is started here is started anew for what a first answer takes, and is warm for the rest.
#[cfg(unix)]
#[test]
fn a_server_of_ours_has_cold_starts_and_warm_queries() {
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/servers/words_http.py");
    let keys = |start: &str| {
        format!(
            "kind = \"http\"\nstart = {start}\nurl = \"http://127.0.0.1:{{port}}/search?q={{query}}\"\n\
             hits = \"/results\"\npath = \"/file\""
        )
    };
    let start = format!(
        "[\"sh\", \"-c\", 'echo >> \"$0/../starts\"; exec python3 {server} \"$@\"', \"{{repo}}/docs\", \"{{port}}\", \"{{corpus}}\"]"
    );
    let tree = crate::program::garden_of(&keys(&start));
    let row = tree.run("compare --against ours --repeats 2 --format json").ends(0).json()["rows"][0].clone();
    for latency in ["coldP50Us", "coldP95Us", "warmP50Us", "warmP95Us"] {
        assert!(row[latency].as_u64().is_some_and(|us| us > 0), "{latency}: {row}");
    }
    // The look, the run, and five cold starts.
    assert_eq!(tree.read("starts").lines().count(), 7);
}

#[cfg(unix)]
#[test]
fn floors_are_told_from_systems_and_systems_without_one_are_named() {
    let script = "[ {model} = none ] && echo '[]' || echo '[\"docs/bees.md\"]'";
    let model = "values = { model = \"small\" }\nfloor = { model = \"none\" }";
    let tree = crate::program::garden_of(&format!("{}\n{model}", crate::program::shell(script)));
    let table = tree.run("compare --against ours,bm25 --floor --format json").ends(0).json();
    let rows: Vec<_> =
        (0..3).map(|at| json!([table["rows"][at]["retriever"], table["rows"][at]["floorOf"]])).collect();
    assert_eq!(rows, [json!(["ours", null]), json!(["ours-random", "ours"]), json!(["bm25", null])]);
    assert_eq!((&table["rows"][1]["standIn"], &table["rows"][1]["answered"]), (&json!(false), &json!(0)));
    assert_eq!(table["withoutFloor"], json!(["bm25"]));
    assert_eq!(table["summary"], "compared 2 of 2 systems and 1 of 1 floors");
    tree.run("compare --against ours,bm25 --floor --format text")
        .ends(0)
        .says(&["ours-random  ran as the floor of ours", "without a floor: bm25; "]);
    let without = tree.run("compare --against ours,bm25 --format json").json();
    assert_eq!((&without["withoutFloor"], without["rows"].as_array().unwrap().len()), (&json!([]), 2));
    let config = tree.read("rankhold.toml");
    tree.write("rankhold.toml", format!("{config}[[retriever]]\nname = \"ours-random\"\nkind = \"bm25\"\n"));
    for against in ["ours,ours-random", "ours-random,ours"] {
        tree.run(&format!("compare --against {against} --floor"))
            .ends(2)
            .says(&["the floor of `ours` is called `ours-random`, and so is a system of this table"]);
    }
    tree.run("compare --against ours,ours-random,ours").ends(0);
}

#[test]
fn a_chart_is_written_where_its_name_says_svg_and_missing_folders_are_made() {
    let tree = garden();
    for name in ["chart.png", "new/chart.html"] {
        tree.run(&format!("compare --against bm25 --chart {name}"))
            .ends(2)
            .says(&["a chart is SVG", "chart.svg"]);
        assert!(!tree.root().join(name).exists());
    }
    tree.run("compare --against bm25 --out new/table.md --chart new/folder/chart.SVG").ends(0);
    assert!(tree.read("new/folder/chart.SVG").starts_with("<svg "));
}

#[cfg(unix)]
#[test]
fn a_look_says_that_it_did_not_ask_what_only_a_run_starts() {
    let keys = "kind = \"mcp\"\nargv = [\"sh\"]\nprepare = [\"true\"]\ntool = \"search\"\narguments = { q = \"{query}\" }";
    let tree = crate::program::garden_of(keys);
    let told = ["version not asked, since only a run starts it"];
    tree.run("compare --against ours --smoke --format text").ends(0).says(&told);
    tree.run("doctor").says(&told);
}

#[cfg(unix)]
#[test]
fn targets_that_a_system_leaves_out_are_named() {
    let keys = format!("{}\nskips = [\"docs/b*.md\"]", crate::program::shell("echo '[]'"));
    let tree = crate::program::garden_of(&keys);
    let told = tree.run("compare --against ours --format json -v").ends(0);
    assert_eq!(told.json()["rows"][0]["unreachable"], json!(["docs/bees.md"]));
    assert!(told.err.contains("ours: unreachable, left out by itself: docs/bees.md"), "{}", told.err);
    assert!(!tree.run("compare --against ours").err.contains("unreachable"));
}

#[cfg(unix)]
#[test]
fn what_a_system_found_disproves_that_it_leaves_it_out() {
    let hits = ["[\"docs/bees.md\"]", "[{\"id\": \"docs/bees.md\"}]"];
    let keys = ["skips = [\"docs/b*.md\"]", "reads = [\"docs/a*.md\"]"];
    for (hits, keys) in hits.into_iter().flat_map(|hits| keys.map(|keys| (hits, keys))) {
        let script = crate::program::shell(&format!("echo '{hits}'"));
        let tree = crate::program::garden_of(&format!("{script}\n{keys}"));
        let told = tree.run("compare --against ours --format json").ends(0);
        assert_eq!(told.json()["rows"][0]["unreachable"], json!(null));
        told.says(&[
            "what it leaves out is not known: it found `docs/bees.md`, which it is said to leave out",
        ]);
    }
}

#[cfg(unix)]
#[test]
fn hits_that_are_no_files_of_the_corpus_are_counted_in_the_table() {
    let tree =
        crate::program::garden_of(&crate::program::shell("echo '[\"docs/bees.md\", \"lib/bees.md\"]'"));
    let table = tree.run("compare --against ours --against bm25 --format json").ends(0).json();
    let counts: Vec<_> = (0..2).map(|at| table["rows"][at]["unknownPaths"].clone()).collect();
    assert_eq!(counts, [json!(4), json!(0)]);
    assert!(table["headings"].as_array().unwrap().contains(&json!("unknown paths")));
    let text = tree.run("compare --against ours --format markdown").ends(0).out;
    assert!(text.contains("Unknown paths: hits whose path is none of the corpus's"), "{text}");
    let without = tree.run("compare --against bm25 --format markdown").ends(0).out;
    assert!(!without.to_lowercase().contains("unknown paths"), "{without}");
}

#[cfg(unix)]
#[test]
fn many_failures_that_quote_their_queries_are_one_warning() {
    let tree = crate::program::garden_of(&crate::program::shell("echo no $0 >&2; exit 7"));
    let cases: Vec<_> = (0..9).map(|at| (format!("q{at}"), format!("query {at}"))).collect();
    let cases: Vec<_> = cases.iter().map(|(id, text)| (&**id, &**text, "docs/apples.md")).collect();
    tree.write("suites/garden.json", suite("Garden", &cases));
    let ran = tree.run("compare --against ours").ends(3);
    assert_eq!(ran.err.matches("warning: ").count(), 1, "{}", ran.err);
    ran.says(&["9 of 9 queries failed (tool); the first, q0: "]);
    let verbose = tree.run("compare --against ours -v").ends(3).err;
    assert!(verbose.contains("case q8 failed: tool: "), "{verbose}");
}

/// Or the second table of a day would be about another corpus than the first.
#[test]
fn a_table_and_a_chart_in_the_tree_are_no_part_of_the_corpus() {
    let tree = garden();
    let units = |line: &str| {
        let table = tree.run(&format!("compare --against bm25 --format json {line}")).ends(0).json();
        table["rows"][0]["units"].clone()
    };
    let before = units("--json figures.json --chart docs/chart.svg");
    tree.run("compare --against bm25 --format json --out docs/table.json").ends(0);
    tree.run("compare --smoke --format json --against bm25 --out docs/smoke.json").ends(0);
    assert_eq!(units(""), before);
    tree.write("docs/other.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>graft</title></svg>");
    tree.write("docs/lake.json", r#"{"tableVersion": 2, "partitions": []}"#);
    assert_eq!(units("").as_u64().unwrap(), before.as_u64().unwrap() + 2);
    tree.run("run -v")
        .says(&["left out of the corpus: figures.json", "left out of the corpus: docs/chart.svg"]);
}

/// Keeps what it is told.
#[derive(Default)]
struct Diary(Mutex<Vec<String>>);

impl Watch for Diary {
    fn prepared(&self, cases: usize) {
        self.0.lock().unwrap().push(format!("{cases} cases"));
    }
    fn asked(&self) {
        self.0.lock().unwrap().push("asked".to_owned());
    }
    fn again(&self, round: Round, queries: usize) {
        self.0.lock().unwrap().push(format!("{round}: {queries}"));
    }
}

#[test]
fn whoever_watches_sees_every_pass() {
    let grounds = Grounds::new(&[("docs/bees.md", "Keeping a hive.\n")]);
    let cases = [("hive", "hive", "docs/bees.md"), ("bees", "bees", "docs/bees.md")];
    let suite = parse(suite("Garden", &cases).as_bytes()).unwrap().suite;
    let (system, scratch) = (Ripgrep::default(), grounds.scratch());
    let plan = Plan {
        entry: &SuiteEntry::unconfigured("garden", &Name::new("suites/garden.json")),
        suite: &suite,
        retriever: &RetrieverEntry::plain("ripgrep"),
        system: &system,
        corpus: grounds.corpus(),
        repo: grounds.repo(),
        temporary: &scratch,
        fetch: 10,
        limit: 10,
        threads: 1,
        sessions: 1,
    };
    let diary = Diary::default();
    measure_thoroughly(&plan, Thoroughness { repeats: 3, cold_starts: 2 }, &diary).unwrap();
    let told = diary.0.into_inner().unwrap();
    let pass = |head: &'static str| [head, "asked", "asked"];
    assert_eq!(told, ["2 cases", "pass 2 of 3: 2", "pass 3 of 3: 2"].map(pass).concat());
}

/// What `run` says to do about a system that failed, the table says too, in each of its formats.
#[cfg(unix)]
#[test]
fn a_system_that_failed_has_its_next_step_in_every_format() {
    use crate::program::{garden_of, shell};
    let script = "/no/such/folder/search.sh";
    let broken = format!("kind = \"command\"\ntrial = true\nargv = [\"sh\", {script:?}, \"{{query}}\"]");
    for (keys, step) in [
        (shell("chmod -R u+w docs && echo x > docs/new.md; echo '[]'"), "`writes = true`"),
        (format!("{broken}\ninstall = \"get it from the shelf\""), "get it from the shelf"),
    ] {
        let tree = garden_of(&keys);
        tree.run("run").ends(3).says(&[step]);
        for format in ["markdown", "text"] {
            tree.run(&format!("compare --against ours --format {format}")).ends(3).says(&["next: ", step]);
        }
        let row = tree.run("compare --against ours --format json").ends(3).json()["rows"][0].clone();
        assert!(row["hint"].as_str().is_some_and(|hint| hint.contains(step)), "{row}");
    }
    let tree = garden_of(&broken.replace("\"sh\", ", "").replace("argv", "install = \"take it\"\nargv"));
    tree.run("compare --smoke --against ours --format text").ends(0).says(&["next: take it"]);
}
