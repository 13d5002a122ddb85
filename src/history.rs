//! What git remembers of vanished files: renames, for hints. Without git or its history there are no hints, and that
//! is said.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use crate::name::Name;
use crate::process::{Bounds, Deadline, End, Environment, Extra, Launch, Program, ScratchFolder, run};

/// Why there are no hints; a reason to say, not to fail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no history here ({0}): moved targets are guessed from file names alone")]
pub struct NoHistory(pub String);

/// More of git's output than this is not waited for; hints are not worth it.
const MAX_OUTPUT: usize = 32 << 20;

/// Asks for nothing that a repository's own configuration could turn into a program, a host or a file of its choice.
const GIT: [&str; 11] = [
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "diff.orderFile=/dev/null",
    "-c",
    "protocol.allow=never",
];

/// Every rename that is staged and not committed yet.
const STAGED: [&str; 3] = ["diff", "--cached", "HEAD"];

/// Every rename below the folder, newest first.
const COMMITTED: [&str; 3] = ["log", "--format=", "--no-show-signature"];

/// How both print renames.
const RENAMES: [&str; 8] = [
    "--diff-filter=R",
    "--name-status",
    "-M",
    "-z",
    "--relative",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
];

/// Nobody's configuration, no locks, no network.
const VARIABLES: [(&str, &str); 5] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
];

/// The name that each renamed file of the tree under `root` has now, as far as the history that is here goes.
pub fn renames(root: &Path, limit: Duration) -> Result<HashMap<Name, Name>, NoHistory> {
    let program = Program::find("git").map_err(|error| no(&error))?;
    let home = ScratchFolder::new_in(&std::env::temp_dir()).map_err(|error| no(&error))?;
    let set: BTreeMap<_, _> =
        VARIABLES.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let environment =
        Environment::scrubbed(home.path(), &Extra { set, ..Extra::default() }).map_err(|error| no(&error))?;
    let deadline = Deadline::after(limit);
    let git = |words: &mut dyn Iterator<Item = &&str>| {
        let arguments: Vec<String> = GIT.iter().chain(words).map(|word| (*word).to_owned()).collect();
        let launch =
            Launch { program: &program, arguments: &arguments, folder: root, environment: &environment };
        run(&launch, Bounds { deadline, stdout: MAX_OUTPUT, stderr: 1 << 16 }).map_err(|error| no(&error))
    };
    let ask = |what: &[&str]| -> Result<Vec<(Name, Name)>, NoHistory> {
        let finished = git(&mut what.iter().chain(&RENAMES).chain(&["--"]))?;
        match finished.end {
            // What a flood of renames began with are the newest ones.
            End::Code(0) | End::Flood { .. } => Ok(pairs(&finished.stdout)),
            End::Code(_) if git(&mut ["rev-parse", "--git-dir"].iter())?.end == End::Code(0) => {
                Err(no(&"nothing is committed yet"))
            }
            End::Code(_) => Err(no(&"this is no git repository, or not one that git can read")),
            end => Err(no(&format!("git {end}"))),
        }
    };
    let mut found = ask(&STAGED)?;
    found.extend(ask(&COMMITTED)?);
    Ok(chain(&found))
}

fn no(reason: &dyn std::fmt::Display) -> NoHistory {
    NoHistory(reason.to_string())
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
        let reason = renames(folder.path(), Duration::from_secs(20)).expect_err("no repository");
        assert!(reason.to_string().starts_with("no history here"), "{reason}");
    }

    /// Git would read the order of files from a pipe that nobody writes into.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_repository_does_not_choose_which_files_git_reads() {
        use rustix::fs::{CWD, FileType, mknodat};
        let folder = tempfile::tempdir().expect("a scratch folder");
        let pipe = folder.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, 0o600.into(), 0).expect("a pipe");
        let git = |arguments: &str| {
            let home = tempfile::tempdir().expect("a scratch folder");
            let environment = Environment::scrubbed(home.path(), &Extra::default()).expect("an environment");
            let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
            let program = Program::find("git").expect("git is there");
            let launch = Launch {
                program: &program,
                arguments: &arguments,
                folder: folder.path(),
                environment: &environment,
            };
            let deadline = Deadline::after(Duration::from_mins(1));
            let finished =
                run(&launch, Bounds { deadline, stdout: 1 << 16, stderr: 1 << 16 }).expect("it starts");
            assert_eq!(finished.end, End::Code(0), "{}", String::from_utf8_lossy(&finished.stderr));
        };
        git("init -q");
        git("-c user.name=a -c user.email=a@b commit -q --allow-empty -m first");
        for key in ["diff.orderFile", "core.attributesFile"] {
            git(&format!("config {key} {}", pipe.display()));
        }
        assert_eq!(renames(folder.path(), Duration::from_secs(20)), Ok(HashMap::new()));
    }
}
