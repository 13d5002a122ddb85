//! Progress on stderr: bars on a terminal, a line per pair elsewhere, nothing when quiet.
#![expect(clippy::disallowed_methods, reason = "edge: progress is redrawn on stderr")]

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::report::place::terminal;

/// How progress is shown; the caller knows the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A bar per pair, redrawn in place.
    Bars,
    /// One line when a pair starts and one when it ends.
    Lines,
    /// Nothing.
    Quiet,
}

/// The progress of a run. Shared between threads by reference.
pub struct Progress {
    mode: Mode,
    bars: MultiProgress,
    lines: Sink,
}

type Sink = Arc<Mutex<dyn Write + Send>>;

/// The progress of one pair. Dropped unfinished, it leaves no trace.
pub struct Bar {
    name: String,
    shown: Shown,
}

enum Shown {
    Bar(MultiProgress, ProgressBar),
    Lines(Sink),
    Nothing,
}

impl Progress {
    /// On stderr.
    pub fn new(mode: Mode) -> Self {
        Self::writing_to(mode, std::io::stderr())
    }

    /// With lines going somewhere else.
    pub fn writing_to(mode: Mode, lines: impl Write + Send + 'static) -> Self {
        Self { mode, bars: MultiProgress::new(), lines: Arc::new(Mutex::new(lines)) }
    }

    /// A pair begins: so many queries will be asked.
    pub fn pair(&self, name: &str, total: u64) -> Bar {
        let name = terminal(name, 60);
        let shown = match self.mode {
            Mode::Bars => {
                let bar =
                    self.bars.add(ProgressBar::new(total).with_style(style()).with_message(name.clone()));
                bar.enable_steady_tick(std::time::Duration::from_millis(120));
                Shown::Bar(self.bars.clone(), bar)
            }
            Mode::Lines => {
                let queries = if total == 1 { "query" } else { "queries" };
                say(&self.lines, &format!("{name}: {total} {queries}"));
                Shown::Lines(Arc::clone(&self.lines))
            }
            Mode::Quiet => Shown::Nothing,
        };
        Bar { name, shown }
    }

    /// A line beside the bars, not lost in them.
    pub fn note(&self, text: &str) {
        let text = terminal(text, 1000);
        match self.mode {
            Mode::Bars => drop(self.bars.println(text)),
            Mode::Lines => say(&self.lines, &text),
            Mode::Quiet => {}
        }
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg}  {bar:24} {pos}/{len}  {elapsed}")
        .expect("the template is well-formed")
        .progress_chars("━━╌")
}

/// Whoever reads stderr may have gone; that is no reason to stop measuring.
fn say(lines: &Sink, text: &str) {
    let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    drop(writeln!(lines, "{text}"));
}

impl Bar {
    /// One query more was answered.
    pub fn inc(&self) {
        if let Shown::Bar(_, bar) = &self.shown {
            bar.inc(1);
        }
    }

    /// All were asked; so many queries follow, and `what` says what for. A bar begins again, lines are silent.
    pub fn again(&self, what: &str, total: u64) {
        if let Shown::Bar(_, bar) = &self.shown {
            bar.set_message(format!("{}, {}", self.name, terminal(what, 60)));
            bar.set_length(total);
            bar.set_position(0);
        }
    }

    /// The pair is done; `outcome` says how, for instance `60 queries in 1.2 s`.
    pub fn finish(self, outcome: &str) {
        let line = format!("{}: {}", self.name, terminal(outcome, 300));
        match &self.shown {
            Shown::Bar(bars, bar) => {
                bar.finish_and_clear();
                drop(bars.println(line));
            }
            Shown::Lines(lines) => say(lines, &line),
            Shown::Nothing => {}
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Shown::Bar(_, bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("not poisoned").write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn told(mode: Mode) -> String {
        let page = Page::default();
        let progress = Progress::writing_to(mode, page.clone());
        let bar = progress.pair("docs × bm25", 60);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..15).for_each(|_| bar.inc()));
            }
        });
        progress.note("::error::a stranger's words");
        bar.finish("60 queries in 1.2 s");
        drop(progress.pair("never done", 1));
        String::from_utf8(page.0.lock().expect("not poisoned").clone()).expect("text")
    }

    #[test]
    fn lines_come_once_per_pair_and_not_per_query() {
        let lines = told(Mode::Lines);
        assert_eq!(
            lines.lines().collect::<Vec<_>>(),
            [
                "docs × bm25: 60 queries",
                "\\u{3a}:error::a stranger's words",
                "docs × bm25: 60 queries in 1.2 s",
                "never done: 1 query"
            ]
        );
    }

    #[test]
    fn a_bar_begins_again_and_says_what_for() {
        let bar = Progress::new(Mode::Bars).pair("docs × bm25", 11);
        (0..11).for_each(|_| bar.inc());
        bar.again("pass 2 of 3", 12);
        bar.inc();
        let Shown::Bar(_, shown) = &bar.shown else { unreachable!("bars were asked for") };
        assert_eq!((shown.position(), shown.length()), (1, Some(12)));
        assert_eq!(shown.message(), "docs × bm25, pass 2 of 3");
    }

    #[test]
    fn quiet_is_quiet_and_bars_write_no_lines() {
        assert_eq!(told(Mode::Quiet), "");
        assert_eq!(told(Mode::Bars), "");
    }
}
