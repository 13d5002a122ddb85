//! Version 1 of the baseline file, as doc-bridge writes it: read and compared, never written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Approval, Baseline, Segments};
use crate::canon::Digest;
use crate::metric::{Figure, Figures};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Suite {
    name: String,
    case_count: u64,
    content_hash: Digest,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Metrics {
    case_count: u64,
    hit_at1: f64,
    hit_at3: f64,
    mean_reciprocal_rank: f64,
    mean_context_bytes: f64,
    mean_approx_tokens: f64,
    zero_result_rate: f64,
    token_method: String,
}

/// The content of the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Wire {
    suite: Suite,
    metrics: Metrics,
    approval: Approval,
}

impl Wire {
    /// As the current form, with what the file does not say left unknown. Counts are round(rate × caseCount).
    pub(super) fn baseline(self, digest: Digest) -> Baseline {
        let of = self.metrics.case_count;
        let rate = |value: f64| Figure { value: Some(value), count: Some(count(value, of)), of };
        let mean = |value: f64| Figure { value: Some(value), count: None, of };
        let metrics = BTreeMap::from([
            ("hitAt1", rate(self.metrics.hit_at1)),
            ("hitAt3", rate(self.metrics.hit_at3)),
            ("meanReciprocalRank", mean(self.metrics.mean_reciprocal_rank)),
            ("meanContextBytes", mean(self.metrics.mean_context_bytes)),
            ("meanApproxTokens", mean(self.metrics.mean_approx_tokens)),
            ("zeroResultRate", rate(self.metrics.zero_result_rate)),
        ]);
        Baseline {
            document_name: self.suite.name,
            suite_hash: self.suite.content_hash,
            case_count: self.suite.case_count,
            measurement: None,
            metrics: Figures(metrics.into_iter().map(|(key, figure)| (key.to_owned(), figure)).collect()),
            segments: Segments::new(),
            cases: None,
            approval: self.approval,
            digest,
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a rate of a small number of cases, clamped to it"
)]
fn count(rate: f64, of: u64) -> u64 {
    (rate.clamp(0.0, 1.0) * of as f64 + 0.5).floor() as u64
}
