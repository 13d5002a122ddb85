//! What a reader types to go on, for exactly the pair that is reported.

/// Stands where a case's id belongs.
pub(super) const CASE: &str = "CASE";

/// The words behind `rankhold`, unquoted, as the caller knows that they work. Empty: there is no such command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    /// Measures the pair again.
    pub reproduce: Vec<String>,
    /// Says why a case ranks as it does.
    pub explain: Vec<String>,
    /// Says where targets went.
    pub lint: Vec<String>,
    /// Records the pair's figures, and no other's.
    pub approve: Vec<String>,
    /// The file of its baseline.
    pub baseline: Option<String>,
    /// What a maintainer writes into a comment instead, where comments are read.
    pub slash: Option<String>,
}

impl Commands {
    /// Of a pair that is the only one there is.
    pub fn of_only(suite: &str, retriever: &str) -> Self {
        Self {
            reproduce: words(&["run", suite, "--retriever", retriever]),
            explain: words(&["explain", CASE]),
            lint: words(&["suite", "lint"]),
            approve: words(&["approve", "--by", "NAME"]),
            baseline: Some(format!("baselines/{suite}.{retriever}.json")),
            slash: None,
        }
    }
}

/// Words as they are.
pub fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The command as a line for any shell; none if there is none, or if a word could be misread.
pub fn line(words: &[String]) -> Option<String> {
    if words.is_empty() {
        return None;
    }
    let quoted: Option<Vec<String>> = words.iter().map(|word| quoted(word)).collect();
    Some(format!("rankhold {}", quoted?.join(" ")))
}

/// A word that every shell reads as it stands, with single quotes around it where it needs them.
pub(super) fn quoted(word: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:".contains(c);
    let harmless = |c: char| plain(c) || c.is_alphanumeric() || " ,+=()?;[]{}*#@".contains(c);
    let short = !word.is_empty() && word.chars().count() <= 200;
    if !short || !word.chars().all(harmless) || word.trim() != word {
        return None;
    }
    Some(if word.chars().all(plain) { word.to_owned() } else { format!("'{word}'") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it_and_dropped_where_it_could_be_fooled() {
        assert_eq!(quoted("suites/users.json").as_deref(), Some("suites/users.json"));
        assert_eq!(quoted("how do I start?").as_deref(), Some("'how do I start?'"));
        assert_eq!(quoted("größe").as_deref(), Some("'größe'"));
        for word in ["", "it's", "$(id)", "a`b`", "a\\b", "a\nb", "a|b", "%PATH%", "a\u{202e}b", "x!", " a"] {
            assert_eq!(quoted(word), None, "{word:?}");
        }
        assert_eq!(line(&words(&["explain", "a b"])).as_deref(), Some("rankhold explain 'a b'"));
        assert_eq!(line(&[]), None);
    }
}
