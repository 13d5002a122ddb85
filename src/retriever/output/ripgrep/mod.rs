//! What `rg --json` prints: an event a line.
//!
//! Files rank by how many different texts matched in them, then by how often any did, then by path. What is printed is
//! in the order in which threads finished, which means nothing.
//!
//! A common word makes hundreds of megabytes of events, nearly all of it the lines around the matches, so they are read as
//! they come and nothing of a line is kept but what matched.

mod event;

use std::collections::HashSet;

use memchr::memchr;

use self::event::Event;
use super::OutputProblem;
use crate::ranking::RawHit;
use crate::retriever::lexicon::Lexicon;

/// So many bytes of paths, of texts that matched, of what counts them and of an unfinished line are kept.
const MOST_KEPT: usize = 16 << 20;

/// What a pair of numbers takes in a set, which is never full.
const PAIR: usize = 20;

/// Reads events as they come, in pieces that end anywhere.
///
/// A million files must not be a million pieces of memory, which no allocator gives back whole: everything is a number, and
/// lies in a few lists that grow.
#[derive(Debug, Default)]
pub(super) struct Events {
    paths: Lexicon,
    /// What matched, by path.
    counts: Vec<Count>,
    /// The texts that matched, as they stand there.
    spelled: Lexicon,
    /// … in lower case.
    lower: Lexicon,
    /// Which of those in lower case one is, by text as it stands there.
    lower_of: Vec<u32>,
    /// Path and text in lower case.
    seen: HashSet<(u32, u32)>,
    /// Path and text of the last match: most often the next is the same.
    last: Option<(u32, u32)>,
    /// The beginning of a line whose end is still to come.
    unfinished: Vec<u8>,
    /// Lines that ended.
    lines: usize,
    /// The event that ends an answer was there.
    ended: bool,
    /// Reading stops at the first.
    problem: Option<OutputProblem>,
}

/// What matched in one file.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    different: u32,
    times: u32,
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
        let mut files: Vec<_> =
            (0..).zip(&self.counts).map(|(path, count)| (score(*count), self.paths.text(path))).collect();
        files.sort_by(|(a, a_path), (b, b_path)| b.total_cmp(a).then_with(|| a_path.cmp(b_path)));
        Ok(files
            .into_iter()
            .map(|(score, path)| RawHit { score: Some(score), ..RawHit::file(path) })
            .collect())
    }

    fn line(&mut self, line: &[u8]) {
        self.lines += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = line.strip_prefix(b"\xef\xbb\xbf").filter(|_| self.lines == 1).unwrap_or(line);
        if line.is_empty() {
            return;
        }
        // Of two answers the second may be half of one.
        let event = if self.ended {
            Err("follows the event `summary`, which ends an answer".to_owned())
        } else {
            self.event(line)
        };
        match event {
            Ok(()) => self.check_room(),
            Err(what) => {
                self.problem = Some(OutputProblem::new(format!("line {} {what}", self.lines)));
            }
        }
    }

    fn event(&mut self, line: &[u8]) -> Result<(), String> {
        match event::read(line)? {
            Event::Match { path, matched } => {
                let path = self.path(&path);
                for matched in matched {
                    self.add(path, &matched?);
                }
            }
            Event::Summary => self.ended = true,
            Event::Other => {}
        }
        Ok(())
    }

    fn path(&mut self, path: &str) -> u32 {
        if let Some((last, _)) = self.last.filter(|(last, _)| self.paths.text(*last) == path) {
            return last;
        }
        let number = self.paths.intern(path);
        if self.paths.len() > self.counts.len() {
            self.counts.push(Count::default());
        }
        number
    }

    fn add(&mut self, path: u32, matched: &str) {
        let count = &mut self.counts[path as usize];
        count.times = count.times.saturating_add(1);
        if self.last.is_some_and(|(last, text)| last == path && self.spelled.text(text) == matched) {
            return;
        }
        let text = self.spelled.intern(matched);
        if self.spelled.len() > self.lower_of.len() {
            self.lower_of.push(self.lower.intern(&matched.to_lowercase()));
        }
        if self.seen.insert((path, self.lower_of[text as usize])) {
            count.different += 1;
        }
        self.last = Some((path, text));
    }

    /// Bytes that are kept.
    fn kept(&self) -> usize {
        let texts = [&self.paths, &self.spelled, &self.lower].map(Lexicon::bytes).iter().sum::<usize>();
        let numbers = size_of_val(&*self.counts) + size_of_val(&*self.lower_of) + PAIR * self.seen.len();
        texts + numbers + self.unfinished.len()
    }

    fn check_room(&mut self) {
        if self.kept() > MOST_KEPT {
            let most = MOST_KEPT >> 20;
            let what = format!(
                "its paths, what matched, or one line of it, are more than {most} MiB; ask it for less"
            );
            self.problem = Some(OutputProblem::new(what));
        }
    }
}

/// Everything that was printed, at once.
pub(super) fn events(bytes: &[u8]) -> Result<Vec<RawHit>, OutputProblem> {
    let mut events = Events::default();
    events.hear(bytes);
    events.finish()
}

/// Both counts in one number, exactly: the first is below 2^21, the second below 2^32.
fn score(Count { different, times }: Count) -> f64 {
    f64::from(different.min((1 << 21) - 1)) * 4_294_967_296.0 + f64::from(times)
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
    fn many_small_things_are_kept_in_little_room() {
        let size = |heard: &Events| {
            let numbers = size_of_val(&*heard.counts) + size_of_val(&*heard.lower_of);
            numbers + heard.kept()
        };
        for distinct in [false, true] {
            let mut heard = Events::default();
            let mut heard_of = 0;
            while heard.problem.is_none() {
                let (path, word) = if distinct {
                    ("a".to_owned(), format!("w{heard_of}"))
                } else {
                    (heard_of.to_string(), "w".to_owned())
                };
                heard.hear((matched(&path, &[&word]) + "\n").as_bytes());
                heard_of += 1;
            }
            assert!((150_000..400_000).contains(&heard_of), "{heard_of}");
            assert!(size(&heard) < 2 * MOST_KEPT);
        }
    }

    #[test]
    fn nothing_follows_the_end_of_an_answer() {
        let one = [matched("a", &["x"]), END.to_owned()].join("\n");
        assert_eq!(events(format!("\u{feff}{one}\n\r\n\n").as_bytes()).unwrap().len(), 1);
        for more in [END, &matched("b", &["x"]), r#"{"type":"begin","data":{"path":{"text":"b"}}}"#, "x"] {
            let told = events(format!("{one}\n\n{more}").as_bytes()).unwrap_err().to_string();
            assert_eq!(told, "line 4 follows the event `summary`, which ends an answer");
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_in_what_is_read() {
        let line = matched("a\\b", &["x"]);
        assert_eq!(events(format!("{line}\n{END}").as_bytes()).unwrap().len(), 1);
        for (from, to) in [
            (r#""type":"match""#, r#""type":"match","type":"match""#),
            (r#""line_number":1"#, r#""line_number":1,"line_number":1"#),
            (r#""text":"x""#, r#""text":"x","bytes":"eA==""#),
        ] {
            let bad = line.replace(from, to);
            assert_ne!(bad, line);
            assert!(events(format!("{bad}\n{END}").as_bytes()).is_err(), "{bad}");
        }
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
