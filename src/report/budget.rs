//! A report that fits: the least important rows go first, and each list says how many went.

use super::view::{Omitted, PairView, View};

/// How many rows of each list may stay, per pair.
#[derive(Clone, Copy, Debug)]
struct Caps {
    pairs: usize,
    sections: usize,
    reasons: usize,
    lost: usize,
    lost_detail: usize,
    notices: usize,
    figures: usize,
    changed_segments: usize,
    won: usize,
    steady_segments: usize,
    identity: usize,
    folded: usize,
    missed: usize,
}

/// What goes, in this order, each as far as needed before the next is touched.
const ORDER: [fn(&mut Caps) -> &mut usize; 13] = [
    |caps| &mut caps.missed,
    |caps| &mut caps.folded,
    |caps| &mut caps.identity,
    |caps| &mut caps.steady_segments,
    |caps| &mut caps.won,
    |caps| &mut caps.changed_segments,
    |caps| &mut caps.figures,
    |caps| &mut caps.notices,
    |caps| &mut caps.lost_detail,
    |caps| &mut caps.lost,
    |caps| &mut caps.reasons,
    |caps| &mut caps.sections,
    |caps| &mut caps.pairs,
];

/// No row is shorter than this many bytes, so more rows than that in any one list need not be tried.
const SHORTEST_ROW: usize = 30;

/// Nor is the section of a pair shorter than this.
const SHORTEST_SECTION: usize = 150;

/// The rendered view, at most `budget` bytes long (bytes, since a byte is never less than a character or a UTF-16
/// unit). `render` fails only for reasons of its own.
pub(super) fn fit<E>(
    view: &View,
    budget: usize,
    render: impl Fn(&View) -> Result<String, E>,
) -> Result<String, E> {
    let most = budget / SHORTEST_ROW + 1;
    let caps = Caps {
        pairs: most,
        sections: budget / SHORTEST_SECTION + 1,
        reasons: clip(view, most, |pair| pair.reasons.len()),
        lost: clip(view, most, |pair| pair.lost.len()),
        lost_detail: most,
        notices: clip(view, most, |pair| pair.notices.len()),
        figures: most,
        changed_segments: clip(view, most, |pair| pair.segments.len()),
        won: clip(view, most, |pair| pair.won.len()),
        steady_segments: most,
        identity: most,
        folded: clip(view, most, |pair| pair.edited.len() + pair.added.len() + pair.removed.len()),
        missed: clip(view, most, |pair| pair.missed.len()),
    };
    let try_with = |caps: &Caps| render(&trimmed(view, caps));
    let fits = |text: &str| text.len() <= budget;
    let whole = try_with(&caps)?;
    if fits(&whole) {
        return Ok(whole);
    }
    let without = |parts: usize| {
        let mut caps = caps;
        for part in &ORDER[..parts] {
            *part(&mut caps) = 0;
        }
        caps
    };
    let mut text = try_with(&without(ORDER.len()))?;
    if !fits(&text) {
        return Ok(cut(&text, budget));
    }
    // The fewest parts without which it fits lie between none and all. A huge report is rendered a few times only.
    let (mut kept, mut gone) = (0, ORDER.len());
    while gone - kept > 1 {
        let middle = kept + (gone - kept) / 2;
        let attempt = try_with(&without(middle))?;
        if fits(&attempt) {
            (gone, text) = (middle, attempt);
        } else {
            kept = middle;
        }
    }
    // Of the last of them some rows may stay: none, which fits, up to `most`, which does not. Doubled from below at first,
    // since rows are mostly far longer than the shortest.
    let part = ORDER[gone - 1];
    let (mut least, mut most) = (0, *part(&mut without(kept)));
    let mut caps = without(gone);
    let mut doubling = true;
    while most - least > 1 {
        let half = least + (most - least) / 2;
        let rows = if doubling { half.min((2 * least).max(1)) } else { half };
        *part(&mut caps) = rows;
        let attempt = try_with(&caps)?;
        if fits(&attempt) {
            (least, text) = (rows, attempt);
        } else {
            (most, doubling) = (rows, false);
        }
    }
    Ok(text)
}

/// A view no list of which is longer than any report could hold, for templates that we did not write.
pub(super) fn bounded(view: &View, budget: usize) -> View {
    let most = budget / SHORTEST_ROW + 1;
    let each = most / view.pairs.len().max(1) + 1;
    let caps = Caps {
        pairs: most,
        sections: most,
        reasons: each,
        lost: each,
        lost_detail: each,
        notices: each,
        figures: most,
        changed_segments: each,
        won: each,
        steady_segments: each,
        identity: most,
        folded: each,
        missed: each,
    };
    trimmed(view, &caps)
}

/// The largest cap by which all pairs together keep at most `most` rows (but one row each in any case).
fn clip(view: &View, most: usize, len: impl Fn(&PairView) -> usize) -> usize {
    let kept = |cap: usize| view.pairs.iter().take(most).map(|pair| len(pair).min(cap)).sum::<usize>();
    let (mut least, mut above) = (1, most + 1);
    while above - least > 1 {
        let middle = least + (above - least) / 2;
        if kept(middle) <= most { least = middle } else { above = middle }
    }
    least
}

fn trimmed(view: &View, caps: &Caps) -> View {
    let kept = view.pairs.len().min(caps.pairs.max(1));
    let sections = kept.min(caps.sections);
    let pairs = view.pairs[..kept].iter().enumerate();
    View {
        pairs: pairs.map(|(at, pair)| trimmed_pair(pair, caps, at < sections)).collect(),
        omitted_pairs: view.pairs.len() - kept,
        omitted_sections: kept - sections,
        tally: view.tally.clone(),
        title: view.title.clone(),
        ..*view
    }
}

fn trimmed_pair(pair: &PairView, caps: &Caps, section: bool) -> PairView {
    if !section {
        return pair.without_section();
    }
    let mut omitted = Omitted::default();
    let mut segments = Vec::new();
    let steady = pair.segments.iter().filter(|segment| !segment.changed);
    segments
        .extend(pair.segments.iter().filter(|segment| segment.changed).take(caps.changed_segments).cloned());
    segments.extend(steady.take(caps.steady_segments).cloned());
    omitted.segments = pair.segments.len() - segments.len();
    let mut spare = caps.figures;
    let figures: Vec<_> =
        pair.figures.iter().filter(|figure| figure.gated || take_one(&mut spare)).cloned().collect();
    omitted.figures = pair.figures.len() - figures.len();
    let mut lost = head(&pair.lost, caps.lost, &mut omitted.lost);
    for case in lost.iter_mut().skip(caps.lost_detail) {
        case.shorten();
        omitted.lost_detail += 1;
    }
    PairView {
        reasons: head(&pair.reasons, caps.reasons, &mut omitted.reasons),
        won: head(&pair.won, caps.won, &mut omitted.won),
        notices: head(&pair.notices, caps.notices, &mut omitted.notices),
        missed: head(&pair.missed, caps.missed, &mut omitted.missed),
        edited: head(&pair.edited, caps.folded, &mut omitted.edited),
        added: head(&pair.added, caps.folded, &mut omitted.added),
        removed: head(&pair.removed, caps.folded, &mut omitted.removed),
        identity: head(&pair.identity, caps.identity, &mut omitted.identity),
        lost,
        figures,
        segments,
        omitted,
        section,
        gate: pair.gate.clone(),
        evidence: pair.evidence.clone(),
        ..pair.without_section()
    }
}

fn head<T: Clone>(list: &[T], cap: usize, omitted: &mut usize) -> Vec<T> {
    *omitted = list.len().saturating_sub(cap);
    list[..list.len() - *omitted].to_vec()
}

fn take_one(spare: &mut usize) -> bool {
    let left = *spare > 0;
    *spare = spare.saturating_sub(1);
    left
}

/// The last resort, and the only one for templates that are not ours: whole lines, what they opened closed again, and a
/// note.
pub(super) fn cut(text: &str, budget: usize) -> String {
    const NOTE: &str = "\n\n_The rest is left out for want of room._\n";
    if text.len() <= budget {
        return text.to_owned();
    }
    let mut kept = text.len();
    loop {
        // Whole lines only, so that no row is cut in two.
        kept = text[..kept].rfind('\n').unwrap_or(0);
        let body = &text[..kept];
        let closed = format!("{body}{}{NOTE}", closing(body));
        if closed.len() <= budget || kept == 0 {
            return if closed.len() <= budget { closed } else { String::new() };
        }
    }
}

/// What ends a fenced block and folded sections that a text leaves open.
fn closing(text: &str) -> String {
    let fence = text.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1;
    let open = text.matches("<details").count().saturating_sub(text.matches("</details>").count());
    let mut closing = String::new();
    if fence {
        closing.push_str("\n```");
    }
    closing.push_str(&"\n\n</details>".repeat(open));
    closing
}
