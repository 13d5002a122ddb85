//! The workflow that answers slash commands: there, where the action looks for it, and with no more than it needs.

use super::{Scene, begins, is_conditional, listed};
use crate::config::ApprovalMode;
use crate::workflow::model::{Concurrency, is_expression};
use crate::workflow::ours::{COMMENT, OurJob, PULL_REQUESTS};
use crate::workflow::{COMMAND, Cure, Finding, Level, Rule};

pub(super) static UNHEARD: Rule = Rule {
    name: "commands-unheard",
    level: Level::Note,
    about: "verdicts on pull requests are published, and no workflow answers slash commands",
    why: "nobody can approve new figures in a pull request, so that a loss that is meant stays red",
};

pub(super) static OTHER_FILE: Rule = Rule {
    name: "commands-elsewhere",
    level: Level::Warning,
    about: "the workflow that answers slash commands is not the file that the input `commands` names",
    why: "the action takes it for missing, and reports offer no command",
};

pub(super) static MIXED: Rule = Rule {
    name: "commands-mixed",
    level: Level::Warning,
    about: "one job is started by comments and by other events, without an `if` that tells them apart",
    why: "a verdict on an old head is to be cancelled and a command never, and only a command needs `contents: write`",
};

pub(super) static TYPES: Rule = Rule {
    name: "comment-types",
    level: Level::Warning,
    about: "`types` of `issue_comment` are not `[created]`",
    why: "a command is a new comment: without `created` none is heard, and on any other type a run starts that does nothing",
};

pub(super) static UNFILTERED: Rule = Rule {
    name: "comments-unfiltered",
    level: Level::Note,
    about: "a job that answers slash commands has no `if` about the comment",
    why: "every comment below every issue starts it",
};

pub(super) static FORBIDDEN: Rule = Rule {
    name: "command-forbidden",
    level: Level::Error,
    about: "a job that answers slash commands lacks `actions: read`, `checks: write` (`statuses: write` with \
            `publish: status`), `contents: write` (`read` with `mode = \"record\"`) or `pull-requests: write`",
    why: "an approval is not carried out, or nobody hears of it",
};

pub(super) static CHECKOUT: Rule = Rule {
    name: "command-checkout",
    level: Level::Warning,
    about: "a job that answers slash commands checks something out",
    why: "it needs no tree, and what comes from one lies beside a token that may write",
};

pub(super) static CANCELLED: Rule = Rule {
    name: "command-cancelled",
    level: Level::Error,
    about: "a job that answers slash commands cancels another, or is in a group with a job that does",
    why: "an approval breaks off between its commit and its verdict, or is never read",
};

pub(super) static UNQUEUED: Rule = Rule {
    name: "command-unqueued",
    level: Level::Warning,
    about: "a job that answers slash commands has no `concurrency` with `queue: max` (GitHub Enterprise Server may not know \
            it)",
    why: "of three commands at once the one in the middle is dropped, or all run beside each other",
};

/// The condition of the documented workflow.
const CONDITION: &str =
    "if: ${{ github.event.issue.pull_request && startsWith(github.event.comment.body, '/rankhold') }}";

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    presence(scene, found);
    for job in &scene.jobs {
        if job.answers {
            types(job, found);
            condition(job, found);
            checkout(job, found);
            concurrency(job, scene, found);
        } else if job.on(COMMENT) {
            mixed(job, found);
        }
    }
}

/// Each step that publishes verdicts on pull requests finds the workflow where it looks for it.
fn presence(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    // A workflow that is called from elsewhere may be started by comments.
    let may_answer = |job: &OurJob<'_>| job.starts_are_unknown() && job.acting().is_some();
    if scene.facts.approval == ApprovalMode::File || scene.jobs.iter().any(may_answer) {
        return;
    }
    let about_pulls = |job: &OurJob<'_>| {
        let own = PULL_REQUESTS.iter().find_map(|event| job.workflow.on.event(event));
        let called = PULL_REQUESTS.iter().any(|event| job.on(event)).then_some(&job.workflow.on.region);
        own.map(|trigger| &trigger.region).or(called).map(|region| region.from)
    };
    let answering = scene.jobs.iter().find(|job| job.answers || job.on(COMMENT));
    for job in scene.jobs.iter().filter(|job| job.publishes()) {
        let Some(line) = about_pulls(job) else { continue };
        let Some(answering) = answering else {
            let path = asked_for(job, scene).unwrap_or(scene.facts.commands).to_owned();
            let message = format!("{path} is not there");
            found.push(job.finding(&UNHEARD, line, message, Cure::file(path, COMMAND)));
            return;
        };
        for step in job.steps.iter().filter(|step| step.publishes) {
            let given = step.step.input("commands").map(|pair| pair.value.trim()).unwrap_or_default();
            let expected = step.input("commands").unwrap_or(scene.facts.commands);
            let is_there = |other: &OurJob<'_>| other.on(COMMENT) && other.workflow.file == expected;
            if is_expression(given) || scene.jobs.iter().any(is_there) {
                continue;
            }
            let file = &answering.workflow.file;
            let message = format!("commands are answered by {file}, and the input `commands` is {expected}");
            let line = step.step.line;
            let place = format!("under `with` of the step at line {line}");
            let cure = Cure::of(step.step.set("commands", file), place);
            found.push(job.finding(&OTHER_FILE, line, message, cure));
        }
    }
}

/// The file that a publishing job looks for, if it says so, as far as a repository can have one of that name.
fn asked_for<'a>(job: &OurJob<'a>, scene: &Scene<'_>) -> Option<&'a str> {
    let named = job.steps.iter().filter(|step| step.publishes).find_map(|step| step.input("commands"))?;
    let name = named.strip_prefix(".github/workflows/")?;
    let ending = name.rsplit('.').next();
    let is_file = !name.contains('/') && matches!(ending, Some("yml" | "yaml"));
    (is_file && scene.file(named).is_none()).then_some(named)
}

fn mixed(job: &OurJob<'_>, found: &mut Vec<Finding>) {
    let Some(step) = job.acting().filter(|step| !is_conditional(step, job)) else { return };
    let Some(trigger) = job.workflow.on.event(COMMENT) else { return };
    let mut others = job.workflow.on.triggers.iter().filter(|other| other.event != COMMENT);
    let Some(other) = others.next() else { return };
    let message = format!("the step at line {} is started by `{}` too", step.step.line, other.event);
    let cure = job
        .workflow
        .on
        .without(COMMENT)
        .map_or(Cure::Page(format!("{}: a workflow of its own for comments", COMMAND.address())), Cure::Edit);
    found.push(job.finding(&MIXED, trigger.region.from, message, cure));
}

fn types(job: &OurJob<'_>, found: &mut Vec<Finding>) {
    let Some(trigger) = job.workflow.on.event(COMMENT) else { return };
    let given = trigger.filter("types");
    let now: &[String] = given.map(|types| types.values.as_slice()).unwrap_or_default();
    if now == ["created"] {
        return;
    }
    let message = match given {
        None => "the default `types` of `issue_comment` are created, edited and deleted".to_owned(),
        Some(_) => format!("`types` of `issue_comment` are {}", listed(now)),
    };
    let value = format!("{} # an edited comment approves nothing", listed(&["created"]));
    let cure = Cure::of(job.workflow.on.with(COMMENT, &[("types", value)]), "in the place of `on`");
    let line = given.map_or(trigger.region.from, |types| types.region.from);
    found.push(job.finding(&TYPES, line, message, cure));
}

fn condition(job: &OurJob<'_>, found: &mut Vec<Finding>) {
    let conditions = job.steps.iter().filter(|step| step.acts()).map(|step| step.step.condition.as_ref());
    let mut conditions = conditions.chain([job.job.condition.as_ref()]).flatten();
    if conditions.any(|said| said.text.contains("event.comment") || said.text.contains("event.issue")) {
        return;
    }
    let lines = vec![CONDITION.to_owned()];
    let cure = match &job.job.condition {
        None => job.put(lines),
        // What it says has its reasons.
        Some(_) => Cure::Lines { place: format!("join with `if` of the job `{}`", job.job.id), lines },
    };
    found.push(job.finding(&UNFILTERED, job.job.line, "no `if` asks what the comment says", cure));
}

fn checkout(job: &OurJob<'_>, found: &mut Vec<Finding>) {
    for step in job.job.steps.iter().filter(|step| step.is_action("actions/checkout")) {
        let message = "a tree is checked out";
        let cure = step.removed().map_or(Cure::Author("take the step out"), Cure::Edit);
        found.push(job.finding(&CHECKOUT, step.line, message, cure));
    }
}

fn concurrency(job: &OurJob<'_>, scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let own = [job.job.concurrency.as_ref(), job.workflow.concurrency.as_ref()];
    let all: Vec<&Concurrency> = own.into_iter().flatten().collect();
    for now in &all {
        let reason = if cancels(now) {
            Some("a newer command cancels this one".to_owned())
        } else {
            cancelling(now, job, scene)
        };
        if let Some(message) = reason {
            found.push(job.finding(&CANCELLED, now.region.from, message, cure(now)));
        }
    }
    let is_queued = |now: &&Concurrency| now.queue.as_deref().is_some_and(|queue| queue.trim() == "max");
    match all.first() {
        None => {
            let message = "`concurrency` is missing, in the job and in the workflow";
            found.push(job.finding(&UNQUEUED, job.job.line, message, job.put(lines())));
        }
        Some(first) if !all.iter().any(is_queued) => {
            let message = "`queue: max` is missing";
            found.push(job.finding(&UNQUEUED, first.region.from, message, cure(first)));
        }
        Some(_) => {}
    }
}

fn cancels(now: &Concurrency) -> bool {
    now.cancel.as_deref().is_some_and(|cancel| cancel.trim() != "false")
}

/// A job elsewhere that cancels what is in this group. What an expression gives is not known here, and the number of a pull
/// request is that of its issue: two names that begin alike are taken for the same.
fn cancelling(now: &Concurrency, job: &OurJob<'_>, scene: &Scene<'_>) -> Option<String> {
    let name = begins(&now.group);
    let other = scene.jobs.iter().filter(|other| !other.answers).find(|other| {
        let theirs = [other.job.concurrency.as_ref(), other.workflow.concurrency.as_ref()];
        let mut theirs = theirs.into_iter().flatten();
        theirs.any(|theirs| cancels(theirs) && begins(&theirs.group) == name)
            && other.workflow.file != job.workflow.file
    })?;
    let file = &other.workflow.file;
    Some(format!("the group of the job `{}` in {file} begins alike, and that one cancels", other.job.id))
}

fn lines() -> Vec<String> {
    ["concurrency:", "  group: rankhold-command-${{ github.event.issue.number }}", "  queue: max"]
        .map(str::to_owned)
        .to_vec()
}

/// The documented group in the place of the one that is there.
fn cure(now: &Concurrency) -> Cure {
    let place = format!("in the place of `concurrency` at line {}", now.region.from);
    Cure::of((now.region.replaced(&lines()), lines()), place)
}
