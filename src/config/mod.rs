//! `rankhold.toml`: a raw mirror of the file, then settings that cannot be wrong.

mod raw;
mod reading;
mod settings;
mod units;

pub use raw::{RawConfig, RawRetriever};
pub use reading::{Misread, read};
pub use settings::{
    ApprovalMode, Approvers, CommentMode, Publish, ReportSettings, RetrieverEntry, Settings, SuiteEntry,
};
pub use units::{ByteSize, Span, UnitProblem};

use crate::error::{Blame, Blamed, docs};

/// The file's name.
pub const FILE: &str = "rankhold.toml";

/// A configuration that cannot be used. The edge adds which file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigProblem {
    /// It is no TOML. The parser's message shows the line.
    #[error("{0}")]
    Syntax(String),
    /// A value makes no sense.
    #[error("{at}: {message}")]
    Value {
        /// Table and key.
        at: String,
        /// What is wrong and what to do.
        message: String,
    },
}

impl ConfigProblem {
    pub(crate) fn value(at: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Value { at: at.into(), message: message.into() }
    }
}

impl Blamed for ConfigProblem {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(
            concat!(
                "`rankhold schema` prints every key with type and default, for an editor; what they mean: ",
                docs!("cli.md")
            )
            .to_owned(),
        )
    }
}

/// The nearest of `known` to a mistyped word, if one is near.
pub fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| {
            (strsim::damerau_levenshtein(&word.to_lowercase(), &candidate.to_lowercase()), candidate)
        })
        .filter(|(distance, candidate)| *distance <= 1 + candidate.chars().count() / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

/// `; did you mean …?` or nothing.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    suggestion(word, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

/// The same for a name that may have been typed in part: what holds it, or is held by it, is near too.
pub fn did_you_mean_name<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    /// So many are told.
    const TOLD: usize = 3;
    let known: Vec<&str> = known.into_iter().collect();
    let near = did_you_mean(word, known.iter().copied());
    let typed = word.trim().to_lowercase();
    if !near.is_empty() || typed.chars().count() < TOLD {
        return near;
    }
    let is_part = |name: &&str| {
        let name = name.to_lowercase();
        name.contains(&typed) || (name.chars().count() >= TOLD && typed.contains(&name))
    };
    let parts: Vec<String> =
        known.into_iter().filter(is_part).take(TOLD).map(|name| format!("`{name}`")).collect();
    if parts.is_empty() { near } else { format!("; did you mean {}?", parts.join(" or ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_typed_in_part_is_met_too() {
        let known = ["keeping-a-hive", "graft", "ours"];
        assert_eq!(did_you_mean_name("keeping", known), "; did you mean `keeping-a-hive`?");
        assert_eq!(did_you_mean_name("garden/graft", known), "; did you mean `graft`?");
        assert_eq!(did_you_mean_name("grfat", known), "; did you mean `graft`?");
        assert_eq!(did_you_mean_name("qdrant", known), "");
        assert_eq!(did_you_mean_name("a", known), "");
    }

    #[test]
    fn a_typo_is_met_and_a_stranger_is_not() {
        let known = ["bm25", "ripgrep", "command"];
        assert_eq!(suggestion("ripgep", known), Some("ripgrep"));
        assert_eq!(suggestion("BM25", known), Some("bm25"));
        assert_eq!(suggestion("qdrant", known), None);
    }
}
