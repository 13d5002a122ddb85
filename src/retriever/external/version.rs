//! A tool's own word on its version.

use std::path::Path;

use super::{Deadline, Tool, Unusable, last_words};
use crate::process::{Bounds, End, Environment, Launch, run};

/// How many characters of it are kept.
const KEPT: usize = 100;

/// The first line that a command such as `["tool", "--version"]` prints, which runs in `scratch`.
pub(in super::super) fn ask(
    command: &Tool,
    scratch: &Path,
    environment: &Environment,
    deadline: Deadline,
) -> Result<String, Unusable> {
    let launch = Launch {
        program: &command.program()?,
        arguments: &command.bench_arguments(scratch),
        folder: scratch,
        environment,
    };
    let bounds = Bounds { deadline, stdout: command.max_output, stderr: command.max_output };
    let finished = run(&launch, bounds).map_err(|error| Unusable::broken(error.to_string()))?;
    let secrets = environment.secrets();
    let text = [&finished.stdout, &finished.stderr].map(|bytes| secrets.hide(bytes)).concat();
    let text = String::from_utf8_lossy(&text);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    match (finished.end, first) {
        (End::Code(0), Some(first)) => Ok(secrets.head(first.as_bytes(), KEPT)),
        (End::Code(0), None) => Err(Unusable::broken("its `version` command printed nothing")),
        (end, _) => {
            let words = last_words(secrets, &finished.stderr);
            Err(Unusable::broken(format!("its `version` command {end}{words}")))
        }
    }
}
