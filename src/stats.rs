//! What a suite's flips say about other queries like its own: the sign test (McNemar's, for paired hits and misses) and
//! the smallest drop it would reveal.
//!
//! On this suite a query that flipped did flip; the gate counts. A test only answers how surprising the split of the
//! flips would be if each could have gone either way. Everything here is pure and uses `libm`, so it gives the same
//! bits on every platform.

/// Significance level of the one-sided test.
pub const ALPHA: f64 = 0.05;

/// The share of real drops of a size that must be noticed for the size to count as detectable.
pub const POWER: f64 = 0.8;

/// One-sided p-values of a number of losses among the flips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignTest {
    /// P(at least that many losses). Conservative.
    pub exact: f64,
    /// P(more losses) + ½ P(exactly as many): closer to its nominal level (Fagerland et al. 2013).
    pub mid_p: f64,
}

/// Which of the two p-values decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The exact one.
    Exact,
    /// The mid-p one.
    MidP,
}

impl SignTest {
    /// The test for cases lost and won.
    pub fn new(lost: u64, won: u64) -> Self {
        let flips = lost + won;
        if flips == 0 {
            return Self { exact: 1.0, mid_p: 1.0 };
        }
        let exact = upper_tail(flips, 0.5, lost);
        Self { exact: exact.min(1.0), mid_p: (exact - 0.5 * probability(flips, 0.5, lost)).clamp(0.0, 1.0) }
    }

    /// The p-value of that variant.
    pub fn p(&self, variant: Variant) -> f64 {
        match variant {
            Variant::Exact => self.exact,
            Variant::MidP => self.mid_p,
        }
    }
}

/// The smallest number of losses that is significant beside `won` wins.
pub fn losses_needed(won: u64, variant: Variant) -> u64 {
    let mut lost = won + 1;
    while SignTest::new(lost, won).p(variant) > ALPHA {
        lost += 1;
    }
    lost
}

/// The smallest net drop (as a rate) of a hit figure that `cases` scored cases reveal with 80 % power, when a share
/// `wins` of them is won by chance. None if not even losing them all is significant.
pub fn detectable_drop(cases: u64, wins: f64, variant: Variant) -> Option<f64> {
    let won = likely_range(cases, wins);
    let needed: Vec<u64> = {
        let mut least = losses_needed(*won.start(), variant);
        won.clone()
            .map(|won| {
                while SignTest::new(least, won).p(variant) > ALPHA {
                    least += 1;
                }
                least
            })
            .collect()
    };
    let power = |losses: f64| -> f64 {
        // A case that is not won is lost with this probability.
        let share = losses / (1.0 - wins);
        let of = |(won, least): (u64, &u64)| {
            probability(cases, wins, won) * upper_tail(cases.saturating_sub(won), share, *least)
        };
        won.clone().zip(&needed).map(of).sum()
    };
    // Bisected over millionths, so that the answer has six decimals without rounding.
    let millionths = |share: f64| share * 1e6;
    let (mut low, mut high) = (libm::ceil(millionths(wins)), libm::floor(millionths(1.0 - wins)));
    if power(high / 1e6) < POWER {
        return None;
    }
    while high - low > 1.0 {
        let middle = libm::floor(f64::midpoint(low, high));
        if power(middle / 1e6) < POWER {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some((high - millionths(wins)) / 1e6)
}

/// How many scored cases reveal a drop of that size.
pub fn cases_needed(drop: f64, wins: f64, variant: Variant) -> u64 {
    let enough = |cases: u64| detectable_drop(cases, wins, variant).is_some_and(|smallest| smallest <= drop);
    let mut high = 8;
    while !enough(high) {
        high *= 2;
        if high > 1 << 20 {
            return high;
        }
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low.midpoint(high);
        if enough(middle) { high = middle } else { low = middle }
    }
    high
}

/// The counts that a binomial variable takes, less those that together are rarer than one in a billion.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of cases"
)]
fn likely_range(trials: u64, share: f64) -> std::ops::RangeInclusive<u64> {
    if share <= 0.0 {
        return 0..=0;
    }
    let mean = trials as f64 * share;
    let spread = 7.0 * libm::sqrt(mean * (1.0 - share)) + 10.0;
    let high = (mean + spread) as u64;
    (mean - spread).max(0.0) as u64..=high.min(trials)
}

/// P(X = hits) of a binomial variable.
#[expect(clippy::cast_precision_loss, reason = "counts of cases")]
fn probability(trials: u64, share: f64, hits: u64) -> f64 {
    if hits > trials {
        return 0.0;
    }
    if share <= 0.0 || share >= 1.0 {
        return f64::from(u8::from(hits == if share <= 0.0 { 0 } else { trials }));
    }
    let (n, k) = (trials as f64, hits as f64);
    let ways = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    libm::exp(ways + k * libm::log(share) + (n - k) * libm::log1p(-share))
}

/// P(X ≥ hits) of a binomial variable: the shorter of the two tails is summed, from its largest term on.
#[expect(clippy::cast_precision_loss, reason = "counts of cases")]
fn upper_tail(trials: u64, share: f64, hits: u64) -> f64 {
    if hits == 0 {
        return 1.0;
    }
    if hits > trials {
        return 0.0;
    }
    if share <= 0.0 || share >= 1.0 {
        return f64::from(u8::from(share >= 1.0));
    }
    let odds = share / (1.0 - share);
    let above = hits as f64 >= trials as f64 * share;
    let mut term = probability(trials, share, if above { hits } else { hits - 1 });
    let mut at = if above { hits } else { hits - 1 };
    let mut sum = 0.0;
    loop {
        sum += term;
        let factor = if above {
            (trials - at) as f64 / (at + 1) as f64 * odds
        } else {
            at as f64 / ((trials - at + 1) as f64 * odds)
        };
        term *= factor;
        if term < sum * 1e-16 || term == 0.0 {
            break;
        }
        at = if above { at + 1 } else { at - 1 };
    }
    if above { sum.min(1.0) } else { (1.0 - sum).max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, wanted: f64, by: f64) {
        assert!((value - wanted).abs() <= by, "{value} is not {wanted}");
    }

    #[test]
    fn no_flip_says_nothing() {
        assert_eq!(SignTest::new(0, 0), SignTest { exact: 1.0, mid_p: 1.0 });
    }

    #[test]
    fn the_worked_examples_come_out() {
        let test = SignTest::new(4, 1);
        near(test.exact, 0.1875, 1e-9);
        near(test.mid_p, 0.109_375, 1e-9);
        near(SignTest::new(6, 0).mid_p, 0.007_812_5, 1e-9);
        let test = SignTest::new(14, 5);
        near(test.exact, 0.0318, 5e-5);
        near(test.mid_p, 0.0207, 5e-5);
        near(SignTest::new(0, 5).exact, 1.0, 1e-12);
    }

    #[test]
    fn the_smallest_significant_number_of_losses_grows_with_the_wins() {
        let needed = |variant| (0..6).map(|won| losses_needed(won, variant)).collect::<Vec<_>>();
        assert_eq!(needed(Variant::MidP), [4, 6, 8, 9, 11, 12]);
        assert_eq!(needed(Variant::Exact), [5, 7, 9, 10, 12, 13]);
    }

    #[test]
    fn the_table_of_detectable_drops_comes_out() {
        let rows = [
            (60, [(10.9, 9.0), (14.3, 12.4), (17.3, 15.5)]),
            (100, [(6.6, 5.4), (9.5, 8.4), (12.1, 11.0)]),
            (200, [(3.3, 2.7), (5.7, 5.1), (7.6, 7.1)]),
            (300, [(2.2, 1.8), (4.3, 3.9), (5.9, 5.6)]),
        ];
        for (cases, row) in rows {
            for (wins, (exact, mid_p)) in [0.0, 0.02, 0.05].into_iter().zip(row) {
                let drop = |variant| detectable_drop(cases, wins, variant).expect("enough cases") * 100.0;
                near(drop(Variant::Exact), exact, 0.1);
                near(drop(Variant::MidP), mid_p, 0.1);
            }
        }
    }

    #[test]
    fn too_few_cases_reveal_nothing_and_many_reveal_a_little() {
        assert_eq!(detectable_drop(3, 0.0, Variant::MidP), None);
        assert_eq!(detectable_drop(0, 0.02, Variant::MidP), None);
        near(detectable_drop(4, 0.0, Variant::MidP).expect("all four"), 0.945_7, 1e-3);
        assert!(detectable_drop(1_000_000, 0.02, Variant::MidP).expect("many") < 0.001);
    }

    #[test]
    fn seeing_five_points_takes_about_110_cases_without_wins_and_200_with_some() {
        let needed = |wins| cases_needed(0.05, wins, Variant::MidP);
        assert!((105..=115).contains(&needed(0.0)), "{}", needed(0.0));
        assert!((190..=215).contains(&needed(0.02)), "{}", needed(0.02));
    }
}
