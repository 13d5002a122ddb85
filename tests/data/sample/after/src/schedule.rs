//! When the next copy is due.

/// The next time after `now` at which a copy is due.
pub fn next_run(every: Every, now: Instant) -> Option<Instant> {
    every.after(now)
}
