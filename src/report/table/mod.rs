//! Systems side by side: the table of `rankhold compare`, as readers of the first seed know it.

mod chart;
mod labels;
mod text;
mod view;

pub use chart::OPENING as CHART;
pub use view::{BestView, RowView, TableView};

use view::Page;

use super::{Options, Rendered, TemplateProblem, budget, json, template};
use crate::artifact::{SuiteResult, Timings, percentile};
use crate::metric::{Figure, State};

/// What `compare` found, in the order the systems were asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What the queries are called.
    pub suite: String,
    /// Scored cases.
    pub cases: u64,
    /// Cases that are asked to find nothing.
    pub negative: u64,
    /// Hits kept per query.
    pub top_k: u64,
    /// Only availability was looked at (`--smoke`).
    pub smoke: bool,
    /// The systems, and floors among them.
    pub rows: Vec<Row>,
    /// Systems without a floor, where floors were asked for.
    pub without_floor: Vec<String>,
}

/// One system.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name.
    pub retriever: String,
    /// It is the floor of the system of that name: the same with random vectors in the place of its model's.
    pub floor_of: Option<String>,
    /// What became of it.
    pub system: System,
}

/// What became of a system.
#[derive(Clone, Debug, PartialEq)]
pub enum System {
    /// It was measured.
    Ran(Box<Measured>),
    /// It is there; nothing was asked of it.
    Ready {
        /// Its version.
        version: String,
    },
    /// It is not there.
    Skipped {
        /// What is absent.
        reason: String,
        /// How to get it.
        hint: Option<String>,
    },
    /// It is there, and could not be measured.
    Failed {
        /// What happened.
        reason: String,
        /// What to do, where that is known.
        hint: Option<String>,
    },
}

/// The figures of one system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// What it says of itself.
    pub version: String,
    /// The first digits of the hash of its program, if it starts one.
    pub program: Option<String>,
    /// Its model and that one's hash, if it has one.
    pub model: Option<String>,
    /// The model is a substitute: the figures say that the system works, and are no part of any comparison.
    pub stand_in: bool,
    /// Mean NDCG@10 over all scored cases; a failed one counts 0.
    pub ndcg: Option<f64>,
    /// The first seed's mean: over completed scored cases only.
    pub ndcg_of_completed: Option<f64>,
    /// Scored cases that completed.
    pub completed: u64,
    /// Cases that failed, scored or not.
    pub failed: u64,
    /// hit@3.
    pub hit_at_3: Option<Figure>,
    /// Mean reciprocal rank.
    pub mrr: Option<f64>,
    /// Scored cases that got at least one hit.
    pub answered: Figure,
    /// Negative cases that got a hit or failed, if there are any such cases.
    pub false_positives: Option<Figure>,
    /// Hits whose path is none of the corpus's.
    pub unknown_paths: u64,
    /// Files or other units indexed, if it says.
    pub units: Option<u64>,
    /// From probe to ready, in microseconds.
    pub prepare_us: u64,
    /// Latencies of queries that start a process, if it has any.
    pub cold: Option<Latency>,
    /// Latencies of queries that find it running, if it has any.
    pub warm: Option<Latency>,
    /// Asked cases, and how many were answered the same in every pass; none if there was one pass.
    pub steady: Option<Steady>,
    /// Queries that failed in a pass after the first.
    pub failed_later: u64,
    /// Targets that it leaves out, if it says which files it reads.
    pub unreachable: Option<Vec<String>>,
    /// Everything.
    pub wall_us: u64,
}

/// Latencies in microseconds, by nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// Half of the queries do not exceed it.
    pub p50_us: u64,
    /// 95 % of them do not.
    pub p95_us: u64,
}

impl Latency {
    /// Of these latencies; none of none.
    pub fn of(us: &[u64]) -> Option<Self> {
        Some(Self { p50_us: percentile(us, 50)?, p95_us: percentile(us, 95)? })
    }
}

/// How steady a system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steady {
    /// How often every query was asked.
    pub passes: u64,
    /// Queries that were answered every time, and always the same.
    pub same: u64,
    /// Queries.
    pub of: u64,
}

impl Measured {
    /// The figures of a result and its timings.
    pub fn of(result: &SuiteResult, timings: &Timings) -> Self {
        let figure = |key: &str| result.metrics.get(key).copied();
        let completed =
            result.cases.iter().filter(|case| !case.targets().is_empty() && case.state != State::Failed);
        let failed = result.cases.iter().filter(|case| case.state == State::Failed).count() as u64;
        let whole = figure("ndcgAt10").and_then(|figure| figure.value);
        let ndcg: Vec<f64> = completed.filter_map(|case| case.figures.0.get("ndcgAt10").copied()).collect();
        Self {
            version: result.measurement.retriever.version.clone(),
            model: result.measurement.retriever.model.clone(),
            ndcg: whole,
            // What a result holds of each case is rounded: the same mean is taken from where it is exact.
            ndcg_of_completed: if failed == 0 { whole } else { mean(&ndcg) },
            completed: ndcg.len() as u64,
            failed,
            hit_at_3: figure("hitAt3"),
            mrr: figure("meanReciprocalRank").and_then(|figure| figure.value),
            answered: Figure::rate(result.counts.answered, result.counts.scored),
            false_positives: figure("falsePositiveRate").filter(|figure| figure.of > 0),
            unknown_paths: result.counts.unknown_paths,
            units: timings.units,
            prepare_us: timings.prepare_us,
            wall_us: timings.wall_us,
            ..Self::default()
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 cases")]
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| crate::metric::round6(values.iter().sum::<f64>() / values.len() as f64))
}

/// The picture of a table: speed against quality, as SVG.
pub fn chart(table: &Table) -> Rendered {
    Rendered::by_format(chart::svg(&TableView::new(table)))
}

/// The table as text for a terminal.
#[expect(clippy::unnecessary_wraps, reason = "every format has this signature")]
pub(super) fn as_text(view: &TableView, options: &Options) -> Result<String, TemplateProblem> {
    Ok(text::render(view, options))
}

/// The table as markdown.
pub(super) fn as_markdown(view: &TableView, options: &Options) -> Result<String, TemplateProblem> {
    template::ours("table.md.j2", &Page::of(view)).map(|text| budget::cut(&text, options.budget))
}

/// The table for programs.
#[expect(clippy::unnecessary_wraps, reason = "every format has this signature")]
pub(super) fn as_json(view: &TableView, _: &Options) -> Result<String, TemplateProblem> {
    Ok(json::text(view))
}
