//! Programs beside a token: whoever can run one can read the environment of what started it.

use super::{Scene, listed, proposals};
use crate::workflow::model::{Access, Grant, Job, Pair as Entry, Said, Step, is_expression};
use crate::workflow::ours::{Kind, OurJob};
use crate::workflow::{
    Cure, EXTERNAL, FORKS_EXTERNAL, Finding, Level, PROPOSE_EXTERNAL, Pair, Rule, Workflow,
};

pub(super) static ONE_JOB: Rule = Rule {
    name: "one-job",
    level: Level::Error,
    about: "one job measures retrievers that are programs and holds a token that writes",
    why: "a program can read the token of its job; in a job that has one the action runs none, and its pair counts as not \
          measured",
};

pub(super) static SECRET: Rule = Rule {
    name: "secret-beside-programs",
    level: Level::Warning,
    about: "a step that runs retrievers that are programs has a secret in its environment, on pull requests",
    why: "whoever opens one from a branch of the repository reads it, and on those of forks it is empty",
};

pub(super) static TARGET: Rule = Rule {
    name: "target-runs-programs",
    level: Level::Error,
    about: "`pull_request_target` checks out the head, and a step after it runs what may be of the head: a retriever that is a \
            program, a script, another action",
    why: "a stranger's code would run with the rights of the default branch",
};

/// The types of `pull_request` that matter.
pub(super) const TYPES: [&str; 4] = ["opened", "synchronize", "reopened", "edited"];

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for job in &scene.jobs {
        beside_a_token(job, scene, found);
    }
    // A step that is misspelt is none of ours yet, and the token is there all the same.
    for workflow in scene.workflows.iter().filter(|workflow| workflow.names_us()) {
        for job in &workflow.jobs {
            of_a_stranger(workflow, job, scene, found);
        }
    }
}

fn beside_a_token(job: &OurJob<'_>, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let programs: Vec<&Pair> = job.steps.iter().flat_map(|step| &step.programs).collect();
    let Some(step) = job.steps.iter().find(|step| !step.programs.is_empty()) else { return };
    let names = names(&programs);
    if job.publishes() {
        let message = format!("{names} is measured by a job that holds a token");
        found.push(job.finding(&ONE_JOB, step.step.line, message, two_jobs(job, scene)));
        return;
    }
    if let Some(own) = job.permissions().filter(|permissions| writes(&permissions.grant)) {
        let lines = vec!["permissions:".to_owned(), "  contents: read # the tree".to_owned()];
        let message = format!("{names} is measured by a job whose token may write");
        let cure = match &job.job.permissions {
            Some(_) => Cure::of(
                (own.region.replaced(&lines), lines),
                format!("in the place of `permissions` of the job `{}`", job.job.id),
            ),
            None => job.put(lines),
        };
        found.push(job.finding(&ONE_JOB, own.region.from, message, cure));
    }
    // Containers get no variable of the job.
    let on_runner = |kind: &Kind| matches!(kind, Kind::RunAction | Kind::Run(_));
    let on_runner = job.steps.iter().filter(|step| !step.programs.is_empty() && on_runner(&step.kind));
    let envs = [&job.workflow.env, &job.job.env];
    let given = on_runner.map(|step| &step.step.env).chain(envs).flatten();
    let is_secret = |pair: &&Entry| is_expression(&pair.value) && pair.value.contains("secrets.");
    for pair in
        given.clone().filter(|pair| is_secret(pair) && !is_token(&pair.value) && job.on("pull_request"))
    {
        let message = format!("{names} is measured with a secret in `{}`", pair.key);
        let cure = Cure::of((pair.region.removed(), Vec::new()), "take the variable out");
        found.push(job.finding(&SECRET, pair.region.from, message, cure));
    }
    for pair in given.filter(|pair| is_token(&pair.value)) {
        let message = format!("{names} is measured with the job's token in `{}`", pair.key);
        let cure = Cure::of((pair.region.removed(), Vec::new()), "take the variable out");
        found.push(job.finding(&ONE_JOB, pair.region.from, message, cure));
    }
}

/// The documented workflow that does the same with two jobs.
fn two_jobs(job: &OurJob<'_>, scene: &Scene<'_>) -> Cure {
    let is_published = scene.jobs.iter().filter(|other| other.publishes()).any(|other| {
        let names = other.workflow.on.event("workflow_run").and_then(|trigger| trigger.filter("workflows"));
        names.is_some_and(|names| names.values.iter().any(|name| name == job.workflow.shown()))
    });
    let example = if proposals::may_propose(job) {
        PROPOSE_EXTERNAL
    } else if job.is_of_default_branch() || job.on("merge_group") {
        return Cure::Page(format!("{}: its two jobs, on the events of this workflow", EXTERNAL.address()));
    } else if is_published {
        FORKS_EXTERNAL
    } else {
        EXTERNAL
    };
    Cure::file(&job.workflow.file, example)
}

/// Code of the head runs with the rights of the default branch: each job of a workflow is looked at, as any of them has its
/// secrets and its cache.
fn of_a_stranger(workflow: &Workflow, job: &Job, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let Some(trigger) = workflow.on.event("pull_request_target") else { return };
    let Some(head) = job.steps.iter().position(brings_the_head) else { return };
    let ours = scene.jobs.iter().find(|ours| ours.workflow.file == workflow.file && ours.job.id == job.id);
    let programs: Vec<&Pair> = ours.iter().flat_map(|ours| ours.programs_that_run()).collect();
    let message = if programs.is_empty() {
        let is_ours = |at: usize| {
            ours.is_some_and(|ours| ours.steps.iter().any(|step| step.at == at && step.step.run.is_none()))
        };
        let mut after = job.steps.iter().enumerate().skip(head);
        let runs = after.find_map(|(at, step)| (!is_ours(at)).then(|| runs_the_tree(step)).flatten());
        let Some((what, line)) = runs else { return };
        format!("{what} at line {line} runs on the head under `pull_request_target`")
    } else {
        format!("{} is measured on the head under `pull_request_target`", names(&programs))
    };
    let types = format!("types: {} # edited: it may have another base branch", listed(&TYPES));
    let lines = vec!["pull_request:".to_owned(), format!("  {types}")];
    let on = &workflow.on;
    let cure = if on.event("pull_request").is_some() {
        on.without("pull_request_target")
            .map_or(Cure::Author("take `pull_request_target` out of `on`"), Cure::Edit)
    } else {
        let edit = if on.is_map { trigger.region.replaced(&lines) } else { None };
        Cure::of((edit, lines), "in `on`, in the place of `pull_request_target`")
    };
    found.push(Finding {
        rule: &TARGET,
        file: workflow.file.clone(),
        line: trigger.region.from,
        job: Some(job.id.clone()),
        message,
        cure,
    });
}

/// Words of what names the head of a pull request, or the repository that it comes from.
const HEADS: [&str; 4] = ["pull_request.head", "github.head_ref", "refs/pull/", "merge_commit_sha"];

/// It puts a stranger's tree onto the runner.
fn brings_the_head(step: &Step) -> bool {
    let names_it = |text: &str| HEADS.iter().any(|head| text.contains(head));
    let is_given = |name: &str| step.input(name).is_some_and(|pair| names_it(&pair.value));
    let by_hand = |run: &Said| {
        let fetches = ["git fetch", "git clone", "git pull", "git checkout"];
        let is_of_a_pull = names_it(&run.text) || run.text.contains("pull/");
        run.text.contains("gh pr checkout")
            || (is_of_a_pull && fetches.iter().any(|it| run.text.contains(it)))
    };
    (step.is_action("actions/checkout") && (is_given("ref") || is_given("repository")))
        || step.run.as_ref().is_some_and(by_hand)
}

/// Actions that look at a tree as data, or not at all.
const INERT: [&str; 8] = [
    "actions/checkout",
    "actions/upload-artifact",
    "actions/download-artifact",
    "actions/create-github-app-token",
    "actions/setup-node",
    "actions/setup-python",
    "actions/setup-go",
    "actions/setup-java",
];

/// What of a step may run a file of the tree, and where that is said.
fn runs_the_tree(step: &Step) -> Option<(String, usize)> {
    if let Some(run) = &step.run {
        let mut lines = run.text.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.find(|line| !is_harmless(line))?;
        return Some((format!("`{first}`"), run.region.from));
    }
    let uses = step.uses.as_ref()?;
    let is_inert = INERT.iter().any(|name| step.is_action(name));
    (!is_inert).then(|| (format!("`{}`", uses.text), uses.region.from))
}

/// A line of a script that starts no file of the tree, whatever lies there.
fn is_harmless(line: &str) -> bool {
    let starts = line.split_whitespace().next().unwrap_or_default();
    let is_alone = !line.contains(['`', ';', '|', '&', '(']);
    let harmless = ["mkdir", "echo", "printf", "true", "set", "cd", "ls", "git", "rankhold"];
    let is_checkout = line.starts_with("gh pr checkout");
    line.starts_with('#') || (is_alone && (harmless.contains(&starts) || is_checkout))
}

/// `ours` and `theirs` (the retrievers' names, each once)
fn names(programs: &[&Pair]) -> String {
    let mut names: Vec<_> = programs.iter().map(|pair| format!("`{}`", pair.retriever)).collect();
    names.sort();
    names.dedup();
    names.join(" and ")
}

fn writes(grant: &Grant) -> bool {
    match grant {
        Grant::All(access) => *access == Access::Write,
        Grant::Scopes(scopes) => scopes.values().any(|access| *access == Access::Write),
    }
}

/// The job's own token, by either of its names.
fn is_token(value: &str) -> bool {
    is_expression(value) && (value.contains("github.token") || value.contains("secrets.GITHUB_TOKEN"))
}
