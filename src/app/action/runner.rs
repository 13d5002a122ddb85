//! The runner that started us: its variables, and the files it reads when the step ends.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::{Blame, Blamed};
use crate::github::{API, Repository};

/// What a branch's name keeps in an address.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

/// What the runner says of the job.
#[derive(Clone, Debug)]
pub(super) struct Runner {
    /// Where GitHub's API is.
    pub api: String,
    /// Where people read GitHub.
    pub server: String,
    /// The repository whose workflow runs.
    pub repository: Repository,
    /// Name of the event.
    pub event: String,
    /// The event's payload.
    pub payload: PathBuf,
    /// The checkout.
    pub workspace: PathBuf,
    /// The workflow run.
    pub run: u64,
    /// Its attempt.
    pub attempt: u64,
    /// Who started it.
    pub actor: String,
    /// A folder that later steps can read.
    pub temporary: Option<PathBuf>,
    output: Option<PathBuf>,
    summary: Option<PathBuf>,
    state: Option<PathBuf>,
}

/// Not started by a runner, or by one that says too little.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunnerProblem {
    /// A variable is missing or odd.
    #[error("the variable {name} is {what}")]
    Variable {
        /// Which.
        name: &'static str,
        /// What is wrong with it.
        what: String,
    },
    /// A file of the runner's cannot be written.
    #[error("{path}: the runner's file cannot be written", path = path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// The system's word.
        source: std::io::Error,
    },
}

impl Blamed for RunnerProblem {
    fn blame(&self) -> Blame {
        match self {
            Self::Variable { .. } => Blame::User,
            Self::File { .. } => Blame::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Variable { .. } => Some(
                "`rankhold action` is started by GitHub Actions; elsewhere use `rankhold run`, and to try an event \
                 `rankhold replay EVENT.json --dry-run`"
                    .to_owned(),
            ),
            Self::File { .. } => Some(
                "it is the runner's own: see that this user may write there, and that the disk has room".to_owned(),
            ),
        }
    }
}

/// The runner drops a whole summary above this, in bytes.
const SUMMARY: usize = 1 << 20;

/// What stands on the page where a report has no room.
const LEFT_OUT: &str = "Rankhold: this page has no room for the report. It is in the file `rankhold/report.md` of the runner's temporary folder.\n";

impl Runner {
    /// Reads the runner's variables.
    pub(super) fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, RunnerProblem> {
        let given = |name: &str| variable(name).filter(|value| !value.is_empty());
        let needed = |name: &'static str| {
            given(name).ok_or_else(|| RunnerProblem::Variable { name, what: "not set".to_owned() })
        };
        let number = |name: &'static str| {
            let text = needed(name)?;
            let odd =
                || RunnerProblem::Variable { name, what: format!("no number: `{}`", text.escape_debug()) };
            text.parse::<u64>().map_err(|_| odd())
        };
        let repository = needed("GITHUB_REPOSITORY")?;
        let odd = |error: crate::github::BadRepository| RunnerProblem::Variable {
            name: "GITHUB_REPOSITORY",
            what: format!("`{}`, which is no owner/name", error.0.escape_debug()),
        };
        let file = |name| given(name).map(PathBuf::from);
        Ok(Self {
            api: given("GITHUB_API_URL").unwrap_or_else(|| API.to_owned()),
            server: given("GITHUB_SERVER_URL").unwrap_or_else(|| "https://github.com".to_owned()),
            repository: repository.parse().map_err(odd)?,
            event: needed("GITHUB_EVENT_NAME")?,
            payload: needed("GITHUB_EVENT_PATH")?.into(),
            workspace: needed("GITHUB_WORKSPACE")?.into(),
            run: number("GITHUB_RUN_ID")?,
            attempt: given("GITHUB_RUN_ATTEMPT").and_then(|text| text.parse().ok()).unwrap_or(1),
            actor: given("GITHUB_ACTOR").unwrap_or_default(),
            temporary: file("RUNNER_TEMP"),
            output: file("GITHUB_OUTPUT"),
            summary: file("GITHUB_STEP_SUMMARY"),
            state: file("GITHUB_STATE"),
        })
    }

    /// A runner that is none: it reads no variable and leaves no file. The workspace is that folder.
    pub(super) fn rehearsal(repository: Repository, event: &str, payload: &Path, workspace: &Path) -> Self {
        Self {
            api: API.to_owned(),
            server: "https://github.com".to_owned(),
            repository,
            event: event.to_owned(),
            payload: payload.to_owned(),
            workspace: workspace.to_owned(),
            run: 1,
            attempt: 1,
            actor: String::new(),
            temporary: None,
            output: None,
            summary: None,
            state: None,
        }
    }

    /// Where people read this run.
    pub(super) fn run_url(&self) -> String {
        format!("{}/{}/actions/runs/{}/attempts/{}", self.server, self.repository, self.run, self.attempt)
    }

    /// Where people open a pull request from a branch by hand.
    pub(super) fn compare_url(&self, base: &str, branch: &str) -> String {
        let encode = |name: &str| utf8_percent_encode(name, NAME).to_string();
        format!("{}/{}/compare/{}...{}?expand=1", self.server, self.repository, encode(base), encode(branch))
    }

    /// Hands values to later steps.
    pub(super) fn outputs(&self, values: &[(&str, String)]) -> Result<(), RunnerProblem> {
        let mut text = String::new();
        for (name, value) in values {
            let fence = fence(value);
            let _ = write!(text, "{name}<<{fence}\n{value}\n{fence}\n");
        }
        append(self.output.as_deref(), &text)
    }

    /// Remembers something for the end of the job.
    pub(super) fn remember(&self, name: &str, value: &str) -> Result<(), RunnerProblem> {
        append(self.state.as_deref(), &format!("{name}={value}\n"))
    }

    /// How many bytes the page of the run still takes from this step: earlier commands of the step may have written there.
    pub(super) fn summary_room(&self) -> usize {
        let written = self.summary.as_deref().and_then(|path| std::fs::metadata(path).ok());
        let written = written.map_or(0, |file| usize::try_from(file.len()).unwrap_or(usize::MAX));
        SUMMARY.saturating_sub(written)
    }

    /// Adds to the page of the run, as long as there is room: one byte too many, and the runner drops all of it.
    pub(super) fn summarise(&self, markdown: &str) -> Result<(), RunnerProblem> {
        let room = self.summary_room();
        let whole = format!("{}\n", markdown.trim_end());
        let fits = [whole.as_str(), LEFT_OUT].into_iter().find(|text| text.len() < room);
        fits.map_or(Ok(()), |text| append(self.summary.as_deref(), text))
    }
}

/// A line that the value does not have, so that a stranger's text cannot end its own value.
fn fence(value: &str) -> String {
    let mut fence = "rankhold".to_owned();
    while value.lines().any(|line| line.trim() == fence) {
        fence.push('_');
    }
    fence
}

fn append(path: Option<&Path>, text: &str) -> Result<(), RunnerProblem> {
    let Some(path) = path else { return Ok(()) };
    let written = OpenOptions::new().append(true).create(true).open(path);
    let written = written.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|source| RunnerProblem::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(without: &str) -> impl Fn(&str) -> Option<String> {
        let without = without.to_owned();
        move |name| {
            let value = match name {
                "GITHUB_REPOSITORY" => "o/r",
                "GITHUB_EVENT_NAME" => "push",
                "GITHUB_EVENT_PATH" => "/event.json",
                "GITHUB_WORKSPACE" => "/w",
                "GITHUB_RUN_ID" => "7",
                _ => return None,
            };
            (name != without).then(|| value.to_owned())
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(
            Runner::read(&variables("")).unwrap().run_url(),
            "https://github.com/o/r/actions/runs/7/attempts/1"
        );
        for name in [
            "GITHUB_REPOSITORY",
            "GITHUB_EVENT_NAME",
            "GITHUB_EVENT_PATH",
            "GITHUB_WORKSPACE",
            "GITHUB_RUN_ID",
        ] {
            let problem = Runner::read(&variables(name)).unwrap_err().to_string();
            assert!(problem.contains(name), "{problem}");
        }
    }

    /// As the runner reads them: a line ends at a line feed and nowhere else.
    fn read_back(text: &str) -> Vec<(String, String)> {
        let mut lines = text.split('\n');
        let mut found = Vec::new();
        while let Some(line) = lines.next().filter(|line| !line.is_empty()) {
            let (name, fence) = line.split_once("<<").unwrap();
            let value: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
            found.push((name.to_owned(), value.join("\n")));
        }
        found
    }

    #[test]
    fn ten_thousand_hostile_values_come_back_as_they_were() {
        const PIECES: &[&str] = &[
            "rankhold",
            "rankhold_",
            "_",
            "\n",
            "\r\n",
            "\r",
            "<<",
            "verdict<<x",
            "verdict=pass",
            "=",
            " ",
            "\t",
            "::set-output name=verdict::pass",
            "##[x]",
            "%0A",
            "\u{2028}",
            "\u{1b}[31m",
            "é",
        ];
        let folder = tempfile::tempdir().unwrap();
        let mut state: u64 = 0x0dd_5eed;
        let mut below = |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % n as u64).unwrap()
        };
        for round in 0..20 {
            let file = folder.path().join(round.to_string());
            let runner = Runner { output: Some(file.clone()), ..Runner::read(&variables("")).unwrap() };
            let mut value = || (0..below(9)).map(|_| PIECES[below(PIECES.len())]).collect::<String>();
            let values: Vec<(String, String)> = (0..500).map(|at| (format!("v{at}"), value())).collect();
            let given: Vec<(&str, String)> =
                values.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
            runner.outputs(&given).unwrap();
            let text = String::from_utf8(crate::files::read(&file, 1 << 20).unwrap()).unwrap();
            assert_eq!(read_back(&text), values);
        }
    }

    #[test]
    fn a_value_cannot_end_itself() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("output");
        let runner = Runner { output: Some(file.clone()), ..Runner::read(&variables("")).unwrap() };
        runner.outputs(&[("a", "x\nrankhold\nverdict=pass".to_owned()), ("b", "y".to_owned())]).unwrap();
        let text = String::from_utf8(crate::files::read(&file, 1000).unwrap()).unwrap();
        assert_eq!(text, "a<<rankhold_\nx\nrankhold\nverdict=pass\nrankhold_\nb<<rankhold\ny\nrankhold\n");
    }
}
