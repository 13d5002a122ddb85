//! `rankhold explain CASE`: why a case ranks as it does.

use std::fmt::Write as _;

use super::Day;
use super::console::Console;
use super::pairs::pairs;
use super::review::Reviewer;
use super::workspace::{Chosen, Workspace, suite_of};
use crate::artifact::SuiteResult;
use crate::cli::{ExplainArgs, TodayArgs};
use crate::config::did_you_mean;
use crate::error::{Blame, Blamed, Failure};
use crate::exit::Exit;
use crate::measure::Explained;
use crate::report::{Rendered, place};
use crate::retriever::Enters;
use crate::suite::Suite;

/// A case that is in no suite, or in several.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoSuchCase {
    /// Nowhere.
    #[error("no suite has a case `{case}`{near}")]
    Nowhere {
        /// As given.
        case: String,
        /// A suggestion.
        near: String,
    },
    /// In more than one.
    #[error("several suites have a case `{case}`: {suites}")]
    Several {
        /// As given.
        case: String,
        /// Their names.
        suites: String,
    },
}

impl Blamed for NoSuchCase {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::Nowhere { .. } => {
                    "case ids are in the suite files; `--suite` names one that is not configured"
                }
                Self::Several { .. } => "name the suite with --suite",
            }
            .to_owned(),
        )
    }
}

/// How much of what stands above an answer that is not found is printed.
const ABOVE: usize = 5;

/// The longest what a query met is printed.
const FAILURE: usize = 2_000;

/// The longest a name or query is printed.
const LONGEST: usize = 200;

/// Asks one query and prints where its targets stand, what stands above, and the parts of each score.
pub(super) fn explain(args: &ExplainArgs, workspace: &Workspace, console: &Console) -> Result<Exit, Failure> {
    let (chosen, suite) = find(args, workspace)?;
    let corpus = workspace.corpus(std::slice::from_ref(&chosen), &[])?;
    let policy = &workspace.settings.policy;
    let today = Day::of(TodayArgs { today: None });
    let reviewer = Reviewer { workspace, corpus: &corpus, policy, today, results: None, console };
    let pair = pairs(workspace, std::slice::from_ref(&chosen), std::slice::from_ref(&args.retriever), None)?
        .remove(0);
    let explained = reviewer.explain(&pair, &suite, &args.case)?;
    console.report(&Rendered::lines(describe(&explained, &pair.retriever.name).lines()));
    Ok(if explained.failures.is_empty() { Exit::Pass } else { Exit::NotMeasured })
}

fn find(args: &ExplainArgs, workspace: &Workspace) -> Result<(Chosen, Suite), Failure> {
    let chosen = workspace.choose(args.suite.as_slice())?;
    let mut holding = Vec::new();
    let mut ids = Vec::new();
    for chosen in chosen {
        let suite = suite_of(&chosen, &workspace.root)?;
        ids.extend(suite.cases.iter().map(|case| case.id.0.clone()));
        if suite.case(&args.case).is_some() {
            holding.push((chosen, suite));
        }
    }
    match holding.len() {
        1 => Ok(holding.remove(0)),
        0 => {
            let near = did_you_mean(&args.case, ids.iter().map(String::as_str));
            Err(NoSuchCase::Nowhere { case: args.case.clone(), near }.into())
        }
        _ => {
            let names: Vec<_> = holding.iter().map(|(chosen, _)| chosen.entry.name.as_str()).collect();
            Err(NoSuchCase::Several { case: args.case.clone(), suites: names.join(", ") }.into())
        }
    }
}

fn describe(explained: &Explained, retriever: &str) -> String {
    let result: &SuiteResult = &explained.result;
    let case = &result.cases[0];
    let show = |text: &str| place::terminal(text, LONGEST);
    let mut out = String::new();
    let line = |out: &mut String, text: String| writeln!(out, "{text}").expect("a string takes everything");
    line(&mut out, format!("{} × {retriever}: {}", show(&case.id.0), case.state.word()));
    line(&mut out, format!("query     {}", show(&case.input)));
    let targets: Vec<_> = case.targets().iter().map(|name| show(name.as_str())).collect();
    line(
        &mut out,
        format!("expected  {}", if targets.is_empty() { "no result".to_owned() } else { targets.join(", ") }),
    );
    if let Some((_, error)) = explained.failures.first() {
        // There is no answer: nothing stands anywhere.
        line(&mut out, format!("failed    {}: {}", error.class, place::terminal(&error.detail, FAILURE)));
        return out;
    }
    let rank = case
        .rank
        .map_or_else(|| format!("not among the first {}", result.measurement.limit), |rank| rank.to_string());
    line(&mut out, format!("rank      {rank}"));
    let answer = case.answer();
    let above = case.rank.map_or(ABOVE, |rank| rank as usize).min(answer.hits().len());
    for (at, hit) in answer.hits()[..above].iter().enumerate() {
        let mark = if case.rank == u32::try_from(at + 1).ok() { "  ← expected" } else { "" };
        line(&mut out, format!("\n{:>3}. {}{mark}", at + 1, show(&hit.label())));
        parts(&mut out, explained, hit.path.as_ref().unwrap_or(&hit.id).as_str());
    }
    if case.rank.is_none() {
        for target in case.targets() {
            line(&mut out, format!("\n  –  {}  ← expected", show(target.as_str())));
            parts(&mut out, explained, target.as_str());
        }
    }
    out
}

fn parts(out: &mut String, explained: &Explained, name: &str) {
    let Some(explanation) = explained.parts.get(name) else {
        let why = if explained.absent.contains(name) {
            "not in the corpus: renamed, ignored, binary or too large (`rankhold suite lint` says more)"
        } else {
            "this retriever does not say why"
        };
        let _ = writeln!(out, "     ({why})");
        return;
    };
    let place = explanation
        .rank
        .map_or_else(|| "no place: nothing speaks for it".to_owned(), |rank| format!("place {rank}"));
    let score = explanation.score.map(|score| format!("score {score:.3}, ")).unwrap_or_default();
    let _ = writeln!(out, "     {score}{place}");
    for part in explanation.parts.iter().filter(|part| part.amount != 0.0) {
        let label = place::terminal(&part.label, LONGEST);
        let _ = match part.enters {
            Enters::Added => writeln!(out, "     + {:>7.3}  {label}", part.amount),
            Enters::Factor => writeln!(out, "     × {:>7.3}  {label}", part.amount),
            Enters::Counted => writeln!(out, "     {:>9}  {label}", part.amount),
        };
    }
}
