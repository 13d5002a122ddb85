//! The formats: one table row each. Its order is the order of help and docs.

use super::table::{self, Table, TableView};
use super::view::View;
use super::{Rendered, Report, Template, TemplateProblem, json, markdown, text};
use crate::error::{Blame, Blamed};

/// A way to lay a report out.
pub struct Format {
    /// As `--format` takes it.
    pub name: &'static str,
    /// For help, in one line.
    pub about: &'static str,
    report: fn(&View, &Options) -> Result<String, TemplateProblem>,
    table: fn(&TableView, &Options) -> Result<String, TemplateProblem>,
}

/// Every format.
pub static FORMATS: &[Format] = &[
    Format { name: "text", about: "for a terminal", report: text::render, table: table::as_text },
    Format {
        name: "markdown",
        about: "for a pull-request comment or a job summary",
        report: markdown::render,
        table: table::as_markdown,
    },
    Format {
        name: "json",
        about: "every field, for programs (docs/templates.md)",
        report: json::render,
        table: table::as_json,
    },
];

/// Whether colours are wanted; the caller knows the terminal and the environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    #[default]
    Off,
    /// ANSI styles.
    On,
}

/// What the caller knows about the place a report goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Of the text format.
    pub colour: Colour,
    /// Columns of the text format.
    pub width: usize,
    /// Most bytes of the markdown format.
    pub budget: usize,
    /// The repository's own template for the markdown format.
    pub template: Option<Template>,
}

impl Default for Options {
    /// Plain, 80 columns; 60,000 bytes, since GitHub refuses a comment of more than 65,536 characters and a marker may
    /// be added.
    fn default() -> Self {
        Self { colour: Colour::Off, width: 80, budget: 60_000, template: None }
    }
}

/// A format that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no format `{0}`")]
pub struct UnknownFormat(pub String);

impl Blamed for UnknownFormat {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        let names = FORMATS.iter().map(|format| format.name);
        let near = names.clone().max_by(|a, b| {
            let likeness = |name| strsim::jaro_winkler(name, &self.0);
            likeness(*a).total_cmp(&likeness(*b))
        });
        let near = near.filter(|name| strsim::jaro_winkler(name, &self.0) > 0.8);
        Some(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the formats are {}", names.collect::<Vec<_>>().join(", ")),
        })
    }
}

impl Format {
    /// The format of that name; `md` is short for markdown.
    pub fn named(name: &str) -> Result<&'static Self, UnknownFormat> {
        let wanted = if name == "md" { "markdown" } else { name };
        FORMATS.iter().find(|format| format.name == wanted).ok_or_else(|| UnknownFormat(name.to_owned()))
    }

    /// The report in this format.
    pub fn render(&self, report: &Report<'_>, options: &Options) -> Result<Rendered, TemplateProblem> {
        self.lay_out(&View::new(report), options)
    }

    /// A finished view in this format, for a caller that needs several.
    pub fn lay_out(&self, view: &View, options: &Options) -> Result<Rendered, TemplateProblem> {
        (self.report)(view, options).map(Rendered::by_format)
    }

    /// The table of `compare` in this format.
    pub fn render_table(&self, table: &Table, options: &Options) -> Result<Rendered, TemplateProblem> {
        (self.table)(&TableView::new(table), options).map(Rendered::by_format)
    }
}
