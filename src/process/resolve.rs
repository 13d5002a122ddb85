//! Which file an argument vector's first word means.

use std::path::{Path, PathBuf};

/// A program that is there and may be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    name: String,
    path: PathBuf,
}

/// A program that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct NotFound {
    /// What is absent.
    pub what: String,
    /// What to do.
    pub hint: String,
}

impl Program {
    /// Finds `name`: an absolute path as it is, a bare name in the folders of PATH.
    ///
    /// A relative path with a folder in it is refused, since the child starts in the corpus copy and not where the
    /// configuration lies; so are relative entries of PATH, which would find programs inside the corpus.
    pub fn find(name: &str) -> Result<Self, NotFound> {
        Self::find_in(name, std::env::var_os("PATH").as_deref().unwrap_or_default())
    }

    fn find_in(name: &str, path: &std::ffi::OsStr) -> Result<Self, NotFound> {
        let found = |path: PathBuf| Ok(Self { name: name.to_owned(), path });
        let missing = |what: String, hint: &str| Err(NotFound { what, hint: hint.to_owned() });
        #[cfg(unix)]
        let found = |path: PathBuf| {
            if let Some(problem) = super::refusal::interpreter_problem(&path) {
                let what = format!("`{name}` is a script, and its first line names {problem}");
                return missing(what, "correct its `#!` line, or name its interpreter first in `argv`");
            }
            found(path)
        };
        if name.is_empty() {
            return missing("the program's name is empty".to_owned(), "name the program first in `argv`");
        }
        let given = Path::new(name);
        if given.is_absolute() {
            return match runnable(given) {
                Some(path) => found(path),
                None if given.is_dir() => missing(format!("`{name}` is a folder"), &program_in(given)),
                None if given.exists() => missing(
                    format!("`{name}` is not an executable file"),
                    "make it executable, or name its interpreter first",
                ),
                None => missing(format!("there is no file `{name}`"), "build or install it first"),
            };
        }
        if given.components().count() > 1 || name.contains(['/', '\\']) {
            let what = format!("`{name}` is a relative path");
            if given.components().next() == Some(std::path::Component::ParentDir) {
                return missing(what, "it lies outside the repository: give its absolute path");
            }
            return missing(
                what,
                &format!(
                    "write `{{repo}}/{}` for a program of this repository",
                    name.trim_start_matches("./")
                ),
            );
        }
        match std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .find_map(|folder| runnable(&folder.join(name)))
        {
            Some(path) => found(path),
            None => {
                missing(format!("`{name}` is in no folder of PATH"), "install it, or give its absolute path")
            }
        }
    }

    /// As configured.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// What to write in the place of a folder: most likely it is an environment of Python.
fn program_in(folder: &Path) -> String {
    let usual = ["bin/python", "bin/python3", "Scripts/python.exe"];
    match usual.iter().map(|program| folder.join(program)).find(|program| program.exists()) {
        Some(python) => format!("name the program in it: `{}`", python.display()),
        None => "name the file of the program in it, such as FOLDER/bin/python of an environment of Python"
            .to_owned(),
    }
}

#[cfg(unix)]
fn runnable(path: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = std::fs::metadata(path).ok()?;
    (metadata.is_file() && metadata.permissions().mode() & 0o111 != 0).then(|| path.to_owned())
}

/// As it is, or with `.exe`. Batch files are none of it: they parse their arguments once more.
#[cfg(not(unix))]
fn runnable(path: &Path) -> Option<PathBuf> {
    let exe = |path: &Path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("exe"));
    let with = path.with_added_extension("exe");
    [path.to_owned(), with].into_iter().find(|path| exe(path) && path.is_file())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_bare_name_is_looked_up_in_absolute_folders_of_path_only() {
        let folder = tempfile::tempdir().unwrap();
        let tool = folder.path().join("tool");
        std::fs::write(&tool, "#!/bin/sh\n").unwrap();
        std::fs::write(folder.path().join("plain"), "").unwrap();
        std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = std::env::join_paths([Path::new("."), Path::new(""), folder.path()]).unwrap();

        assert_eq!(Program::find_in("tool", &path).unwrap().path(), tool);
        assert_eq!(Program::find_in(tool.to_str().unwrap(), "".as_ref()).unwrap().path(), tool);
        let hint = |name: &str| Program::find_in(name, &path).unwrap_err().hint;
        assert_eq!(hint("plain"), "install it, or give its absolute path");
        assert_eq!(
            hint(folder.path().join("plain").to_str().unwrap()),
            "make it executable, or name its interpreter first"
        );
        assert_eq!(hint(folder.path().join("none").to_str().unwrap()), "build or install it first");
        assert_eq!(hint("./bin/tool"), "write `{repo}/bin/tool` for a program of this repository");
        assert_eq!(hint("../vs/bin/tool"), "it lies outside the repository: give its absolute path");
        assert_eq!(hint(""), "name the program first in `argv`");
    }
}
