//! A child that is left to itself: it serves others until it is ended.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{ChildStdin, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::capture::Tail;
use super::{End, Job, Launch, StartError};

/// How much of each stream is kept: its last bytes.
const KEPT: usize = 64 * 1024;

/// How long the end of its output is waited for, once it is gone.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A running child whose output is drained; dropped, its whole tree is ended.
pub struct Service {
    job: Job,
    /// Held open: one that ends with its input ends with us, whatever becomes of us.
    _stdin: Option<ChildStdin>,
    stdout: Tail,
    stderr: Tail,
    gone: Arc<(Mutex<bool>, Condvar)>,
}

impl Service {
    /// Starts it.
    pub fn start(launch: &Launch<'_>) -> Result<Self, StartError> {
        let gone = Arc::new((Mutex::new(false), Condvar::new()));
        let told = Arc::clone(&gone);
        let (job, pipes) = Job::start(launch, Stdio::piped(), move || {
            *told.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            told.1.notify_all();
        })?;
        Ok(Self {
            job,
            _stdin: pipes.stdin,
            stdout: Tail::of(pipes.stdout, KEPT),
            stderr: Tail::of(pipes.stderr, KEPT),
            gone,
        })
    }

    /// Waits that long for it to end by itself, and says how it did.
    pub fn ended_within(&mut self, patience: Duration) -> Option<End> {
        let gone = {
            let gone = self.gone.0.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = self.gone.1.wait_timeout_while(gone, patience, |gone| !*gone);
            *waited.unwrap_or_else(PoisonError::into_inner).0
        };
        gone.then(|| self.job.finish())
    }

    /// Ends it now.
    pub fn end(&mut self) -> End {
        self.job.finish()
    }

    /// The last of what it wrote, in whole lines: to stderr, or to stdout if there is nothing.
    pub fn last_words(&mut self) -> Vec<u8> {
        let patience = if self.ended_within(Duration::ZERO).is_some() { LAST_WORDS } else { Duration::ZERO };
        let said = self.stderr.read(patience);
        if said.trim_ascii().is_empty() { self.stdout.read(patience) } else { said }
    }
}

/// A port of the loopback interface that nobody listens on now.
pub fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
