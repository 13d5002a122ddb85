//! The finished view: what every format and every template sees, and what `--format json` prints.
//!
//! Templates do no arithmetic, so figures come with their text. The fields are a public contract, described in
//! `docs/templates.md`; [`VERSION`] rises when one changes its meaning or goes.

mod case;
mod counts;
mod figure;
mod identity;
mod pair;
mod segment;
mod words;

pub use case::{CaseView, RankView, TopView, TouchView};
pub use counts::{CountsView, Omitted};
pub use figure::{FigureView, GateView, NumberView, figure_text};
pub use identity::{ApprovalView, CommandsView, IdentityView};
pub use pair::{PairView, ProblemView};
pub use segment::SegmentView;

use serde::Serialize;

use super::Report;

/// Version of the fields.
pub const VERSION: u32 = 1;

/// A whole report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// [`VERSION`].
    pub report_version: u32,
    /// The word of the pair that decides; null if that one could not be measured.
    pub verdict: Option<&'static str>,
    /// How the process ends.
    pub exit: u8,
    /// The verdict as a sentence.
    pub title: String,
    /// How many pairs ended how, the worst first.
    pub tally: Vec<TallyView>,
    /// The pairs, the worst first.
    pub pairs: Vec<PairView>,
    /// Pairs without a section of their own, for want of room.
    pub omitted_sections: usize,
    /// Pairs left out altogether, for want of room.
    pub omitted_pairs: usize,
}

/// How many pairs ended so.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TallyView {
    /// The verdict's word, `not-measured` or `unusable`.
    pub word: &'static str,
    /// Pairs.
    pub count: usize,
}

impl View {
    /// The view of a report.
    pub fn new(report: &Report<'_>) -> Self {
        let mut pairs: Vec<_> = report.pairs.iter().map(|pair| PairView::new(pair, report.policy)).collect();
        if let Some(touched) = report.touched {
            let marked = pairs.iter_mut().flat_map(PairView::cases);
            marked.for_each(|case| case.mark(touched));
        }
        pairs.sort_by_key(PairView::rank);
        let mut tally: Vec<TallyView> = Vec::new();
        for pair in &pairs {
            match tally.last_mut().filter(|last| last.word == pair.word) {
                Some(last) => last.count += 1,
                None => tally.push(TallyView { word: pair.word, count: 1 }),
            }
        }
        Self {
            report_version: VERSION,
            verdict: pairs.first().and_then(|pair| pair.verdict),
            exit: report.exit().code(),
            title: words::title(pairs.first().map(|pair| (pair.word, pair.situation))),
            tally,
            pairs,
            omitted_sections: 0,
            omitted_pairs: 0,
        }
    }
}
