//! Names that clash with that of our check.

use super::Scene;
use crate::workflow::{Cure, Finding, Level, Rule};

pub(super) static JOB: Rule = Rule {
    name: "job-named-as-check",
    level: Level::Error,
    about: "a job is called like the check, `rankhold/verdict` or `rankhold/verdict (BASE)`",
    why: "GitHub makes a check of each job, and a required check of two meanings blocks every pull request",
};

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let check = scene.facts.check.to_lowercase();
    for workflow in scene.workflows {
        for job in &workflow.jobs {
            let name = job.shown().trim().to_lowercase();
            let clashes =
                name.strip_prefix(&check).is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("));
            if check.is_empty() || !clashes {
                continue;
            }
            let lines = vec!["name: review".to_owned()];
            let edit = job.name.as_ref().and_then(|name| name.region.replaced(&lines));
            let line = job.name.as_ref().map_or(job.line, |name| name.region.from);
            found.push(Finding {
                rule: &JOB,
                file: workflow.file.clone(),
                line,
                job: Some(job.id.clone()),
                message: format!("its name is `{}`, as the check is called", job.shown()),
                cure: Cure::of((edit, lines), format!("put into the job `{}`", job.id)),
            });
        }
    }
}
