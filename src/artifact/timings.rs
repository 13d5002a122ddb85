//! The other file: how long it took. Never compared, never hashed into anything.

use serde::{Deserialize, Serialize};

use super::ArtifactProblem;
use super::seal::{self, Kind, VERSION};

/// Times of one pair, in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Timings {
    /// Suite name.
    pub suite: String,
    /// Retriever name.
    pub retriever: String,
    /// From probe to ready: the index, the model.
    pub prepare_us: u64,
    /// Units indexed, if the retriever says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<u64>,
    /// Per asked case, in the order of the suite.
    pub queries_us: Vec<u64>,
    /// Everything, waiting included.
    pub wall_us: u64,
}

impl Timings {
    /// The file's text.
    pub fn to_text(&self) -> String {
        seal::seal_text(Kind::Timings, self)
    }

    /// Reads a file.
    pub fn read(bytes: &[u8]) -> Result<Self, ArtifactProblem> {
        seal::open(Kind::Timings, bytes, &[VERSION])?.read()
    }
}

/// The latency that `percent` of the queries do not exceed (nearest rank).
pub fn percentile(latencies: &[u64], percent: usize) -> Option<u64> {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let latencies: Vec<u64> = (1..=20).rev().collect();
        assert_eq!(
            [50, 95, 100].map(|percent| percentile(&latencies, percent)),
            [Some(10), Some(19), Some(20)]
        );
        assert_eq!(percentile(&[], 50), None);
    }
}
