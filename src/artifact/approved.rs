//! The figures that an approval covers: what a candidate proposes and a baseline records.

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use super::{ArtifactProblem, CaseOutcome, Counts, Measurement, Segments, segment_key};
use crate::metric::{Figure, Figures, METRICS, Shape, State, by_key};
use crate::suite::CaseKind;

/// Figures with the outcomes they sum up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Approved {
    pub(super) measurement: Measurement,
    pub(super) segment_keys: Vec<String>,
    pub(super) counts: Counts,
    pub(super) metrics: Figures,
    pub(super) segments: Segments,
    pub(super) cases: Vec<CaseOutcome>,
}

impl Approved {
    /// Whatever is said twice must agree: outcomes with figures, figures with their sums, counts with cases, segments
    /// with totals. The rankings are not here, so this is as far as a file can be held against itself.
    pub(super) fn check(&self) -> Result<(), ArtifactProblem> {
        self.measurement.check(self.cases.len())?;
        let mut ids = HashSet::new();
        for (at, case) in self.cases.iter().enumerate() {
            if !ids.insert(&case.id) {
                let message = format!("a second case has the id `{}`", case.id);
                return Err(ArtifactProblem::Shape { at: format!("cases[{at}]"), message });
            }
            case.check(&format!("/cases/{at}"), self.measurement.limit)?;
        }
        self.check_counts()?;
        self.check_metrics()?;
        self.check_segments()
    }

    fn check_counts(&self) -> Result<(), ArtifactProblem> {
        let count =
            |fits: &dyn Fn(&CaseOutcome) -> bool| self.cases.iter().filter(|case| fits(case)).count() as u64;
        let zero = |case: &CaseOutcome| case.figures.0.get("zeroResultRate").is_some_and(|zero| *zero > 0.0);
        let failed = |case: &CaseOutcome| case.state == State::Failed;
        let scored = |case: &CaseOutcome| case.kind() == CaseKind::Scored;
        let actual = Counts {
            cases: self.cases.len() as u64,
            scored: count(&scored),
            negative: count(&|case| case.kind() == CaseKind::Negative),
            unscored: count(&|case| case.kind() == CaseKind::Unscored),
            answered: count(&|case| scored(case) && !failed(case) && !zero(case)),
            failed: count(&failed),
            quarantined: count(&|case| case.quarantined.is_some()),
            // Which hits named nothing in the corpus only the rankings say.
            unknown_paths: self.counts.unknown_paths,
        };
        if self.counts == actual {
            Ok(())
        } else {
            Err(contradiction("/counts".into(), &self.counts, &actual))
        }
    }

    fn check_metrics(&self) -> Result<(), ArtifactProblem> {
        known(&self.metrics, "/metrics")?;
        let summed = Figures::over(self.cases.iter().map(|case| &case.figures));
        for (key, actual) in &summed.0 {
            let at = || format!("/metrics/{key}");
            match self.metrics.get(key) {
                Some(stated) if agree(stated, actual) => {}
                Some(stated) => return Err(contradiction(at(), stated, actual)),
                // A figure younger than the file.
                None if actual.of == 0 => {}
                None => return Err(contradiction(at(), &"nothing", actual)),
            }
        }
        Ok(())
    }

    /// Which case is in which segment the file does not say; the segments of a key must add up to the whole.
    fn check_segments(&self) -> Result<(), ArtifactProblem> {
        let keys: BTreeSet<String> = self.segment_keys.iter().map(|key| segment_key(key)).collect();
        let stated: BTreeSet<String> = self.segments.keys().cloned().collect();
        if keys != stated {
            return Err(contradiction("/segments".into(), &stated, &keys));
        }
        for (by, values) in &self.segments {
            for (value, figures) in values {
                known(figures, &format!("/segments/{by}/{value}"))?;
            }
            for metric in METRICS {
                let Some(total) = self.metrics.get(metric.key()) else { continue };
                if let Some((value, _)) =
                    values.iter().find(|(_, figures)| figures.get(metric.key()).is_none())
                {
                    let at = format!("/segments/{by}/{value}/{}", metric.key());
                    return Err(contradiction(at, &"nothing", total));
                }
                let parts: Vec<&Figure> =
                    values.values().filter_map(|figures| figures.get(metric.key())).collect();
                let of: u64 = parts.iter().map(|part| part.of).sum();
                let count: Option<u64> =
                    total.count.map(|_| parts.iter().filter_map(|part| part.count).sum());
                if (of, count) != (total.of, total.count) {
                    let at = format!("/segments/{by} ({})", metric.key());
                    return Err(contradiction(at, &(count, of), &(total.count, total.of)));
                }
            }
        }
        Ok(())
    }
}

/// Every figure has a name we know and a value that it can have.
fn known(figures: &Figures, at: &str) -> Result<(), ArtifactProblem> {
    for (key, figure) in &figures.0 {
        let at = || format!("{at}/{key}");
        let Some(metric) = by_key(key) else {
            return Err(contradiction(at(), figure, &"no figure this rankhold knows"));
        };
        let rate = figure.count.map(|count| Figure::rate(count.min(figure.of), figure.of));
        let is_rate = metric.shape() == Shape::Rate;
        if is_rate != rate.is_some() || rate.is_some_and(|rate| rate != *figure) {
            return Err(contradiction(at(), figure, &rate));
        }
        let in_range = |value: f64| value >= 0.0 && (metric.shape() == Shape::IntegerMean || value <= 1.0);
        if figure.value.is_some() != (figure.of > 0) || !figure.value.is_none_or(in_range) {
            return Err(contradiction(at(), figure, &"a value that the figure can have"));
        }
    }
    Ok(())
}

/// The stated mean is of unrounded values, the summed one of rounded ones.
fn agree(stated: &Figure, actual: &Figure) -> bool {
    let close = match (stated.value, actual.value) {
        (Some(a), Some(b)) => (a - b).abs() < 2e-6,
        (a, b) => a == b,
    };
    close && stated.count == actual.count && stated.of == actual.of
}

fn contradiction<A: Serialize, B: Serialize>(at: String, stated: &A, actual: &B) -> ArtifactProblem {
    let text = |value: serde_json::Result<String>| value.expect("our own types serialise");
    ArtifactProblem::Contradiction {
        at,
        stated: text(serde_json::to_string(stated)),
        actual: text(serde_json::to_string(actual)),
    }
}
