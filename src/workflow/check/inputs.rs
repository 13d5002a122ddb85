//! What is given to the action, against what it takes.

use super::Scene;
use crate::config::suggestion;
use crate::workflow::model::{Pair, Workflow, is_expression};
use crate::workflow::ours::{Kind, OurJob, OurStep, root_of};
use crate::workflow::{Cure, Edit, Finding, Level, Rule};

pub(super) static UNKNOWN: Rule = Rule {
    name: "input-unknown",
    level: Level::Error,
    about: "an input under `with` that the action does not have",
    why: "GitHub passes it over with a warning in the log, and what it should have set is not set",
};

pub(super) static UNFIT: Rule = Rule {
    name: "input-unfit",
    level: Level::Error,
    about: "an input has a value that the action refuses, or names a suite, retriever, folder or file that is not there",
    why: "the step ends with exit code 2, and there is no verdict",
};

/// What every action that is a container takes.
const OF_CONTAINERS: [&str; 2] = ["entrypoint", "args"];

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for job in &scene.jobs {
        for step in job.steps.iter().filter(|step| step.acts()) {
            values(job, step, scene, found);
            if !job.answers {
                names(job, step, scene, found);
            }
        }
        for step in &job.steps {
            let known: &[&str] = match step.kind {
                Kind::Action => &scene.facts.inputs,
                Kind::Full => &scene.facts.inputs_of_full,
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

const AS_IT_IS: &str = "write one that the action takes: docs/action.md lists every input";

/// The values, as the action itself reads them. What a token is, is no question of its shape alone.
fn values(job: &OurJob<'_>, step: &OurStep<'_>, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let Some(refuses) = scene.facts.refuses else { return };
    for name in scene.facts.inputs.iter().filter(|name| !name.ends_with("token")) {
        let given = job.given(step, name).filter(|pair| !is_expression(&pair.value));
        let Some(pair) = given else { continue };
        if let Some(problem) = refuses(name, &pair.value) {
            let message = format!("`{name}`: {problem}");
            found.push(job.finding(&UNFIT, pair.region.from, message, Cure::Author(AS_IT_IS)));
        }
    }
}

/// What is asked for by name is configured, and what is named as a place is there.
fn names(job: &OurJob<'_>, step: &OurStep<'_>, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    if matches!(step.kind, Kind::Action | Kind::Full) {
        for path in step.step.paths().iter().filter(|path| scene.facts.absent.contains(*path)) {
            let is_last =
                |pair: &&Pair| !pair.value.trim().is_empty() && path.ends_with(&root_of(&pair.value));
            let given =
                ["config", "working-directory"].iter().find_map(|name| step.step.input(name).filter(is_last));
            let line = given.map_or(step.step.line, |pair| pair.region.from);
            let cure = Cure::Author("name one that is in the repository");
            found.push(job.finding(&UNFIT, line, format!("there is no `{path}` in this checkout"), cure));
        }
    }
    let folder = job.given(step, "working-directory").map(|pair| pair.value.as_str()).unwrap_or_default();
    let has_config = job.given(step, "config").is_some_and(|pair| !pair.value.trim().is_empty());
    let names = scene.facts.names_of(&root_of(folder)).filter(|_| !has_config && !is_expression(folder));
    let Some(names) = names else { return };
    for (input, what, known) in
        [("suites", "suite", &names.suites), ("retrievers", "retriever", &names.retrievers)]
    {
        let Some(pair) = job.given(step, input).filter(|_| !known.is_empty()) else { continue };
        for name in asked_for(job, &pair.value) {
            // A path may be one of a file.
            if known.contains(&name) || name.contains(['/', '.']) {
                continue;
            }
            let near = suggestion(&name, known.iter().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let message = format!("there is no {what} `{name}`{hint}");
            let cure = Cure::Author("name one that rankhold.toml has");
            found.push(job.finding(&UNFIT, pair.region.from, message, cure));
        }
    }
}

/// The names of a list, those that a matrix gives it among them.
fn asked_for(job: &OurJob<'_>, value: &str) -> Vec<String> {
    if !is_expression(value) {
        let names = value.split([',', '\n']).map(str::trim).filter(|name| !name.is_empty());
        return names.map(str::to_owned).collect();
    }
    let inner = value.trim().strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}"));
    let key = inner.and_then(|inner| inner.trim().strip_prefix("matrix."));
    let values = key.and_then(|key| job.job.matrix.get(key)).cloned().unwrap_or_default();
    values.into_iter().filter(|value| !is_expression(value)).collect()
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
