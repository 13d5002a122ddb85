//! Words that say nothing about what a text is about, in English and Portuguese.

/// Folded, byte-sorted, so that a binary search finds them.
const ENGLISH: &[&str] = &[
    "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "before",
    "being", "between", "both", "but", "by", "can", "could", "did", "do", "does", "doing", "during", "each",
    "few", "for", "from", "had", "has", "have", "having", "he", "her", "here", "his", "how", "if", "in",
    "into", "is", "it", "its", "just", "may", "me", "more", "most", "my", "no", "nor", "not", "of", "on",
    "only", "or", "other", "our", "out", "over", "own", "same", "shall", "she", "should", "so", "some",
    "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "through", "to", "too", "under", "until", "up", "us", "very", "via", "was", "we", "were", "what", "when",
    "where", "which", "while", "who", "whom", "whose", "why", "will", "with", "within", "would", "you",
    "your",
];

/// Folded, byte-sorted. `no`, `as`, `me` and `do` are in both lists.
const PORTUGUESE: &[&str] = &[
    "ao", "aos", "aquela", "aquele", "aquilo", "as", "ate", "com", "como", "cujo", "da", "das", "de", "dela",
    "dele", "desde", "dessa", "desse", "desta", "deste", "disso", "disto", "do", "dos", "ela", "elas", "ele",
    "eles", "em", "entao", "entre", "era", "essa", "essas", "esse", "esses", "esta", "estao", "estas",
    "este", "estes", "eu", "faco", "fica", "ficam", "foi", "for", "foram", "isso", "isto", "ja", "lhe",
    "mais", "mas", "me", "mesmo", "meu", "meus", "minha", "minhas", "muito", "na", "nao", "nas", "nem",
    "nessa", "nesse", "nesta", "neste", "no", "nos", "nossa", "nosso", "num", "numa", "onde", "os", "ou",
    "para", "pela", "pelas", "pelo", "pelos", "pode", "podem", "por", "porque", "posso", "quais", "qual",
    "quando", "que", "quem", "sao", "se", "sem", "ser", "seu", "seus", "sobre", "sua", "suas", "tambem",
    "tem", "tenho", "um", "uma", "voce", "vou",
];

/// The length of the longest stop word: longer words need no look-up.
const LONGEST: usize = 7;

/// Whether the folded `word` is a stop word of either language.
pub(super) fn is_stop_word(word: &str) -> bool {
    word.len() <= LONGEST && (is_english(word) || is_portuguese(word))
}

/// Whether the folded `word` is an English stop word.
pub(super) fn is_english(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok()
}

/// Whether the folded `word` is a Portuguese stop word.
pub(super) fn is_portuguese(word: &str) -> bool {
    PORTUGUESE.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_are_sorted_and_folded() {
        for list in [ENGLISH, PORTUGUESE] {
            assert!(list.is_sorted(), "{:?}", list.windows(2).find(|pair| pair[0] >= pair[1]));
            assert!(list.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())));
            assert!(list.iter().all(|word| word.len() <= LONGEST));
        }
    }

    #[test]
    fn stop_words_of_both_languages_are_known() {
        for word in ["how", "the", "como", "onde", "para", "nao"] {
            assert!(is_stop_word(word), "{word}");
        }
        assert!(!is_stop_word("router"));
    }
}
