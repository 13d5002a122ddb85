//! A baseline's record of its approval, held against what GitHub has where it points to. Whatever is not certain is doubt.

use std::fmt;

use super::unconfirmed::{Doubt, Falsehood, Why, because};
use crate::app::action::Answered;
use crate::app::speaker::{Speaker, pull_state};
use crate::approval::{Approve, Author, Command, Decision, Parsed, PullState, Refusal, decide, parse};
use crate::artifact::{Approval, Baseline, Instant, Record};
use crate::config::Approvers;
use crate::error::Failure;
use crate::github::{self, Comment, GithubProblem, Pull};

/// What a baseline says of its approval on GitHub.
#[derive(Clone, Copy)]
pub(super) struct Claim<'a> {
    /// The suite of its pair.
    suite: &'a str,
    approval: &'a Approval,
    /// Where on GitHub, and of what.
    pub record: &'a Record,
}

/// What GitHub has where a record points to.
pub(super) enum Heard {
    /// No such pull request.
    NoPull,
    /// No such comment in the repository.
    NoComment,
    /// Something.
    There(Box<Found>),
}

/// A pull request and a comment, which need not belong together.
pub(super) struct Found {
    pub pull: Pull,
    pub comment: Comment,
    /// Who wrote it; none if that account is gone.
    pub speaker: Option<Speaker>,
    /// Who may approve by the tip of the base branch.
    pub approvers: Result<Approvers, Failure>,
    /// What rankhold answered below the pull request, where that matters.
    pub answers: Result<Vec<Answered>, GithubProblem>,
}

/// The record is true.
pub(super) struct Confirmed {
    /// Who approved, as the file calls him.
    approved_by: String,
    /// Today's name of the account.
    login: String,
    pull: PullState,
    /// The branch that the pull request goes to.
    base: String,
    today: Today,
}

/// Whether somebody may approve at this moment.
pub(super) enum Today {
    May,
    MayNot(Refusal),
    Unknown(String),
}

impl Found {
    /// Whether its author could approve it today; none where there is no approval, or nobody knows who wrote it.
    pub(super) fn today(&self) -> Option<Today> {
        let Parsed::Command(Command::Approve(approve)) = parse(self.comment.body.as_deref()?) else {
            return None;
        };
        Some(today(&approve, self.speaker.as_ref()?, &self.approvers))
    }
}

impl<'a> Claim<'a> {
    /// That of a baseline; none if it was not approved on GitHub.
    pub(super) fn of(baseline: &'a Baseline) -> Option<Self> {
        let (record, measured) = baseline.approval.github.as_ref().zip(baseline.measurement.as_ref())?;
        Some(Self { suite: &measured.suite.name, approval: &baseline.approval, record })
    }

    /// Whether it is true.
    pub(super) fn held_against(&self, heard: &Heard) -> Result<Confirmed, Why> {
        let found = match heard {
            Heard::NoPull => return Err(Falsehood::NoPull.into()),
            Heard::NoComment => return Err(Falsehood::NoComment.into()),
            Heard::There(found) => found,
        };
        let Found { pull, comment, speaker, approvers, answers } = &**found;
        let speaker = speaker.as_ref().ok_or(Doubt::NoAuthor);
        let said = self.says(comment);
        let looks = [
            stands_below(comment, pull.number),
            self.is_by(comment),
            said.as_ref().map(drop).map_err(Clone::clone),
            speaker.clone().map_err(Why::from).and_then(is_a_person),
            speaker.clone().map_err(Why::from).and_then(left_it_as_it_was),
            in_time(comment, pull),
        ];
        let mut problems: Vec<Why> = looks.into_iter().filter_map(Result::err).collect();
        // What is false is so whatever else is in doubt.
        problems.sort_by_key(|why| matches!(why, Why::Doubt(_)));
        if let Some(first) = problems.into_iter().next() {
            return Err(first);
        }
        let (approve, speaker) = (said?, speaker?);
        let (login, base, pull) = (speaker.login.clone(), pull.base.branch.clone(), pull_state(pull));
        let today = today(&approve, speaker, approvers);
        match (today, pull) {
            // Until the merge a review asks for his rights again.
            (Today::MayNot(refusal), PullState::Open | PullState::Closed | PullState::Unknown) => {
                Err(Falsehood::NotAllowed { login, refusal }.into())
            }
            (Today::Unknown(why), PullState::Open | PullState::Closed | PullState::Unknown) => {
                Err(Doubt::Rights { login, why }.into())
            }
            // Whoever leaves has approved what was merged, if he could then: whoever could not may have merged it all the same.
            (today @ (Today::MayNot(_) | Today::Unknown(_)), PullState::Merged)
                if !self.was_answered(answers)? =>
            {
                Err(Doubt::ThatDay { today: today.of(&login), login }.into())
            }
            (today, pull) => {
                Ok(Confirmed { approved_by: self.approval.approved_by.clone(), login, pull, base, today })
            }
        }
    }

    /// Rankhold answered this very comment that what it says was carried out.
    fn was_answered(&self, answers: &Result<Vec<Answered>, GithubProblem>) -> Result<bool, Doubt> {
        let answers = answers.as_ref().map_err(|problem| Doubt::Github(problem.clone()))?;
        Ok(answers.iter().any(|answered| {
            answered.comment == self.record.comment
                && answered.token == self.record.token
                && answered.head.as_str() == self.record.covered.head
        }))
    }

    fn is_by(&self, comment: &Comment) -> Result<(), Why> {
        let user = author(comment).ok_or(Doubt::NoAuthor)?;
        if user.id != self.record.author {
            let recorded = self.record.author;
            return Err(Falsehood::OtherAuthor { login: user.login.clone(), id: user.id, recorded }.into());
        }
        Ok(())
    }

    /// What the comment says is what the file says.
    fn says(&self, comment: &Comment) -> Result<Approve, Why> {
        let body = comment.body.as_deref().ok_or(Doubt::Unsaid("what the comment says"))?;
        let Parsed::Command(Command::Approve(approve)) = parse(body) else {
            return Err(Falsehood::NoApproval.into());
        };
        if approve.token != self.record.token {
            return Err(Falsehood::OtherToken(approve.token).into());
        }
        if !approve.suites.is_empty() && !approve.suites.iter().any(|suite| suite == self.suite) {
            let suite = self.suite.to_owned();
            return Err(Falsehood::OtherSuite { said: approve.suites, suite }.into());
        }
        if approve.reason != self.approval.reason {
            let recorded = self.approval.reason.clone();
            return Err(Falsehood::OtherReason { said: approve.reason, recorded }.into());
        }
        let at = comment.created_at.as_deref().and_then(|at| at.parse::<Instant>().ok());
        let said = at.ok_or(Doubt::Unsaid("when the comment was written"))?;
        if said.moment() != self.approval.approved_at.moment() {
            return Err(Falsehood::OtherTime { said, recorded: self.approval.approved_at.clone() }.into());
        }
        Ok(approve)
    }
}

/// The account that wrote a comment. In the place of one that is gone GitHub puts `ghost`, which is nobody.
pub(super) fn author(comment: &Comment) -> Option<&github::Author> {
    comment.user.as_ref().filter(|user| user.login != "ghost")
}

fn stands_below(comment: &Comment, pull: u64) -> Result<(), Why> {
    let below = comment.issue_url.as_deref().and_then(|url| url.rsplit_once("/issues/")?.1.parse().ok());
    match below {
        Some(number) if number == pull => Ok(()),
        Some(number) => Err(Falsehood::OtherPull(number).into()),
        None => Err(Doubt::Unsaid("below what the comment stands").into()),
    }
}

fn in_time(comment: &Comment, pull: &Pull) -> Result<(), Why> {
    let at = |text: &Option<String>| text.as_deref().and_then(|at| at.parse::<jiff::Timestamp>().ok());
    match (&pull.merged_at, at(&comment.created_at)) {
        (None, _) => Ok(()),
        (merged, Some(said)) if at(merged).is_some_and(|merged| said <= merged) => Ok(()),
        (_, Some(_)) => Err(Falsehood::AfterMerge.into()),
        (_, None) => Err(Doubt::Unsaid("when the comment was written").into()),
    }
}

fn is_a_person(speaker: &Speaker) -> Result<(), Why> {
    match speaker.author {
        Author::Person => Ok(()),
        Author::Program => Err(Falsehood::Program(speaker.login.clone()).into()),
        Author::Unknown => Err(Doubt::NoAuthor.into()),
    }
}

fn left_it_as_it_was(speaker: &Speaker) -> Result<(), Why> {
    match speaker.unedited {
        Some(true) => Ok(()),
        Some(false) => Err(Falsehood::Edited.into()),
        None => Err(Doubt::Edits(speaker.edits_refused.clone()).into()),
    }
}

/// Whether the author of a good approval could give it today.
fn today(approve: &Approve, speaker: &Speaker, approvers: &Result<Approvers, Failure>) -> Today {
    // What became of the pull request is asked elsewhere.
    let now = speaker.approved(approve, approvers.as_ref().ok().cloned(), PullState::Merged);
    match decide(&now) {
        Decision::Approve(_) => Today::May,
        Decision::Refuse(refusal) if !refusal.is_doubt() => Today::MayNot(refusal),
        Decision::Refuse(_) | Decision::Answer | Decision::Ignore(_) => {
            let of_rules = approvers.as_ref().err().map(ToString::to_string);
            let of_rights = speaker.rights_refused.as_ref().map(ToString::to_string);
            let why = of_rules.or(of_rights);
            Today::Unknown(why.unwrap_or_else(|| "GitHub does not say what this account may do".to_owned()))
        }
    }
}

impl fmt::Display for Confirmed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { approved_by, login, pull, base, today } = self;
        f.write_str("GitHub has this approval there, unedited and by the same account")?;
        if login != approved_by {
            write!(
                f,
                ", which is called {login} today (that it was called {approved_by} GitHub does not say)"
            )?;
        }
        match pull {
            PullState::Open => write!(f, "; the pull request to `{base}` is open")?,
            PullState::Merged => write!(f, "; the pull request is merged into `{base}`")?,
            PullState::Closed => write!(f, "; the pull request to `{base}` was closed without a merge")?,
            PullState::Unknown => {
                write!(f, "; what became of the pull request to `{base}` GitHub does not say")?;
            }
        }
        if pull == &PullState::Merged && !matches!(today, Today::May) {
            write!(f, "; rankhold answered it then, so that {login} could approve on that day")?;
        }
        write!(f, "; {}", today.of(login))
    }
}

impl Today {
    fn of(&self, login: &str) -> String {
        match self {
            Self::May => format!("{login} may approve today"),
            Self::MayNot(refusal) => format!("{login} may not approve today{}", because(refusal)),
            Self::Unknown(why) => format!("whether {login} may approve today could not be found out: {why}"),
        }
    }
}
