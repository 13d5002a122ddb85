//! Plain text in markdown or HTML: prose, a table cell, the text of a link, a summary.

use super::shorten;

/// Inert wherever markdown expects inline text and wherever HTML expects text.
///
/// Markup is written as entities. Mentions, references, emoji codes and addresses are found by GitHub after entities
/// were read, so a zero-width space breaks those apart (`@&#8203;name`), as other bots do.
pub fn text(raw: &str, limit: usize) -> String {
    let shown = shorten(raw, limit);
    let chars: Vec<char> = shown.trim().chars().collect();
    let mut out = String::with_capacity(shown.len() + 16);
    for at in 0..chars.len() {
        put(&mut out, &chars, at);
    }
    out
}

/// As [`text`], inside an attribute's quotes too.
pub fn html(raw: &str, limit: usize) -> String {
    text(raw, limit).replace('"', "&quot;").replace('\'', "&#39;")
}

/// Breaks what GitHub would find, and shows nothing.
pub(super) const BREAK: &str = "&#8203;";

fn put(out: &mut String, chars: &[char], at: usize) {
    let c = chars[at];
    let before = at.checked_sub(1).map(|at| chars[at]);
    let after = chars.get(at + 1).copied();
    if breaks_before(chars, at) {
        out.push_str(BREAK);
    }
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '_' if is_word(before) && is_word(after) => out.push('_'),
        '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '^' | '#' => entity(out, c),
        _ if starts_a_block(chars, at) => entity(out, c),
        _ => out.push(c),
    }
    if breaks_after(chars, at) {
        out.push_str(BREAK);
    }
}

/// At the start of a line it would begin a list, a rule, a heading, a table or a command.
fn starts_a_block(chars: &[char], at: usize) -> bool {
    let after = chars.get(at + 1).copied();
    let ends = matches!(after, None | Some(' '));
    match chars[at] {
        '-' | '+' => at == 0 && (ends || after == Some('-') || after == Some(':')),
        '=' | ':' => at == 0,
        '.' | ')' => ends && chars[..at].iter().all(char::is_ascii_digit),
        _ => false,
    }
}

fn entity(out: &mut String, c: char) {
    use std::fmt::Write as _;
    write!(out, "&#{};", u32::from(c)).expect("writing to a string");
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_alphanumeric())
}

/// `www.` becomes a link, seven and more hexadecimal digits may be a commit.
fn breaks_before(chars: &[char], at: usize) -> bool {
    let behind = |word: &str| {
        let start = at.checked_sub(word.len());
        start.is_some_and(|start| chars[start..at].iter().collect::<String>().eq_ignore_ascii_case(word))
    };
    match chars[at] {
        '.' => behind("www"),
        c if c.is_ascii_hexdigit() => in_hash(chars, at),
        _ => false,
    }
}

/// The character is the seventh, thirteenth … of a word of at least seven that are all hexadecimal digits.
fn in_hash(chars: &[char], at: usize) -> bool {
    let is_word = |c: &&char| c.is_ascii_alphanumeric();
    let before = chars[..at].iter().rev().take_while(is_word).count();
    let after = chars[at..].iter().take_while(is_word).count();
    before > 0
        && before.is_multiple_of(6)
        && chars[at - before..at + after].iter().all(char::is_ascii_hexdigit)
}

/// `@name`, `#1`, `GH-1`, `:name:`, `scheme://`.
fn breaks_after(chars: &[char], at: usize) -> bool {
    let rest = &chars[at + 1..];
    match chars[at] {
        '@' => {
            rest.first().is_some_and(|c| c.is_alphanumeric() || "_-".contains(*c))
                && !is_figure_name(chars, at)
        }
        '#' => rest.first().is_some_and(char::is_ascii_alphanumeric),
        '-' => {
            let prefix = at.checked_sub(2).map(|start| [chars[start], chars[start + 1]]);
            matches!(prefix, Some(['g' | 'G', 'h' | 'H'])) && rest.first().is_some_and(char::is_ascii_digit)
        }
        ':' => {
            let name = rest.iter().take_while(|c| in_emoji_name(**c)).count();
            rest.starts_with(&['/', '/']) || (name > 0 && rest.get(name) == Some(&':'))
        }
        _ => false,
    }
}

/// It may stand in the name of an emoji, whatever script a server's own emoji are named in.
fn in_emoji_name(c: char) -> bool {
    !c.is_whitespace() && (!c.is_ascii_punctuation() || "_+-".contains(c))
}

/// `hit@3`: one or two digits behind a letter's `@`, and no more. No account, commit or address is written so.
fn is_figure_name(chars: &[char], at: usize) -> bool {
    let letter = at.checked_sub(1).is_some_and(|at| chars[at].is_ascii_alphabetic());
    let digits = chars[at + 1..].iter().take_while(|c| c.is_ascii_digit()).count();
    let after = &chars[at + 1 + digits..];
    let ends = match after {
        [] => true,
        ['.', next, ..] => !next.is_alphanumeric() && !"-_".contains(*next),
        [next, ..] => !next.is_alphanumeric() && !"-_@".contains(*next),
    };
    letter && (1..=2).contains(&digits) && ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(raw: &str) -> String {
        text(raw, 200)
    }

    #[test]
    fn what_github_would_find_is_broken_apart() {
        assert_eq!(shown("ask @octocat"), "ask @&#8203;octocat");
        assert_eq!(shown("fixes #12"), "fixes &#35;&#8203;12");
        assert_eq!(shown("gh-12 and owner/repo#3"), "gh-&#8203;12 and owner/repo&#35;&#8203;3");
        assert_eq!(shown(":x: a::b::c"), "&#58;&#8203;x: a::&#8203;b::c");
        assert_eq!(shown("**:é如:"), "&#42;&#42;:&#8203;é如:");
        assert_eq!(shown("https://e.vil www.e.vil"), "https:&#8203;//e.vil www&#8203;.e.vil");
        assert_eq!(shown("me@host.example"), "me@&#8203;host.example");
        assert_eq!(shown("deadbeef0 deadbeef0x"), "deadbe&#8203;ef0 deadbeef0x");
        assert_eq!(shown("00deadbeef00decade"), "00dead&#8203;beef00&#8203;decade");
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(shown("<!-- --> & *b* [l](u)"), "&lt;!-- --&gt; &amp; &#42;b&#42; &#91;l&#93;(u)");
        assert_eq!(
            shown("a | b ~~c~~ `d` $e$"),
            "a &#124; b &#126;&#126;c&#126;&#126; &#96;d&#96; &#36;e&#36;"
        );
        assert_eq!(html("\"'", 9), "&quot;&#39;");
    }

    #[test]
    fn a_text_starts_no_block() {
        assert_eq!(shown("1. one"), "1&#46; one");
        assert_eq!(shown("- item"), "&#45; item");
        assert_eq!(shown("    code"), "code");
        assert_eq!(shown("::error::x"), "&#58;:&#8203;error::x");
    }

    #[test]
    fn our_own_sentences_stay_readable() {
        for sentence in [
            "hit@3: 5 lost, 1 won of 60 comparable cases; 1 may be lost net",
            "ndcg@10 is 0.712.",
            "a_b.rs",
            "0.712",
            "+1",
        ] {
            assert_eq!(shown(sentence), sentence);
        }
    }
}
