//! The machine that a job runs on.

use super::Scene;
use crate::workflow::ours::Kind;
use crate::workflow::{Cure, Finding, Level, Rule};

pub(super) static UNFIT: Rule = Rule {
    name: "runner-unfit",
    level: Level::Error,
    about: "the action, or its `setup`, is to run on Windows or macOS",
    why: "the action is a container, which GitHub starts on Linux alone, and `setup` has programs for Linux",
};

/// As the examples say it.
const LINUX: &str = "runs-on: ubuntu-24.04";

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for job in &scene.jobs {
        let Some(runner) = &job.job.runner else { continue };
        let is_other = |label: &&String| {
            let label = label.to_lowercase();
            ["windows", "macos"].iter().any(|system| label.starts_with(system))
        };
        let Some(label) = runner.values.iter().find(is_other) else { continue };
        if !job.steps.iter().any(|step| matches!(step.kind, Kind::Action | Kind::Setup)) {
            continue;
        }
        let lines = vec![LINUX.to_owned()];
        let place = format!("in the place of `runs-on` of the job `{}`", job.job.id);
        let cure = Cure::of((runner.region.replaced(&lines), lines), place);
        found.push(job.finding(&UNFIT, runner.region.from, format!("it runs on `{label}`"), cure));
    }
}
