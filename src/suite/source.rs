//! What the readers of the other formats share: a file with a name, and cases on their way into the native form.

use serde_json::{Map, Value};

use super::{Note, Place};

/// A file as its reader gets it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// What messages call it.
    pub name: &'a str,
    /// What is in it.
    pub bytes: &'a [u8],
}

impl Source<'_> {
    /// A line of it.
    pub(super) fn line(&self, line: usize) -> Place {
        Place::line(line).within(self.name)
    }

    /// The file as a whole.
    pub(super) fn whole(&self) -> Place {
        Place::document().within(self.name)
    }
}

/// A case in the native form.
pub(super) fn native(id: &str, input: &str, metadata: Map<String, Value>) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("id".to_owned(), id.into());
    fields.insert("input".to_owned(), input.into());
    if !metadata.is_empty() {
        fields.insert("metadata".to_owned(), Value::Object(metadata));
    }
    fields
}

/// Something that holds for several cases and is said once.
#[derive(Debug, Default)]
pub(super) struct Tally {
    names: Vec<String>,
    count: usize,
}

impl Tally {
    const NAMED: usize = 5;

    /// Counts one more.
    pub(super) fn add(&mut self, name: &str) {
        if self.names.len() < Self::NAMED {
            self.names.push(name.to_owned());
        }
        self.count += 1;
    }

    /// `3 queries … : a, b, c`; nothing when nothing was counted. `message` gets the count.
    pub(super) fn tell(self, notes: &mut Vec<Note>, place: Place, message: impl FnOnce(usize) -> String) {
        if self.count == 0 {
            return;
        }
        let more = if self.count > self.names.len() { " …" } else { "" };
        let text = format!("{}: {}{more}", message(self.count), self.names.join(", "));
        notes.push(Note::warning(place, text));
    }
}

/// `1 query`, `2 queries`.
pub(super) fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
