//! What a job's token may do, against what the job does with it.

use std::collections::BTreeMap;

use super::{Scene, commands, events, grants, proposals, publishers};
use crate::config::ApprovalMode;
use crate::workflow::model::{Access, Grant};
use crate::workflow::ours::{OurJob, OurStep, PULL_REQUESTS};
use crate::workflow::{Cure, Facts, Finding, Level, Rule};

pub(super) static MISSING: Rule = Rule {
    name: "permission-missing",
    level: Level::Error,
    about: "a job that publishes lacks `contents: read`, or `checks: write` (`statuses: write` with `publish: status`), or \
            on `workflow_run` `actions: read`",
    why: "the verdict cannot be read or written without",
};

pub(super) static COMMENT: Rule = Rule {
    name: "comment-forbidden",
    level: Level::Warning,
    about: "a job that publishes lacks `pull-requests: write`",
    why: "the verdict comes without the comment that explains it",
};

pub(super) static AGE: Rule = Rule {
    name: "age-unknown",
    level: Level::Warning,
    about: "a job that publishes lacks `actions: read`",
    why: "of two runs on the same base the one that ends last wins, be it the older",
};

pub(super) static TREE: Rule = Rule {
    name: "tree-forbidden",
    level: Level::Warning,
    about: "a job that only measures lacks `contents: read`",
    why: "the tree of a private repository cannot be checked out without",
};

pub(super) static UNSET: Rule = Rule {
    name: "permissions-unset",
    level: Level::Warning,
    about: "neither job nor workflow say what the token may do",
    why: "the repository's default decides, which is too little or too much",
};

pub(super) static BROAD: Rule = Rule {
    name: "permissions-broad",
    level: Level::Warning,
    about: "a job's token may write what the job does not write",
    why: "whatever gets hold of the token can do that too",
};

/// A permission that a job needs.
struct Need {
    scope: &'static str,
    access: Access,
    /// What for, as the examples say it.
    what_for: &'static str,
    /// What is broken without.
    rule: &'static Rule,
}

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for job in &scene.jobs {
        // What is called by another workflow has that one's token.
        if job.is_called() && job.permissions().is_none() {
            continue;
        }
        // What every leg would need is nothing that any of them should have.
        if publishers::publishes_in_legs(job) {
            continue;
        }
        let needs = needs(job, scene.facts);
        let Some(permissions) = job.permissions() else {
            let message = "`permissions` is missing, in the job and in the workflow";
            found.push(job.finding(&UNSET, job.job.line, message, cure(job, &needs)));
            continue;
        };
        let line = permissions.region.from;
        let mut told: Vec<&Rule> = Vec::new();
        for need in &needs {
            let lacks = |need: &&Need| !grants(permissions.grant.of(need.scope), need.access);
            if !lacks(&need) || told.contains(&need.rule) {
                continue;
            }
            told.push(need.rule);
            let of_rule = needs.iter().filter(|other| other.rule == need.rule).filter(lacks);
            let lines: Vec<_> =
                of_rule.map(|need| format!("`{}: {}`", need.scope, need.access.word())).collect();
            let inherited = if job.job.permissions.is_some() || job.workflow.permissions.is_none() {
                ""
            } else {
                " in the workflow's `permissions`, which are the job's"
            };
            let message = format!("{} is missing{inherited}", lines.join(" and "));
            found.push(job.finding(need.rule, line, message, cure(job, &needs)));
        }
        // Which of them a job needs, its events decide: those of callers elsewhere, and one that is misspelt.
        if job.starts_are_unknown() || events::has_misspelt(job, scene) {
            continue;
        }
        let broad = broad(&permissions.grant, &needs);
        if !broad.is_empty() {
            let message = format!("{} is more than the job needs", broad.join(" and "));
            found.push(job.finding(&BROAD, line, message, cure(job, &needs)));
        }
    }
}

/// What the token needs to be, in the order in which it is written.
fn needs(job: &OurJob<'_>, facts: &Facts) -> Vec<Need> {
    let need = |scope, access, what_for, rule| Need { scope, access, what_for, rule };
    if job.answers {
        return answering(job, facts);
    }
    if !job.publishes() {
        return vec![need("contents", Access::Read, "the tree", &TREE)];
    }
    let of_other_run = job.on("workflow_run");
    let is_status = is_status(job.steps.iter().find(|step| step.publishes), facts);
    let (actions, actions_rule) = if of_other_run {
        ("the artifact of the other run", &MISSING)
    } else {
        ("when this run began, so that an older one never overwrites its verdict", &AGE)
    };
    let contents = if of_other_run {
        "the measured tree as data, and what the base branch approved"
    } else {
        "the tree, and what the base branch approved"
    };
    let mut needs = vec![need("actions", Access::Read, actions, actions_rule)];
    if !is_status {
        needs.push(need("checks", Access::Write, "the verdict", &MISSING));
    }
    if proposals::means_to_propose(job) {
        needs.push(need("contents", Access::Write, "the branch rankhold/baselines", &proposals::UNFILED));
        needs.push(need("pull-requests", Access::Write, "the pull request from it", &proposals::UNFILED));
    } else {
        needs.push(need("contents", Access::Read, contents, &MISSING));
    }
    let never = |step: &OurStep<'_>| match step.input("comment") {
        Some(comment) => comment == "never",
        None => !facts.comments,
    };
    let about_pulls = PULL_REQUESTS.iter().any(|event| job.on(event));
    if about_pulls && job.steps.iter().any(|step| step.publishes && !never(step)) {
        needs.push(need("pull-requests", Access::Write, "the comment", &COMMENT));
    }
    if is_status {
        needs.push(need("statuses", Access::Write, "the verdict", &MISSING));
    }
    needs
}

/// What a job needs that answers commands.
fn answering(job: &OurJob<'_>, facts: &Facts) -> Vec<Need> {
    let (contents, what_for) = match facts.approval {
        ApprovalMode::Commit => {
            (Access::Write, "that commit: the approved baseline, on the branch of the pull request")
        }
        ApprovalMode::Record | ApprovalMode::File => (Access::Read, "what the base branch approved"),
    };
    let verdict = if is_status(job.acting(), facts) { "statuses" } else { "checks" };
    [
        ("actions", Access::Read, "what the reviewing run uploaded, where the check has no room for it"),
        (verdict, Access::Write, "the verdict on the commit that the approval makes"),
        ("contents", contents, what_for),
        ("pull-requests", Access::Write, "the reply, and the reaction to the comment"),
    ]
    .into_iter()
    .map(|(scope, access, what_for)| Need { scope, access, what_for, rule: &commands::FORBIDDEN })
    .collect()
}

/// The verdict is a status and no check.
fn is_status(step: Option<&OurStep<'_>>, facts: &Facts) -> bool {
    let publish = step.and_then(|step| step.input("publish"));
    publish.map_or(facts.is_status, |publish| publish == "status")
}

/// What is granted and not needed, as it is written.
fn broad(grant: &Grant, needs: &[Need]) -> Vec<String> {
    let needed = |scope: &str| needs.iter().any(|need| need.scope == scope && need.access == Access::Write);
    match grant {
        Grant::All(Access::Write) => vec!["`write-all`".to_owned()],
        Grant::All(_) => Vec::new(),
        Grant::Scopes(scopes) => scopes
            .iter()
            .filter(|(scope, access)| **access == Access::Write && !needed(scope))
            .map(|(scope, _)| format!("`{scope}: write`"))
            .collect(),
    }
}

/// The job's own `permissions` as they should be: what it needs, and whatever else it may read now.
fn cure(job: &OurJob<'_>, needs: &[Need]) -> Cure {
    let mut wanted: BTreeMap<&str, String> = BTreeMap::new();
    if let Some(Grant::Scopes(scopes)) = job.job.permissions.as_ref().map(|own| &own.grant) {
        let read = scopes.iter().filter(|(_, access)| **access == Access::Read);
        wanted.extend(read.map(|(scope, _)| (scope.as_str(), format!("{scope}: read"))));
    }
    for Need { scope, access, what_for, .. } in needs {
        wanted.insert(scope, format!("{scope}: {} # {what_for}", access.word()));
    }
    let mut lines = vec!["permissions:".to_owned()];
    lines.extend(wanted.into_values().map(|line| format!("  {line}")));
    match &job.job.permissions {
        None => job.put(lines),
        Some(own) => {
            let place = format!("in the place of `permissions` of the job `{}`", job.job.id);
            Cure::of((own.region.replaced(&lines), lines), place)
        }
    }
}
