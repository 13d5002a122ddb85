//! Where the names of points stand in a chart: as near to their points as there is room, and on nothing else.

use std::cmp::Reverse;

/// The height of a label; its text stands on a line [`ASCENT`] below its top.
const HEIGHT: f64 = 14.0;

/// From the top of a label down to the line that its text stands on.
pub(super) const ASCENT: f64 = 11.0;

/// What a point covers on each side of its middle: its mark, the stroke around that and a little air.
const MARK: f64 = 8.0;

/// The steps by which places are tried, across and down.
const STEPS: (f64, f64) = (5.0, 4.0);

/// A label further away than this is joined to its point by a line.
const NEAR: f64 = 12.0;

/// What it costs, in units of the picture, to stand as near to another point as to the label's own.
const DOUBT: f64 = 12.0;

/// What it costs that a line runs through a name or through the mark of another point: more than any way.
const CROSSING: f64 = 1000.0;

/// A place in the picture: x, then y, which grows downwards.
pub(super) type Spot = (f64, f64);

/// A rectangle of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    /// What the mark of a point covers.
    pub(super) fn of_mark((x, y): Spot) -> Self {
        Self { left: x - MARK, top: y - MARK, right: x + MARK, bottom: y + MARK }
    }

    /// They cover something in common; to touch is not to meet.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// The spot in it that is nearest to a point.
    fn nearest(&self, (x, y): Spot) -> Spot {
        (x.clamp(self.left, self.right), y.clamp(self.top, self.bottom))
    }

    fn distance(&self, point: Spot) -> f64 {
        let (x, y) = self.nearest(point);
        libm::hypot(x - point.0, y - point.1)
    }

    /// A straight line runs through it.
    fn is_crossed(&self, (from, to): (Spot, Spot)) -> bool {
        // What is left of the line, from 0 to 1, inside of both pairs of edges.
        let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
        for (start, end, low, high) in
            [(from.0, to.0, self.left, self.right), (from.1, to.1, self.top, self.bottom)]
        {
            let way = end - start;
            if way.abs() < 1e-9 {
                if start <= low || start >= high {
                    return false;
                }
                continue;
            }
            let (one, two) = ((low - start) / way, (high - start) / way);
            enters = enters.max(one.min(two));
            leaves = leaves.min(one.max(two));
        }
        enters < leaves
    }
}

/// Where a name stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Label {
    pub(super) area: Area,
    /// The line to its point, if it stands apart from that.
    pub(super) lead: Option<(Spot, Spot)>,
}

/// A label for each point with a text of that width, inside of the frame: none on a mark or on another label, and none on
/// a line that leads to one if that can be had. None where there is no room.
pub(super) fn place(points: &[(Spot, f64)], frame: &Area) -> Vec<Option<Label>> {
    // Where it is crowded, a label has the fewest places to go to.
    let crowd = |at: usize| {
        let (x, y) = points[at].0;
        let is_near =
            |((other, height), _): &&(Spot, f64)| (other - x).abs() < 120.0 && (height - y).abs() < 30.0;
        points.iter().filter(is_near).count()
    };
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|at| Reverse(crowd(*at)));
    let mut page = Page { points, frame, placed: vec![None; points.len()] };
    for at in order {
        page.placed[at] = page.best(at);
    }
    page.placed
}

/// The labels so far.
struct Page<'a> {
    points: &'a [(Spot, f64)],
    frame: &'a Area,
    placed: Vec<Option<Label>>,
}

impl Page<'_> {
    /// The cheapest of the free places for one label.
    fn best(&self, at: usize) -> Option<Label> {
        let (spot, width) = self.points[at];
        let mut best: Option<(f64, Label)> = None;
        for area in places(spot, width, self.frame) {
            let distance = area.distance(spot);
            let is_dear = |cost: f64| best.is_some_and(|(cheapest, _)| cheapest <= cost);
            if is_dear(distance) || !self.is_free(&area) {
                continue;
            }
            let lead = (distance > NEAR).then(|| (spot, area.nearest(spot)));
            let label = Label { area, lead };
            let is_as_near = |(other, _): &&(Spot, f64)| area.distance(*other) <= distance;
            // Its own point is one of them.
            let doubts: f64 = self.points.iter().filter(is_as_near).map(|_| DOUBT).sum();
            let crossing = if self.is_tidy(spot, &label) { 0.0 } else { CROSSING };
            let cost = distance + doubts - DOUBT + crossing;
            if !is_dear(cost) {
                best = Some((cost, label));
            }
        }
        best.map(|(_, label)| label)
    }

    /// It stands on nothing.
    fn is_free(&self, area: &Area) -> bool {
        self.points.iter().all(|(spot, _)| !area.meets(&Area::of_mark(*spot)))
            && self.placed.iter().flatten().all(|other| !area.meets(&other.area))
    }

    /// No line runs through a label, nor its own through the mark of another point.
    fn is_tidy(&self, spot: Spot, label: &Label) -> bool {
        let crosses =
            |lead: Option<(Spot, Spot)>, area: &Area| lead.is_some_and(|lead| area.is_crossed(lead));
        let mut others = self.points.iter().map(|(other, _)| Area::of_mark(*other));
        // A mark that covers the point cannot be avoided.
        others.all(|mark| mark.distance(spot) <= 0.0 || !crosses(label.lead, &mark))
            && self
                .placed
                .iter()
                .flatten()
                .all(|other| !crosses(label.lead, &other.area) && !crosses(other.lead, &label.area))
    }
}

/// Every place in the frame on a grid around the point: of equal ones, what is level and to the right comes first.
fn places((x, y): Spot, width: f64, frame: &Area) -> impl Iterator<Item = Area> {
    let (across, down) = STEPS;
    let beside = [x + MARK, x - MARK - width, x - width / 2.0];
    let lefts = beside.map(|from| around(from, across, frame.left, frame.right - width)).concat();
    let tops = around(y - HEIGHT / 2.0, down, frame.top, frame.bottom - HEIGHT);
    lefts.into_iter().flat_map(move |left| {
        let area = move |top: f64| Area { left, top, right: left + width, bottom: top + HEIGHT };
        tops.clone().into_iter().map(area)
    })
}

/// `from` and what is whole steps away from it, between `low` and `high`; the nearest first.
fn around(from: f64, step: f64, low: f64, high: f64) -> Vec<f64> {
    let steps = (0..).map(|count| f64::from(count) * step);
    let offsets = steps.take_while(|far| *far <= (high - from).max(from - low)).flat_map(|far| [far, -far]);
    offsets.map(|offset| from + offset).filter(|at| (low..=high).contains(at)).collect()
}

/// How wide a text is at the size of a label, in a wide font without serifs: what a reader's is, nobody knows.
pub(super) fn width(text: &str) -> f64 {
    let wide = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | '\'' | '|' => 4.0,
        ' ' | '-' | 'f' | 'r' | 't' | '(' | ')' | '/' => 5.0,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 12.0,
        'a'..='z' | '0'..='9' | '_' => 7.7,
        _ if c.is_ascii() => 9.5,
        _ => 13.0,
    };
    text.chars().map(wide).sum()
}
