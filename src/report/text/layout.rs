//! Columns and line breaks, by the width that characters take on a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// On which side of its column a text stands.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) enum Align {
    Left,
    Right,
}

/// Rows whose columns line up. A cell is its plain text, which is measured, and its painted one, which is printed.
pub(in crate::report) struct Grid {
    align: Vec<Align>,
    rows: Vec<Vec<(String, String)>>,
}

impl Grid {
    pub(in crate::report) fn new(align: &[Align]) -> Self {
        Self { align: align.to_vec(), rows: Vec::new() }
    }

    /// A cell without colour.
    pub(in crate::report) fn plain(text: &str) -> (String, String) {
        (text.to_owned(), text.to_owned())
    }

    /// Adds a row with a cell per column.
    pub(in crate::report) fn row(&mut self, cells: Vec<(String, String)>) {
        self.rows.push(cells);
    }

    /// The rows, two blanks between columns; a column that is empty in every row takes no room.
    pub(in crate::report) fn lines(&self) -> Vec<String> {
        let width = |at: usize| self.rows.iter().map(|row| row[at].0.width()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.align.len()).map(width).collect();
        let line = |row: &Vec<(String, String)>| {
            let cells = row.iter().zip(&widths).zip(&self.align).filter(|((_, width), _)| **width > 0);
            let padded = cells.map(|(((plain, painted), width), align)| {
                let pad = " ".repeat(width - plain.width());
                match align {
                    Align::Left => format!("{painted}{pad}"),
                    Align::Right => format!("{pad}{painted}"),
                }
            });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

/// Lines of at most `width` columns, broken at blanks, within a word only where it is longer than a line.
pub(in crate::report) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let line = lines.last_mut().expect("there is always one");
        if line.is_empty() {
            line.push_str(word);
        } else if line.width() + 1 + word.width() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
        while lines.last().is_some_and(|line| line.width() > width) {
            let line = lines.pop().expect("just seen");
            let (head, rest) = line.split_at(break_at(&line, width));
            lines.extend([head.to_owned(), rest.to_owned()]);
        }
    }
    lines
}

/// The byte at which `width` columns are full; at least one character is before it.
fn break_at(line: &str, width: usize) -> usize {
    let mut used = 0;
    let full = line.char_indices().find(|(at, c)| {
        used += c.width().unwrap_or(0);
        used > width && *at > 0
    });
    full.map_or(line.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_the_script() {
        let mut grid = Grid::new(&[Align::Left, Align::Left, Align::Right]);
        grid.row(vec![Grid::plain("如何"), Grid::plain(""), Grid::plain("1")]);
        grid.row(vec![Grid::plain("abcde"), Grid::plain(""), ("10".into(), "<10>".into())]);
        assert_eq!(grid.lines(), ["如何    1", "abcde  <10>"]);
    }

    #[test]
    fn lines_break_at_blanks_and_long_words_where_they_must() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("如何验证", 3), ["如", "何", "验", "证"]);
        assert_eq!(wrap("", 3), [""]);
    }
}
