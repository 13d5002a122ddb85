//! Several that publish: one pull request has one check of ours, and one comment for each `id`.

use std::collections::BTreeSet;

use super::{Scene, events, is_conditional};
use crate::workflow::model::is_expression;
use crate::workflow::ours::{OurJob, OurStep};
use crate::workflow::{Cure, Finding, Level, MATRIX, Rule};

pub(super) static COMMENT: Rule = Rule {
    name: "comment-shared",
    level: Level::Error,
    about: "two that publish for the same pull requests have the same `id`",
    why: "they write over each other's comment",
};

pub(super) static CHECK: Rule = Rule {
    name: "check-shared",
    level: Level::Warning,
    about: "two publish for the same pull requests, which have one check",
    why: "it shows the verdict of the one that began last, and what the other says does not count",
};

pub(super) static TWICE: Rule = Rule {
    name: "judged-twice",
    level: Level::Error,
    about: "two workflows judge the same pull requests, and both measure the same",
    why: "they write over each other's check and comment, and everything is measured twice",
};

pub(super) static PUSHES: Rule = Rule {
    name: "pushes-judged-twice",
    level: Level::Warning,
    about: "a workflow on pull requests and one of the default branch alone, such as one that proposes, both publish on pushes \
            to it",
    why: "both set the check on the same commit, and it shows the verdict of the one that began last",
};

pub(super) static LEGS: Rule = Rule {
    name: "legs-publish",
    level: Level::Error,
    about: "every leg of a matrix publishes",
    why: "they write over each other's check, so that what most legs say does not count",
};

/// One that publishes.
struct Publisher<'a> {
    job: &'a OurJob<'a>,
    step: &'a OurStep<'a>,
    id: &'a str,
}

impl Publisher<'_> {
    /// Whose pull requests it publishes for: the repository's own, those of forks.
    fn about(&self) -> [bool; 2] {
        let on = |event| self.job.on(event);
        [on("pull_request") || on("pull_request_target"), on("workflow_run") || on("pull_request_target")]
    }

    /// Both would say the same: they stand in two files, and neither is given anything that the other is not.
    fn repeats(&self, other: &Self) -> bool {
        let given = |publisher: &Self, name| {
            let pair = publisher.job.given(publisher.step, name);
            pair.map(|pair| pair.value.trim().to_owned())
                .filter(|value| !["", ".", "./"].contains(&value.as_str()))
        };
        let asked = ["suites", "retrievers", "config", "working-directory"];
        self.job.workflow.file != other.job.workflow.file
            && asked.iter().all(|name| given(self, name) == given(other, name))
    }

    fn meets(&self, other: &Self) -> bool {
        self.about().into_iter().zip(other.about()).any(|(mine, theirs)| mine && theirs)
    }
}

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let mut publishers: Vec<Publisher<'_>> = Vec::new();
    for job in &scene.jobs {
        for step in job.steps.iter().filter(|step| step.publishes) {
            if publishes_in_legs(job) {
                let message = "each leg of its matrix publishes";
                let is_reviewed = scene.jobs.iter().any(|other| {
                    let same_file = other.workflow.file == job.workflow.file;
                    same_file && other.publishes() && !other.job.has_matrix
                });
                let cure = if is_reviewed {
                    let set = step.step.set("token", "\"\" # it only measures");
                    Cure::of(set, format!("under `with` of the step at line {}", step.step.line))
                } else {
                    Cure::file(&job.workflow.file, MATRIX)
                };
                found.push(job.finding(&LEGS, step.step.line, message, cure));
            }
            let id = step.step.input("id").map_or("report", |pair| pair.value.trim());
            // When a condition holds is not known here, and two of them may leave each other out.
            if !is_conditional(step, job) {
                publishers.push(Publisher { job, step, id });
            }
        }
    }
    let taken: BTreeSet<&str> = publishers.iter().map(|publisher| publisher.id).collect();
    for (at, publisher) in publishers.iter().enumerate() {
        let Some(other) = publishers[..at].iter().find(|other| other.meets(publisher)) else { continue };
        let place = format!("{}:{}", other.job.workflow.file, other.step.step.line);
        let line = publisher.step.step.line;
        if let Some(twin) = publishers[..at].iter().find(|it| it.meets(publisher) && it.repeats(publisher)) {
            found.push(twice(publisher, twin, scene));
            continue;
        }
        let same = publishers[..at].iter().find(|other| other.meets(publisher) && other.id == publisher.id);
        if let Some(same) = same.filter(|_| !is_expression(publisher.id)) {
            let message = format!(
                "`id` is `{}`, as at {}:{}",
                publisher.id, same.job.workflow.file, same.step.step.line
            );
            let set = publisher.step.step.set("id", &own_id(publisher, &taken));
            let cure = Cure::of(set, format!("under `with` of the step at line {line}"));
            found.push(publisher.job.finding(&COMMENT, line, message, cure));
        }
        let message = format!("`{}` is published here and at {place}", scene.facts.check);
        let page =
            format!("{}: one job that takes the results of all; or remove one of the two", MATRIX.address());
        found.push(publisher.job.finding(&CHECK, line, message, Cure::Page(page)));
    }
    pushes(&publishers, scene, found);
}

/// One of the two goes, and not the half that the one for forks needs.
fn twice(publisher: &Publisher<'_>, twin: &Publisher<'_>, scene: &Scene<'_>) -> Finding {
    let (mine, theirs) = (&publisher.job.workflow.file, &twin.job.workflow.file);
    let is_half = |file: &str| {
        let on_run = |job: &&OurJob<'_>| job.publishes() && job.on("workflow_run");
        file == scene.facts.measures && scene.jobs.iter().find(on_run).is_some()
    };
    let next = if is_half(mine) {
        format!("remove {theirs}: {mine} is what the workflow for forks publishes")
    } else if is_half(theirs) {
        format!("remove {mine}: {theirs} is what the workflow for forks publishes")
    } else {
        format!("remove one of the two, {theirs} or {mine}")
    };
    let line = publisher.step.step.line;
    let message = format!("the same is judged here and at {theirs}:{}", twin.step.step.line);
    let cure = Cure::Lines { place: next, lines: Vec::new() };
    publisher.job.finding(&TWICE, line, message, cure)
}

/// On pushes to the default branch the workflow that is there for it alone is the one that counts.
fn pushes(publishers: &[Publisher<'_>], scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let of_branch = publishers.iter().filter(|publisher| publisher.job.is_of_default_branch());
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for publisher in publishers.iter().filter(|publisher| !publisher.job.is_of_default_branch()) {
        let on = &publisher.job.workflow.on;
        let Some(push) = on.event("push") else { continue };
        let default = scene.facts.default_branch.as_deref();
        let other = of_branch.clone().find(|other| {
            let theirs = other.job.workflow.on.event("push");
            theirs.is_some_and(|theirs| events::meet(push, theirs, default))
        });
        let Some(other) = other.filter(|_| told.insert(&publisher.job.workflow.file)) else { continue };
        let place = format!("{}:{}", other.job.workflow.file, other.step.step.line);
        let message = format!("`{}` of a push is published here and at {place}", scene.facts.check);
        let cure = on.without("push").map_or(Cure::Author("take `push` out of `on`"), Cure::Edit);
        found.push(publisher.job.finding(&PUSHES, push.region.from, message, cure));
    }
}

/// Each leg would need a token that writes, which is not what is wrong with it.
pub(super) fn publishes_in_legs(job: &OurJob<'_>) -> bool {
    job.job.has_matrix && job.publishes()
}

/// An id that nobody else has: the name of the workflow's file, with the step's line if that is taken.
fn own_id(publisher: &Publisher<'_>, taken: &BTreeSet<&str>) -> String {
    let file = publisher.job.workflow.file.rsplit('/').next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default().to_lowercase();
    let slug: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let slug = slug.trim_matches('-');
    let first = if slug.is_empty() { "other" } else { slug };
    if taken.contains(first) { format!("{first}-{}", publisher.step.step.line) } else { first.to_owned() }
}
