//! `rankhold doctor`: what can be used here, and what is missing.

mod workflow;

pub(super) use workflow::{default_branch, judging};

use serde_json::{Value, json};

use super::console::Console;
use super::workspace::Workspace;
use crate::cli::{DoctorArgs, Shown};
use crate::config::RetrieverEntry;
use crate::error::{Blamed, Failure};
use crate::exit::Exit;
use crate::measure::TEMPORARY;
use crate::report::{Rendered, place};
use crate::retriever::{Availability, RETRIEVERS};

/// An entry of the configuration that says nothing that could be looked at.
const MISCONFIGURED: &str = "misconfigured";

/// One system's health.
struct Row {
    name: String,
    kind: String,
    state: &'static str,
    /// Of one that is ready: it was asked something.
    tried: Option<bool>,
    detail: String,
    hint: Option<String>,
}

/// The longest a detail or a hint is printed: a tool's words may be many, and what to do stands at their end.
const LONGEST: usize = 4_000;

/// Looks at the retrievers, or with `--workflow` at the workflows.
pub(super) fn doctor(args: &DoctorArgs, workspace: &Workspace, console: &Console) -> Result<Exit, Failure> {
    for doubt in workspace.settings.approval.doubtful_roles() {
        console.warning(&doubt);
    }
    if args.workflow {
        return workflow::workflows(args.format, workspace, console);
    }
    Ok(retrievers(args.format, workspace, console))
}

/// Probes every retriever that needs no settings, and every configured one. A retriever that a
/// suite is configured with and that is not ready makes it exit 3, an entry that cannot be used 2.
fn retrievers(format: Shown, workspace: &Workspace, console: &Console) -> Exit {
    let mut entries: Vec<RetrieverEntry> = workspace.settings.retrievers.clone();
    let needed: Vec<&str> = workspace
        .settings
        .suites
        .iter()
        .flat_map(|suite| suite.retrievers.iter().map(String::as_str))
        .collect();
    let plain = RETRIEVERS
        .iter()
        .filter(|kind| kind.needs_no_entry)
        .map(|kind| kind.name)
        .chain(needed.iter().copied());
    for name in plain {
        if !entries.iter().any(|entry| entry.name == name) {
            entries.push(RetrieverEntry::plain(name));
        }
    }
    let rows: Vec<Row> = entries.iter().map(|entry| examine(entry, workspace)).collect();
    let ready = |name: &str| rows.iter().any(|row| row.name == name && row.state == "ready");
    let measured = if needed.iter().all(|name| ready(name)) { Exit::Pass } else { Exit::NotMeasured };
    let configured = if rows.iter().any(|row| row.state == MISCONFIGURED) { Exit::Usage } else { Exit::Pass };
    let exit = measured.and(configured);
    console.report(&match format {
        Shown::Text => text(&rows, workspace),
        Shown::Json => {
            let rows: Vec<Value> = rows.iter().map(Row::json).collect();
            let text = serde_json::to_string_pretty(&json!({ "retrievers": rows })).expect("plain values");
            Rendered::json(&text)
        }
    });
    exit
}

fn examine(entry: &RetrieverEntry, workspace: &Workspace) -> Row {
    let mut tried = None;
    let (state, detail, hint) = match workspace.probe(entry) {
        Ok(Ok(Availability::Ready(description))) => {
            tried = Some(description.tried);
            let program = description.program.as_ref().map(|program| {
                let script =
                    if program.is_script { ", a script: what it starts has another hash" } else { "" };
                format!(" ({}, sha256:{}{script})", program.path.display(), program.hash.short(12))
            });
            let model = description.model.as_ref().map(|model| format!(", model {model}"));
            let version = format!("version {}", description.version);
            ("ready", [Some(version), program, model].into_iter().flatten().collect(), None)
        }
        Ok(Ok(Availability::Missing { what, hint })) => ("missing", what, Some(hint)),
        Ok(Ok(Availability::Broken { detail, hint })) => ("broken", detail, hint),
        Ok(Err(error)) => ("unknown", format!("no scratch folder: {error}"), Some(TEMPORARY.to_owned())),
        Err(problem) => (MISCONFIGURED, problem.to_string(), problem.hint()),
    };
    Row { name: entry.name.clone(), kind: entry.kind.clone(), state, tried, detail, hint }
}

impl Row {
    fn json(&self) -> Value {
        json!({
            "name": self.name, "kind": self.kind, "state": self.state, "tried": self.tried,
            "detail": self.detail, "hint": self.hint,
        })
    }

    /// The state as a reader sees it: nobody should take a program that is there for one that answers.
    fn shown_state(&self) -> &'static str {
        match self.tried {
            Some(false) => "ready (not tried)",
            _ => self.state,
        }
    }
}

fn text(rows: &[Row], workspace: &Workspace) -> Rendered {
    let config = workspace.config.as_ref().map_or_else(
        || "no rankhold.toml: every suites/*.json with bm25".to_owned(),
        |path| path.display().to_string(),
    );
    let mut lines = vec![
        format!("root           {}", workspace.root.display()),
        format!("configuration  {config}"),
        String::new(),
    ];
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let states = rows.iter().map(|row| row.shown_state().len()).max().unwrap_or(0);
    for row in rows {
        let line = format!("{:<width$}  {:<states$}  {}", row.name, row.shown_state(), row.detail);
        lines.push(place::terminal(&line, LONGEST));
        if let Some(hint) = &row.hint {
            let hint = place::terminal(&format!("next: {hint}"), LONGEST);
            lines.push(format!("{:<width$}  {hint}", ""));
        }
    }
    Rendered::lines(lines)
}
