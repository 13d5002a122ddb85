//! Tools of the field that Rankhold knows by name: plain data for help, docs and "did you mean".

use crate::error::docs;

/// A retrieval tool that others build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// As a configuration or `--against` names it.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// How to measure it while there is no adapter of its own.
    pub meanwhile: &'static str,
}

const BY_COMMAND: &str = concat!(
    "describe it as a [[retriever]] of kind \"command\" (its argument vector) or \"worker\" (",
    docs!("protocol.md"),
    ")"
);

/// The tools, in the order of output.
pub static TOOLS: &[Tool] = &[
    Tool { name: "http", about: "any search server", meanwhile: BY_COMMAND },
    Tool { name: "mcp", about: "any MCP server", meanwhile: BY_COMMAND },
];

/// The tool of that name.
pub fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}
