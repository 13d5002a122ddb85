//! Speed against quality, a point for each system: as SVG, and in the language of Mermaid, which GitHub draws.
//!
//! The speed is the median latency, of queries that find the system running where there are any; its axis is
//! logarithmic, since systems differ by powers of ten. A system with a stand-in for its model is drawn hollow, and is no
//! point of the smaller chart, which cannot mark it.

use std::fmt::Write as _;

use super::view::{RowView, TableView};
use crate::report::place;

/// The frame inside of the picture, which is 760 wide and 460 high.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 730.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 390.0;

/// How near two labels may be before one moves.
const LINE: f64 = 14.0;

/// One system.
struct Point<'a> {
    name: &'a str,
    stand_in: bool,
    us: u64,
    ndcg: f64,
}

impl<'a> Point<'a> {
    fn of(row: &'a RowView) -> Option<Self> {
        let us = row.warm_p50_us.or(row.cold_p50_us)?;
        Some(Self { name: &row.retriever, stand_in: row.stand_in, us: us.max(1), ndcg: row.ndcg_at10? })
    }
}

/// The decades of the latency axis, as powers of ten of microseconds: the first and the last.
fn decades(points: &[Point<'_>]) -> Option<(u32, u32)> {
    let first = points.iter().map(|point| point.us.ilog10()).min()?;
    let last = points.iter().map(|point| point.us.ilog10() + 1).max()?;
    Some((first, last))
}

/// Where on the latency axis, 0 for its beginning and 1 for its end.
#[expect(clippy::cast_precision_loss, reason = "for the eye")]
fn along((first, last): (u32, u32), us: u64) -> f64 {
    (libm::log10(us as f64) - f64::from(first)) / f64::from(last - first)
}

/// How every chart begins, by which it is known wherever it lies.
pub const OPENING: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 460\" role=\"img\" \
aria-labelledby=\"title desc\">\n<title id=\"title\">NDCG@10 against speed, ";

/// The chart as SVG; without any point it says so.
pub(super) fn svg(view: &TableView) -> String {
    let points: Vec<_> = view.rows.iter().filter_map(Point::of).collect();
    let suite = place::html(&view.suite, 80);
    let mut svg = OPENING.to_owned();
    let summary = place::html(&view.summary, 400);
    let _ = write!(
        svg,
        "{suite}</title>\n<desc id=\"desc\">{summary}. The data is in the table beside.</desc>\n{STYLE}<text x=\"{LEFT}\" y=\"28\" class=\"head\">NDCG@10 against speed · {suite}, {} queries</text>\n",
        view.cases
    );
    for tenth in (0..=10).step_by(2) {
        let y = height(f64::from(tenth) / 10.0);
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{RIGHT}\" y2=\"{y:.1}\"/>\n<text x=\"{}\" y=\"{:.1}\" class=\"end\">{:.1}</text>\n",
            LEFT - 8.0,
            y + 4.0,
            f64::from(tenth) / 10.0
        );
    }
    if let Some((first, last)) = decades(&points) {
        for decade in first..=last {
            let x = LEFT + (RIGHT - LEFT) * f64::from(decade - first) / f64::from(last - first);
            let _ = write!(
                svg,
                "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{BOTTOM}\"/>\n<text x=\"{x:.1}\" y=\"{}\" class=\"middle\">{}</text>\n",
                BOTTOM + 18.0,
                decade_name(decade)
            );
        }
        draw(&mut svg, &points, (first, last));
    } else {
        let _ = writeln!(svg, "<text x=\"400\" y=\"220\" class=\"middle\">no system was measured</text>");
    }
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"{}\" class=\"middle\">median latency of a query, without the start of what stays running; slower to the right</text>\n<text x=\"{LEFT}\" y=\"{}\" class=\"note\">hollow: a stand-in for its model, no figure to compare</text>\n</svg>\n",
        f64::midpoint(LEFT, RIGHT),
        BOTTOM + 38.0,
        BOTTOM + 60.0
    );
    svg
}

const STYLE: &str = "<style>\ntext { font: 12px sans-serif; fill: #24292f }\nline { stroke: #d0d7de }\ncircle { fill: #0969da; stroke: #0969da; stroke-width: 2 }\ncircle.hollow { fill: none }\n.head { font-size: 15px; font-weight: 600 }\n.note { font-size: 11px; opacity: .8 }\n.middle { text-anchor: middle }\n.end { text-anchor: end }\n@media (prefers-color-scheme: dark) {\n  text { fill: #e6edf3 }\n  line { stroke: #30363d }\n  circle { fill: #4493f8; stroke: #4493f8 }\n}\n</style>\n";

fn height(value: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * value.clamp(0.0, 1.0)
}

/// `1 µs` … `10 s`.
fn decade_name(decade: u32) -> String {
    let (unit, below) =
        [("s", 6), ("ms", 3)].into_iter().find(|(_, below)| decade >= *below).unwrap_or(("µs", 0));
    format!("{} {unit}", 10_u64.pow(decade - below))
}

/// The points with their names, each beside its point and none on another.
fn draw(svg: &mut String, points: &[Point<'_>], decades: (u32, u32)) {
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for point in points {
        let x = LEFT + (RIGHT - LEFT) * along(decades, point.us);
        let y = height(point.ndcg);
        let is_near = |label: f64, taken: &[(f64, f64)]| {
            taken.iter().any(|(at, other)| (at - x).abs() < 120.0 && (other - label).abs() < LINE)
        };
        // Above the point, else further up and down in turn.
        let steps = (0..20).map(|step| if step % 2 == 0 { -f64::from(step) } else { f64::from(step) + 2.0 });
        let label = steps
            .map(|step| y - 8.0 + step * LINE / 2.0)
            .find(|label| !is_near(*label, &taken))
            .unwrap_or(y - 8.0);
        taken.push((x, label));
        let class = if point.stand_in { " class=\"hollow\"" } else { "" };
        let (anchor, shift) = if x > RIGHT - 90.0 { (" class=\"end\"", -7.0) } else { ("", 7.0) };
        let _ = write!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"{class}/>\n<text x=\"{:.1}\" y=\"{label:.1}\"{anchor}>{} {:.3}</text>\n",
            x + shift,
            place::html(point.name, 40),
            point.ndcg
        );
    }
}

/// The chart for Mermaid, by lines; none with fewer than two systems to compare.
pub(super) fn mermaid(rows: &[RowView]) -> Option<Vec<String>> {
    let points: Vec<_> = rows.iter().filter_map(Point::of).filter(|point| !point.stand_in).collect();
    let decades = decades(&points).filter(|_| points.len() > 1)?;
    // A point on the frame is cut in half.
    let inside = |value: f64| value.clamp(0.02, 0.98);
    let line = |point: &Point<'_>| {
        let x = inside(1.0 - along(decades, point.us));
        // The name is a configured one, [a-z0-9-]+; unquoted it may be a word of the language.
        format!("    \"{}\": [{x:.3}, {:.3}]", point.name, inside(point.ndcg))
    };
    // The language has no ticks, so the words say what the ends are.
    let [fastest, slowest] = [decades.0, decades.1].map(decade_name);
    let head = [
        "quadrantChart".to_owned(),
        format!("    x-axis \"slower (left end: {slowest})\" --> \"faster (right end: {fastest})\""),
        "    y-axis \"NDCG@10 (bottom: 0)\" --> \"better (top: 1)\"".to_owned(),
    ];
    Some(head.into_iter().chain(points.iter().map(line)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_hold_every_latency_and_have_names() {
        let point = |us| Point { name: "x", stand_in: false, us, ndcg: 0.5 };
        assert_eq!(decades(&[point(950), point(42_000)]), Some((2, 5)));
        assert_eq!(decades(&[point(1000)]), Some((3, 4)));
        assert_eq!(decades(&[]), None);
        assert_eq!([0, 2, 3, 5, 6, 7].map(decade_name), ["1 µs", "100 µs", "1 ms", "100 ms", "1 s", "10 s"]);
    }
}
