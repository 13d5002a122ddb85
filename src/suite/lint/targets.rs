//! Targets against the tree.

use super::super::{Case, CaseKind, Group, MatchMode};
use super::About;
use super::tree::{Presence, Tree};
use crate::name::Name;

const FIELD: &str = "metadata.expectedTargets";

/// A case all of whose targets are gone is worthless; one that lost some is weaker.
pub(super) fn check(case: &Case, tree: &dyn Tree, about: &mut About<'_>) {
    if case.qrels.kind() == CaseKind::Scored {
        let groups = case.qrels.groups(MatchMode::All);
        let expected: Vec<_> = groups.iter().filter(|group| group.expected).collect();
        if expected.iter().any(|group| resolves(group, tree)) {
            for group in expected {
                of_a_living_case(group, tree, about);
            }
        } else {
            dead(&expected, tree, about);
        }
    }
    for name in case.qrels.forbidden().iter().filter(|name| !tree.presence(name).resolves()) {
        let message = format!("`{name}` is not in the tree, so it can hardly turn up");
        let next = advice(name, tree);
        about.tell(super::Severity::Note, "metadata.forbiddenTargets", message, next.as_deref());
    }
}

fn resolves(group: &Group, tree: &dyn Tree) -> bool {
    group.names.iter().any(|name| tree.presence(name).resolves())
}

fn dead(groups: &[&Group], tree: &dyn Tree, about: &mut About<'_>) {
    let names: Vec<_> = groups.iter().map(|group| &group.names[0]).collect();
    let listed = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let message = match names.as_slice() {
        [_] => format!("its only target {listed} is not in the tree"),
        _ => format!("none of its {} targets is in the tree: {listed}", names.len()),
    };
    let advice: Vec<_> = names.iter().filter_map(|name| advice(name, tree)).collect();
    let next = if advice.is_empty() {
        "correct the targets, or remove the case".to_owned()
    } else {
        advice.join("; ")
    };
    about.tell(super::Severity::Error, FIELD, message, Some(&next));
}

fn of_a_living_case(group: &Group, tree: &dyn Tree, about: &mut About<'_>) {
    let presence: Vec<_> = group.names.iter().map(|name| tree.presence(name)).collect();
    let is = |wanted: &Presence| presence.contains(wanted);
    let name = &group.names[0];
    if is(&Presence::File) || is(&Presence::Entity) {
        return;
    }
    if is(&Presence::Directory) {
        about.note(FIELD, format!("`{name}` is a directory, which a retriever of files never returns"));
    } else if is(&Presence::Unknowable) {
        about.note(FIELD, format!("`{name}` looks like an entity id, which the tree cannot confirm"));
    } else if let Some(Presence::OtherCase(real)) = presence.first() {
        let message = format!("`{name}` is not in the tree, and matching tells upper from lower case");
        about.warn(FIELD, message, &format!("write `{real}`"));
    } else {
        let next = advice(name, tree);
        about.tell(super::Severity::Note, FIELD, format!("`{name}` is not in the tree"), next.as_deref());
    }
}

/// Where a name that is not there may have gone, as far as tree and history tell.
pub fn whereabouts(name: &Name, tree: &dyn Tree) -> Option<String> {
    advice(name, tree).filter(|_| !tree.presence(name).resolves())
}

/// Where the name may have gone.
fn advice(name: &Name, tree: &dyn Tree) -> Option<String> {
    if let Presence::OtherCase(real) = tree.presence(name) {
        return Some(format!("write `{real}`"));
    }
    let trimmed = Name::new(name.as_str().trim());
    if trimmed != *name && tree.presence(&trimmed).resolves() {
        return Some(format!("remove the white space around `{trimmed}`"));
    }
    if let Some(new) = tree.renamed_to(name) {
        return Some(format!("`{name}` was renamed to `{new}`"));
    }
    if let Some(other) = tree.only_one_called_alike(name) {
        return Some(format!("did `{name}` move to `{other}`?"));
    }
    tree.nearest(name).map(|other| format!("did you mean `{other}`?"))
}
