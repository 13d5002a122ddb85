//! What can be found out about a comment that commands.

use std::collections::BTreeMap;

use crate::app::action::approvals::{Approvals, PairName, Search};
use crate::app::action::approved::{Answered, Bundles};
use crate::app::action::asked::Asked;
use crate::app::action::rules::{Placed, settings};
use crate::app::action::{Step, approved, outlet};
use crate::app::speaker::{Speaker, pull_state};
use crate::approval::{
    Approve, Bundle, Command, Decision, Head, Parsed, Permission, Proof, Refusal, Selection, Situation,
    Trigger, TypedToken, decide, parse,
};
use crate::artifact::{Baseline, CoveredPair};
use crate::config::{ApprovalMode, Approvers, Publish, Settings};
use crate::error::Failure;
use crate::gate::Policy;
use crate::github::{
    Branch, Client, Comment, GithubProblem, Place, Pull, RemoteRepository, Repository, Said, Sha, Sticky, Us,
    Want, check_name, endpoint,
};
use crate::report::{Reply, ReplyPair, reply};

/// The comment with everything around it, as it is now.
pub(super) struct Known {
    pub repository: Repository,
    pub pull: Pull,
    pub comment: Comment,
    pub parsed: Parsed,
    /// `[approval]` and gate of the base's tip; none if they could not be read.
    pub rules: Option<(Approvers, Policy)>,
    /// The tip of the base branch.
    pub tip: Sha,
    /// Where the verdict on the head stands.
    pub place: Place,
    /// The commit that the verdict was held against: what is approved keeps it, so that a later review of the same base is
    /// the newer one.
    pub base: Sha,
    /// The run that gave that verdict, and uploaded what had no room in it.
    pub run: Option<u64>,
    /// The baselines in force at the tip that the bundle is about.
    pub before: BTreeMap<PairName, Baseline>,
    /// What can be approved now, and what is wrong with it.
    pub bundle: Result<Option<Bundle>, String>,
    /// The head that the bundle is of: an earlier one, if the present one is our own commit.
    pub finishing: Option<Sha>,
    speaker: Speaker,
    head: Head,
    asked: Asked,
    /// Who we are.
    pub us: Us,
}

/// What is looked up for a command, beside the comment and its author.
enum Wants {
    Nothing,
    /// What the check says can be approved.
    Check,
    /// That, and what is in force on the base.
    Everything,
}

impl Known {
    /// Asks for everything. What cannot be read denies later, unless nobody could even be answered without it.
    pub(super) async fn gather(
        step: &Step<'_>,
        client: &Client,
        placed: &Placed,
        said: &Said,
    ) -> Result<Option<Self>, Failure> {
        let repository = step.runner.repository.clone();
        let us = Us { login: client.viewer().await? };
        let pull: Pull = client.json(&endpoint::pull(&repository, said.issue.number)).await?;
        // The comment as it is now: the event shows what it was.
        let comment: Comment = match client.json(&endpoint::comment(&repository, said.comment.id)).await {
            Ok(comment) => comment,
            Err(problem) if problem.is_not_found() => return Ok(None),
            Err(problem) => return Err(problem.into()),
        };
        let base: Branch = client.json(&endpoint::branch(&repository, &pull.base.branch)).await?;
        let tip = base.commit.sha;
        let read = settings(client, &repository, placed, &pull.base.branch, &tip).await.ok();
        let publish = step.inputs.publish.or(read.as_ref().map(|read| read.report.publish));
        let rules = read.map(|Settings { approval, policy, .. }| (approval, policy));
        let mut speaker = Speaker::of(client, &repository, &comment, &pull).await;
        // What was said in the event must be what is there.
        speaker.unedited = speaker.unedited.map(|unedited| unedited && comment.body == said.comment.body);
        let default = match &said.repository.default_branch {
            Some(name) => Some(name.clone()),
            None => client.json::<RemoteRepository>(&endpoint::repository(&repository)).await?.default_branch,
        };
        let head = head_of(client, &repository, &pull, default.as_deref()).await;
        let place = Place {
            repository: repository.clone(),
            commit: pull.head.sha.clone(),
            name: check_name(&pull.base.branch, default.as_deref()),
            outlet: outlet(publish.unwrap_or(Publish::Check)),
            pull: None,
            details: Some(comment.html_url.clone()),
        };
        let parsed = parse(comment.body.as_deref().unwrap_or_default());
        let mut known = Self {
            bundle: Ok(None),
            finishing: None,
            repository,
            pull,
            comment,
            parsed,
            rules,
            base: tip.clone(),
            run: None,
            tip,
            place,
            before: BTreeMap::new(),
            speaker,
            head,
            asked: Asked::default(),
            us,
        };
        match known.wants() {
            Wants::Nothing => {}
            Wants::Check => known.find_bundle(client, placed, false).await,
            Wants::Everything => known.find_bundle(client, placed, true).await,
        }
        Ok(Some(known))
    }

    /// What is looked up for the command. Requests are few, and all runs of the repository share them: a stranger is told
    /// what the check says, and who is refused whatever can be approved is refused without it.
    fn wants(&self) -> Wants {
        match &self.parsed {
            Parsed::Command(Command::Approve(approve)) => {
                let approvers = self.rules.as_ref().map(|(approvers, _)| approvers.clone());
                match decide(&self.speaker.approved(approve, approvers, pull_state(&self.pull))) {
                    Decision::Approve(_) => Wants::Everything,
                    Decision::Refuse(_) | Decision::Answer | Decision::Ignore(_) => Wants::Nothing,
                }
            }
            Parsed::Command(Command::Status) => match self.speaker.permission {
                Permission::Admin | Permission::Write => Wants::Everything,
                Permission::Read | Permission::None | Permission::Unknown => Wants::Check,
            },
            Parsed::Command(Command::Help) | Parsed::Malformed(_) | Parsed::Nothing => Wants::Nothing,
        }
    }

    /// Finds what can be approved at the head; where the head is a commit that this very comment led to, what could be
    /// approved before it.
    async fn find_bundle(&mut self, client: &Client, placed: &Placed, looks_behind: bool) {
        if let Ok(Some(newest)) = self.place.newest(client).await {
            self.base = newest.base.unwrap_or_else(|| self.base.clone());
            self.run = Some(newest.run);
        }
        self.bundle = approved::bundles_at(client, &self.place)
            .await
            .map_err(|failure| failure.to_string())
            .and_then(|bundles| bundles.current);
        let typed = self.approve().map(|approve| approve.token.clone());
        let is_typed = |bundle: &Bundle| Some(bundle.covered.token()) == typed;
        let is_current = matches!(&self.bundle, Ok(Some(bundle)) if is_typed(bundle));
        if !is_current && typed.is_some() {
            let (repository, head) = (&self.repository, &self.pull.head.sha);
            let before = approved::before_ours(client, repository, head, placed, self.comment.id).await;
            if let Ok(Some(before)) = before {
                let place = Place { commit: before.clone(), ..self.place.clone() };
                if let Ok(Bundles { current: Ok(Some(bundle)), .. }) =
                    approved::bundles_at(client, &place).await
                    && is_typed(&bundle)
                {
                    if let Ok(Some(newest)) = place.newest(client).await {
                        self.base = newest.base.unwrap_or_else(|| self.base.clone());
                        self.run = Some(newest.run);
                    }
                    self.bundle = Ok(Some(bundle));
                    self.finishing = Some(before);
                }
            }
        }
        let Ok(Some(bundle)) = &self.bundle else { return };
        // Of a stranger nobody looks whether something waits: a baseline that is not the one compared with is shown to nobody.
        let pairs: Vec<PairName> = bundle.covered.pairs.iter().map(name_of).collect();
        // Nobody approves where nobody knows who may.
        let before = match self.search(client, placed) {
            Some(search) if looks_behind => search.in_force(&self.tip, &pairs).await,
            Some(search) => search.files(&self.tip, &pairs).await,
            None => Ok(BTreeMap::new()),
        };
        match before {
            Ok(mut before) => {
                if !looks_behind {
                    before.retain(|name, baseline| {
                        let pair = bundle.covered.pairs.iter().find(|pair| name_of(pair) == *name);
                        pair.and_then(|pair| pair.supersedes.as_ref()) == Some(&baseline.digest)
                    });
                }
                self.before = before;
            }
            Err(failure) => self.bundle = Err(failure.to_string()),
        }
    }

    /// What is approved, if that is what is wanted.
    pub(super) fn approve(&self) -> Option<&Approve> {
        match &self.parsed {
            Parsed::Command(Command::Approve(approve)) => Some(approve),
            _ => None,
        }
    }

    /// What comments of the pull request approved, this one among them.
    pub(super) async fn approvals(&self, client: &Client, placed: &Placed) -> Result<Approvals, Failure> {
        match self.search(client, placed) {
            Some(search) => search.approvals(std::slice::from_ref(&self.pull)).await,
            None => Ok(Approvals::default()),
        }
    }

    /// By whose rules approvals count, if they could be read.
    fn search<'a>(&'a self, client: &'a Client, placed: &'a Placed) -> Option<Search<'a>> {
        let (approvers, _) = self.rules.as_ref()?;
        let (repository, place, tip) = (&self.repository, &self.place, &self.tip);
        let branch = &self.pull.base.branch;
        Some(Search { client, repository, place, approvers, placed, branch, tip, asked: &self.asked })
    }

    /// Who wrote the comment.
    pub(super) fn login(&self) -> &str {
        self.comment.user.as_ref().map_or("", |user| user.login.as_str())
    }

    /// He opened the pull request.
    pub(super) fn is_pull_author(&self) -> Option<bool> {
        self.speaker.is_pull_author
    }

    /// The same, as the decision wants it.
    pub(super) fn situation(&self) -> Situation {
        let (token, proof) = self.token();
        Situation {
            parsed: self.parsed.clone(),
            trigger: Trigger::Created,
            on_pull: true,
            author: self.speaker.author,
            unedited: self.speaker.unedited,
            permission: self.speaker.permission,
            role: self.speaker.role.clone(),
            login: self.speaker.login.clone(),
            is_pull_author: self.speaker.is_pull_author,
            approvers: self.rules.as_ref().map(|(approvers, _)| approvers.clone()),
            pull: pull_state(&self.pull),
            head: self.head,
            token,
            proof,
            selection: self.selection(),
        }
    }

    fn token(&self) -> (TypedToken, Proof) {
        let Some(approve) = self.approve() else { return (TypedToken::Unknown, Proof::Missing) };
        match &self.bundle {
            Err(_) => (TypedToken::Unknown, Proof::Damaged),
            Ok(None) => (TypedToken::Stale(None), Proof::Missing),
            Ok(Some(bundle)) => {
                let head = self.finishing.as_ref().unwrap_or(&self.pull.head.sha);
                let covered = &bundle.covered;
                let repository = self.pull.base.repo.as_ref().map(|repository| repository.id);
                // A baseline that changed on the base meanwhile is not the one that was compared with.
                let supersedes = covered.pairs.iter().all(|pair| {
                    let key = (pair.suite.clone(), pair.retriever.clone());
                    self.before.get(&key).map(|baseline| &baseline.digest) == pair.supersedes.as_ref()
                });
                let is_about_this = Some(covered.repository) == repository
                    && covered.pull_request == self.pull.number
                    && covered.base == self.pull.base.branch
                    && covered.head == head.as_str()
                    && supersedes;
                if !is_about_this {
                    return (TypedToken::Stale(None), Proof::Damaged);
                }
                let now = covered.token();
                if now == approve.token {
                    (TypedToken::Current, Proof::Proved)
                } else {
                    (TypedToken::Stale(Some(now)), Proof::Proved)
                }
            }
        }
    }

    fn selection(&self) -> Selection {
        let (Ok(Some(bundle)), Some(approve)) = (&self.bundle, self.approve()) else {
            return Selection::Nothing;
        };
        let named = |suite: &String| bundle.covered.pairs.iter().any(|pair| pair.suite == *suite);
        if !approve.suites.iter().all(named) {
            return Selection::UnknownSuite;
        }
        if bundle.covered.pairs.iter().any(|pair| approve.selects(pair)) {
            Selection::Some
        } else {
            Selection::Nothing
        }
    }

    /// What `status` and `help` are answered.
    pub(super) fn answer(&self, situation: &Situation) -> Reply {
        if situation.parsed == Parsed::Command(Command::Help) {
            return Reply::Help;
        }
        let by_files = |approvers: &Approvers| approvers.mode == ApprovalMode::File;
        if self.rules.as_ref().is_some_and(|(approvers, _)| by_files(approvers)) {
            return Reply::Refused {
                to: self.login().to_owned(),
                what: Refusal::FileMode.to_string(),
                hint: Refusal::FileMode.hint().to_owned(),
                token: None,
            };
        }
        let bundle = self.bundle.as_ref().ok().and_then(Option::as_ref);
        Reply::Status {
            head: self.pull.head.sha.short().to_owned(),
            pairs: bundle.map(|bundle| self.rows(bundle, CoveredPair::is_approvable)).unwrap_or_default(),
            token: bundle.map(|bundle| bundle.covered.token().to_string()).unwrap_or_default(),
        }
    }

    /// Pairs of a bundle, as an answer shows them.
    pub(super) fn rows(&self, bundle: &Bundle, fits: impl Fn(&CoveredPair) -> bool) -> Vec<ReplyPair> {
        let gated = self.rules.as_ref().and_then(|(_, policy)| policy.metrics.first().copied());
        let gated = gated.or_else(|| Policy::default().metrics.first().copied());
        gated.map(|gated| approved::rows(bundle, &self.before, gated, fits)).unwrap_or_default()
    }

    /// One answer for each command.
    pub(super) fn reply_key(&self) -> String {
        format!("reply:{}", self.comment.id)
    }

    /// Answers, in one comment however often the same is answered: a stranger hears once for each head that he may not.
    pub(super) async fn reply(&self, client: &Client, key: &str, answer: &Reply) -> Result<(), Failure> {
        self.say(client, key, &reply(answer)?).await
    }

    /// The command was carried out before, and our answer says so: nothing that is said later takes that back.
    pub(super) async fn was_answered(&self, client: &Client) -> Result<bool, GithubProblem> {
        let call = endpoint::comments(&self.repository, self.pull.number);
        let comments: Vec<Comment> = client.all(&call, |page: Vec<Comment>| page).await?;
        Ok(Answered::all(&comments, &self.us).iter().any(|answered| answered.comment == self.comment.id))
    }

    /// Says something that is markdown already, likewise.
    pub(super) async fn say(&self, client: &Client, key: &str, markdown: &str) -> Result<(), Failure> {
        let sticky = Sticky {
            repository: self.repository.clone(),
            number: self.pull.number,
            key: key.to_owned(),
            author: self.us.clone(),
        };
        sticky.write(client, markdown, Want::Make).await?;
        Ok(())
    }

    /// Reacts to the comment.
    pub(super) async fn react(&self, client: &Client, content: &str) -> Result<(), GithubProblem> {
        #[derive(serde::Deserialize)]
        struct Reaction {
            #[serde(rename = "content")]
            _content: String,
        }
        let call = endpoint::react(&self.repository, self.comment.id, content);
        // The same twice is one.
        client.once::<Reaction, _>(&call, async || Ok(None)).await.map(drop)
    }
}

fn name_of(pair: &CoveredPair) -> PairName {
    (pair.suite.clone(), pair.retriever.clone())
}

/// What kind of branch a pull request comes from.
async fn head_of(client: &Client, repository: &Repository, pull: &Pull, default: Option<&str>) -> Head {
    let by_program = pull.user.as_ref().is_none_or(|user| user.login == "dependabot[bot]");
    if pull.is_foreign() || by_program {
        return Head::Foreign;
    }
    if default == Some(pull.head.branch.as_str()) {
        return Head::Guarded;
    }
    match client.json::<Branch>(&endpoint::branch(repository, &pull.head.branch)).await {
        Ok(branch) => match branch.protected {
            Some(false) => Head::Own,
            Some(true) => Head::Guarded,
            None => Head::Unknown,
        },
        Err(_) => Head::Unknown,
    }
}
