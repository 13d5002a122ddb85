//! `rankhold approve`: record results as baselines.

use std::path::Path;

use super::console::Console;
use super::gate::read_result;
use super::pairs::{Pair, pairs};
use super::record::{Approver, RecordError};
use super::review::Reviewer;
use super::typed::Planned;
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
            let (line, pair) = approve_file(path, &approver, workspace, args, console)?;
            console.line(&line);
            Planned::new(workspace).tell_if_missing(&pair, console);
        }
        return Ok(Exit::Pass);
    }
    let policy = &workspace.settings.policy;
    let suites = workspace.choose(&[])?;
    workspace.tell_unlisted(console);
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
                console.failure(&output::in_pair(&failure, &pair));
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
) -> Result<(String, Pair), Failure> {
    let result = read_result(path)?;
    warn(&judge(&result, None, &workspace.settings.policy, Day::of(args.today))?, console);
    let identity = &result.measurement;
    let known = workspace.suites()?;
    if let Some(suite) = known.iter().find(|suite| suite.entry.name == identity.suite.name)
        && suite_of(suite, workspace)?.hash != identity.suite.content_hash
    {
        let pair = [identity.suite.name.clone(), identity.retriever.name.clone()];
        return Err(
            RecordError::OtherSuite { result: path.to_owned(), suite: suite.file.clone(), pair }.into()
        );
    }
    let pair = Planned::new(workspace).pair_of_file(identity);
    let before = read_baseline(&pair.baseline, &workspace.root).ok().flatten();
    let line = approver
        .record(&result, before.as_ref(), &pair.baseline, &workspace.root)
        .map_err(|failure| output::in_pair(&failure, &pair))?;
    Ok((line, pair))
}
