//! Which version of the action runs.

use super::Scene;
use crate::workflow::{Cure, Finding, Level, Rule};

pub(super) static UNPINNED: Rule = Rule {
    name: "unpinned",
    level: Level::Note,
    about: "the action is not pinned to a full commit (a line with `zizmor: ignore[unpinned-uses]` was thought about)",
    why: "whoever can move a branch or tag of it decides what runs beside the token",
};

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for job in &scene.jobs {
        for step in job.steps.iter().filter(|step| step.is_used()) {
            let Some(uses) = &step.step.uses else { continue };
            let text = uses.text.as_str();
            let line = uses.region.from;
            let is_thought_about = job.workflow.line_has(line, "zizmor: ignore[unpinned-uses]");
            // Without any version GitHub refuses it.
            let is_free = text.starts_with("./") || !(text.contains('@') || text.starts_with("docker://"));
            if is_free || is_pinned(text) || is_thought_about {
                continue;
            }
            let action = text.split('@').next().unwrap_or(text);
            let (what, pin) = if action.starts_with("docker://") {
                ("digest of a release", format!("{action}@sha256:DIGEST"))
            } else {
                ("commit of a release", format!("{action}@COMMIT"))
            };
            let repository: Vec<&str> = action.split('/').take(2).collect();
            let meanwhile = if action.starts_with("docker://") {
                String::new()
            } else {
                let repository = repository.join("/");
                format!(
                    "; while it has none, that of its branch: git ls-remote https://github.com/{repository} HEAD"
                )
            };
            let with = format!("uses: {pin} # its version");
            let lines = uses.region.replaced(&[&with]).map_or_else(|| vec![with], |edit| edit.lines);
            let cure = Cure::Lines {
                place: format!("in the place of line {line}, with the full {what}{meanwhile}"),
                lines,
            };
            found.push(job.finding(&UNPINNED, line, format!("`{text}` can be moved"), cure));
        }
    }
}

fn is_pinned(uses: &str) -> bool {
    let Some((_, reference)) = uses.rsplit_once('@') else { return false };
    let (hex, length) = reference.strip_prefix("sha256:").map_or((reference, 40), |digest| (digest, 64));
    hex.len() == length && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
}
