//! What a tool printed → hits. Pure: bytes in, hits or what is wrong with them out.
//!
//! Nothing is guessed: an answer of another form than the configured one is an error and never an empty answer, since a
//! tool that prints `{"error": …}` and exits with 0 has found nothing out.

mod json;
mod lines;
mod pointer;
mod reader;
mod ripgrep;

use schemars::JsonSchema;
use serde::Deserialize;

pub use json::hit_from;
pub use pointer::{Pointer, PointerProblem};
pub use reader::{Keys, RankBy, Reader};

use crate::ranking::{ErrorClass, RawHit};

/// So many hits an answer may have: however short they are, each takes memory.
const MOST_HITS: usize = 1_000_000;

/// The form of what a tool prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// One JSON value with a list of hits in it.
    #[default]
    Json,
    /// The same with text around it: the last object or list that begins a line and holds hits.
    JsonInText,
    /// One hit a line, each a JSON value.
    JsonLines,
    /// One path a line.
    Paths,
    /// One `path:line:…` a line, as grep prints; a path that occurs again is one hit.
    Grep,
    /// The events of `rg --json`: files rank by how many different texts matched, then by how often.
    Ripgrep,
}

impl Format {
    /// It is JSON, so that pointers have a meaning in it.
    pub fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::JsonInText | Self::JsonLines)
    }
}

/// Where in a JSON answer things are. `path` … `kind` are inside a hit; a hit may be a plain string, which is a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The list of hits; empty: the whole answer is the list.
    pub hits: Pointer,
    /// A hit's path.
    pub path: Pointer,
    /// Its id.
    pub id: Pointer,
    /// Its score.
    pub score: Pointer,
    /// What an agent would receive beside the name.
    pub summary: Pointer,
    /// What the hit is.
    pub kind: Pointer,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            hits: Pointer::root(),
            path: Pointer::key("path"),
            id: Pointer::key("id"),
            score: Pointer::key("score"),
            summary: Pointer::key("summary"),
            kind: Pointer::key("kind"),
        }
    }
}

/// An answer that cannot be read, and says where and what was expected there; or one that says no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OutputProblem {
    message: String,
    class: ErrorClass,
    advice: Option<String>,
}

impl OutputProblem {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), class: ErrorClass::Protocol, advice: None }
    }

    /// The tool's own word that it failed.
    fn said(words: &str) -> Self {
        Self { message: format!("it says `{words}`"), class: ErrorClass::Tool, advice: None }
    }

    /// What to do about it, where that is known.
    pub fn advice(&self) -> Option<&str> {
        self.advice.as_deref()
    }

    /// `Tool` if it says no, else `Protocol`.
    pub fn class(&self) -> ErrorClass {
        self.class
    }
}

/// One hit after the other, as many as an answer may have.
fn collect(
    hits: impl Iterator<Item = Result<RawHit, OutputProblem>>,
    most: usize,
) -> Result<Vec<RawHit>, OutputProblem> {
    let mut collected = Vec::new();
    for hit in hits {
        if collected.len() == most {
            return Err(OutputProblem::new(format!("it has more than {most} hits; ask it for less")));
        }
        collected.push(hit?);
    }
    Ok(collected)
}

/// Reads everything a tool printed. A [`Reader`] knows more: what was asked, and what an error looks like.
pub fn read(bytes: &[u8], format: Format, fields: &Fields) -> Result<Vec<RawHit>, OutputProblem> {
    match format {
        Format::Json => json::hits_in(&json::value(bytes)?, fields),
        Format::JsonInText => {
            let answers =
                |value: &serde_json::Value| fields.hits.of(value).is_some_and(serde_json::Value::is_array);
            json::hits_in(&json::in_text(bytes, "", answers)?, fields)
        }
        Format::JsonLines => json::lines(bytes, fields),
        Format::Paths => lines::paths(bytes),
        Format::Grep => lines::grep(bytes),
        Format::Ripgrep => ripgrep::events(bytes),
    }
}

/// Hears an answer as it comes, in pieces that end anywhere, and keeps little of it.
#[derive(Debug, Default)]
pub struct Listener {
    events: ripgrep::Events,
    /// Bytes that were heard.
    length: usize,
    /// Some of them were no blanks.
    spoke: bool,
}

impl Listener {
    /// The next piece.
    pub fn hear(&mut self, piece: &[u8]) {
        self.length += piece.len();
        self.spoke |= !piece.trim_ascii().is_empty();
        self.events.hear(piece);
    }

    /// Nothing was heard but blanks.
    pub fn is_blank(&self) -> bool {
        !self.spoke
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_so_many_hits_and_no_more() {
        let hits = || ["a", "b"].map(|path| Ok(RawHit::file(path))).into_iter();
        assert_eq!(collect(hits(), 2).unwrap().len(), 2);
        let problem = collect(hits(), 1).unwrap_err();
        assert_eq!(problem.to_string(), "it has more than 1 hits; ask it for less");
        assert_eq!(problem.class(), ErrorClass::Protocol);
        let many = "a\n".repeat(MOST_HITS + 1);
        let lines = "\"a\"\n".repeat(MOST_HITS + 1);
        let list = format!("[{}\"a\"]", "\"a\",".repeat(MOST_HITS));
        for (format, text) in [(Format::Paths, &many), (Format::JsonLines, &lines), (Format::Json, &list)] {
            let told = read(text.as_bytes(), format, &Fields::default()).unwrap_err().to_string();
            assert_eq!(told, "it has more than 1000000 hits; ask it for less", "{format:?}");
        }
    }
}
