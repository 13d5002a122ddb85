//! A repository whose workflows do not use rankhold.

use super::Scene;
use crate::workflow::{Cure, Finding, Level, Rule, SAME_REPOSITORY};

pub(super) static UNUSED: Rule = Rule {
    name: "unused",
    level: Level::Error,
    about: "no workflow uses rankhold",
    why: "nothing holds the ranking on pull requests",
};

/// Where the workflow goes, if nothing is there.
const FILES: [&str; 2] = [".github/workflows/rankhold.yml", ".github/workflows/rankhold-verdict.yml"];

pub(super) fn check(scene: &Scene<'_>, found: &mut Vec<Finding>) {
    let mut jobs = scene.workflows.iter().flat_map(|workflow| &workflow.jobs);
    // What another repository's workflow does is not known here, and its name may say it.
    let calls_one = |calls: &String| !calls.starts_with("./") && calls.contains("rankhold");
    if !scene.jobs.is_empty() || jobs.any(|job| job.calls.as_ref().is_some_and(calls_one)) {
        return;
    }
    let free = FILES.into_iter().find(|file| scene.file(file).is_none()).unwrap_or(FILES[1]);
    found.push(Finding {
        rule: &UNUSED,
        file: free.to_owned(),
        line: 1,
        job: None,
        message: "no workflow of this repository uses rankhold".to_owned(),
        cure: Cure::File { path: free.to_owned(), example: SAME_REPOSITORY },
    });
}
