//! One line of `rg --json`.

use std::borrow::Cow;
use std::vec;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use memchr::memchr2;
use serde::Deserialize;

use crate::strict::read_answer;

/// What a line says, as far as it matters.
pub(super) enum Event<'a> {
    /// Texts that matched in a file.
    Match { path: Cow<'a, str>, matched: Matched<'a> },
    /// The answer ends.
    Summary,
    /// A file begins or ends, or a line stands beside a match.
    Other,
}

/// Reads a line; the error is the rest of a sentence about it.
pub(super) fn read(line: &[u8]) -> Result<Event<'_>, String> {
    if let Some((path, submatches)) = usual(line) {
        return Ok(Event::Match { path: path.into(), matched: Matched::Usual(submatches) });
    }
    let told = |error: serde_json::Error| format!("is no event of `rg --json`: {error}");
    match serde_json::from_value(read_answer(line).map_err(told)?).map_err(told)? {
        Any::Match { path, submatches } => {
            Ok(Event::Match { path: path.read()?.into(), matched: Matched::Any(submatches.into_iter()) })
        }
        Any::Summary {} => Ok(Event::Summary),
        Any::Begin {} | Any::Context {} | Any::End {} => Ok(Event::Other),
    }
}

/// The texts that matched, one after the other.
pub(super) enum Matched<'a> {
    Usual(Submatches<'a>),
    Any(vec::IntoIter<Submatch>),
}

impl<'a> Iterator for Matched<'a> {
    type Item = Result<Cow<'a, str>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Usual(submatches) => submatches.next()?.map(|matched| Ok(matched.into())),
            Self::Any(submatches) => {
                submatches.next().map(|Submatch { matched }| matched.read().map(Cow::from))
            }
        }
    }
}

/// Any event, by a reader of any JSON.
#[derive(Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "lowercase")]
enum Any {
    Match { path: Text, submatches: Vec<Submatch> },
    Begin {},
    Context {},
    End {},
    Summary {},
}

#[derive(Deserialize)]
pub(super) struct Submatch {
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
    fn read(self) -> Result<String, String> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Bytes(code) => {
                let bytes = STANDARD.decode(code).map_err(|_| "holds `bytes` that are not base64")?;
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
        }
    }
}

/// Reads a match as rg writes it, its path and what matched, without a look at the text around it, which is most of the
/// line. Anything out of the ordinary, an escape in what counts for one, is none, and left to the reader of any JSON.
fn usual(line: &[u8]) -> Option<(&str, Submatches<'_>)> {
    let rest = line.strip_prefix(br#"{"type":"match","data":{"path":{"text":""#)?;
    let (path, rest) = plain_text(rest)?;
    let rest = after_text(rest.strip_prefix(br#"},"lines":{"text":""#)?)?;
    let rest = after_number(rest.strip_prefix(br#"},"line_number":"#)?)?;
    let rest = after_number(rest.strip_prefix(br#","absolute_offset":"#)?)?;
    let rest = rest.strip_prefix(br#","submatches":["#)?;
    let submatches = Submatches(rest.strip_suffix(b"]}}")?);
    // They are looked at twice, so that none of them counts unless all are as they should be.
    submatches.clone().all(|matched| matched.is_some()).then_some((path, submatches))
}

/// `{"match":{"text":"…"},"start":0,"end":1}`, one after the other; nothing for what is not.
#[derive(Clone)]
pub(super) struct Submatches<'a>(&'a [u8]);

impl<'a> Submatches<'a> {
    fn one(&mut self) -> Option<&'a str> {
        let (matched, rest) = plain_text(self.0.strip_prefix(br#"{"match":{"text":""#)?)?;
        let rest = after_number(rest.strip_prefix(br#"},"start":"#)?)?;
        let rest = after_number(rest.strip_prefix(br#","end":"#)?)?.strip_prefix(b"}")?;
        self.0 = match rest.strip_prefix(b",") {
            Some(rest) if !rest.is_empty() => rest,
            Some(_) => return None,
            None => rest,
        };
        Some(matched)
    }
}

impl<'a> Iterator for Submatches<'a> {
    type Item = Option<&'a str>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let one = self.one();
        if one.is_none() {
            self.0 = &[];
        }
        Some(one)
    }
}

/// A text without escapes whose quote has begun, and what follows it.
fn plain_text(rest: &[u8]) -> Option<(&str, &[u8])> {
    let at = memchr2(b'"', b'\\', rest).filter(|at| rest[*at] == b'"')?;
    let text = std::str::from_utf8(&rest[..at]).ok()?;
    text.bytes().all(|byte| byte >= b' ').then_some((text, &rest[at + 1..]))
}

/// What follows the quote that ends a text.
fn after_text(mut rest: &[u8]) -> Option<&[u8]> {
    loop {
        let at = memchr2(b'"', b'\\', rest)?;
        if rest[at] == b'"' {
            return Some(&rest[at + 1..]);
        }
        rest = rest.get(at + 2..)?;
    }
}

fn after_number(rest: &[u8]) -> Option<&[u8]> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then(|| &rest[digits..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path and what matched.
    fn told(line: &str) -> Result<(String, Vec<String>), String> {
        let Event::Match { path, matched } = read(line.as_bytes())? else {
            return Err("no match".to_owned());
        };
        let matched: Result<_, _> = matched.map(|matched| matched.map(Cow::into_owned)).collect();
        Ok((path.into_owned(), matched?))
    }

    /// What is read at a glance, and the same written so that it is not.
    #[test]
    fn a_usual_event_means_what_any_reader_of_json_reads() {
        let usual_line = |path: &str, text: &str, matched: &str| {
            let quoted = |text: &str| serde_json::to_string(text).unwrap();
            format!(
                r#"{{"type":"match","data":{{"path":{{"text":{}}},"lines":{{"text":{}}},"line_number":12,"absolute_offset":345,"submatches":[{{"match":{{"text":{}}},"start":0,"end":1}}]}}}}"#,
                quoted(path),
                quoted(text),
                quoted(matched),
            )
        };
        // The same value, its keys in another order and with blanks.
        let means_the_same = |line: &str, path: &str| {
            let other = serde_json::from_str::<serde_json::Value>(line).unwrap();
            let other = format!("{other:#}").replace('\n', " ");
            assert!(usual(other.as_bytes()).is_none());
            assert_eq!(told(line), told(&other), "{line}");
            assert_eq!(told(line).unwrap().0, path);
        };
        let texts = [
            "",
            "a\n",
            "\\",
            "\"",
            "\\\"",
            "\"},\"submatches\":[{\"match\":{\"text\":\"b\"}}]}}\n",
            "\u{1}é\t",
        ];
        for text in texts {
            for path in ["a b/é.rs", "a\\b.rs", "a\"b.rs"] {
                for matched in ["é", text] {
                    let line = usual_line(path, text, matched);
                    let escapes = [path, matched].concat().contains(['\\', '"', '\n', '\t']);
                    assert_eq!(usual(line.as_bytes()).is_some(), !escapes, "{line}");
                    means_the_same(&line, path);
                }
            }
        }
        for (from, to) in [
            ("345", "x"),
            ("345", ""),
            ("}}", "}"),
            ("[{", "[[{"),
            (r#""match":{"text""#, r#""match":{"word""#),
            (r#""b"},"line"#, r#""b},"line"#),
        ] {
            let line = usual_line("a", "b", "c").replace(from, to);
            assert!(told(&line).is_err(), "{line}");
        }
    }
}
