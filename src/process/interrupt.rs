//! What ends us ends our children first.

use std::sync::Once;

/// From now on a panic, Ctrl-C (`SIGINT`), `SIGTERM` or `SIGHUP` ends every running job before it ends this process.
/// Called once, by `main`: in a library or a test a panic is not the end.
pub fn end_jobs_with_us() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            report(panic);
            end_all();
        }));
        #[cfg(unix)]
        watch_signals();
    });
}

#[cfg(unix)]
fn watch_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // Refused only for signals that cannot be caught, which these can.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            end_all();
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
