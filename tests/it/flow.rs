//! From a suite to a verdict and an exit code, as a user drives it.
#![expect(clippy::disallowed_methods, reason = "tests write trees")]

use std::process::Command;

use serde_json::json;

use crate::program::{Ran, Tree, approved_garden, garden, program, suite};

#[test]
fn a_first_run_is_neutral_and_says_how_to_approve() {
    let ran = garden().run("run").ends(0).says(&["no-baseline", "rankhold approve --by", "4/4"]);
    assert!(ran.out.lines().next().unwrap().contains("no approved baseline"), "{}", ran.out);
}

#[test]
fn the_whole_way_first_run_approve_pass_loss_repair() {
    let tree = garden();
    tree.run("run --require-baseline").ends(1);
    let approved = tree.run("approve --by Ada --reason first~figures").ends(0);
    assert!(approved.out.contains("none → 4 of 4, approved by Ada"), "{}", approved.out);
    tree.run("run --require-baseline").ends(0).says(&["pass"]);

    let page = tree.read("docs/bees.md");
    tree.write("docs/bees.md", "# Wasps\n\nNothing here.\n");
    let lost = tree.run("run").ends(1).says(&["regressed", "hive", "keeping a hive", "docs/bees.md"]);
    assert!(lost.out.starts_with("The ranking does not hold"), "{}", lost.out);
    tree.run("run --tolerance 0.25").ends(0);
    tree.write("docs/bees.md", page);
    tree.run("run").ends(0);
}

#[test]
fn a_normal_run_writes_nothing_into_the_tree() {
    let tree = approved_garden();
    let before = tree.files();
    for line in [
        "run",
        "run --format markdown",
        "explain hive",
        "doctor",
        "suite lint",
        "compare",
        "verify baselines/garden.bm25.json",
    ] {
        tree.run(line).ends(0);
    }
    assert_eq!(tree.files(), before);
}

#[test]
fn nothing_is_recorded_without_a_name() {
    let tree = garden();
    for line in ["approve", "approve --by ~", "run --update-baseline"] {
        tree.run(line).ends(2);
    }
    assert!(!tree.exists("baselines"));
    tree.run("run --update-baseline --by Ada --reason why").ends(0).says(&["approved by Ada"]);
    tree.run("run --require-baseline").ends(0);
}

#[test]
fn results_are_the_same_bytes_and_can_be_judged_and_rendered_later() {
    let tree = approved_garden();
    tree.run("run --results out/a").ends(0);
    tree.run("run --results out/b --threads 1").ends(0);
    assert_eq!(tree.read("out/a/garden.bm25.result.json"), tree.read("out/b/garden.bm25.result.json"));
    assert_eq!(tree.read("out/a/garden.bm25.candidate.json"), tree.read("out/b/garden.bm25.candidate.json"));
    tree.run("gate out/a/garden.bm25.result.json baselines/garden.bm25.json").ends(0);
    let report =
        tree.run("report out/a/garden.bm25.result.json baselines/garden.bm25.json --format markdown").ends(0);
    assert!(report.out.starts_with("## "), "{}", report.out);
    tree.run("report out/a/garden.bm25.result.json --format markdown --out out/comment.md").ends(0);
    assert!(tree.read("out/comment.md").contains("garden"));
    let files = "verify out/a/garden.bm25.result.json out/a/garden.bm25.candidate.json out/a/garden.bm25.timings.json";
    tree.run(files).ends(0).says(&["every figure recomputed", "candidate of result", "timings of"]);
}

#[test]
fn approving_a_result_file_records_what_was_measured_and_refuses_another_suite_s() {
    let tree = garden();
    tree.run("run --results out").ends(0);
    tree.run("approve out/garden.bm25.result.json --by Ada").ends(0);
    tree.run("run --require-baseline").ends(0);
    tree.write("suites/garden.json", suite("Garden", &[("graft", "graft an apple", "docs/apples.md")]));
    tree.run("approve out/garden.bm25.result.json --by Ada").ends(2).says(&[
        "another version of the suite",
        "measure anew",
        "rankhold run garden --retriever bm25 --update-baseline",
    ]);
}

#[test]
fn json_is_one_document_with_the_verdict() {
    let tree = approved_garden();
    let report = tree.run("run --json").ends(0).json();
    assert_eq!(report["pairs"][0]["verdict"], "pass", "{report}");
    assert_eq!(report["exit"], 0);
}

#[test]
fn an_edited_suite_fails_closed_until_it_is_approved() {
    let tree = approved_garden();
    let document = tree.read("suites/garden.json").replace("graft an apple tree", "graft an apple");
    tree.write("suites/garden.json", document);
    tree.run("run").ends(1).says(&["suite-changed", "1 edited"]);
    tree.run("approve --by Ada").ends(0);
    tree.run("run").ends(0);
}

#[test]
fn a_pair_that_is_gone_from_the_configuration_fails_closed() {
    let tree = approved_garden();
    tree.write("suites/other.json", suite("Other", &[("graft", "graft an apple", "docs/apples.md")]));
    tree.write("rankhold.toml", "version = 1\n[[suite]]\npath = \"suites/other.json\"\n");
    tree.run("run").ends(1).says(&["suite-changed", "no longer configured", "garden"]);
    tree.run("run other").ends(0);
}

#[test]
fn several_pairs_end_with_the_most_urgent_exit() {
    let tree = approved_garden();
    tree.write("suites/broken.json", "{");
    tree.run("run").ends(2).says(&["broken", "pass"]);
    tree.run("run garden --retriever bm25,ripgrep").ends(0);
}

#[test]
fn explain_says_what_stands_above_and_why() {
    let tree = approved_garden();
    tree.run("explain hive").ends(0).says(&[
        "query     keeping a hive",
        "docs/bees.md  ← expected",
        "hive",
        "score",
    ]);
    tree.run("explain hvie").ends(2).says(&["did you mean `hive`?"]);
}

#[test]
fn compare_prints_a_row_for_every_system_and_refuses_a_name_that_nobody_knows() {
    let tree = garden();
    tree.write(
        "rankhold.toml",
        "version = 1\n[[retriever]]\nname = \"gone\"\nkind = \"probe\"\nargv = [\"no-such-probe\", \"{query}\"]\n",
    );
    tree.run("compare --against bm25,ripgrep,gone --format markdown --chart chart.svg").ends(0).says(&[
        "| `bm25` |",
        "| `ripgrep` |",
        "skipped: `no-such-probe` is in no folder of PATH",
        "compared 2 of 3",
        "quadrantChart",
    ]);
    assert!(tree.read("chart.svg").starts_with("<svg "));
    for flag in ["--chart", "--json", "--out"] {
        tree.run(&format!("compare --against bm25 {flag} rankhold.toml"))
            .ends(2)
            .says(&["the configuration"]);
    }
    tree.run("compare --against gone --smoke --format markdown").says(&["cargo install probe-code"]);
    tree.run("compare --against bm25,ripgrpe").ends(2).says(&["did you mean `ripgrep`?"]);
    tree.run("compare --against gone").ends(3);
}

#[test]
fn the_first_seed_s_flags_work_as_its_readers_type_them() {
    let tree = garden();
    tree.write("queries.json", json!({ "queries": ["graft an apple tree", "keeping a hive"] }).to_string());
    let truth = json!({ "queries": { "graft an apple tree": ["docs/apples.md"], "keeping a hive": ["docs/bees.md"] } });
    tree.write("groundtruth.json", truth.to_string());
    let line = "compare -repo . -queries queries.json -groundtruth groundtruth.json -against ripgrep,bm25 -top-k 10 \
                -timeout 5m -format json -out table.json -json figures.json";
    tree.run(line).ends(0);
    let table: serde_json::Value = serde_json::from_str(&tree.read("table.json")).unwrap();
    assert_eq!(table, serde_json::from_str::<serde_json::Value>(&tree.read("figures.json")).unwrap());
    tree.run("compare -queries queries.json -groundtruth groundtruth.json -against bm25 -smoke")
        .ends(0)
        .says(&["| `bm25` | ✓ |"]);
}

#[test]
fn the_second_seed_s_flags_work_as_its_readers_type_them() {
    let tree = garden();
    tree.run("run suites/garden.json --baseline base.json --update-baseline --by Ada --reason first").ends(0);
    let report = tree.run("run suites/garden.json --baseline base.json --json").ends(0).json();
    assert_eq!(report["pairs"][0]["verdict"], "pass");
    assert!(!tree.exists("baselines"));
}

#[test]
fn init_writes_what_run_can_use_and_overwrites_nothing() {
    let tree = garden();
    std::fs::remove_dir_all(tree.path("suites")).unwrap();
    let listed = tree.run("init").ends(0);
    assert_eq!(
        listed.out,
        "suites/starter.json\nrankhold.toml\n.github/workflows/rankhold.yml\n.github/workflows/rankhold-command.yml\n"
    );
    tree.run("suite lint").ends(0);
    tree.run("run").ends(0).says(&["no-baseline"]);
    tree.run("approve --by Ada").ends(0);
    tree.run("run --require-baseline").ends(0);
    tree.write("rankhold.toml", "version = 1\n# mine\n");
    tree.run("init").ends(2).says(&["rankhold.toml", "--force"]);
    assert_eq!(tree.read("rankhold.toml"), "version = 1\n# mine\n");
    tree.run("init --force").ends(0);
}

/// `--force` is for what `init` can write again, and not for cases that somebody wrote.
#[test]
fn init_overwrites_no_suite_whatever_is_forced() {
    let tree = garden();
    std::fs::remove_dir_all(tree.path("suites")).unwrap();
    tree.run("init").ends(0);
    let mine = suite("Mine", &[("hive", "keeping a hive", "docs/bees.md")]);
    tree.write("suites/starter.json", &mine);
    tree.write("rankhold.toml", "version = 1\n# mine\n");
    let ran = tree.run("init --force").ends(0);
    assert_eq!(tree.read("suites/starter.json"), mine);
    assert!(
        !ran.out.contains("starter.json") && ran.err.contains("suites/starter.json is kept as it is"),
        "{}",
        ran.err
    );
    assert!(tree.read("rankhold.toml").contains("path = \"suites/starter.json\""));
    tree.run("run").ends(0).says(&["1/1"]);
    tree.run("init").ends(2).says(&["rankhold.toml", "suites are kept in any case"]);
}

/// A report in the place of a suite or a baseline would be taken for one, or be the end of one.
#[test]
fn no_report_takes_the_place_of_a_suite_or_a_baseline() {
    let tree = garden();
    tree.run("run --results out").ends(0);
    tree.run("approve --by Ada").ends(0);
    let (suite, baseline) = (tree.read("suites/garden.json"), tree.read("baselines/garden.bm25.json"));
    let refused =
        ["suites/garden.json", "suites/report.json", "baselines/garden.bm25.json", "baselines/new.bm25.json"];
    let commands = [
        "run --format json",
        "gate out/garden.bm25.result.json baselines/garden.bm25.json --format json",
        "report out/garden.bm25.result.json --format json",
        "compare",
    ];
    for command in commands {
        for place in refused {
            tree.run(&format!("{command} --out {place}")).ends(2);
        }
        for place in ["baselines/report.md", "report.json"] {
            tree.run(&format!("{command} --out {place}")).ends(0);
        }
    }
    tree.run("compare --json suites/figures.json").ends(2).says(&["a suite or a baseline"]);
    // Where suites are listed, only those are.
    tree.write("rankhold.toml", "version = 1\n[[suite]]\npath = \"suites/garden.json\"\n");
    tree.run("run --out suites/report.json").ends(0);
    tree.run("run --out ./suites/../suites/garden.json").ends(2);
    assert_eq!(tree.read("suites/garden.json"), suite);
    assert_eq!(tree.read("baselines/garden.bm25.json"), baseline);
}

#[test]
fn a_role_that_nobody_has_is_doubted_aloud() {
    let tree = garden();
    tree.write("rankhold.toml", "version = 1\n[approval]\nroles = [\"maintainer\"]\n");
    for line in ["run", "doctor"] {
        let ran = tree.run(line).ends(0);
        assert!(ran.err.contains("did you mean `maintain`?"), "{line}: {}", ran.err);
    }
}

#[test]
fn a_rate_of_more_than_all_is_no_tolerance() {
    let tree = approved_garden();
    for rate in ["2", "1.01"] {
        let ran = tree.run(&format!("run --tolerance {rate}")).ends(2);
        assert!(ran.err.contains("0.02 is two points"), "{}", ran.err);
    }
}

#[test]
fn init_configures_suites_that_are_there_instead_of_writing_one() {
    let tree = garden();
    let listed = tree.run("init").ends(0);
    assert_eq!(
        listed.out,
        "rankhold.toml\n.github/workflows/rankhold.yml\n.github/workflows/rankhold-command.yml\n"
    );
    assert!(tree.read("rankhold.toml").contains("name = \"garden\""));
    tree.run("run").ends(0);
}

#[test]
fn help_is_for_people_and_a_bare_call_is_a_mistake() {
    let tree = garden();
    let bare = tree.run("").ends(2);
    assert!(bare.out.is_empty() && bare.err.contains("Usage"), "{}", bare.err);
    assert!(tree.run("--help").ends(0).out.contains("Usage"));
    assert!(tree.run("man").ends(0).out.contains(".TH"));
    assert!(tree.run("completions bash").ends(0).out.contains("rankhold"));
    let schema = tree.run("schema").ends(0).json();
    assert_eq!(schema["title"], "rankhold.toml");
}

#[test]
fn quiet_leaves_only_errors_on_stderr() {
    let tree = approved_garden();
    assert_eq!(tree.run("run -q").ends(0).err, "");
    assert!(tree.run("run -q nowhere").ends(2).err.starts_with("error:"));
}

#[test]
fn colour_only_when_asked_for_or_on_a_terminal() {
    let tree = approved_garden();
    assert!(!tree.run("run").out.contains('\u{1b}'));
    assert!(tree.run("run --color always").out.contains('\u{1b}'));
}

#[test]
fn the_program_runs_from_a_folder_below_and_without_git() {
    let tree = approved_garden();
    std::fs::create_dir(tree.path(".git")).unwrap();
    tree.write("rankhold.toml", "version = 1\n[[suite]]\npath = \"suites/garden.json\"\n");
    tree.run_in("docs", "run --require-baseline").ends(0);
    std::fs::remove_dir(tree.path(".git")).unwrap();
    tree.run("run --require-baseline").ends(0);
}

#[test]
fn nothing_of_github_s_environment_is_read() {
    let tree = approved_garden();
    let output = program(&tree.root())
        .arg("run")
        .envs([("GITHUB_ACTIONS", "true"), ("GITHUB_TOKEN", "secret"), ("GITHUB_WORKSPACE", "/nowhere")])
        .output()
        .unwrap();
    let ran = Ran::of(&output).ends(0);
    assert_eq!(ran.out, tree.run("run").out);
    assert!(!ran.err.contains("secret"));
}

#[test]
fn the_templates_of_the_repository_replace_ours_and_their_errors_name_the_line() {
    let tree = approved_garden();
    tree.run("run --results out").ends(0);
    tree.write("ci/comment.md.j2", "one\ntwo {{ no_such_field }}\n");
    tree.write(
        "rankhold.toml",
        "version = 1\n[[suite]]\npath = \"suites/garden.json\"\n[report]\ntemplate = \"ci/comment.md.j2\"\n",
    );
    tree.run("report out/garden.bm25.result.json --format markdown")
        .ends(2)
        .says(&["ci/comment.md.j2", "line 2"]);
    tree.write("ci/comment.md.j2", "mine: {{ title }}\n");
    assert!(
        tree.run("report out/garden.bm25.result.json --format markdown").ends(0).out.starts_with("mine: ")
    );
    assert!(tree.run("run --format markdown").ends(0).out.starts_with("mine: "));
}

#[test]
fn a_user_s_git_settings_and_a_missing_git_program_change_nothing() {
    let tree = approved_garden();
    std::fs::create_dir(tree.path(".git")).unwrap();
    std::fs::write(tree.path("../ignore-all"), "*\n").unwrap();
    let config = format!("[core]\nexcludesFile = {}\n", tree.path("../ignore-all").display());
    std::fs::write(tree.path("../gitconfig"), config).unwrap();
    let mut command: Command = program(&tree.root());
    command.arg("run").env("GIT_CONFIG_GLOBAL", tree.path("../gitconfig")).env("PATH", "");
    let ran = Ran::of(&command.output().unwrap()).ends(0);
    assert_eq!(ran.out, tree.run("run").out);
}

/// A tree under a parent that would hide it.
#[test]
fn a_parent_s_ignore_file_changes_nothing() {
    let tree: Tree = approved_garden();
    std::fs::write(tree.path("../.gitignore"), "*\n").unwrap();
    std::fs::write(tree.path("../.ignore"), "*\n").unwrap();
    tree.run("run --require-baseline").ends(0);
}

#[test]
fn a_renamed_target_is_named_as_a_stale_suite_and_not_as_a_worse_ranking() {
    let tree = approved_garden();
    let page = tree.read("docs/bees.md");
    std::fs::remove_file(tree.path("docs/bees.md")).unwrap();
    tree.write("docs/honey.md", page);
    tree.run("run").ends(1).says(&["not in the tree any more", "hive: docs/bees.md", "rankhold suite lint"]);
    tree.run("suite lint").ends(2).says(&["docs/bees.md"]);
    tree.run("approve --by Ada").ends(0).says(&["warning: 1 case asks for targets that are not in the tree"]);
    tree.run("run").ends(0).says(&["1 case asks for targets that are not in the tree"]);
}

#[test]
fn a_first_run_lists_what_it_did_not_find() {
    let tree = garden();
    let cases = [
        ("graft", "graft an apple tree", "docs/apples.md"),
        ("wrong", "graft an apple tree", "docs/gone.md"),
    ];
    tree.write("suites/garden.json", suite("Garden", &cases));
    tree.run("run").ends(0).says(&[
        "Outside the top 3 (1)",
        "wrong",
        "docs/gone.md (not in the tree)",
        "rankhold explain wrong",
        "rankhold suite lint",
    ]);
}
