//! Figures with their text.

use serde::Serialize;

use crate::gate::{Comparison, Delta, Flips, Gated, Policy, Trend};
use crate::metric::{Direction, Figure, Figures, METRICS, Metric, Shape, by_name};

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NumberView {
    /// Six decimals; null where no case asks for it.
    pub value: Option<f64>,
    /// Of a rate: how many cases.
    pub count: Option<u64>,
    /// How many cases it is over.
    pub of: u64,
    /// For a narrow place: `47/60`, `0.712`.
    pub short: String,
    /// In full: `47/60 (78.3 %)`.
    pub text: String,
}

impl NumberView {
    fn new(metric: &dyn Metric, figure: Figure) -> Self {
        let Figure { value, count, of } = figure;
        let (short, text) = match (value, count) {
            (None, _) => ("–".to_owned(), "–".to_owned()),
            (Some(value), Some(count)) => {
                let short = format!("{count}/{of}");
                let text = format!("{short} ({:.1} %)", value * 100.0);
                (short, text)
            }
            (Some(value), None) => {
                let text =
                    if metric.shape() == Shape::Mean { format!("{value:.3}") } else { format!("{value}") };
                (text.clone(), text)
            }
        };
        Self { value, count, of, short, text }
    }
}

/// A gated figure with its name, for a line of text: `hit@3 47/60 (78.3 %)`.
pub fn figure_text(gated: Gated, figures: &Figures) -> Option<String> {
    let metric = by_name(gated.key)?;
    let figure = *figures.get(gated.key)?;
    Some(format!("{} {}", gated.name, NumberView::new(metric, figure).text))
}

/// A figure on both sides.
#[expect(clippy::struct_excessive_bools, reason = "plain facts for templates to branch on")]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FigureView {
    /// As people write it: `hit@3`.
    pub name: &'static str,
    /// As artifacts write it: `hitAt3`.
    pub key: &'static str,
    /// The gate judges by it.
    pub gated: bool,
    /// Less is better.
    pub lower_is_better: bool,
    /// Gated, or not as it was: shown without unfolding.
    pub notable: bool,
    /// A case of the suite asks for it.
    pub asked: bool,
    /// The baseline's; null if it has none.
    pub before: Option<NumberView>,
    /// The result's.
    pub after: Option<NumberView>,
    /// Signed difference: `−6.7 pp`, `+0.012`; null without two sides.
    pub change: Option<String>,
    /// `improved`, `warning` or `unchanged`; null without two sides, and of sizes, which are neither good nor bad alone.
    pub trend: Option<&'static str>,
}

impl FigureView {
    /// Every figure of a comparison.
    pub(super) fn compared(deltas: &[Delta], policy: &Policy) -> Vec<Self> {
        let views = deltas.iter().filter_map(|delta| {
            let metric = by_name(delta.key)?;
            Some(Self::new(metric, delta.before, delta.after, Some(delta.trend), policy))
        });
        views.collect()
    }

    /// Every figure of a result alone.
    pub(super) fn alone(figures: &Figures, policy: &Policy) -> Vec<Self> {
        let view = |metric: &&'static dyn Metric| {
            Self::new(*metric, None, figures.get(metric.key()).copied(), None, policy)
        };
        METRICS.iter().map(view).collect()
    }

    fn new(
        metric: &dyn Metric,
        before: Option<Figure>,
        after: Option<Figure>,
        trend: Option<Trend>,
        policy: &Policy,
    ) -> Self {
        // How much an agent would have to read is neither good nor bad by itself.
        let trend = trend.filter(|_| metric.shape() != Shape::IntegerMean);
        let gated = policy.metrics.iter().any(|gated| gated.key == metric.key());
        let asked = |figure: Option<Figure>| figure.is_some_and(|figure| figure.value.is_some());
        Self {
            name: metric.name(),
            key: metric.key(),
            gated,
            notable: gated || matches!(trend, Some(Trend::Better | Trend::Worse)),
            lower_is_better: metric.direction() == Direction::Lower,
            asked: asked(before) || asked(after),
            before: before.map(|figure| NumberView::new(metric, figure)),
            after: after.map(|figure| NumberView::new(metric, figure)),
            change: before.zip(after).and_then(|(before, after)| change(metric.shape(), before, after)),
            trend: trend.and_then(|trend| match trend {
                Trend::Better => Some("improved"),
                Trend::Worse => Some("warning"),
                Trend::Same => Some("unchanged"),
                Trend::Unknown => None,
            }),
        }
    }

    /// It counts what should never be.
    pub(in crate::report) fn is_failure(&self) -> bool {
        self.lower_is_better && self.key.ends_with("Rate") || self.key.starts_with("forbidden")
    }

    /// The result has some of it.
    pub(in crate::report) fn is_above_zero(&self) -> bool {
        self.after.as_ref().and_then(|after| after.value).is_some_and(|value| value > 0.0)
    }

    /// It is not as it was.
    pub(super) fn changed(&self) -> bool {
        matches!(self.trend, Some("improved" | "warning"))
    }
}

fn change(shape: Shape, before: Figure, after: Figure) -> Option<String> {
    let difference = after.value? - before.value?;
    Some(match shape {
        Shape::Rate => format!("{} pp", signed(difference * 100.0, 1)),
        Shape::Mean => signed(difference, 3),
        Shape::IntegerMean => signed(difference, 0),
    })
}

/// With a typographic sign, and none for what prints as zero.
fn signed(value: f64, places: usize) -> String {
    let size = format!("{:.places$}", value.abs());
    let zero = size.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    match value {
        _ if zero => format!("±{size}"),
        value if value < 0.0 => format!("−{size}"),
        _ => format!("+{size}"),
    }
}

/// A figure the gate judges by, with what it allows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GateView {
    /// As people write it: `hit@3`.
    pub name: &'static str,
    /// Over the comparable cases; null without a baseline.
    pub before: Option<NumberView>,
    /// Over the comparable cases; without a baseline over all.
    pub after: Option<NumberView>,
    /// `−6.7 pp`; null without two sides.
    pub change: Option<String>,
    /// Cases that fell out of it; null where the baseline does not know its cases.
    pub lost: Option<u64>,
    /// Cases that came in.
    pub won: Option<u64>,
    /// How many cases may be lost net.
    pub allowed: u64,
}

impl GateView {
    pub(super) fn new(
        gated: Gated,
        figures: &[FigureView],
        comparison: Option<&Comparison>,
        policy: &Policy,
    ) -> Self {
        let figure = figures.iter().find(|figure| figure.key == gated.key);
        let flips = comparison.and_then(|comparison| Flips::of(comparison, gated));
        let of = figure.and_then(|figure| figure.after.as_ref()).map_or(0, |after| after.of);
        Self {
            name: gated.name,
            before: figure.and_then(|figure| figure.before.clone()),
            after: figure.and_then(|figure| figure.after.clone()),
            change: figure.and_then(|figure| figure.change.clone()),
            lost: flips.map(|flips| flips.lost),
            won: flips.map(|flips| flips.won),
            allowed: policy.tolerance.floor_of(flips.map_or(of, |flips| flips.of)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_carry_their_sign() {
        assert_eq!(signed(-6.666_667, 1), "−6.7");
        assert_eq!(signed(0.012_3, 3), "+0.012");
        assert_eq!(signed(-0.000_1, 3), "±0.000");
        assert_eq!(signed(0.0, 1), "±0.0");
    }
}
