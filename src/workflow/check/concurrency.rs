//! Of two runs about the same pull request only the newer is wanted, and no other run must stand in its way.

use std::collections::BTreeSet;

use super::{Scene, begins, publishers, scalar};
use crate::workflow::model::Concurrency;
use crate::workflow::ours::OurJob;
use crate::workflow::{Cure, Finding, Level, Region, Rule};

pub(super) static MISSING: Rule = Rule {
    name: "concurrency-missing",
    level: Level::Warning,
    about: "neither job nor workflow have `concurrency`",
    why: "a run about an old head measures on after a push, and the new one waits for a free runner",
};

pub(super) static SHARED: Rule = Rule {
    name: "concurrency-shared",
    level: Level::Error,
    about: "the group of `concurrency` is the same for several pull requests, groups of the queue, legs or jobs",
    why: "they cancel each other, and their verdict never comes",
};

pub(super) static BRANCH: Rule = Rule {
    name: "concurrency-branch",
    level: Level::Warning,
    about: "the group of `concurrency` tells pull requests apart by the name of their branch alone, `github.head_ref`",
    why: "two forks with a branch of the same name cancel each other, and on other events the name is empty",
};

pub(super) static WAITS: Rule = Rule {
    name: "concurrency-waits",
    level: Level::Note,
    about: "`cancel-in-progress` of a job on pull requests is not true",
    why: "the verdict on a push waits for the run about the head before it",
};

/// What tells two runs of an event apart, by the words of its context.
const APART: [(&str, &[&str]); 4] = [
    (
        "pull_request",
        &[
            "pull_request.number",
            "event.number",
            "github.ref",
            "github.head_ref",
            "pull_request.head",
            "github.sha",
        ],
    ),
    ("pull_request_target", &["pull_request.number", "event.number", "github.head_ref", "pull_request.head"]),
    ("workflow_run", &["workflow_run.head", "workflow_run.id"]),
    ("merge_group", &["github.ref", "merge_group.head", "github.sha"]),
];

/// Words that tell runs of every event apart.
const ALWAYS_APART: [&str; 1] = ["github.run_"];

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for (at, job) in scene.jobs.iter().enumerate() {
        let is_awaited = APART.iter().any(|(event, _)| job.on(event));
        if job.first().is_none() || job.answers || !is_awaited {
            continue;
        }
        let own = job.job.concurrency.as_ref();
        let Some(now) = own.or(job.workflow.concurrency.as_ref()) else {
            // Who calls it may have the group.
            if job.is_called() {
                continue;
            }
            let message = "`concurrency` is missing, in the job and in the workflow";
            let cure = job.put(lines(&free(job, base(job), None, scene)));
            found.push(job.finding(&MISSING, job.job.line, message, cure));
            continue;
        };
        if let Some(message) = shared(job, now, own.is_some()) {
            let group = free(job, base(job), Some(now), scene);
            found.push(job.finding(&SHARED, now.region.from, message, cure(now, &group)));
        } else if let Some(message) = by_branch(job, now) {
            let group = free(job, base(job), Some(now), scene);
            found.push(job.finding(&BRANCH, now.region.from, message, cure(now, &group)));
        } else if let Some(message) = own
            .filter(|_| !is_one_too_many(job, found))
            .and_then(|own| same_group(job, own, &scene.jobs[..at]))
        {
            let name = format!("{}-{}", stem(&job.workflow.file), job.job.id);
            let group = free(job, &name, Some(now), scene);
            found.push(job.finding(&SHARED, now.region.from, message, cure(now, &group)));
        }
        let on_pulls = ["pull_request", "pull_request_target"].iter().any(|event| job.on(event));
        let cancels = now.cancel.as_deref().is_some_and(|cancel| cancel.trim() != "false");
        if on_pulls && !cancels {
            let message = "an older run is not cancelled";
            found.push(job.finding(&WAITS, now.region.from, message, cure(now, &now.group)));
        }
    }
}

/// Why runs that have nothing to do with each other are in this group.
fn shared(job: &OurJob<'_>, now: &Concurrency, is_own: bool) -> Option<String> {
    let group = now.group.as_str();
    // An expression of unknown values may tell everything apart.
    let has = |words: &[&str]| words.iter().any(|word| group.contains(word));
    let is_unknown =
        ["inputs.", "vars.", "env.", "needs.", "fromJSON", "format("].iter().any(|it| group.contains(it));
    if is_unknown || has(&ALWAYS_APART) {
        return None;
    }
    let together = APART.iter().find(|(event, words)| job.on(event) && !has(words));
    if let Some((event, _)) = together {
        return Some(format!("`{group}` is one group for every `{event}`"));
    }
    if is_own && job.job.has_matrix && !has(&["matrix.", "strategy."]) {
        return Some(format!("`{group}` is one group for every leg of the matrix"));
    }
    None
}

/// The name of a branch is all that tells its pull requests apart.
fn by_branch(job: &OurJob<'_>, now: &Concurrency) -> Option<String> {
    let group = now.group.as_str();
    let has = |words: &[&str]| words.iter().any(|word| group.contains(word));
    // `github.ref` is the pull request's own, unless the branch's name goes before it.
    let by_ref = |part: &str| part.contains("github.ref") && !part.contains("head_ref");
    let is_told = has(&["number", "repo.", "repository", "head.sha", "github.sha", "head.label"])
        || group.split("${{").any(by_ref);
    let is_shared = has(&["github.head_ref", "pull_request.head.ref"]) && !is_told;
    (is_shared && job.on("pull_request"))
        .then(|| format!("`{group}` is one group for two forks with the same branch"))
}

/// Its workflow was told to be one of two that judge the same: a group of its own would only hide that.
fn is_one_too_many(job: &OurJob<'_>, found: &[Finding]) -> bool {
    let mut twice = found.iter().filter(|finding| finding.rule.name == publishers::TWICE.name);
    twice.any(|finding| finding.file == job.workflow.file)
}

/// Which job before this one is in the same group although both may run at once.
fn same_group(job: &OurJob<'_>, now: &Concurrency, before: &[OurJob<'_>]) -> Option<String> {
    let group = now.group.trim();
    if job.workflow.concurrency.as_ref().is_some_and(|whole| whole.group.trim() == group) {
        return Some(format!(
            "`{group}` is the group of the whole workflow too, so that its job waits for itself"
        ));
    }
    let of_group = |other: &&OurJob<'_>| {
        other.job.concurrency.as_ref().is_some_and(|theirs| theirs.group.trim() == group)
    };
    let other = before.iter().filter(of_group).find(|other| {
        let same_file = other.workflow.file == job.workflow.file;
        let follows =
            same_file && (job.job.needs.contains(&other.job.id) || other.job.needs.contains(&job.job.id));
        let apart =
            follows || (!same_file && group.contains("github.workflow")) || group.contains("github.job");
        let together = APART.iter().any(|(event, _)| job.on(event) && other.on(event));
        together && !apart
    })?;
    Some(format!("`{group}` is the group of the job `{}` in {} too", other.job.id, other.workflow.file))
}

/// As the examples call it.
fn base(job: &OurJob<'_>) -> &'static str {
    match (job.publishes(), job.on("workflow_run")) {
        (true, true) => "rankhold-publish",
        (true, false) => "rankhold",
        (false, _) => "rankhold-measure",
    }
}

/// A group for the job that is called like that, or with a number where another job has one of that name.
fn free(job: &OurJob<'_>, name: &str, now: Option<&Concurrency>, scene: &Scene<'_>) -> String {
    let all = scene.workflows.iter().flat_map(|workflow| {
        let of_jobs = workflow.jobs.iter().map(|job| job.concurrency.as_ref());
        of_jobs.chain([workflow.concurrency.as_ref()]).flatten().map(move |it| (workflow, it))
    });
    let others = all.filter(|(workflow, it)| {
        let is_now = now.is_some_and(|now| now.region == it.region);
        !(is_now && workflow.file == job.workflow.file)
    });
    let taken: BTreeSet<&str> = others.map(|(_, it)| begins(&it.group)).collect();
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut groups = std::iter::once(name.to_owned()).chain(numbered).map(|name| group(job, &name));
    groups.find(|group| !taken.contains(begins(group))).expect("some number is free")
}

/// The group of a job that begins with that name.
fn group(job: &OurJob<'_>, name: &str) -> String {
    let leg = if job.job.has_matrix { "-${{ strategy.job-index }}" } else { "" };
    let is_also_awaited = APART.iter().any(|(event, _)| *event != "workflow_run" && job.on(event));
    let apart = if job.on("workflow_run") && is_also_awaited {
        "${{ github.event.workflow_run.head_sha || github.event.pull_request.number || github.ref }}"
    } else if job.on("workflow_run") {
        "${{ github.event.workflow_run.head_repository.full_name }}-${{ github.event.workflow_run.head_branch }}"
    } else {
        "${{ github.event.pull_request.number || github.ref }}"
    };
    format!("{name}{leg}-{apart}")
}

fn lines(group: &str) -> Vec<String> {
    vec![
        "concurrency:".to_owned(),
        format!("  group: {}", scalar(group)),
        "  cancel-in-progress: true".to_owned(),
    ]
}

/// The right group in the place of the one that counts now.
fn cure(now: &Concurrency, group: &str) -> Cure {
    let lines = lines(group);
    let region: &Region = &now.region;
    let place = format!("in the place of `concurrency` at line {}", region.from);
    Cure::of((region.replaced(&lines), lines), place)
}

fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.split('.').next().unwrap_or(name)
}
