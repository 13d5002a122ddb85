//! A request that found its route and was let in.

use std::collections::BTreeMap;

use rankhold::github::Sha;
use serde_json::Value;

use super::answer::{Answer, Handled};
use super::token::{App, Grant};
use super::world::{Repository, World};

/// What a handler is given, beside the world.
pub(crate) struct Visit {
    /// `owner/name`, where the route has one.
    pub(crate) repository: String,
    pub(crate) parameters: BTreeMap<String, String>,
    pub(crate) query: BTreeMap<String, String>,
    /// Null if there was none.
    pub(crate) body: Value,
    /// A file's bytes are wanted.
    pub(crate) raw: bool,
    pub(crate) grant: Option<Grant>,
    /// The API's own address, and the path below it, for links.
    pub(crate) address: String,
    pub(crate) path: String,
    /// Where archives lie.
    pub(crate) storage: String,
}

impl Visit {
    /// A parameter of the path.
    pub(crate) fn parameter(&self, name: &str) -> &str {
        &self.parameters[name]
    }

    /// A parameter that is a number, which the description has seen to.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.parameters[name].parse().unwrap_or(0)
    }

    /// A text of the body.
    pub(crate) fn text(&self, field: &str) -> Option<String> {
        self.body[field].as_str().map(str::to_owned)
    }

    pub(crate) fn repo<'a>(&self, world: &'a World) -> &'a Repository {
        world.repo(&self.repository)
    }

    pub(crate) fn repo_mut<'a>(&self, world: &'a mut World) -> &'a mut Repository {
        world.repo_mut(&self.repository)
    }

    /// Who writes; only those with a token may.
    pub(crate) fn login(&self) -> String {
        self.grant.as_ref().expect("a write has a token").login()
    }

    /// The app that writes; nobody else makes check runs.
    pub(crate) fn app(&self) -> Option<&App> {
        match &self.grant {
            Some(Grant::App { app, .. }) => Some(app),
            _ => None,
        }
    }

    /// The commit that a branch, a full or a shortened name means.
    pub(crate) fn commit(&self, world: &World, name: &str) -> Option<Sha> {
        let branch = name.strip_prefix("refs/heads/").or(name.strip_prefix("heads/")).unwrap_or(name);
        if let Some(tip) = self.repo(world).branches.get(branch) {
            return Some(tip.clone());
        }
        Sha::new(name).filter(|sha| world.graph.get(sha).is_some())
    }

    /// A page of a list, `per_page` entries (30 unless told, a hundred at most), with links to the others.
    pub(crate) fn page(&self, all: Vec<Value>) -> (Vec<Value>, Option<String>) {
        let number = |name: &str, default: usize| {
            self.query.get(name).and_then(|text| text.parse().ok()).unwrap_or(default).max(1)
        };
        let (size, page) = (number("per_page", 30).min(100), number("page", 1));
        let last = all.len().div_ceil(size).max(1);
        let link = |page: usize, name: &str| {
            let mut query = self.query.clone();
            query.insert("page".to_owned(), page.to_string());
            let query: Vec<_> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("<{}{}?{}>; rel=\"{name}\"", self.address, self.path, query.join("&"))
        };
        let mut links = Vec::new();
        if page > 1 {
            links.extend([link(page - 1, "prev"), link(1, "first")]);
        }
        if page < last {
            links.extend([link(page + 1, "next"), link(last, "last")]);
        }
        let items = all.into_iter().skip((page - 1) * size).take(size).collect();
        (items, Some(links.join(", ")).filter(|links| !links.is_empty()))
    }

    /// A list as an answer of its own.
    #[expect(clippy::unnecessary_wraps, reason = "it is the last thing that a handler says")]
    pub(crate) fn list(&self, all: Vec<Value>) -> Handled {
        let (items, link) = self.page(all);
        Ok(linked(Answer::json(200, Value::Array(items)), link))
    }

    /// A list in an object that counts it.
    #[expect(clippy::unnecessary_wraps, reason = "it is the last thing that a handler says")]
    pub(crate) fn counted(&self, name: &str, all: Vec<Value>) -> Handled {
        let total = all.len();
        let (items, link) = self.page(all);
        let mut body = serde_json::json!({ "total_count": total });
        body[name] = Value::Array(items);
        Ok(linked(Answer::json(200, body), link))
    }
}

/// With the header that names other pages.
pub(crate) fn linked(answer: Answer, link: Option<String>) -> Answer {
    match link {
        Some(link) => answer.with("link", link),
        None => answer,
    }
}
