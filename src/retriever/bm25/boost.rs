//! Evidence beside the text: names, definitions, paths; and what a file is there for.
//!
//! Every addition is a share of the best text score, so that it weighs the same in a small corpus and a large one.

use super::index::{Document, Index, count};
use super::place::{Form, Purpose};
use super::query::{Intent, Query};

/// What speaks for and against each document besides its text.
pub(super) struct Evidence<'a> {
    index: &'a Index,
    query: &'a Query,
    /// The best text score, the measure of every addition.
    best: f64,
    /// Whether the query says a name word, by its number.
    said: Vec<bool>,
    /// What defining a symbol of the query is worth, by document, as a share of the best score.
    defines: Vec<f64>,
    /// How well the path answers the paths of the query, by document, from 0 to 1.
    paths: Vec<f64>,
}

/// One reason for a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reason {
    /// What it is: `file name`, `definition`, `purpose` …
    pub name: &'static str,
    /// An addition to the score, or a factor of it.
    pub size: f64,
}

impl<'a> Evidence<'a> {
    /// Prepares the evidence for `query`, given the text score of each document.
    pub(super) fn gather(index: &'a Index, query: &'a Query, text: &[f64]) -> Self {
        let best = text.iter().copied().fold(0.0, f64::max);
        let best = if best > 0.0 { best } else { 1.0 };
        let paths = index.documents.iter().map(|document| query.path_match(&document.path)).collect();
        Self { index, query, best, said: said_names(index, query), defines: definitions(index, query), paths }
    }

    /// The final score of a document.
    pub(super) fn score(&self, number: usize, text: f64) -> f64 {
        let sum = self.additions(number, text).iter().fold(text, |sum, addition| sum + addition.size);
        self.factors(number).iter().fold(sum, |product, factor| product * factor.size)
    }

    /// Whether anything but its name speaks for a document.
    pub(super) fn is_candidate(&self, number: usize, text: f64) -> bool {
        text > 0.0 || self.defines[number] > 0.0 || self.paths[number] > 0.0
    }

    /// What is added to the text score, in the order of addition.
    ///
    /// Half of what a name adds is in proportion to the document's own text score: a name that only happens to contain a
    /// word of the query should not lift a file that is about something else.
    pub(super) fn additions(&self, number: usize, text: f64) -> [Reason; 4] {
        let document = &self.index.documents[number];
        let settings = &self.index.settings;
        let trust = f64::midpoint(self.best, text);
        let reason = |name, size| Reason { name, size };
        [
            reason("file name", trust * settings.named_file * self.overlap(&document.name_words)),
            reason("folder name", trust * settings.named_folder * self.overlap(&document.folder_words)),
            reason("definition", self.best * self.defines[number]),
            reason("path", self.best * settings.exact_path * self.paths[number]),
        ]
    }

    /// What the sum is multiplied by. A query that is the path of a file asks for that file, whatever it is there for.
    pub(super) fn factors(&self, number: usize) -> [Reason; 3] {
        let document = &self.index.documents[number];
        let asked_for = self.query.is_path() && self.paths[number] > 0.0;
        let reason = |name, factor| Reason { name, size: if asked_for { 1.0 } else { factor } };
        [
            reason("purpose", self.purpose_factor(document)),
            reason("form", self.form_factor(document)),
            reason("translation", self.translation_factor(document)),
        ]
    }

    /// The share of the name `words` that the query says.
    fn overlap(&self, words: &[u32]) -> f64 {
        let said = words.iter().filter(|word| self.said[**word as usize]).count();
        if said == 0 { 0.0 } else { f64::from(count(said)) / f64::from(count(words.len())) }
    }

    fn purpose_factor(&self, document: &Document) -> f64 {
        let settings = &self.index.settings;
        match document.purpose {
            Purpose::Main => 1.0,
            Purpose::Test => settings.test,
            Purpose::Example => settings.example,
            Purpose::Derived => settings.derived,
        }
    }

    fn form_factor(&self, document: &Document) -> f64 {
        let settings = &self.index.settings;
        match (document.form, self.query.intent) {
            (Form::Code, Intent::Help) => settings.code_as_help,
            (Form::Prose, Intent::Code) => settings.prose,
            (Form::Code | Form::Prose, _) => 1.0,
            (Form::Data, _) => settings.data,
            (Form::History, _) => settings.history,
        }
    }

    fn translation_factor(&self, document: &Document) -> f64 {
        match document.translation {
            Some("pt") if self.query.portuguese => 1.0,
            Some(_) => self.index.settings.translation,
            None => 1.0,
        }
    }
}

/// Which name words the query says, in full or as the beginning of a word or the other way round.
fn said_names(index: &Index, query: &Query) -> Vec<bool> {
    let terms: Vec<&str> = query.words.iter().flat_map(|word| &word.terms).map(String::as_str).collect();
    let is_said = |name: &str| terms.iter().any(|term| names_match(name, term));
    index.name_words.iter().map(|word| is_said(index.terms.text(*word))).collect()
}

fn names_match(name: &str, term: &str) -> bool {
    /// Shorter beginnings are shared by unrelated words.
    const LEAST_PREFIX: usize = 3;
    name == term
        || (name.len().min(term.len()) >= LEAST_PREFIX && (name.starts_with(term) || term.starts_with(name)))
}

/// What defining the symbols of the query is worth, by document.
fn definitions(index: &Index, query: &Query) -> Vec<f64> {
    let mut found = vec![0.0; index.documents.len()];
    for symbol in &query.symbols {
        let share =
            if symbol.alone { index.settings.defined_symbol } else { index.settings.mentioned_symbol };
        let as_written = index.names.get(&symbol.name);
        let otherwise = || symbol.spellings().iter().find_map(|name| index.names.get(name));
        let Some(name) = as_written.or_else(|| if symbol.alone { otherwise() } else { None }) else {
            continue;
        };
        for &document in index.definers.units_of(name) {
            let slot: &mut f64 = &mut found[document as usize];
            *slot = slot.max(share);
        }
    }
    found
}
