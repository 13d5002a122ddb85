//! A child that is started, read to its end, and gone.

use std::fmt;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use super::capture::{Head, ReadEnd};
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
    /// What it wrote, up to the limit.
    pub stdout: Vec<u8>,
    /// What it wrote there, up to the limit.
    pub stderr: Vec<u8>,
}

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

/// The same for a child that goes on for ever: once it has written `word` to one of its streams it is asked to end
/// (`SIGTERM`; other systems than Unix end it at once), if it does not end by itself right away. Also says whether it
/// wrote it.
pub fn run_until(
    launch: &Launch<'_>,
    bounds: Bounds,
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
        let finder = word.map(|word| memchr::memmem::Finder::new(word).into_owned());
        move |all: &[u8], from: usize| {
            let Some(finder) = &finder else { return };
            // It may have begun in the piece before.
            let from = from.saturating_sub(finder.needle().len());
            if finder.find(&all[from..]).is_some() {
                let _ = events.send(Event::Said);
            }
        }
    };
    let stdout = Head::of(pipes.stdout, bounds.stdout, listen(), read(Stream::Stdout));
    let stderr = Head::of(pipes.stderr, bounds.stderr, listen(), read(Stream::Stderr));

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
