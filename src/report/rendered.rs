//! Text that is ready to be printed.

use std::fmt;
use std::ops::Deref;

use super::place;

/// Text in which nothing acts: whatever a stranger wrote was made inert for the place it stands in. Text that is not
/// known to be of this kind has no way to a terminal or a build log, since this type has no other constructors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered(String);

impl Rendered {
    /// What a format made of a view; it put every piece into its place.
    pub(super) fn by_format(text: String) -> Self {
        Self(text)
    }

    /// Lines, each inert as a whole and with its indentation kept. A line break inside of one is shown, and breaks
    /// nothing.
    pub fn lines<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> Self {
        let mut out = String::new();
        for line in lines {
            let line = line.as_ref();
            let indent = line.len() - line.trim_start_matches(' ').len();
            out.push_str(&line[..indent]);
            out.push_str(&place::terminal(line, usize::MAX));
            out.push('\n');
        }
        Self(out)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// JSON of the same meaning, ending in a line break.
    pub fn json(text: &str) -> Self {
        Self(place::json(text.trim_end()) + "\n")
    }
}

impl Deref for Rendered {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Rendered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_line_and_acts_nowhere() {
        let lines =
            Rendered::lines(["  ok a\nok  b", "\u{1b}[31m::error::c", " ::error::d", "##[group]e", ""]);
        assert_eq!(&*lines, "  ok a⏎ok  b\n␛[31m::error::c\n \\u{3a}:error::d\n#\\u{23}[group]e\n\n");
    }

    #[test]
    fn json_keeps_its_meaning() {
        let json = Rendered::json("{\"a\": \"\u{202e}##[x]\"}");
        assert_eq!(&*json, "{\"a\": \"\\u202e#\\u0023[x]\"}\n");
    }
}
