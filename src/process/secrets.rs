//! Values that no message may show.

use std::fmt;

use super::Folders;
use crate::name::Name;

/// Shorter values are words that occur everywhere; hiding them would only garble the message.
const SHORTEST: usize = 4;

/// What our messages put where they cut a text off.
const CUT: &[u8] = "…".as_bytes();

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
            // As it stands in a path that a tool names.
            let named = Name::new(line).to_string();
            self.values.extend((named.len() >= SHORTEST).then(|| named.into_bytes()));
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
        without(bytes, |rest| self.whole(rest))
    }

    /// The text likewise.
    pub fn hide_text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.hide(text.as_bytes())).into_owned()
    }

    /// A message likewise. What it quotes may have been cut before, by whoever read only so much or by the message, which
    /// then goes on with `…`: the beginning of a secret is hidden too where nothing else follows.
    pub fn hide_in_message(&self, message: &str) -> String {
        String::from_utf8_lossy(&self.hide_what_is_cut(message.as_bytes())).into_owned()
    }

    fn hide_what_is_cut(&self, bytes: &[u8]) -> Vec<u8> {
        without(bytes, |rest| self.whole(rest).or_else(|| self.begun(rest)))
    }

    /// The length of the secret that the text begins with.
    fn whole(&self, text: &[u8]) -> Option<usize> {
        self.values.iter().find(|secret| text.starts_with(secret)).map(Vec::len)
    }

    /// The length of the beginning of a secret that is all of the text up to its end or a cut.
    fn begun(&self, text: &[u8]) -> Option<usize> {
        let shared = |secret: &Vec<u8>| secret.iter().zip(text).take_while(|(a, b)| a == b).count();
        let is_all = |length: &usize| {
            *length >= SHORTEST && (text.len() == *length || text[*length..].starts_with(CUT))
        };
        self.values.iter().map(shared).find(is_all)
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
        let hidden = self.hide_what_is_cut(bytes);
        let mut printable = String::new();
        // Before anything is cut: half a path would be no path any more.
        let masked = self.folders.mask(String::from_utf8_lossy(&hidden).trim());
        let mut rest = masked.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '\r' if rest.peek() == Some(&'\n') => {}
                // Bars of progress go back to the beginning of the line. Taken out, it would join what it stands between.
                '\n' | '\r' => printable.push_str(" | "),
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

/// The text with `***` in the place of whatever has a `length`.
fn without(bytes: &[u8], length: impl Fn(&[u8]) -> Option<usize>) -> Vec<u8> {
    let mut hidden = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if let Some(length) = length(&bytes[at..]) {
            hidden.extend_from_slice(b"***");
            at += length;
        } else {
            hidden.push(bytes[at]);
            at += 1;
        }
    }
    hidden
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
    fn half_a_secret_is_hidden_where_somebody_else_cut_it() {
        let secrets = secrets(&["correct-horse", "corral"]);
        for (said, told) in [
            ("token: correct-ho", "token: ***"),
            ("token: corr", "token: ***"),
            ("the key `correct-ho…` twice", "the key `***…` twice"),
            // Too short to tell from a word, or no cut.
            ("token: cor", "token: cor"),
            ("token: correct words", "token: correct words"),
        ] {
            assert_eq!(secrets.tail(said.as_bytes(), 100), told);
            assert_eq!(secrets.hide_in_message(said), told);
            assert_eq!(secrets.hide_text(said), said, "a hit is as it is");
        }
    }

    #[test]
    fn a_secret_is_hidden_as_a_name_too_and_never_put_together() {
        let secrets = secrets(&["ab\\cd/", "e\u{301}e\u{301}e\u{301}e\u{301}", "hunter2"]);
        assert_eq!(secrets.hide_text("x/ab/cd/y"), "x/***/y");
        assert_eq!(secrets.hide_text("\u{e9}\u{e9}\u{e9}\u{e9}"), "***");
        assert_eq!(secrets.head(b"hun\rter2\r\n", 100), "hun | ter2");
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
