//! A server that runs elsewhere: streamable HTTP by rmcp, over our own client.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::{BoxStream, Fuse};
use futures_util::{FutureExt, StreamExt};
use http::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::Sse;

use super::pipe::without_id;
use super::trouble::{Report, Trouble};
use crate::ranking::ErrorClass;
use crate::strict::read_answer;
use crate::web;

/// How a server that does not run could be started here.
const START: &str =
    "Rankhold starts one itself that talks over stdin and stdout: `argv` in the place of `url`";

type Events = BoxStream<'static, Result<Sse, SseError>>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Refused = StreamableHttpError<reqwest::Error>;

/// Where a server is and what goes with every request to it.
pub(super) struct Address {
    pub(super) url: String,
    pub(super) headers: Headers,
    pub(super) client: reqwest::Client,
    /// Bytes of one message.
    pub(super) longest: usize,
}

/// rmcp's way to the server. Must be called within a runtime.
pub(super) fn connect(address: &Address, report: Report) -> StreamableHttpClientTransport<Observed> {
    let config = StreamableHttpClientTransportConfig::with_uri(address.url.as_str())
        .custom_headers(address.headers.clone())
        .max_json_response_size(address.longest)
        .max_sse_event_size(address.longest);
    let client = Observed { client: address.client.clone(), report };
    StreamableHttpClientTransport::with_client(client, config)
}

/// A client that reports what goes wrong with an answer, which rmcp only logs in part.
#[derive(Clone)]
pub(super) struct Observed {
    client: reqwest::Client,
    report: Report,
}

impl Observed {
    fn watch(&self, answer: StreamableHttpPostResponse) -> StreamableHttpPostResponse {
        let StreamableHttpPostResponse::Sse(events, session) = answer else { return answer };
        let watch =
            Watch { events: events.fuse(), waiting: None, replied: false, report: self.report.clone() };
        let watched = futures_util::stream::unfold(watch, Watch::next);
        StreamableHttpPostResponse::Sse(watched.boxed(), session)
    }
}

/// The events that answer one request. rmcp hears none after the reply.
struct Watch {
    events: Fuse<Events>,
    /// Looked at already.
    waiting: Option<Result<Sse, SseError>>,
    replied: bool,
    report: Report,
}

impl Watch {
    /// The next event, and the watch over those after it.
    async fn next(mut self) -> Option<(Result<Sse, SseError>, Self)> {
        let event = match self.waiting.take() {
            Some(event) => event,
            None => self.events.next().await?,
        };
        match &event {
            Err(error) => self.report.leave(broken_stream(error)),
            Ok(event) => match is_reply(event) {
                Err(trouble) => {
                    self.report.distrust(trouble);
                    return None;
                }
                Ok(true) if self.replied => {
                    let what = "replied a second time to a request, to which no reply was due";
                    self.report.distrust(Trouble::new(ErrorClass::Protocol, what));
                    return None;
                }
                Ok(true) => {
                    self.replied = true;
                    // A second reply that is there already belongs to this one.
                    self.waiting = self.events.next().now_or_never().flatten();
                    let second = self.waiting.as_ref().and_then(|event| event.as_ref().ok());
                    if second.is_some_and(|event| is_reply(event) != Ok(false)) {
                        let what = "replied twice to one request";
                        self.report.refute(Trouble::new(ErrorClass::Protocol, what));
                    }
                }
                Ok(false) => {}
            },
        }
        Some((event, self))
    }
}

/// Whether an event is a reply; a message that cannot be taken is trouble.
fn is_reply(event: &Sse) -> Result<bool, Trouble> {
    let Some(data) = event.data.as_deref().filter(|data| !data.trim().is_empty()) else { return Ok(false) };
    match read_answer(data.as_bytes()) {
        Ok(message) => Ok(message.get("result").is_some() || message.get("error").is_some()),
        Err(error) if error.is_data() => {
            let what = format!("sent a message that is not taken: {error}");
            Err(Trouble::new(ErrorClass::Protocol, what))
        }
        // Events of another type are no messages, whatever they hold.
        Err(_) if event.event.as_deref().is_none_or(|kind| ["", "message"].contains(&kind)) => {
            Err(Trouble::new(ErrorClass::Protocol, "sent an event that is no JSON"))
        }
        Err(_) => Ok(false),
    }
}

impl StreamableHttpClient for Observed {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Refused> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, token, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Refused> {
        let asked = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let answer =
            self.client.post_message_with_response_limits(uri, message, session, token, headers, limits);
        let answer = answer.await.inspect_err(|refused| {
            let trouble = told(refused);
            let detail = without_id(&trouble.detail, asked.as_ref()).into_owned();
            self.report.leave(Trouble { detail, ..trouble });
        })?;
        Ok(self.watch(answer))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Refused> {
        self.client.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Refused> {
        self.client.get_stream(uri, session, last_event, token, headers).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
        longest: usize,
    ) -> Result<Events, Refused> {
        let stream =
            self.client.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, longest);
        stream.await
    }
}

/// What a request that was not answered means.
fn told(refused: &Refused) -> Trouble {
    let protocol = |what: String| Trouble::new(ErrorClass::Protocol, what);
    let tool = |what: String| Trouble::new(ErrorClass::Tool, what);
    match refused {
        StreamableHttpError::ResponseBodyTooLarge { .. } => too_long(),
        StreamableHttpError::Client(error) => lost(error),
        StreamableHttpError::HttpStatus(status) => tool(format!("answered with status {}", status.status)),
        StreamableHttpError::AuthRequired(_) => tool("answered with status 401: it wants `headers`".into()),
        StreamableHttpError::InsufficientScope(_) => {
            tool("answered with status 403: what `headers` hold does not allow this".into())
        }
        StreamableHttpError::UnexpectedContentType(kind) => {
            let kind = kind.as_deref().unwrap_or("none");
            protocol(format!("answered with content of type `{kind}`, not JSON or an event stream"))
        }
        StreamableHttpError::UnexpectedServerResponse(what) if what.starts_with("HTTP ") => {
            tool(format!("answered with {what}"))
        }
        StreamableHttpError::UnexpectedServerResponse(what) => {
            protocol(format!("gave no MCP answer: {what}"))
        }
        StreamableHttpError::Deserialize(error) => protocol(format!("gave no MCP answer: {error}")),
        StreamableHttpError::SessionExpired => Trouble::new(ErrorClass::Died, "ended the session"),
        other => protocol(format!("gave no MCP answer: {other}")),
    }
}

fn lost(error: &reqwest::Error) -> Trouble {
    let cause = web::cause(error);
    if error.is_timeout() {
        Trouble::new(ErrorClass::Timeout, "did not reply in time")
    } else if error.is_connect() {
        Trouble { advice: web::advice(error, START), ..Trouble::new(ErrorClass::Died, web::unreached(error)) }
    } else if let Some(status) = error.status() {
        Trouble::new(ErrorClass::Tool, format!("answered with status {}", status.as_u16()))
    } else {
        let what = format!("broke off its answer: {cause}");
        Trouble { advice: web::advice(error, START), ..Trouble::new(ErrorClass::Died, what) }
    }
}

/// What an event stream that cannot be read any further means.
fn broken_stream(error: &SseError) -> Trouble {
    match error {
        SseError::Body(error) if error.to_string().contains("maximum size") => too_long(),
        SseError::Body(error) => {
            Trouble::new(ErrorClass::Died, format!("broke off its answer: {}", web::cause(&**error)))
        }
        error => {
            Trouble::new(ErrorClass::Protocol, format!("gave an event stream that cannot be read: {error}"))
        }
    }
}

fn too_long() -> Trouble {
    let what = "sent a message longer than `max-output` allows; ask it for less, or raise that";
    Trouble::new(ErrorClass::OutputLimit, what)
}
