//! HTTP on a socket of this machine, on a thread of its own, so that the client's runtime may be any.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread::JoinHandle;

use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

use super::answer::{Answer, Body};
use crate::github::faults::Outcome;

/// A request as it arrived.
pub(crate) struct Request {
    pub(crate) method: String,
    /// Percent-encoded, without query.
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Whose server was meant: a proxy is told so in the request itself.
    pub(crate) host: String,
}

/// What answers.
pub(crate) type Handler = Arc<dyn Fn(Request) -> Outcome + Send + Sync>;

/// A running server; it ends when dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(handler: Handler, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<Infallible>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                tokio::select! {
                    () = accept(&listener, &handler, tls.as_ref()) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { address, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        // A panic of the server was noted as a problem of the stand-in already.
        drop(self.thread.take().map(JoinHandle::join));
    }
}

async fn accept(listener: &tokio::net::TcpListener, handler: &Handler, tls: Option<&TlsAcceptor>) {
    while let Ok((stream, _)) = listener.accept().await {
        let handler = handler.clone();
        let tls = tls.cloned();
        tokio::spawn(async move {
            match tls {
                None => connection(TokioIo::new(stream), handler).await,
                Some(tls) => {
                    // A client that does not trust us goes away here.
                    if let Ok(stream) = tls.accept(stream).await {
                        connection(TokioIo::new(stream), handler).await;
                    }
                }
            }
        });
    }
}

async fn connection(io: impl hyper::rt::Read + hyper::rt::Write + Unpin, handler: Handler) {
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let handler = handler.clone();
        async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await.map_err(io::Error::other)?.to_bytes().to_vec();
            let host = parts.headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
            let request = Request {
                method: parts.method.to_string(),
                path: parts.uri.path().to_owned(),
                query: parts.uri.query().map(str::to_owned),
                host: parts.uri.authority().map_or(host.to_owned(), ToString::to_string),
                headers: parts.headers,
                body,
            };
            match handler(request) {
                Outcome::Answer(answer) => Ok(response(answer, false)),
                Outcome::Cut(answer) => Ok(response(answer, true)),
                // An error of the service closes the connection without a word.
                Outcome::Closed => Err(io::Error::other("closed on purpose")),
                Outcome::Silent => std::future::pending().await,
            }
        }
    });
    // It ends in an error where a test wants it to.
    drop(http1::Builder::new().serve_connection(io, service).await);
}

fn response(answer: Answer, cut: bool) -> http::Response<Sent> {
    let (kind, bytes) = match answer.body {
        Body::Empty => (None, Vec::new()),
        Body::Json(value) => (Some("application/json; charset=utf-8"), value.to_string().into_bytes()),
        Body::Bytes(kind, bytes) => (Some(kind), bytes),
    };
    let mut response = http::Response::builder().status(answer.status);
    if let Some(kind) = kind {
        response = response.header("content-type", kind);
    }
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    response.body(Sent::of(bytes, cut)).unwrap()
}

/// A body, whole or broken off in the middle.
struct Sent {
    length: u64,
    steps: VecDeque<Step>,
}

enum Step {
    Bytes(Bytes),
    /// Lets what was written before go out.
    Pause,
    Break,
}

impl Sent {
    fn of(bytes: Vec<u8>, cut: bool) -> Self {
        let (length, half) = (bytes.len() as u64, bytes.len() / 2);
        let bytes = Bytes::from(bytes);
        let steps = if cut {
            VecDeque::from([Step::Bytes(bytes.slice(..half)), Step::Pause, Step::Break])
        } else if bytes.is_empty() {
            VecDeque::new()
        } else {
            VecDeque::from([Step::Bytes(bytes)])
        };
        Self { length, steps }
    }
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match self.steps.pop_front() {
            None => Poll::Ready(None),
            Some(Step::Bytes(bytes)) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            Some(Step::Pause) => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Some(Step::Break) => Poll::Ready(Some(Err(io::Error::other("cut on purpose")))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.steps.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length)
    }
}
