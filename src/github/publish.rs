//! A verdict at its two places, in an order in which no older verdict survives a newer one.

use super::{Client, GithubProblem, Place, Shown, Stamp, Standing, Sticky, Want};

/// What became of a verdict and its comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Whose verdict stands.
    pub standing: Standing,
    /// Where the comment is read, if there is one of ours.
    pub comment: Option<String>,
    /// Why there is no comment, or an old one. The check carries the verdict all the same.
    pub comment_problem: Option<GithubProblem>,
}

/// Writes the check, then the comment, then looks at the check again: whoever was slower may have written over the comment.
/// A run that finds itself superseded after it commented puts the newer verdict's text into the comment and looks again, so
/// that the comment says what the check says, whoever came last.
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
        comment_problem: None,
    };
    let Some((sticky, mut want)) = sticky.filter(|_| published.standing == Standing::Stands) else {
        return Ok(published);
    };
    let mut text = shown.summary.clone();
    loop {
        match sticky.write(client, &text, want).await {
            Ok(url) => published.comment = url,
            Err(problem) => published.comment_problem = Some(problem),
        }
        published.standing = place.settle(client, stamp).await?;
        match &published.standing {
            Standing::Superseded { by: Some(newer) }
                if *newer != text && published.comment_problem.is_none() =>
            {
                text.clone_from(newer);
                want = Want::Keep;
            }
            Standing::Superseded { .. } | Standing::Stands | Standing::Moved => return Ok(published),
        }
    }
}
