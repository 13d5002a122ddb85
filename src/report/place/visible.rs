//! What cannot be seen, shown.

use unicode_width::UnicodeWidthChar;

/// One line of characters that can all be seen: line breaks, control characters, zero-width and reordering characters
/// are spelled out.
pub fn visible(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut before = None;
    let mut marks = 0;
    let mut rest = raw.chars().peekable();
    while let Some(c) = rest.next() {
        marks = if c.width() == Some(0) { marks + 1 } else { 0 };
        match c {
            '\r' if rest.peek() == Some(&'\n') => continue,
            '\n' => out.push('⏎'),
            '\t' => out.push('␉'),
            '\u{0}'..='\u{1f}' => out.push(picture(c)),
            '\u{7f}' => out.push('␡'),
            // An emoji's presentation is no secret; on anything plain it would be.
            '\u{fe0e}' | '\u{fe0f}' if before.is_some_and(|b: char| !b.is_ascii()) => out.push(c),
            _ if is_hidden(c) || marks > MARKS => out.extend(c.escape_unicode()),
            _ => out.push(c),
        }
        before = Some(c);
    }
    out
}

/// Combining marks on one letter: more than any script stacks, fewer than would climb into the next line.
const MARKS: usize = 4;

/// The Unicode picture of a control character: ␛ for escape.
fn picture(c: char) -> char {
    char::from_u32(0x2400 + u32::from(c)).expect("control pictures are laid out like the controls")
}

/// Shows nothing, breaks the line, or moves what stands around it.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{e000}'..='\u{f8ff}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        | '\u{f0000}'..='\u{10ffff}')
}

/// The first `limit` characters of what [`visible`] makes of a text, the last of them an ellipsis if more was there.
pub fn shorten(raw: &str, limit: usize) -> String {
    let limit = limit.max(1);
    // What follows need not be looked at, however much it is: nothing gets shorter but CR LF, by half.
    let head: String = raw.chars().take(2 * limit + 2).collect();
    let shown = visible(&head);
    if shown.chars().count() <= limit {
        return shown;
    }
    shown.chars().take(limit - 1).chain(['…']).collect()
}

/// As [`shorten`], by columns of a terminal.
pub fn columns(raw: &str, limit: usize) -> String {
    let shown = shorten(raw, limit.max(1));
    let width = |text: &str| text.chars().map(|c| c.width().unwrap_or(0)).sum::<usize>();
    if width(&shown) <= limit {
        return shown;
    }
    let mut used = 1; // the ellipsis
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= limit
    };
    shown.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_stays_hidden() {
        assert_eq!(visible("a\nb\r\nc\td"), "a⏎b⏎c␉d");
        assert_eq!(visible("\u{1b}[31mred\u{9b}0m"), "␛[31mred\\u{9b}0m");
        assert_eq!(visible("abc\u{202e}fdp.exe"), "abc\\u{202e}fdp.exe");
        assert_eq!(visible("a\u{200b}b\u{feff}"), "a\\u{200b}b\\u{feff}");
        assert_eq!(visible("❤\u{fe0f} 1\u{fe0f}"), "❤\u{fe0f} 1\\u{fe0f}");
    }

    #[test]
    fn letters_of_any_script_stay_as_they_are() {
        for text in ["Où est la clé ?", "如何验证", "אימות", "प्रतीक्षा", "cafe\u{301}", "👩"]
        {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn a_long_text_is_cut_with_an_ellipsis() {
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("abcdefg", 6), "abcde…");
        assert_eq!(shorten(&"x".repeat(1 << 20), 3), "xx…");
        assert_eq!(shorten("ab\r\ncd", 5), "ab⏎cd");
        assert_eq!(columns("如何验证基线", 6), "如何…");
        assert_eq!(columns("short", 6), "short");
    }
}
