//! The format's own expectation: a check over the text of an answer. It never decides a hit.

use regex::RegexBuilder;
use serde_json::Value;

/// What Open Eval Format lets a case say about the text of the answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// The text contains this; an empty string is always met.
    Contains(String),
    /// The text matches this JavaScript expression.
    Regex {
        /// The pattern.
        body: String,
        /// JavaScript flags, for instance `i`.
        flags: String,
    },
    /// The text equals this after trimming, lower-casing and joining white space.
    EqualsNormalized(String),
    /// Left to a runner that embeds; always met here.
    SemanticSimilarity(f64),
}

/// An expression that our engine cannot take (look-around and back-references are legal in JavaScript).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the expression `{body}` cannot be evaluated here: {reason}")]
pub struct Unsupported {
    /// The pattern.
    pub body: String,
    /// What the engine says.
    pub reason: String,
}

impl Expected {
    /// Reads the `expected` member of a case: `None` when it is absent or asks for nothing.
    ///
    /// Of an object the first non-empty of `contains`, `regex`, `equalsNormalized` decides, as the format's own
    /// validator does it. The error names the member of the wrong type.
    pub fn read(value: &Value) -> Result<Option<Self>, String> {
        let fields = match value {
            Value::Null => return Ok(None),
            Value::String(text) => return Ok((!text.is_empty()).then(|| Self::Contains(text.clone()))),
            Value::Object(fields) => fields,
            _ => return Err("expected: must be a string or an object".to_owned()),
        };
        let text = |key: &str| match fields.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
            Some(_) => Err(format!("expected.{key}: must be a string")),
        };
        let contains = text("contains")?;
        let equals = text("equalsNormalized")?;
        let regex = match fields.get("regex") {
            None => None,
            Some(Value::Object(regex)) => {
                let body = regex
                    .get("body")
                    .and_then(Value::as_str)
                    .ok_or("expected.regex.body: must be a string")?;
                let flags = match regex.get("flags") {
                    None => "",
                    Some(flags) => flags.as_str().ok_or("expected.regex.flags: must be a string")?,
                };
                (!body.is_empty()).then(|| Self::Regex { body: body.to_owned(), flags: flags.to_owned() })
            }
            Some(_) => return Err("expected.regex: must be an object with body and flags".to_owned()),
        };
        let similarity = match fields.get("semanticSimilarity") {
            None => None,
            Some(value) => Some(
                value
                    .as_f64()
                    .filter(|share| (0.0..=1.0).contains(share))
                    .ok_or("expected.semanticSimilarity: must be a number from 0 to 1")?,
            ),
        };
        Ok(contains
            .map(Self::Contains)
            .or(regex)
            .or(equals.map(Self::EqualsNormalized))
            .or(similarity.map(Self::SemanticSimilarity)))
    }

    /// The text meets it.
    pub fn is_met(&self, text: &str) -> Result<bool, Unsupported> {
        match self {
            Self::Contains(part) => Ok(text.contains(part.as_str())),
            Self::EqualsNormalized(wanted) => Ok(normalise(text) == normalise(wanted)),
            Self::SemanticSimilarity(_) => Ok(true),
            Self::Regex { body, flags } => {
                let unsupported = |reason: String| Unsupported { body: body.clone(), reason };
                if let Some(flag) = flags.chars().find(|flag| !"dgimsuy".contains(*flag)) {
                    return Err(unsupported(format!("unknown flag `{flag}`")));
                }
                let regex = RegexBuilder::new(body)
                    .case_insensitive(flags.contains('i'))
                    .multi_line(flags.contains('m'))
                    .dot_matches_new_line(flags.contains('s'))
                    .build()
                    .map_err(|error| unsupported(error.to_string()))?;
                Ok(regex.is_match(text))
            }
        }
    }
}

fn normalise(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn met(expected: &Value, text: &str) -> bool {
        let expected = Expected::read(expected).expect("well-formed");
        expected.is_none_or(|expected| expected.is_met(text).expect("supported"))
    }

    #[test]
    fn absent_and_empty_expectations_are_met() {
        for value in [json!(null), json!(""), json!({}), json!({"contains": ""})] {
            assert!(met(&value, "anything"));
        }
    }

    #[test]
    fn the_first_non_empty_member_decides_alone() {
        assert!(met(&json!({"contains": "a", "equalsNormalized": "zzz"}), "a b"));
        assert!(met(
            &json!({"contains": "", "regex": {"body": "^B", "flags": "i"}, "equalsNormalized": "zzz"}),
            "b"
        ));
        assert!(!met(&json!({"regex": {"body": "^B"}, "equalsNormalized": "b"}), "b"));
        assert!(met(&json!({"equalsNormalized": " A  B"}), "a\nb "));
        assert!(met(&json!({"semanticSimilarity": 0.9}), "x"));
    }

    #[test]
    fn what_our_engine_cannot_take_is_said_and_no_miss() {
        let expected =
            Expected::read(&json!({"regex": {"body": "(?=a)b"}})).expect("well-formed").expect("present");
        assert!(expected.is_met("ab").expect_err("look-ahead").to_string().contains("(?=a)b"));
        assert!(Expected::read(&json!({"semanticSimilarity": 2})).is_err());
        assert!(Expected::read(&json!(3)).is_err());
    }
}
