//! Judgements that contradict each other or say nothing.

use std::collections::BTreeSet;

use super::super::{Case, CaseKind, Expected};
use super::About;

/// `expected` against the targets, aliases that touch nothing, grades beside the targets.
pub(super) fn check(case: &Case, about: &mut About<'_>) {
    aliases(case, about);
    if case.qrels.kind() == CaseKind::Scored {
        graded_only(case, about);
        expectation(case, about);
    }
}

fn aliases(case: &Case, about: &mut About<'_>) {
    for (at, set) in case.qrels.aliases().iter().enumerate() {
        let field = format!("metadata.aliases[{at}]");
        if set.iter().collect::<BTreeSet<_>>().len() < 2 {
            about.warn(&field, "holds no two names", "name a target and what else it is called");
            continue;
        }
        let judged = case.qrels.targets().iter().chain(case.qrels.grades().keys());
        let other_sets = case.qrels.aliases().iter().enumerate().filter(|(other, _)| *other != at);
        let named: BTreeSet<_> = judged.chain(other_sets.flat_map(|(_, set)| set)).collect();
        if !set.iter().any(|name| named.contains(name)) {
            about.warn(&field, "touches no target and no grade, so it does nothing", "name the target in it");
        }
    }
}

fn graded_only(case: &Case, about: &mut About<'_>) {
    let groups = case.qrels.groups(super::super::MatchMode::All);
    let only: Vec<_> = groups
        .iter()
        .filter(|group| !group.expected && group.grade > 0)
        .map(|group| format!("`{}`", group.names[0]))
        .collect();
    if !only.is_empty() {
        let message = format!("{} graded but not expected, so only NDCG sees it", only.join(", "));
        about.note("metadata.grades", message);
    }
}

/// `expected` looks at the answer's text, the targets at its names; if no target's name would satisfy it, one of the
/// two is wrong.
fn expectation(case: &Case, about: &mut About<'_>) {
    let Some(expected) = &case.expected else { return };
    if matches!(expected, Expected::SemanticSimilarity(_)) {
        return;
    }
    let groups = case.qrels.groups(super::super::MatchMode::All);
    let names: Vec<_> = groups.iter().filter(|group| group.expected).flat_map(|group| &group.names).collect();
    let all = names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join("\n");
    let is_met = |text: &str| expected.is_met(text);
    // Mostly the joined text settles it, and an expression need be compiled only once.
    match is_met(&all) {
        Err(unsupported) => about.note("expected", unsupported.to_string()),
        Ok(true) => {}
        Ok(false) => {
            if names.len() < 2 || !names.iter().any(|name| is_met(name.as_str()).unwrap_or(false)) {
                let message = "none of the expectedTargets satisfies it";
                about.warn("expected", message, "correct the targets or the expectation");
            }
        }
    }
}
