//! What the action takes and gives: one table each, which `action.yml` and `docs/action.md` are held against by a test.

use std::path::PathBuf;

use crate::cli::Global;
use crate::config::{CommentMode, Publish};
use crate::error::{Blame, Blamed, docs};
use crate::gate::Decimal;
use crate::github::Token;

/// An input of `action.yml`.
pub struct Input {
    /// As a workflow writes it.
    pub name: &'static str,
    /// Its default; none where there is nothing sensible to say.
    pub default: Option<&'static str>,
    /// What it means.
    pub about: &'static str,
}

/// An output of `action.yml`.
pub struct OutputSlot {
    /// As a later step reads it.
    pub name: &'static str,
    /// What it holds.
    pub about: &'static str,
}

pub(super) const fn input(name: &'static str, default: Option<&'static str>, about: &'static str) -> Input {
    Input { name, default, about }
}

pub(super) const fn output(name: &'static str, about: &'static str) -> OutputSlot {
    OutputSlot { name, about }
}

/// Every input, in the order of `action.yml`. None is required.
pub static INPUTS: &[Input] = &[
    input(
        "suites",
        None,
        "Suites to measure, by name or path, separated by commas or lines. Default: all of them.",
    ),
    input(
        "retrievers",
        None,
        "Retrievers to measure each suite with. Default: those that rankhold.toml gives the suite.",
    ),
    input("config", None, "Configuration file. Default: rankhold.toml, if there is one."),
    input("working-directory", Some("."), "Folder of the checkout that is the root of what is measured."),
    input(
        "result",
        None,
        "Results that were measured elsewhere: files or folders, separated by commas or lines. Nothing is measured then.",
    ),
    input(
        "tolerance",
        None,
        "Absolute rate of cases that may be lost net (0.02 is two points). It can be stricter than the base branch's gate, never looser.",
    ),
    input(
        "token",
        Some("${{ github.token }}"),
        "Token that reads the base and writes check and comment. Empty: only measure, and leave the verdict to another job.",
    ),
    input(
        "commit-token",
        None,
        "Token of an App that commits approved baselines, so that workflows run on the commit.",
    ),
    input(
        "comment",
        None,
        "When to comment: changes, always, failures or never. Default: what the base's rankhold.toml says, else changes.",
    ),
    input(
        "publish",
        None,
        "Where the verdict goes: check or status. Default: what the base's rankhold.toml says, else check.",
    ),
    input(
        "fail-step",
        Some("auto"),
        "When exit code 1 fails the step: auto (unless a check or status carries the verdict), always or never. Codes 2 and 3 always do.",
    ),
    input(
        "id",
        Some("report"),
        "Tells several set-ups of one repository apart: each has a comment of its own. The check is one for all of them.",
    ),
    input(
        "workflow",
        Some(".github/workflows/rankhold-measure.yml"),
        "For `workflow_run`: the file of the workflow whose results are published.",
    ),
    input(
        "commands",
        Some(".github/workflows/rankhold-command.yml"),
        "The default branch's workflow that answers slash commands: while it is not there, reports offer none.",
    ),
    input("ca-file", None, "PEM certificates of a private server, in the checkout."),
];

/// Every output, in the order of `action.yml`.
pub static OUTPUTS: &[OutputSlot] = &[
    output(
        "verdict",
        "pass, regressed, suite-changed, no-baseline, not-comparable, or not-measured: of the pair that decides. Without a token: measured, since nothing is held against it.",
    ),
    output("exit-code", "The exit code that the command line would end with: 0, 1, 2 or 3."),
    output("hit-at-3", "hit@3 of that pair, between 0 and 1."),
    output("delta", "Its change against the baseline, over the comparable cases."),
    output("lost", "Lost cases of all pairs."),
    output("won", "Won cases of all pairs."),
    output("results", "Result files, one a line, relative to the runner's temporary folder."),
    output("candidates", "Candidate files, likewise."),
    output("report", "The report as markdown, likewise."),
    output("comment-url", "Where the comment is read, if there is one."),
];

/// When exit code 1 fails the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailStep {
    /// Unless a check or status carries the verdict.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The longest `id`: it stands in the comment, which has a longest length.
const ID: usize = 100;

/// The inputs as they were given.
#[derive(Debug)]
pub(super) struct Inputs {
    pub suites: Vec<String>,
    pub retrievers: Vec<String>,
    pub config: Option<PathBuf>,
    pub working_directory: PathBuf,
    pub results: Vec<PathBuf>,
    pub tolerance: Option<Decimal>,
    pub token: Option<Token>,
    pub commit_token: Option<Token>,
    pub comment: Option<CommentMode>,
    pub publish: Option<Publish>,
    pub fail_step: FailStep,
    pub id: String,
    pub workflow: String,
    pub commands: String,
    pub certificates: Option<PathBuf>,
}

/// An input that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the input `{name}`: {message}")]
pub(super) struct InputProblem {
    name: &'static str,
    message: String,
}

impl Blamed for InputProblem {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(
            concat!("correct it under `with:` in the workflow; every input: ", docs!("action.md")).to_owned(),
        )
    }
}

/// A flag of the command line in the place of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--{0} is not for this command: where it works its inputs say")]
pub(super) struct FlagProblem(&'static str);

impl Blamed for FlagProblem {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        let input = if self.0 == "config" { "config" } else { "working-directory" };
        Some(format!(
            "give the input `{input}`: INPUT_{} in the environment, and `--with {input}=…` to `rankhold replay`",
            input.to_uppercase()
        ))
    }
}

/// Refuses flags that would do nothing.
pub(super) fn refuse_flags(global: &Global, refused: &[&'static str]) -> Result<(), FlagProblem> {
    let given = [("repo", global.repo.is_some()), ("config", global.config.is_some())];
    match given.into_iter().find(|(flag, given)| *given && refused.contains(flag)) {
        Some((flag, _)) => Err(FlagProblem(flag)),
        None => Ok(()),
    }
}

impl Inputs {
    /// Reads the variables that the runner makes of a step's `with:`. Empty is the same as absent.
    pub(super) fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, InputProblem> {
        let given = |name: &'static str| {
            // The runner writes names in capitals and keeps their hyphens; only blanks become underscores.
            let value = variable(&format!("INPUT_{}", name.to_uppercase()));
            value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let list = |name| given(name).map(|text| comma_or_line(&text)).unwrap_or_default();
        let problem = |name, message: String| InputProblem { name, message };
        let one_of = |name: &'static str, words: &[&'static str]| match given(name) {
            None => Ok(None),
            Some(word) => match words.iter().position(|known| *known == word) {
                Some(at) => Ok(Some(at)),
                None => Err(problem(name, format!("`{word}` is none of {}", words.join(", ")))),
            },
        };
        let comments = [CommentMode::Changes, CommentMode::Always, CommentMode::Failures, CommentMode::Never];
        let steps = [FailStep::Auto, FailStep::Always, FailStep::Never];
        let id = given("id").unwrap_or_else(|| "report".to_owned());
        if !crate::name::is_slug(&id) || id.len() > ID {
            return Err(problem("id", format!("`{id}` must match [a-z0-9-]+ and have at most {ID} letters")));
        }
        Ok(Self {
            suites: list("suites"),
            retrievers: list("retrievers"),
            config: given("config").map(PathBuf::from),
            working_directory: given("working-directory").unwrap_or_else(|| ".".to_owned()).into(),
            results: list("result").into_iter().map(PathBuf::from).collect(),
            tolerance: match given("tolerance").map(|text| text.parse::<Decimal>()).transpose() {
                Ok(Some(rate)) if rate.is_above_one() => {
                    return Err(problem(
                        "tolerance",
                        "is an absolute rate from 0 to 1: 0.02 is two points".to_owned(),
                    ));
                }
                rate => rate.map_err(|error| problem("tolerance", error.to_string()))?,
            },
            token: given("token")
                .map(|text| Token::new(&text))
                .transpose()
                .map_err(|error| problem("token", error.to_string()))?,
            commit_token: given("commit-token")
                .map(|text| Token::new(&text))
                .transpose()
                .map_err(|error| problem("commit-token", error.to_string()))?,
            comment: one_of("comment", &["changes", "always", "failures", "never"])?.map(|at| comments[at]),
            publish: one_of("publish", &["check", "status"])?.map(|at| [Publish::Check, Publish::Status][at]),
            fail_step: one_of("fail-step", &["auto", "always", "never"])?
                .map_or(FailStep::Auto, |at| steps[at]),
            id,
            workflow: given("workflow")
                .unwrap_or_else(|| ".github/workflows/rankhold-measure.yml".to_owned()),
            commands: given("commands")
                .unwrap_or_else(|| ".github/workflows/rankhold-command.yml".to_owned()),
            certificates: given("ca-file").map(PathBuf::from),
        })
    }
}

/// Why the action would refuse that value of an input, if it would.
pub(in crate::app) fn refusal(name: &str, value: &str) -> Option<String> {
    let of = format!("INPUT_{}", name.to_uppercase());
    let read = Inputs::read(&|variable| (variable == of).then(|| value.to_owned()));
    read.err().map(|problem| problem.message)
}

fn comma_or_line(text: &str) -> Vec<String> {
    text.split([',', '\n']).map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Inputs, InputProblem> {
        Inputs::read(&|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn what_is_empty_has_its_default() {
        let inputs = read(&[("INPUT_SUITES", " "), ("INPUT_TOKEN", ""), ("INPUT_FAIL-STEP", "")]).unwrap();
        assert!(inputs.suites.is_empty() && inputs.token.is_none());
        assert_eq!((inputs.fail_step, inputs.id.as_str()), (FailStep::Auto, "report"));
        assert_eq!(inputs.working_directory, PathBuf::from("."));
    }

    #[test]
    fn lists_take_commas_and_lines() {
        let inputs = read(&[("INPUT_SUITES", "a, b\nc\n\n"), ("INPUT_RESULT", "x y.json,z/")]).unwrap();
        assert_eq!(inputs.suites, ["a", "b", "c"]);
        assert_eq!(inputs.results, [PathBuf::from("x y.json"), PathBuf::from("z/")]);
    }

    #[test]
    fn a_wrong_input_is_named() {
        for (name, value, words) in [
            (
                "INPUT_COMMENT",
                "sometimes",
                "`comment`: `sometimes` is none of changes, always, failures, never",
            ),
            ("INPUT_FAIL-STEP", "yes", "`fail-step`"),
            ("INPUT_TOLERANCE", "1e-3", "`tolerance`"),
            ("INPUT_TOLERANCE", "2", "`tolerance`: is an absolute rate from 0 to 1"),
            ("INPUT_TOKEN", "a b", "`token`"),
            ("INPUT_ID", "A", "`id`"),
        ] {
            let problem = read(&[(name, value)]).unwrap_err().to_string();
            assert!(problem.contains(words), "{problem}");
        }
    }

    #[test]
    fn a_token_is_not_shown() {
        let inputs = read(&[("INPUT_TOKEN", "ghs_secret")]).unwrap();
        assert!(!format!("{inputs:?}").contains("ghs_secret"));
    }
}
