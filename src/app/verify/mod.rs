//! `rankhold verify`: are these files what they say they are?

use std::path::Path;

use serde_json::Value;

use super::console::Console;
use super::workspace::{WorkspaceError, read_argument};
use crate::artifact::{ArtifactProblem, Baseline, Candidate, Kind, SuiteResult, Timings, document, kind_of};
use crate::cli::VerifyArgs;
use crate::error::Failure;
use crate::exit::Exit;

/// One line per file; the first wrong one does not keep the others from being looked at.
pub(super) fn verify(args: &VerifyArgs, console: &Console) -> Exit {
    let mut exit = Exit::Pass;
    for path in &args.files {
        match verify_one(path) {
            Ok(what) => console.line(&format!("ok  {}: {what}", path.display())),
            Err(failure) => {
                console.failure(&failure);
                exit = exit.and(failure.exit());
            }
        }
    }
    exit
}

fn verify_one(path: &Path) -> Result<String, Failure> {
    let refuse = |problem| WorkspaceError::Artifact { path: path.to_owned(), problem };
    let bytes = read_argument(path)?;
    let document = document(&bytes).map_err(refuse)?;
    let line = match kind_of(&document) {
        Some(Kind::Baseline) => {
            let baseline = Baseline::read(&bytes).map_err(refuse)?;
            let format = if baseline.measurement.is_some() { 2 } else { 1 };
            let approval = &baseline.approval;
            let place = approval.github.as_ref().map(|record| {
                format!(
                    " by comment {} of pull request #{} (token {}; whether it stands there only GitHub can say)",
                    record.comment, record.covered.pull_request, record.token
                )
            });
            format!(
                "baseline, format {format}, of {} ({} cases), approved by {} at {}{}",
                baseline.document_name,
                baseline.case_count,
                approval.approved_by,
                approval.approved_at,
                place.unwrap_or_default()
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
