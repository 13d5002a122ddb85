//! The one comment of a pull request: found by marker and author, kept in place, duplicates repaired.

use super::client::WORKFLOW;
use super::{Author, Client, Comment, GithubProblem, Repository, endpoint};

/// Where the report of a pull request is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sticky {
    /// Whose pull request.
    pub repository: Repository,
    /// Its number.
    pub number: u64,
    /// Tells the comments of several set-ups in one repository apart: `[a-z0-9-]+`.
    pub key: String,
    /// Who we are there. A comment with our marker by anybody else is none of ours.
    pub author: Us,
}

/// Who writes with our token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Us {
    /// As GitHub names the author of our comments: `github-actions[bot]`.
    pub login: String,
}

impl Us {
    /// Who writes with a workflow's own token.
    pub fn workflow() -> Self {
        Self { login: WORKFLOW.to_owned() }
    }

    /// An account is ours. GraphQL may name a bot without the suffix that it has elsewhere; a person of that name is somebody
    /// else.
    pub fn are(&self, user: &Author) -> bool {
        let plain = |login: &str| login.trim_end_matches("[bot]").to_owned();
        user.login == self.login || user.kind == "Bot" && plain(&user.login) == plain(&self.login)
    }

    /// A comment is ours.
    pub fn wrote(&self, comment: &Comment) -> bool {
        comment.user.as_ref().is_some_and(|user| self.are(user))
    }
}

/// When a comment is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Make one if there is none.
    Make,
    /// Keep the present one up to date, make none.
    Keep,
}

impl Sticky {
    /// The line that makes a comment ours. Nothing is ever read back from it.
    pub fn marker(&self) -> String {
        format!("<!-- rankhold:{} -->", self.key)
    }

    /// Writes the body (with the marker) into our comment. Gives where people read it, if there is one now.
    pub async fn write(
        &self,
        client: &Client,
        body: &str,
        want: Want,
    ) -> Result<Option<String>, GithubProblem> {
        let body = format!("{}\n{}\n", body.trim_end(), self.marker());
        let mut ours = self.find(client).await?;
        if ours.is_empty() {
            if want == Want::Keep {
                return Ok(None);
            }
            let call = endpoint::create_comment(&self.repository, self.number, &body);
            let look = async || Ok(self.find(client).await?.into_iter().next());
            client.once::<Comment, _>(&call, look).await?;
            // Somebody may have made one at the same time.
            ours = self.find(client).await?;
        }
        let Some(kept) = ours.first() else { return Ok(None) };
        if kept.body.as_deref().map(str::trim_end) != Some(body.trim_end()) {
            client.done(&endpoint::update_comment(&self.repository, kept.id, &body)).await?;
        }
        for twin in &ours[1..] {
            match client.done(&endpoint::delete_comment(&self.repository, twin.id)).await {
                Ok(()) => {}
                Err(problem) if problem.is_not_found() => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(Some(kept.html_url.clone()))
    }

    /// Our comments, the oldest first.
    async fn find(&self, client: &Client) -> Result<Vec<Comment>, GithubProblem> {
        let marker = self.marker();
        let all =
            client.all(&endpoint::comments(&self.repository, self.number), |page: Vec<Comment>| page).await?;
        let ours = |comment: &Comment| {
            let is_marked = comment.body.as_deref().is_some_and(|body| body.trim_end().ends_with(&marker));
            is_marked && self.author.wrote(comment)
        };
        let mut ours: Vec<Comment> = all.into_iter().filter(ours).collect();
        ours.sort_by_key(|comment| comment.id);
        Ok(ours)
    }
}
