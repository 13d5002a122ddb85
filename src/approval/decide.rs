//! Whether a comment approves: one function over plain values.

use std::fmt;

use super::{Command, Parsed};
use crate::artifact::ApprovalToken;
use crate::config::{ApprovalMode, Approvers};

/// Everything that a decision rests on. What could not be read is `None` or `Unknown`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// What the comment says.
    pub parsed: Parsed,
    /// What happened to it.
    pub trigger: Trigger,
    /// It stands below a pull request.
    pub on_pull: bool,
    /// Who wrote it.
    pub author: Author,
    /// Its text is still the one that was written first.
    pub unedited: Option<bool>,
    /// What its author may do in the repository, now.
    pub permission: Permission,
    /// The name of his role there, now.
    pub role: Option<String>,
    /// His login.
    pub login: String,
    /// He opened the pull request.
    pub is_pull_author: Option<bool>,
    /// `[approval]` at the tip of the base branch.
    pub approvers: Option<Approvers>,
    /// The pull request.
    pub pull: PullState,
    /// The branch that it comes from.
    pub head: Head,
    /// The token that was typed, against the one that stands for what can be approved now.
    pub token: TypedToken,
    /// The candidates that it stands for.
    pub proof: Proof,
    /// The pairs that `--suite` selects.
    pub selection: Selection,
}

/// What happened to a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// It was written.
    Created,
    /// It was edited, deleted, or something that we do not know.
    Other,
    /// It is read again by a review, long after it was written.
    Reread,
}

/// Who wrote a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// A person.
    Person,
    /// A bot, an app, an account that is no person's.
    Program,
    /// Gone, or of a kind that we do not know.
    Unknown,
}

/// GitHub's legacy permission: what every role, custom ones too, comes down to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// `admin`.
    Admin,
    /// `write`; also of the role `maintain`.
    Write,
    /// `read`; also of the role `triage`. In a public repository everybody has it.
    Read,
    /// `none`.
    None,
    /// It could not be read.
    Unknown,
}

/// State of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullState {
    /// Open.
    Open,
    /// Merged: what was approved before that still counts, nothing new does.
    Merged,
    /// Closed without a merge.
    Closed,
    /// It could not be read.
    Unknown,
}

/// The branch that a pull request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// An ordinary branch of the repository.
    Own,
    /// Its default branch, or one that is protected: nothing is committed there.
    Guarded,
    /// Another repository's, or a program's that overwrites what others commit (Dependabot).
    Foreign,
    /// It could not be read.
    Unknown,
}

/// A typed token against what can be approved now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedToken {
    /// It is the one.
    Current,
    /// Something else can be approved now: its token, if there is anything.
    Stale(Option<ApprovalToken>),
    /// What can be approved now could not be read.
    Unknown,
}

/// Whether the candidates are at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Every one has the digest that the token covers.
    Proved,
    /// They are not where they were left.
    Missing,
    /// What lies there is something else.
    Damaged,
}

/// What `--suite` selects of the pairs that the token covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Pairs with something to approve.
    Some,
    /// None of that name.
    UnknownSuite,
    /// Nothing that could be approved: no pair of it was measured, or all are as they were approved.
    Nothing,
}

/// What is done about a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing, not even a reaction.
    Ignore(Ignored),
    /// It is answered: `status`, `help`.
    Answer,
    /// It is refused, and why.
    Refuse(Refusal),
    /// It counts.
    Approve(How),
}

/// Why nothing is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// It is no command.
    NoCommand,
    /// It was edited or deleted: commands are new comments.
    NotNew,
    /// It does not stand below a pull request.
    NoPull,
    /// No person wrote it: programs could answer each other for ever.
    Program,
}

/// How an approval takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The baselines are committed to the head branch.
    Commit,
    /// The comment is the approval.
    Record,
}

/// Why an approval does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It cannot be read.
    Malformed(String),
    /// Whether it was edited could not be found out.
    EditsUnknown,
    /// It was edited.
    Edited,
    /// The base branch's rules could not be read.
    RulesUnknown,
    /// What its author may do could not be read.
    PermissionUnknown,
    /// He may not.
    NotAllowed,
    /// He may, but not his own pull request.
    OwnPull,
    /// The repository trusts baseline files as they are.
    FileMode,
    /// The pull request is not open.
    NotOpen,
    /// The pull request could not be read.
    PullUnknown,
    /// What can be approved now could not be read.
    NowUnknown,
    /// It was about something else.
    Stale(Option<ApprovalToken>),
    /// The candidates are gone.
    CandidatesMissing,
    /// The candidates are not what the token stands for.
    CandidatesDamaged,
    /// There is no such suite.
    UnknownSuite,
    /// There is nothing to approve.
    Nothing,
}

/// Decides. Every question is asked in the order in which an answer may be given to a stranger; whatever is not certain
/// denies.
pub fn decide(situation: &Situation) -> Decision {
    let command = match &situation.parsed {
        Parsed::Nothing => return Decision::Ignore(Ignored::NoCommand),
        Parsed::Command(command) => Ok(command),
        Parsed::Malformed(how) => Err(how),
    };
    match (situation.trigger, situation.on_pull, situation.author) {
        (Trigger::Other, _, _) => return Decision::Ignore(Ignored::NotNew),
        (_, false, _) => return Decision::Ignore(Ignored::NoPull),
        (_, _, Author::Program | Author::Unknown) => return Decision::Ignore(Ignored::Program),
        (Trigger::Created | Trigger::Reread, true, Author::Person) => {}
    }
    match command {
        Err(how) => Decision::Refuse(Refusal::Malformed(how.clone())),
        Ok(Command::Status | Command::Help) => Decision::Answer,
        Ok(Command::Approve(_)) => approve(situation).map_or_else(Decision::Refuse, Decision::Approve),
    }
}

fn approve(situation: &Situation) -> Result<How, Refusal> {
    match situation.unedited {
        Some(true) => {}
        Some(false) => return Err(Refusal::Edited),
        None => return Err(Refusal::EditsUnknown),
    }
    let approvers = situation.approvers.as_ref().ok_or(Refusal::RulesUnknown)?;
    may(situation, approvers)?;
    match (situation.pull, situation.trigger) {
        // What was approved while it was open holds after the merge.
        (PullState::Open, _) | (PullState::Merged, Trigger::Reread) => {}
        (PullState::Merged | PullState::Closed, _) => return Err(Refusal::NotOpen),
        (PullState::Unknown, _) => return Err(Refusal::PullUnknown),
    }
    let by_mode = match approvers.mode {
        ApprovalMode::Commit => How::Commit,
        ApprovalMode::Record => How::Record,
        ApprovalMode::File => return Err(Refusal::FileMode),
    };
    match &situation.token {
        TypedToken::Current => {}
        TypedToken::Stale(now) => return Err(Refusal::Stale(now.clone())),
        TypedToken::Unknown => return Err(Refusal::NowUnknown),
    }
    match situation.proof {
        Proof::Proved => {}
        Proof::Missing => return Err(Refusal::CandidatesMissing),
        Proof::Damaged => return Err(Refusal::CandidatesDamaged),
    }
    match situation.selection {
        Selection::Some => {}
        Selection::UnknownSuite => return Err(Refusal::UnknownSuite),
        Selection::Nothing => return Err(Refusal::Nothing),
    }
    match situation.head {
        Head::Own => Ok(by_mode),
        Head::Guarded | Head::Foreign => Ok(How::Record),
        Head::Unknown => Err(Refusal::PullUnknown),
    }
}

/// Whether the author is one of the approvers, now.
fn may(situation: &Situation, approvers: &Approvers) -> Result<(), Refusal> {
    // Somebody who is listed and has left, or was never let in, approves nothing.
    match situation.permission {
        Permission::Admin | Permission::Write => {}
        Permission::Read | Permission::None => return Err(Refusal::NotAllowed),
        Permission::Unknown => return Err(Refusal::PermissionUnknown),
    }
    let role = situation.role.as_deref().ok_or(Refusal::PermissionUnknown)?;
    let has_role = approvers.roles.iter().any(|known| known == role);
    // GitHub compares logins without case.
    let is_listed = approvers.users.iter().any(|user| user.eq_ignore_ascii_case(&situation.login));
    if !has_role && !is_listed {
        return Err(Refusal::NotAllowed);
    }
    match (approvers.allow_author, situation.is_pull_author) {
        (true, _) | (false, Some(false)) => Ok(()),
        (false, Some(true)) => Err(Refusal::OwnPull),
        (false, None) => Err(Refusal::PullUnknown),
    }
}

impl Refusal {
    /// It says nothing about the comment but about the moment: the same comment may count later.
    pub fn is_doubt(&self) -> bool {
        matches!(
            self,
            Self::EditsUnknown
                | Self::RulesUnknown
                | Self::PermissionUnknown
                | Self::PullUnknown
                | Self::NowUnknown
        )
    }

    /// What to do, in a sentence without a full stop.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "/rankhold help shows the commands",
            Self::Edited => "write a new comment: an edited one never counts",
            Self::EditsUnknown
            | Self::RulesUnknown
            | Self::PermissionUnknown
            | Self::PullUnknown
            | Self::NowUnknown => {
                "write the command again in a while; the run of this workflow says what GitHub answered"
            }
            Self::NotAllowed => {
                "let somebody approve whose role or login is in the approval section of the base branch's rankhold.toml"
            }
            Self::OwnPull => "let somebody else approve: allow-author is off",
            Self::FileMode => {
                "commit what `rankhold approve --by NAME` writes: the mode of the base branch trusts it as it is"
            }
            Self::NotOpen => "open it again, or another one",
            Self::Stale(Some(_)) => {
                "look at the report once more, and approve with the token that it shows now"
            }
            Self::Stale(None) | Self::Nothing => "there is nothing to approve now: see the check",
            Self::CandidatesMissing | Self::CandidatesDamaged => "run the workflow that measures again",
            Self::UnknownSuite => "name a suite of the report",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(how) => f.write_str(how),
            Self::Edited => f.write_str("the comment was edited"),
            Self::EditsUnknown => f.write_str("GitHub did not say whether the comment was edited"),
            Self::RulesUnknown => f.write_str("the base branch's rules about approvals could not be read"),
            Self::PermissionUnknown => f.write_str("GitHub did not say what you may do in this repository"),
            Self::NotAllowed => f.write_str("you are not one of this repository's approvers"),
            Self::OwnPull => f.write_str("nobody approves his own pull request here"),
            Self::FileMode => f.write_str("this repository does not approve by comments"),
            Self::NotOpen => f.write_str("the pull request is not open"),
            Self::PullUnknown => f.write_str("the pull request could not be read"),
            Self::NowUnknown => f.write_str("what could be approved now could not be read"),
            Self::Stale(_) => {
                f.write_str("the token stands for other figures than those that can be approved now")
            }
            Self::CandidatesMissing => {
                f.write_str("the figures that the token stands for are not there any more")
            }
            Self::CandidatesDamaged => {
                f.write_str("the figures that were found are not those that the token stands for")
            }
            Self::UnknownSuite => f.write_str("there is no such suite among what can be approved"),
            Self::Nothing => f.write_str("there is nothing to approve"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::Approve;

    fn token() -> ApprovalToken {
        "0123456789abcdef0123456789abcdef".parse().unwrap()
    }

    fn approvers(mode: ApprovalMode, allow_author: bool) -> Approvers {
        let roles = vec!["maintain".to_owned(), "admin".to_owned(), "release-manager".to_owned()];
        Approvers { mode, roles, users: vec!["Ada".to_owned()], allow_author }
    }

    fn fine() -> Situation {
        let command = Command::Approve(Approve { token: token(), reason: None, suites: Vec::new() });
        Situation {
            parsed: Parsed::Command(command),
            trigger: Trigger::Created,
            on_pull: true,
            author: Author::Person,
            unedited: Some(true),
            permission: Permission::Write,
            role: Some("maintain".to_owned()),
            login: "bea".to_owned(),
            is_pull_author: Some(false),
            approvers: Some(approvers(ApprovalMode::Commit, true)),
            pull: PullState::Open,
            head: Head::Own,
            token: TypedToken::Current,
            proof: Proof::Proved,
            selection: Selection::Some,
        }
    }

    /// Every combination of every value: an approval needs all of what the design asks, and nothing else is one.
    #[test]
    #[expect(
        clippy::too_many_lines,
        reason = "one list of everything that is varied, and one of what must hold"
    )]
    fn only_what_is_certain_in_every_respect_is_an_approval() {
        let parsed = [
            fine().parsed,
            Parsed::Nothing,
            Parsed::Command(Command::Help),
            Parsed::Malformed("x".to_owned()),
        ];
        let roles =
            [None, Some("maintain"), Some("write"), Some("triage"), Some("release-manager"), Some("Admin")];
        let permissions =
            [Permission::Admin, Permission::Write, Permission::Read, Permission::None, Permission::Unknown];
        let policies = [
            None,
            Some(approvers(ApprovalMode::Commit, true)),
            Some(approvers(ApprovalMode::Commit, false)),
            Some(approvers(ApprovalMode::Record, false)),
            Some(approvers(ApprovalMode::File, true)),
        ];
        let tokens = [
            TypedToken::Current,
            TypedToken::Stale(Some(token())),
            TypedToken::Stale(None),
            TypedToken::Unknown,
        ];
        let (mut all, mut approved) = (0_u64, 0_u64);
        // The rest does not touch who may: it is varied in full against each of a few people.
        let mut check = |situation: &Situation| {
            all += 1;
            let decision = decide(situation);
            let Some(policies) = &situation.approvers else {
                assert!(!matches!(decision, Decision::Approve(_)));
                return;
            };
            let is_command = matches!(situation.parsed, Parsed::Command(Command::Approve(_)));
            let is_fresh = situation.trigger == Trigger::Created || situation.trigger == Trigger::Reread;
            let is_open = situation.pull == PullState::Open
                || (situation.pull == PullState::Merged && situation.trigger == Trigger::Reread);
            let listed = situation.login.eq_ignore_ascii_case("ada");
            let has_role = situation.role.as_ref().is_some_and(|role| policies.roles.contains(role));
            let writes = matches!(situation.permission, Permission::Write | Permission::Admin);
            let person = writes && situation.role.is_some() && (listed || has_role);
            let own = policies.allow_author || situation.is_pull_author == Some(false);
            let must = is_command
                && is_fresh
                && situation.on_pull
                && situation.author == Author::Person
                && situation.unedited == Some(true)
                && person
                && own
                && is_open
                && policies.mode != ApprovalMode::File
                && situation.token == TypedToken::Current
                && situation.proof == Proof::Proved
                && situation.selection == Selection::Some
                && situation.head != Head::Unknown;
            let how = if policies.mode == ApprovalMode::Commit && situation.head == Head::Own {
                How::Commit
            } else {
                How::Record
            };
            if must {
                approved += 1;
                assert_eq!(decision, Decision::Approve(how), "{situation:?}");
            } else {
                assert!(!matches!(decision, Decision::Approve(_)), "{situation:?}");
            }
            if !is_command && decision == Decision::Answer {
                assert!(situation.author == Author::Person && situation.on_pull);
            }
        };
        let people: Vec<Situation> = {
            let mut people = Vec::new();
            for permission in permissions {
                for role in roles {
                    for login in ["ada", "bea"] {
                        for is_pull_author in [Some(true), Some(false), None] {
                            people.push(Situation {
                                permission,
                                role: role.map(str::to_owned),
                                login: login.to_owned(),
                                is_pull_author,
                                ..fine()
                            });
                        }
                    }
                }
            }
            people
        };
        for person in &people {
            for approvers in &policies {
                check(&Situation { approvers: approvers.clone(), ..person.clone() });
            }
        }
        let few = [
            fine(),
            Situation { permission: Permission::Read, ..fine() },
            Situation {
                login: "ada".to_owned(),
                role: Some("write".to_owned()),
                is_pull_author: Some(true),
                ..fine()
            },
        ];
        for person in few {
            for parsed in &parsed {
                for approvers in &policies {
                    for trigger in [Trigger::Created, Trigger::Other, Trigger::Reread] {
                        for on_pull in [true, false] {
                            for author in [Author::Person, Author::Program, Author::Unknown] {
                                for unedited in [Some(true), Some(false), None] {
                                    let part = Situation {
                                        parsed: parsed.clone(),
                                        approvers: approvers.clone(),
                                        trigger,
                                        on_pull,
                                        author,
                                        unedited,
                                        ..person.clone()
                                    };
                                    for pull in [
                                        PullState::Open,
                                        PullState::Merged,
                                        PullState::Closed,
                                        PullState::Unknown,
                                    ] {
                                        for head in [Head::Own, Head::Guarded, Head::Foreign, Head::Unknown] {
                                            for token in &tokens {
                                                for proof in [Proof::Proved, Proof::Missing, Proof::Damaged] {
                                                    for selection in [
                                                        Selection::Some,
                                                        Selection::UnknownSuite,
                                                        Selection::Nothing,
                                                    ] {
                                                        check(&Situation {
                                                            pull,
                                                            head,
                                                            token: token.clone(),
                                                            proof,
                                                            selection,
                                                            ..part.clone()
                                                        });
                                                    }
                                                }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(all > 1_000_000 && approved > 100, "{all} situations, {approved} approvals");
    }

    #[test]
    fn every_refusal_says_what_and_what_to_do() {
        for refusal in [
            Refusal::Malformed("x".to_owned()),
            Refusal::EditsUnknown,
            Refusal::Edited,
            Refusal::RulesUnknown,
            Refusal::PermissionUnknown,
            Refusal::NotAllowed,
            Refusal::OwnPull,
            Refusal::FileMode,
            Refusal::NotOpen,
            Refusal::PullUnknown,
            Refusal::NowUnknown,
            Refusal::Stale(None),
            Refusal::Stale(Some(token())),
            Refusal::CandidatesMissing,
            Refusal::CandidatesDamaged,
            Refusal::UnknownSuite,
            Refusal::Nothing,
        ] {
            assert!(!refusal.to_string().is_empty() && !refusal.hint().ends_with('.'), "{refusal:?}");
        }
    }
}
