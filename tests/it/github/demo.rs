//! The demonstration: what people see of rankhold on GitHub, from the first pull request on. Each step is the program, run
//! as a runner runs it, against the stand-in; what it shows is asserted, and told in `docs/demo.md`.
//!
//! `scripts/demo.sh` runs it and prints the transcript; `RANKHOLD_BLESS=1` writes it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rankhold::github::Sha;

use super::fake::PROPOSE;
use super::fake::world::Merge;
use super::stage::{Ended, REPOSITORY, Stage, Step};
use crate::pages::assert_page;
use crate::program::suite;

/// What was done and what came of it, as it is told.
struct Demo {
    stage: Stage,
    text: String,
    scene: u32,
    /// Each step is a workflow run of its own.
    run: u64,
    /// What commits are called.
    names: BTreeMap<Sha, &'static str>,
}

/// A comment's most important part, quoted: the reasons and the lost cases, without what is folded.
fn beginning(comment: &str) -> String {
    let end = comment.find("\n#### Figures").unwrap_or(comment.len());
    let (mut folded, mut quoted) = (false, String::new());
    for line in comment[..end].trim_end().lines() {
        folded |= line.starts_with("<details>");
        let is_repeated_blank = line.is_empty() && quoted.ends_with("\n>\n");
        if !folded && !is_repeated_blank {
            quoted.push_str(format!("> {line}").trim_end());
            quoted.push('\n');
        }
        folded &= line != "</details>";
    }
    quoted.trim_end_matches("\n>\n").trim_end().to_owned()
}

impl Demo {
    fn new(stage: Stage) -> Self {
        let text = "# A demonstration\n\n\
            Produced by `scripts/demo.sh`, which runs the program against the stand-in for GitHub that the tests use \
            (`tests/it/github/demo.rs`) and asserts every verdict below. Commits are named instead of numbered; comments \
            are shown down to the lost cases, without what is folded.\n\n\
            The repository has four pages, `docs/roses.md`, `docs/beans.md`, `docs/compost.md` and `docs/slugs.md`, and a \
            suite `suites/garden.json` that asks one question for each.\n";
        Self { stage, text: text.to_owned(), scene: 0, run: 100, names: BTreeMap::new() }
    }

    fn scene(&mut self, title: &str, what: &str) {
        self.scene += 1;
        let _ = write!(self.text, "\n## {}. {title}\n\n{what}\n", self.scene);
    }

    fn say(&mut self, what: &str) {
        let _ = write!(self.text, "\n{what}\n");
    }

    /// Runs a step as the next workflow run, and tells how it ended.
    fn step(&mut self, event: &str, step: impl FnOnce(&Stage) -> Step<'_>) -> Ended {
        self.run += 1;
        let ended = step(&self.stage).with("GITHUB_RUN_ID", self.run.to_string()).run();
        let output = |name: &str| ended.outputs.get(name).map_or("–", String::as_str);
        let _ = write!(
            self.text,
            "\n`{event}`: verdict `{}`, exit code {}; the step ends with {}.\n",
            output("verdict"),
            output("exit-code"),
            ended.ran.code,
        );
        ended
    }

    /// The workflow on a pull request's head.
    fn review(&mut self, pull: u64) -> Ended {
        self.step("pull_request", |stage| stage.step(pull))
    }

    /// Tells what stands at a commit, and asserts on its conclusion.
    #[track_caller]
    fn check(&mut self, commit: &Sha, expected: &str) {
        let name = self.stage.fake.with(|world| world.checks(REPOSITORY, commit)[0].name.clone());
        let (conclusion, title, _) = self.stage.verdict(commit);
        assert_eq!(conclusion, expected, "{title}");
        let mark = match conclusion.as_str() {
            "success" => "✅",
            "neutral" => "⚪",
            _ => "❌",
        };
        let _ = write!(self.text, "\nCheck `{name}`: {mark} **{conclusion}**, “{title}”\n");
    }

    /// Tells the one comment of a pull request, and asserts on what it says.
    #[track_caller]
    fn comment(&mut self, pull: u64, words: &[&str]) {
        let comment = self.stage.report(pull);
        for words in words {
            assert!(comment.contains(words), "{words}: {comment}");
        }
        let _ = write!(self.text, "\nComment:\n\n{}\n", beginning(&comment));
    }

    /// Somebody writes below a pull request, and the command workflow hears it.
    #[track_caller]
    fn says(&mut self, pull: u64, login: &str, body: &str, answered: &[&str]) {
        let _ = write!(self.text, "\n`{login}` writes:\n\n> {body}\n");
        let before = self.stage.comments(pull).len();
        self.run += 1;
        let ended = self.stage.said(pull, login, body).with("GITHUB_RUN_ID", self.run.to_string()).run();
        ended.ran.ends(0);
        let comments = self.stage.comments(pull);
        let reply = comments[before + 1..].last().expect("an answer");
        for words in answered {
            assert!(reply.contains(words), "{words}: {reply}");
        }
        let visible: Vec<&str> = reply.lines().filter(|line| !line.starts_with("<!--")).collect();
        let _ = write!(self.text, "\nThe answer:\n\n{}\n", beginning(&visible.join("\n")));
    }

    /// With names for what differs from run to run.
    fn told(self) -> String {
        let token = regex::Regex::new(r"\b[0-9a-f]{32}\b").unwrap();
        let mut tokens: Vec<String> = Vec::new();
        for found in token.find_iter(&self.text) {
            if !tokens.iter().any(|known| known == found.as_str()) {
                tokens.push(found.as_str().to_owned());
            }
        }
        let mut text = self.text;
        for (at, token) in tokens.iter().enumerate() {
            text = text.replace(token, &format!("TOKEN-{}", at + 1));
        }
        for (sha, name) in &self.names {
            text = text.replace(sha.as_str(), name).replace(sha.short(), name);
        }
        text
    }
}

/// Pages that push others down.
fn noise(name: &str, about: &str) -> [(String, String); 4] {
    let text = format!("# {about}\n\n{about}. {about}. {about}.\n");
    [1, 2, 3, 4].map(|at| (format!("docs/{name}-{at}.md"), text.clone()))
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

fn first_pull(demo: &mut Demo) {
    demo.scene(
        "The first pull request",
        "Ada adds a page. Nobody has approved any figures yet, so there is nothing to hold it against.",
    );
    let main = demo.stage.tip("main");
    demo.names.insert(main, "main of the beginning");
    let pull = demo.stage.pull("tulips", &[("docs/tulips.md", "# Tulips\n\nPlant tulips in autumn.\n")]);
    demo.review(pull).ran.ends(0);
    let head = demo.stage.head(pull);
    demo.check(&head, "neutral");
    demo.comment(pull, &["There is no approved baseline yet", "rankhold approve --by NAME"]);
}

fn first_baseline(demo: &mut Demo) {
    demo.scene(
        "The first baseline",
        "Ada runs `rankhold approve --by ada` on `main` and commits `baselines/garden.bm25.json`: hit@3 is 4 of 4.",
    );
    demo.stage.approve_main();
    let main = demo.stage.tip("main");
    demo.names.insert(main, "main");
}

fn loses_two(demo: &mut Demo, files: &[(String, String)]) -> u64 {
    demo.scene(
        "A pull request that loses two cases",
        "Bea adds eight pages that say again and again what the pages on beans and roses say once.",
    );
    let pull = demo.stage.pull("seeds", &borrowed(files));
    let lost_at = demo.stage.head(pull);
    let ended = demo.review(pull);
    assert_eq!(ended.outputs["lost"], "2");
    ended.ran.ends(0);
    demo.check(&lost_at, "failure");
    demo.comment(pull, &["`beans`", "`roses`", "(added here)"]);
    demo.say("The step itself is green: the verdict is the check's, so that an approval can turn it without another run.");
    pull
}

fn is_repaired(demo: &mut Demo, pull: u64, files: &[(String, String)]) {
    demo.scene(
        "A push that repairs it",
        "Bea moves what she wrote out of the way. The comment is the same one, with another text.",
    );
    let quiet: Vec<_> =
        files.iter().map(|(path, _)| (path.clone(), "# Notes\n\nNothing yet.\n".to_owned())).collect();
    demo.stage.commit("seeds", &borrowed(&quiet));
    let repaired = demo.stage.head(pull);
    demo.review(pull).ran.ends(0);
    demo.check(&repaired, "success");
    demo.comment(pull, &["The ranking holds"]);
}

fn fails_closed(demo: &mut Demo) {
    demo.scene(
        "What fails closed",
        "Each of these would make a gate green that only looks at a number: the loss is no longer asked for, no longer \
         measured, or measured against something easier.",
    );
    let renamed = "version = 1\n\n[[suite]]\nname = \"plot\"\npath = \"suites/garden.json\"\n";
    let shrunken = "version = 1\n\n[corpus]\nexclude = [\"docs/s*\"]\n";
    let fewer = suite("Garden", &[("compost", "turn the compost heap", "docs/compost.md")]);
    for (branch, what, path, text, words) in [
        ("renamed", "The suite gets another name.", "rankhold.toml", renamed, "no longer configured"),
        ("shrunken", "The corpus leaves files out.", "rankhold.toml", shrunken, "corpus exclude"),
        (
            "fewer",
            "The cases that were lost are no longer in the suite.",
            "suites/garden.json",
            &fewer,
            "the suite changed",
        ),
    ] {
        demo.say(&format!("**{what}**"));
        let pull = demo.stage.pull(branch, &[(path, text)]);
        demo.review(pull);
        let head = demo.stage.head(pull);
        demo.check(&head, "failure");
        demo.comment(pull, &[words]);
    }
    demo.say("**A pair is not measured**: the workflow measures another suite alone.");
    let other = suite("Other", &[("compost", "turn the compost heap", "docs/compost.md")]);
    let pull = demo.stage.pull("missing", &[("suites/other.json", &other)]);
    demo.step("pull_request", |stage| stage.step(pull).input("suites", "other")).ran.ends(3);
    let head = demo.stage.head(pull);
    demo.check(&head, "failure");
    demo.comment(pull, &["no result of it was measured"]);
}

fn comes_from_a_fork(demo: &mut Demo, files: &[(String, String)]) -> u64 {
    demo.scene(
        "The pull request of a fork",
        "Mallory's fork gets a token that only reads. The workflow of the pull request measures and leaves its results as an \
         artifact; a second workflow, which runs the default branch's file and holds a token that writes, finds the pull \
         request by itself, proves which tree was measured, measures again, and publishes.",
    );
    let pull = demo.stage.fork_pull_of(files);
    let head = demo.stage.head(pull);
    let reader = demo.stage.reader.clone();
    let measured = demo.step("pull_request", |stage| stage.step(pull).token(Some(&reader)));
    assert!(demo.stage.comments(pull).is_empty(), "a reading token wrote");
    measured.ran.ends(1);
    demo.say("The step is red, since nothing else can carry the verdict there. Then the second workflow:");
    let left = measured.files.clone();
    demo.step("workflow_run", |stage| stage.publishing(pull, &left, |_| {})).ran.ends(0);
    demo.check(&head, "failure");
    demo.comment(pull, &["`beans`", "`roses`"]);
    pull
}

fn is_queued(demo: &mut Demo, pull: u64) {
    demo.scene(
        "A merge group",
        "The queue makes a commit of the repaired pull request on top of `main` and asks for its checks. There is no comment: \
         the pull request has one already.",
    );
    let group = demo.stage.group(pull);
    demo.step("merge_group", |stage| stage.queued(&group)).ran.ends(0);
    demo.check(&group, "success");
}

fn is_approved(demo: &mut Demo, files: &[(String, String)]) -> u64 {
    demo.scene(
        "A loss that is meant",
        "The command workflow is on `main` by now. Bea proposes her pages once more, under other names: this time they are to \
         stay, and two questions of the suite lose their answers from the first three. Bea maintains the repository with Ada, \
         who owns it; Wim may write and is no approver.",
    );
    demo.stage.commit("main", &[(".github/workflows/rankhold-command.yml", "name: rankhold command\n")]);
    demo.stage.fake.with(|world| {
        world.role(REPOSITORY, "bea", "maintain");
        world.role(REPOSITORY, "wim", "write");
        world.user("mallory");
    });
    let renamed: Vec<_> =
        files.iter().map(|(path, text)| (path.replace("docs/", "docs/new-"), text.clone())).collect();
    let pull = demo.stage.pull("replace", &borrowed(&renamed));
    demo.review(pull).ran.ends(0);
    demo.comment(pull, &["/rankhold approve ", "`beans`", "`roses`"]);
    let token = demo.stage.shown_token(pull);
    let head = demo.stage.head(pull);

    demo.scene("Who may not approve", "A stranger and somebody who may write try; neither is an approver.");
    demo.says(pull, "mallory", &format!("/rankhold approve {token} looks fine"), &["not one of"]);
    demo.says(pull, "wim", &format!("/rankhold approve {token}"), &["not one of"]);
    assert_eq!(demo.stage.head(pull), head);
    demo.check(&head, "failure");

    demo.scene(
        "A stale token",
        "The author pushes once more. What was shown before stands for something else now.",
    );
    demo.stage.commit("replace", &[("docs/figs.md", "# Figs\n\nPick figs when they droop.\n")]);
    demo.review(pull).ran.ends(0);
    demo.says(pull, "bea", &format!("/rankhold approve {token}"), &["other figures", "/rankhold approve "]);
    let token = demo.stage.shown_token(pull);

    demo.scene(
        "The approval",
        "With the right token the figures become the baseline, in a commit on the pull request's branch.",
    );
    demo.says(
        pull,
        "bea",
        &format!("/rankhold approve {token} the new pages replace the old ones"),
        &["`bea` approved"],
    );
    let head = demo.stage.head(pull);
    demo.names.insert(head.clone(), "the approving commit");
    demo.check(&head, "success");

    demo.scene("The author pushes again", "Figures are compared with the approved ones from now on.");
    demo.stage.commit("replace", &[("docs/pears.md", "# Pears\n\nStore pears cool.\n")]);
    demo.review(pull).ran.ends(0);
    let head = demo.stage.head(pull);
    demo.check(&head, "success");

    demo.scene(
        "A copied record",
        "Somebody copies the approved baseline file into a pull request of his own. It was approved, but not there.",
    );
    let copied = demo.stage.checkout(&head).read("baselines/garden.bm25.json");
    let mut theirs: Vec<_> = borrowed(&renamed);
    theirs.push(("baselines/garden.bm25.json", &copied));
    let copy = demo.stage.pull("copied", &theirs);
    demo.review(copy);
    let head = demo.stage.head(copy);
    demo.check(&head, "failure");
    demo.comment(copy, &["no approval covers the change"]);
    pull
}

fn is_recorded_for_a_fork(demo: &mut Demo, pull: u64) {
    demo.scene(
        "An approval for a fork",
        "Nothing can be committed to Mallory's branch. The approval is the comment: every later review finds it again, as \
         long as it is not edited and its author may approve.",
    );
    let measured = {
        let reader = demo.stage.reader.clone();
        demo.step("pull_request", |stage| stage.step(pull).token(Some(&reader)))
    };
    let left = measured.files.clone();
    demo.step("workflow_run", |stage| stage.publishing(pull, &left, |_| {})).ran.ends(0);
    let token = demo.stage.shown_token(pull);
    demo.says(
        pull,
        "bea",
        &format!("/rankhold approve {token}"),
        &["`bea` approved", "Nothing was committed"],
    );
    let head = demo.stage.head(pull);
    demo.check(&head, "success");
    demo.say(
        "The workflow that publishes runs once more: what it measures is compared with what Bea approved.",
    );
    let ended = demo.step("workflow_run", |stage| stage.publishing(pull, &left, |_| {}));
    assert_eq!(ended.outputs["verdict"], "pass");
    ended.ran.ends(0);
    demo.check(&head, "success");
}

/// From the merge of a fork's pull request to the file of what was approved in it. Nothing may be committed to main
/// directly.
fn is_filed(demo: &mut Demo, pull: u64, how: Merge, word: &str) {
    demo.scene(
        &format!("The fork is merged ({word})"),
        "`main` is protected, and has no file of what Bea approved. It is in force all the same, and the workflow of the \
         default branch proposes the file.",
    );
    let merged = demo.stage.fake.with(|world| {
        let repository = world.repo_mut(REPOSITORY);
        repository.protected.insert("main".to_owned());
        repository.workflows_open = true;
        world.merge(REPOSITORY, pull, how)
    });
    let token = demo.stage.fake.with(|world| world.workflow_token(REPOSITORY, PROPOSE));
    demo.step("push", |stage| stage.pushed("main").token(Some(&token))).ran.ends(0);
    demo.check(&merged, "success");
    let summary = demo.stage.verdict(&merged).2;
    assert!(summary.contains("the figures that bea approved in pull request"), "{summary}");
    let proposal = demo.stage.fake.with(|world| {
        let open = world.repo(REPOSITORY).pulls.values().find(|pull| pull.head == "rankhold/baselines");
        open.expect("it is proposed").clone()
    });
    let text = proposal.body.expect("it has a text");
    assert!(text.contains("`bea`"), "{text}");
    demo.say(&format!("The proposal, pull request {}:\n\n{}", proposal.number, beginning(&text)));
    demo.check(&proposal.head_sha, "success");
    demo.say(
        "Ada merges it. From now on the file says what is in force, and the proposal is not needed any more.",
    );
    let landed = demo.stage.fake.with(|world| world.merge(REPOSITORY, proposal.number, how));
    demo.step("push", |stage| stage.pushed("main").token(Some(&token))).ran.ends(0);
    demo.check(&landed, "success");
    assert!(!demo.stage.verdict(&landed).2.contains("has not yet"));
    let filed = demo.stage.checkout(&landed).read("baselines/garden.bm25.json");
    assert!(filed.contains("\"approvedBy\": \"bea\""), "{filed}");
}

#[test]
fn the_demonstration_shows_what_it_says() {
    let mut demo = Demo::new(Stage::new());
    let beans = noise("runner-beans", "Sow runner beans after frost");
    let roses = noise("prune-roses", "How to prune roses in winter");
    let files: Vec<_> = beans.into_iter().chain(roses).collect();
    first_pull(&mut demo);
    first_baseline(&mut demo);
    let pull = loses_two(&mut demo, &files);
    is_repaired(&mut demo, pull, &files);
    fails_closed(&mut demo);
    let fork = comes_from_a_fork(&mut demo, &files);
    is_queued(&mut demo, pull);
    is_approved(&mut demo, &files);
    is_recorded_for_a_fork(&mut demo, fork);
    // The same past in two worlds.
    let other = demo.stage.copy();
    is_filed(&mut demo, fork, Merge::Squash, "squash");
    demo.stage = other;
    is_filed(&mut demo, fork, Merge::Rebase, "rebase");
    assert_page("docs/demo.md", &demo.told());
}
