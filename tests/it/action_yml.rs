//! `action.yml` and `full/action.yml` offer what the program takes and gives, in the words of its tables.

use std::fmt::Write as _;

use rankhold::app::{INPUTS, Input, OUTPUTS, OutputSlot, inputs_of_full, outputs_of_full};

use crate::pages::page;

/// A text as YAML reads it back: JSON's strings are YAML's.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn inputs<'a>(inputs: impl Iterator<Item = &'a Input>) -> String {
    let mut yaml = "inputs:\n".to_owned();
    for input in inputs {
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
    yaml + "\n"
}

/// `value` is what an action of several steps says of each output.
fn outputs<'a>(
    outputs: impl Iterator<Item = &'a OutputSlot>,
    value: impl Fn(&OutputSlot) -> String,
) -> String {
    let mut yaml = "outputs:\n".to_owned();
    for output in outputs {
        let about = quoted(output.about);
        let _ = write!(yaml, "  {}:\n    description: {about}\n{}", output.name, value(output));
    }
    yaml + "\n"
}

#[test]
fn inputs_and_outputs_are_those_of_the_tables() {
    let action = page("action.yml");
    let (head, rest) = action.text.split_once("\ninputs:\n").expect("it has inputs");
    let (_, runs) = rest.split_once("runs:\n").expect("it says how it runs");
    let slots = inputs(INPUTS.iter()) + &outputs(OUTPUTS.iter(), |_| String::new());
    action.assert_is(&format!("{head}\n{slots}runs:\n{runs}"));
}

#[test]
fn those_of_the_full_action_are_too_and_its_script_gets_them_all() {
    let action = page("full/action.yml");
    let (head, rest) = action.text.split_once("\ninputs:\n").expect("it has inputs");
    let (_, runs) = rest.split_once("runs:\n").expect("it says how it runs");
    let (runs, _) = runs.split_once("      env:\n").unwrap_or((runs, ""));
    let value =
        |output: &OutputSlot| format!("    value: ${{{{ steps.measure.outputs.{} }}}}\n", output.name);
    let slots = inputs(inputs_of_full()) + &outputs(outputs_of_full(), value);
    let mut env = "      env:\n        ACTION: ${{ github.action_path }}\n".to_owned();
    let script = page("full/measure.sh").text;
    for Input { name, .. } in inputs_of_full() {
        let variable = format!("INPUT_{}", name.to_uppercase().replace('-', "_"));
        let _ = writeln!(env, "        {variable}: ${{{{ inputs.{name} }}}}");
        assert!(script.contains(&variable), "full/measure.sh does not look at {variable}");
    }
    action.assert_is(&format!("{head}\n{slots}runs:\n{runs}{env}"));
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
    let dockerfile = page("Dockerfile").text;
    assert!(dockerfile.contains("COPY --from=build /rankhold /rankhold\n"));
    assert!(dockerfile.ends_with("\nFROM rankhold\n"), "who names no target gets the small image");
}
