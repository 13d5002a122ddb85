//! The report on a terminal: the verdict, what was lost, what was won, what moved. Everything else is in the other
//! formats.

mod figures;
mod layout;
mod paint;
mod pair;

pub(super) use layout::{Align, Grid, wrap};
pub(super) use paint::Paint;

use super::view::{PairView, View};
use super::{Options, TemplateProblem, place};

/// The narrowest a report is laid out for.
const NARROWEST: usize = 40;

/// Lays the view out for the width and colours of the caller's terminal.
#[expect(clippy::unnecessary_wraps, reason = "every format has this signature")]
pub(super) fn render(view: &View, options: &Options) -> Result<String, TemplateProblem> {
    let page = Page { paint: Paint::new(options.colour), width: options.width.max(NARROWEST) };
    let word = view.pairs.first().map_or("", |pair| pair.word);
    let mut out = String::new();
    page.line(&mut out, &page.paint.verdict(word, &view.title));
    if view.pairs.len() > 1 {
        out.push('\n');
        summary(&page, view, &mut out);
    }
    for pair in &view.pairs {
        if view.pairs.len() == 1 || pair.word != "pass" {
            out.push('\n');
            pair::section(&page, pair, &mut out);
        }
    }
    Ok(out)
}

/// One row per pair.
fn summary(page: &Page, view: &View, out: &mut String) {
    let mut grid = Grid::new(&[Align::Left, Align::Left, Align::Left, Align::Right, Align::Right]);
    for pair in &view.pairs {
        let count = |count: Option<usize>, what: &str| count.map(|count| format!("{count} {what}"));
        grid.row(vec![
            (pair.word.to_owned(), page.paint.verdict(pair.word, pair.word)),
            Grid::plain(&page.name(pair)),
            Grid::plain(&pair.gate.iter().filter_map(gate).collect::<Vec<_>>().join(", ")),
            Grid::plain(&count(pair.counts.lost, "lost").unwrap_or_default()),
            Grid::plain(&count(pair.counts.won, "won").unwrap_or_default()),
        ]);
    }
    for line in grid.lines() {
        page.line(out, &line);
    }
}

/// `hit@3 51/60 → 47/60`.
fn gate(gate: &super::view::GateView) -> Option<String> {
    let after = gate.after.as_ref()?;
    let before = gate.before.as_ref().map(|before| format!("{} → ", before.short)).unwrap_or_default();
    Some(format!("{} {before}{}", gate.name, after.short))
}

/// What every line needs to know.
struct Page {
    paint: Paint,
    width: usize,
}

impl Page {
    /// Every line of the page passes here: wrapping may have put anything at its start.
    #[expect(clippy::unused_self, reason = "a line belongs to a page")]
    fn line(&self, out: &mut String, line: &str) {
        out.push_str(&place::guard(line.trim_end()));
        out.push('\n');
    }

    /// Text of any length in as many lines as it takes, `indent` columns in.
    fn wrapped(&self, out: &mut String, indent: usize, text: &str, style: impl Fn(&str) -> String) {
        let shown = place::terminal(text, 1000);
        for line in layout::wrap(&shown, self.width - indent) {
            self.line(out, &format!("{:indent$}{}", "", style(&line)));
        }
    }

    fn heading(&self, out: &mut String, title: &str) {
        out.push('\n');
        self.line(out, &self.paint.bold(title));
    }

    fn name(&self, pair: &PairView) -> String {
        let name = |text: &str| place::terminal(text, self.width / 3);
        format!("{} × {}", name(&pair.suite), name(&pair.retriever))
    }
}
