//! Which jobs run now: what tells a job's orphans from a neighbour's.

use std::collections::BTreeMap;
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The direct children that have not been reaped yet.
pub(super) struct Registry {
    /// By process id.
    pub(super) jobs: BTreeMap<u32, Running>,
    /// Rankhold is ending: no further child may start.
    pub(super) closed: bool,
}

/// A job that has not been reaped yet.
#[derive(Clone)]
pub(super) struct Running {
    /// What its descendants carry in their environment.
    pub(super) marker: String,
    /// The direct child.
    pub(super) child: Arc<Mutex<Child>>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { jobs: BTreeMap::new(), closed: false });

/// The registry. A child is started, reaped and its tree searched only while this is held, so that a search never
/// meets a child it cannot name.
pub(super) fn lock() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}
