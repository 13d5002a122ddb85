//! What the terminal is and what its user wants of it.
#![expect(clippy::disallowed_methods, reason = "edge: the environment is read here")]

use std::io::IsTerminal;

use crate::cli::Color;
use crate::files::FileId;
use crate::progress::Mode;
use crate::report::Colour;

/// Colours on a stream: `--color` first, then `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR=0` and `TERM=dumb`, then whether
/// it is a terminal.
pub fn colour(when: Color, stream: &impl IsTerminal) -> Colour {
    decide(when, stream.is_terminal(), |name| std::env::var(name).ok())
}

fn decide(when: Color, terminal: bool, env: impl Fn(&str) -> Option<String>) -> Colour {
    let set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    let is = |name: &str, wanted: &str| env(name).as_deref() == Some(wanted);
    let on = match when {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if set("NO_COLOR") => false,
        Color::Auto if set("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0") => true,
        Color::Auto => terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb"),
    };
    if on { Colour::On } else { Colour::Off }
}

/// How progress is shown on stderr.
pub fn progress(quiet: bool) -> Mode {
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    match (quiet, std::io::stderr().is_terminal() && !dumb) {
        (true, _) => Mode::Quiet,
        (false, true) => Mode::Bars,
        (false, false) => Mode::Lines,
    }
}

/// Columns of stdout: the terminal's, else `COLUMNS`, else 80; never more than a line that is still read with ease.
pub fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    window().or(columns).filter(|width| *width > 0).unwrap_or(80).min(160)
}

/// The files that our own stdout and stderr lead to. What we write there is no part of what we read.
pub fn redirected() -> Vec<FileId> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        fn file(stream: impl AsFd) -> Option<FileId> {
            let file = std::fs::File::from(stream.as_fd().try_clone_to_owned().ok()?);
            FileId::of(&file.metadata().ok().filter(std::fs::Metadata::is_file)?)
        }
        [file(std::io::stdout()), file(std::io::stderr())].into_iter().flatten().collect()
    }
    #[cfg(not(unix))]
    Vec::new()
}

#[cfg(unix)]
fn window() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|width| *width > 0)
}

#[cfg(not(unix))]
fn window() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(terminal: bool, env: &[(&str, &str)]) -> Colour {
        let find =
            |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        decide(Color::Auto, terminal, find)
    }

    #[test]
    fn the_usual_rules_decide_about_colour() {
        assert_eq!(auto(true, &[]), Colour::On);
        assert_eq!(auto(false, &[]), Colour::Off);
        assert_eq!(auto(true, &[("NO_COLOR", "1")]), Colour::Off);
        assert_eq!(auto(true, &[("NO_COLOR", "")]), Colour::On);
        assert_eq!(auto(false, &[("CLICOLOR_FORCE", "1")]), Colour::On);
        assert_eq!(auto(true, &[("TERM", "dumb")]), Colour::Off);
        assert_eq!(decide(Color::Always, false, |_| Some("1".to_owned())), Colour::On);
        assert_eq!(decide(Color::Never, true, |_| None), Colour::Off);
    }
}
