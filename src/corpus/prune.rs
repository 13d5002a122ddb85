//! Which folders need not be entered, since nothing below them could be in the corpus.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::{CorpusRules, Hidden};
use crate::name::Name;

/// Folders of which `exclude` or what is hidden covers everything. What is in them may be unreadable.
pub(super) struct Pruned {
    whole: GlobSet,
    hidden: Hidden,
}

impl Pruned {
    /// As the rules say: `docs/old/**` covers the folder `docs/old`. A glob that does not end so may match a folder and
    /// yet none of its files.
    pub(super) fn new(rules: &CorpusRules, hidden: &Hidden) -> Self {
        let mut whole = GlobSetBuilder::new();
        let folders = rules
            .exclude
            .iter()
            .filter_map(|glob| if glob == "**" { Some("**") } else { glob.strip_suffix("/**") });
        let globs =
            folders.filter_map(|folder| GlobBuilder::new(folder).literal_separator(true).build().ok());
        for glob in globs {
            whole.add(glob);
        }
        Self { whole: whole.build().unwrap_or_default(), hidden: hidden.clone() }
    }

    /// Nothing below this folder can be in the corpus.
    pub(super) fn covers(&self, folder: &str) -> bool {
        self.whole.is_match(folder) || self.hidden.covers(&Name::new(folder))
    }
}
