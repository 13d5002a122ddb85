//! Names in a query that some file may define.

use super::super::fold::fold;
use super::super::stopwords::is_stop_word;
use super::super::word::parts;

/// A name that some file may define.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Symbol {
    pub(in super::super) name: String,
    /// The query is this symbol and nothing else.
    pub(in super::super) alone: bool,
}

/// Words that say what a symbol is: `Indexer struct` is a query for `Indexer`.
const KINDS: [&str; 17] = [
    "class",
    "constant",
    "enum",
    "fn",
    "func",
    "function",
    "interface",
    "macro",
    "method",
    "module",
    "object",
    "protocol",
    "struct",
    "trait",
    "type",
    "typedef",
    "variable",
];

/// The names among `tokens`: what is written like code or like a proper noun, or stands alone.
pub(super) fn among(tokens: &[&str]) -> Vec<Symbol> {
    let is_kind = |token: &str| KINDS.contains(&token.to_ascii_lowercase().as_str());
    let candidates: Vec<&str> = tokens.iter().copied().filter(|token| !is_kind(token)).collect();
    let alone = candidates.len() == 1;
    let mut found: Vec<Symbol> = Vec::new();
    for token in candidates {
        let name = last_segment(token);
        let known = found.iter().any(|symbol| symbol.name == name);
        if name.len() > 1 && !known && (alone || looks_like_code(token, name)) {
            found.push(Symbol { name: name.to_owned(), alone });
        }
    }
    found
}

/// `Response` of `Rack::Response`, `get_selection` of `Picker:get_selection`, `Graph` of `graph.Graph`.
fn last_segment(token: &str) -> &str {
    let segment = token.rsplit(['.', ':', '#', '/', '>']).next().unwrap_or(token);
    segment.trim_matches(|found: char| !found.is_alphanumeric() && !matches!(found, '_' | '?'))
}

fn looks_like_code(token: &str, name: &str) -> bool {
    let mut count = 0;
    parts(name, |_| count += 1);
    let compound = count > 1 && !name.contains('-');
    let proper_noun = name.starts_with(char::is_uppercase) && !is_stop_word(&fold(name));
    compound || proper_noun || token.contains("::")
}

impl Symbol {
    /// The ways to write the name, as written first: who asks for `addObservation` may mean `AddObservation`.
    pub(in super::super) fn spellings(&self) -> [String; 5] {
        let mut words = Vec::new();
        parts(&self.name, |part| words.push(fold(part)));
        let capitals: Vec<String> = words.iter().map(|word| capitalise(word)).collect();
        let pascal = capitals.concat();
        let camel = words.iter().take(1).chain(capitals.iter().skip(1)).map(String::as_str).collect();
        let snake = words.join("_");
        let screaming = snake.to_uppercase();
        [self.name.clone(), pascal, camel, snake, screaming]
    }
}

fn capitalise(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(query: &str) -> Vec<(String, bool)> {
        let tokens: Vec<&str> = query.split(' ').collect();
        among(&tokens).into_iter().map(|symbol| (symbol.name, symbol.alone)).collect()
    }

    #[test]
    fn a_lone_name_is_a_symbol_however_it_is_written() {
        for (query, name) in [
            ("router", "router"),
            ("Indexer struct", "Indexer"),
            ("Rack::Response", "Response"),
            ("graph.Graph type", "Graph"),
            ("Picker:get_selection", "get_selection"),
        ] {
            assert_eq!(symbols(query), [(name.to_owned(), true)]);
        }
    }

    #[test]
    fn among_words_only_code_and_proper_nouns_are_symbols() {
        assert_eq!(
            symbols("How the Session calls path_router"),
            [("Session".to_owned(), false), ("path_router".to_owned(), false)]
        );
        assert_eq!(symbols("the auto-merge queue"), []);
    }

    #[test]
    fn a_name_is_tried_in_every_case() {
        let symbol = Symbol { name: "addObservation".into(), alone: true };
        assert_eq!(
            symbol.spellings(),
            ["addObservation", "AddObservation", "addObservation", "add_observation", "ADD_OBSERVATION"]
        );
    }
}
