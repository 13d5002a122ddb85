//! Inverted lists in three flat arrays.

use std::ops::Range;

/// For each key (a term, a name) the units (chunks, documents) it occurs in, ascending, each with a count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Postings<Count> {
    starts: Vec<u32>,
    units: Vec<u32>,
    counts: Vec<Count>,
}

impl<Count: Copy + Default> Postings<Count> {
    /// Inverts `entries`, which come as (key, unit, count) with ascending units and keys below `keys`.
    ///
    /// The entries are walked twice, once to measure the lists and once to fill them: nothing is sorted or moved. `for_each` rather than `for`, as nested
    /// iterators are far faster from inside.
    pub(super) fn invert(keys: usize, entries: impl Iterator<Item = (u32, u32, Count)> + Clone) -> Self {
        let mut starts = vec![0_u32; keys + 1];
        entries.clone().for_each(|(key, ..)| starts[key as usize + 1] += 1);
        for key in 0..keys {
            starts[key + 1] += starts[key];
        }
        let total = starts[keys] as usize;
        let mut next = starts.clone();
        let mut units = vec![0; total];
        let mut counts = vec![Count::default(); total];
        entries.for_each(|(key, unit, count)| {
            let slot = &mut next[key as usize];
            units[*slot as usize] = unit;
            counts[*slot as usize] = count;
            *slot += 1;
        });
        Self { starts, units, counts }
    }

    /// The list of `key`.
    pub(super) fn of(&self, key: u32) -> impl Iterator<Item = (u32, Count)> + '_ {
        let range = self.range(key);
        self.units[range.clone()].iter().copied().zip(self.counts[range].iter().copied())
    }

    /// The units in the list of `key`.
    pub(super) fn units_of(&self, key: u32) -> &[u32] {
        &self.units[self.range(key)]
    }

    fn range(&self, key: u32) -> Range<usize> {
        let key = key as usize;
        self.starts[key] as usize..self.starts[key + 1] as usize
    }
}

/// How often a term occurs in the fields of a chunk, up to 255 times each: far past saturation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TextCount {
    pub(super) body: u8,
    pub(super) symbols: u8,
    pub(super) headings: u8,
}

/// How often a term occurs in the path of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PathCount {
    pub(super) folders: u8,
    pub(super) name: u8,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_gets_its_units_in_order() {
        let entries = [(1, 0, 5_u8), (0, 1, 6), (1, 1, 7), (1, 4, 8)];
        let postings = Postings::invert(3, entries.into_iter());
        assert_eq!(postings.of(1).collect::<Vec<_>>(), [(0, 5), (1, 7), (4, 8)]);
        assert_eq!(postings.units_of(0), [1]);
        assert!(postings.units_of(2).is_empty());
    }
}
