//! What a token may do.

use std::collections::BTreeMap;

use super::world::World;

/// Reading or writing; who may write may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    Read,
    Write,
}

/// An app, as a check run names its maker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct App {
    pub(crate) id: u64,
    pub(crate) slug: String,
}

impl App {
    /// The app behind `GITHUB_TOKEN`.
    pub(crate) fn actions() -> Self {
        Self { id: 15_368, slug: "github-actions".to_owned() }
    }

    /// The name under which it writes.
    pub(crate) fn login(&self) -> String {
        format!("{}[bot]", self.slug)
    }
}

/// A token: of an app installed in one repository, or of a person.
#[derive(Clone, Debug)]
pub(crate) enum Grant {
    App { app: App, repository: String, permissions: BTreeMap<String, Access> },
    Person { login: String },
}

impl Grant {
    /// An app's token with permissions as a workflow writes them: `checks: write`. What is not named is none.
    pub(crate) fn app(app: App, repository: &str, permissions: &[&str]) -> Self {
        let permissions = permissions.iter().map(|line| {
            let (name, access) = line.split_once(": ").expect("`name: access`");
            let access = match access {
                "read" => Access::Read,
                "write" => Access::Write,
                _ => panic!("{line}: read or write"),
            };
            (name.to_owned(), access)
        });
        Self::App { app, repository: repository.to_owned(), permissions: permissions.collect() }
    }

    /// It may read the pull requests of a repository.
    pub(crate) fn may_see(&self, world: &World, name: &str) -> bool {
        let Some(repository) = world.repositories.get(name) else { return false };
        match self {
            _ if !repository.private => true,
            Self::App { repository, permissions, .. } => {
                repository == name && permissions.contains_key("pull-requests")
            }
            Self::Person { login } => repository.roles.contains_key(login),
        }
    }

    /// Under which name it writes.
    pub(crate) fn login(&self) -> String {
        match self {
            Self::App { app, .. } => app.login(),
            Self::Person { login } => login.clone(),
        }
    }
}
