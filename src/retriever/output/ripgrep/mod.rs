//! What `rg --json` prints: an event a line.
//!
//! Files rank by how many different texts matched in them, then by how often any did, then by path. What is printed is
//! in the order in which threads finished, which means nothing.
//!
//! A common word makes hundreds of megabytes of events, nearly all of it the lines around the matches, so they are read as
//! they come and nothing of a line is kept but what matched.

mod event;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use memchr::memchr;

use self::event::Event;
use super::{MOST_HITS, OutputProblem};
use crate::ranking::RawHit;

/// So many bytes of paths, of texts that matched and of an unfinished line are kept.
const MOST_KEPT: usize = 16 << 20;

/// What matched in one file.
#[derive(Debug, Default)]
struct Found {
    /// As it stands there.
    spellings: BTreeSet<String>,
    /// In lower case.
    different: BTreeSet<String>,
    times: u32,
}

impl Found {
    /// How many bytes are kept from now on because of it.
    fn add(&mut self, matched: &str) -> usize {
        self.times = self.times.saturating_add(1);
        if self.spellings.contains(matched) {
            return 0;
        }
        self.spellings.insert(matched.to_owned());
        self.different.insert(matched.to_lowercase());
        2 * matched.len()
    }
}

/// Reads events as they come, in pieces that end anywhere.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// By path, without the current one.
    files: BTreeMap<String, Found>,
    /// The file that the last match was in: most often the next is in it too.
    current: Option<(String, Found)>,
    /// Bytes in there.
    kept: usize,
    /// The beginning of a line whose end is still to come.
    unfinished: Vec<u8>,
    /// Lines that ended.
    lines: usize,
    /// The event that ends an answer was there.
    ended: bool,
    /// Reading stops at the first.
    problem: Option<OutputProblem>,
}

impl Events {
    pub(super) fn hear(&mut self, mut piece: &[u8]) {
        while self.problem.is_none()
            && let Some(at) = memchr(b'\n', piece)
        {
            let (line, rest) = (&piece[..at], &piece[at + 1..]);
            if self.unfinished.is_empty() {
                self.line(line);
            } else {
                let mut whole = std::mem::take(&mut self.unfinished);
                whole.extend_from_slice(line);
                self.line(&whole);
                whole.clear();
                self.unfinished = whole;
            }
            piece = rest;
        }
        if self.problem.is_none() {
            self.unfinished.extend_from_slice(piece);
            self.check_room();
        }
    }

    /// The files of everything that was heard. Without the closing event it is half an answer.
    pub(super) fn finish(mut self) -> Result<Vec<RawHit>, OutputProblem> {
        if self.problem.is_none() && !self.unfinished.is_empty() {
            let line = std::mem::take(&mut self.unfinished);
            self.line(&line);
        }
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        if !self.ended {
            return Err(OutputProblem::new("the event `summary` that ends an answer is missing"));
        }
        self.put_away();
        let mut files: Vec<_> = self.files.into_iter().map(|(path, found)| (score(&found), path)).collect();
        files.sort_by(|(a, a_path), (b, b_path)| b.total_cmp(a).then_with(|| a_path.cmp(b_path)));
        Ok(files
            .into_iter()
            .map(|(score, path)| RawHit { score: Some(score), ..RawHit::file(path) })
            .collect())
    }

    fn line(&mut self, line: &[u8]) {
        self.lines += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return;
        }
        match self.event(line) {
            Ok(()) => self.check_room(),
            Err(what) => {
                self.problem = Some(OutputProblem::new(format!("line {} {what}", self.lines)));
            }
        }
    }

    fn event(&mut self, line: &[u8]) -> Result<(), String> {
        match event::read(line)? {
            Event::Match { path, matched } => {
                let found = self.file(path);
                let mut more = 0;
                for matched in matched {
                    more += found.add(&matched?);
                }
                self.kept += more;
            }
            Event::Summary => self.ended = true,
            Event::Other => {}
        }
        Ok(())
    }

    fn file(&mut self, path: Cow<'_, str>) -> &mut Found {
        if self.current.as_ref().is_none_or(|(current, _)| *current != path) {
            self.put_away();
            let found = self.files.remove(&*path);
            if found.is_none() {
                self.kept += path.len();
            }
            self.current = Some((path.into_owned(), found.unwrap_or_default()));
        }
        &mut self.current.get_or_insert_default().1
    }

    fn put_away(&mut self) {
        if let Some((path, found)) = self.current.take() {
            self.files.insert(path, found);
        }
    }

    fn check_room(&mut self) {
        let what = if self.files.len() >= MOST_HITS {
            format!("it has more than {MOST_HITS} hits; ask it for less")
        } else if self.kept + self.unfinished.len() > MOST_KEPT {
            let most = MOST_KEPT >> 20;
            format!("its paths, what matched, or one line of it, are more than {most} MiB; ask it for less")
        } else {
            return;
        };
        self.problem = Some(OutputProblem::new(what));
    }
}

/// Everything that was printed, at once.
pub(super) fn events(bytes: &[u8]) -> Result<Vec<RawHit>, OutputProblem> {
    let mut events = Events::default();
    events.hear(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    events.finish()
}

/// Both counts in one number, exactly: the first is below 2^21, the second below 2^32.
fn score(found: &Found) -> f64 {
    let different = u32::try_from(found.different.len().min((1 << 21) - 1)).unwrap_or(u32::MAX);
    f64::from(different) * 4_294_967_296.0 + f64::from(found.times)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(path: &str, words: &[&str]) -> String {
        let submatches: Vec<_> = words
            .iter()
            .map(|word| serde_json::json!({ "match": { "text": word }, "start": 0, "end": 1 }))
            .collect();
        serde_json::json!({ "type": "match", "data": {
            "path": { "text": path }, "lines": { "text": "…" }, "line_number": 1, "absolute_offset": 0,
            "submatches": submatches
        }})
        .to_string()
    }

    const END: &str = r#"{"type":"summary","data":{"stats":{"matches":1}}}"#;

    #[test]
    fn files_rank_by_different_matches_then_by_their_number_then_by_path() {
        let lines = [
            matched("c", &["token", "token", "Token", "token"]),
            matched("d", &["token"]),
            r#"{"type":"begin","data":{"path":{"text":"b"}}}"#.to_owned(),
            matched("b", &["token"]),
            matched("b", &["count"]),
            matched("a", &["token"]),
            r#"{"type":"end","data":{"path":{"text":"b"}}}"#.to_owned(),
            END.to_owned(),
        ];
        let hits = events(lines.join("\n").as_bytes()).unwrap();
        let paths: Vec<_> = hits.iter().map(|hit| hit.path.as_deref().unwrap()).collect();
        assert_eq!(paths, ["b", "c", "a", "d"]);
        assert_eq!(hits[2].score, hits[3].score);
    }

    #[test]
    fn bytes_that_are_no_text_are_read_as_far_as_they_are() {
        let line =
            r#"{"type":"match","data":{"path":{"bytes":"Zv9v"},"submatches":[{"match":{"bytes":"/w=="}}]}}"#;
        let hits = events(format!("{line}\n{END}").as_bytes()).unwrap();
        assert_eq!(hits[0].path.as_deref(), Some("f\u{fffd}o"));
        let bad = line.replace("Zv9v", "?");
        assert_eq!(
            events(bad.as_bytes()).unwrap_err().to_string(),
            "line 1 holds `bytes` that are not base64"
        );
    }

    #[test]
    fn events_are_heard_in_pieces_that_end_anywhere() {
        let lines = [matched("b", &["x", "é"]), matched("a", &["x"]), matched("b", &["y"]), END.to_owned()];
        for text in [lines.join("\n"), lines.join("\r\n") + "\r\n"] {
            let whole = events(text.as_bytes()).unwrap();
            assert_eq!(whole.iter().map(|hit| hit.path.as_deref().unwrap()).collect::<Vec<_>>(), ["b", "a"]);
            for size in 1..text.len() {
                let mut heard = Events::default();
                text.as_bytes().chunks(size).for_each(|piece| heard.hear(piece));
                assert_eq!(heard.finish().unwrap(), whole, "pieces of {size}");
            }
        }
    }

    #[test]
    fn nothing_that_is_kept_grows_without_bound() {
        let told = |lines: &mut dyn Iterator<Item = String>| {
            let mut heard = Events::default();
            lines.for_each(|line| heard.hear(line.as_bytes()));
            heard.hear(END.as_bytes());
            heard.finish().map_err(|problem| problem.to_string())
        };
        let long = "x".repeat(1 << 20);
        let too_much = "its paths, what matched, or one line of it, are more than 16 MiB; ask it for less";
        let refused = |lines: &mut dyn Iterator<Item = String>| {
            let told = told(lines).unwrap_err();
            assert!(told.ends_with(too_much), "{told}");
        };
        refused(&mut (0..20).map(|_| long.clone()));
        refused(&mut (0..20).map(|at| matched(&format!("{at}{long}"), &["x"]) + "\n"));
        refused(&mut (0..20).map(|at| matched("a", &[&format!("{at}{long}")]) + "\n"));
        // The text around the matches counts for nothing.
        let around = matched("a", &["x"]).replace('…', &long) + "\n";
        assert_eq!(told(&mut (0..40).map(|_| around.clone())).unwrap().len(), 1);
    }

    #[test]
    fn half_an_answer_is_none() {
        assert_eq!(events(END.as_bytes()).unwrap(), []);
        for half in ["", &matched("a", &["x"])] {
            let message = events(half.as_bytes()).unwrap_err().to_string();
            assert_eq!(message, "the event `summary` that ends an answer is missing");
        }
        assert!(
            events(b"a.rs:1:x").unwrap_err().to_string().starts_with("line 1 is no event of `rg --json`")
        );
    }
}
