//! The folders a retriever is shown, and how its words are told without them.

use std::path::{Path, PathBuf};

use super::Plan;
use crate::corpus::Corpus;
use crate::corpus::copy::{Access, Changed, CopyProblem, materialise, verify};
use crate::process::{Deadline, Folders, ScratchFolder};
use crate::retriever::Sight;

/// The folder with the copy. Some tools match the words of a query against the absolute path, so its name is no word.
const TREE: &str = "_";

/// The folders a retriever is shown. An embedded one sees the corpus itself and gets no folder at all.
pub(super) struct Stage {
    sight: Sight,
    pub(super) tree: PathBuf,
    pub(super) scratch: PathBuf,
    /// Removed at the end.
    folder: Option<ScratchFolder>,
}

impl Stage {
    /// The folder all of it will be in, if it needs one.
    pub(super) fn folder(sight: Sight, temporary: &Path) -> std::io::Result<Option<ScratchFolder>> {
        match sight {
            Sight::Corpus => Ok(None),
            Sight::Copy | Sight::PrivateCopy => ScratchFolder::new_in(temporary).map(Some),
        }
    }

    /// Copies what is searched, before the time runs out.
    pub(super) fn set(
        sight: Sight,
        corpus: &Corpus,
        folder: Option<ScratchFolder>,
        deadline: Deadline,
    ) -> Result<Self, CopyProblem> {
        let Some(folder) = folder else {
            let tree = corpus.root().to_owned();
            return Ok(Self { sight, scratch: tree.clone(), tree, folder: None });
        };
        let root = folder.path().canonicalize()?;
        let (tree, scratch) = (root.join(TREE), root.join("scratch"));
        std::fs::create_dir(&scratch)?;
        let access = if sight == Sight::Copy { Access::ReadOnly } else { Access::Writable };
        materialise(corpus, &tree, access, deadline)?;
        Ok(Self { sight, tree, scratch, folder: Some(folder) })
    }

    /// What a tool said, as it may be published.
    pub(super) fn told(&self, plan: &Plan<'_>, text: &str) -> String {
        told(plan, self.folder.as_ref().map(ScratchFolder::path), text)
    }

    /// A shared copy must be as it was; a private one is the tool's own.
    pub(super) fn check(&self, corpus: &Corpus) -> Result<(), Changed> {
        match self.sight {
            Sight::Copy => verify(corpus, &self.tree),
            Sight::Corpus | Sight::PrivateCopy => Ok(()),
        }
    }
}

/// A tool's words without the folders of this machine, which are nobody's business and differ every time.
pub(super) fn told(plan: &Plan<'_>, folder: Option<&Path>, text: &str) -> String {
    let mut folders = Folders::default();
    if let Some(folder) = folder {
        folders.add(&folder.join(TREE), "{corpus}");
        for ours in [folder.join("scratch"), folder.join("bench"), folder.to_owned()] {
            folders.add(&ours, "{scratch}");
        }
    }
    folders.add(plan.repo, "{repo}");
    folders.add(plan.corpus.root(), "{corpus}");
    folders.mask(text)
}
