//! A program that is run once before the queries.

use super::external::{Tool, last_words};
use super::{PrepareError, Site};
use crate::process::{Bounds, End, Environment, Launch, run};

/// Runs it to its end in the folder that is searched.
pub(super) fn prepare(tool: &Tool, environment: &Environment, site: &Site<'_>) -> Result<(), PrepareError> {
    let launch = Launch {
        program: &tool.program()?,
        arguments: &tool.arguments(site.tree, site.scratch, None),
        folder: site.tree,
        environment,
    };
    let bounds = Bounds { deadline: site.deadline, stdout: tool.max_output, stderr: tool.max_output };
    let finished = run(&launch, bounds).map_err(|error| PrepareError { detail: error.to_string() })?;
    if finished.end == End::Code(0) {
        return Ok(());
    }
    let words = last_words(environment.secrets(), &finished.stderr);
    let elsewhere = tool.misplaced(site.tree);
    Err(PrepareError { detail: format!("its `prepare` command {}{words}{elsewhere}", finished.end) })
}
