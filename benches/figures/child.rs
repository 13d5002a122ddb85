//! A program that runs, its time and its peak memory.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::tree::Tree;

/// What one run took.
pub(crate) struct Usage {
    pub(crate) time: Duration,
    pub(crate) peak_bytes: Option<u64>,
}

/// A whole `rankhold run` of one suite, its result written to a file.
pub(crate) fn rankhold(folder: &Path, tree: &Tree, retriever: &str, suite: &Path) -> Usage {
    rankhold_with(folder, tree, retriever, suite, None)
}

/// The same with a configuration.
pub(crate) fn rankhold_with(
    folder: &Path,
    tree: &Tree,
    retriever: &str,
    suite: &Path,
    config: Option<&Path>,
) -> Usage {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankhold"));
    command.args(["run", "--quiet", "--format", "json", "--retriever", retriever]);
    command.arg("--repo").arg(&tree.root).arg("--results").arg(folder.join("results")).arg(suite);
    if let Some(config) = config {
        command.arg("--config").arg(config);
    }
    watch(&mut command)
}

/// Runs it with its output thrown away, and looks at its memory now and then. The high-water mark that Linux keeps never
/// falls, so only what a program adds in its last two milliseconds goes unseen.
pub(crate) fn watch(command: &mut Command) -> Usage {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let (mut peak, mut pause) = (None, Duration::from_micros(200));
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        peak = high_water(&child).or(peak);
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(2));
    };
    let time = start.elapsed();
    assert!(status.success(), "{command:?} ended with {status}");
    Usage { time, peak_bytes: peak }
}

fn high_water(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
