//! Which jobs use rankhold, and what each of their steps does with it.

use super::model::{Job, Pair as Entry, Permissions, Step, Trigger, Workflow};
use super::{Facts, Pair, yaml};

/// The event of a comment below an issue or a pull request.
pub(super) const COMMENT: &str = "issue_comment";

/// The events that bring a verdict to a pull request.
pub(super) const PULL_REQUESTS: [&str; 3] = ["pull_request", "pull_request_target", "workflow_run"];

/// What a folder of the repository is, if it is an action of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Local {
    /// The action.
    Action,
    /// The one that measures beside the tools of the field.
    Full,
    /// The one that puts the program on the runner's path.
    Setup,
}

impl Local {
    /// What an `action.yml` is, by the name it gives itself.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let root = yaml::read(std::str::from_utf8(bytes).ok()?).ok()?;
        let yaml::Value::Map { entries, .. } = &root.value else { return None };
        match entries.iter().find(|entry| entry.key == "name")?.value.text()? {
            "Rankhold" => Some(Self::Action),
            "Rankhold with the systems of the field" => Some(Self::Full),
            "Set up Rankhold" => Some(Self::Setup),
            _ => None,
        }
    }
}

/// How a step uses rankhold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `uses:` the action, in its container.
    Action,
    /// `uses:` its `full`: without a token, in a container that has the tools of the field.
    Full,
    /// `uses:` its `setup`.
    Setup,
    /// `run: rankhold action`, on the runner.
    RunAction,
    /// `run: rankhold run` or `gate` with these arguments, on the runner.
    Run(Vec<String>),
}

/// A step that uses rankhold.
#[derive(Debug)]
pub(super) struct OurStep<'a> {
    /// The step.
    pub step: &'a Step,
    /// Its place among the steps of its job, from 0.
    pub at: usize,
    /// How.
    pub kind: Kind,
    /// It has a token, and writes check and comment.
    pub publishes: bool,
    /// It measures, and does not only take what others measured.
    pub measures: bool,
    /// What of that runs a program.
    pub programs: Vec<Pair>,
}

/// A job with such steps.
#[derive(Debug)]
pub(super) struct OurJob<'a> {
    /// Its workflow.
    pub workflow: &'a Workflow,
    /// The job.
    pub job: &'a Job,
    /// Its steps that use rankhold; at least one.
    pub steps: Vec<OurStep<'a>>,
    /// It answers the commands in comments: it neither measures nor publishes what was measured.
    pub answers: bool,
    /// What starts it.
    starts: Starts<'a>,
}

/// What starts a workflow: its own events, and of a called one those of the workflows that call it.
#[derive(Clone, Debug)]
struct Starts<'a> {
    triggers: Vec<&'a Trigger>,
    /// Nobody here calls it, so that any event may.
    is_unknown: bool,
}

/// The event of a workflow that another one calls.
const CALL: &str = "workflow_call";

impl<'a> Starts<'a> {
    /// Follows calls from file to file; a circle of them, which GitHub refuses, starts nothing.
    fn of(workflow: &'a Workflow, all: &'a [Workflow]) -> Self {
        let mut starts = Self { triggers: Vec::new(), is_unknown: false };
        let (mut seen, mut next) = (Vec::new(), vec![workflow]);
        while let Some(workflow) = next.pop() {
            if seen.contains(&workflow.file.as_str()) {
                continue;
            }
            seen.push(&workflow.file);
            let own = workflow.on.triggers.iter();
            starts.triggers.extend(own.filter(|trigger| trigger.event != CALL));
            if workflow.on.event(CALL).is_none() {
                continue;
            }
            let calls = |job: &Job| {
                job.calls.as_deref().and_then(|uses| uses.strip_prefix("./")) == Some(&workflow.file)
            };
            let callers: Vec<_> = all.iter().filter(|caller| caller.jobs.iter().any(calls)).collect();
            starts.is_unknown |= callers.is_empty();
            next.extend(callers);
        }
        starts
    }
}

impl<'a> OurJob<'a> {
    /// The job, if it uses rankhold.
    pub(super) fn of(
        workflow: &'a Workflow,
        job: &'a Job,
        all: &'a [Workflow],
        facts: &Facts,
    ) -> Option<Self> {
        let starts = Starts::of(workflow, all);
        let of_run =
            !starts.is_unknown && starts.triggers.iter().all(|trigger| trigger.event == "workflow_run");
        let steps = job.steps.iter().enumerate();
        let mut steps: Vec<_> =
            steps.filter_map(|(at, step)| OurStep::of(at, step, job, workflow, of_run, facts)).collect();
        let answers = is_for_comments(&starts, job) && steps.iter().any(OurStep::acts);
        if answers {
            let nothing = |step: OurStep<'a>| OurStep {
                publishes: false,
                measures: false,
                programs: Vec::new(),
                ..step
            };
            steps = steps.into_iter().map(nothing).collect();
        }
        (!steps.is_empty()).then_some(Self { workflow, job, steps, answers, starts })
    }

    /// The first step that acts on the event.
    pub(super) fn acting(&self) -> Option<&OurStep<'a>> {
        self.steps.iter().find(|step| step.acts())
    }

    /// Its token writes a verdict.
    pub(super) fn publishes(&self) -> bool {
        self.steps.iter().any(|step| step.publishes)
    }

    /// Something is measured in it.
    pub(super) fn measures(&self) -> bool {
        self.steps.iter().any(|step| step.measures)
    }

    /// The first step that does something: `setup` alone does nothing.
    pub(super) fn first(&self) -> Option<&OurStep<'a>> {
        self.steps.iter().find(|step| step.kind != Kind::Setup)
    }

    /// What a step of its gives the action as that input: under `with`, or as the variable of a program on the runner.
    pub(super) fn given(&self, step: &OurStep<'a>, name: &str) -> Option<&'a Entry> {
        match step.kind {
            Kind::Action | Kind::Full => step.step.input(name),
            Kind::RunAction => {
                let variable = format!("INPUT_{}", name.to_uppercase());
                let envs = [&step.step.env, &self.job.env, &self.workflow.env];
                envs.into_iter().flatten().find(|pair| pair.key == variable)
            }
            Kind::Setup | Kind::Run(_) => None,
        }
    }

    /// The programs that it measures where there are some: the action's own container has none.
    pub(super) fn programs_that_run(&self) -> impl Iterator<Item = &Pair> {
        self.steps.iter().filter(|step| step.kind != Kind::Action).flat_map(|step| &step.programs)
    }

    /// What decides about its token: its own `permissions` replace the workflow's as a whole.
    pub(super) fn permissions(&self) -> Option<&'a Permissions> {
        self.job.permissions.as_ref().or(self.workflow.permissions.as_ref())
    }

    /// Nothing but the default branch starts it: none of its events is about a pull request.
    pub(super) fn is_of_default_branch(&self) -> bool {
        let about_no_tree =
            |trigger: &Trigger| ["push", "schedule", "workflow_dispatch"].contains(&trigger.event.as_str());
        !self.starts_are_unknown() && self.triggers().all(about_no_tree)
    }

    /// The event starts its workflow, or one that calls it.
    pub(super) fn on(&self, event: &str) -> bool {
        self.triggers().any(|trigger| trigger.event == event)
    }

    /// Every event that is known to start it.
    pub(super) fn triggers(&self) -> impl Iterator<Item = &'a Trigger> {
        self.starts.triggers.iter().copied()
    }

    /// Other events may start it than are known here, as workflows of other repositories may call it.
    pub(super) fn starts_are_unknown(&self) -> bool {
        self.starts.is_unknown
    }

    /// Another workflow calls its.
    pub(super) fn is_called(&self) -> bool {
        self.workflow.on.event(CALL).is_some()
    }
}

impl<'a> OurStep<'a> {
    fn of(
        at: usize,
        step: &'a Step,
        job: &Job,
        workflow: &Workflow,
        of_run: bool,
        facts: &Facts,
    ) -> Option<Self> {
        let kind = kind(step, facts)?;
        let variable = |name: &str| {
            let envs = [&step.env, &job.env, &workflow.env];
            let pair = envs.into_iter().find_map(|env| env.iter().find(|pair| pair.key == name));
            pair.map(|pair| pair.value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let input = |name: &str| match kind {
            Kind::Action | Kind::Full => {
                step.input(name).map(|pair| pair.value.trim().to_owned()).filter(|value| !value.is_empty())
            }
            _ => variable(&format!("INPUT_{}", name.to_uppercase())),
        };
        let holds_token = match kind {
            // Its default is the job's own token, and only the empty text is none.
            Kind::Action => step.input("token").is_none_or(|token| !token.value.trim().is_empty()),
            Kind::RunAction => input("token").is_some(),
            Kind::Full | Kind::Setup | Kind::Run(_) => false,
        };
        let measures = match &kind {
            // A table of systems is nothing that another job takes.
            Kind::Full => input("compare").is_none(),
            Kind::Action | Kind::RunAction => input("result").is_none(),
            Kind::Run(arguments) => arguments.first().is_some_and(|command| command == "run"),
            Kind::Setup => false,
        };
        // What another run left is published there, and embedded retrievers alone are measured again.
        let takes_artifact = holds_token && of_run;
        let programs = if (measures || kind == Kind::Full) && !takes_artifact {
            programs(&kind, step, &input, facts)
        } else {
            Vec::new()
        };
        Some(Self { step, at, kind, publishes: holds_token, measures, programs })
    }

    /// It does what the event asks for.
    pub(super) fn acts(&self) -> bool {
        match self.kind {
            Kind::Action | Kind::RunAction => true,
            Kind::Full => self.measures,
            Kind::Setup | Kind::Run(_) => false,
        }
    }

    /// It `uses` an action of ours.
    pub(super) fn is_used(&self) -> bool {
        match self.kind {
            Kind::Action | Kind::Full | Kind::Setup => true,
            Kind::RunAction | Kind::Run(_) => false,
        }
    }

    /// The input's text, if it is given and known before it runs.
    pub(super) fn input(&self, name: &str) -> Option<&'a str> {
        let value = self.step.input(name)?.value.trim();
        (!value.is_empty() && !super::model::is_expression(value)).then_some(value)
    }
}

/// Comments alone start the job.
fn is_for_comments(starts: &Starts<'_>, job: &Job) -> bool {
    if !starts.triggers.iter().any(|trigger| trigger.event == COMMENT) {
        return false;
    }
    let is_only = !starts.is_unknown && starts.triggers.iter().all(|trigger| trigger.event == COMMENT);
    let condition = job.condition.as_ref().map(|said| said.text.as_str()).unwrap_or_default();
    let names_it = ["issue_comment", "event.comment", "event.issue"].iter().any(|it| condition.contains(it));
    is_only || (names_it && !condition.contains("!= 'issue_comment'"))
}

/// How a step uses rankhold, if it does.
fn kind(step: &Step, facts: &Facts) -> Option<Kind> {
    if let Some(run) = &step.run {
        let arguments = called(&run.text)?;
        let is_action = arguments.first().is_some_and(|command| command == "action");
        return Some(if is_action { Kind::RunAction } else { Kind::Run(arguments) });
    }
    let uses = step.uses.as_ref()?.text.as_str();
    if uses.starts_with("./") {
        return facts.local.get(uses).map(|local| match local {
            Local::Action => Kind::Action,
            Local::Full => Kind::Full,
            Local::Setup => Kind::Setup,
        });
    }
    if let Some(image) = uses.strip_prefix("docker://") {
        let image = image.split('@').next().unwrap_or(image);
        let name = image.rsplit('/').next().unwrap_or(image);
        return (name.split(':').next() == Some("rankhold")).then_some(Kind::Action);
    }
    let mut parts = uses.split('@').next().unwrap_or(uses).split('/').skip(1);
    let is_ours = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("rankhold"));
    match parts.collect::<Vec<_>>().as_slice() {
        [] if is_ours => Some(Kind::Action),
        ["full"] if is_ours => Some(Kind::Full),
        ["setup"] if is_ours => Some(Kind::Setup),
        _ => None,
    }
}

/// The command and arguments of the first call of rankhold in a script that measures, judges or publishes.
fn called(script: &str) -> Option<Vec<String>> {
    let script = script.replace("\\\n", " ");
    let code = |line: &&str| !line.trim_start().starts_with('#');
    let lines = script.lines().filter(code).map(|line| line.split(" #").next().unwrap_or(line));
    lines.flat_map(|line| line.split([';', '|', '&', '(', ')', '`'])).find_map(|command| {
        let mut words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        let is_program = |word: &str| {
            let name = word.rsplit('/').next().unwrap_or(word);
            name == "rankhold" || name == "rankhold.exe"
        };
        words.find(|word| is_program(word))?;
        let mut words = words.peekable();
        while let Some(flag) = words.next_if(|word| word.starts_with('-')) {
            if ["--config", "--repo", "--color", "--threads"].contains(&flag) {
                words.next();
            }
        }
        let command = words.next_if(|word| ["action", "run", "gate"].contains(word))?.to_owned();
        Some(std::iter::once(command).chain(words.map(str::to_owned)).collect())
    })
}

/// What of the configuration a measuring step runs as a program. Of another folder or configuration nothing is known.
fn programs(kind: &Kind, step: &Step, input: &dyn Fn(&str) -> Option<String>, facts: &Facts) -> Vec<Pair> {
    let list = |name: &str| {
        let text = input(name).filter(|text| !super::model::is_expression(text));
        text.map(|text| split(&text))
    };
    let folder = match kind {
        Kind::Run(_) => step.folder.clone(),
        _ => input("working-directory"),
    };
    let folder = root_of(folder.as_deref().unwrap_or_default());
    let Some((pairs, known)) = facts.programs_of(&folder).filter(|_| input("config").is_none()) else {
        return Vec::new();
    };
    let (suites, retrievers) = match kind {
        Kind::Run(arguments) => (None, flag(arguments, "--retriever").map(split)),
        _ => (list("suites"), list("retrievers")),
    };
    let mut programs = pairs.to_vec();
    if let Some(retrievers) = retrievers {
        let named = retrievers.into_iter().filter(|name| known.contains(name));
        programs = named.map(|retriever| Pair { suite: String::new(), retriever }).collect();
    } else if let Some(suites) = suites {
        // A suite may be named by its path, which says nothing here: whatever is configured counts then.
        let is_name = |suite: &String| pairs.iter().any(|pair| pair.suite == *suite);
        if suites.iter().all(|suite| is_name(suite) || !suite.contains(['/', '.'])) {
            programs.retain(|pair| suites.contains(&pair.suite));
        }
    }
    programs
}

/// A folder as the facts call it: empty for the repository itself.
pub(super) fn root_of(folder: &str) -> String {
    let name = crate::name::Name::new(folder);
    if name.as_str() == "." { String::new() } else { name.to_string() }
}

fn split(text: &str) -> Vec<String> {
    text.split([',', '\n']).map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// The value of a flag of a command line.
fn flag<'a>(arguments: &'a [String], name: &str) -> Option<&'a str> {
    let at = arguments.iter().position(|word| word.split('=').next() == Some(name))?;
    match arguments[at].split_once('=') {
        Some((_, value)) => Some(value),
        None => arguments.get(at + 1).map(String::as_str),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_found_wherever_a_script_makes_it() {
        for (script, expected) in [
            ("rankhold action", Some("action")),
            ("target/debug/rankhold -q --config x.toml run --json > out", Some("run")),
            ("set -e\ncd x && \"$BIN/rankhold\" gate a b", Some("gate")),
            ("rankhold \\\n  run docs", Some("run")),
            ("verdict=$(rankhold run)", Some("run")),
            ("cargo install --git https://github.com/rankhold/rankhold rankhold", None),
            ("# rankhold run", None),
            ("echo done # rankhold run", None),
            ("rankhold doctor --workflow", None),
            ("rankhold", None),
            ("myrankhold run", None),
        ] {
            let found = called(script).map(|arguments| arguments[0].clone());
            assert_eq!(found.as_deref(), expected, "{script}");
        }
        assert_eq!(flag(&called("rankhold run --retriever=a,b").unwrap(), "--retriever"), Some("a,b"));
        assert_eq!(flag(&called("rankhold run --retriever a").unwrap(), "--retriever"), Some("a"));
    }

    #[test]
    fn actions_are_told_by_their_repository_s_name() {
        let facts = Facts { local: [("./".to_owned(), Local::Action)].into(), ..Facts::default() };
        let kind_of = |uses: &str| {
            let text = format!("on: push\njobs:\n  a:\n    steps:\n      - uses: {uses}\n");
            let workflow = Workflow::read("w.yml", text.as_bytes()).unwrap();
            kind(&workflow.jobs[0].steps[0], &facts)
        };
        for (uses, expected) in [
            ("rankhold/rankhold@main", Some(Kind::Action)),
            ("somebody/Rankhold@v1", Some(Kind::Action)),
            ("somebody/rankhold/setup@v1", Some(Kind::Setup)),
            ("somebody/rankhold/full@v1", Some(Kind::Full)),
            ("docker://ghcr.io/rankhold/rankhold:v1", Some(Kind::Action)),
            ("./", Some(Kind::Action)),
            ("./other", None),
            ("rankhold/other@v1", None),
            ("a/rankhold/other@v1", None),
            ("actions/checkout@v6", None),
        ] {
            assert_eq!(kind_of(uses), expected, "{uses}");
        }
    }
}
