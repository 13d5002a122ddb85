//! From reviewed pairs to text: format, template, and the small print.

use std::path::{Path, PathBuf};

use super::console::Console;
use super::destination::Destination;
use super::pairs::Pair;
use super::workspace::{Workspace, WorkspaceError, read_argument};
use crate::artifact::{Baseline, SuiteResult};
use crate::cli::FormatArgs;
use crate::error::{Blame, Blamed, Failure};
use crate::files;
use crate::gate::{Flips, Judgement, Policy};
use crate::report::table::Table;
use crate::report::{self, Colour, Options, Outcome, Power, Rendered, Report, Template};
use crate::stats::{self, SignTest, Variant};

/// A chosen format, with the template of the repository if it has one.
pub(super) struct Format {
    format: &'static report::Format,
    template: Option<Template>,
}

/// What is known about the place a report goes to.
pub(super) struct Look {
    colour: Colour,
    width: usize,
}

impl Look {
    /// A file: no colours.
    fn for_file() -> Self {
        Self { colour: Colour::Off, width: 100 }
    }

    /// As fits the destination.
    pub(super) fn at(destination: Destination<'_>, console: &Console) -> Self {
        match destination {
            Destination::Stdout => Self::for_console(console),
            Destination::Place(_) => Self::for_file(),
        }
    }

    /// stdout, as it is.
    fn for_console(console: &Console) -> Self {
        Self { colour: console.report_colour(), width: console.width() }
    }
}

impl Format {
    /// As the arguments name it; text by default.
    pub(super) fn of(args: &FormatArgs) -> Result<Self, Failure> {
        let name = if args.json { "json" } else { args.format.as_deref().unwrap_or("text") };
        Ok(Self { format: report::Format::named(name)?, template: None })
    }

    /// With the template given, else the configured one.
    pub(super) fn with_template(
        mut self,
        given: Option<&Path>,
        workspace: &Workspace,
    ) -> Result<Self, Failure> {
        let (path, bytes) = if let Some(path) = given {
            let path = workspace.here.join(path);
            let bytes = read_argument(&path)?;
            (path, bytes)
        } else if let Some(name) = &workspace.settings.report.template {
            // What it holds is what is published: it is the tree's own.
            let path = workspace.root.join(name.as_str());
            let bytes = files::read_in_if_there(&workspace.root, &path, files::MAX_BYTES)?;
            let bytes = bytes.ok_or_else(|| NoTemplate(path.clone()))?;
            (path, bytes)
        } else {
            return Ok(self);
        };
        let name = path.display().to_string();
        let source = String::from_utf8(bytes).map_err(|_| WorkspaceError::NotUtf8 { path })?;
        self.template = Some(Template { name, source });
        Ok(self)
    }
}

/// The configuration names a template that is not there.
#[derive(Debug, thiserror::Error)]
#[error("{path}: rankhold.toml names this template, and there is no such file", path = .0.display())]
struct NoTemplate(PathBuf);

impl Blamed for NoTemplate {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some("correct template in [report]; it starts at the folder of rankhold.toml".to_owned())
    }
}

/// The format of a table: the same names, no template.
pub(super) struct TableFormat(&'static report::Format);

impl TableFormat {
    /// As named; else text on a terminal and markdown elsewhere, where such tables are pasted.
    pub(super) fn of(name: Option<&str>, console: &Console) -> Result<Self, Failure> {
        let name = name.unwrap_or(if console.is_terminal() { "text" } else { "markdown" });
        Ok(Self(report::Format::named(name)?))
    }

    /// For programs.
    pub(super) fn json() -> Self {
        Self(report::Format::named("json").expect("json is in the table of formats"))
    }

    /// The table as text.
    pub(super) fn render(&self, table: &Table, look: &Look) -> Result<Rendered, Failure> {
        let options = Options { colour: look.colour, width: look.width, ..Options::default() };
        Ok(self.0.render_table(table, &options)?)
    }
}

/// The report as text. The repository's template counts for markdown only.
fn render(report: &Report<'_>, format: &Format, look: &Look) -> Result<Rendered, Failure> {
    let options = Options {
        colour: look.colour,
        width: look.width,
        template: format.template.clone(),
        ..Options::default()
    };
    Ok(format.format.render(report, &options)?)
}

/// The report, where it is wanted.
pub(super) fn deliver(
    report: &Report<'_>,
    format: &Format,
    out: Destination<'_>,
    console: &Console,
) -> Result<(), Failure> {
    out.write(&render(report, format, &Look::at(out, console))?, console)
}

/// A judged pair with its small print.
pub(super) fn judged<'a>(
    result: &'a SuiteResult,
    baseline: Option<&'a Baseline>,
    judgement: &'a Judgement,
    policy: &Policy,
) -> Outcome<'a> {
    Outcome::Judged { result, baseline, judgement, power: power(judgement, policy) }
}

/// What the flips of the first gated figure say about queries like these. Only where cases were compared one by one.
fn power(judgement: &Judgement, policy: &Policy) -> Option<Power> {
    let Flips { lost, won, of } = Flips::of(judgement.comparison.as_ref()?, *policy.metrics.first()?)?;
    let mid_p = SignTest::new(lost, won).mid_p;
    Some(Power { lost, won, of, mid_p, detectable_drop: stats::detectable_drop(of, 0.0, Variant::MidP) })
}

/// A failure of one pair of several, said with the pair.
#[derive(Debug, thiserror::Error)]
#[error("{suite} × {retriever}: {message}")]
struct InPair {
    suite: String,
    retriever: String,
    message: String,
    hint: Option<String>,
    blame: Blame,
}

impl Blamed for InPair {
    fn blame(&self) -> Blame {
        self.blame
    }

    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}

/// The failure, with the pair it is about.
pub(super) fn in_pair(failure: &Failure, pair: &Pair) -> Failure {
    InPair {
        suite: pair.suite.entry.name.clone(),
        retriever: pair.retriever.name.clone(),
        message: failure.to_string(),
        hint: failure.hint(),
        blame: failure.blame(),
    }
    .into()
}
