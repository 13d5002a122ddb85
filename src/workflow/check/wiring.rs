//! The jobs of one workflow, as they hang together: the program is there, results are made, awaited and found.

use super::{Scene, events, listed, quoted};
use crate::workflow::model::{Job, Pair, Step, is_expression};
use crate::workflow::ours::{Kind, OurJob};
use crate::workflow::{Cure, EXTERNAL, Finding, Level, Rule};

pub(super) static SETUP: Rule = Rule {
    name: "setup-missing",
    level: Level::Error,
    about: "a script calls `rankhold`, and no step before it puts the program on the `PATH`",
    why: "the shell knows no such command, and nothing is measured",
};

pub(super) static UNMADE: Rule = Rule {
    name: "results-unmade",
    level: Level::Error,
    about: "a job calls `rankhold run` where another one takes its results",
    why: "`run` judges by itself and leaves nothing to hand on: `rankhold action` writes the results",
};

pub(super) static UNORDERED: Rule = Rule {
    name: "review-unordered",
    level: Level::Error,
    about: "a job takes results, and `needs` names none that measures",
    why: "it begins beside the other, and finds nothing",
};

pub(super) static UNFOUND: Rule = Rule {
    name: "results-unfound",
    level: Level::Error,
    about: "a job downloads results by a name that no job of the workflow uploads",
    why: "whatever was measured counts as not measured",
};

pub(super) static OVERWRITTEN: Rule = Rule {
    name: "legs-overwrite",
    level: Level::Error,
    about: "every leg of a matrix uploads its results by the same name",
    why: "the second upload of a name fails, and the results of its suite are lost",
};

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for job in scene.jobs.iter().filter(|job| !job.answers) {
        setup(job, found);
        if job.publishes() && takes_results(job) {
            unordered(job, scene, found);
            unfound(job, found);
        } else if job.measures() && !job.publishes() {
            unmade(job, scene, found);
            overwritten(job, found);
        }
    }
}

fn takes_results(job: &OurJob<'_>) -> bool {
    let is_given = |pair: &Pair| !pair.value.trim().is_empty();
    job.steps.iter().any(|step| step.publishes && job.given(step, "result").is_some_and(is_given))
}

fn same_file<'a>(job: &OurJob<'a>, scene: &'a Scene<'a>) -> impl Iterator<Item = &'a OurJob<'a>> {
    let file = job.workflow.file.as_str();
    scene.jobs.iter().filter(move |other| other.workflow.file == file)
}

fn uploads(job: &Job) -> impl Iterator<Item = &Step> {
    job.steps.iter().filter(|step| step.is_action("actions/upload-artifact"))
}

fn setup(job: &OurJob<'_>, found: &mut Vec<Finding>) {
    let is_hosted = job.job.runner.as_ref().is_some_and(|runner| {
        !runner.values.is_empty() && runner.values.iter().all(|label| label.starts_with("ubuntu-"))
    });
    if !is_hosted || job.job.keys.of("container").is_some() {
        return;
    }
    let on_runner = |kind: &Kind| matches!(kind, Kind::RunAction | Kind::Run(_));
    let Some(step) = job.steps.iter().find(|step| on_runner(&step.kind)) else { return };
    let script = step.step.run.as_ref().map(|run| run.text.as_str()).unwrap_or_default();
    let is_bare = script.split_whitespace().any(|word| word.trim_matches(['"', '\'']) == "rankhold");
    let brings_it = |step: &Step| {
        let said =
            [step.run.as_ref(), step.uses.as_ref()].into_iter().flatten().map(|said| said.text.as_str());
        let given = step.with.iter().map(|pair| pair.value.as_str());
        let words = ["rankhold", "cargo install", "GITHUB_PATH"];
        said.chain(given).any(|text| words.iter().any(|word| text.contains(word)))
    };
    let is_there = job.job.steps[..step.at].iter().any(brings_it);
    let brings_itself = ["install", "PATH", "curl", "cargo "].iter().any(|word| script.contains(word));
    if !is_bare || is_there || brings_itself {
        return;
    }
    let lines = EXTERNAL.step("- uses: rankhold/rankhold/setup@");
    let line = step.step.line;
    let cure = Cure::of((step.step.before(&lines), lines), format!("put in before the step at line {line}"));
    found.push(job.finding(&SETUP, line, "no step before it puts `rankhold` on the `PATH`", cure));
}

fn unmade(job: &OurJob<'_>, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let is_run =
        |kind: &Kind| matches!(kind, Kind::Run(arguments) if arguments.first().is_some_and(|it| it == "run"));
    let Some(step) = job.steps.iter().find(|step| is_run(&step.kind)) else { return };
    let is_taken = same_file(job, scene).any(|other| other.publishes() && takes_results(other));
    if !is_taken || job.acting().is_some() || uploads(job.job).next().is_none() {
        return;
    }
    let Some(run) = &step.step.run else { return };
    let is_alone = run.text.trim().lines().count() == 1 && run.text.trim_start().starts_with("rankhold run");
    let edit = is_alone.then(|| run.region.replaced(&["run: rankhold action"])).flatten();
    let cure = edit.map_or(Cure::Author("call `rankhold action` in its place"), Cure::Edit);
    found.push(job.finding(&UNMADE, run.region.from, "`rankhold run` leaves no results to hand on", cure));
}

fn unordered(job: &OurJob<'_>, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let measuring: Vec<_> =
        same_file(job, scene).filter(|other| other.measures() && !other.publishes()).collect();
    let Some(first) = measuring.first() else { return };
    // What it waits for, and what that waits for in turn.
    let mut awaited: Vec<&str> = job.job.needs.iter().map(String::as_str).collect();
    let mut at = 0;
    while let Some(id) = awaited.get(at).copied() {
        let more = job.workflow.jobs.iter().filter(|other| other.id == id).flat_map(|other| &other.needs);
        let more: Vec<&str> = more.map(String::as_str).filter(|id| !awaited.contains(id)).collect();
        awaited.extend(more);
        at += 1;
    }
    if measuring.iter().any(|other| awaited.contains(&other.job.id.as_str())) {
        return;
    }
    let id = first.job.id.as_str();
    let (cure, line) = match job.job.keys.of("needs") {
        None => (job.put(vec![format!("needs: {}", quoted(id))]), job.job.line),
        Some(region) => {
            let all: Vec<&str> = job.job.needs.iter().map(String::as_str).chain([id]).collect();
            let lines = vec![format!("needs: {}", listed(&all))];
            let place = format!("in the place of `needs` of the job `{}`", job.job.id);
            (Cure::of((region.replaced(&lines), lines), place), region.from)
        }
    };
    found.push(job.finding(&UNORDERED, line, format!("it does not wait for `{id}`"), cure));
}

/// A name with whatever its expressions give.
fn glob(name: &str, any: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once("${{") {
        out.push_str(before);
        out.push_str(any);
        rest = after.split_once("}}").map_or("", |(_, after)| after);
    }
    out + rest
}

fn unfound(job: &OurJob<'_>, found: &mut Vec<Finding>) {
    let names: Vec<&str> = job
        .workflow
        .jobs
        .iter()
        .filter(|other| other.id != job.job.id)
        .flat_map(uploads)
        .map(|step| step.input("name").map_or("artifact", |pair| pair.value.trim()))
        .collect();
    let Some(first) = names.first() else { return };
    let downloads = job.job.steps.iter().filter(|step| step.is_action("actions/download-artifact"));
    // Of another run nothing is known here.
    for step in downloads.filter(|step| step.input("run-id").is_none()) {
        let Some(pair) = step.input("name").or_else(|| step.input("pattern")) else { continue };
        let wanted = pair.value.trim();
        if wanted.is_empty() || is_expression(wanted) {
            continue;
        }
        let is_name = pair.key.eq_ignore_ascii_case("name");
        let fits = |name: &&str| {
            if is_name {
                events::may_match(&glob(name, "*"), wanted)
            } else {
                events::may_match(wanted, &glob(name, "x"))
            }
        };
        if names.iter().any(fits) {
            continue;
        }
        let key = if is_expression(first) { "pattern" } else { pair.key.as_str() };
        let line = vec![format!("{key}: {}", quoted(&glob(first, "*")))];
        let place = format!("under `with` of the step at line {}", step.line);
        let message = format!("nothing is uploaded as `{wanted}`, but `{}`", names.join("`, `"));
        let cure = Cure::of((pair.region.replaced(&line), line), place);
        found.push(job.finding(&UNFOUND, pair.region.from, message, cure));
    }
}

fn overwritten(job: &OurJob<'_>, found: &mut Vec<Finding>) {
    if !job.job.has_matrix {
        return;
    }
    for step in uploads(job.job) {
        let name = step.input("name").map_or("rankhold-results", |pair| pair.value.trim());
        if is_expression(name) {
            continue;
        }
        let value = format!("{name}-${{{{ strategy.job-index }}}}");
        let line = step.input("name").map_or(step.line, |pair| pair.region.from);
        let place = format!("under `with` of the step at line {}", step.line);
        let message = format!("each leg uploads `{name}`");
        found.push(job.finding(&OVERWRITTEN, line, message, Cure::of(step.set("name", &value), place)));
    }
}
