//! What ends us ends our children first, and takes our folders with it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, Once, PoisonError};
use std::time::Duration;

/// From now on a panic, or a signal that would end this process and can be caught, ends every running job and removes
/// our folders before it ends this process. Called once, by `main`: in a library or a test a panic is not the end.
pub fn end_jobs_with_us() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            report(panic);
            end_all(); // the folders go while the stack unwinds
        }));
        #[cfg(unix)]
        watch_signals();
    });
}

/// A signal is ending this process.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Waits for the end if a signal is about to end this process. What a retriever said after its process was ended is no
/// answer: nothing may be judged, reported or recorded of it.
pub fn wait_if_interrupted() {
    while INTERRUPTED.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

/// How many [`Undivided`] there are.
static UNDIVIDED: Mutex<usize> = Mutex::new(0);

/// One of them ended.
static DIVISIBLE: Condvar = Condvar::new();

/// The longest a signal waits for what must not be divided: a disk that hangs must not keep us.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is done while this is held comes to its end before a signal ends this process: a file beside another that is to
/// take its place, or the second of two that belong together. Once a signal is there none begins any more, but within
/// another one.
#[derive(Debug)]
#[must_use]
pub struct Undivided(());

/// Begins it.
pub fn undivided() -> Undivided {
    let mut held = UNDIVIDED.lock().unwrap_or_else(PoisonError::into_inner);
    if *held == 0 && INTERRUPTED.load(Ordering::SeqCst) {
        drop(held);
        wait_if_interrupted();
        held = UNDIVIDED.lock().unwrap_or_else(PoisonError::into_inner);
    }
    *held += 1;
    Undivided(())
}

impl Drop for Undivided {
    fn drop(&mut self) {
        *UNDIVIDED.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        DIVISIBLE.notify_all();
    }
}

/// Waits until nothing is held, but not for ever.
#[cfg(unix)]
fn wait_for_the_undivided() {
    let held = UNDIVIDED.lock().unwrap_or_else(PoisonError::into_inner);
    drop(DIVISIBLE.wait_timeout_while(held, PATIENCE, |held| *held > 0));
}

/// The signals whose default is to end a process, without those that tell of a fault of its own: after such a one there
/// is nothing to go back to. `SIGPIPE` is a failed write here.
#[cfg(unix)]
fn fatal_signals() -> Vec<i32> {
    use signal_hook::consts as signal;
    let fatal = [
        signal::SIGINT,
        signal::SIGTERM,
        signal::SIGHUP,
        signal::SIGQUIT,
        signal::SIGABRT,
        signal::SIGALRM,
        signal::SIGVTALRM,
        signal::SIGPROF,
        signal::SIGUSR1,
        signal::SIGUSR2,
        signal::SIGXCPU,
        signal::SIGXFSZ,
    ];
    let ignored = ignored_signals();
    fatal.into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0).collect()
}

/// The signals that whoever started us wants ignored, as `nohup` does, as a bit set.
#[cfg(target_os = "linux")]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0)
}

/// There is no safe way to ask.
#[cfg(all(unix, not(target_os = "linux")))]
fn ignored_signals() -> u64 {
    0
}

#[cfg(unix)]
fn watch_signals() {
    // Refused only for signals that cannot be caught, which these can.
    let Ok(mut signals) = signal_hook::iterator::Signals::new(fatal_signals()) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            INTERRUPTED.store(true, Ordering::SeqCst);
            end_all();
            super::scratch::remove_all();
            wait_for_the_undivided();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

/// No further child starts; every job ends.
fn end_all() {
    let jobs: Vec<_> = {
        let mut registry = super::registry::lock();
        registry.closed = true;
        registry.jobs.iter().map(|(id, job)| (*id, job.clone())).collect()
    };
    for (id, job) in jobs {
        super::tree::end(id, &job.marker, &job.child);
    }
}
