-- Books, readers and loans.
CREATE TABLE books (number INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL);
CREATE TABLE readers (name TEXT PRIMARY KEY, mail TEXT NOT NULL);
CREATE TABLE loans (
    book INTEGER NOT NULL REFERENCES books (number),
    reader TEXT NOT NULL REFERENCES readers (name),
    due DATE NOT NULL
);
CREATE INDEX loans_by_due ON loans (due);
