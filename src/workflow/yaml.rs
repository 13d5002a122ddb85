//! YAML as a tree of our own, with the lines it stands in.
//!
//! A workflow is a stranger's text: it is bounded in size, depth and in what its aliases expand to, and refused where two
//! readers could read it differently. Scalars stay text, so that `on` is a key like any other and no boolean.

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};

/// The largest workflow that is read: far more than people write.
pub const MAX_BYTES: u64 = 1 << 20;

/// Levels of lists and maps, those that aliases bring included.
const DEPTH: usize = 100;

/// Bytes of all values of one file, those that aliases bring included; a value counts for [`VALUE`] beside its text.
const EXPANDED: usize = 16 << 20;

/// What a value takes beside its text.
const VALUE: usize = 128;

/// What a plain text means that is none; where nothing is written, the parser says the second.
const NOTHING: [&str; 5] = ["", "~", "null", "Null", "NULL"];

/// A text that is not read any further.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Refused {
    /// The line, from 1.
    pub line: usize,
    /// Why.
    pub what: String,
}

impl Refused {
    pub(super) fn at(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Its first line, from 1.
    pub line: usize,
    /// Characters before it on that line.
    pub column: usize,
    /// The last line that has something of it.
    pub last: usize,
    /// What it is.
    pub value: Value,
    /// Bytes of it, whatever is in it included.
    size: usize,
    /// Levels below it.
    depth: usize,
    /// Something stands there.
    is_written: bool,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Text; `is_nothing` where there is none at all.
    Text { text: String, is_nothing: bool },
    /// A list; of a `[…]` the lines say nothing about its items.
    List { items: Vec<Node>, is_block: bool },
    /// A map.
    Map { entries: Vec<Entry>, is_block: bool },
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The key's text.
    pub key: String,
    /// The key's line, from 1.
    pub line: usize,
    /// Characters before the key.
    pub column: usize,
    /// The value.
    pub value: Node,
}

/// A list or map that is not at its end yet.
struct Open {
    node: Node,
    anchor: usize,
    /// The key that waits for its value.
    key: Option<Node>,
}

/// Reads the one document of a text.
pub(super) fn read(text: &str) -> Result<Node, Refused> {
    if let Some(at) = text.match_indices('\r').map(|(at, _)| at).find(|at| !text[at + 1..].starts_with('\n'))
    {
        let line = text[..at].matches('\n').count() + 1;
        return Err(Refused::at(
            line,
            "a carriage return alone is a line for some readers and none for others",
        ));
    }
    let mut reader = Reader { text, open: Vec::new(), anchors: HashMap::new(), root: None, bytes: 0 };
    let options = granit_parser::options! {
        disallow_directives: true,
        flow_nesting_limit: DEPTH,
        block_nesting_limit: DEPTH,
    };
    let mut documents = 0;
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| Refused::at(error.marker().line().max(1), error.info()))?;
        if matches!(event, Event::DocumentStart(..)) {
            documents += 1;
            if documents > 1 {
                return Err(Refused::at(span.start.line(), "a second document begins here"));
            }
        }
        reader.take(event, &span)?;
    }
    reader.root.ok_or_else(|| Refused::at(1, "nothing is in it"))
}

struct Reader<'a> {
    text: &'a str,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    root: Option<Node>,
    bytes: usize,
}

/// Counts what more there is, and refuses what is too much.
fn expanded(bytes: &mut usize, more: usize, line: usize) -> Result<(), Refused> {
    *bytes = bytes.saturating_add(more);
    if *bytes > EXPANDED {
        return Err(Refused::at(line, format!("its aliases make more than {EXPANDED} bytes of it")));
    }
    Ok(())
}

impl Reader<'_> {
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), Refused> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let is_nothing = style == ScalarStyle::Plain && NOTHING.contains(&&*text);
                let size = VALUE + text.len();
                let value = Value::Text { text: text.into_owned(), is_nothing };
                let last = span.start.line() + self.breaks(span);
                self.close(Node { last, size, ..node(span, value) }, anchor)
            }
            Event::SequenceStart(style, anchor, _) => {
                let is_block = style == StructureStyle::Block;
                self.begin(node(span, Value::List { items: Vec::new(), is_block }), anchor)
            }
            Event::MappingStart(style, anchor, _) => {
                let is_block = style == StructureStyle::Block;
                self.begin(node(span, Value::Map { entries: Vec::new(), is_block }), anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { mut node, anchor, .. }) = self.open.pop() else { return Ok(()) };
                // Where a block ends is the next thing's place; its last value knows better.
                if let Value::List { is_block: false, .. } | Value::Map { is_block: false, .. } = node.value {
                    node.last = node.last.max(span.start.line());
                }
                self.close(node, anchor)
            }
            Event::Alias(anchor) => {
                let Some(known) = self.anchors.get(&anchor) else {
                    return Err(Refused::at(span.start.line(), "an alias stands inside of what it names"));
                };
                // Before it is copied: what it expands to is what is bounded.
                expanded(&mut self.bytes, known.size, span.start.line())?;
                let mut node = known.clone();
                // What an alias brings stands elsewhere; the lines around it are those of the alias.
                node.last = node.last.max(span.start.line());
                self.attach(node, span.start.line())
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, node: Node, anchor: usize) -> Result<(), Refused> {
        if self.open.len() >= DEPTH {
            return Err(Refused::at(node.line, format!("it is nested more than {DEPTH} levels deep")));
        }
        self.open.push(Open { node, anchor, key: None });
        Ok(())
    }

    /// A value is whole.
    fn close(&mut self, node: Node, anchor: usize) -> Result<(), Refused> {
        // What is in a list or map was counted when it was closed.
        let own = if let Value::Text { .. } = node.value { node.size } else { VALUE };
        expanded(&mut self.bytes, own, node.line)?;
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let line = node.line;
        self.attach(node, line)
    }

    /// Puts a whole value where it belongs.
    fn attach(&mut self, mut node: Node, line: usize) -> Result<(), Refused> {
        if self.open.len() + node.depth > DEPTH {
            return Err(Refused::at(line, format!("it is nested more than {DEPTH} levels deep")));
        }
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        parent.node.size += node.size;
        parent.node.depth = parent.node.depth.max(node.depth + 1);
        match &mut parent.node.value {
            Value::Text { .. } => {}
            Value::List { items, .. } => {
                parent.node.last = parent.node.last.max(node.last);
                items.push(node);
            }
            Value::Map { entries, .. } => {
                let Some(key) = parent.key.take() else {
                    parent.node.last = parent.node.last.max(node.last);
                    parent.key = Some(node);
                    return Ok(());
                };
                let Value::Text { text, .. } = &key.value else {
                    return Err(Refused::at(key.line, "a key is a list or a map"));
                };
                if entries.iter().any(|entry| entry.key == *text) {
                    return Err(Refused::at(key.line, format!("the key `{text}` stands here a second time")));
                }
                // What was not written stands nowhere: at its key.
                if node.is_nothing() && !node.is_written {
                    (node.line, node.last) = (key.line, key.last);
                }
                parent.node.last = parent.node.last.max(node.last);
                entries.push(Entry { key: text.clone(), line: key.line, column: key.column, value: node });
            }
        }
        Ok(())
    }

    /// Line breaks inside of a scalar, those at its end left out.
    fn breaks(&self, span: &Span) -> usize {
        let range = span.byte_range().and_then(|range| self.text.get(range));
        range.map_or(0, |text| text.trim_end().matches('\n').count())
    }
}

fn node(span: &Span, value: Value) -> Node {
    let line = span.start.line();
    Node {
        line,
        column: span.start.col(),
        last: line,
        value,
        size: VALUE,
        depth: 0,
        is_written: !span.is_empty(),
    }
}

impl Node {
    /// No value was written.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self.value, Value::Text { is_nothing: true, .. })
    }

    /// Its text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// What it is, for a message.
    pub(super) fn what(&self) -> &'static str {
        match &self.value {
            Value::Text { is_nothing: true, .. } => "nothing",
            Value::Text { .. } => "a text",
            Value::List { .. } => "a list",
            Value::Map { .. } => "a map",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn lines(text: &str) -> Vec<(String, usize, usize)> {
        let Value::Map { entries, .. } = read(text).unwrap().value else { panic!("a map") };
        entries.into_iter().map(|entry| (entry.key, entry.line, entry.value.last)).collect()
    }

    #[track_caller]
    fn refused(text: &str, line: usize, what: &str) {
        let refused = read(text).unwrap_err();
        assert!(refused.line == line && refused.what.contains(what), "{refused:?}");
    }

    #[test]
    fn every_value_knows_its_last_line() {
        let text = "on: # why\n  push:\n\n# more\nname: >-\n  a\n  b\n\n\nrun: |\n  x\n\n  y\n\nlist:\n- a\n- b: [1,\n   2]\nend: {a: 1,\n  b: 2\n  }\nnone: ~\nlast:\n";
        let found = lines(text);
        let expected = [
            ("on", 1, 2),
            ("name", 5, 7),
            ("run", 10, 13),
            ("list", 15, 18),
            ("end", 19, 21),
            ("none", 22, 22),
            ("last", 23, 23),
        ];
        assert_eq!(found, expected.map(|(key, line, last)| (key.to_owned(), line, last)));
    }

    #[test]
    fn on_is_a_key_like_any_other() {
        assert_eq!(lines("on: push\ntrue: no\n"), [("on".to_owned(), 1, 1), ("true".to_owned(), 2, 2)]);
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        refused("a: 1\nb: 2\na: 3\n", 3, "`a` stands here a second time");
        refused("a: 1\n---\nb: 2\n", 2, "second document");
        refused("a: 1\rb: 2\n", 1, "carriage return");
        refused("? [a]\n: 1\n", 1, "a key is a list");
        refused("%YAML 1.1\n---\na: 1\n", 1, "directive");
        refused("a: *b\n", 1, "");
        refused("a: &b [*b]\n", 1, "inside of what it names");
        refused("", 1, "nothing");
        refused("a: [\n", 1, "bracket");
    }

    #[test]
    fn aliases_are_followed_up_to_a_bound() {
        let text = "a: &a [x, y]\nb: *a\n";
        let Value::Map { entries, .. } = read(text).unwrap().value else { panic!("a map") };
        assert!(matches!(&entries[1].value.value, Value::List { items, .. } if items.len() == 2));
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        let mut chain = bomb.clone();
        for at in 1..2000 {
            let before = at - 1;
            let nine = vec![format!("*a{before}"); 9].join(", ");
            writeln!(bomb, "a{at}: &a{at} [{nine}]").unwrap();
            writeln!(chain, "a{at}: &a{at} [*a{before}]").unwrap();
        }
        refused(&bomb, 6, "bytes");
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(1 << 19), vec!["*a"; 64].join(", "));
        refused(&long, 2, "bytes");
        refused(&chain, 100, "nested");
        refused(&"[".repeat(200_000), 1, "");
        refused(&format!("a: {}", "- ".repeat(100_000)), 1, "");
    }
}
