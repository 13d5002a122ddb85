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
    hub_cache_of(variable, std::env::home_dir())
}

fn hub_cache_of(variable: impl Fn(&str) -> Option<PathBuf>, home: Option<PathBuf>) -> Option<Named> {
    let places = [
        ("HF_HUB_CACHE", "", variable("HF_HUB_CACHE")),
        ("HF_HOME/hub", "hub", variable("HF_HOME")),
        ("XDG_CACHE_HOME/huggingface/hub", "huggingface/hub", variable("XDG_CACHE_HOME")),
        ("~/.cache/huggingface/hub", ".cache/huggingface/hub", home),
    ];
    let named = |(name, below, place): (&str, &str, Option<PathBuf>)| {
        Some(Named { name: name.to_owned(), folder: place?.join(below) })
    };
    places.into_iter().find_map(named)
}

/// Where `pip install --user` puts packages; a child has a home of its own and would look there.
pub(super) fn user_packages() -> Option<String> {
    let usual = || Some(std::env::home_dir()?.join(".local")).filter(|_| cfg!(unix));
    variable("PYTHONUSERBASE").or_else(usual).map(|path| path.to_string_lossy().into_owned())
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_cache_is_where_the_hubs_own_programs_look() {
        let all = ["HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"];
        let folder = |set: &[&str]| {
            let variable = |name: &str| set.contains(&name).then(|| Path::new("/of").join(name));
            hub_cache_of(variable, Some("/home/me".into())).unwrap().folder
        };
        assert_eq!(folder(&all), Path::new("/of/HF_HUB_CACHE"));
        assert_eq!(folder(&all[1..]), Path::new("/of/HF_HOME/hub"));
        assert_eq!(folder(&all[2..]), Path::new("/of/XDG_CACHE_HOME/huggingface/hub"));
        assert_eq!(folder(&[]), Path::new("/home/me/.cache/huggingface/hub"));
        assert_eq!(hub_cache_of(|_| None, None), None);
    }
}
