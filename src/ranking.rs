//! An answer: hits, best first, as the harness keeps them after its own rules.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::Name;
use crate::suite::Group;
use crate::suite::trec::RunHit;

/// What a retriever's hits are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Files.
    File,
    /// Parts of files; the harness collapses them.
    Chunk,
    /// Things with an id of their own.
    Entity,
}

/// One ranked answer as a retriever hands it over, before the harness's rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawHit {
    /// Entity id, if the retriever has one; else the path stands for it.
    pub id: Option<String>,
    /// Path, repository-relative or under the corpus root.
    pub path: Option<String>,
    /// What the hit is (`file`, `document`, `symbol` …); `file` if unsaid.
    pub kind: Option<String>,
    /// What an agent would receive beside the name.
    pub summary: Option<String>,
    /// Larger is better; equal scores make a tie group. Never stored.
    pub score: Option<f64>,
}

impl RawHit {
    /// A hit on a file.
    pub fn file(path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..Self::default() }
    }
}

impl From<&RunHit> for RawHit {
    fn from(hit: &RunHit) -> Self {
        Self { score: Some(hit.score), ..Self::file(hit.document.as_str()) }
    }
}

/// A hit after normalising: what a target is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Entity id; the path where the retriever has no ids.
    pub id: Name,
    /// Repository-relative path; none for an entity that has no file.
    pub path: Option<Name>,
    /// Its tie group: hits with the same number had the same score.
    pub tie: u32,
    /// The path names nothing in the corpus: the hit stays, matches nothing and is counted.
    pub unknown: bool,
    /// What the hit is, `file` by default.
    pub kind: String,
    /// What an agent would receive beside the name.
    pub summary: Option<String>,
}

impl Hit {
    /// It is an answer of that group, by id or by path.
    pub fn matches(&self, group: &Group) -> bool {
        !self.unknown && group.names.iter().any(|name| self.is_called(name))
    }

    /// One of its two names is this one.
    pub fn is_called(&self, name: &Name) -> bool {
        self.id == *name || self.path.as_ref() == Some(name)
    }

    /// How a reader sees it: `id path`, once if they are equal.
    pub fn label(&self) -> String {
        match &self.path {
            Some(path) if *path != self.id => format!("{} {path}", self.id),
            _ => self.id.to_string(),
        }
    }
}

/// The ordered, de-duplicated, cut hits of one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranking {
    hits: Vec<Hit>,
}

/// What the harness knows about the place a ranking comes from.
pub trait Place {
    /// Strips the corpus root (and what else of this machine may appear) from a text.
    fn strip(&self, text: &str) -> String;
    /// The path is a file or a folder of the corpus.
    fn knows(&self, path: &Name) -> bool;
    /// A tool's words as they may be written down: without what it was given in confidence.
    fn hide(&self, text: String) -> String {
        text
    }
    /// The name stands where everybody can read it: it is one of the corpus, or a target of the suite.
    fn is_public(&self, name: &Name) -> bool {
        self.knows(name)
    }
}

/// A hit that cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HitProblem {
    /// The path leaves the repository.
    #[error("hit {rank} has the path `{path}`, which lies outside the corpus")]
    Outside {
        /// 1-based place in the answer.
        rank: usize,
        /// The path after normalising.
        path: Name,
    },
    /// Neither id nor path.
    #[error("hit {rank} has neither an id nor a path")]
    Nameless {
        /// 1-based place in the answer.
        rank: usize,
    },
    /// A score that is no number.
    #[error("hit {rank} has a score that is not a finite number")]
    Score {
        /// 1-based place in the answer.
        rank: usize,
    },
}

impl Ranking {
    /// Applies the harness's rules: names normalised, freed of the root and of what nobody may read, duplicates (same id and path) dropped with
    /// the first kept, cut to `limit`, ties numbered from equal neighbouring scores.
    pub fn new(raw: Vec<RawHit>, place: &dyn Place, limit: usize) -> Result<Self, HitProblem> {
        let mut hits: Vec<Hit> = Vec::new();
        let mut tie = 0;
        let mut previous: Option<f64> = None;
        for (at, hit) in raw.into_iter().enumerate() {
            let rank = at + 1;
            if hit.score.is_some_and(|score| !score.is_finite()) {
                return Err(HitProblem::Score { rank });
            }
            let name = |text: Option<String>| {
                text.map(|text| Name::new(&place.strip(&text))).filter(|n| !n.is_empty())
            };
            let path = name(hit.path);
            let id = name(hit.id).or_else(|| path.clone()).ok_or(HitProblem::Nameless { rank })?;
            if let Some(path) = path.as_ref().filter(|path| path.escapes()) {
                let path = Name::new(&place.hide(path.to_string()));
                return Err(HitProblem::Outside { rank, path });
            }
            if hits.iter().any(|kept| kept.id == id && kept.path == path) {
                continue;
            }
            if hits.len() == limit {
                continue; // the rest is still checked: an answer with a bad hit is bad, wherever the hit stands
            }
            let tied = hit.score.is_some() && hit.score == previous;
            if !(tied || hits.is_empty()) {
                tie += 1;
            }
            previous = hit.score;
            hits.push(Hit {
                unknown: path.as_ref().is_some_and(|path| !place.knows(path)),
                id,
                path,
                tie,
                kind: hit.kind.filter(|kind| !kind.is_empty()).unwrap_or_else(|| "file".to_owned()),
                summary: hit.summary.map(|summary| place.strip(&summary)),
            });
        }
        // Only now: a name must be known by what the tool said, and what is public is no secret whoever was told it.
        let shown = |name: &Name| {
            if place.is_public(name) { name.clone() } else { Name::new(&place.hide(name.to_string())) }
        };
        for hit in &mut hits {
            hit.id = shown(&hit.id);
            hit.path = hit.path.as_ref().map(shown);
            hit.kind = place.hide(std::mem::take(&mut hit.kind));
            hit.summary = hit.summary.take().map(|summary| place.hide(summary));
        }
        Ok(Self { hits })
    }

    /// A ranking read back from an artifact, whose rules were applied when it was written.
    pub fn from_hits(hits: Vec<Hit>) -> Self {
        Self { hits }
    }

    /// The hits, best first.
    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }

    /// The text that `expected` is evaluated over: the top three, one line each.
    pub fn expected_text(&self) -> String {
        self.hits.iter().take(3).map(Hit::label).collect::<Vec<_>>().join("\n")
    }
}

/// Why a retriever's answer could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorClass {
    /// The query's or the run's time ran out.
    Timeout,
    /// More output than allowed.
    OutputLimit,
    /// The process ended when it should not have.
    Died,
    /// What it said could not be read.
    Protocol,
    /// It named a file outside the corpus.
    Outside,
    /// It said itself that it failed.
    Tool,
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Timeout => "timeout",
            Self::OutputLimit => "output-limit",
            Self::Died => "died",
            Self::Protocol => "protocol",
            Self::Outside => "outside",
            Self::Tool => "tool",
        })
    }
}

/// What came back for one case: empty and failed are different things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It completed; the ranking may be empty.
    Completed(Ranking),
    /// It did not.
    Failed(ErrorClass),
}

impl Answer {
    /// The hits; none when it failed.
    pub fn hits(&self) -> &[Hit] {
        match self {
            Self::Completed(ranking) => ranking.hits(),
            Self::Failed(_) => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Tree(&'static [&'static str]);

    impl Place for Tree {
        fn strip(&self, text: &str) -> String {
            text.replace("/tmp/corpus/", "")
        }
        fn knows(&self, path: &Name) -> bool {
            self.0.contains(&path.as_str())
        }
    }

    fn ranked(raw: Vec<RawHit>, limit: usize) -> Ranking {
        Ranking::new(raw, &Tree(&["a.rs", "b.rs", "c.rs"]), limit).expect("valid hits")
    }

    fn scored(path: &str, score: f64) -> RawHit {
        RawHit { score: Some(score), ..RawHit::file(path) }
    }

    #[test]
    fn chunks_collapse_to_their_file_and_the_first_is_kept() {
        let ranking = ranked(vec![RawHit::file("./a.rs"), RawHit::file("b.rs"), RawHit::file("a.rs")], 10);
        let paths: Vec<_> = ranking.hits().iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!(paths, ["a.rs", "b.rs"]);
    }

    #[test]
    fn two_entities_of_one_file_are_two_hits() {
        let entity = |id: &str| RawHit { id: Some(id.into()), ..RawHit::file("a.rs") };
        assert_eq!(ranked(vec![entity("x"), entity("y"), entity("x")], 10).hits().len(), 2);
    }

    #[test]
    fn equal_scores_share_a_tie_group() {
        let hits = vec![scored("a.rs", 2.0), scored("a.rs", 1.0), scored("b.rs", 1.0), scored("c.rs", 1.0)];
        assert_eq!(ranked(hits, 10).hits().iter().map(|hit| hit.tie).collect::<Vec<_>>(), [0, 1, 1]);
    }

    #[test]
    fn the_root_goes_from_every_text_and_unknown_paths_match_nothing() {
        let hit =
            RawHit { summary: Some("see /tmp/corpus/a.rs".into()), ..RawHit::file("/tmp/corpus/gone.rs") };
        let ranking = ranked(vec![hit], 10);
        let hit = &ranking.hits()[0];
        assert_eq!(
            (hit.id.as_str(), hit.summary.as_deref(), hit.unknown),
            ("gone.rs", Some("see a.rs"), true)
        );
        assert!(!hit.matches(&Group { names: vec![Name::new("gone.rs")], grade: 1, expected: true }));
    }

    #[test]
    fn a_path_outside_the_corpus_a_nameless_hit_and_nan_are_errors_even_past_the_limit() {
        let tree = Tree(&["a.rs"]);
        let outside = vec![RawHit::file("a.rs"), RawHit::file("../b.rs")];
        assert_eq!(
            Ranking::new(outside, &tree, 1),
            Err(HitProblem::Outside { rank: 2, path: Name::new("../b.rs") })
        );
        assert_eq!(Ranking::new(vec![RawHit::default()], &tree, 1), Err(HitProblem::Nameless { rank: 1 }));
        assert_eq!(
            Ranking::new(vec![scored("a.rs", f64::NAN)], &tree, 1),
            Err(HitProblem::Score { rank: 1 })
        );
    }
}
