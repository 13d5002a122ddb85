//! Results on their way from the jobs that measure to the one that reviews them.

use super::{Scene, goes_on, scalar};
use crate::workflow::model::{Keys, Said};
use crate::workflow::ours::OurJob;
use crate::workflow::{Cure, Edit, Finding, Level, Rule};

pub(super) static SKIPPED: Rule = Rule {
    name: "review-skipped",
    level: Level::Error,
    about: "a job reviews the results of others without `if: ${{ !cancelled() }}`",
    why: "it is skipped when one of them fails, and the verdict that something was not measured never comes",
};

pub(super) static LOST: Rule = Rule {
    name: "results-lost",
    level: Level::Warning,
    about: "a step uploads results without `if: ${{ !cancelled() }}`",
    why: "when one pair cannot be measured, the results of the others are lost",
};

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for job in &scene.jobs {
        if job.publishes() {
            skipped(job, scene, found);
        }
        if job.measures() {
            lost(job, found);
        }
    }
}

fn skipped(job: &OurJob<'_>, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let measures = |id: &&String| {
        let same = |other: &&OurJob<'_>| other.workflow.file == job.workflow.file && other.job.id == **id;
        scene.jobs.iter().filter(same).any(OurJob::measures)
    };
    let Some(measuring) = job.job.needs.iter().find(measures) else { return };
    if goes_on(job.job.condition.as_ref()) {
        return;
    }
    let (edit, lines) = condition(job.job.condition.as_ref(), &job.job.keys, "needs");
    let place = format!("put into the job `{}`", job.job.id);
    let line = job.job.keys.of("needs").map_or(job.job.line, |needs| needs.from);
    let message = format!("it is skipped when `{measuring}` fails");
    found.push(job.finding(&SKIPPED, line, message, Cure::of((edit, lines), place)));
}

fn lost(job: &OurJob<'_>, found: &mut Vec<Finding>) {
    let Some(first) = job.steps.iter().find(|step| step.measures) else { return };
    let after = job.job.steps.iter().skip(first.at + 1);
    for upload in after.filter(|step| step.is_action("actions/upload-artifact")) {
        if goes_on(upload.condition.as_ref()) {
            continue;
        }
        let key = upload.keys.0.first().map_or("uses", |(key, _)| key.as_str());
        let (edit, lines) = condition(upload.condition.as_ref(), &upload.keys, key);
        let place = format!("put into the step at line {}", upload.line);
        let message = "the upload is skipped when a pair cannot be measured";
        found.push(job.finding(&LOST, upload.line, message, Cure::of((edit, lines), place)));
    }
}

/// The condition that goes on, joined with the one that is there, else after that key.
fn condition(now: Option<&Said>, keys: &Keys, after: &str) -> (Option<Edit>, Vec<String>) {
    let Some(now) = now else {
        let lines = vec!["if: ${{ !cancelled() }}".to_owned()];
        return (keys.of(after).and_then(|key| key.followed(&lines)), lines);
    };
    let inner = now.text.trim();
    let inner = inner.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(inner);
    let inner = inner.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines = vec![format!("if: {}", scalar(&format!("${{{{ !cancelled() && ({inner}) }}}}")))];
    (now.region.replaced(&lines), lines)
}
