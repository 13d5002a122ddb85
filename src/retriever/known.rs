//! Tools of the field as data: a kind and its keys, in files that look like a `[[retriever]]` of `rankhold.toml`.
//!
//! What a configuration says replaces what a preset says, key by key; of a table (`env`, `values`) entry by entry.

use serde_json::Value;

use super::table::{Kind, Options, kind};
use crate::config::did_you_mean;

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
    pub(super) fn with(self, given: &Options) -> Result<Options, String> {
        let mut keys = self.keys;
        // Who says what is run may need names of his own.
        let own = ["argv", "files", "prepare"].iter().any(|key| given.contains_key(*key));
        if let (Some(Value::Object(ours)), Some(Value::Object(theirs)), false) =
            (keys.get("values"), given.get("values"), own)
            && let Some(unknown) = theirs.keys().find(|name| !ours.contains_key(*name))
        {
            let near = did_you_mean(unknown, ours.keys().map(String::as_str));
            let known = ours.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            return Err(format!("values: nothing is called `{unknown}`{near} (there are {known})"));
        }
        for (key, value) in given {
            match (keys.get_mut(key), value) {
                (Some(Value::Object(ours)), Value::Object(theirs)) => {
                    ours.extend(theirs.iter().map(|(name, value)| (name.clone(), value.clone())));
                }
                _ => drop(keys.insert(key.clone(), value.clone())),
            }
        }
        Ok(keys)
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
        let keys = Value::Object(preset.with(&given).unwrap().into_iter().collect());
        assert_eq!(
            keys,
            serde_json::json!({ "argv": ["c"], "values": { "x": "1", "y": "3" }, "unit": "chunk" })
        );
        let preset = Preset::read("kind = \"command\"\nvalues = { model = \"1\" }\n");
        let wrong: Options = toml::from_str("values = { modle = \"2\" }\n").unwrap();
        let message = preset.with(&wrong).unwrap_err();
        assert_eq!(message, "values: nothing is called `modle`; did you mean `model`? (there are model)");
    }
}
