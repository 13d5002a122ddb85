//! Normalised discounted cumulative gain with linear gains (Järvelin and Kekäläinen 2002; trec_eval: ndcg_cut).

use super::{Card, Judged, Metric};

/// DCG over the first `k`, divided by the best DCG that the groups allow.
pub(super) struct Ndcg {
    pub(super) k: usize,
    pub(super) card: Card,
}

impl Metric for Ndcg {
    fn card(&self) -> &Card {
        &self.card
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_scored().then(|| {
            let gains = case.credits().map(|groups| groups.map(|group| group.grade).max().unwrap_or(0));
            let mut ideal: Vec<u32> = case.groups().iter().map(|group| group.grade).collect();
            ideal.sort_unstable_by(|a, b| b.cmp(a));
            dcg(gains.take(self.k)) / dcg(ideal.into_iter().take(self.k))
        })
    }
}

/// Sum of gain / log2(rank + 1), in order of rank. `libm`'s logarithm gives the same bits on every platform.
fn dcg(gains: impl Iterator<Item = u32>) -> f64 {
    (2_u32..).zip(gains).map(|(rank_plus_1, gain)| f64::from(gain) / libm::log2(f64::from(rank_plus_1))).sum()
}

#[cfg(test)]
mod tests {
    use super::dcg;

    #[test]
    fn one_good_hit_at_rank_two_of_two_wanted() {
        let ratio = dcg([0, 1].into_iter()) / dcg([1, 1].into_iter());
        assert!((ratio - 0.386_852_8).abs() < 1e-6, "{ratio}");
    }
}
