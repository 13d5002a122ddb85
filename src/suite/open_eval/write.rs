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

/// The document as a file: two-space indent, keys in the order people write them, `cases` last, LF at the end.
pub fn text(suite: &Suite) -> String {
    let mut out = String::new();
    Layout { newline: "\n", base: "", unit: "  " }.write(&document(suite), 0, &mut out);
    out.push('\n');
    out
}

/// The document as an export of one file, which loses nothing.
pub fn write(suite: &Suite) -> Result<Exported, SuiteError> {
    Ok(Exported { files: vec![("suite.json".to_owned(), text(suite))], notes: Vec::new() })
}

/// How JSON is laid out over lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'a> {
    /// LF or CR LF.
    pub(super) newline: &'a str,
    /// What every line begins with.
    pub(super) base: &'a str,
    /// One step of indentation.
    pub(super) unit: &'a str,
}

impl Layout<'_> {
    /// Writes a value; the keys of its objects come in the order of a person.
    pub(super) fn write(&self, value: &Value, depth: usize, out: &mut String) {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                out.push('{');
                for (at, (key, field)) in in_order(fields).into_iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    self.line(depth + 1, out);
                    out.push_str(&Value::from(key).to_string());
                    out.push_str(": ");
                    self.write(field, depth + 1, out);
                }
                self.line(depth, out);
                out.push('}');
            }
            Value::Array(items) if !items.is_empty() => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    self.line(depth + 1, out);
                    self.write(item, depth + 1, out);
                }
                self.line(depth, out);
                out.push(']');
            }
            other => out.push_str(&other.to_string()),
        }
    }

    fn line(&self, depth: usize, out: &mut String) {
        out.push_str(self.newline);
        out.push_str(self.base);
        for _ in 0..depth {
            out.push_str(self.unit);
        }
    }
}

/// A value on one line, `space` behind each comma and colon.
pub(super) fn one_line(value: &Value, space: &str, out: &mut String) {
    match value {
        Value::Object(fields) => {
            out.push('{');
            for (at, (key, field)) in in_order(fields).into_iter().enumerate() {
                out.extend([if at > 0 { "," } else { "" }, if at > 0 { space } else { "" }]);
                out.extend([&Value::from(key).to_string(), ":", space]);
                one_line(field, space, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.extend([if at > 0 { "," } else { "" }, if at > 0 { space } else { "" }]);
                one_line(item, space, out);
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// The members in the order in which people write them.
fn in_order(fields: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut members: Vec<_> = fields.iter().map(|(key, field)| (key.as_str(), field)).collect();
    members.sort_by_key(|(key, _)| ORDER.iter().position(|known| known == key).unwrap_or(ORDER.len()));
    members
}

/// That order; all other keys follow, sorted.
const ORDER: [&str; 11] = [
    "evalFormatVersion",
    "name",
    "description",
    "tags",
    "id",
    "input",
    "expected",
    "metadata",
    "expectedTargets",
    "lang",
    "kind",
];
