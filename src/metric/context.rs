//! Context cost: how much an agent would have to read.

use serde::Serialize;

use super::{Card, Judged, Metric, Shape, lower};
use crate::ranking::Hit;

/// What an agent receives of one hit. Field order is part of the definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Payload<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
}

/// The payload of the top three hits, in the order an agent would read them.
pub fn payload(hits: &[Hit]) -> Vec<Payload<'_>> {
    hits.iter()
        .take(3)
        .map(|hit| Payload {
            kind: &hit.kind,
            id: hit.id.as_str(),
            path: hit.path.as_ref().map(crate::name::Name::as_str),
            summary: hit.summary.as_deref(),
        })
        .collect()
}

/// UTF-8 bytes of the compact JSON array of the top three hits; 2 without hits.
fn bytes(case: &Judged<'_>) -> u32 {
    let json = serde_json::to_vec(&payload(case.hits())).expect("strings serialise");
    u32::try_from(json.len()).unwrap_or(u32::MAX)
}

/// Mean context bytes over completed scored cases.
pub(super) struct ContextBytes;

/// Mean of ceil(bytes / 4) over completed scored cases.
pub(super) struct ApproxTokens;

/// Mean context bytes over answered scored cases: a retriever that answers more costs more on average, and that is no
/// regression.
pub(super) struct ContextBytesAnswered;

impl Metric for ContextBytes {
    fn card(&self) -> &Card {
        const CARD: Card = lower(
            "context bytes",
            "meanContextBytes",
            Shape::IntegerMean,
            "mean UTF-8 bytes of the top three hits as compact JSON, over completed scored cases",
        );
        &CARD
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        (case.is_scored() && case.is_completed()).then(|| f64::from(bytes(case)))
    }
}

impl Metric for ApproxTokens {
    fn card(&self) -> &Card {
        const CARD: Card = lower(
            "tokens (approx.)",
            "meanApproxTokens",
            Shape::IntegerMean,
            "mean of ceil(context bytes / 4) per case, over completed scored cases",
        );
        &CARD
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        (case.is_scored() && case.is_completed()).then(|| f64::from(bytes(case).div_ceil(4)))
    }
}

impl Metric for ContextBytesAnswered {
    fn card(&self) -> &Card {
        const CARD: Card = lower(
            "context bytes (answered)",
            "meanContextBytesAnswered",
            Shape::IntegerMean,
            "mean context bytes over scored cases that got at least one hit",
        );
        &CARD
    }
    fn of(&self, case: &Judged<'_>) -> Option<f64> {
        (case.is_scored() && case.is_answered()).then(|| f64::from(bytes(case)))
    }
}
