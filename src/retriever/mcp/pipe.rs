//! A server as a child of ours: JSON-RPC, a message a line, over its stdin and stdout.

use std::borrow::Cow;
use std::future::{Future, ready};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Notify;

use super::trouble::{Report, Trouble};
use crate::error::quoted;
use crate::process::{Conversation, Heard, Launch, StartError};
use crate::ranking::ErrorClass;
use crate::strict::read_answer;

/// How much of a line that is no message is quoted, in characters.
const QUOTED: usize = 400;

/// The child, shared by the transport and by the one who ends it.
#[derive(Clone)]
pub(super) struct Child(Arc<Mutex<Conversation>>);

impl Child {
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut Conversation) -> T) -> T {
        let mut held: MutexGuard<'_, Conversation> = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        act(&mut held)
    }
}

/// rmcp's way to the child.
pub(super) struct Pipe {
    child: Child,
    news: Arc<Notify>,
    /// The id of what was asked last.
    asked: Option<RequestId>,
    report: Report,
}

/// Starts the child.
pub(super) fn start(
    launch: &Launch<'_>,
    longest_line: usize,
    report: Report,
) -> Result<(Pipe, Child), StartError> {
    let news = Arc::new(Notify::new());
    let bell = Arc::clone(&news);
    let conversation = Conversation::start_with_notice(launch, longest_line, move || bell.notify_one())?;
    let child = Child(Arc::new(Mutex::new(conversation)));
    Ok((Pipe { child: child.clone(), news, asked: None, report }, child))
}

/// What a line is.
enum Said {
    Message(Box<RxJsonRpcMessage<RoleClient>>),
    /// A notification that nobody needs.
    Nothing,
}

impl Transport<RoleClient> for Pipe {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &message {
            self.asked = Some(request.id.clone());
        }
        let line = serde_json::to_string(&message);
        ready(line.map(|line| self.child.with(|child| child.say(&line))).map_err(io::Error::other))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let trouble = match self.child.with(Conversation::overhear) {
                None => {
                    self.news.notified().await;
                    continue;
                }
                Some(Heard::Line(line)) => match read(&line, self.asked.as_ref()) {
                    Ok(Said::Message(message)) => return Some(*message),
                    Ok(Said::Nothing) => continue,
                    Err(trouble) => trouble,
                },
                Some(Heard::TooLong) => {
                    let what =
                        "sent a message longer than `max-output` allows; ask it for less, or raise that";
                    Trouble::new(ErrorClass::OutputLimit, what)
                }
                Some(Heard::Ended(end)) => Trouble::new(ErrorClass::Died, end.to_string()),
                Some(Heard::Closed) => Trouble::new(ErrorClass::Died, "closed its output"),
                Some(Heard::Nothing) => continue,
            };
            self.report.leave(trouble);
            return None;
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}

/// A text in which the id of what was asked last, which is random, is `…`: the same must be said the next time.
pub(super) fn without_id<'a>(text: &'a str, asked: Option<&RequestId>) -> Cow<'a, str> {
    asked.map_or(text.into(), |id| text.replace(&id.to_string(), "…").into())
}

/// Reads a line.
fn read(line: &[u8], asked: Option<&RequestId>) -> Result<Said, Trouble> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        return Ok(Said::Nothing);
    }
    let broken = |what: &str| {
        let words = String::from_utf8_lossy(line);
        // Before it is cut: half an id would be random too.
        let words = quoted(&without_id(&words, asked), QUOTED);
        Trouble::new(ErrorClass::Protocol, format!("{what}; the line begins: `{words}`"))
    };
    let value = read_answer(line).map_err(|error| {
        if error.is_data() {
            return broken(&format!("sent a message that is not taken: {error}"));
        }
        broken("wrote a line to stdout that is no JSON-RPC message (what it logs belongs on stderr)")
    })?;
    if value.get("jsonrpc").and_then(serde_json::Value::as_str) != Some("2.0") {
        return Err(broken("wrote JSON to stdout that is no JSON-RPC message"));
    }
    if ["result", "error"].iter().all(|key| value.get(key).is_some_and(|said| !said.is_null())) {
        return Err(broken("sent a message with a `result` and an `error`"));
    }
    let is_notification = value.get("method").is_some() && value.get("id").is_none();
    match serde_json::from_value(value) {
        Ok(message) => Ok(Said::Message(Box::new(message))),
        Err(_) if is_notification => Ok(Said::Nothing),
        Err(error) => Err(broken(&format!("sent a message that cannot be read: {error}"))),
    }
}
