//! Text that a terminal or a build log reads.

use std::fmt::Write as _;

use super::columns;

/// One line for a terminal, at most `limit` columns wide. It sends no escape sequence, and GitHub's runner finds no
/// workflow command in it: `::` counts at the start of a line, the old `##[` anywhere.
pub fn terminal(raw: &str, limit: usize) -> String {
    guard(columns(raw, limit).trim())
}

/// A line that was laid out: pieces that were inert alone may stand at its start by now. Blanks and our own styles do
/// not count as a start.
pub fn guard(line: &str) -> String {
    let line = line.replace("##[", "#\\u{23}[");
    let start = line.len() - after_styles(&line).len();
    if line[start..].starts_with("::") {
        format!("{}\\u{{3a}}{}", &line[..start], &line[start + 1..])
    } else {
        line
    }
}

/// The line without the blanks and `ESC [ … m` that it begins with.
fn after_styles(line: &str) -> &str {
    let line = line.trim_start();
    let style = line.strip_prefix("\u{1b}[").and_then(|rest| rest.split_once('m'));
    match style {
        Some((codes, rest)) if codes.bytes().all(|c| c.is_ascii_digit() || c == b';') => after_styles(rest),
        _ => line,
    }
}

/// JSON text with the same meaning in which nothing acts when it is printed: what cannot be seen, and the runner's old
/// `##[` commands, are written as escapes. Outside its strings JSON has none of these characters.
pub fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut units = [0; 2];
    for c in text.chars() {
        if c == '\n' || super::visible(c.encode_utf8(&mut [0; 4])).starts_with(c) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}").expect("writing to a string");
            }
        }
    }
    out.replace("##[", "#\\u0023[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runner_finds_no_command() {
        assert_eq!(terminal("  ::error::gone", 80), "\\u{3a}:error::gone");
        assert_eq!(terminal("see ##[error]gone", 80), "see #\\u{23}[error]gone");
        assert_eq!(terminal("std::fs::read", 80), "std::fs::read");
        assert_eq!(terminal("a\n::error::b", 80), "a⏎::error::b");
        assert_eq!(guard("  \u{1b}[1m\u{1b}[2m ::error::a"), "  \u{1b}[1m\u{1b}[2m \\u{3a}:error::a");
        assert_eq!(guard("\u{1b}[0;31m##[error]a"), "\u{1b}[0;31m#\\u{23}[error]a");
        assert_eq!(guard("  std::fs ::a"), "  std::fs ::a");
    }

    #[test]
    fn json_means_the_same_and_hides_nothing() {
        let value =
            serde_json::json!({"query": "##[error]\u{202e}x\u{200b}\u{e0041}\u{7f}\u{85}é❤\u{fe0f}\n"});
        let plain = serde_json::to_string_pretty(&value).expect("JSON");
        let inert = json(&plain);
        assert!(!inert.contains("##[") && !inert.contains('\u{202e}') && inert.contains("é"), "{inert}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&inert).expect("still JSON"), value);
    }
}
