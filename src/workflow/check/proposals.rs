//! What was approved and not committed: some workflow brings its files to the default branch.

use super::{Scene, grants};
use crate::config::ApprovalMode;
use crate::workflow::model::Access;
use crate::workflow::ours::OurJob;
use crate::workflow::{Cure, Finding, Level, PROPOSE, PROPOSE_EXTERNAL, Rule};

pub(super) static UNFILED: Rule = Rule {
    name: "approvals-unfiled",
    level: Level::Note,
    about: "approvals are not committed (`mode = \"record\"`, or forks), and no job on pushes to the default branch may write \
            `contents` and `pull-requests` to propose their files",
    why: "they stay in comments, where every run looks for them, and only as far as 500 commits back",
};

/// Where the documented one goes.
const PATH: &str = ".github/workflows/rankhold-propose.yml";

/// It may write to a branch, and nothing but the default branch starts it: it is there to propose.
pub(super) fn may_propose(job: &OurJob<'_>) -> bool {
    let writes =
        job.permissions().is_some_and(|permissions| grants(permissions.grant.of("contents"), Access::Write));
    job.publishes() && writes && job.is_of_default_branch()
}

/// It has one of the two permissions that a proposal takes, and no other use for it.
pub(super) fn means_to_propose(job: &OurJob<'_>) -> bool {
    let writes = |scope| job.permissions().is_some_and(|own| grants(own.grant.of(scope), Access::Write));
    let is_told = |scope| writes(scope) && job.is_of_default_branch();
    job.publishes() && (is_told("contents") || is_told("pull-requests"))
}

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let answering = scene.jobs.iter().find(|job| job.answers);
    let forks = scene.jobs.iter().any(|job| job.publishes() && job.on("workflow_run"));
    let uncommitted = match scene.facts.approval {
        ApprovalMode::Commit => forks,
        ApprovalMode::Record => true,
        ApprovalMode::File => false,
    };
    let is_proposed =
        scene.jobs.iter().any(|job| means_to_propose(job) || (job.publishes() && job.starts_are_unknown()));
    let Some(job) = answering.filter(|_| uncommitted && !is_proposed) else { return };
    let line = job.workflow.on.event("issue_comment").map_or(job.job.line, |trigger| trigger.region.from);
    let message = format!("what is approved here has no way into a file: {PATH} is not there");
    let example = if scene.runs_programs() { PROPOSE_EXTERNAL } else { PROPOSE };
    found.push(job.finding(&UNFILED, line, message, Cure::file(PATH, example)));
}
