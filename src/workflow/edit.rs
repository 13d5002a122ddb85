//! Changes to the lines of a file: a finding carries the one that cures it, in words for people and as data.

use std::fmt;

/// The lines of an entry: a key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its first line, from 1.
    pub from: usize,
    /// Its last line.
    pub to: usize,
    /// What stands before the key on its first line.
    lead: String,
}

/// Lines in the place of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The first line that goes, from 1.
    pub from: usize,
    /// The last line that goes; `from - 1` where nothing goes and the new lines come before `from`.
    pub to: usize,
    /// The new lines, with their indentation.
    pub lines: Vec<String>,
}

impl Region {
    /// Of a key that has `column` characters before it on its line.
    pub(super) fn new(lines: &[String], from: usize, to: usize, column: usize) -> Self {
        let line = from.checked_sub(1).and_then(|at| lines.get(at)).map(String::as_str).unwrap_or_default();
        Self { from, to: to.max(from), lead: line.chars().take(column).collect() }
    }

    /// The entry has its lines for itself: blanks and the dashes of lists are all that stands before it.
    pub(super) fn is_whole(&self) -> bool {
        self.lead.chars().all(|c| c == ' ' || c == '-')
    }

    /// Characters before its keys.
    pub(super) fn indent(&self) -> usize {
        self.lead.chars().count()
    }

    /// Characters before the dash of the list's item that it is the first key of.
    pub(super) fn dash(&self) -> Option<usize> {
        self.lead.rfind('-')
    }

    /// Other lines in its place.
    pub(super) fn replaced<T: AsRef<str>>(&self, lines: &[T]) -> Option<Edit> {
        self.is_whole().then(|| {
            let mut lines = indented(lines, self.indent());
            if let (Some(first), Some(dash)) = (lines.first_mut(), self.dash()) {
                let rest = first.split_off(dash);
                first.push_str(&self.lead[dash..]);
                first.push_str(rest.trim_start_matches(' '));
            }
            Edit { from: self.from, to: self.to, lines }
        })
    }

    /// Nothing in its place. The first key of a list's item carries the dash, and stays.
    pub(super) fn removed(&self) -> Option<Edit> {
        let goes = self.is_whole() && self.dash().is_none();
        goes.then(|| Edit { from: self.from, to: self.to, lines: Vec::new() })
    }

    /// More keys of the same map after it.
    pub(super) fn followed<T: AsRef<str>>(&self, lines: &[T]) -> Option<Edit> {
        self.is_whole().then(|| Edit {
            from: self.to + 1,
            to: self.to,
            lines: indented(lines, self.indent()),
        })
    }

    /// More keys of the same map before it.
    pub(super) fn preceded<T: AsRef<str>>(&self, lines: &[T]) -> Option<Edit> {
        let there_is_room = self.is_whole() && self.dash().is_none();
        there_is_room.then(|| Edit {
            from: self.from,
            to: self.from - 1,
            lines: indented(lines, self.indent()),
        })
    }

    /// Another item of the list before the one that it is the first key of.
    pub(super) fn item_before<T: AsRef<str>>(&self, lines: &[T]) -> Option<Edit> {
        let dash = self.dash().filter(|_| self.is_whole())?;
        Some(Edit { from: self.from, to: self.from - 1, lines: indented(lines, dash) })
    }
}

fn indented<T: AsRef<str>>(lines: &[T], by: usize) -> Vec<String> {
    lines.iter().map(|line| format!("{:by$}{}", "", line.as_ref())).collect()
}

impl Edit {
    /// The text with this edit made. Lines that are not there are none.
    pub fn applied(&self, text: &str) -> String {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let before = self.from.saturating_sub(1).min(lines.len());
        let after = self.to.clamp(before, lines.len());
        let mut out: String = lines[..before].concat();
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        for line in &self.lines {
            out.push_str(line);
            out.push('\n');
        }
        out + &lines[after..].concat()
    }
}

impl fmt::Display for Edit {
    /// Where its lines go.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from, self.to);
        match (self.lines.is_empty(), to + 1 == from, from == to) {
            (true, _, true) => write!(f, "take out line {from}"),
            (true, ..) => write!(f, "take out lines {from} to {to}"),
            (false, true, _) => write!(f, "put in after line {to}"),
            (false, _, true) => write!(f, "in the place of line {from}"),
            (false, ..) => write!(f, "in the place of lines {from} to {to}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "jobs:\n  a:\n    steps:\n      - uses: x # why\n        with:\n          b: 1\n";

    fn region(from: usize, to: usize, column: usize) -> Region {
        let lines: Vec<String> = TEXT.lines().map(str::to_owned).collect();
        Region::new(&lines, from, to, column)
    }

    #[test]
    fn the_first_key_of_an_item_keeps_its_dash() {
        let edit = region(4, 4, 8).replaced(&["uses: y"]).unwrap();
        assert!(edit.applied(TEXT).contains("\n      - uses: y\n        with:\n"), "{edit:?}");
        assert_eq!(region(4, 4, 8).removed(), None);
        let edit = region(4, 4, 8).item_before(&["- uses: z", "  with: q"]).unwrap();
        assert!(edit.applied(TEXT).contains("\n      - uses: z\n        with: q\n      - uses: x"));
    }

    #[test]
    fn lines_come_before_after_and_in_the_place_of() {
        let with = region(5, 6, 8);
        assert!(with.followed(&["env: e"]).unwrap().applied(TEXT).ends_with("b: 1\n        env: e\n"));
        assert!(
            with.preceded(&["if: i"]).unwrap().applied(TEXT).contains("# why\n        if: i\n        with:")
        );
        assert!(with.removed().unwrap().applied(TEXT).ends_with("# why\n"));
        assert_eq!(with.replaced(&["id: x"]).unwrap().to_string(), "in the place of lines 5 to 6");
        assert_eq!(with.followed(&["id: x"]).unwrap().to_string(), "put in after line 6");
    }

    #[test]
    fn an_entry_amid_a_line_is_not_edited() {
        let inline = Region { from: 1, to: 1, lead: "  a: {".to_owned() };
        assert_eq!((inline.replaced(&["b"]), inline.followed(&["b"])), (None, None));
    }

    #[test]
    fn a_text_without_a_last_line_break_gets_one() {
        let edit = Edit { from: 2, to: 1, lines: vec!["b".to_owned()] };
        assert_eq!(edit.applied("a"), "a\nb\n");
        assert_eq!(Edit { from: 9, to: 12, lines: Vec::new() }.applied("a"), "a\n");
    }
}
