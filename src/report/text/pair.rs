//! One pair on a terminal.

use unicode_width::UnicodeWidthStr as _;

use super::figures;
use super::layout::wrap;
use super::{Align, Grid, Page};
use crate::report::place;
use crate::report::view::{CaseView, IdentityView, PairView, TopView};

/// Cases listed in full; more are counted.
pub(super) const SHOWN: usize = 50;

pub(super) fn section(page: &Page, pair: &PairView, out: &mut String) {
    let verdict = page.paint.verdict(pair.word, pair.word);
    page.line(out, &format!("{verdict}  {}", page.paint.bold(&page.name(pair))));
    reasons(page, pair, out);
    cases(page, "Lost", &pair.lost, out);
    cases(page, "Won", &pair.won, out);
    moved(page, pair, out);
    if pair.approval.is_none() {
        missed(page, pair, out);
    }
    changed_cases(page, pair, out);
    figures::figures(page, &pair.figures, out);
    figures::segments(page, &pair.segments, out);
    notices(page, pair, out);
    commands(page, pair, out);
}

fn reasons(page: &Page, pair: &PairView, out: &mut String) {
    for gate in pair.gate.iter().filter(|gate| gate.after.is_some()) {
        let before = gate.before.as_ref().map(|before| format!("{} → ", before.text)).unwrap_or_default();
        let after = gate.after.as_ref().map_or("", |after| &after.text);
        let change = gate.change.as_ref().map(|change| format!("  {change}")).unwrap_or_default();
        page.line(out, &format!("  {}  {before}{}{change}", gate.name, page.paint.bold(after)));
    }
    // A first run is a headline, and nobody needs to read it again.
    if pair.word != "no-baseline" || pair.exit != 0 {
        for reason in pair.reasons.iter().take(SHOWN) {
            page.wrapped(out, 2, reason, str::to_owned);
        }
        more(page, pair.reasons.len(), out);
    }
    if let Some(problem) = &pair.problem {
        page.wrapped(out, 2, &problem.message, str::to_owned);
        if let Some(hint) = &problem.hint {
            page.wrapped(out, 2, hint, |line| page.paint.dim(line));
        }
    }
}

pub(super) fn more(page: &Page, len: usize, out: &mut String) {
    if len > SHOWN {
        page.line(out, &page.paint.dim(&format!("  {} more; --format json lists all", len - SHOWN)));
    }
}

/// Lost and won cases: id, ranks and query on one line, what was expected and what stands there now below.
fn cases(page: &Page, title: &str, cases: &[CaseView], out: &mut String) {
    if cases.is_empty() {
        return;
    }
    page.heading(out, &format!("{title} ({})", cases.len()));
    let shown = &cases[..cases.len().min(SHOWN)];
    let mut grid = Grid::new(&[Align::Left, Align::Left, Align::Left]);
    let lost = title == "Lost";
    let ids: Vec<_> = shown.iter().map(Id::of).collect();
    let ranks: Vec<_> = shown.iter().map(ranks).collect();
    let widest = |texts: &[String]| texts.iter().map(|text| text.width()).max();
    let column: Vec<_> = ids.iter().map(|id| id.in_column().to_owned()).collect();
    let indent = 2 + widest(&column).unwrap_or(0) + 2 + widest(&ranks).unwrap_or(0) + 2;
    let room = page.width.saturating_sub(indent).max(20);
    for ((case, id), rank) in shown.iter().zip(&column).zip(&ranks) {
        let query = place::terminal(case.query.as_deref().unwrap_or(""), room);
        let rank = (rank.clone(), if lost { page.paint.bad(rank) } else { page.paint.good(rank) });
        grid.row(vec![Grid::plain(id), rank, Grid::plain(&query)]);
    }
    for ((line, case), id) in grid.lines().iter().zip(shown).zip(&ids) {
        id.above(page, out);
        page.line(out, &format!("  {line}"));
        if lost {
            let label = |word: &str, text: &str| {
                let text = place::terminal(text, room.saturating_sub(10).max(10));
                format!("{:indent$}{}", "", page.paint.dim(&format!("{word:<10}{text}")))
            };
            let gone = if case.gone.is_empty() { "" } else { " (not in the tree)" };
            page.line(out, &label("expected", &format!("{}{gone}", case.expected.join(", "))));
            let mark = |how: &str| format!(" ({how} here)");
            let named = |hit: &TopView| format!("{}{}", hit.label, hit.touched.map(mark).unwrap_or_default());
            let top: Vec<_> = case.top.iter().map(named).collect();
            let first = top.first().map_or("nothing", String::as_str);
            page.line(out, &label("now", first));
            for next in top.iter().skip(1) {
                page.line(out, &label("", next));
            }
        }
    }
    more(page, cases.len(), out);
}

fn moved(page: &Page, pair: &PairView, out: &mut String) {
    if let (Some(moved @ 1..), Some(comparable)) = (pair.counts.moved, pair.counts.comparable) {
        let line =
            format!("{moved} more of {comparable} comparable cases changed rank without being lost or won");
        out.push('\n');
        page.wrapped(out, 2, &line, |line| page.paint.dim(line));
    }
}

fn ranks(case: &CaseView) -> String {
    let before = case.before.as_ref().map_or("", |before| &before.text);
    format!("{before} → {}", case.after.as_ref().map_or("gone", |after| &after.text))
}

/// A case's id, whole: it is there to be pasted.
struct Id(String);

impl Id {
    /// The widest that shares a line with what is said of the case.
    const COLUMN: usize = 24;

    fn of(case: &CaseView) -> Self {
        Self(place::terminal(&case.id, 1000))
    }

    fn in_column(&self) -> &str {
        if self.0.width() > Self::COLUMN { "" } else { &self.0 }
    }

    /// On a line of its own, if it is too long for the column.
    fn above(&self, page: &Page, out: &mut String) {
        if self.in_column().is_empty() {
            page.line(out, &format!("  {}", self.0));
        }
    }
}

/// Without a baseline: what is not found, with what was expected.
fn missed(page: &Page, pair: &PairView, out: &mut String) {
    if pair.missed.is_empty() {
        return;
    }
    page.heading(out, &format!("Outside the top 3 ({})", pair.missed.len()));
    let shown = &pair.missed[..pair.missed.len().min(SHOWN)];
    let ids: Vec<_> = shown.iter().map(Id::of).collect();
    let mut grid = Grid::new(&[Align::Left, Align::Left, Align::Left]);
    for (case, id) in shown.iter().zip(&ids) {
        let rank = case.after.as_ref().map_or("", |after| &after.text);
        let gone = if case.gone.is_empty() { "" } else { " (not in the tree)" };
        let expected = format!("{}{gone}", case.expected.join(", "));
        grid.row(vec![
            Grid::plain(id.in_column()),
            (rank.to_owned(), page.paint.bad(rank)),
            Grid::plain(&place::terminal(&expected, page.width.saturating_sub(40).max(20))),
        ]);
    }
    for (line, id) in grid.lines().iter().zip(&ids) {
        id.above(page, out);
        page.line(out, &format!("  {line}"));
    }
    more(page, pair.missed.len(), out);
}

/// Edited, added and removed cases: their ids.
fn changed_cases(page: &Page, pair: &PairView, out: &mut String) {
    let lists = [("Edited", &pair.edited), ("Added", &pair.added), ("Removed", &pair.removed)];
    for (title, cases) in lists.into_iter().filter(|(_, cases)| !cases.is_empty()) {
        page.heading(out, &format!("{title} ({})", cases.len()));
        let ids: Vec<_> = cases.iter().take(SHOWN).map(|case| Id::of(case).0).collect();
        // An id that holds a blank would be torn where lines break.
        let lines = if ids.iter().any(|id| id.contains(' ') || id.width() > page.width / 2) {
            ids
        } else {
            wrap(&ids.join(", "), page.width - 2)
        };
        for line in lines {
            page.line(out, &format!("  {line}"));
        }
        more(page, cases.len(), out);
    }
}

fn notices(page: &Page, pair: &PairView, out: &mut String) {
    if !pair.notices.is_empty() {
        page.heading(out, "Notices");
        for notice in &pair.notices {
            page.wrapped(out, 2, notice, str::to_owned);
        }
    }
    if !pair.evidence.is_empty() {
        out.push('\n');
        for line in &pair.evidence {
            page.wrapped(out, 2, line, |line| page.paint.dim(line));
        }
    }
}

fn commands(page: &Page, pair: &PairView, out: &mut String) {
    if let Some(advice) = &pair.advice {
        out.push('\n');
        page.wrapped(out, 0, advice, str::to_owned);
    }
    let label = |word: &str, text: &str| format!("  {} {text}", page.paint.dim(&format!("{word:<9}")));
    let commands = &pair.commands;
    let known = [("why", &commands.explain), ("targets", &commands.lint), ("approve", &commands.approve)];
    for (word, command) in known {
        if let Some(command) = command {
            page.line(out, &label(word, command));
        }
    }
    let measured: Vec<_> = ["suiteHash", "corpusHash", "retrieverVersion", "resultHash"]
        .into_iter()
        .filter_map(|key| pair.identity.iter().find(|row| row.key == key))
        .filter_map(short)
        .collect();
    if !measured.is_empty() {
        out.push('\n');
        page.wrapped(out, 0, &measured.join(", "), |line| page.paint.dim(line));
    }
}

/// `suite hash c1cd17e1e2cb`.
fn short(row: &IdentityView) -> Option<String> {
    let value = row.after.as_ref()?;
    Some(format!("{} {}", row.name, place::shorten(value, 13).trim_end_matches('…')))
}
