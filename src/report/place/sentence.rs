//! A sentence whose names and commands stand in backticks, such as the way to get a tool: to be copied from what it is
//! rendered to, and from the markdown itself.

use super::inline::BREAK;
use super::{code, shorten, text};

/// A sentence in markdown, also in a table cell, in which no word is altered: what stands in backticks is code, and so is
/// every other piece in which something would act.
pub fn sentence(raw: &str, limit: usize) -> String {
    let shown = shorten(raw, limit);
    let pieces: Vec<&str> = shown.trim().split('`').collect();
    let quotes = |(at, piece): (usize, &&str)| at % 2 == 0 || !piece.trim().is_empty();
    if pieces.len().is_multiple_of(2) || !pieces.iter().enumerate().all(quotes) {
        return code(&shown, limit); // backticks that are no quotes
    }
    let mut out = String::with_capacity(shown.len() + 16);
    for (at, piece) in pieces.into_iter().enumerate() {
        if piece.starts_with(' ') {
            out.push(' ');
        }
        let (inner, ends_blank) = (piece.trim_matches(' '), piece.ends_with(' '));
        if !inner.is_empty() {
            let plain = if at % 2 == 0 { plain(inner, at == 0) } else { None };
            let piece = plain.unwrap_or_else(|| code(inner, usize::MAX));
            if out.ends_with('`') && piece.starts_with('`') {
                out.push_str(BREAK);
            }
            out.push_str(&piece);
            if ends_blank {
                out.push(' ');
            }
        }
    }
    out
}

/// As inline text, if that is what it was; a pipe is an entity in code too. Only the first piece of a sentence can begin
/// a block.
fn plain(piece: &str, begins: bool) -> Option<String> {
    let before = if begins { "" } else { "," };
    let shown = text(&format!("{before}{piece}"), usize::MAX).split_off(before.len());
    (shown.replace("&#124;", "|") == piece).then_some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_copied_is_code_and_unaltered() {
        for (raw, shown) in [
            (
                "probe: `npm install -g @probelabs/probe`, or `cargo install probe-code` (not PyPI)",
                "probe: `npm install -g @probelabs/probe`, or `cargo install probe-code` (not PyPI)",
            ),
            ("`a`. Then `b`: c", "`a`. Then `b`: c"),
            ("put it at http://localhost:11434", "`put it at http://localhost:11434`"),
            ("`pip` takes a[b] of `x`", "`pip` `takes a[b] of` `x`"),
            ("set it, or take it out", "set it, or take it out"),
            ("no `gpu` | no table", "no `gpu` &#124; no table"),
            ("", ""),
        ] {
            assert_eq!(sentence(raw, 200), shown, "{raw}");
        }
    }

    #[test]
    fn backticks_that_quote_nothing_are_shown() {
        assert_eq!(sentence("a `b", 20), "``a `b``");
        assert_eq!(sentence("a `` b", 20), "```a `` b```");
        assert_eq!(sentence("`a``b`", 20), "`a`&#8203;`b`");
        assert_eq!(sentence("`a`@b", 20), "`a`&#8203;`@b`");
    }
}
