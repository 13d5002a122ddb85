//! How a request reaches GitHub: octocrab over reqwest.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use octocrab::Octocrab;

use super::call::{Call, Verb};
use super::token::Token;
use crate::error::{Blame, Blamed};
use crate::web::{self, ClientProblem};

/// The headers that matter to us.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// `retry-after`.
    pub retry_after: Option<Duration>,
    /// `x-ratelimit-remaining`.
    pub remaining: Option<u64>,
    /// `x-ratelimit-reset`, seconds since 1970.
    pub reset: Option<u64>,
    /// `location`.
    pub location: Option<String>,
    /// `link` names a next page.
    pub next_page: bool,
}

/// An answer, whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// What matters of its headers.
    pub headers: Headers,
    /// Its body.
    pub body: Vec<u8>,
}

/// No answer that can be used. The request may have arrived.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// None came, or half of one.
    #[error("{0}")]
    Lost(String),
    /// It is larger than this many bytes, and would be the next time.
    #[error("larger than {0} bytes")]
    TooLarge(usize),
}

/// An answer on its way.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<Reply, Broken>> + 'a>>;

/// Something that carries requests to GitHub, or to what stands in for it.
pub trait Transport {
    /// Sends one request once.
    fn send<'a>(&'a self, call: &'a Call) -> Answer<'a>;
    /// Reads from another address without the token: where a redirect leads. At most `most` bytes.
    fn download<'a>(&'a self, url: &'a str, most: usize) -> Answer<'a>;
}

/// Where the API of github.com is.
pub const API: &str = "https://api.github.com";

/// No answer is larger than this, in bytes: a file of GitHub's contents API.
const MOST: usize = 100 << 20;

/// Why no connection can be made at all.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionProblem {
    /// The address of the API.
    #[error("`{}` is no address of an API", .0.escape_debug())]
    Address(String),
    /// The certificates of a private server.
    #[error("ca-file: {0}")]
    Certificates(String),
    /// The client could not be built.
    #[error("no HTTP client can be built: {0}")]
    Client(String),
}

impl Blamed for ConnectionProblem {
    fn blame(&self) -> Blame {
        match self {
            Self::Address(_) | Self::Certificates(_) => Blame::User,
            Self::Client(_) => Blame::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Address(_) => {
                Some("the runner sets GITHUB_API_URL; on a private server it is https://HOST/api/v3".into())
            }
            Self::Certificates(_) => Some("name a file of PEM certificates".into()),
            Self::Client(_) => None,
        }
    }
}

/// A connection with a token (or none).
pub struct Connection {
    crab: Octocrab,
    plain: reqwest::Client,
    prefix: String,
}

impl Connection {
    /// Connects to an API by its address (`https://api.github.com`, `https://HOST/api/v3`), trusting Mozilla's roots and
    /// those of `certificates` (PEM), and waiting that long for each answer. Must be called within a runtime.
    pub fn open(
        address: &str,
        token: Option<&Token>,
        certificates: Option<&[u8]>,
        answer: Duration,
    ) -> Result<Self, ConnectionProblem> {
        let bad = || ConnectionProblem::Address(address.to_owned());
        let uri: http::Uri = address.trim_end_matches('/').parse().map_err(|_| bad())?;
        let (Some(scheme @ ("https" | "http")), Some(host)) = (uri.scheme_str(), uri.authority()) else {
            return Err(bad());
        };
        // One client for both: it follows no redirect, so that a token never leaves for another host.
        let http = web::client(certificates)?.timeout(answer).build();
        let http = http.map_err(|error| ConnectionProblem::Client(error.to_string()))?;
        // The stack adds scheme and host. A path of the server's own comes before ours, and is not the same for GraphQL.
        let mut builder = Octocrab::builder().base_uri(format!("{scheme}://{host}")).map_err(|_| bad())?;
        if let Some(token) = token {
            builder = builder.personal_token(token.reveal().to_owned());
        }
        let built = builder.build_with_reqwest(http.clone());
        let crab = built.map_err(|error| ConnectionProblem::Client(error.to_string()))?;
        Ok(Self { crab, plain: http, prefix: uri.path().trim_end_matches('/').to_owned() })
    }
}

impl Connection {
    /// A private server has REST at /api/v3 and GraphQL beside it.
    fn prefix_of(&self, call: &Call) -> &str {
        if call.verb == Verb::Query { self.prefix.trim_end_matches("/v3") } else { &self.prefix }
    }
}

impl From<ClientProblem> for ConnectionProblem {
    fn from(problem: ClientProblem) -> Self {
        match problem {
            ClientProblem::Certificates(what) => Self::Certificates(what),
            ClientProblem::Client(what) => Self::Client(what),
        }
    }
}

impl Transport for Connection {
    fn send<'a>(&'a self, call: &'a Call) -> Answer<'a> {
        Box::pin(async move {
            // A URL's dots would climb out of the route. Nothing on GitHub is named so: no branch, no path of a tree.
            if call.path.split('/').any(|part| matches!(part, "." | "..")) {
                return Ok(Reply { status: 404, ..Reply::default() });
            }
            let request = http::Request::builder()
                .method(match call.verb {
                    Verb::Get => http::Method::GET,
                    Verb::Post | Verb::Query => http::Method::POST,
                    Verb::Patch => http::Method::PATCH,
                    Verb::Delete => http::Method::DELETE,
                })
                .uri(format!("{}{}", self.prefix_of(call), call.target()))
                .header(http::header::ACCEPT, call.accept.media_type())
                .header("x-github-api-version", "2022-11-28");
            let request = self.crab.build_request(request, call.body.as_ref());
            let request = request.map_err(|error| broken(&error))?;
            let response = self.crab.execute(request).await.map_err(|error| broken(&error))?;
            let (parts, body) = response.into_parts();
            let body = Limited::new(body, MOST).collect().await.map_err(|error| unread(&*error, MOST))?;
            Ok(Reply {
                status: parts.status.as_u16(),
                headers: headers(&parts.headers),
                body: body.to_bytes().to_vec(),
            })
        })
    }

    fn download<'a>(&'a self, url: &'a str, most: usize) -> Answer<'a> {
        Box::pin(async move {
            let response = self.plain.get(url).send().await;
            let response = response.map_err(|error| broken(&error.without_url()))?;
            let (status, found) = (response.status().as_u16(), headers(response.headers()));
            let body = Limited::new(reqwest::Body::from(response), most).collect().await;
            let body = body.map_err(|error| unread(&*error, most))?;
            Ok(Reply { status, headers: found, body: body.to_bytes().to_vec() })
        })
    }
}

/// Why a body could not be read to its end.
fn unread(error: &(dyn std::error::Error + 'static), most: usize) -> Broken {
    if error.is::<LengthLimitError>() { Broken::TooLarge(most) } else { broken(error) }
}

/// What went wrong, down to the cause, without an address (one of a download is a secret for a minute).
fn broken(error: &(dyn std::error::Error + 'static)) -> Broken {
    Broken::Lost(web::cause(error))
}

fn headers(all: &http::HeaderMap) -> Headers {
    let text = |name: &str| all.get(name).and_then(|value| value.to_str().ok());
    let number = |name: &str| text(name).and_then(|value| value.trim().parse::<u64>().ok());
    Headers {
        retry_after: number("retry-after").map(Duration::from_secs),
        remaining: number("x-ratelimit-remaining"),
        reset: number("x-ratelimit-reset"),
        location: text("location").map(str::to_owned),
        next_page: text("link").is_some_and(|link| link.contains("rel=\"next\"")),
    }
}
