//! Which replies may come: those to what was asked, once.

use std::future::Future;

use rmcp::RoleClient;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::trouble::{Report, Trouble};
use crate::ranking::ErrorClass;

/// A transport that ends at the first reply nobody waits for: what comes after it could belong to the past.
pub(super) struct Watched<T> {
    inner: T,
    /// Asked and not answered.
    open: Vec<String>,
    report: Report,
}

impl<T> Watched<T> {
    pub(super) fn new(inner: T, report: Report) -> Self {
        Self { inner, open: Vec::new(), report }
    }

    /// Whether it is one that may come.
    fn check(&mut self, message: &RxJsonRpcMessage<RoleClient>) -> Result<(), Trouble> {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => return Ok(()),
        };
        let id = id.map_or_else(|| "null".to_owned(), ToString::to_string);
        if let Some(at) = self.open.iter().position(|open| *open == id) {
            self.open.swap_remove(at);
            return Ok(());
        }
        let said = match message {
            JsonRpcMessage::Error(error) => format!(": {}", error.error.message),
            _ => String::new(),
        };
        let what = format!("replied to request {id}, to which no reply was due{said}");
        Err(Trouble::new(ErrorClass::Protocol, what))
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &message {
            self.open.push(request.id.to_string());
        }
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        match self.check(&message) {
            Ok(()) => Some(message),
            Err(trouble) => {
                self.report.leave(trouble);
                None
            }
        }
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}
