//! A request and its answer: within its time, up to a limit, repeated where that is safe.

use std::time::Duration;

use http::header::{CONTENT_ENCODING, LOCATION, RETRY_AFTER};
use http::{HeaderMap, Method as Verb, StatusCode};
use reqwest::Url;
use reqwest::redirect::{Action, Attempt, Policy};
use tokio::runtime::Runtime;

use super::super::Deadline;
use super::request::Filled;
use crate::error::quoted;
use crate::ranking::ErrorClass;
use crate::web::{self, ClientProblem};

/// The first pause before a request is repeated; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(100);

/// How a server that does not run could be started here.
const START: &str = "Rankhold starts it itself with `start = [\"program\", …]` and `{port}` in `url`";

/// More redirects than this lead nowhere.
const REDIRECTS: usize = 5;

/// An answer, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    /// Where a redirect that was not followed leads, and why it was not.
    pub(super) leads: Option<String>,
    retry_after: Option<Duration>,
}

/// No answer, as the end of a sentence that begins with the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lost {
    pub(super) class: ErrorClass,
    pub(super) what: String,
    /// What to do, where that is known.
    pub(super) advice: Option<String>,
    /// It was never sent, or nothing speaks against sending it once more.
    again: Again,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Again {
    /// Nobody was there to read it.
    Unsent,
    /// It may have been read.
    Perhaps,
    /// It would be the same.
    Never,
}

/// How a request is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) deadline: Deadline,
    /// How often it may be repeated.
    pub(super) retries: u32,
    /// Even if it may have been read.
    pub(super) may_be_repeated: bool,
    /// Most bytes of an answer.
    pub(super) longest: usize,
}

/// Somebody who asks.
pub(super) struct Client {
    runtime: Runtime,
    client: reqwest::Client,
}

impl Client {
    /// One that trusts Mozilla's roots and these, and asks `host` that way; no proxy is asked for what is on this machine.
    /// Each request has a connection of its own: on one that is kept a server that answers twice would answer the next query.
    pub(super) fn new(certificates: Option<&[u8]>, verb: Verb, host: &Url) -> Result<Self, ClientProblem> {
        let failed = |error: &dyn std::fmt::Display| ClientProblem::Client(error.to_string());
        let mut client = web::client(certificates)?
            .redirect(Policy::custom(move |attempt| same_origin(&verb, attempt)))
            .pool_max_idle_per_host(0);
        if web::is_loopback(host) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| failed(&error))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Self { runtime: runtime.map_err(|error| failed(&error))?, client })
    }

    /// Asks, and asks again where that is safe and there is time.
    pub(super) fn ask(&self, request: &Filled, manner: Manner) -> Result<Reply, Lost> {
        let late = || Lost {
            class: ErrorClass::Timeout,
            what: "did not answer in time".to_owned(),
            advice: None,
            again: Again::Never,
        };
        if manner.deadline.passed() {
            return Err(late());
        }
        let asked =
            async { tokio::time::timeout(manner.deadline.left(), self.persist(request, manner)).await };
        self.runtime.block_on(asked).unwrap_or_else(|_| Err(late()))
    }

    /// Asks once with GET: what is only looked at.
    pub(super) fn look(&self, url: Url, headers: HeaderMap, manner: Manner) -> Result<Reply, Lost> {
        self.ask(&Filled { verb: Verb::GET, url, headers, body: None }, Manner { retries: 0, ..manner })
    }

    async fn persist(&self, request: &Filled, manner: Manner) -> Result<Reply, Lost> {
        for attempt in 0.. {
            let outcome = self.once(request, manner.longest).await;
            let pause = PAUSE * 2_u32.saturating_pow(attempt);
            let pause = match &outcome {
                Ok(reply) if manner.may_be_repeated && is_passing(reply.status) => {
                    reply.retry_after.unwrap_or(pause)
                }
                Err(Lost { again: Again::Unsent, .. }) => pause,
                Err(Lost { again: Again::Perhaps, .. }) if manner.may_be_repeated => pause,
                _ => return outcome,
            };
            if attempt >= manner.retries || pause >= manner.deadline.left() {
                return outcome;
            }
            tokio::time::sleep(pause).await;
        }
        unreachable!("it ends by returning")
    }

    async fn once(&self, request: &Filled, longest: usize) -> Result<Reply, Lost> {
        let mut sent = self.client.request(request.verb.clone(), request.url.clone());
        sent = sent.headers(request.headers.clone());
        if let Some(body) = &request.body {
            sent = sent.body(body.clone());
        }
        let mut answer = sent.send().await.map_err(|error| lost(&error))?;
        let text = |name| answer.headers().get(name).and_then(|value| value.to_str().ok());
        let location = text(LOCATION).filter(|_| answer.status().is_redirection());
        let leads = location.map(|location| match answer.url().join(location) {
            Ok(url) if url.origin() == answer.url().origin() && request.verb == Verb::GET => {
                format!("leads on for the {}th time", REDIRECTS + 1)
            }
            Ok(url) if url.origin() == answer.url().origin() => {
                "leads to another address, where the body would not be sent".to_owned()
            }
            // The host alone: the rest may hold what is nobody's business.
            Ok(url) => format!("leads to `{}`, where nothing is sent", url.host_str().unwrap_or("nowhere")),
            Err(_) => "leads nowhere".to_owned(),
        });
        let retry_after =
            text(RETRY_AFTER).and_then(|value| value.trim().parse().ok()).map(Duration::from_secs);
        let status = answer.status().as_u16();
        if let Some(encoding) =
            text(CONTENT_ENCODING).filter(|encoding| !encoding.eq_ignore_ascii_case("identity"))
        {
            let encoding = quoted(encoding, 40);
            return Err(Lost {
                class: ErrorClass::Protocol,
                what: format!("answered in the encoding `{encoding}`, which nobody asked for"),
                advice: None,
                again: Again::Never,
            });
        }
        let mut body = Vec::new();
        let announced = answer.content_length().unwrap_or(0);
        let fits = usize::try_from(announced).is_ok_and(|announced| announced <= longest);
        if !fits {
            return Err(too_long(longest));
        }
        while let Some(part) = answer.chunk().await.map_err(|error| lost(&error))? {
            if part.len() > longest - body.len() {
                return Err(too_long(longest));
            }
            body.extend_from_slice(&part);
        }
        Ok(Reply { status, body, leads, retry_after })
    }
}

/// What goes with a request, as a secret does, stays with the host it was meant for; and no body is lost on the way.
fn same_origin(verb: &Verb, attempt: Attempt<'_>) -> Action {
    let as_it_is =
        [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT].contains(&attempt.status());
    let stays = attempt.previous().last().is_some_and(|before| before.origin() == attempt.url().origin());
    let follows = stays && (as_it_is || *verb == Verb::GET) && attempt.previous().len() <= REDIRECTS;
    if follows { attempt.follow() } else { attempt.stop() }
}

/// A status that may be gone the next time.
fn is_passing(status: u16) -> bool {
    [429, 502, 503, 504].contains(&status)
}

fn too_long(longest: usize) -> Lost {
    Lost {
        class: ErrorClass::OutputLimit,
        what: format!("answered with more than {longest} bytes"),
        advice: Some("ask it for less, or raise `max-output`".to_owned()),
        again: Again::Never,
    }
}

fn lost(error: &reqwest::Error) -> Lost {
    let cause = web::cause(error);
    let (what, again) = match error {
        error if error.is_connect() => (web::unreached(error), Again::Unsent),
        error if error.is_body() || error.is_decode() => {
            (format!("broke off its answer: {cause}"), Again::Perhaps)
        }
        error if error.is_builder() => (format!("could not be asked: {cause}"), Again::Never),
        _ => (format!("gave no answer: {cause}"), Again::Perhaps),
    };
    Lost { class: ErrorClass::Died, what, advice: web::advice(error, START), again }
}
