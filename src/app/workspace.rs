//! Where a command works: the root, the configuration, the suites and baselines that belong to it.
#![expect(clippy::disallowed_methods, reason = "edge: looks for the configuration on disk")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::systems;
pub(super) use super::workspace_error::{ToldBy, WorkspaceError};
use crate::artifact::Baseline;
use crate::cli::Global;
use crate::config::{self, ConfigProblem, Settings, SuiteEntry, did_you_mean};
use crate::corpus::{Corpus, Hidden};
use crate::error::Failure;
use crate::files::{self, FileError};
use crate::name::Name;
use crate::retriever;
use crate::suite::{Suite, open_eval};
use crate::term;

/// The folder of approved baselines, under the root.
pub(super) const BASELINES: &str = "baselines";

/// The folder whose `*.json` are the suites when none is configured. Whatever lies in it is out of every retriever's
/// sight: a suite is often made from a table that lies beside it.
pub(super) const SUITES: &str = "suites";

/// Root, configuration and threads of one command.
pub(super) struct Workspace {
    /// The root of the tree (absolute).
    pub root: PathBuf,
    /// The folder the command was typed in (absolute); relative arguments start here.
    pub here: PathBuf,
    /// The configuration's file, if there is one.
    pub config: Option<PathBuf>,
    /// What it says, or the defaults.
    pub settings: Settings,
    /// The flags that chose root and configuration, as they were given.
    pub place: Vec<String>,
    /// Who chose them.
    told_by: ToldBy,
    /// Threads for files and cases.
    pub threads: usize,
    /// Where copies of the corpus for external tools are made: RUNNER_TEMP, else the system's temporary folder.
    pub temporary: PathBuf,
}

/// A suite that was chosen, with its file.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// Its configuration, or the defaults.
    pub entry: SuiteEntry,
    /// Its file (absolute).
    pub file: PathBuf,
    /// How it was named, if by its file alone: neither the configuration nor its folder makes it one of the suites.
    pub typed: Option<String>,
}

impl Chosen {
    /// What a command line calls it.
    pub(super) fn name(&self) -> &str {
        self.typed.as_deref().unwrap_or(&self.entry.name)
    }
}

impl Workspace {
    /// Finds root and configuration.
    pub(super) fn open(global: &Global) -> Result<Self, Failure> {
        let here = canonical(Path::new("."))?;
        let given = global.repo.as_deref().map(canonical).transpose()?;
        let config = match &global.config {
            Some(path) => Some(here.join(path)),
            None => find_upwards(given.as_deref().unwrap_or(&here)),
        };
        let settings = match &config {
            Some(path) => read_settings(path, global.config.is_some())?,
            None => Settings::default(),
        };
        if let Some((path, problem)) = config.as_ref().zip(systems::unknown_kind(&settings)) {
            return Err(WorkspaceError::Config { path: path.clone(), problem }.into());
        }
        let root = match (given, &config) {
            (Some(root), _) => root,
            (None, Some(path)) => canonical(path.parent().unwrap_or(Path::new(".")))?,
            (None, None) => git_root(&here).unwrap_or_else(|| here.clone()),
        };
        Ok(Self::with(root, here, config, settings, global, ToldBy::Flags))
    }

    /// At a root that is given, with the configuration of that name in it if it is there (an error if it is not and was
    /// asked for). Nothing is looked for above it.
    pub(super) fn at(root: &Path, config: &Path, asked_for: bool, global: &Global) -> Result<Self, Failure> {
        let root = canonical_for(root, ToldBy::Inputs)?;
        let config = root.join(config);
        let config = (asked_for || files::is_there(&config)).then_some(config);
        let settings = config.as_deref().map(|path| read_settings(path, false)).transpose()?;
        let settings = settings.unwrap_or_default();
        Ok(Self::with(root.clone(), root, config, settings, global, ToldBy::Inputs))
    }

    fn with(
        root: PathBuf,
        here: PathBuf,
        config: Option<PathBuf>,
        settings: Settings,
        global: &Global,
        told_by: ToldBy,
    ) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        let threads = global.threads.map_or_else(cores, std::num::NonZeroUsize::get);
        // A variable that is set to nothing would mean the current folder, which is searched.
        let runners = std::env::var_os("RUNNER_TEMP").map(PathBuf::from);
        let temporary = runners.into_iter().chain([std::env::temp_dir(), PathBuf::from("/tmp")]);
        let temporary = temporary.into_iter().find(|folder| !folder.as_os_str().is_empty());
        let temporary = here.join(temporary.expect("the last one is a name"));
        let flags = [("--config", &global.config), ("--repo", &global.repo)];
        let given = flags.iter().filter_map(|(flag, path)| {
            path.as_ref().map(|path| [(*flag).to_owned(), path.display().to_string()])
        });
        let place = given.flatten().collect();
        Self { root, here, config, settings, place, told_by, threads, temporary }
    }

    /// The suites named, or all there are.
    pub(super) fn choose(&self, names: &[String]) -> Result<Vec<Chosen>, Failure> {
        let all = self.suites()?;
        if names.is_empty() {
            return if all.is_empty() { Err(self.no_suites().into()) } else { Ok(all) };
        }
        let mut chosen: Vec<Chosen> = Vec::new();
        for name in names {
            let suite = self.choose_one(name, &all)?;
            if !chosen.iter().any(|already| already.file == suite.file) {
                chosen.push(suite);
            }
        }
        Ok(chosen)
    }

    fn choose_one(&self, name: &str, all: &[Chosen]) -> Result<Chosen, Failure> {
        if let Some(suite) = all.iter().find(|suite| suite.entry.name == name) {
            return Ok(suite.clone());
        }
        let file = self.here.join(name);
        if !file.is_file() {
            let near = did_you_mean(name, all.iter().map(|suite| suite.entry.name.as_str()));
            return Err(WorkspaceError::NoSuite { name: name.to_owned(), near }.into());
        }
        let file = file.canonicalize().unwrap_or(file);
        if let Some(suite) =
            all.iter().find(|suite| suite.file.canonicalize().is_ok_and(|known| known == file))
        {
            return Ok(suite.clone());
        }
        let entry =
            SuiteEntry::of_file(&self.name_of(&file)).map_err(|problem| self.config_error(problem))?;
        Ok(Chosen { entry, file, typed: Some(name.to_owned()) })
    }

    fn no_suites(&self) -> WorkspaceError {
        // Of a checkout nothing is looked for above the root: a tree cannot move it.
        let above = if self.told_by == ToldBy::Flags { " or above" } else { "" };
        let config = match &self.config {
            Some(path) => format!("{} lists none", path.display()),
            None => format!("no {} was found in {}{above}", config::FILE, self.here.display()),
        };
        WorkspaceError::NoSuites { root: self.root.clone(), config, told_by: self.told_by }
    }

    /// Every configured suite, or every `suites/*.json`. There may be none.
    pub(super) fn suites(&self) -> Result<Vec<Chosen>, Failure> {
        if !self.settings.suites.is_empty() {
            let with_file = |entry: &SuiteEntry| Chosen {
                file: self.root.join(entry.path.as_str()),
                entry: entry.clone(),
                typed: None,
            };
            return Ok(self.settings.suites.iter().map(with_file).collect());
        }
        let files = json_files(&self.root.join(SUITES))?;
        files
            .into_iter()
            .map(|file| {
                let path = self.name_of(&file);
                let entry = SuiteEntry::of_file(&path).map_err(|problem| self.config_error(problem))?;
                Ok(Chosen { entry, file, typed: None })
            })
            .collect()
    }

    fn config_error(&self, problem: ConfigProblem) -> WorkspaceError {
        let path = self.config.clone().unwrap_or_else(|| self.root.join(config::FILE));
        WorkspaceError::Config { path, problem }
    }

    /// A file's name under the root, or its whole path if it lies elsewhere.
    pub(super) fn name_of(&self, file: &Path) -> Name {
        Name::new(&file.strip_prefix(&self.root).unwrap_or(file).to_string_lossy())
    }

    /// Where the baseline of a pair lies.
    pub(super) fn baseline_path(&self, suite: &str, retriever: &str) -> PathBuf {
        self.root.join(BASELINES).join(format!("{suite}.{retriever}.json"))
    }

    /// Pairs that have a baseline here: suite and retriever by file name, with the file.
    pub(super) fn approved_pairs(&self) -> Result<Vec<(String, String, PathBuf)>, Failure> {
        let files = json_files(&self.root.join(BASELINES))?;
        let pairs = files
            .into_iter()
            .filter_map(|file| {
                let stem = file.file_stem()?.to_str()?;
                let (suite, retriever) = stem.split_once('.')?;
                Some((suite.to_owned(), retriever.to_owned(), file.clone()))
            })
            .collect();
        Ok(pairs)
    }

    /// The folder, as somebody typed it, is the one of baselines or one of suites. Another file in it may be taken for one.
    pub(super) fn keeps_files_in(&self, folder: &Path) -> bool {
        let folder = resolved(&self.here.join(folder));
        let suites = self.settings.suites.iter().filter_map(|suite| {
            Some(self.root.join(suite.path.as_str()).parent()?.to_owned()).filter(|it| *it != self.root)
        });
        let usual = [BASELINES, SUITES].map(|name| self.root.join(name));
        usual.into_iter().chain(suites).any(|it| resolved(&it) == folder)
    }

    /// The file, as somebody typed it, is the configuration, a suite or a baseline, or the next run would take it for one.
    pub(super) fn keeps(&self, file: &Path) -> bool {
        let file = resolved(&self.here.join(file));
        let is = |known: PathBuf| resolved(&known) == file;
        let folders = [Some(BASELINES), self.settings.suites.is_empty().then_some(SUITES)];
        let is_json = file.extension().is_some_and(|ending| ending == "json");
        let is_in = |name: &str| file.parent() == Some(resolved(&self.root.join(name)).as_path());
        is_json && folders.into_iter().flatten().any(is_in)
            || self.settings.suites.iter().any(|suite| is(self.root.join(suite.path.as_str())))
            || self.config.clone().is_some_and(is)
    }

    /// The corpus, without the answers: suites, baselines, and whatever else this command reads or writes.
    pub(super) fn corpus(&self, chosen: &[Chosen], others: &[&Path]) -> Result<Corpus, Failure> {
        let mut hidden: BTreeSet<Name> = [Name::new(BASELINES), Name::new(SUITES)].into();
        hidden.extend(self.settings.suites.iter().map(|suite| suite.path.clone()));
        hidden.extend(self.settings.retrievers.iter().filter_map(|entry| {
            let key = retriever::kind(&entry.kind)?.answers?;
            Some(Name::new(entry.options.get(key)?.as_str()?))
        }));
        let files = chosen.iter().map(|suite| suite.file.as_path());
        for file in files.chain(others.iter().copied()) {
            let file = self.here.join(file);
            let file = file.canonicalize().unwrap_or(file);
            if file != self.root && file.starts_with(&self.root) {
                hidden.insert(self.name_of(&file));
            }
        }
        Ok(Corpus::open(
            &self.root,
            &self.settings.corpus,
            &Hidden::new(hidden).with_files(term::redirected()),
            self.threads,
        )?)
    }
}

/// Reads and validates a suite file.
fn read_suite(path: &Path, root: &Path, label: &str) -> Result<open_eval::Loaded, Failure> {
    let bytes = files::read_in(root, path, files::MAX_BYTES)?;
    Ok(open_eval::parse(&bytes).map_err(|error| error.labelled(label))?)
}

/// Only the suite.
pub(super) fn suite_of(chosen: &Chosen, workspace: &Workspace) -> Result<Suite, Failure> {
    workspace.has_file(chosen)?;
    let root = &workspace.root;
    let label = chosen.file.strip_prefix(root).unwrap_or(&chosen.file).display().to_string();
    Ok(read_suite(&chosen.file, root, &label)?.suite)
}

/// Reads and verifies a baseline; none if there is no file. One that is not below `root` was named by somebody, perhaps
/// as `<(git show …)`.
pub(super) fn read_baseline(path: &Path, root: &Path) -> Result<Option<Baseline>, Failure> {
    let bytes = if files::is_named_in(root, path) {
        files::read_in_if_there(root, path, files::MAX_BYTES)?
    } else {
        match files::read(path, files::MAX_BYTES) {
            Err(FileError::Absent { .. }) => None,
            read => Some(read?),
        }
    };
    let Some(bytes) = bytes else { return Ok(None) };
    let baseline = Baseline::read(&bytes);
    Ok(Some(baseline.map_err(|problem| WorkspaceError::Artifact { path: path.to_owned(), problem })?))
}

/// A file that was found, and not named, must lie where it was found: a message may quote what it holds.
fn read_settings(path: &Path, named: bool) -> Result<Settings, Failure> {
    let bytes = match path.parent() {
        Some(folder) if !named => files::read_in(folder, path, files::MAX_BYTES)?,
        _ => files::read(path, files::MAX_BYTES)?,
    };
    let text = String::from_utf8(bytes).map_err(|_| WorkspaceError::NotUtf8 { path: path.to_owned() })?;
    Ok(Settings::parse(&text).map_err(|problem| WorkspaceError::Config { path: path.to_owned(), problem })?)
}

/// Where a path leads, whether it is there or not.
fn resolved(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
    let Some((part, real)) = there else { return path.to_owned() };
    path.strip_prefix(part).map_or_else(|_| path.to_owned(), |rest| real.join(rest))
}

fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    canonical_for(path, ToldBy::Flags)
}

fn canonical_for(path: &Path, told_by: ToldBy) -> Result<PathBuf, Failure> {
    let root = |source| WorkspaceError::Root { path: path.to_owned(), told_by, source };
    let found = path.canonicalize().map_err(root)?;
    if found.is_dir() { Ok(found) } else { Err(root(std::io::ErrorKind::NotADirectory.into()).into()) }
}

/// rankhold.toml here or above, up to the folder that holds `.git`. Where nothing holds one, only here: a stranger's
/// file further up is none of ours.
fn find_upwards(from: &Path) -> Option<PathBuf> {
    let top = git_root(from).unwrap_or_else(|| from.to_owned());
    let inside = from.ancestors().take_while(|folder| folder.starts_with(&top));
    inside.map(|folder| folder.join(config::FILE)).find(|file| files::is_there(file))
}

/// The folder that a workflow would have checked out: `--repo`, else the nearest from here up that holds `.git`, else here.
pub(super) fn repository_folder(global: &Global) -> Result<PathBuf, Failure> {
    let here = canonical(global.repo.as_deref().unwrap_or(Path::new(".")))?;
    Ok(if global.repo.is_some() { here } else { git_root(&here).unwrap_or(here) })
}

/// Where the configuration lies as the repository knows it: below the folder that holds `.git`. None if it lies elsewhere.
pub(super) fn config_in_repository(global: &Global) -> Result<Option<Name>, Failure> {
    let here = canonical(global.repo.as_deref().unwrap_or(Path::new(".")))?;
    let top = git_root(&here).unwrap_or_else(|| here.clone());
    let config = match &global.config {
        Some(path) => resolved(&canonical(Path::new("."))?.join(path)),
        None => find_upwards(&here).unwrap_or_else(|| top.join(config::FILE)),
    };
    Ok(config.strip_prefix(&top).ok().map(|inside| Name::new(&inside.to_string_lossy())))
}

/// The folder here or above that holds `.git`.
pub(super) fn git_root(from: &Path) -> Option<PathBuf> {
    from.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}

/// `*.json` of a folder, by name. A folder that is not there has none; what is no file is told when it is read.
pub(super) fn json_files(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let mut files = files::folder_if_there(folder)?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    Ok(files)
}

/// A file that is read as an argument: absent is the user's error, and a pipe is welcome.
pub(super) fn read_argument(path: &Path) -> Result<Vec<u8>, FileError> {
    files::read(path, files::MAX_BYTES)
}
