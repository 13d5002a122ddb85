//! TREC topics: `<top>` blocks, or one `id TAB text` per line.

use serde_json::{Map, Value};

use super::super::error::Problems;
use super::super::source::Source;
use super::super::{SuiteError, json};

/// Id, text and what else a topic says.
type Topic = (String, String, Map<String, Value>);

/// Reads either form.
pub(super) fn parse(source: Source<'_>) -> Result<Vec<Topic>, SuiteError> {
    let text = json::text(source.bytes).map_err(|error| error.within(source.name))?;
    let mut problems = Problems::default();
    let topics = if text.trim_start().starts_with('<') {
        blocks(source, text, &mut problems)
    } else {
        lines(source, text, &mut problems)
    };
    problems.into_result()?;
    Ok(topics)
}

fn lines(source: Source<'_>, text: &str, problems: &mut Problems) -> Vec<Topic> {
    let mut topics = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match line.split_once('\t') {
            Some((id, text)) => topics.push((id.trim().to_owned(), text.trim().to_owned(), Map::new())),
            None => problems.push(source.line(at + 1), "must be an id, a tab and the text of the query"),
        }
    }
    topics
}

/// `<top> <num> Number: 301 <title> … <desc> Description: … <narr> Narrative: … </top>`. Closing tags of the fields are
/// optional, as in TREC's own files.
fn blocks(source: Source<'_>, text: &str, problems: &mut Problems) -> Vec<Topic> {
    let mut topics = Vec::new();
    let mut open: Option<(usize, Map<String, Value>)> = None;
    let mut line = 1;
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, tagged) = rest.split_at(start);
        line += before.matches('\n').count();
        let Some(end) = tagged.find('>') else {
            problems.push(source.line(line), "a tag is not closed with `>`");
            return topics;
        };
        let tag = tagged[1..end].trim().to_ascii_lowercase();
        let body = &tagged[end + 1..];
        let content = &body[..body.find('<').unwrap_or(body.len())];
        match (tag.as_str(), &mut open) {
            ("top", None) => open = Some((line, Map::new())),
            ("/top", Some((first, fields))) => {
                match (take(fields, "num", "Number:"), take(fields, "title", "Topic:")) {
                    (Some(id), Some(title)) => topics.push((id, title, std::mem::take(fields))),
                    _ => problems.push(source.line(*first), "the topic lacks a <num> or a <title>"),
                }
                open = None;
            }
            ("num" | "title", Some((_, fields))) => drop(fields.insert(tag, squeezed(content, "").into())),
            ("desc", Some((_, fields))) => drop(fields.insert(tag, squeezed(content, "Description:").into())),
            ("narr", Some((_, fields))) => drop(fields.insert(tag, squeezed(content, "Narrative:").into())),
            ("top", Some(_)) => problems.push(source.line(line), "<top> within <top>; close the topic first"),
            _ => {}
        }
        line += tagged[..=end].matches('\n').count();
        rest = body;
    }
    if let Some((first, _)) = open {
        problems.push(source.line(first), "the topic is not closed with </top>");
    }
    topics
}

fn take(fields: &mut Map<String, Value>, key: &str, label: &str) -> Option<String> {
    let value = fields.remove(key)?;
    let text = squeezed(value.as_str()?, label);
    (!text.is_empty()).then_some(text)
}

/// White space joined to single spaces, and the label that TREC's own files put in front removed.
fn squeezed(text: &str, label: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.strip_prefix(label).map_or(text.as_str(), str::trim_start).to_owned()
}
