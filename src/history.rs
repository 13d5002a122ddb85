//! What git remembers of vanished files: renames, for hints. Without git or its history there are no hints, and that
//! is said.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::name::Name;

/// Why there are no hints; a reason to say, not to fail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no history here ({0}): moved targets are guessed from file names alone")]
pub struct NoHistory(pub String);

/// More than this of git's output is not read; hints are not worth it.
const MAX_OUTPUT: u64 = 32 << 20;

/// The name that each renamed file of the tree under `root` has now, as far as the history that is here goes.
pub fn renames(root: &Path, limit: Duration) -> Result<HashMap<Name, Name>, NoHistory> {
    let output = git(root, limit)?;
    Ok(chain(&pairs(&output)))
}

/// Runs git without the user's configuration, and without what the repository's own could make it run.
fn git(root: &Path, limit: Duration) -> Result<Vec<u8>, NoHistory> {
    let no = |reason: String| NoHistory(reason);
    #[expect(clippy::disallowed_methods, reason = "edge: git is asked for renames")]
    let mut command = Command::new("git");
    command
        .args(["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .args(["log", "--diff-filter=R", "--name-status", "-M", "--format=", "-z", "--relative"])
        .args(["--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-color", "--"])
        .current_dir(root)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"] {
        command.env_remove(name);
    }
    let mut child = command.spawn().map_err(|error| no(format!("git cannot be started: {error}")))?;
    let stdout = child.stdout.take().expect("stdout is piped");
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut output = Vec::new();
        let end = stdout.take(MAX_OUTPUT).read_to_end(&mut output);
        // The receiver may have stopped waiting.
        let _ = sender.send(end.map(|_| output));
    });
    let output = receiver.recv_timeout(limit);
    if !matches!(&output, Ok(Ok(output)) if (output.len() as u64) < MAX_OUTPUT) {
        // It may have ended by itself; either way it is waited for below.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| no(error.to_string()))?;
    match output {
        Err(_) => Err(no(format!("git took longer than {} s", limit.as_secs()))),
        Ok(Err(error)) => Err(no(error.to_string())),
        Ok(Ok(output)) if output.len() as u64 == MAX_OUTPUT => Ok(output),
        Ok(Ok(_)) if !status.success() => Err(no("git says this is no repository it can read".to_owned())),
        Ok(Ok(output)) => Ok(output),
    }
}

/// Old and new names, newest rename first: `R100 NUL old NUL new NUL …`.
fn pairs(output: &[u8]) -> Vec<(Name, Name)> {
    let mut pairs = Vec::new();
    let mut fields = output.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    while let Some(field) = fields.next() {
        if field.trim_start().starts_with('R')
            && let (Some(old), Some(new)) = (fields.next(), fields.next())
        {
            pairs.push((Name::new(&old), Name::new(&new)));
        }
    }
    pairs
}

/// Follows each name to the one it has now.
fn chain(pairs: &[(Name, Name)]) -> HashMap<Name, Name> {
    let mut now: HashMap<Name, Name> = HashMap::new();
    // Newest first, so the name that a rename leads to has already been followed to its end.
    for (old, new) in pairs {
        let end = now.get(new).unwrap_or(new).clone();
        now.entry(old.clone()).or_insert(end);
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let pairs: Vec<_> = pairs.iter().map(|(old, new)| (Name::new(old), Name::new(new))).collect();
        let mut ends: Vec<_> =
            chain(&pairs).into_iter().map(|(old, new)| (old.to_string(), new.to_string())).collect();
        ends.sort();
        ends
    }

    fn ends(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect()
    }

    #[test]
    fn a_name_is_followed_through_several_renames() {
        assert_eq!(renamed(&[("b", "c"), ("a", "b")]), ends(&[("a", "c"), ("b", "c")]));
    }

    #[test]
    fn a_name_that_was_used_twice_leads_where_its_last_bearer_went() {
        assert_eq!(renamed(&[("a", "y"), ("a", "x")]), ends(&[("a", "y")]));
        assert_eq!(renamed(&[("b", "a"), ("a", "b")]), ends(&[("a", "a"), ("b", "a")]));
    }

    #[test]
    fn gits_output_is_read_with_names_of_any_kind() {
        let output = b"R100\0docs/a b.md\0docs/caf\xc3\xa9.md\0\nR087\0x\0R1\0";
        let pairs = pairs(output);
        assert_eq!(pairs[0], (Name::new("docs/a b.md"), Name::new("docs/caf\u{e9}.md")));
        assert_eq!(pairs[1], (Name::new("x"), Name::new("R1")));
        assert_eq!(pairs.len(), 2);
    }

    #[test]
    fn a_folder_without_a_repository_has_no_history() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let reason = renames(folder.path(), Duration::from_secs(10)).expect_err("no repository");
        assert!(reason.to_string().starts_with("no history here"), "{reason}");
    }
}
