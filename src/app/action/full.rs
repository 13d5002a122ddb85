//! What `full/action.yml` takes and gives: what it shares with the action of the root, in the same words, and its own.

use super::inputs::{INPUTS, Input, OUTPUTS, OutputSlot, input, output};

/// What it takes as the action of the root does. It has no token: whatever it runs could read that.
const SHARED_INPUTS: [&str; 4] = ["suites", "retrievers", "config", "working-directory"];

/// What it gives as that does.
const SHARED_OUTPUTS: [&str; 5] = ["verdict", "exit-code", "hit-at-3", "results", "report"];

static OWN_INPUTS: &[Input] = &[
    input(
        "compare",
        None,
        "Systems to put into one table, separated by commas, or `all`. `suites` names the one suite of that table then. It goes to the summary, and no results are left.",
    ),
    input("repeats", None, "How often `compare` asks every query. Default: 3."),
    input(
        "floor",
        Some("false"),
        "`true` lets `compare` also measure systems with random vectors in the place of their models.",
    ),
    input("timeout", None, "Time that `compare` gives one system, index and all queries. Default: 5m."),
    input(
        "models",
        None,
        "Folder of the runner with models, laid out as a hub's cache. The container sees it as /models and cannot change it.",
    ),
    input(
        "network",
        Some("false"),
        "`true` lets the tools reach servers, such as one that computes embeddings. Models are never downloaded.",
    ),
    input(
        "image",
        None,
        "Another image, such as one that adds tools to this one. Default: that of the release, or one that is built here.",
    ),
];

static OWN_OUTPUTS: &[OutputSlot] = &[output(
    "table",
    "The table of systems as markdown, relative to the runner's temporary folder; compare.json and compare.svg lie beside it.",
)];

/// Its inputs, in the order of its `action.yml`. None is required.
pub fn inputs_of_full() -> impl Iterator<Item = &'static Input> {
    INPUTS.iter().filter(|input| SHARED_INPUTS.contains(&input.name)).chain(OWN_INPUTS)
}

/// Its outputs, likewise.
pub fn outputs_of_full() -> impl Iterator<Item = &'static OutputSlot> {
    OUTPUTS.iter().filter(|output| SHARED_OUTPUTS.contains(&output.name)).chain(OWN_OUTPUTS)
}
