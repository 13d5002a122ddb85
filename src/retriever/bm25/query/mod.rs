//! What a query asks for. Nothing here depends on an index.

mod path;
mod symbol;

pub(super) use path::PathMention;
pub(super) use symbol::Symbol;

use super::fold::fold;
use super::glossary::english;
use super::portuguese::root;
use super::stem::stem;
use super::stopwords::{is_english, is_portuguese, is_stop_word};
use super::terms::TermMaker;
use super::word::words;

/// A query, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) words: Vec<QueryWord>,
    pub(super) symbols: Vec<Symbol>,
    pub(super) paths: Vec<PathMention>,
    /// The query is written in Portuguese.
    pub(super) portuguese: bool,
    pub(super) intent: Intent,
}

/// What would answer a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    /// Code: `rate limiter`, `how does the parser report errors`.
    Code,
    /// Code or documentation: `what does the audit leave out`, `how to add a language`.
    Either,
    /// Documentation: who asks `how do I …`, or asks in Portuguese, asks for help.
    Help,
}

/// One thing to look for, under one or several terms that count as the same; there is at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueryWord {
    pub(super) terms: Vec<String>,
}

impl Query {
    /// Reads `text`.
    pub(super) fn parse(text: &str) -> Self {
        let tokens: Vec<&str> =
            text.split_whitespace().map(trim_punctuation).filter(|token| !token.is_empty()).collect();
        let mut folded = Vec::new();
        words(text, |word| folded.push(fold(word)));
        let portuguese = is_portuguese_text(&folded);
        Self {
            words: query_words(text, portuguese),
            symbols: symbol::among(&tokens),
            paths: path::among(&tokens),
            portuguese,
            intent: if portuguese { portuguese_intent(&folded) } else { intent(&tokens) },
        }
    }

    /// Whether the query is a path, or a word that could be one, and nothing else.
    pub(super) fn is_path(&self) -> bool {
        self.paths.iter().any(|mention| mention.alone)
    }

    /// How well `path` answers the paths that the query mentions, from 0 to 1.
    pub(super) fn path_match(&self, path: &str) -> f64 {
        self.paths.iter().map(|mention| mention.matches(path)).fold(0.0, f64::max)
    }
}

fn trim_punctuation(token: &str) -> &str {
    const AROUND: [char; 15] = ['`', '"', '\'', ',', ';', '?', '!', '(', ')', '[', ']', '{', '}', '<', '>'];
    token.trim_matches(AROUND).trim_end_matches(['.', ':'])
}

/// Whether Portuguese function words outnumber English ones.
fn is_portuguese_text(folded: &[String]) -> bool {
    let portuguese = folded.iter().filter(|word| is_portuguese(word) && !is_english(word)).count();
    let english = folded.iter().filter(|word| is_english(word) && !is_portuguese(word)).count();
    portuguese > english
}

fn portuguese_intent(folded: &[String]) -> Intent {
    const QUESTIONS: [&str; 8] = ["como", "onde", "posso", "quais", "qual", "quando", "que", "quem"];
    let asks = folded.iter().any(|word| QUESTIONS.contains(&word.as_str()));
    if asks { Intent::Help } else { Intent::Code }
}

/// Who asks for help speaks of himself. Of the other questions `how` mostly asks for the code that does something.
fn intent(tokens: &[&str]) -> Intent {
    const FIRST_PERSON: [&str; 6] = ["i", "me", "my", "our", "we", "you"];
    const QUESTIONS: [&str; 8] = ["can", "should", "what", "when", "where", "which", "who", "why"];
    let is_any = |token: &str, list: &[&str]| list.contains(&token.to_ascii_lowercase().as_str());
    let Some((first, rest)) = tokens.split_first() else { return Intent::Code };
    let asks = is_any(first, &QUESTIONS);
    let asks_how = is_any(first, &["how"]);
    if (asks || asks_how) && rest.iter().any(|token| is_any(token, &FIRST_PERSON)) {
        Intent::Help
    } else if asks || (asks_how && rest.first().is_some_and(|token| is_any(token, &["to"]))) {
        Intent::Either
    } else {
        Intent::Code
    }
}

/// The words to look for, each once, in the order of the query.
fn query_words(text: &str, portuguese: bool) -> Vec<QueryWord> {
    let mut found: Vec<QueryWord> = Vec::new();
    let mut maker = TermMaker::default();
    words(text, |word| {
        let known = found.len();
        maker.terms(word, |term| {
            if !found.iter().any(|word| word.terms[0] == term) {
                found.push(QueryWord { terms: vec![term.to_owned()] });
            }
        });
        // A word of several parts is an identifier, and so neither Portuguese nor English.
        if portuguese && found.len() == known + 1 {
            let terms = &mut found[known].terms;
            for term in english_terms(&fold(word)) {
                if !terms.contains(&term) {
                    terms.push(term);
                }
            }
        }
    });
    found
}

/// The terms by which an English text says the folded Portuguese `word`: its root, if it is long enough to be an English
/// stem (`configuro`, `configure`), and its translations.
fn english_terms(word: &str) -> Vec<String> {
    const LEAST_ROOT: usize = 4;
    if is_stop_word(word) {
        return Vec::new();
    }
    let shared = Some(root(word)).filter(|root| root.len() >= LEAST_ROOT);
    shared.map(stem).into_iter().chain(english(word).map(stem)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_terms(text: &str) -> Vec<String> {
        Query::parse(text).words.into_iter().map(|word| word.terms[0].clone()).collect()
    }

    #[test]
    fn a_word_is_looked_for_once_and_a_stop_word_never() {
        assert_eq!(first_terms("how the router routes a Route"), ["router", "rout"]);
        assert_eq!(first_terms("path_router"), ["pathrouter", "path", "router"]);
    }

    #[test]
    fn a_portuguese_word_is_looked_for_in_english_too() {
        let query = Query::parse("como adiciono uma ferramenta");
        assert!(query.portuguese);
        assert_eq!(query.words[0].terms, ["adiciono", "adicion", "add"]);
        assert_eq!(query.words[1].terms, ["ferramenta", "ferrament", "tool"]);
        assert!(!Query::parse("how to add a tool").portuguese);
    }

    #[test]
    fn help_is_asked_for_in_the_first_person_or_in_portuguese() {
        for (query, intent) in [
            ("how do I rate limit an agent", Intent::Help),
            ("Where can we put keys", Intent::Help),
            ("como configuro o servidor", Intent::Help),
            ("onde ficam os logs", Intent::Help),
            ("how to add a language", Intent::Either),
            ("what does the audit leave out", Intent::Either),
            ("how does the parser report errors", Intent::Code),
            ("configuração do servidor", Intent::Code),
            ("rate limit of my app", Intent::Code),
        ] {
            assert_eq!(Query::parse(query).intent, intent, "{query}");
        }
    }
}
