//! The machine that a job runs on.

use super::Scene;
use crate::workflow::model::Step;
use crate::workflow::ours::{OurJob, OurStep};
use crate::workflow::{Cure, EXTERNAL, Finding, Level, Rule};

pub(super) static UNFIT: Rule = Rule {
    name: "runner-unfit",
    level: Level::Error,
    about: "the action, or its `setup`, is to run on Windows or macOS",
    why: "the action is a container, which GitHub starts on Linux alone, and `setup` has programs for Linux",
};

pub(super) static RETIRED: Rule = Rule {
    name: "runner-retired",
    level: Level::Error,
    about: "a job is to run on `ubuntu-20.04` or an older one",
    why: "GitHub has no such machine any more, and the job waits until it is cancelled",
};

pub(super) static ACTION: Rule = Rule {
    name: "action-retired",
    level: Level::Error,
    about: "a step uses version 3 or an older one of actions/upload-artifact or actions/download-artifact",
    why: "GitHub fails every run of it (GitHub Enterprise Server has it still)",
};

/// Systems that are gone.
const GONE: [&str; 3] = ["ubuntu-20.04", "ubuntu-18.04", "ubuntu-16.04"];

/// As the examples say it.
const LINUX: &str = "runs-on: ubuntu-24.04";

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for job in &scene.jobs {
        for step in &job.job.steps {
            retired(job, step, found);
        }
        let Some(runner) = &job.job.runner else { continue };
        let place = format!("in the place of `runs-on` of the job `{}`", job.job.id);
        if let Some(label) = runner.values.iter().find(|label| GONE.contains(&label.to_lowercase().as_str()))
        {
            let lines = vec![LINUX.to_owned()];
            let cure = Cure::of((runner.region.replaced(&lines), lines), place.as_str());
            found.push(job.finding(&RETIRED, runner.region.from, format!("it runs on `{label}`"), cure));
        }
        let is_other = |label: &&String| {
            let label = label.to_lowercase();
            ["windows", "macos"].iter().any(|system| label.starts_with(system))
        };
        let Some(label) = runner.values.iter().find(is_other) else { continue };
        if !job.steps.iter().any(OurStep::is_used) {
            continue;
        }
        let lines = vec![LINUX.to_owned()];
        let cure = Cure::of((runner.region.replaced(&lines), lines), place);
        found.push(job.finding(&UNFIT, runner.region.from, format!("it runs on `{label}`"), cure));
    }
}

fn retired(job: &OurJob<'_>, step: &Step, found: &mut Vec<Finding>) {
    let Some(uses) = &step.uses else { return };
    let names = ["actions/upload-artifact", "actions/download-artifact"];
    let Some(name) = names.into_iter().find(|name| step.is_action(name)) else { return };
    let version = uses.text.split_once('@').map(|(_, version)| version).unwrap_or_default();
    let major = version.trim_start_matches('v').split('.').next().unwrap_or_default();
    if !["1", "2", "3"].contains(&major) {
        return;
    }
    let documented = EXTERNAL.text.lines().map(|line| line.trim_start().trim_start_matches("- "));
    let lines: Vec<&str> =
        documented.filter(|line| line.starts_with(&format!("uses: {name}@"))).take(1).collect();
    let lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
    let place = format!("in the place of `uses` of the step at line {}", step.line);
    let cure = Cure::of((uses.region.replaced(&lines), lines), place);
    found.push(job.finding(&ACTION, uses.region.from, format!("`{}` is gone", uses.text), cure));
}
