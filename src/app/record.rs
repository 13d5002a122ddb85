//! Recording a baseline: only for somebody, never by itself.
#![expect(clippy::disallowed_methods, reason = "edge: an approval carries the time it was given")]

use std::path::{Path, PathBuf};

use crate::artifact::{Baseline, Candidate, CaseOutcome, CorpusIdentity, Instant, Measurement, SuiteResult};
use crate::cli::ByArgs;
use crate::error::{Blame, Blamed, Failure};
use crate::files;
use crate::metric::{GATE, State, by_name};

/// A recording that is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordError {
    /// Nobody approves.
    #[error("nothing is recorded without an approver")]
    Nobody,
    /// The baseline could never be lost.
    #[error("no case is found, so a baseline of this result would make a gate that cannot fail")]
    NothingToLose {
        /// Suite name.
        suite: String,
    },
    /// The suite is another one by now.
    #[error("{result}: was measured on another version of the suite than {suite}", result = result.display(), suite = suite.display())]
    OtherSuite {
        /// The result's file.
        result: PathBuf,
        /// The suite's file.
        suite: PathBuf,
        /// What is measured anew: suite and retriever.
        pair: [String; 2],
    },
}

impl Blamed for RecordError {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Nobody => "say who approves: --by NAME (and why: --reason TEXT)".to_owned(),
            Self::NothingToLose { suite } => format!(
                "`rankhold suite lint` finds targets that are gone, `rankhold explain CASE` what stands above a case; both \
                 take the suite's file where `{suite}` is not in rankhold.toml"
            ),
            Self::OtherSuite { pair: [suite, retriever], .. } => format!(
                "measure anew: `rankhold run {suite} --retriever {retriever} --update-baseline --by NAME`"
            ),
        })
    }
}

/// Who approves, and why.
pub(super) struct Approver<'a> {
    name: &'a str,
    reason: Option<&'a str>,
}

impl<'a> Approver<'a> {
    /// From the arguments; without a name there is none.
    pub(super) fn new(args: &'a ByArgs) -> Result<Self, RecordError> {
        let name =
            args.by.as_deref().map(str::trim).filter(|name| !name.is_empty()).ok_or(RecordError::Nobody)?;
        Ok(Self { name, reason: args.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty()) })
    }

    /// Writes the baseline and says what changed, as one line, with its path under `root`.
    pub(super) fn record(
        &self,
        result: &SuiteResult,
        before: Option<&Baseline>,
        path: &Path,
        root: &Path,
    ) -> Result<String, Failure> {
        let identity = &result.measurement;
        let (suite, retriever) = (identity.suite.name.clone(), identity.retriever.name.clone());
        if !result.cases.iter().any(|case| case.state == State::Found) {
            return Err(RecordError::NothingToLose { suite }.into());
        }
        let key = by_name(GATE).expect("the gate is a metric").key();
        let show = |figures: &crate::metric::Figures| {
            let figure = figures.get(key).filter(|figure| figure.of > 0);
            figure.map_or_else(
                || "unknown".to_owned(),
                |figure| format!("{} of {}", figure.count.unwrap_or(0), figure.of),
            )
        };
        let shown = path.strip_prefix(root).unwrap_or(path).display();
        if let Some(before) = before.filter(|before| says_the_same(before, result)) {
            let approval = &before.approval;
            return Ok(format!(
                "{suite} × {retriever}: {GATE} {}, unchanged since {} approved it at {}: {shown} stays as it is",
                show(&result.metrics),
                approval.approved_by,
                approval.approved_at
            ));
        }
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let now: Instant = now.parse().expect("just spelled so");
        let text = Candidate::of(result).approve(self.name, &now, self.reason);
        files::write_in(root, path, text.as_bytes())?;
        let before = before.map_or_else(|| "none".to_owned(), |baseline| show(&baseline.metrics));
        Ok(format!(
            "{suite} × {retriever}: {GATE} {before} → {}, approved by {}: {shown}",
            show(&result.metrics),
            self.name,
        ))
    }
}

/// The baseline has every figure and outcome of the result, measured in the same way. The files that were searched may
/// be others by now: they are what a baseline is held against.
fn says_the_same(baseline: &Baseline, result: &SuiteResult) -> bool {
    let measured = baseline.measurement.clone().map(|before| {
        let corpus = CorpusIdentity {
            content_hash: result.measurement.corpus.content_hash.clone(),
            file_count: result.measurement.corpus.file_count,
            ..before.corpus
        };
        Measurement { corpus, ..before }
    });
    measured.as_ref() == Some(&result.measurement)
        && baseline.metrics == result.metrics
        && baseline.segments == result.segments
        && baseline.cases.as_ref().is_some_and(|cases| {
            cases.iter().eq(result.cases.iter().map(CaseOutcome::from).collect::<Vec<_>>().iter())
        })
}
