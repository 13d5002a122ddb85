//! The workers' source, inside this program and written where they run.
#![expect(
    clippy::disallowed_methods,
    reason = "edge: files inside the scratch folder that was made for the tool"
)]

use std::io;
use std::path::Path;

use serde_json::Value;

/// What a worker is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Laid {
    /// To be looked at: it tries itself out on a file of its own.
    ForALook,
    /// To be asked, with so many threads.
    ForThreads(usize),
}

/// The folder of the scripts, inside the scratch folder.
const FOLDER: &str = "worker";

/// Every script by its name. The folder is the first in which Python looks for modules, so that none may be called like
/// a package.
static SCRIPTS: &[(&str, &str)] = &[
    ("rankhold_talk.py", include_str!("rankhold_talk.py")),
    ("rankhold_models.py", include_str!("rankhold_models.py")),
    ("rankhold_chunks.py", include_str!("rankhold_chunks.py")),
    ("rankhold_encoders.py", include_str!("rankhold_encoders.py")),
    ("semble_worker.py", include_str!("semble_worker.py")),
    ("coderankembed_worker.py", include_str!("coderankembed_worker.py")),
];

/// The argument that names a script.
pub(super) fn entry(script: &str) -> String {
    format!("{{scratch}}/{FOLDER}/{script}")
}

/// Writes them, and what they are told.
pub(super) fn lay(scratch: &Path, told: &Value) -> io::Result<()> {
    let folder = scratch.join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    for (name, source) in SCRIPTS {
        std::fs::write(folder.join(name), source)?;
    }
    std::fs::write(folder.join("settings.json"), told.to_string())
}
