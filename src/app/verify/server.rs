//! Which repository is asked, where, and with whose token: what a workflow sets, or somebody by hand.

use crate::error::{Blame, Blamed};
use crate::github::{API, BadRepository, BadToken, Repository, Token};

/// Where to ask.
#[derive(Debug)]
pub(super) struct Server {
    /// The address of the API.
    pub api: String,
    /// The repository.
    pub repository: Repository,
    /// Without one GitHub does not say whether a comment was edited.
    pub token: Token,
}

/// Nobody can be asked.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoServer {
    /// Of which repository?
    #[error("--github needs a repository, and the variable GITHUB_REPOSITORY is not set")]
    NoRepository,
    /// That is none.
    #[error("{from}: {problem}")]
    BadRepository {
        /// Where it was given.
        from: &'static str,
        /// What is wrong.
        problem: BadRepository,
    },
    /// With which token?
    #[error("--github needs a token, and neither of the variables GITHUB_TOKEN and GH_TOKEN is set")]
    NoToken,
    /// That is none.
    #[error("the variable {from}: {problem}")]
    BadToken {
        /// Which.
        from: &'static str,
        /// What is wrong. The token itself is not repeated.
        problem: BadToken,
    },
}

impl Blamed for NoServer {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoRepository => "name it with --repository OWNER/NAME".to_owned(),
            Self::BadRepository { .. } => "write it as OWNER/NAME".to_owned(),
            Self::NoToken | Self::BadToken { .. } => {
                "set GITHUB_TOKEN to a token that may read pull requests: in a workflow `${{ github.token }}` with \
                 `pull-requests: read`, elsewhere what `gh auth token` prints"
                    .to_owned()
            }
        })
    }
}

impl Server {
    /// Reads it; a variable that is empty is not set.
    pub(super) fn read(
        repository: Option<&str>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, NoServer> {
        let set = |name: &'static str| Some((name, variable(name).filter(|value| !value.is_empty())?));
        let given = repository.map(|given| ("--repository", given.to_owned()));
        let (from, name) = given.or_else(|| set("GITHUB_REPOSITORY")).ok_or(NoServer::NoRepository)?;
        let repository = name.parse().map_err(|problem| NoServer::BadRepository { from, problem })?;
        let token = set("GITHUB_TOKEN").or_else(|| set("GH_TOKEN"));
        let (from, text) = token.ok_or(NoServer::NoToken)?;
        let token = Token::new(&text).map_err(|problem| NoServer::BadToken { from, problem })?;
        let api = set("GITHUB_API_URL").map_or_else(|| API.to_owned(), |(_, api)| api);
        Ok(Self { api, repository, token })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(repository: Option<&str>, set: &[(&str, &str)]) -> Result<Server, NoServer> {
        Server::read(repository, &|name| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn what_is_given_goes_before_what_is_set_and_empty_is_not_set() {
        let set = [("GITHUB_REPOSITORY", "o/r"), ("GITHUB_TOKEN", ""), ("GH_TOKEN", "ghs_secret")];
        let server = read(None, &set).unwrap();
        assert_eq!((server.repository.to_string().as_str(), server.api.as_str()), ("o/r", API));
        assert!(!format!("{server:?}").contains("ghs_secret"));
        assert_eq!(read(Some("p/s"), &set).unwrap().repository.to_string(), "p/s");
        let private = [&set[..], &[("GITHUB_API_URL", "https://x.invalid/api/v3")]].concat();
        assert_eq!(read(None, &private).unwrap().api, "https://x.invalid/api/v3");
    }

    #[test]
    fn the_first_of_two_tokens_counts() {
        let token = |set: &[(&str, &str)]| {
            let set = [set, &[("GITHUB_REPOSITORY", "o/r")]].concat();
            read(None, &set).unwrap().token
        };
        let one = Token::new("one").unwrap();
        assert!(token(&[("GITHUB_TOKEN", "one"), ("GH_TOKEN", "two")]) == one);
        assert!(token(&[("GH_TOKEN", "one")]) == one);
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        type Row<'a> = (Option<&'a str>, &'a [(&'a str, &'a str)], &'a str);
        let rows: [Row<'_>; 5] = [
            (None, &[("GITHUB_TOKEN", "x")], "GITHUB_REPOSITORY is not set"),
            (None, &[("GITHUB_REPOSITORY", "r")], "GITHUB_REPOSITORY: `r` is no repository"),
            (Some("../x"), &[("GITHUB_REPOSITORY", "o/r")], "--repository: `../x` is no repository"),
            (Some("o/r"), &[("GITHUB_TOKEN", "")], "neither of the variables GITHUB_TOKEN and GH_TOKEN"),
            (Some("o/r"), &[("GH_TOKEN", "ghs secret")], "GH_TOKEN: the token is empty or has"),
        ];
        for (repository, set, words) in rows {
            let problem = read(repository, set).unwrap_err();
            assert!(problem.to_string().contains(words), "{problem}");
            assert!(problem.hint().is_some() && !format!("{problem} {problem:?}").contains("secret"));
        }
    }
}
