//! One request, as a value.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// What is done to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Reads. Repeated at will.
    Get,
    /// Makes something new. Never repeated before it was looked up whether it is there already.
    Post,
    /// Replaces fields. The same twice is the same once.
    Patch,
    /// Removes.
    Delete,
}

impl Verb {
    /// As HTTP writes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// In which form an answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accept {
    /// GitHub's JSON.
    Json,
    /// A file's bytes as they are, up to 100 MB.
    Raw,
}

impl Accept {
    /// The media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/vnd.github+json",
            Self::Raw => "application/vnd.github.raw+json",
        }
    }
}

/// One request. It holds no token.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is done.
    pub verb: Verb,
    /// The path as GitHub's description of its API writes it: `/repos/{owner}/{repo}/pulls/{pull_number}`.
    pub route: &'static str,
    /// The route filled in, percent-encoded.
    pub path: String,
    /// Query parameters, not encoded.
    pub query: Vec<(&'static str, String)>,
    /// The form that is wanted.
    pub accept: Accept,
    /// What is sent.
    pub body: Option<Value>,
}

/// RFC 3986's unreserved characters stay.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

impl Call {
    /// The route with its parameters filled in, in order. A parameter `{path}` keeps its slashes.
    pub(super) fn new(verb: Verb, route: &'static str, parameters: &[&str]) -> Self {
        let mut parameters = parameters.iter();
        let filled = route.split('/').map(|part| {
            let Some(name) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) else {
                return part.to_owned();
            };
            let value = parameters.next().unwrap_or_else(|| panic!("{route} needs {name}"));
            if name == "path" {
                value.split('/').map(encode).collect::<Vec<_>>().join("/")
            } else {
                encode(value)
            }
        });
        let path = filled.collect::<Vec<_>>().join("/");
        Self { verb, route, path, query: Vec::new(), accept: Accept::Json, body: None }
    }

    pub(super) fn with(mut self, key: &'static str, value: impl std::fmt::Display) -> Self {
        self.query.push((key, format!("{value}")));
        self
    }

    pub(super) fn body(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    pub(super) fn raw(self) -> Self {
        Self { accept: Accept::Raw, ..self }
    }

    /// Path and query, as they follow the server's address.
    pub fn target(&self) -> String {
        let mut target = self.path.clone();
        for (at, (key, value)) in self.query.iter().enumerate() {
            target.push(if at == 0 { '?' } else { '&' });
            target.push_str(key);
            target.push('=');
            target.push_str(&encode(value));
        }
        target
    }
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_encoded_each_in_its_place() {
        let call = Call::new(Verb::Get, "/repos/{owner}/{repo}/contents/{path}", &["a b", "c?d", "x/é#.md"])
            .with("ref", "feat/1&2");
        assert_eq!(call.target(), "/repos/a%20b/c%3Fd/contents/x/%C3%A9%23.md?ref=feat%2F1%262");
        let call = Call::new(Verb::Get, "/repos/{owner}/{repo}/branches/{branch}", &["a", "b", "feat/x"]);
        assert_eq!(call.path, "/repos/a/b/branches/feat%2Fx");
    }
}
