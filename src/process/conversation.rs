//! A child that is spoken to line by line.

use std::io::Write;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::time::Duration;

use super::capture::{Piece, Tail, lines};
use super::{Deadline, End, Job, Launch, StartError};

/// How much of stderr is kept: its last bytes.
const STDERR: usize = 64 * 1024;

/// How many unread lines may wait before the child has to.
const UNREAD: usize = 8;

/// How long the end of stderr is waited for, once the child is gone.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A running child, lines in and lines out; dropped, its whole tree is ended.
///
/// Neither side can block the other for ever: lines to the child are written by one thread, lines from it read by
/// another, stderr is drained by a third. Unread lines are bounded, so that a child that floods waits.
pub struct Conversation {
    job: Job,
    to_child: Option<Sender<Vec<u8>>>,
    from_child: Receiver<Event>,
    stderr: Tail,
    ended: Option<End>,
    /// How many lines were said to it.
    said: u64,
    /// How many of them had begun to be written when the line that was heard last began to be read.
    heard_after: u64,
}

enum Event {
    Piece(Piece),
    Ended,
}

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// A line, without its end.
    Line(Vec<u8>),
    /// A line longer than allowed. Nothing can be heard after it.
    TooLong,
    /// The child ended and everything it said has been heard.
    Ended(End),
    /// The child closed its output but lives. Nothing can be heard after it.
    Closed,
    /// Nothing until the deadline.
    Nothing,
}

impl Conversation {
    /// Starts the child; a line of its output may be `longest_line` bytes long.
    pub fn start(launch: &Launch<'_>, longest_line: usize) -> Result<Self, StartError> {
        Self::start_with_notice(launch, longest_line, || ())
    }

    /// The same for one who waits for other things too: `notice` is called, from another thread, each time there is
    /// something to [`Conversation::overhear`].
    pub fn start_with_notice(
        launch: &Launch<'_>,
        longest_line: usize,
        notice: impl Fn() + Clone + Send + 'static,
    ) -> Result<Self, StartError> {
        let (events, from_child): (SyncSender<Event>, _) = mpsc::sync_channel(UNREAD);
        let tell = move |event| {
            let heard = events.send(event).is_ok();
            notice();
            heard
        };
        let ended = tell.clone();
        let (job, pipes) = Job::start(launch, Stdio::piped(), move || {
            ended(Event::Ended);
        })?;
        let (to_child, outbox) = mpsc::channel::<Vec<u8>>();
        let mut stdin = pipes.stdin.expect("stdin is piped");
        let begun = Arc::new(AtomicU64::new(0));
        let clock = Arc::clone(&begun);
        std::thread::spawn(move || {
            for line in outbox {
                begun.fetch_add(1, Ordering::SeqCst);
                if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
                    return; // the child has closed its input; that it does not answer will tell
                }
            }
        });
        let clock = move || clock.load(Ordering::SeqCst);
        lines(pipes.stdout, longest_line, clock, move |piece| tell(Event::Piece(piece)));
        let stderr = Tail::of(pipes.stderr, STDERR);
        let to_child = Some(to_child);
        Ok(Self { job, to_child, from_child, stderr, ended: None, said: 0, heard_after: 0 })
    }

    /// Sends a line; its end is added. Never blocks.
    pub fn say(&mut self, line: &str) {
        if let Some(to_child) = &self.to_child {
            let _ = to_child.send(format!("{line}\n").into_bytes());
            self.said += 1;
        }
    }

    /// The next line, or why there is none.
    pub fn hear(&mut self, deadline: Deadline) -> Heard {
        loop {
            match self.from_child.recv_timeout(deadline.left()) {
                Ok(Event::Piece(Piece::Line(line, heard_after))) => {
                    self.heard_after = heard_after;
                    return Heard::Line(line);
                }
                Ok(Event::Piece(Piece::TooLong)) => return Heard::TooLong,
                Ok(Event::Piece(Piece::Closed)) => match self.ended {
                    Some(end) => return Heard::Ended(end),
                    None => return self.closed(deadline),
                },
                // What it wrote before its end may still be in the pipe; with the whole tree gone the pipe has an end.
                Ok(Event::Ended) => self.ended = Some(self.job.finish()),
                Err(_) => return self.ended.map_or(Heard::Nothing, Heard::Ended),
            }
        }
    }

    /// The line that was heard last was there, or its first byte was, before what was said last began to be written: it
    /// cannot be a reply to that.
    pub fn was_early(&self) -> bool {
        self.heard_after < self.said
    }

    /// Output that closes is followed by the child's end, unless it lives on.
    fn closed(&mut self, deadline: Deadline) -> Heard {
        match self.from_child.recv_timeout(deadline.left().min(LAST_WORDS)) {
            Ok(Event::Ended) => {
                let end = self.job.finish();
                self.ended = Some(end);
                Heard::Ended(end)
            }
            Ok(Event::Piece(_)) | Err(_) => Heard::Closed,
        }
    }

    /// What is there already, without waiting; of a child that has ended, first what it said before.
    pub fn overhear(&mut self) -> Option<Heard> {
        match self.hear(Deadline::after(Duration::ZERO)) {
            Heard::Nothing => None,
            Heard::Ended(_) => Some(self.hear(Deadline::after(LAST_WORDS))),
            Heard::Closed => Some(self.closed(Deadline::after(LAST_WORDS))),
            heard => Some(heard),
        }
    }

    /// Closes the child's input, lets it end by itself until the deadline, and ends what is left.
    pub fn hang_up(&mut self, deadline: Deadline) -> End {
        self.to_child = None;
        while self.ended.is_none() {
            match self.hear(deadline) {
                Heard::Line(_) => {}
                Heard::Ended(_) | Heard::Nothing | Heard::TooLong | Heard::Closed => break,
            }
        }
        self.end()
    }

    /// Ends the child now.
    pub fn end(&mut self) -> End {
        let end = self.job.finish();
        *self.ended.get_or_insert(end)
    }

    /// The last of what it wrote to stderr, in whole lines.
    pub fn last_words(&self) -> Vec<u8> {
        self.stderr.read(if self.ended.is_some() { LAST_WORDS } else { Duration::ZERO })
    }
}
