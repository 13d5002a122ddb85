//! The same work on several threads.

use std::panic::resume_unwind;
use std::thread;

/// More threads than this help nowhere: files are read and queries answered by the cores there are.
const MOST: usize = 256;

/// Does `work` on so many threads at once, this one among them, and hands over what each made of it. Where the system has
/// no thread left, fewer do it: `work` takes from a common store until that is empty.
pub fn on_threads<T: Send>(wanted: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let start = || thread::Builder::new().spawn_scoped(scope, &work).ok();
        let others: Vec<_> = (1..wanted.min(MOST)).map_while(|_| start()).collect();
        let own = work();
        let join = |other: thread::ScopedJoinHandle<'_, T>| {
            other.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        std::iter::once(own).chain(others.into_iter().map(join)).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn everything_is_done_once_however_many_threads_are_wanted() {
        for wanted in [0, 1, 3, usize::MAX] {
            let next = AtomicUsize::new(0);
            let take = || {
                let taken =
                    std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < 1000));
                taken.collect::<Vec<_>>()
            };
            let done = on_threads(wanted, take);
            assert!(done.len() <= MOST, "{}", done.len());
            let mut done: Vec<_> = done.into_iter().flatten().collect();
            done.sort_unstable();
            assert_eq!(done, (0..1000).collect::<Vec<_>>(), "{wanted}");
        }
    }
}
