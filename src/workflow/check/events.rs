//! What starts a workflow, against what a verdict waits for.

use super::one_job::TYPES;
use super::{Scene, is_conditional, listed, proposals};
use crate::config::suggestion;
use crate::workflow::model::{Filter, Trigger, is_expression};
use crate::workflow::ours::OurJob;
use crate::workflow::{Cure, Edit, Finding, Level, Rule};

pub(super) static PUSHES: Rule = Rule {
    name: "pushes-unheard",
    level: Level::Error,
    about: "`types` of `pull_request` lack `opened`, `synchronize` or `reopened`",
    why: "a pull request stays without a verdict on what was pushed last",
};

pub(super) static RETARGETED: Rule = Rule {
    name: "retargeting-unheard",
    level: Level::Warning,
    about: "`types` of `pull_request` lack `edited`, as the default does",
    why: "a pull request that gets another base branch keeps the verdict against the old one",
};

pub(super) static UNKNOWN: Rule = Rule {
    name: "event-unknown",
    level: Level::Error,
    about: "the action is started by an event that it does not act on, or that GitHub does not have",
    why: "no run of that event gives a verdict",
};

/// Events of GitHub that the action does not act on: none of them is a misspelt one.
const OTHERS: [&str; 27] = [
    "branch_protection_rule",
    "check_run",
    "check_suite",
    "create",
    "delete",
    "deployment",
    "deployment_status",
    "discussion",
    "discussion_comment",
    "fork",
    "gollum",
    "image_version",
    "issues",
    "label",
    "milestone",
    "page_build",
    "project",
    "public",
    "pull_request_comment",
    "pull_request_review",
    "pull_request_review_comment",
    "registry_package",
    "release",
    "repository_dispatch",
    "status",
    "watch",
    "workflow_call",
];

pub(super) static FILTERED: Rule = Rule {
    name: "pull-requests-filtered",
    level: Level::Note,
    about: "`pull_request` is narrowed by `paths`",
    why: "a pull request that touches none of these has no verdict, and a required check waits for ever",
};

pub(super) static LEFT_OUT: Rule = Rule {
    name: "default-branch-unjudged",
    level: Level::Error,
    about: "`branches` or `branches-ignore` of `pull_request` leave the default branch out, and no other workflow judges what \
            is to be merged into it",
    why: "no pull request against it has a verdict, and a required check waits for ever",
};

pub(super) static QUEUE_TYPES: Rule = Rule {
    name: "queue-types",
    level: Level::Error,
    about: "`types` of `merge_group` lack `checks_requested`",
    why: "no group of the queue has a verdict, and a required check waits for ever",
};

pub(super) static DRAFTS: Rule = Rule {
    name: "drafts-unheard",
    level: Level::Warning,
    about: "drafts are left out by an `if`, and `types` of `pull_request` lack `ready_for_review`",
    why: "a draft that is made ready has no verdict until something is pushed",
};

pub(super) static QUEUE: Rule = Rule {
    name: "queue-unheard",
    level: Level::Note,
    about: "another workflow listens to `merge_group`, and none that publishes does",
    why: "a required check never reports in the merge queue, which stands still",
};

pub(super) static DEFAULT_BRANCH: Rule = Rule {
    name: "default-branch-unheard",
    level: Level::Note,
    about: "no workflow that publishes runs on pushes to the default branch",
    why: "its commits have no verdict",
};

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let mut seen: Vec<&str> = Vec::new();
    for job in scene.jobs.iter().filter(|job| job.first().is_some()) {
        unknown(job, scene, found);
        // The rest is said once a workflow.
        if seen.contains(&job.workflow.file.as_str()) {
            continue;
        }
        seen.push(&job.workflow.file);
        misspelt(job, scene, found);
        drafts(scene, job, found);
        if let Some(trigger) = job.workflow.on.event("merge_group") {
            queue_types(job, trigger, found);
        }
        for trigger in &job.workflow.on.triggers {
            if ["pull_request", "pull_request_target"].contains(&trigger.event.as_str()) {
                types(job, trigger, found);
                filtered(job, trigger, found);
                left_out(job, trigger, scene, found);
            }
        }
    }
    queue(scene, found);
    default_branch(scene, found);
}

/// A finding about the workflow as a whole.
fn of_workflow(job: &OurJob<'_>, rule: &'static Rule, line: usize, message: String, cure: Cure) -> Finding {
    Finding { job: None, ..job.finding(rule, line, message, cure) }
}

fn types(job: &OurJob<'_>, trigger: &Trigger, found: &mut Vec<Finding>) {
    let given = trigger.filter("types");
    let default = ["opened", "synchronize", "reopened"].map(str::to_owned);
    let now = given.map_or(default.as_slice(), |types| types.values.as_slice());
    let missing: Vec<_> = TYPES.iter().filter(|wanted| !now.iter().any(|given| given == *wanted)).collect();
    if missing.is_empty() {
        return;
    }
    let is_grave = missing.iter().any(|missing| **missing != "edited");
    let rule = if is_grave { &PUSHES } else { &RETARGETED };
    let others = now.iter().map(String::as_str).filter(|given| !TYPES.contains(given));
    let all: Vec<&str> = TYPES.into_iter().chain(others).collect();
    let value = format!("{} # edited: it may have another base branch", listed(&all));
    let line = vec![format!("types: {value}")];
    let edit = match (given, trigger.filters.first()) {
        (Some(types), _) => types.region.replaced(&line),
        (None, Some(first)) => first.region.preceded(&line),
        (None, None) => None,
    };
    let cure = edit.map_or_else(
        || {
            let mut filters = vec![("types", value.clone())];
            let others = trigger.filters.iter().filter(|filter| filter.key != "types");
            filters.extend(others.map(|filter| (filter.key.as_str(), filter.rendered())));
            Cure::of(job.workflow.on.with(&trigger.event, &filters), "in the place of `on`")
        },
        Cure::Edit,
    );
    let names: Vec<_> = missing.iter().map(|missing| format!("`{missing}`")).collect();
    let which = if given.is_some() { "`types`" } else { "the default `types`" };
    let message = format!("{which} of `{}` lack {}", trigger.event, names.join(", "));
    let at = given.map_or(&trigger.region, |types| &types.region);
    found.push(of_workflow(job, rule, at.from, message, cure));
}

fn filtered(job: &OurJob<'_>, trigger: &Trigger, found: &mut Vec<Finding>) {
    for filter in trigger.filters.iter().filter(|filter| filter.key.starts_with("paths")) {
        let message = format!("`{}` narrows `{}`", filter.key, trigger.event);
        let cure = filter.region.removed().map_or(Cure::Author("take the filter out"), Cure::Edit);
        found.push(of_workflow(job, &FILTERED, filter.region.from, message, cure));
    }
}

fn queue_types(job: &OurJob<'_>, trigger: &Trigger, found: &mut Vec<Finding>) {
    let Some(types) = trigger.filter("types") else { return };
    if types.values.iter().any(|given| given == "checks_requested") {
        return;
    }
    let wanted = [("types", listed(&["checks_requested"]))];
    let cure = Cure::of(job.workflow.on.with("merge_group", &wanted), "in the place of `on`");
    let message = format!("`types` of `merge_group` are {}", types.rendered());
    found.push(of_workflow(job, &QUEUE_TYPES, types.region.from, message, cure));
}

fn drafts(scene: &Scene<'_>, first: &OurJob<'_>, found: &mut Vec<Finding>) {
    let Some(trigger) = first.workflow.on.event("pull_request") else { return };
    let types = trigger.filter("types");
    if types.is_some_and(|types| types.values.iter().any(|given| given == "ready_for_review")) {
        return;
    }
    let mut jobs = scene.jobs.iter().filter(|job| job.workflow.file == first.workflow.file);
    let said = jobs.find_map(|job| {
        let steps = job.steps.iter().filter_map(|step| step.step.condition.as_ref());
        let mut said = steps.chain(job.job.condition.as_ref());
        Some((job, said.find(|said| said.text.contains("pull_request.draft"))?))
    });
    let Some((job, said)) = said else { return };
    let now = types.map(|types| types.values.as_slice()).unwrap_or_default();
    let others = now.iter().map(String::as_str).filter(|given| !TYPES.contains(given));
    let all: Vec<&str> = TYPES.into_iter().chain(others).chain(["ready_for_review"]).collect();
    let line = vec![format!("types: {}", listed(&all))];
    let cure = if let Some(edit) = types.and_then(|types| types.region.replaced(&line)) {
        Cure::Edit(edit)
    } else {
        let mut filters = vec![("types", listed(&all))];
        let others = trigger.filters.iter().filter(|filter| filter.key != "types");
        filters.extend(others.map(|filter| (filter.key.as_str(), filter.rendered())));
        Cure::of(job.workflow.on.with("pull_request", &filters), "in the place of `on`")
    };
    let message = "`if` leaves drafts out, and nothing hears when one is ready";
    found.push(job.finding(&DRAFTS, said.region.from, message, cure));
}

/// Pull requests against the default branch are the ones that nobody wants to leave out.
fn left_out(job: &OurJob<'_>, trigger: &Trigger, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let Some(default) = scene.facts.default_branch.as_deref() else { return };
    let mut about_pulls = scene
        .jobs
        .iter()
        .filter(|job| job.first().is_some() && !job.answers)
        .flat_map(OurJob::triggers)
        .filter(|trigger| ["pull_request", "pull_request_target"].contains(&trigger.event.as_str()));
    if about_pulls.any(|trigger| covers(trigger, Some(default))) {
        return;
    }
    let Some(filter) = trigger.filter("branches").or_else(|| trigger.filter("branches-ignore")) else {
        return;
    };
    let is_list = filter.key == "branches";
    let others = filter.values.iter().map(String::as_str).filter(|name| *name != default);
    let values: Vec<&str> = is_list.then_some(default).into_iter().chain(others).collect();
    let line = vec![format!("{}: {}", filter.key, listed(&values))];
    let edit = if values.is_empty() { filter.region.removed() } else { filter.region.replaced(&line) };
    let message =
        format!("`{}` of `{}` leaves out the default branch, `{default}`", filter.key, trigger.event);
    let place = format!("in the place of `{}` of `{}`", filter.key, trigger.event);
    found.push(of_workflow(job, &LEFT_OUT, filter.region.from, message, Cure::of((edit, line), place)));
}

/// The event that was meant by one that GitHub does not have.
fn meant<'a>(event: &str, scene: &Scene<'a>) -> Option<&'a str> {
    let is_githubs = scene.facts.events.contains(&event) || OTHERS.contains(&event);
    // What the settings of a repository call it.
    let event = if event == "merge_queue" { "merge_group" } else { event };
    let near = || suggestion(&event.replace('-', "_"), scene.facts.events.iter().copied());
    if is_githubs { None } else { near() }
}

/// One of the events that start the job is misspelt.
pub(super) fn has_misspelt(job: &OurJob<'_>, scene: &Scene<'_>) -> bool {
    job.workflow.on.triggers.iter().any(|trigger| meant(&trigger.event, scene).is_some())
}

/// The event by its right name, on the line that has the wrong one.
fn renamed(job: &OurJob<'_>, trigger: &Trigger, name: &str) -> Option<Edit> {
    let on = &job.workflow.on;
    if on.event(name).is_some() {
        return on.without(&trigger.event);
    }
    job.workflow.renamed(&trigger.region, &trigger.event, name)
}

fn misspelt(job: &OurJob<'_>, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for trigger in &job.workflow.on.triggers {
        let event = trigger.event.as_str();
        let Some(name) = meant(event, scene) else { continue };
        let message = format!("GitHub has no event `{event}`; did you mean `{name}`?");
        let author = Cure::Author("write the event's right name");
        let cure = renamed(job, trigger, name).map_or(author, Cure::Edit);
        found.push(of_workflow(job, &UNKNOWN, trigger.region.from, message, cure));
    }
}

fn unknown(job: &OurJob<'_>, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let acts = |step: &&crate::workflow::ours::OurStep<'_>| step.acts() && !is_conditional(step, job);
    if job.steps.iter().find(acts).is_none() {
        return;
    }
    for trigger in &job.workflow.on.triggers {
        let event = trigger.event.as_str();
        let is_told = meant(event, scene).is_some();
        if event == "workflow_call" || scene.facts.events.contains(&event) || is_told {
            continue;
        }
        let cure = job.workflow.on.without(event).map_or(
            Cure::Author("take the event out of `on`, or give the job an `if` that leaves it out"),
            Cure::Edit,
        );
        let message = format!("`{event}` is no event that the action acts on");
        found.push(job.finding(&UNKNOWN, trigger.region.from, message, cure));
    }
}

/// The first publishing job of a workflow that is about pull requests.
fn about_pulls<'a>(scene: &'a Scene<'a>) -> Option<(&'a OurJob<'a>, &'a Trigger)> {
    let mut publishing = scene.jobs.iter().filter(|job| job.publishes());
    publishing.find_map(|job| Some((job, job.workflow.on.event("pull_request")?)))
}

fn publishes_on(scene: &Scene<'_>, event: &str) -> bool {
    scene.jobs.iter().any(|job| job.publishes() && (job.on(event) || job.starts_are_unknown()))
}

fn queue(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let listens = scene.workflows.iter().find(|workflow| workflow.on.event("merge_group").is_some());
    let (Some(other), Some((job, trigger))) = (listens, about_pulls(scene)) else { return };
    if publishes_on(scene, "merge_group") {
        return;
    }
    let cure = Cure::of(
        job.workflow.on.with("merge_group", &[("types", listed(&["checks_requested"]))]),
        "in the place of `on`",
    );
    let message = format!("{} listens to `merge_group`, this one does not", other.file);
    found.push(of_workflow(job, &QUEUE, trigger.region.from, message, cure));
}

fn default_branch(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let default = scene.facts.default_branch.as_deref();
    // What proposes is there for the default branch alone.
    let proposing = scene.jobs.iter().filter(|job| proposals::may_propose(job));
    let mut elsewhere =
        proposing.filter(|job| job.workflow.on.event("push").is_some_and(|push| !covers(push, default)));
    if let Some(job) = elsewhere.next() {
        found.push(unheard(job, job.workflow.on.region.from, default));
        return;
    }
    let Some((job, trigger)) = about_pulls(scene) else { return };
    // What comes through a queue was held there.
    if publishes_on(scene, "merge_group") {
        return;
    }
    let publishing = scene.jobs.iter().filter(|job| job.publishes());
    if publishing.clone().any(OurJob::starts_are_unknown) {
        return;
    }
    let mut pushes = publishing.flat_map(OurJob::triggers).filter(|trigger| trigger.event == "push");
    if pushes.any(|push| covers(push, default)) {
        return;
    }
    found.push(unheard(job, trigger.region.from, default));
}

/// The workflow is to hear of pushes to the default branch.
fn unheard(job: &OurJob<'_>, line: usize, default: Option<&str>) -> Finding {
    let branches = [default.unwrap_or("main")];
    let on = &job.workflow.on;
    let (message, filters) = match on.event("push") {
        None => ("`push` is missing".to_owned(), vec![("branches", listed(&branches))]),
        Some(_) => (
            format!("`push` leaves out the default branch, `{}`", branches[0]),
            vec![("branches", listed(&branches))],
        ),
    };
    let line = on.event("push").map_or(line, |push| push.region.from);
    let cure = Cure::of(on.with("push", &filters), "in the place of `on`");
    of_workflow(job, &DEFAULT_BRANCH, line, message, cure)
}

/// Both are of pushes to some branch. What cannot be told is taken to be so.
pub(super) fn meet(one: &Trigger, other: &Trigger, default: Option<&str>) -> bool {
    if default.is_some() {
        return covers(one, default) && covers(other, default);
    }
    let (Some(mine), Some(theirs)) = (one.filter("branches"), other.filter("branches")) else {
        return covers(one, default) && covers(other, default);
    };
    let is_plain = |filter: &Filter| !filter.values.iter().any(|pattern| is_pattern(pattern));
    !(is_plain(mine) && is_plain(theirs)) || mine.values.iter().any(|name| theirs.values.contains(name))
}

/// It may match more than one name.
fn is_pattern(text: &str) -> bool {
    is_expression(text) || text.contains(['*', '?', '+', '[', '!'])
}

/// The event is of the default branch. What cannot be told is taken to be so.
fn covers(trigger: &Trigger, default: Option<&str>) -> bool {
    let has = |key| trigger.filter(key).is_some();
    let Some(branches) = trigger.filter("branches") else {
        if let Some(ignored) = trigger.filter("branches-ignore") {
            return default.is_none_or(|default| !ignored.values.iter().any(|name| name == default));
        }
        // Tags alone leave every branch out.
        return !(has("tags") || has("tags-ignore"));
    };
    let Some(default) = default else { return true };
    branches.values.iter().any(|pattern| may_match(pattern, default))
}

/// The pattern of a filter stands for that name, or may do so.
pub(super) fn may_match(pattern: &str, name: &str) -> bool {
    if !is_pattern(pattern) {
        return pattern == name;
    }
    if is_expression(pattern) || pattern.contains(['?', '+', '[', '!']) {
        return true;
    }
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => {
            let (is_any, after) = after.strip_prefix('*').map_or((false, after), |after| (true, after));
            let Some(rest) = name.strip_prefix(before) else { return false };
            let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            let mut ends = ends.take_while(|end| is_any || !rest[..*end].contains('/'));
            ends.any(|end| may_match(after, &rest[end..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_of_a_branch_ends_at_a_slash() {
        for (pattern, name, expected) in [
            ("main", "main", true),
            ("main", "maint", false),
            ("*", "main", true),
            ("*", "a/b", false),
            ("**", "a/b", true),
            ("releases/**", "main", false),
            ("m*n", "main", true),
            ("m*n*", "maize", false),
            ("v[0-9]", "main", true),
            ("*", "", true),
        ] {
            assert_eq!(may_match(pattern, name), expected, "{pattern} {name}");
        }
    }
}
