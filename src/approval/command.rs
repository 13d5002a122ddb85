//! The first line of a comment, as a command.

use crate::artifact::{ApprovalToken, CoveredPair};

/// What somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// New figures are right.
    Approve(Approve),
    /// What could be approved now?
    Status,
    /// Which commands are there?
    Help,
}

/// `/rankhold approve TOKEN [reason] [--suite NAME]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approve {
    /// What is approved.
    pub token: ApprovalToken,
    /// Why.
    pub reason: Option<String>,
    /// The suites whose pairs are recorded; empty for all.
    pub suites: Vec<String>,
}

impl Approve {
    /// The pair is approved by it: those of the suites named, or all, as far as there is something to approve.
    pub fn selects(&self, pair: &CoveredPair) -> bool {
        pair.is_approvable() && (self.suites.is_empty() || self.suites.contains(&pair.suite))
    }
}

/// What a comment is to us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// No command.
    Nothing,
    /// One.
    Command(Command),
    /// Meant as one, and wrong; the sentence says how.
    Malformed(String),
}

/// The word that starts a command.
const WORD: &str = "/rankhold";

/// No reason is longer, in characters.
const REASON: usize = 500;

/// Reads the first line. A command stands at its very beginning: not quoted, not indented, not in a fence.
pub fn parse(body: &str) -> Parsed {
    let line = body.split('\n').next().unwrap_or_default();
    let line = line.strip_suffix('\r').unwrap_or(line);
    let Some(rest) = line.strip_prefix(WORD) else { return Parsed::Nothing };
    if !rest.is_empty() && !rest.starts_with(BLANK) {
        return Parsed::Nothing;
    }
    let mut words = rest.split(BLANK).filter(|word| !word.is_empty());
    match words.next() {
        Some("approve") => approve(words),
        Some("status") => alone(Command::Status, words),
        Some("help") | None => alone(Command::Help, words),
        Some(other) => Parsed::Malformed(format!("there is no command {}", clean(other, 40))),
    }
}

/// Other blanks are characters like any other.
const BLANK: [char; 2] = [' ', '\t'];

fn alone<'a>(command: Command, mut rest: impl Iterator<Item = &'a str>) -> Parsed {
    match rest.next() {
        None => Parsed::Command(command),
        Some(word) => Parsed::Malformed(format!("nothing may follow, and {} does", clean(word, 40))),
    }
}

fn approve<'a>(mut words: impl Iterator<Item = &'a str>) -> Parsed {
    let Some(token) = words.next() else {
        return Parsed::Malformed("approve needs the token that the report shows".to_owned());
    };
    let Ok(token) = token.parse() else {
        return Parsed::Malformed(format!(
            "{} is no token: copy the {} characters that the report shows",
            clean(token, 40),
            ApprovalToken::DIGITS
        ));
    };
    let (mut suites, mut reason) = (Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        if word != "--suite" {
            reason.push(word);
            continue;
        }
        match words.next() {
            Some(name) if crate::name::is_slug(name) => suites.push(name.to_owned()),
            Some(name) => return Parsed::Malformed(format!("{} is no name of a suite", clean(name, 40))),
            None => return Parsed::Malformed("--suite needs the name of a suite".to_owned()),
        }
    }
    let reason = clean(&reason.join(" "), REASON);
    let reason = Some(reason).filter(|reason| !reason.is_empty());
    Parsed::Command(Command::Approve(Approve { token, reason, suites }))
}

/// Text of a stranger without what breaks lines or hides; shortened.
fn clean(text: &str, most: usize) -> String {
    let plain = |c: char| if c.is_control() || is_invisible(c) { ' ' } else { c };
    let all: String = text.chars().map(plain).collect();
    let all = all.trim();
    match all.char_indices().nth(most) {
        None => all.to_owned(),
        Some((at, _)) => format!("{}…", all[..at].trim_end()),
    }
}

/// Marks of direction, joiners, separators of lines: nobody types them into a reason.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn approved(body: &str) -> Approve {
        match parse(body) {
            Parsed::Command(Command::Approve(approve)) => approve,
            other => panic!("{body:?}: {other:?}"),
        }
    }

    #[test]
    fn the_first_line_is_the_command() {
        let approve = approved(&format!("/rankhold approve {TOKEN}\r\n\r\nmore text"));
        assert_eq!((approve.token.as_str(), approve.reason, approve.suites), (TOKEN, None, vec![]));
        let approve = approved(&format!("/rankhold  approve\t{TOKEN}  new  stemmer, better\n"));
        assert_eq!((approve.reason.as_deref(), approve.suites), (Some("new stemmer, better"), vec![]));
        let approve = approved(&format!("/rankhold approve {TOKEN} --suite docs new stemmer --suite code"));
        assert_eq!(approve.reason.as_deref(), Some("new stemmer"));
        assert_eq!(approve.suites, ["docs", "code"]);
        assert_eq!(parse("/rankhold status"), Parsed::Command(Command::Status));
        for body in ["/rankhold help", "/rankhold", "/rankhold \n/rankhold status"] {
            assert_eq!(parse(body), Parsed::Command(Command::Help), "{body:?}");
        }
    }

    #[test]
    fn what_is_quoted_indented_fenced_or_further_down_is_none() {
        for body in [
            "",
            "hello",
            " /rankhold status",
            "\t/rankhold status",
            "> /rankhold status",
            "`/rankhold status`",
            "```\n/rankhold status\n```",
            "\n/rankhold status",
            "\u{feff}/rankhold status",
            "/rankholdapprove",
            "/rankhold-approve x",
            "/Rankhold status",
            "/rankhold\u{a0}status",
            "please /rankhold status",
            "<!-- -->/rankhold status",
            "\r\n/rankhold status",
        ] {
            assert_eq!(parse(body), Parsed::Nothing, "{body:?}");
        }
    }

    #[test]
    fn what_is_meant_and_wrong_is_said() {
        for (body, words) in [
            ("/rankhold approve", "needs the token"),
            ("/rankhold approve `abc`", "is no token"),
            ("/rankhold approve 0123456789ABCDEF0123456789abcdef", "is no token"),
            ("/rankhold aprove x", "no command aprove"),
            ("/rankhold status now", "nothing may follow"),
            (&format!("/rankhold approve {TOKEN} --suite"), "needs the name"),
            (&format!("/rankhold approve {TOKEN} --suite ../x"), "no name of a suite"),
        ] {
            match parse(body) {
                Parsed::Malformed(said) => assert!(said.contains(words), "{body}: {said}"),
                other => panic!("{body}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_reason_is_one_plain_line_of_bounded_length() {
        let hidden = approved(&format!("/rankhold approve {TOKEN} a\u{202e}b\u{0}c\u{2028}d\u{200b}"));
        assert_eq!(hidden.reason.as_deref(), Some("a b c d"));
        let long = approved(&format!("/rankhold approve {TOKEN} {}", "x".repeat(100_000)));
        assert_eq!(long.reason.map(|reason| reason.chars().count()), Some(REASON + 1));
    }
}
