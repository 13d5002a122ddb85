//! The folder that a step measures, against the one that is configured.

use super::Scene;
use crate::workflow::ours::{Kind, root_of};
use crate::workflow::{Cure, Finding, Level, Rule};

pub(super) static ELSEWHERE: Rule = Rule {
    name: "configuration-elsewhere",
    level: Level::Warning,
    about: "a step names no `working-directory`, and the repository has its rankhold.toml in a folder alone",
    why: "the root is the folder that is named and nothing below it, so that this configuration counts for nothing",
};

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let folders = &scene.facts.configured;
    let Some(first) = folders.first() else { return };
    for job in &scene.jobs {
        for step in job.steps.iter().filter(|step| step.acts()) {
            let named =
                job.given(step, "working-directory").map(|pair| pair.value.trim()).unwrap_or_default();
            let has_config = job.given(step, "config").is_some_and(|pair| !pair.value.trim().is_empty());
            if has_config || !root_of(named).is_empty() {
                continue;
            }
            let line = step.step.line;
            let cure = match (folders.as_slice(), &step.kind) {
                ([only], Kind::Action | Kind::Full) => Cure::of(
                    step.step.set("working-directory", only),
                    format!("under `with` of the step at line {line}"),
                ),
                (_, Kind::Action | Kind::Full) => {
                    Cure::Author("give the step the `working-directory` that it is to measure")
                }
                _ => Cure::Lines {
                    place: format!("under `env` of the step at line {line}"),
                    lines: vec![format!("INPUT_WORKING-DIRECTORY: {first}")],
                },
            };
            let message = format!("rankhold.toml lies in {}, and the root has none", folders.join(", "));
            found.push(job.finding(&ELSEWHERE, line, message, cure));
        }
    }
}
