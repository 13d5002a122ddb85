//! The catalogue: every book and its state.

mod search;

pub struct Catalog {
    books: Vec<Book>,
}

pub struct Book {
    pub number: u32,
    pub title: String,
    pub author: String,
    pub borrower: Option<(String, u32)>,
}

impl Catalog {
    pub fn open(path: &str) -> std::io::Result<Self> {
        let text = std::fs::read_to_string(path)?;
        Ok(Self { books: text.lines().filter_map(Book::from_line).collect() })
    }

    pub fn lend(&mut self, number: u32, reader: &str, days: u32) -> String {
        match self.books.iter_mut().find(|book| book.number == number) {
            Some(book) if book.borrower.is_some() => format!("{} is away", book.title),
            Some(book) => {
                book.borrower = Some((reader.to_owned(), days));
                format!("{} for {days} days", book.title)
            }
            None => format!("no book {number}"),
        }
    }

    pub fn take_back(&mut self, number: u32) -> String {
        let book = self.books.iter_mut().find(|book| book.number == number);
        book.map_or_else(|| format!("no book {number}"), |book| {
            book.borrower = None;
            format!("{} is back", book.title)
        })
    }

    pub fn overdue_report(&self) -> String {
        let late = self.books.iter().filter(|book| matches!(book.borrower, Some((_, 0))));
        late.map(|book| book.title.as_str()).collect::<Vec<_>>().join("\n")
    }
}
