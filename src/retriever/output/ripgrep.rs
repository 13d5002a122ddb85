//! What `rg --json` prints: an event a line.
//!
//! Files rank by how many different texts matched in them, then by how often any did, then by path. What is printed is
//! in the order in which threads finished, which means nothing.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::OutputProblem;
use super::lines::utf8_lines;
use crate::ranking::RawHit;

#[derive(Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "lowercase")]
enum Event {
    Match { path: Text, submatches: Vec<Submatch> },
    Begin {},
    Context {},
    End {},
    Summary {},
}

#[derive(Deserialize)]
struct Submatch {
    #[serde(rename = "match")]
    matched: Text,
}

/// Text, or bytes that are none.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Text {
    Text(String),
    Bytes(String),
}

impl Text {
    fn read(self, number: usize) -> Result<String, OutputProblem> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Bytes(code) => {
                let bytes = STANDARD.decode(code);
                let bytes =
                    bytes.map_err(|_| OutputProblem::new(format!("line {number}: `bytes` is not base64")))?;
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
        }
    }
}

/// What matched in one file.
#[derive(Default)]
struct Found {
    different: BTreeSet<String>,
    times: u32,
}

/// The files of everything that was printed. Without the closing event the answer is half an answer.
pub(super) fn events(bytes: &[u8]) -> Result<Vec<RawHit>, OutputProblem> {
    let mut files: BTreeMap<String, Found> = BTreeMap::new();
    let mut ended = false;
    for line in utf8_lines(bytes) {
        let (number, line) = line?;
        let event = serde_json::from_str(line).map_err(|error| {
            OutputProblem::new(format!("line {number} is no event of `rg --json`: {error}"))
        })?;
        match event {
            Event::Match { path, submatches } => {
                let found = files.entry(path.read(number)?).or_default();
                for Submatch { matched } in submatches {
                    found.different.insert(matched.read(number)?.to_lowercase());
                    found.times = found.times.saturating_add(1);
                }
            }
            Event::Summary {} => ended = true,
            Event::Begin {} | Event::Context {} | Event::End {} => {}
        }
    }
    if !ended {
        return Err(OutputProblem::new("the event `summary` that ends an answer is missing"));
    }
    let mut files: Vec<_> = files.into_iter().map(|(path, found)| (score(&found), path)).collect();
    files.sort_by(|(a, a_path), (b, b_path)| b.total_cmp(a).then_with(|| a_path.cmp(b_path)));
    Ok(files.into_iter().map(|(score, path)| RawHit { score: Some(score), ..RawHit::file(path) }).collect())
}

/// Both counts in one number, exactly: the first is below 2^21, the second below 2^32.
fn score(found: &Found) -> f64 {
    let different = u32::try_from(found.different.len().min((1 << 21) - 1)).unwrap_or(u32::MAX);
    f64::from(different) * 4_294_967_296.0 + f64::from(found.times)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(path: &str, words: &[&str]) -> String {
        let submatches: Vec<_> = words
            .iter()
            .map(|word| serde_json::json!({ "match": { "text": word }, "start": 0, "end": 1 }))
            .collect();
        serde_json::json!({ "type": "match", "data": {
            "path": { "text": path }, "lines": { "text": "…" }, "line_number": 1, "absolute_offset": 0,
            "submatches": submatches
        }})
        .to_string()
    }

    const END: &str = r#"{"type":"summary","data":{"stats":{"matches":1}}}"#;

    #[test]
    fn files_rank_by_different_matches_then_by_their_number_then_by_path() {
        let lines = [
            matched("c", &["token", "token", "Token", "token"]),
            matched("d", &["token"]),
            r#"{"type":"begin","data":{"path":{"text":"b"}}}"#.to_owned(),
            matched("b", &["token"]),
            matched("b", &["count"]),
            matched("a", &["token"]),
            r#"{"type":"end","data":{"path":{"text":"b"}}}"#.to_owned(),
            END.to_owned(),
        ];
        let hits = events(lines.join("\n").as_bytes()).unwrap();
        let paths: Vec<_> = hits.iter().map(|hit| hit.path.as_deref().unwrap()).collect();
        assert_eq!(paths, ["b", "c", "a", "d"]);
        assert_eq!(hits[2].score, hits[3].score);
    }

    #[test]
    fn bytes_that_are_no_text_are_read_as_far_as_they_are() {
        let line =
            r#"{"type":"match","data":{"path":{"bytes":"Zv9v"},"submatches":[{"match":{"bytes":"/w=="}}]}}"#;
        let hits = events(format!("{line}\n{END}").as_bytes()).unwrap();
        assert_eq!(hits[0].path.as_deref(), Some("f\u{fffd}o"));
        let bad = line.replace("Zv9v", "?");
        assert_eq!(events(bad.as_bytes()).unwrap_err().to_string(), "line 1: `bytes` is not base64");
    }

    #[test]
    fn half_an_answer_is_none() {
        assert_eq!(events(END.as_bytes()).unwrap(), []);
        for half in ["", &matched("a", &["x"])] {
            let message = events(half.as_bytes()).unwrap_err().to_string();
            assert_eq!(message, "the event `summary` that ends an answer is missing");
        }
        assert!(
            events(b"a.rs:1:x").unwrap_err().to_string().starts_with("line 1 is no event of `rg --json`")
        );
    }
}
