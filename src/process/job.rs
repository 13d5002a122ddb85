//! One child with everything it starts.

use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use super::registry::{self, Running};
use super::{End, Launch, MARKER, StartError, refusal, tree};

/// A running child; dropped, its whole tree is ended and reaped.
pub(super) struct Job {
    child: Arc<Mutex<Child>>,
    id: u32,
    marker: String,
    finished: Option<End>,
}

/// Our ends of a child's pipes.
pub(super) struct Pipes {
    /// None unless it was asked for.
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Job {
    /// Starts the child with piped stdout and stderr; `ended` is called from another thread once the child has ended,
    /// by itself or by us, before it is reaped.
    pub(super) fn start(
        launch: &Launch<'_>,
        stdin: Stdio,
        ended: impl FnOnce() + Send + 'static,
    ) -> Result<(Self, Pipes), StartError> {
        let program = || launch.program.name().to_owned();
        let marker = new_marker();
        let mut command = Command::new(launch.program.path());
        command.args(launch.arguments).current_dir(launch.folder).env_clear();
        command.envs(launch.environment.variables()).env(MARKER, &marker);
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        tree::adopt_orphans();
        let (id, child, pipes) = {
            let mut registry = registry::lock();
            if registry.closed {
                return Err(StartError::Ending { program: program() });
            }
            let mut child = command.spawn().map_err(|error| StartError::Refused {
                program: program(),
                why: refusal::explain(&error, launch.arguments),
            })?;
            let pipes = Pipes {
                stdin: child.stdin.take(),
                stdout: child.stdout.take().expect("stdout is piped"),
                stderr: child.stderr.take().expect("stderr is piped"),
            };
            tree::widen(&pipes.stdout);
            let id = child.id();
            let child = Arc::new(Mutex::new(child));
            registry.jobs.insert(id, Running { marker: marker.clone(), child: Arc::clone(&child) });
            (id, child, pipes)
        };
        let watched = Arc::clone(&child);
        std::thread::spawn(move || {
            tree::wait_unreaped(&watched);
            ended();
        });
        Ok((Self { child, id, marker, finished: None }, pipes))
    }

    /// Asks the child to end itself, as a terminal's user would.
    pub(super) fn ask_to_end(&self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process};
            // The child is not reaped before `finish`, so that its id is still its own.
            let pid = i32::try_from(self.id).ok().and_then(Pid::from_raw);
            let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
        }
        #[cfg(not(unix))]
        {
            let _ = self.child.lock().unwrap_or_else(PoisonError::into_inner).kill();
        }
    }

    /// Ends whatever is left of the tree, reaps the child and says how it ended: by itself, if it was quicker.
    pub(super) fn finish(&mut self) -> End {
        if let Some(end) = self.finished {
            return end;
        }
        tree::end(self.id, &self.marker, &self.child);
        let mut registry = registry::lock();
        // The child is dead now, or cannot be helped: a wait inside the system that no signal ends.
        let end = match self.child.lock().unwrap_or_else(PoisonError::into_inner).try_wait() {
            Ok(Some(status)) => End::from(status),
            Ok(None) | Err(_) => End::Signal(9),
        };
        registry.jobs.remove(&self.id);
        self.finished = Some(end);
        end
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.finish();
    }
}

/// A value no other job on this machine has. Inside another Rankhold's job it starts with that job's marker, so that
/// the outer one finds what the inner one starts.
fn new_marker() -> String {
    static OWN: OnceLock<String> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let own = OWN.get_or_init(|| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let own = format!("{}-{}", std::process::id(), since.as_nanos());
        match std::env::var(MARKER) {
            Ok(outer) => format!("{outer}.{own}"),
            Err(_) => own,
        }
    });
    format!("{own}-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}
