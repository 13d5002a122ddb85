//! What rankhold.toml lists against what is in the suites' folder: a file that is left out, a path that leads nowhere.

use super::console::Console;
use super::workspace::{Chosen, SUITES, Workspace, WorkspaceError, json_files};
use crate::config::{self, suggestion};
use crate::files;

impl Workspace {
    /// Says which suites of the folder are left out because the configuration lists others. For commands that were
    /// asked about every suite there is.
    pub(super) fn tell_unlisted(&self, console: &Console) {
        for path in self.unlisted() {
            console.warning(&format!(
                "{path} is not listed in {} and is left out; list it there ([[suite]] path = \"{path}\"), or name it \
                 on the command line",
                config::FILE
            ));
        }
    }

    /// Suite files of the folder that the configuration, which lists others, does not name.
    pub(super) fn unlisted(&self) -> Vec<String> {
        if self.settings.suites.is_empty() {
            return Vec::new();
        }
        let is_listed = |path: &str| self.settings.suites.iter().any(|suite| suite.path.as_str() == path);
        let is_suite = |file: &std::path::Path| {
            files::read(file, files::MAX_BYTES)
                .is_ok_and(|bytes| memchr::memmem::find(&bytes, b"evalFormatVersion").is_some())
        };
        let files = json_files(&self.root.join(SUITES)).into_iter();
        files
            .map(|file| (self.name_of(&file).to_string(), file))
            .filter(|(path, file)| !is_listed(path) && is_suite(file))
            .map(|(path, _)| path)
            .collect()
    }

    /// A suite that the configuration lists must have its file.
    pub(super) fn is_there(&self, chosen: &Chosen) -> Result<(), WorkspaceError> {
        let Some(config) = self.config.as_ref().filter(|_| chosen.typed.is_none() && !chosen.file.exists())
        else {
            return Ok(());
        };
        let path = &chosen.entry.path;
        let known: Vec<String> =
            json_files(&self.root.join(SUITES)).iter().map(|file| self.name_of(file).to_string()).collect();
        let file_name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let near = suggestion(path.as_str(), known.iter().map(String::as_str)).or_else(|| {
            known.iter().map(String::as_str).find(|other| file_name(other) == file_name(path.as_str()))
        });
        Err(WorkspaceError::NoSuiteFile {
            config: config.clone(),
            line: line_of(config, path.as_str()),
            name: chosen.entry.name.clone(),
            path: path.clone(),
            near: near.map(str::to_owned),
        })
    }
}

/// `, line 4`: where the file says that path. What was read a moment ago may be another file by now; then no line is
/// named.
fn line_of(config: &std::path::Path, path: &str) -> String {
    let text = files::read(config, files::MAX_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let says = |line: &str| line.trim_start().starts_with("path") && line.replace("\\\\", "/").contains(path);
    let at = text.lines().position(says);
    at.map(|at| format!(", line {}", at + 1)).unwrap_or_default()
}
