//! What the change under review does to the files, so that a reader sees at once what pushed an answer down.

use std::collections::BTreeMap;

use crate::name::Name;

/// What the change does to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touch {
    /// It was not there before.
    Added,
    /// Its text is another.
    Changed,
    /// It had this name before; its text may be another too.
    RenamedFrom(Name),
    /// It has this name now.
    RenamedTo(Name),
    /// It is gone.
    Removed,
}

impl Touch {
    /// In a word, as templates see it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::RenamedFrom(_) | Self::RenamedTo(_) => "renamed",
            Self::Removed => "removed",
        }
    }
}

/// The files that the change under review touches, by the names that a retriever gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    files: BTreeMap<Name, Touch>,
}

impl Touched {
    /// A rename counts under both names.
    pub fn new(files: impl IntoIterator<Item = (Name, Touch)>) -> Self {
        let mut touched = BTreeMap::new();
        for (name, touch) in files {
            if let Touch::RenamedFrom(former) = &touch {
                touched.insert(former.clone(), Touch::RenamedTo(name.clone()));
            }
            touched.insert(name, touch);
        }
        Self { files: touched }
    }

    /// What happens to a file, if anything does.
    pub fn of(&self, name: &Name) -> Option<&Touch> {
        self.files.get(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rename_is_known_under_both_names() {
        let name = |text: &str| Name::new(text);
        let touched =
            Touched::new([(name("b.md"), Touch::RenamedFrom(name("a.md"))), (name("c.md"), Touch::Changed)]);
        assert_eq!(touched.of(&name("a.md")), Some(&Touch::RenamedTo(name("b.md"))));
        assert_eq!(touched.of(&name("b.md")).map(Touch::word), Some("renamed"));
        assert_eq!(touched.of(&name("c.md")), Some(&Touch::Changed));
        assert_eq!(touched.of(&name("d.md")), None);
    }
}
