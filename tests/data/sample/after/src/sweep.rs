//! Removes chunks that no copy refers to.

use std::collections::BTreeSet;

/// Chunks that may go: all that are stored and in no copy.
pub fn unreferenced(stored: &BTreeSet<Chunk>, copies: &[Copy]) -> BTreeSet<Chunk> {
    let needed: BTreeSet<_> = copies.iter().flat_map(|copy| &copy.chunks).cloned().collect();
    stored - &needed
}
