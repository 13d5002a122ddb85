//! The candidates of a pull request, packed into the text of its check: what an approval records is fixed when the verdict is
//! published.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::artifact::{ApprovalToken, Candidate, Covered, CoveredPair, Instant, Record, document};
use crate::error::{Blame, Blamed};

/// What can be approved, with what its token covers.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// What the token covers.
    pub covered: Covered,
    /// The candidates of its pairs, in their order.
    pub candidates: Vec<Candidate>,
}

/// Who approves it, and by which comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovedBy<'a> {
    /// The comment's number.
    pub comment: u64,
    /// Its author's number.
    pub author: u64,
    /// His login.
    pub login: &'a str,
    /// When it was written.
    pub at: &'a Instant,
    /// Why, in his words.
    pub reason: Option<&'a str>,
}

/// Where a bundle is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Here, packed.
    Here(String),
    /// In the file that a workflow run uploaded.
    Uploaded {
        /// The run.
        run: u64,
        /// What it stands for.
        token: ApprovalToken,
    },
}

/// What cannot be used as a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what an approval would record cannot be read: {0}")]
pub struct BundleProblem(String);

impl Blamed for BundleProblem {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some("run the workflow that measures again".to_owned())
    }
}

/// The info string of the block that a check's text holds.
const HERE: &str = "rankhold-candidates";

/// The info string of the block that only says where.
const UPLOADED: &str = "rankhold-candidates-uploaded";

/// Nothing unpacks to more, in bytes.
const MOST: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wire {
    #[serde(rename = "type")]
    kind: String,
    schema_version: u32,
    covered: Covered,
    candidates: Vec<Value>,
}

const KIND: &str = "rankhold-candidates";

impl Bundle {
    /// The file's text.
    pub fn to_json(&self) -> String {
        let candidates = self
            .candidates
            .iter()
            .map(|candidate| serde_json::from_str(&candidate.to_text()).expect("our own artifacts are JSON"));
        let wire = Wire {
            kind: KIND.to_owned(),
            schema_version: 1,
            covered: self.covered.clone(),
            candidates: candidates.collect(),
        };
        serde_json::to_string(&wire).expect("our own types serialise")
    }

    /// Reads a file: every candidate must have the digest that is covered, and every digest its candidate.
    pub fn read(bytes: &[u8]) -> Result<Self, BundleProblem> {
        let problem = |what: String| BundleProblem(what);
        let document = document(bytes).map_err(|error| problem(error.to_string()))?;
        let wire: Wire = serde_json::from_value(document).map_err(|error| problem(error.to_string()))?;
        if wire.kind != KIND || wire.schema_version != 1 {
            return Err(problem("it is of another type or version".to_owned()));
        }
        let read = |value: &Value| {
            Candidate::read(value.to_string().as_bytes()).map_err(|error| problem(error.to_string()))
        };
        let candidates = wire.candidates.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let covered: Vec<_> = wire.covered.pairs.iter().filter(|pair| pair.candidate.is_some()).collect();
        if covered.len() != candidates.len() {
            return Err(problem(format!("{} candidates for {} digests", candidates.len(), covered.len())));
        }
        for (pair, candidate) in covered.iter().zip(&candidates) {
            let measured = candidate.measurement();
            let is_of = measured.suite.name == pair.suite && measured.retriever.name == pair.retriever;
            if !is_of || pair.candidate.as_ref() != Some(&candidate.digest()) {
                return Err(problem(format!(
                    "the candidate of {} × {} is another one",
                    pair.suite, pair.retriever
                )));
            }
        }
        let mut names: Vec<_> =
            wire.covered.pairs.iter().map(|pair| (&pair.suite, &pair.retriever)).collect();
        let is_sorted = names.is_sorted();
        names.dedup();
        if !is_sorted || names.len() != wire.covered.pairs.len() {
            return Err(problem("its pairs are not in order".to_owned()));
        }
        Ok(Self { covered: wire.covered, candidates })
    }

    /// The block for a check's text, if it is no longer than that many characters.
    pub fn block(&self, most: usize) -> Option<String> {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
        packer.write_all(self.to_json().as_bytes()).ok()?;
        let text = STANDARD.encode(packer.finish().ok()?);
        let block = format!("```{HERE}\n{text}\n```\n");
        (block.len() <= most).then_some(block)
    }

    /// The block that says that a run uploaded it.
    pub fn pointer(&self, run: u64) -> String {
        format!("```{UPLOADED}\n{run} {}\n```\n", self.covered.token())
    }

    /// The candidate of a pair.
    pub fn candidate(&self, suite: &str, retriever: &str) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| {
            let measured = candidate.measurement();
            measured.suite.name == suite && measured.retriever.name == retriever
        })
    }
}

impl Bundle {
    /// The baseline file's text that an approval of a pair writes; none if it removes the file.
    pub fn baseline(&self, pair: &CoveredPair, by: &ApprovedBy<'_>) -> Option<String> {
        let record = Record {
            comment: by.comment,
            author: by.author,
            token: self.covered.token(),
            covered: self.covered.clone(),
        };
        let candidate = self.candidate(&pair.suite, &pair.retriever)?.clone();
        Some(candidate.approve_on_github(by.login, by.at, by.reason, record))
    }
}

/// Where a check's text has bundles, in its order: those that approvals stand for, then what can be approved now.
pub fn places_of(text: &str) -> Vec<Place> {
    let blocks = text.split("```rankhold-candidates").skip(1);
    let place = |block: &str| {
        let (block, _) = block.split_once("\n```")?;
        let (info, line) = block.split_once('\n')?;
        if line.contains(['\n', '`']) {
            return None;
        }
        match info {
            "" => Some(Place::Here(line.to_owned())),
            "-uploaded" => {
                let (run, token) = line.split_once(' ')?;
                Some(Place::Uploaded { run: run.parse().ok()?, token: token.parse().ok()? })
            }
            _ => None,
        }
    };
    blocks.filter_map(place).collect()
}

/// Unpacks what a block holds.
impl std::str::FromStr for Bundle {
    type Err = BundleProblem;

    fn from_str(packed: &str) -> Result<Self, BundleProblem> {
        let packed = STANDARD.decode(packed).map_err(|error| BundleProblem(error.to_string()))?;
        let mut bytes = Vec::new();
        let mut reader = ZlibDecoder::new(packed.as_slice()).take(MOST + 1);
        reader.read_to_end(&mut bytes).map_err(|error| BundleProblem(error.to_string()))?;
        if bytes.len() as u64 > MOST {
            return Err(BundleProblem(format!("it unpacks to more than {MOST} bytes")));
        }
        Self::read(&bytes)
    }
}
