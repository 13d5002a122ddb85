//! The yardstick: ripgrep as its users run it, or a plain reading pass where there is none.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::child::Usage;

/// `rg` from PATH or from the tools that `scripts/tools.sh` installs; else nothing.
pub(crate) struct Ripgrep(Option<(PathBuf, String)>);

impl Ripgrep {
    pub(crate) fn find() -> Self {
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/bin/rg");
        let known = [PathBuf::from("rg"), tools];
        Self(known.into_iter().find_map(|program| {
            let version = Command::new(&program).arg("--version").output().ok()?;
            let version = String::from_utf8_lossy(&version.stdout).lines().next()?.to_owned();
            Some((program, version))
        }))
    }

    pub(crate) fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// `rg -c ''`: every line of every file. Without rg, one thread reads the files and counts their lines.
    pub(crate) fn count_lines(&self, root: &Path) -> Usage {
        if let Some((program, _)) = &self.0 {
            return run(Command::new(program).args(["-uu", "-c", ""]).arg(root));
        }
        let start = Instant::now();
        std::hint::black_box(lines_below(root));
        Usage { time: start.elapsed(), peak_bytes: None }
    }

    /// One process for each query, which is taken as one fixed string: the least that rg can be asked.
    pub(crate) fn ask_each(&self, root: &Path, queries: &[String]) -> Usage {
        let (program, _) = self.0.as_ref().unwrap();
        let start = Instant::now();
        for query in queries {
            run(Command::new(program).args(["-uu", "-i", "-F", "-c", "-e", query]).arg(root));
        }
        Usage { time: start.elapsed(), peak_bytes: None }
    }
}

impl Ripgrep {
    /// The argument vector of the preset, with this program.
    pub(crate) fn argv(&self) -> String {
        let (program, _) = self.0.as_ref().unwrap();
        let program = if program.is_absolute() { program.clone() } else { PathBuf::from("rg") };
        let mut argv = vec![program.to_string_lossy().into_owned()];
        argv.extend(OPTIONS.map(str::to_owned));
        argv.extend(["--regexp={word}", "--", "{corpus}"].map(str::to_owned));
        serde_json::json!(argv).to_string()
    }

    /// The same processes without Rankhold.
    pub(crate) fn ask_as_the_preset(&self, root: &Path, queries: &[String]) -> Usage {
        let (program, _) = self.0.as_ref().unwrap();
        let start = Instant::now();
        for query in queries {
            let words = words(query).into_iter().map(|word| format!("--regexp={word}"));
            run(Command::new(program).args(OPTIONS).args(words).arg("--").arg(root));
        }
        Usage { time: start.elapsed(), peak_bytes: None }
    }
}

const OPTIONS: [&str; 4] = ["--no-config", "--json", "--fixed-strings", "--ignore-case"];

/// The words that the preset asks for.
fn words(query: &str) -> Vec<String> {
    let whole = query.trim().to_lowercase();
    let mut words: Vec<String> = Vec::new();
    for word in whole.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| word.len() > 1) {
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    if words.is_empty() { vec![whole] } else { words }
}

/// Its output goes to a pipe: into /dev/null a search may stop at the first match.
fn run(command: &mut Command) -> Usage {
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output().unwrap();
    let time = start.elapsed();
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr)); // 1: nothing found
    Usage { time, peak_bytes: None }
}

fn lines_below(folder: &Path) -> usize {
    let lines = |path: &Path| {
        if path.is_dir() {
            return lines_below(path);
        }
        memchr::memchr_iter(b'\n', &fs::read(path).unwrap()).count()
    };
    fs::read_dir(folder).unwrap().map(|entry| lines(&entry.unwrap().path())).sum()
}

impl fmt::Display for Ripgrep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0, f.alternate()) {
            (Some(_), true) => write!(f, "`rg -c ''`"),
            (None, true) => write!(f, "reading"),
            (Some((_, version)), false) => write!(f, "yardstick: {version}"),
            (None, false) => write!(f, "yardstick: one thread that reads and counts lines (there is no rg)"),
        }
    }
}
