//! `rankhold approve`: record results as baselines.

use std::path::Path;

use super::console::Console;
use super::gate::read_result;
use super::pairs::pairs;
use super::record::{Approver, RecordError};
use super::review::Reviewer;
use super::workspace::{Workspace, read_baseline, suite_of};
use super::{Day, output};
use crate::cli::ApproveArgs;
use crate::error::Failure;
use crate::exit::Exit;
use crate::gate::{Judgement, judge};

/// Records the results given, or measures everything that is configured and records that. Prints before → after.
pub(super) fn approve(args: &ApproveArgs, workspace: &Workspace, console: &Console) -> Result<Exit, Failure> {
    let approver = Approver::new(&args.by)?;
    if !args.results.is_empty() {
        for path in &args.results {
            console.line(&approve_file(path, &approver, workspace, args, console)?);
        }
        return Ok(Exit::Pass);
    }
    let policy = &workspace.settings.policy;
    let suites = workspace.choose(&[])?;
    let corpus = workspace.corpus(&suites, &[])?;
    let today = Day::of(args.today);
    let reviewer = Reviewer { workspace, corpus: &corpus, policy, today, results: None, console };
    let mut exit = Exit::Pass;
    for pair in pairs(workspace, &suites, &[], None)? {
        // What cannot be judged is not recorded, and does not keep the others from it. A damaged baseline may be
        // replaced: that is what approving anew is for.
        let before = read_baseline(&pair.baseline, &workspace.root);
        let recorded = reviewer.measure(&pair).and_then(|measured| {
            warn(&reviewer.judge(&measured, None)?, console);
            let before = before.as_ref().ok().and_then(Option::as_ref);
            approver.record(&measured.result, before, &pair.baseline, &workspace.root)
        });
        match recorded {
            Ok(line) => console.line(&line),
            Err(failure) => {
                let failure = output::in_pair(&failure, &pair.suite.entry.name, &pair.retriever.name);
                console.failure(&failure);
                exit = exit.and(failure.exit());
            }
        }
    }
    Ok(exit)
}

/// What somebody who approves should know: an approval turns it into what is expected from now on.
fn warn(judgement: &Judgement, console: &Console) {
    for notice in &judgement.notices {
        console.warning(&notice.to_string());
    }
}

fn approve_file(
    path: &Path,
    approver: &Approver<'_>,
    workspace: &Workspace,
    args: &ApproveArgs,
    console: &Console,
) -> Result<String, Failure> {
    let result = read_result(path)?;
    warn(&judge(&result, None, &workspace.settings.policy, Day::of(args.today))?, console);
    let identity = &result.measurement;
    let known = workspace.suites()?;
    if let Some(suite) = known.iter().find(|suite| suite.entry.name == identity.suite.name)
        && suite_of(suite, &workspace.root)?.hash != identity.suite.content_hash
    {
        return Err(RecordError::OtherSuite { result: path.to_owned(), suite: suite.file.clone() }.into());
    }
    let file = workspace.baseline_path(&identity.suite.name, &identity.retriever.name);
    let before = read_baseline(&file, &workspace.root).ok().flatten();
    approver
        .record(&result, before.as_ref(), &file, &workspace.root)
        .map_err(|failure| output::in_pair(&failure, &identity.suite.name, &identity.retriever.name))
}
