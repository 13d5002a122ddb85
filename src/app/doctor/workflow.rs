//! `rankhold doctor --workflow`: the workflows of the repository, held against what the action needs. The one command that
//! looks at them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::app::action::{ARTIFACT, refusal};
use crate::app::console::Console;
use crate::app::workspace::{SUITES, Workspace, git_root};
use crate::app::{INPUTS, inputs_of_full};
use crate::cli::Shown;
use crate::config::{self, CommentMode, Publish, Settings};
use crate::error::{Blame, Blamed, Failure};
use crate::exit::Exit;
use crate::files;
use crate::github::{EVENTS, check_name};
use crate::name::Name;
use crate::report::Rendered;
use crate::retriever::{self, RETRIEVERS};
use crate::workflow::{
    self, Configured, Cure, Facts, Finding, Level, Local, MAX_BYTES, Names, Pair, Workflow,
};

/// Where GitHub looks for workflows.
const FOLDER: &str = ".github/workflows";

/// More files than this are no set of workflows.
const MOST: usize = 1000;

/// Bytes of the file in which git keeps the names of branches.
const MOST_REFS: u64 = 1 << 20;

/// Findings that are shown to people; programs get them all.
const SHOWN: usize = 100;

/// A folder that is none of workflows.
#[derive(Debug, thiserror::Error)]
#[error("{folder} holds {count} workflows, and at most {MOST} are read", folder = folder.display())]
struct TooMany {
    folder: PathBuf,
    count: usize,
}

impl Blamed for TooMany {
    fn blame(&self) -> Blame {
        Blame::User
    }
}

/// The workflows that could be read, and a finding for each of the others.
struct Folder {
    files: Vec<String>,
    workflows: Vec<Workflow>,
    unreadable: Vec<Finding>,
}

/// Reads the workflows, holds them against every rule and says what cures each finding. An error is the user's to correct.
pub(super) fn workflows(format: Shown, workspace: &Workspace, console: &Console) -> Result<Exit, Failure> {
    let root = git_root(&workspace.root).unwrap_or_else(|| workspace.root.clone());
    let folder = Folder::read(&root)?;
    let facts = facts(&root, workspace, &folder.workflows);
    let mut findings = folder.unreadable.clone();
    findings.extend(workflow::check(&folder.workflows, &facts));
    // Nobody can say that about a file that cannot be read.
    findings.retain(|finding| folder.unreadable.is_empty() || !finding.is_unused());
    console.report(&match format {
        Shown::Text => text(&folder, &findings),
        Shown::Json => report(&folder, &findings),
    });
    let is_wrong = findings.iter().any(|finding| finding.rule.level == Level::Error);
    Ok(if is_wrong { Exit::Usage } else { Exit::Pass })
}

/// The workflow that judges pull requests already, if one does. What cannot be read is taken for none.
pub(in crate::app) fn judging(workspace: &Workspace) -> Option<String> {
    let root = git_root(&workspace.root).unwrap_or_else(|| workspace.root.clone());
    let folder = Folder::read(&root).ok()?;
    workflow::judging(&folder.workflows, &facts(&root, workspace, &folder.workflows))
}

impl Folder {
    fn read(root: &Path) -> Result<Self, Failure> {
        let folder = root.join(FOLDER);
        let mut paths = files::folder_if_there(&folder)?;
        paths.retain(|path| is_workflow(path));
        if paths.len() > MOST {
            return Err(TooMany { folder, count: paths.len() }.into());
        }
        let mut read = Self { files: Vec::new(), workflows: Vec::new(), unreadable: Vec::new() };
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let file = format!("{FOLDER}/{name}");
            read.files.push(file.clone());
            match files::read_in(root, &path, MAX_BYTES) {
                Err(error) if error.blame() == Blame::User => {
                    read.unreadable.push(Finding::unreadable(&file, 1, error.to_string()));
                }
                bytes => match Workflow::read(&file, &bytes?) {
                    Ok(workflow) => read.workflows.push(workflow),
                    Err(refused) => {
                        read.unreadable.push(Finding::unreadable(&file, refused.line, refused.what));
                    }
                },
            }
        }
        Ok(read)
    }
}

/// What the checks need to know besides the workflows.
fn facts(root: &Path, workspace: &Workspace, workflows: &[Workflow]) -> Facts {
    let settings = &workspace.settings;
    let inside = workspace.root.strip_prefix(root).unwrap_or(Path::new(""));
    let local = workflows.iter().flat_map(Workflow::local_actions);
    let local = local.filter_map(|uses| Some((uses.to_owned(), local_action(root, uses)?)));
    let (mut known, mut wrapped) = (BTreeMap::new(), BTreeSet::new());
    for (uses, bytes) in local {
        if let Some(local) = Local::read(&bytes) {
            known.insert(uses, local);
        } else if String::from_utf8_lossy(&bytes).contains("rankhold") {
            wrapped.insert(uses);
        }
    }
    let default = |name: &str| INPUTS.iter().find(|input| input.name == name).and_then(|input| input.default);
    let own = Name::new(&inside.to_string_lossy()).to_string();
    let folders = workflows.iter().flat_map(Workflow::folders).filter(|folder| *folder != own);
    let folders = folders.filter_map(|folder| {
        let settings = configuration(root, &folder)?;
        let of = Configured {
            programs: programs(&settings),
            retrievers: named_programs(&settings),
            names: names(&settings),
        };
        Some((folder, of))
    });
    Facts {
        inputs: INPUTS.iter().map(|input| input.name).collect(),
        inputs_of_full: inputs_of_full().map(|input| input.name).collect(),
        events: EVENTS.to_vec(),
        check: check_name("", None),
        measures: default("workflow").unwrap_or_default(),
        commands: default("commands").unwrap_or_default(),
        approval: settings.approval.mode,
        artifact: ARTIFACT,
        is_status: settings.report.publish == Publish::Status,
        comments: settings.report.comment != CommentMode::Never,
        folders: folders.collect(),
        names: names(settings),
        refuses: Some(refusal),
        absent: workflows.iter().flat_map(Workflow::paths).filter(|path| is_absent(root, path)).collect(),
        configured: configured(root, &workspace.root),
        root: own,
        programs: programs(settings),
        retrievers: named_programs(settings),
        default_branch: default_branch(root),
        elsewhere: elsewhere(root, &workspace.root),
        local: known,
        wrapped,
    }
}

/// A path that a workflow names leads to nothing here.
fn is_absent(root: &Path, path: &str) -> bool {
    !Name::new(path).escapes() && !files::is_there(&root.join(path))
}

/// What a step may ask for by name.
fn names(settings: &Settings) -> Names {
    let configured = settings.retrievers.iter().map(|entry| entry.name.clone());
    let embedded = RETRIEVERS.iter().filter(|kind| kind.needs_no_entry).map(|kind| kind.name.to_owned());
    Names {
        suites: settings.suites.iter().map(|suite| suite.name.clone()).collect(),
        retrievers: configured.chain(embedded).collect(),
    }
}

/// What a folder of the repository is configured with; none where nothing is, or where it cannot be read.
fn configuration(root: &Path, folder: &str) -> Option<Settings> {
    if Name::new(folder).escapes() {
        return None;
    }
    let file = root.join(folder).join(config::FILE);
    let bytes = files::read_in_if_there(root, &file, MAX_BYTES).ok()??;
    Settings::parse(&String::from_utf8(bytes).ok()?).ok()
}

/// Folders that are configured where the root is not, and has no suites that need no configuration: of what is measured, and
/// of the folders of the root.
fn configured(root: &Path, measured: &Path) -> Vec<String> {
    let is_there = |folder: &Path, name: &str| files::is_there(&folder.join(name));
    if is_there(root, config::FILE) || is_there(root, SUITES) {
        return Vec::new();
    }
    let below = files::folder_if_there(root).unwrap_or_default();
    let folders: BTreeSet<&Path> = below.iter().map(PathBuf::as_path).chain([measured]).collect();
    let folders = folders.into_iter().filter(|folder| is_there(folder, config::FILE));
    let names = folders.filter_map(|folder| folder.strip_prefix(root).ok());
    names.map(|inside| Name::new(&inside.to_string_lossy()).to_string()).collect()
}

/// Folders with workflows that GitHub does not read: of what is measured, and of the folders of the root.
fn elsewhere(root: &Path, measured: &Path) -> Vec<String> {
    let below = files::folder_if_there(root).unwrap_or_default();
    let folders: BTreeSet<&Path> = below.iter().map(PathBuf::as_path).chain([measured]).collect();
    let has_workflows = |folder: &&&Path| {
        let inside = files::folder_if_there(&folder.join(FOLDER)).unwrap_or_default();
        let is_about_us = |path: &PathBuf| {
            let bytes = files::read_in(root, path, MAX_BYTES).unwrap_or_default();
            is_workflow(path) && String::from_utf8_lossy(&bytes).contains("rankhold")
        };
        **folder != root && inside.iter().any(is_about_us)
    };
    let name = |folder: &&Path| {
        let inside = folder.strip_prefix(root).ok()?;
        Some(format!("{}/{FOLDER}", Name::new(&inside.to_string_lossy())))
    };
    folders.iter().filter(has_workflows).filter_map(name).collect()
}

fn is_workflow(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "yml" || ending == "yaml")
}

/// What an action of the repository itself says.
fn local_action(root: &Path, uses: &str) -> Option<Vec<u8>> {
    let name = Name::new(uses);
    if name.escapes() {
        return None;
    }
    let folder = root.join(name.as_str());
    let read = |file: &str| files::read_in_if_there(root, &folder.join(file), MAX_BYTES).ok().flatten();
    read("action.yml").or_else(|| read("action.yaml"))
}

/// A retriever that is started as a program. What nobody knows may be one.
fn is_program(settings: &Settings, name: &str) -> bool {
    let entry = settings.retrievers.iter().find(|entry| entry.name == name);
    let kind = entry.map_or(name, |entry| entry.kind.as_str());
    !retriever::kind(kind).is_some_and(|kind| kind.embedded)
}

fn programs(settings: &Settings) -> Vec<Pair> {
    let pairs = settings.suites.iter().flat_map(|suite| {
        suite.retrievers.iter().map(|name| Pair { suite: suite.name.clone(), retriever: name.clone() })
    });
    pairs.filter(|pair| is_program(settings, &pair.retriever)).collect()
}

fn named_programs(settings: &Settings) -> Vec<String> {
    let configured = settings.retrievers.iter().map(|entry| entry.name.clone());
    let asked_for = settings.suites.iter().flat_map(|suite| suite.retrievers.iter().cloned());
    let all: BTreeSet<String> = configured.chain(asked_for).collect();
    all.into_iter().filter(|name| is_program(settings, name)).collect()
}

/// The default branch: as a clone remembers it, else the one that is checked out if no other is known. A checkout of a
/// workflow has no more than one commit of whatever branch it is about.
pub(in crate::app) fn default_branch(root: &Path) -> Option<String> {
    let git = root.join(".git");
    let text = |file: &str, limit: u64| {
        String::from_utf8(files::read_in_if_there(root, &git.join(file), limit).ok()??).ok()
    };
    if let Some(head) = text("refs/remotes/origin/HEAD", 4096) {
        return Some(head.trim().strip_prefix("ref: refs/remotes/origin/")?.to_owned());
    }
    let head = text("HEAD", 4096)?;
    let branch = head.trim().strip_prefix("ref: refs/heads/")?;
    let packed = text("packed-refs", MOST_REFS).unwrap_or_default();
    let is_only = ["refs/heads", "refs/remotes/origin"].iter().all(|folder| {
        let loose = files::folder_if_there(&git.join(folder)).unwrap_or_default();
        let loose = loose.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy());
        let packed = packed.lines().filter_map(|line| line.split_once(' '));
        let packed = packed.filter_map(|(_, name)| name.strip_prefix(folder)?.strip_prefix('/'));
        loose.chain(packed.map(Into::into)).all(|name| name == branch)
    });
    (is_only && !files::is_there(&git.join("shallow"))).then(|| branch.to_owned())
}

fn text(folder: &Folder, findings: &[Finding]) -> Rendered {
    let mut lines: Vec<String> = Vec::new();
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    for finding in findings.iter().take(SHOWN) {
        lines.push(finding.to_string());
        let paste = match &finding.cure {
            Cure::File { example, .. } if !shown.insert(example.path) => Vec::new(),
            cure => cure.lines(),
        };
        let colon = if paste.is_empty() { "" } else { ":" };
        lines.push(format!("  next: {}{colon}", finding.cure));
        lines.push(String::new());
        if !paste.is_empty() {
            // As they are to be pasted: their indentation is that of the file.
            lines.extend(paste);
            lines.push(String::new());
        }
    }
    if findings.len() > SHOWN {
        lines.push(format!("… and {} more (--format json lists all)", findings.len() - SHOWN));
    }
    lines.push(summary(folder, findings));
    Rendered::lines(lines)
}

fn summary(folder: &Folder, findings: &[Finding]) -> String {
    let count = |level: Level, one: &str, many: &str| {
        let count = findings.iter().filter(|finding| finding.rule.level == level).count();
        format!("{count} {}", if count == 1 { one } else { many })
    };
    format!(
        "{} read: {}, {}, {}",
        match folder.files.len() {
            1 => "1 workflow".to_owned(),
            count => format!("{count} workflows"),
        },
        count(Level::Error, "error", "errors"),
        count(Level::Warning, "warning", "warnings"),
        count(Level::Note, "note", "notes"),
    )
}

fn report(folder: &Folder, findings: &[Finding]) -> Rendered {
    let findings: Vec<Value> = findings.iter().map(finding_json).collect();
    let value = json!({ "workflows": folder.files, "findings": findings });
    Rendered::json(&serde_json::to_string_pretty(&value).expect("plain values"))
}

fn finding_json(finding: &Finding) -> Value {
    let (edit, file) = match &finding.cure {
        Cure::Edit(edit) => (json!({ "from": edit.from, "to": edit.to }), Value::Null),
        Cure::File { path, .. } => (Value::Null, Value::from(path.as_str())),
        _ => (Value::Null, Value::Null),
    };
    let lines = finding.cure.lines();
    json!({
        "rule": finding.rule.name,
        "level": finding.rule.level.word(),
        "file": finding.file,
        "line": finding.line,
        "job": finding.job,
        "message": finding.message,
        "why": finding.rule.why,
        "next": finding.cure.to_string(),
        "lines": lines,
        "replaces": edit,
        "writes": file,
    })
}
