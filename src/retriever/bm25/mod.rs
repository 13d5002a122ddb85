//! `bm25`: the retriever that needs nothing installed.
//!
//! In reading order:
//!
//! - text to terms: `word` finds words and splits identifiers, `fold` drops case and accents, `stem` and
//!   `portuguese` bring the forms of a word together, `stopwords` drops what says nothing, `terms` is their sum;
//! - files to facts: `place` reads paths, `definitions` and `headings` read lines, `entity` adds identities;
//! - facts to an index: `harvest` counts on many threads, `merge` makes one `Index` of it, the same on every machine;
//! - a question to a ranking: `query` understands, `score` is BM25F, `boost` weighs names, definitions and purpose,
//!   `search` sorts, `explain` says why.
//!
//! The same files and query give the same bytes anywhere: numbers depend on the order of paths only, sums have a fixed
//! order, the only transcendental function is `libm::log`, and equal scores are ordered by path, then id.

mod adapter;
mod boost;
mod build;
mod definitions;
mod entity;
mod explain;
mod fold;
mod glossary;
mod harvest;
mod headings;
mod index;
mod merge;
mod naming;
mod outline;
mod place;
mod portuguese;
mod postings;
mod query;
mod recent;
mod score;
mod search;
mod settings;
mod source;
mod stem;
mod stopwords;
mod terms;
mod word;

#[cfg(test)]
mod tests;

pub use adapter::{Bm25, Bm25Options};
pub use boost::Reason;
pub use entity::Entity;
pub use explain::{Explanation, Occurrences, WordScore};
pub use index::{Index, Stats};
pub use outline::Outline;
pub use place::{Form, Purpose};
pub use search::Scored;
pub use settings::{Field, Settings};
pub use source::{BuildError, Source};

/// Raised only when the same corpus and query can give another ranking than before.
pub const RANKING_VERSION: u32 = 1;
