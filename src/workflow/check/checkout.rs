//! The tree that a job measures: there, the right one, and without more than is needed.

use super::Scene;
use crate::workflow::model::{Pair, Step, is_expression};
use crate::workflow::ours::{OurJob, OurStep};
use crate::workflow::{Cure, FORKS_PUBLISH, Finding, Level, Rule, SAME_REPOSITORY};

pub(super) static MISSING: Rule = Rule {
    name: "checkout-missing",
    level: Level::Error,
    about: "no step with actions/checkout comes before the one that uses rankhold",
    why: "there is no tree, and nobody knows which commit it would be",
};

pub(super) static OTHER: Rule = Rule {
    name: "checkout-other",
    level: Level::Error,
    about: "actions/checkout is given a `ref` that is not what the event is about",
    why: "the action refuses a tree that is neither the head nor a merge of it",
};

pub(super) static MOVING: Rule = Rule {
    name: "checkout-moving",
    level: Level::Warning,
    about: "actions/checkout is given the name of the head's branch",
    why: "the branch may move between event and checkout, and the tree is then none of this event",
};

pub(super) static CREDENTIALS: Rule = Rule {
    name: "credentials-kept",
    level: Level::Warning,
    about: "actions/checkout leaves its token where retrievers that are programs run",
    why: "a program can read it, and `persist-credentials` is true unless it is said otherwise",
};

pub(super) static HISTORY: Rule = Rule {
    name: "history-unneeded",
    level: Level::Note,
    about: "`fetch-depth` of a job in which nothing but the action looks at the tree",
    why: "the action asks GitHub for history, so that the one commit of the default is enough",
};

const HEAD: &str = "${{ github.event.pull_request.head.sha }}";
const RUN_HEAD: &str = "${{ github.event.workflow_run.head_sha }}";

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for job in scene.jobs.iter().filter(|job| !job.answers) {
        let Some(first) = job.first() else { continue };
        let before = &job.job.steps[..first.at];
        let checkout = before.iter().rfind(|step| is_checkout(step) && is_of_workspace(step));
        match checkout {
            None => missing(job, before, found),
            Some(checkout) => {
                if job.steps.iter().any(OurStep::acts) {
                    reference(job, checkout, found);
                }
                history(job, checkout, found);
            }
        }
        credentials(job, found);
    }
}

fn is_checkout(step: &Step) -> bool {
    step.is_action("actions/checkout")
}

/// It fills the workspace itself, with this repository.
fn is_of_workspace(step: &Step) -> bool {
    let elsewhere = |pair: &Pair| !["", ".", "./"].contains(&pair.value.trim());
    let foreign = |pair: &Pair| !is_expression(&pair.value) && !pair.value.trim().is_empty();
    !step.input("path").is_some_and(elsewhere) && !step.input("repository").is_some_and(foreign)
}

fn missing(job: &OurJob<'_>, before: &[Step], found: &mut Vec<Finding>) {
    let by_hand = ["git clone", "git fetch", "git checkout", "gh repo clone"];
    let is_by_hand = |step: &Step| {
        step.run.as_ref().is_some_and(|run| by_hand.iter().any(|words| run.text.contains(words)))
    };
    let Some(step) = job.steps.first().filter(|_| !before.iter().any(is_by_hand)) else { return };
    let example = if job.on("workflow_run") { FORKS_PUBLISH } else { SAME_REPOSITORY };
    let mut lines = example.step("- uses: actions/checkout@");
    if job.on("pull_request_target") {
        lines
            .insert(2.min(lines.len()), format!("    ref: {HEAD} # a stranger's tree: data, and never more"));
    }
    let message = match before.iter().find(|step| is_checkout(step)) {
        Some(_) => "the only checkout before it fills another folder or is of another repository",
        None => "no step checks the tree out",
    };
    let place = format!("put in before the step at line {}", step.step.line);
    let cure = Cure::of((step.step.before(&lines), lines), place);
    found.push(job.finding(&MISSING, step.step.line, message, cure));
}

fn reference(job: &OurJob<'_>, checkout: &Step, found: &mut Vec<Finding>) {
    let given = checkout.input("ref").filter(|pair| !pair.value.trim().is_empty());
    let value = given.map(|pair| pair.value.as_str()).unwrap_or_default();
    let line = given.map_or(checkout.line, |pair| pair.region.from);
    let set = |value: &str| {
        Cure::of(checkout.set("ref", value), format!("under `with` of the step at line {}", checkout.line))
    };
    if job.on("workflow_run") && !job.on("pull_request") {
        if is_known(value) && !value.contains("workflow_run.head") {
            let message = "the default branch is checked out, and not what the other workflow measured";
            found.push(job.finding(&OTHER, line, message, set(RUN_HEAD)));
        }
        return;
    }
    let is_head = ["pull_request.head", "github.head_ref", "refs/pull/", "merge_commit_sha"];
    if job.on("pull_request_target") && is_known(value) && !is_head.iter().any(|it| value.contains(it)) {
        let message = "the base is checked out, and not the pull request";
        found.push(job.finding(&OTHER, line, message, set(HEAD)));
        return;
    }
    let Some(pair) = given.filter(|_| job.on("pull_request")) else { return };
    let is_literal = !is_expression(value) && !value.starts_with("refs/pull/");
    let of_base = ["pull_request.base", "github.base_ref", "default_branch"];
    if is_literal || of_base.iter().any(|words| value.contains(words)) {
        let message = format!("`ref: {value}` is not the tree of the pull request");
        let cure = checkout.unset(pair).map_or(Cure::Author("take `ref` out"), Cure::Edit);
        found.push(job.finding(&OTHER, line, message, cure));
    } else if ["github.head_ref", "pull_request.head.ref"].iter().any(|words| value.contains(words)) {
        let message = format!("`ref: {value}` is a branch and no commit");
        found.push(job.finding(&MOVING, line, message, set(HEAD)));
    }
}

/// What an expression of other steps or jobs gives is not known here.
fn is_known(value: &str) -> bool {
    !is_expression(value) || value.contains("github.")
}

fn credentials(job: &OurJob<'_>, found: &mut Vec<Finding>) {
    let programs: Vec<_> = job.programs_that_run().collect();
    let Some(program) = programs.first() else { return };
    for checkout in job.job.steps.iter().filter(|step| is_checkout(step)) {
        let kept = checkout.input("persist-credentials").is_none_or(|pair| pair.value.trim() != "false");
        if !kept {
            continue;
        }
        let message = format!("the checkout keeps its token where `{}` runs", program.retriever);
        let place = format!("under `with` of the step at line {}", checkout.line);
        let cure = Cure::of(checkout.set("persist-credentials", "false"), place);
        found.push(job.finding(&CREDENTIALS, checkout.line, message, cure));
    }
}

fn history(job: &OurJob<'_>, checkout: &Step, found: &mut Vec<Finding>) {
    let Some(depth) = checkout.input("fetch-depth").filter(|pair| pair.value.trim() != "1") else { return };
    let asks_nobody = |(at, step): (usize, &Step)| {
        let ours = job.steps.iter().find(|ours| ours.at == at);
        let known = ["actions/checkout", "actions/upload-artifact", "actions/download-artifact"];
        match ours {
            Some(ours) => ours.is_used(),
            None => known.iter().any(|name| step.is_action(name)),
        }
    };
    if !job.job.steps.iter().enumerate().all(asks_nobody) {
        return;
    }
    let message = format!("`fetch-depth: {}` fetches history that nobody looks at", depth.value);
    let cure = checkout.unset(depth).map_or(Cure::Author("take `fetch-depth` out"), Cure::Edit);
    found.push(job.finding(&HISTORY, depth.region.from, message, cure));
}
