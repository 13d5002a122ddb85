//! Tools of the field that Rankhold knows by name: plain data for help, docs and "did you mean".

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

const BY_COMMAND: &str = "describe it as a [[retriever]] of kind \"command\" (its argument vector) or \"worker\" (docs/protocol.md)";

/// The tools, in the order of output.
pub static TOOLS: &[Tool] = &[
    Tool { name: "probe", about: "code search with BM25 over syntax trees", meanwhile: BY_COMMAND },
    Tool { name: "colgrep", about: "late-interaction (ColBERT) code search", meanwhile: BY_COMMAND },
    Tool { name: "grepai", about: "semantic search with an embedding server", meanwhile: BY_COMMAND },
    Tool { name: "coderankembed", about: "a code embedding model over chunks", meanwhile: BY_COMMAND },
    Tool { name: "semble", about: "hybrid of BM25 and static embeddings", meanwhile: BY_COMMAND },
    Tool { name: "ak-docs", about: "documentation search of doc-bridge", meanwhile: BY_COMMAND },
];

/// The tool of that name.
pub fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}
