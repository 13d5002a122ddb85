//! A verdict at its two places, in an order in which no older verdict survives a newer one.

use super::{Client, GithubProblem, Place, Shown, Stamp, Standing, Sticky, Want};

/// What became of a verdict and its comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Whose verdict stands.
    pub standing: Standing,
    /// Where the comment is read, if there is one of ours.
    pub comment: Option<String>,
    /// The token may not comment. The check carries the verdict all the same.
    pub comment_refused: Option<GithubProblem>,
}

/// Writes the check, then the comment, then looks at the check again: whoever was slower may have written over it. A run
/// that finds itself superseded after it commented puts the newer verdict's text into the comment, so that the comment
/// says what the check says, whoever came last.
pub async fn publish(
    client: &Client,
    place: &Place,
    sticky: Option<(&Sticky, Want)>,
    stamp: &Stamp,
    shown: &Shown,
) -> Result<Published, GithubProblem> {
    let mut published = Published {
        standing: place.write(client, stamp, shown).await?,
        comment: None,
        comment_refused: None,
    };
    if published.standing != Standing::Stands {
        return Ok(published);
    }
    let Some((sticky, want)) = sticky else {
        published.standing = place.confirm(client, stamp, shown).await?;
        return Ok(published);
    };
    match sticky.write(client, &shown.summary, want).await {
        Ok(url) => published.comment = url,
        Err(problem) if problem.is_forbidden() => published.comment_refused = Some(problem),
        Err(problem) => return Err(problem),
    }
    published.standing = place.confirm(client, stamp, shown).await?;
    if let (Standing::Superseded { by: Some(newer) }, None) =
        (&published.standing, &published.comment_refused)
    {
        sticky.write(client, newer, Want::Keep).await?;
    }
    Ok(published)
}
