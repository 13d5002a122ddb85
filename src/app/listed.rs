//! What rankhold.toml lists against what is in the suites' folder: a file that is left out, a path that leads nowhere.

use std::path::{Path, PathBuf};

use super::console::Console;
use super::workspace::{Chosen, SUITES, Workspace, WorkspaceError, json_files};
use crate::config::{self, suggestion};
use crate::error::Failure;
use crate::files::{self, FileError};

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
        let is_suite = |file: &Path| {
            files::read_in(&self.root, file, files::MAX_BYTES)
                .is_ok_and(|bytes| memchr::memmem::find(&bytes, b"evalFormatVersion").is_some())
        };
        self.files_of_suites()
            .into_iter()
            .map(|file| (self.name_of(&file).to_string(), file))
            .filter(|(path, file)| !is_listed(path) && is_suite(file))
            .map(|(path, _)| path)
            .collect()
    }

    /// A suite must have its file, a regular one and of the tree; the configuration that lists one without is told.
    pub(super) fn has_file(&self, chosen: &Chosen) -> Result<(), Failure> {
        let config = self.config.as_ref().filter(|_| chosen.typed.is_none());
        let config = match (files::check_in(&self.root, &chosen.file), config) {
            (Err(FileError::Absent { .. }), Some(config)) => config,
            (checked, _) => return Ok(checked?),
        };
        let path = &chosen.entry.path;
        let known: Vec<String> =
            self.files_of_suites().iter().map(|file| self.name_of(file).to_string()).collect();
        let file_name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let near = suggestion(path.as_str(), known.iter().map(String::as_str)).or_else(|| {
            known.iter().map(String::as_str).find(|other| file_name(other) == file_name(path.as_str()))
        });
        let problem = WorkspaceError::NoSuiteFile {
            config: config.clone(),
            line: self.line_of(config, path.as_str()),
            name: chosen.entry.name.clone(),
            path: path.clone(),
            near: near.map(str::to_owned),
        };
        Err(problem.into())
    }

    /// What may be a suite, for hints: a folder that cannot be listed has nothing to hint at.
    fn files_of_suites(&self) -> Vec<PathBuf> {
        json_files(&self.root.join(SUITES)).unwrap_or_default()
    }

    /// `, line 4`: where the file says that path. What was read a moment ago may be another file by now, and what was
    /// a pipe is empty; then no line is named.
    fn line_of(&self, config: &Path, path: &str) -> String {
        let text = files::read_in(&self.root, config, files::MAX_BYTES).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let says =
            |line: &str| line.trim_start().starts_with("path") && line.replace("\\\\", "/").contains(path);
        let at = text.lines().position(says);
        at.map(|at| format!(", line {}", at + 1)).unwrap_or_default()
    }
}
