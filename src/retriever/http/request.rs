//! What is sent: an address, headers and a body with slots. A query is percent-encoded in an address and a text in JSON,
//! so that it never means more than itself.

use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method as Verb};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Url;
use serde_json::Value;

use super::super::external::{OptionProblem, Unusable, check_extra};
use super::super::headers::Headers;
use super::super::output::Format;
use super::super::places::{Places, variables};
use super::super::text::{Allowed, Document, OF_A_PLACE, OF_A_QUERY, Slot, Text};
use super::options::{HttpOptions, Method};
use crate::process::Extra;

/// All that RFC 3986 does not call unreserved.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

const FORM: &str = "application/x-www-form-urlencoded";

/// Text as a part of an address.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// An address with slots.
#[derive(Clone, Debug)]
pub(super) struct Address(Text);

impl Address {
    /// Checks it: whom it asks must not depend on the query.
    pub(super) fn new(
        key: &'static str,
        written: &str,
        allowed: Allowed,
        variables: &[&str],
    ) -> Result<Self, OptionProblem> {
        let problem = |what: String| OptionProblem::new(key, what);
        let text = Text::new(written, allowed, variables).and_then(Text::without_a_shell);
        let text = text.map_err(|told| problem(told.to_string()))?;
        if let Some(word) = text.left_alone() {
            return Err(problem(format!(
                "`{word}` is no placeholder; a brace of the address itself is written `%7B`"
            )));
        }
        let filled = |query: &str| {
            Url::parse(&text.fill(&|slot| match slot {
                Slot::Query => query.to_owned(),
                Slot::Port | Slot::Fetch => "1".to_owned(),
                _ => "x".to_owned(),
            }))
        };
        match (filled("a"), filled("b")) {
            (Ok(one), Ok(_)) if !one.username().is_empty() || one.password().is_some() => {
                Err(problem("holds a user; write it as a header with `{env:NAME}`".to_owned()))
            }
            (Ok(one), Ok(other))
                if ["http", "https"].contains(&one.scheme()) && one.origin() == other.origin() =>
            {
                Ok(Self(text))
            }
            (Ok(one), Ok(other)) if one.origin() != other.origin() => {
                Err(problem("whom it asks depends on the query".to_owned()))
            }
            _ => Err(problem(format!("`{written}` is no address; write it like https://host/search"))),
        }
    }

    /// It holds that slot.
    pub(super) fn holds(&self, slot: &Slot) -> bool {
        self.0.slots().any(|found| found == slot)
    }

    /// The address; none if a query would lead to another place than the one it stands at.
    pub(super) fn fill(&self, places: &Places<'_>, query: Option<(&str, usize)>) -> Option<Url> {
        let depth = |url: &Url| url.path().matches('/').count();
        let with = |query| Url::parse(&self.0.fill(&|slot| encoded(&places.value(slot, query)))).ok();
        let url = with(query)?;
        let plain = with(query.map(|(_, fetch)| ("x", fetch)))?;
        (depth(&url) == depth(&plain)).then_some(url)
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Clone, Debug)]
enum Body {
    Json(Document),
    Text(Text),
    /// A text in which every value is percent-encoded.
    Form(Text),
}

/// A request with slots.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) address: Address,
    pub(super) headers: Headers,
    method: Method,
    body: Option<Body>,
    accept: &'static str,
}

/// A request that can be sent, as often as is safe.
#[derive(Clone, Debug)]
pub(super) struct Filled {
    pub(super) verb: Verb,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
}

impl Request {
    /// Checks the settings.
    pub(super) fn new(options: &HttpOptions, extra: &Extra) -> Result<Self, OptionProblem> {
        check_extra(extra)?;
        let names = variables(extra);
        let address = Address::new("url", &options.url, OF_A_QUERY, &names)?;
        let headers = Headers::new(&options.headers, &names)?;
        let problem = |what: String| OptionProblem::new("body", what);
        let kind = headers.written(&CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
        let body = match &options.body {
            None => None,
            Some(_) if options.method == Method::Get => {
                return Err(problem("goes with `method = \"POST\"` or `\"PUT\"`".to_owned()));
            }
            Some(Value::String(text)) => {
                let read = Text::new(text, OF_A_QUERY, &names).map_err(|told| problem(told.to_string()))?;
                let json = text.trim_start().starts_with(['{', '[']) || kind.contains("json");
                if json && !read.slots().all(|slot| *slot == Slot::Fetch) {
                    let what =
                        "is JSON as a text, in which a query could mean more than itself; write a table";
                    return Err(problem(what.to_owned()));
                }
                Some(if kind.starts_with(FORM) { Body::Form(read) } else { Body::Text(read) })
            }
            Some(value @ (Value::Object(_) | Value::Array(_))) => {
                let read = Document::new(value, OF_A_QUERY, &names);
                Some(Body::Json(read.map_err(|told| problem(told.to_string()))?))
            }
            Some(_) => return Err(problem("is neither a table nor a text".to_owned())),
        };
        let accept = match options.format {
            Format::Json | Format::JsonInText => "application/json",
            Format::JsonLines | Format::Paths | Format::Grep | Format::Ripgrep => "*/*",
        };
        let request = Self { address, headers, method: options.method, body, accept };
        if !request.holds(&Slot::Query) {
            let what = "neither this nor `body` holds `{query}`, so every query would be the same";
            return Err(OptionProblem::new("url", what));
        }
        Ok(request)
    }

    /// Its address or its body holds that slot.
    pub(super) fn holds(&self, slot: &Slot) -> bool {
        self.address.holds(slot)
            || match &self.body {
                Some(Body::Json(document)) => document.holds(slot),
                Some(Body::Text(text) | Body::Form(text)) => text.slots().any(|found| found == slot),
                None => false,
            }
    }

    /// It does the same twice as once.
    pub(super) fn may_be_repeated(&self) -> bool {
        self.method != Method::Post
    }

    /// How it is asked.
    pub(super) fn verb(&self) -> Verb {
        match self.method {
            Method::Get => Verb::GET,
            Method::Post => Verb::POST,
            Method::Put => Verb::PUT,
        }
    }

    /// With a query in it; none if the query cannot stand where it would.
    pub(super) fn fill(
        &self,
        places: &Places<'_>,
        query: &str,
        fetch: usize,
    ) -> Result<Option<Filled>, Unusable> {
        let Some(url) = self.address.fill(places, Some((query, fetch))) else { return Ok(None) };
        let value = |slot: &Slot| places.value(slot, Some((query, fetch)));
        let mut headers = self.headers_at(places)?;
        let (body, kind) = match &self.body {
            None => (None, None),
            Some(Body::Json(document)) => {
                (Some(document.fill(fetch, &value).to_string()), Some("application/json"))
            }
            Some(Body::Text(text)) => (Some(text.fill(&value)), Some("text/plain; charset=utf-8")),
            Some(Body::Form(text)) => (Some(text.fill(&|slot| encoded(&value(slot)))), Some(FORM)),
        };
        if let Some(kind) = kind {
            headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static(kind));
        }
        Ok(Some(Filled { verb: self.verb(), url, headers, body: body.map(String::into_bytes) }))
    }

    /// The headers of every request.
    pub(super) fn headers_at(&self, places: &Places<'_>) -> Result<HeaderMap, Unusable> {
        let mut headers = self.headers.fill(places)?;
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static(self.accept));
        headers.entry(USER_AGENT).or_insert(HeaderValue::from_static("rankhold"));
        Ok(headers)
    }
}

/// An address that is the same for every query.
pub(super) fn fixed(key: &'static str, written: &str, variables: &[&str]) -> Result<Address, OptionProblem> {
    Address::new(key, written, OF_A_PLACE, variables)
}
