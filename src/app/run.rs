//! `rankhold run`: load, measure, compare, judge, report.

use std::path::{Path, PathBuf};

use super::console::Console;
use super::destination::Destination;
use super::pairs::{Pair, pairs};
use super::record::Approver;
use super::review::{Reviewed, Reviewer};
use super::typed::Planned;
use super::workspace::{Workspace, read_baseline};
use super::{Day, output};
use crate::artifact::Baseline;
use crate::cli::RunArgs;
use crate::config::suggestion;
use crate::error::{Blame, Blamed, Failure};
use crate::exit::Exit;
use crate::files;
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
    let pairs = pairs(workspace, &suites, &args.retriever, args.baseline.as_deref())?;
    if let Some(file) = args.baseline.as_ref().filter(|_| approver.is_none()) {
        NoBaselineFile::unless_there(file, workspace)?;
    }
    let out = Destination::of(args.out.as_deref());
    let inputs = pairs.iter().flat_map(|pair| [&*pair.suite.file, &*pair.baseline]);
    out.spares(inputs.chain(workspace.config.as_deref()))?;
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
    let report =
        Report { policy: &policy, pairs: report_pairs(&outcomes, &gone, &policy, workspace, &commands) };
    output::deliver(&report, &format, out, console)?;

    let Some(approver) = approver else { return Ok(report.exit()) };
    let mut exit = Exit::Pass;
    for (pair, outcome) in &outcomes {
        let Ok(judged) = outcome else {
            exit = exit.and(Exit::NotMeasured);
            continue;
        };
        let recorded =
            approver.record(&judged.result, judged.baseline.as_ref(), &pair.baseline, &workspace.root);
        console.note(&recorded.map_err(|failure| output::in_pair(&failure, pair))?);
        planned.tell_if_missing(pair, console);
        let recorded = read_baseline(&pair.baseline, &workspace.root)?;
        exit = exit.and(judge(&judged.result, recorded.as_ref(), &policy, today)?.exit);
    }
    Ok(exit)
}

/// `--baseline` names a file that is not there: a gate that compares with nothing would pass whatever happens.
#[derive(Debug, thiserror::Error)]
#[error("--baseline {file}: there is no such file", file = file.display())]
struct NoBaselineFile {
    file: PathBuf,
    near: Option<String>,
}

impl NoBaselineFile {
    fn unless_there(file: &Path, workspace: &Workspace) -> Result<(), Self> {
        if files::is_there(&workspace.here.join(file)) {
            return Ok(());
        }
        let approved: Vec<String> = workspace
            .approved_pairs()
            .unwrap_or_default()
            .iter()
            .map(|(_, _, file)| workspace.name_of(file).to_string())
            .collect();
        let near =
            suggestion(&file.to_string_lossy(), approved.iter().map(String::as_str)).map(str::to_owned);
        Err(Self { file: file.to_owned(), near })
    }
}

impl Blamed for NoBaselineFile {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        let near = self.near.as_ref().map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        Some(format!(
            "{near}Correct the path; on a first run leave --baseline out, or record it there with --update-baseline --by \
             NAME"
        ))
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
