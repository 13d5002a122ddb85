//! A small memory of the words seen last.
//!
//! Most words of a text have just been seen. This table stays in the processor's cache and holds short words whole, so that
//! the large [`Lexicon`](crate::retriever::lexicon::Lexicon), with its three scattered reads, is asked for the rest only.

/// The bytes of a short word, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    head: u64,
    tail: u64,
    length: usize,
}

/// Numbers of words by their bytes; a word forgets the one that had its place.
#[derive(Debug)]
pub(super) struct RecentWords {
    slots: Vec<(Key, u32)>,
}

const SLOTS: usize = 1 << 12;

impl Default for RecentWords {
    fn default() -> Self {
        // No word has length 0, so no word is found in an empty slot.
        Self { slots: vec![(Key { head: 0, tail: 0, length: 0 }, 0); SLOTS] }
    }
}

impl RecentWords {
    /// The key of `word` if it has 2 to 16 bytes: its first and its last bytes, which overlap and so cover all.
    pub(super) fn key(word: &str) -> Option<Key> {
        let bytes = word.as_bytes();
        let (head, tail) = match bytes.len() {
            8..=16 => (u64::from_le_bytes(*bytes.first_chunk()?), u64::from_le_bytes(*bytes.last_chunk()?)),
            4..8 => (
                u32::from_le_bytes(*bytes.first_chunk()?).into(),
                u32::from_le_bytes(*bytes.last_chunk()?).into(),
            ),
            2..4 => (
                u16::from_le_bytes(*bytes.first_chunk()?).into(),
                u16::from_le_bytes(*bytes.last_chunk()?).into(),
            ),
            _ => return None,
        };
        Some(Key { head, tail, length: bytes.len() })
    }

    /// The number of the word with this key, if it is remembered.
    pub(super) fn get(&self, key: Key) -> Option<u32> {
        let (known, id) = self.slots[key.slot()];
        (known == key).then_some(id)
    }

    /// Remembers a word.
    pub(super) fn put(&mut self, key: Key, id: u32) {
        self.slots[key.slot()] = (key, id);
    }
}

impl Key {
    fn slot(self) -> usize {
        let mixed = (self.head ^ self.tail.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        usize::try_from(mixed >> (u64::BITS - SLOTS.trailing_zeros())).expect("below the number of slots")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_two_to_sixteen_bytes_have_keys_of_their_own() {
        let words =
            ["ab", "abc", "abcb", "abab", "ababab", "abcdefgh", "abcdefghi", "abcdefghijklmnop", "cd"];
        for (number, word) in words.iter().enumerate() {
            for other in &words[..number] {
                assert_ne!(RecentWords::key(word), RecentWords::key(other), "{word} and {other}");
            }
        }
        assert_eq!(RecentWords::key("a"), None);
        assert_eq!(RecentWords::key("abcdefghijklmnopq"), None);
    }

    #[test]
    fn a_word_is_remembered_until_its_place_is_taken() {
        let mut recent = RecentWords::default();
        let key = RecentWords::key("router").expect("a short word");
        assert_eq!(recent.get(key), None);
        recent.put(key, 7);
        assert_eq!(recent.get(key), Some(7));
    }
}
