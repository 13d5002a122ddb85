//! Ending what a job started where there is no `/proc`: the process group on Unix, the child alone elsewhere.

use std::process::Child;
use std::sync::{Mutex, PoisonError};

/// Nothing to do here: orphans cannot be adopted.
pub(super) fn adopt_orphans() {}

/// Nothing to do here: a pipe is as wide as it is.
pub(super) fn widen<P>(_pipe: P) {}

/// Blocks until the child has ended, and leaves it unreaped, so that its id stays its own.
#[cfg(unix)]
pub(super) fn wait_unreaped(child: &Mutex<Child>) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let id = child.lock().unwrap_or_else(PoisonError::into_inner).id();
    let pid = Pid::from_raw(id.cast_signed()).expect("a process id is positive");
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while waitid(WaitId::Pid(pid), options).is_err_and(|error| error == rustix::io::Errno::INTR) {}
}

/// Blocks until the child has ended. There is no handle that can be shared, so this looks every few milliseconds.
#[cfg(not(unix))]
pub(super) fn wait_unreaped(child: &Mutex<Child>) {
    while let Ok(None) = child.lock().unwrap_or_else(PoisonError::into_inner).try_wait() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// Kills what can be reached and waits for the child itself.
pub(super) fn end(_id: u32, _marker: &str, child: &Mutex<Child>) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(_id.cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
    wait_unreaped(child);
}
