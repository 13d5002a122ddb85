//! What is searched, and what never is.
#![expect(clippy::disallowed_methods, reason = "tests write trees")]

use std::path::Path;

use rankhold::artifact::CorpusRules;
use rankhold::corpus::{Corpus, CorpusError, Hidden, LeftOut};
use rankhold::name::Name;

use crate::program::{Tree, garden};

fn rules() -> CorpusRules {
    CorpusRules { include: vec!["**".into()], exclude: vec![], max_file_bytes: 1 << 20, entities: None }
}

fn open(root: &Path, rules: &CorpusRules) -> Corpus {
    Corpus::open(root, rules, &Hidden::default(), 2).unwrap()
}

fn paths(corpus: &Corpus) -> Vec<&str> {
    corpus.entries().iter().map(|entry| entry.path.as_str()).collect()
}

#[test]
fn ignore_files_inside_the_tree_count_and_hidden_files_are_in() {
    let tree = Tree::new(&[
        (".gitignore", "target/\n*.log\n"),
        ("a.log", "x"),
        ("target/build.rs", "untracked and ignored"),
        ("src/.ignore", "gen.rs\n"),
        ("src/gen.rs", "x"),
        ("src/main.rs", "fn main() {}"),
        (".github/workflows/ci.yml", "on: push"),
        (".git/config", "[core]"),
        ("sub/.git", "gitdir: elsewhere"),
        ("untracked.txt", "not in git, not ignored"),
    ]);
    let corpus = open(&tree.root(), &rules());
    assert_eq!(
        paths(&corpus),
        [".github/workflows/ci.yml", ".gitignore", "src/.ignore", "src/main.rs", "untracked.txt"]
    );
}

#[test]
fn binary_and_large_files_and_answer_files_are_left_out_and_said() {
    let tree = Tree::new(&[("a.txt", "text"), ("suite.json", r#"{"evalFormatVersion": "2026-04"}"#)]);
    tree.write("bin.dat", b"ab\0cd");
    tree.write("large.txt", vec![b'x'; 200]);
    let corpus = open(&tree.root(), &CorpusRules { max_file_bytes: 100, ..rules() });
    assert_eq!(paths(&corpus), ["a.txt"]);
    let left_out: Vec<_> = corpus.left_out().iter().map(|(path, why)| (path.as_str(), *why)).collect();
    assert_eq!(
        left_out,
        [("bin.dat", LeftOut::Binary), ("large.txt", LeftOut::TooLarge), ("suite.json", LeftOut::AnswerFile)]
    );
}

#[test]
fn include_and_exclude_are_globs_from_the_root() {
    let tree = Tree::new(&[("docs/a.md", "x"), ("docs/deep/b.md", "x"), ("vendor/c.md", "x"), ("d.rs", "x")]);
    let only = |include: &[&str], exclude: &[&str]| {
        let own = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
        let rules = CorpusRules { include: own(include), exclude: own(exclude), ..rules() };
        paths(&open(&tree.root(), &rules)).join(" ")
    };
    assert_eq!(only(&["**"], &["vendor/**"]), "d.rs docs/a.md docs/deep/b.md");
    assert_eq!(only(&["docs/*.md"], &[]), "docs/a.md");
    assert_eq!(only(&["**/*.md"], &["docs/deep/**", "vendor/**"]), "docs/a.md");
    let bad = CorpusRules { exclude: vec!["a[".into()], ..rules() };
    let error = Corpus::open(&tree.root(), &bad, &Hidden::default(), 1).unwrap_err();
    assert!(matches!(error, CorpusError::Glob { field: "exclude", .. }), "{error}");
}

#[test]
fn the_digest_sees_paths_sizes_and_bytes_and_nothing_else() {
    let files = [("b.txt", "two"), ("a/x.txt", "one"), ("a.txt", "three")];
    let digest = |files: &[(&str, &str)], threads: usize| {
        let tree = Tree::new(files);
        Corpus::open(&tree.root(), &rules(), &Hidden::default(), threads).unwrap().digest().clone()
    };
    let shuffled: Vec<_> = files.iter().rev().copied().collect();
    assert_eq!(digest(&files, 1), digest(&shuffled, 4));
    assert_ne!(digest(&files, 1), digest(&[("b.txt", "two"), ("a/x.txt", "one"), ("a.txt", "thre3")], 1));
    assert_ne!(digest(&files, 1), digest(&[("c.txt", "two"), ("a/x.txt", "one"), ("a.txt", "three")], 1));
    // The definition, spelled out: `path NUL size NUL sha256 LF`.
    let expected = rankhold::canon::Digest::of_bytes(
        format!("a.txt\x005\x00{}\n", rankhold::canon::Digest::of_bytes(b"three")).as_bytes(),
    );
    assert_eq!(digest(&[("a.txt", "three")], 1), expected);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_and_an_unreadable_folder_is_an_error_that_names_it() {
    let tree = Tree::new(&[("a.txt", "x")]);
    std::fs::write(tree.path("../secret.txt"), "outside").unwrap();
    std::os::unix::fs::symlink(tree.path("../secret.txt"), tree.path("link.txt")).unwrap();
    std::os::unix::fs::symlink(tree.path(".."), tree.path("up")).unwrap();
    std::os::unix::fs::symlink("nowhere", tree.path("broken")).unwrap();
    assert_eq!(paths(&open(&tree.root(), &rules())), ["a.txt"]);
}

#[test]
fn hidden_paths_and_folders_are_out_of_sight() {
    let tree = Tree::new(&[("a.txt", "x"), ("baselines/b.txt", "x"), ("truth.txt", "x")]);
    let hidden = Hidden::new([Name::new("baselines"), Name::new("./truth.txt")]);
    let corpus = Corpus::open(&tree.root(), &rules(), &hidden, 1).unwrap();
    assert_eq!(paths(&corpus), ["a.txt"]);
    assert!(!corpus.knows(&Name::new("truth.txt")));
}

/// The suite holds every query word for word: it would be the best answer to each of them.
#[test]
fn a_query_s_own_text_in_its_suite_file_is_no_hit() {
    for (place, config) in [
        ("suites/garden.json", ""),
        ("quality/golden.txt", "version = 1\n[[suite]]\nname = \"garden\"\npath = \"quality/golden.txt\"\n"),
    ] {
        let tree = garden();
        let document = tree.read("suites/garden.json");
        std::fs::remove_file(tree.path("suites/garden.json")).unwrap();
        tree.write(place, &document);
        if !config.is_empty() {
            tree.write("rankhold.toml", config);
        }
        for retriever in ["bm25", "ripgrep"] {
            tree.run(&format!("run --retriever {retriever} --results ../out --json")).ends(0);
            let result =
                std::fs::read_to_string(tree.path(&format!("../out/garden.{retriever}.result.json")))
                    .unwrap();
            let stem = place.rsplit('/').next().unwrap();
            assert!(!result.contains(&format!("/{stem}\"")), "{retriever} found the suite itself: {result}");
        }
    }
}

#[test]
fn entity_records_give_hits_their_ids() {
    let tree = garden();
    let entities =
        r#"[{"id": "document:docs/bees.md", "path": "docs/bees.md", "title": "Bees", "kind": "document"}]"#;
    tree.write("docs/entities.json", entities);
    let case = crate::program::suite("Garden", &[("hive", "keeping a hive", "document:docs/bees.md")]);
    tree.write("suites/garden.json", case);
    tree.run("run").ends(0).says(&["0/1"]); // without records nothing is called that
    tree.write("rankhold.toml", "version = 1\n[corpus]\nentities = \"docs/entities.json\"\n[[suite]]\npath = \"suites/garden.json\"\n");
    tree.run("run").ends(0).says(&["1/1"]);
    tree.write("docs/entities.json", r#"[{"id": "x", "path": "../y"}]"#);
    tree.run("run").ends(2).says(&["docs/entities.json", "outside the tree"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_excluded_or_hidden_is_not_entered() {
    use std::os::unix::fs::PermissionsExt;
    let tree = garden();
    // A folder of that name can be read as an ignore file by nobody, root included.
    for folder in ["docs/private/deep", "baselines"] {
        tree.write(&format!("{folder}/.gitignore/x"), "x");
        std::fs::set_permissions(tree.path(folder), PermissionsExt::from_mode(0o000)).unwrap();
    }
    tree.run("run").ends(2).says(&["docs/private"]);
    tree.write("rankhold.toml", "version = 1\n[corpus]\nexclude = [\"docs/private/**\"]\n");
    tree.run("suite lint").ends(0);
    tree.write("rankhold.toml", "version = 1\n[corpus]\nexclude = [\"**/deep/**\"]\n");
    tree.run("suite lint").ends(0);
    // A glob that covers the folder's own name says nothing about what is in it.
    tree.write("rankhold.toml", "version = 1\n[corpus]\nexclude = [\"docs/private/*\"]\n");
    tree.run("suite lint").ends(2).says(&["docs/private"]);
    for folder in ["docs/private/deep", "baselines"] {
        std::fs::set_permissions(tree.path(folder), PermissionsExt::from_mode(0o755)).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_has_another_file_s_name_is_left_out_and_said() {
    let tree = garden();
    let page = tree.read("docs/bees.md");
    for path in
        ["docs\\bees.md", "docs/x/..\\bees.md", ".\\bees.md", "docs/cafe\u{301}.md", "docs/caf\u{e9}.md"]
    {
        tree.write(path, &page);
    }
    // Stored decomposed and alone, as macOS may do: there is nothing to mistake it for.
    tree.write("docs/re\u{301}sume\u{301}.md", "# Alone\n");
    let corpus = open(&tree.root(), &rules());
    let left_out: Vec<_> = corpus.left_out().iter().map(|(path, why)| (path.as_str(), *why)).collect();
    assert_eq!(
        left_out,
        [
            (".\\bees.md", LeftOut::Backslash),
            ("docs/cafe\u{301}.md", LeftOut::SameName),
            ("docs/x/..\\bees.md", LeftOut::Backslash),
            ("docs\\bees.md", LeftOut::Backslash),
            ("suites/garden.json", LeftOut::AnswerFile),
        ]
    );
    assert!(paths(&corpus).contains(&"docs/caf\u{e9}.md"));
    assert!(paths(&corpus).contains(&"docs/re\u{301}sume\u{301}.md"));
    tree.run("run -v").ends(0).says(&["left out of the corpus: docs\\bees.md", "backslash"]);
    tree.run("suite lint").ends(0).says(&["note: docs/cafe\u{301}.md: is not searched", "0 warnings"]);
}

#[test]
fn what_suite_export_writes_and_a_killed_rankhold_leaves_is_not_searched() {
    let tree = garden();
    let files = |tree: &Tree| tree.run("run --json").ends(0).json()["pairs"][0]["identity"].to_string();
    let before = files(&tree);
    for (format, out) in [
        ("queries", "gold"),
        ("trec", "trec"),
        ("beir", "beir"),
        ("csv", "tables/suite.csv"),
        ("open-eval", "copy.json"),
    ] {
        tree.run(&format!("suite export suites/garden.json --to {format} --out {out}")).ends(0);
    }
    tree.run("run --format json --results ../out").ends(0);
    tree.write("old-report.json", tree.run("run --json").ends(0).out);
    tree.write("suites/.rankhold-Ab3xYz", tree.read("suites/garden.json"));
    tree.write("docs/.rankhold-q", "schedule_watering");
    assert_eq!(files(&tree), before, "the corpus is another one");
    tree.run("suite lint").ends(0).says(&["note: docs/.rankhold-q: is not searched", "can be removed"]);
}

#[cfg(unix)]
#[test]
fn our_own_output_redirected_into_the_tree_is_not_searched() {
    let tree = garden();
    let run = |out: &str| {
        let log = std::fs::File::create(tree.path(out)).unwrap();
        // Something is there before the tree is read.
        std::io::Write::write_all(&mut &log, b"graft an apple tree, keeping a hive, schedule_watering\n")
            .unwrap();
        let mut command = crate::program::program(&tree.root());
        let ran = command.args(["run", "--json", "--results", "../out"]);
        ran.stdout(log.try_clone().unwrap()).stderr(log).status().unwrap();
        std::fs::remove_file(tree.path(out)).unwrap();
        std::fs::read_to_string(tree.path("../out/garden.bm25.result.json")).unwrap()
    };
    let outside = run("../log.txt");
    assert_eq!(run("log.txt"), outside);
    assert_eq!(run("docs/log.md"), outside);
}

#[test]
fn lint_warns_of_a_file_that_asks_what_the_suite_asks() {
    let tree = garden();
    let cases: Vec<_> = (0..12).map(|at| format!("where is number {at} of these")).collect();
    let cases: Vec<_> = cases.iter().map(|query| (query.as_str(), query.as_str(), "docs/bees.md")).collect();
    tree.write("suites/garden.json", crate::program::suite("Garden", &cases));
    tree.run("suite lint").ends(0).says(&["0 warnings"]);
    tree.write("docs/notes.md", tree.read("suites/garden.json"));
    tree.write("docs/few.md", "where is number 1 of these? where is number 2 of these?");
    let said = tree.run("suite lint").ends(0).says(&[
        "1 warning,",
        "docs/notes.md: holds 12 of the 12 queries",
        "exclude",
    ]);
    assert!(!said.out.contains("few.md"), "{}", said.out);
    tree.write("rankhold.toml", "version = 1\n[corpus]\nexclude = [\"docs/notes.md\"]\n");
    tree.run("suite lint").ends(0).says(&["0 warnings"]);
}
