//! Recall and precision at k, over groups of expected targets (trec_eval: recall_k, P_k).

use super::{Direction, Judged, Metric, Shape};

/// Share of the expected groups that the first `k` hits credit.
pub(super) struct Recall {
    pub(super) k: usize,
    pub(super) name: &'static str,
    pub(super) key: &'static str,
}

/// Share of `k` places whose hit credits at least one new expected group.
pub(super) struct Precision {
    pub(super) k: usize,
    pub(super) name: &'static str,
    pub(super) key: &'static str,
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
    fn name(&self) -> &'static str {
        self.name
    }
    fn key(&self) -> &'static str {
        self.key
    }
    fn direction(&self) -> Direction {
        Direction::Higher
    }
    fn shape(&self) -> Shape {
        Shape::Mean
    }
    fn about(&self) -> &'static str {
        "mean share of a case's expected targets that are among the first k"
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_scored().then(|| ratio(credited(case, self.k).sum(), case.expected_groups()))
    }
}

impl Metric for Precision {
    fn name(&self) -> &'static str {
        self.name
    }
    fn key(&self) -> &'static str {
        self.key
    }
    fn direction(&self) -> Direction {
        Direction::Higher
    }
    fn shape(&self) -> Shape {
        Shape::Mean
    }
    fn about(&self) -> &'static str {
        "mean share of the first k places (not of the hits returned) that hold a new right answer"
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_scored().then(|| ratio(credited(case, self.k).filter(|&count| count > 0).count(), self.k))
    }
}
