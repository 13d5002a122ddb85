//! `rankhold run`: load, measure, compare, judge, report.

use std::path::Path;

use super::console::Console;
use super::destination::Destination;
use super::in_vain::refuse_in_vain;
use super::pairs::{Pair, pairs};
use super::record::Approver;
use super::review::{Reviewed, Reviewer};
use super::typed::Planned;
use super::workspace::{Workspace, read_baseline};
use super::{Day, output};
use crate::artifact::Baseline;
use crate::cli::RunArgs;
use crate::error::Failure;
use crate::exit::Exit;
use crate::files::FileError;
use crate::gate::{Policy, judge};
use crate::report::{Commands, Outcome, PairReport, Report};

/// Measures every chosen pair and reports all of them, whatever became of each.
pub(super) fn run(args: &RunArgs, workspace: &Workspace, console: &Console) -> Result<Exit, Failure> {
    let format = output::Format::of(&args.format)?.with_template(None, workspace)?;
    let approver = args.update_baseline.then(|| Approver::new(&args.by)).transpose()?;
    let today = Day::of(args.today);
    let policy = Policy {
        tolerance: args.tolerance.unwrap_or(workspace.settings.policy.tolerance),
        require_baseline: args.require_baseline || workspace.settings.policy.require_baseline,
        ..workspace.settings.policy.clone()
    };
    let suites = workspace.choose(&args.suites)?;
    if args.suites.is_empty() {
        workspace.tell_unlisted(console);
    }
    for doubt in workspace.settings.approval.doubtful_roles() {
        console.warning(&doubt);
    }
    let pairs = pairs(workspace, &suites, &args.retriever, args.baseline.as_deref())?;
    refuse_in_vain(args, workspace)?;
    let out = Destination::of(args.out.as_deref());
    let inputs = pairs.iter().flat_map(|pair| [&*pair.suite.file, &*pair.baseline]);
    out.spares(inputs.chain(workspace.config.as_deref()))?;
    out.leaves(workspace)?;
    let others: Vec<&Path> =
        [args.baseline.as_deref(), args.results.as_deref(), out.place()].into_iter().flatten().collect();
    let corpus = workspace.corpus(&suites, &others)?;
    for (path, why) in corpus.left_out() {
        console.detail(&format!("left out of the corpus: {path} ({why})"));
    }
    let reviewer = Reviewer {
        workspace,
        corpus: &corpus,
        policy: &policy,
        today,
        results: args.results.as_ref().map(|folder| workspace.here.join(folder)),
        console,
    };
    let outcomes: Vec<_> = pairs.iter().map(|pair| (pair, reviewer.review(pair))).collect();
    let asked_for_all = args.suites.is_empty() && args.retriever.is_empty() && args.baseline.is_none();
    let gone = if asked_for_all { gone(workspace, &pairs)? } else { Vec::new() };
    let planned = Planned::new(workspace);
    let commands = |pair: &Pair| planned.commands(pair, args.baseline.as_deref());
    let report = Report {
        policy: &policy,
        pairs: report_pairs(&outcomes, &gone, &policy, workspace, &commands),
        touched: None,
    };
    output::deliver(&report, &format, out, console)?;

    let Some(approver) = approver else { return Ok(report.exit()) };
    let mut exit = Exit::Pass;
    for (pair, outcome) in &outcomes {
        let Ok(judged) = outcome else {
            exit = exit.and(Exit::NotMeasured);
            continue;
        };
        // A pair that cannot be recorded does not keep the others from it.
        let recorded = record(&approver, pair, judged, workspace, console).and_then(|recorded| {
            planned.tell_if_missing(pair, console);
            Ok(judge(&judged.result, Some(&recorded), &policy, today)?.exit)
        });
        exit = exit.and(recorded.unwrap_or_else(|failure| {
            let failure = output::in_pair(&failure, pair);
            console.failure(&failure);
            failure.exit()
        }));
    }
    Ok(exit)
}

/// Records one pair, says so, and reads what was recorded as the next run will.
fn record(
    approver: &Approver<'_>,
    pair: &Pair,
    judged: &Reviewed,
    workspace: &Workspace,
    console: &Console,
) -> Result<Baseline, Failure> {
    let (before, root) = (judged.baseline.as_ref(), &workspace.root);
    console.note(&approver.record(&judged.result, before, &pair.baseline, root)?);
    let absent = || FileError::Absent { path: pair.baseline.clone() };
    Ok(read_baseline(&pair.baseline, root)?.ok_or_else(absent)?)
}

/// A pair by its names, with its baseline.
type Gone = (String, String, Result<Option<Baseline>, Failure>);

/// Pairs that have a baseline here and are no longer configured.
fn gone(workspace: &Workspace, pairs: &[Pair]) -> Result<Vec<Gone>, Failure> {
    let gone = workspace
        .approved_pairs()?
        .into_iter()
        .filter(|(_, _, file)| !pairs.iter().any(|pair| pair.baseline == *file))
        .map(|(suite, retriever, file)| (suite, retriever, read_baseline(&file, &workspace.root)))
        .collect();
    Ok(gone)
}

fn report_pairs<'a>(
    reviewed: &'a [(&'a Pair, Result<Reviewed, Failure>)],
    gone: &'a [Gone],
    policy: &Policy,
    workspace: &Workspace,
    commands: &dyn Fn(&Pair) -> Commands,
) -> Vec<PairReport<'a>> {
    // A report may become a public comment: paths are shown as the repository knows them.
    let root = format!("{}/", workspace.root.display());
    let unjudged = |failure: &Failure| Outcome::Unjudged {
        message: failure.to_string().replace(&root, ""),
        hint: failure.hint(),
        exit: failure.exit(),
    };
    let mut rows: Vec<PairReport<'a>> = reviewed
        .iter()
        .map(|(pair, outcome)| PairReport {
            suite: &pair.suite.entry.name,
            retriever: &pair.retriever.name,
            commands: commands(pair),
            outcome: match outcome {
                Ok(reviewed) => {
                    output::judged(&reviewed.result, reviewed.baseline.as_ref(), &reviewed.judgement, policy)
                }
                Err(failure) => unjudged(failure),
            },
        })
        .collect();
    rows.extend(gone.iter().filter_map(|(suite, retriever, baseline)| {
        let outcome = match baseline {
            Ok(Some(baseline)) => Outcome::Gone { baseline },
            Ok(None) => return None,
            Err(failure) => unjudged(failure),
        };
        let file = workspace.name_of(&workspace.baseline_path(suite, retriever)).to_string();
        let commands = Commands { baseline: Some(file), ..Commands::default() };
        Some(PairReport { suite, retriever, commands, outcome })
    }));
    rows
}
