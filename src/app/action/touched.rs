//! What a pull request touches, for the marks beside lost cases.

use super::Job;
use super::bench::{Row, RowOutcome};
use super::subject::Subject;
use crate::gate::Change;
use crate::github::{Client, PullFile, endpoint};
use crate::name::Name;
use crate::report::{Touch, Touched};

/// The files that the pull request touches, if a case was lost. Marks help a reader and decide nothing, so that without
/// them there is a verdict all the same.
pub(super) async fn of(job: &Job<'_>, client: &Client, subject: &Subject, rows: &[Row]) -> Option<Touched> {
    let pull = subject.pull.as_ref().filter(|_| rows.iter().any(has_lost))?;
    let call = endpoint::pull_files(&job.step.runner.repository, pull.number);
    match client.all(&call, |page: Vec<PullFile>| page).await {
        Ok(files) => Some(Touched::new(files.iter().filter_map(|file| touch(job, file)))),
        Err(problem) => {
            job.step.console.note(&format!("what this pull request touches is not marked: {problem}"));
            None
        }
    }
}

fn has_lost(row: &Row) -> bool {
    match &row.outcome {
        RowOutcome::Judged(reviewed) => {
            let comparison = reviewed.judgement.comparison.as_ref();
            comparison.is_some_and(|comparison| comparison.changed(Change::Lost).next().is_some())
        }
        RowOutcome::Unjudged(_) | RowOutcome::Gone(_) => false,
    }
}

fn touch(job: &Job<'_>, file: &PullFile) -> Option<(Name, Touch)> {
    let name = |path: &str| job.placed.inside(path).map(Name::new);
    let touch = match (file.status.as_str(), file.previous_filename.as_deref()) {
        ("added" | "copied", _) => Touch::Added,
        ("removed", _) => Touch::Removed,
        ("renamed", Some(former)) => match (name(former), name(&file.filename)) {
            (Some(former), Some(_)) => Touch::RenamedFrom(former),
            // Moved out of the tree, or into it.
            (Some(former), None) => return Some((former, Touch::Removed)),
            (None, _) => Touch::Added,
        },
        ("unchanged", _) => return None,
        _ => Touch::Changed,
    };
    Some((name(&file.filename)?, touch))
}
