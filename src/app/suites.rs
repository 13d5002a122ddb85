//! `rankhold suite …`, from arguments to the functions of [`super::suite`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Day;
use super::console::Console;
use super::destination::Destination;
use super::suite::{self, AddProblem, Adding, NewCase, Said};
use super::workspace::{Chosen, Workspace};
use crate::cli::{Shown, SuiteCommand, TodayArgs};
use crate::config::did_you_mean;
use crate::corpus::Corpus;
use crate::error::Failure;
use crate::exit::Exit;
use crate::files;
use crate::history;
use crate::suite::lint::{Quotes, Tree, TreeFacts};
use crate::suite::{Note, Place};

/// How long git may take to tell renames.
pub(super) const HISTORY: Duration = Duration::from_secs(20);

/// Does what was asked and says how the process ends.
pub(super) fn suites(
    command: &SuiteCommand,
    workspace: &Workspace,
    console: &Console,
) -> Result<Exit, Failure> {
    let said = match command {
        SuiteCommand::Lint { suites, from, format, today } => {
            return lint(suites, from.as_deref(), *format, *today, workspace, console);
        }
        SuiteCommand::Stats { files, segments, format, today, .. } if files.is_empty() => {
            let mut exit = Exit::Pass;
            workspace.tell_unlisted(console);
            for chosen in workspace.choose(&[])? {
                workspace.has_file(&chosen)?;
                let said = suite::stats(&[chosen.file], None, segments, Day::of(*today), *format)?;
                exit = exit.and(hand_over(&said, console));
            }
            return Ok(exit);
        }
        SuiteCommand::Stats { files, from, segments, format, today } => {
            let files = named(files, from.as_deref(), workspace)?;
            suite::stats(&files, from.as_deref(), segments, Day::of(*today), *format)?
        }
        SuiteCommand::List { files, from, format, today } if files.is_empty() => {
            workspace.tell_unlisted(console);
            for chosen in workspace.choose(&[])? {
                workspace.has_file(&chosen)?;
                hand_over(&suite::list(&[chosen.file], from.as_deref(), Day::of(*today), *format)?, console);
            }
            return Ok(Exit::Pass);
        }
        SuiteCommand::List { files, from, format, today } => {
            let files = named(files, from.as_deref(), workspace)?;
            suite::list(&files, from.as_deref(), Day::of(*today), *format)?
        }
        SuiteCommand::Import { files, from, out } => {
            suite::import(files, from.as_deref(), place(out.as_ref(), files)?)?
        }
        SuiteCommand::Export { files, from, to, out } => {
            let files = named(files, from.as_deref(), workspace)?;
            suite::export(&files, from.as_deref(), to, place(out.as_ref(), &files)?)?
        }
        SuiteCommand::Add { file, query, target, forbid, no_result, id, lang, kind, replace, create } => {
            let case = NewCase {
                id: id.clone().unwrap_or_else(|| id_of(query)),
                query: query.clone(),
                targets: target.clone(),
                lang: lang.clone(),
                kind: kind.clone(),
                forbidden: forbid.clone(),
                no_result: *no_result,
            };
            let known = workspace.choose(&[]).unwrap_or_default();
            let listed = known.iter().find(|suite| file.to_str() == Some(&suite.entry.name));
            let path = listed.map_or_else(|| workspace.here.join(file), |suite| suite.file.clone());
            if !create && !files::is_there(&path) {
                let names = known
                    .iter()
                    .flat_map(|suite| [suite.entry.name.clone(), workspace.name_of(&suite.file).to_string()]);
                let names: Vec<String> = names.collect();
                let file = file.display().to_string();
                let near = did_you_mean(&file, names.iter().map(String::as_str));
                return Err(AddProblem::NoFile { file, near }.into());
            }
            // A tree that cannot be read keeps nobody from writing a case.
            let tree = workspace.corpus(&known, &[&path]).ok().map(|corpus| tree_of(&corpus, workspace));
            let adding = Adding {
                tree: tree.as_ref().map(|tree| tree as &dyn Tree),
                today: Day::of(TodayArgs { today: None }),
                replace: *replace,
                create: *create,
            };
            let said = suite::add(&workspace.root, &path, &case, &adding)?;
            if *create {
                workspace.tell_unlisted(console);
            }
            said
        }
    };
    Ok(hand_over(&said, console))
}

/// Where `--out` leads, which is none of what is read.
fn place<'a>(out: Option<&'a PathBuf>, files: &[PathBuf]) -> Result<Option<&'a Path>, Failure> {
    let out = Destination::of(out.map(PathBuf::as_path));
    out.spares(files.iter().map(PathBuf::as_path))?;
    Ok(out.place())
}

fn hand_over(said: &Said, console: &Console) -> Exit {
    for note in &said.notes {
        console.note(note);
    }
    for warning in &said.warnings {
        console.warning(warning);
    }
    console.report(&said.out);
    console.document(&said.document);
    said.exit
}

/// The files of one suite: as they were given, or that of the configured suite whose name was.
fn named(files: &[PathBuf], from: Option<&str>, workspace: &Workspace) -> Result<Vec<PathBuf>, Failure> {
    match files {
        [one] if from.is_none() && !files::is_there(one) => {
            let chosen = workspace.choose(&[one.display().to_string()])?.remove(0);
            workspace.has_file(&chosen)?;
            Ok(vec![chosen.file])
        }
        _ => Ok(files.to_vec()),
    }
}

/// What lint knows of a tree, its history apart.
pub(super) fn tree_of(corpus: &Corpus, workspace: &Workspace) -> TreeFacts {
    let tree = TreeFacts::new(corpus.entries().iter().map(|entry| entry.path.as_str()));
    match workspace.settings.corpus.entities {
        Some(_) => tree.with_entities(corpus.entities().iter().map(|entity| entity.id.as_str())),
        None => tree,
    }
}

/// Looks over every chosen suite, with the tree and its history.
fn lint(
    names: &[String],
    from: Option<&str>,
    shown: Shown,
    today: TodayArgs,
    workspace: &Workspace,
    console: &Console,
) -> Result<Exit, Failure> {
    let (suites, chosen): (Vec<Vec<PathBuf>>, Vec<Chosen>) = if from.is_some() {
        (vec![names.iter().map(PathBuf::from).collect()], Vec::new())
    } else {
        let chosen = workspace.choose(names)?;
        if names.is_empty() {
            workspace.tell_unlisted(console);
        }
        chosen.iter().try_for_each(|suite| workspace.has_file(suite))?;
        (chosen.iter().map(|suite| vec![suite.file.clone()]).collect(), chosen)
    };
    // Files that were named are the suite, whatever they are called.
    let own: Vec<&Path> = suites.iter().flatten().map(PathBuf::as_path).collect();
    let corpus = workspace.corpus(&chosen, &own)?;
    let (renames, history) = match history::renames(&workspace.root, HISTORY) {
        Ok(renames) => (renames, None),
        Err(why) => (std::collections::HashMap::new(), Some(why.to_string())),
    };
    let mut tree = tree_of(&corpus, workspace).with_renames(renames);
    let mut exit = Exit::Pass;
    for files in &suites {
        tree = tree.with_remarks(remarks(files, from, &corpus));
        let said = suite::lint(files, from, Some(&tree), history.as_deref(), Day::of(today), shown)?;
        exit = exit.and(hand_over(&said, console));
    }
    Ok(exit)
}

/// What is odd about the corpus: files that are not searched although nothing excludes them, and files that a search would
/// find in the place of the answers.
fn remarks(suite: &[PathBuf], from: Option<&str>, corpus: &Corpus) -> Vec<Note> {
    let left_out = corpus.left_out().iter().filter(|(_, why)| why.is_odd());
    let mut remarks: Vec<_> = left_out
        .map(|(path, why)| Note::new(Place::document().within(path), format!("is not searched: {why}")))
        .collect();
    // What is wrong with the suite itself is lint's to say.
    let Some(quotes) = suite::load(suite, from).ok().and_then(|loaded| Quotes::of(&loaded.suite)) else {
        return remarks;
    };
    for entry in corpus.entries() {
        let Ok(text) = corpus.read(entry) else { continue };
        if let Some(count) = quotes.most_in(&text) {
            let message = format!(
                "holds {count} of the {} queries word for word and is searched, so it may be found in the place of their \
                 answers; leave it out with [corpus] exclude in rankhold.toml",
                quotes.len()
            );
            remarks.push(Note::warning(Place::document().within(&entry.path), message));
        }
    }
    remarks
}

/// An id made of the words of a query.
fn id_of(query: &str) -> String {
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-").chars().take(60).collect()
}
