//! What somebody who knows only the README and `--help` does wrong, and what the program says then.
#![expect(clippy::disallowed_methods, reason = "tests write trees")]

use crate::program::{Tree, approved_garden, garden, garden_of, shell, suite};

/// The garden with a configuration that lists its suite.
fn configured_garden() -> Tree {
    let tree = garden();
    tree.write("rankhold.toml", "version = 1\n[[suite]]\npath = \"suites/garden.json\"\n");
    tree
}

/// Pages that answer the question about the heap better than its own.
fn bury_compost(tree: &Tree) {
    tree.write("docs/compost.md", "# Nothing\n");
    for at in 1..=4 {
        tree.write(
            &format!("docs/turn-the-compost-heap-{at}.md"),
            "# Turn the compost heap\n\nTurn the compost heap.\n",
        );
    }
}

#[test]
fn a_time_that_runs_out_names_the_setting_it_came_from() {
    let slow = |settings: &str| garden_of(&format!("{}\n{settings}", shell("exec sleep 86400")));
    let ran = slow("timeout = \"50ms\"").run("run");
    ran.ends(3).says(&["its time ran out", "; `timeout` is the time for one query"]);
    let ran = slow("run-timeout = \"2s\"").run("run");
    ran.ends(3).says(&["`run-timeout` is the time for all of it"]);
}

/// A second suite that nothing lists.
fn add_users(tree: &Tree) {
    tree.write("suites/users.json", suite("Users", &[("honey", "honey and swarms", "docs/bees.md")]));
}

#[test]
fn a_baseline_that_is_named_must_be_there() {
    let tree = approved_garden();
    tree.run("run --baseline baselines/gardn.bm25.json").ends(2).says(&[
        "--baseline baselines/gardn.bm25.json: there is no such file",
        "did you mean `baselines/garden.bm25.json`?",
    ]);
    tree.run("run --baseline new.json --update-baseline --by Ada").ends(0);
    tree.run("run --baseline new.json").ends(0);
}

#[test]
fn a_suite_that_the_configuration_leaves_out_is_named() {
    let tree = configured_garden();
    add_users(&tree);
    tree.write("suites/queries.json", "[\"no suite\"]");
    let notice = "warning: suites/users.json is not listed in rankhold.toml";
    for line in ["run", "approve --by Ada", "suite lint", "suite stats"] {
        let ran = tree.run(line).ends(0).says(&[notice]);
        assert!(!ran.err.contains("queries.json"), "{}", ran.err);
    }
    for line in ["run garden", "run suites/users.json", "suite lint garden", "run -q"] {
        assert!(!tree.run(line).ends(0).err.contains("not listed"), "{line}");
    }
    std::fs::remove_file(tree.path("rankhold.toml")).unwrap();
    std::fs::remove_file(tree.path("suites/queries.json")).unwrap();
    assert!(!tree.run("suite lint").ends(0).err.contains("not listed"));
}

#[test]
fn a_run_in_the_wrong_folder_names_the_folder_and_what_was_looked_for() {
    let tree = Tree::new(&[("docs/a.md", "# A\n")]);
    let docs = tree.path("docs").canonicalize().unwrap().display().to_string();
    tree.run_in("docs", "run").ends(2).says(&[
        &format!("no rankhold.toml was found in {docs} or above"),
        &format!("{docs}/suites holds no *.json"),
        "is this the repository you mean?",
    ]);
}

#[test]
fn a_wrong_path_in_the_configuration_is_told_with_its_line_and_a_suggestion() {
    let tree = garden();
    tree.write("rankhold.toml", "version = 1\n[[suite]]\nname = \"garden\"\npath = \"suite/garden.json\"\n");
    for line in ["run", "suite lint", "suite stats", "explain hive"] {
        tree.run(line).ends(2).says(&[
            "rankhold.toml, line 4: the suite `garden` has the path `suite/garden.json`",
            "did you mean `suites/garden.json`? Paths in it start at its own folder",
        ]);
    }
    tree.write("rankhold.toml", "version = 1\n[suite]\npath = \"suites/garden.json\"\n");
    tree.run("run").ends(2).says(&["line 2", "two pairs of brackets: [[suite]]"]);
    tree.write("rankhold.toml", "version = 1\n[report]\ntemplate = \"x.j2\"\n");
    tree.run("run --format markdown").ends(2).says(&["x.j2", "it starts at the folder of rankhold.toml"]);
}

#[test]
fn a_retriever_that_is_none_is_told_by_what_there_is() {
    let tree = garden();
    tree.run("run --retriever mine")
        .ends(2)
        .says(&["there is no retriever `mine` (none is configured, and known are bm25, ripgrep,"]);
    tree.run("run --retriever coderank").ends(2).says(&["`coderank`; did you mean `coderankembed`?"]);
    tree.run("run --retriever command")
        .ends(2)
        .says(&["`command` is a kind of retriever and no retriever", "[[retriever]]"]);
    tree.run("compare --against bm25,worker").ends(2).says(&["`worker` is a kind"]);
    tree.write("rankhold.toml", "version = 1\n[[retriever]]\nname = \"mine\"\nkind = \"comand\"\n");
    tree.run("run")
        .ends(2)
        .says(&["[[retriever]] `mine`, kind: `comand` is no kind", "did you mean `command`?"]);
    tree.write("rankhold.toml", "version = 1\n[[retriever]]\nname = \"mine\"\n");
    tree.run("run")
        .ends(2)
        .says(&["[[retriever]] `mine`, kind: is missing", "command, worker, mcp, http, replay"]);
}

#[test]
fn a_command_that_is_none_leads_to_the_one_that_is_meant() {
    let tree = garden();
    for (word, command) in [
        ("lint", "rankhold suite lint"),
        ("baseline", "rankhold approve --by NAME"),
        ("rnu", "rankhold run"),
        ("aprove", "rankhold approve"),
        ("review", "rankhold run"),
    ] {
        tree.run(word).ends(2).says(&[&format!("there is no command `{word}`; did you mean `{command}`?")]);
    }
    assert!(!tree.run("suite lnt").ends(2).err.contains("there is no command"));
    assert!(tree.run("quux").ends(2).err.contains("quux"));
}

#[test]
fn a_report_can_be_written_into_a_file_by_every_command_that_renders_one() {
    let tree = approved_garden();
    let ran = tree.run("run --format markdown --out out/run.md --results out").ends(0);
    assert_eq!(ran.out, "");
    let gate =
        "gate out/garden.bm25.result.json baselines/garden.bm25.json --format markdown --out out/gate.md";
    assert_eq!(tree.run(gate).ends(0).out, "");
    for file in ["out/run.md", "out/gate.md"] {
        assert!(tree.read(file).starts_with("## "), "{file}");
    }
    // What a run writes is no part of what the next one searches.
    let hash = |tree: &Tree| {
        let report = tree.run("run --json --out out/report.json").ends(0);
        assert_eq!(report.out, "");
        serde_json::from_str::<serde_json::Value>(&tree.read("out/report.json")).unwrap()["pairs"][0]["identity"].clone()
    };
    assert_eq!(hash(&tree), hash(&tree));
}

#[test]
fn whatever_lies_beside_the_suites_is_out_of_sight() {
    let tree = garden();
    tree.write("suites/users.csv", "query,targets\ngraft an apple tree,docs/apples.md\n");
    tree.write("suites/trec/topics.tsv", "1\tgraft an apple tree\n");
    let before = garden().run("run --json").ends(0).json();
    let after = tree.run("run --json").ends(0).json();
    assert_eq!(before["pairs"][0]["identity"], after["pairs"][0]["identity"]);
}

#[test]
fn a_baseline_of_a_pair_that_is_not_configured_is_warned_of_when_it_is_written() {
    let tree = configured_garden();
    add_users(&tree);
    tree.run("run garden --retriever ripgrep --update-baseline --by Ada").ends(0).says(&[
        "warning: baselines/garden.ripgrep.json",
        "retrievers of suite `garden`: add \"ripgrep\"",
        "remove the file",
    ]);
    tree.run("run suites/users.json --update-baseline --by Ada").ends(0).says(&[
        "warning: baselines/users.bm25.json",
        "[[suite]] path = \"suites/users.json\", retrievers = [\"bm25\"]",
    ]);
    tree.run("run garden --retriever ripgrep --results out --baseline baselines/garden.ripgrep.json").ends(0);
    std::fs::remove_file(tree.path("baselines/garden.ripgrep.json")).unwrap();
    tree.run("approve out/garden.ripgrep.result.json --by Ada")
        .ends(0)
        .says(&["warning: baselines/garden.ripgrep.json"]);
    tree.run("run").ends(1).says(&["no longer configured"]);
    for line in ["run garden", "run suites/users.json --baseline elsewhere.json"] {
        let ran = tree.run(&format!("{line} --update-baseline --by Ada")).ends(0);
        assert!(!ran.err.contains("warning: "), "{line}: {}", ran.err);
    }
}

#[test]
fn a_case_that_is_worth_nothing_is_not_added() {
    let tree = garden();
    let before = tree.read("suites/garden.json");
    for (arguments, part) in [
        ("--query ~ --target docs/bees.md", "the query is empty"),
        ("--query honey", "names no target"),
        ("--query honey --target docs/bees.md --target ./docs/bees.md", "`docs/bees.md` is given twice"),
        ("--query ??? --target docs/bees.md", "no id can be made"),
        (
            "--query Heap --target docs/compost.md",
            "the id \"heap\" is taken by case 3, which asks: turn the compost heap",
        ),
        (
            "--query honey --id hvie --replace --target docs/bees.md",
            "no case \"hvie\" to replace; did you mean `hive`?",
        ),
    ] {
        let ran = tree.run(&format!("suite add garden {arguments}")).ends(2).says(&[part, "next: "]);
        assert_eq!((ran.out.as_str(), &tree.read("suites/garden.json")), ("", &before), "{arguments}");
    }
}

#[test]
fn a_case_is_added_by_the_name_of_its_suite_and_a_target_that_is_not_there_is_warned_of() {
    let tree = garden();
    tree.run("suite add garden --query honey --target docs/Bees.md").ends(0).says(&[
        "suites/garden.json: case 5 (id \"honey\") added",
        "warning: case 5",
        "write `docs/bees.md`",
    ]);
    tree.run("suite add suites/garden.json --query swarms --target docs/bee.md")
        .ends(0)
        .says(&["warning: case 6", "did you mean `docs/bees.md`?"]);
    let ran = tree.run("suite add garden --query honey --replace --target docs/bees.md").ends(0);
    assert!(
        ran.out.contains("case 5 (id \"honey\") replaced") && ran.err.is_empty(),
        "{}{}",
        ran.out,
        ran.err
    );
    assert!(!tree.read("suites/garden.json").contains("docs/Bees.md"));
    assert!(
        tree.run("suite add garden --query frost --forbid docs/bees.md").ends(0).err.contains("not scored")
    );
    tree.run("suite add garden --query zebra --no-result").ends(0);
}

#[test]
fn a_new_suite_is_started_when_that_is_asked_for() {
    let tree = configured_garden();
    let line = "suite add suites/users.json --query honey --target docs/bees.md";
    tree.run(line).ends(2).says(&["suites/users.json: there is no such suite", "--create"]);
    tree.run("suite add gardne --query honey --target docs/bees.md")
        .ends(2)
        .says(&["did you mean `garden`?"]);
    tree.run("suite add users --query honey --target docs/bees.md --create")
        .ends(2)
        .says(&["a new suite is a .json file"]);
    tree.run(&format!("{line} --create")).ends(0).says(&[
        "new suite `users`, case 1 (id \"honey\") added",
        "suites/users.json is not listed in rankhold.toml",
    ]);
    tree.run("run suites/users.json").ends(0).says(&["1/1"]);
}

#[test]
fn a_table_with_unknown_columns_never_becomes_a_suite_that_scores_nothing() {
    let tree = garden();
    tree.write("users.csv", "query,target\nhoney,docs/bees.md\nzebra,\n");
    let ran = tree.run("suite import users.csv --out suites/users.json").ends(0);
    assert_eq!(ran.err, "2 cases: 1 scored, 0 negative, 1 unscored\n");
    tree.write("paths.csv", "query,path\nhoney,docs/bees.md\n");
    tree.run("suite import paths.csv").ends(2).says(&["no `targets` column (found: query, path)"]);
    tree.run("suite import --help").ends(0).says(&["query, targets (separated by ; or |)"]);
    tree.write(
        "suites/users.json",
        suite("Users", &[]).replace("[]", "[{\"id\": \"a\", \"input\": \"honey\"}]"),
    );
    let ran =
        tree.run("run users").ends(2).says(&["no scored case", "--target PATH", "the column `targets`"]);
    assert!(!ran.out.contains("tolerance"), "{}", ran.out);
}

#[test]
fn the_cases_of_a_suite_are_listed_with_ids_that_can_be_pasted() {
    let tree = garden();
    let listed = tree.run("suite list").ends(0).out;
    assert_eq!(listed.lines().nth(1).unwrap(), "hive   keeping a hive         docs/bees.md");
    assert_eq!(tree.run("suite list garden").out, listed);
    assert_eq!(tree.run("suite list garden --format json").ends(0).json()[1]["id"], "hive");
    tree.run("suite list gardne").ends(2).says(&["did you mean `garden`?"]);
    tree.run("suite stats garden").ends(0).says(&["4 scored"]);
    let long = "how-do-i-keep-a-hive-through-a-long-and-cold-winter-without-losing-it";
    tree.write("suites/garden.json", suite("Garden", &[(long, "keeping a hive", "docs/bees.md")]));
    tree.run("suite list").ends(0).says(&[long]);
}

/// The words of the last line of a report that begins with this word.
fn printed(report: &str, word: &str) -> String {
    let line = report.lines().rev().find(|line| line.trim_start().starts_with(word));
    let line = line.unwrap_or_else(|| panic!("no line `{word}` in\n{report}"));
    let command = line.split_once("rankhold ").unwrap().1;
    // As the tests' own runner takes words: `'a b'` is one.
    command
        .split('\'')
        .enumerate()
        .map(|(at, part)| if at % 2 == 1 { part.replace(' ', "~") } else { part.into() })
        .collect()
}

#[test]
fn the_commands_in_a_report_are_for_exactly_its_pair() {
    let tree = configured_garden();
    tree.run("approve --by Ada").ends(0);
    let garden = tree.read("baselines/garden.bm25.json");
    let cases = [("honey", "honey and swarms", "docs/bees.md"), ("ask me again", "frost", "docs/compost.md")];
    tree.write("suites/users.json", suite("Users", &cases));

    let first = tree.run("run suites/users.json --retriever ripgrep").ends(0).out;
    let why = printed(&first, "why");
    assert_eq!(why, "explain ask~me~again --suite suites/users.json --retriever ripgrep");
    tree.run(&why).ends(0).says(&["ask me again × ripgrep"]);
    let approve = printed(&first, "approve").replace("NAME", "Ada");
    assert_eq!(approve, "run suites/users.json --retriever ripgrep --update-baseline --by Ada");
    tree.run(&approve).ends(0);
    assert!(tree.exists("baselines/users.ripgrep.json"));
    assert_eq!(tree.read("baselines/garden.bm25.json"), garden, "nobody asked to approve that");

    // The configured pair, alone, is what a plain approve records.
    tree.write("docs/bees.md", "# Wasps\n");
    let lost = tree.run("run garden").ends(1).out;
    assert_eq!(printed(&lost, "why"), "explain hive");
    assert_eq!(printed(&lost, "approve"), "approve --by NAME");
    tree.write("other.json", &garden);
    let elsewhere = tree.run("run garden --baseline other.json").ends(1).out;
    assert_eq!(
        printed(&elsewhere, "approve"),
        "run garden --retriever bm25 --baseline other.json --update-baseline --by NAME"
    );
    tree.run("run garden --results out").ends(1);
    let gate = tree.run("gate out/garden.bm25.result.json baselines/garden.bm25.json").ends(1).out;
    assert_eq!(printed(&gate, "approve"), "approve out/garden.bm25.result.json --by NAME");
    let gate = tree.run("gate out/garden.bm25.result.json other.json").ends(1).out;
    assert_eq!(
        printed(&gate, "approve"),
        "run garden --retriever bm25 --baseline other.json --update-baseline --by NAME"
    );

    // From another folder the flags that chose the tree belong to the command.
    let away = tree.run_in("docs", "run --repo .. --config ../rankhold.toml garden").ends(1).out;
    assert_eq!(printed(&away, "approve"), "--config ../rankhold.toml --repo .. approve --by NAME");
    tree.run_in("docs", &printed(&away, "why")).ends(0);
}

#[test]
fn a_pair_that_is_gone_is_told_with_the_file_to_remove() {
    let tree = configured_garden();
    tree.run("run garden --retriever ripgrep --update-baseline --by Ada").ends(0);
    tree.run("run").ends(1).says(&["(baselines/garden.ripgrep.json)"]);
}

#[test]
fn a_suite_that_changed_does_not_hide_what_else_was_lost() {
    let tree = approved_garden();
    tree.write("docs/bees.md", "# Wasps\n");
    bury_compost(&tree);
    tree.write(
        "suites/garden.json",
        tree.read("suites/garden.json").replace("graft an apple tree", "graft an apple"),
    );
    let ran = tree.run("run").ends(1).says(&[
        "suite-changed",
        "the suite changed: 1 edited, 0 added, 0 removed",
        "and 2 unchanged cases were lost: hit@3 3/3 → 1/3",
        "hit@3: 2 lost, 0 won of 3 comparable cases",
        "Look at the lost cases first",
    ]);
    assert!(
        ran.out.starts_with("The suite changed, and cases that did not change were lost\n"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("approve the new figures"), "{}", ran.out);
}

#[test]
fn a_suite_whose_lost_cases_ask_only_for_what_is_gone_is_called_stale() {
    let tree = approved_garden();
    std::fs::rename(tree.path("docs/bees.md"), tree.path("docs/honey.md")).unwrap();
    let ran = tree.run("run").ends(1).says(&[
        "regressed",
        "one of the lost asks for what is not in the tree any more",
        "Correct the targets of the lost cases in the suite",
        "targets   rankhold suite lint",
    ]);
    assert!(ran.out.starts_with("The suite asks for what is no longer there\n"), "{}", ran.out);
    assert!(ran.out.contains("the one flip were"), "{}", ran.out);
    // One lost case that asks for what is there makes it a matter of the ranking again.
    bury_compost(&tree);
    assert!(tree.run("run").ends(1).out.starts_with("The ranking does not hold\n"));
}

#[test]
fn a_case_is_explained_by_its_query_too_and_with_what_the_baseline_says_of_it() {
    let tree = approved_garden();
    tree.run("explain keeping~a~hive")
        .ends(0)
        .says(&["hive × bm25", "baseline  rank 1, approved by Ada at "]);
    tree.run("explain keeping")
        .ends(2)
        .says(&[
            "no case has the id or the query `keeping`; did you mean `hive`, which asks: keeping a hive?",
        ])
        .says(&["rankhold suite list"]);
    tree.run("explain garden/hive").ends(2).says(&["did you mean `hive`?"]);
    let page = tree.read("docs/bees.md");
    std::fs::remove_file(tree.path("docs/bees.md")).unwrap();
    tree.write("docs/the-bees.md", page);
    tree.run("explain hive").ends(0).says(&["not in the corpus: did you mean `docs/the-bees.md`?"]);
    tree.run("suite lint").ends(2).says(&["did you mean `docs/the-bees.md`?"]);
    tree.write(
        "rankhold.toml",
        "version = 1\n[[suite]]\npath = \"suites/garden.json\"\nretrievers = [\"ripgrep\"]\n",
    );
    tree.run("explain graft").ends(0).says(&["graft × ripgrep"]);
    add_users(&tree);
    tree.run("explain honey").ends(2).says(&["suites/users.json is not listed in rankhold.toml"]);
}

#[test]
fn approving_what_is_approved_already_leaves_the_file_as_it_is() {
    let tree = approved_garden();
    let before = tree.read("baselines/garden.bm25.json");
    for line in ["approve --by Eve --reason again", "run --update-baseline --by Eve"] {
        tree.run(line).ends(0).says(&["hit@3 4 of 4, unchanged since Ada approved it at "]);
        assert_eq!(tree.read("baselines/garden.bm25.json"), before, "{line}");
    }
    tree.write("docs/frost.md", "# Frost\n\nNothing that anybody asks for.\n");
    tree.run("approve --by Eve").ends(0).says(&["unchanged"]);
    tree.write("docs/bees.md", "# Wasps\n");
    tree.run("approve --by Eve").ends(0).says(&["4 of 4 → 3 of 4, approved by Eve"]);
}

#[test]
fn an_id_is_printed_whole_and_a_first_run_says_once_that_it_is_one() {
    let tree = garden();
    let long = "how-do-i-keep-a-hive-through-a-long-and-cold-winter-without-losing-a-single-bee";
    let cases =
        [(long, "prune the roses", "docs/apples.md"), ("graft", "graft an apple tree", "docs/apples.md")];
    tree.write("suites/garden.json", suite("Garden", &cases));
    let ran = tree.run("run").ends(0);
    assert!(ran.out.lines().any(|line| line.trim() == long), "{}", ran.out);
    assert_eq!(ran.out.to_lowercase().matches("no approved baseline").count(), 1, "{}", ran.out);
    tree.run(&printed(&ran.out, "why")).ends(0).says(&[long]);
}

#[cfg(unix)]
#[test]
fn a_repository_without_a_commit_has_no_history_and_is_called_so() {
    let tree = garden();
    let git = |arguments: &[&str]| {
        std::process::Command::new("git").current_dir(tree.root()).args(arguments).output()
    };
    if !git(&["init", "-q"]).is_ok_and(|output| output.status.success()) {
        return; // without git there is nothing to ask
    }
    std::fs::remove_file(tree.path("docs/bees.md")).unwrap();
    tree.run("suite lint").ends(2).says(&["no history here (nothing is committed yet)"]);
}

/// A report without the line ends that a narrow terminal makes.
fn unwrapped(ran: &crate::program::Ran) -> String {
    ran.out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The keys of a server at that address.
fn server(url: &str) -> String {
    format!("kind = \"http\"\nurl = \"{url}\"\nretries = 0")
}

/// What a look says, a run and a table say too: each with the cause and the next step.
#[track_caller]
fn assert_next(tree: &Tree, state: &str, parts: &[&str]) {
    tree.run("doctor").ends(3).says(&[&format!("ours           {state}"), "next: "]).says(parts);
    let ran = unwrapped(&tree.run("run").ends(3));
    assert!(ran.contains(parts[0]) && !ran.contains("says more"), "{ran}");
    let row = tree.run("compare --against ours --format json").ends(3).json()["rows"][0].clone();
    for part in parts {
        let told =
            format!("{}\n{}", row["detail"].as_str().unwrap(), row["hint"].as_str().unwrap_or_default());
        assert!(told.contains(part), "`{part}` is not in {told}");
    }
}

#[test]
fn a_server_that_is_not_there_or_speaks_otherwise_is_told_with_what_to_do() {
    let port = rankhold::process::free_port().unwrap();
    let refused =
        ["could not be reached", "nothing listens there: is the server running, and is that its address"];
    let tree = garden_of(&server(&format!("http://127.0.0.1:{port}/search?q={{query}}")));
    assert_next(&tree, "broken", &[&refused[..], &["`start = ["]].concat());
    let mcp = format!(
        "kind = \"mcp\"\nurl = \"http://127.0.0.1:{port}/mcp\"\ntool = \"search\"\narguments = {{ q = \"{{query}}\" }}"
    );
    assert_next(&garden_of(&mcp), "broken", &[&refused[..], &["`argv` in the place of `url`"]].concat());
    let plain = crate::served::Served::new(|_, _| crate::served::Answer::json("[]"));
    let tree = garden_of(&server(&plain.url("/?q={query}").replace("http://", "https://")));
    let tls = ["could not be reached", "write `http://` in the place of `https://`"];
    assert_next(&tree, "broken", &tls);
    // Most servers say what they think of it; the one above hangs up.
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = std::io::Write::write_all(&mut stream.unwrap(), b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    assert_next(&garden_of(&server(&format!("https://{address}/?q={{query}}"))), "broken", &tls);
}

#[cfg(unix)]
#[test]
fn a_folder_in_the_place_of_a_program_is_told_with_the_program_in_it() {
    let tree = garden_of("kind = \"semble\"\npython = \"{repo}/venv\"");
    tree.write("venv/bin/python", "");
    let venv = tree.path("venv").canonicalize().unwrap().display().to_string();
    let parts = [format!("`{venv}` is a folder"), format!("name the program in it: `{venv}/bin/python`")];
    tree.run("doctor").ends(3).says(&[&parts[0], &parts[1]]);
    std::fs::remove_file(tree.path("venv/bin/python")).unwrap();
    tree.run("doctor").ends(3).says(&[&parts[0], "FOLDER/bin/python"]);
}

#[test]
fn a_header_that_cannot_be_sent_is_known_before_a_run() {
    let url = "http://127.0.0.1:9/?q={query}";
    let written = format!("{}\nheaders = {{ a = \"x\\ny\" }}", server(url));
    for line in ["doctor", "run"] {
        let told = unwrapped(&garden_of(&written).run(line).ends(2));
        assert!(told.contains("headers: `a` holds a line break"), "{told}");
    }
    let passed = format!("{}\nheaders = {{ a = \"{{env:KEY}}\" }}\nenv = {{ KEY = \"x\\ny\" }}", server(url));
    garden_of(&passed)
        .run("doctor")
        .ends(3)
        .says(&["the header `a` cannot be sent", "next: set the variable anew"]);
}

#[cfg(unix)]
#[test]
fn a_tool_that_found_nothing_in_its_own_way_is_told_the_key_for_it() {
    let tree = garden_of(&shell("exit 1"));
    tree.run("run").ends(3).says(&["`empty-exits = [1]`"]);
    let row = tree.run("compare --against ours --format json").ends(3).json()["rows"][0].clone();
    assert!(row["hint"].as_str().unwrap().contains("`empty-exits = [1]`"), "{row}");
    assert!(!garden_of(&shell("echo bad >&2; exit 1")).run("run").ends(3).out.contains("empty-exits = ["));

    let paths = |script: &str| garden_of(&format!("{}\nformat = \"paths\"", shell(script)));
    paths("echo No matches found")
        .run("run")
        .says(&["e.g. `No matches found`: if that is how it", "`empty-texts`"]);
    let now_and_then = "case $0 in *hive*) echo No matches found;; *) echo docs/apples.md;; esac";
    paths(now_and_then).run("run").says(&["1 answer is `No matches found`", "`empty-texts`"]);
    let elsewhere = paths("echo pages/a b.md").run("run");
    assert!(!elsewhere.err.contains("empty-texts"), "{}", elsewhere.err);
}

#[cfg(unix)]
#[test]
fn what_asks_a_failed_query_again_can_be_copied() {
    let tree = garden_of(&shell("echo bad >&2; exit 7"));
    let away = tree.run_in("docs", "run --config ../rankhold.toml").ends(3);
    let command = "--config ../rankhold.toml explain graft --suite garden --retriever ours";
    let told = unwrapped(&away);
    assert!(told.contains(&format!("`rankhold {command}`")), "{told}");
    assert!(told.contains("`rankhold --config ../rankhold.toml doctor`"), "{told}");
    tree.run_in("docs", command).ends(3).says(&["graft × ours"]);
}

#[test]
fn a_variable_that_is_empty_and_a_proxy_that_nobody_speaks_to_are_called_so() {
    let tree = garden_of(&format!("{}\npass-env = [\"KEY\"]", server("http://rankhold.invalid/?q={query}")));
    let doctor = |variables: &[(&str, &str)]| {
        let mut program = crate::program::program(&tree.root());
        program.arg("doctor").envs(variables.iter().copied());
        crate::program::Ran::of(&program.output().unwrap()).ends(3)
    };
    doctor(&[]).says(&["the variable `KEY` is not set here"]);
    doctor(&[("KEY", "")]).says(&["the variable `KEY` is empty here"]);
    doctor(&[("KEY", "x"), ("HTTP_PROXY", "socks5://127.0.0.1:9")]).says(&[
        "nothing here speaks to a proxy of the kind `socks5://`; the proxy in `HTTP_PROXY`",
        "next: write `http://HOST:PORT` in `HTTP_PROXY`",
    ]);
}
