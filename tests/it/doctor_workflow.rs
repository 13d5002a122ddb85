//! `rankhold doctor --workflow`: what is documented has no findings, whatever is broken has one at its line, and the lines
//! that are printed cure it.

use std::collections::BTreeSet;

use rankhold::workflow::RULES;
use serde_json::Value;

use crate::pages::page;
use crate::program::Tree;

const MAIN: &str = ".github/workflows/rankhold.yml";
const MEASURE: &str = ".github/workflows/rankhold-measure.yml";
const PUBLISH: &str = ".github/workflows/rankhold-publish.yml";
const COMMAND: &str = ".github/workflows/rankhold-command.yml";
const PROPOSE: &str = ".github/workflows/rankhold-propose.yml";
const OTHER: &str = ".github/workflows/other.yml";
const COMPARE: &str = ".github/workflows/rankhold-compare.yml";

/// A suite that is measured by a program.
const PROGRAMS: &str = "version = 1\n[[suite]]\npath = \"suites/docs.json\"\nretrievers = [\"bm25\", \"ours\"]\n\
                        [[retriever]]\nname = \"ours\"\nkind = \"command\"\nargv = [\"search\", \"{query}\"]\n";

/// A workflow that has nothing to do with rankhold.
const CI: &str = "name: ci\non:\n  pull_request:\n  merge_group:\njobs:\n  test:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: make test\n";

const SETUP: &str = "      - uses: rankhold/rankhold/setup@main # zizmor: ignore[unpinned-uses] there is no release yet: pin the commit of one\n";
const FULL: &str = "      - uses: rankhold/rankhold/full@main # zizmor: ignore[unpinned-uses] there is no release yet: pin the commit of one\n";
const MEASURES: &str =
    "      - name: measure\n        run: rankhold action # without a token it only measures\n";

/// A repository's workflows, and its configuration if it has one.
struct Setup {
    files: Vec<(&'static str, String)>,
    config: Option<&'static str>,
}

impl Setup {
    /// A documented workflow as the only one.
    fn of(example: &str) -> Self {
        Self { files: vec![(MAIN, page(&format!("docs/workflows/{example}.yml")).text)], config: None }
    }

    /// Programs, measured in the container that has the tools of the field.
    fn full() -> Self {
        Self::of("external").programs().but(SETUP, FULL).but(MEASURES, "")
    }

    /// The two that belong together.
    fn forks() -> Self {
        let text = |name: &str| page(&format!("docs/workflows/forks-{name}.yml")).text;
        Self { files: vec![(MEASURE, text("measure")), (PUBLISH, text("publish"))], config: None }
    }

    /// The same where programs measure.
    fn forks_with_programs() -> Self {
        let text = page("docs/workflows/forks-external.yml").text;
        let publish = page("docs/workflows/forks-publish.yml").text;
        Self { files: vec![(MEASURE, text), (PUBLISH, publish)], config: Some(PROGRAMS) }
    }

    /// One file that is there.
    fn only(file: &'static str, text: &str) -> Self {
        Self { files: vec![(file, text.to_owned())], config: None }
    }

    /// The start that `init` writes: the same for whichever name the default branch has, and commands.
    fn init() -> Self {
        let text = page("docs/workflows/same-repository.yml").text.replace("[main]", "[main, master]");
        Self { files: vec![(MAIN, text)], config: None }.answers()
    }

    /// The workflow that answers commands beside the others.
    fn answers(self) -> Self {
        self.also(COMMAND, &page("docs/workflows/command.yml").text)
    }

    /// And the one that files what they approve; `push` is its own then.
    fn proposes(self) -> Self {
        let example = if self.config == Some(PROGRAMS) { "propose-external" } else { "propose" };
        self.proposes_by(example)
    }

    fn proposes_by(self, example: &str) -> Self {
        self.but("  push:\n    branches: [main]\n", "")
            .also(PROPOSE, &page(&format!("docs/workflows/{example}.yml")).text)
    }

    fn programs(self) -> Self {
        Self { config: Some(PROGRAMS), ..self }
    }

    fn config(self, config: &'static str) -> Self {
        Self { config: Some(config), ..self }
    }

    fn also(mut self, file: &'static str, text: &str) -> Self {
        self.files.push((file, text.to_owned()));
        self
    }

    /// The first `from` of the last file that has it becomes `to`.
    #[track_caller]
    fn but(mut self, from: &str, to: &str) -> Self {
        let file = self.files.iter_mut().rfind(|(_, text)| text.contains(from));
        let (_, text) = file.unwrap_or_else(|| panic!("nothing has {from:?}"));
        *text = text.replacen(from, to, 1);
        self
    }

    fn tree(&self) -> Tree {
        let tree = Tree::new(&[(".git/HEAD", "ref: refs/heads/main\n")]);
        for (file, text) in &self.files {
            tree.write(file, text);
        }
        if let Some(config) = self.config {
            tree.write("rankhold.toml", config);
        }
        tree
    }
}

/// What the program finds, as JSON.
fn findings(tree: &Tree) -> Vec<Value> {
    let ran = tree.run("doctor --workflow --format json");
    let found = ran.json()["findings"].as_array().unwrap().clone();
    let is_wrong = found.iter().any(|finding| finding["level"] == "error");
    assert_eq!(ran.code, if is_wrong { 2 } else { 0 }, "{found:#?}");
    found
}

fn rules(found: &[Value]) -> Vec<&str> {
    found.iter().map(|finding| finding["rule"].as_str().unwrap()).collect()
}

/// Does what a finding says, as somebody who pastes it.
fn cure(tree: &Tree, finding: &Value) {
    let lines =
        finding["lines"].as_array().unwrap().iter().map(|line| format!("{}\n", line.as_str().unwrap()));
    if let Some(file) = finding["writes"].as_str() {
        tree.write(file, lines.collect::<String>());
        return;
    }
    let file = finding["file"].as_str().unwrap();
    let number = |key: &str| usize::try_from(finding["replaces"][key].as_u64().unwrap()).unwrap();
    let text = tree.read(file);
    let old: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    let (from, to) = (number("from") - 1, number("to"));
    let new = old[..from].iter().cloned().chain(lines).chain(old[to..].iter().cloned());
    tree.write(file, new.collect::<String>());
}

fn is_curable(finding: &Value) -> bool {
    finding["replaces"].is_object() || finding["writes"].is_string()
}

/// Something that is wrong: by which rule, in what, and the text of the line that is named.
struct Wrong {
    rule: &'static str,
    setup: Setup,
    line: &'static str,
}

fn wrong(rule: &'static str, setup: Setup, line: &'static str) -> Wrong {
    Wrong { rule, setup, line }
}

const CHECKOUT: &str = "      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2\n        with:\n          persist-credentials: false\n";
const TYPES: &str =
    "    types: [opened, synchronize, reopened, edited] # edited: it may have another base branch\n";
const CONCURRENCY: &str = "    concurrency:\n      group: rankhold-${{ github.event.pull_request.number || github.ref }}\n      cancel-in-progress: true\n";
const PERMISSIONS: &str = "    permissions:\n      actions: read # when this run began, so that an older one never overwrites its verdict\n      checks: write # the verdict\n      contents: read # the tree, and what the base branch approved\n      pull-requests: write # the comment\n";
const STEP: &str =
    "rankhold/rankhold@main # zizmor: ignore[unpinned-uses] there is no release yet: pin the commit of one\n";

const QUEUE: &str = "    concurrency:\n      group: rankhold-command-${{ github.event.issue.number }}\n      queue: max # one after the other, none left out; GitHub Enterprise Server may not know the key: take it out there\n";
const ON_COMMENT: &str = "    types: [created] # an edited comment approves nothing\n";

fn same() -> Setup {
    Setup::of("same-repository")
}

/// The same with a workflow that answers commands.
fn answered() -> Setup {
    same().answers()
}

/// The tree of a stranger beside the token that writes, brought there by these steps.
fn on_the_head(steps: &str) -> Setup {
    same().but("  pull_request:\n", "  pull_request_target:\n").but(CHECKOUT, steps)
}

/// Every rule, broken in at least one way.
fn wrongs() -> Vec<Wrong> {
    let with = |key: &str| format!("{STEP}        with:\n          {key}\n");
    let second = same()
        .files
        .remove(0)
        .1
        .replace("name: rankhold\n", "name: second\n")
        .replace("group: rankhold-", "group: second-");
    let foreign = |on: &str| same().but("on:\n", &format!("on:\n{on}"));
    vec![
        wrong("unreadable", same().also(OTHER, "on: push\njobs:\n  a:\n    steps: {}\n"), "    steps: {}"),
        wrong("unreadable", same().also(OTHER, "on: push\njobs: {}\non: push\n"), "on: push"),
        wrong("unreadable", same().but("  push:\n    branches: [main]\n", "  schedule:\n    cron: 1 2 3 4 5\n"), "  schedule:"),
        wrong("key-unknown", same().but("permissions: {}\n", "Permissions: {}\n"), "Permissions: {}"),
        wrong("key-unknown", same().but("    branches: [main]", "    branch: [main]"), "    branch: [main]"),
        wrong("key-unknown", same().but("    types: [opened", "    type: [opened"), "    type: [opened"),
        wrong("key-unknown", same().but("    runs-on:", "    run-on:"), "    run-on:"),
        wrong("key-unknown", same().but("      pull-requests: write", "      pull-request: write"), "    permissions:"),
        wrong("key-unknown", same().but("      checks: write", "      check: write"), "    permissions:"),
        wrong("key-unknown", same().but("        with:\n          persist", "        With:\n          persist"), "        With:"),
        wrong("key-unknown", same().but(&format!("uses: {STEP}"), &format!("use: {STEP}")), "      - use:"),
        wrong("key-missing", same().but("    runs-on: ubuntu-24.04\n", ""), "  judge:"),
        wrong("key-missing", same().but(STEP, "rankhold/rankhold\n"), "      - uses: rankhold"),
        wrong("unused", same().but(&format!("      - uses: {STEP}"), ""), ""),
        wrong("unused", Setup { files: Vec::new(), config: None }, ""),
        wrong("unused", Setup { config: Some(PROGRAMS), ..Setup::only(OTHER, &CI.replace("  merge_group:\n", "")) }, ""),
        wrong("pull-requests-unjudged", Setup::only(COMMAND, &page("docs/workflows/command.yml").text), ""),
        wrong("pull-requests-unjudged", Setup::only(PROPOSE, &page("docs/workflows/propose.yml").text), ""),
        wrong("pull-requests-unjudged", Setup::only(PROPOSE, &page("docs/workflows/propose.yml").text).answers(), ""),
        wrong("pull-requests-unjudged", Setup::only(MAIN, &CI.replace("  merge_group:\n", "").replace("make test", "rankhold run")).answers(), ""),
        wrong("pull-requests-unjudged", Setup::only(MAIN, &CI.replace("  pull_request:\n  merge_group:\n", "  push:\n").replace("make test", "rankhold run")), ""),
        wrong("unused", same().but(STEP, "rankhold/rankold@main\n"), "      - uses: rankhold/rankold@main"),
        wrong("unused", same().but(STEP, "rankhold@main\n"), "      - uses: rankhold@main"),
        wrong("pull-requests-unjudged", same().but(STEP, "rankhold/rankhld@v1\n").answers(), "      - uses: rankhold/rankhld@v1"),
        wrong("pull-requests-unjudged", same().but(STEP, &with("token: \"\"")), "          token: \"\""),
        wrong("pull-requests-unjudged", same().but(&format!("uses: {STEP}"), "run: target/rankhold action\n"), "      - run: target/rankhold action"),
        wrong("action-wrapped", same().but(&format!("uses: {STEP}"), "uses: ./tools/gate\n").also("tools/gate/action.yml", "name: Gate\nruns:\n  using: composite\n  steps:\n    - uses: rankhold/rankhold@main\n"), "      - uses: ./tools/gate"),
        // What the token may do.
        wrong("permission-missing", same().but("      checks: write # the verdict\n", ""), "    permissions:"),
        wrong("permission-missing", same().but("contents: read", "contents: none"), "    permissions:"),
        wrong("permission-missing", same().but(PERMISSIONS, ""), "permissions: {}"),
        wrong("permission-missing", same().but(PERMISSIONS, "    permissions: {}\n"), "    permissions: {}"),
        wrong("permission-missing", same().but(PERMISSIONS, "    permissions: read-all\n"), "    permissions: read-all"),
        wrong("permission-missing", same().but(STEP, &with("publish: status")), "    permissions:"),
        wrong("permission-missing", Setup::forks().but("      actions: read # the artifact of the other run\n", ""), "    permissions:"),
        wrong("comment-forbidden", same().but("      pull-requests: write # the comment\n", ""), "    permissions:"),
        wrong("age-unknown", same().but("actions: read", "actions: none"), "    permissions:"),
        wrong("tree-forbidden", Setup::of("matrix").but("contents: read # the tree\n", "packages: read\n"), "    permissions:"),
        wrong("permissions-unset", same().but(PERMISSIONS, "").but("permissions: {}\n", ""), "  judge:"),
        wrong("permissions-broad", same().but("contents: read", "contents: write"), "    permissions:"),
        wrong("permissions-broad", same().but(PERMISSIONS, "    permissions: write-all\n"), "    permissions: write-all"),
        // Programs beside a token.
        wrong("one-job", same().programs(), "      - uses: rankhold"),
        wrong("one-job", Setup::of("external").programs().but("contents: read # the tree\n", "contents: write\n"), "    permissions:"),
        wrong("one-job", Setup::of("external").programs().but("        run: rankhold action # without a token it only measures\n", "        run: rankhold action\n        env:\n          SEARCH: x\n          GH_TOKEN: ${{ github.token }}\n"), "          GH_TOKEN: ${{ github.token }}"),
        wrong("one-job", same().programs().but(&format!("uses: {STEP}"), "run: rankhold run\n      - run: rankhold action\n        env:\n          INPUT_TOKEN: ${{ github.token }}\n"), "      - run: rankhold run"),
        wrong("one-job", Setup::forks().programs(), "      - uses: rankhold"),
        wrong("one-job", same().programs().but(&format!("      - uses: {STEP}"), &format!("{FULL}      - uses: {}", with("result: x"))), "      - uses: rankhold"),
        wrong("one-job", Setup::full().but("contents: read # the tree\n", "contents: write\n"), "    permissions:"),
        wrong("one-job", Setup::of("external").programs().answers().proposes_by("propose"), "      - uses: rankhold"),
        wrong("secret-beside-programs", Setup::of("external").programs().but("        run: rankhold action # without a token it only measures\n", "        run: rankhold action\n        env:\n          SEARCH: x\n          KEY: ${{ secrets.EMBEDDINGS }}\n"), "          KEY: ${{ secrets.EMBEDDINGS }}"),
        wrong("target-runs-programs", Setup::of("external").programs().but("  pull_request:\n", "  pull_request_target:\n").but("persist-credentials: false\n", "persist-credentials: false\n          ref: ${{ github.event.pull_request.head.sha }}\n"), "  pull_request_target:"),
        wrong("target-runs-programs", on_the_head(&format!("{CHECKOUT}          ref: ${{{{ github.event.pull_request.head.sha }}}}\n      - run: make index\n")), "  pull_request_target:"),
        wrong("target-runs-programs", on_the_head(&format!("{CHECKOUT}          repository: ${{{{ github.event.pull_request.head.repo.full_name }}}}\n      - run: |\n          mkdir x\n          npm ci\n")), "  pull_request_target:"),
        wrong("target-runs-programs", on_the_head(&format!("{CHECKOUT}      - run: gh pr checkout 1\n      - uses: ./tools/build\n")), "  pull_request_target:"),
        // What starts it.
        wrong("pushes-unheard", same().but("synchronize, ", ""), "    types: [opened, reopened, edited]"),
        wrong("pushes-unheard", same().but("[opened, synchronize, reopened, edited] #", "labeled #"), "    types: labeled"),
        wrong("retargeting-unheard", same().but(", edited]", "]"), "    types: [opened, synchronize, reopened]"),
        wrong("retargeting-unheard", same().but(TYPES, ""), "  pull_request:"),
        wrong("retargeting-unheard", same().but(TYPES, "    branches: [main]\n"), "  pull_request:"),
        wrong("retargeting-unheard", same().but(&format!("on:\n  pull_request:\n{TYPES}  push:\n    branches: [main]\n"), "on: [push, pull_request]\n"), "on: [push, pull_request]"),
        wrong("retargeting-unheard", same().but(&format!("  pull_request:\n{TYPES}"), "  pull_request: {branches: [main, \"v*\"]}\n"), "  pull_request: {branches"),
        wrong("event-unknown", foreign("  release:\n    types: [published]\n"), "  release:"),
        wrong("event-unknown", same().but("  pull_request:\n", "  pull_requests: # all of them\n"), "  pull_requests:"),
        wrong("event-unknown", same().but("  pull_request:\n", "  pull-request:\n"), "  pull-request:"),
        wrong("event-unknown", foreign("  pull_requests:\n"), "  pull_requests:"),
        wrong("event-unknown", Setup::forks().but("  workflow_run:", "  workflow_runs:"), "  workflow_runs:"),
        wrong("pull-requests-filtered", same().but(TYPES, &format!("{TYPES}    paths:\n      - docs/**\n      - suites/**\n")), "    paths:"),
        wrong("event-unknown", same().but("  push:\n", "  merge_queue:\n  push:\n"), "  merge_queue:"),
        wrong("queue-types", Setup::of("merge-queue").but("[checks_requested]", "[created]"), "    types: [created]"),
        wrong("drafts-unheard", same().but("    name: judge", "    if: ${{ !github.event.pull_request.draft }}\n    name: judge"), "    if: "),
        wrong("default-branch-unjudged", same().but(TYPES, &format!("{TYPES}    branches: [master]\n")), "    branches: [master]"),
        wrong("default-branch-unjudged", same().but(TYPES, &format!("{TYPES}    branches:\n      - release/**\n")), "    branches:"),
        wrong("default-branch-unjudged", same().but(TYPES, &format!("{TYPES}    branches-ignore: [main]\n")), "    branches-ignore: [main]"),
        wrong("default-branch-unjudged", same().but(TYPES, &format!("{TYPES}    branches-ignore: [wip, main]\n")), "    branches-ignore: [wip, main]"),
        wrong("queue-unheard", same().also(OTHER, CI), "  pull_request:"),
        wrong("default-branch-unheard", same().but("  push:\n    branches: [main]\n", ""), "  pull_request:"),
        wrong("default-branch-unheard", same().but("branches: [main]", "tags: [v1]"), "  push:"),
        wrong("default-branch-unheard", answered().proposes().but("branches: [main]", "branches: [master]"), "  push:"),
        // Two that belong together.
        wrong("forks-unheard", same(), "  pull_request:"),
        wrong("measuring-workflow-missing", Setup::forks().but("workflows: [rankhold measures]", "workflows: [rankhold measure]"), "    workflows: [rankhold measure]"),
        wrong("measuring-workflow-missing", Setup::forks().but("name: rankhold measures #", "name: measures #"), "    workflows: [rankhold measures]"),
        wrong("measuring-workflow-other", Setup::forks().but(STEP, &with("workflow: .github/workflows/other.yml")), "      - uses: rankhold"),
        wrong("artifact-missing", Setup::forks().but("          name: rankhold\n", "          name: results\n"), "      - uses: rankhold"),
        wrong("artifact-partial", Setup::forks().but("path: ${{ runner.temp }}/rankhold/\n", "path: ${{ runner.temp }}/rankhold/*.result.json\n"), "          path: ${{ runner.temp }}/rankhold/*.result.json"),
        wrong("published-tree-other", Setup::forks().but("          ref: ${{ github.event.pull_request.head.sha }} # the head itself: forks-publish.yml can name it too\n", ""), "      - uses: actions/checkout"),
        // The machine.
        wrong("runner-unfit", same().but("ubuntu-24.04", "windows-latest"), "    runs-on: windows-latest"),
        wrong("runner-unfit", Setup::of("external").but("ubuntu-24.04", "[macOS-15, large]"), "    runs-on: [macOS-15, large]"),
        wrong("runner-retired", same().but("ubuntu-24.04", "ubuntu-20.04"), "    runs-on: ubuntu-20.04"),
        wrong("action-retired", Setup::of("external").but("uses: actions/upload-artifact@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a # v7.0.1", "uses: actions/upload-artifact@v3"), "        uses: actions/upload-artifact@v3"),
        wrong("action-retired", Setup::of("external").but("uses: actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1", "uses: actions/download-artifact@v3.1"), "      - uses: actions/download-artifact@v3.1"),
        // The tree.
        wrong("checkout-missing", same().but(CHECKOUT, ""), "      - uses: rankhold"),
        wrong("checkout-missing", same().but("persist-credentials: false", "path: tree"), "      - uses: rankhold"),
        wrong("checkout-missing", Setup::forks().but("      - uses: actions/checkout", "      - uses: other/checkout"), "      - uses: rankhold"),
        wrong("checkout-other", same().but("persist-credentials: false", "ref: main"), "          ref: main"),
        wrong("checkout-other", same().but("persist-credentials: false\n", "persist-credentials: false\n          ref: ${{ github.event.pull_request.base.sha }}\n"), "          ref: ${{ github.event.pull_request.base.sha }}"),
        wrong("checkout-other", Setup::forks().but("          ref: ${{ github.event.workflow_run.head_sha }} # a stranger's tree: data, and never more\n", ""), "      - uses: actions/checkout"),
        wrong("checkout-other", same().but("  pull_request:\n", "  pull_request_target:\n"), "      - uses: actions/checkout"),
        wrong("checkout-moving", same().but("persist-credentials: false\n", "persist-credentials: false\n          ref: ${{ github.head_ref }}\n"), "          ref: ${{ github.head_ref }}"),
        wrong("credentials-kept", Setup::of("external").programs().but("        with:\n          persist-credentials: false\n", ""), "      - uses: actions/checkout"),
        wrong("credentials-kept", Setup::of("external").programs().but("persist-credentials: false", "persist-credentials: true"), "      - uses: actions/checkout"),
        wrong("history-unneeded", same().but("persist-credentials: false\n", "persist-credentials: false\n          fetch-depth: 0\n"), "          fetch-depth: 0"),
        // Commands.
        wrong("commands-unheard", same(), "  pull_request:"),
        wrong("commands-unheard", Setup::forks(), "  pull_request:"),
        wrong("commands-unheard", same().but(STEP, &with("commands: .github/workflows/other.yml")), "  pull_request:"),
        wrong("commands-elsewhere", same().also(OTHER, &page("docs/workflows/command.yml").text), "      - uses: rankhold"),
        wrong("commands-elsewhere", same().but(STEP, &with("commands: .github/workflows/other.yml")).answers(), "      - uses: rankhold"),
        wrong("commands-mixed", foreign("  issue_comment:\n    types: [created]\n"), "  issue_comment:"),
        wrong("comment-types", answered().but(ON_COMMENT, ""), "  issue_comment:"),
        wrong("comment-types", answered().but("[created]", "[created, edited]"), "    types: [created, edited]"),
        wrong("comment-types", answered().but("[created]", "[edited]"), "    types: [edited]"),
        wrong("comments-unfiltered", answered().but("    if: ${{ github.event.issue.pull_request && startsWith(github.event.comment.body, '/rankhold') }}\n", ""), "  answer:"),
        wrong("command-forbidden", answered().but("      contents: write #", "      contents: read #"), "    permissions:"),
        wrong("command-forbidden", answered().but("      checks: write # the verdict on", "      packages: read #"), "    permissions:"),
        wrong("command-forbidden", answered().but("      pull-requests: write # the reply", "      packages: read #"), "    permissions:"),
        wrong("command-forbidden", answered().but("      actions: read # what", "      packages: read #"), "    permissions:"),
        wrong("command-forbidden", answered().config("version = 1\n[report]\npublish = \"status\"\n"), "    permissions:"),
        wrong("permissions-broad", answered().but("      pull-requests: write # the reply", "      packages: write\n      pull-requests: write # the reply"), "    permissions:"),
        wrong("permissions-broad", answered().config("version = 1\n[approval]\nmode = \"record\"\n"), "    permissions:"),
        wrong("command-checkout", answered().but("      # No checkout", &format!("{CHECKOUT}      # No checkout")), "      - uses: actions/checkout"),
        wrong("command-checkout", answered().but("      # No checkout", "      - name: the tree\n        uses: actions/checkout@v6\n        with:\n          ref: refs/pull/${{ github.event.issue.number }}/merge\n      # No checkout"), "      - name: the tree"),
        wrong("command-cancelled", answered().but("      queue: max #", "      cancel-in-progress: true #"), "    concurrency:"),
        wrong("command-cancelled", answered().but("rankhold-command-${{", "rankhold-${{"), "    concurrency:"),
        wrong("command-unqueued", answered().but("      queue: max #", "      #"), "    concurrency:"),
        wrong("command-unqueued", answered().but(QUEUE, ""), "  answer:"),
        // What is approved and not committed.
        wrong("approvals-unfiled", Setup::forks().answers(), "  issue_comment:"),
        wrong("approvals-unfiled", Setup::forks_with_programs().answers(), "  issue_comment:"),
        wrong("approvals-unfiled", filed().but("      contents: write # the branch", "      contents: read #"), "    permissions:"),
        wrong("approvals-unfiled", filed().but("      pull-requests: write # the pull request from it\n", ""), "    permissions:"),
        wrong("permissions-broad", filed().but("      contents: write # the branch", "      packages: write\n      contents: write # the branch"), "    permissions:"),
        wrong("permissions-broad", same().but("      contents: read # the tree", "      contents: write # the tree"), "    permissions:"),
        // Names, and who else publishes.
        wrong("job-named-as-check", same().but("name: judge", "name: rankhold/verdict"), "    name: rankhold/verdict"),
        wrong("job-named-as-check", same().also(OTHER, &CI.replace("test:\n", "test:\n    name: Rankhold/Verdict (v1)\n").replace("  merge_group:\n", "")), "    name: Rankhold/Verdict (v1)"),
        wrong("judged-twice", same().also(OTHER, &second), "      - uses: rankhold"),
        wrong("judged-twice", Setup::forks().also(MAIN, &page("docs/workflows/same-repository.yml").text), "      - uses: rankhold"),
        wrong("comment-shared", same().also(OTHER, &second.replace(STEP, &with("suites: docs"))), "      - uses: rankhold"),
        wrong("check-shared", same().also(OTHER, &second.replace(STEP, &with("id: second\n          suites: docs"))), "      - uses: rankhold"),
        wrong("pushes-judged-twice", answered().also(PROPOSE, &page("docs/workflows/propose.yml").text), "  push:"),
        wrong("pushes-judged-twice", Setup::forks_with_programs().answers().also(PROPOSE, &page("docs/workflows/propose-external.yml").text), "  push:"),
        wrong("legs-publish", same().but("    runs-on", "    strategy:\n      matrix:\n        suite: [docs, code]\n    runs-on"), "      - uses: rankhold"),
        // Results on their way.
        wrong("review-skipped", Setup::of("external").but("    if: ${{ !cancelled() }} # what could not be measured is a verdict too\n", ""), "    needs: measure"),
        wrong("review-skipped", Setup::of("matrix").but("if: ${{ !cancelled() }} # what", "if: github.actor != 'x' # what"), "    needs: measure"),
        wrong("results-lost", Setup::of("external").but("        if: ${{ !cancelled() }}\n", ""), "      - name: hand the results on"),
        wrong("setup-missing", Setup::of("external").but("      - uses: rankhold/rankhold/setup@main # zizmor: ignore[unpinned-uses] there is no release yet: pin the commit of one\n", ""), "      - name: measure"),
        wrong("results-unmade", Setup::of("external").but("rankhold action # without a token it only measures", "rankhold run"), "        run: rankhold run"),
        wrong("review-unordered", Setup::of("external").but("    needs: measure\n", ""), "  review:"),
        wrong("results-unfound", Setup::of("external").but("pattern: rankhold-results", "name: results"), "          name: results"),
        wrong("results-unfound", Setup::of("matrix").but("pattern: rankhold-results-*", "pattern: results-*"), "          pattern: results-*"),
        wrong("legs-overwrite", Setup::of("matrix").but("rankhold-results-${{ matrix.suite }}", "rankhold-results"), "          name: rankhold-results"),
        // Runs beside each other.
        wrong("concurrency-missing", same().but(CONCURRENCY, ""), "  judge:"),
        wrong("concurrency-shared", same().but("rankhold-${{ github.event.pull_request.number || github.ref }}", "rankhold"), "    concurrency:"),
        wrong("concurrency-shared", Setup::of("merge-queue").but(" || github.ref", ""), "    concurrency:"),
        wrong("concurrency-shared", Setup::forks().but("rankhold-publish-${{ github.event.workflow_run.head_repository.full_name }}-${{ github.event.workflow_run.head_branch }}", "rankhold-${{ github.ref }}"), "    concurrency:"),
        wrong("concurrency-shared", Setup::of("matrix").but("-${{ matrix.suite }}-${{", "-${{"), "    concurrency:"),
        wrong("concurrency-shared", same().but("permissions: {}\n", "permissions: {}\nconcurrency: rankhold-${{ github.event.pull_request.number || github.ref }}\n"), "    concurrency:"),
        wrong("concurrency-shared", same().also(OTHER, &second.replace("group: second-", "group: rankhold-").replace(STEP, &with("id: second\n          suites: docs"))), "    concurrency:"),
        wrong("concurrency-branch", same().but("rankhold-${{ github.event.pull_request.number || github.ref }}", "rankhold-${{ github.head_ref }}"), "    concurrency:"),
        wrong("concurrency-branch", same().but("rankhold-${{ github.event.pull_request.number || github.ref }}", "rankhold-${{ github.head_ref || github.run_id }}"), "    concurrency:"),
        wrong("concurrency-waits", same().but("cancel-in-progress: true", "cancel-in-progress: false"), "    concurrency:"),
        // What the action is given.
        wrong("input-unknown", same().but(STEP, &with("tolerence: 0.02 # two points")), "          tolerence: 0.02"),
        wrong("input-unknown", same().but(STEP, &with("nonsense: x")), "          nonsense: x"),
        wrong("input-unknown", Setup::of("external").but("rankhold/rankhold/setup@main # zizmor: ignore[unpinned-uses] there is no release yet: pin the commit of one\n", "rankhold/rankhold/setup@main # zizmor: ignore[unpinned-uses]\n        with:\n          version: 1\n"), "          version: 1"),
        wrong("input-unfit", same().but(STEP, &with("tolerance: 5%")), "          tolerance: 5%"),
        wrong("input-unfit", same().but(STEP, &with("comment: sometimes")), "          comment: sometimes"),
        wrong("input-unfit", same().but(STEP, &with("publish: checks")), "          publish: checks"),
        wrong("input-unfit", same().but(STEP, &with("fail-step: true")), "          fail-step: true"),
        wrong("input-unfit", same().config(PROGRAMS).but(STEP, &with("suites: dosc")), "          suites: dosc"),
        wrong("input-unfit", same().but(STEP, &with("retrievers: bm52")), "          retrievers: bm52"),
        wrong("input-unfit", same().but(STEP, &with("config: rank.toml")), "          config: rank.toml"),
        wrong("input-unfit", same().but(STEP, &with("working-directory: site")), "          working-directory: site"),
        wrong("input-unfit", Setup::of("matrix").config(PROGRAMS).but("[docs, code]", "[docs, cod]"), "          suites: ${{ matrix.suite }}"),
        wrong("configuration-elsewhere", same().also("site/rankhold.toml", "version = 1\n"), "      - uses: rankhold"),
        wrong("token-literal", same().but(STEP, &with("token: secrets.GITHUB_TOKEN")), "          token: secrets.GITHUB_TOKEN"),
        wrong("token-literal", same().but(STEP, &with("token: $GITHUB_TOKEN")), "          token: $GITHUB_TOKEN"),
        wrong("token-literal", same().but(STEP, &with("token: ghp_0123456789")), "          token: ghp_"),
        wrong("token-literal", same().but(STEP, &with("token: ${{ secret.MY_PAT || github.token }}").replace(" || github.token", "")), "          token: ${{ secret.MY_PAT }}"),
        wrong("token-literal", same().but(STEP, &with("token: ${{ github.tokn }}")), "          token: ${{ github.tokn }}"),
        wrong("token-literal", same().but(STEP, &with("commit-token: secrets.APP")), "          commit-token: secrets.APP"),
        wrong("token-may-be-empty", same().but(STEP, &with("token: ${{ secrets.MY_PAT }}")), "          token: ${{ secrets.MY_PAT }}"),
        wrong("unpinned", same().but(" # zizmor: ignore[unpinned-uses] there is no release yet: pin the commit of one", ""), "      - uses: rankhold/rankhold@main"),
        wrong("input-unknown", Setup::full().but(FULL, &format!("{FULL}        with:\n          token: x\n")), "          token: x"),
        wrong("runner-unfit", Setup::full().but("ubuntu-24.04", "macos-15"), "    runs-on: macos-15"),
        wrong("unpinned", Setup::full().but(FULL, "      - uses: rankhold/rankhold/full@v1\n"), "      - uses: rankhold/rankhold/full@v1"),
        wrong("unpinned", same().but(STEP, "rankhold/rankhold@v1.2.3 # the newest\n"), "      - uses: rankhold/rankhold@v1.2.3"),
    ]
}

const RECORD: &str = "version = 1\n[approval]\nmode = \"record\"\n";

fn filed() -> Setup {
    Setup::forks().answers().proposes()
}

/// What each set-up may be told although nothing is wrong with it.
const KNOWN: [&str; 2] = ["forks-unheard", "commands-unheard"];

/// What may come up once something else is cured: where commands are answered, their approvals want files, and what
/// proposes these is the one that judges pushes.
const NEXT: [&str; 4] = ["forks-unheard", "commands-unheard", "approvals-unfiled", "pushes-judged-twice"];

/// The same where commands are answered.
const ANSWERED: [&str; 1] = ["forks-unheard"];

#[test]
fn what_is_documented_and_what_init_writes_has_no_findings() {
    let of = |name: &str| Setup::of(name);
    for (name, setup, known) in [
        ("same-repository", same(), &KNOWN[..]),
        ("external", of("external"), &KNOWN),
        ("external, with programs", of("external").programs(), &KNOWN),
        ("matrix", of("matrix"), &KNOWN),
        ("merge-queue", of("merge-queue"), &KNOWN),
        ("forks", Setup::forks(), &["commands-unheard"]),
        ("command", answered(), &ANSWERED),
        ("command, with programs", of("external").programs().answers(), &ANSWERED),
        ("command, merge-queue", of("merge-queue").answers(), &ANSWERED),
        ("command, forks", Setup::forks().answers(), &["approvals-unfiled"]),
        ("command, forks, files", filed(), &[]),
        (
            "command, record, files",
            answered().config(RECORD).but("contents: write # that", "contents: read # that").proposes(),
            &ANSWERED,
        ),
        ("forks, with programs", Setup::forks_with_programs(), &["commands-unheard"]),
        ("command, forks, with programs", Setup::forks_with_programs().answers(), &["approvals-unfiled"]),
        ("command, forks, files, with programs", Setup::forks_with_programs().answers().proposes(), &[]),
        ("command, files, with programs", of("external").programs().answers().proposes(), &ANSWERED),
        ("external, in the full container", Setup::full(), &KNOWN),
        ("compare", same().also(COMPARE, &page("docs/workflows/compare.yml").text), &KNOWN),
        ("init", Setup::init(), &ANSWERED),
    ] {
        let found = findings(&setup.tree());
        assert_eq!(rules(&found), known, "{name}: {found:#?}");
    }
    let documented = crate::pages::files("docs/workflows").len();
    assert_eq!(documented, 11, "the set-ups above are all that docs/workflows has");
}

#[test]
fn this_repository_s_own_workflows_have_no_findings() {
    let workflows = crate::pages::files(".github/workflows");
    assert!(workflows.iter().any(|file| file == COMMAND), "{workflows:?}");
    let others = ["action.yml", "rankhold.toml"].map(str::to_owned);
    let tree = Tree::new(&[(".git/HEAD", "ref: refs/heads/main\n")]);
    for file in workflows.iter().chain(&others) {
        tree.write(file, page(file).text);
    }
    let found = findings(&tree);
    assert_eq!(rules(&found), ANSWERED, "{found:#?}");
}

#[test]
fn whatever_is_broken_is_found_at_its_line() {
    let mut missed = Vec::new();
    for (at, Wrong { rule, setup, line }) in wrongs().iter().enumerate() {
        let tree = setup.tree();
        let found = findings(&tree);
        let is_there = |finding: &&Value| {
            let text = if tree.exists(finding["file"].as_str().unwrap()) {
                tree.read(finding["file"].as_str().unwrap())
            } else {
                String::new()
            };
            let number = usize::try_from(finding["line"].as_u64().unwrap()).unwrap();
            finding["rule"] == **rule && text.lines().nth(number - 1).unwrap_or_default().starts_with(line)
        };
        if found.iter().find(is_there).is_none() {
            missed.push(format!("{at}: {rule} at {line:?}: {found:#?}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn every_rule_is_broken_by_a_test() {
    let broken: BTreeSet<_> = wrongs().iter().map(|wrong| wrong.rule).collect();
    let all: BTreeSet<_> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(broken, all);
}

/// What is a question only once something else is cured.
const FOLLOWS: [(&str, &str); 4] = [
    ("token-literal", "token-may-be-empty"),
    ("key-missing", "unpinned"),
    ("unused", "unpinned"),
    ("pull-requests-unjudged", "unpinned"),
];

/// Rules whose cure is no lines: only the author knows, or a page says how.
const UNCURED: [&str; 7] = [
    "unreadable",
    "forks-unheard",
    "check-shared",
    "judged-twice",
    "action-wrapped",
    "input-unfit",
    "unpinned",
];

#[test]
fn the_lines_that_are_printed_cure_it() {
    let mut left = Vec::new();
    for (at, Wrong { rule, setup, .. }) in wrongs().iter().enumerate() {
        let tree = setup.tree();
        let before = findings(&tree);
        let finding = before.iter().find(|finding| finding["rule"] == *rule).unwrap();
        if is_curable(finding) == UNCURED.contains(rule) {
            left.push(format!("{at}: {finding:#?}"));
        }
        if !is_curable(finding) {
            assert!(finding["next"].as_str().unwrap().len() > 10, "{finding:#?}");
            continue;
        }
        cure(&tree, finding);
        let after = findings(&tree);
        let files: Vec<_> = setup.files.iter().map(|(file, _)| tree.read(file)).collect();
        let context = || format!("{at}: {finding:#?}\n{after:#?}\n{}", files.join("\n---\n"));
        if rules(&after).contains(rule) {
            left.push(context());
        }
        // Nothing else breaks by it.
        let new: Vec<_> = rules(&after)
            .into_iter()
            .filter(|new| !rules(&before).contains(new) && !NEXT.contains(new))
            .filter(|new| !FOLLOWS.contains(&(*rule, *new)))
            .collect();
        if !new.is_empty() {
            left.push(format!("{new:?} {}", context()));
        }
    }
    assert!(left.is_empty(), "{} of them: {}", left.len(), left.join("\n\n"));
}

#[test]
fn one_finding_after_the_other_is_cured_until_none_is_left() {
    let broken = "name: gate\non: pull_request\njobs:\n  gate:\n    name: rankhold/verdict\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: rankhold/rankhold@main\n        with:\n          suite: docs\n";
    let tree = Setup { files: vec![(MAIN, broken.to_owned())], config: None }.tree();
    let mut rounds = 0;
    while let Some(finding) = findings(&tree).iter().find(|finding| is_curable(finding)) {
        cure(&tree, finding);
        rounds += 1;
        assert!(rounds < 20, "{finding:#?}\n{}", tree.read(MAIN));
    }
    assert!(rounds >= 6, "{rounds}");
    assert_eq!(rules(&findings(&tree)), ["forks-unheard", "unpinned"], "{}", tree.read(MAIN));
}

/// Cures whatever can be cured, one after the other, and says what is left.
#[track_caller]
fn cured(tree: &Tree) -> Vec<String> {
    for _ in 0..20 {
        let found = findings(tree);
        let Some(finding) = found.iter().find(|finding| is_curable(finding)) else {
            return rules(&found).into_iter().map(str::to_owned).collect();
        };
        cure(tree, finding);
    }
    panic!("there is no end of it: {:#?}", findings(tree));
}

#[test]
fn cures_lead_to_an_end() {
    let command = page("docs/workflows/command.yml").text;
    let propose = page("docs/workflows/propose.yml").text;
    let recording: &str = PROGRAMS_RECORDED;
    for setup in [
        Setup::only(COMMAND, &command).programs(),
        Setup::only(PROPOSE, &propose).programs(),
        Setup::only(PROPOSE, &propose).also(COMMAND, &command).programs(),
        same().answers().also(PROPOSE, &propose).programs(),
        Setup::of("external").answers().config(recording),
        Setup::of("external").answers().proposes().config(recording),
    ] {
        let tree = setup.tree();
        assert_eq!(cured(&tree), ANSWERED, "{:?}", setup.files);
    }
    assert_eq!(cured(&Setup::forks().answers().programs().tree()), [""; 0]);
}

const PROGRAMS_RECORDED: &str = "version = 1\n[[suite]]\npath = \"suites/docs.json\"\nretrievers = [\"ours\"]\n\
                                 [[retriever]]\nname = \"ours\"\nkind = \"command\"\nargv = [\"search\", \"{query}\"]\n\
                                 [approval]\nmode = \"record\"\n";

#[test]
fn a_group_that_is_proposed_is_nobody_s() {
    // Of two that judge the same, one would be told to go.
    let other = page("docs/workflows/external.yml")
        .text
        .replace("          result:", "          suites: code\n          result:");
    let tree = Setup::of("external").also(OTHER, &other).tree();
    for left in [2, 1, 0] {
        let found = findings(&tree);
        let shared: Vec<_> = found.iter().filter(|it| it["rule"] == "concurrency-shared").collect();
        assert_eq!(shared.len(), left, "{found:#?}");
        if let Some(first) = shared.first() {
            cure(&tree, first);
        }
    }
    let groups = tree.read(MAIN) + &tree.read(OTHER);
    let groups: Vec<_> = groups.lines().filter(|line| line.contains("group:")).collect();
    assert_eq!(groups.iter().collect::<BTreeSet<_>>().len(), 4, "{groups:?}");
}

#[test]
fn an_event_that_github_does_not_have_is_said_to_be_another() {
    let on = format!("on:\n  pull_request:\n{TYPES}  push:\n    branches: [main]\n");
    for (wrong, right) in [
        ("on: [push, pull_requests]\n", "on: [push, pull_request]\n"),
        ("on: pull-request\n", "on: pull_request\n"),
        ("on:\n  - push\n  - pull_reqest # here\n", "on:\n  - push\n  - pull_request # here\n"),
        ("on: [pull_request, pull_requests]\n", "on: [pull_request]\n"),
    ] {
        let tree = same().but(&on, wrong).tree();
        let found = findings(&tree);
        let finding = found.iter().find(|finding| finding["rule"] == "event-unknown").unwrap();
        assert!(finding["message"].as_str().unwrap().ends_with("did you mean `pull_request`?"), "{finding}");
        assert!(!rules(&found).contains(&"pull-requests-unjudged"), "{found:#?}");
        cure(&tree, finding);
        assert!(tree.read(MAIN).contains(right), "{}", tree.read(MAIN));
    }
}

#[test]
fn a_called_workflow_is_held_against_the_events_of_its_callers() {
    let on = format!("  pull_request:\n{TYPES}  push:\n    branches: [main]\n");
    let reusable = || same().but(&on, "  workflow_call:\n").but(CONCURRENCY, "");
    // Nobody knows who calls it, and so neither what its token needs nor what it hears.
    let unheard = findings(&reusable().tree());
    assert_eq!(rules(&unheard), [""; 0], "{unheard:#?}");
    let caller = |on: &str| {
        let calls = format!("on:\n{on}jobs:\n  rank:\n    uses: ./.github/workflows/rankhold.yml\n");
        findings(&reusable().also(OTHER, &calls).tree())
    };
    let of_pulls = caller(&on);
    assert_eq!(rules(&of_pulls), ["commands-unheard"], "{of_pulls:#?}");
    let of_groups = caller("  merge_group:\n");
    let finding = of_groups.iter().find(|finding| finding["rule"] == "permissions-broad").unwrap();
    assert!(finding["message"].as_str().unwrap().contains("pull-requests: write"), "{finding}");
    let of_pushes = caller("  push:\n");
    assert!(rules(&of_pushes).contains(&"pull-requests-unjudged"), "{of_pushes:#?}");
}

#[test]
fn a_token_that_stands_in_the_file_is_not_repeated() {
    let tree = same().but(STEP, &format!("{STEP}        with:\n          token: ghp_0123456789\n")).tree();
    let ran = tree.run("doctor --workflow").ends(2).says(&["error[token-literal]", "revoke it"]);
    assert!(!ran.out.contains("ghp_"), "{}", ran.out);
}

#[test]
fn the_line_that_pins_keeps_the_dash_of_its_step() {
    let unpinned =
        || same().but(" # zizmor: ignore[unpinned-uses] there is no release yet: pin the commit of one", "");
    let lines = |setup: Setup| {
        let found = findings(&setup.tree());
        let finding = found.iter().find(|finding| finding["rule"] == "unpinned").unwrap().clone();
        let next = finding["next"].as_str().unwrap();
        assert!(next.contains("git ls-remote https://github.com/rankhold/rankhold HEAD"), "{next}");
        finding["lines"].clone()
    };
    let first = "      - uses: rankhold/rankhold@COMMIT # its version";
    assert_eq!(lines(unpinned()), serde_json::json!([first]));
    let named = unpinned().but("      - uses: rankhold", "      - name: judge\n        uses: rankhold");
    assert_eq!(lines(named), serde_json::json!(["        uses: rankhold/rankhold@COMMIT # its version"]));
}

#[test]
fn of_two_that_judge_the_same_one_is_to_go() {
    let beside = Setup::forks().also(MAIN, &page("docs/workflows/same-repository.yml").text);
    let found = findings(&beside.tree());
    let finding = found.iter().find(|finding| finding["rule"] == "judged-twice").unwrap();
    let next = finding["next"].as_str().unwrap();
    assert!(next.starts_with("remove .github/workflows/rankhold.yml: "), "{next}");
    for advice in ["comment-shared", "check-shared", "concurrency-shared"] {
        assert!(!rules(&found).contains(&advice), "{advice}");
    }
}

#[test]
fn no_advice_follows_from_an_event_that_is_misspelt() {
    let found = findings(&same().but("  pull_request:\n", "  pull_requests:\n").tree());
    assert!(rules(&found).contains(&"event-unknown"));
    assert!(!rules(&found).contains(&"permissions-broad"), "{found:#?}");
}

#[test]
fn legs_that_publish_are_told_no_more_than_that() {
    let legs = Setup::of("matrix").but("          token: \"\" # it only measures\n", "");
    let found = findings(&legs.tree());
    assert!(rules(&found).contains(&"legs-publish"), "{found:#?}");
    assert!(!rules(&found).contains(&"permission-missing"), "{found:#?}");
    // The review is there already.
    let tree = legs.tree();
    cure(&tree, found.iter().find(|finding| finding["rule"] == "legs-publish").unwrap());
    assert_eq!(rules(&findings(&tree)), KNOWN);
}

#[test]
fn what_means_to_propose_is_told_what_it_lacks_for_that() {
    let found = findings(&filed().but("      contents: write # the branch", "      contents: read #").tree());
    assert_eq!(rules(&found), ["approvals-unfiled"], "{found:#?}");
    assert!(found[0]["message"].as_str().unwrap().contains("`contents: write` is missing"), "{found:#?}");
}

#[test]
fn a_whole_workflow_is_shown_for_the_default_branch_that_is_known() {
    let tree = Tree::new(&[(".git/HEAD", "ref: refs/heads/trunk\n")]);
    let found = findings(&tree);
    let lines = found[0]["lines"].as_array().unwrap();
    assert!(lines.contains(&"    branches: [trunk]".into()), "{lines:#?}");
    tree.write("docs/a.md", "# Nothing else is called like this\n");
    tree.run("init").ends(0);
    assert!(tree.read(MAIN).contains("    branches: [trunk]\n"), "{}", tree.read(MAIN));
}

#[test]
fn init_writes_no_workflow_beside_one_that_judges() {
    let tree = Setup::forks().tree();
    tree.write("docs/a.md", "# Nothing else is called like this\n");
    tree.run("init").ends(0).says(&["rankhold-command.yml"]);
    assert!(!tree.exists(MAIN));
    assert_eq!(rules(&findings(&tree)), ["approvals-unfiled"]);
}

#[test]
fn a_stranger_s_tree_may_lie_there_as_data() {
    let head = format!("{CHECKOUT}          ref: ${{{{ github.event.pull_request.head.sha }}}}\n");
    let is_wrong =
        |steps: String| rules(&findings(&on_the_head(&steps).tree())).contains(&"target-runs-programs");
    assert!(!is_wrong(head.clone()));
    assert!(!is_wrong(format!(
        "      - run: make tools\n{head}      - run: mkdir \"$RUNNER_TEMP/results\"\n"
    )));
    assert!(is_wrong(format!("{head}      - run: echo x && ./build\n")));
    assert!(is_wrong(format!("{head}      - uses: other/build@v1\n")));
}

#[test]
fn a_job_that_fails_by_itself_judges_pull_requests() {
    let runs = Setup::only(MAIN, &CI.replace("make test", "rankhold run"));
    assert!(!rules(&findings(&runs.tree())).contains(&"pull-requests-unjudged"));
}

#[test]
fn a_workflow_of_other_events_keeps_them_with_two_jobs() {
    let of_branch = same().but(&format!("  pull_request:\n{TYPES}"), "").programs();
    for setup in [of_branch, Setup::of("merge-queue").programs()] {
        let found = findings(&setup.tree());
        let finding = found.iter().find(|finding| finding["rule"] == "one-job").unwrap();
        let next = finding["next"].as_str().unwrap();
        assert!(!is_curable(finding) && next.contains("external.yml: its two jobs"), "{finding}");
    }
}

#[test]
fn workflows_below_another_folder_are_never_read() {
    let tree = Tree::new(&[(".git/HEAD", "x")]);
    tree.write("app/.github/workflows/rankhold.yml", page("docs/workflows/same-repository.yml").text);
    tree.write("other/.github/workflows/ci.yml", CI);
    for folder in ["", "app"] {
        let found = findings_in(&tree, folder);
        assert_eq!(rules(&found), ["unused"]);
        let message = found[0]["message"].as_str().unwrap();
        assert!(message.contains("those of app/.github/workflows are never read"), "{message}");
        assert_eq!(found[0]["lines"], serde_json::json!(["working-directory: app"]));
    }
}

#[test]
fn init_in_a_folder_of_a_repository_says_where_workflows_belong() {
    let tree = Tree::new(&[(".git/HEAD", "x"), ("app/docs/a.md", "# Nothing else is called like this\n")]);
    let ran = tree.run("init --repo app");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("`working-directory: app`"), "{}", ran.err);
}

#[test]
fn a_workflow_of_both_is_held_by_the_job() {
    let text = page("docs/workflows/command.yml").text;
    let job = text.split("jobs:\n").nth(1).unwrap();
    let tree = same()
        .but("on:\n", &format!("on:\n  issue_comment:\n{ON_COMMENT}"))
        .but("    name: judge", "    if: ${{ github.event_name != 'issue_comment' }}\n    name: judge")
        .but("\njobs:\n", &format!("\njobs:\n{job}\n"))
        .tree();
    // The action looks for another file, and nothing else is wrong.
    assert_eq!(rules(&findings(&tree)), ["forks-unheard", "commands-elsewhere"]);
}

#[test]
fn where_files_are_trusted_nobody_needs_to_read_comments() {
    let trusting = same().config("version = 1\n[approval]\nmode = \"file\"\n");
    assert_eq!(rules(&findings(&trusting.tree())), ANSWERED);
    let recording = "version = 1\n[approval]\nmode = \"record\"\n";
    let reads = answered().config(recording).but("contents: write #", "contents: read #");
    assert_eq!(rules(&findings(&reads.tree())), ["approvals-unfiled", "forks-unheard"]);
}

#[test]
fn the_repository_s_own_command_workflow_is_the_documented_one() {
    assert_eq!(page(COMMAND).text, page("docs/workflows/command.yml").text);
}

#[test]
fn lines_are_printed_with_the_indentation_of_their_place() {
    let tree = same().but("      checks: write # the verdict\n", "").tree();
    tree.run("doctor --workflow").ends(2).says(&[
        ".github/workflows/rankhold.yml:18: error[permission-missing]: job `judge`: `checks: write` is missing: the verdict",
        "\n  next: in the place of lines 18 to 21:\n\n    permissions:\n      actions: read # when",
        "\n      checks: write # the verdict\n",
        "1 workflow read: 1 error, 0 warnings, 2 notes\n",
    ]);
}

#[test]
fn a_repository_without_workflows_is_shown_one() {
    let tree = Tree::new(&[(".git/HEAD", "x")]);
    let ran = tree.run("doctor --workflow").ends(2);
    assert!(ran.out.contains(&page("docs/workflows/same-repository.yml").text), "{}", ran.out);
}

#[test]
fn only_the_flag_looks_at_workflows() {
    let tree = same().also(OTHER, "on: [\n").tree();
    tree.run("doctor").ends(0);
    tree.run("doctor --workflow").ends(2).says(&["other.yml:1: error[unreadable]"]);
}

#[test]
fn rankhold_toml_in_a_folder_is_of_that_folder() {
    let tree = same().tree();
    tree.write("search/rankhold.toml", PROGRAMS);
    // The step measures the whole repository, of which that file says nothing.
    for folder in ["", "search"] {
        let found = findings_in(&tree, folder);
        assert!(!rules(&found).contains(&"one-job"), "{found:#?}");
        let finding = found.iter().find(|it| it["rule"] == "configuration-elsewhere").unwrap();
        assert_eq!(
            finding["lines"],
            serde_json::json!(["        with:", "          working-directory: search"])
        );
    }
    let text = tree.read(MAIN).replacen(
        STEP,
        &format!("{STEP}        with:\n          working-directory: search\n"),
        1,
    );
    tree.write(MAIN, text);
    // Wherever one stands, the folder that the step names decides.
    for folder in ["search", "", "docs"] {
        std::fs::create_dir_all(tree.path(folder)).unwrap();
        assert!(rules(&findings_in(&tree, folder)).contains(&"one-job"), "{folder}");
    }
}

fn findings_in(tree: &Tree, folder: &str) -> Vec<Value> {
    tree.run_in(folder, "doctor --workflow --format json").json()["findings"].as_array().unwrap().clone()
}

#[test]
fn what_a_step_asks_for_decides_whether_programs_run() {
    let with = |key: &str| same().programs().but(STEP, &format!("{STEP}        with:\n          {key}\n"));
    let is_wrong = |setup: Setup| rules(&findings(&setup.tree())).contains(&"one-job");
    let ask = |key: &str| is_wrong(with(key));
    assert!(ask("suites: docs") && ask("suites: suites/docs.json") && ask("retrievers: bm25, ours"));
    assert!(!ask("retrievers: bm25") && !ask("suites: other") && !ask("result: ${{ runner.temp }}/results"));
    // Without the input the job's token is still there, and what it may do decides.
    assert!(ask("token: \"\""));
    assert!(!is_wrong(with("token: \"\"").but(PERMISSIONS, "    permissions:\n      contents: read\n")));
}

#[test]
fn the_default_branch_is_the_one_that_the_clone_remembers() {
    let tree = same().tree();
    tree.write(".git/refs/remotes/origin/HEAD", "ref: refs/remotes/origin/trunk\n");
    let found = findings(&tree);
    let finding = found.iter().find(|finding| finding["rule"] == "default-branch-unheard").unwrap();
    assert_eq!(finding["lines"], serde_json::json!(["  push:", "    branches: [trunk]"]));
}

#[test]
fn the_only_branch_is_the_default_branch() {
    let heard = |files: &[(&str, &str)]| {
        let tree = Setup::init().tree();
        tree.write(".git/HEAD", "ref: refs/heads/trunk\n");
        for (file, text) in files {
            tree.write(file, text);
        }
        !rules(&findings(&tree)).contains(&"default-branch-unheard")
    };
    let ours = (".git/refs/heads/trunk", "x\n");
    assert!(!heard(&[]) && !heard(&[ours]) && !heard(&[ours, (".git/refs/remotes/origin/trunk", "x\n")]));
    // Which of several it is nobody knows, nor what a checkout of one commit is of.
    assert!(heard(&[ours, (".git/refs/heads/main", "x\n")]));
    assert!(heard(&[ours, (".git/packed-refs", "# pack-refs\nx refs/remotes/origin/main\n")]));
    assert!(heard(&[ours, (".git/shallow", "x\n")]));
}

#[test]
fn an_action_of_the_repository_itself_is_known_by_its_name() {
    let local = |name: &str| {
        let setup =
            same().but(&format!("uses: {STEP}"), "uses: ./tools/gate\n        with:\n          suite: x\n");
        let tree = setup.tree();
        tree.write("tools/gate/action.yml", format!("name: {name}\nruns: {{}}\n"));
        findings(&tree)
    };
    assert!(rules(&local("Rankhold")).contains(&"input-unknown"));
    assert_eq!(rules(&local("Other")), ["unused"]);
}

#[test]
fn a_called_workflow_may_use_rankhold() {
    let calls = |uses: &str| {
        let text = format!("on: pull_request\njobs:\n  a:\n    uses: {uses}\n");
        rules(&findings(&Setup { files: vec![(MAIN, text)], config: None }.tree())).is_empty()
    };
    assert!(
        calls("acme/shared/.github/workflows/rankhold.yml@v1")
            && !calls("acme/shared/.github/workflows/x.yml@v1")
    );
}

#[cfg(unix)]
#[test]
fn a_workflow_that_leads_out_of_the_repository_is_not_read() {
    let tree = same().tree();
    tree.write("../outside.yml", "secret: text\n");
    std::os::unix::fs::symlink(tree.path("../outside.yml"), tree.path(OTHER)).unwrap();
    let ran = tree.run("doctor --workflow").ends(2).says(&["other.yml:1: error[unreadable]", "leads out of"]);
    assert!(!ran.out.contains("secret"), "{}", ran.out);
}
