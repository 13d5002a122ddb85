//! Argument vectors with placeholders: `["node", "search.js", "--limit", "{fetch}", "{query}"]`.
//!
//! A placeholder is replaced inside one argument, once, and never by a shell; what a query holds stays one argument.
//! Other text in braces is left alone, unless it looks like a placeholder with a typo in it.

use std::fmt;

use crate::config::did_you_mean;

/// What an argument may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// The query's text.
    Query,
    /// How many hits are asked for.
    Fetch,
    /// The folder to search: the copy of the corpus.
    Corpus,
    /// The repository's root, for programs that are built there.
    Repo,
    /// A folder to write into.
    Scratch,
}

impl Placeholder {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Query, Self::Fetch, Self::Corpus, Self::Repo, Self::Scratch];

    fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Fetch => "fetch",
            Self::Corpus => "corpus",
            Self::Repo => "repo",
            Self::Scratch => "scratch",
        }
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}}}", self.name())
    }
}

/// An argument vector that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TemplateProblem(String);

/// A checked argument vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    program: Vec<Piece>,
    arguments: Vec<Vec<Piece>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Place(Placeholder),
}

impl Template {
    /// Reads an argument vector in which only the `allowed` placeholders have a meaning. The program itself may hold
    /// `{repo}` alone: which program runs must not depend on a query.
    pub fn new(argv: &[String], allowed: &[Placeholder]) -> Result<Self, TemplateProblem> {
        let Some((program, arguments)) = argv.split_first() else {
            return Err(TemplateProblem("it is empty; name the program first".to_owned()));
        };
        Ok(Self {
            program: pieces(program, &[Placeholder::Repo], "the program")?,
            arguments: arguments
                .iter()
                .map(|argument| pieces(argument, allowed, "an argument"))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Some argument holds it.
    pub fn holds(&self, placeholder: Placeholder) -> bool {
        self.arguments.iter().flatten().any(|piece| *piece == Piece::Place(placeholder))
    }

    /// The arguments that hold no placeholder.
    pub fn plain_arguments(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().filter_map(|pieces| match pieces.as_slice() {
            [Piece::Text(text)] => Some(text.as_str()),
            _ => None,
        })
    }

    /// The program, with its placeholder replaced.
    pub fn program(&self, value: impl Fn(Placeholder) -> String) -> String {
        fill(&self.program, &value)
    }

    /// The arguments, with their placeholders replaced.
    pub fn arguments(&self, value: impl Fn(Placeholder) -> String) -> Vec<String> {
        self.arguments.iter().map(|pieces| fill(pieces, &value)).collect()
    }
}

fn pieces(text: &str, allowed: &[Placeholder], what: &str) -> Result<Vec<Piece>, TemplateProblem> {
    if text.contains('\0') {
        return Err(TemplateProblem(format!("{what} holds a NUL character")));
    }
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        plain.push_str(before);
        let word = from[1..].split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let closed = from[1 + word.len()..].starts_with('}');
        let known = Placeholder::ALL.into_iter().find(|placeholder| placeholder.name() == word);
        match known {
            Some(placeholder) if closed && allowed.contains(&placeholder) => {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                pieces.push(Piece::Place(placeholder));
                rest = &from[word.len() + 2..];
                continue;
            }
            Some(placeholder) if closed => {
                return Err(TemplateProblem(format!("{what} cannot hold `{placeholder}`")));
            }
            _ if closed => {
                let names = allowed.iter().map(|placeholder| placeholder.name());
                let hint = did_you_mean(word, names);
                if !hint.is_empty() {
                    return Err(TemplateProblem(format!("`{{{word}}}` is no placeholder{hint}")));
                }
            }
            _ => {}
        }
        plain.push('{');
        rest = &from[1..];
    }
    plain.push_str(rest);
    pieces.push(Piece::Text(plain));
    Ok(pieces)
}

fn fill(pieces: &[Piece], value: &impl Fn(Placeholder) -> String) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Place(placeholder) => value(*placeholder),
    };
    pieces.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(argv: &[&str]) -> Result<Template, String> {
        let argv: Vec<_> = argv.iter().map(|argument| (*argument).to_owned()).collect();
        Template::new(&argv, &Placeholder::ALL).map_err(|problem| problem.to_string())
    }

    fn filled(argument: &str) -> String {
        let value = |placeholder| match placeholder {
            Placeholder::Query => "a {corpus} $(b)".to_owned(),
            Placeholder::Fetch => "50".to_owned(),
            Placeholder::Corpus => "/corpus".to_owned(),
            Placeholder::Repo => "/repo".to_owned(),
            Placeholder::Scratch => "/scratch".to_owned(),
        };
        template(&["x", argument]).unwrap().arguments(value).remove(0)
    }

    #[test]
    fn placeholders_are_replaced_inside_an_argument_once() {
        assert_eq!(filled("{query}"), "a {corpus} $(b)");
        assert_eq!(filled("--k={fetch},{fetch} in {corpus}/{scratch}"), "--k=50,50 in /corpus//scratch");
    }

    #[test]
    fn other_braces_are_left_alone() {
        for text in ["{print $1}", "{\"q\": 1}", "{}", "{{x}}", "{", "{query", "{Kubernetes}"] {
            assert_eq!(filled(text), text);
        }
        assert_eq!(filled("{{query}}"), "{a {corpus} $(b)}");
    }

    #[test]
    fn a_typo_and_a_placeholder_in_the_wrong_place_are_told() {
        assert_eq!(
            template(&["x", "{qurey}"]).unwrap_err(),
            "`{qurey}` is no placeholder; did you mean `query`?"
        );
        assert_eq!(
            template(&["x", "{Query}"]).unwrap_err(),
            "`{Query}` is no placeholder; did you mean `query`?"
        );
        assert_eq!(template(&["{query}"]).unwrap_err(), "the program cannot hold `{query}`");
        assert_eq!(template(&[]).unwrap_err(), "it is empty; name the program first");
    }

    #[test]
    fn the_program_may_lie_in_the_repository() {
        let template = template(&["{repo}/bin/search", "{query}"]).unwrap();
        assert_eq!(template.program(|_| "/repo".to_owned()), "/repo/bin/search");
        assert!(template.holds(Placeholder::Query) && !template.holds(Placeholder::Fetch));
    }
}
