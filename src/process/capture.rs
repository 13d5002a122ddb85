//! Reading a pipe from a thread of its own, in bounded memory.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How a reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadEnd {
    /// The other side closed the pipe.
    Closed,
    /// It wrote more than the limit.
    Flood,
}

/// How much of a stream is read, and how much of that is kept.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) limit: usize,
    pub(super) keep: usize,
}

/// The first bytes of a stream, up to a limit.
#[derive(Clone, Default)]
pub(super) struct Head(Arc<Mutex<Vec<u8>>>);

impl Head {
    /// Reads in a thread until the stream closes or exceeds `limit`, then calls `done`; the first `keep` bytes are kept.
    /// Each piece is shown to `seen` as it comes, up to the limit.
    pub(super) fn of(
        mut source: impl Read + Send + 'static,
        Size { limit, keep }: Size,
        mut seen: impl FnMut(&[u8]) + Send + 'static,
        done: impl FnOnce(ReadEnd) + Send + 'static,
    ) -> Self {
        let head = Self::default();
        let kept = head.clone();
        thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            let mut room = limit;
            done(loop {
                match source.read(&mut buffer) {
                    Ok(0) => break ReadEnd::Closed,
                    Ok(count) => {
                        let piece = &buffer[..count.min(room)];
                        kept.extend(&piece[..piece.len().min(keep.saturating_sub(limit - room))]);
                        seen(piece);
                        if count > room {
                            break ReadEnd::Flood;
                        }
                        room -= count;
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => break ReadEnd::Closed,
                }
            });
        });
        head
    }

    fn extend(&self, piece: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(piece);
    }

    /// What was kept of what has been read so far; it is taken away.
    pub(super) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The last bytes of a stream that may go on for ever.
#[derive(Clone, Default)]
pub(super) struct Tail(Arc<(Mutex<TailState>, Condvar)>);

#[derive(Default)]
struct TailState {
    bytes: VecDeque<u8>,
    cut: bool,
    closed: bool,
}

impl Tail {
    /// Reads in a thread until the stream closes, keeping the last `limit` bytes.
    pub(super) fn of(mut source: impl Read + Send + 'static, limit: usize) -> Self {
        let tail = Self::default();
        let shared = tail.clone();
        thread::spawn(move || {
            let mut buffer = vec![0; 16 * 1024];
            loop {
                let count = match source.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(_) => break,
                };
                let mut state = shared.0.0.lock().unwrap_or_else(PoisonError::into_inner);
                state.bytes.extend(&buffer[..count]);
                let excess = state.bytes.len().saturating_sub(limit);
                state.cut |= excess > 0;
                state.bytes.drain(..excess);
            }
            shared.0.0.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
            shared.0.1.notify_all();
        });
        tail
    }

    /// The tail, once the stream has closed or `patience` has run out. A first line that was cut is left out, so that
    /// half a secret is never shown.
    pub(super) fn read(&self, patience: Duration) -> Vec<u8> {
        let state = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.1.wait_timeout_while(state, patience, |state| !state.closed);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = state.bytes.iter().copied().collect();
        match bytes.iter().position(|byte| *byte == b'\n') {
            Some(at) if state.cut => bytes[at + 1..].to_vec(),
            None if state.cut => Vec::new(),
            _ => bytes,
        }
    }
}

/// What a reader of lines hands over.
#[derive(Debug)]
pub(super) enum Piece {
    /// A whole line without its end, and what the clock said when its first byte was read.
    Line(Vec<u8>, u64),
    /// A line longer than allowed; reading stops there.
    TooLong,
    /// The other side closed the pipe. A last line without an end is half a line, and none.
    Closed,
}

/// A stream that remembers when it was last read from.
struct Clocked<R, C> {
    source: R,
    clock: C,
    read_at: u64,
}

impl<R: Read, C: Fn() -> u64> Read for Clocked<R, C> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.read_at = (self.clock)();
        Ok(count)
    }
}

/// Reads lines of at most `limit` bytes in a thread until `hand_over` declines, the stream closes or a line is too
/// long. `clock` counts whatever matters to who asks when a line began.
pub(super) fn lines(
    source: impl Read + Send + 'static,
    limit: usize,
    clock: impl Fn() -> u64 + Send + 'static,
    mut hand_over: impl FnMut(Piece) -> bool + Send + 'static,
) {
    thread::spawn(move || {
        let source = Clocked { source, clock, read_at: 0 };
        let mut source = BufReader::with_capacity(64 * 1024, source);
        loop {
            let mut line = Vec::new();
            // Waits for the line's first byte; what is in the buffer was read at once.
            let _ = source.fill_buf();
            let began = source.get_ref().read_at;
            // One byte more for the line's end tells a line of just `limit` bytes from a longer one.
            let allowed = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
            let read = source.by_ref().take(allowed).read_until(b'\n', &mut line);
            let ended = line.last() == Some(&b'\n');
            if ended {
                line.pop();
            }
            let piece = match read {
                Ok(_) if ended => Piece::Line(line, began),
                Ok(_) if line.len() > limit => Piece::TooLong,
                Ok(_) | Err(_) => Piece::Closed,
            };
            let last = !matches!(piece, Piece::Line(..));
            if !hand_over(piece) || last {
                return;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn read_lines(text: &'static [u8], limit: usize) -> Vec<String> {
        let (sender, receiver) = mpsc::channel();
        lines(text, limit, || 0, move |piece| sender.send(piece).is_ok());
        let told = |piece| match piece {
            Piece::Line(line, _) => format!("line {}", String::from_utf8_lossy(&line)),
            Piece::TooLong => "too long".to_owned(),
            Piece::Closed => "closed".to_owned(),
        };
        receiver.iter().map(told).collect()
    }

    #[test]
    fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
        assert_eq!(read_lines(b"ab\n\nabc\nx", 3), ["line ab", "line ", "line abc", "closed"]);
        assert_eq!(read_lines(b"abcd\nx\n", 3), ["too long"]);
        assert_eq!(read_lines(b"abcd", 3), ["too long"]);
        assert_eq!(read_lines(b"abc", 3), ["closed"]);
    }

    /// A stream whose every piece is read at the next hour.
    struct Pieces(std::vec::IntoIter<&'static [u8]>, std::sync::Arc<std::sync::atomic::AtomicU64>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let piece = self.0.next().unwrap_or_default();
            buffer[..piece.len()].copy_from_slice(piece);
            self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Ok(piece.len())
        }
    }

    #[test]
    fn a_line_began_when_its_first_byte_was_read() {
        let hour = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
        let pieces: Vec<&[u8]> = vec![b"a\nb\nc", b"c\n", b"d\n"];
        let source = Pieces(pieces.into_iter(), std::sync::Arc::clone(&hour));
        let (sender, receiver) = mpsc::channel();
        let clock = move || hour.load(std::sync::atomic::Ordering::Relaxed);
        lines(source, 9, clock, move |piece| sender.send(piece).is_ok());
        let began = |piece| match piece {
            Piece::Line(_, began) => Some(began),
            _ => None,
        };
        assert_eq!(receiver.iter().filter_map(began).collect::<Vec<_>>(), [1, 1, 1, 3]);
    }

    #[test]
    fn a_head_keeps_the_first_bytes_and_tells_a_flood() {
        for (limit, read, end) in
            [(3, "abc", ReadEnd::Flood), (4, "abcd", ReadEnd::Closed), (9, "abcd", ReadEnd::Closed)]
        {
            for keep in [0, 1, 3, 9] {
                let (sender, receiver) = mpsc::channel();
                let (pieces, shown) = mpsc::channel();
                let seen = move |piece: &[u8]| pieces.send(piece.to_vec()).unwrap();
                // In two pieces, as a pipe may bring them.
                let source = b"a".chain(&b"bcd"[..]);
                let head = Head::of(source, Size { limit, keep }, seen, move |end| sender.send(end).unwrap());
                assert_eq!(receiver.recv(), Ok(end));
                assert_eq!(head.take(), &read.as_bytes()[..keep.min(read.len())]);
                assert_eq!(shown.iter().collect::<Vec<_>>(), [b"a", &read.as_bytes()[1..]]);
            }
        }
    }

    #[test]
    fn a_tail_keeps_the_last_whole_lines() {
        let read = |text: &'static [u8], limit| Tail::of(text, limit).read(Duration::from_mins(1));
        assert_eq!(read(b"one\ntwo\nthree\n", 100), b"one\ntwo\nthree\n");
        assert_eq!(read(b"one\ntwo\nthree\n", 8), b"three\n");
        assert_eq!(read(b"one long line", 4), b"");
    }
}
