//! What a tool's result means. Pure: a result in, hits or what is wrong with it out.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

use super::super::output::{Format, OutputProblem, Reader};
use super::trouble::Trouble;
use crate::error::quoted;
use crate::ranking::{ErrorClass, RawHit};
use crate::strict::{Room, read_answer};

/// How much of a text that cannot be read is quoted, in bytes before it is made printable.
const QUOTED: usize = 1_000;

/// Reads a result: its structured content if the hits are there, else its texts.
pub(super) fn read(result: &CallToolResult, reader: &Reader, asked: &str) -> Result<Vec<RawHit>, Trouble> {
    let texts: Vec<&str> = result.content.iter().filter_map(text).collect();
    let structured = result.structured_content.as_ref().map(|value| unwrapped(value, reader));
    let structured = structured
        .filter(|value| reader.format() == Format::Json && (texts.is_empty() || reader.is_an_answer(value)));
    let hits = structured.map(|value| reader.read_value(value));
    if let Some(nothing) = texts.iter().find(|text| reader.says_nothing_found(text)) {
        if hits.as_ref().is_some_and(|hits| hits.as_ref().is_ok_and(|hits| !hits.is_empty())) {
            let what = format!(
                "says `{}`, which means that nothing was found, beside a list of hits",
                nothing.trim()
            );
            return Err(Trouble::new(ErrorClass::Protocol, what));
        }
        if result.is_error == Some(true) {
            return Ok(Vec::new());
        }
    }
    if result.is_error == Some(true) {
        return Err(Trouble::new(ErrorClass::Tool, format!("said no: {}", texts.join(" "))));
    }
    if let (Some(value), Some(hits)) = (structured, hits) {
        return hits.map_err(|problem| unreadable(&problem, &value.to_string()));
    }
    if texts.is_empty() && !result.content.is_empty() {
        let what = "answered with content of which nothing is text";
        return Err(Trouble::new(ErrorClass::Protocol, what));
    }
    match (reader.format(), texts.as_slice()) {
        (Format::Json, several @ [_, _, ..]) => read_several(several, reader),
        (Format::Json, one @ [text]) if reader.takes_the_whole() && is_object(text) => {
            read_several(one, reader)
        }
        (Format::Json, []) => {
            Err(Trouble::new(ErrorClass::Protocol, "answered with nothing where JSON was expected"))
        }
        _ => {
            let whole = texts.join("\n");
            reader.read(whole.as_bytes(), asked).map_err(|problem| unreadable(&problem, &whole))
        }
    }
}

/// What a tool returned that is no object the Python SDK wraps as `{"result": …}`, since structured content must be one.
fn unwrapped<'a>(value: &'a Value, reader: &Reader) -> &'a Value {
    match value.as_object().and_then(|object| object.get("result").filter(|_| object.len() == 1)) {
        Some(list @ Value::Array(_)) if reader.takes_the_whole() => list,
        _ => value,
    }
}

fn is_object(text: &str) -> bool {
    read_answer(text.as_bytes()).is_ok_and(|value| value.is_object())
}

/// Some servers give each hit, or each part of their list, a text of its own.
fn read_several(texts: &[&str], reader: &Reader) -> Result<Vec<RawHit>, Trouble> {
    let mut values = Vec::with_capacity(texts.len());
    let mut room = Room::default();
    for text in texts {
        let value = room.read(text.as_bytes()).map_err(|error| {
            let one = if error.is_data() { "is JSON that is not taken" } else { "is no JSON" };
            let what = format!("answered with {} texts of which one {one}: {error}", texts.len());
            Trouble::new(ErrorClass::Protocol, format!("{what}{}", beginning(text)))
        })?;
        values.push(value);
    }
    if values.iter().all(|value| reader.is_an_answer(value)) {
        let mut hits = Vec::new();
        for (value, text) in values.iter().zip(texts) {
            hits.extend(reader.read_value(value).map_err(|problem| unreadable(&problem, text))?);
        }
        return Ok(hits);
    }
    let whole = Value::Array(values);
    reader.read_value(&whole).map_err(|problem| unreadable(&problem, &whole.to_string()))
}

fn text(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Text(text) => Some(&text.text),
        _ => None,
    }
}

fn unreadable(problem: &OutputProblem, text: &str) -> Trouble {
    match problem.class() {
        ErrorClass::Tool => Trouble::new(ErrorClass::Tool, format!("said no: {problem}")),
        class => {
            Trouble::new(class, format!("gave an answer that cannot be read: {problem}{}", beginning(text)))
        }
    }
}

fn beginning(text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("; it begins: `{}`", quoted(text, QUOTED)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::output::Keys;
    use super::*;

    fn reader(format: Format, hits: Option<&str>) -> Reader {
        let error = (format == Format::Json).then_some("/error");
        let path = (format == Format::Json).then_some("/file");
        let keys = Keys { hits, path, error, ..Keys::default() };
        Reader::new(format, keys, &["No results found.".to_owned()]).unwrap()
    }

    fn told(format: Format, hits: Option<&str>, result: Value) -> String {
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        match read(&result, &reader(format, hits), "") {
            Ok(hits) => {
                let paths = hits.into_iter().map(|hit| hit.path.unwrap_or_default());
                format!("[{}]", paths.collect::<Vec<_>>().join(" "))
            }
            Err(trouble) => format!("{}: {}", trouble.class, trouble.detail),
        }
    }

    fn texts(texts: &[&str]) -> Value {
        json!({ "content": texts.iter().map(|text| json!({"type": "text", "text": text})).collect::<Vec<_>>() })
    }

    #[test]
    fn hits_come_from_structured_content_or_from_json_in_the_text() {
        let results = json!({"results": [{"file": "a"}, {"file": "b"}]});
        let json = |result| told(Format::Json, Some("/results"), result);
        assert_eq!(json(json!({"content": [], "structuredContent": results})), "[a b]");
        assert_eq!(json(texts(&[&results.to_string()])), "[a b]");
        let wrapped = json!({
            "content": [{"type": "text", "text": results.to_string()}],
            "structuredContent": {"result": results.to_string()},
        });
        assert_eq!(json(wrapped), "[a b]");
        assert_eq!(json(texts(&[r#"{"results": []}"#])), "[]");
    }

    #[test]
    fn a_list_is_one_however_many_hits_it_has_and_however_a_server_wraps_it() {
        for count in 0..3 {
            let hits: Vec<Value> = ["a", "b"][..count].iter().map(|file| json!({"file": file})).collect();
            let each: Vec<String> = hits.iter().map(Value::to_string).collect();
            let mut wrapped = texts(&each.iter().map(String::as_str).collect::<Vec<_>>());
            let expected = format!("[{}]", ["a", "b"][..count].join(" "));
            // Without structured content nothing is no list that is empty.
            if count > 0 {
                assert_eq!(told(Format::Json, None, wrapped.clone()), expected);
            }
            wrapped["structuredContent"] = json!({ "result": hits });
            assert_eq!(told(Format::Json, None, wrapped), expected);
        }
        let other = json!({"content": [], "structuredContent": {"result": [{"file": "a"}], "more": 1}});
        assert!(told(Format::Json, None, other).starts_with("protocol: "), "another object is none");
    }

    #[test]
    fn several_texts_are_hits_or_parts_of_the_list() {
        assert_eq!(told(Format::Json, None, texts(&[r#"{"file": "a"}"#, r#"{"file": "b"}"#])), "[a b]");
        assert_eq!(told(Format::Json, None, texts(&[r#"[{"file": "a"}]"#, r#"["b"]"#])), "[a b]");
        let parts = [r#"{"results": ["a"]}"#, r#"{"results": ["b"]}"#];
        assert_eq!(told(Format::Json, Some("/results"), texts(&parts)), "[a b]");
        let broken = told(Format::Json, None, texts(&["Found 2:", "[]"]));
        assert!(broken.starts_with("protocol: answered with 2 texts of which one is no JSON"), "{broken}");
    }

    #[test]
    fn plain_text_is_read_in_its_format() {
        assert_eq!(told(Format::Paths, None, texts(&["a.rs\nb.rs"])), "[a.rs b.rs]");
        assert_eq!(told(Format::Paths, None, texts(&["a.rs", "b.rs"])), "[a.rs b.rs]");
        assert_eq!(told(Format::Grep, None, texts(&["a.rs:1:x"])), "[a.rs]");
        assert_eq!(told(Format::Paths, None, json!({"content": []})), "[]");
    }

    #[test]
    fn an_error_is_never_an_empty_answer() {
        let json = |result| told(Format::Json, Some("/results"), result);
        let failed = json!({"isError": true, "content": [{"type": "text", "text": "no index"}]});
        assert_eq!(json(failed.clone()), "tool: said no: no index");
        assert_eq!(told(Format::Paths, None, failed), "tool: said no: no index");
        assert_eq!(json(texts(&[r#"{"error": "no model"}"#])), "tool: said no: it says `no model`");
        let plain = json(texts(&["Failed to index /x: no such folder"]));
        assert!(
            plain.starts_with("protocol: gave an answer that cannot be read: its output is not one"),
            "{plain}"
        );
        assert!(plain.ends_with("; it begins: `Failed to index /x: no such folder`"), "{plain}");
        assert_eq!(json(json!({"content": []})), "protocol: answered with nothing where JSON was expected");
        let image = json!({"content": [{"type": "image", "data": "", "mimeType": "image/png"}]});
        assert_eq!(json(image), "protocol: answered with content of which nothing is text");
        let twice = json(texts(&[r#"{"results": ["a"], "results": []}"#]));
        assert!(twice.starts_with("protocol: ") && twice.contains("`results` appears twice"), "{twice}");
        let twice = told(Format::Json, None, texts(&[r#"{"file": "a", "file": "b"}"#, "[]"]));
        assert!(twice.starts_with("protocol: ") && twice.contains("`file` appears twice"), "{twice}");
        let elsewhere = json(json!({"content": [], "structuredContent": {"items": []}}));
        assert!(
            elsewhere.contains("no list of hits at `/results`, but an object with the keys items"),
            "{elsewhere}"
        );
    }

    #[test]
    fn a_text_that_says_nothing_was_found_is_an_empty_answer_wherever_it_stands() {
        let json = |result| told(Format::Json, Some("/results"), result);
        assert_eq!(json(texts(&[r#"{"error": "No results found."}"#])), "[]");
        assert_eq!(json(texts(&["No results found."])), "[]");
        assert_eq!(told(Format::Paths, None, texts(&["No results found.\n"])), "[]");
        assert_eq!(
            json(json!({"isError": true, "content": [{"type": "text", "text": "No results found."}]})),
            "[]"
        );
    }

    #[test]
    fn nothing_found_beside_hits_is_no_answer() {
        let json = |result| told(Format::Json, Some("/results"), result);
        for failed in [true, false] {
            let both = json!({
                "isError": failed,
                "content": [{"type": "text", "text": "No results found."}],
                "structuredContent": {"results": [{"file": "a"}]},
            });
            let expected =
                "says `No results found.`, which means that nothing was found, beside a list of hits";
            assert_eq!(json(both), format!("protocol: {expected}"));
        }
        let agreed = json!({
            "content": [{"type": "text", "text": "No results found."}],
            "structuredContent": {"results": []},
        });
        assert_eq!(json(agreed), "[]");
    }
}
