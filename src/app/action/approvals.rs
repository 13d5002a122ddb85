//! The approvals of a pull request, found again in its comments at every review: what a comment approved holds for later
//! heads and after force-pushes, and holds no longer when the comment is edited or its author may not approve today.
//!
//! Nothing here is remembered anywhere. A baseline file in a pull request counts if it is, byte for byte, what such an
//! approval writes.

use std::collections::BTreeMap;

use super::approved::{self, Answered, NoBundle, hinted_heads};
use super::asked::Asked;
use super::rules::Placed;
use crate::app::speaker::{Speaker, pull_state};
use crate::approval::{
    Approve, ApprovedBy, Bundle, Command, Decision, Parsed, Refusal, Situation, decide, parse,
};
use crate::artifact::{ApprovalToken, Baseline, CoveredPair, Instant};
use crate::canon::Digest;
use crate::config::Approvers;
use crate::error::{Blame, Blamed, Failure};
use crate::github::{Client, Comment, Compare, MergeGroup, Place, Pull, Repository, Sha, Us, endpoint};

/// What a verified approval says of a pair.
#[derive(Clone, Debug)]
pub(super) struct Approval {
    /// The pull request whose comment it is.
    pub pull: u64,
    /// What it records; none if it removes the pair's baseline. Several where the same was approved more than once: each
    /// comment writes a record of its own.
    recorded: Vec<Recorded>,
    covered: CoveredPair,
}

impl Approval {
    /// The pair is gone with approval.
    pub(super) fn is_removal(&self) -> bool {
        self.recorded.is_empty()
    }

    /// What it records: the one whose file that is, else the last.
    pub(super) fn recorded(&self, file: Option<&[u8]>) -> Option<&Recorded> {
        let is_file = |recorded: &&Recorded| file == Some(recorded.text.as_bytes());
        self.recorded.iter().find(is_file).or_else(|| self.recorded.last())
    }

    /// The content hash of the baseline that it was given against; none if there was none.
    pub(super) fn supersedes(&self) -> Option<&Digest> {
        self.covered.supersedes.as_ref()
    }

    /// The content hashes of the baselines that it leads to; none for no baseline any more.
    pub(super) fn leads_to(&self) -> Vec<Option<Digest>> {
        if self.is_removal() {
            return vec![None];
        }
        self.recorded.iter().map(|recorded| Some(recorded.baseline.digest.clone())).collect()
    }
}

/// A baseline with the text of its file.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    pub baseline: Baseline,
    pub text: String,
}

/// Suite and retriever.
pub(super) type PairName = (String, String);

/// The approvals of a pull request.
#[derive(Clone, Debug, Default)]
pub(super) struct Approvals {
    /// By pair: the last one counts.
    pairs: BTreeMap<PairName, Approval>,
    /// What they stand for.
    bundles: BTreeMap<ApprovalToken, Bundle>,
}

impl Approvals {
    /// What was approved for a pair.
    pub(super) fn of(&self, suite: &str, retriever: &str) -> Option<&Approval> {
        self.pairs.get(&(suite.to_owned(), retriever.to_owned()))
    }

    /// All of them.
    pub(super) fn into_pairs(self) -> impl Iterator<Item = (PairName, Approval)> {
        self.pairs.into_iter()
    }

    /// Exactly this of a pair was approved.
    pub(super) fn cover(&self, pair: &CoveredPair) -> bool {
        let approved = self.of(&pair.suite, &pair.retriever);
        approved.is_some_and(|approved| pair.is_approvable() && is_same(&approved.covered, pair))
    }

    /// What they stand for, to be kept where a later review finds it.
    pub(super) fn bundles(&self) -> impl Iterator<Item = &Bundle> {
        self.bundles.values()
    }
}

/// Whose approvals, by which rules.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub client: &'a Client,
    pub repository: &'a Repository,
    /// Where the verdicts of this pull request stand.
    pub place: &'a Place,
    /// `[approval]` at the tip of the base.
    pub approvers: &'a Approvers,
    pub placed: &'a Placed,
    /// The base branch.
    pub branch: &'a str,
    /// Its tip.
    pub tip: &'a Sha,
    /// What was asked before.
    pub asked: &'a Asked,
}

impl Search<'_> {
    /// Those of pull requests: of two about one pair the later pull request's counts.
    pub(super) async fn approvals(&self, pulls: &[Pull]) -> Result<Approvals, Failure> {
        let mut found = Approvals::default();
        for pull in pulls {
            let of_pull = self.of_pull(pull).await?;
            found.pairs.extend(of_pull.pairs);
            found.bundles.extend(of_pull.bundles);
        }
        self.keep_current(&mut found).await?;
        Ok(found)
    }

    /// Those of one, whatever the base has by now. Who may not approve is remembered: he is asked about once, however much
    /// he writes.
    pub(super) async fn of_pull(&self, pull: &Pull) -> Result<Approvals, Failure> {
        OfPull { search: *self, pull }.approvals().await
    }

    /// The pull requests of a merge group: those whose head is in it, and the one that its branch is named after (a queue
    /// that squashes keeps no heads).
    pub(super) async fn pulls_of(&self, group: &MergeGroup) -> Result<Vec<Pull>, Failure> {
        let between = endpoint::commits_between(self.repository, &group.base_sha, &group.head_sha);
        let between: Compare = self.client.json(&between).await?;
        let inside = |sha: &Sha| {
            between
                .commits
                .iter()
                .any(|commit| commit.sha == *sha || commit.parents.iter().any(|parent| parent.sha == *sha))
        };
        let named = group.head_ref.rsplit('/').next().and_then(|name| name.strip_prefix("pr-"));
        let named = named.and_then(|name| name.split('-').next()?.parse::<u64>().ok());
        let call = endpoint::pulls_to(self.repository, group.branch());
        let mut pulls = self.client.all(&call, |page: Vec<Pull>| page).await?;
        pulls.retain(|pull| inside(&pull.head.sha) || Some(pull.number) == named);
        pulls.sort_by_key(|pull| pull.number);
        Ok(pulls)
    }

    /// An approval was given against the baseline that the base had then: it says nothing about another one.
    async fn keep_current(&self, found: &mut Approvals) -> Result<(), Failure> {
        if found.pairs.is_empty() {
            return Ok(());
        }
        let pairs: Vec<PairName> = found.pairs.keys().cloned().collect();
        let in_force = self.in_force(self.tip, &pairs).await?;
        found.pairs.retain(|pair, approval| in_force.get(pair).map(|it| &it.digest) == approval.supersedes());
        Ok(())
    }
}

/// The search in one pull request.
struct OfPull<'a> {
    search: Search<'a>,
    pull: &'a Pull,
}

impl OfPull<'_> {
    /// Finds what its comments approve.
    async fn approvals(&self) -> Result<Approvals, Failure> {
        let call = endpoint::comments(self.search.repository, self.pull.number);
        let comments: Vec<Comment> = self.search.client.all(&call, |page: Vec<Comment>| page).await?;
        let command = |comment: &Comment| match parse(comment.body.as_deref().unwrap_or_default()) {
            Parsed::Command(Command::Approve(approve)) => Some(approve),
            _ => None,
        };
        // What is said after the merge approves nothing.
        let in_time = |comment: &&Comment| match &self.pull.merged_at {
            Some(merged) => instant(comment.created_at.as_deref())
                .zip(instant(Some(merged.as_str())))
                .is_some_and(|(said, merged)| said <= merged),
            None => true,
        };
        let said = comments.iter().filter(in_time).filter_map(|comment| Some((comment, command(comment)?)));
        let said: Vec<_> = said.collect();
        let mut found = Approvals::default();
        if said.is_empty() {
            return Ok(found);
        }
        let answers = Answered::all(&comments, &Us { login: self.search.client.viewer().await? });
        let mut bundles: BTreeMap<ApprovalToken, Option<Bundle>> = BTreeMap::new();
        for (comment, approve) in said {
            let answered = answers.iter().find(|one| one.comment == comment.id && one.token == approve.token);
            // Once it is merged, only what was carried out counts: a refused command is none, whoever its author is today.
            if answered.is_none() && self.pull.merged_at.is_some() {
                continue;
            }
            let Some(author) = comment.user.as_ref() else { continue };
            if self.search.asked.is_stranger(author.id) {
                continue;
            }
            match self.situation(comment, &approve).await {
                situation if !counts(&situation)? => {
                    // Whatever else is wrong with the comment.
                    let unedited = Situation { unedited: Some(true), ..situation };
                    if decide(&unedited) == Decision::Refuse(Refusal::NotAllowed) {
                        self.search.asked.estrange(author.id);
                    }
                    continue;
                }
                _ => {}
            }
            if !bundles.contains_key(&approve.token) {
                let bundle = self.bundle(&approve.token, &answers).await?;
                bundles.insert(approve.token.clone(), bundle);
            }
            let Some(Some(bundle)) = bundles.get(&approve.token) else { continue };
            if self.is_of_this_pull(bundle) {
                let login = answered.and_then(|answered| answered.login.as_ref()).unwrap_or(&author.login);
                take(&mut found, self.pull, comment, (author.id, login), &approve, bundle);
                found.bundles.insert(approve.token.clone(), bundle.clone());
            }
        }
        Ok(found)
    }

    /// The bundle of a token, which proves it. Where it lies our answer to the command says.
    async fn bundle(&self, token: &ApprovalToken, answers: &[Answered]) -> Result<Option<Bundle>, Failure> {
        let mut heads = hinted_heads(answers, token);
        if self.pull.merged_at.is_none() {
            heads.push(self.pull.head.sha.clone());
        }
        for commit in heads {
            let place = Place { commit, ..self.search.place.clone() };
            match approved::bundles_at(self.search.client, &place).await {
                Ok(bundles) => {
                    let mut all = bundles.kept.into_iter().chain(bundles.current.ok().flatten());
                    if let Some(bundle) = all.find(|bundle| bundle.covered.token() == *token) {
                        return Ok(Some(bundle));
                    }
                }
                Err(NoBundle::Unusable(_)) => {}
                Err(NoBundle::Github(problem)) => return Err(problem.into()),
            }
        }
        Ok(None)
    }

    /// What is known of a comment, with the best assumed of what its token stands for.
    async fn situation(&self, comment: &Comment, approve: &Approve) -> Situation {
        let speaker = Speaker::of(self.search.client, self.search.repository, comment, self.pull).await;
        speaker.approved(approve, Some(self.search.approvers.clone()), pull_state(self.pull))
    }

    fn is_of_this_pull(&self, bundle: &Bundle) -> bool {
        let repository = self.pull.base.repo.as_ref().map(|repository| repository.id);
        Some(bundle.covered.repository) == repository
            && bundle.covered.pull_request == self.pull.number
            && bundle.covered.base == self.pull.base.branch
    }
}

/// GitHub did not say whether an approval counts.
#[derive(Debug, thiserror::Error)]
#[error("whether an approval counts could not be found out: {0}")]
struct Doubt(String);

impl Blamed for Doubt {
    fn blame(&self) -> Blame {
        Blame::Environment
    }

    fn hint(&self) -> Option<String> {
        Some("run the job again; it needs `pull-requests: read`".to_owned())
    }
}

/// Whether a comment approves. Where nobody can tell, neither an approval nor its absence is a verdict.
fn counts(situation: &Situation) -> Result<bool, Doubt> {
    match decide(situation) {
        Decision::Approve(_) => Ok(true),
        Decision::Refuse(refusal) if refusal.is_doubt() => Err(Doubt(refusal.to_string())),
        Decision::Refuse(_) | Decision::Answer | Decision::Ignore(_) => Ok(false),
    }
}

fn instant(at: Option<&str>) -> Option<jiff::Timestamp> {
    at?.parse().ok()
}

/// Takes over what a comment approves, of an account and what it was called then.
fn take(
    found: &mut Approvals,
    pull: &Pull,
    comment: &Comment,
    (author, login): (u64, &str),
    approve: &Approve,
    bundle: &Bundle,
) {
    let at = comment.created_at.as_deref().and_then(|at| at.parse::<Instant>().ok());
    let Some(at) = at else { return };
    let by = ApprovedBy { comment: comment.id, author, login, at: &at, reason: approve.reason.as_deref() };
    for pair in bundle.covered.pairs.iter().filter(|pair| approve.selects(pair)) {
        let recorded = bundle.baseline(pair, &by).and_then(|text| {
            let baseline = Baseline::read(text.as_bytes()).ok()?;
            Some(Recorded { baseline, text })
        });
        if recorded.is_none() && !pair.is_removal() {
            continue;
        }
        let name = (pair.suite.clone(), pair.retriever.clone());
        match found.pairs.get_mut(&name) {
            Some(earlier) if is_same(&earlier.covered, pair) => earlier.recorded.extend(recorded),
            _ => {
                let recorded = recorded.into_iter().collect();
                let approval = Approval { pull: pull.number, recorded, covered: pair.clone() };
                found.pairs.insert(name, approval);
            }
        }
    }
}

/// Two approvals say the same of a pair.
fn is_same(one: &CoveredPair, other: &CoveredPair) -> bool {
    one.candidate == other.candidate && one.supersedes == other.supersedes
}
