//! Time that is left.

use std::time::{Duration, Instant};

/// Time that is left: what is asked must end before it.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// That much time from now.
    pub fn after(span: Duration) -> Self {
        let now = Instant::now();
        // A span the clock cannot hold is "for ever": a century will do.
        Self(now.checked_add(span).unwrap_or_else(|| now + Duration::from_hours(876_000)))
    }

    /// The nearer of two.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// What is left; zero when it has passed.
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Nothing is left.
    pub fn passed(self) -> bool {
        self.left().is_zero()
    }
}
