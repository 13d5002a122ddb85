//! Two workflows that belong together: one measures the pull requests of forks, the other publishes.

use super::{Scene, listed};
use crate::config::suggestion;
use crate::workflow::model::{Step, is_expression};
use crate::workflow::ours::OurJob;
use crate::workflow::{
    Cure, Example, FORKS_EXTERNAL, FORKS_MEASURE, FORKS_PUBLISH, Finding, Level, Rule, Workflow,
};

pub(super) static UNHEARD: Rule = Rule {
    name: "forks-unheard",
    level: Level::Note,
    about: "verdicts are published on `pull_request` alone",
    why: "the token of a fork's pull request only reads, so that its verdict is no more than the job's result and summary",
};

pub(super) static NO_WORKFLOW: Rule = Rule {
    name: "measuring-workflow-missing",
    level: Level::Error,
    about: "`workflow_run` names a workflow that is not there",
    why: "it never starts",
};

pub(super) static OTHER_FILE: Rule = Rule {
    name: "measuring-workflow-other",
    level: Level::Error,
    about: "the file of the workflow that `workflow_run` names is not the input `workflow`",
    why: "the action refuses what another workflow measured",
};

pub(super) static NO_ARTIFACT: Rule = Rule {
    name: "artifact-missing",
    level: Level::Error,
    about: "the measuring workflow hands no artifact `rankhold` on",
    why: "there is nothing to publish",
};

pub(super) static PARTIAL: Rule = Rule {
    name: "artifact-partial",
    level: Level::Error,
    about: "the artifact `rankhold` of the measuring workflow is not the whole folder that the action wrote",
    why: "what proves which tree was measured is in it too, and without that nothing is published",
};

pub(super) static OTHER_TREE: Rule = Rule {
    name: "published-tree-other",
    level: Level::Error,
    about: "the measuring workflow checks out the test merge, and the publishing one the head",
    why: "the action publishes only what was measured on the tree that it sees",
};

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    unheard(scene, found);
    for job in scene.jobs.iter().filter(|job| job.publishes()) {
        if job.on("workflow_run") {
            named(job, scene, found);
        }
    }
}

/// The first half as it is documented for this repository's retrievers.
fn measuring_example(scene: &Scene<'_>) -> Example {
    if scene.runs_programs() { FORKS_EXTERNAL } else { FORKS_MEASURE }
}

fn unheard(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let mut publishing = scene.jobs.iter().filter(|job| job.publishes());
    let hears_forks = |job: &OurJob<'_>| {
        job.on("workflow_run") || job.on("pull_request_target") || job.starts_are_unknown()
    };
    if publishing.clone().any(hears_forks) {
        return;
    }
    let Some((job, trigger)) = publishing.find_map(|job| Some((job, job.workflow.on.event("pull_request")?)))
    else {
        return;
    };
    let pages = format!("{} and {}", measuring_example(scene).address(), FORKS_PUBLISH.address());
    let message = "pull requests of forks get neither comment nor check";
    found.push(job.finding(&UNHEARD, trigger.region.from, message, Cure::Page(pages)));
}

fn named(job: &OurJob<'_>, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let Some(trigger) = job.workflow.on.event("workflow_run") else { return };
    let Some(step) = job.steps.iter().find(|step| step.publishes) else { return };
    if step.step.input("workflow").is_some_and(|pair| is_expression(&pair.value)) {
        return;
    }
    let expected = step.input("workflow").unwrap_or(scene.facts.measures);
    let names = trigger.filter("workflows").map(|filter| filter.values.as_slice()).unwrap_or_default();
    let line = trigger.filter("workflows").map_or(trigger.region.from, |filter| filter.region.from);
    let measuring = scene.file(expected).or_else(|| only_measuring(scene));
    if names.is_empty() {
        let cure = name_it(job, measuring, scene);
        found.push(job.finding(&NO_WORKFLOW, line, "`workflow_run` names no workflow", cure));
    }
    for name in names {
        let Some(other) = scene.workflows.iter().find(|workflow| workflow.shown() == name) else {
            let known = scene.workflows.iter().map(Workflow::shown);
            let near = suggestion(name, known).map(|near| format!("; did you mean `{near}`?"));
            let message = format!("no workflow is called `{name}`{}", near.unwrap_or_default());
            found.push(job.finding(&NO_WORKFLOW, line, message, name_it(job, measuring, scene)));
            continue;
        };
        if other.file != expected {
            let message = format!("`{name}` is {}, and the input `workflow` is {expected}", other.file);
            let cure = Cure::of(
                step.step.set("workflow", &other.file),
                format!("under `with` of the step at line {}", step.step.line),
            );
            found.push(job.finding(&OTHER_FILE, step.step.line, message, cure));
            continue;
        }
        halves(job, other, scene, found);
    }
}

/// The one workflow that uses rankhold on `pull_request`, if it is the only one.
fn only_measuring<'a>(scene: &Scene<'a>) -> Option<&'a Workflow> {
    let measuring = scene.jobs.iter().filter(|job| job.on("pull_request") && job.measures());
    let mut files: Vec<&Workflow> = measuring.map(|job| job.workflow).collect();
    files.dedup_by(|a, b| a.file == b.file);
    if let [only] = files.as_slice() { Some(only) } else { None }
}

/// Lets `workflow_run` name the measuring workflow; without one it is to be written first.
fn name_it(job: &OurJob<'_>, measuring: Option<&Workflow>, scene: &Scene<'_>) -> Cure {
    let Some(measuring) = measuring else {
        return Cure::file(".github/workflows/rankhold-measure.yml", measuring_example(scene));
    };
    let lines = vec![format!("workflows: {}", listed(&[measuring.shown()]))];
    let trigger = job.workflow.on.event("workflow_run");
    let edit = trigger.and_then(|trigger| trigger.filter("workflows")).map(|it| it.region.replaced(&lines));
    if let Some(Some(edit)) = edit {
        return Cure::Edit(edit);
    }
    let value = listed(&[measuring.shown()]);
    let filters = [("workflows", value), ("types", listed(&["completed"]))];
    Cure::of(job.workflow.on.with("workflow_run", &filters), "in `on`")
}

/// What one half leaves is what the other takes.
fn halves(publishes: &OurJob<'_>, measures: &Workflow, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let here = |job: &&OurJob<'_>| job.workflow.file == measures.file && job.measures();
    let Some(job) = scene.jobs.iter().find(here) else { return };
    let artifact = scene.facts.artifact;
    let uploads = |step: &Step| {
        let name = step.input("name").map_or("artifact", |pair| &pair.value);
        step.is_action("actions/upload-artifact") && (name == artifact || is_expression(name))
    };
    let all_steps = || measures.jobs.iter().flat_map(|job| &job.steps);
    if !all_steps().any(uploads)
        && let Some(step) = job.first()
    {
        let lines = FORKS_MEASURE.step("- name: hand the results on");
        let message = format!("no step uploads an artifact `{artifact}`");
        let place = format!("put in after the step at line {}", step.step.line);
        let cure = Cure::of((step.step.after(&lines), lines), place);
        found.push(job.finding(&NO_ARTIFACT, step.step.line, message, cure));
    }
    let is_whole = |line: &str| line.trim().trim_end_matches(['/', '*']).ends_with("/rankhold");
    for step in all_steps().filter(|step| uploads(step)) {
        let Some(path) = step.input("path") else { continue };
        if path.value.lines().any(is_whole) || !path.value.contains("/rankhold/") {
            continue;
        }
        let message = format!("`{}` is a part of what the action wrote", path.value.trim());
        let cure = Cure::of(
            step.set("path", "${{ runner.temp }}/rankhold/"),
            format!("under `with` of the step at line {}", step.line),
        );
        found.push(job.finding(&PARTIAL, path.region.from, message, cure));
    }
    let head_of = |job: &OurJob<'_>, what: &str| {
        let checkouts = job.job.steps.iter().filter(|step| step.is_action("actions/checkout"));
        checkouts.filter_map(|step| step.input("ref")).any(|pair| pair.value.contains(what))
    };
    let checkout = job.job.steps.iter().find(|step| step.is_action("actions/checkout"));
    let is_merge = checkout.filter(|step| match step.input("ref") {
        None => true,
        Some(pair) => pair.value.contains("github.sha") || pair.value.contains("github.ref"),
    });
    if let Some(checkout) = is_merge
        && head_of(publishes, "workflow_run.head_sha")
        && job.on("pull_request")
    {
        let message =
            format!("{} publishes the tree of the head, and this is the test merge", publishes.workflow.file);
        let cure = Cure::of(
            checkout.set("ref", "${{ github.event.pull_request.head.sha }}"),
            format!("under `with` of the step at line {}", checkout.line),
        );
        found.push(job.finding(&OTHER_TREE, checkout.line, message, cure));
    }
}
