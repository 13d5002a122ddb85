//! Tools of the field as data: a kind and its keys, in files that look like a `[[retriever]]` of `rankhold.toml`.
//!
//! What a configuration says replaces what a preset says, key by key; of a table (`env`, `values`) entry by entry.

use serde_json::Value;

use super::table::{Kind, Options, kind};

/// A preset, read.
pub(super) struct Preset {
    kind: String,
    keys: Options,
}

impl Preset {
    /// Reads one of our own files.
    pub(super) fn read(text: &str) -> Self {
        let mut keys: Options = toml::from_str(text).expect("a test reads every preset");
        match keys.remove("kind") {
            Some(Value::String(kind)) => Self { kind, keys },
            _ => unreachable!("a test reads every preset"),
        }
    }

    /// The kind it is made from.
    pub(super) fn kind(&self) -> &'static Kind {
        kind(&self.kind).expect("a test reads every preset")
    }

    /// Its keys with those of a configuration.
    pub(super) fn with(self, given: &Options) -> Options {
        let mut keys = self.keys;
        for (key, value) in given {
            match (keys.get_mut(key), value) {
                (Some(Value::Object(ours)), Value::Object(theirs)) => {
                    ours.extend(theirs.iter().map(|(name, value)| (name.clone(), value.clone())));
                }
                _ => drop(keys.insert(key.clone(), value.clone())),
            }
        }
        keys
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::RETRIEVERS;
    use super::super::table::build;
    use super::*;
    use crate::config::RetrieverEntry;

    #[test]
    fn every_preset_can_be_read_and_built() {
        let presets: Vec<_> = RETRIEVERS.iter().filter(|kind| kind.preset().is_some()).collect();
        assert!(!presets.is_empty());
        for kind in presets {
            let preset = Preset::read(kind.preset().unwrap());
            assert!(preset.kind().preset().is_none(), "{}: a preset of a preset", kind.name);
            assert!(preset.keys.contains_key("install"), "{}: how is it got?", kind.name);
            let built = build(&RetrieverEntry::plain(kind.name), Path::new("/repo"));
            assert!(built.is_ok(), "{}", built.err().map(|problem| problem.to_string()).unwrap_or_default());
        }
    }

    #[test]
    fn what_is_configured_replaces_what_is_preset() {
        let preset =
            Preset::read("kind = \"command\"\nargv = [\"a\", \"b\"]\nvalues = { x = \"1\", y = \"2\" }\n");
        let given: Options =
            toml::from_str("argv = [\"c\"]\nvalues = { y = \"3\" }\nunit = \"chunk\"\n").unwrap();
        let keys = Value::Object(preset.with(&given).into_iter().collect());
        assert_eq!(
            keys,
            serde_json::json!({ "argv": ["c"], "values": { "x": "1", "y": "3" }, "unit": "chunk" })
        );
    }
}
