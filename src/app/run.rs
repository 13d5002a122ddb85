//! `rankhold run`: load, measure, compare, judge, report.

use std::path::PathBuf;

use super::console::Console;
use super::pairs::{Pair, pairs};
use super::record::Approver;
use super::review::{Reviewed, Reviewer};
use super::workspace::{Workspace, read_baseline};
use super::{Day, output};
use crate::artifact::Baseline;
use crate::cli::RunArgs;
use crate::error::{Blame, Blamed, Failure};
use crate::exit::Exit;
use crate::files::FileError;
use crate::gate::{Policy, judge};
use crate::report::{Outcome, PairReport, Report};

/// Measures every chosen pair and reports all of them, whatever became of each.
pub(super) fn run(args: &RunArgs, workspace: &Workspace, console: &Console) -> Result<Exit, Failure> {
    let format = output::Format::of(&args.format)?.with_template(None, workspace)?;
    let approver = args.update_baseline.then(|| Approver::new(&args.by)).transpose()?;
    refuse_in_vain(args, workspace)?;
    let today = Day::of(args.today);
    let policy = Policy {
        tolerance: args.tolerance.unwrap_or(workspace.settings.policy.tolerance),
        require_baseline: args.require_baseline || workspace.settings.policy.require_baseline,
        ..workspace.settings.policy.clone()
    };
    let suites = workspace.choose(&args.suites)?;
    let pairs = pairs(workspace, &suites, &args.retriever, args.baseline.as_deref())?;
    let others: Vec<_> =
        [&args.baseline, &args.results].into_iter().flatten().map(std::path::PathBuf::as_path).collect();
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
    let report = Report { policy: &policy, pairs: report_pairs(&outcomes, &gone, &policy, workspace) };
    output::print(&report, &format, console)?;

    let Some(approver) = approver else { return Ok(report.exit()) };
    let mut exit = Exit::Pass;
    for (pair, outcome) in &outcomes {
        let Ok(judged) = outcome else {
            exit = exit.and(Exit::NotMeasured);
            continue;
        };
        // A pair that cannot be recorded does not keep the others from it.
        let recorded = record(&approver, pair, judged, workspace, console)
            .and_then(|recorded| Ok(judge(&judged.result, Some(&recorded), &policy, today)?.exit));
        exit = exit.and(recorded.unwrap_or_else(|failure| {
            let failure = output::in_pair(&failure, &pair.suite.entry.name, &pair.retriever.name);
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

/// Arguments that would do nothing, or harm.
#[derive(Debug, thiserror::Error)]
enum InVain {
    /// An approver without anything to approve.
    #[error("--by says who records, and nothing is recorded")]
    NothingRecorded,
    /// Whatever is in that folder is taken for a baseline or suite by the next run.
    #[error("--results {folder}: baselines or suites are in this folder, and results would be taken for them", folder = folder.display())]
    NotForResults {
        /// As given.
        folder: PathBuf,
    },
}

impl Blamed for InVain {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::NothingRecorded => "add --update-baseline, or leave --by out",
                Self::NotForResults { .. } => "name a folder of their own, such as --results out",
            }
            .to_owned(),
        )
    }
}

fn refuse_in_vain(args: &RunArgs, workspace: &Workspace) -> Result<(), InVain> {
    if args.by.by.is_some() && !args.update_baseline {
        return Err(InVain::NothingRecorded);
    }
    match &args.results {
        Some(folder) if workspace.keeps_files_in(folder) => {
            Err(InVain::NotForResults { folder: folder.clone() })
        }
        _ => Ok(()),
    }
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
        Some(PairReport { suite, retriever, outcome })
    }));
    rows
}
