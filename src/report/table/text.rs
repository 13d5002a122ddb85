//! The table on a terminal. Where it is too wide, each system gets a paragraph.

use unicode_width::UnicodeWidthStr;

use super::view::{COST, RowView, TableView};
use crate::report::text::{Align, Grid, Paint};
use crate::report::{Options, place};

pub(super) fn render(view: &TableView, options: &Options) -> String {
    let paint = Paint::new(options.colour);
    let mut lines = if view.smoke { smoke(view, paint) } else { columns(view, paint) };
    if lines.iter().any(|line| line.width() > options.width) && !view.smoke {
        lines = paragraphs(view, paint);
    }
    separate(&mut lines);
    if !view.smoke {
        lines.extend(absent(view, paint));
        separate(&mut lines);
        lines.push(queries(view));
    }
    let best: Vec<_> = view.best.iter().map(|best| place::terminal(&best.retriever, 40)).collect();
    let best =
        view.best.first().map(|first| format!(". Best NDCG@10: {}, {}", best.join(" and "), first.ndcg));
    lines.push(format!("{}{}", place::terminal(&view.summary, 1000), best.unwrap_or_default()));
    lines.iter().map(|line| place::guard(line.trim_end()) + "\n").collect()
}

/// A blank line, if anything stands above.
fn separate(lines: &mut Vec<String>) {
    if lines.last().is_some_and(|line| !line.is_empty()) {
        lines.push(String::new());
    }
}

/// What was asked.
fn queries(view: &TableView) -> String {
    let suite = place::terminal(&view.suite, 80);
    let negative = match view.negative {
        0 => String::new(),
        count => format!(", {count} with nothing to find"),
    };
    format!("{}: {} queries with targets{negative}, {} hits of each", suite, view.cases, view.top_k)
}

/// `ran`, or why not.
fn status(row: &RowView, paint: Paint) -> (String, String) {
    let detail =
        row.detail.as_ref().map(|detail| format!(": {}", place::terminal(detail, 200))).unwrap_or_default();
    let failed = row.failed.filter(|count| *count > 0);
    let failed_of = failed.map(|count| format!(", {count} failed")).unwrap_or_default();
    let stand_in = if row.stand_in { " with a stand-in for its model" } else { "" };
    let later = row.failed_later.filter(|count| *count > 0);
    let later = later.map(|count| format!(", {count} failed when asked again")).unwrap_or_default();
    let plain = format!("{}{stand_in}{failed_of}{later}{detail}", row.status);
    let painted = match row.status {
        _ if failed.is_some() || row.stand_in => paint.warning(&plain),
        "ran" | "ready" => paint.good(&plain),
        "failed" => paint.bad(&plain),
        _ => paint.dim(&plain),
    };
    (plain, painted)
}

fn name(row: &RowView) -> String {
    place::terminal(&row.retriever, 24)
}

fn columns(view: &TableView, paint: Paint) -> Vec<String> {
    let ran = view.ran();
    if ran.is_empty() {
        return Vec::new();
    }
    let figures = vec![Align::Right; view.headings.len()];
    let mut grid = Grid::new(&[&[Align::Left][..], &figures, &[Align::Left]].concat());
    let heading = std::iter::once("system").chain(view.headings.iter().copied()).chain(["status"]);
    grid.row(heading.map(|name| (name.to_owned(), paint.bold(name))).collect());
    for row in ran {
        let mut cells = vec![Grid::plain(&name(row))];
        cells.extend(row.columns.iter().map(|text| Grid::plain(text)));
        cells.push(status(row, paint));
        grid.row(cells);
    }
    grid.lines()
}

fn smoke(view: &TableView, paint: Paint) -> Vec<String> {
    let mut grid = Grid::new(&[Align::Left, Align::Left]);
    for row in &view.rows {
        grid.row(vec![Grid::plain(&name(row)), status(row, paint)]);
        grid.row(vec![Grid::plain(""), next(row, paint)]);
    }
    without_blanks(&grid)
}

/// Those without figures: why, and the next step.
fn absent(view: &TableView, paint: Paint) -> Vec<String> {
    let mut grid = Grid::new(&[Align::Left, Align::Left]);
    for row in view.absent() {
        grid.row(vec![Grid::plain(&name(row)), status(row, paint)]);
        grid.row(vec![Grid::plain(""), next(row, paint)]);
    }
    without_blanks(&grid)
}

/// The next step, whole: it is there to be copied.
fn next(row: &RowView, paint: Paint) -> (String, String) {
    let hint = row.hint.as_deref().map(|hint| place::terminal(hint, 400));
    hint.map(|hint| format!("next: {hint}")).map_or_else(
        || Grid::plain(""),
        |text| {
            let painted = paint.dim(&text);
            (text, painted)
        },
    )
}

fn without_blanks(grid: &Grid) -> Vec<String> {
    grid.lines().into_iter().filter(|line| !line.trim().is_empty()).collect()
}

fn paragraphs(view: &TableView, paint: Paint) -> Vec<String> {
    let mut lines = Vec::new();
    for row in view.ran() {
        separate(&mut lines);
        lines.push(format!("{}  {}", paint.bold(&name(row)), status(row, paint).1));
        let mut grid = Grid::new(&[Align::Left, Align::Left, Align::Left, Align::Left]);
        // Quality on the left, cost on the right.
        let half = view.headings.len() - COST;
        let cell = |at: usize| match (view.headings.get(at), row.columns.get(at)) {
            (Some(heading), Some(text)) => [Grid::plain(heading), Grid::plain(text)],
            _ => [Grid::plain(""), Grid::plain("")],
        };
        (0..half).for_each(|at| grid.row([cell(at), cell(half + at)].concat()));
        lines.extend(grid.lines().into_iter().map(|line| format!("  {line}")));
        let identity = row.identity.as_deref().map(|identity| place::terminal(identity, 200));
        lines.extend(identity.map(|line| format!("  {}", paint.dim(&line))));
    }
    lines
}
