//! One case, as a reader wants it: what was asked, what was expected, where it stood, what stands there now.

use serde::Serialize;

use crate::artifact::{CaseOutcome, CaseResult};
use crate::gate::{CasePair, Gated};
use crate::metric::State;
use crate::name::Name;
use crate::report::{Touch, Touched};

/// A case on one side or both.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseView {
    /// Its id; the new one where there is one.
    pub id: String,
    /// Its id in the baseline, if it was renamed.
    pub former_id: Option<String>,
    /// The query; null for a case that only the baseline has.
    pub query: Option<String>,
    /// Its targets.
    pub expected: Vec<String>,
    /// Those of them that are not in the tree: nothing could find them.
    pub gone: Vec<String>,
    /// Those of them that the change under review touches, and how.
    pub touched: Vec<TouchView>,
    /// It must be found whatever is approved.
    pub critical: bool,
    /// Left out of deltas and verdict: the reason, and the last day on which it is.
    pub quarantine: Option<QuarantineView>,
    /// The gated figures it fell out of or came into.
    pub at: Vec<&'static str>,
    /// Where it stood in the baseline.
    pub before: Option<RankView>,
    /// Where it stands.
    pub after: Option<RankView>,
    /// The first three hits.
    pub top: Vec<TopView>,
}

/// Why and how long a case is set aside.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuarantineView {
    /// In its author's words.
    pub reason: String,
    /// Last day (UTC, inclusive).
    pub until: String,
}

/// A file that the change under review touches.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TouchView {
    /// Its name, as the case expects it.
    pub name: String,
    /// `added`, `changed`, `renamed` or `removed`.
    pub how: &'static str,
    /// Its name now, if it was renamed.
    pub to: Option<String>,
}

/// Where a case stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RankView {
    /// `found`, `missed`, `failed`, `clean`, `false-positive`, `unscored`.
    pub state: &'static str,
    /// Rank of the first right hit.
    pub rank: Option<u32>,
    /// The rank, or `none`, or the state's word.
    pub text: String,
}

/// One of the first three hits.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TopView {
    /// 1-based.
    pub rank: usize,
    /// Id and path, once if they are equal.
    pub label: String,
    /// It is an answer the case expects.
    pub right: bool,
    /// It has the score of a neighbour.
    pub tied: bool,
    /// Its path names nothing in the corpus.
    pub unknown: bool,
    /// What the change under review does to its file: `added`, `changed` or `renamed`; null if nothing, or if that is not
    /// known.
    pub touched: Option<&'static str>,
    /// Its file.
    #[serde(skip)]
    file: Option<Name>,
}

impl CaseView {
    /// A case with its two sides; `at` the gated figures across which it moved.
    pub(super) fn of_pair(pair: &CasePair, at: Vec<&'static str>) -> Self {
        let (before, after) = (pair.before.as_ref(), pair.after.as_ref());
        let mut view = after.map_or_else(|| Self::removed(before), Self::of_result);
        let former = before.map(|case| case.id.0.clone());
        view.former_id = former.filter(|former| after.is_some() && *former != view.id);
        view.before = before.map(RankView::of_outcome);
        view.at = at;
        view
    }

    /// A case of a result alone.
    pub(super) fn of_result(case: &CaseResult) -> Self {
        Self {
            id: case.id.0.clone(),
            former_id: None,
            query: Some(case.input.clone()),
            expected: case.targets().iter().map(ToString::to_string).collect(),
            gone: case.absent_targets.iter().map(ToString::to_string).collect(),
            touched: Vec::new(),
            critical: case.critical,
            quarantine: case
                .quarantined
                .as_ref()
                .map(|it| QuarantineView { reason: it.reason.clone(), until: it.until.to_string() }),
            at: Vec::new(),
            before: None,
            after: Some(RankView::of_result(case)),
            top: top(case),
        }
    }

    /// None of its targets is in the tree, so that nothing could find it.
    pub(super) fn is_stale(&self) -> bool {
        !self.gone.is_empty() && self.gone.len() == self.expected.len()
    }

    /// Marks what the change under review touches.
    pub(super) fn mark(&mut self, touched: &Touched) {
        for hit in &mut self.top {
            hit.touched = hit.file.as_ref().and_then(|file| touched.of(file)).map(Touch::word);
        }
        let mark = |name: &String| {
            let touch = touched.of(&Name::new(name))?;
            let to = if let Touch::RenamedTo(to) = touch { Some(to.to_string()) } else { None };
            Some(TouchView { name: name.clone(), how: touch.word(), to })
        };
        self.touched = self.expected.iter().filter_map(mark).collect();
    }

    /// Leaves the id and the ranks.
    pub(in crate::report) fn shorten(&mut self) {
        self.query = None;
        self.expected.clear();
        self.gone.clear();
        self.touched.clear();
        self.top.clear();
    }

    fn removed(case: Option<&CaseOutcome>) -> Self {
        Self {
            id: case.map(|case| case.id.0.clone()).unwrap_or_default(),
            former_id: None,
            query: None,
            expected: Vec::new(),
            gone: Vec::new(),
            touched: Vec::new(),
            critical: false,
            quarantine: None,
            at: Vec::new(),
            before: None,
            after: None,
            top: Vec::new(),
        }
    }
}

/// The gated figures out of which (`true`) or into which (`false`) a comparable case moved.
pub(super) fn crossed(pair: &CasePair, gated: &[Gated], out: bool) -> Vec<&'static str> {
    let Some((before, after)) = pair.sides() else { return Vec::new() };
    let within = |rank: Option<u32>, k: u32| rank.is_some_and(|rank| rank <= k);
    let moved = |gated: &&Gated| {
        let (before, after) = (within(before.rank, gated.k), within(after.rank, gated.k));
        before == out && after != out
    };
    gated.iter().filter(moved).map(|gated| gated.name).collect()
}

impl RankView {
    fn of_outcome(case: &CaseOutcome) -> Self {
        Self::new(case.state, case.rank)
    }

    fn of_result(case: &CaseResult) -> Self {
        let mut view = Self::new(case.state, case.rank);
        if let Some(class) = case.error {
            view.text = format!("failed: {class}");
        }
        view
    }

    fn new(state: State, rank: Option<u32>) -> Self {
        let text = match (state, rank) {
            (State::Found | State::Missed, Some(rank)) => rank.to_string(),
            (State::Missed, None) => "none".to_owned(),
            _ => state.word().to_owned(),
        };
        Self { state: state.word(), rank, text }
    }
}

/// The first three hits, with what a reader should know of each.
fn top(case: &CaseResult) -> Vec<TopView> {
    let answer = case.answer();
    let hits = answer.hits();
    let tie = |at: usize| hits.get(at).map(|hit| hit.tie);
    let view = |(at, hit): (usize, &crate::ranking::Hit)| TopView {
        rank: at + 1,
        label: hit.label(),
        right: !hit.unknown && case.targets().iter().any(|target| hit.is_called(target)),
        tied: tie(at) == tie(at + 1) || (at > 0 && tie(at - 1) == tie(at)),
        unknown: hit.unknown,
        touched: None,
        file: hit.path.clone(),
    };
    hits.iter().take(3).enumerate().map(view).collect()
}
