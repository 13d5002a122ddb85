//! The documented workflows: what a finding shows is what the documentation shows.

use super::check::listed;
use crate::error::SOURCE;

/// A documented workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Where it is documented.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl Example {
    /// Where it is read.
    pub(super) fn address(&self) -> String {
        format!("{SOURCE}{}", self.path)
    }
}

/// One job that measures and says so: embedded retrievers, branches of the repository.
pub const SAME_REPOSITORY: Example = Example {
    path: "docs/workflows/same-repository.yml",
    text: include_str!("../../docs/workflows/same-repository.yml"),
};

/// Two jobs: one runs programs, the other holds the token.
pub const EXTERNAL: Example =
    Example { path: "docs/workflows/external.yml", text: include_str!("../../docs/workflows/external.yml") };

/// A job for each suite, and one that reviews them all.
pub const MATRIX: Example =
    Example { path: "docs/workflows/matrix.yml", text: include_str!("../../docs/workflows/matrix.yml") };

/// Pull requests of forks, first half.
pub const FORKS_MEASURE: Example = Example {
    path: "docs/workflows/forks-measure.yml",
    text: include_str!("../../docs/workflows/forks-measure.yml"),
};

/// The same where retrievers are programs.
pub const FORKS_EXTERNAL: Example = Example {
    path: "docs/workflows/forks-external.yml",
    text: include_str!("../../docs/workflows/forks-external.yml"),
};

/// Pull requests of forks, second half.
pub const FORKS_PUBLISH: Example = Example {
    path: "docs/workflows/forks-publish.yml",
    text: include_str!("../../docs/workflows/forks-publish.yml"),
};

/// The one that answers slash commands.
pub const COMMAND: Example =
    Example { path: "docs/workflows/command.yml", text: include_str!("../../docs/workflows/command.yml") };

/// The one that files what was approved and not committed.
pub const PROPOSE: Example =
    Example { path: "docs/workflows/propose.yml", text: include_str!("../../docs/workflows/propose.yml") };

/// The same where retrievers are programs.
pub const PROPOSE_EXTERNAL: Example = Example {
    path: "docs/workflows/propose-external.yml",
    text: include_str!("../../docs/workflows/propose-external.yml"),
};

impl Example {
    /// Its text with these names in the place of the documented default branch; none leave it as it is.
    pub fn on_branches<T: AsRef<str>>(&self, names: &[T]) -> String {
        if names.is_empty() {
            return self.text.to_owned();
        }
        self.text.replace("branches: [main]", &format!("branches: {}", listed(names)))
    }

    /// The step that begins with these words, its lines without their indentation.
    pub(super) fn step(&self, begins: &str) -> Vec<String> {
        let first = self.text.lines().position(|line| line.trim_start().starts_with(begins));
        let Some(first) = first else { return Vec::new() };
        let lines: Vec<&str> = self.text.lines().skip(first).collect();
        let indent = lines[0].len() - lines[0].trim_start().len();
        let is_inside = |line: &&&str| line.len() > indent && line[..=indent].trim().is_empty();
        let rest = lines[1..].iter().take_while(is_inside);
        std::iter::once(&lines[0]).chain(rest).map(|line| line[indent..].to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_an_example_is_found_by_its_first_words() {
        let checkout = SAME_REPOSITORY.step("- uses: actions/checkout@");
        assert_eq!(checkout.len(), 3, "{checkout:?}");
        assert_eq!(checkout[1..], ["  with:", "    persist-credentials: false"]);
        let upload = FORKS_MEASURE.step("- name: hand the results on");
        assert!(upload.len() == 6 && upload[5] == "    path: ${{ runner.temp }}/rankhold/", "{upload:?}");
        assert_eq!(SAME_REPOSITORY.step("- nothing"), Vec::<String>::new());
    }
}
