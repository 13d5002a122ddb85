//! Figures and segments on a terminal: what the gate judges by, what most readers ask for, and how much else there is.

use super::pair::{SHOWN, more};
use super::{Align, Grid, Page};
use crate::report::place;
use crate::report::view::{FigureView, NumberView, SegmentView};

/// Beside the gated figures those that most readers ask for, as far as they changed; the rest is counted.
pub(super) fn figures(page: &Page, figures: &[FigureView], out: &mut String) {
    let asked: Vec<_> = figures.iter().filter(|figure| figure.asked).collect();
    let compared = asked.iter().any(|figure| figure.trend.is_some());
    let matters = |figure: &FigureView| {
        let says_something =
            if compared { figure.notable } else { !figure.is_failure() || figure.is_above_zero() };
        figure.gated || (MAIN.contains(&figure.key) && says_something)
    };
    let (shown, rest): (Vec<&FigureView>, Vec<&FigureView>) =
        asked.iter().partition(|figure| matters(figure));
    if shown.is_empty() {
        return;
    }
    page.heading(out, "Figures");
    let mut grid = Grid::new(&[Align::Left, Align::Right, Align::Right, Align::Right, Align::Left]);
    for figure in &shown {
        grid.row(row(page, figure));
    }
    for (line, figure) in grid.lines().iter().zip(&shown) {
        page.line(out, &format!("{} {line}", if figure.gated { "*" } else { " " }));
    }
    let changed = rest.iter().filter(|figure| figure.notable).count();
    let others = match (rest.len(), changed) {
        (0, _) => String::new(),
        (rest, _) if !compared => format!("; {rest} more with --format markdown"),
        (rest, 0) => format!("; {rest} others did not change"),
        (rest, changed) => {
            format!("; {changed} others changed, {} did not (--format markdown)", rest - changed)
        }
    };
    page.line(out, &page.paint.dim(&format!("  * the gate judges by it{others}")));
}

/// What most readers ask for beside the gate.
const MAIN: [&str; 8] = [
    "hitAt1",
    "meanReciprocalRank",
    "ndcgAt10",
    "recallAt10",
    "zeroResultRate",
    "falsePositiveRate",
    "forbiddenHitAt3",
    "failedRate",
];

fn row(page: &Page, figure: &FigureView) -> Vec<(String, String)> {
    let text = |number: Option<&NumberView>| number.map(|number| number.text.clone()).unwrap_or_default();
    // A word for what the gate judges by; elsewhere the sign says it.
    let trend = figure.trend.filter(|_| figure.gated).unwrap_or_default();
    let change = figure.change.as_deref().unwrap_or_default();
    vec![
        Grid::plain(figure.name),
        Grid::plain(&text(figure.before.as_ref())),
        Grid::plain(&text(figure.after.as_ref())),
        (change.to_owned(), page.paint.trend(figure.trend, change)),
        (trend.to_owned(), page.paint.trend(figure.trend, trend)),
    ]
}

/// Without a baseline all of them; else those that changed, and how many did not.
pub(super) fn segments(page: &Page, segments: &[SegmentView], out: &mut String) {
    let compared = segments.iter().flat_map(|segment| &segment.figures).any(|figure| figure.trend.is_some());
    let shown: Vec<_> = segments.iter().filter(|segment| segment.changed || !compared).collect();
    let rest = segments.len() - shown.len();
    if shown.is_empty() {
        return;
    }
    page.heading(out, "Segments");
    let align = [Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Left];
    let mut grid = Grid::new(&align);
    for segment in shown.iter().take(SHOWN) {
        for figure in segment.figures.iter().filter(|figure| figure.gated) {
            let name = format!("{} {}", segment.by, segment.value);
            let mut cells = vec![Grid::plain(&place::terminal(&name, 24))];
            cells.extend(row(page, figure));
            grid.row(cells);
        }
    }
    for line in grid.lines() {
        page.line(out, &format!("  {line}"));
    }
    more(page, shown.len(), out);
    if rest > 0 {
        page.line(out, &page.paint.dim(&format!("  {rest} others did not change")));
    }
}
