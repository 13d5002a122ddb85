//! Searching the catalogue by title and author, without accents and case.

use super::{Book, Catalog};

impl Catalog {
    /// Books whose title or author holds every word of the query, best first.
    pub fn search(&self, query: &str) -> Vec<&Book> {
        let words: Vec<String> = query.split_whitespace().map(fold_accents).collect();
        let mut found: Vec<&Book> = self
            .books
            .iter()
            .filter(|book| words.iter().all(|word| fold_accents(&book.title).contains(word)))
            .collect();
        found.sort_by(|a, b| a.title.cmp(&b.title).then(a.number.cmp(&b.number)));
        found
    }
}

/// `Ação` and `acao` are the same word to a reader in a hurry.
fn fold_accents(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|c| match c {
        'á' | 'à' | 'â' | 'ã' => 'a',
        'é' | 'ê' => 'e',
        'í' => 'i',
        'ó' | 'ô' | 'õ' => 'o',
        'ú' => 'u',
        'ç' => 'c',
        other => other,
    }).collect()
}
