//! Remarks at lines of files, as workflow commands: the only ones that we write.
//!
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions> has their form;
//! <https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts> what is escaped in them, and how.

use std::fmt::Write as _;

use super::Rendered;
use super::place::visible;

/// How loud a remark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkLevel {
    /// Look here.
    Warning,
    /// This is why it failed.
    Error,
}

/// A remark at a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// How loud.
    pub level: RemarkLevel,
    /// The file, relative to the checkout.
    pub path: String,
    /// 1-based.
    pub line: u64,
    /// In a line.
    pub title: String,
    /// In a few lines.
    pub message: String,
}

/// The most remarks: a runner shows ten of a kind in a step, and leaves the others out without a word.
const REMARKS: usize = 10;

/// The first remarks, a line each.
pub fn remarks(all: impl IntoIterator<Item = Remark>) -> Rendered {
    let mut out = String::new();
    for Remark { level, path, line, title, message } in all.into_iter().take(REMARKS) {
        let word = match level {
            RemarkLevel::Warning => "warning",
            RemarkLevel::Error => "error",
        };
        let (path, title, message) = (property(&path), property(&title), data(&message));
        writeln!(out, "::{word} file={path},line={line},title={title}::{message}")
            .expect("writing to a string");
    }
    Rendered::by_format(out)
}

/// Text after the second `::`. Our own line breaks stay; nothing else in it moves anything.
fn data(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(escaped).collect();
    lines.join("%0A")
}

/// A value between `=` and the next comma.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

/// One line: what the runner takes apart is escaped as it wants it, and its old `##[` commands are broken.
fn escaped(text: &str) -> String {
    visible(text).replace('%', "%25").replace("##[", "#\\u{23}[")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remark(path: &str, title: &str, message: &str) -> Remark {
        let (path, title, message) = (path.to_owned(), title.to_owned(), message.to_owned());
        Remark { level: RemarkLevel::Error, path, line: 7, title, message }
    }

    #[test]
    fn a_remark_is_one_line_whatever_is_in_it() {
        let all =
            [remark("a,b:c%.json", "Lost, with x::y", "50% of\nrank 1 → none\r\n::error::x ##[x]\u{1b}[31m")];
        assert_eq!(
            &*remarks(all),
            "::error file=a%2Cb%3Ac%25.json,line=7,title=Lost%2C with x%3A%3Ay::50%25 of%0Arank 1 → none␍%0A::error::x \
             #\\u{23}[x]␛[31m\n"
        );
    }

    #[test]
    fn a_step_has_ten_of_them() {
        let all = (0..25).map(|at| remark("a", "b", &at.to_string()));
        let text = remarks(all);
        assert_eq!(
            (text.lines().count(), text.lines().last()),
            (10, Some("::error file=a,line=7,title=b::9"))
        );
    }
}
