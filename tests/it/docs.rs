//! The documentation says what the program does: its tables are generated, its paths and links lead somewhere.

use std::collections::BTreeSet;

use clap::CommandFactory;
use rankhold::app::{INPUTS, Input, OUTPUTS, OutputSlot, inputs_of_full, outputs_of_full};
use rankhold::cli::Cli;
use rankhold::config::Settings;
use rankhold::exit::Exit;
use rankhold::metric::{Direction, METRICS};
use rankhold::retriever::RETRIEVERS;
use rankhold::workflow::RULES;

use crate::pages::{files, home, page, pages, rankhold};

/// The day on which the sample is judged.
const DAY: &str = "2026-11-30";

#[test]
fn the_generated_parts_are_what_the_program_says() {
    for page in pages() {
        page.assert_is(&page.filled(&generated));
    }
}

fn generated(name: &str) -> String {
    match name {
        "exit codes" => block(&exit_codes()),
        "inputs of the action" => block(&inputs(INPUTS.iter())),
        "inputs of the full action" => block(&inputs(inputs_of_full())),
        "metrics" => block(&metrics()),
        "outputs of the action" => block(&outputs(OUTPUTS.iter())),
        "models of the full image" => block(&models()),
        "outputs of the full action" => block(&outputs(outputs_of_full())),
        "retrievers" => block(&retrievers()),
        "rules of doctor --workflow" => block(&rules()),
        "sample comment" => block(&sample()),
        "sample comment, its head" => block(&quoted(sample().split("#### Figures").next().unwrap())),
        _ => match name.strip_prefix("help of ") {
            Some(command) => block(&help(command)),
            None => match crate::docs_approvals::generated(name) {
                Some(text) => block(&text),
                None => panic!("nothing generates `{name}`"),
            },
        },
    }
}

fn block(text: &str) -> String {
    format!("\n{}\n", text.trim_end())
}

fn exit_codes() -> String {
    let rows = Exit::ALL.map(|(exit, meaning)| format!("| {} | {meaning} |\n", exit.code()));
    format!("| code | meaning |\n| --- | --- |\n{}", rows.concat())
}

fn metrics() -> String {
    let row = |metric: &&dyn rankhold::metric::Metric| {
        let better = match metric.direction() {
            Direction::Higher => "more",
            Direction::Lower => "less",
        };
        format!("| {} | `{}` | {better} | {} |\n", metric.name(), metric.key(), metric.about())
    };
    let rows: String = METRICS.iter().map(row).collect();
    format!("| figure | key in artifacts | better | definition |\n| --- | --- | --- | --- |\n{rows}")
}

fn inputs<'a>(inputs: impl Iterator<Item = &'a Input>) -> String {
    let row = |input: &Input| {
        let default = input.default.map(|default| format!("`{default}`")).unwrap_or_default();
        format!("| `{}` | {default} | {} |\n", input.name, input.about)
    };
    let rows: String = inputs.map(row).collect();
    format!("| input | default | meaning |\n| --- | --- | --- |\n{rows}")
}

fn outputs<'a>(outputs: impl Iterator<Item = &'a OutputSlot>) -> String {
    let row = |output: &OutputSlot| format!("| `{}` | {} |\n", output.name, output.about);
    let rows: String = outputs.map(row).collect();
    format!("| output | meaning |\n| --- | --- |\n{rows}")
}

/// How a folder of models is filled, with the very commits that are looked for.
fn models() -> String {
    let docker = "docker run --rm --user \"$(id -u)\" --volume \"$PWD/models:/models\" --env HOME=/tmp --entrypoint hf IMAGE";
    let semble = &rankhold::retriever::python::SEMBLE;
    let colgrep = rankhold::retriever::kind("colgrep").and_then(rankhold::retriever::Kind::preset).unwrap();
    let model =
        colgrep.split_once("values = { model = \"").and_then(|(_, rest)| rest.split('"').next()).unwrap();
    format!(
        "```sh\nmkdir --parents models\n{docker} \\\n  download {} --revision {}\n{docker} \\\n  download {model}\n```\n",
        semble.model, semble.revision
    )
}

fn rules() -> String {
    let row = |rule: &&rankhold::workflow::Rule| {
        format!("| `{}` | {} | {} | {} |\n", rule.name, rule.level.word(), rule.about, rule.why)
    };
    let rows: String = RULES.iter().map(row).collect();
    format!("| rule | level | what is wrong | why it matters |\n| --- | --- | --- | --- |\n{rows}")
}

fn retrievers() -> String {
    let row = |kind: &rankhold::retriever::Kind| {
        let entry = if kind.needs_no_entry { "no" } else { "yes" };
        format!("| `{}` | {} | {entry} |\n", kind.name, kind.about)
    };
    let rows: String = RETRIEVERS.iter().map(row).collect();
    format!("| kind | what it is | needs a `[[retriever]]` |\n| --- | --- | --- |\n{rows}")
}

fn help(command: &str) -> String {
    let mut arguments: Vec<_> = command.split(' ').collect();
    arguments.push("--help");
    let help = rankhold("", &arguments).out;
    let lines: Vec<_> = help.trim_end().lines().map(str::trim_end).collect();
    format!("```text\n{}\n```", lines.join("\n"))
}

/// The comment that the made-up project would get.
fn sample() -> String {
    let ran = rankhold("tests/data/sample/after", &["run", "--format", "markdown", "--today", DAY]);
    assert_eq!(ran.code, 1, "the sample is one that the gate refuses: {}", ran.err);
    ran.out
}

fn quoted(text: &str) -> String {
    text.trim_end().lines().map(|line| format!("> {line}").trim_end().to_owned() + "\n").collect()
}

#[test]
fn the_baseline_of_the_sample_is_its_first_version() {
    let ran = rankhold(
        "tests/data/sample/before",
        &["run", "--baseline", "../after/baselines/help.bm25.json", "--json", "--today", DAY],
    );
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let pair = &report["pairs"][0];
    let moved: Vec<_> = pair["identity"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["changed"] == true)
        .map(|row| row["key"].as_str().unwrap())
        .collect();
    assert_eq!(
        (ran.code, moved.as_slice()),
        (0, [].as_slice()),
        "tests/data/sample/ORIGIN.md says how to record it"
    );
}

#[test]
fn the_readme_s_two_commands_are_those_of_the_recipes() {
    let readme = page("README.md");
    let recipes = page("justfile").text;
    for marker in ["<!-- command: main -->", "<!-- command: test -->"] {
        let command = readme.fence_after(marker);
        assert_eq!(command.lines().count(), 1, "{marker} is one command: {command}");
        assert!(
            recipes.lines().any(|line| line.trim() == command),
            "`{command}` is no recipe of the justfile"
        );
    }
}

/// Every command a user can type: `run`, `suite lint`.
fn commands() -> Vec<String> {
    let root = Cli::command();
    let mut names = Vec::new();
    for command in root.get_subcommands().filter(|command| !command.is_hide_set()) {
        let mut below = command.get_subcommands().peekable();
        if below.peek().is_none() {
            names.push(command.get_name().to_owned());
        }
        names.extend(below.map(|sub| format!("{} {}", command.get_name(), sub.get_name())));
    }
    names
}

#[test]
fn every_command_has_its_help_in_the_docs() {
    let text = page("docs/cli.md").text;
    for command in commands() {
        assert!(
            text.contains(&format!("\n## {command}\n"))
                && text.contains(&format!("<!-- generated: help of {command} -->")),
            "docs/cli.md: write `## {command}` with `<!-- generated: help of {command} -->` and `<!-- end -->`, then bless"
        );
    }
}

/// The rows of the table of the seeds' flags: flag, command, description.
fn seed_flags() -> Vec<(String, String, String)> {
    let text = page("docs/cli.md").text;
    let section = text.split("## The seeds' flags").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `--"));
    rows.map(|row| {
        let cells: Vec<_> =
            row.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        (cells[0].to_owned(), cells[1].to_owned(), cells[2].to_owned())
    })
    .collect()
}

#[test]
fn the_seeds_flags_are_taken_and_the_readme_names_the_same() {
    let rows = seed_flags();
    assert!(rows.len() >= 15, "the table of docs/cli.md is read: {rows:?}");
    for (flag, command, _) in &rows {
        let root = Cli::command();
        let taken = root.find_subcommand(command).into_iter().flat_map(clap::Command::get_arguments);
        let global = root.get_arguments();
        let known =
            taken.chain(global).filter_map(clap::Arg::get_long).any(|long| flag == &format!("--{long}"));
        assert!(known, "docs/cli.md: `rankhold {command}` takes no {flag}");
    }
    let readme = page("README.md").text;
    for command in ["compare", "run"] {
        let row = readme.lines().find(|line| line.contains(&format!("| `{command}` | `--"))).unwrap();
        let named: BTreeSet<_> =
            row.split('`').filter(|span| span.starts_with("--")).map(str::to_owned).collect();
        let documented = rows.iter().filter(|row| row.1 == command).map(|row| row.0.clone()).collect();
        assert_eq!(named, documented, "README.md and docs/cli.md, flags of `{command}`");
    }
}

#[test]
fn the_configuration_in_the_docs_is_read() {
    let cli = page("docs/cli.md");
    let blocks: Vec<_> =
        cli.text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        Settings::parse(block).unwrap();
        // What is commented out there holds too.
        let switched_on: String =
            block.lines().map(|line| line.strip_prefix("# ").unwrap_or(line).to_owned() + "\n").collect();
        Settings::parse(&switched_on).unwrap();
    }
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let mut dead = Vec::new();
    for page in &pages {
        let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in page.links() {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(file, anchor)| (file, Some(anchor)));
            let target = if file.is_empty() { page.path.clone() } else { resolve(folder, file) };
            let there = home().join(&target).exists();
            let heading =
                anchor.is_none_or(|anchor| there && crate::pages::page(&target).anchors().contains(anchor));
            if !(there && heading) {
                dead.push(format!("{}: {link}", page.path));
            }
        }
    }
    assert!(dead.is_empty(), "links that lead nowhere: {dead:#?}");
}

fn resolve(folder: &str, link: &str) -> String {
    let mut parts: Vec<_> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Whether a code span means a path of this repository: it starts in one of its folders and holds no placeholder.
fn means_a_path(span: &str) -> bool {
    let folders = [
        "src/",
        "docs/",
        "tests/",
        "templates/",
        "examples/",
        "suites/",
        "baselines/",
        "benches/",
        ".github/",
    ];
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let placeholder = ["SUITE", "NAME", "NNNN", "FILE"].iter().any(|word| span.contains(word));
    folders.iter().any(|folder| span.starts_with(folder)) && span.chars().all(plain) && !placeholder
}

/// Pages whose paths are those of somebody else's tree: the demonstration's repository.
const EXAMPLES: [&str; 1] = ["docs/demo.md"];

#[test]
fn every_path_that_is_named_exists() {
    let mut gone = Vec::new();
    for page in pages().into_iter().filter(|page| !EXAMPLES.contains(&page.path.as_str())) {
        for span in page.spans() {
            if means_a_path(&span) && !home().join(&span).exists() {
                gone.push(format!("{}: `{span}`", page.path));
            }
        }
    }
    assert!(gone.is_empty(), "paths that are named and not there: {gone:#?}");
}

#[test]
fn the_changelog_has_room_for_what_comes() {
    assert!(page("CHANGELOG.md").text.contains("\n## Unreleased\n"));
}

#[test]
fn decisions_are_numbered_without_gaps_and_short() {
    for (at, path) in files("docs/decisions").iter().enumerate() {
        let number = format!("docs/decisions/{:04}-", at + 1);
        let decision = page(path);
        assert!(path.starts_with(&number), "{path}: the next number is {:04}", at + 1);
        assert!(
            decision.text.starts_with(&format!("# {}. ", at + 1)),
            "{path}: its title begins with its number"
        );
        assert!(decision.text.contains("**Decision.**"), "{path}: says what was decided");
        assert!(decision.text.lines().count() <= 20, "{path}: ten lines, twenty at most");
    }
}
