//! What is allowed. A local run reads the file that is there; on a pull request the bot will read that of the base
//! branch, so that a pull request cannot loosen its own gate.

use std::collections::BTreeMap;

use super::Decimal;
use crate::artifact::CaseResult;
use crate::metric::{GATE, Metric, by_name};

/// A gated figure: always a hit@k, so that a decision is about counts of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gated {
    /// Its `k`.
    pub k: u32,
    /// As people write it.
    pub name: &'static str,
    /// As artifacts write it.
    pub key: &'static str,
}

impl Gated {
    /// The hit@k of that name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        let metric: &'static dyn Metric = by_name(name)?;
        Some(Self { k: metric.gates_at()?, name: metric.name(), key: metric.key() })
    }
}

/// A segment with a tolerance of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentRule {
    /// The metadata key, for instance `lang`.
    pub key: String,
    /// Its value, for instance `pt`.
    pub value: String,
    /// Absolute rate of the segment's cases that may be lost net.
    pub tolerance: Decimal,
}

impl SegmentRule {
    /// The case is in the segment.
    pub(super) fn holds(&self, case: &CaseResult) -> bool {
        case.segments.get(&self.key) == Some(&self.value)
    }
}

/// The gate's rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// At least one.
    pub metrics: Vec<Gated>,
    /// Absolute rate of the comparable scored cases that may be lost net: 0.02 is two points.
    pub tolerance: Decimal,
    /// Gross losses allowed, if capped.
    pub max_lost: Option<u64>,
    /// Failed cases up to which there is a verdict.
    pub max_failed: u64,
    /// A first run fails instead of being neutral.
    pub require_baseline: bool,
    /// Lowest figures allowed, by metric key.
    pub floors: BTreeMap<String, Decimal>,
    /// Segments judged apart.
    pub segments: Vec<SegmentRule>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            metrics: vec![Gated::named(GATE).expect("the default gate is in the table")],
            tolerance: Decimal::default(),
            max_lost: None,
            max_failed: 0,
            require_baseline: false,
            floors: BTreeMap::new(),
            segments: Vec::new(),
        }
    }
}
