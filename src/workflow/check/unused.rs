//! A repository in which nothing judges pull requests.

use super::{Scene, events, keys, proposals};
use crate::config::suggestion;
use crate::workflow::model::{Job, Step};
use crate::workflow::ours::{Kind, OurJob, PULL_REQUESTS};
use crate::workflow::{Cure, EXTERNAL, Example, Finding, Level, Rule, SAME_REPOSITORY, Workflow};

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

pub(super) static WRAPPED: Rule = Rule {
    name: "action-wrapped",
    level: Level::Note,
    about: "an action of the repository itself uses rankhold",
    why: "what is in it is not looked at, so that nobody says whether pull requests are judged",
};

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let mut jobs = scene.workflows.iter().flat_map(|workflow| &workflow.jobs);
    // What another repository's workflow does is not known here, and its name may say it.
    let calls_one = |calls: &String| !calls.starts_with("./") && calls.contains("rankhold");
    if jobs.any(|job| job.calls.as_ref().is_some_and(calls_one)) {
        return;
    }
    if wrapped(scene, found) || is_told(scene, found) {
        return;
    }
    if scene.jobs.is_empty() {
        found.push(near_miss(&UNUSED, scene).unwrap_or_else(|| unused(scene)));
    } else if !is_judged(scene) {
        let message = "no job gives verdicts on pull requests".to_owned();
        let wrong = near_miss(&UNJUDGED, scene).or_else(|| only_measured(scene));
        found.push(wrong.unwrap_or_else(|| finding(&UNJUDGED, scene, message)));
    }
}

/// A key that is misspelt is what hides the step, and was told.
fn is_told(scene: &Scene<'_>, found: &[Finding]) -> bool {
    found.iter().filter(|finding| finding.rule.name == keys::UNKNOWN.name).any(|finding| {
        scene.file(&finding.file).is_some_and(|workflow| workflow.line_has(finding.line, "rankhold"))
    })
}

/// What an action of the repository itself does is not looked at: it may judge.
fn wrapped(scene: &Scene<'_>, found: &mut Vec<Finding>) -> bool {
    let mut any = false;
    for (workflow, job, step) in steps(scene) {
        let uses = step.uses.as_ref().filter(|uses| scene.facts.wrapped.contains(&uses.text));
        let Some(uses) = uses else { continue };
        any = true;
        found.push(Finding {
            rule: &WRAPPED,
            file: workflow.file.clone(),
            line: uses.region.from,
            job: Some(job.id.clone()),
            message: format!("`{}` names rankhold", uses.text),
            cure: Cure::Author("put the step that uses rankhold into the workflow itself to have it checked"),
        });
    }
    any
}

fn steps<'a>(scene: &Scene<'a>) -> impl Iterator<Item = (&'a Workflow, &'a Job, &'a Step)> {
    scene.workflows.iter().flat_map(|workflow| {
        workflow.jobs.iter().flat_map(move |job| job.steps.iter().map(move |step| (workflow, job, step)))
    })
}

/// A step that is nearly one of ours: the line that is wrong, and not one more workflow.
fn near_miss(rule: &'static Rule, scene: &Scene<'_>) -> Option<Finding> {
    let is_ours = |workflow: &Workflow, job: &Job, step: &Step| {
        let mut same =
            scene.jobs.iter().filter(|ours| ours.workflow.file == workflow.file && ours.job.id == job.id);
        same.any(|ours| ours.steps.iter().any(|ours| ours.step.line == step.line))
    };
    steps(scene).filter(|(workflow, job, step)| !is_ours(workflow, job, step)).find_map(
        |(workflow, job, step)| {
            let uses = step.uses.as_ref()?;
            let text = uses.text.trim();
            if text.starts_with("./") || text.starts_with("docker://") {
                return None;
            }
            let (action, version) = text.split_once('@').unwrap_or((text, "main"));
            let mut parts = action.split('/');
            let (owner, name) = (parts.next().unwrap_or_default(), parts.next());
            let is_near = |word: &str| suggestion(word, ["rankhold"]).is_some();
            let meant = match name {
                None => is_near(owner),
                Some(name) => is_near(name) && parts.next().is_none(),
            };
            if !meant {
                return None;
            }
            let right = format!("rankhold/rankhold@{version}");
            let lines = vec![format!("uses: {right}")];
            Some(Finding {
                rule,
                file: workflow.file.clone(),
                line: uses.region.from,
                job: Some(job.id.clone()),
                message: format!("`{text}` is not rankhold; did you mean `{right}`?"),
                cure: Cure::of((uses.region.replaced(&lines), lines), "in the place of `uses`"),
            })
        },
    )
}

/// A job on pull requests that has no token and hands its results to nobody.
fn only_measured(scene: &Scene<'_>) -> Option<Finding> {
    let about_pulls = |job: &&OurJob<'_>| PULL_REQUESTS.iter().any(|event| job.on(event)) && !job.answers;
    let job = scene.jobs.iter().filter(about_pulls).find(|job| job.acting().is_some())?;
    let step = job.acting()?;
    let token = job.given(step, "token");
    let line = token.map_or(step.step.line, |pair| pair.region.from);
    let message = "without a token the step only measures, and no job publishes what it measured";
    let edit = token.filter(|_| !scene.runs_programs()).and_then(|pair| step.step.unset(pair));
    let example = if scene.runs_programs() { EXTERNAL } else { SAME_REPOSITORY };
    let cure = edit.map_or_else(|| Cure::file(&job.workflow.file, example), Cure::Edit);
    Some(job.finding(&UNJUDGED, line, message, cure))
}

/// Verdicts on pull requests are published, or what measures them fails; a misspelt event is told by itself.
fn is_judged(scene: &Scene<'_>) -> bool {
    let about_pulls = |job: &&OurJob<'_>| {
        job.starts_are_unknown() || job.on("merge_group") || PULL_REQUESTS.iter().any(|event| job.on(event))
    };
    let answers_or_proposes = scene.jobs.iter().any(|job| job.answers || proposals::may_propose(job));
    let mut acting = scene.jobs.iter().filter(|job| job.first().is_some() && !job.answers);
    // `rankhold run` and `gate` fail by themselves; the action without a token only measures.
    let fails = |job: &OurJob<'_>| job.steps.iter().any(|step| matches!(step.kind, Kind::Run(_)));
    let judges = |job: &OurJob<'_>| {
        job.publishes() || job.starts_are_unknown() || (fails(job) && !answers_or_proposes)
    };
    acting.clone().filter(about_pulls).any(judges) || acting.any(|job| events::has_misspelt(job, scene))
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
    Finding { rule, file: file.clone(), line: 1, job: None, message, cure: Cure::file(file, example) }
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
