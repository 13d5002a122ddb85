//! A child that is started, read to its end, and gone.

use std::fmt;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use memchr::memmem::Finder;

use super::capture::{Head, ReadEnd, Size};
use super::{Deadline, End, Job, Launch, StartError};

/// How long the pipes of an ended tree may take to close. Where a tree is ended whole they are closed already.
const PIPES_CLOSE: Duration = Duration::from_secs(2);

/// How long a child that has said that it is ready is left alone: one that is about to fail ends by itself.
const OWN_END: Duration = Duration::from_millis(250);

/// What a child may use.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// It is ended when this passes.
    pub deadline: Deadline,
    /// Most bytes on stdout.
    pub stdout: usize,
    /// Most bytes on stderr.
    pub stderr: usize,
}

/// One of a child's output streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        })
    }
}

/// What a child left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// What it wrote, up to the limit; of what somebody listened to, the beginning.
    pub stdout: Vec<u8>,
    /// What it wrote there, up to the limit.
    pub stderr: Vec<u8>,
}

/// Who hears stdout as it comes.
type Ear = Box<dyn FnMut(&[u8]) + Send>;

enum Event {
    Ended,
    Read(Stream, ReadEnd),
    /// It wrote what was waited for.
    Said,
}

/// Starts a child with an empty stdin and waits until it ends or exceeds its bounds; either way nothing of it is left
/// running.
pub fn run(launch: &Launch<'_>, bounds: Bounds) -> Result<Finished, StartError> {
    run_until(launch, bounds, None).map(|(finished, _)| finished)
}

/// The same for a child that writes more than need be kept: `listener` hears each piece of stdout as it comes, in another
/// thread, and the first `keep` bytes are kept.
pub fn run_heard(
    launch: &Launch<'_>,
    bounds: Bounds,
    keep: usize,
    listener: impl FnMut(&[u8]) + Send + 'static,
) -> Result<Finished, StartError> {
    watch(launch, bounds, keep, Box::new(listener), None).map(|(finished, _)| finished)
}

/// As [`run`], for a child that goes on for ever: once it has written `word` to one of its streams it is asked to end
/// (`SIGTERM`; other systems than Unix end it at once), if it does not end by itself right away. Also says whether it
/// wrote it.
pub fn run_until(
    launch: &Launch<'_>,
    bounds: Bounds,
    word: Option<&str>,
) -> Result<(Finished, bool), StartError> {
    watch(launch, bounds, bounds.stdout, Box::new(|_| {}), word)
}

/// Looks for a word in what comes in pieces.
struct Listening<'a> {
    finder: Finder<'a>,
    /// The word may have begun in the piece before.
    window: Vec<u8>,
}

impl Listening<'_> {
    fn hears(&mut self, piece: &[u8]) -> bool {
        self.window.extend_from_slice(piece);
        let found = self.finder.find(&self.window).is_some();
        let rest = self.window.len().min(self.finder.needle().len().saturating_sub(1));
        self.window.drain(..self.window.len() - rest);
        found
    }
}

fn watch(
    launch: &Launch<'_>,
    bounds: Bounds,
    keep: usize,
    mut ear: Ear,
    word: Option<&str>,
) -> Result<(Finished, bool), StartError> {
    let (events, inbox) = mpsc::channel();
    let tell = |event: fn() -> Event| {
        let events = events.clone();
        move || drop(events.send(event()))
    };
    let (mut job, pipes) = Job::start(launch, Stdio::null(), tell(|| Event::Ended))?;
    let read = |stream: Stream| {
        let events = events.clone();
        move |end| drop(events.send(Event::Read(stream, end)))
    };
    let listen = || {
        let events = events.clone();
        let mut listening =
            word.map(|word| Listening { finder: Finder::new(word).into_owned(), window: Vec::new() });
        move |piece: &[u8]| {
            if listening.as_mut().is_some_and(|listening| listening.hears(piece)) {
                let _ = events.send(Event::Said);
            }
        }
    };
    let mut for_word = listen();
    let heard = move |piece: &[u8]| {
        ear(piece);
        for_word(piece);
    };
    let size = Size { limit: bounds.stdout, keep };
    let stdout = Head::of(pipes.stdout, size, heard, read(Stream::Stdout));
    let size = Size { limit: bounds.stderr, keep: bounds.stderr };
    let stderr = Head::of(pipes.stderr, size, listen(), read(Stream::Stderr));

    let flood = |stream| End::Flood {
        stream,
        limit: match stream {
            Stream::Stdout => bounds.stdout,
            Stream::Stderr => bounds.stderr,
        },
    };
    let mut open = 2;
    let (mut ours, mut said) = (None, false);
    let mut ask_to_end: Option<Deadline> = None;
    // Closed output is no end: only the child's own end, a flood or the clock is.
    loop {
        let next = ask_to_end.map_or(bounds.deadline, |ask| ask.min(bounds.deadline));
        match inbox.recv_timeout(next.left()) {
            Ok(Event::Read(_, ReadEnd::Closed)) => open -= 1,
            Ok(Event::Read(stream, ReadEnd::Flood)) => {
                open -= 1;
                ours = Some(flood(stream));
                break;
            }
            Ok(Event::Said) => {
                if !said {
                    ask_to_end = Some(Deadline::after(OWN_END));
                }
                said = true;
            }
            Ok(Event::Ended) => break,
            Err(_) if ask_to_end.take().is_some() => job.ask_to_end(),
            Err(_) => {
                ours = Some(End::Timeout);
                break;
            }
        }
    }
    let end = job.finish();
    let patience = Deadline::after(PIPES_CLOSE);
    while open > 0 {
        match inbox.recv_timeout(patience.left()) {
            Ok(Event::Read(stream, end)) => {
                open -= 1;
                if end == ReadEnd::Flood {
                    ours = ours.or(Some(flood(stream)));
                }
            }
            Ok(Event::Said) => said = true,
            Ok(Event::Ended) => {}
            Err(_) => break,
        }
    }
    Ok((Finished { end: ours.unwrap_or(end), stdout: stdout.take(), stderr: stderr.take() }, said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_heard_however_it_is_cut() {
        let said = b"it is ready now";
        for cut in 0..said.len() {
            let mut listening = Listening { finder: Finder::new("ready"), window: Vec::new() };
            let heard = [&said[..cut], &said[cut..]].map(|piece| listening.hears(piece));
            assert_eq!(heard.iter().filter(|heard| **heard).count(), 1, "{cut}");
            assert!(!listening.hears(b"y"), "nothing is heard twice");
        }
        let mut listening = Listening { finder: Finder::new("ready"), window: Vec::new() };
        assert!(!said[..10].chunks(1).any(|piece| listening.hears(piece)));
        assert!(listening.hears(b"y"));
    }
}
