//! Where a command speaks: the report on stdout, everything else on stderr.
#![expect(clippy::disallowed_methods, reason = "edge: looks at the terminal and at NO_COLOR")]

use std::env;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};

use crate::cli::{Color, Global};
use crate::error::Failure;
use crate::report::place;

/// The two streams and how they may be written to.
pub(super) struct Console {
    quiet: bool,
    verbose: bool,
    out_color: bool,
    err_color: bool,
}

const BAD: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HELP: Style = AnsiColor::Cyan.on_default();

/// Columns of a terminal that does not say.
const WIDTH: usize = 100;

impl Console {
    /// As the flags and the terminal want it.
    pub(super) fn new(global: &Global) -> Self {
        let unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || env::var_os("TERM").is_some_and(|term| term == "dumb");
        let color = |terminal: bool| match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !unwanted,
        };
        Self {
            quiet: global.quiet,
            verbose: global.verbose,
            out_color: color(io::stdout().is_terminal()),
            err_color: color(io::stderr().is_terminal()),
        }
    }

    /// The report may be coloured.
    pub(super) fn colors_report(&self) -> bool {
        self.out_color
    }

    /// Columns of the report: the terminal's, else COLUMNS, else 100.
    pub(super) fn width(&self) -> usize {
        let stated = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        terminal_width().or(stated).unwrap_or(WIDTH).clamp(40, 200)
    }

    /// The report goes to a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// stderr is a terminal that may show a moving bar.
    pub(super) fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal() && env::var_os("CI").is_none()
    }

    /// Only errors are wanted on stderr.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// The report. A reader that went away is no error.
    pub(super) fn report(&self, text: &str) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// What was written, what was skipped: unless `-q`.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            self.say(None, text);
        }
    }

    /// More of it: only with `-v`.
    pub(super) fn detail(&self, text: &str) {
        if self.verbose && !self.quiet {
            self.say(None, text);
        }
    }

    /// Something the reader should know: unless `-q`.
    pub(super) fn warning(&self, text: &str) {
        if !self.quiet {
            self.say(Some((WARNING, "warning")), text);
        }
    }

    /// What went wrong, and the next step.
    pub(super) fn failure(&self, failure: &Failure) {
        let (style, word) = match failure.blame() {
            crate::error::Blame::Bug => (BAD, "bug in rankhold"),
            _ => (BAD, "error"),
        };
        self.say(Some((style, word)), &failure.to_string());
        if let Some(hint) = failure.hint() {
            self.say(Some((HELP, "next")), &hint);
        }
    }

    fn say(&self, label: Option<(Style, &str)>, text: &str) {
        let mut err = io::stderr().lock();
        let line = |line: &str| {
            let indent = line.len() - line.trim_start_matches(' ').len();
            format!("{}{}", &line[..indent], place::terminal(line, usize::MAX))
        };
        let text = text.lines().map(line).collect::<Vec<_>>().join("\n  ");
        let _ = match label {
            Some((style, word)) if self.err_color => writeln!(err, "{style}{word}{style:#}: {text}"),
            Some((_, word)) => writeln!(err, "{word}: {text}"),
            None => writeln!(err, "{text}"),
        };
    }
}

#[cfg(unix)]
fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn terminal_width() -> Option<usize> {
    None
}
