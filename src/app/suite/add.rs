//! `rankhold suite add`: one more case, the rest of the file untouched.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Said, texts};
use crate::error::{Blame, Blamed, Failure};
use crate::files::{MAX_BYTES, lock, read, write_atomically};
use crate::report::Rendered;
use crate::suite::open_eval;

/// A case as the command line gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewCase {
    /// Unique in the suite.
    pub id: String,
    /// The query's text.
    pub query: String,
    /// What a right answer is called.
    pub targets: Vec<String>,
    /// Its language, for segments.
    pub lang: Option<String>,
    /// Its kind, for segments.
    pub kind: Option<String>,
    /// What must not come first.
    pub forbidden: Vec<String>,
    /// The right answer is none.
    pub no_result: bool,
}

impl NewCase {
    fn fields(&self) -> Map<String, Value> {
        let mut metadata = Map::new();
        let mut put = |key: &str, value: Value| drop(metadata.insert(key.to_owned(), value));
        if !self.targets.is_empty() {
            put("expectedTargets", self.targets.clone().into());
        }
        if !self.forbidden.is_empty() {
            put("forbiddenTargets", self.forbidden.clone().into());
        }
        if self.no_result {
            put("expectNoResult", true.into());
        }
        for (key, value) in [("lang", &self.lang), ("kind", &self.kind)] {
            if let Some(value) = value {
                put(key, value.as_str().into());
            }
        }
        let mut fields = Map::new();
        fields.insert("id".to_owned(), self.id.as_str().into());
        fields.insert("input".to_owned(), self.query.as_str().into());
        if !metadata.is_empty() {
            fields.insert("metadata".to_owned(), metadata.into());
        }
        fields
    }
}

/// Appends a case to an Open Eval file.
pub fn add(path: &Path, case: &NewCase) -> Result<Said, Failure> {
    let _lock = lock(path)?;
    let document = read(path, MAX_BYTES)?;
    let (text, loaded) = open_eval::add(&document, case.fields())
        .map_err(|error| error.labelled(path.display().to_string()))?;
    // An editor knows nothing of our lock.
    if read(path, MAX_BYTES)? != document {
        return Err(Changed { file: path.to_owned() }.into());
    }
    write_atomically(path, text.as_bytes())?;
    let out = format!("{}: case {} (id {:?}) added", path.display(), loaded.suite.cases.len(), case.id);
    Ok(Said::new(Rendered::lines([out]), texts(&loaded.notes)))
}

/// Somebody else wrote the file in the meantime.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: was changed while the case was added, and is left as it is now", file = file.display())]
pub struct Changed {
    file: PathBuf,
}

impl Blamed for Changed {
    fn blame(&self) -> Blame {
        Blame::Environment
    }

    fn hint(&self) -> Option<String> {
        Some("add the case again".to_owned())
    }
}
