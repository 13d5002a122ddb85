//! A repository on the stand-in, checkouts of its commits, and the program run as a runner runs it.

#![expect(clippy::disallowed_methods, reason = "a runner writes files and starts the program")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rankhold::github::{Patience, Sha, Token, endpoint};
use serde_json::{Value, json};

use super::fake::graph::Entry;
use super::fake::world::{Check, Run};
use super::fake::{COMMAND, FORK, Fake, IMPATIENT, PUBLISH};
use crate::program::{Ran, Tree, program, scrubbed, suite};

/// The repository on the stand-in.
pub(crate) const REPOSITORY: &str = "ada/garden";

/// The workflow whose results are published for forks.
pub(crate) const MEASURES: &str = ".github/workflows/rankhold-measure.yml";

/// The suite's cases: each finds its page first.
pub(crate) const CASES: &[(&str, &str, &str)] = &[
    ("roses", "how to prune roses in winter", "docs/roses.md"),
    ("beans", "sow runner beans after frost", "docs/beans.md"),
    ("compost", "turn the compost heap", "docs/compost.md"),
    ("slugs", "keep slugs away from lettuce", "docs/slugs.md"),
];

/// Its pages.
fn pages() -> Vec<(&'static str, &'static str)> {
    vec![
        ("docs/roses.md", "# Roses\n\nHow to prune roses in winter: above a bud.\n"),
        ("docs/beans.md", "# Beans\n\nSow runner beans after frost, two by two.\n"),
        ("docs/compost.md", "# Compost\n\nTurn the compost heap once a month.\n"),
        ("docs/slugs.md", "# Slugs\n\nKeep slugs away from lettuce with sand.\n"),
    ]
}

/// What buries the page on beans.
pub(crate) fn burying() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = (0..4)
        .map(|at| (format!("docs/noise{at}.md"), "# Sow runner beans after frost\n\nSow runner beans after frost. Sow runner beans after frost.\n".to_owned()))
        .collect();
    files.push(("docs/beans.md".to_owned(), "# Beans\n\nNothing.\n".to_owned()));
    files
}

/// Files as a commit takes them.
pub(crate) fn texts(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

/// A stand-in with a repository of a suite, with or without its baseline.
pub(crate) struct Stage {
    pub(crate) fake: Fake,
    /// May publish.
    pub(crate) publisher: Token,
    /// Only reads, as a fork's.
    pub(crate) reader: Token,
}

/// How a step ended, and what it left for later ones.
pub(crate) struct Ended {
    pub(crate) ran: Ran,
    pub(crate) outputs: BTreeMap<String, String>,
    pub(crate) summary: String,
    pub(crate) state: BTreeMap<String, String>,
    /// The files under the runner's temporary folder.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// The remarks that the runner shows at lines.
    pub(crate) remarks: Vec<Remark>,
}

/// A workflow command as a runner reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    /// `error` or `warning`.
    pub(crate) word: String,
    pub(crate) properties: BTreeMap<String, String>,
    pub(crate) message: String,
}

impl Stage {
    /// Without a baseline.
    pub(crate) fn new() -> Self {
        let fake = Fake::start();
        let (publisher, reader) = fake.with(|world| {
            let root = world.repository(REPOSITORY);
            let suite = suite("Garden", CASES);
            let mut files = pages();
            files.push(("suites/garden.json", &suite));
            let first = world.commit(&root, &files);
            world.push(REPOSITORY, "main", &first);
            (world.workflow_token(REPOSITORY, PUBLISH), world.workflow_token(REPOSITORY, FORK))
        });
        Self { fake, publisher, reader }
    }

    /// With the baseline of what main is.
    pub(crate) fn approved() -> Self {
        let stage = Self::new();
        stage.approve_main();
        stage
    }

    /// Another one that remembers the same so far.
    pub(crate) fn copy(&self) -> Self {
        Self { fake: self.fake.copy(), publisher: self.publisher.clone(), reader: self.reader.clone() }
    }

    /// Commits to main what an approval of main records.
    pub(crate) fn approve_main(&self) {
        let tip = self.tip("main");
        let checkout = self.checkout(&tip);
        checkout.run("approve --by ada").ends(0);
        let text = checkout.read("baselines/garden.bm25.json");
        self.commit("main", &[("baselines/garden.bm25.json", &text)]);
    }

    pub(crate) fn tip(&self, branch: &str) -> Sha {
        self.fake.with(|world| world.tip(REPOSITORY, branch))
    }

    /// A commit on a branch, which starts at main if there is none.
    pub(crate) fn commit(&self, branch: &str, files: &[(&str, &str)]) -> Sha {
        self.fake.with(|world| {
            let known = world.repo(REPOSITORY).branches.contains_key(branch);
            let on = world.tip(REPOSITORY, if known { branch } else { "main" });
            let commit = world.commit(&on, files);
            world.push(REPOSITORY, branch, &commit);
            commit
        })
    }

    /// A pull request of a branch with these files changed.
    pub(crate) fn pull(&self, branch: &str, files: &[(&str, &str)]) -> u64 {
        self.commit(branch, files);
        self.fake.with(|world| world.pull(REPOSITORY, branch, "main"))
    }

    /// The pull request that buries a page.
    pub(crate) fn losing_pull(&self) -> u64 {
        self.pull("topic", &texts(&burying()))
    }

    /// The pull request of a fork's branch `patch` that buries a page.
    pub(crate) fn fork_pull(&self) -> u64 {
        self.fork_pull_of(&burying())
    }

    /// That with these files changed.
    pub(crate) fn fork_pull_of(&self, files: &[(String, String)]) -> u64 {
        self.fake.with(|world| {
            world.fork(REPOSITORY, "mallory/garden");
            let head = world.commit(&world.tip(REPOSITORY, "main"), &texts(files));
            world.push("mallory/garden", "patch", &head);
            world.pull(REPOSITORY, "mallory/garden:patch", "main")
        })
    }

    /// The step that publishes what a run of a fork's branch `patch` left; the run may be another one than ours.
    pub(crate) fn publishing(
        &self,
        pull: u64,
        files: &BTreeMap<String, Vec<u8>>,
        change: impl FnOnce(&mut Run),
    ) -> Step<'_> {
        let run = self.fake.with(|world| {
            let run = world.run(REPOSITORY, "pull_request", MEASURES, "mallory/garden:patch");
            change(world.run_mut(REPOSITORY, run));
            world.artifact(REPOSITORY, run, "rankhold", &packed(files));
            run
        });
        let repository = REPOSITORY.parse().unwrap();
        let payload = json!({
            "action": "completed",
            "workflow_run": self.ask(&endpoint::run(&repository, run)),
            "repository": self.ask(&endpoint::repository(&repository)),
        });
        let step = Step::new(self, "workflow_run", payload, self.checkout(&self.head(pull)));
        step.with("GITHUB_RUN_ID", run.to_string())
    }

    /// The commit that merges a pull request into main, as a merge queue makes one.
    pub(crate) fn group(&self, pull: u64) -> Sha {
        let (main, head) = (self.tip("main"), self.head(pull));
        self.fake.with(|world| world.merge_commit(&main, &head))
    }

    /// The step on a group of the merge queue.
    pub(crate) fn queued(&self, group: &Sha) -> Step<'_> {
        let payload = json!({
            "action": "checks_requested",
            "repository": self.ask(&endpoint::repository(&REPOSITORY.parse().unwrap())),
            "merge_group": {
                "head_sha": group, "head_ref": "refs/heads/gh-readonly-queue/main/pr-1",
                "base_sha": self.tip("main"), "base_ref": "refs/heads/main",
            },
        });
        Step::new(self, "merge_group", payload, self.checkout(group))
    }

    /// The step of the workflow that reads comments, after somebody wrote one below a pull request.
    pub(crate) fn said(&self, pull: u64, login: &str, body: &str) -> Step<'_> {
        let id = self.fake.with(|world| world.comment(REPOSITORY, pull, login, body));
        self.heard(pull, id)
    }

    /// The same after a comment that is there.
    pub(crate) fn heard(&self, pull: u64, comment: u64) -> Step<'_> {
        let repository = REPOSITORY.parse().unwrap();
        let payload = json!({
            "action": "created",
            "issue": { "number": pull, "pull_request": { "url": "https://github.invalid/" } },
            "comment": self.ask(&endpoint::comment(&repository, comment)),
            "repository": self.ask(&endpoint::repository(&repository)),
        });
        let token = self.fake.with(|world| world.workflow_token(REPOSITORY, COMMAND));
        // The workflow checks nothing out.
        Step::new(self, "issue_comment", payload, Tree::new(&[])).token(Some(&token))
    }

    /// The default branch has a workflow that reads comments.
    pub(crate) fn listens(self) -> Self {
        self.commit("main", &[(".github/workflows/rankhold-command.yml", "name: rankhold command\n")]);
        self
    }

    /// The one report below a pull request.
    pub(crate) fn report(&self, pull: u64) -> String {
        let marked = |body: &String| body.trim_end().ends_with("<!-- rankhold:report -->");
        let reports: Vec<_> = self.comments(pull).into_iter().filter(marked).collect();
        let [report] = reports.try_into().unwrap();
        report
    }

    /// The token that the report of a pull request shows.
    pub(crate) fn shown_token(&self, pull: u64) -> String {
        let comment = self.report(pull);
        let (_, rest) = comment.split_once("/rankhold approve ").unwrap_or_else(|| panic!("{comment}"));
        rest.chars().take(32).collect()
    }

    /// The step on a push to a branch.
    pub(crate) fn pushed(&self, branch: &str) -> Step<'_> {
        let payload = json!({
            "ref": format!("refs/heads/{branch}"), "after": self.tip(branch), "deleted": false,
            "repository": self.ask(&endpoint::repository(&REPOSITORY.parse().unwrap())),
        });
        Step::new(self, "push", payload, self.checkout(&self.tip(branch)))
    }

    /// The files of a commit, as actions/checkout leaves them.
    pub(crate) fn checkout(&self, commit: &Sha) -> Tree {
        let files = self.fake.with(|world| world.graph.tree(commit).clone());
        let tree = Tree::new(&[]);
        for (path, entry) in files {
            if let Entry::File(bytes) = entry {
                tree.write(&path, bytes);
            }
        }
        tree.write(".git/HEAD", format!("{commit}\n"));
        tree
    }

    /// The head of a pull request.
    pub(crate) fn head(&self, pull: u64) -> Sha {
        self.fake.with(|world| world.repo(REPOSITORY).pulls[&pull].head_sha.clone())
    }

    /// What GitHub says of something, for a payload.
    pub(crate) fn ask(&self, call: &rankhold::github::Call) -> Value {
        let call = call.clone();
        self.fake.block_on(async |fake| fake.client(&self.publisher).json::<Value>(&call).await).unwrap()
    }

    /// The payload of what happened to a pull request.
    pub(crate) fn pull_payload(&self, action: &str, pull: u64) -> Value {
        let repository = REPOSITORY.parse().unwrap();
        json!({
            "action": action,
            "number": pull,
            "pull_request": self.ask(&endpoint::pull(&repository, pull)),
            "repository": self.ask(&endpoint::repository(&repository)),
        })
    }

    /// Reviews a pull request as its workflow does: head checked out, publishing token.
    pub(crate) fn review(&self, pull: u64) -> Ended {
        self.step(pull).run()
    }

    /// A step on a pull request, to be changed before it runs.
    pub(crate) fn step(&self, pull: u64) -> Step<'_> {
        let payload = self.pull_payload("synchronize", pull);
        Step::new(self, "pull_request", payload, self.checkout(&self.head(pull)))
    }

    /// The one verdict on a commit: conclusion, title, summary. Each workflow run has a check run, and all say the same.
    pub(crate) fn verdict(&self, commit: &Sha) -> (String, String, String) {
        self.fake.with(|world| {
            let says = |check: &&Check| {
                assert!(check.name.starts_with("rankhold/verdict"), "{}", check.name);
                (
                    check.conclusion.clone().unwrap_or_else(|| check.status.clone()),
                    check.title.clone().unwrap_or_default(),
                    check.summary.clone().unwrap_or_default(),
                )
            };
            let all: std::collections::BTreeSet<_> =
                world.checks(REPOSITORY, commit).iter().map(says).collect();
            let mut all: Vec<_> = all.into_iter().collect();
            assert_eq!(all.len(), 1, "{all:#?}");
            all.remove(0)
        })
    }

    /// Texts of the comments of a pull request.
    pub(crate) fn comments(&self, pull: u64) -> Vec<String> {
        self.fake.with(|world| {
            world.comments(REPOSITORY, pull).into_iter().map(|comment| comment.body.clone()).collect()
        })
    }
}

/// One step of a workflow.
pub(crate) struct Step<'a> {
    stage: &'a Stage,
    event: &'static str,
    payload: Value,
    pub(crate) checkout: Tree,
    token: Option<Token>,
    variables: BTreeMap<String, String>,
    page: String,
}

impl<'a> Step<'a> {
    pub(crate) fn new(stage: &'a Stage, event: &'static str, payload: Value, checkout: Tree) -> Self {
        let variables = [
            ("GITHUB_RUN_ID", "100"),
            ("GITHUB_RUN_ATTEMPT", "1"),
            ("GITHUB_REPOSITORY", REPOSITORY),
            ("GITHUB_ACTOR", "ada"),
            ("GITHUB_SERVER_URL", "https://github.example"),
        ];
        let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            stage,
            event,
            payload,
            checkout,
            token: Some(stage.publisher.clone()),
            variables: variables.collect(),
            page: String::new(),
        }
    }

    /// An earlier command of the step wrote that on the run's page.
    pub(crate) fn after(self, page: String) -> Self {
        Self { page, ..self }
    }

    /// Something else happened: `edited`, `deleted`.
    pub(crate) fn action(mut self, word: &str) -> Self {
        self.payload["action"] = json!(word);
        self
    }

    /// A variable that is set.
    pub(crate) fn variable(&self, name: &str) -> &str {
        &self.variables[name]
    }

    /// The event's payload.
    pub(crate) fn payload(&self) -> &Value {
        &self.payload
    }

    /// With another token, or none.
    pub(crate) fn token(self, token: Option<&Token>) -> Self {
        Self { token: token.cloned(), ..self }
    }

    /// With a variable set: an input, or what a runner sets.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// With an input.
    pub(crate) fn input(self, name: &str, value: &str) -> Self {
        self.with(&format!("INPUT_{}", name.to_uppercase()), value)
    }

    /// The stand-in that it speaks to.
    pub(crate) fn fake(&self) -> &Fake {
        &self.stage.fake
    }

    /// It is what a runner starts when the job has ended.
    pub(crate) fn is_the_end_of_a_job(&self) -> bool {
        self.variables.contains_key("STATE_rankhold")
    }

    /// Runs it.
    pub(crate) fn run(&self) -> Ended {
        self.run_against(&self.stage.fake)
    }

    /// Runs it against another stand-in that knows the same.
    pub(crate) fn run_against(&self, fake: &Fake) -> Ended {
        let desk = self.desk();
        let mut command = self.command(fake, program(&self.checkout.root()), &desk);
        command.arg("action");
        self.ended(Ran::of(&command.output().unwrap()), &desk)
    }

    /// As [`Step::run_against`], with little patience and more variables.
    pub(crate) fn play(&self, fake: &Fake, variables: &[(&str, &str)]) -> Ended {
        let desk = self.desk();
        let mut command = self.command(fake, impatient(fake, &self.checkout.root(), "action"), &desk);
        command.envs(variables.iter().copied());
        self.ended(played(&mut command), &desk)
    }

    /// Runs it, and kills it when a request of that route arrives for the n-th time.
    pub(crate) fn run_until(&self, route: &str, nth: usize) -> Ended {
        let desk = self.desk();
        let (arrived, seen) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        self.stage.fake.before(route, nth, move |_| {
            arrived.send(()).unwrap();
            // No answer before it is dead.
            ended.recv().unwrap();
        });
        let mut command = self.command(&self.stage.fake, program(&self.checkout.root()), &desk);
        let mut child = command.arg("action").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        seen.recv_timeout(Duration::from_mins(1)).expect("the request arrives");
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        end.send(()).unwrap();
        self.ended(Ran::of(&output), &desk)
    }

    fn desk(&self) -> Desk {
        let desk = Desk(tempfile::tempdir().unwrap());
        std::fs::write(desk.path("event.json"), self.payload.to_string()).unwrap();
        std::fs::write(desk.path("summary"), &self.page).unwrap();
        std::fs::create_dir(desk.path("temp")).unwrap();
        desk
    }

    /// With everything that a runner sets.
    fn command(&self, fake: &Fake, mut command: Command, desk: &Desk) -> Command {
        command.env("GITHUB_EVENT_NAME", self.event).env("GITHUB_API_URL", fake.address());
        for (name, file) in [
            ("GITHUB_EVENT_PATH", "event.json"),
            ("GITHUB_OUTPUT", "output"),
            ("GITHUB_STEP_SUMMARY", "summary"),
            ("GITHUB_STATE", "state"),
            ("RUNNER_TEMP", "temp"),
        ] {
            command.env(name, desk.path(file));
        }
        command.env("GITHUB_WORKSPACE", self.checkout.root()).envs(&self.variables);
        if let Some(token) = &self.token {
            command.env("INPUT_TOKEN", fake.with(|world| world.secret(token)));
        }
        command
    }

    /// What it left, held against what a runner takes.
    fn ended(&self, ran: Ran, desk: &Desk) -> Ended {
        let ended = Ended {
            outputs: outputs(&desk.text("output")),
            summary: desk.text("summary"),
            state: desk
                .text("state")
                .lines()
                .filter_map(|line| line.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            files: files(&desk.path("temp/rankhold")),
            remarks: [remarks(&ran.out), remarks(&ran.err)].concat(),
            ran,
        };
        if let Some(token) = &self.token {
            let secret = self.stage.fake.with(|world| world.secret(token));
            let texts =
                [&ended.ran.out, &ended.ran.err, &ended.summary, &desk.text("output"), &desk.text("state")];
            assert!(texts.iter().all(|text| !text.contains(&secret)), "the token is told to the runner");
            let holds = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(&secret);
            assert!(!ended.files.values().any(holds), "the token is in a file");
        }
        assert!(
            ended.summary.len() <= 1 << 20,
            "the runner drops a summary of {} bytes",
            ended.summary.len()
        );
        for word in ["error", "warning"] {
            let shown = ended.remarks.iter().filter(|remark| remark.word == word).count();
            assert!(shown <= 10, "the runner shows ten of {shown} remarks");
        }
        ended
    }
}

/// The files of a runner for one step.
struct Desk(tempfile::TempDir);

impl Desk {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }
}

/// The test that is the program.
const ROLE: &str = "github::stage::role_of_the_program";

/// The program with little patience, in a folder, with these arguments; to be [`played`].
pub(crate) fn impatient(fake: &Fake, folder: &Path, line: &str) -> Command {
    let mut command = scrubbed(Command::new(std::env::current_exe().unwrap()), folder);
    command.args([ROLE, "--exact", "--ignored", "--nocapture"]).env(LINE, line);
    command.env(ANSWER, fake.patience().answer.as_millis().to_string());
    command
}

/// What it said, without the words of the test harness.
pub(crate) fn played(command: &mut Command) -> Ran {
    let mut ran = Ran::of(&command.output().unwrap());
    let at = ran.out.find(BEGUN).expect("the role was begun");
    ran.out.drain(..at + BEGUN.len());
    ran
}

/// Its arguments.
const LINE: &str = "RANKHOLD_TEST_LINE";

/// How many milliseconds it waits for an answer.
const ANSWER: &str = "RANKHOLD_TEST_ANSWER";

/// What stands between the words of the test harness and those of the program.
const BEGUN: &str = "\u{2}begun\n";

/// The program as it is, but for its patience, which nobody who runs the program can change.
#[test]
#[ignore = "a part that another test plays in a process of its own"]
fn role_of_the_program() {
    let Some(answer) = std::env::var_os(ANSWER) else { return };
    let answer = Duration::from_millis(answer.to_str().unwrap().parse().unwrap());
    std::io::stdout().write_all(BEGUN.as_bytes()).unwrap();
    let line = std::env::var_os(LINE).unwrap().into_string().unwrap();
    let arguments = ["rankhold"].into_iter().chain(line.split(' ')).map(OsString::from);
    let exit = rankhold::app::main_with(arguments, Patience { answer, ..IMPATIENT });
    #[expect(clippy::exit, reason = "it ends as the program does")]
    std::process::exit(exit.code().into());
}

/// The commands in a log, as a runner finds them: a line that begins with `::`, blanks aside. The old `##[` counts
/// anywhere, and so a log of ours has none.
pub(crate) fn remarks(log: &str) -> Vec<Remark> {
    assert!(!log.contains("##["), "the runner would find a command: {log}");
    let lines = log.split(['\n', '\r']).filter_map(|line| line.trim_start().strip_prefix("::"));
    lines.map(|line| Remark::read(line).unwrap_or_else(|| panic!("no command: {line}"))).collect()
}

impl Remark {
    /// Reads what follows the first `::`.
    fn read(line: &str) -> Option<Self> {
        let (head, data) = line.split_once("::")?;
        let (word, properties) = head.split_once(' ').unwrap_or((head, ""));
        assert!(["error", "warning"].contains(&word), "a command of somebody else: {line}");
        let unescape = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n");
        let property = |pair: &str| {
            let (name, value) = pair.split_once('=')?;
            let value = unescape(value).replace("%3A", ":").replace("%2C", ",").replace("%25", "%");
            Some((name.to_owned(), value))
        };
        let properties = properties.split(',').map(property).collect::<Option<_>>()?;
        Some(Self { word: word.to_owned(), properties, message: unescape(data).replace("%25", "%") })
    }
}

/// Files as an artifact.
pub(crate) fn packed(files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(name.as_str(), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Values as a runner reads them.
fn outputs(text: &str) -> BTreeMap<String, String> {
    let mut outputs = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let (name, fence) = line.split_once("<<").expect("name<<fence");
        let value: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        outputs.insert(name.to_owned(), value.join("\n"));
    }
    outputs
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    entries
        .into_iter()
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect()
}
