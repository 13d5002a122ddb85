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
        self.started(&["action"], variables)
    }

    fn started(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let root = self.tree.root();
        let folder = root.parent().expect("the tree lies in a folder");
        let files = folder.join("files");
        let mut command = program(&root);
        command
            .args(arguments)
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

/// Whether there is a baseline only the base knows, which cannot be asked: that is not to say that there is none.
#[test]
fn a_job_that_only_measures_says_nothing_of_a_baseline() {
    let runner = Runner::new();
    let step = runner.phase(&[]);
    assert_eq!(step.code, 0, "{}", step.err);
    let report = runner.tree.read("../temp/rankhold/report.md");
    for text in [&step.out, &report, &runner.tree.read("../files/summary")] {
        assert!(text.contains("not judged here") && text.contains("without a token"), "{text}");
        assert!(!text.contains("no approved baseline") && !text.contains("rankhold approve"), "{text}");
    }
    assert!(report.contains("**measured**") && report.contains("hit@3"), "{report}");
    let outputs = runner.tree.read("../files/output");
    let verdict = outputs.lines().skip_while(|line| !line.starts_with("verdict<<")).nth(1);
    assert_eq!(verdict, Some("measured"), "{outputs}");
}

/// Where the action works its inputs say; a flag that did nothing would be believed.
#[test]
fn flags_are_refused_and_inputs_are_named_in_their_place() {
    let runner = Runner::new();
    for (flag, words) in [
        ("--repo=search", ["--repo is not for this command", "`working-directory`"]),
        ("--config=other.toml", ["--config is not for this command", "`config`"]),
    ] {
        let step = runner.started(&["action", flag], &[]);
        assert_eq!(step.code, 2, "{}", step.err);
        step.says(&words);
    }
    runner.tree.write("../replayed.json", EVENT);
    let rehearsed = runner.started(&["replay", "../replayed.json", "--dry-run", "--config=other.toml"], &[]);
    assert_eq!(rehearsed.code, 2, "{}", rehearsed.err);
    rehearsed.says(&["--config is not for this command", "--with config=…"]);
    // What is missing where the inputs point to is said in their words.
    runner.tree.write("search/docs/a.md", "# Alpha\n");
    for (inputs, words) in [
        (&[("INPUT_WORKING-DIRECTORY", "search")][..], &["search\n", "`working-directory`"][..]),
        (&[("INPUT_WORKING-DIRECTORY", "nowhere")], &["nowhere", "check the input `working-directory`"]),
        (&[("INPUT_CONFIG", "other.toml")], &["other.toml"]),
        (
            &[("INPUT_WORKING-DIRECTORY", "search"), ("INPUT_CONFIG", "rankhold.toml")],
            &["search/rankhold.toml"],
        ),
    ] {
        let step = runner.phase(inputs);
        assert_eq!(step.code, 2, "{inputs:?}: {}", step.err);
        let said = step.err.replace(", and ", "\n");
        assert!(words.iter().all(|word| said.contains(word)), "{words:?}: {said}");
        assert!(!said.contains("--repo") && !said.contains("or above"), "{said}");
    }
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
