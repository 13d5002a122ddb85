//! What Python and the model hub's programs keep for the user of this machine. It is read, never written.
#![expect(clippy::disallowed_methods, reason = "edge: reads where this machine keeps models and packages")]

use std::path::PathBuf;

/// A folder, and what a reader calls it: paths of this machine are nobody's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) folder: PathBuf,
}

/// Where the hub's own programs keep models, by their rules.
pub(super) fn hub_cache() -> Option<Named> {
    let places = [
        ("HF_HUB_CACHE", "HF_HUB_CACHE", variable("HF_HUB_CACHE")),
        ("HF_HOME/hub", "hub", variable("HF_HOME")),
        ("XDG_CACHE_HOME/huggingface/hub", "huggingface/hub", variable("XDG_CACHE_HOME")),
        ("~/.cache/huggingface/hub", ".cache/huggingface/hub", std::env::home_dir()),
    ];
    places.into_iter().find_map(|(name, below, place)| {
        let place = place?;
        let folder = if name == below { place } else { place.join(below) };
        Some(Named { name: name.to_owned(), folder })
    })
}

/// Where `pip install --user` puts packages; a child has a home of its own and would look there.
pub(super) fn user_packages() -> Option<String> {
    let usual = || Some(std::env::home_dir()?.join(".local")).filter(|_| cfg!(unix));
    variable("PYTHONUSERBASE").or_else(usual).map(|path| path.to_string_lossy().into_owned())
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
