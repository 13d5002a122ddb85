//! Answers, and GitHub's words when it refuses.

use serde_json::{Value, json};

/// What is sent back.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Body,
}

/// A body.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    Empty,
    Json(Value),
    Bytes(&'static str, Vec<u8>),
}

/// What a handler gives: both are answers, and `?` ends with a refusal.
pub(crate) type Handled = Result<Answer, Answer>;

impl Answer {
    pub(crate) fn json(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body: Body::Json(body) }
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Body::Empty }
    }

    pub(crate) fn bytes(kind: &'static str, bytes: Vec<u8>) -> Self {
        Self { status: 200, headers: Vec::new(), body: Body::Bytes(kind, bytes) }
    }

    pub(crate) fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }

    /// A refusal in GitHub's form.
    pub(crate) fn refusal(status: u16, message: &str) -> Self {
        let documentation = "https://docs.github.com/rest";
        let status_text = status.to_string();
        Self::json(
            status,
            json!({ "message": message, "documentation_url": documentation, "status": status_text }),
        )
    }

    pub(crate) fn not_found() -> Self {
        Self::refusal(404, "Not Found")
    }

    pub(crate) fn forbidden() -> Self {
        Self::refusal(403, "Resource not accessible by integration")
    }

    pub(crate) fn no_commit(name: &str) -> Self {
        Self::refusal(422, &format!("No commit found for SHA: {name}"))
    }

    /// GitHub read it and did not like a field.
    pub(crate) fn invalid(resource: &str, field: &str, message: &str) -> Self {
        let mut answer = Self::refusal(422, "Validation Failed");
        if let Body::Json(body) = &mut answer.body {
            body["errors"] =
                json!([{ "resource": resource, "code": "custom", "field": field, "message": message }]);
        }
        answer
    }
}
