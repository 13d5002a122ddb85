//! Adding or replacing a case of a document without touching the rest of its text.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::write::{Layout, one_line};
use super::{Loaded, parse};
use crate::strict::Strict;
use crate::suite::json;
use crate::suite::{Place, SuiteError};

/// The document with `case` behind the others, laid out as its neighbours are, and what it loads to.
pub fn add(document: &[u8], case: Map<String, Value>) -> Result<(String, Loaded), SuiteError> {
    let mut wanted = json::read(document, Strict)?;
    let Some(Value::Array(cases)) = wanted.get_mut("cases") else {
        let message = "there is no array to add to; name an Open Eval suite";
        return Err(SuiteError::one(Place::document().field("cases"), message));
    };
    let case = Value::Object(case);
    let text = json::text(document)?;
    let after = Cases::find(text).with(text, &case);
    let loaded = parse(after.as_bytes())?;
    cases.push(case);
    let reread = json::read(after.as_bytes(), Strict)?;
    assert_eq!(reread, wanted, "the new text must be the old document and the case, nothing else");
    let mark = if text.len() < document.len() { "\u{feff}" } else { "" };
    Ok((format!("{mark}{after}"), loaded))
}

/// The document with `case` in the place of the one that has its id, and what it loads to; none if no case has it.
pub fn replace(document: &[u8], case: Map<String, Value>) -> Result<Option<(String, Loaded)>, SuiteError> {
    let mut wanted = json::read(document, Strict)?;
    let cases = wanted.get_mut("cases").and_then(Value::as_array_mut);
    let found =
        cases.and_then(|cases| cases.iter_mut().enumerate().find(|(_, old)| old.get("id") == case.get("id")));
    let Some((at, old)) = found else { return Ok(None) };
    let case = Value::Object(case);
    let text = json::text(document)?;
    let spans = Cases::spans(text);
    let span = spans[at].clone();
    let mut new = String::new();
    if text[span.clone()].contains('\n') {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let base = indentation(text, span.start);
        let inner = text[span.clone()].lines().nth(1).map_or("", |line| indentation(line, 0));
        let unit = inner.strip_prefix(base).filter(|unit| !unit.is_empty()).unwrap_or("  ");
        Layout { newline, base, unit }.write(&case, 0, &mut new);
    } else {
        one_line(&case, space(&text[span.clone()]), &mut new);
    }
    let after = format!("{}{new}{}", &text[..span.start], &text[span.end..]);
    let loaded = parse(after.as_bytes())?;
    *old = case;
    let reread = json::read(after.as_bytes(), Strict)?;
    assert_eq!(reread, wanted, "the new text must be the old document with that case, nothing else");
    let mark = if text.len() < document.len() { "\u{feff}" } else { "" };
    Ok(Some((format!("{mark}{after}"), loaded)))
}

/// Where the cases stand in the text of a document.
struct Cases {
    /// At `]`.
    close: usize,
    /// The last case; if there is none, the `[`.
    last: std::ops::Range<usize>,
    is_empty: bool,
}

#[derive(Deserialize)]
struct Root<'a> {
    #[serde(borrow)]
    cases: &'a RawValue,
}

impl Cases {
    /// Finds them in a text that is known to be a document with such an array.
    fn find(text: &str) -> Self {
        let root: Root<'_> = serde_json::from_str(text).expect("it has been read before");
        let whole = span(text, root.cases.get());
        let mut items = Self::spans(text);
        let is_empty = items.is_empty();
        let last = items.pop().unwrap_or(whole.start..whole.start + 1);
        Self { close: whole.end - 1, last, is_empty }
    }

    /// The span of each case of such a text.
    fn spans(text: &str) -> Vec<std::ops::Range<usize>> {
        let root: Root<'_> = serde_json::from_str(text).expect("it has been read before");
        let items: Vec<&RawValue> = serde_json::from_str(root.cases.get()).expect("it has been read before");
        items.iter().map(|item| span(text, item.get())).collect()
    }

    /// The text with one more case.
    fn with(&self, text: &str, case: &Value) -> String {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let last = &text[self.last.clone()];
        let over_lines =
            text[self.last.end..self.close].contains('\n') || (self.is_empty && text.contains('\n'));
        let mut added = String::from(if self.is_empty { "" } else { "," });
        if over_lines {
            let close = indentation(text, self.close);
            let base =
                if self.is_empty { format!("{close}  ") } else { indentation(text, self.last.start).into() };
            let unit = base.strip_prefix(close).filter(|unit| !unit.is_empty()).unwrap_or("  ");
            added.extend([newline, &base]);
            if last.contains('\n') || self.is_empty {
                Layout { newline, base: &base, unit }.write(case, 0, &mut added);
            } else {
                one_line(case, space(last), &mut added);
            }
            if self.is_empty {
                added.extend([newline, close]);
            }
        } else {
            let space = space(text);
            added.push_str(if self.is_empty { "" } else { space });
            one_line(case, space, &mut added);
        }
        // What stood between the brackets of an empty list was white space.
        let rest = if self.is_empty { self.close } else { self.last.end };
        format!("{}{added}{}", &text[..self.last.end], &text[rest..])
    }
}

/// Where a part stands in the text it was borrowed from.
fn span(text: &str, part: &str) -> std::ops::Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

/// The white space that the line of this place begins with.
fn indentation(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = &text[line..];
    &rest[..rest.find(|c: char| c != ' ' && c != '\t').unwrap_or(rest.len())]
}

/// Whether this text puts a space behind colons.
fn space(text: &str) -> &'static str {
    if text.contains("\": ") { " " } else { "" }
}
