//! Many harvests, one index.

use super::build::Reading;
use super::harvest::TextLengths;
use super::index::{Document, Index, Means};
use super::naming::PathReader;
use super::postings::Postings;
use super::settings::Settings;
use crate::retriever::lexicon::Lexicon;

/// Makes one index of what the workers read.
///
/// Documents are walked in their order, so that every number given out here depends on the documents alone and not on who
/// read them.
pub(super) fn merge(reading: &Reading<'_>, settings: Settings) -> Index {
    let mut terms = Numbering::new(reading.harvests.iter().map(|harvest| &harvest.terms));
    let mut names = Numbering::new(reading.harvests.iter().map(|harvest| &harvest.names));
    let mut documents = Vec::with_capacity(reading.inputs.len());
    let mut chunks = Vec::new();
    let mut path_entries = Vec::new();
    let mut paths = PathReader::default();
    for ((input, (worker, portion)), number) in reading.inputs.iter().zip(&reading.places).zip(0_u32..) {
        let harvest = &reading.harvests[*worker];
        let first_chunk = chunks.len();
        for chunk in portion.chunks.clone() {
            chunks.push(harvest.lengths[chunk]);
            harvest.counts(chunk).for_each(|(term, _)| terms.number(*worker, term));
        }
        harvest.defined[portion.defined.clone()].iter().for_each(|name| names.number(*worker, *name));
        documents.push(paths.document(input, first_chunk..chunks.len(), &mut terms.common));
        path_entries.extend(paths.counts().into_iter().map(|(term, count)| (term, number, count)));
    }

    let read_chunks = reading
        .places
        .iter()
        .flat_map(|(worker, portion)| portion.chunks.clone().map(move |chunk| (*worker, chunk)));
    let text = read_chunks.zip(0_u32..).flat_map(|((worker, chunk), unit)| {
        let counts = reading.harvests[worker].counts(chunk);
        let known = &terms.known[worker];
        counts.map(move |(term, count)| (known[term as usize], unit, count))
    });
    let definers = reading.places.iter().zip(0_u32..).flat_map(|((worker, portion), unit)| {
        let defined = &reading.harvests[*worker].defined[portion.defined.clone()];
        let known = &names.known[*worker];
        defined.iter().map(move |name| (known[*name as usize], unit, ()))
    });
    Index {
        text: Postings::invert(terms.common.len(), text),
        path: Postings::invert(terms.common.len(), path_entries.iter().copied()),
        definers: Postings::invert(names.common.len(), definers),
        means: means(&documents, &chunks),
        name_words: paths.into_name_words(),
        terms: terms.common.shrunk(),
        names: names.common.shrunk(),
        documents,
        chunks,
        settings,
    }
}

/// The numbers of several lexicons in a common one, given out in the order in which they are asked for.
struct Numbering<'a> {
    own: Vec<&'a Lexicon>,
    known: Vec<Vec<u32>>,
    common: Lexicon,
}

impl<'a> Numbering<'a> {
    const UNKNOWN: u32 = u32::MAX;

    fn new(own: impl Iterator<Item = &'a Lexicon>) -> Self {
        let own: Vec<_> = own.collect();
        let known = own.iter().map(|lexicon| vec![Self::UNKNOWN; lexicon.len()]).collect();
        Self { own, known, common: Lexicon::default() }
    }

    fn number(&mut self, worker: usize, id: u32) {
        let slot = &mut self.known[worker][id as usize];
        if *slot == Self::UNKNOWN {
            *slot = self.common.intern(self.own[worker].text(id));
        }
    }
}

fn means(documents: &[Document], chunks: &[TextLengths]) -> Means {
    Means {
        body: mean(chunks.iter().map(|chunk| chunk.body)),
        symbols: mean(chunks.iter().map(|chunk| chunk.symbols)),
        headings: mean(chunks.iter().map(|chunk| chunk.headings)),
        folders: mean(documents.iter().map(|document| document.folder_length)),
        name: mean(documents.iter().map(|document| document.name_length)),
    }
}

/// At least one, so that it can divide. The sums are whole numbers below 2^53, hence exact.
fn mean(lengths: impl Iterator<Item = u32>) -> f64 {
    let (count, total) =
        lengths.fold((0.0, 0.0), |(count, total), length| (count + 1.0, total + f64::from(length)));
    if count > 0.0 { f64::max(total / count, 1.0) } else { 1.0 }
}
