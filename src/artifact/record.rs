//! What an approval on GitHub covers, and the token that stands for it.
//!
//! A token is 128 bits of a hash over everything that an approval says yes to: the repository, the pull request, its base
//! branch, its head, and of every pair the baseline that is superseded and the figures that take its place. So it can be copied by hand, and
//! it fits nothing else.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use super::ArtifactProblem;
use crate::canon::Digest;
use crate::exit::Exit;

/// 32 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ApprovalToken(String);

/// A text that is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token has {} lower-case hexadecimal digits", ApprovalToken::DIGITS)]
pub struct NoToken;

impl ApprovalToken {
    /// Its length.
    pub const DIGITS: usize = 32;

    /// As it is typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ApprovalToken {
    type Err = NoToken;

    fn from_str(text: &str) -> Result<Self, NoToken> {
        let fits =
            text.len() == Self::DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if fits { Ok(Self(text.to_owned())) } else { Err(NoToken) }
    }
}

impl<'de> Deserialize<'de> for ApprovalToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for ApprovalToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One pair of what a token covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CoveredPair {
    /// Suite name.
    pub suite: String,
    /// Retriever name.
    pub retriever: String,
    /// Content hash of the baseline that was compared with; none if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<Digest>,
    /// Content hash of the candidate; none if the pair is gone, or if there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<Digest>,
    /// How the process ended for this pair: 0 to 3.
    pub exit: u8,
    /// How it would have ended if the candidate had been its baseline: an approval lifts neither floor nor critical case.
    pub approved_exit: u8,
}

impl CoveredPair {
    /// The pair is gone from the configuration: what is approved is that its baseline goes too.
    pub fn is_removal(&self) -> bool {
        self.candidate.is_none() && self.supersedes.is_some() && self.exit == Exit::Held.code()
    }

    /// There is something to approve.
    pub fn is_approvable(&self) -> bool {
        self.candidate.is_some() || self.is_removal()
    }
}

/// Everything that a token covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Covered {
    /// The repository's number, which outlives its name.
    pub repository: u64,
    /// The pull request's number.
    pub pull_request: u64,
    /// The branch that it goes to.
    pub base: String,
    /// The commit at its head.
    pub head: String,
    /// Every pair that does not pass, or whose candidate is not its baseline; by suite, then retriever.
    pub pairs: Vec<CoveredPair>,
}

impl Covered {
    /// The token that stands for it.
    pub fn token(&self) -> ApprovalToken {
        /// The hash is of nothing else that might look alike.
        #[derive(Serialize)]
        struct Tagged<'a> {
            #[serde(rename = "type")]
            kind: &'static str,
            covered: &'a Covered,
        }
        let digest = Digest::of(&Tagged { kind: "rankhold-approval-2", covered: self });
        ApprovalToken(digest.short(ApprovalToken::DIGITS))
    }

    /// One of its pairs.
    pub fn pair(&self, suite: &str, retriever: &str) -> Option<&CoveredPair> {
        self.pairs.iter().find(|pair| pair.suite == suite && pair.retriever == retriever)
    }
}

/// The approval's place on GitHub, as a baseline records it: whoever has the file can look it up there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Record {
    /// The comment's number.
    pub comment: u64,
    /// Number of its author's account, which outlives the login.
    pub author: u64,
    /// The token that was typed.
    pub token: ApprovalToken,
    /// What it covers.
    pub covered: Covered,
}

impl Record {
    /// A record must agree with itself, and be about the figures that it stands beside.
    pub(super) fn check(
        &self,
        suite: &str,
        retriever: &str,
        candidate: &Digest,
    ) -> Result<(), ArtifactProblem> {
        let refuse = |at: &str, stated: String, actual: String| {
            Err(ArtifactProblem::Contradiction { at: format!("/approval/github/{at}"), stated, actual })
        };
        let token = self.covered.token();
        if self.token != token {
            return refuse("token", self.token.to_string(), token.to_string());
        }
        let covered = self.covered.pair(suite, retriever).and_then(|pair| pair.candidate.as_ref());
        if covered != Some(candidate) {
            let stated = covered.map_or_else(|| "nothing".to_owned(), ToString::to_string);
            return refuse(&format!("covered ({suite} × {retriever})"), stated, candidate.to_string());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(fill: &str) -> Digest {
        Digest::of_bytes(fill.as_bytes())
    }

    fn covered() -> Covered {
        Covered {
            repository: 1,
            pull_request: 2,
            base: "main".to_owned(),
            head: "a".repeat(40),
            pairs: vec![CoveredPair {
                suite: "docs".to_owned(),
                retriever: "bm25".to_owned(),
                supersedes: Some(digest("before")),
                candidate: Some(digest("after")),
                exit: 1,
                approved_exit: 0,
            }],
        }
    }

    #[test]
    fn every_part_of_what_is_covered_changes_the_token() {
        let token = covered().token();
        assert_eq!(token, covered().token());
        assert_eq!(token.as_str().parse(), Ok(token.clone()));
        let changes: [fn(&mut Covered); 12] = [
            |it| it.base = "next".to_owned(),
            |it| it.repository = 3,
            |it| it.pull_request = 3,
            |it| it.head = "b".repeat(40),
            |it| it.pairs.clear(),
            |it| it.pairs[0].suite = "code".to_owned(),
            |it| it.pairs[0].retriever = "rg".to_owned(),
            |it| it.pairs[0].supersedes = None,
            |it| it.pairs[0].supersedes = Some(digest("other")),
            |it| it.pairs[0].candidate = None,
            |it| it.pairs[0].exit = 0,
            |it| it.pairs[0].approved_exit = 1,
        ];
        let mut tokens = std::collections::BTreeSet::from([token]);
        for change in changes {
            let mut other = covered();
            change(&mut other);
            assert!(tokens.insert(other.token()), "{other:?}");
        }
    }

    #[test]
    fn only_a_token_is_one() {
        for text in
            ["", "abc", &"A".repeat(32), &"g".repeat(32), &"a".repeat(33), &format!(" {}", "a".repeat(31))]
        {
            assert_eq!(text.parse::<ApprovalToken>(), Err(NoToken), "{text}");
        }
    }
}
