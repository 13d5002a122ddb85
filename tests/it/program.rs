//! Running the program as its users do, in a tree of its own and with a scrubbed environment.

#![expect(clippy::disallowed_methods, reason = "tests write trees and run the program")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A tree in a temporary folder.
pub(crate) struct Tree {
    folder: tempfile::TempDir,
}

/// What a run left behind.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Tree {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(tree.root()).unwrap();
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// Every file of the tree, `.git` left out.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.root()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && path.file_name().unwrap() != ".git" {
                    folders.push(path);
                } else if path.is_file() {
                    found.push(path.strip_prefix(self.root()).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        found.sort();
        found
    }

    /// The program in the root of the tree.
    pub(crate) fn run(&self, line: &str) -> Ran {
        self.run_in("", line)
    }

    /// The program in a folder of the tree; words are split at spaces, `~` in a word is one.
    pub(crate) fn run_in(&self, folder: &str, line: &str) -> Ran {
        let words: Vec<String> =
            line.split(' ').filter(|word| !word.is_empty()).map(|word| word.replace('~', " ")).collect();
        Ran::of(&program(&self.path(folder)).args(words).output().unwrap())
    }
}

/// The program, seeing nothing of the machine that runs the tests but where its tools are.
pub(crate) fn program(folder: &Path) -> Command {
    scrubbed(Command::new(env!("CARGO_BIN_EXE_rankhold")), folder)
}

/// A program in a folder, seeing as little.
pub(crate) fn scrubbed(mut command: Command, folder: &Path) -> Command {
    command.current_dir(folder).env_clear().env("HOME", folder).env("TMPDIR", std::env::temp_dir());
    for name in ["PATH", "LLVM_PROFILE_FILE"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// It ended with this code.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// stdout or stderr holds every one of these.
    #[track_caller]
    pub(crate) fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            let said = self.out.contains(part) || self.err.contains(part);
            assert!(said, "`{part}` is not in\nstdout:\n{}\nstderr:\n{}", self.out, self.err);
        }
        self
    }

    /// stdout as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

/// A suite document of `(id, query, target)`.
pub(crate) fn suite(name: &str, cases: &[(&str, &str, &str)]) -> String {
    let cases: Vec<Value> = cases
        .iter()
        .map(|(id, input, target)| {
            serde_json::json!({
                "id": id, "input": input,
                "metadata": { "expectedTargets": [target], "lang": "en", "kind": "question" },
            })
        })
        .collect();
    let document = serde_json::json!({ "evalFormatVersion": "2026-04", "name": name, "cases": cases });
    serde_json::to_string_pretty(&document).unwrap()
}

/// Three pages and a suite of three cases that `bm25` finds.
pub(crate) fn garden() -> Tree {
    let tree = Tree::new(&[
        ("docs/apples.md", "# Apples\n\nHow to graft an apple tree in winter.\n"),
        ("docs/bees.md", "# Bees\n\nKeeping a hive: smoke, honey and swarms.\n"),
        ("docs/compost.md", "# Compost\n\nTurn the heap weekly, keep it moist.\n"),
        ("src/watering.py", "def schedule_watering(beds):\n    return sorted(beds)\n"),
    ]);
    let cases = [
        ("graft", "graft an apple tree", "docs/apples.md"),
        ("hive", "keeping a hive", "docs/bees.md"),
        ("heap", "turn the compost heap", "docs/compost.md"),
        ("water", "schedule_watering", "src/watering.py"),
    ];
    tree.write("suites/garden.json", suite("Garden", &cases));
    tree
}

/// The garden, searched by a `[[retriever]]` named `ours` with these keys.
pub(crate) fn garden_of(retriever: &str) -> Tree {
    let tree = garden();
    let head = "version = 1\n[[suite]]\npath = \"suites/garden.json\"\nretrievers = [\"ours\"]\n";
    tree.write("rankhold.toml", format!("{head}[[retriever]]\nname = \"ours\"\n{retriever}\n"));
    tree
}

/// The keys of a command that runs a script of `sh`; its query is `$0`.
pub(crate) fn shell(script: &str) -> String {
    format!("kind = \"command\"\nargv = [\"sh\", \"-c\", {script:?}, \"{{query}}\"]")
}

/// The garden with its figures approved.
pub(crate) fn approved_garden() -> Tree {
    let tree = garden();
    tree.run("approve --by Ada --reason first~figures").ends(0);
    tree
}
