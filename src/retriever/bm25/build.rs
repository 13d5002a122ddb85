//! Building an index: many readers, one result.

use std::borrow::Cow;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::entity::{Entity, Input, inputs};
use super::harvest::{Harvest, Portion, Reader};
use super::index::Index;
use super::merge::merge;
use super::settings::Settings;
use super::source::{BuildError, Source};
use crate::parallel::on_threads;

impl Index {
    /// Indexes the files of `source` and the `entities`, on up to `threads` threads.
    ///
    /// The index is the same whatever the order of the files and the number of threads. If a file cannot be read, the error names the first such file by path.
    pub fn build(
        source: &impl Source,
        entities: &[Entity],
        threads: usize,
        settings: Settings,
    ) -> Result<Self, BuildError> {
        let inputs = inputs((0..source.len()).map(|number| source.path(number)), entities);
        let reading = read_all(source, inputs, threads.max(1), settings.chunk_lines.max(1))?;
        Ok(merge(&reading, settings))
    }
}

/// The documents, and what each worker read of them.
pub(super) struct Reading<'a> {
    pub(super) inputs: Vec<Input<'a>>,
    pub(super) harvests: Vec<Harvest>,
    /// For each document the worker that read it, and where it is in that worker's harvest.
    pub(super) places: Vec<(usize, Portion)>,
}

/// The first document, by number, that could not be read, and why.
type Failure = Option<(usize, io::Error)>;

fn read_all<'a>(
    source: &impl Source,
    inputs: Vec<Input<'a>>,
    threads: usize,
    chunk_lines: usize,
) -> Result<Reading<'a>, BuildError> {
    let next = AtomicUsize::new(0);
    let failed: Mutex<Failure> = Mutex::new(None);
    let work = || {
        let mut reader = Reader::default();
        let mut read = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(input) = inputs.get(number) else { break };
            match read_one(source, input, &mut reader, chunk_lines) {
                Ok(portion) => read.push((number, portion)),
                Err(error) => {
                    note_failure(&mut failed.lock().expect("no reader panics"), number, error);
                    break;
                }
            }
        }
        (reader.finish(), read)
    };
    let done = on_threads(threads.min(inputs.len()), work);
    if let Some((number, source)) = failed.into_inner().expect("no reader panics") {
        return Err(BuildError { path: inputs[number].path.to_owned(), source });
    }
    let mut places = vec![(0, Portion::default()); inputs.len()];
    let mut harvests = Vec::with_capacity(done.len());
    for (worker, (harvest, read)) in done.into_iter().enumerate() {
        harvests.push(harvest);
        for (number, portion) in read {
            places[number] = (worker, portion);
        }
    }
    Ok(Reading { inputs, harvests, places })
}

/// Documents are handed out in order, so whoever fails first by number has been handed out before all later ones.
fn note_failure(failure: &mut Failure, number: usize, error: io::Error) {
    if failure.as_ref().is_none_or(|(first, _)| number < *first) {
        *failure = Some((number, error));
    }
}

fn read_one(
    source: &impl Source,
    input: &Input<'_>,
    reader: &mut Reader,
    chunk_lines: usize,
) -> io::Result<Portion> {
    let title = input.entity.and_then(|entity| entity.title.as_deref());
    let Some(number) = input.file else {
        let text = input.entity.and_then(|entity| entity.text.as_deref()).unwrap_or_default();
        return Ok(reader.read(input.path, title, text, chunk_lines));
    };
    let bytes = source.read(number)?;
    // Nearly every file is UTF-8, and checking that is several times faster than looking for what to replace.
    let text = str::from_utf8(&bytes).map_or_else(|_| String::from_utf8_lossy(&bytes), Cow::Borrowed);
    Ok(reader.read(input.path, title, &text, chunk_lines))
}
