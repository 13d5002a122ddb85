//! `rankhold explain CASE`: why a case ranks as it does.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Day;
use super::console::Console;
use super::pairs::{Pair, pairs};
use super::review::Reviewer;
use super::suites::{HISTORY, tree_of};
use super::workspace::{Chosen, Workspace, read_baseline, suite_of};
use crate::artifact::{CaseResult, SuiteResult};
use crate::cli::{ExplainArgs, TodayArgs};
use crate::config::did_you_mean_name;
use crate::corpus::Corpus;
use crate::error::{Blame, Blamed, Failure};
use crate::exit::Exit;
use crate::history;
use crate::measure::Explained;
use crate::name::Name;
use crate::report::{Rendered, place};
use crate::retriever::Enters;
use crate::suite::{Case, CaseId, Suite, lint};

/// A case that is in no suite, or in several.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoSuchCase {
    /// Nowhere.
    #[error("no case has the id or the query `{case}`{near}")]
    Nowhere {
        /// As given.
        case: String,
        /// A suggestion.
        near: String,
        /// Suites that were not looked into, because the configuration lists others.
        unlisted: Vec<String>,
    },
    /// More than one.
    #[error("several cases are meant by `{case}`: {places}")]
    Several {
        /// As given.
        case: String,
        /// Their ids and suites.
        places: String,
    },
}

impl Blamed for NoSuchCase {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Nowhere { unlisted, .. } if unlisted.is_empty() => {
                "`rankhold suite list` lists the cases; --suite names a suite that is not configured"
                    .to_owned()
            }
            Self::Nowhere { unlisted, .. } => format!(
                "`rankhold suite list` lists the cases; {} is not listed in rankhold.toml: name it with --suite",
                unlisted.join(", ")
            ),
            Self::Several { .. } => "name the suite with --suite, and the case by its id".to_owned(),
        })
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
    let (chosen, suite, case) = find(args, workspace)?;
    let corpus = workspace.corpus(std::slice::from_ref(&chosen), &[])?;
    let policy = &workspace.settings.policy;
    let today = Day::of(TodayArgs { today: None });
    let reviewer = Reviewer { workspace, corpus: &corpus, policy, today, results: None, console };
    let pair = pairs(workspace, std::slice::from_ref(&chosen), args.retriever.as_slice(), None)?.remove(0);
    let explained = reviewer.explain(&pair, &suite, &case.0)?;
    let about = About {
        retriever: &pair.retriever.name,
        approved: approved(&pair, &explained.result.cases[0], workspace),
        whereabouts: whereabouts(&explained, &corpus, workspace),
    };
    console.report(&Rendered::lines(describe(&explained, &about).lines()));
    Ok(if explained.failures.is_empty() { Exit::Pass } else { Exit::NotMeasured })
}

/// What is known of a case beside the answer it got.
struct About<'a> {
    retriever: &'a str,
    /// Where the baseline has it.
    approved: Option<String>,
    /// Where the targets that are not in the corpus may have gone.
    whereabouts: BTreeMap<Name, String>,
}

/// Where the approved baseline of the pair has the case, if there is one and it can be read.
fn approved(pair: &Pair, case: &CaseResult, workspace: &Workspace) -> Option<String> {
    let baseline = read_baseline(&pair.baseline, &workspace.root).ok().flatten()?;
    let before = baseline.cases.as_ref()?.iter().find(|before| before.id == case.id)?;
    let rank = before.rank.map_or_else(|| before.state.word().to_owned(), |rank| format!("rank {rank}"));
    let edited = if before.digest == case.digest { "" } else { ", when the case was another one" };
    Some(format!(
        "{rank}, approved by {} at {}{edited}",
        baseline.approval.approved_by, baseline.approval.approved_at
    ))
}

/// As lint knows it. History is asked only where something is gone.
fn whereabouts(explained: &Explained, corpus: &Corpus, workspace: &Workspace) -> BTreeMap<Name, String> {
    let case = &explained.result.cases[0];
    let gone: Vec<&Name> =
        case.targets().iter().filter(|target| explained.absent.contains(target.as_str())).collect();
    if gone.is_empty() {
        return BTreeMap::new();
    }
    let renames = history::renames(&workspace.root, HISTORY).unwrap_or_default();
    let tree = tree_of(corpus, workspace).with_renames(renames);
    gone.into_iter().filter_map(|name| Some((name.clone(), lint::whereabouts(name, &tree)?))).collect()
}

/// The case of that id, else the only one that asks exactly that.
fn find(args: &ExplainArgs, workspace: &Workspace) -> Result<(Chosen, Suite, CaseId), Failure> {
    let chosen = workspace.choose(args.suite.as_slice())?;
    let mut suites = Vec::new();
    for chosen in chosen {
        let suite = suite_of(&chosen, workspace)?;
        suites.push((chosen, suite));
    }
    let asks = |suite: &Suite, case: &dyn Fn(&Case) -> bool| -> Vec<CaseId> {
        suite.cases.iter().filter(|it| case(it)).map(|it| it.id.clone()).collect()
    };
    let by_id = |case: &Case| case.id.0 == args.case;
    let by_query = |case: &Case| case.input.trim() == args.case.trim();
    let mut found: Vec<(usize, CaseId)> = Vec::new();
    for is_meant in [&by_id as &dyn Fn(&Case) -> bool, &by_query] {
        if found.is_empty() {
            let each = suites.iter().enumerate();
            found = each
                .flat_map(|(at, (_, suite))| asks(suite, is_meant).into_iter().map(move |id| (at, id)))
                .collect();
        }
    }
    match found.as_slice() {
        [(at, id)] => {
            let (chosen, suite) = suites.swap_remove(*at);
            Ok((chosen, suite, id.clone()))
        }
        [] => {
            let ids = suites.iter().flat_map(|(_, suite)| &suite.cases).map(|case| case.id.0.as_str());
            let near = did_you_mean_name(&args.case, ids);
            let near = if near.is_empty() { asked_so(&args.case, &suites) } else { near };
            let unlisted = if args.suite.is_none() { workspace.unlisted() } else { Vec::new() };
            Err(NoSuchCase::Nowhere { case: args.case.clone(), near, unlisted }.into())
        }
        several => {
            let places: Vec<_> =
                several.iter().map(|(at, id)| format!("{id} in {}", suites[*at].0.entry.name)).collect();
            Err(NoSuchCase::Several { case: args.case.clone(), places: places.join(", ") }.into())
        }
    }
}

/// `; did you mean …?` for the cases whose query holds these words, or nothing.
fn asked_so(words: &str, suites: &[(Chosen, Suite)]) -> String {
    let words = words.trim().to_lowercase();
    let mut cases = suites.iter().flat_map(|(_, suite)| &suite.cases);
    let holds = |case: &&Case| words.chars().count() > 2 && case.input.to_lowercase().contains(&words);
    match cases.find(holds) {
        Some(case) => format!("; did you mean `{}`, which asks: {}?", case.id.0, case.input),
        None => String::new(),
    }
}

fn describe(explained: &Explained, about: &About<'_>) -> String {
    let result: &SuiteResult = &explained.result;
    let case = &result.cases[0];
    let show = |text: &str| place::terminal(text, LONGEST);
    let mut out = String::new();
    let line = |out: &mut String, text: String| writeln!(out, "{text}").expect("a string takes everything");
    line(&mut out, format!("{} × {}: {}", show(&case.id.0), about.retriever, case.state.word()));
    line(&mut out, format!("query     {}", show(&case.input)));
    let targets: Vec<_> = case.targets().iter().map(|name| show(name.as_str())).collect();
    line(
        &mut out,
        format!("expected  {}", if targets.is_empty() { "no result".to_owned() } else { targets.join(", ") }),
    );
    let failure = explained.failures.first().map(|(_, error)| error);
    line(
        &mut out,
        match (failure, case.rank) {
            (Some(error), _) => {
                format!("failed    {}: {}", error.class, place::terminal(&error.told(), FAILURE))
            }
            (None, Some(rank)) => format!("rank      {rank}"),
            (None, None) => format!("rank      not among the first {}", result.measurement.limit),
        },
    );
    if let Some(approved) = &about.approved {
        line(&mut out, format!("baseline  {}", show(approved)));
    }
    if failure.is_some() {
        return out; // there is no answer: nothing stands anywhere
    }
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
            match about.whereabouts.get(target) {
                Some(hint) => line(&mut out, format!("     not in the corpus: {}", show(hint))),
                None => parts(&mut out, explained, target.as_str()),
            }
        }
    }
    out
}

fn parts(out: &mut String, explained: &Explained, name: &str) {
    let Some(explanation) = explained.parts.get(name) else {
        let why = if explained.absent.contains(name) {
            "not in the corpus: renamed, ignored, binary or too large"
        } else {
            "this retriever does not say why"
        };
        let _ = writeln!(out, "     {why}");
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
