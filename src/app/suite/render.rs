//! What the suite commands say.

use jiff::civil::Date;
use serde::Serialize;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use crate::report::{Rendered, place};
use crate::suite::lint::{Finding, Severity, count};
use crate::suite::stats::{Power, Spread, Stats};
use crate::suite::{Case, CaseKind, Suite};

/// Findings of one severity that are shown to people; programs get them all.
const SHOWN: usize = 100;

/// A line per finding, errors first, and a summary.
pub(super) fn findings(suite: &Suite, findings: &[Finding]) -> Rendered {
    let mut lines: Vec<String> = Vec::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let these: Vec<_> = findings.iter().filter(|finding| finding.severity == severity).collect();
        lines.extend(these.iter().take(SHOWN).map(ToString::to_string));
        if these.len() > SHOWN {
            let more = these.len() - SHOWN;
            lines.push(format!("… and {more} more like these (--format json lists all)"));
        }
    }
    let counts = count(findings);
    let number = |severity, one: &str, many: &str| {
        let count = counts.get(&severity).copied().unwrap_or(0);
        format!("{count} {}", if count == 1 { one } else { many })
    };
    lines.push(format!(
        "{}: {} cases, {}, {}, {}",
        suite.name,
        suite.cases.len(),
        number(Severity::Error, "error", "errors"),
        number(Severity::Warning, "warning", "warnings"),
        number(Severity::Note, "note", "notes"),
    ));
    Rendered::lines(lines)
}

/// All findings.
pub(super) fn findings_json(suite: &Suite, findings: &[Finding]) -> Rendered {
    json(&json!({
        "suite": suite.name,
        "hash": suite.hash.to_string(),
        "cases": suite.cases.len(),
        "findings": findings,
    }))
}

/// A line per case: id, query and targets, each whole, so that it can be pasted.
pub(super) fn cases(suite: &Suite, today: Date) -> Rendered {
    let show = |text: &str| place::terminal(text, usize::MAX);
    let rows: Vec<[String; 3]> = suite
        .cases
        .iter()
        .map(|case| [show(&case.id.0), show(&case.input), show(&facts(case, today))])
        .collect();
    // A column as wide as its longest entry would push the others out of sight.
    let width =
        |at: usize| rows.iter().map(|row| row[at].width()).filter(|width| *width <= 40).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    let pad = |text: &str, width: usize| format!("{text}{:1$}", "", width.saturating_sub(text.width()));
    let lines =
        rows.iter().map(|[id, input, facts]| format!("{}  {}  {facts}", pad(id, first), pad(input, second)));
    Rendered::lines(lines)
}

/// `docs/a.md, docs/b.md; critical`
fn facts(case: &Case, today: Date) -> String {
    let mut facts = vec![match case.qrels.kind() {
        CaseKind::Scored => {
            case.qrels.targets().iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        CaseKind::Negative => "(no result)".to_owned(),
        CaseKind::Unscored => "(not scored)".to_owned(),
    }];
    if case.critical {
        facts.push("critical".to_owned());
    }
    if let Some(held) = case.quarantined.as_ref().filter(|held| held.holds(today)) {
        facts.push(format!("quarantined until {}", held.until));
    }
    facts.join("; ")
}

/// Any value as JSON for people and programs.
pub(super) fn json(value: &impl Serialize) -> Rendered {
    let value: Value = serde_json::to_value(value).expect("our own types serialise");
    Rendered::json(&crate::canon::pretty(&value))
}

/// Counts, segments and power.
pub(super) fn stats(stats: &Stats) -> Rendered {
    let counts = [
        (stats.scored, "scored"),
        (stats.negative, "negative"),
        (stats.unscored, "unscored"),
        (stats.quarantined, "quarantined"),
        (stats.critical, "critical"),
        (stats.graded, "graded"),
        (stats.forbidding, "with forbidden targets"),
    ];
    let counts = counts.iter().filter(|(count, what)| *count > 0 || *what == "scored");
    let counts: Vec<_> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    let Spread { least, median, most } = stats.targets;
    let mut rows = vec![
        ("hash", stats.hash.clone()),
        ("cases", format!("{}: {}", stats.cases, counts.join(", "))),
        (
            "targets",
            format!(
                "{least} to {most} a case, {median} in the middle, {} different ones",
                stats.distinct_targets
            ),
        ),
    ];
    for (key, counts) in &stats.segments {
        let part = |(value, count): (&String, &usize)| {
            format!("{} {count}", if value.is_empty() { "(none)" } else { value })
        };
        rows.push((key, counts.iter().map(part).collect::<Vec<_>>().join(", ")));
    }
    rows.push(("reveals", power(&stats.power)));
    let width = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or_default();
    let rows = rows.iter().map(|(label, text)| format!("  {label:<width$}  {text}"));
    Rendered::lines(std::iter::once(stats.name.clone()).chain(rows))
}

fn power(power: &Power) -> String {
    let Some(drop) = power.drop_without_wins else {
        return format!("nothing: {} scored cases are too few for any drop to stand out", power.cases);
    };
    let some = match power.drop_with_some_wins {
        Some(drop) => format!("{:.1} points", drop * 100.0),
        None => "nothing".to_owned(),
    };
    format!(
        "a drop of {:.1} points or more with 80 % power ({some} if 2 % of the cases are won by chance); five points \
         would take {} scored cases",
        drop * 100.0,
        power.cases_for_five_points
    )
}
