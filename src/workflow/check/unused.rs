//! A repository in which nothing judges pull requests.

use super::{Scene, events, proposals};
use crate::workflow::ours::{OurJob, PULL_REQUESTS};
use crate::workflow::{Cure, EXTERNAL, Example, Finding, Level, Rule, SAME_REPOSITORY};

pub(super) static UNUSED: Rule = Rule {
    name: "unused",
    level: Level::Error,
    about: "no workflow uses rankhold",
    why: "nothing holds the ranking on pull requests",
};

pub(super) static UNJUDGED: Rule = Rule {
    name: "pull-requests-unjudged",
    level: Level::Error,
    about: "workflows use rankhold, and none of them judges pull requests",
    why: "there is no verdict, and so nothing that a comment could approve or a run could propose",
};

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let mut jobs = scene.workflows.iter().flat_map(|workflow| &workflow.jobs);
    // What another repository's workflow does is not known here, and its name may say it.
    let calls_one = |calls: &String| !calls.starts_with("./") && calls.contains("rankhold");
    if jobs.any(|job| job.calls.as_ref().is_some_and(calls_one)) {
        return;
    }
    if scene.jobs.is_empty() {
        found.push(unused(scene));
    } else if !is_judged(scene) {
        let message = "no job gives verdicts on pull requests".to_owned();
        found.push(finding(&UNJUDGED, scene, message));
    }
}

/// Verdicts on pull requests are published, or what measures them fails; a misspelt event is told by itself.
fn is_judged(scene: &Scene<'_>) -> bool {
    let about_pulls = |job: &&OurJob<'_>| {
        job.starts_are_unknown() || job.on("merge_group") || PULL_REQUESTS.iter().any(|event| job.on(event))
    };
    let answers_or_proposes = scene.jobs.iter().any(|job| job.answers || proposals::may_propose(job));
    let mut acting = scene.jobs.iter().filter(|job| job.first().is_some() && !job.answers);
    acting.clone().filter(about_pulls).any(|job| job.publishes() || !answers_or_proposes)
        || acting.any(|job| events::has_misspelt(job, scene))
}

fn unused(scene: &Scene<'_>) -> Finding {
    let message = "no workflow of this repository uses rankhold".to_owned();
    let mut elsewhere = scene.facts.elsewhere.iter();
    let Some(folder) = elsewhere.find(|folder| folder.starts_with(&scene.facts.root)) else {
        return finding(&UNUSED, scene, message);
    };
    let root = folder.strip_suffix("/.github/workflows").unwrap_or(folder);
    let place = format!(
        "move the workflows of {folder} into .github/workflows of the repository's root, with this under `with` of the step \
         that uses rankhold"
    );
    let cure = Cure::Lines { place, lines: vec![format!("working-directory: {root}")] };
    let message = format!(
        "{message}; those of {folder} are never read: GitHub reads .github/workflows of the repository's root alone"
    );
    Finding { cure, ..finding(&UNUSED, scene, message) }
}

/// It is cured by the documented workflow, as a file of its own.
fn finding(rule: &'static Rule, scene: &Scene<'_>, message: String) -> Finding {
    let file = free(scene);
    let example: Example = if scene.runs_programs() { EXTERNAL } else { SAME_REPOSITORY };
    Finding {
        rule,
        file: file.clone(),
        line: 1,
        job: None,
        message,
        cure: Cure::File { path: file, example },
    }
}

/// Where the workflow goes: nothing is there.
fn free(scene: &Scene<'_>) -> String {
    let others = (2..).map(|number| format!("-verdict-{number}"));
    let mut names = [String::new(), "-verdict".to_owned()].into_iter().chain(others);
    let file = names.find_map(|name| {
        let file = format!(".github/workflows/rankhold{name}.yml");
        scene.file(&file).is_none().then_some(file)
    });
    file.expect("some number is free")
}
