//! Code in markdown: the one place where GitHub neither mentions, nor links, nor turns names into pictures.

use super::shorten;

/// A code span, also in a table cell. The fence is longer than any run of backticks inside; a pipe, which would end the
/// cell, stands between two spans as an entity.
pub fn code(raw: &str, limit: usize) -> String {
    let shown = shorten(raw, limit);
    let shown = shown.trim();
    if shown.is_empty() {
        return "(empty)".to_owned();
    }
    shown.split('|').map(span).collect::<Vec<_>>().join("&#124;")
}

fn span(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(text) + 1);
    let touches = |c: Option<char>| matches!(c, Some('`' | ' '));
    let padded = touches(text.chars().next()) || touches(text.chars().next_back());
    // A span of spaces alone is shown as it is; else one space on both sides belongs to the fence.
    let pad = if padded && !text.chars().all(|c| c == ' ') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// One line of a fenced block: it cannot be the fence that ends it.
pub fn fence(raw: &str, limit: usize) -> String {
    shorten(raw, limit).replace('`', "\\u{60}").replace('~', "\\u{7e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_and_pipes_stay_inside() {
        assert_eq!(code("a.rs", 20), "`a.rs`");
        assert_eq!(code("a`b", 20), "``a`b``");
        assert_eq!(code("`a``", 20), "``` `a`` ```");
        assert_eq!(code("a|b", 20), "`a`&#124;`b`");
        assert_eq!(code("a || b", 20), "` a  `&#124;&#124;`  b `");
        assert_eq!(code("", 20), "(empty)");
        assert_eq!(code("@octocat <b> :x: #1", 20), "`@octocat <b> :x: #1`");
    }

    #[test]
    fn no_line_ends_a_fenced_block() {
        assert_eq!(fence("```", 20), "\\u{60}\\u{60}\\u{60}");
    }
}
