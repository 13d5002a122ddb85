//! Words of a text, and the parts of an identifier.

/// Longer runs are hashes, keys and encoded data, not words.
const LONGEST_WORD: usize = 64;

/// Calls `emit` for each word of `text`: letters, digits, marks and `_`, with `-` between two of these.
///
/// Single characters are no words: a code base is full of `i`, `x` and `0`, and nobody searches for them.
pub(super) fn words<'a>(text: &'a str, mut emit: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at = end_of_run(text, at);
        if at > start + 1 {
            emit_word(&text[start..at], &mut emit);
        } else if at == start {
            at += char_width(bytes[at]);
        }
    }
}

/// The end of the run of word characters that starts at `at`; `at` itself if none does.
fn end_of_run(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    let start = at;
    while let Some(&byte) = bytes.get(at) {
        let width = if byte.is_ascii() {
            let joins = |at| at > start && bytes[at - 1] != b'-' && starts_word(text, at + 1);
            usize::from(IS_WORD[byte as usize] || (byte == b'-' && joins(at)))
        } else if starts_word(text, at) {
            char_width(byte)
        } else {
            0
        };
        if width == 0 {
            break;
        }
        at += width;
    }
    at
}

/// Which ASCII characters belong to a word.
const IS_WORD: [bool; 128] = {
    let mut table = [false; 128];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

/// Whether there is a character at `at` that belongs to a word.
fn starts_word(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at) {
        None => false,
        Some(byte) if byte.is_ascii() => IS_WORD[*byte as usize],
        Some(_) => text[at..].chars().next().is_some_and(|found| found.is_alphanumeric() || is_mark(found)),
    }
}

fn emit_word<'a>(mut run: &'a str, emit: &mut impl FnMut(&'a str)) {
    const SEPARATORS: [char; 2] = ['_', '-'];
    if run.starts_with(SEPARATORS) || run.ends_with(SEPARATORS) {
        run = run.trim_matches(SEPARATORS);
    }
    if (2..=LONGEST_WORD).contains(&run.len()) {
        emit(run);
    } else if run.len() > LONGEST_WORD && run.contains(SEPARATORS) {
        for piece in run.split(SEPARATORS) {
            emit_word(piece, emit);
        }
    }
}

/// Combining marks: the accents of decomposed text.
pub(super) fn is_mark(found: char) -> bool {
    matches!(found, '\u{300}'..='\u{36f}')
}

/// The width of the character that starts with `lead`.
fn char_width(lead: u8) -> usize {
    match lead {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

/// Calls `emit` for each part of an identifier: `HTTPServerError` has three, `path_router` two, `bm25` one.
///
/// A part ends at `_` or `-`, between lower and upper case, before the last capital of a run that a small letter follows,
/// and between a digit and a capitalised word. Digits stay with the letters before them.
pub(super) fn parts<'a>(word: &'a str, mut emit: impl FnMut(&'a str)) {
    let mut start = 0;
    let mut before: Option<char> = None;
    let mut rest = word.char_indices().peekable();
    while let Some((at, found)) = rest.next() {
        if matches!(found, '_' | '-') {
            emit_part(&word[start..at], &mut emit);
            start = at + found.len_utf8();
            before = None;
            continue;
        }
        let lower_follows = rest.peek().is_some_and(|(_, next)| next.is_lowercase());
        let boundary = found.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase() || (lower_follows && (before.is_uppercase() || before.is_numeric()))
            });
        if boundary {
            emit_part(&word[start..at], &mut emit);
            start = at;
        }
        if !is_mark(found) {
            before = Some(found);
        }
    }
    emit_part(&word[start..], &mut emit);
}

fn emit_part<'a>(part: &'a str, emit: &mut impl FnMut(&'a str)) {
    if !part.is_empty() {
        emit(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        words(text, |word| found.push(word));
        found
    }

    fn parts_of(word: &str) -> Vec<&str> {
        let mut found = Vec::new();
        parts(word, |part| found.push(part));
        found
    }

    #[test]
    fn words_end_at_whatever_is_not_a_word() {
        assert_eq!(
            words_of("fn path_router(&self) -> Vec<Route>;"),
            ["fn", "path_router", "self", "Vec", "Route"]
        );
        assert_eq!(words_of("a configuração do índice"), ["configuração", "do", "índice"]);
        assert_eq!(words_of("docs/mcp.md"), ["docs", "mcp", "md"]);
    }

    #[test]
    fn a_hyphen_joins_words_but_neither_starts_nor_ends_one() {
        assert_eq!(words_of("a human-in-the-loop --flag x- -y- end-"), ["human-in-the-loop", "flag", "end"]);
    }

    #[test]
    fn decomposed_accents_belong_to_their_word() {
        assert_eq!(words_of("memo\u{301}ria"), ["memo\u{301}ria"]);
    }

    #[test]
    fn encoded_data_is_no_word() {
        assert_eq!(words_of(&"x".repeat(65)), Vec::<&str>::new());
        let slug = format!("{}-tail", "x".repeat(60));
        assert_eq!(words_of(&slug), ["x".repeat(60).as_str(), "tail"]);
    }

    #[test]
    fn identifiers_split_at_case_underscore_and_hyphen() {
        assert_eq!(parts_of("HTTPServerError"), ["HTTP", "Server", "Error"]);
        assert_eq!(parts_of("path_router"), ["path", "router"]);
        assert_eq!(parts_of("auto-summarize"), ["auto", "summarize"]);
        assert_eq!(parts_of("parseURL"), ["parse", "URL"]);
        assert_eq!(parts_of("__init__"), ["init"]);
        assert_eq!(parts_of("SCREAMING_CASE"), ["SCREAMING", "CASE"]);
        assert_eq!(parts_of("plain"), ["plain"]);
    }

    #[test]
    fn digits_stay_with_the_letters_before_them() {
        assert_eq!(parts_of("BM25Backend"), ["BM25", "Backend"]);
        assert_eq!(parts_of("base64Encode"), ["base64", "Encode"]);
        assert_eq!(parts_of("utf8"), ["utf8"]);
        assert_eq!(parts_of("isE2BPeerMissing"), ["is", "E2B", "Peer", "Missing"]);
    }
}
