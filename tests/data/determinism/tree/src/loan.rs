//! Lending: who has which book, and until when.

use crate::catalog::Catalog;

/// How many days a reader may keep a book.
pub const LOAN_DAYS: u32 = 21;

/// One line that a reader types.
pub enum Command {
    Borrow { reader: String, book: u32 },
    Return { book: u32 },
    Overdue,
}

impl Command {
    /// Reads `borrow ANA 12`, `return 12` or `overdue`.
    pub fn parse(line: &str) -> Result<Self, String> {
        let words: Vec<_> = line.split_whitespace().collect();
        match words.as_slice() {
            ["borrow", reader, book] => Ok(Self::Borrow { reader: (*reader).to_owned(), book: number(book)? }),
            ["return", book] => Ok(Self::Return { book: number(book)? }),
            ["overdue"] => Ok(Self::Overdue),
            _ => Err(format!("not understood: {line}")),
        }
    }

    pub fn apply(&self, shelf: &mut Catalog) -> String {
        match self {
            Self::Borrow { reader, book } => shelf.lend(*book, reader, LOAN_DAYS),
            Self::Return { book } => shelf.take_back(*book),
            Self::Overdue => shelf.overdue_report(),
        }
    }
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("no number of a book: {text}"))
}
