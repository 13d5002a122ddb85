//! What a finished command's exit and output mean.

use super::super::external::{Asked, first_words, last_words};
use super::Command;
use crate::process::{End, Finished, Secrets};
use crate::ranking::{ErrorClass, RawHit};

/// What a finished command says: hits, nothing, or what went wrong.
pub(super) fn judge(
    finished: &Finished,
    command: &Command,
    secrets: &Secrets,
    asked: &Asked<'_>,
) -> Result<Vec<RawHit>, (ErrorClass, String)> {
    let options = &command.options;
    let said = last_words(secrets, &finished.stderr);
    match finished.end {
        End::Code(code) if options.ok_exits.contains(&code) => {}
        End::Code(code) if options.empty_exits.contains(&code) => {
            if finished.stdout.trim_ascii().is_empty() {
                return Ok(Vec::new());
            }
            let words = first_words(secrets, &finished.stdout);
            let what =
                format!("ended with exit code {code}, which means no results, and printed something{words}");
            return Err((ErrorClass::Protocol, what));
        }
        end @ End::Code(_) => {
            let what = format!("{end}, which is in neither `ok-exits` nor `empty-exits`{said}");
            return Err((ErrorClass::Tool, what));
        }
        end @ End::Signal(_) => return Err((ErrorClass::Died, format!("{end}{said}"))),
        end @ End::Timeout => return Err((ErrorClass::Timeout, format!("{end}{said}"))),
        end @ End::Flood { .. } => {
            let hint = "ask it for less, or raise `max-output`";
            return Err((ErrorClass::OutputLimit, format!("{end}; {hint}{said}")));
        }
    }
    let mut hits = command.reader.read(&finished.stdout, asked.text).map_err(|problem| {
        let told = secrets.hide_text(&problem.to_string());
        let words = first_words(secrets, &finished.stdout);
        let what = match problem.class() {
            ErrorClass::Tool => format!("said no: {told}{said}"),
            _ => format!("gave an answer that cannot be read: {told}{words}{said}"),
        };
        (problem.class(), what)
    })?;
    hits.truncate(asked.fetch);
    Ok(hits)
}
