//! `rankhold action` without a token, as the runner starts it: once for the step, once more when the job ends.

use crate::program::{Ran, Tree, program};

const SUITE: &str = r#"{
  "evalFormatVersion": "2026-04", "name": "Docs",
  "cases": [{"id": "a", "input": "alpha", "metadata": {"expectedTargets": ["docs/a.md"]}}]
}"#;

const EVENT: &str = r#"{
  "action": "opened",
  "number": 1,
  "pull_request": {
    "number": 1, "state": "open", "draft": false, "merged": false, "user": {"login": "o", "id": 1, "type": "User"},
    "head": {"ref": "b", "sha": "1111111111111111111111111111111111111111", "repo": {"id": 1, "full_name": "o/r"}},
    "base": {"ref": "main", "sha": "2222222222222222222222222222222222222222", "repo": {"id": 1, "full_name": "o/r"}}
  },
  "repository": {"id": 1, "full_name": "o/r", "default_branch": "main"}
}"#;

/// A checkout, with the runner's own files beside it.
struct Runner {
    tree: Tree,
}

impl Runner {
    fn new() -> Self {
        let tree = Tree::new(&[("docs/a.md", "# Alpha\n"), ("suites/docs.json", SUITE)]);
        for name in ["temp", "files"] {
            tree.write(&format!("../{name}/.keep"), "");
        }
        tree.write("../files/event.json", EVENT);
        Self { tree }
    }

    fn phase(&self, variables: &[(&str, &str)]) -> Ran {
        let root = self.tree.root();
        let folder = root.parent().expect("the tree lies in a folder");
        let files = folder.join("files");
        let mut command = program(&root);
        command
            .arg("action")
            .env("GITHUB_REPOSITORY", "o/r")
            .env("GITHUB_EVENT_NAME", "pull_request")
            .env("GITHUB_EVENT_PATH", files.join("event.json"))
            .env("GITHUB_WORKSPACE", &root)
            .env("GITHUB_RUN_ID", "7")
            .env("GITHUB_OUTPUT", files.join("output"))
            .env("GITHUB_STEP_SUMMARY", files.join("summary"))
            .env("GITHUB_STATE", files.join("state"))
            .env("RUNNER_TEMP", folder.join("temp"))
            .envs(variables.iter().copied());
        Ran::of(&command.output().unwrap())
    }

    /// The step, then the end of the job with what the step left for it.
    fn both(&self, variables: &[(&str, &str)]) -> (Ran, Ran) {
        let step = self.phase(variables);
        let state = self.tree.read("../files/state");
        let last = state.lines().filter_map(|line| line.strip_prefix("rankhold=")).next_back();
        let last = last.expect("the step remembers that it ran").to_owned();
        let mut more = variables.to_vec();
        more.push(("STATE_rankhold", &last));
        (step, self.phase(&more))
    }
}

#[test]
fn results_lie_in_the_runner_s_folder_and_nothing_in_the_workspace() {
    let runner = Runner::new();
    let before = runner.tree.files();
    let step = runner.phase(&[]);
    assert_eq!(step.code, 0, "{}", step.err);
    assert!(runner.tree.exists("../temp/rankhold/docs.bm25.result.json"));
    assert_eq!(runner.tree.files(), before);
}

#[test]
fn a_job_that_only_measures_says_so() {
    let runner = Runner::new();
    let step = runner.phase(&[]);
    let said = "measured without a token";
    assert!(step.err.contains(said), "{}", step.err);
    assert!(runner.tree.read("../files/summary").contains(said));
}

#[test]
fn the_end_of_the_job_measures_nothing_again() {
    let runner = Runner::new();
    let (step, end) = runner.both(&[]);
    assert_eq!((step.code, end.code), (0, 0), "{}{}", step.err, end.err);
    assert!(step.out.contains("docs"), "{}", step.out);
    assert_eq!((end.out.as_str(), end.err.as_str()), ("", ""));
}

#[test]
fn the_end_of_the_job_does_not_repeat_what_the_step_was_told() {
    let (step, end) = Runner::new().both(&[("INPUT_COMMENT", "sometimes")]);
    assert_eq!((step.code, end.code), (2, 0), "{}{}", step.err, end.err);
}
