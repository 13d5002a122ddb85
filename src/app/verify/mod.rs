//! `rankhold verify`: are these files what they say they are?

mod github;
mod record;
mod server;
mod unconfirmed;

use std::path::Path;

use serde_json::Value;

use self::github::Lookup;
use self::record::Claim;
use self::unconfirmed::Unconfirmed;
use super::console::Console;
use super::workspace::{WorkspaceError, read_argument};
use crate::artifact::{ArtifactProblem, Baseline, Candidate, Kind, SuiteResult, Timings, document, kind_of};
use crate::cli::{Global, VerifyArgs};
use crate::error::Failure;
use crate::exit::Exit;
use crate::github::Patience;

/// One line per file; the first wrong one does not keep the others from being looked at.
pub(super) fn verify(
    args: &VerifyArgs,
    global: &Global,
    console: &Console,
    patience: Patience,
) -> Result<Exit, Failure> {
    let mut github = args.github.then(|| Lookup::open(args, global, patience)).transpose()?;
    let mut exit = Exit::Pass;
    for path in &args.files {
        match verify_one(path, github.as_mut()) {
            Ok(what) => console.line(&format!("ok  {}: {what}", path.display())),
            Err(failure) => {
                console.failure(&failure);
                exit = exit.and(failure.exit());
            }
        }
    }
    Ok(exit)
}

fn verify_one(path: &Path, github: Option<&mut Lookup>) -> Result<String, Failure> {
    let refuse = |problem| WorkspaceError::Artifact { path: path.to_owned(), problem };
    let bytes = read_argument(path)?;
    let document = document(&bytes).map_err(refuse)?;
    let line = match kind_of(&document) {
        Some(Kind::Baseline) => {
            let baseline = Baseline::read(&bytes).map_err(refuse)?;
            let format = if baseline.measurement.is_some() { 2 } else { 1 };
            format!(
                "baseline, format {format}, of {} ({} cases), approved by {} at {}{}",
                baseline.document_name,
                baseline.case_count,
                baseline.approval.approved_by,
                baseline.approval.approved_at,
                place(path, &baseline, github)?
            )
        }
        Some(Kind::Candidate) => {
            let candidate = Candidate::read(&bytes).map_err(refuse)?;
            format!("candidate of result {}", candidate.result_hash.short(12))
        }
        Some(Kind::Result) => {
            let result = SuiteResult::read(&bytes).map_err(refuse)?;
            let identity = &result.measurement;
            format!(
                "result of {} × {}, every figure recomputed",
                identity.suite.name, identity.retriever.name
            )
        }
        Some(Kind::Timings) => {
            let timings = Timings::read(&bytes).map_err(refuse)?;
            format!("timings of {} × {}", timings.suite, timings.retriever)
        }
        None => {
            let found = document.get("type").map_or_else(|| "absent".to_owned(), Value::to_string);
            return Err(refuse(ArtifactProblem::Foreign { found }).into());
        }
    };
    Ok(line)
}

/// Where a baseline was approved, and what GitHub says to that if it is asked.
fn place(path: &Path, baseline: &Baseline, github: Option<&mut Lookup>) -> Result<String, Failure> {
    let Some(claim) = Claim::of(baseline) else {
        let unasked = github.map_or("", |_| "; it names no comment, so GitHub has nothing to confirm");
        return Ok(unasked.to_owned());
    };
    let record = claim.record;
    let said = match github {
        None => {
            "that it stands there, by whom, unedited, and that he may approve, only GitHub confirms: --github"
                .to_owned()
        }
        Some(github) => {
            let confirmed = github.confirm(&claim);
            confirmed.map_err(|why| Unconfirmed::new(path, github.repository(), record, why))?.to_string()
        }
    };
    Ok(format!(
        " by comment {} of pull request #{} (token {}; {said})",
        record.comment, record.covered.pull_request, record.token
    ))
}
