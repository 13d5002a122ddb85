//! What went wrong between us and a server.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ranking::ErrorClass;

/// A failure, as the end of a sentence that begins with the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) class: ErrorClass,
    pub(super) detail: String,
    /// What to do, where that is known.
    pub(super) advice: Option<String>,
}

impl Trouble {
    pub(super) fn new(class: ErrorClass, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into(), advice: None }
    }
}

/// A place where whoever meets trouble leaves it for the one who waits. The first word counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Report(Arc<Mutex<Left>>);

#[derive(Debug, Default)]
struct Left {
    /// Of interest to one who got no answer.
    trouble: Option<Trouble>,
    /// Whatever is answered from now on, it is not believed.
    distrust: Option<Trouble>,
    /// Nor is what has just been answered.
    refuted: bool,
}

impl Report {
    /// For one who gets no answer.
    pub(super) fn leave(&self, trouble: Trouble) {
        self.left().trouble.get_or_insert(trouble);
    }

    /// For everybody who asks from now on. Whoever has an answer already keeps it, so that it does not depend on how soon
    /// the trouble came.
    pub(super) fn distrust(&self, trouble: Trouble) {
        self.left().distrust.get_or_insert(trouble);
    }

    /// For one who is about to get an answer too.
    pub(super) fn refute(&self, trouble: Trouble) {
        let mut left = self.left();
        left.distrust.get_or_insert(trouble);
        left.refuted = true;
    }

    /// Why what has just been answered is not to be believed, if that is so.
    pub(super) fn refuted(&self) -> Option<Trouble> {
        let left = self.left();
        left.distrust.clone().filter(|_| left.refuted)
    }

    /// Why nothing is to be believed, if that is so.
    pub(super) fn distrusted(&self) -> Option<Trouble> {
        self.left().distrust.clone()
    }

    /// Why there is no answer.
    pub(super) fn take(&self) -> Option<Trouble> {
        let mut left = self.left();
        left.distrust.clone().or_else(|| left.trouble.take())
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
