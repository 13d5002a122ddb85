//! Programs beside a token: whoever can run one can read the environment of what started it.

use super::{Scene, listed, proposals};
use crate::workflow::model::{Access, Grant, is_expression};
use crate::workflow::ours::{Kind, OurJob};
use crate::workflow::{Cure, EXTERNAL, FORKS_EXTERNAL, Finding, Level, PROPOSE_EXTERNAL, Pair, Rule};

pub(super) static ONE_JOB: Rule = Rule {
    name: "one-job",
    level: Level::Error,
    about: "one job measures retrievers that are programs and holds a token that writes",
    why: "a program can read the token of its job; in a job that has one the action runs none, and its pair counts as not \
          measured",
};

pub(super) static TARGET: Rule = Rule {
    name: "target-runs-programs",
    level: Level::Error,
    about: "`pull_request_target` checks out the head and measures retrievers that are programs",
    why: "a stranger's code would run with the rights of the default branch",
};

/// The types of `pull_request` that matter.
pub(super) const TYPES: [&str; 4] = ["opened", "synchronize", "reopened", "edited"];

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for job in &scene.jobs {
        beside_a_token(job, scene, found);
        of_a_stranger(job, found);
    }
}

fn beside_a_token(job: &OurJob<'_>, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let programs: Vec<&Pair> = job.steps.iter().flat_map(|step| &step.programs).collect();
    let Some(step) = job.steps.iter().find(|step| !step.programs.is_empty()) else { return };
    let names = names(&programs);
    if job.publishes() {
        let message = format!("{names} is measured by a job that holds a token");
        found.push(job.finding(&ONE_JOB, step.step.line, message, two_jobs(job, scene)));
        return;
    }
    if let Some(own) = job.permissions().filter(|permissions| writes(&permissions.grant)) {
        let lines = vec!["permissions:".to_owned(), "  contents: read # the tree".to_owned()];
        let message = format!("{names} is measured by a job whose token may write");
        let cure = match &job.job.permissions {
            Some(_) => Cure::of(
                (own.region.replaced(&lines), lines),
                format!("in the place of `permissions` of the job `{}`", job.job.id),
            ),
            None => job.put(lines),
        };
        found.push(job.finding(&ONE_JOB, own.region.from, message, cure));
    }
    let on_runner = job.steps.iter().filter(|step| !step.programs.is_empty() && step.kind != Kind::Action);
    let envs = [&job.workflow.env, &job.job.env];
    let given = on_runner.map(|step| &step.step.env).chain(envs).flatten();
    for pair in given.filter(|pair| is_token(&pair.value)) {
        let message = format!("{names} is measured with the job's token in `{}`", pair.key);
        let cure = Cure::of((pair.region.removed(), Vec::new()), "take the variable out");
        found.push(job.finding(&ONE_JOB, pair.region.from, message, cure));
    }
}

/// The documented workflow that does the same with two jobs.
fn two_jobs(job: &OurJob<'_>, scene: &Scene<'_>) -> Cure {
    let is_published = scene.jobs.iter().filter(|other| other.publishes()).any(|other| {
        let names = other.workflow.on.event("workflow_run").and_then(|trigger| trigger.filter("workflows"));
        names.is_some_and(|names| names.values.iter().any(|name| name == job.workflow.shown()))
    });
    let example = if proposals::may_propose(job) {
        PROPOSE_EXTERNAL
    } else if job.is_of_default_branch() || job.on("merge_group") {
        return Cure::Page(format!("{}: its two jobs, on the events of this workflow", EXTERNAL.address()));
    } else if is_published {
        FORKS_EXTERNAL
    } else {
        EXTERNAL
    };
    Cure::File { path: job.workflow.file.clone(), example }
}

fn of_a_stranger(job: &OurJob<'_>, found: &mut Vec<Finding>) {
    let Some(trigger) = job.workflow.on.event("pull_request_target") else { return };
    let heads = ["pull_request.head", "github.head_ref", "refs/pull/", "merge_commit_sha"];
    let head = job.job.steps.iter().filter(|step| step.is_action("actions/checkout")).find(|step| {
        step.input("ref").is_some_and(|pair| heads.iter().any(|head| pair.value.contains(head)))
    });
    let programs: Vec<&Pair> = job.programs_on_runner().collect();
    if head.is_none() || programs.is_empty() {
        return;
    }
    let message = format!("{} is measured on the head under `pull_request_target`", names(&programs));
    let types = format!("types: {} # edited: it may have another base branch", listed(&TYPES));
    let lines = vec!["pull_request:".to_owned(), format!("  {types}")];
    let on = &job.workflow.on;
    let cure = if on.event("pull_request").is_some() {
        on.without("pull_request_target")
            .map_or(Cure::Author("take `pull_request_target` out of `on`"), Cure::Edit)
    } else {
        let edit = if on.is_map { trigger.region.replaced(&lines) } else { None };
        Cure::of((edit, lines), "in `on`, in the place of `pull_request_target`")
    };
    found.push(job.finding(&TARGET, trigger.region.from, message, cure));
}

/// `ours` and `theirs` (the retrievers' names, each once)
fn names(programs: &[&Pair]) -> String {
    let mut names: Vec<_> = programs.iter().map(|pair| format!("`{}`", pair.retriever)).collect();
    names.sort();
    names.dedup();
    names.join(" and ")
}

fn writes(grant: &Grant) -> bool {
    match grant {
        Grant::All(access) => *access == Access::Write,
        Grant::Scopes(scopes) => scopes.values().any(|access| *access == Access::Write),
    }
}

/// The job's own token, by either of its names.
fn is_token(value: &str) -> bool {
    is_expression(value) && (value.contains("github.token") || value.contains("secrets.GITHUB_TOKEN"))
}
