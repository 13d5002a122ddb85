//! Models on this machine: where they are kept, which one is used, and what its content hashes to.
//!
//! Rankhold downloads none. A model is a folder that the configuration names, or a model of a hub that lies in the
//! hub's cache already; a tool reads the cache through a link in its own home, so that whatever it writes beside stays
//! in the scratch folder.
#![expect(clippy::disallowed_methods, reason = "edge: reads model files and where they are kept")]

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::super::template::{Placeholder, TextTemplate, Values};
use super::{OptionProblem, Unusable, utf8};
use crate::canon::Digest;

/// What the `model` of an entry says.
#[derive(Clone, Debug)]
pub(in super::super) enum Model {
    /// Nothing.
    Unsaid,
    /// What it is, in words.
    Described(String),
    /// A folder or a model of a hub, which must be here.
    Here(TextTemplate),
}

impl Model {
    /// A text without a value in it is a description, and so is one with a space, in which values stand for their texts.
    /// Any other, such as `{model}`, is the model itself.
    pub(in super::super) fn new(text: Option<&str>, values: &Values) -> Result<Self, OptionProblem> {
        let Some(text) = text else { return Ok(Self::Unsaid) };
        if !values.keys().any(|name| text.contains(&format!("{{{name}}}"))) {
            return Ok(Self::Described(text.to_owned()));
        }
        let template = |allowed: &[Placeholder]| {
            TextTemplate::new(text, allowed, values)
                .map_err(|problem| OptionProblem::new("model", problem.to_string()))
        };
        if text.contains(' ') {
            return Ok(Self::Described(template(&[])?.text(|_| String::new())));
        }
        template(&[Placeholder::Repo]).map(Self::Here)
    }

    /// What a result calls it, if anything was said.
    pub(in super::super) fn identity(&self, repo: &Path, cache: &Cache) -> Result<Option<String>, Unusable> {
        match self {
            Self::Unsaid => Ok(None),
            Self::Described(text) => Ok(Some(text.clone())),
            Self::Here(template) => identity(&template.text(|_| utf8(repo)), cache).map(Some),
        }
    }
}

/// Where models of a hub are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Cache(PathBuf);

impl Cache {
    /// The one that is configured, else where the hub's own programs keep theirs.
    pub(in super::super) fn new(configured: Option<&Path>) -> Self {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let usual = || {
            let home = || variable("HOME").map(|home| home.join(".cache"));
            let xdg = || variable("XDG_CACHE_HOME").or_else(home).map(|cache| cache.join("huggingface"));
            variable("HF_HUB_CACHE")
                .or_else(|| variable("HF_HOME").or_else(xdg).map(|home| home.join("hub")))
                .unwrap_or_default()
        };
        Self(configured.map_or_else(usual, Path::to_owned))
    }

    /// Lets a tool whose hub folder is `scratch/huggingface` see it.
    pub(in super::super) fn link(&self, scratch: &Path) -> io::Result<()> {
        let link = scratch.join("huggingface").join("hub");
        if !self.0.is_dir() || link.exists() {
            return Ok(());
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(&self.0, link)?;
        #[cfg(windows)]
        std::os::windows::fs::symlink_dir(&self.0, link)?;
        Ok(())
    }

    /// The commit at which a model of the hub lies in it.
    fn revision(&self, model: &str) -> Option<String> {
        let folder = self.0.join(format!("models--{}", model.replace('/', "--")));
        let revision = std::fs::read_to_string(folder.join("refs").join("main")).ok()?;
        let revision = revision.trim();
        let plain = !revision.is_empty() && revision.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (plain && folder.join("snapshots").join(revision).is_dir()).then(|| revision.to_owned())
    }
}

/// What a result calls the model: a folder by its name and the hash of its content, one of a hub by its commit.
pub(in super::super) fn identity(model: &str, cache: &Cache) -> Result<String, Unusable> {
    let folder = Path::new(model);
    if folder.is_absolute() {
        let absent = |what: String| Unusable::Missing {
            what,
            hint: "name a folder that holds the model, or a model of a hub that was downloaded here"
                .to_owned(),
        };
        if !folder.is_dir() {
            return Err(absent(format!("there is no folder `{model}` with a model")));
        }
        let hash = content(folder)
            .map_err(|error| absent(format!("the model `{model}` cannot be read: {error}")))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        return Ok(format!("{name} sha256:{hash}"));
    }
    let revision = cache.revision(model).ok_or_else(|| Unusable::Missing {
        what: format!("the model `{model}` is not on this machine"),
        hint: format!(
            "download it once (`hf download {model}`), or give a folder that holds it; Rankhold downloads nothing"
        ),
    })?;
    Ok(format!("{model}@{revision}"))
}

/// The hash over every file of a folder: its path and its content's hash, in the order of paths. Hidden files and pages of
/// documentation do not count: a hub's program leaves time stamps there.
fn content(folder: &Path) -> io::Result<Digest> {
    let mut files = Vec::new();
    collect(folder, "", &mut files)?;
    if files.is_empty() {
        return Err(io::Error::other("it holds no file"));
    }
    files.sort();
    let mut all = Sha256::new();
    for file in files {
        all.update(format!("{}  {file}\n", file_hash(&folder.join(&file))?));
    }
    Ok(Digest::from_hasher(all))
}

/// The hash over a file's bytes, which may be more than memory holds.
pub(in super::super) fn file_hash(path: &Path) -> io::Result<Digest> {
    // A pipe or a device has no end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other(format!("`{}` is no file", path.display())));
    }
    let mut hasher = Sha256::new();
    io::copy(&mut std::fs::File::open(path)?, &mut hasher)?;
    Ok(Digest::from_hasher(hasher))
}

/// It begins with `#!`: an interpreter runs it, and most often it starts something else.
pub(in super::super) fn is_script(path: &Path) -> bool {
    let mut start = [0; 2];
    std::fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok()) && start == *b"#!"
}

fn collect(folder: &Path, under: &str, files: &mut Vec<String>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder.join(under))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || Path::new(&name).extension() == Some("md".as_ref()) {
            continue;
        }
        let path = if under.is_empty() { name } else { format!("{under}/{name}") };
        // Follows links, as a hub's cache consists of them.
        let named = |error: io::Error| io::Error::new(error.kind(), format!("`{path}`: {error}"));
        if std::fs::metadata(folder.join(&path)).map_err(named)?.is_dir() {
            collect(folder, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_described_or_it_is_here() {
        let values = Values::from([("model".to_owned(), "nomic".to_owned())]);
        let cache = Cache(PathBuf::new());
        let model =
            |text: Option<&str>| Model::new(text, &values).unwrap().identity(Path::new("/repo"), &cache);
        assert_eq!(model(None), Ok(None));
        assert_eq!(model(Some("a {thing}")), Ok(Some("a {thing}".to_owned())));
        assert_eq!(model(Some("{model} of {someone}")), Ok(Some("nomic of {someone}".to_owned())));
        let absent = |text: &str, named: &str| {
            let unusable = model(Some(text)).unwrap_err();
            assert!(
                matches!(&unusable, Unusable::Missing { what, .. } if what.contains(named)),
                "{unusable:?}"
            );
        };
        absent("{model}", "the model `nomic` is not on this machine");
        absent("{repo}/{model}", "there is no folder `/repo/nomic`");
        assert_eq!(Model::new(Some("{modle} {model}"), &values).unwrap_err().key, "model");
    }

    #[test]
    fn a_folder_is_called_by_its_name_and_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("tiny");
        std::fs::create_dir_all(model.join("onnx")).unwrap();
        std::fs::write(model.join("onnx/model.onnx"), "weights").unwrap();
        std::fs::write(model.join("tokenizer.json"), "{}").unwrap();
        let cache = Cache(PathBuf::new());
        let name = || identity(model.to_str().unwrap(), &cache).unwrap();
        let before = name();
        assert!(before.starts_with("tiny sha256:"), "{before}");
        std::fs::write(model.join("onnx/model.onnx"), "other weights").unwrap();
        assert_ne!(name(), before);
        let absent = identity(model.join("x").to_str().unwrap(), &cache);
        assert!(matches!(absent, Err(Unusable::Missing { what, .. }) if what.contains("there is no folder")));
    }

    #[test]
    fn a_model_of_a_hub_is_called_by_its_commit() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(folder.path()));
        let absent = identity("lab/net", &cache);
        assert!(matches!(absent, Err(Unusable::Missing { what, hint })
            if what == "the model `lab/net` is not on this machine" && hint.contains("hf download lab/net")));
        let model = folder.path().join("models--lab--net");
        std::fs::create_dir_all(model.join("snapshots/0a1b")).unwrap();
        std::fs::create_dir_all(model.join("refs")).unwrap();
        std::fs::write(model.join("refs/main"), "0a1b\n").unwrap();
        assert_eq!(identity("lab/net", &cache).unwrap(), "lab/net@0a1b");
        std::fs::write(model.join("refs/main"), "../../x").unwrap();
        assert!(identity("lab/net", &cache).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_tool_sees_the_cache_through_a_link() {
        let (kept, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(kept.path().join("x"), "").unwrap();
        std::fs::create_dir(scratch.path().join("huggingface")).unwrap();
        let cache = Cache::new(Some(kept.path()));
        cache.link(scratch.path()).unwrap();
        cache.link(scratch.path()).unwrap();
        assert!(scratch.path().join("huggingface/hub/x").exists());
    }
}
