//! Files that ask what the suite asks: a copy of it under another name, or a report.

use std::collections::BTreeSet;

use super::super::Suite;

/// Fewer queries than this stand in an honest page by accident.
const FEWEST: usize = 5;

/// As many are looked for first. A file without most of these is no copy, and nearly every file is none.
const SAMPLE: usize = 32;

/// The different queries of a suite.
#[derive(Clone, Debug)]
pub struct Quotes {
    queries: Vec<String>,
}

impl Quotes {
    /// None where there are too few to tell a copy from a page about the same.
    pub fn of(suite: &Suite) -> Option<Self> {
        let queries: BTreeSet<&str> = suite.cases.iter().map(|case| case.input.trim()).collect();
        let queries: Vec<_> =
            queries.into_iter().filter(|query| !query.is_empty()).map(str::to_owned).collect();
        (queries.len() >= FEWEST).then_some(Self { queries })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// There are some, always.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// How many a text holds word for word, if those are most of them.
    pub fn most_in(&self, text: &[u8]) -> Option<usize> {
        let holds = |query: &&String| memchr::memmem::find(text, query.as_bytes()).is_some();
        let step = self.queries.len().div_ceil(SAMPLE);
        let sample = self.queries.iter().step_by(step);
        let size = sample.len();
        if sample.filter(holds).count() * 2 <= size {
            return None;
        }
        let count = self.queries.iter().filter(holds).count();
        (count * 2 > self.queries.len()).then_some(count)
    }
}
