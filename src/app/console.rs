//! Where a command speaks: the report on stdout, everything else on stderr.
#![expect(clippy::disallowed_methods, reason = "edge: the only place that writes to stdout and stderr")]

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};

use crate::cli::Global;
use crate::error::{Blame, Blamed, Failure};
use crate::progress::Progress;
use crate::report::{Colour, Rendered};
use crate::term;

/// The two streams and how they may be written to.
pub(super) struct Console {
    quiet: bool,
    verbose: bool,
    out: Colour,
    err: Colour,
    progress: Progress,
    /// Why not all of the report is on stdout.
    unwritten: OnceLock<io::Error>,
}

/// A report that stdout did not take.
#[derive(Debug, thiserror::Error)]
#[error("the report could not be written to stdout")]
struct Unwritten {
    #[source]
    system: io::Error,
}

impl Blamed for Unwritten {
    fn blame(&self) -> Blame {
        Blame::Environment
    }

    fn hint(&self) -> Option<String> {
        Some("make room where stdout leads to; what is there is not the whole report".to_owned())
    }
}

const BAD: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HELP: Style = AnsiColor::Cyan.on_default();

#[expect(clippy::unused_self, reason = "where a command speaks is one thing, whatever a stream remembers")]
impl Console {
    /// As the flags and the terminal want it.
    pub(super) fn new(global: &Global) -> Self {
        Self {
            quiet: global.quiet,
            verbose: global.verbose,
            out: term::colour(global.color, &io::stdout()),
            err: term::colour(global.color, &io::stderr()),
            progress: Progress::new(term::progress(global.quiet)),
            unwritten: OnceLock::new(),
        }
    }

    /// Whether the report may be coloured.
    pub(super) fn report_colour(&self) -> Colour {
        self.out
    }

    /// Columns of the report.
    pub(super) fn width(&self) -> usize {
        term::width()
    }

    /// The report goes to a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// What a watcher sees.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The report. Whether it arrived is asked once, at the end ([`Console::all_written`]): a command goes on.
    pub(super) fn report(&self, text: &Rendered) {
        self.put(text);
    }

    /// One line on stdout, whatever is in it.
    pub(super) fn line(&self, text: &str) {
        self.report(&Rendered::lines([text]));
    }

    /// What stdout is to be a file of: a suite, a manual page. A file gets its bytes as they are, a terminal what can be
    /// shown of them.
    pub(super) fn document(&self, text: &str) {
        if self.is_terminal() {
            self.report(&Rendered::lines(text.lines()));
        } else {
            self.put(text);
        }
    }

    fn put(&self, text: &str) {
        if let Err(error) = written(|out| out.write_all(text.as_bytes())) {
            let _ = self.unwritten.set(error); // the first failure says it
        }
    }

    /// Everything that was reported is on stdout, as far as anybody reads it.
    pub(super) fn all_written(&mut self) -> Result<(), Failure> {
        self.unwritten.take().map_or(Ok(()), |system| Err(Unwritten { system }.into()))
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
        let text = Rendered::lines(text.lines()).trim_end().replace('\n', "\n  ");
        let _ = match label {
            Some((style, word)) if self.err == Colour::On => writeln!(err, "{style}{word}{style:#}: {text}"),
            Some((_, word)) => writeln!(err, "{word}: {text}"),
            None => writeln!(err, "{text}"),
        };
    }
}

/// Writes to stdout. A reader that went away has read what it wanted; any other failure is one.
pub(super) fn written(write: impl FnOnce(&mut io::StdoutLock<'_>) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}
