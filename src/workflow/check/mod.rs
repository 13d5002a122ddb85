//! The checks, one file each. The order of the tables is the order of the documentation.

mod checkout;
mod commands;
mod concurrency;
mod events;
mod folders;
mod forks;
mod inputs;
mod keys;
mod names;
mod one_job;
mod permissions;
mod pins;
mod proposals;
mod publishers;
mod results;
mod runners;
mod tokens;
mod unused;
mod wiring;

use super::model::{Access, Filter, On, Trigger};
use super::ours::{OurJob, OurStep, PULL_REQUESTS};
use crate::report::place;

use super::{Cure, Edit, Facts, Finding, Level, Rule, Workflow};

/// A file that cannot be read. Whoever reads it makes the finding.
static UNREADABLE: Rule = Rule {
    name: "unreadable",
    level: Level::Error,
    about: "a file of `.github/workflows` is no workflow",
    why: "nobody can say what it does, GitHub included",
};

/// Every rule, in the order of the documentation.
pub static RULES: &[&Rule] = &[
    &UNREADABLE,
    &keys::UNKNOWN,
    &keys::MISSING,
    &unused::UNUSED,
    &unused::UNJUDGED,
    &unused::WRAPPED,
    &permissions::MISSING,
    &permissions::COMMENT,
    &permissions::AGE,
    &permissions::TREE,
    &permissions::UNSET,
    &permissions::BROAD,
    &one_job::ONE_JOB,
    &one_job::SECRET,
    &one_job::TARGET,
    &events::PUSHES,
    &events::RETARGETED,
    &events::UNKNOWN,
    &events::FILTERED,
    &events::LEFT_OUT,
    &events::DRAFTS,
    &events::QUEUE_TYPES,
    &events::QUEUE,
    &events::DEFAULT_BRANCH,
    &forks::UNHEARD,
    &forks::NO_WORKFLOW,
    &forks::OTHER_FILE,
    &forks::NO_ARTIFACT,
    &forks::PARTIAL,
    &forks::OTHER_TREE,
    &runners::UNFIT,
    &runners::RETIRED,
    &runners::ACTION,
    &checkout::MISSING,
    &checkout::OTHER,
    &checkout::MOVING,
    &checkout::CREDENTIALS,
    &checkout::HISTORY,
    &commands::UNHEARD,
    &commands::OTHER_FILE,
    &commands::MIXED,
    &commands::TYPES,
    &commands::UNFILTERED,
    &commands::FORBIDDEN,
    &commands::CHECKOUT,
    &commands::CANCELLED,
    &commands::UNQUEUED,
    &proposals::UNFILED,
    &names::JOB,
    &publishers::TWICE,
    &publishers::COMMENT,
    &publishers::CHECK,
    &publishers::PUSHES,
    &publishers::LEGS,
    &results::SKIPPED,
    &results::LOST,
    &wiring::SETUP,
    &wiring::UNMADE,
    &wiring::UNORDERED,
    &wiring::UNFOUND,
    &wiring::OVERWRITTEN,
    &concurrency::MISSING,
    &concurrency::SHARED,
    &concurrency::BRANCH,
    &concurrency::WAITS,
    &folders::ELSEWHERE,
    &inputs::UNKNOWN,
    &inputs::UNFIT,
    &tokens::LITERAL,
    &tokens::EMPTY,
    &pins::UNPINNED,
];

/// A check: what it sees, and where it puts what it finds.
type Check = fn(&Scene<'_>, &mut Vec<Finding>);

/// Columns of a message: it quotes what may be as long as the file.
const MESSAGE: usize = 400;

/// Every check.
static CHECKS: &[Check] = &[
    keys::check,
    unused::check,
    permissions::check,
    one_job::check,
    events::check,
    forks::check,
    runners::check,
    checkout::check,
    commands::check,
    proposals::check,
    names::check,
    publishers::check,
    results::check,
    wiring::check,
    concurrency::check,
    folders::check,
    inputs::check,
    tokens::check,
    pins::check,
];

/// Everything that a check may look at.
struct Scene<'a> {
    workflows: &'a [Workflow],
    facts: &'a Facts,
    jobs: Vec<OurJob<'a>>,
}

/// Holds the workflows of a repository against every rule. Findings come by file and line, then in the order of the rules.
pub fn check(workflows: &[Workflow], facts: &Facts) -> Vec<Finding> {
    let scene = Scene::of(workflows, facts);
    let mut found = Vec::new();
    for check in CHECKS {
        check(&scene, &mut found);
    }
    for finding in &mut found {
        finding.message = place::shorten(&finding.message, MESSAGE);
        if let Cure::File { branch, .. } = &mut finding.cure {
            branch.clone_from(&facts.default_branch);
        }
    }
    let rank = |rule: &Rule| RULES.iter().position(|known| known.name == rule.name);
    found.sort_by(|a, b| (&a.file, a.line, rank(a.rule)).cmp(&(&b.file, b.line, rank(b.rule))));
    found
}

/// The first workflow that uses the action where pull requests are judged.
pub fn judging(workflows: &[Workflow], facts: &Facts) -> Option<String> {
    let scene = Scene::of(workflows, facts);
    let mut acting = scene.jobs.iter().filter(|job| !job.answers && job.acting().is_some());
    let job = acting.find(|job| PULL_REQUESTS.iter().any(|event| job.on(event)));
    job.map(|job| job.workflow.file.clone())
}

impl Finding {
    /// The finding of a file that cannot be read.
    pub fn unreadable(file: &str, line: usize, message: String) -> Self {
        let cure = Cure::Author("correct that line, or take the file away");
        Self { rule: &UNREADABLE, file: file.to_owned(), line, job: None, message, cure }
    }

    /// It says that nothing uses rankhold, or nothing where pull requests are judged.
    pub fn is_unused(&self) -> bool {
        [unused::UNUSED.name, unused::UNJUDGED.name].contains(&self.rule.name)
    }
}

impl<'a> Scene<'a> {
    fn of(workflows: &'a [Workflow], facts: &'a Facts) -> Self {
        let of = |workflow| move |job| OurJob::of(workflow, job, workflows, facts);
        let jobs = workflows.iter().flat_map(|workflow| workflow.jobs.iter().filter_map(of(workflow)));
        Self { workflows, facts, jobs: jobs.collect() }
    }

    /// The workflow of that file.
    fn file(&self, file: &str) -> Option<&Workflow> {
        self.workflows.iter().find(|workflow| workflow.file == file)
    }

    /// Some suite is measured by a program, so that measuring is a job of its own.
    fn runs_programs(&self) -> bool {
        let of_others = self.facts.folders.values();
        !self.facts.programs.is_empty() || of_others.into_iter().any(|folder| !folder.programs.is_empty())
    }
}

impl OurJob<'_> {
    /// A finding in this job.
    fn finding(&self, rule: &'static Rule, line: usize, message: impl Into<String>, cure: Cure) -> Finding {
        Finding {
            rule,
            file: self.workflow.file.clone(),
            line,
            job: Some(self.job.id.clone()),
            message: message.into(),
            cure,
        }
    }

    /// Puts keys into the job, before its steps.
    fn put(&self, lines: Vec<String>) -> Cure {
        let keys = &self.job.keys;
        let edit = keys.first_of(&["steps"]).and_then(|steps| steps.preceded(&lines));
        Cure::of((edit, lines), format!("put into the job `{}`", self.job.id))
    }
}

/// The condition lets the job or step go on although something before it failed.
fn goes_on(condition: Option<&super::model::Said>) -> bool {
    condition.is_some_and(|said| said.text.contains("cancelled()") || said.text.contains("always()"))
}

/// Everything but the pull requests of forks, as forks-external.yml says it, without its blanks.
const OF_OURS: &str = "${{!cancelled()&&(github.event_name!='pull_request'||\
                       github.event.pull_request.head.repo.full_name==github.repository)}}";

/// A condition beside those that say what may have failed: when it holds is not known here.
fn is_conditional(step: &OurStep<'_>, job: &OurJob<'_>) -> bool {
    let conditions = [step.step.condition.as_ref(), job.job.condition.as_ref()];
    conditions.into_iter().flatten().any(|said| {
        let text: String = said.text.chars().filter(|c| !c.is_whitespace()).collect();
        !["${{!cancelled()}}", "!cancelled()", "${{always()}}", "always()", OF_OURS].contains(&text.as_str())
    })
}

impl On {
    /// The event with these filters instead of how it is now, or beside the others if it is not there.
    fn with(&self, event: &str, filters: &[(&str, String)]) -> (Option<Edit>, Vec<String>) {
        let lines = event_lines(event, filters);
        if self.is_map {
            let edit = match self.event(event) {
                Some(trigger) => trigger.region.replaced(&lines),
                None => self.triggers.last().and_then(|last| last.region.followed(&lines)),
            };
            return (edit, lines);
        }
        let mut all = vec!["on:".to_owned()];
        let others = self.triggers.iter().filter(|trigger| trigger.event != event);
        let rendered = others.flat_map(Trigger::rendered).chain(lines);
        all.extend(rendered.map(|line| format!("  {line}")));
        // The times of a schedule are not kept here, so that they cannot be written anew.
        let edit = self.event("schedule").is_none().then(|| self.region.replaced(&all)).flatten();
        (edit, all)
    }

    /// The event is taken out.
    fn without(&self, event: &str) -> Option<Edit> {
        let is_only = self.triggers.len() == 1;
        let trigger = self.event(event).filter(|_| !is_only)?;
        if self.is_map {
            return trigger.region.removed();
        }
        let others: Vec<&Trigger> = self.triggers.iter().filter(|trigger| trigger.event != event).collect();
        // Filters of a map on one line are not written anew.
        if others.iter().any(|other| !other.filters.is_empty() || other.event == "schedule") {
            return None;
        }
        let names: Vec<&str> = others.iter().map(|other| other.event.as_str()).collect();
        self.region.replaced(&[format!("on: {}", listed(&names))])
    }
}

impl Trigger {
    fn rendered(&self) -> Vec<String> {
        let filters = self.filters.iter().map(|filter| (filter.key.as_str(), filter.rendered()));
        event_lines(&self.event, &filters.collect::<Vec<_>>())
    }
}

impl Filter {
    /// Its values as a list.
    fn rendered(&self) -> String {
        listed(&self.values)
    }
}

fn event_lines(event: &str, filters: &[(&str, String)]) -> Vec<String> {
    let filters = filters.iter().map(|(key, values)| format!("  {key}: {values}"));
    std::iter::once(format!("{event}:")).chain(filters).collect()
}

/// A list on one line.
pub(super) fn listed<T: AsRef<str>>(values: &[T]) -> String {
    let values: Vec<_> = values.iter().map(|value| quoted(value.as_ref())).collect();
    format!("[{}]", values.join(", "))
}

/// A text as YAML reads it back. JSON's strings are YAML's.
fn quoted(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./ ".contains(c))
        && !text.ends_with(' ')
        && !["true", "false", "null", "yes", "no", "on", "off"].contains(&text.to_lowercase().as_str());
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// A text with an expression as YAML reads it back: a colon or a hash beside a blank would end it.
fn scalar(text: &str) -> String {
    let is_plain = !text.contains(": ") && !text.contains(" #") && !text.contains(char::is_control);
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// The name of a group of `concurrency`, before what tells its runs apart.
fn begins(group: &str) -> &str {
    group.split("${{").next().unwrap_or_default().trim()
}

/// What an access of `wanted` takes is granted.
fn grants(granted: Access, wanted: Access) -> bool {
    granted >= wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_rule_is_its_own() {
        for (at, rule) in RULES.iter().enumerate() {
            assert!(RULES[..at].iter().all(|other| other.name != rule.name), "{}", rule.name);
            assert!(crate::name::is_slug(rule.name), "{}", rule.name);
        }
    }

    #[test]
    fn what_is_not_plain_is_quoted() {
        assert_eq!(listed(&["main", "v1.*", "no", "a: b", "a b"]), r#"[main, "v1.*", "no", "a: b", a b]"#);
    }
}
