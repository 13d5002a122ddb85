//! Speed against quality, a point for each system: as SVG, and in the language of Mermaid, which GitHub draws. Up and to
//! the right is best in both.
//!
//! The speed is the median latency, of queries that find the system running where there are any; its axis is
//! logarithmic, since systems differ by powers of ten. A system with a stand-in for its model is drawn hollow and a floor
//! as a cross; neither is a point of the smaller chart, which cannot mark them.

use std::fmt::Write as _;

use super::labels::{self, Area, Label};
use super::view::{RowView, TableView};
use crate::report::place;

/// The frame inside of the picture, which is 760 wide and 460 high.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 730.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 390.0;

/// Where names may stand: below the head, above the words of the latency axis, beside those of the other one, and a little
/// way out on the right, where nothing else is.
const NAMES: Area = Area { left: LEFT + 2.0, top: TOP - 16.0, right: RIGHT + 20.0, bottom: BOTTOM - 1.0 };

/// The longest name that is shown whole.
const NAME: usize = 40;

/// One system.
struct Point<'a> {
    name: &'a str,
    mark: Mark,
    us: u64,
    ndcg: f64,
}

/// What a point is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// Filled: figures to compare.
    System,
    /// Hollow.
    StandIn,
    /// A cross.
    Floor,
}

impl Mark {
    /// What a mark means that is not a system's own.
    const LEGEND: [(Self, &'static str); 2] = [
        (Self::StandIn, "a stand-in for its model: no figure to compare"),
        (Self::Floor, "a floor: random vectors for a model"),
    ];

    fn drawn(self, x: f64, y: f64) -> String {
        let hollow = match self {
            Self::System => "",
            Self::StandIn => " class=\"hollow\"",
            Self::Floor => {
                return format!("<path d=\"M{:.1} {:.1}l8 8m0 -8l-8 8\"/>", x - 4.0, y - 4.0);
            }
        };
        format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"{hollow}/>")
    }
}

impl<'a> Point<'a> {
    fn of(row: &'a RowView) -> Option<Self> {
        let us = row.warm_p50_us.or(row.cold_p50_us)?;
        let mark = match row {
            row if row.floor_of.is_some() => Mark::Floor,
            row if row.stand_in => Mark::StandIn,
            _ => Mark::System,
        };
        Some(Self { name: &row.retriever, mark, us: us.max(1), ndcg: row.ndcg_at10? })
    }

    /// Its name and figure.
    fn label(&self) -> String {
        let name: String = self.name.chars().take(NAME + 1).collect();
        format!("{name} {:.3}", self.ndcg)
    }
}

/// The decades of the latency axis, as powers of ten of microseconds: the first and the last.
fn decades(points: &[Point<'_>]) -> Option<(u32, u32)> {
    let first = points.iter().map(|point| point.us.ilog10()).min()?;
    let last = points.iter().map(|point| point.us.ilog10() + 1).max()?;
    Some((first, last))
}

/// Where on the axis of speed, 0 for the slowest and 1 for the fastest end.
#[expect(clippy::cast_precision_loss, reason = "for the eye")]
fn along((first, last): (u32, u32), us: u64) -> f64 {
    (f64::from(last) - libm::log10(us as f64)) / f64::from(last - first)
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
            let x = LEFT + (RIGHT - LEFT) * f64::from(last - decade) / f64::from(last - first);
            let _ = write!(
                svg,
                "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{BOTTOM}\"/>\n<text x=\"{x:.1}\" y=\"{}\" class=\"middle\">{}</text>\n",
                BOTTOM + 18.0,
                decade_name(decade)
            );
        }
    } else {
        let _ = writeln!(svg, "<text x=\"400\" y=\"220\" class=\"middle\">no system was measured</text>");
    }
    let nameless = decades(&points).map_or(0, |decades| draw(&mut svg, &points, decades));
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" class=\"middle\">median latency of a query, without the start of what stays running; faster to the right, up is better</text>",
        f64::midpoint(LEFT, RIGHT),
        BOTTOM + 38.0,
    );
    legend(&mut svg, &points, nameless);
    svg.push_str("</svg>\n");
    svg
}

/// What the marks in the picture mean, and how many points stand there without a name.
fn legend(svg: &mut String, points: &[Point<'_>], nameless: usize) {
    let mut x = LEFT;
    let y = BOTTOM + 60.0;
    let mut note = |mark: Option<Mark>, text: &str| {
        let mark = mark.map(|mark| mark.drawn(x + 5.0, y - 4.0)).unwrap_or_default();
        let _ = writeln!(svg, "{mark}<text x=\"{:.1}\" y=\"{y}\" class=\"note\">{text}</text>", x + 15.0);
        x += 30.0 + labels::width(text);
    };
    for (mark, text) in Mark::LEGEND {
        if points.iter().any(|point| point.mark == mark) {
            note(Some(mark), text);
        }
    }
    if nameless > 0 {
        note(None, &format!("no room for {nameless} of {} names", points.len()));
    }
}

const STYLE: &str = "<style>\ntext { font: 12px sans-serif; fill: #24292f }\nline { stroke: #d0d7de }\nline.lead { stroke: #8c959f }\ncircle, path { fill: #0969da; stroke: #0969da; stroke-width: 2 }\ncircle.hollow { fill: none }\n.head { font-size: 15px; font-weight: 600 }\n.note { font-size: 11px; opacity: .8 }\n.middle { text-anchor: middle }\n.end { text-anchor: end }\n@media (prefers-color-scheme: dark) {\n  text { fill: #e6edf3 }\n  line { stroke: #30363d }\n  line.lead { stroke: #6e7681 }\n  circle, path { fill: #4493f8; stroke: #4493f8 }\n}\n</style>\n";

fn height(value: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * value.clamp(0.0, 1.0)
}

/// `1 µs` … `10 s`.
fn decade_name(decade: u32) -> String {
    let (unit, below) =
        [("s", 6), ("ms", 3)].into_iter().find(|(_, below)| decade >= *below).unwrap_or(("µs", 0));
    format!("{} {unit}", 10_u64.pow(decade - below))
}

/// Where each point stands, and its name.
fn labelled(points: &[Point<'_>], decades: (u32, u32)) -> Vec<(labels::Spot, Option<Label>)> {
    let spot = |point: &Point<'_>| (LEFT + (RIGHT - LEFT) * along(decades, point.us), height(point.ndcg));
    let sized: Vec<_> = points.iter().map(|point| (spot(point), labels::width(&point.label()))).collect();
    let placed = labels::place(&sized, &NAMES);
    sized.into_iter().map(|(spot, _)| spot).zip(placed).collect()
}

/// The points with their names. How many have none, for want of room.
fn draw(svg: &mut String, points: &[Point<'_>], decades: (u32, u32)) -> usize {
    let labelled = labelled(points, decades);
    for (from, to) in labelled.iter().filter_map(|(_, label)| label.as_ref()?.lead) {
        let _ = writeln!(
            svg,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" class=\"lead\"/>",
            from.0, from.1, to.0, to.1
        );
    }
    for (point, ((x, y), label)) in points.iter().zip(&labelled) {
        let _ = writeln!(svg, "{}", point.mark.drawn(*x, *y));
        // What is shorter than it was measured stands at the point all the same.
        let Some(Label { area, .. }) = label else { continue };
        let (anchor, at) = match area {
            area if area.left >= *x => ("", area.left),
            area if area.right <= *x => (" class=\"end\"", area.right),
            area => (" class=\"middle\"", f64::midpoint(area.left, area.right)),
        };
        let (name, ndcg) = (place::html(point.name, NAME), point.ndcg);
        let baseline = area.top + labels::ASCENT;
        let _ = writeln!(svg, "<text x=\"{at:.1}\" y=\"{baseline:.1}\"{anchor}>{name} {ndcg:.3}</text>");
    }
    labelled.iter().filter(|(_, label)| label.is_none()).count()
}

/// The chart for Mermaid, by lines; none with fewer than two systems to compare.
pub(super) fn mermaid(rows: &[RowView]) -> Option<Vec<String>> {
    let points: Vec<_> =
        rows.iter().filter_map(Point::of).filter(|point| point.mark == Mark::System).collect();
    let decades = decades(&points).filter(|_| points.len() > 1)?;
    let line = |point: &Point<'_>| {
        // The name is a configured one, [a-z0-9-]+; unquoted it may be a word of the language.
        format!("    \"{}\": [{}, {}]", point.name, part(along(decades, point.us)), part(point.ndcg))
    };
    // The language has no ticks, so the words say what the ends are.
    let [fastest, slowest] = [decades.0, decades.1].map(decade_name);
    let head = [
        // Room between the frame and the words of its axis, for the name of a point at 0.
        "%%{init: {\"quadrantChart\": {\"xAxisLabelPadding\": 20}}}%%".to_owned(),
        "quadrantChart".to_owned(),
        format!("    x-axis \"slower (left end: {slowest})\" --> \"faster (right end: {fastest})\""),
        "    y-axis \"NDCG@10 (bottom: 0)\" --> \"better (top: 1)\"".to_owned(),
    ];
    Some(head.into_iter().chain(points.iter().map(line)).collect())
}

/// A number from 0 to 1 as Mermaid reads it: `0.…`, or `1` and nothing after that.
fn part(value: f64) -> String {
    let text = format!("{value:.3}");
    if text.starts_with('1') { "1".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_hold_every_latency_and_have_names() {
        let point = |us| Point { name: "x", mark: Mark::System, us, ndcg: 0.5 };
        assert_eq!(decades(&[point(950), point(42_000)]), Some((2, 5)));
        assert_eq!(decades(&[point(1000)]), Some((3, 4)));
        assert_eq!(decades(&[]), None);
        assert_eq!([0, 2, 3, 5, 6, 7].map(decade_name), ["1 µs", "100 µs", "1 ms", "100 ms", "1 s", "10 s"]);
    }

    #[test]
    fn the_fastest_is_on_the_right() {
        let along = [1_000, 10_000, 100_000].map(|us| part(along((3, 5), us)));
        assert_eq!(along, ["1", "0.500", "0.000"]);
    }

    /// Tables of so many systems, near each other and far apart, from a fixed seed.
    fn tables(systems: usize, names: &[String]) -> impl Iterator<Item = Vec<Point<'_>>> {
        let mut state = 0x2545_f491_u32;
        let mut below = move |end: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % end
        };
        (0..8).map(move |_| {
            let crowd = below(3);
            let point = |name| {
                let us = 10_u64.pow(2 + below(6)) + u64::from(below(if crowd == 0 { 9 } else { 5_000 }));
                let ndcg = [below(3), below(1001), 900 + below(101)][crowd as usize];
                let mark = [Mark::System, Mark::StandIn, Mark::Floor][below(3) as usize];
                Point { name, mark, us, ndcg: f64::from(ndcg) / 1000.0 }
            };
            names.iter().take(systems).map(String::as_str).map(point).collect()
        })
    }

    fn names() -> Vec<String> {
        (0..60).map(|at| format!("{}-{at}", "system-with-a-name".get(..3 + at % 14).unwrap())).collect()
    }

    /// No label stands on a mark, another label, a number of an axis or the head.
    fn assert_readable(points: &[Point<'_>]) -> usize {
        let decades = decades(points).unwrap();
        let labelled = labelled(points, decades);
        let labels: Vec<Area> = labelled.iter().filter_map(|(_, label)| Some(label.as_ref()?.area)).collect();
        let words = [
            Area { left: 0.0, top: 0.0, right: 760.0, bottom: 33.0 },
            Area { left: 0.0, top: TOP - 10.0, right: LEFT - 8.0, bottom: BOTTOM + 10.0 },
            Area { left: 0.0, top: BOTTOM, right: 760.0, bottom: 460.0 },
        ];
        for (at, area) in labels.iter().enumerate() {
            assert!(area.left >= LEFT && area.right <= 750.0, "{area:?} leaves its place");
            assert!(words.iter().all(|words| !area.meets(words)), "{area:?} is on other words");
            assert!(labels.iter().skip(at + 1).all(|other| !area.meets(other)), "{area:?} is on a label");
            let on = labelled.iter().find(|(spot, _)| area.meets(&Area::of_mark(*spot)));
            assert!(on.is_none(), "{area:?} is on the point at {on:?}");
        }
        labels.len()
    }

    #[test]
    fn every_name_stands_on_nothing_where_there_is_room() {
        let names = names();
        for systems in [1, 2, 7, 17, 30] {
            for points in tables(systems, &names) {
                assert_eq!(assert_readable(&points), systems);
            }
        }
    }

    #[test]
    fn names_without_room_are_left_out_and_counted() {
        let names: Vec<_> = names().iter().map(|name| format!("{name:-<NAME$}")).collect();
        let points = tables(60, &names).next().unwrap();
        let shown = assert_readable(&points);
        assert!(shown < 60);
        let mut svg = String::new();
        let nameless = draw(&mut svg, &points, decades(&points).unwrap());
        legend(&mut svg, &points, nameless);
        assert!(svg.contains(&format!("no room for {} of 60 names", 60 - shown)), "{svg}");
    }
}
