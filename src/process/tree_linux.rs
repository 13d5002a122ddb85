//! Finding and ending everything a job started (Linux).

use std::collections::BTreeMap;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Child;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::pipe::fcntl_setpipe_size;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, getpgrp, kill_process, kill_process_group,
    pidfd_open, pidfd_send_signal, set_child_subreaper, waitid, waitpid,
};

use super::registry::{self, Registry};
use super::{Deadline, MARKER};

/// How long a killed tree is waited for: only a process stuck inside the system takes longer than an instant.
const PATIENCE: Duration = Duration::from_secs(10);

/// From now on orphans of our children become ours, so that they can be found and reaped.
pub(super) fn adopt_orphans() {
    // A kernel that refuses leaves us the process group and the marker.
    let _ = set_child_subreaper(Some(Pid::INIT));
}

/// Makes a pipe as wide as anyone may: whoever writes megabytes then waits sixteen times less often to be read.
pub(super) fn widen(pipe: impl AsFd) {
    // One that stays narrow is slower and no different: there is a limit for all pipes of a user.
    let _ = fcntl_setpipe_size(pipe, 1 << 20);
}

/// Blocks until the child has ended, and leaves it unreaped, so that its id stays its own.
pub(super) fn wait_unreaped(child: &Mutex<Child>) {
    let id = child.lock().unwrap_or_else(PoisonError::into_inner).id();
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while waitid(WaitId::Pid(pid(id)), options).is_err_and(|error| error == Errno::INTR) {}
}

/// Kills the job's process group and every descendant, wherever it went, and waits until all are gone. The child
/// itself is left for its owner to reap.
pub(super) fn end(id: u32, marker: &str, _child: &Mutex<Child>) {
    let _ = kill_process_group(pid(id), Signal::KILL);
    let deadline = Deadline::after(PATIENCE);
    let mut second_looks = 5;
    while !deadline.passed() {
        let handles: Vec<_> = {
            let registry = registry::lock();
            let found = search(id, marker, &registry);
            if found.members.is_empty() {
                if !found.unsure || second_looks == 0 {
                    return;
                }
                second_looks -= 1;
            }
            found.members.iter().filter_map(kill).collect()
        };
        await_an_end(&handles);
    }
}

/// The living processes of a job.
struct Found {
    members: Vec<Process>,
    /// There is an orphan without any environment, as a process has for an instant inside `execve`.
    unsure: bool,
}

/// Walks from us downwards: a process belongs to the job if its parent does, if it is in the job's process group or
/// carries its marker. Orphans that are dead already are reaped on the way.
fn search(id: u32, marker: &str, registry: &Registry) -> Found {
    let us = std::process::id();
    let our_group = getpgrp().as_raw_nonzero().get().cast_unsigned();
    let last_job = registry.closed || registry.jobs.keys().all(|other| *other == id);
    let mut children: BTreeMap<u32, Vec<Process>> = BTreeMap::new();
    for process in processes() {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found = Found { members: Vec::new(), unsure: false };
    let mut ahead = vec![(us, false)];
    while let Some((parent, belongs)) = ahead.pop() {
        for process in children.remove(&parent).unwrap_or_default() {
            // A child of ours that stayed in our own process group was not started as a job: none of our business.
            let adopted =
                parent == us && process.group != our_group && !registry.jobs.contains_key(&process.id);
            if process.dead {
                if adopted {
                    let _ = waitpid(Some(pid(process.id)), WaitOptions::NOHANG);
                }
                continue;
            }
            let mark = Mark::of(process.id);
            let belongs = belongs
                || process.id == id
                || process.group == id
                || mark.is(marker)
                || (adopted && last_job && !matches!(mark, Mark::Job(_)));
            found.unsure |= adopted && !belongs && matches!(mark, Mark::NoEnvironment);
            ahead.push((process.id, belongs));
            if belongs {
                found.members.push(process);
            }
        }
    }
    found
}

/// One process, as `/proc/ID/stat` shows it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Process {
    id: u32,
    parent: u32,
    group: u32,
    dead: bool,
    started: u64,
}

impl Process {
    fn read(id: u32) -> Option<Self> {
        // The kernel writes it anew for each piece that is asked for; it fits in one, being a name and 51 numbers.
        let mut stat = [0; 2048];
        let length = std::fs::File::open(format!("/proc/{id}/stat")).ok()?.read(&mut stat).ok()?;
        let stat = &stat[..length];
        // The name in parentheses may hold anything, parentheses too: the fields follow the last one.
        let after = stat.iter().rposition(|byte| *byte == b')')? + 1;
        let fields: Vec<&str> = std::str::from_utf8(&stat[after..]).ok()?.split_ascii_whitespace().collect();
        let threads: u64 = fields.get(17)?.parse().ok()?;
        Some(Self {
            id,
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            // A process whose first thread has ended looks dead too, until its other threads end.
            dead: matches!(*fields.first()?, "Z" | "X") && threads <= 1,
            started: fields.get(19)?.parse().ok()?,
        })
    }
}

fn processes() -> Vec<Process> {
    let Ok(folder) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(Process::read).collect()
}

/// What a process's environment says of its job.
enum Mark {
    Job(Vec<u8>),
    Unmarked,
    NoEnvironment,
}

impl Mark {
    fn of(id: u32) -> Self {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        if environment.is_empty() {
            return Self::NoEnvironment;
        }
        let value = environment
            .split(|byte| *byte == 0)
            .find_map(|variable| variable.strip_prefix(MARKER.as_bytes())?.strip_prefix(b"="));
        value.map_or(Self::Unmarked, |value| Self::Job(value.to_vec()))
    }

    /// It is that job's, or that of a Rankhold inside it.
    fn is(&self, marker: &str) -> bool {
        match self {
            Self::Job(value) => value
                .strip_prefix(marker.as_bytes())
                .is_some_and(|rest| rest.first().is_none_or(|next| *next == b'.')),
            Self::Unmarked | Self::NoEnvironment => false,
        }
    }
}

/// Kills exactly that process, and returns a handle to wait on if the kernel has such handles.
fn kill(process: &Process) -> Option<OwnedFd> {
    match pidfd_open(pid(process.id), PidfdFlags::empty()) {
        Ok(handle) => {
            // The handle is to whatever has that id now: the same process if it started at the same time.
            if Process::read(process.id).is_some_and(|now| now.started == process.started) {
                let _ = pidfd_send_signal(&handle, Signal::KILL);
            }
            Some(handle)
        }
        Err(Errno::SRCH) => None,
        Err(_) => {
            let _ = kill_process(pid(process.id), Signal::KILL);
            None
        }
    }
}

/// Blocks until one of them has ended, a moment at most.
fn await_an_end(handles: &[OwnedFd]) {
    if handles.is_empty() {
        std::thread::sleep(Duration::from_millis(1)); // nothing to wait on: an old kernel, or a second look
        return;
    }
    let mut polled: Vec<_> = handles.iter().map(|handle| PollFd::new(handle, PollFlags::IN)).collect();
    let moment = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    let _ = poll(&mut polled, Some(&moment));
}

fn pid(id: u32) -> Pid {
    Pid::from_raw(id.cast_signed()).expect("a process id is positive")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_belongs_to_its_job_and_to_the_job_around_it() {
        let mark = |value: &str| Mark::Job(value.as_bytes().to_vec());
        assert!(mark("7-1-0").is("7-1-0"));
        assert!(mark("7-1-0.9-2-4").is("7-1-0"));
        assert!(!mark("7-1-01").is("7-1-0"));
        assert!(!mark("7-1-0").is("7-1-0.9-2-4"));
        assert!(!Mark::Unmarked.is("7-1-0"));
    }

    #[test]
    fn we_find_ourselves() {
        let us = std::process::id();
        let process = processes().into_iter().find(|process| process.id == us).expect("we run");
        assert!(!process.dead);
        assert_eq!(process.group, getpgrp().as_raw_nonzero().get().cast_unsigned());
    }
}
