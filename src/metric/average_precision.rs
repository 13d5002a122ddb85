//! Average precision over groups of expected targets (trec_eval: map).

use super::{Card, Judged, Metric, Shape, higher};

/// Mean, over the expected groups, of the precision at the rank where each is credited; 0 for one that never is.
pub(super) struct AveragePrecision;

impl Metric for AveragePrecision {
    fn card(&self) -> &Card {
        const CARD: Card = higher(
            "MAP",
            "meanAveragePrecision",
            Shape::Mean,
            "mean of average precision: precision at the rank of each right answer, over all expected targets",
        );
        &CARD
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        case.is_scored().then(|| {
            let (mut right, mut sum) = (0.0, 0.0);
            for (rank, groups) in (1_u32..).zip(case.credits()) {
                let credited = groups.filter(|group| group.expected).count();
                if credited > 0 {
                    right += 1.0;
                    sum += f64::from(u32::try_from(credited).expect("few groups")) * right / f64::from(rank);
                }
            }
            sum / f64::from(u32::try_from(case.expected_groups()).expect("few groups"))
        })
    }
}
