//! Argument vectors with placeholders: `["node", "search.js", "--limit", "{fetch}", "{query}"]`.
//!
//! A placeholder is replaced inside one argument, once, and never by a shell; what a query holds stays one argument.
//! An argument that holds `{word}` is repeated for each word of the query. Names of `values` stand for their text, in
//! which folders may stand in turn. Other text in braces is left alone, unless it looks like a placeholder with a typo
//! in it.

use std::collections::BTreeMap;
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
    /// One word of the query after the other, in lower case.
    Word,
    /// Seconds, for a tool with a limit of its own: more than we wait.
    Timeout,
}

/// Names that a configuration gives to texts: `{name}` in a template is the text.
pub type Values = BTreeMap<String, String>;

impl Placeholder {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Query, Self::Fetch, Self::Corpus, Self::Repo, Self::Scratch, Self::Word, Self::Timeout];

    /// Those that mean the same before and during a query.
    pub const FOLDERS: [Self; 3] = [Self::Corpus, Self::Repo, Self::Scratch];

    fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Fetch => "fetch",
            Self::Corpus => "corpus",
            Self::Repo => "repo",
            Self::Scratch => "scratch",
            Self::Word => "word",
            Self::Timeout => "timeout",
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
    /// Reads an argument vector in which only the `allowed` placeholders and the `values` have a meaning. The program
    /// itself may hold `{repo}` and values alone: which program runs must not depend on a query.
    pub fn new(argv: &[String], allowed: &[Placeholder], values: &Values) -> Result<Self, TemplateProblem> {
        let Some((program, arguments)) = argv.split_first() else {
            return Err(TemplateProblem("it is empty; name the program first".to_owned()));
        };
        Ok(Self {
            program: pieces(program, &[Placeholder::Repo], values, "the program")?,
            arguments: arguments
                .iter()
                .map(|argument| pieces(argument, allowed, values, "an argument"))
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

    /// The arguments, with their placeholders replaced; those that hold `{word}` once for each of the `words`.
    pub fn arguments(&self, words: &[String], value: impl Fn(Placeholder) -> String) -> Vec<String> {
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for pieces in &self.arguments {
            if pieces.contains(&Piece::Place(Placeholder::Word)) {
                arguments.extend(words.iter().map(|word| {
                    fill(pieces, &|placeholder| match placeholder {
                        Placeholder::Word => word.clone(),
                        other => value(other),
                    })
                }));
            } else {
                arguments.push(fill(pieces, &value));
            }
        }
        arguments
    }
}

/// One text with placeholders, such as the content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextTemplate(Vec<Piece>);

impl TextTemplate {
    /// Reads a text in which only the `allowed` placeholders and the `values` have a meaning.
    pub fn new(text: &str, allowed: &[Placeholder], values: &Values) -> Result<Self, TemplateProblem> {
        pieces(text, allowed, values, "it").map(Self)
    }

    /// It begins with that placeholder.
    pub fn begins_with(&self, placeholder: Placeholder) -> bool {
        let mut pieces = self.0.iter().filter(|piece| **piece != Piece::Text(String::new()));
        pieces.next() == Some(&Piece::Place(placeholder))
    }

    /// The text, with its placeholders replaced.
    pub fn text(&self, value: impl Fn(Placeholder) -> String) -> String {
        fill(&self.0, &value)
    }
}

/// Checks names of values: each can be written as a placeholder and hides none of ours.
pub fn check_names(values: &Values) -> Result<(), TemplateProblem> {
    let is_word =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    for name in values.keys() {
        if Placeholder::ALL.iter().any(|placeholder| placeholder.name() == name) {
            return Err(TemplateProblem(format!("`{name}` is a placeholder already; give it another name")));
        }
        if !is_word(name) {
            return Err(TemplateProblem(format!("`{name}` is no name; use lower-case letters and `-`")));
        }
    }
    Ok(())
}

/// Checks values that take the place of others. One that is misspelt would leave a system as it is, and its floor would
/// seem to be as high.
pub fn check_floor(floor: Option<&Values>, values: &Values) -> Result<(), TemplateProblem> {
    let mut names = floor.into_iter().flat_map(Values::keys);
    let Some(name) = names.find(|name| !values.contains_key(*name)) else { return Ok(()) };
    let near = did_you_mean(name, values.keys().map(String::as_str));
    Err(TemplateProblem(format!("`{name}` is not in `values`{near}")))
}

/// `; did you mean …?` for a word in braces that is nearly a placeholder, or what other programs call one; else nothing.
pub(super) fn meant<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    const OF_OTHERS: [&str; 6] = ["limit", "top-k", "topk", "max-results", "num-results", "n-results"];
    let known: Vec<&str> = known.into_iter().collect();
    let near = did_you_mean(word, known.iter().copied());
    let fetch = Placeholder::Fetch.name();
    let is_fetch = OF_OTHERS.contains(&word.to_ascii_lowercase().replace('_', "-").as_str());
    if near.is_empty() && is_fetch && known.contains(&fetch) {
        return format!("; did you mean `{fetch}`, how many hits are asked for?");
    }
    near
}

fn pieces(
    text: &str,
    allowed: &[Placeholder],
    values: &Values,
    what: &str,
) -> Result<Vec<Piece>, TemplateProblem> {
    if text.contains('\0') {
        return Err(TemplateProblem(format!("{what} holds a NUL character")));
    }
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        plain.push_str(before);
        let word = from[1..]
            .split(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c))
            .next()
            .unwrap_or_default();
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
            None if closed && values.contains_key(word) => {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                // A value is data: of placeholders only folders, and no other value, so that none can hold itself.
                let folders = allowed.iter().copied().filter(|known| Placeholder::FOLDERS.contains(known));
                let folders: Vec<_> = folders.collect();
                let of_value = format!("the value `{word}`");
                pieces.extend(self::pieces(&values[word], &folders, &Values::new(), &of_value)?);
                rest = &from[word.len() + 2..];
                continue;
            }
            _ if closed => {
                let names = allowed.iter().map(|placeholder| placeholder.name());
                let names = names.chain(values.keys().map(String::as_str));
                let hint = meant(word, names);
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
        let values = [("model", "{repo}/m"), ("end-point", "http://x"), ("itself", "{itself} {query}")];
        let values = values.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        Template::new(&argv, &Placeholder::ALL, &values).map_err(|problem| problem.to_string())
    }

    fn filled(argument: &str) -> String {
        let value = |placeholder| match placeholder {
            Placeholder::Query => "a {corpus} $(b)".to_owned(),
            Placeholder::Fetch => "50".to_owned(),
            Placeholder::Corpus => "/corpus".to_owned(),
            Placeholder::Repo => "/repo".to_owned(),
            Placeholder::Scratch => "/scratch".to_owned(),
            Placeholder::Timeout => "70".to_owned(),
            Placeholder::Word => unreachable!("it is one of the words"),
        };
        template(&["x", argument]).unwrap().arguments(&[], value).remove(0)
    }

    #[test]
    fn placeholders_are_replaced_inside_an_argument_once() {
        assert_eq!(filled("{query}"), "a {corpus} $(b)");
        assert_eq!(filled("--k={fetch},{fetch} in {corpus}/{scratch}"), "--k=50,50 in /corpus//scratch");
    }

    #[test]
    fn other_braces_are_left_alone() {
        for text in [
            "{print $1}",
            "{\"q\": 1}",
            "{}",
            "{{x}}",
            "{",
            "{query",
            "{Kubernetes}",
            "{1,3}",
            "{print}",
            "{a_b}",
            "{path}",
        ] {
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
        for word in ["{top_k}", "{limit}", "--n={TopK}", "{max-results}"] {
            let told = template(&["x", word]).unwrap_err();
            assert!(
                told.ends_with("is no placeholder; did you mean `fetch`, how many hits are asked for?"),
                "{told}"
            );
        }
        assert_eq!(template(&["{query}"]).unwrap_err(), "the program cannot hold `{query}`");
        assert_eq!(template(&[]).unwrap_err(), "it is empty; name the program first");
    }

    #[test]
    fn a_value_stands_for_its_text_and_never_for_a_query() {
        assert_eq!(filled("--m={model} {end-point}/v1"), "--m=/repo/m http://x/v1");
        assert_eq!(
            template(&["x", "{modle}"]).unwrap_err(),
            "`{modle}` is no placeholder; did you mean `model`?"
        );
        assert_eq!(template(&["x", "{itself}"]).unwrap_err(), "the value `itself` cannot hold `{query}`");
        let named = |name: &str| check_names(&Values::from([(name.to_owned(), String::new())]));
        assert!(named("end-point").is_ok());
        for bad in ["", "Model", "a b", "query"] {
            assert!(named(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_argument_is_repeated_for_each_word() {
        let template = template(&["x", "-e", "--regexp={word}", "{fetch}"]).unwrap();
        let words = ["a", "b c"].map(str::to_owned);
        assert_eq!(
            template.arguments(&words, |_| "50".to_owned()),
            ["-e", "--regexp=a", "--regexp=b c", "50"]
        );
        assert_eq!(template.arguments(&[], |_| "50".to_owned()), ["-e", "50"]);
    }

    #[test]
    fn the_program_may_lie_in_the_repository() {
        let template = template(&["{repo}/bin/search", "{query}"]).unwrap();
        assert_eq!(template.program(|_| "/repo".to_owned()), "/repo/bin/search");
        assert!(template.holds(Placeholder::Query) && !template.holds(Placeholder::Fetch));
    }
}
