//! Hits as lines of plain text.

use std::collections::BTreeSet;

use super::{MOST_HITS, OutputProblem, collect};
use crate::ranking::RawHit;

/// One path a line.
pub(super) fn paths(bytes: &[u8]) -> Result<Vec<RawHit>, OutputProblem> {
    let hits = utf8_lines(bytes).map(|line| {
        let (number, line) = line?;
        plain(line, number)?;
        Ok(RawHit::file(line))
    });
    collect(hits, MOST_HITS)
}

/// One `path:line:…` a line; lines of a path that came before add nothing.
pub(super) fn grep(bytes: &[u8]) -> Result<Vec<RawHit>, OutputProblem> {
    let mut seen = BTreeSet::new();
    let mut hit = |line: Result<(usize, _), OutputProblem>| {
        let (number, line) = line?;
        let path = before_line_number(line)
            .ok_or_else(|| OutputProblem::new(format!("line {number} is not `path:line:…`")))?;
        plain(path, number)?;
        Ok(seen.insert(path).then(|| RawHit::file(path)))
    };
    collect(utf8_lines(bytes).filter_map(|line| hit(line).transpose()), MOST_HITS)
}

/// What stands before the first `:digits:` (or `:digits` at the end).
pub(super) fn before_line_number(line: &str) -> Option<&str> {
    line.match_indices(':').map(|(at, _)| at).find_map(|at| {
        let after = &line[at + 1..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let ends = digits == after.len() || after.as_bytes()[digits] == b':';
        (at > 0 && digits > 0 && ends).then(|| &line[..at])
    })
}

fn plain(path: &str, number: usize) -> Result<(), OutputProblem> {
    if path.contains(char::is_control) {
        return Err(OutputProblem::new(format!(
            "line {number} holds a control character, which no path has"
        )));
    }
    Ok(())
}

/// The lines that are not empty, each with its 1-based number, without LF or CR LF.
pub(super) fn utf8_lines(bytes: &[u8]) -> impl Iterator<Item = Result<(usize, &str), OutputProblem>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.split(|byte| *byte == b'\n').enumerate().filter_map(|(at, line)| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return None;
        }
        let number = at + 1;
        let text = std::str::from_utf8(line).map(|text| (number, text));
        Some(text.map_err(|_| OutputProblem::new(format!("line {number} is not UTF-8"))))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Fields, Format, read};
    use super::*;

    fn read_as(format: Format, bytes: &[u8]) -> Result<Vec<RawHit>, String> {
        read(bytes, format, &Fields::default()).map_err(|problem| problem.to_string())
    }

    fn files(paths: &[&str]) -> Vec<RawHit> {
        paths.iter().map(|path| RawHit::file(*path)).collect()
    }

    #[test]
    fn paths_are_lines_of_either_ending() {
        assert_eq!(read_as(Format::Paths, b"a b.rs\r\n\nc:1.rs").unwrap(), files(&["a b.rs", "c:1.rs"]));
        assert_eq!(read_as(Format::Paths, b"").unwrap(), []);
    }

    #[test]
    fn bytes_that_no_path_has_are_told_with_their_line() {
        assert_eq!(read_as(Format::Paths, b"a\nb\xff\n").unwrap_err(), "line 2 is not UTF-8");
        for bad in [&b"a\0b"[..], b"\x1b[35ma\x1b[0m"] {
            let message = read_as(Format::Paths, bad).unwrap_err();
            assert_eq!(message, "line 1 holds a control character, which no path has");
        }
    }

    #[test]
    fn a_grep_line_gives_its_path_once() {
        let text = b"src/a.rs:12:let x: u8;\nC:\\b.rs:3\nsrc/a.rs:40:y\nodd:name.rs:7:z:8:";
        assert_eq!(read_as(Format::Grep, text).unwrap(), files(&["src/a.rs", "C:\\b.rs", "odd:name.rs"]));
        for bad in ["--", "src/a.rs", ":3:x", "src/a.rs:x:3x"] {
            assert_eq!(read_as(Format::Grep, bad.as_bytes()).unwrap_err(), "line 1 is not `path:line:…`");
        }
    }
}
