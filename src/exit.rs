//! The documented exit codes.

use std::process::ExitCode;

/// How a process ends. The numbers are a public contract (`docs/architecture.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// 0: every pair passed, or there is no baseline yet and none is required.
    Pass,
    /// 1: the gate says no.
    Held,
    /// 2: usage or input error, a damaged baseline, a gate that cannot fail.
    Usage,
    /// 3: it could not be measured.
    NotMeasured,
}

impl Exit {
    /// All of them, in numeric order, with the sentence the docs print.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Pass, "the ranking holds, or there is no baseline yet and none is required"),
        (
            Self::Held,
            "the gate says no: regressed, suite-changed, not-comparable, or a required baseline is missing",
        ),
        (
            Self::Usage,
            "usage or input error: arguments, configuration, suite, damaged baseline, a gate that cannot fail",
        ),
        (
            Self::NotMeasured,
            "could not measure or report: retriever missing, failed or timed out, empty corpus, unreadable file, full disk",
        ),
    ];

    /// The process's exit status.
    pub fn code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Held => 1,
            Self::Usage => 2,
            Self::NotMeasured => 3,
        }
    }

    /// The end of that status, if it is one of ours.
    pub fn of_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().map(|(exit, _)| exit).find(|exit| exit.code() == code)
    }

    /// Of several ends the one that counts: the first of 2, 3, 1, 0 that is there.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let urgency = |exit: Self| match exit {
            Self::Usage => 3,
            Self::NotMeasured => 2,
            Self::Held => 1,
            Self::Pass => 0,
        };
        if urgency(other) > urgency(self) { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_pairs_end_with_the_first_of_2_3_1_0() {
        assert_eq!(Exit::Pass.and(Exit::Held), Exit::Held);
        assert_eq!(Exit::Held.and(Exit::NotMeasured), Exit::NotMeasured);
        assert_eq!(Exit::Usage.and(Exit::NotMeasured), Exit::Usage);
        assert_eq!(Exit::NotMeasured.and(Exit::Pass), Exit::NotMeasured);
    }
}
