//! What a child's environment holds: little of ours, a home in the scratch folder, no network, no telemetry.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use super::Secrets;

/// The variable every process of a job carries, by which it is found.
pub const MARKER: &str = "RANKHOLD_JOB";

/// What goes through from our own environment: where programs and their libraries are.
const ALLOWED: &[&str] = &[
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "USER",
    "LOGNAME",
    // version managers whose programs look under HOME otherwise
    "ASDF_DATA_DIR",
    "CARGO_HOME",
    "DOTNET_ROOT",
    "GOROOT",
    "JAVA_HOME",
    "NVM_DIR",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "RUSTUP_HOME",
    "VOLTA_HOME",
    // Windows programs do not start without these
    "COMSPEC",
    "NUMBER_OF_PROCESSORS",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "ProgramData",
    "ProgramFiles",
    "SystemDrive",
    "SystemRoot",
    "windir",
];

/// Variables that point into the scratch folder, with the folder each gets there.
const HOMES: &[(&str, &str)] = &[
    ("HOME", "home"),
    ("USERPROFILE", "home"),
    ("APPDATA", "home/appdata"),
    ("LOCALAPPDATA", "home/localappdata"),
    ("XDG_CACHE_HOME", "cache"),
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_STATE_HOME", "state"),
    ("XDG_RUNTIME_DIR", "runtime"),
    ("HF_HOME", "huggingface"),
    ("TMPDIR", "tmp"),
    ("TMP", "tmp"),
    ("TEMP", "tmp"),
];

/// Variables with the same value everywhere: offline, quiet, and the same answer twice.
const FIXED: &[(&str, &str)] = &[
    ("HF_HUB_OFFLINE", "1"),
    ("TRANSFORMERS_OFFLINE", "1"),
    ("DO_NOT_TRACK", "1"),
    ("HF_HUB_DISABLE_TELEMETRY", "1"),
    ("ORT_DISABLE_TELEMETRY", "1"),
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONHASHSEED", "0"),
    ("PYTHONUTF8", "1"),
    ("OMP_WAIT_POLICY", "passive"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// What a retriever's configuration adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// Literal values (`env`).
    pub set: BTreeMap<String, String>,
    /// Names whose values come from our own environment (`pass-env`); the values are secrets.
    pub pass: Vec<String>,
    /// The same for those that may be absent.
    pub pass_if_set: Vec<String>,
}

/// Everything a child sees.
#[derive(Clone, Debug)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    secrets: Secrets,
}

/// An environment that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// The name belongs to GitHub or to Rankhold.
    #[error("`{name}` is never given to a retriever")]
    Reserved {
        /// The variable.
        name: String,
    },
    /// The name cannot be one.
    #[error("`{name}` is not the name of a variable")]
    Malformed {
        /// The variable.
        name: String,
    },
    /// Not set, or empty, as a secret is in a pull request from a fork.
    #[error("the variable `{name}` is {} here", if *.is_empty { "empty" } else { "not set" })]
    Unset {
        /// The variable.
        name: String,
        /// It is set, to nothing.
        is_empty: bool,
    },
    /// The scratch folder could not be written.
    #[error("the scratch folder could not be prepared: {0}")]
    Scratch(#[from] io::Error),
}

impl Extra {
    /// Names that can be used and may be given.
    pub fn check(&self) -> Result<(), EnvironmentError> {
        for name in self.set.keys().chain(&self.pass).chain(&self.pass_if_set) {
            let malformed = name.is_empty() || name.contains(['=', '\0']);
            if malformed || self.set.get(name).is_some_and(|value| value.contains('\0')) {
                return Err(EnvironmentError::Malformed { name: name.clone() });
            }
            if reserved(name) {
                return Err(EnvironmentError::Reserved { name: name.clone() });
            }
        }
        Ok(())
    }
}

/// Makes a folder below the scratch folder, and that one in one that is there. What is gone above is not made anew: a
/// signal that ends us has removed it.
fn make_below(scratch: &Path, folder: &str) -> io::Result<()> {
    let mut path = scratch.to_owned();
    for part in std::iter::once("".as_ref()).chain(Path::new(folder)) {
        path.push(part);
        match std::fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Tokens, and what would let a child speak to the job around it.
fn reserved(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let prefixes = ["GITHUB_", "ACTIONS_", "INPUT_", "RANKHOLD_"];
    prefixes.iter().any(|prefix| name.starts_with(prefix))
        || ["GH_TOKEN", "GH_ENTERPRISE_TOKEN"].contains(&&*name)
}

impl Environment {
    /// Our own environment, scrubbed, with the homes made inside `scratch` (absolute) and `extra` on top.
    pub fn scrubbed(scratch: &Path, extra: &Extra) -> Result<Self, EnvironmentError> {
        for (_, folder) in HOMES {
            make_below(scratch, folder)?;
        }
        Self::from_host(|name| std::env::var_os(name), scratch, extra)
    }

    fn from_host(
        host: impl Fn(&str) -> Option<OsString>,
        scratch: &Path,
        extra: &Extra,
    ) -> Result<Self, EnvironmentError> {
        extra.check()?;
        let mut variables = BTreeMap::new();
        let mut secrets = Secrets::default();
        let mut put = |name: &str, value: OsString| variables.insert(OsString::from(name), value);
        for name in ALLOWED {
            host(name).map(|value| put(name, value));
        }
        for (name, value) in FIXED {
            put(name, value.into());
        }
        for (name, folder) in HOMES {
            put(name, scratch.join(folder).into());
        }
        for (name, value) in &extra.set {
            put(name, value.into());
        }
        let given = |name: &String| host(name).filter(|value| !value.is_empty());
        let mut passed = Vec::new();
        for name in &extra.pass {
            let unset = || EnvironmentError::Unset { name: name.clone(), is_empty: host(name).is_some() };
            let value = given(name).ok_or_else(unset)?;
            passed.push((name, value));
        }
        passed.extend(extra.pass_if_set.iter().filter_map(|name| Some((name, given(name)?))));
        for (name, value) in passed {
            secrets.add(&value.to_string_lossy());
            put(name, value);
        }
        Ok(Self { variables, secrets })
    }

    /// The variables, by name.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The same, with a folder (absolute) that messages show by that name.
    #[must_use]
    pub fn naming(mut self, folder: &Path, name: &'static str) -> Self {
        self.secrets.name(folder, name);
        self
    }

    /// What no message may show.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str) -> Option<OsString> {
        let value = match name {
            "PATH" => "/bin",
            "HOME" => "/home/someone",
            "GITHUB_TOKEN" | "ACTIONS_RUNTIME_TOKEN" | "INPUT_TOKEN" | "RANKHOLD_JOB" => "secret",
            "API_KEY" => "key-of-someone",
            "EMPTY" => "",
            _ => return None,
        };
        Some(value.into())
    }

    fn made(extra: &Extra) -> Result<Environment, String> {
        Environment::from_host(host, Path::new("/scratch"), extra).map_err(|error| error.to_string())
    }

    fn pass(name: &str) -> Extra {
        Extra { pass: vec![name.to_owned()], ..Extra::default() }
    }

    #[test]
    fn little_comes_through_and_every_home_is_in_the_scratch_folder() {
        let environment = made(&Extra::default()).unwrap();
        let value = |name: &str| environment.variables.get(OsStr::new(name)).cloned();
        assert_eq!(value("PATH"), Some("/bin".into()));
        assert_eq!(value("HF_HUB_OFFLINE"), Some("1".into()));
        for (name, _) in HOMES {
            assert!(Path::new(&value(name).unwrap()).starts_with("/scratch"), "{name}");
        }
        assert!(environment.variables().all(|(_, value)| value != "secret"));
        assert_eq!(value("API_KEY"), None);
    }

    #[test]
    fn the_configuration_sets_values_and_passes_names_on() {
        let set = BTreeMap::from([("LANG".to_owned(), "pt_PT.UTF-8".to_owned())]);
        let pass_if_set = vec!["EMPTY".to_owned(), "NOWHERE".to_owned()];
        let environment = made(&Extra { set, pass_if_set, ..pass("API_KEY") }).unwrap();
        assert!(
            ["EMPTY", "NOWHERE"].iter().all(|name| !environment.variables.contains_key(OsStr::new(name)))
        );
        assert_eq!(environment.variables[OsStr::new("LANG")], "pt_PT.UTF-8");
        assert_eq!(environment.variables[OsStr::new("API_KEY")], "key-of-someone");
        assert_eq!(environment.secrets().hide(b"is key-of-someone"), b"is ***");
    }

    #[test]
    fn tokens_of_the_job_are_refused_and_an_absent_secret_is_told() {
        for name in [
            "GITHUB_TOKEN",
            "github_token",
            "ACTIONS_RUNTIME_TOKEN",
            "INPUT_TOKEN",
            "RANKHOLD_JOB",
            "GH_TOKEN",
        ] {
            assert_eq!(made(&pass(name)).unwrap_err(), format!("`{name}` is never given to a retriever"));
        }
        for (name, state) in [("NOWHERE", "not set"), ("EMPTY", "empty")] {
            assert_eq!(made(&pass(name)).unwrap_err(), format!("the variable `{name}` is {state} here"));
        }
        assert_eq!(made(&pass("A=B")).unwrap_err(), "`A=B` is not the name of a variable");
    }
}
