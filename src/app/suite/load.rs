//! Finds the files of a suite, whatever its format, and reads them.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Blame, Blamed, Failure};
use crate::files::{MAX_BYTES, read};
use crate::suite::{Format, Loaded, Source, SuiteError, beir, csv, open_eval, queries_truth, trec};

/// A file with its content.
struct Read {
    name: String,
    bytes: Vec<u8>,
}

impl Read {
    fn from(path: &Path) -> Result<Self, Failure> {
        Ok(Self { name: path.display().to_string(), bytes: read(path, MAX_BYTES)? })
    }

    fn source(&self) -> Source<'_> {
        Source { name: &self.name, bytes: &self.bytes }
    }
}

/// Reads a suite from its files. Of a format with several files one, or their folder, is enough if the others have
/// their usual names; without `from` the format is guessed from the names.
pub fn load(files: &[PathBuf], from: Option<&str>) -> Result<Loaded, Failure> {
    let format = match from {
        Some(name) => Format::by_name(name)?.name,
        None => guess(files),
    };
    let name = suite_name(files);
    let label = |error: SuiteError| error.labelled(label(files));
    Ok(match format {
        "queries" => {
            let [queries, truth] = pair(files, ["queries.json", "groundtruth.json"], swap_truth)?;
            queries_truth::parse(&name, queries.source(), truth.source()).map_err(label)?
        }
        "trec" => {
            let [topics, qrels] = pair(files, ["topics.tsv", "qrels.txt"], swap_qrels)?;
            trec::parse(&name, Some(topics.source()), qrels.source(), 1).map_err(label)?
        }
        "beir" => {
            let (queries, qrels) = beir_files(files)?;
            let qrels: Vec<_> = qrels.iter().map(Read::source).collect();
            beir::parse(&name, queries.source(), &qrels, 1).map_err(label)?
        }
        "csv" => csv::parse(&name, only(files)?.source()).map_err(label)?,
        _ => open_eval::parse(&only(files)?.bytes).map_err(label)?,
    })
}

/// What messages call these files together.
pub(super) fn label(files: &[PathBuf]) -> String {
    files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" + ")
}

fn guess(files: &[PathBuf]) -> &'static str {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let names: Vec<_> = files.iter().map(name).collect();
    let any = |ends: &[&str]| names.iter().any(|name| ends.iter().any(|end| name.ends_with(end)));
    let is_beir = |path: &PathBuf| path.join("queries.jsonl").is_file();
    if any(&[".jsonl"]) || files.iter().any(is_beir) {
        "beir"
    } else if any(&["queries.json", "groundtruth.json"]) {
        "queries"
    } else if any(&["topics.tsv", "qrels.txt", ".qrels", ".topics", ".trec"]) {
        "trec"
    } else if any(&[".csv", ".tsv"]) {
        "csv"
    } else {
        "open-eval"
    }
}

/// The stem of the file, or the folder's name where that says more.
fn suite_name(files: &[PathBuf]) -> String {
    let Some(path) = files.first() else { return "suite".to_owned() };
    let text = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
    let stem = text(path.file_stem()).unwrap_or_default();
    let folder = || text(path.parent().and_then(Path::file_name));
    let says_nothing = ["queries", "topics", "qrels", "groundtruth", "suite"].contains(&stem.as_str());
    if says_nothing { folder().unwrap_or(stem) } else { stem }
}

fn only(files: &[PathBuf]) -> Result<Read, Failure> {
    match files {
        [path] => Read::from(path),
        _ => Err(Companions { wanted: "one file".to_owned(), given: files.len() }.into()),
    }
}

/// Two files: both given, both in a folder under their usual names, or one with the other beside it.
fn pair(
    files: &[PathBuf],
    usual: [&str; 2],
    swap: fn(&str) -> Option<[String; 2]>,
) -> Result<[Read; 2], Failure> {
    let [first, second] = match files {
        [first, second] => [first.clone(), second.clone()],
        [folder] if folder.is_dir() => usual.map(|name| folder.join(name)),
        [path] => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            swap(&name).unwrap_or_else(|| [name, usual[1].to_owned()]).map(|name| path.with_file_name(name))
        }
        _ => {
            let wanted = format!("{} and {}, or their folder", usual[0], usual[1]);
            return Err(Companions { wanted, given: files.len() }.into());
        }
    };
    Ok([Read::from(&first)?, Read::from(&second)?])
}

fn swap_truth(name: &str) -> Option<[String; 2]> {
    swap(name, "groundtruth", "queries")
}

fn swap_qrels(name: &str) -> Option<[String; 2]> {
    swap(name, "qrels", "topics").map(|[topics, qrels]| {
        let with = |name: String, old: &str, new: &str| {
            name.strip_suffix(old)
                .filter(|stem| *stem == "topics" || *stem == "qrels")
                .map(|stem| stem.to_owned() + new)
        };
        [
            with(topics.clone(), ".txt", ".tsv").unwrap_or(topics),
            with(qrels.clone(), ".tsv", ".txt").unwrap_or(qrels),
        ]
    })
}

/// The names of both files from the name of either.
fn swap(name: &str, second: &str, first: &str) -> Option<[String; 2]> {
    if name.contains(second) {
        Some([name.replace(second, first), name.to_owned()])
    } else {
        name.contains(first).then(|| [name.to_owned(), name.replace(first, second)])
    }
}

/// `queries.jsonl` with every table in `qrels` beside it, or with the tables given.
fn beir_files(files: &[PathBuf]) -> Result<(Read, Vec<Read>), Failure> {
    let Some((first, tables)) = files.split_first() else {
        return Err(Companions { wanted: "queries.jsonl or its folder".to_owned(), given: 0 }.into());
    };
    let queries = if first.is_dir() { first.join("queries.jsonl") } else { first.clone() };
    let tables = if tables.is_empty() {
        let beside = queries.with_file_name("qrels");
        tables_in(&beside).map_err(|source| Unlistable { folder: beside, source })?
    } else {
        tables.to_vec()
    };
    let tables = tables.iter().map(|path| Read::from(path)).collect::<Result<_, _>>()?;
    Ok((Read::from(&queries)?, tables))
}

fn tables_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = folder.read_dir()?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<_> = paths.collect::<io::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "tsv"));
    paths.sort();
    Ok(paths)
}

/// The folder of judgements is not there.
#[derive(Debug, thiserror::Error)]
#[error("{folder}: the judgements should be here", folder = folder.display())]
struct Unlistable {
    folder: PathBuf,
    source: io::Error,
}

impl Blamed for Unlistable {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some("put BEIR's qrels/*.tsv beside queries.jsonl, or name the tables".to_owned())
    }
}

/// A format is made of other files than were given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this format is read from {wanted}, but {given} files were given")]
struct Companions {
    wanted: String,
    given: usize,
}

impl Blamed for Companions {
    fn blame(&self) -> Blame {
        Blame::User
    }
}
