//! A query as it is looked for: a whole, and its words.

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use memchr::memmem::Finder;

/// What is looked for.
pub(super) struct Pattern {
    /// The query as it stands.
    pub(super) whole: Needle,
    /// Its different words; none if the query is one word or a regular expression.
    pub(super) words: Vec<Needle>,
}

/// The different words of a query in lower case; the query itself if it is one word or holds none.
pub(in super::super) fn words(query: &str) -> Vec<String> {
    let whole = String::from_utf8(fold(query.trim().as_bytes())).expect("folding keeps text text");
    let mut words: Vec<String> = Vec::new();
    // A single ASCII letter stands everywhere and says nothing.
    for word in whole.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| word.len() > 1) {
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    if words.is_empty() { vec![whole] } else { words }
}

/// One thing that is looked for, in text folded with [`fold`] if it is literal.
pub(super) enum Needle {
    Literal(Finder<'static>),
    Regex(RegexMatcher),
}

impl Pattern {
    /// Reads a query; what is wrong with it is the error.
    pub(super) fn new(query: &str, regex: bool) -> Result<Self, String> {
        let query = query.trim();
        if query.is_empty() {
            return Err("the query is empty".to_owned());
        }
        if regex {
            let mut builder = RegexMatcherBuilder::new();
            builder.case_insensitive(true).multi_line(true).line_terminator(Some(b'\n'));
            let matcher = builder.build(query).map_err(|error| {
                format!("the query `{query}` is no regular expression: {}", one_line(&error.to_string()))
            })?;
            return Ok(Self { whole: Needle::Regex(matcher), words: Vec::new() });
        }
        let whole = fold(query.as_bytes());
        let words = words(query).into_iter().filter(|word| word.as_bytes() != whole);
        Ok(Self {
            whole: Needle::literal(&whole),
            words: words.map(|word| Needle::literal(word.as_bytes())).collect(),
        })
    }
}

impl Needle {
    fn literal(bytes: &[u8]) -> Self {
        Self::Literal(Finder::new(bytes).into_owned())
    }

    /// It stands in the text.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        match self {
            Self::Literal(finder) => finder.find(text).is_some(),
            Self::Regex(matcher) => matcher.is_match(text).is_ok_and(|found| found),
        }
    }

    /// How often it does, without overlaps; an empty match is none.
    pub(super) fn count_in(&self, text: &[u8]) -> u64 {
        match self {
            Self::Literal(finder) => finder.find_iter(text).count() as u64,
            Self::Regex(matcher) => {
                let mut count = 0;
                // The matcher's error type has no values.
                let _ = matcher.find_iter(text, |found| {
                    count += u64::from(!found.is_empty());
                    true
                });
                count
            }
        }
    }
}

/// Text as literals are looked for in it: every character in lower case, one by one, so that the same character folds
/// the same wherever it stands. Bytes that are no text stay.
pub(super) fn fold(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_ascii() {
        return bytes.to_ascii_lowercase();
    }
    let mut folded = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars().flat_map(char::to_lowercase) {
            folded.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        folded.extend_from_slice(chunk.invalid());
    }
    folded
}

/// The last line of a regex error says what is wrong; those above draw where.
fn one_line(error: &str) -> &str {
    error.lines().last().unwrap_or(error).trim().trim_start_matches("error: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(query: &str) -> Vec<String> {
        let pattern = Pattern::new(query, false).unwrap();
        let text = |needle: &Needle| match needle {
            Needle::Literal(finder) => String::from_utf8(finder.needle().to_vec()).unwrap(),
            Needle::Regex(_) => unreachable!("literal"),
        };
        pattern.words.iter().map(text).collect()
    }

    #[test]
    fn words_are_different_and_lower_case_and_a_single_word_is_the_whole() {
        assert_eq!(words("map[string]int, String"), ["map", "string", "int"]);
        assert_eq!(words("docs/mcp.md"), ["docs", "mcp", "md"]);
        assert_eq!(words("foo()"), ["foo"]);
        assert_eq!(words("  AddObservation "), Vec::<String>::new());
        assert_eq!(words("C++"), Vec::<String>::new());
        assert_eq!(words("字 a bc"), ["字", "bc"]);
        assert_eq!(words("Ação ação_x"), ["ação", "ação_x"]);
    }

    #[test]
    fn folding_ignores_case_in_any_script_and_keeps_bytes_that_are_no_text() {
        assert_eq!(fold("ÉTÉ Σίσυφος".as_bytes()), "été σίσυφος".as_bytes());
        assert_eq!(fold("ΟΔΟΣ".as_bytes()), "οδοσ".as_bytes());
        assert_eq!(fold(b"A\xffB"), b"a\xffb");
    }

    #[test]
    fn a_regex_is_one_line_of_any_case_and_a_bad_one_is_named() {
        let pattern = Pattern::new("^use\\s+crate", true).unwrap();
        assert_eq!(pattern.whole.count_in(b"USE crate::a;\nx use crate\nuse\ncrate\nuse  crate"), 2);
        assert_eq!(Pattern::new("x*", true).unwrap().whole.count_in(b"axxb"), 1);
        let error = Pattern::new("foo(", true).err().unwrap();
        assert_eq!(error, "the query `foo(` is no regular expression: unclosed group");
    }
}
