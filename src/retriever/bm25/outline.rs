//! A document line by line: what each line defines, and whether it is a heading.

use super::definitions::Grammar;
use super::headings::Markup;
use super::place::{Form, extension};

/// One line with what it says about its document.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// The name that it defines.
    pub(super) definition: Option<&'a str>,
    /// The heading that it is, or that it underlines.
    pub(super) heading: Option<&'a str>,
}

/// The lines of a document, a byte-order mark left out.
pub(super) fn lines<'a>(path: &str, text: &'a str) -> impl Iterator<Item = Line<'a>> + use<'a> {
    let extension = extension(path);
    let grammar = Grammar::for_extension(&extension).filter(|_| Form::of(path) == Form::Code);
    let markup = Markup::for_extension(&extension);
    let mut fenced = false;
    let mut before = "";
    text.strip_prefix('\u{feff}').unwrap_or(text).lines().map(move |line| {
        fenced ^= markup == Markup::Markdown && line.starts_with("```");
        let heading = if fenced { None } else { markup.heading(before, line) };
        before = line;
        Line { text: line, definition: grammar.and_then(|grammar| grammar.definition(line)), heading }
    })
}

/// What a document defines and is titled, each in the order of its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// Names that it defines.
    pub definitions: Vec<String>,
    /// Its headings.
    pub headings: Vec<String>,
}

impl Outline {
    /// The outline of the document at `path`.
    pub fn of(path: &str, text: &str) -> Self {
        let mut outline = Self::default();
        for line in lines(path, text) {
            outline.definitions.extend(line.definition.map(str::to_owned));
            outline.headings.extend(line.heading.map(|heading| heading.trim().to_owned()));
        }
        outline
    }
}
