//! What a finished command's exit and output mean.

use super::super::QueryError;
use super::super::external::{Asked, Misplaced, first_words, last_words};
use super::{Answered, Command};
use crate::process::{End, Secrets};
use crate::ranking::{ErrorClass, RawHit};

/// An answer that is none.
pub(super) struct Refused {
    class: ErrorClass,
    /// As the end of a sentence that begins with the program.
    what: String,
    /// What to do, if we know.
    advice: Option<String>,
    /// The tool's own words, as the end of the message: the first to be cut where there is little room.
    words: String,
}

impl Refused {
    fn new(class: ErrorClass, what: impl Into<String>, words: String) -> Self {
        Self { class, what: what.into(), advice: None, words }
    }

    /// As the failure of a query to this program.
    pub(super) fn told(self, program: &str, misplaced: Option<Misplaced>) -> QueryError {
        let Self { class, what, advice, words } = self;
        let why = misplaced.as_ref().map(ToString::to_string).unwrap_or_default();
        let advice = misplaced.map(|misplaced| misplaced.advice()).or(advice);
        QueryError::new(class, format!("`{program}` {what}{why}{words}")).advising(advice)
    }
}

/// What a finished command says: hits, nothing, or what went wrong.
pub(super) fn judge(
    answered: Answered,
    command: &Command,
    secrets: &Secrets,
    asked: &Asked<'_>,
) -> Result<Vec<RawHit>, Refused> {
    let Answered { finished, heard } = answered;
    let options = &command.options;
    let said = last_words(secrets, &finished.stderr);
    match finished.end {
        End::Code(code) if options.ok_exits.contains(&code) => {}
        End::Code(code) if options.empty_exits.contains(&code) => {
            let is_blank = match &heard {
                Some(heard) => heard.is_blank(),
                None => finished.stdout.trim_ascii().is_empty(),
            };
            if is_blank {
                return Ok(Vec::new());
            }
            let words = first_words(secrets, &finished.stdout);
            let what = format!("ended with exit code {code}, which means no results, and printed something");
            return Err(Refused::new(ErrorClass::Protocol, what, words));
        }
        end @ End::Code(_) => {
            let what = format!("{end}, which is in neither `ok-exits` nor `empty-exits`");
            let is_silent =
                finished.stdout.trim_ascii().is_empty() && finished.stderr.trim_ascii().is_empty();
            let advice = (end == End::Code(1) && is_silent && options.empty_exits.is_empty()).then(|| {
                "if that is how it says that it found nothing, write `empty-exits = [1]`".to_owned()
            });
            return Err(Refused { advice, ..Refused::new(ErrorClass::Tool, what, said) });
        }
        end @ End::Signal(_) => return Err(Refused::new(ErrorClass::Died, end.to_string(), said)),
        end @ End::Timeout => return Err(Refused::new(ErrorClass::Timeout, end.to_string(), said)),
        end @ End::Flood { .. } => {
            let hint = "ask it for less, or raise `max-output`";
            let refused = Refused::new(ErrorClass::OutputLimit, format!("{end}; {hint}"), said);
            return Err(Refused { advice: Some(hint.to_owned()), ..refused });
        }
    }
    let hits = match heard {
        Some(heard) => command.reader.read_heard(heard, &finished.stdout),
        None => command.reader.read(&finished.stdout, asked.text),
    };
    let mut hits = hits.map_err(|problem| {
        let told = secrets.hide_in_message(&problem.to_string());
        let words = first_words(secrets, &finished.stdout);
        let refused = match problem.class() {
            ErrorClass::Tool => Refused::new(ErrorClass::Tool, format!("said no: {told}"), said),
            class => {
                let what = format!("gave an answer that cannot be read: {told}");
                Refused::new(class, what, format!("{words}{said}"))
            }
        };
        Refused { advice: problem.advice().map(str::to_owned), ..refused }
    })?;
    hits.truncate(asked.fetch);
    Ok(hits)
}
