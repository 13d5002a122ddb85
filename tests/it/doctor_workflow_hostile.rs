//! Workflows are a stranger's text: whatever is done to one, reading and checking it ends, without a panic, and what is
//! proposed fits the file.

use rankhold::workflow::{Cure, Facts, Finding, Local, Pair, Workflow, check};

use crate::pages::{files, page};
use crate::support::Random;

/// What makes YAML odd.
const ODD: [&str; 36] = [
    "&a ",
    "*a",
    "[",
    "]",
    "{",
    "}",
    "|",
    ">-",
    "'",
    "\"",
    "? ",
    "- ",
    ": ",
    ":",
    "#",
    " # ",
    "<<: *a",
    "\t",
    "!!str ",
    "!x ",
    "%YAML 1.1\n",
    "---\n",
    "...\n",
    "\r",
    "\r\n",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\0",
    "é",
    "\u{1f600}",
    "~",
    "null",
    "${{",
    "}}",
    ",",
];

/// What the checks look for, so that mutants meet them.
const TELLING: [&str; 36] = [
    "on: [push, pull_request]\n",
    "on: {pull_request: {types: [opened]}}\n",
    "    permissions: write-all\n",
    "permissions: read-all\n",
    "    concurrency: x\n",
    "concurrency: {group: x}\n",
    "    name: rankhold/verdict\n",
    "    needs: [measure]\n",
    "    if: false\n",
    "      - run: rankhold action\n",
    "      - {uses: rankhold/rankhold@v1, with: {sutes: x, id: y}}\n",
    "        with: {ref: main}\n",
    "          ref: ${{ github.head_ref }}\n",
    "          fetch-depth: 0\n",
    "  pull_request_target:\n",
    "  merge_group:\n",
    "  workflow_run: {workflows: [x]}\n",
    "    strategy: {matrix: {a: [1]}}\n",
    "      - uses: actions/checkout@v6\n",
    "        env: {GH_TOKEN: \"${{ github.token }}\"}\n",
    "        with:\n",
    "  release:\n",
    "  issue_comment:\n",
    "  issue_comment: {types: [created]}\n",
    "      queue: max\n",
    "      - uses: rankhold/rankold@main\n",
    "      - uses: rankhold/rankhold\n",
    "        With: {ref: main}\n",
    "    branches: [master]\n",
    "          token: ${{ secrets.X }}\n",
    "          token: secrets.X\n",
    "          name: rankhold-results\n",
    "        run: rankhold run\n",
    "    if: ${{ !github.event.pull_request.draft }}\n",
    "  workflow_call:\n",
    "    uses: ./.github/workflows/rankhold.yml\n",
];

fn facts() -> Facts {
    let pair = |retriever: &str| Pair { suite: "docs".to_owned(), retriever: retriever.to_owned() };
    Facts {
        inputs: rankhold::app::INPUTS.iter().map(|input| input.name).collect(),
        inputs_of_full: rankhold::app::inputs_of_full().map(|input| input.name).collect(),
        events: rankhold::github::EVENTS.to_vec(),
        check: "rankhold/verdict".to_owned(),
        measures: ".github/workflows/rankhold-measure.yml",
        commands: ".github/workflows/rankhold-command.yml",
        artifact: "rankhold",
        comments: true,
        programs: vec![pair("ours"), pair("theirs")],
        retrievers: vec!["ours".to_owned()],
        local: [("./".to_owned(), Local::Action)].into(),
        default_branch: Some("main".to_owned()),
        configured: vec!["site".to_owned()],
        absent: ["main".to_owned()].into(),
        ..Facts::default()
    }
}

/// A text with some of its lines and characters changed.
fn mutant(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for _ in 0..=random.below(4) {
        let at = random.below(lines.len().max(1));
        let other = random.below(lines.len().max(1));
        match random.below(9) {
            0 => drop(lines.get(at).is_some().then(|| lines.remove(at))),
            1 => lines.insert(at, lines.get(other).cloned().unwrap_or_default()),
            2 if at < lines.len() && other < lines.len() => lines.swap(at, other),
            3 => lines.insert(at, random.pick(&TELLING).to_owned()),
            4 if at < lines.len() => lines[at].insert_str(0, "  "),
            5 if at < lines.len() => lines[at] = lines[at].replacen("  ", "", 1),
            _ => {
                let Some(line) = lines.get_mut(at) else { continue };
                let places: Vec<usize> = line.char_indices().map(|(place, _)| place).collect();
                let place = places[random.below(places.len())];
                if random.once_in(3) {
                    line.remove(place);
                } else {
                    line.insert_str(place, random.pick(&ODD));
                }
                if line.is_empty() {
                    lines.remove(at);
                }
            }
        }
    }
    lines.concat()
}

/// What is found names a line of the file, and what is to be pasted leaves a workflow.
#[track_caller]
fn fits(finding: &Finding, files: &[(String, String)]) {
    let Some((file, text)) = files.iter().find(|(file, _)| *file == finding.file) else {
        assert!(matches!(finding.cure, Cure::File { .. }), "{finding}");
        return;
    };
    let count = text.lines().count();
    assert!((1..=count.max(1)).contains(&finding.line), "{finding} of {count} lines\n{text}");
    assert!(!finding.to_string().contains('\n') || finding.message.contains('\n'), "{finding}");
    if let Cure::Edit(edit) = &finding.cure {
        assert!(
            edit.from >= 1 && edit.to + 1 >= edit.from && edit.to <= count,
            "{finding}: {edit:?}\n{text}"
        );
        let after = edit.applied(text);
        let read = Workflow::read(file, after.as_bytes());
        assert!(read.is_ok(), "{finding}: {edit:?}\n{}\nbefore\n{text}\nafter\n{after}", read.unwrap_err());
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how long one wants to look for a panic is said by a variable")]
fn no_mutant_panics_and_every_edit_leaves_a_workflow() {
    let rounds =
        std::env::var("RANKHOLD_MUTANTS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1500);
    let facts = facts();
    let mut examples: Vec<String> = files("docs/workflows").iter().map(|path| page(path).text).collect();
    examples.extend(files(".github/workflows").iter().map(|path| page(path).text));
    let (mut read, mut found) = (0, 0);
    for seed in 0..rounds {
        let mut random = Random::new(seed);
        let names =
            ["rankhold-measure", "rankhold-command", "rankhold", "other"].iter().take(1 + random.below(4));
        let files: Vec<(String, String)> = names
            .map(|name| {
                let example = &examples[random.below(examples.len())];
                (format!(".github/workflows/{name}.yml"), mutant(&mut random, example))
            })
            .collect();
        let workflows: Vec<Workflow> =
            files.iter().filter_map(|(file, text)| Workflow::read(file, text.as_bytes()).ok()).collect();
        read += workflows.len();
        for finding in check(&workflows, &facts) {
            found += 1;
            // A byte-order mark is no part of the first line, and moves no other.
            fits(&finding, &files);
        }
    }
    assert!(read > 300 && found > 1000, "{read} of them are workflows, {found} findings");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let mut random = Random::new(7);
    for _ in 0..2000 {
        let bytes: Vec<u8> =
            (0..random.below(60)).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
        drop(Workflow::read("a.yml", &bytes).map(|workflow| check(&[workflow], &facts())));
    }
}

#[test]
fn a_workflow_that_is_as_large_as_can_be_is_read_in_time() {
    let step = "      - uses: rankhold/rankhold@main\n";
    let text = format!("on: pull_request\njobs:\n  a:\n    steps:\n{}", step.repeat(20_000));
    let workflow = Workflow::read("a.yml", text.as_bytes()).unwrap();
    assert!(check(&[workflow], &facts()).len() > 20_000);
}
