//! A shelf of books that people borrow and bring back.

mod catalog;
mod loan;

fn main() {
    let mut shelf = catalog::Catalog::open("books.db").expect("the catalogue can be opened");
    for line in std::io::stdin().lines().map_while(Result::ok) {
        match loan::Command::parse(&line) {
            Ok(command) => println!("{}", command.apply(&mut shelf)),
            Err(error) => eprintln!("{error}"),
        }
    }
}
