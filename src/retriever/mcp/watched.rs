//! Which replies may come: those to what was asked, once.

use std::future::Future;
use std::hash::{BuildHasher, RandomState};

use rmcp::RoleClient;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::trouble::{Report, Trouble};
use crate::ranking::ErrorClass;

/// A transport that ends at the first reply nobody waits for: what comes after it could belong to the past.
///
/// rmcp's ids count up from 0. What goes out has other ids, which nobody can know before: a reply that is sent ahead of its
/// request would be taken for its answer else.
pub(super) struct Watched<T> {
    inner: T,
    /// Asked and not answered.
    open: Vec<Asked>,
    /// Asked and answered.
    answered: Vec<RequestId>,
    report: Report,
}

/// A request by the id it was sent with, and by rmcp's own.
struct Asked {
    sent: RequestId,
    own: RequestId,
}

impl<T> Watched<T> {
    pub(super) fn new(inner: T, report: Report) -> Self {
        Self { inner, open: Vec::new(), answered: Vec::new(), report }
    }

    /// Gives a message the ids that go out.
    fn disguise(&mut self, message: &mut TxJsonRpcMessage<RoleClient>) {
        match message {
            JsonRpcMessage::Request(request) => {
                let sent = new_id();
                let own = std::mem::replace(&mut request.id, sent.clone());
                self.open.push(Asked { sent, own });
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &mut notification.notification
                    && let Some(id) = &mut cancelled.params.request_id
                    && let Some(asked) = self.open.iter().find(|asked| asked.own == *id)
                {
                    *id = asked.sent.clone();
                }
            }
            _ => {}
        }
    }

    /// Gives a reply rmcp's own id, if it is one that may come.
    fn check(&mut self, message: &mut RxJsonRpcMessage<RoleClient>) -> Result<(), Trouble> {
        let (id, said) = match message {
            JsonRpcMessage::Response(response) => (Some(&mut response.id), String::new()),
            JsonRpcMessage::Error(error) => (error.id.as_mut(), format!(": {}", error.error.message)),
            _ => return Ok(()),
        };
        let what = match id {
            None => "replied to request null",
            Some(id) => {
                if let Some(at) = self.open.iter().position(|asked| asked.sent == *id) {
                    let asked = self.open.swap_remove(at);
                    self.answered.push(asked.sent);
                    *id = asked.own;
                    return Ok(());
                }
                // An id that is random is named in no message: the same must be said the next time.
                match id {
                    id if self.answered.contains(id) => "replied a second time to a request",
                    RequestId::String(text)
                        if self.open.iter().any(|asked| is_text_of(text, &asked.sent)) =>
                    {
                        "replied to a request with its id as a text"
                    }
                    _ => "replied to a request that was not asked",
                }
            }
        };
        Err(Trouble::new(ErrorClass::Protocol, format!("{what}, to which no reply was due{said}")))
    }
}

fn is_text_of(text: &str, id: &RequestId) -> bool {
    matches!(id, RequestId::Number(_)) && id.to_string() == text
}

/// A number that nobody can guess and that every language holds exactly.
fn new_id() -> RequestId {
    // A hasher's keys are the system's random numbers. All ids are of one length, so that a message that names a column
    // says the same the next time.
    let random = (RandomState::new().hash_one(0_u8) >> 17) | 1 << 47;
    RequestId::Number(i64::try_from(random).unwrap_or_default())
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        mut message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.disguise(&mut message);
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut message = self.inner.receive().await?;
        match self.check(&mut message) {
            Ok(()) => Some(message),
            Err(trouble) => {
                self.report.distrust(trouble);
                None
            }
        }
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}
