//! A table with a header: `id`, `query`, `targets` (or `target`; separated by `;` or `|`), `lang`, `kind`.
//! `forbiddenTargets`, `expectNoResult` and `critical` mean what they mean in the native form; any other column goes into
//! `metadata` as text. An empty cell says nothing; without an `id` column the query's text is the id.

use csv::{ReaderBuilder, StringRecord};
use serde_json::{Map, Value};

use super::error::Problems;
use super::export::{Exported, Losses};
use super::open_eval::{METADATA_KEYS, convert};
use super::source::{Source, native};
use super::{Loaded, Place, Suite, SuiteError, json};
use crate::name::Name;

/// What the column of right answers may be called: as it is written, as the command line calls one, as the native form
/// does.
const TARGETS: [&str; 3] = ["targets", "target", "expectedTargets"];

/// What the cells of a column become.
enum Column {
    Id,
    Query,
    /// Names, separated.
    Names(&'static str),
    /// true or false.
    Flag(&'static str),
    /// Text, under that key of `metadata`.
    Text(String),
}

/// Reads a table as a suite of that name. Comma, semicolon or tab: whichever the header uses.
pub fn parse(name: &str, source: Source<'_>) -> Result<Loaded, SuiteError> {
    let text = json::text(source.bytes).map_err(|error| error.within(source.name))?;
    let mut reader = ReaderBuilder::new().delimiter(delimiter(text)).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| unreadable(source, &error))?.clone();
    let columns = columns(source, &header)?;
    let mut problems = Problems::default();
    let mut cases = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(source, &error))?;
        let line = record.position().map_or(0, |position| usize::try_from(position.line()).unwrap_or(0));
        match case(&columns, &record) {
            Ok(case) => cases.push(case),
            Err(message) => problems.push(source.line(line), message),
        }
    }
    problems.into_result()?;
    convert(name, cases)
}

/// The header names a column of queries and one of their right answers, as that of a suite does.
pub fn is_header(line: &str) -> bool {
    let titles: Vec<_> = line.split([',', ';', '\t']).map(|title| title.trim().trim_matches('"')).collect();
    titles.contains(&"query") && titles.iter().any(|title| TARGETS.contains(title))
}

fn delimiter(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    [b',', b'\t', b';'].into_iter().find(|delimiter| header.contains(char::from(*delimiter))).unwrap_or(b',')
}

fn unreadable(source: Source<'_>, error: &csv::Error) -> SuiteError {
    let place = match error.position() {
        Some(position) => source.line(usize::try_from(position.line()).unwrap_or(0)),
        None => source.whole(),
    };
    let message = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!(
                "has {len} cells, but the header has {expected_len}; quote a cell that holds the delimiter"
            )
        }
        _ => format!("cannot be read: {error}"),
    };
    SuiteError::one(place, message)
}

fn columns(source: Source<'_>, header: &StringRecord) -> Result<Vec<Column>, SuiteError> {
    let mut problems = Problems::default();
    let mut columns = Vec::new();
    for (at, title) in header.iter().map(str::trim).enumerate() {
        let other = header.iter().take(at).map(str::trim).find(|other| is_same_column(other, title));
        if let Some(other) = other {
            let message = if other == title {
                format!("the column `{title}` is there twice; keep one")
            } else {
                format!("the columns `{other}` and `{title}` mean the same; keep one")
            };
            problems.push(source.line(1), message);
        }
        columns.push(match title {
            "id" => Column::Id,
            "query" => Column::Query,
            _ if TARGETS.contains(&title) => Column::Names("expectedTargets"),
            "forbiddenTargets" => Column::Names("forbiddenTargets"),
            "expectNoResult" => Column::Flag("expectNoResult"),
            "critical" => Column::Flag("critical"),
            "lang" | "kind" => Column::Text(title.to_owned()),
            other if METADATA_KEYS.contains(&other) => {
                let message = format!("a table cannot hold `{other}`; write the suite as open-eval");
                problems.push(source.line(1), message);
                continue;
            }
            other => Column::Text(other.to_owned()),
        });
    }
    let mut require = |column: &str, is_there: bool| {
        if !is_there {
            let found = header.iter().collect::<Vec<_>>().join(", ");
            let message = format!(
                "there is no `{column}` column (found: {found}); the header is id,query,targets,lang,kind"
            );
            problems.push(source.line(1), message);
        }
    };
    require("query", columns.iter().any(|column| matches!(column, Column::Query)));
    // Without any of these not one case could be right or wrong, and the suite could not fail.
    let judges = |column: &Column| matches!(column, Column::Names(_) | Column::Flag("expectNoResult"));
    require("targets", columns.iter().any(judges));
    problems.into_result()?;
    Ok(columns)
}

/// Two titles of one column.
fn is_same_column(a: &str, b: &str) -> bool {
    let is_targets = |title: &str| TARGETS.contains(&title);
    a == b || (is_targets(a) && is_targets(b))
}

fn case(columns: &[Column], record: &StringRecord) -> Result<Map<String, Value>, String> {
    let (mut id, mut query) = (None, "");
    let mut metadata = Map::new();
    for (column, cell) in columns.iter().zip(record).filter(|(_, cell)| !cell.trim().is_empty()) {
        match column {
            Column::Id => id = Some(cell.trim()),
            Column::Query => query = cell,
            Column::Names(key) => {
                let names = cell.split([';', '|']).map(str::trim).filter(|name| !name.is_empty());
                metadata.insert((*key).to_owned(), names.map(Value::from).collect());
            }
            Column::Flag(key) => {
                let flag = match cell.trim().to_ascii_lowercase().as_str() {
                    "true" | "yes" | "1" => true,
                    "false" | "no" | "0" => false,
                    _ => return Err(format!("{key} is {cell:?}; write true or false")),
                };
                metadata.insert((*key).to_owned(), flag.into());
            }
            Column::Text(key) => drop(metadata.insert(key.clone(), cell.into())),
        }
    }
    if query.is_empty() {
        return Err("the query is empty; remove the line or write one".to_owned());
    }
    Ok(native(id.unwrap_or(query), query, metadata))
}

/// Writes a table; metadata that is text becomes a column.
pub fn write(suite: &Suite) -> Result<Exported, SuiteError> {
    let mut extra: Vec<&str> = Vec::new();
    let mut flags: Vec<&str> = Vec::new();
    for (key, value) in suite.cases.iter().flat_map(|case| &case.metadata) {
        let list = match key.as_str() {
            "expectNoResult" | "critical" | "forbiddenTargets" => &mut flags,
            _ if is_column(key, value) => &mut extra,
            _ => continue,
        };
        if !list.contains(&key.as_str()) {
            list.push(key);
        }
    }
    extra.sort_unstable();
    flags.sort_unstable();
    let mut losses = Losses::default();
    let mut problems = Problems::default();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut row =
        |cells: Vec<&str>| writer.write_record(cells).expect("rows are equally long and go to memory");
    row(["id", "query", "targets", "lang", "kind"]
        .into_iter()
        .chain(flags.clone())
        .chain(extra.clone())
        .collect());
    for (at, case) in suite.cases.iter().enumerate() {
        losses.count("expected", case.expected.is_some());
        losses.count("keys of their own", !case.extra.is_empty());
        losses.count("grades", !case.qrels.grades().is_empty());
        losses.count("aliases", !case.qrels.aliases().is_empty());
        losses.count("quarantine", case.quarantined.is_some());
        let others = |(key, value): (&String, &Value)| {
            !METADATA_KEYS.contains(&key.as_str()) && !is_column(key, value)
        };
        losses.count("metadata that is no text", case.metadata.iter().any(others));
        let mut names = |key: &str, names: &[Name]| {
            if let Some(name) = names.iter().find(|name| name.as_str().contains([';', '|'])) {
                let place = Place::case(at + 1, Some(&case.id.0)).field(format!("metadata.{key}"));
                problems
                    .push(place, format!("`{name}` has `;` or `|` in it, which separates names in a table"));
            }
            names.iter().map(Name::as_str).collect::<Vec<_>>().join(";")
        };
        let targets = names("expectedTargets", case.qrels.targets());
        let forbidden = names("forbiddenTargets", case.qrels.forbidden());
        let mut cells: Vec<&str> = vec![&case.id.0, &case.input, &targets];
        cells.extend(["lang", "kind"].map(|key| case.segment(key).unwrap_or_default()));
        cells.extend(flags.iter().map(|key| match (*key, case.metadata.get(*key)) {
            ("forbiddenTargets", _) => forbidden.as_str(),
            (_, Some(Value::Bool(true))) => "true",
            (_, Some(_)) => "false",
            (_, None) => "",
        }));
        cells.extend(extra.iter().map(|key| case.segment(key).unwrap_or_default()));
        row(cells);
    }
    problems.into_result()?;
    let bytes = writer.into_inner().expect("memory does not fail");
    let text = String::from_utf8(bytes).expect("strings went in");
    Ok(Exported { files: vec![("suite.csv".to_owned(), text)], notes: losses.into_notes("a table") })
}

/// It is text, is none of the columns that mean something else, and an empty text would come back as nothing.
fn is_column(key: &str, value: &Value) -> bool {
    let taken = METADATA_KEYS.contains(&key) || ["id", "query", "targets"].contains(&key);
    !taken && value.as_str().is_some_and(|text| !text.trim().is_empty())
}
