//! Figures by segment.

use std::collections::BTreeMap;

use serde::Serialize;

use super::FigureView;
use crate::artifact::{CaseResult, SuiteResult};
use crate::gate::{Comparison, Policy};
use crate::metric::Figures;

/// One value of one segment key.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SegmentView {
    /// As artifacts write the key: `byLang`.
    pub by: String,
    /// Its value: `pt`.
    pub value: String,
    /// A figure is not as it was.
    pub changed: bool,
    /// Every figure over its cases.
    pub figures: Vec<FigureView>,
}

/// All segments: those that changed first, else in order of key and value.
pub(super) fn segments(
    result: &SuiteResult,
    comparison: Option<&Comparison>,
    active: &[&CaseResult],
    policy: &Policy,
) -> Vec<SegmentView> {
    let compared = comparison.filter(|comparison| comparison.by_case);
    let mut views: Vec<_> = match compared {
        Some(comparison) => {
            let rows = comparison.segments.iter().flat_map(|(by, values)| {
                values.iter().map(move |(value, deltas)| (by, value, FigureView::compared(deltas, policy)))
            });
            rows.map(|(by, value, figures)| SegmentView::new(by, value, figures)).collect()
        }
        None => result.segment_keys.iter().flat_map(|key| alone(key, active, policy)).collect(),
    };
    views.sort_by_key(|view| !view.changed);
    views
}

fn alone(key: &str, active: &[&CaseResult], policy: &Policy) -> Vec<SegmentView> {
    let mut by_value: BTreeMap<&str, Vec<&CaseResult>> = BTreeMap::new();
    for case in active {
        if let Some(value) = case.segments.get(key) {
            by_value.entry(value).or_default().push(case);
        }
    }
    let by = crate::artifact::segment_key(key);
    let view = |(value, cases): (&str, Vec<&CaseResult>)| {
        let figures = Figures::over(cases.iter().map(|case| &case.figures));
        SegmentView::new(&by, value, FigureView::alone(&figures, policy))
    };
    by_value.into_iter().map(view).collect()
}

impl SegmentView {
    fn new(by: &str, value: &str, figures: Vec<FigureView>) -> Self {
        Self {
            by: by.to_owned(),
            value: value.to_owned(),
            changed: figures.iter().any(|figure| figure.gated && figure.changed()),
            figures,
        }
    }
}
