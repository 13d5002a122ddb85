//! The table on a terminal. Where it is too wide, each system gets a paragraph. What is a sentence is wrapped and never cut.

use unicode_width::UnicodeWidthStr;

use super::view::{COST, RowView, TableView};
use crate::report::text::{Align, Grid, Paint, wrap};
use crate::report::{Options, place};

/// The narrowest a table is laid out for.
const NARROWEST: usize = 40;

/// What is shown of a sentence: more than any has, so that it is never cut.
const WHOLE: usize = 10_000;

pub(super) fn render(view: &TableView, options: &Options) -> String {
    let paint = Paint::new(options.colour);
    let width = options.width.max(NARROWEST);
    let mut lines = if view.smoke { Vec::new() } else { columns(view, paint) };
    if lines.iter().any(|line| line.width() > width) {
        lines = paragraphs(view, paint, width);
    }
    separate(&mut lines);
    // A look has no figures: all of them stand there.
    let listed = if view.smoke { view.rows.iter().collect() } else { view.absent() };
    lines.extend(list(&listed, paint, width));
    separate(&mut lines);
    if !view.smoke {
        lines.extend(wrap(&queries(view), width));
        lines.extend(floors(view).iter().flat_map(|line| wrap(line, width)));
    }
    lines.extend(wrap(&summary(view), width));
    lines.iter().map(|line| place::guard(line.trim_end()) + "\n").collect()
}

/// Who is here, and the best.
fn summary(view: &TableView) -> String {
    let best: Vec<_> = view.best.iter().map(|best| place::terminal(&best.retriever, 40)).collect();
    let best =
        view.best.first().map(|first| format!(". Best NDCG@10: {}, {}", best.join(" and "), first.ndcg));
    format!("{}{}", place::terminal(&view.summary, WHOLE), best.unwrap_or_default())
}

/// What floors are, and who has none.
fn floors(view: &TableView) -> Vec<String> {
    let mut lines = Vec::new();
    if view.rows.iter().any(|row| row.floor_of.is_some()) {
        lines.push("floor: the same system with random vectors in the place of its model's".to_owned());
    }
    if !view.without_floor.is_empty() {
        let names: Vec<_> = view.without_floor.iter().map(|name| place::terminal(name, 40)).collect();
        let names = names.join(", ");
        lines.push(format!(
            "without a floor: {names}; a command or mcp with a model gets one by `floor` in its [[retriever]]"
        ));
    }
    lines
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
fn status(row: &RowView) -> String {
    let kind = match &row.floor_of {
        Some(system) => format!(" as the floor of {}", place::terminal(system, 24)),
        None if row.stand_in => " with a stand-in for its model".to_owned(),
        None => String::new(),
    };
    let some = |count: Option<u64>| count.filter(|count| *count > 0);
    let failed = some(row.failed).map(|count| format!(", {count} failed")).unwrap_or_default();
    let later = some(row.failed_later).map(|count| format!(", {count} failed when asked again"));
    let detail = row.detail.as_ref().map(|detail| format!(": {}", place::terminal(detail, WHOLE)));
    format!("{}{kind}{failed}{}{}", row.status, later.unwrap_or_default(), detail.unwrap_or_default())
}

/// Words of the status in its colour.
fn painted(text: &str, row: &RowView, paint: Paint) -> String {
    let is_marked = row.failed.is_some_and(|count| count > 0) || row.stand_in || row.floor_of.is_some();
    match row.status {
        "ran" if is_marked => paint.warning(text),
        "ran" | "ready" => paint.good(text),
        "failed" => paint.bad(text),
        _ => paint.dim(text),
    }
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
        let status = status(row);
        cells.push((status.clone(), painted(&status, row, paint)));
        grid.row(cells);
    }
    grid.lines()
}

/// Those without figures: how it is with each, and the next step.
fn list(rows: &[&RowView], paint: Paint, width: usize) -> Vec<String> {
    let indent = rows.iter().map(|row| name(row).width() + 2).max().unwrap_or(0);
    let mut lines = Vec::new();
    for row in rows {
        let next = row.hint.as_ref().map(|hint| format!("next: {}", place::terminal(hint, WHOLE)));
        let next = next.iter().flat_map(|next| wrap(next, width - indent)).map(|line| paint.dim(&line));
        let status = wrap(&status(row), width - indent).into_iter().map(|line| painted(&line, row, paint));
        for (at, line) in status.chain(next).enumerate() {
            let name = if at == 0 { name(row) } else { String::new() };
            lines.push(format!("{name}{:1$}{line}", "", indent - name.width()));
        }
    }
    lines
}

fn paragraphs(view: &TableView, paint: Paint, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for row in view.ran() {
        separate(&mut lines);
        lines.push(format!("{}  {}", paint.bold(&name(row)), painted(&status(row), row, paint)));
        let mut grid = Grid::new(&[Align::Left, Align::Left, Align::Left, Align::Left]);
        // Quality on the left, cost on the right.
        let half = view.headings.len() - COST;
        let cell = |at: usize| match (view.headings.get(at), row.columns.get(at)) {
            (Some(heading), Some(text)) => [Grid::plain(heading), Grid::plain(text)],
            _ => [Grid::plain(""), Grid::plain("")],
        };
        (0..half).for_each(|at| grid.row([cell(at), cell(half + at)].concat()));
        lines.extend(grid.lines().into_iter().map(|line| format!("  {line}")));
        let identity = row.identity.iter().flat_map(|it| wrap(&place::terminal(it, WHOLE), width - 2));
        lines.extend(identity.map(|line| format!("  {}", paint.dim(&line))));
    }
    lines
}
