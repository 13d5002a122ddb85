//! From a word to the terms it is indexed and searched by.

use super::fold::fold_into;
use super::stem::stem_into;
use super::stopwords::is_stop_word;
use super::word::parts;

/// Buffers for [`TermMaker::terms`], so that a word costs no allocation.
#[derive(Debug, Default)]
pub(super) struct TermMaker {
    folded: String,
    ends: Vec<usize>,
    stem: String,
}

impl TermMaker {
    /// Calls `emit` for each term of `word`: the whole identifier if it has several parts, without its separators, then
    /// the stem of each part that is no stop word.
    ///
    /// Without separators `path_router`, `PathRouter` and `path-router` are one identifier. A part with digits at its end
    /// is also found without them: `http2` by `http`.
    pub(super) fn terms(&mut self, word: &str, mut emit: impl FnMut(&str)) {
        self.folded.clear();
        self.ends.clear();
        parts(word, |part| {
            fold_into(part, &mut self.folded);
            self.ends.push(self.folded.len());
        });
        if self.ends.len() > 1 {
            emit(&self.folded);
        }
        let mut start = 0;
        for &end in &self.ends {
            let part = &self.folded[start..end];
            start = end;
            if part.len() < 2 || is_stop_word(part) {
                continue;
            }
            self.stem.clear();
            stem_into(part, &mut self.stem);
            emit(&self.stem);
            let letters = part.trim_end_matches(|found: char| found.is_ascii_digit());
            if letters.len() < part.len() && letters.len() > 2 {
                self.stem.clear();
                stem_into(letters, &mut self.stem);
                emit(&self.stem);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(word: &str) -> Vec<String> {
        let mut found = Vec::new();
        TermMaker::default().terms(word, |term| found.push(term.to_owned()));
        found
    }

    #[test]
    fn an_identifier_is_found_whole_and_by_its_parts() {
        assert_eq!(terms("HTTPServerError"), ["httpservererror", "http", "server", "error"]);
        assert_eq!(terms("path_router"), ["pathrouter", "path", "router"]);
        assert_eq!(terms("auto-summarize"), ["autosummarize", "auto", "summar"]);
        assert_eq!(terms("PathRouter")[0], terms("path_router")[0]);
    }

    #[test]
    fn a_plain_word_is_its_stem() {
        assert_eq!(terms("Routers"), ["router"]);
        assert_eq!(terms("configuração"), terms("configuracao"));
        assert_eq!(terms("configurações"), terms("configuração"));
    }

    #[test]
    fn stop_words_are_dropped_alone_and_as_parts() {
        assert_eq!(terms("the"), Vec::<String>::new());
        assert_eq!(terms("from_fn"), ["fromfn", "fn"]);
    }

    #[test]
    fn a_version_number_does_not_hide_the_word() {
        assert_eq!(terms("http2"), ["http2", "http"]);
        assert_eq!(terms("v2"), ["v2"]);
    }
}
