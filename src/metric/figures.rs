//! Means over cases: what artifacts store and reports show.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Judged, METRICS, Shape};

/// One figure over a set of cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Six decimals at most, rounded half up; null where no case asks for it.
    pub value: Option<f64>,
    /// Of a rate: how many cases; decisions use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// How many cases it is over.
    pub of: u64,
}

/// One case's values, by metric key; a metric that the case does not ask for is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CaseFigures(pub BTreeMap<String, f64>);

impl CaseFigures {
    /// All metrics over one case, unrounded.
    pub fn of(case: &Judged<'_>) -> Self {
        Self(METRICS.iter().filter_map(|metric| Some((metric.key().to_owned(), metric.of(case)?))).collect())
    }

    /// As artifacts carry them: six decimals.
    #[must_use]
    pub fn rounded(&self) -> Self {
        Self(self.0.iter().map(|(key, value)| (key.clone(), round6(*value))).collect())
    }
}

/// Every metric over a set of cases, by key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Figures(pub BTreeMap<String, Figure>);

impl Figures {
    /// The means over per-case values, summed in the order given.
    pub fn over<'a>(cases: impl IntoIterator<Item = &'a CaseFigures>) -> Self {
        let mut sums = vec![(0.0_f64, 0_u64); METRICS.len()];
        for case in cases {
            for (metric, (sum, of)) in METRICS.iter().zip(&mut sums) {
                if let Some(value) = case.0.get(metric.key()) {
                    *sum += value;
                    *of += 1;
                }
            }
        }
        let figures = METRICS
            .iter()
            .zip(sums)
            .map(|(metric, (sum, of))| (metric.key().to_owned(), Figure::new(metric.shape(), sum, of)));
        Self(figures.collect())
    }

    /// The figure of that key.
    pub fn get(&self, key: &str) -> Option<&Figure> {
        self.0.get(key)
    }
}

impl Figure {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "sums of 0 and 1 over far fewer than 2^52 cases are exact"
    )]
    fn new(shape: Shape, sum: f64, of: u64) -> Self {
        if of == 0 {
            return Self { value: None, count: (shape == Shape::Rate).then_some(0), of };
        }
        match shape {
            Shape::Rate => Self::rate(sum as u64, of),
            Shape::Mean => Self { value: Some(round6(sum / of as f64)), count: None, of },
            Shape::IntegerMean => Self { value: Some((sum / of as f64 + 0.5).floor()), count: None, of },
        }
    }

    /// A rate from its count, rounded from the integers.
    #[expect(clippy::cast_precision_loss, reason = "at most a million")]
    pub fn rate(count: u64, of: u64) -> Self {
        let millionths =
            (of > 0).then(|| (u128::from(count) * 2_000_000 + u128::from(of)) / (2 * u128::from(of)));
        Self { value: millionths.map(|millionths| millionths as f64 / 1e6), count: Some(count), of }
    }
}

/// Rounds half up to six decimals: the only rounding there is.
pub fn round6(value: f64) -> f64 {
    (value * 1e6 + 0.5).floor() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_rounded_half_up_from_their_counts() {
        assert_eq!(Figure::rate(1, 3).value, Some(0.333_333));
        assert_eq!(Figure::rate(2, 3).value, Some(0.666_667));
        assert_eq!(Figure::rate(13, 60).value, Some(0.216_667));
        assert_eq!(Figure::rate(1, 2_000_000).value, Some(0.000_001));
        assert_eq!(Figure::rate(0, 0).value, None);
    }

    #[test]
    fn a_figure_no_case_asks_for_has_no_value() {
        let figures = Figures::over([]);
        assert_eq!(figures.get("hitAt3"), Some(&Figure { value: None, count: Some(0), of: 0 }));
        assert_eq!(figures.get("ndcgAt10"), Some(&Figure { value: None, count: None, of: 0 }));
    }
}
