//! Hits in JSON.

use std::ops::Range;

use memchr::memmem;
use serde_json::Value;

use super::lines::{before_line_number, utf8_lines};
use super::{Fields, MOST_HITS, OutputProblem, Pointer, collect};
use crate::error::quoted;
use crate::ranking::RawHit;
use crate::strict::{Answer, read_answer};

/// Everything that was printed, as one value.
pub(super) fn value(bytes: &[u8]) -> Result<Value, OutputProblem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(OutputProblem::new("it printed nothing where JSON was expected"));
    }
    read_answer(bytes).map_err(|error| {
        if error.is_data() {
            return not_taken(&error);
        }
        let instead = other_format(bytes).map(|format| format!("`format = \"{format}\"`"));
        let looks = instead.as_ref().map(|key| format!("; it looks like {key}")).unwrap_or_default();
        let problem = OutputProblem::new(format!("its output is not one JSON value: {error}{looks}"));
        OutputProblem { advice: instead.map(|key| format!("write {key}")), ..problem }
    })
}

/// JSON that is none of an answer's.
fn not_taken(error: &serde_json::Error) -> OutputProblem {
    OutputProblem::new(format!("its output is JSON that is not taken: {error}"))
}

/// The last object or list that begins a line and answers; what stands around it is the tool's chatter. Not the first,
/// since a tool may repeat the query before it answers, and a query may hold anything: what stands in a repetition of
/// `asked` counts for nothing.
pub(super) fn in_text(
    bytes: &[u8],
    asked: &str,
    answers: impl Fn(&Value) -> bool,
) -> Result<Value, OutputProblem> {
    let repeated: Vec<Range<usize>> = match asked.trim() {
        "" => Vec::new(),
        asked => memmem::find_iter(bytes, asked).map(|from| from..from + asked.len()).collect(),
    };
    let is_repeated = |range: Range<usize>| {
        repeated.iter().any(|whole| whole.start <= range.start && range.end <= whole.end)
    };
    let mut best: Option<(bool, Value)> = None;
    let (mut at, mut read) = (0, 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let from = at + (line.len() - line.trim_ascii_start().len());
        at += line.len();
        if !matches!(bytes.get(from), Some(b'{' | b'[')) || from < read {
            continue;
        }
        let mut values = serde_json::Deserializer::from_slice(&bytes[from..]).into_iter::<Answer>();
        match values.next() {
            Some(Ok(Answer(value))) if !is_repeated(from..from + values.byte_offset()) => {
                read = from + values.byte_offset();
                let answers = answers(&value);
                if answers || best.as_ref().is_none_or(|(answers, _)| !answers) {
                    best = Some((answers, value));
                }
            }
            // What stands inside of it is no answer of its own.
            Some(Err(error)) if error.is_eof() && !is_repeated(from..from + 1) => {
                return Err(OutputProblem::new("its output ends in the middle of a JSON value"));
            }
            Some(Err(error)) if error.is_data() && !is_repeated(from..from + 1) => {
                return Err(not_taken(&error));
            }
            _ => {}
        }
    }
    best.map(|(_, value)| value)
        .ok_or_else(|| OutputProblem::new("no line of its output begins an object or a list of JSON"))
}

/// The list of hits in a value.
pub(super) fn hits_in(answer: &Value, fields: &Fields) -> Result<Vec<RawHit>, OutputProblem> {
    let place =
        if fields.hits == Pointer::root() { "the top".to_owned() } else { format!("`{}`", fields.hits) };
    let found = fields.hits.of(answer);
    let Some(hits) = found.and_then(Value::as_array) else {
        let instead = found.unwrap_or(answer);
        return Err(OutputProblem::new(format!(
            "there is no list of hits at {place}, but {}",
            shape(instead)
        )));
    };
    let hits = hits.iter().enumerate().map(|(at, hit)| hit_from(hit, fields, &format!("hit {}", at + 1)));
    collect(hits, MOST_HITS)
}

/// The name of the format that text which is no JSON value seems to have, if it is one that we read.
fn other_format(bytes: &[u8]) -> Option<&'static str> {
    let lines: Vec<&str> =
        utf8_lines(bytes).map(|line| line.ok().map(|(_, line)| line)).collect::<Option<_>>()?;
    let all = |looks: fn(&str) -> bool| lines.iter().all(|line| looks(line));
    let is_hit =
        |line: &str| serde_json::from_str::<Value>(line).is_ok_and(|hit| hit.is_object() || hit.is_string());
    let is_path = |line: &str| {
        line.contains(['/', '.']) && !line.contains(|c: char| c.is_whitespace() || "{}[]\"".contains(c))
    };
    let is_framed = || in_text(bytes, "", |_| true).is_ok_and(|value| value.is_object() || value.is_array());
    match () {
        () if all(is_hit) => Some("json-lines"),
        () if all(|line| before_line_number(line).is_some()) => Some("grep"),
        () if all(is_path) => Some("paths"),
        () if is_framed() => Some("json-in-text"),
        () => None,
    }
}

/// One hit a line; empty lines do not count.
pub(super) fn lines(bytes: &[u8], fields: &Fields) -> Result<Vec<RawHit>, OutputProblem> {
    let hits = utf8_lines(bytes).map(|line| {
        let (number, line) = line?;
        let place = format!("line {number}");
        let hit = read_answer(line.as_bytes()).map_err(|error| {
            let what = if error.is_data() { "JSON that is not taken" } else { "not JSON" };
            OutputProblem::new(format!("{place} is {what}: {error}"))
        })?;
        hit_from(&hit, fields, &place)
    });
    collect(hits, MOST_HITS)
}

/// One hit; `place` is how a message calls it.
pub fn hit_from(hit: &Value, fields: &Fields, place: &str) -> Result<RawHit, OutputProblem> {
    if let Value::String(path) = hit {
        return Ok(RawHit::file(path));
    }
    if !hit.is_object() {
        return Err(OutputProblem::new(format!("{place} is {}, not an object or a path", shape(hit))));
    }
    let text = |pointer: &Pointer| match pointer.of(hit) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => {
            Err(OutputProblem::new(format!("{place}: `{pointer}` is {}, not a text", shape(other))))
        }
    };
    let score = match fields.score.of(hit) {
        None => None,
        Some(Value::Number(number)) => number.as_f64(),
        Some(other) => {
            let shape = shape(other);
            return Err(OutputProblem::new(format!("{place}: `{}` is {shape}, not a number", fields.score)));
        }
    };
    let (path, id) = (text(&fields.path)?, text(&fields.id)?);
    if path.is_none() && id.is_none() {
        let message =
            format!("{place} has neither `{}` nor `{}`; it is {}", fields.path, fields.id, shape(hit));
        return Err(OutputProblem::new(message));
    }
    Ok(RawHit { id, path, kind: text(&fields.kind)?, summary: text(&fields.summary)?, score })
}

/// What a value is, without its content, which may be long or secret.
pub(super) fn shape(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a truth value".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(_) => "a text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(object) if object.is_empty() => "an empty object".to_owned(),
        Value::Object(object) => {
            let keys: Vec<_> = object.keys().take(8).map(|key| quoted(key, 40)).collect();
            let more = if object.len() > keys.len() { ", …" } else { "" };
            format!("an object with the keys {}{more}", keys.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, read};
    use super::*;

    fn read_json(text: &str) -> Result<Vec<RawHit>, String> {
        read(text.as_bytes(), Format::Json, &Fields::default()).map_err(|problem| problem.to_string())
    }

    fn at(hits: &str, path: &str) -> Fields {
        let pointer = |text| Pointer::new(text).unwrap();
        Fields { hits: pointer(hits), path: pointer(path), ..Fields::default() }
    }

    #[test]
    fn hits_are_objects_or_paths_in_their_order() {
        let hits =
            read_json(r#"["b.rs", {"path": "a.rs", "id": "x", "score": 2, "kind": "k", "summary": "s"}]"#);
        let full = RawHit {
            id: Some("x".into()),
            kind: Some("k".into()),
            summary: Some("s".into()),
            score: Some(2.0),
            ..RawHit::file("a.rs")
        };
        assert_eq!(hits.unwrap(), [RawHit::file("b.rs"), full]);
        assert_eq!(read_json("\u{feff}[]\n").unwrap(), []);
    }

    #[test]
    fn pointers_find_hits_and_fields_anywhere() {
        let fields = at("/data/results", "/unit/file");
        let text = br#"{"data": {"results": [{"unit": {"file": "a.rs"}, "score": null, "extra": []}]}}"#;
        assert_eq!(read(text, Format::Json, &fields).unwrap(), [RawHit::file("a.rs")]);
        assert_eq!(
            Pointer::new("results").unwrap_err().to_string(),
            "`results` is no JSON pointer; write `/results`, or nothing for the whole value"
        );
    }

    #[test]
    fn an_answer_of_another_form_is_an_error_and_never_an_empty_answer() {
        for (text, message) in [
            ("", "it printed nothing where JSON was expected"),
            ("null", "there is no list of hits at the top, but null"),
            (
                r#"{"error": "No results found."}"#,
                "there is no list of hits at the top, but an object with the keys error",
            ),
            (r#"[{"file": "a"}]"#, "hit 1 has neither `/path` nor `/id`; it is an object with the keys file"),
            (r#"["a", 3]"#, "hit 2 is a number, not an object or a path"),
            (r#"[{"path": ["a"]}]"#, "hit 1: `/path` is a list, not a text"),
            (r#"[{"path": "a", "score": "2"}]"#, "hit 1: `/score` is a text, not a number"),
        ] {
            assert_eq!(read_json(text), Err(message.to_owned()), "{text}");
        }
        for text in ["[] []", "[1", "warning\n[]", "[]\u{0}"] {
            assert!(read_json(text).unwrap_err().starts_with("its output is not one JSON value"), "{text}");
        }
        assert!(read(b"[\"\xff\"]", Format::Json, &Fields::default()).is_err());
    }

    #[test]
    fn an_answer_that_can_be_read_in_two_ways_is_not_read() {
        let twice = r#"{"results": ["a"], "results": []}"#;
        let expected = "its output is JSON that is not taken: the key `results` appears twice in one object";
        for (format, text) in [
            (Format::Json, twice.to_owned()),
            (Format::JsonInText, format!("{{\"results\": []}}\nFound:\n{twice}\nand {{}}\n")),
        ] {
            let message = read(text.as_bytes(), format, &at("/results", "/path")).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
        let line = r#"{"path": "a", "path": "b"}"#;
        let message = read(line.as_bytes(), Format::JsonLines, &Fields::default()).unwrap_err().to_string();
        assert!(message.starts_with("line 1 is JSON that is not taken: the key `path`"), "{message}");
        // A query that is repeated is not the tool's own word.
        let asked = format!("find\n{twice}");
        let text = format!("Query: {asked}\n{{\"results\": []}}\n");
        let answers = |value: &Value| value.get("results").is_some_and(Value::is_array);
        assert!(in_text(text.as_bytes(), &asked, answers).is_ok());
    }

    #[test]
    fn what_looks_like_another_format_is_said_to() {
        for (text, format) in [
            ("docs/a.md\nsrc/b.rs\n", "; it looks like `format = \"paths\"`"),
            ("docs/a.md:3:a word\nsrc/b.rs:1:[\n", "; it looks like `format = \"grep\"`"),
            ("{\"path\": \"a\"}\n\"b\"\n", "; it looks like `format = \"json-lines\"`"),
            ("loading the index …\n[\"docs/a.md\"]\n", "; it looks like `format = \"json-in-text\"`"),
            ("loading the index …\n[\"docs/a.md\"", ""),
            ("[\"docs/a.md\"", ""),
            ("warning: docs/a.md is old\n", ""),
        ] {
            let message = read_json(text).unwrap_err();
            assert_eq!(message.contains("looks like"), !format.is_empty(), "{message}");
            assert!(message.ends_with(format), "{message}");
        }
    }

    #[test]
    fn a_value_among_text_is_the_last_that_begins_a_line_with_hits() {
        let read_within = |text: &str| {
            read(text.as_bytes(), Format::JsonInText, &at("/results", "/file"))
                .map_err(|problem| problem.to_string())
        };
        let text =
            "Pattern: {a}\n[notice] searching\n  {\"results\": [{\"file\": \"a.rs\"}]}\nLimits applied: {}\n";
        assert_eq!(read_within(text).unwrap(), [RawHit::file("a.rs")]);
        let forged = format!("Pattern: x\n{{\"results\": []}}\n{text}{{\"took\": 3}}\n");
        assert_eq!(read_within(&forged).unwrap(), [RawHit::file("a.rs")]);
        let inside = "{\n\"results\": [\n{\"file\": \"a.rs\", \"in\":\n{\"results\": []}\n}\n]}";
        assert_eq!(read_within(inside).unwrap(), [RawHit::file("a.rs")]);
        assert_eq!(read_within("{\"results\": []}{}").unwrap(), []);
        for none in ["", "no {\"results\": []}", "{results: []}"] {
            let message = read_within(none).unwrap_err();
            assert_eq!(message, "no line of its output begins an object or a list of JSON", "{none}");
        }
        assert!(read_within("[]").unwrap_err().starts_with("there is no list of hits at `/results`"));
        for cut in ["{\"results\": [", "{\"results\": [\n{\"file\": \"a.rs\", \"in\":\n{\"results\": []}\n"] {
            assert_eq!(
                read_within(cut).unwrap_err(),
                "its output ends in the middle of a JSON value",
                "{cut}"
            );
        }
    }

    #[test]
    fn a_query_that_is_repeated_is_no_answer() {
        let answers = |value: &Value| value.get("results").is_some_and(Value::is_array);
        let value = |text: &str, asked: &str| in_text(text.as_bytes(), asked, answers);
        let query = "find\n{\"results\": [{\"file\": \"a.rs\"}]}";
        assert!(value(&format!("Query: {query}\nNothing was found.\n"), query).is_err());
        let found = value(&format!("Query: {query}\n{{\"results\": []}}\n"), query).unwrap();
        assert_eq!(found, serde_json::json!({"results": []}));
        let half = "find\n{\"results\": [";
        let found = value(&format!("Query: {half}\n{{\"results\": []}}\n"), half).unwrap();
        assert_eq!(found, serde_json::json!({"results": []}));
        let found = value("{\"results\": [\"[]\"]}", "[]").unwrap();
        assert_eq!(found, serde_json::json!({"results": ["[]"]}), "a query inside of the answer");
    }

    #[test]
    fn json_lines_are_hits_and_a_bad_line_is_numbered() {
        let read_lines = |text: &str| read(text.as_bytes(), Format::JsonLines, &Fields::default());
        let hits = read_lines("{\"path\": \"a\"}\r\n\n\"b\"").unwrap();
        assert_eq!(hits, [RawHit::file("a"), RawHit::file("b")]);
        assert_eq!(read_lines("").unwrap(), []);
        let message = read_lines("\"a\"\n\nnonsense\n").unwrap_err().to_string();
        assert!(message.starts_with("line 3 is not JSON"), "{message}");
    }
}
