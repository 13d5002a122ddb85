//! semble: BM25 and static embeddings over chunks of code.

use super::{Mode, System};

/// The tool and the model its documentation names.
pub static SEMBLE: System = System {
    name: "semble",
    script: "semble_worker.py",
    model: "minishlab/potion-code-16M-v2",
    revision: "e9d2a44ca6a05ac6685f3b23709ea57eb7352d5b",
    modes: &[Mode::Hybrid, Mode::Bm25, Mode::Semantic],
    encodes: false,
};
