//! Help in every form, and the seeds' way of typing flags.
#![expect(clippy::disallowed_methods, reason = "what clap says is printed before there is a console")]

use std::ffi::OsString;
use std::io::Write as _;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::console::{self, Console};
use crate::cli::Cli;
use crate::config::{RawConfig, suggestion};
use crate::exit::Exit;
use crate::report::Rendered;
use crate::retriever::RETRIEVERS;

/// The flags of `compare` that its readers type with one dash, as Go programs take them.
const SINGLE_DASH: [&str; 9] =
    ["repo", "queries", "groundtruth", "against", "top-k", "out", "json", "format", "smoke"];

/// Turns `-repo PATH` and `-top-k=10` of `compare` into their two-dash forms; everything else stays.
pub(super) fn double_dashes(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut compares = false;
    arguments
        .enumerate()
        .map(|(at, argument)| {
            compares |= at > 0 && argument == "compare";
            let Some(text) = argument.to_str().filter(|_| compares) else { return argument };
            let Some(flag) = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
                return argument;
            };
            let name = flag.split_once('=').map_or(flag, |(name, _)| name);
            if SINGLE_DASH.contains(&name) || name == "timeout" {
                format!("-{text}").into()
            } else {
                argument
            }
        })
        .collect()
}

/// Words that people try, and the command that does what they mean.
const MEANT: [(&[&str], &str); 8] = [
    (&["lint", "stats", "import", "export", "add", "list"], "rankhold suite WORD"),
    (&["baseline", "accept", "record", "update", "bless", "snapshot"], "rankhold approve --by NAME"),
    (&["check", "test", "measure", "bench", "review", "eval", "search"], "rankhold run"),
    (&["diff", "judge"], "rankhold gate RESULT BASELINE"),
    (&["why", "show"], "rankhold explain CASE"),
    (&["render", "comment"], "rankhold report RESULT"),
    (&["config", "setup", "new"], "rankhold init"),
    (&["retrievers", "status"], "rankhold doctor"),
];

/// What was probably meant by a word that is no command.
fn meant(word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    let known = MEANT.iter().find(|(words, _)| words.contains(&lower.as_str()));
    if let Some((_, command)) = known {
        return Some(command.replace("WORD", &lower));
    }
    let command = Cli::command();
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    // Letters in the wrong order are the commonest slip in a word of three.
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let near = suggestion(&lower, names.iter().copied())
        .or_else(|| names.iter().copied().find(|name| sorted(name) == sorted(&lower)))?;
    Some(format!("rankhold {near}"))
}

/// The error of a word that is no command, where we know what was meant. Below `suite` clap's own suggestions do.
fn misspelt(error: &clap::Error, arguments: &[OsString]) -> Option<clap::Error> {
    if error.kind() != ErrorKind::InvalidSubcommand || arguments.iter().any(|argument| argument == "suite") {
        return None;
    }
    let ContextValue::String(word) = error.get(ContextKind::InvalidSubcommand)? else { return None };
    let message = format!("there is no command `{word}`; did you mean `{}`?", meant(word)?);
    Some(Cli::command().error(ErrorKind::InvalidSubcommand, message))
}

/// What clap has to say: help on stdout, a mistake on stderr with exit 2. A bare call is a mistake.
pub(super) fn explain(error: &clap::Error, arguments: &[OsString]) -> Exit {
    let is_asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if !is_asked_for {
        complain(misspelt(error, arguments).as_ref().unwrap_or(error));
        return Exit::Usage;
    }
    match console::written(|_| error.print()) {
        Ok(()) => Exit::Pass,
        Err(system) => {
            let _ = writeln!(std::io::stderr(), "error: the help could not be written to stdout: {system}");
            Exit::NotMeasured
        }
    }
}

/// A mistake, in clap's colours if nothing in it could act. It repeats what was typed, perhaps by a script that passes a
/// stranger's words on.
fn complain(error: &clap::Error) {
    let plain = error.render().to_string();
    let inert = Rendered::lines(plain.lines());
    let same = plain.lines().map(str::trim_end).eq(inert.lines().map(str::trim_end));
    // There is no other place to say that stderr is full.
    let _ = if same { error.print() } else { write!(std::io::stderr(), "{inert}") };
}

/// `rankhold completions`
pub(super) fn completions(shell: clap_complete::Shell, console: &Console) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "rankhold", &mut script);
    console.document(&String::from_utf8_lossy(&script));
    Exit::Pass
}

/// `rankhold man`: one page for all commands.
pub(super) fn man(console: &Console) -> Exit {
    let mut page = Vec::new();
    let mut render = |command: clap::Command| {
        clap_mangen::Man::new(command).render(&mut page).expect("a vector takes everything");
    };
    let mut command = Cli::command();
    command.build();
    render(command.clone());
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        render(subcommand.clone().display_name(format!("rankhold {}", subcommand.get_name())));
    }
    console.document(&String::from_utf8_lossy(&page));
    Exit::Pass
}

/// `rankhold schema`
pub(super) fn schema(console: &Console) -> Exit {
    console.document(&format!("{}\n", schema_text()));
    Exit::Pass
}

/// The JSON Schema of rankhold.toml. A retriever's keys are those that all have and those of its kind.
fn schema_text() -> String {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    let mut kinds = Vec::new();
    for kind in RETRIEVERS {
        let keys = kind.schema(&mut generator);
        kinds.push((kind.name, keys.to_value()));
    }
    let mut schema = generator.into_root_schema_for::<RawConfig>().to_value();
    let common = schema["$defs"]["RawRetriever"].clone();
    let variants: Vec<_> =
        kinds.into_iter().map(|(name, keys)| retriever_schema(name, &common, &keys)).collect();
    schema["$defs"]["RawRetriever"] =
        serde_json::json!({ "description": common["description"], "oneOf": variants });
    schema["title"] = "rankhold.toml".into();
    serde_json::to_string_pretty(&schema).expect("a schema serialises")
}

fn retriever_schema(kind: &str, common: &serde_json::Value, keys: &serde_json::Value) -> serde_json::Value {
    let mut merged = common.clone();
    let own = |member: &str| keys.get(member).cloned().unwrap_or_default();
    if let Some(properties) = merged["properties"].as_object_mut() {
        properties.extend(own("properties").as_object().cloned().unwrap_or_default());
        properties.insert("kind".into(), serde_json::json!({ "const": kind }));
    }
    if let Some(required) = merged["required"].as_array_mut() {
        required.extend(own("required").as_array().cloned().unwrap_or_default());
        required.push("kind".into());
    }
    merged["title"] = kind.into();
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubled(line: &str) -> String {
        let arguments = line.split(' ').map(OsString::from);
        double_dashes(arguments)
            .iter()
            .map(|it| it.to_string_lossy().into_owned())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn the_first_seed_s_flags_are_taken_with_one_dash() {
        assert_eq!(
            doubled("rankhold compare -repo . -top-k=5 -smoke -timeout 5m -q"),
            "rankhold compare --repo . --top-k=5 --smoke --timeout 5m -q"
        );
        assert_eq!(doubled("rankhold run -repo ."), "rankhold run -repo .");
    }

    #[test]
    fn every_kind_of_retriever_is_in_the_schema() {
        let schema = schema_text();
        for kind in RETRIEVERS {
            assert!(schema.contains(&format!("\"const\": \"{}\"", kind.name)), "{}", kind.name);
        }
    }
}
