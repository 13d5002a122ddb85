//! Who wrote a comment, what he may do now, and whether the text is still his.

use crate::approval::{
    Approve, Author, Command, Head, Parsed, Permission, Proof, PullState, Selection, Situation, Trigger,
    TypedToken,
};
use crate::config::Approvers;
use crate::github::{Client, Comment, GithubProblem, Pull, Repository, Rights, is_unedited, rights_of};

/// What GitHub says of a comment's author at this moment. What it did not say is unknown.
pub(super) struct Speaker {
    /// What kind of account.
    pub author: Author,
    /// Its login.
    pub login: String,
    /// What it may do.
    pub permission: Permission,
    /// Its role's name.
    pub role: Option<String>,
    /// The comment has the text that it was written with.
    pub unedited: Option<bool>,
    /// It opened the pull request.
    pub is_pull_author: Option<bool>,
    /// Why nobody knows what it may do, if GitHub refused to say.
    pub rights_refused: Option<GithubProblem>,
    /// Why nobody knows whether the comment was edited, likewise.
    pub edits_refused: Option<GithubProblem>,
}

impl Speaker {
    /// Asks.
    pub(super) async fn of(client: &Client, repository: &Repository, comment: &Comment, pull: &Pull) -> Self {
        let user = comment.user.as_ref();
        let login = user.map(|user| user.login.clone()).unwrap_or_default();
        let author = match user.map(|user| user.kind.as_str()) {
            Some("User") => Author::Person,
            Some(_) => Author::Program,
            None => Author::Unknown,
        };
        let (rights, rights_refused) = told(rights_of(client, repository, &login).await);
        let (unedited, edits_refused) = told(is_unedited(client, comment).await);
        let role = rights.as_ref().and_then(|rights| rights.as_ref()?.role_name.clone());
        Self {
            author,
            permission: permission(rights.as_ref().map(Option::as_ref)),
            role,
            unedited: unedited.flatten(),
            is_pull_author: user.zip(pull.user.as_ref()).map(|(user, author)| user.id == author.id),
            login,
            rights_refused,
            edits_refused,
        }
    }

    /// An approval of his that is read again long after it was written. Of what its token stands for the best is assumed,
    /// and how it took effect does not matter any more.
    pub(super) fn approved(
        &self,
        approve: &Approve,
        approvers: Option<Approvers>,
        pull: PullState,
    ) -> Situation {
        Situation {
            parsed: Parsed::Command(Command::Approve(approve.clone())),
            trigger: Trigger::Reread,
            on_pull: true,
            author: self.author,
            unedited: self.unedited,
            permission: self.permission,
            role: self.role.clone(),
            login: self.login.clone(),
            is_pull_author: self.is_pull_author,
            approvers,
            pull,
            head: Head::Foreign,
            token: TypedToken::Current,
            proof: Proof::Proved,
            selection: Selection::Some,
        }
    }
}

/// What was answered, or why nothing was.
fn told<T>(answer: Result<T, GithubProblem>) -> (Option<T>, Option<GithubProblem>) {
    match answer {
        Ok(told) => (Some(told), None),
        Err(problem) => (None, Some(problem)),
    }
}

#[expect(clippy::option_option, reason = "not answered, and answered that there is nobody of that name")]
fn permission(rights: Option<Option<&Rights>>) -> Permission {
    match rights.map(|rights| rights.map(|rights| rights.permission.as_str())) {
        // GitHub knows nobody of that name.
        Some(None | Some("none")) => Permission::None,
        Some(Some("admin")) => Permission::Admin,
        Some(Some("write")) => Permission::Write,
        Some(Some("read")) => Permission::Read,
        None | Some(Some(_)) => Permission::Unknown,
    }
}

/// The pull request's state, as the decision wants it.
pub(super) fn pull_state(pull: &Pull) -> PullState {
    match (pull.state.as_str(), &pull.merged_at) {
        ("open", _) => PullState::Open,
        ("closed", Some(_)) => PullState::Merged,
        ("closed", None) => PullState::Closed,
        _ => PullState::Unknown,
    }
}
