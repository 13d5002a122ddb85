//! From a tree of values to a workflow. What GitHub refuses is refused by its line; what no check asks for is left alone.

use std::collections::BTreeMap;

use super::model::{
    Access, Concurrency, Filter, Grant, Job, Keys, On, Pair, Permissions, Said, Step, Trigger, Workflow,
};
use super::yaml::{self, Entry, Node, Refused, Value};
use super::{MAX_BYTES, Region};

impl Workflow {
    /// Reads the file of that path in the repository.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, Refused> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(Refused::at(1, format!("it is larger than {MAX_BYTES} bytes")));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = memchr::memchr_iter(b'\n', &bytes[..error.valid_up_to()]).count() + 1;
            Refused::at(line, "it is not UTF-8")
        })?;
        let text = text.trim_start_matches('\u{feff}');
        let root = yaml::read(text)?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        Reader { lines: &lines }
            .workflow(file, &root)
            .map(|workflow| Self { lines: lines.clone(), ..workflow })
    }
}

/// Which keys stand where.
struct Reader<'a> {
    lines: &'a [String],
}

impl Reader<'_> {
    fn workflow(&self, file: &str, root: &Node) -> Result<Workflow, Refused> {
        let top = map(root, "the workflow")?;
        let on = find(top, "on").ok_or_else(|| Refused::at(1, "`on` is missing: nothing starts it"))?;
        let jobs = find(top, "jobs").ok_or_else(|| Refused::at(1, "`jobs` is missing: nothing is done"))?;
        let jobs = map(&jobs.value, "`jobs`")?;
        Ok(Workflow {
            file: file.to_owned(),
            lines: Vec::new(),
            keys: self.keys(top),
            name: self.said(top, "name")?,
            on: self.on(on)?,
            permissions: self.permissions(top)?,
            concurrency: self.concurrency(top)?,
            env: self.pairs(top, "env")?,
            jobs: jobs.iter().map(|entry| self.job(entry)).collect::<Result<_, _>>()?,
        })
    }

    /// The lines of an entry.
    fn region(&self, entry: &Entry) -> Region {
        Region::new(self.lines, entry.line, entry.value.last, entry.column)
    }

    fn keys(&self, entries: &[Entry]) -> Keys {
        Keys(entries.iter().map(|entry| (entry.key.clone(), self.region(entry))).collect())
    }

    fn said(&self, entries: &[Entry], key: &str) -> Result<Option<Said>, Refused> {
        let Some(entry) = find(entries, key) else { return Ok(None) };
        let text = text(&entry.value, key)?.to_owned();
        Ok(Some(Said { text, region: self.region(entry) }))
    }

    fn on(&self, entry: &Entry) -> Result<On, Refused> {
        let region = self.region(entry);
        let plain =
            |event: &str| Trigger { event: event.to_owned(), region: region.clone(), filters: Vec::new() };
        let (triggers, is_map) = match &entry.value.value {
            Value::Map { entries, is_block } => {
                let events = entries.iter().map(|event| self.trigger(event));
                (events.collect::<Result<_, _>>()?, *is_block)
            }
            _ => (texts(&entry.value, "on")?.iter().map(|event| plain(event)).collect(), false),
        };
        Ok(On { region, triggers, is_map })
    }

    fn trigger(&self, entry: &Entry) -> Result<Trigger, Refused> {
        let filters = match &entry.value.value {
            Value::Map { .. } if entry.key == "schedule" => {
                return Err(Refused::at(entry.line, "`schedule` is a map where a list belongs"));
            }
            Value::Map { entries, .. } => {
                let filter = |filter: &Entry| {
                    // Inputs of `workflow_dispatch` and the like are maps: nothing that we ask for.
                    let values = texts(&filter.value, &filter.key).unwrap_or_default();
                    Filter { key: filter.key.clone(), values, region: self.region(filter) }
                };
                entries.iter().map(filter).collect()
            }
            // `schedule` is a list of maps.
            Value::List { .. } | Value::Text { is_nothing: true, .. } => Vec::new(),
            Value::Text { .. } => {
                let what = format!("`{}` has a text where its filters belong", entry.key);
                return Err(Refused::at(entry.line, what));
            }
        };
        Ok(Trigger { event: entry.key.clone(), region: self.region(entry), filters })
    }

    fn permissions(&self, entries: &[Entry]) -> Result<Option<Permissions>, Refused> {
        let Some(entry) = find(entries, "permissions") else { return Ok(None) };
        let grant = match &entry.value.value {
            Value::Text { is_nothing: true, .. } => Grant::Scopes(BTreeMap::new()),
            Value::Text { text, .. } => Grant::All(match text.as_str() {
                "read-all" => Access::Read,
                "write-all" => Access::Write,
                other => {
                    let what = format!("`permissions: {other}` is neither read-all nor write-all");
                    return Err(Refused::at(entry.line, what));
                }
            }),
            Value::Map { entries, .. } => Grant::Scopes(entries.iter().map(scope).collect::<Result<_, _>>()?),
            Value::List { .. } => return Err(Refused::at(entry.line, "`permissions` is a list")),
        };
        Ok(Some(Permissions { region: self.region(entry), grant }))
    }

    fn concurrency(&self, entries: &[Entry]) -> Result<Option<Concurrency>, Refused> {
        let Some(entry) = find(entries, "concurrency") else { return Ok(None) };
        let (group, cancel, queue) = match &entry.value.value {
            Value::Text { text, .. } => (text.clone(), None, None),
            Value::Map { entries, .. } => {
                let value = |key| {
                    find(entries, key).map(|entry| text(&entry.value, key).map(str::to_owned)).transpose()
                };
                (value("group")?.unwrap_or_default(), value("cancel-in-progress")?, value("queue")?)
            }
            Value::List { .. } => return Err(Refused::at(entry.line, "`concurrency` is a list")),
        };
        Ok(Some(Concurrency { region: self.region(entry), group, cancel, queue }))
    }

    fn job(&self, entry: &Entry) -> Result<Job, Refused> {
        let entries = map(&entry.value, &format!("the job `{}`", entry.key))?;
        let steps = match find(entries, "steps") {
            None => Vec::new(),
            Some(steps) => {
                let Value::List { items, .. } = &steps.value.value else {
                    let what = format!("`steps` is {} where a list belongs", steps.value.what());
                    return Err(Refused::at(steps.line, what));
                };
                items.iter().map(|item| self.step(item)).collect::<Result<_, _>>()?
            }
        };
        let strategy = find(entries, "strategy").map(|entry| &entry.value.value);
        let has_matrix =
            matches!(strategy, Some(Value::Map { entries, .. }) if find(entries, "matrix").is_some());
        Ok(Job {
            id: entry.key.clone(),
            line: entry.line,
            keys: self.keys(entries),
            name: self.said(entries, "name")?,
            condition: self.said(entries, "if")?,
            needs: find(entries, "needs")
                .map(|needs| texts(&needs.value, "needs"))
                .transpose()?
                .unwrap_or_default(),
            permissions: self.permissions(entries)?,
            concurrency: self.concurrency(entries)?,
            env: self.pairs(entries, "env")?,
            runner: find(entries, "runs-on").map(|runner| Filter {
                key: runner.key.clone(),
                values: texts(&runner.value, "runs-on").unwrap_or_default(),
                region: self.region(runner),
            }),
            has_matrix,
            matrix: strategy.map(matrix).unwrap_or_default(),
            calls: self.said(entries, "uses")?.map(|uses| uses.text),
            steps,
        })
    }

    fn step(&self, node: &Node) -> Result<Step, Refused> {
        let entries = map(node, "a step")?;
        let line = entries.first().map_or(node.line, |entry| entry.line);
        Ok(Step {
            line,
            keys: self.keys(entries),
            uses: self.said(entries, "uses")?,
            run: self.said(entries, "run")?,
            folder: self.said(entries, "working-directory")?.map(|folder| folder.text),
            condition: self.said(entries, "if")?,
            with: self.pairs(entries, "with")?,
            env: self.pairs(entries, "env")?,
        })
    }

    /// A map of texts under a key. An expression may stand for the whole of it, of which nothing is known then.
    fn pairs(&self, entries: &[Entry], key: &str) -> Result<Vec<Pair>, Refused> {
        let Some(entry) = find(entries, key) else { return Ok(Vec::new()) };
        match &entry.value.value {
            Value::Text { .. } => Ok(Vec::new()),
            Value::List { .. } => {
                let what = format!("`{key}` is a list where a map belongs");
                Err(Refused::at(entry.line, what))
            }
            Value::Map { entries, .. } => Ok(entries
                .iter()
                .map(|pair| Pair {
                    key: pair.key.clone(),
                    value: pair.value.text().unwrap_or_default().to_owned(),
                    region: self.region(pair),
                })
                .collect()),
        }
    }
}

/// The values of each key of a matrix, those of `include` among them. What an expression gives is not known.
fn matrix(strategy: &Value) -> BTreeMap<String, Vec<String>> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let Value::Map { entries, .. } = strategy else { return values };
    let Some(Value::Map { entries, .. }) = find(entries, "matrix").map(|matrix| &matrix.value.value) else {
        return values;
    };
    for entry in entries.iter().filter(|entry| entry.key != "exclude") {
        let Value::List { items, .. } = &entry.value.value else { continue };
        for item in items {
            match &item.value {
                Value::Text { text, .. } => values.entry(entry.key.clone()).or_default().push(text.clone()),
                Value::Map { entries, .. } if entry.key == "include" => {
                    for own in entries {
                        let text = own.value.text().map(str::to_owned);
                        values.entry(own.key.clone()).or_default().extend(text);
                    }
                }
                _ => {}
            }
        }
    }
    values
}

fn scope(entry: &Entry) -> Result<(String, Access), Refused> {
    let access = match text(&entry.value, &entry.key)? {
        "none" => Access::None,
        "read" => Access::Read,
        "write" => Access::Write,
        other => {
            let what = format!("`{}: {other}` is none of read, write, none", entry.key);
            return Err(Refused::at(entry.line, what));
        }
    };
    Ok((entry.key.clone(), access))
}

fn find<'a>(entries: &'a [Entry], key: &str) -> Option<&'a Entry> {
    entries.iter().find(|entry| entry.key == key)
}

fn map<'a>(node: &'a Node, what: &str) -> Result<&'a [Entry], Refused> {
    match &node.value {
        Value::Map { entries, .. } => Ok(entries),
        _ => Err(Refused::at(node.line, format!("{what} is {} where a map belongs", node.what()))),
    }
}

fn text<'a>(node: &'a Node, key: &str) -> Result<&'a str, Refused> {
    node.text()
        .ok_or_else(|| Refused::at(node.line, format!("`{key}` is {} where a text belongs", node.what())))
}

/// A text or a list of texts.
fn texts(node: &Node, key: &str) -> Result<Vec<String>, Refused> {
    match &node.value {
        Value::List { items, .. } => {
            items.iter().map(|item| text(item, key).map(str::to_owned)).collect::<Result<_, _>>()
        }
        _ if node.is_nothing() => Ok(Vec::new()),
        _ => Ok(vec![text(node, key)?.to_owned()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Workflow {
        Workflow::read("w.yml", text.as_bytes()).unwrap()
    }

    #[test]
    fn every_form_of_on_gives_the_same_events() {
        for on in [
            "[push, pull_request]",
            "{push: , pull_request: }",
            "\n  push:\n  pull_request:",
            "\n  - push\n  - pull_request",
        ] {
            let workflow = read(&format!("on: {on}\njobs: {{}}\n"));
            let events: Vec<_> = workflow.on.triggers.iter().map(|it| it.event.as_str()).collect();
            assert_eq!(events, ["push", "pull_request"], "{on}");
        }
        assert!(read("'on': push\njobs: {}\n").on.event("push").is_some());
    }

    #[test]
    fn steps_may_come_by_alias() {
        let workflow = read(
            "on: push\njobs:\n  a:\n    steps: &steps\n      - uses: x@y\n        with: {b: 1}\n  b:\n    steps: *steps\n",
        );
        assert_eq!(workflow.jobs[1].steps[0].input("B").unwrap().value, "1");
        assert_eq!(workflow.jobs[1].steps[0].line, 5);
    }

    #[test]
    fn what_github_refuses_is_refused_by_its_line() {
        for (text, line, what) in [
            ("on: push\njobs: []\n", 2, "`jobs` is a list"),
            ("jobs: {}\n", 1, "`on` is missing"),
            ("on: push\n", 1, "`jobs` is missing"),
            ("on: push\njobs:\n  a: x\n", 3, "the job `a` is a text"),
            ("on: push\njobs:\n  a:\n    steps: x\n", 4, "`steps` is a text"),
            ("on: push\njobs:\n  a:\n    steps:\n      - x\n", 5, "a step is a text"),
            ("on: push\njobs:\n  a:\n    permissions: all\n", 4, "neither read-all nor write-all"),
            ("on: push\njobs:\n  a:\n    permissions:\n      checks: yes\n", 5, "none of read, write, none"),
            ("on: push\njobs:\n  a:\n    steps:\n      - with: [a]\n", 5, "`with` is a list"),
            ("on: push\njobs:\n  a:\n    name: [a]\n", 4, "`name` is a list"),
            ("on:\n  push: x\njobs: {}\n", 2, "where its filters belong"),
            ("on:\n  schedule:\n    cron: 1 2 3 4 5\njobs: {}\n", 2, "`schedule` is a map"),
            ("- a\n", 1, "the workflow is a list"),
        ] {
            let refused = Workflow::read("w.yml", text.as_bytes()).unwrap_err();
            assert!(refused.line == line && refused.what.contains(what), "{text}: {refused:?}");
        }
        let refused = Workflow::read("w.yml", b"on: push\n\xff").unwrap_err();
        assert_eq!((refused.line, refused.what.as_str()), (2, "it is not UTF-8"));
        let large = vec![b'#'; usize::try_from(MAX_BYTES).unwrap() + 1];
        assert!(Workflow::read("w.yml", &large).unwrap_err().what.contains("larger than"));
    }
}
