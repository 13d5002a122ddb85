//! What lint needs to know about the tree.

use std::collections::{BTreeSet, HashMap};

use super::super::Note;
use crate::name::Name;

/// Whether a name is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// The id of an entity.
    Entity,
    /// It looks like an entity id, and there is no list of entities to look it up in.
    Unknowable,
    /// Something whose name differs only in upper and lower case.
    OtherCase(Name),
    /// Nothing.
    Absent,
}

impl Presence {
    /// A retriever can return it, as far as anyone can tell.
    pub fn resolves(&self) -> bool {
        !matches!(self, Self::OtherCase(_) | Self::Absent)
    }
}

/// The tree as lint sees it.
pub trait Tree {
    /// Whether the name is there.
    fn presence(&self, name: &Name) -> Presence;
    /// The name that history knows a vanished file by now.
    fn renamed_to(&self, name: &Name) -> Option<Name>;
    /// The one file elsewhere with the same file name, if there is exactly one.
    fn only_one_called_alike(&self, name: &Name) -> Option<Name>;
    /// A file whose path is nearly that name: a slip of the pen, or a new name that holds the old one.
    fn nearest(&self, name: &Name) -> Option<Name>;
    /// What is odd about the tree itself.
    fn remarks(&self) -> &[Note] {
        &[]
    }
}

/// A tree made of lists.
#[derive(Clone, Debug, Default)]
pub struct TreeFacts {
    files: BTreeSet<Name>,
    directories: BTreeSet<Name>,
    /// None: nobody gave a list.
    entities: Option<BTreeSet<Name>>,
    by_lower_case: HashMap<String, Name>,
    /// None where several files have the name.
    by_file_name: HashMap<String, Option<Name>>,
    renames: HashMap<Name, Name>,
    remarks: Vec<Note>,
}

impl TreeFacts {
    /// A tree of these files, repository-relative.
    pub fn new<'a>(files: impl IntoIterator<Item = &'a str>) -> Self {
        let mut facts = Self::default();
        for path in files {
            let name = Name::new(path);
            for directory in name.ancestors() {
                facts.by_lower_case.entry(directory.to_lowercase()).or_insert_with(|| Name::new(directory));
                if !facts.directories.contains(directory) {
                    facts.directories.insert(Name::new(directory));
                }
            }
            facts.by_lower_case.insert(name.as_str().to_lowercase(), name.clone());
            let same = facts.by_file_name.entry(file_name(&name).to_owned());
            same.and_modify(|other| *other = None).or_insert_with(|| Some(name.clone()));
            facts.files.insert(name);
        }
        facts
    }

    /// The same tree, with a list of entity ids.
    #[must_use]
    pub fn with_entities<'a>(mut self, ids: impl IntoIterator<Item = &'a str>) -> Self {
        self.entities = Some(ids.into_iter().map(Name::new).collect());
        self
    }

    /// The same tree, with what history knows: each old name and the name it has now.
    #[must_use]
    pub fn with_renames(mut self, renames: HashMap<Name, Name>) -> Self {
        self.renames = renames;
        self
    }

    /// The same tree, with what its reader noticed.
    #[must_use]
    pub fn with_remarks(mut self, remarks: Vec<Note>) -> Self {
        self.remarks = remarks;
        self
    }
}

impl Tree for TreeFacts {
    fn presence(&self, name: &Name) -> Presence {
        if self.files.contains(name) {
            return Presence::File;
        }
        if self.directories.contains(name) {
            return Presence::Directory;
        }
        if self.entities.as_ref().is_some_and(|ids| ids.contains(name)) {
            return Presence::Entity;
        }
        if let Some(other) = self.by_lower_case.get(&name.as_str().to_lowercase()) {
            return Presence::OtherCase(other.clone());
        }
        if self.entities.is_none() && looks_like_an_id(name) {
            return Presence::Unknowable;
        }
        Presence::Absent
    }

    fn renamed_to(&self, name: &Name) -> Option<Name> {
        self.renames.get(name).filter(|new| self.files.contains(*new)).cloned()
    }

    fn only_one_called_alike(&self, name: &Name) -> Option<Name> {
        self.by_file_name.get(file_name(name)).cloned().flatten()
    }

    fn nearest(&self, name: &Name) -> Option<Name> {
        let near = self.files.iter().filter_map(|file| {
            let distance = strsim::damerau_levenshtein(file.as_str(), name.as_str());
            (distance <= 1 + name.as_str().len() / 10).then_some((distance, file))
        });
        let (folder, stem) = (folder(name), stem(name));
        let holds = |file: &&&Name| {
            let other = self::stem(file);
            let shorter = stem.len().min(other.len());
            self::folder(file) == folder && shorter >= 4 && (other.contains(stem) || stem.contains(other))
        };
        let mut kin = self.files.iter().filter(|file| holds(&file));
        let only = kin.next().filter(|_| kin.next().is_none());
        near.min().map(|(_, file)| file).or(only).cloned()
    }

    fn remarks(&self) -> &[Note] {
        &self.remarks
    }
}

fn folder(name: &Name) -> &str {
    name.ancestors().next().unwrap_or_default()
}

/// The file name without its ending.
fn stem(name: &Name) -> &str {
    let file = file_name(name);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

fn file_name(name: &Name) -> &str {
    name.as_str().rsplit('/').next().unwrap_or_default()
}

/// `package:@scope/x` and `doc-bridge-query` look like ids; `src/a.rs`, `src/query` and `README.md` like paths.
pub fn looks_like_an_id(name: &Name) -> bool {
    let text = name.as_str();
    text.contains(':') || !(text.contains('/') || text.contains('.'))
}
