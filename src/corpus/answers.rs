//! Files that hold answers, known by their name and their shape wherever they lie. Neither is enough alone: a page may be
//! called `topics.txt`, and a table may have four columns.

use serde_json::Value;

use super::RANKINGS;
use crate::artifact::kind_of;
use crate::report::table;
use crate::suite::csv;

/// What [`crate::files`] calls a file that it has not finished. One that is older is left by a process that was killed.
pub(super) const UNFINISHED: &str = ".rankhold-";

/// A suite, judgements, rankings, or one of our own artifacts, reports, tables and charts.
pub(super) fn is_answer_file(path: &str, bytes: &[u8]) -> bool {
    let path = path.to_ascii_lowercase();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if ending == "json" {
        return holds(name, bytes);
    }
    if ending == "svg" {
        return bytes.starts_with(table::CHART.as_bytes());
    }
    let is_table = ["", "csv", "jsonl", "qrels", "run", "topics", "trec", "tsv", "txt"].contains(&ending);
    let Some(text) = Some(bytes).filter(|_| is_table).and_then(|bytes| str::from_utf8(bytes).ok()) else {
        return false;
    };
    let called = |word: &str| name.contains(word);
    match ending {
        "jsonl" => called("queries") && every_line(text, is_beir_query),
        "csv" => is_csv_suite(text),
        "run" => every_line(text, is_run),
        "qrels" => every_line(text, is_judgement),
        "topics" => is_topics(text),
        "trec" => is_topics(text) || every_line(text, is_judgement) || every_line(text, is_run),
        _ => {
            (called("topics") && is_topics(text))
                || (called("qrels") && every_line(text, is_judgement))
                || (called("run") && every_line(text, is_run))
                || (ending == "tsv" && (is_csv_suite(text) || is_beir_table(folder, text)))
        }
    }
}

/// A JSON document whose root is one of ours, or half of a pair of queries and ground truth.
fn holds(name: &str, bytes: &[u8]) -> bool {
    let is_pair = name.ends_with("queries.json") || name.ends_with("groundtruth.json");
    if !is_pair && !may_be_ours(bytes) {
        return false;
    }
    serde_json::from_slice::<Value>(bytes).is_ok_and(|document| {
        document.get("evalFormatVersion").is_some()
            || document.get("reportVersion").is_some()
            || (document.get("tableVersion").is_some() && document.get("topK").is_some())
            || kind_of(&document).is_some()
            || document.get("type").and_then(Value::as_str) == Some(RANKINGS)
            || (is_pair && document.get("queries").is_some_and(is_queries))
    })
}

/// Cheap: the words that such a document must hold are there.
fn may_be_ours(bytes: &[u8]) -> bool {
    ["evalFormatVersion", "retrieval-benchmark-", "reportVersion", "tableVersion", RANKINGS]
        .iter()
        .any(|word| memchr::memmem::find(bytes, word.as_bytes()).is_some())
}

/// Query texts, or the paths of each.
fn is_queries(value: &Value) -> bool {
    let texts = |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
    texts(value) || value.as_object().is_some_and(|queries| queries.values().all(texts))
}

/// Every line that is not blank is of that kind, and there is one.
fn every_line(text: &str, is: impl Fn(&str) -> bool) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(is)
}

/// `<top>` blocks, or `id TAB text` on every line.
fn is_topics(text: &str) -> bool {
    let is_row = |line: &str| {
        line.split_once('\t').is_some_and(|(id, text)| {
            !id.is_empty() && !id.contains(char::is_whitespace) && !text.trim().is_empty()
        })
    };
    text.trim_start().to_ascii_lowercase().starts_with("<top>") || every_line(text, is_row)
}

/// `query iteration document grade`.
fn is_judgement(line: &str) -> bool {
    let fields: Vec<_> = line.split_whitespace().collect();
    matches!(fields[..], [_, iteration, _, grade]
        if iteration.parse::<u32>().is_ok() && grade.parse::<i32>().is_ok())
}

/// `query Q0 document rank score tag`.
fn is_run(line: &str) -> bool {
    let fields: Vec<_> = line.split_whitespace().collect();
    matches!(fields[..], [_, "Q0" | "q0", _, rank, score, _]
        if rank.parse::<u32>().is_ok() && score.parse::<f64>().is_ok())
}

fn is_beir_query(line: &str) -> bool {
    serde_json::from_str::<Value>(line)
        .is_ok_and(|query| query.get("_id").is_some() && query.get("text").is_some_and(Value::is_string))
}

/// A table of `qrels/`.
fn is_beir_table(folder: &str, text: &str) -> bool {
    let header: Vec<_> = text.lines().next().unwrap_or_default().split('\t').map(str::trim).collect();
    folder.rsplit('/').next() == Some("qrels") && header == ["query-id", "corpus-id", "score"]
}

fn is_csv_suite(text: &str) -> bool {
    csv::is_header(text.lines().next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_documents_are_known_by_their_root() {
        for (path, text) in [
            ("x/any.json", "\u{feff}{\"evalFormatVersion\": \"2026-04\"}"),
            ("r.JSON", r#"{"type": "retrieval-benchmark-result"}"#),
            ("r.json", r#"{"type": "rankhold-rankings"}"#),
            ("out/report.json", r#"{"reportVersion": 1}"#),
            ("compare.json", r#"{"tableVersion": 2, "topK": 10, "rows": []}"#),
            ("queries.json", r#"{"queries": ["a", "b"]}"#),
            ("x/dev-groundtruth.json", r#"{"queries": {"a": ["b.md"]}}"#),
        ] {
            assert!(is_answer_file(path, text.as_bytes()), "{path}");
        }
        for (path, text) in [
            ("notes.md", r#"{"evalFormatVersion": "2026-04"}"#),
            ("nested.json", r#"{"a": {"evalFormatVersion": "2026-04"}}"#),
            ("queries.json", r#"{"queries": [{"sql": "select 1"}]}"#),
            ("api.json", r#"{"queries": ["a"]}"#),
            ("lake.json", r#"{"tableVersion": 3, "partitions": []}"#),
        ] {
            assert!(!is_answer_file(path, text.as_bytes()), "{path}");
        }
    }

    #[test]
    fn tables_are_known_by_name_and_shape_together() {
        for (path, text) in [
            ("topics.tsv", "1\twhere is a\n2\twhere is b\n"),
            ("x/dev.topics", "<top>\n<num> 1\n<title> a\n</top>\n"),
            ("qrels.txt", "1 0 a.md 1\n1 0 b.md 0\n"),
            ("dev.qrels", "1 0 a.md 1\n"),
            ("bm25.run", "1 Q0 a.md 1 3.5 bm25\n"),
            ("trec/run1.txt", "1 Q0 a.md 1 3.5 bm25\n"),
            ("b/queries.jsonl", "{\"_id\": \"1\", \"text\": \"a\"}\n"),
            ("b/qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\ta.md\t1\n"),
            ("suite.csv", "id,query,targets,lang,kind\na,where is a,a.md,en,\n"),
            ("x.tsv", "id\tquery\ttargets\n"),
            ("users.csv", "query;target\n"),
        ] {
            assert!(is_answer_file(path, text.as_bytes()), "{path}");
        }
        for (path, text) in [
            ("topics.md", "1\twhere is a\n"),
            ("topics.txt", "What this page is about.\n"),
            ("data.txt", "1 0 a.md 1\n"),
            ("qrels.txt", "How judgements are written: one a line.\n"),
            ("qrels.txt", ""),
            ("people.csv", "id,name\n1,Ada\n"),
            ("b/test.tsv", "query-id\tcorpus-id\tscore\n"),
            ("run.sh", "1 Q0 a.md 1 3.5 bm25\n"),
            ("events.jsonl", "{\"_id\": \"1\", \"text\": \"a\"}\n"),
        ] {
            assert!(!is_answer_file(path, text.as_bytes()), "{path}");
        }
    }
}
