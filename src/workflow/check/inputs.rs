//! What is given to the action, against what it takes.

use super::Scene;
use crate::config::suggestion;
use crate::workflow::model::{Pair, Workflow};
use crate::workflow::ours::Kind;
use crate::workflow::{Cure, Edit, Finding, Level, Rule};

pub(super) static UNKNOWN: Rule = Rule {
    name: "input-unknown",
    level: Level::Error,
    about: "an input under `with` that the action does not have",
    why: "GitHub passes it over with a warning in the log, and what it should have set is not set",
};

/// What every action that is a container takes.
const OF_CONTAINERS: [&str; 2] = ["entrypoint", "args"];

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for job in &scene.jobs {
        for step in &job.steps {
            let known: &[&str] = match step.kind {
                Kind::Action => &scene.facts.inputs,
                Kind::Setup => &[],
                Kind::RunAction | Kind::Run(_) => continue,
            };
            for pair in &step.step.with {
                let is = |name: &&str| name.eq_ignore_ascii_case(&pair.key);
                let of_container = step.kind == Kind::Action && OF_CONTAINERS.iter().any(is);
                if of_container || known.iter().any(is) {
                    continue;
                }
                let near = suggestion(&pair.key, known.iter().copied());
                let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                let message = format!("there is no input `{}`{hint}", pair.key);
                // Two of one name would be none.
                let free = near.filter(|near| step.step.input(near).is_none());
                let edit = match free {
                    Some(near) => renamed(job.workflow, pair, near),
                    None => step.step.unset(pair),
                };
                let cure = edit.map_or(Cure::Author("call it by its name, or take it out"), Cure::Edit);
                found.push(job.finding(&UNKNOWN, pair.region.from, message, cure));
            }
        }
    }
}

/// The same entry under another name, its value as it is.
fn renamed(workflow: &Workflow, pair: &Pair, name: &str) -> Option<Edit> {
    let indent = pair.region.indent();
    let lines = workflow.lines.get(pair.region.from - 1..pair.region.to)?;
    let rest = |line: &String| line.chars().skip(indent).collect::<String>();
    let mut lines: Vec<String> = lines.iter().map(rest).collect();
    let first = lines.first_mut()?;
    let value = first.split_once(':')?.1;
    *first = format!("{name}:{value}");
    pair.region.replaced(&lines)
}
