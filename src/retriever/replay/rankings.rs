//! Rankings in a file. Pure: bytes in, rankings by query out.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::super::output::{Fields, hit_from};
use super::ReplayFormat;
use crate::corpus::RANKINGS;
use crate::ranking::RawHit;
use crate::suite::{Source, trec};

/// The version of our own form.
const VERSION: u64 = 1;

/// Ranked answers by case id or query text.
#[derive(Clone, Debug)]
pub(super) enum Rankings {
    /// Every query that has an answer, an empty one included.
    Listed(BTreeMap<String, Vec<RawHit>>),
    /// A TREC run, which cannot tell an empty answer from none.
    Run(trec::Run),
}

impl Rankings {
    /// Reads a file; `name` is what messages call it.
    pub(super) fn read(name: &str, bytes: &[u8], format: ReplayFormat) -> Result<Self, String> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let read = match format {
            ReplayFormat::Json => document(bytes).map(Self::Listed),
            ReplayFormat::JsonLines => lines(bytes).map(Self::Listed),
            ReplayFormat::Trec => {
                trec::run(Source { name, bytes }).map(Self::Run).map_err(|error| error.to_string())
            }
        };
        read.map_err(|problem| format!("{name}: {problem}"))
    }

    /// The answer under that key, if there is one.
    pub(super) fn find(&self, key: &str) -> Option<Vec<RawHit>> {
        match self {
            Self::Listed(queries) => queries.get(key).cloned(),
            Self::Run(run) => {
                let hit =
                    |hit: &trec::RunHit| RawHit { score: Some(hit.score), ..RawHit::file(&hit.document) };
                let hits = run.hits(key);
                (!hits.is_empty()).then(|| hits.iter().map(hit).collect())
            }
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    r#type: String,
    version: u64,
    queries: Entries,
}

/// The members of an object in their order, so that a key that occurs twice is noticed.
struct Entries(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Entries;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a list of hits for each query")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

fn document(bytes: &[u8]) -> Result<BTreeMap<String, Vec<RawHit>>, String> {
    let document: Document = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if document.r#type != RANKINGS {
        return Err(format!("its `type` is not `{RANKINGS}`"));
    }
    if document.version != VERSION {
        return Err(format!("its `version` is {}; this Rankhold reads {VERSION}", document.version));
    }
    let mut queries = BTreeMap::new();
    for (query, hits) in document.queries.0 {
        add(&mut queries, query, &hits)?;
    }
    Ok(queries)
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    query: String,
    hits: Value,
}

fn lines(bytes: &[u8]) -> Result<BTreeMap<String, Vec<RawHit>>, String> {
    let mut queries = BTreeMap::new();
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let place = |problem: &dyn fmt::Display| format!("line {}: {problem}", at + 1);
        let Line { query, hits } = serde_json::from_slice(line).map_err(|error| place(&error))?;
        add(&mut queries, query, &hits).map_err(|problem| place(&problem))?;
    }
    Ok(queries)
}

fn add(queries: &mut BTreeMap<String, Vec<RawHit>>, query: String, hits: &Value) -> Result<(), String> {
    let hits = hits.as_array().ok_or_else(|| format!("`{query}` has no list of hits"))?;
    let fields = Fields::default();
    let read = hits.iter().enumerate().map(|(at, hit)| hit_from(hit, &fields, &format!("hit {}", at + 1)));
    let hits = read.collect::<Result<Vec<_>, _>>().map_err(|problem| format!("`{query}`: {problem}"))?;
    if queries.contains_key(&query) {
        return Err(format!("`{query}` occurs twice"));
    }
    queries.insert(query, hits);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: ReplayFormat, text: &str) -> Result<Rankings, String> {
        Rankings::read("r", text.as_bytes(), format)
    }

    fn json(queries: &str) -> String {
        format!(r#"{{"type": "rankhold-rankings", "version": 1, "queries": {queries}}}"#)
    }

    #[test]
    fn an_empty_answer_is_one_and_an_absent_query_is_none() {
        let both = [
            read(ReplayFormat::Json, &json(r#"{"a": ["x", {"path": "y", "score": 1}], "b": []}"#)).unwrap(),
            read(ReplayFormat::JsonLines, "{\"query\": \"a\", \"hits\": [\"x\", {\"path\": \"y\", \"score\": 1}]}\r\n\n{\"query\": \"b\", \"hits\": []}").unwrap(),
        ];
        for rankings in both {
            let y = RawHit { score: Some(1.0), ..RawHit::file("y") };
            assert_eq!(rankings.find("a"), Some(vec![RawHit::file("x"), y]));
            assert_eq!(rankings.find("b"), Some(Vec::new()));
            assert_eq!(rankings.find("c"), None);
        }
    }

    #[test]
    fn a_trec_run_is_ordered_by_score() {
        let rankings = read(ReplayFormat::Trec, "a Q0 low.md 1 0.5 tag\na Q0 high.md 2 0.75 tag\n").unwrap();
        let hit = |path, score| RawHit { score: Some(score), ..RawHit::file(path) };
        assert_eq!(rankings.find("a"), Some(vec![hit("high.md", 0.75), hit("low.md", 0.5)]));
        assert_eq!(rankings.find("b"), None);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (format, text, message) in [
            (ReplayFormat::Json, json(r#"{"a": [], "a": []}"#), "r: `a` occurs twice"),
            (
                ReplayFormat::Json,
                json(r#"{"a": ["x", 1]}"#),
                "r: `a`: hit 2 is a number, not an object or a path",
            ),
            (ReplayFormat::Json, json(r#"{"a": "x"}"#), "r: `a` has no list of hits"),
            (
                ReplayFormat::Json,
                r#"{"type": "x", "version": 1, "queries": {}}"#.to_owned(),
                "r: its `type` is not `rankhold-rankings`",
            ),
            (
                ReplayFormat::Json,
                json("{}").replace(": 1", ": 2"),
                "r: its `version` is 2; this Rankhold reads 1",
            ),
            (
                ReplayFormat::JsonLines,
                "{\"query\": \"a\", \"hits\": []}\n{\"query\": \"a\", \"hits\": []}".to_owned(),
                "r: line 2: `a` occurs twice",
            ),
        ] {
            assert_eq!(read(format, &text).unwrap_err(), message, "{text}");
        }
        assert!(read(ReplayFormat::JsonLines, "\n{").unwrap_err().starts_with("r: line 2: "));
        assert!(read(ReplayFormat::Trec, "a Q0 x").unwrap_err().starts_with('r'));
    }
}
