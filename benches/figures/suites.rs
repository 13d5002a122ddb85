//! Queries that a reader of the tree might ask, made from its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::tree::Tree;

/// One query in three is a name, one a path, one a few words of prose or code.
pub(crate) fn queries(tree: &Tree, count: usize) -> Vec<String> {
    let files = &tree.files;
    (0..count)
        .map(|at| {
            let file = &files[at * 37 % files.len()];
            let text = String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
            let words = |most: usize| {
                let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
                let words = words.filter(|word| word.len() > 3).skip(at % 23).step_by(5).take(most);
                words.collect::<Vec<_>>().join(" ")
            };
            let query = match at % 3 {
                0 => words(1),
                1 => String::new(),
                _ => words(5),
            };
            if query.is_empty() { name(tree, file) } else { query }
        })
        .collect()
}

/// Writes them as a suite beside the tree.
pub(crate) fn write(folder: &Path, tree: &Tree, count: usize) -> PathBuf {
    let queries = queries(tree, count);
    let case = |(at, query): (usize, &String)| {
        let target = name(tree, &tree.files[at * 37 % tree.files.len()]);
        json!({ "id": format!("c{at}"), "input": query, "metadata": { "expectedTargets": [target] } })
    };
    let cases: Vec<_> = queries.iter().enumerate().map(case).collect();
    let suite = json!({ "evalFormatVersion": "2026-04", "name": "bench", "cases": cases });
    let file = folder.join(format!("suite-{count}.json"));
    fs::write(&file, suite.to_string()).unwrap();
    file
}

/// Writes so many cases with one target.
pub(crate) fn write_cases(folder: &Path, name: &str, count: usize, target: &str) -> PathBuf {
    let case = |at| json!({ "id": format!("c{at}"), "input": format!("query {at}"), "metadata": { "expectedTargets": [target] } });
    let cases: Vec<_> = (0..count).map(case).collect();
    let file = folder.join(format!("suite-{name}.json"));
    fs::write(&file, json!({ "evalFormatVersion": "2026-04", "name": name, "cases": cases }).to_string())
        .unwrap();
    file
}

/// What the queries of the last run took, all together.
pub(crate) fn queries_time(folder: &Path, retriever: &str) -> Duration {
    let results = fs::read_dir(folder.join("results")).unwrap().map(|entry| entry.unwrap().path());
    let ending = format!(".{retriever}.timings.json");
    let file = results.into_iter().find(|path| path.to_string_lossy().ends_with(&ending)).unwrap();
    let timings: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let each = timings["queriesUs"].as_array().unwrap().iter();
    Duration::from_micros(each.map(|us| us.as_u64().unwrap()).sum())
}

fn name(tree: &Tree, file: &Path) -> String {
    file.strip_prefix(&tree.root).unwrap().to_string_lossy().replace('\\', "/")
}
