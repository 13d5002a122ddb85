//! What went wrong between us and a server.

use std::sync::{Arc, Mutex, PoisonError};

use crate::ranking::ErrorClass;

/// A failure, as the end of a sentence that begins with the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) class: ErrorClass,
    pub(super) detail: String,
}

impl Trouble {
    pub(super) fn new(class: ErrorClass, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into() }
    }
}

/// A place where whoever meets trouble leaves it for the one who waits. The first word counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Report(Arc<Mutex<Option<Trouble>>>);

impl Report {
    pub(super) fn leave(&self, trouble: Trouble) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(trouble);
    }

    pub(super) fn take(&self) -> Option<Trouble> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
