//! The order of the modules, and that whoever adds something has added all of it. `docs/architecture.md` is the law.

use std::collections::BTreeSet;

use rankhold::retriever::RETRIEVERS;

use crate::pages::{files, files_of, page};

/// A source file without its tests and comments.
struct Source {
    path: String,
    /// The module of the crate it belongs to: `gate` of `src/gate/verdict.rs`.
    module: String,
    lines: Vec<(usize, String)>,
}

fn sources() -> Vec<Source> {
    let paths = files_of("src", "rs").into_iter().filter(|path| !path.ends_with("/tests.rs"));
    paths.map(|path| Source::read(&path)).collect()
}

impl Source {
    fn read(path: &str) -> Self {
        let text = page(path).text;
        let code_lines = text.lines().zip(text.lines().skip(1).chain([""]));
        let before_tests =
            code_lines.take_while(|(line, next)| !opens_tests(line, next)).map(|(line, _)| line);
        let lines = before_tests.enumerate().map(|(at, line)| (at + 1, code(line).to_owned()));
        let module = path.trim_start_matches("src/").split(['/', '.']).next().unwrap();
        Self { path: path.to_owned(), module: module.to_owned(), lines: lines.collect() }
    }

    /// The modules of the crate that it names, each with the line.
    fn imports(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        let text: String = self.lines.iter().map(|(_, line)| line.clone() + "\n").collect();
        for (at, _) in text.match_indices("crate::") {
            let joined = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
            if joined {
                continue;
            }
            let line = text[..at].matches('\n').count() + 1;
            let rest = &text[at + "crate::".len()..];
            found.extend(first_names(rest).into_iter().map(|name| (line, name)));
        }
        found
    }
}

/// `#[cfg(test)]` or `#[cfg(all(test, unix))]` before a module: the rest of the file is its tests.
fn opens_tests(line: &str, next: &str) -> bool {
    line.starts_with("#[cfg(") && line.contains("test") && next.starts_with("mod ")
}

/// A line without its comment. A `//` in a string cuts the line too, which loses an import at most.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// `a::b` → a; `{a::{b, c}, d}` → a and d.
fn first_names(path: &str) -> Vec<String> {
    let name = |text: &str| {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
    };
    let Some(group) = path.trim_start().strip_prefix('{') else { return vec![name(path)] };
    let mut names = vec![name(group)];
    let mut depth = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(name(&group[at + 1..])),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The modules in the order of the table in docs/architecture.md.
fn order() -> Vec<String> {
    let text = page("docs/architecture.md").text;
    let table = text.split("| module | what belongs there |").nth(1).unwrap().split("\n\n").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('|').next());
    rows.flat_map(|cell| cell.split('`').step_by(2).map(|name| name.trim_end_matches('/').to_owned()))
        .filter(|name| !name.trim().is_empty() && !name.contains(','))
        .collect()
}

#[test]
fn the_table_of_modules_is_complete() {
    let declared: BTreeSet<_> = page("src/lib.rs")
        .text
        .lines()
        .filter_map(|line| Some(line.strip_prefix("pub mod ")?.trim_end_matches(';').to_owned()))
        .collect();
    let order = order();
    let listed: BTreeSet<_> = order.iter().cloned().collect();
    assert_eq!(listed, declared, "left the table of docs/architecture.md, right src/lib.rs");
    assert_eq!(order.len(), listed.len(), "a module has one place: {order:?}");
}

/// What ends on the terminal is an error's message and that of each of its sources.
#[test]
fn an_error_does_not_say_what_its_source_says() {
    let interpolates = |line: &&(usize, String)| line.1.contains("#[error(") && line.1.contains("{source}");
    let twice: Vec<String> = sources()
        .iter()
        .flat_map(|source| {
            source.lines.iter().filter(interpolates).map(|(line, _)| format!("{}:{line}", source.path))
        })
        .collect();
    assert_eq!(twice, Vec::<String>::new(), "these messages are printed twice");
}

#[test]
fn a_module_imports_only_what_comes_before_it() {
    let order = order();
    let place = |module: &str| order.iter().position(|name| name == module);
    let mut violations = Vec::new();
    for source in sources() {
        let Some(own) = place(&source.module) else { continue }; // main and lib
        for (line, imported) in source.imports() {
            match place(&imported) {
                Some(other) if other <= own => {}
                Some(_) => violations.push(format!(
                    "{}:{line}: `{}` imports `{imported}`, which comes after it",
                    source.path, source.module
                )),
                None => violations.push(format!("{}:{line}: crate::{imported} is no module", source.path)),
            }
        }
    }
    assert!(violations.is_empty(), "against the order of docs/architecture.md: {violations:#?}");
}

#[test]
fn the_core_lifts_no_ban() {
    let order = order();
    let core = &order[..order.iter().position(|module| module == "config").unwrap()];
    for source in sources().iter().filter(|source| core.contains(&source.module)) {
        for (line, text) in &source.lines {
            assert!(
                !text.contains("clippy::disallowed_methods"),
                "{}:{line}: `{}` is core: values in, values out (clippy.toml says what it may not call)",
                source.path,
                source.module
            );
        }
    }
}

#[test]
fn nothing_is_left_undone_or_hushed() {
    let banned = [
        ("todo!(", "write it"),
        ("unimplemented!(", "write it"),
        ("dbg!(", "take it out"),
        (".unwrap()", "`expect` with the invariant, or an error"),
        ("#[allow(", "`#[expect(lint, reason = …)]`"),
        ("#![allow(", "`#![expect(lint, reason = …)]`"),
    ];
    let mut found = Vec::new();
    for source in sources() {
        for (line, text) in &source.lines {
            for (word, instead) in banned.iter().filter(|(word, _)| text.contains(word)) {
                found.push(format!("{}:{line}: {word} (instead: {instead})", source.path));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_file_of_a_metric_has_a_row_in_the_table() {
    let table = page("src/metric/mod.rs").text;
    let table = table.split("pub static METRICS").nth(1).unwrap().split("];").next().unwrap();
    for source in sources().iter().filter(|source| source.module == "metric") {
        let metric = source.lines.iter().any(|(_, line)| line.contains("impl Metric for "));
        let name = source.path.trim_start_matches("src/metric/").trim_end_matches(".rs");
        assert!(
            !metric || table.contains(&format!("&{name}::")),
            "{}: holds a metric that METRICS of src/metric/mod.rs does not list",
            source.path
        );
    }
}

/// The places under `src/retriever` where a retriever may live: `worker/`, `replay.rs`.
fn implementations() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for source in sources().iter().filter(|source| source.module == "retriever") {
        if source.lines.iter().any(|(_, line)| line.contains("impl Retriever for ")) {
            let below = source.path.trim_start_matches("src/retriever/");
            names.insert(below.split('/').next().unwrap().trim_end_matches(".rs").to_owned());
        }
    }
    names
}

/// As a file spells the name of a kind.
fn file_name(kind: &str) -> String {
    kind.replace('-', "_")
}

#[test]
fn every_retriever_has_a_row_in_the_table_and_every_row_its_source() {
    let sources = files("src/retriever");
    let places = |kind: &str| {
        let (file, folder) = (format!("/{}.rs", file_name(kind)), format!("/{}/", file_name(kind)));
        sources.iter().any(|path| path.ends_with(&file) || path.contains(&folder))
    };
    for kind in RETRIEVERS {
        let preset = format!("src/retriever/known/{}.toml", kind.name);
        assert!(
            places(kind.name)
                || (kind.preset().is_some() && files_of("src/retriever", "toml").contains(&preset)),
            "{}: neither a file nor a folder of src/retriever is called so",
            kind.name
        );
    }
    for name in implementations() {
        let below = format!("src/retriever/{name}/");
        let rows = RETRIEVERS.iter().map(|kind| file_name(kind.name));
        let row = rows
            .into_iter()
            .any(|kind| kind == name || sources.iter().any(|path| *path == format!("{below}{kind}.rs")));
        assert!(row, "src/retriever/{name}: RETRIEVERS of src/retriever/table.rs has no row for it");
    }
}

#[test]
fn every_retriever_has_its_tests_and_its_row_in_the_docs() {
    let tests: Vec<_> = files("tests/it").into_iter().chain(files("src/retriever")).collect();
    let docs = page("docs/architecture.md").text;
    let transcripts = page("tests/it/transcripts.rs").text;
    for kind in RETRIEVERS {
        let name = file_name(kind.name);
        let own = [format!("tests/it/{name}.rs"), format!("src/retriever/{name}/tests.rs")];
        let tested =
            tests.iter().any(|path| own.contains(path) || path.starts_with(&format!("tests/it/{name}/")));
        // A preset is tested by what its tool printed.
        let read = kind.preset().is_some() && transcripts.contains(&format!("kind: \"{}\"", kind.name));
        assert!(tested || read, "{}: no tests; write {}", kind.name, own[0]);
        assert!(
            docs.contains(&format!("| `{}` |", kind.name)),
            "{}: docs/architecture.md has no row",
            kind.name
        );
    }
}

#[test]
fn imports_are_read_in_every_form() {
    assert_eq!(first_names("gate::{self, Policy};"), ["gate"]);
    assert_eq!(first_names("{gate::{Policy, judge}, name::Name};"), ["gate", "name"]);
    assert_eq!(first_names("{\n    cli,\n    files::read,\n};"), ["cli", "files"]);
    assert_eq!(code("use a; // crate::app"), "use a; ");
}
