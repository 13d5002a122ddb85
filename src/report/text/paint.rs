//! Colours, if the caller wants any.

use anstyle::{AnsiColor, Style};

use crate::report::Colour;

/// Puts styles around text, or leaves it alone.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Paint {
    colour: Colour,
}

impl Paint {
    pub(in crate::report) fn new(colour: Colour) -> Self {
        Self { colour }
    }

    pub(in crate::report) fn bold(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    pub(in crate::report) fn dim(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    pub(in crate::report) fn good(self, text: &str) -> String {
        self.with(AnsiColor::Green.on_default(), text)
    }

    pub(in crate::report) fn bad(self, text: &str) -> String {
        self.with(AnsiColor::Red.on_default(), text)
    }

    pub(in crate::report) fn warning(self, text: &str) -> String {
        self.with(AnsiColor::Yellow.on_default(), text)
    }

    /// In the colour of a verdict.
    pub(in crate::report) fn verdict(self, word: &str, text: &str) -> String {
        let colour = match word {
            "pass" => AnsiColor::Green.on_default(),
            "no-baseline" | "measured" => AnsiColor::Cyan.on_default(),
            "suite-changed" | "not-comparable" => AnsiColor::Yellow.on_default(),
            "" => Style::new(),
            _ => AnsiColor::Red.on_default(),
        };
        self.with(colour.bold(), text)
    }

    /// In the colour of a trend.
    pub(in crate::report) fn trend(self, trend: Option<&str>, text: &str) -> String {
        match trend {
            Some("improved") => self.good(text),
            Some("warning") => self.warning(text),
            _ => self.dim(text),
        }
    }

    fn with(self, style: Style, text: &str) -> String {
        match self.colour {
            Colour::On if !text.is_empty() => format!("{style}{text}{style:#}"),
            _ => text.to_owned(),
        }
    }
}
