//! How a tool's hits are read: where its paths are seen from, and what of its words nobody may read.

use std::collections::BTreeSet;
use std::path::Path;

use super::Plan;
use crate::corpus::SeenFrom;
use crate::name::Name;
use crate::process::Secrets;
use crate::ranking::Place;

/// A tool's hits as they are read and written down.
pub(super) struct Seen<'a> {
    from: SeenFrom<'a>,
    secrets: Option<&'a Secrets>,
    targets: BTreeSet<&'a Name>,
}

impl<'a> Seen<'a> {
    /// Of a tool that searches this tree and was given these secrets.
    pub(super) fn new(plan: &'a Plan<'_>, tree: &Path, secrets: Option<&'a Secrets>) -> Self {
        Self {
            from: SeenFrom::new(plan.corpus, &[tree, plan.corpus.root(), plan.repo]),
            secrets,
            targets: plan.suite.cases.iter().flat_map(|case| case.qrels.targets()).collect(),
        }
    }
}

impl Place for Seen<'_> {
    fn strip(&self, text: &str) -> String {
        self.from.strip(text)
    }

    fn knows(&self, path: &Name) -> bool {
        self.from.knows(path)
    }

    fn hide(&self, text: String) -> String {
        self.secrets.map(|secrets| secrets.hide_text(&text)).unwrap_or(text)
    }

    fn is_public(&self, name: &Name) -> bool {
        self.knows(name) || self.targets.contains(name)
    }
}
