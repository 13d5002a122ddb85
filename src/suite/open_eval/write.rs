//! A suite as an Open Eval document that loads again to the same suite.

use serde_json::{Map, Value, json};

use super::VERSION;
use crate::suite::{Case, Expected, Exported, Suite, SuiteError};

/// The document.
pub fn document(suite: &Suite) -> Value {
    let mut root = Map::new();
    root.insert("evalFormatVersion".to_owned(), VERSION.into());
    root.insert("name".to_owned(), suite.name.as_str().into());
    if let Some(description) = &suite.description {
        root.insert("description".to_owned(), description.as_str().into());
    }
    if !suite.tags.is_empty() {
        root.insert("tags".to_owned(), suite.tags.clone().into());
    }
    root.insert("cases".to_owned(), suite.cases.iter().map(case_value).collect());
    Value::Object(root)
}

/// One case of the document.
pub fn case_value(case: &Case) -> Value {
    let mut fields = case.extra.clone();
    fields.insert("id".to_owned(), case.id.0.as_str().into());
    fields.insert("input".to_owned(), case.input.as_str().into());
    if let Some(expected) = &case.expected {
        fields.insert("expected".to_owned(), expected_value(expected));
    }
    if !case.metadata.is_empty() {
        fields.insert("metadata".to_owned(), Value::Object(case.metadata.clone()));
    }
    Value::Object(fields)
}

fn expected_value(expected: &Expected) -> Value {
    match expected {
        Expected::Contains(text) => json!(text),
        Expected::Regex { body, flags } if flags.is_empty() => json!({"regex": {"body": body}}),
        Expected::Regex { body, flags } => json!({"regex": {"body": body, "flags": flags}}),
        Expected::EqualsNormalized(text) => json!({"equalsNormalized": text}),
        Expected::SemanticSimilarity(share) => json!({"semanticSimilarity": share}),
    }
}

/// The order in which people write the keys of the root and of a case; all others follow, sorted.
const ORDER: [&str; 8] =
    ["evalFormatVersion", "name", "description", "tags", "id", "input", "expected", "metadata"];

/// The document as a file: two-space indent, keys in the order people write them, `cases` last, LF at the end.
pub fn text(suite: &Suite) -> String {
    let mut out = String::new();
    ordered(&document(suite), 0, "  ", &mut out);
    out.push('\n');
    out
}

/// The document as an export of one file, which loses nothing.
pub fn write(suite: &Suite) -> Result<Exported, SuiteError> {
    Ok(Exported { files: vec![("suite.json".to_owned(), text(suite))], notes: Vec::new() })
}

/// Pretty JSON whose objects have their keys in the order of a person.
pub(crate) fn ordered(value: &Value, depth: usize, indent: &str, out: &mut String) {
    let line = |depth: usize, out: &mut String| {
        out.push('\n');
        for _ in 0..depth {
            out.push_str(indent);
        }
    };
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let mut keys: Vec<_> = fields.keys().collect();
            keys.sort_by_key(|key| {
                let place = ORDER.iter().position(|known| known == key).unwrap_or(ORDER.len());
                (place, key.as_str())
            });
            out.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                line(depth + 1, out);
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push_str(": ");
                ordered(&fields[key], depth + 1, indent, out);
            }
            line(depth, out);
            out.push('}');
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                line(depth + 1, out);
                ordered(item, depth + 1, indent, out);
            }
            line(depth, out);
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}
