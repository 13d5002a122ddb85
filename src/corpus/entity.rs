//! Entity records: things with an id of their own that live in a file.

use std::collections::HashSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{CorpusError, CorpusRules};
use crate::files;
use crate::name::Name;

/// One record, for instance `{"id": "document:docs/mcp.md", "path": "docs/mcp.md", "title": "MCP"}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entity {
    /// The id, unique.
    pub id: String,
    /// The file it lives in.
    pub path: String,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its own text; without it the file's text stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What it is, for instance `document`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// The records that the rules name; none if they name no file.
pub(super) fn load(root: &Path, rules: &CorpusRules) -> Result<Vec<Entity>, CorpusError> {
    let Some(path) = &rules.entities else { return Ok(Vec::new()) };
    let malformed = |message: String| CorpusError::Entities { path: path.clone(), message };
    let bytes = files::read_in(root, &root.join(path), files::MAX_BYTES)?;
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    let entities: Vec<Entity> = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| malformed(format!("record {}: {}", error.path(), error.inner())))?;
    let mut ids = HashSet::new();
    for (at, entity) in entities.iter().enumerate() {
        let record = |what: &str| malformed(format!("record [{at}] (id `{}`): {what}", entity.id));
        if Name::new(&entity.id).is_empty() {
            return Err(record("has an empty id"));
        }
        if !ids.insert(Name::new(&entity.id)) {
            return Err(record("has an id that an earlier record has"));
        }
        let path = Name::new(&entity.path);
        if path.is_empty() || path.escapes() {
            return Err(record("has a path outside the tree"));
        }
    }
    Ok(entities)
}
