//! The table on a terminal. Where it is too wide, each system gets a paragraph.

use unicode_width::UnicodeWidthStr;

use super::view::{COLUMNS, RowView, TableView};
use crate::report::text::{Align, Grid, Paint};
use crate::report::{Options, place};

pub(super) fn render(view: &TableView, options: &Options) -> String {
    let paint = Paint::new(options.colour);
    let mut lines = if view.smoke { smoke(view, paint) } else { columns(view, paint) };
    if lines.iter().any(|line| line.width() > options.width) && !view.smoke {
        lines = paragraphs(view, paint);
    }
    let best: Vec<_> = view.best.iter().map(|best| place::terminal(&best.retriever, 40)).collect();
    let best =
        view.best.first().map(|first| format!(". Best NDCG@10: {}, {}", best.join(" and "), first.ndcg));
    lines.push(String::new());
    lines.push(format!("{}{}", place::terminal(&view.summary, 1000), best.unwrap_or_default()));
    lines.iter().map(|line| place::guard(line.trim_end()) + "\n").collect()
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

fn columns(view: &TableView, paint: Paint) -> Vec<String> {
    let align = [&[Align::Left][..], &[Align::Right; COLUMNS.len()], &[Align::Left]].concat();
    let mut grid = Grid::new(&align);
    let heading = std::iter::once("system").chain(COLUMNS).chain(["status"]);
    grid.row(heading.map(|name| (name.to_owned(), paint.bold(name))).collect());
    for row in &view.rows {
        let mut cells = vec![Grid::plain(&place::terminal(&row.retriever, 24))];
        cells.extend(row.columns.iter().map(|text| Grid::plain(text)));
        cells.push(status(row, paint));
        grid.row(cells);
    }
    grid.lines()
}

fn smoke(view: &TableView, paint: Paint) -> Vec<String> {
    let mut grid = Grid::new(&[Align::Left, Align::Left, Align::Left]);
    for row in &view.rows {
        let hint = row.hint.as_deref().unwrap_or_default();
        let name = Grid::plain(&place::terminal(&row.retriever, 24));
        grid.row(vec![name, status(row, paint), Grid::plain(&place::terminal(hint, 60))]);
    }
    grid.lines()
}

fn paragraphs(view: &TableView, paint: Paint) -> Vec<String> {
    let mut lines = Vec::new();
    for row in &view.rows {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(format!("{}  {}", paint.bold(&place::terminal(&row.retriever, 24)), status(row, paint).1));
        if row.status != "ran" {
            continue;
        }
        let mut grid = Grid::new(&[Align::Left, Align::Left, Align::Left, Align::Left]);
        // Quality on the left, cost on the right.
        let half = COLUMNS.len() / 2;
        for (quality, cost) in (0..half).zip(half..) {
            grid.row(
                [quality, cost].map(|at| [Grid::plain(COLUMNS[at]), Grid::plain(&row.columns[at])]).concat(),
            );
        }
        lines.extend(grid.lines().into_iter().map(|line| format!("  {line}")));
        let identity = row.identity.as_deref().map(|identity| place::terminal(identity, 200));
        lines.extend(identity.map(|line| format!("  {}", paint.dim(&line))));
    }
    lines
}
