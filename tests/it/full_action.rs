//! `full/measure.sh`: what it gives the container, and what not. The container itself is scripts/full.sh's.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests write trees and run the script")]

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::pages::home;
use crate::program::{Ran, Tree};

/// Notes what it is called with, a line each, and leaves the table that it is asked for.
const DOCKER: &str = r#"#!/bin/sh
printf '%s\n' "$@" '--' >> "$NOTES"
for word; do
    case $word in
        */github/runner_temp/rankhold) folder=${word%%:*} ;;
        /github/runner_temp/rankhold/compare.md) printf '| system |\n' > "$folder/compare.md" ;;
    esac
done
exit "${ENDS:-0}"
"#;

/// A runner's step that uses the action, of a release unless that file is taken away.
struct Step {
    tree: Tree,
    variables: Vec<(&'static str, &'static str)>,
}

impl Step {
    fn new() -> Self {
        let tree = Tree::new(&[]);
        for folder in ["action/full", "bin", "temp", "workspace/models"] {
            std::fs::create_dir_all(tree.path(folder)).unwrap();
        }
        std::fs::copy(home().join("full/measure.sh"), tree.path("action/full/measure.sh")).unwrap();
        tree.write("action/full/image.txt", "registry.example/full@sha256:00\n");
        tree.write("bin/docker", DOCKER);
        std::fs::set_permissions(tree.path("bin/docker"), std::fs::Permissions::from_mode(0o755)).unwrap();
        for file in ["event.json", "output", "summary", "notes"] {
            tree.write(file, "");
        }
        Self { tree, variables: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.variables.push((name, value));
        self
    }

    fn run(&self) -> Ran {
        let path = format!("{}:{}", self.tree.path("bin").display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("bash");
        command.arg(self.tree.path("action/full/measure.sh")).current_dir(self.tree.path("workspace"));
        command.env_clear().env("PATH", path).env("NOTES", self.tree.path("notes"));
        let places = [
            ("RUNNER_TEMP", "temp"),
            ("GITHUB_WORKSPACE", "workspace"),
            ("GITHUB_EVENT_PATH", "event.json"),
            ("GITHUB_OUTPUT", "output"),
            ("GITHUB_STEP_SUMMARY", "summary"),
        ];
        for (name, place) in places {
            command.env(name, self.tree.path(place));
        }
        command.env("GITHUB_RUN_ID", "7").env("GITHUB_REPOSITORY", "o/r").env("INPUT_NETWORK", "false");
        // What a workflow could let slip into its environment.
        for secret in ["GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "INPUT_TOKEN", "API_KEY"] {
            command.env(secret, "hunter2");
        }
        Ran::of(&command.envs(self.variables.iter().copied()).output().unwrap())
    }

    /// The words of each call of docker.
    fn calls(&self) -> Vec<Vec<String>> {
        let notes = self.tree.read("notes");
        let mut calls: Vec<Vec<String>> =
            notes.split("\n--\n").map(|call| call.lines().map(str::to_owned).collect()).collect();
        assert_eq!(calls.pop(), Some(Vec::new()));
        calls
    }

    /// The one call, that must hold these words one after the other.
    #[track_caller]
    fn call(&self, parts: &[&str]) -> Vec<String> {
        let [call] = &self.calls()[..] else { panic!("{:?}", self.calls()) };
        for part in parts {
            let words: Vec<&str> = part.split(' ').collect();
            assert!(call.windows(words.len()).any(|window| window == words), "no `{part}` in {call:?}");
        }
        call.clone()
    }
}

#[test]
fn the_container_has_no_network_no_token_and_a_checkout_that_it_cannot_change() {
    let step = Step::new().with("INPUT_SUITES", "docs");
    assert_eq!(step.run().code, 0);
    let workspace = format!("--volume {}:/github/workspace:ro", step.tree.path("workspace").display());
    let call = step.call(&[
        "run --rm --network none",
        "--cap-drop ALL",
        "--security-opt no-new-privileges",
        "--env INPUT_TOKEN=",
        "--env INPUT_SUITES",
        "--env GITHUB_RUN_ID",
        &workspace,
        "registry.example/full@sha256:00 action",
    ]);
    let passed: Vec<&String> =
        call.windows(2).filter(|pair| pair[0] == "--env").map(|pair| &pair[1]).collect();
    let secret = passed.iter().find(|name| name.contains("TOKEN") && *name != &"INPUT_TOKEN=");
    assert_eq!(secret, None);
    assert!(!call.join(" ").contains("hunter2") && !passed.contains(&&"API_KEY".to_owned()), "{call:?}");
    let user = call.iter().position(|word| word == "--user").map(|at| call[at + 1].as_str());
    assert!(user.is_some_and(|user| !user.starts_with(':') && !user.ends_with(':')), "{user:?}");
}

#[test]
fn a_network_is_asked_for_in_one_word() {
    let step = Step::new().with("INPUT_NETWORK", "true");
    assert_eq!(step.run().code, 0);
    step.call(&["--network host"]);
    let step = Step::new().with("INPUT_NETWORK", "yes");
    let ran = step.run();
    assert_eq!((ran.code, step.calls().len()), (2, 0));
    assert!(ran.err.contains("`network` is true or false"), "{}", ran.err);
}

#[test]
fn models_are_seen_and_not_changed() {
    let step = Step::new().with("INPUT_MODELS", "models");
    assert_eq!(step.run().code, 0);
    step.call(&[&format!("--volume {}:/models:ro", step.tree.path("workspace/models").display())]);
    let step = Step::new().with("INPUT_MODELS", "elsewhere");
    let ran = step.run();
    assert_eq!((ran.code, step.calls().len()), (2, 0));
    assert!(ran.err.contains("no folder of that name: `models`"), "{}", ran.err);
    // A link of the checkout would choose what its code sees; who writes the workflow may choose any folder.
    let step = Step::new().with("INPUT_MODELS", "linked");
    std::os::unix::fs::symlink("/etc", step.tree.path("workspace/linked")).unwrap();
    let ran = step.run();
    assert_eq!((ran.code, step.calls().len()), (2, 0));
    assert!(ran.err.contains("`models` leads out of the checkout"), "{}", ran.err);
    let step = Step::new().with("INPUT_MODELS", "/etc");
    assert_eq!(step.run().code, 0);
    step.call(&["--volume /etc:/models:ro"]);
}

#[test]
fn a_table_goes_to_the_summary_and_the_step_ends_as_it_did() {
    let step = Step::new()
        .with("INPUT_COMPARE", "bm25,rg")
        .with("INPUT_SUITES", "docs")
        .with("INPUT_WORKING_DIRECTORY", "sub")
        .with("INPUT_REPEATS", "2")
        .with("INPUT_TIMEOUT", "9m")
        .with("INPUT_FLOOR", "true")
        .with("ENDS", "3");
    assert_eq!(step.run().code, 3);
    step.call(&[
        "--workdir /github/workspace/sub",
        "registry.example/full@sha256:00 compare --suite=docs --against=bm25,rg --repeats=2 --timeout=9m --floor --format markdown",
    ]);
    assert_eq!(step.tree.read("summary"), "| system |\n");
    assert_eq!(step.tree.read("output"), "table=rankhold/compare.md\n");

    let step = Step::new().with("INPUT_COMPARE", "all");
    assert_eq!(step.run().code, 0);
    step.call(&["registry.example/full@sha256:00 compare --format"]);
}

#[test]
fn what_docker_would_take_for_another_word_is_refused() {
    for (name, value, message) in [
        ("INPUT_IMAGE", "--privileged", "`image` is the name of an image"),
        ("INPUT_MODELS", "/mo:ro,z", "a folder whose name has a colon or a comma"),
        ("INPUT_FLOOR", "yes", "`floor` is true or false"),
    ] {
        let step = Step::new().with(name, value);
        let ran = step.run();
        assert_eq!((ran.code, step.calls().len()), (2, 0), "{value}");
        assert!(ran.err.contains(message), "{}", ran.err);
    }
}

#[test]
fn a_link_in_the_place_of_the_table_makes_no_file_of_the_runner_public() {
    let step = Step::new().with("INPUT_COMPARE", "all");
    step.tree.write("secret", "hunter2");
    let place = step.tree.path("secret").display().to_string();
    step.tree.write("bin/docker", format!("#!/bin/sh\nln -s {place} \"$RUNNER_TEMP/rankhold/compare.md\"\n"));
    assert_eq!(step.run().code, 0);
    assert_eq!((step.tree.read("summary"), step.tree.read("output")), (String::new(), String::new()));
}

#[test]
fn until_a_release_the_image_is_built_of_the_action_s_own_commit() {
    let step = Step::new();
    std::fs::remove_file(step.tree.path("action/full/image.txt")).unwrap();
    assert_eq!(step.run().code, 0);
    let calls = step.calls();
    let context = step.tree.path("action/full").join("..").display().to_string();
    assert_eq!(calls[0], ["build", "--target", "full", "--tag", "rankhold-full:local", &context]);
    assert_eq!(calls[1].iter().rev().nth(1).map(String::as_str), Some("rankhold-full:local"));

    let step = Step::new().with("INPUT_IMAGE", "registry.example/ours:1");
    assert_eq!(step.run().code, 0);
    step.call(&["registry.example/ours:1 action"]);
}

#[test]
fn a_release_writes_down_what_it_is_made_of() {
    let tree = Tree::new(&[]);
    for file in ["action.yml", "full/action.yml", "scripts/pin.sh"] {
        std::fs::create_dir_all(tree.path(file).parent().unwrap()).unwrap();
        std::fs::copy(home().join(file), tree.path(file)).unwrap();
    }
    std::fs::create_dir(tree.path("setup")).unwrap();
    let digest = "ab".repeat(32);
    let (image, full) = (format!("r.example/a@sha256:{digest}"), format!("r.example/b@sha256:{digest}"));
    let pin = |arguments: &[&str], sums: &str| {
        let script = tree.path("scripts/pin.sh").display().to_string();
        let line = format!("printf '%s\\n' '{sums}' | bash {script} {}", arguments.join(" "));
        Ran::of(&Command::new("bash").args(["-c", &line]).output().unwrap()).code
    };
    let sums = format!("{digest}  rankhold-x86_64-unknown-linux-musl");
    let before = tree.read("action.yml");
    assert_eq!(pin(&["v1.2.3", &image, "r.example/b:latest"], &sums), 2, "a tag is no digest");
    assert_eq!(pin(&["v1.2.3", &image], &sums), 2, "the second image is missing");
    assert_eq!(pin(&["v1.2.3", &image, &full], "not a sum"), 2);
    assert_eq!((tree.read("action.yml"), tree.exists("full/image.txt")), (before, false));

    assert_eq!(pin(&["v1.2.3", &image, &full], &sums), 0);
    assert!(tree.read("action.yml").contains(&format!("\n  image: docker://{image} # v1.2.3\n")));
    assert_eq!(tree.read("full/image.txt"), format!("{full}\n"));
    assert_eq!(tree.read("setup/release.txt"), format!("v1.2.3\n{sums}\n"));
}
