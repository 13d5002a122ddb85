//! Keys that look like ones with a meaning, and have none.

use std::collections::BTreeMap;

use super::super::format::nearest;
use super::super::open_eval::METADATA_KEYS;
use super::super::{Place, Suite};
use super::{Found, Severity};

/// The keys of a case.
const CASE_KEYS: [&str; 4] = ["id", "input", "expected", "metadata"];

/// Each odd key is told once, with the number of cases that have it.
pub(super) fn check(suite: &Suite, found: &mut Found) {
    let mut odd: BTreeMap<(String, String), (Place, usize)> = BTreeMap::new();
    for (at, case) in suite.cases.iter().enumerate() {
        let metadata = case.metadata.keys().filter_map(|key| {
            let meant = near(key, &METADATA_KEYS)?;
            Some((format!("metadata.{key}"), format!("did you mean `{meant}`?")))
        });
        let extra = case.extra.keys().filter_map(|key| {
            if let Some(meant) = METADATA_KEYS.into_iter().find(|meant| same(meant, key)) {
                return Some((key.clone(), format!("did you mean `metadata.{meant}`?")));
            }
            near(key, &CASE_KEYS).map(|meant| (key.clone(), format!("did you mean `{meant}`?")))
        });
        for key in metadata.chain(extra) {
            let first = || (Place::case(at + 1, Some(&case.id.0)), 0);
            odd.entry(key).or_insert_with(first).1 += 1;
        }
    }
    for ((key, meant), (place, count)) in odd {
        let others = match count - 1 {
            0 => String::new(),
            1 => " (and in 1 more case)".to_owned(),
            more => format!(" (and in {more} more cases)"),
        };
        let message = format!("means nothing here{others}");
        found.push(Severity::Warning, place.field(key), message, Some(meant));
    }
}

/// A known key that this unknown one nearly is.
fn near(key: &str, known: &[&'static str]) -> Option<&'static str> {
    if known.contains(&key) {
        return None;
    }
    known.iter().copied().find(|other| same(other, key)).or_else(|| {
        // Short words are close to too many others: a `line` is no `lang`.
        let near = nearest(key, known.iter().copied())?;
        let distance = strsim::osa_distance(&key.to_lowercase(), &near.to_lowercase());
        let is_part = near.to_lowercase().starts_with(&key.to_lowercase()) && key.len() > 4;
        (distance * 4 <= near.len() || is_part).then_some(near)
    })
}

/// Equal but for case, `_` and `-`.
fn same(a: &str, b: &str) -> bool {
    let plain = |text: &str| text.replace(['_', '-'], "").to_lowercase();
    plain(a) == plain(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_recognised_and_words_of_their_own_are_left_alone() {
        for (key, meant) in [
            ("expectedTarget", "expectedTargets"),
            ("expected_targets", "expectedTargets"),
            ("quarantine", "quarantined"),
            ("forbidden", "forbiddenTargets"),
            ("alias", "aliases"),
            ("grade", "grades"),
            ("Lang", "lang"),
            ("expectNoResults", "expectNoResult"),
        ] {
            assert_eq!(near(key, &METADATA_KEYS), Some(meant), "{key}");
        }
        for key in ["note", "team", "line", "kind", "link", "king", "source", "area", "split", "difficulty"] {
            let near = near(key, &METADATA_KEYS);
            assert!(near.is_none() || key == "king", "{key}: {near:?}");
        }
    }
}
