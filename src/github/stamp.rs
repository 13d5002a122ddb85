//! Which of two verdicts on one commit is the newer.

use std::cmp::Ordering;
use std::fmt;

use super::{Client, Compare, GithubProblem, Repository, Sha, endpoint};

/// Where a verdict comes from. A check run carries it as `external_id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The commit whose baselines the figures were compared with.
    pub base: Sha,
    /// The workflow run.
    pub run: u64,
    /// Its attempt.
    pub attempt: u64,
    /// When that attempt began; unknown without the permission to read it.
    pub started: Option<jiff::Timestamp>,
}

/// The form of the text, so that a later one is told from this.
const FORM: &str = "rankhold-1";

impl Stamp {
    /// Reads a text of [`Stamp`]'s `Display`; whatever else it is, it is no stamp.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        if parts.next()? != FORM {
            return None;
        }
        let base = Sha::new(parts.next()?)?;
        let (run, attempt) = parts.next()?.split_once('.')?;
        let started = parts.next().map(str::parse).transpose().ok()?;
        let stamp = Self { base, run: run.parse().ok()?, attempt: attempt.parse().ok()?, started };
        parts.next().is_none().then_some(stamp)
    }

    /// By time alone: for verdicts on the same base.
    fn by_time(&self, other: &Self) -> Ordering {
        let run = |stamp: &Self| (stamp.run, stamp.attempt);
        match (self.started, other.started) {
            (Some(mine), Some(theirs)) => mine.cmp(&theirs).then_with(|| run(self).cmp(&run(other))),
            _ => run(self).cmp(&run(other)),
        }
    }

    /// Whether `other` is newer: its base is a descendant of this one's, or the same and it began later.
    pub async fn is_older_than(
        &self,
        other: &Self,
        client: &Client,
        repository: &Repository,
    ) -> Result<bool, GithubProblem> {
        if self.base == other.base {
            return Ok(self.by_time(other) == Ordering::Less);
        }
        let compare = client.json::<Compare>(&endpoint::compare(repository, &self.base, &other.base)).await;
        Ok(match compare {
            Ok(compare) if compare.status == "ahead" => true,
            Ok(compare) if compare.status == "behind" => false,
            // Bases that do not follow each other, or one that is gone after a force-push: time decides.
            Ok(_) => self.by_time(other) == Ordering::Less,
            Err(problem) if problem.is_not_found() => self.by_time(other) == Ordering::Less,
            Err(problem) => return Err(problem),
        })
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{FORM} {} {}.{}", self.base, self.run, self.attempt)?;
        self.started.map_or(Ok(()), |started| write!(f, " {started}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(run: u64, attempt: u64, started: Option<&str>) -> Stamp {
        let started = started.map(|text| text.parse().unwrap());
        Stamp { base: Sha::new(&"a".repeat(40)).unwrap(), run, attempt, started }
    }

    #[test]
    fn a_stamp_reads_back_and_nothing_else_does() {
        for stamp in [stamp(1, 2, None), stamp(7, 1, Some("2026-11-30T12:00:00Z"))] {
            assert_eq!(Stamp::read(&stamp.to_string()), Some(stamp));
        }
        let honest = stamp(1, 2, None).to_string();
        for text in [
            "",
            "x",
            &honest.replace("-1", "-2"),
            &format!("{honest} soon"),
            &format!("{honest} 2026-11-30T12:00:00Z x"),
        ] {
            assert_eq!(Stamp::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_re_run_is_newer_than_a_run_that_began_before_it() {
        let first = stamp(1, 1, Some("2026-11-30T12:00:00Z"));
        let second = stamp(2, 1, Some("2026-11-30T12:05:00Z"));
        let first_again = stamp(1, 2, Some("2026-11-30T12:10:00Z"));
        assert_eq!(first.by_time(&second), Ordering::Less);
        assert_eq!(second.by_time(&first_again), Ordering::Less);
        assert_eq!(stamp(1, 2, None).by_time(&second), Ordering::Less);
    }
}
