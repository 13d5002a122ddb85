//! `action.yml` offers what the program takes and gives, in the words of its tables.

use std::fmt::Write as _;

use rankhold::app::{INPUTS, OUTPUTS};

use crate::pages::page;

/// A text as YAML reads it back: JSON's strings are YAML's.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn slots() -> String {
    let mut yaml = "inputs:\n".to_owned();
    for input in INPUTS {
        let _ = write!(
            yaml,
            "  {}:\n    description: {}\n    required: false\n",
            input.name,
            quoted(input.about)
        );
        if let Some(default) = input.default {
            let _ = writeln!(yaml, "    default: {}", quoted(default));
        }
    }
    yaml.push_str("\noutputs:\n");
    for output in OUTPUTS {
        let _ = write!(yaml, "  {}:\n    description: {}\n", output.name, quoted(output.about));
    }
    yaml + "\n"
}

#[test]
fn inputs_and_outputs_are_those_of_the_tables() {
    let action = page("action.yml");
    let (head, rest) = action.text.split_once("\ninputs:\n").expect("it has inputs");
    let (_, runs) = rest.split_once("runs:\n").expect("it says how it runs");
    action.assert_is(&format!("{head}\n{}runs:\n{runs}", slots()));
}

#[test]
fn both_phases_run_the_same_command_in_the_same_image() {
    let action = page("action.yml").text;
    let value = |key: &str| {
        let found = action.lines().find_map(|line| line.strip_prefix(&format!("  {key}: ")));
        found.unwrap_or_else(|| panic!("action.yml has no {key}")).to_owned()
    };
    assert_eq!(value("using"), "docker");
    assert_eq!(
        (value("entrypoint"), value("post-entrypoint")),
        ("/rankhold".to_owned(), "/rankhold".to_owned())
    );
    assert!(action.ends_with("  args:\n    - action\n"), "one word: everything else comes as an input");
    assert!(page("Dockerfile").text.contains("COPY --from=build /rankhold /rankhold\n"));
}
