//! Version 1 of the baseline file, as doc-bridge writes it: read and compared, never written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Approval, ArtifactProblem, Baseline, Segments};
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
    pub(super) fn baseline(self, digest: Digest) -> Result<Baseline, ArtifactProblem> {
        self.check()?;
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
        Ok(Baseline {
            document_name: self.suite.name,
            suite_hash: self.suite.content_hash,
            case_count: self.suite.case_count,
            measurement: None,
            metrics: Figures(metrics.into_iter().map(|(key, figure)| (key.to_owned(), figure)).collect()),
            segments: Segments::new(),
            cases: None,
            approval: self.approval,
            digest,
            candidate: None,
        })
    }

    /// Rates that this many cases can have, in the order that they must have.
    fn check(&self) -> Result<(), ArtifactProblem> {
        let Metrics { case_count: of, hit_at1, hit_at3, mean_reciprocal_rank: mrr, .. } = self.metrics;
        let refuse = |at: &str, stated: &dyn std::fmt::Display, actual: &str| {
            Err(ArtifactProblem::Contradiction {
                at: format!("/metrics/{at}"),
                stated: stated.to_string(),
                actual: actual.to_owned(),
            })
        };
        if of == 0 || of > self.suite.case_count {
            return refuse("caseCount", &of, &format!("1 to {} cases", self.suite.case_count));
        }
        let rates =
            [("hitAt1", hit_at1), ("hitAt3", hit_at3), ("zeroResultRate", self.metrics.zero_result_rate)];
        for (at, value) in rates {
            let nearest = Figure::rate(count(value, of), of).value.unwrap_or_default();
            if !(0.0..=1.0).contains(&value) || (value - nearest).abs() > 1.000_001e-6 {
                return refuse(at, &value, &format!("a share of {of} cases"));
            }
        }
        if hit_at1 > hit_at3 {
            return refuse("hitAt1", &hit_at1, &format!("at most hitAt3, {hit_at3}"));
        }
        // Each case of the first rank gives 1, no other more than 1/2.
        let most = f64::midpoint(hit_at1, 1.0 - self.metrics.zero_result_rate.min(1.0 - hit_at1));
        if !(hit_at1 - 1e-6..=most + 1e-6).contains(&mrr) {
            return refuse("meanReciprocalRank", &mrr, &format!("{hit_at1} to {most}"));
        }
        for (at, value) in [
            ("meanContextBytes", self.metrics.mean_context_bytes),
            ("meanApproxTokens", self.metrics.mean_approx_tokens),
        ] {
            if value < 0.0 {
                return refuse(at, &value, "nothing below 0");
            }
        }
        Ok(())
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
