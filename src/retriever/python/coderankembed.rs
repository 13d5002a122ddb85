//! CodeRankEmbed: an embedding model for code, over semble's chunks.

use super::{Mode, System};

/// The model, which ranks alone or, as semble's authors measured it, beside BM25.
pub static CODERANKEMBED: System = System {
    name: "coderankembed",
    script: "coderankembed_worker.py",
    model: "nomic-ai/CodeRankEmbed",
    revision: "3c4b60807d71f79b43f3c4363786d9493691f8b1",
    modes: &[Mode::Semantic, Mode::Hybrid],
    encodes: true,
};
