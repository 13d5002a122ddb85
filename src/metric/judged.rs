//! One case with its answer, matched: what every metric looks at.

use serde::{Deserialize, Serialize};

use crate::ranking::{Answer, Hit};
use crate::suite::{CaseKind, Group, MatchMode, Qrels};

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Scored: a target is among the first three.
    Found,
    /// Scored: none is.
    Missed,
    /// Negative: nothing came, as it should.
    Clean,
    /// Negative: something came.
    FalsePositive,
    /// Asked, and the retriever failed.
    Failed,
    /// Neither targets nor `expectNoResult`.
    Unscored,
}

impl State {
    /// The word artifacts and reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Missed => "missed",
            Self::Clean => "clean",
            Self::FalsePositive => "false-positive",
            Self::Failed => "failed",
            Self::Unscored => "unscored",
        }
    }
}

/// The rank up to which a target counts as found.
pub const FOUND_AT: u32 = 3;

/// A case's judgements beside the answer it got. Ranks are 1-based.
pub struct Judged<'a> {
    qrels: &'a Qrels,
    answer: &'a Answer,
    groups: Vec<Group>,
    /// Per hit, the groups (by index) that it is the first to match.
    credits: Vec<Vec<usize>>,
}

impl<'a> Judged<'a> {
    /// Matches an answer with the judgements.
    pub fn new(qrels: &'a Qrels, mode: MatchMode, answer: &'a Answer) -> Self {
        let groups = qrels.groups(mode);
        let mut open: Vec<usize> = (0..groups.len()).collect();
        let credits = answer
            .hits()
            .iter()
            .map(|hit| {
                let (credited, rest) = open.iter().partition(|&&group| hit.matches(&groups[group]));
                open = rest;
                credited
            })
            .collect();
        Self { qrels, answer, groups, credits }
    }

    /// What the case asks.
    pub fn kind(&self) -> CaseKind {
        self.qrels.kind()
    }

    /// A retriever was asked: there is something to judge.
    pub fn is_asked(&self) -> bool {
        self.qrels.is_asked()
    }

    /// It has targets.
    pub fn is_scored(&self) -> bool {
        self.kind() == CaseKind::Scored
    }

    /// The retriever did not fail.
    pub fn is_completed(&self) -> bool {
        matches!(self.answer, Answer::Completed(_))
    }

    /// It completed and returned a hit.
    pub fn is_answered(&self) -> bool {
        !self.answer.hits().is_empty()
    }

    /// The kept hits, best first.
    pub fn hits(&self) -> &[Hit] {
        self.answer.hits()
    }

    /// The case forbids something.
    pub fn forbids(&self) -> bool {
        !self.qrels.forbidden().is_empty()
    }

    /// A forbidden target is among the first `k`.
    pub fn forbidden_within(&self, k: usize) -> bool {
        self.hits()
            .iter()
            .take(k)
            .any(|hit| !hit.unknown && self.qrels.forbidden().iter().any(|name| hit.is_called(name)))
    }

    /// The groups of names, expected ones first.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// How many groups are expected.
    pub fn expected_groups(&self) -> usize {
        self.groups.iter().filter(|group| group.expected).count()
    }

    /// Per hit, in order of rank: the groups it is the first to match.
    pub fn credits(&self) -> impl Iterator<Item = impl Iterator<Item = &Group>> {
        self.credits.iter().map(|credited| credited.iter().map(|&group| &self.groups[group]))
    }

    /// The rank of the first hit that matches an expected target.
    pub fn rank(&self) -> Option<u32> {
        let mut credits = self.credits();
        let at = credits.position(|mut groups| groups.any(|group| group.expected))?;
        Some(u32::try_from(at + 1).expect("a ranking is shorter than 2^32"))
    }

    /// How it ended.
    pub fn state(&self) -> State {
        match (self.kind(), self.is_completed()) {
            (CaseKind::Unscored, _) if !self.forbids() => State::Unscored,
            (_, false) => State::Failed,
            (CaseKind::Unscored, true) => State::Unscored,
            (CaseKind::Negative, true) if self.is_answered() => State::FalsePositive,
            (CaseKind::Negative, true) => State::Clean,
            (CaseKind::Scored, true) if self.rank().is_some_and(|rank| rank <= FOUND_AT) => State::Found,
            (CaseKind::Scored, true) => State::Missed,
        }
    }
}
