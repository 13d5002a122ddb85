//! A comment that commands: what is known of it, what is decided, what is done.
//!
//! A command never measures and runs no code of a pull request. What it records was fixed when the verdict was published,
//! and is proved by the token that was typed.

mod carry_out;
mod known;

use super::rules::Placed;
use super::{Github, Step, idle};
use crate::approval::{Decision, Ignored, Refusal, Situation, decide};
use crate::error::Failure;
use crate::exit::Exit;
use crate::github::Said;
use crate::report::Reply;

pub(super) use self::carry_out::text_of;

use self::known::Known;

/// Answers a comment.
pub(super) fn answer(step: &Step<'_>, github: &Github, said: &Said) -> Result<Exit, Failure> {
    let placed = Placed::of(&step.inputs, &step.runner.workspace)?;
    let Some(known) = github.wait(Known::gather(step, &github.client, &placed, said))? else {
        return idle(step, GONE);
    };
    let situation = known.situation();
    github.wait(act(step, github, &placed, &known, &situation, &decide(&situation)))
}

/// Why nothing is done.
const GONE: &str = "the comment was deleted meanwhile";

async fn act(
    step: &Step<'_>,
    github: &Github,
    placed: &Placed,
    known: &Known,
    situation: &Situation,
    decision: &Decision,
) -> Result<Exit, Failure> {
    let client = &github.client;
    match decision {
        Decision::Ignore(why) => idle(step, ignored(*why)),
        Decision::Answer => {
            known.react(client, "eyes").await?;
            known.reply(client, &known.reply_key(), &known.answer(situation)).await?;
            Ok(Exit::Pass)
        }
        Decision::Refuse(refusal) => {
            let key = refusal_key(known, refusal);
            // In the place of the answer that says so, a refusal would take back what was carried out.
            if key == known.reply_key() && known.was_answered(client).await? {
                step.console.note(&format!("carried out before; now it would be refused: {refusal}"));
            } else {
                known.react(client, "-1").await?;
                known.reply(client, &key, &refused(known, refusal)).await?;
                step.console.note(&format!("refused: {refusal}"));
            }
            // A refusal is an answer; what could not be found out is a failure of this run.
            Ok(if refusal.is_doubt() { Exit::NotMeasured } else { Exit::Pass })
        }
        Decision::Approve(how) => carry_out::carry_out(step, github, placed, known, *how).await,
    }
}

/// Who may not approve hears so once for each head, however often he tries; who edits may be anybody.
fn refusal_key(known: &Known, refusal: &Refusal) -> String {
    let author = known.comment.user.as_ref().map_or(0, |user| user.id);
    match refusal {
        Refusal::NotAllowed | Refusal::Malformed(_) | Refusal::Edited => {
            format!("refusal:{author}:{}", known.pull.head.sha)
        }
        _ => known.reply_key(),
    }
}

fn refused(known: &Known, refusal: &Refusal) -> Reply {
    let token = match refusal {
        Refusal::Stale(Some(token)) => Some(token.to_string()),
        _ => None,
    };
    Reply::Refused {
        to: known.login().to_owned(),
        what: refusal.to_string(),
        hint: refusal.hint().to_owned(),
        token,
    }
}

fn ignored(why: Ignored) -> &'static str {
    match why {
        Ignored::NoCommand => "the comment is no command",
        Ignored::NotNew => "the comment was edited or deleted: commands are new comments",
        Ignored::NoPull => "the comment stands below an issue: commands are for pull requests",
        Ignored::Program => "no person wrote the comment: programs are not answered",
    }
}
