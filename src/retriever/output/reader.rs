//! How one tool's answers are read: their form, their errors, their order.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Fields, Format, OutputProblem, Pointer, json, lines, ripgrep};
use crate::ranking::RawHit;

/// What puts a tool's hits in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RankBy {
    /// They are printed best first.
    #[default]
    Printed,
    /// Their score, largest first; equal scores by path, then as printed.
    Score,
}

/// How one tool's answers are read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reader {
    /// The form of an answer.
    pub format: Format,
    /// Where in a JSON answer things are.
    pub fields: Fields,
    /// Where in a JSON answer an error is told, whatever the exit code.
    pub error: Option<Pointer>,
    /// Errors that mean "nothing found".
    pub empty_errors: Vec<String>,
    /// Hits whose score is not above it are none.
    pub score_above: Option<f64>,
    /// What puts the hits in order.
    pub rank_by: RankBy,
}

/// An answer without hits to take from it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// The tool says no, in its own words.
    #[error("said no: {0}")]
    Refused(String),
    /// It is not of the form that was expected.
    #[error("gave an answer that cannot be read: {0}")]
    Unreadable(#[from] OutputProblem),
}

impl Reader {
    /// Reads everything a tool printed.
    pub fn read(&self, bytes: &[u8]) -> Result<Vec<RawHit>, Unread> {
        match self.format {
            Format::Json => self.answer(&json::document(bytes)?),
            Format::JsonInText => self.answer(&json::in_text(bytes, &self.fields)?),
            Format::JsonLines => self.ranked(json::lines(bytes, &self.fields)?),
            Format::Paths => self.ranked(lines::paths(bytes)?),
            Format::Grep => self.ranked(lines::grep(bytes)?),
            Format::Ripgrep => self.ranked(ripgrep::events(bytes)?),
        }
    }

    /// Reads one JSON value.
    pub fn answer(&self, answer: &Value) -> Result<Vec<RawHit>, Unread> {
        if let Some(error) = self.error.as_ref().and_then(|pointer| pointer.of(answer)) {
            let words = match error {
                Value::String(words) => words.clone(),
                other => {
                    format!("`{}` is {}", self.error.as_ref().expect("it was found"), json::shape(other))
                }
            };
            if self.empty_errors.iter().any(|empty| *empty == words.trim()) {
                return Ok(Vec::new());
            }
            return Err(Unread::Refused(words));
        }
        self.ranked(json::hits_in(answer, &self.fields)?)
    }

    fn ranked(&self, mut hits: Vec<RawHit>) -> Result<Vec<RawHit>, Unread> {
        let score = |hit: &RawHit| hit.score.unwrap_or_default();
        if (self.rank_by == RankBy::Score || self.score_above.is_some())
            && let Some(at) = hits.iter().position(|hit| hit.score.is_none())
        {
            let what = format!("hit {} has no `{}`, which is what counts", at + 1, self.fields.score);
            return Err(OutputProblem::new(what).into());
        }
        if let Some(least) = self.score_above {
            hits.retain(|hit| score(hit) > least);
        }
        if self.rank_by == RankBy::Score {
            hits.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.path.cmp(&b.path)));
        }
        Ok(hits)
    }
}

#[cfg(test)]
pub(super) mod tests;
