//! Bad input: each gets an error that names file, field or case and the next step, the right exit code, and nothing is
//! lost or half-written.

use serde_json::json;

use crate::program::{Tree, approved_garden, garden, suite};

/// A garden whose suite is this document.
fn with_suite(document: &str) -> Tree {
    let tree = garden();
    tree.write("suites/garden.json", document);
    tree
}

fn with_cases(cases: &serde_json::Value) -> Tree {
    with_suite(&json!({ "evalFormatVersion": "2026-04", "name": "Garden", "cases": cases }).to_string())
}

#[test]
fn a_suite_that_is_wrong_says_where_and_what_to_do() {
    let case = |metadata: serde_json::Value| json!([{ "id": "a", "input": "q", "metadata": metadata }]);
    let rows = [
        (with_suite("{\n  \"evalFormatVersion\": ,"), vec!["suites/garden.json", "line 2"]),
        (with_suite("[]"), vec!["suites/garden.json", "object"]),
        (
            with_suite(r#"{"evalFormatVersion": "2025-01", "name": "x", "cases": []}"#),
            vec!["evalFormatVersion", "2026-04"],
        ),
        (with_cases(&json!([])), vec!["suites/garden.json", "case"]),
        (with_cases(&json!([{ "id": "a", "input": 3 }])), vec!["case 1", "input"]),
        (
            with_cases(&json!([{ "id": "a", "input": "q" }, { "id": "a", "input": "r" }])),
            vec!["case 2 (id \"a\")", "unique"],
        ),
        (with_cases(&json!([{ "id": " ", "input": "q" }])), vec!["case 1: id: is empty"]),
        (with_cases(&case(json!({ "expectedTargets": "docs/a.md" }))), vec!["(id \"a\")", "expectedTargets"]),
        (with_cases(&case(json!({ "expectedTargets": ["../x"] }))), vec!["(id \"a\")", "outside the tree"]),
        (
            with_cases(&case(json!({ "expectedTargets": ["x"], "grades": { "x": 0 } }))),
            vec!["(id \"a\")", "0"],
        ),
        (
            with_cases(&case(json!({ "expectedTargets": ["x"], "grades": { "x": 1.5 } }))),
            vec!["(id \"a\")", "grades"],
        ),
        (
            with_cases(&case(json!({ "expectedTargets": ["x"], "expectNoResult": true }))),
            vec!["(id \"a\")", "expectNoResult"],
        ),
        (
            with_cases(&case(
                json!({ "expectedTargets": ["x"], "quarantined": { "reason": "r", "until": "soon" } }),
            )),
            vec!["until"],
        ),
    ];
    for (tree, parts) in rows {
        let mut parts: Vec<&str> = parts;
        parts.push("next");
        tree.run("suite lint").ends(2).says(&parts);
        tree.run("run").ends(2).says(&parts[..parts.len() - 1]);
        assert!(!tree.exists("baselines"));
    }
}

#[test]
fn invalid_utf8_is_named() {
    let tree = garden();
    tree.write("suites/garden.json", b"{\"name\": \"\xff\"}");
    tree.run("run").ends(2).says(&["suites/garden.json", "UTF-8"]);
    tree.write("suites/garden.json", suite("Garden", &[("a", "graft an apple", "docs/apples.md")]));
    tree.write("rankhold.toml", b"version = 1\n# \xff\n");
    tree.run("run").ends(2).says(&["rankhold.toml", "UTF-8"]);
}

#[test]
fn crlf_byte_order_marks_and_backslashes_are_harmless() {
    let tree = approved_garden();
    let suite = tree.read("suites/garden.json");
    let pages: Vec<_> = ["docs/apples.md", "docs/bees.md"].map(|path| (path, tree.read(path))).into();
    for (path, text) in &pages {
        tree.write(path, format!("\u{feff}{}", text.replace('\n', "\r\n")));
    }
    tree.write("suites/garden.json", format!("\u{feff}{}", suite.replace('\n', "\r\n")));
    tree.write("rankhold.toml", "\u{feff}version = 1\r\n[[suite]]\r\npath = \"suites\\\\garden.json\"\r\n");
    tree.run("run").ends(0).says(&["pass"]);
    tree.write("suites/garden.json", suite.replace("docs/", "docs\\\\"));
    tree.run("run").ends(1).says(&["suite-changed"]); // another document; its cases are the same
    let report = tree.run("run --json").json();
    assert_eq!(report["pairs"][0]["lost"].as_array().unwrap().len(), 0);
}

#[test]
fn a_damaged_or_edited_baseline_is_refused_before_anything_is_compared() {
    let tree = approved_garden();
    let baseline = tree.read("baselines/garden.bm25.json");
    let rows = [
        (baseline.replacen("\"count\": 4", "\"count\": 3", 1), "changed by hand"),
        (baseline.replacen("\"approvedBy\": \"Ada\"", "\"approvedBy\": \"Eve\"", 1), "changed by hand"),
        (baseline[..baseline.len() / 2].to_owned(), "not JSON"),
        (format!("<<<<<<< HEAD\n{baseline}"), "merge conflict"),
        (baseline.replace("\"schemaVersion\": 2", "\"schemaVersion\": 9"), "schemaVersion 9"),
        (baseline.replace("retrieval-benchmark-baseline", "something-else"), "something-else"),
        (String::new(), "not JSON"),
    ];
    for (edited, part) in rows {
        assert_ne!(edited, baseline);
        tree.write("baselines/garden.bm25.json", &edited);
        tree.run("run").ends(2).says(&["baselines/garden.bm25.json", part]);
        tree.run("verify baselines/garden.bm25.json").ends(2).says(&["garden.bm25.json", part, "next"]);
        assert_eq!(tree.read("baselines/garden.bm25.json"), edited, "a refused baseline is left as it is");
    }
    tree.run("approve --by Ada").ends(0);
    tree.run("run").ends(0);
}

#[test]
fn a_baseline_of_another_suite_is_refused() {
    let tree = approved_garden();
    tree.write("suites/garden.json", suite("Orchard", &[("graft", "graft an apple tree", "docs/apples.md")]));
    tree.run("run").ends(2).says(&["Garden", "Orchard"]);
}

#[test]
fn a_gate_that_cannot_fail_is_refused() {
    let tree = approved_garden();
    tree.run("run --tolerance 1").ends(2).says(&["cannot fail", "tolerance"]);
    tree.write("suites/garden.json", suite("Garden", &[("a", "graft an apple", "docs/nowhere.md")]));
    tree.run("approve --by Ada").ends(2).says(&["cannot fail"]);
}

#[test]
fn configuration_mistakes_are_named_with_a_suggestion() {
    let tree = garden();
    for (text, parts) in [
        ("version = 1\n[gate]\ntolerence = 0.1\n", ["tolerence", "did you mean `tolerance`?"]),
        (
            "version = 1\n[[suite]]\npath = \"suites/garden.json\"\nretrievers = [\"bm52\"]\n",
            ["bm52", "did you mean `bm25`?"],
        ),
        (
            "version = 1\n[[retriever]]\nname = \"x\"\nkind = \"command\"\nargvv = []\n[[suite]]\npath = \"suites/garden.json\"\nretrievers = [\"x\"]\n",
            ["argvv", "did you mean `argv`?"],
        ),
        ("version = 1\n[corpus]\ninclude = [\"a[\"]\n", ["include", "a["]),
        ("version = 1\n[[suite]]\npath = \"suites/gone.json\"\n", ["gone.json", "no such file"]),
        ("not toml", ["rankhold.toml", "line 1"]),
    ] {
        tree.write("rankhold.toml", text);
        tree.run("run").ends(2).says(&parts);
    }
}

#[test]
fn arguments_that_make_no_sense_are_usage_errors() {
    let tree = approved_garden();
    for (line, part) in [
        ("run --format yaml", "yaml"),
        ("run gadren", "did you mean `garden`?"),
        ("run --retriever bm25,ripgrep --baseline x.json", "one file"),
        ("run --tolerance two", "decimal"),
        ("run --tolerance -0.1", "0.1"),
        ("run --today tomorrow", "tomorrow"),
        ("run --repo nowhere", "nowhere"),
        ("run --config nowhere.toml", "nowhere.toml"),
        ("gate nowhere.json baselines/garden.bm25.json", "nowhere.json"),
        ("gate baselines/garden.bm25.json baselines/garden.bm25.json", "should be a result"),
        ("verify suites/garden.json", "garden.json"),
        ("report nowhere.json", "nowhere.json"),
        ("suite import nowhere.csv --from csv", "nowhere.csv"),
        ("suite import suites/garden.json --from yaml", "yaml"),
    ] {
        let ran = tree.run(line).ends(2).says(&[part]);
        assert!(ran.out.is_empty() || line.starts_with("run"), "{line}: {}", ran.out);
    }
}

#[test]
fn an_empty_tree_could_not_be_measured() {
    let tree = Tree::new(&[]);
    tree.run("run").ends(2).says(&["no suite", "rankhold init"]);
    tree.write("suites/a.json", suite("A", &[("a", "anything", "x.md")]));
    tree.run("run").ends(3).says(&["corpus is empty"]);
}

#[cfg(unix)]
#[test]
fn retrievers_that_misbehave_leave_no_verdict_and_say_which_case_met_what() {
    let rows: [(&str, &str, i32, &str); 6] = [
        (r#"argv = ["no-such-program-anywhere", "{query}"]"#, "", 3, "no-such-program-anywhere"),
        (r#"argv = ["sh", "-c", "echo garbage", "{query}"]"#, "", 3, "protocol"),
        (r#"argv = ["sh", "-c", "exit 7", "{query}"]"#, "", 3, "7"),
        (r#"argv = ["sh", "-c", "sleep 600", "{query}"]"#, "timeout = \"300ms\"", 3, "timeout"),
        (r#"argv = ["sh", "-c", "yes", "{query}"]"#, "max-output = \"64KiB\"", 3, "output-limit"),
        (r#"argv = ["sh", "-c", "kill -9 $$", "{query}"]"#, "", 3, "died"),
    ];
    for (argv, more, code, part) in rows {
        let tree = approved_garden();
        let head = "version = 1\n[[suite]]\npath = \"suites/garden.json\"\nretrievers = [\"ours\"]\n";
        tree.write(
            "rankhold.toml",
            format!("{head}[[retriever]]\nname = \"ours\"\nkind = \"command\"\n{argv}\n{more}\n"),
        );
        tree.run("run garden").ends(code).says(&[part]);
        tree.run("approve --by Ada").ends(3);
        assert!(!tree.exists("baselines/garden.ours.json"));
    }
}

#[cfg(unix)]
#[test]
fn a_retriever_that_writes_into_the_corpus_is_refused() {
    let tree = garden();
    let script = "chmod -R u+w . && echo x > docs/new.md; echo '[]'";
    let head = "version = 1\n[[suite]]\npath = \"suites/garden.json\"\nretrievers = [\"ours\"]\n";
    let argv = format!("argv = [\"sh\", \"-c\", \"{script}\", \"{{query}}\"]");
    tree.write(
        "rankhold.toml",
        format!("{head}[[retriever]]\nname = \"ours\"\nkind = \"command\"\n{argv}\n"),
    );
    tree.run("run").ends(3).says(&["changed the corpus", "docs/new.md"]);
    assert!(!tree.exists("docs/new.md"));
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_leaves_the_old_one() {
    let tree = approved_garden();
    let before = tree.read("baselines/garden.bm25.json");
    std::fs::remove_file(tree.path("baselines/garden.bm25.json")).unwrap();
    std::fs::create_dir(tree.path("baselines/garden.bm25.json")).unwrap();
    tree.run("approve --by Ada").says(&["garden.bm25.json"]);
    assert!(tree.path("baselines/garden.bm25.json").is_dir());
    assert!(!before.is_empty() && tree.files().iter().all(|file| !file.contains(".rankhold-")));
}

#[test]
fn arguments_that_would_do_nothing_or_harm_are_refused() {
    let tree = garden();
    tree.run("run --by Ada").ends(2).says(&["nothing is recorded", "--update-baseline"]);
    for folder in ["baselines", "./suites", "docs/../baselines/", "suites"] {
        tree.run(&format!("run --results {folder}")).ends(2).says(&["--results", "a folder of their own"]);
    }
    assert!(!tree.exists("baselines"));
    tree.run("run --results baselines/../out").ends(0);
    tree.write("rankhold.toml", "version = 1\n[[suite]]\npath = \"gold/garden.json\"\n");
    tree.write("gold/garden.json", tree.read("suites/garden.json"));
    tree.run("run --results gold").ends(2).says(&["taken for them"]);
    tree.run("suite add gold/garden.json --query ??? --target docs/bees.md").ends(2).says(&["id"]);
}

#[test]
fn a_pair_that_cannot_be_recorded_is_named_and_does_not_keep_the_others_from_it() {
    let tree = garden();
    tree.write("suites/aaa.json", suite("Lost", &[("a", "graft an apple tree", "docs/nowhere.md")]));
    tree.write("suites/bbb.json", suite("Lost too", &[("a", "graft an apple tree", "docs/nowhere.md")]));
    let ran = tree.run("run --update-baseline --by Ada").ends(2);
    for name in ["aaa", "bbb"] {
        let line = format!("error: {name} × bm25: no case is found");
        assert_eq!(ran.err.matches(&line).count(), 1, "{}", ran.err);
        assert!(!ran.err.contains(&format!("{name} × bm25: {name}")), "{}", ran.err);
        assert!(!tree.exists(&format!("baselines/{name}.bm25.json")));
    }
    assert!(tree.exists("baselines/garden.bm25.json"), "{}", ran.err);
}

#[test]
fn init_writes_all_of_its_files_or_none() {
    let tree = garden();
    tree.write(".github", "a file");
    let before = tree.files();
    tree.run("init").ends(2).says(&[".github/workflows/rankhold.yml", "a file stands where a folder"]);
    tree.run("init --force").ends(2);
    assert_eq!(tree.files(), before);
}

#[cfg(unix)]
#[test]
fn init_takes_back_what_it_wrote_when_a_later_file_cannot_be() {
    let tree = garden();
    let files =
        |tree: &Tree| tree.files().into_iter().map(|path| (tree.read(&path), path)).collect::<Vec<_>>();
    tree.write("rankhold.toml", "version = 1\n# mine\n");
    tree.write("../outside/x", "");
    std::os::unix::fs::symlink("../outside", tree.path(".github")).unwrap();
    let before = files(&tree);
    tree.run("init --force").ends(2).says(&["out of the repository"]);
    assert_eq!(files(&tree), before);
    assert!(!tree.exists("../outside/workflows"));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_in_the_way_of_init() {
    let tree = garden();
    std::os::unix::fs::symlink("nowhere.toml", tree.path("rankhold.toml")).unwrap();
    tree.run("init").ends(2);
    assert!(!tree.exists("nowhere.toml") && tree.path("rankhold.toml").is_symlink());
}

#[cfg(unix)]
#[test]
fn cases_that_are_added_side_by_side_are_all_there() {
    let tree = garden();
    let add = |at: usize| {
        let mut command = crate::program::program(&tree.root());
        let query = format!("where is number {at}");
        command.args([
            "-q",
            "suite",
            "add",
            "suites/garden.json",
            "--query",
            &query,
            "--target",
            "docs/bees.md",
        ]);
        command.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = (0..24).map(add).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let suite: serde_json::Value = serde_json::from_str(&tree.read("suites/garden.json")).unwrap();
    assert_eq!(suite["cases"].as_array().unwrap().len(), 4 + 24);
}

#[test]
fn any_number_of_threads_is_no_crash() {
    let tree = garden();
    for line in
        ["run --threads 1000000000", "run --retriever ripgrep --threads 100000", "compare --threads 9999999"]
    {
        tree.run(line).ends(0);
    }
}
