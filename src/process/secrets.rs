//! Values that no message may show.

use std::fmt;

use super::Folders;

/// Shorter values are words that occur everywhere; hiding them would only garble the message.
const SHORTEST: usize = 4;

/// The values of variables that a configuration passes on from our own environment; and folders of this machine, which
/// are no secret, and are shown by a name of ours in what a tool said.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets {
    values: Vec<Vec<u8>>,
    folders: Folders,
}

impl Secrets {
    /// Hides each line of `value` that has at least four bytes.
    pub fn add(&mut self, value: &str) {
        let lines = value.lines().map(str::trim).filter(|line| line.len() >= SHORTEST);
        for line in lines {
            self.values.push(line.as_bytes().to_vec());
            // As it stands in a JSON text that is quoted before it is read.
            let quoted = serde_json::Value::from(line).to_string();
            self.values.push(quoted.as_bytes()[1..quoted.len() - 1].to_vec());
        }
        // The longest first: one secret may be part of another.
        self.values.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        self.values.dedup();
    }

    /// Shows a folder (absolute) by that name in what a tool said.
    pub fn name(&mut self, folder: &std::path::Path, name: &'static str) {
        self.folders.add(folder, name);
    }

    /// The text with every secret replaced by `***`.
    pub fn hide(&self, bytes: &[u8]) -> Vec<u8> {
        let mut hidden = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while at < bytes.len() {
            if let Some(secret) = self.values.iter().find(|secret| bytes[at..].starts_with(secret)) {
                hidden.extend_from_slice(b"***");
                at += secret.len();
            } else {
                hidden.push(bytes[at]);
                at += 1;
            }
        }
        hidden
    }

    /// The text likewise.
    pub fn hide_text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.hide(text.as_bytes())).into_owned()
    }

    /// The end of what a tool said, for a message: secrets hidden, control characters escaped, one line, at most
    /// `most` characters.
    pub fn tail(&self, bytes: &[u8], most: usize) -> String {
        let text = self.printable(bytes);
        match text.char_indices().rev().nth(most) {
            Some((at, cut)) => format!("…{}", &text[at + cut.len_utf8()..]),
            None => text,
        }
    }

    /// The beginning of what a tool said, likewise.
    pub fn head(&self, bytes: &[u8], most: usize) -> String {
        let text = self.printable(bytes);
        match text.char_indices().nth(most) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text,
        }
    }

    fn printable(&self, bytes: &[u8]) -> String {
        let hidden = self.hide(bytes);
        let mut printable = String::new();
        // Before anything is cut: half a path would be no path any more.
        for c in self.folders.mask(String::from_utf8_lossy(&hidden).trim()).chars() {
            match c {
                '\n' => printable.push_str(" | "),
                '\r' => {}
                // Also the marks that turn text around or hide it.
                c if c.is_control()
                    || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}') =>
                {
                    printable.extend(c.escape_unicode());
                }
                c => printable.push(c),
            }
        }
        printable
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({} hidden)", self.values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(values: &[&str]) -> Secrets {
        let mut secrets = Secrets::default();
        for value in values {
            secrets.add(value);
        }
        secrets
    }

    #[test]
    fn a_secret_is_hidden_wherever_it_stands_and_however_long_its_neighbours_are() {
        let secrets = secrets(&["hunter2", "hunter2-and-more", "1"]);
        assert_eq!(secrets.hide(b"hunter2hunter2-and-more 1"), b"****** 1");
        assert_eq!(format!("{secrets:?}"), "Secrets(2 hidden)");
    }

    #[test]
    fn each_line_of_a_secret_is_one() {
        assert_eq!(secrets(&["first line\nsecond line\n"]).hide(b"x second line y"), b"x *** y");
    }

    #[test]
    fn a_secret_is_hidden_in_json_too() {
        let secrets = secrets(&["quo\"te\\back"]);
        assert_eq!(secrets.hide(br#"{"key": "quo\"te\\back"}"#), br#"{"key": "***"}"#);
    }

    #[test]
    fn a_cut_never_uncovers_half_a_secret() {
        let secrets = secrets(&["correct-horse"]);
        assert_eq!(secrets.tail(b"token: correct-horse", 5), "…: ***");
        assert_eq!(secrets.head(b"correct-horse battery", 5), "*** b…");
    }

    #[test]
    fn a_cut_never_leaves_half_a_folder_of_this_machine() {
        let mut secrets = Secrets::default();
        secrets.name(std::path::Path::new("/tmp/rankhold-1/_"), "{corpus}");
        assert_eq!(secrets.tail(b"open /tmp/rankhold-1/_/a.rs", 8), "…pen a.rs");
        assert_eq!(secrets.head(b"ls /tmp/rankhold-1/_ now", 11), "ls {corpus}…");
        assert_eq!(
            secrets.hide(b"/tmp/rankhold-1/_/a.rs"),
            b"/tmp/rankhold-1/_/a.rs",
            "a hit is found by it"
        );
    }

    #[test]
    fn control_characters_are_told_not_done() {
        let text = secrets(&[]).tail(b"a\x1b[31mred\r\nb\0\xff\n", 100);
        assert_eq!(text, "a\\u{1b}[31mred | b\\u{0}\u{fffd}");
        assert_eq!(secrets(&[]).tail("x\u{202e}y".as_bytes(), 100), "x\\u{202e}y");
    }
}
