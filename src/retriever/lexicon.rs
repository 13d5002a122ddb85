//! Interned strings: one arena, one table, no allocation per string.

use hashbrown::HashTable;

/// The strings seen so far, numbered in the order of their first appearance.
///
/// The arena holds each distinct string once; the table holds numbers only. Its order is never read.
#[derive(Debug, Default, Clone)]
pub(super) struct Lexicon {
    arena: String,
    ends: Vec<u32>,
    table: HashTable<u32>,
}

impl Lexicon {
    /// The number of `text`, given out now if it is new.
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        let hash = hash(text.as_bytes());
        if let Some(id) = self.find(hash, text) {
            return id;
        }
        let id = u32::try_from(self.ends.len()).expect("fewer than 2^32 distinct strings");
        self.arena.push_str(text);
        let end = u32::try_from(self.arena.len()).expect("an arena below 4 GiB");
        self.ends.push(end);
        let Self { arena, ends, table } = self;
        table.insert_unique(hash, id, |&id| self::hash(slice(arena, ends, id).as_bytes()));
        id
    }

    /// The number of `text`, if it was interned.
    pub(super) fn get(&self, text: &str) -> Option<u32> {
        self.find(hash(text.as_bytes()), text)
    }

    /// The string numbered `id`.
    pub(super) fn text(&self, id: u32) -> &str {
        slice(&self.arena, &self.ends, id)
    }

    /// How many distinct strings there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many bytes it takes, about: the texts, where they end, and a table that is never full.
    pub(super) fn bytes(&self) -> usize {
        self.arena.len() + 16 * self.len()
    }

    /// The same without the room that the arena reserved for growth.
    pub(super) fn shrunk(mut self) -> Self {
        self.arena.shrink_to_fit();
        self.ends.shrink_to_fit();
        self
    }

    fn find(&self, hash: u64, text: &str) -> Option<u32> {
        self.table.find(hash, |&id| slice(&self.arena, &self.ends, id) == text).copied()
    }
}

fn slice<'a>(arena: &'a str, ends: &[u32], id: u32) -> &'a str {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &arena[start as usize..ends[id] as usize]
}

/// A multiply-and-rotate hash over eight bytes at a time.
///
/// It has no seed on purpose: nothing may differ between two runs, not even the time taken.
fn hash(bytes: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = bytes.len() as u64;
    let mut mix = |word: u64| state = (state.rotate_left(5) ^ word).wrapping_mul(MULTIPLIER);
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        mix(u64::from_le_bytes(word.try_into().expect("eight bytes")));
    }
    let mut tail = [0; 8];
    tail[..words.remainder().len()].copy_from_slice(words.remainder());
    mix(u64::from_le_bytes(tail));
    state ^ (state >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_keeps_its_number() {
        let mut lexicon = Lexicon::default();
        let words = ["path", "router", "", "path_router", "configuração"];
        let first: Vec<u32> = words.iter().map(|word| lexicon.intern(word)).collect();
        let again: Vec<u32> = words.iter().map(|word| lexicon.intern(word)).collect();
        assert_eq!(first, [0, 1, 2, 3, 4]);
        assert_eq!(first, again);
        assert_eq!(lexicon.text(4), "configuração");
        assert_eq!(lexicon.get("absent"), None);
    }

    #[test]
    fn ten_thousand_strings_stay_apart() {
        let mut lexicon = Lexicon::default();
        for n in 0..10_000 {
            assert_eq!(lexicon.intern(&format!("word{n}")), n);
        }
        assert_eq!(lexicon.get("word9999"), Some(9999));
        assert_eq!(lexicon.len(), 10_000);
    }
}
