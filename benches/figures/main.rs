//! The figures of docs/benchmarks.md: `cargo bench --bench figures`.
//!
//! Times of one machine say little about another, so every figure is a ratio of two things measured here, in turn, in
//! one go. Nothing fails when a target is not reached; the line says so. `-- PART…` measures only those parts.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark starts programs, reads the clock and prints; it ends where something is wrong"
)]

mod child;
mod machine;
mod passes;
mod suites;
mod tree;

use std::path::{Path, PathBuf};

use child::{Usage, rankhold, rankhold_with};
use passes::Ripgrep;
use tree::Tree;

/// How often each side of a ratio is measured.
const ROUNDS: usize = 5;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let one = Tree::make(&folder.path().join("one"), 2_000, 1);
    let two = Tree::make(&folder.path().join("two"), 2_000, 2);
    let ripgrep = Ripgrep::find();
    println!("{}", machine::describe());
    println!("{one}");
    println!("{ripgrep}\n");

    let parts: [(&str, &dyn Fn()); 5] = [
        ("whole", &|| whole_process(folder.path(), &one, &ripgrep)),
        ("embedded", &|| query_by_query(folder.path(), &one, &ripgrep)),
        ("growth", &|| ["bm25", "ripgrep"].iter().for_each(|name| growth(folder.path(), name, &one, &two))),
        ("external", &|| process_by_process(folder.path(), &one, &ripgrep)),
        ("flood", &|| flooded(folder.path())),
    ];
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let Some(unknown) = wanted.iter().find(|name| !parts.iter().any(|(part, _)| part == name)) {
        let known = parts.map(|(part, _)| part).join(", ");
        println!("there is no part `{unknown}`; there are {known}");
        std::process::exit(2);
    }
    for (part, measure) in parts {
        if wanted.is_empty() || wanted.iter().any(|name| name == part) {
            measure();
        }
    }
    println!("\n{}", machine::load());
}

/// A whole run against one pass over the same files.
fn whole_process(folder: &Path, tree: &Tree, ripgrep: &Ripgrep) {
    let suite = suites::write(folder, tree, 60);
    for retriever in ["bm25", "ripgrep"] {
        let run = || rankhold(folder, tree, retriever, &suite);
        let pass = || ripgrep.count_lines(&tree.root);
        let [run, pass] = in_turn([&run, &pass]);
        let what =
            format!("{retriever}: 60 queries over {} files / one pass of {ripgrep:#}", tree.files.len());
        at_most(&what, ratio(&run, &pass), 25.0, &run, &pass);
    }
}

/// 200 queries in one process against one process for each.
fn query_by_query(folder: &Path, tree: &Tree, ripgrep: &Ripgrep) {
    let queries = suites::queries(tree, 200);
    let suite = suites::write(folder, tree, 200);
    if !ripgrep.is_there() {
        println!("not measured: 200 queries, one rg process each (no rg in PATH)");
        return;
    }
    let each = || ripgrep.ask_each(&tree.root, &queries);
    let all = || rankhold(folder, tree, "ripgrep", &suite);
    let [many, one] = in_turn([&each, &all]);
    at_least("200 queries, one rg process each / ripgrep embedded", ratio(&many, &one), 5.0, &many, &one);
}

/// Twice the files, twice the queries, and memory.
fn growth(folder: &Path, retriever: &str, one: &Tree, two: &Tree) {
    let (few, many) = (suites::write(folder, one, 600), suites::write(folder, one, 1_200));
    let plain = || rankhold(folder, one, retriever, &few);
    let files = || rankhold(folder, two, retriever, &few);
    let queries = || rankhold(folder, one, retriever, &many);
    let [plain, files, queries] = in_turn([&plain, &files, &queries]);
    let count = one.files.len();
    at_most(
        &format!("{retriever}: {} files / {count} files, 600 queries", two.files.len()),
        ratio(&files, &plain),
        2.2,
        &files,
        &plain,
    );
    at_most(
        &format!("{retriever}: 1200 queries / 600 queries, {count} files"),
        ratio(&queries, &plain),
        2.2,
        &queries,
        &plain,
    );
    for (tree, runs) in [(one, &plain), (two, &files)] {
        let Some(peak) = runs.iter().filter_map(|run| run.peak_bytes).max() else {
            println!("not measured: memory of {retriever} (no /proc here)");
            continue;
        };
        let what = format!("{retriever}: peak memory / text, {} files", tree.files.len());
        let note = format!("{} MB / {} MB", peak / 1_000_000, tree.bytes / 1_000_000);
        line(&what, float(peak) / float(tree.bytes), "≤", 3.0, &note);
    }
}

/// 200 queries through the preset for `rg` against a bare loop that starts the same processes and reads what they print.
/// What comes before and after the queries (looking at the tool, the copy of the corpus, the result) is left out.
fn process_by_process(folder: &Path, tree: &Tree, ripgrep: &Ripgrep) {
    if !ripgrep.is_there() {
        println!("not measured: 200 queries through rg (no rg in PATH)");
        return;
    }
    let queries = suites::queries(tree, 200);
    let suite = suites::write(folder, tree, 200);
    let through = || {
        let config = folder.join("rg.toml");
        let entry = format!(
            "version = 1\n[[retriever]]\nname = \"rg\"\nrun-timeout = \"30m\"\nmax-output = \"1GiB\"\nargv = {}\n",
            ripgrep.argv()
        );
        std::fs::write(&config, entry).unwrap();
        rankhold_with(folder, tree, "rg", &suite, Some(&config));
        Usage { time: suites::queries_time(folder, "rg"), peak_bytes: None }
    };
    // Each event names a path below the root: a root with as long a name as that of Rankhold's copy makes as many bytes.
    let twin = tempfile::Builder::new().prefix("rankhold-").rand_bytes(12).tempdir().unwrap();
    let root = same_tree(&tree.root, &twin.path().join("_"));
    let bare = || ripgrep.ask_as_the_preset(&root, &queries);
    let [through, bare] = in_turn([&through, &bare]);
    at_most(
        "200 queries through rg / a bare loop of the same processes",
        ratio(&through, &bare),
        1.05,
        &through,
        &bare,
    );
}

/// The tree by another name, where trees have several.
fn same_tree(tree: &Path, name: &Path) -> PathBuf {
    #[cfg(unix)]
    std::os::unix::fs::symlink(tree, name).unwrap();
    if name.exists() { name.to_owned() } else { tree.to_owned() }
}

/// Peak memory while a tool prints 15 MB for each query, against the limit of its output.
fn flooded(folder: &Path) {
    let root = folder.join("flooded");
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("a.md"), "alpha\n").unwrap();
    let code = "x".repeat(50_000);
    let hits: Vec<_> =
        (0..300).map(|at| serde_json::json!({ "path": format!("f{at}.rs"), "code": code })).collect();
    let answer = folder.join("answer.json");
    std::fs::write(&answer, serde_json::Value::from(hits).to_string()).unwrap();
    let config = folder.join("flooded.toml");
    let argv = serde_json::json!(["sh", "-c", "cat \"$0\"", answer, "{query}"]);
    std::fs::write(
        &config,
        format!("version = 1\n[[retriever]]\nname = \"flood\"\nkind = \"command\"\nargv = {argv}\n"),
    )
    .unwrap();
    let tree = Tree::there(&root);
    let suite = suites::write_cases(folder, "flood", 20, "a.md");
    let run = rankhold_with(folder, &tree, "flood", &suite, Some(&config));
    let Some(peak) = run.peak_bytes else {
        println!("not measured: memory beside a tool that prints much (no /proc here)");
        return;
    };
    let note = format!("{} MB / 16 MiB", peak / 1_000_000);
    line(
        "peak memory / limit of output, 20 queries of 15 MB each",
        float(peak) / float(16 << 20),
        "≤",
        5.0,
        &note,
    );
}

/// Measures each in turn, round after round, so that a busy moment meets all of them; the first round only warms up.
fn in_turn<const N: usize>(sides: [&dyn Fn() -> Usage; N]) -> [Vec<Usage>; N] {
    for side in sides {
        side();
    }
    let mut runs: [Vec<Usage>; N] = std::array::from_fn(|_| Vec::new());
    for _ in 0..ROUNDS {
        for (side, runs) in sides.iter().zip(&mut runs) {
            runs.push(side());
        }
    }
    runs
}

/// The median of the rounds' ratios.
fn ratio(above: &[Usage], below: &[Usage]) -> f64 {
    let mut ratios: Vec<f64> =
        above.iter().zip(below).map(|(a, b)| a.time.as_secs_f64() / b.time.as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

fn at_most(what: &str, figure: f64, target: f64, above: &[Usage], below: &[Usage]) {
    line(what, figure, "≤", target, &medians(above, below));
}

fn at_least(what: &str, figure: f64, target: f64, above: &[Usage], below: &[Usage]) {
    line(what, figure, "≥", target, &medians(above, below));
}

fn line(what: &str, figure: f64, sign: &str, target: f64, note: &str) {
    let reached = if sign == "≤" { figure <= target } else { figure >= target };
    let word = if reached { "reached" } else { "NOT REACHED" };
    println!("{what:66} {figure:6.2}  {sign} {target:4}  {word:11}  ({note})");
}

fn medians(above: &[Usage], below: &[Usage]) -> String {
    let median = |runs: &[Usage]| {
        let mut times: Vec<_> = runs.iter().map(|run| run.time.as_millis()).collect();
        times.sort_unstable();
        times[times.len() / 2]
    };
    format!("{} ms / {} ms", median(above), median(below))
}

#[expect(clippy::cast_precision_loss, reason = "a ratio of two sizes")]
fn float(bytes: u64) -> f64 {
    bytes as f64
}
