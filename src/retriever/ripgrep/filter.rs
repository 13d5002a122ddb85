//! Which files cannot hold a literal, without looking at their text.

/// A set of three-byte sequences of a text, kept as bits under a hash of each. It may say that a text holds a literal
/// that is not there; it never says the reverse.
pub(super) struct Filter {
    bits: Vec<u64>,
    shift: u32,
}

impl Filter {
    /// About one bit for each byte of text, at the most 8 KiB.
    pub(super) fn of(text: &[u8]) -> Self {
        let size = text.len().next_power_of_two().clamp(64, 64 * 1024);
        let mut filter = Self { bits: vec![0; size / 64], shift: 32 - size.trailing_zeros() };
        for triple in text.windows(3) {
            let at = filter.place(triple);
            filter.bits[at / 64] |= 1 << (at % 64);
        }
        filter
    }

    /// False only if the literal is not in the text.
    pub(super) fn may_hold(&self, literal: &[u8]) -> bool {
        literal.windows(3).all(|triple| {
            let at = self.place(triple);
            self.bits[at / 64] & (1 << (at % 64)) != 0
        })
    }

    fn place(&self, triple: &[u8]) -> usize {
        let number = u32::from_le_bytes([triple[0], triple[1], triple[2], 0]);
        (number.wrapping_mul(0x9E37_79B1) >> self.shift) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_never_denied() {
        let text = b"fn main() { println!(\"hello\"); }".repeat(100);
        let filter = Filter::of(&text);
        for length in 0..40 {
            assert!(text.windows(length.max(1)).all(|literal| filter.may_hold(literal)), "{length}");
        }
    }

    #[test]
    fn what_is_not_there_is_mostly_denied() {
        let filter = Filter::of(&b"fn main() { println!(\"hello\"); }".repeat(10));
        assert!(!filter.may_hold(b"verdict") && !filter.may_hold(b"baseline"));
        assert!(filter.may_hold(b"zz"), "too short to know");
        assert!(Filter::of(b"").may_hold(b""));
    }
}
