//! Who wrote a comment, what he may do now, and whether the text is still his.

use crate::approval::{Author, Permission, PullState};
use crate::github::{Client, Comment, Pull, Repository, Rights, is_unedited, rights_of};

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
        let rights = rights_of(client, repository, &login).await.ok();
        let role = rights.as_ref().and_then(|rights| rights.as_ref()?.role_name.clone());
        Self {
            author,
            permission: permission(rights.as_ref().map(Option::as_ref)),
            role,
            unedited: is_unedited(client, comment).await.ok().flatten(),
            is_pull_author: user.zip(pull.user.as_ref()).map(|(user, author)| user.id == author.id),
            login,
        }
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
