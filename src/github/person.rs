//! Who somebody is to a repository, and whether a comment is still his.

use std::sync::PoisonError;

use serde::Deserialize;

use super::{Client, Comment, GithubProblem, Repository, endpoint};

/// What somebody may do, as GitHub says it at this moment.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Rights {
    /// `admin`, `write`, `read`, `none`: what every role comes down to.
    pub permission: String,
    /// The role's name, which may be one of the organisation's own.
    #[serde(default)]
    pub role_name: Option<String>,
}

/// What somebody may do in a repository, asked once in a run; none if GitHub knows nobody of that name.
pub async fn rights_of(
    client: &Client,
    repository: &Repository,
    login: &str,
) -> Result<Option<Rights>, GithubProblem> {
    let key = (repository.to_string(), login.to_owned());
    if let Some(known) = client.rights.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(known.clone());
    }
    let rights = match client.json(&endpoint::permission_of(repository, login)).await {
        Ok(rights) => Some(rights),
        Err(problem) if problem.is_not_found() => None,
        Err(problem) => return Err(problem),
    };
    client.rights.lock().unwrap_or_else(PoisonError::into_inner).insert(key, rights.clone());
    Ok(rights)
}

/// Whether a comment still has the text that it was written with; none if GitHub does not say.
pub async fn is_unedited(client: &Client, comment: &Comment) -> Result<Option<bool>, GithubProblem> {
    #[derive(Deserialize)]
    struct Answer {
        data: Option<Data>,
    }
    #[derive(Deserialize)]
    struct Data {
        node: Option<Node>,
    }
    /// An object of another kind has no such field, which is not the same as null.
    #[derive(Deserialize)]
    #[expect(clippy::option_option, reason = "not said, and said to be null")]
    struct Node {
        #[serde(rename = "lastEditedAt", default, deserialize_with = "present")]
        edited: Option<Option<String>>,
    }
    #[expect(clippy::option_option, reason = "not said, and said to be null")]
    fn present<'de, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Option<String>>, D::Error> {
        Option::deserialize(deserializer).map(Some)
    }
    let Some(node) = &comment.node_id else { return Ok(None) };
    let answer: Answer = client.json(&endpoint::last_edited(node)).await?;
    let edited = answer.data.and_then(|data| data.node).and_then(|node| node.edited);
    Ok(edited.map(|at| at.is_none()))
}
