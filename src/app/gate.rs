//! `rankhold gate` and `rankhold report`: judge and render files, without measuring.

use std::path::Path;

use super::console::Console;
use super::destination::Destination;
use super::typed::Planned;
use super::workspace::{Workspace, WorkspaceError, read_argument};
use super::{Day, output};
use crate::artifact::{Baseline, SuiteResult};
use crate::cli::{GateArgs, ReportArgs};
use crate::error::Failure;
use crate::exit::Exit;
use crate::gate::{Policy, judge};
use crate::report::{Commands, Outcome, PairReport, Report};

/// Judges a result against a baseline.
pub(super) fn gate(args: &GateArgs, workspace: &Workspace, console: &Console) -> Result<Exit, Failure> {
    let format = output::Format::of(&args.format)?.with_template(None, workspace)?;
    let policy = Policy {
        tolerance: args.tolerance.unwrap_or(workspace.settings.policy.tolerance),
        ..workspace.settings.policy.clone()
    };
    let out = Destination::of(args.out.as_deref());
    out.spares([&*args.result, &*args.baseline])?;
    out.leaves(workspace)?;
    let result = read_result(&args.result)?;
    let baseline = required_baseline(&args.baseline)?;
    let judgement = judge(&result, Some(&baseline), &policy, Day::of(args.today))?;
    let outcome = output::judged(&result, Some(&baseline), &judgement, &policy);
    let commands =
        Planned::new(workspace).commands_of_file(&result.measurement, &args.result, Some(&args.baseline));
    let report = one_pair(&policy, &result, commands, outcome);
    output::deliver(&report, &format, out, console)?;
    Ok(report.exit())
}

/// Renders a result, beside its baseline if one is given. Rendering is no gate: a report that was written is a success.
pub(super) fn report(args: &ReportArgs, workspace: &Workspace, console: &Console) -> Result<Exit, Failure> {
    let format = output::Format::of(&args.format)?.with_template(args.template.as_deref(), workspace)?;
    let policy = &workspace.settings.policy;
    let out = Destination::of(args.out.as_deref());
    out.spares(
        [Some(&args.result), args.baseline.as_ref(), args.template.as_ref()]
            .into_iter()
            .flatten()
            .map(|it| &**it),
    )?;
    out.leaves(workspace)?;
    let result = read_result(&args.result)?;
    let baseline = args.baseline.as_deref().map(required_baseline).transpose()?;
    let judgement = judge(&result, baseline.as_ref(), policy, Day::of(args.today))?;
    let outcome = output::judged(&result, baseline.as_ref(), &judgement, policy);
    let commands =
        Planned::new(workspace).commands_of_file(&result.measurement, &args.result, args.baseline.as_deref());
    let report = one_pair(policy, &result, commands, outcome);
    output::deliver(&report, &format, out, console)?;
    Ok(Exit::Pass)
}

fn one_pair<'a>(
    policy: &'a Policy,
    result: &'a SuiteResult,
    commands: Commands,
    outcome: Outcome<'a>,
) -> Report<'a> {
    let (suite, retriever) = (&result.measurement.suite.name, &result.measurement.retriever.name);
    Report { policy, pairs: vec![PairReport { suite, retriever, commands, outcome }], touched: None }
}

/// Reads a result as hostile input.
pub(super) fn read_result(path: &Path) -> Result<SuiteResult, Failure> {
    let refuse = |problem| WorkspaceError::Artifact { path: path.to_owned(), problem };
    Ok(SuiteResult::read(&read_argument(path)?).map_err(refuse)?)
}

fn required_baseline(path: &Path) -> Result<Baseline, Failure> {
    let refuse = |problem| WorkspaceError::Artifact { path: path.to_owned(), problem };
    Ok(Baseline::read(&read_argument(path)?).map_err(refuse)?)
}
