//! Recall and precision at k, over groups of expected targets (trec_eval: recall_k, P_k).

use super::{Card, Judged, Metric};

/// Share of the expected groups that the first `k` hits credit.
pub(super) struct Recall {
    pub(super) k: usize,
    pub(super) card: Card,
}

/// Share of `k` places whose hit credits at least one new expected group.
pub(super) struct Precision {
    pub(super) k: usize,
    pub(super) card: Card,
}

/// Expected groups credited per hit, over the first `k`.
fn credited<'a>(case: &'a Judged<'_>, k: usize) -> impl Iterator<Item = usize> + 'a {
    case.credits().take(k).map(|groups| groups.filter(|group| group.expected).count())
}

#[expect(clippy::cast_precision_loss, reason = "counts of hits and groups are far below 2^52")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

impl Metric for Recall {
    fn card(&self) -> &Card {
        &self.card
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_scored().then(|| ratio(credited(case, self.k).sum(), case.expected_groups()))
    }
}

impl Metric for Precision {
    fn card(&self) -> &Card {
        &self.card
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_scored().then(|| ratio(credited(case, self.k).filter(|&count| count > 0).count(), self.k))
    }
}
