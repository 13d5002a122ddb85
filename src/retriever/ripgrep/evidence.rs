//! What in a file speaks for it, and how that is weighed.
//!
//! Evidence of one kind never outweighs evidence of a kind above it:
//!
//! 1. the whole query stands in the text or the path;
//! 2. how many different words of the query stand in the text or the path;
//! 3. how many different words of the query (or the query itself, if it is one word) stand in the path;
//! 4. how often the whole query stands in the text;
//! 5. how often its words do, all together.
//!
//! No word weighs more than another: that is what `bm25` is for. Files with the same evidence are in the byte order of
//! their paths. The five numbers are the digits of one score, which a double holds exactly.

use super::super::{Enters, Part};
use super::pattern::Pattern;
use super::texts::Text;

/// One kind of evidence: a digit of the score.
#[derive(Clone, Copy)]
struct Kind {
    label: &'static str,
    shift: u32,
    bits: u32,
}

const WORD_COUNT: Kind = Kind { label: "words in text, times", shift: 0, bits: 22 };
const WHOLE_COUNT: Kind = Kind { label: "whole query in text, times", shift: 22, bits: 18 };
const PATH: Kind = Kind { label: "words in path", shift: 40, bits: 6 };
const WORDS: Kind = Kind { label: "words in text or path", shift: 46, bits: 6 };
const WHOLE: Kind = Kind { label: "whole query in text or path", shift: 52, bits: 1 };

impl Kind {
    /// The digit's share of the score; a count beyond its largest digit counts as that.
    fn of(self, count: u64) -> u64 {
        count.min((1 << self.bits) - 1) << self.shift
    }

    fn in_score(self, score: u64) -> u64 {
        score & (((1 << self.bits) - 1) << self.shift)
    }
}

/// What one file has of a query; ordered as files rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Evidence(u64);

impl Evidence {
    /// The first three kinds: what is there at all.
    pub(super) fn presence(pattern: &Pattern, text: &Text<'_>, path: &[u8]) -> Self {
        let whole_in_path = pattern.whole.is_in(path);
        let whole = whole_in_path || text.holds(&pattern.whole);
        let (mut words, mut words_in_path) = (0, u64::from(whole_in_path && pattern.words.is_empty()));
        for word in &pattern.words {
            let in_path = word.is_in(path);
            words_in_path += u64::from(in_path);
            words += u64::from(in_path || text.holds(word));
        }
        Self(WHOLE.of(whole.into()) + WORDS.of(words) + PATH.of(words_in_path))
    }

    /// Adds the last two kinds: how often.
    pub(super) fn count(&mut self, pattern: &Pattern, text: &Text<'_>) {
        let whole = if WHOLE.in_score(self.0) > 0 { text.count(&pattern.whole) } else { 0 };
        let words = pattern.words.iter().map(|word| text.count(word)).sum();
        self.0 += WHOLE_COUNT.of(whole) + WORD_COUNT.of(words);
    }

    /// There is some.
    pub(super) fn any(self) -> bool {
        self.0 > 0
    }

    /// As a number: larger is better, equal is a tie.
    pub(super) fn score(self) -> f64 {
        exact(self.0)
    }

    /// The digits.
    pub(super) fn parts(self) -> Vec<Part> {
        let part = |kind: Kind| {
            let count = exact(kind.in_score(self.0) >> kind.shift);
            Part { label: kind.label.to_owned(), amount: count, enters: Enters::Counted }
        };
        [WHOLE, WORDS, PATH, WHOLE_COUNT, WORD_COUNT].into_iter().map(part).collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "53 bits are exact in a double")]
fn exact(score: u64) -> f64 {
    score as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(query: &str, text: &str, path: &str) -> Evidence {
        let pattern = Pattern::new(query, false).unwrap();
        let text = Text::new(text.as_bytes());
        let mut evidence = Evidence::presence(&pattern, &text, path.as_bytes());
        evidence.count(&pattern, &text);
        evidence
    }

    #[test]
    fn evidence_of_one_kind_never_outweighs_the_kind_above() {
        let order = [
            ("read file", "src/file/read"),
            ("read file; read file", "src/file"),
            ("read file file file", "src/file"),
            ("read file", "src/file"),
            ("read file; read file", "x"),
            ("file, read", "src/read_file"),
            ("file, read", "src/file"),
            ("file, read, read", "x"),
            ("file, read", "x"),
            ("", "file"),
            ("file, file", "x"),
            ("file", "x"),
            ("", "x"),
        ];
        let scores: Vec<_> = order.iter().map(|(text, path)| evidence("read file", text, path)).collect();
        assert!(scores.is_sorted_by(|above, below| above > below), "{scores:?}");
        assert!(!scores[scores.len() - 1].any());
    }

    #[test]
    fn the_largest_score_is_exact() {
        let all = [WHOLE, WORDS, PATH, WHOLE_COUNT, WORD_COUNT].map(|kind| kind.of(u64::MAX));
        let largest: u64 = all.iter().sum();
        assert_eq!(largest, (1 << 53) - 1);
        assert!(exact(largest) > exact(largest - 1));
    }

    #[test]
    fn the_parts_are_the_counts_behind_the_score() {
        let parts = evidence("read file", "read file; read file; file", "src/file").parts();
        let counts: Vec<_> =
            parts.iter().map(|part| (part.label.as_str(), format!("{}", part.amount))).collect();
        assert_eq!(
            counts,
            [
                ("whole query in text or path", "1".to_owned()),
                ("words in text or path", "2".to_owned()),
                ("words in path", "1".to_owned()),
                ("whole query in text, times", "2".to_owned()),
                ("words in text, times", "5".to_owned())
            ]
        );
    }
}
