//! An approval that counts: the commit, the verdict on it, the answer.
//!
//! Every write finds what an earlier attempt left: a command that is run again after it broke off finishes the rest.

use super::known::Known;
use crate::app::Day;
use crate::app::action::approvals::Approvals;
use crate::app::action::approved::Answered;
use crate::app::action::rules::Placed;
use crate::app::action::{Github, Step};
use crate::approval::{Approve, ApprovedBy, Bundle, How};
use crate::artifact::{Candidate, CaseOutcome, Covered, CoveredPair, Instant};
use crate::cli::TodayArgs;
use crate::error::{Blame, Blamed, Failure};
use crate::exit::Exit;
use crate::gate::{Policy, floors_of};
use crate::github::endpoint::Changes;
use crate::github::{
    Client, Conclusion, NewCommit, Place, Sha, Shown, Stamp, Standing, Sticky, Swap, Want, commit,
    is_nothing_but, publish,
};
use crate::metric::Figures;
use crate::report::{Reply, ReplyPair, above_candidates, reply};

/// The longest text of a check that candidates may take, in characters.
const ROOM: usize = 60_000;

/// Why a good approval could not be carried out.
#[derive(Debug, thiserror::Error)]
enum Undone {
    /// The branch moved while we looked.
    #[error("the branch moved on while the approval was carried out: nothing was committed")]
    Moved,
    /// Something is missing that the decision rests on.
    #[error("{0} is not known any more")]
    Unknown(&'static str),
}

impl Blamed for Undone {
    fn blame(&self) -> Blame {
        Blame::Environment
    }

    fn hint(&self) -> Option<String> {
        Some("look at the report of the new head, and approve with the token that it shows".to_owned())
    }
}

/// Carries it out.
pub(super) async fn carry_out(
    step: &Step<'_>,
    github: &Github,
    placed: &Placed,
    known: &Known,
    how: How,
) -> Result<Exit, Failure> {
    let client = &github.client;
    let approve = known.approve().ok_or(Undone::Unknown("what is approved"))?;
    let bundle =
        known.bundle.as_ref().ok().and_then(Option::as_ref).ok_or(Undone::Unknown("what is approved"))?;
    let chosen = |pair: &CoveredPair| approve.selects(pair);
    let earlier = match how {
        How::Record => known.approvals(client, placed).await?,
        How::Commit => Approvals::default(),
    };
    let head = match how {
        // A commit on what was approved is a commit of somebody's, where we commit nothing.
        How::Record if known.finishing.is_some() => return moved(client, known).await,
        How::Record => None,
        How::Commit => {
            let changes = changes(placed, known, approve, bundle)?;
            let Some(head) = committed(github, known, approve, &changes).await? else {
                return moved(client, known).await;
            };
            Some(head)
        }
    };
    // Where nothing is committed, what was approved before holds beside this.
    let holds = |pair: &CoveredPair| chosen(pair) || head.is_none() && earlier.cover(pair);
    let verdict = Verdict::of(known, bundle, head.as_ref(), holds);
    let answer = answer(step, known, approve, bundle, head.as_ref().map(Sha::short), chosen, &verdict);
    let markdown = reply(&answer)?;
    let shown = verdict.shown(&markdown, &earlier, known.run)?;
    let place =
        Place { commit: head.clone().unwrap_or_else(|| known.pull.head.sha.clone()), ..known.place.clone() };
    let stamp = Stamp {
        base: known.base.clone(),
        run: step.runner.run,
        attempt: step.runner.attempt,
        started: step.runner.started(client).await?,
    };
    let report = Sticky {
        repository: known.repository.clone(),
        number: known.pull.number,
        key: step.inputs.id.clone(),
        author: known.us.clone(),
    };
    let published = publish(client, &place, Some((&report, Want::Keep)), &stamp, &shown).await?;
    if let Standing::Superseded { .. } = published.standing {
        step.console.note("a newer run gives the verdict on this commit");
    }
    known.react(client, "+1").await?;
    let told = format!("{markdown}\n{}\n", Answered::line(bundle, known.login()));
    known.say(client, &known.reply_key(), &told).await?;
    step.runner.summarise(&markdown)?;
    Ok(Exit::Pass)
}

/// Nothing is done, since the branch has another tip than the one that was approved.
async fn moved(client: &Client, known: &Known) -> Result<Exit, Failure> {
    known.react(client, "confused").await?;
    if known.was_answered(client).await? {
        return Ok(Exit::Pass);
    }
    let answer = Reply::Refused {
        to: known.login().to_owned(),
        what: Undone::Moved.to_string(),
        hint: Undone::Moved.hint().unwrap_or_default(),
        token: None,
    };
    known.reply(client, &known.reply_key(), &answer).await?;
    Ok(Exit::Pass)
}

/// The files of the approved pairs.
fn changes(placed: &Placed, known: &Known, approve: &Approve, bundle: &Bundle) -> Result<Changes, Failure> {
    let author = known.comment.user.as_ref().ok_or(Undone::Unknown("who approves"))?;
    let at = known.comment.created_at.as_deref().and_then(|at| at.parse::<Instant>().ok());
    let at = at.ok_or(Undone::Unknown("when it was approved"))?;
    let by = ApprovedBy {
        comment: known.comment.id,
        author: author.id,
        login: &author.login,
        at: &at,
        reason: approve.reason.as_deref(),
    };
    let pairs = bundle.covered.pairs.iter().filter(|pair| approve.selects(pair));
    Ok(placed.changes(
        pairs.map(|pair| ((pair.suite.clone(), pair.retriever.clone()), bundle.baseline(pair, &by))),
    ))
}

/// The commit, made now or by an attempt that broke off; none if the branch moved. Anybody may push a commit that looks like
/// ours, so that what it changes is what counts.
async fn committed(
    github: &Github,
    known: &Known,
    approve: &Approve,
    changes: &Changes,
) -> Result<Option<Sha>, Failure> {
    if let Some(before) = &known.finishing {
        let head = &known.pull.head.sha;
        let is_ours = is_nothing_but(&github.client, &known.repository, changes, before, head).await?;
        return Ok(is_ours.then(|| head.clone()));
    }
    let proposal = NewCommit {
        branch: known.pull.head.branch.clone(),
        expected: known.pull.head.sha.clone(),
        headline: format!("Approve retrieval baselines ({})", approve.token),
        changes: changes.clone(),
    };
    // Only a commit of an App starts other workflows; everything else is said by the workflow itself.
    let committer = github.committer.as_ref().unwrap_or(&github.client);
    Ok(match commit(committer, &known.repository, &proposal).await? {
        Swap::Committed(head) => Some(head),
        Swap::Moved => None,
    })
}

/// What the pull request's verdict is once the chosen pairs are approved.
struct Verdict {
    exit: Exit,
    /// The pairs that do not pass.
    rest: Vec<ReplyPair>,
    /// What was approved.
    approved: Bundle,
    /// What can be approved after that.
    bundle: Option<Bundle>,
}

impl Verdict {
    fn of(known: &Known, bundle: &Bundle, head: Option<&Sha>, chosen: impl Fn(&CoveredPair) -> bool) -> Self {
        let policy = known.rules.as_ref().map(|(_, policy)| policy);
        let end = |pair: &CoveredPair| {
            let code = if chosen(pair) { pair.approved_exit } else { pair.exit };
            let candidate = bundle.candidate(&pair.suite, &pair.retriever);
            let below =
                policy.zip(candidate).is_some_and(|(policy, candidate)| is_below_a_floor(candidate, policy));
            let exit = Exit::of_code(code).unwrap_or(Exit::NotMeasured);
            if below { exit.and(Exit::Held) } else { exit }
        };
        let exit = bundle.covered.pairs.iter().map(&end).fold(Exit::Pass, Exit::and);
        let rest = known.rows(bundle, |pair| end(pair) != Exit::Pass);
        let approved = bundle.clone();
        let bundle = match head {
            // What is left of it, if anything, has its token.
            None => Some(bundle.clone()),
            Some(head) => {
                let left = |pair: &&CoveredPair| !chosen(pair) || end(pair) != Exit::Pass;
                let pairs: Vec<_> = bundle.covered.pairs.iter().filter(left).cloned().collect();
                let candidates =
                    pairs.iter().filter_map(|pair| bundle.candidate(&pair.suite, &pair.retriever));
                let candidates: Vec<_> = candidates.cloned().collect();
                let covered = Covered { head: head.to_string(), pairs, ..bundle.covered.clone() };
                let any = covered.pairs.iter().any(CoveredPair::is_approvable);
                any.then_some(Bundle { covered, candidates })
            }
        };
        Self { exit, rest, approved, bundle }
    }

    fn shown(&self, markdown: &str, earlier: &Approvals, run: Option<u64>) -> Result<Shown, Failure> {
        let passes = self.exit == Exit::Pass;
        let (mark, title) = if passes {
            ("✅", "The new figures are approved")
        } else {
            ("❌", "Approved, and not all of it passes")
        };
        // What was approved here before is found here too.
        let others = earlier.bundles().filter(|bundle| **bundle != self.approved);
        let kept = others.map(|bundle| (bundle, None)).chain(std::iter::once((&self.approved, run)));
        Ok(Shown {
            conclusion: Some(if passes { Conclusion::Success } else { Conclusion::Failure }),
            title: title.to_owned(),
            summary: format!("## {mark} {title}\n\n{markdown}"),
            text: Some(text_of(self.bundle.as_ref(), kept, run)?),
            annotations: Vec::new(),
        })
    }
}

/// Whether today's gate has a floor that the candidate does not reach: it may have been raised since.
fn is_below_a_floor(candidate: &Candidate, policy: &Policy) -> bool {
    let today = Day::of(TodayArgs { today: None });
    let aside =
        |case: &&CaseOutcome| case.quarantined.as_ref().is_some_and(|quarantine| quarantine.holds(today));
    let active = candidate.cases().iter().filter(|case| !aside(case));
    !floors_of(&Figures::over(active.map(|case| &case.figures)), policy).is_empty()
}

/// A check's text with bundles: those that approvals stand for, and what can be approved now. What has no room is where
/// its run uploaded it.
pub(in crate::app::action) fn text_of<'a>(
    current: Option<&Bundle>,
    kept: impl Iterator<Item = (&'a Bundle, Option<u64>)>,
    uploaded_by: Option<u64>,
) -> Result<String, Failure> {
    let mut text = String::new();
    for (bundle, uploaded_by) in kept.filter(|(bundle, _)| current != Some(*bundle)) {
        let block = bundle.block(ROOM.saturating_sub(text.len()));
        if let Some(block) = block.or_else(|| uploaded_by.map(|run| bundle.pointer(run))) {
            text.push_str(&block);
            text.push('\n');
        }
    }
    if let Some(bundle) = current {
        text.push_str(&above_candidates(bundle.covered.token().as_str())?);
        text.push('\n');
        let block = bundle.block(ROOM.saturating_sub(text.len()));
        text.push_str(&block.or_else(|| uploaded_by.map(|run| bundle.pointer(run))).unwrap_or_default());
    }
    Ok(text)
}

fn answer(
    step: &Step<'_>,
    known: &Known,
    approve: &Approve,
    bundle: &Bundle,
    commit: Option<&str>,
    chosen: impl Fn(&CoveredPair) -> bool,
    verdict: &Verdict,
) -> Reply {
    Reply::Approved {
        by: known.login().to_owned(),
        own: known.is_pull_author() == Some(true),
        reason: approve.reason.clone(),
        pairs: known.rows(bundle, chosen),
        rest: verdict.rest.clone(),
        commit: commit.map(str::to_owned),
        app: step.inputs.commit_token.is_some(),
        record: commit.is_none(),
    }
}
