//! The token that a step is given, against what a token is.

use super::Scene;
use crate::config::suggestion;
use crate::workflow::model::{Pair, is_expression};
use crate::workflow::ours::{Kind, OurJob, OurStep};
use crate::workflow::{Cure, Finding, Level, Rule};

pub(super) static LITERAL: Rule = Rule {
    name: "token-literal",
    level: Level::Error,
    about: "`token` or `commit-token` is a text, or an expression that GitHub does not know",
    why: "GitHub takes it for no token, and one that stands in a file is everybody's",
};

pub(super) static EMPTY: Rule = Rule {
    name: "token-may-be-empty",
    level: Level::Warning,
    about: "`token` is a secret, and nothing else",
    why: "it is empty on pull requests of forks and where its name is misspelt, and with an empty token the step only measures: \
          it is green, and nothing is judged",
};

/// What an expression may begin with.
const CONTEXTS: [&str; 12] = [
    "secrets", "github", "env", "vars", "job", "jobs", "steps", "runner", "strategy", "matrix", "needs",
    "inputs",
];

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    for job in &scene.jobs {
        for step in job.steps.iter().filter(|step| step.acts()) {
            for name in ["token", "commit-token"] {
                let given = job.given(step, name).filter(|pair| !pair.value.trim().is_empty());
                let Some(pair) = given else { continue };
                if is_expression(&pair.value) {
                    expression(job, step, name, pair, found);
                } else {
                    literal(job, step, name, pair, found);
                }
            }
        }
    }
}

/// What stands between the braces, if that is the whole value.
fn inside(value: &str) -> Option<&str> {
    let inner = value.trim().strip_prefix("${{")?.strip_suffix("}}")?;
    (!inner.contains("}}")).then(|| inner.trim())
}

fn expression(job: &OurJob<'_>, step: &OurStep<'_>, name: &str, pair: &Pair, found: &mut Vec<Finding>) {
    let Some(inner) = inside(&pair.value) else { return };
    let is_path = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let Some((context, rest)) = inner.split_once('.').filter(|_| is_path(inner)) else { return };
    let line = pair.region.from;
    if !CONTEXTS.iter().any(|known| known.eq_ignore_ascii_case(context)) {
        let near = suggestion(context, CONTEXTS);
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let message = format!("`{context}` is nothing that an expression may begin with{hint}");
        let edit = near.and_then(|near| replaced(pair, &format!("${{{{ {near}.{rest} }}}}")));
        let cure = edit.unwrap_or(Cure::Author("name a secret: `${{ secrets.NAME }}`"));
        found.push(job.finding(&LITERAL, line, message, cure));
    } else if context.eq_ignore_ascii_case("github") && !rest.eq_ignore_ascii_case("token") {
        let message = format!("`{inner}` is no token");
        found.push(job.finding(&LITERAL, line, message, own_token(step, name, pair)));
    } else if name == "token"
        && !job.answers
        && context.eq_ignore_ascii_case("secrets")
        && !rest.eq_ignore_ascii_case("GITHUB_TOKEN")
    {
        let message = format!("`{inner}` may be empty");
        let cure = replaced(pair, &format!("${{{{ {inner} || github.token }}}}"));
        let cure = cure.unwrap_or(Cure::Author("let `|| github.token` follow it"));
        found.push(job.finding(&EMPTY, line, message, cure));
    }
}

fn literal(job: &OurJob<'_>, step: &OurStep<'_>, name: &str, pair: &Pair, found: &mut Vec<Finding>) {
    let value = pair.value.trim();
    let is_path = value.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let secret = value.strip_prefix("secrets.").filter(|secret| is_path && *secret != "GITHUB_TOKEN");
    // What may be a token is not repeated.
    let is_reference = ["secrets.", "secret.", "github.", "$"].iter().any(|begins| value.starts_with(begins));
    let message = if is_reference {
        format!("`{}: {value}` is a text and no expression", pair.key)
    } else {
        format!("the text of `{}` stands in the file; if it is a token, revoke it", pair.key)
    };
    let fallback = if name == "token" { " || github.token" } else { "" };
    let cure = secret.and_then(|secret| replaced(pair, &format!("${{{{ secrets.{secret}{fallback} }}}}")));
    let cure = cure.unwrap_or_else(|| own_token(step, name, pair));
    found.push(job.finding(&LITERAL, pair.region.from, message, cure));
}

fn replaced(pair: &Pair, value: &str) -> Option<Cure> {
    pair.region.replaced(&[format!("{}: {value}", pair.key)]).map(Cure::Edit)
}

/// The job's own token: the default of the input, and of a program on the runner to be said.
fn own_token(step: &OurStep<'_>, name: &str, pair: &Pair) -> Cure {
    let edit = match (&step.kind, name) {
        (Kind::Action, _) => step.step.unset(pair).map(Cure::Edit),
        (_, "token") => replaced(pair, "${{ github.token }}"),
        _ => pair.region.removed().map(Cure::Edit),
    };
    edit.unwrap_or(Cure::Author("take it out, or write `${{ github.token }}`"))
}
