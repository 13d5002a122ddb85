//! Folders of this machine in what a tool says: they are nobody's business and differ every time.

use std::path::Path;

/// Folders, and what a reader calls each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders(Vec<(String, &'static str)>);

impl Folders {
    /// A further folder (absolute), as it is given and as the system calls it. Of two names for one the first counts.
    pub fn add(&mut self, folder: &Path, name: &'static str) {
        for path in [Some(folder.to_owned()), folder.canonicalize().ok()].into_iter().flatten() {
            let Some(path) = path.to_str().map(|path| path.trim_end_matches(['/', '\\'])) else { continue };
            if !path.is_empty() && !self.0.iter().any(|(known, _)| known == path) {
                self.0.push((path.to_owned(), name));
            }
        }
        // The longest first: one folder may lie in another.
        self.0.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
    }

    /// The text with paths below a folder relative to it, and a folder itself by its name.
    pub fn mask(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (path, name)| masked(&text, path, name))
    }
}

fn masked(text: &str, path: &str, name: &str) -> String {
    let goes_on = |c: char| c.is_alphanumeric() || "-_".contains(c);
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(path) {
        kept.push_str(&rest[..at]);
        rest = &rest[at + path.len()..];
        let mut next = rest.chars();
        let (first, second) = (next.next(), next.next());
        let is_a_part = kept.ends_with(goes_on)
            || first.is_some_and(goes_on)
            || (first == Some('.') && second.is_some_and(goes_on));
        if is_a_part {
            kept.push_str(path);
        } else if first.is_some_and(|c| ['/', '\\'].contains(&c)) {
            rest = &rest[1..];
            let is_below = second.is_some_and(|c| goes_on(c) || c == '.' || !c.is_ascii());
            if !is_below {
                kept.push_str(name);
            }
        } else {
            kept.push_str(name);
        }
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_its_name_and_what_lies_in_it_is_relative() {
        let mut folders = Folders::default();
        folders.add(Path::new("/tmp/run/_"), "{corpus}");
        folders.add(Path::new("/tmp/run"), "{scratch}");
        folders.add(Path::new("/tmp/run/"), "{repo}");
        for (said, shown) in [
            ("[ '/tmp/run/_' ]", "[ '{corpus}' ]"),
            ("in /tmp/run/_/ and /tmp/run.", "in {corpus} and {scratch}."),
            ("/tmp/run/_/src/a.rs:3 /tmp/run/_/.git/x", "src/a.rs:3 .git/x"),
            ("/tmp/run/_", "{corpus}"),
            ("/tmp/run/log /tmp/run/_x", "log _x"),
            ("/tmp/running /tmp/run.old /var/tmp/run", "/tmp/running /tmp/run.old /var/tmp/run"),
        ] {
            assert_eq!(folders.mask(said), shown, "{said}");
        }
    }
}
