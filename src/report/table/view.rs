//! The finished view of a table.

use serde::Serialize;

use super::{Measured, Row, System, Table};

/// Version of the fields.
const VERSION: u32 = 2;

/// The table of `compare`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TableView {
    /// Version of these fields.
    pub table_version: u32,
    /// `compared 4 of 6 systems and 2 of 2 floors; skipped: …`.
    pub summary: String,
    /// The systems with the best NDCG@10; none if none has any.
    pub best: Vec<BestView>,
    /// What the queries are called.
    pub suite: String,
    /// Scored cases.
    pub cases: u64,
    /// Cases that are asked to find nothing.
    pub negative: u64,
    /// Hits kept per query.
    pub top_k: u64,
    /// Only availability was looked at.
    pub smoke: bool,
    /// What the columns of a row are called.
    pub headings: Vec<&'static str>,
    /// A row per system or floor, in the order asked for.
    pub rows: Vec<RowView>,
    /// Systems without a floor, where floors were asked for.
    pub without_floor: Vec<String>,
    /// Speed against quality in the language of Mermaid, by lines; with two systems or more.
    pub chart: Option<Vec<String>>,
}

/// The table as a page for readers has it: what was measured in rows, what was not in a list.
#[derive(Debug, Serialize)]
pub(super) struct Page<'a> {
    table: &'a TableView,
    ran: Vec<&'a RowView>,
    absent: Vec<&'a RowView>,
    /// Something that was measured is no point of the chart: a floor, or a system with a stand-in.
    off_chart: bool,
}

impl<'a> Page<'a> {
    pub(super) fn of(table: &'a TableView) -> Self {
        let ran = table.ran();
        let off_chart = ran.iter().any(|row| row.stand_in || row.floor_of.is_some());
        Self { table, ran, absent: table.absent(), off_chart }
    }
}

/// A best system.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BestView {
    /// Its name.
    pub retriever: String,
    /// Its NDCG@10, as printed.
    pub ndcg: String,
}

/// One system: values for programs, and their text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RowView {
    /// Its name.
    pub retriever: String,
    /// The system whose floor it is: the same with random vectors in the place of its model's.
    pub floor_of: Option<String>,
    /// `ran`, `ready`, `skipped`, `failed`.
    pub status: &'static str,
    /// Why it was skipped or failed; the version of one that is ready.
    pub detail: Option<String>,
    /// The next step of one that was skipped or failed, where it is known.
    pub hint: Option<String>,
    /// What it says of itself.
    pub version: Option<String>,
    /// The first digits of the hash of its program.
    pub program: Option<String>,
    /// Its model and that one's hash.
    pub model: Option<String>,
    /// The model is a substitute; a floor has none.
    pub stand_in: bool,
    /// Mean NDCG@10, a failed query counting 0.
    pub ndcg_at10: Option<f64>,
    /// The mean over completed queries.
    pub ndcg_at10_of_completed: Option<f64>,
    /// Queries that completed.
    pub completed: Option<u64>,
    /// Queries that failed.
    pub failed: Option<u64>,
    /// Queries found among the first three.
    pub hit_at3: Option<u64>,
    /// Mean reciprocal rank.
    pub mean_reciprocal_rank: Option<f64>,
    /// Queries that got a hit.
    pub answered: Option<u64>,
    /// Cases with nothing to find that got a hit or failed, if the suite has such cases.
    pub false_positives: Option<u64>,
    /// Hits whose path is none of the corpus's; they match nothing.
    pub unknown_paths: Option<u64>,
    /// Units indexed.
    pub units: Option<u64>,
    /// Microseconds from probe to ready.
    pub prepare_us: Option<u64>,
    /// Median latency of queries that start a process.
    pub cold_p50_us: Option<u64>,
    /// … 95th percentile.
    pub cold_p95_us: Option<u64>,
    /// Median latency of queries that find it running.
    pub warm_p50_us: Option<u64>,
    /// … 95th percentile.
    pub warm_p95_us: Option<u64>,
    /// How often every query was asked.
    pub passes: Option<u64>,
    /// Queries that were answered every time, and always the same.
    pub steady: Option<u64>,
    /// Queries that failed in a pass after the first.
    pub failed_later: Option<u64>,
    /// Targets that it leaves out.
    pub unreachable: Option<Vec<String>>,
    /// Everything.
    pub wall_us: Option<u64>,
    /// Version, program and model in one line, of a system that is not ours.
    pub identity: Option<String>,
    /// The texts of the columns, in their order.
    pub columns: Vec<String>,
}

/// The column that only a suite with negative cases has.
const FALSE_POSITIVES: &str = "false positives";

/// The column that only a table with such hits has.
const UNKNOWN_PATHS: &str = "unknown paths";

/// How many of the columns, the last ones, are cost.
pub(super) const COST: usize = 7;

/// The columns between the name and the status: quality, then cost.
const COLUMNS: [&str; 16] = [
    "NDCG@10",
    "of completed",
    "hit@3",
    "MRR",
    "coverage",
    FALSE_POSITIVES,
    UNKNOWN_PATHS,
    "steady",
    "unreachable",
    "units",
    "index",
    "cold p50",
    "cold p95",
    "warm p50",
    "warm p95",
    "total",
];

impl TableView {
    /// The view of a table.
    pub fn new(table: &Table) -> Self {
        let has_unknown_paths =
            table.rows.iter().any(|row| matches!(&row.system, System::Ran(it) if it.unknown_paths > 0));
        let shown = |heading: &&str| match *heading {
            FALSE_POSITIVES => table.negative > 0,
            UNKNOWN_PATHS => has_unknown_paths,
            _ => true,
        };
        let headings: Vec<_> = COLUMNS.into_iter().filter(shown).collect();
        let rows: Vec<_> = table.rows.iter().map(|row| RowView::new(row, table.cases, &headings)).collect();
        Self {
            table_version: VERSION,
            summary: summary(table),
            best: best(&rows),
            suite: table.suite.clone(),
            cases: table.cases,
            negative: table.negative,
            top_k: table.top_k,
            smoke: table.smoke,
            headings,
            chart: super::chart::mermaid(&rows),
            without_floor: table.without_floor.clone(),
            rows,
        }
    }

    /// Those that were measured, the best first; those whose figures are printed alike by name.
    pub(super) fn ran(&self) -> Vec<&RowView> {
        let mut rows: Vec<_> = self.rows.iter().filter(|row| row.status == "ran").collect();
        let figure = |row: &RowView| row.ndcg_at10.map(printed);
        rows.sort_by(|a, b| figure(b).cmp(&figure(a)).then_with(|| a.retriever.cmp(&b.retriever)));
        rows
    }

    /// Those of which there are no figures: first what failed, then what is not here.
    pub(super) fn absent(&self) -> Vec<&RowView> {
        let mut rows: Vec<_> = self.rows.iter().filter(|row| row.status != "ran").collect();
        rows.sort_by_key(|row| row.status != "failed");
        rows
    }
}

/// A mean as it is printed. It is from 0 to 1, so that texts sort as the values do.
fn printed(mean: f64) -> String {
    format!("{mean:.3}")
}

fn summary(table: &Table) -> String {
    let verb = if table.smoke { "found" } else { "compared" };
    let (floors, systems): (Vec<&Row>, _) = table.rows.iter().partition(|row| row.floor_of.is_some());
    let there_of = |rows: &[&Row]| {
        let there = rows.iter().filter(|row| matches!(row.system, System::Ran(_) | System::Ready { .. }));
        format!("{} of {}", there.count(), rows.len())
    };
    let names = |wanted: fn(&System) -> bool| {
        let names = table.rows.iter().filter(|row| wanted(&row.system)).map(|row| row.retriever.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let mut summary = format!("{verb} {} systems", there_of(&systems));
    if !floors.is_empty() {
        summary = format!("{summary} and {} floors", there_of(&floors));
    }
    for (word, names) in [
        ("skipped", names(|system| matches!(system, System::Skipped { .. }))),
        ("failed", names(|system| matches!(system, System::Failed { .. }))),
    ] {
        if !names.is_empty() {
            summary = format!("{summary}; {word}: {names}");
        }
    }
    summary
}

/// Those whose figure is the largest as printed: a difference that is not shown is no victory. A floor, and one with a
/// stand-in for its model, takes no part.
fn best(rows: &[RowView]) -> Vec<BestView> {
    let figures = rows.iter().filter_map(|row| {
        let value = row.ndcg_at10.filter(|value| *value > 0.0 && !row.stand_in && row.floor_of.is_none())?;
        Some(BestView { retriever: row.retriever.clone(), ndcg: printed(value) })
    });
    let figures: Vec<_> = figures.collect();
    let top = figures.iter().map(|row| row.ndcg.clone()).max().unwrap_or_default();
    figures.into_iter().filter(|row| row.ndcg == top).collect()
}

impl RowView {
    fn new(row: &Row, cases: u64, headings: &[&str]) -> Self {
        let columns = headings.iter().map(|heading| column(heading, &row.system, cases)).collect();
        let named = Self {
            retriever: row.retriever.clone(),
            floor_of: row.floor_of.clone(),
            columns,
            ..Self::default()
        };
        match &row.system {
            System::Ran(measured) => named.ran(measured),
            System::Ready { version } => {
                Self { status: "ready", detail: Some(format!("version {version}")), ..named }
            }
            System::Skipped { reason, hint } => {
                Self { status: "skipped", detail: Some(reason.clone()), hint: hint.clone(), ..named }
            }
            System::Failed { reason, hint } => {
                Self { status: "failed", detail: Some(reason.clone()), hint: hint.clone(), ..named }
            }
        }
    }

    fn ran(self, it: &Measured) -> Self {
        Self {
            status: "ran",
            ndcg_at10: it.ndcg,
            ndcg_at10_of_completed: it.ndcg_of_completed,
            completed: Some(it.completed),
            failed: Some(it.failed),
            hit_at3: it.hit_at_3.and_then(|figure| figure.count),
            mean_reciprocal_rank: it.mrr,
            answered: it.answered.count,
            false_positives: it.false_positives.and_then(|figure| figure.count),
            version: Some(it.version.clone()),
            program: it.program.clone(),
            model: it.model.clone(),
            identity: identity(it),
            stand_in: it.stand_in && self.floor_of.is_none(),
            unknown_paths: Some(it.unknown_paths),
            units: it.units,
            prepare_us: Some(it.prepare_us),
            cold_p50_us: it.cold.map(|cold| cold.p50_us),
            cold_p95_us: it.cold.map(|cold| cold.p95_us),
            warm_p50_us: it.warm.map(|warm| warm.p50_us),
            warm_p95_us: it.warm.map(|warm| warm.p95_us),
            passes: it.steady.map(|steady| steady.passes),
            steady: it.steady.map(|steady| steady.same),
            failed_later: Some(it.failed_later),
            unreachable: it.unreachable.clone(),
            wall_us: Some(it.wall_us),
            ..self
        }
    }
}

/// What stands in a column; a dash where there is nothing to say.
fn column(heading: &str, system: &System, cases: u64) -> String {
    let System::Ran(it) = system else { return "–".to_owned() };
    let completed = || {
        let mean = it.ndcg_of_completed.map_or_else(|| "–".to_owned(), printed);
        Some(format!("{mean} ({} of {cases} completed)", it.completed))
    };
    let text = match heading {
        "NDCG@10" => it.ndcg.map(printed),
        "of completed" => completed(),
        "hit@3" => it.hit_at_3.and_then(rate),
        "MRR" => it.mrr.map(printed),
        "coverage" => rate(it.answered),
        FALSE_POSITIVES => it.false_positives.and_then(rate),
        UNKNOWN_PATHS => Some(it.unknown_paths.to_string()),
        "steady" => it.steady.map(|steady| format!("{}/{} ({}×)", steady.same, steady.of, steady.passes)),
        "unreachable" => it.unreachable.as_ref().map(|targets| targets.len().to_string()),
        "units" => it.units.map(|units| units.to_string()),
        "index" => Some(duration(it.prepare_us)),
        "cold p50" => it.cold.map(|cold| duration(cold.p50_us)),
        "cold p95" => it.cold.map(|cold| duration(cold.p95_us)),
        "warm p50" => it.warm.map(|warm| duration(warm.p50_us)),
        "warm p95" => it.warm.map(|warm| duration(warm.p95_us)),
        "total" => Some(duration(it.wall_us)),
        _ => unreachable!("every column has its text"),
    };
    text.unwrap_or_else(|| "–".to_owned())
}

/// `7/12 (58.3 %)`.
fn rate(figure: crate::metric::Figure) -> Option<String> {
    let (value, count) = (figure.value?, figure.count?);
    Some(format!("{count}/{} ({:.1} %)", figure.of, value * 100.0))
}

/// `grepai version dev (sha256:984f139a52c1), model …`; an embedded system's version is a bare number and says nothing.
fn identity(it: &Measured) -> Option<String> {
    if it.program.is_none() && it.model.is_none() && it.version.parse::<u32>().is_ok() {
        return None;
    }
    let program = it.program.as_ref().map(|hash| format!(" (sha256:{hash})")).unwrap_or_default();
    let model = it.model.as_ref().map(|model| format!(", model {}", brief(model))).unwrap_or_default();
    Some(format!("{}{program}{model}", it.version))
}

/// A model with the first digits of its hash; all of them are in the JSON.
fn brief(model: &str) -> String {
    match model.split_once("sha256:") {
        Some((name, hash)) => format!("{name}sha256:{}", hash.chars().take(12).collect::<String>()),
        None => model.to_owned(),
    }
}

/// `0.42 ms`, `12.3 ms`, `1.24 s`, `2 min 5 s`.
#[expect(clippy::cast_precision_loss, reason = "for the eye")]
fn duration(us: u64) -> String {
    let ms = us as f64 / 1000.0;
    match us {
        0..1_000 => format!("{ms:.2} ms"),
        1_000..1_000_000 => format!("{ms:.1} ms"),
        1_000_000..100_000_000 => format!("{:.2} s", ms / 1000.0),
        _ => format!("{} min {} s", us / 60_000_000, us / 1_000_000 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_at_a_glance() {
        assert_eq!(
            [420, 12_345, 1_240_000, 125_000_000].map(duration),
            ["0.42 ms", "12.3 ms", "1.24 s", "2 min 5 s"]
        );
    }
}
