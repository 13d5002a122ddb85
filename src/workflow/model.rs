//! A workflow, as far as the checks ask for it.

use std::collections::{BTreeMap, BTreeSet};

use super::ours::root_of;
use super::{Edit, Region};

/// One file of `.github/workflows`.
#[derive(Clone, Debug)]
pub struct Workflow {
    /// Its path in the repository.
    pub file: String,
    /// Its lines, without their ends.
    pub(super) lines: Vec<String>,
    /// Its keys.
    pub(super) keys: Keys,
    /// `name:`
    pub(super) name: Option<Said>,
    /// `on:`
    pub(super) on: On,
    /// `permissions:` of the whole workflow.
    pub(super) permissions: Option<Permissions>,
    /// `concurrency:` of the whole workflow.
    pub(super) concurrency: Option<Concurrency>,
    /// `env:` of the whole workflow.
    pub(super) env: Vec<Pair>,
    /// Its jobs, in the order of the file.
    pub(super) jobs: Vec<Job>,
}

/// A text under a key.
#[derive(Clone, Debug)]
pub(super) struct Said {
    /// The text.
    pub text: String,
    /// The entry.
    pub region: Region,
}

/// An entry of a map of texts.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The key.
    pub key: String,
    /// The value; of a list or a map nothing.
    pub value: String,
    /// The entry.
    pub region: Region,
}

/// The keys of a map, each with its lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys(pub Vec<(String, Region)>);

/// What starts a workflow.
#[derive(Clone, Debug)]
pub(super) struct On {
    /// The whole of `on:`.
    pub region: Region,
    /// The events.
    pub triggers: Vec<Trigger>,
    /// Each event has lines of its own.
    pub is_map: bool,
}

/// An event and what narrows it.
#[derive(Clone, Debug)]
pub(super) struct Trigger {
    /// The event's name.
    pub event: String,
    /// Its entry, or the whole of `on:` where it has none of its own.
    pub region: Region,
    /// Its filters: `types`, `branches`, `workflows` …
    pub filters: Vec<Filter>,
}

/// A filter of an event.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    /// `types` …
    pub key: String,
    /// What it lists.
    pub values: Vec<String>,
    /// The entry.
    pub region: Region,
}

/// What a token may do with one part of the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Access {
    None,
    Read,
    Write,
}

/// `permissions:`
#[derive(Clone, Debug)]
pub(super) struct Permissions {
    /// The entry.
    pub region: Region,
    /// What it grants.
    pub grant: Grant,
}

/// What a token may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Grant {
    /// The same with every part.
    All(Access),
    /// Each part by itself; whatever is not named is none.
    Scopes(BTreeMap<String, Access>),
}

/// `concurrency:`
#[derive(Clone, Debug)]
pub(super) struct Concurrency {
    /// The entry.
    pub region: Region,
    /// The group's name; empty if there is none.
    pub group: String,
    /// `cancel-in-progress:`, as it is written.
    pub cancel: Option<String>,
    /// `queue:`, as it is written.
    pub queue: Option<String>,
}

/// One job.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// Its key under `jobs:`.
    pub id: String,
    /// Its first line.
    pub line: usize,
    /// Its keys.
    pub keys: Keys,
    /// `name:`
    pub name: Option<Said>,
    /// `if:`
    pub condition: Option<Said>,
    /// `needs:`
    pub needs: Vec<String>,
    /// `permissions:`, which replaces the workflow's.
    pub permissions: Option<Permissions>,
    /// `concurrency:`
    pub concurrency: Option<Concurrency>,
    /// `env:`
    pub env: Vec<Pair>,
    /// `runs-on:`, its labels; none where an expression or a group gives them.
    pub runner: Option<Filter>,
    /// It is run once for each value of a matrix.
    pub has_matrix: bool,
    /// The values of that matrix that are known before it runs, by their keys.
    pub matrix: BTreeMap<String, Vec<String>>,
    /// The workflow that it calls.
    pub calls: Option<String>,
    /// Its steps; a job that calls another workflow has none.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Its first line.
    pub line: usize,
    /// Its keys.
    pub keys: Keys,
    /// `uses:`
    pub uses: Option<Said>,
    /// `run:`
    pub run: Option<Said>,
    /// `working-directory:`
    pub folder: Option<String>,
    /// `if:`
    pub condition: Option<Said>,
    /// `with:`
    pub with: Vec<Pair>,
    /// `env:`
    pub env: Vec<Pair>,
}

impl Keys {
    /// The lines of a key.
    pub(super) fn of(&self, key: &str) -> Option<&Region> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, region)| region)
    }

    /// The first of these keys that is there.
    pub(super) fn first_of(&self, keys: &[&str]) -> Option<&Region> {
        keys.iter().find_map(|key| self.of(key))
    }
}

impl Trigger {
    /// What a filter lists, if it is there.
    pub(super) fn filter(&self, key: &str) -> Option<&Filter> {
        self.filters.iter().find(|filter| filter.key == key)
    }
}

impl On {
    /// The event, if it starts the workflow.
    pub(super) fn event(&self, name: &str) -> Option<&Trigger> {
        self.triggers.iter().find(|trigger| trigger.event == name)
    }
}

impl Grant {
    /// What it grants of one part.
    pub(super) fn of(&self, scope: &str) -> Access {
        match self {
            Self::All(access) => *access,
            Self::Scopes(scopes) => scopes.get(scope).copied().unwrap_or(Access::None),
        }
    }
}

impl Access {
    /// As a workflow writes it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

impl Job {
    /// What people see it called: also the name of its check.
    pub(super) fn shown(&self) -> &str {
        self.name.as_ref().map_or(&self.id, |name| &name.text)
    }
}

impl Step {
    /// What the action is given as `working-directory`, and as `config` below that, by their paths in the repository.
    pub(super) fn paths(&self) -> Vec<String> {
        let known = |pair: &&Pair| !pair.value.trim().is_empty() && !is_expression(&pair.value);
        let folder = self.input("working-directory");
        if folder.is_some_and(|pair| is_expression(&pair.value)) {
            return Vec::new();
        }
        let folder = folder.map(|pair| root_of(&pair.value)).unwrap_or_default();
        let config = self.input("config").filter(known).map(|pair| {
            let separator = if folder.is_empty() { "" } else { "/" };
            root_of(&format!("{folder}{separator}{}", pair.value.trim()))
        });
        [(!folder.is_empty()).then_some(folder), config].into_iter().flatten().collect()
    }

    /// Sets an input, as lines of the step and as an edit where the step has lines for it.
    pub(super) fn set(&self, name: &str, value: &str) -> (Option<Edit>, Vec<String>) {
        let line = format!("{name}: {value}");
        if let Some(pair) = self.input(name) {
            return (pair.region.replaced(&[&line]), vec![line]);
        }
        let below = vec!["with:".to_owned(), format!("  {line}")];
        match (self.with.last(), self.keys.of("with")) {
            (Some(last), _) => (last.region.followed(&[&line]), vec![line]),
            (None, Some(with)) => (with.replaced(&below), below),
            (None, None) => (self.keys.of("uses").and_then(|uses| uses.followed(&below)), below),
        }
    }

    /// Takes out an input, and `with` together with its last one.
    pub(super) fn unset(&self, pair: &Pair) -> Option<Edit> {
        let only = self.with.len() == 1;
        if only { self.keys.of("with").and_then(Region::removed) } else { pair.region.removed() }
    }

    /// Takes the step out of its job.
    pub(super) fn removed(&self) -> Option<Edit> {
        let (_, first) = self.keys.0.first()?;
        let last = self.keys.0.iter().map(|(_, region)| region.to).max()?;
        let goes = first.is_whole() && first.dash().is_some();
        goes.then(|| Edit { from: first.from, to: last, lines: Vec::new() })
    }

    /// Puts a step before this one.
    pub(super) fn before<T: AsRef<str>>(&self, lines: &[T]) -> Option<Edit> {
        self.keys.0.first().and_then(|(_, first)| first.item_before(lines))
    }

    /// Puts a step after this one.
    pub(super) fn after<T: AsRef<str>>(&self, lines: &[T]) -> Option<Edit> {
        let last = self.keys.0.iter().map(|(_, region)| region.to).max()?;
        let edit = self.before(lines)?;
        Some(Edit { from: last + 1, to: last, ..edit })
    }

    /// The value of an input, if one is given. GitHub does not mind the case of its name.
    pub(super) fn input(&self, name: &str) -> Option<&Pair> {
        self.with.iter().find(|pair| pair.key.eq_ignore_ascii_case(name))
    }

    /// The repository and path of the action it uses, without the reference.
    pub(super) fn action(&self) -> Option<&str> {
        let uses = self.uses.as_ref()?.text.as_str();
        Some(uses.split('@').next().unwrap_or(uses))
    }

    /// It uses this action of GitHub's own.
    pub(super) fn is_action(&self, name: &str) -> bool {
        self.action().is_some_and(|action| action.eq_ignore_ascii_case(name))
    }
}

impl Workflow {
    /// What the runs of it are called.
    pub(super) fn shown(&self) -> &str {
        self.name.as_ref().map_or(&self.file, |name| &name.text)
    }

    /// The folders that its steps name as actions of the repository itself, as they are written.
    pub fn local_actions(&self) -> impl Iterator<Item = &str> {
        let steps = self.jobs.iter().flat_map(|job| &job.steps);
        let uses = steps.filter_map(|step| step.uses.as_ref().map(|uses| uses.text.as_str()));
        uses.filter(|uses| uses.starts_with("./"))
    }

    /// The folders that it names as the root of what is measured, where it names one that is known before it runs.
    pub fn folders(&self) -> BTreeSet<String> {
        let steps = || self.jobs.iter().flat_map(|job| &job.steps);
        let given = steps().filter_map(|step| step.input("working-directory"));
        let envs =
            steps().map(|step| &step.env).chain(self.jobs.iter().map(|job| &job.env)).chain([&self.env]);
        let variables = envs.flatten().filter(|pair| pair.key == "INPUT_WORKING-DIRECTORY");
        let named = given.chain(variables).map(|pair| pair.value.as_str());
        let named = named.chain(steps().filter_map(|step| step.folder.as_deref()));
        named.filter(|folder| !is_expression(folder)).map(root_of).collect()
    }

    /// The folders and configurations that it gives the action, by their paths in the repository.
    pub fn paths(&self) -> BTreeSet<String> {
        let steps = self.jobs.iter().flat_map(|job| &job.steps);
        steps.flat_map(Step::paths).collect()
    }

    /// A line of its text, from 1.
    pub(super) fn line(&self, number: usize) -> Option<&str> {
        number.checked_sub(1).and_then(|at| self.lines.get(at)).map(String::as_str)
    }

    /// Its text names us, in whatever place.
    pub(super) fn names_us(&self) -> bool {
        self.lines.iter().any(|line| line.to_ascii_lowercase().contains("rankhold"))
    }

    /// The first of these lines that has the word by itself, with another one in its place.
    pub(super) fn renamed(&self, region: &Region, from: &str, to: &str) -> Option<Edit> {
        (region.from..=region.to).find_map(|number| {
            let line = self.line(number)?;
            let place = word(line, from)?;
            let (before, rest) = line.split_at(place);
            let lines = vec![format!("{before}{to}{}", &rest[from.len()..])];
            Some(Edit { from: number, to: number, lines })
        })
    }

    /// Its text has a word on that line, a comment included.
    pub(super) fn line_has(&self, line: usize, word: &str) -> bool {
        self.line(line).is_some_and(|line| line.contains(word))
    }
}

/// The text holds an expression, so that it is known only when it runs.
pub(super) fn is_expression(text: &str) -> bool {
    text.contains("${{")
}

/// Where a word of its own begins on a line.
fn word(line: &str, word: &str) -> Option<usize> {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut places = line.match_indices(word).map(|(place, _)| place);
    places.find(|place| {
        let (before, rest) = line.split_at(*place);
        !before.ends_with(is_inside) && !rest[word.len()..].starts_with(is_inside)
    })
}
