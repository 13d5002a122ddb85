//! Keys that GitHub does not know, and those that it cannot do without: it refuses the whole file then. Looked at is what the
//! other checks read, and no more: this is no check of syntax.

use super::Scene;
use crate::config::suggestion;
use crate::workflow::model::{Grant, Job, Keys, Step, Trigger, Workflow, is_expression};
use crate::workflow::{Cure, Finding, Level, Region, Rule};

pub(super) static UNKNOWN: Rule = Rule {
    name: "key-unknown",
    level: Level::Error,
    about: "a workflow, an event, a job, a step or `permissions` have a key that GitHub does not know there",
    why: "GitHub refuses the whole file, and no run of it ever starts",
};

pub(super) static MISSING: Rule = Rule {
    name: "key-missing",
    level: Level::Error,
    about: "a job has no `runs-on`, a step neither `uses` nor `run`, or the action under `uses` no version",
    why: "GitHub refuses the whole file, and no run of it ever starts",
};

const TOP: [&str; 8] = ["name", "run-name", "on", "permissions", "env", "defaults", "concurrency", "jobs"];

const JOB: [&str; 19] = [
    "name",
    "permissions",
    "needs",
    "if",
    "runs-on",
    "environment",
    "concurrency",
    "outputs",
    "env",
    "defaults",
    "steps",
    "timeout-minutes",
    "strategy",
    "continue-on-error",
    "container",
    "services",
    "uses",
    "with",
    "secrets",
];

const STEP: [&str; 11] = [
    "id",
    "if",
    "name",
    "uses",
    "run",
    "working-directory",
    "shell",
    "with",
    "env",
    "continue-on-error",
    "timeout-minutes",
];

/// What a token may be allowed. GitHub adds some now and then, so that only what is nearly one of these is told.
const SCOPES: [&str; 17] = [
    "actions",
    "artifact-metadata",
    "attestations",
    "checks",
    "contents",
    "deployments",
    "discussions",
    "id-token",
    "issues",
    "models",
    "packages",
    "pages",
    "pull-requests",
    "repository-projects",
    "security-events",
    "statuses",
    "vulnerability-alerts",
];

const ON_PULLS: [&str; 5] = ["types", "branches", "branches-ignore", "paths", "paths-ignore"];
const ON_PUSH: [&str; 6] = ["branches", "branches-ignore", "tags", "tags-ignore", "paths", "paths-ignore"];
const ON_RUN: [&str; 4] = ["types", "workflows", "branches", "branches-ignore"];
const ON_QUEUE: [&str; 3] = ["types", "branches", "branches-ignore"];

/// The filters of an event, as far as one is known.
fn filters(event: &str) -> Option<&'static [&'static str]> {
    match event {
        "pull_request" | "pull_request_target" => Some(&ON_PULLS),
        "push" => Some(&ON_PUSH),
        "workflow_run" => Some(&ON_RUN),
        "merge_group" => Some(&ON_QUEUE),
        "issue_comment" => Some(&["types"]),
        "workflow_dispatch" => Some(&["inputs"]),
        "workflow_call" => Some(&["inputs", "outputs", "secrets"]),
        _ => None,
    }
}

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for workflow in scene.workflows.iter().filter(|workflow| workflow.names_us()) {
        let mut place = Place { workflow, job: None, found };
        place.unknown(&workflow.keys, &TOP, "a workflow");
        for trigger in &workflow.on.triggers {
            place.filters(trigger);
        }
        place.scopes(workflow.permissions.as_ref().map(|own| (&own.grant, &own.region)));
        for job in &workflow.jobs {
            place.job = Some(job);
            place.unknown(&job.keys, &JOB, "a job");
            place.scopes(job.permissions.as_ref().map(|own| (&own.grant, &own.region)));
            place.machine(job);
            for step in &job.steps {
                place.step(step);
            }
        }
    }
}

/// Where is looked.
struct Place<'a> {
    workflow: &'a Workflow,
    job: Option<&'a Job>,
    found: &'a mut Vec<Finding>,
}

impl Place<'_> {
    fn push(&mut self, rule: &'static Rule, line: usize, message: String, cure: Cure) {
        let job = self.job.map(|job| job.id.clone());
        self.found.push(Finding { rule, file: self.workflow.file.clone(), line, job, message, cure });
    }

    fn unknown(&mut self, keys: &Keys, known: &[&'static str], whose: &str) {
        for (key, region) in &keys.0 {
            if !known.contains(&key.as_str()) {
                let near = suggestion(key, known.iter().copied());
                // Two of one name would be refused as well.
                let free = near.filter(|near| keys.of(near).is_none());
                self.misspelt(key, region, near, free, whose);
            }
        }
    }

    fn misspelt(&mut self, key: &str, region: &Region, near: Option<&str>, free: Option<&str>, whose: &str) {
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let edit = free.and_then(|near| self.workflow.renamed(region, key, near));
        let cure = edit.map_or(Cure::Author("call it by its name, or take it out"), Cure::Edit);
        self.push(&UNKNOWN, region.from, format!("{whose} has no key `{key}`{hint}"), cure);
    }

    fn filters(&mut self, trigger: &Trigger) {
        let Some(known) = filters(&trigger.event) else { return };
        for filter in trigger.filters.iter().filter(|filter| !known.contains(&filter.key.as_str())) {
            let near = suggestion(&filter.key, known.iter().copied());
            let free = near.filter(|near| trigger.filter(near).is_none());
            self.misspelt(&filter.key, &filter.region, near, free, &format!("`{}`", trigger.event));
        }
    }

    fn scopes(&mut self, granted: Option<(&Grant, &Region)>) {
        let Some((Grant::Scopes(scopes), region)) = granted else { return };
        for scope in scopes.keys().filter(|scope| !SCOPES.contains(&scope.as_str())) {
            let Some(near) = suggestion(scope, SCOPES) else { continue };
            let free = Some(near).filter(|near| !scopes.contains_key(*near));
            self.misspelt(scope, region, Some(near), free, "`permissions`");
        }
    }

    /// A job says where it runs, unless it calls a workflow that does.
    fn machine(&mut self, job: &Job) {
        let is_near =
            |key: &str| suggestion(key, JOB) == Some("runs-on") || suggestion(key, JOB) == Some("uses");
        if job.keys.0.iter().any(|(key, _)| is_near(key)) {
            return;
        }
        let lines = vec!["runs-on: ubuntu-24.04".to_owned()];
        let edit = job.keys.of("steps").and_then(|steps| steps.preceded(&lines));
        let cure = Cure::of((edit, lines), format!("put into the job `{}`", job.id));
        self.push(&MISSING, job.line, "`runs-on` is missing".to_owned(), cure);
    }

    fn step(&mut self, step: &Step) {
        self.unknown(&step.keys, &STEP, "a step");
        let is_near = |key: &str| ["uses", "run"].map(Some).contains(&suggestion(key, STEP));
        if !step.keys.0.iter().any(|(key, _)| is_near(key)) {
            let cure = Cure::Author("say under `uses` or `run` what it does");
            self.push(&MISSING, step.line, "the step has neither `uses` nor `run`".to_owned(), cure);
        }
        let Some(uses) = &step.uses else { return };
        let text = uses.text.trim();
        let is_local = text.starts_with("./") || text.starts_with("docker://");
        if is_local || text.contains('@') || is_expression(text) {
            return;
        }
        let is_of_somebody = text.contains('/') && text.to_ascii_lowercase().contains("rankhold");
        let edit = is_of_somebody.then(|| uses.region.replaced(&[format!("uses: {text}@main")])).flatten();
        let cure = edit.map_or(Cure::Author("let `@` and the commit of a release follow it"), Cure::Edit);
        self.push(&MISSING, uses.region.from, format!("`{text}` names no version"), cure);
    }
}
