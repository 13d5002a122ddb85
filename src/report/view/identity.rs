//! What was measured with what, who approved it, and how to do it again.

use serde::Serialize;

use crate::artifact::{Baseline, Measurement, SuiteResult};
use crate::report::commands::{CASE, Commands, line};

/// One thing that identifies a measurement, on both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IdentityView {
    /// Stable name: `suiteHash`.
    pub key: &'static str,
    /// For people: `suite hash`.
    pub name: &'static str,
    /// The baseline's; null if it has none or does not say.
    pub before: Option<String>,
    /// The result's; null if there is none.
    pub after: Option<String>,
    /// Both are known and differ.
    pub changed: bool,
}

/// Who approved the baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalView {
    /// A person.
    pub by: String,
    /// RFC 3339, UTC.
    pub at: String,
    /// In that person's words.
    pub reason: Option<String>,
}

/// What to type. A name that a shell could misread is never put in; then there is no command.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandsView {
    /// Measures the pair again.
    pub reproduce: Option<String>,
    /// Says why a case ranks as it does, the first lost one if there is one; null where every case is found.
    pub explain: Option<String>,
    /// Says where targets went; null where all are in the tree.
    pub lint: Option<String>,
    /// Records the figures of this pair: a command line, or a comment where comments are read; null where an approval
    /// would not help.
    pub approve: Option<String>,
}

impl ApprovalView {
    pub(super) fn new(baseline: &Baseline) -> Self {
        Self {
            by: baseline.approval.approved_by.clone(),
            at: baseline.approval.approved_at.to_string(),
            reason: baseline.approval.reason.clone(),
        }
    }
}

impl CommandsView {
    /// The commands of a pair; `cases` are those worth explaining, the most telling first.
    pub(super) fn new<'a>(
        commands: &Commands,
        approvable: bool,
        cases: impl Iterator<Item = &'a str>,
    ) -> Self {
        let explain = |id: &str| {
            let words: Vec<String> =
                commands.explain.iter().map(|word| if word == CASE { id } else { word }.to_owned()).collect();
            // An id that looks like an option would be read as one.
            line(&words).filter(|_| !id.starts_with('-'))
        };
        let mut cases = cases.peekable();
        let any = cases.peek().is_some();
        Self {
            reproduce: line(&commands.reproduce),
            explain: cases.find_map(explain).or_else(|| line(&commands.explain).filter(|_| any)),
            lint: None,
            approve: commands.slash.clone().or_else(|| line(&commands.approve)).filter(|_| approvable),
        }
    }
}

/// Every row that a side knows.
pub(super) fn identity(result: Option<&SuiteResult>, baseline: Option<&Baseline>) -> Vec<IdentityView> {
    let after = result.map(|result| Side::of(&result.measurement));
    let before = baseline.map(|baseline| match &baseline.measurement {
        Some(measurement) => Side::of(measurement),
        None => Side::of_old(baseline),
    });
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let rows = ROWS.iter().zip(before.0.into_iter().zip(after.0));
    let mut views: Vec<_> = rows
        .filter(|(_, (before, after))| before.is_some() || after.is_some())
        .map(|((key, name), (before, after))| IdentityView::new(key, name, before, after))
        .collect();
    views.push(IdentityView::new(
        "resultHash",
        "result hash",
        baseline.map(|baseline| baseline.approval.result_hash.to_string()),
        result.map(|result| result.digest().to_string()),
    ));
    if let Some(baseline) = baseline {
        let hash = Some(baseline.digest.to_string());
        views.push(IdentityView::new("baselineHash", "baseline hash", hash, None));
    }
    views
}

impl IdentityView {
    fn new(key: &'static str, name: &'static str, before: Option<String>, after: Option<String>) -> Self {
        let changed = before.as_ref().zip(after.as_ref()).is_some_and(|(before, after)| before != after);
        Self { key, name, before, after, changed }
    }
}

const ROWS: [(&str, &str); 14] = [
    ("suiteName", "suite document"),
    ("suiteHash", "suite hash"),
    ("suiteCases", "suite cases"),
    ("match", "match"),
    ("corpusHash", "corpus hash"),
    ("corpusFiles", "corpus files"),
    ("retrieverKind", "retriever kind"),
    ("retrieverVersion", "retriever version"),
    ("model", "model"),
    ("unit", "unit"),
    ("configHash", "retriever configuration"),
    ("fetch", "hits asked for"),
    ("limit", "hits kept"),
    ("definitions", "metric definitions"),
];

/// The values of [`ROWS`] on one side.
#[derive(Default)]
struct Side([Option<String>; ROWS.len()]);

impl Side {
    fn of(it: &Measurement) -> Self {
        let word = |value: serde_json::Value| value.as_str().map(str::to_owned);
        Self([
            Some(it.suite.document_name.clone()),
            Some(it.suite.content_hash.to_string()),
            Some(it.suite.case_count.to_string()),
            word(serde_json::json!(it.match_mode)),
            Some(it.corpus.content_hash.to_string()),
            Some(it.corpus.file_count.to_string()),
            Some(it.retriever.kind.clone()),
            Some(it.retriever.version.clone()),
            it.retriever.model.clone(),
            word(serde_json::json!(it.retriever.unit)),
            Some(it.retriever.config_hash.to_string()),
            Some(it.fetch.to_string()),
            Some(it.limit.to_string()),
            Some(it.definitions.to_string()),
        ])
    }

    /// What a version 1 baseline says.
    fn of_old(baseline: &Baseline) -> Self {
        let mut side = Self::default();
        side.0[0] = Some(baseline.document_name.clone());
        side.0[1] = Some(baseline.suite_hash.to_string());
        side.0[2] = Some(baseline.case_count.to_string());
        side.0[4] = Some(baseline.approval.index_hash.to_string());
        side
    }
}
