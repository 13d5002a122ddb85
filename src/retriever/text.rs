//! Texts and JSON values with slots: `{"query": "{query}", "limit": "{fetch}"}`.
//!
//! What a slot stands for is put into one text, once: a query inside a JSON value stays one text, whatever it holds. As
//! in an argument vector, other text in braces is left alone, unless it looks like a slot with a typo in it.

use std::fmt;

use serde_json::Value;

use super::template::meant;

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// The query's text.
    Query,
    /// How many hits are asked for; a JSON text that is nothing else becomes a number.
    Fetch,
    /// The folder to search: the copy of the corpus.
    Corpus,
    /// The repository's root.
    Repo,
    /// A folder to write into.
    Scratch,
    /// The port that a started server was given.
    Port,
    /// The value of a variable.
    Env(String),
}

/// Which slots a text may hold, beside those of variables.
pub(super) type Allowed = &'static [&'static str];

/// The slots of what is asked, at which places.
pub(super) const OF_A_QUERY: Allowed = &["query", "fetch", "corpus", "repo", "scratch", "port"];

/// The slots of what is the same for all queries.
pub(super) const OF_A_PLACE: Allowed = &["port"];

/// A text that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct TextProblem(String);

/// A checked text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Plain(String),
    Slot(Slot),
}

impl Text {
    /// Reads one in which `allowed` slots have a meaning, and those of these variables.
    pub(super) fn new(text: &str, allowed: Allowed, variables: &[&str]) -> Result<Self, TextProblem> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            plain.push_str(&rest[..open]);
            let inside = &rest[open + 1..];
            let word = inside
                .split(|c: char| !(c.is_ascii_alphanumeric() || "_:-".contains(c)))
                .next()
                .unwrap_or_default();
            if inside[word.len()..].starts_with('}') {
                if let Some(slot) = slot(word, allowed, variables)? {
                    pieces.push(Piece::Plain(std::mem::take(&mut plain)));
                    pieces.push(Piece::Slot(slot));
                    rest = &inside[word.len() + 1..];
                    continue;
                }
                let near = meant(word, allowed.iter().copied());
                if !near.is_empty() {
                    return Err(TextProblem(format!("`{{{word}}}` is no placeholder{near}")));
                }
            }
            plain.push('{');
            rest = inside;
        }
        plain.push_str(rest);
        pieces.push(Piece::Plain(plain));
        pieces.retain(|piece| *piece != Piece::Plain(String::new()));
        Ok(Self(pieces))
    }

    /// Its slots.
    pub(super) fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Slot(slot) => Some(slot),
            Piece::Plain(_) => None,
        })
    }

    /// The first thing in braces that is no slot.
    pub(super) fn left_alone(&self) -> Option<&str> {
        self.0.iter().find_map(|piece| match piece {
            Piece::Plain(text) => {
                let from = text.find('{')?;
                let to = text[from..].find('}').map_or(text.len(), |to| from + to + 1);
                Some(&text[from..to])
            }
            Piece::Slot(_) => None,
        })
    }

    /// Refuses a variable as a shell would write it, `${NAME}` or `$NAME`: no shell reads it here, and it would be sent as
    /// it is.
    pub(super) fn without_a_shell(self) -> Result<Self, TextProblem> {
        let mut plain = self.0.iter().filter_map(|piece| match piece {
            Piece::Plain(text) => Some(text.as_str()),
            Piece::Slot(_) => None,
        });
        match plain.find_map(of_a_shell) {
            None => Ok(self),
            Some((written, name)) => Err(TextProblem(format!(
                "no shell reads `{written}` here; write `{{env:{name}}}`, with `{name}` in `pass-env`"
            ))),
        }
    }

    /// The text, with something in each slot.
    pub(super) fn fill(&self, value: &dyn Fn(&Slot) -> String) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Plain(text) => text.clone(),
            Piece::Slot(slot) => value(slot),
        };
        self.0.iter().map(text).collect()
    }
}

/// A variable as a shell would write it, and its name. Without braces it is one in capitals that is a word of its own, as
/// in `Bearer $TOKEN` or `?key=$KEY`: much else may hold a `$`.
fn of_a_shell(text: &str) -> Option<(&str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices('$').find_map(|(at, _)| {
        let rest = &text[at + 1..];
        let braced = rest.starts_with('{');
        let name = &rest[usize::from(braced)..];
        let name = &name[..name.find(|c| !is_part(c)).unwrap_or(name.len())];
        let after = &rest[usize::from(braced) + name.len()..];
        let begins = text[..at].chars().next_back().is_none_or(|c| " =/".contains(c));
        let in_capitals = name.len() > 1 && name.starts_with(|c: char| c.is_ascii_uppercase());
        let in_capitals = in_capitals && !name.contains(|c: char| c.is_ascii_lowercase());
        let found = if braced { !name.is_empty() && after.starts_with('}') } else { begins && in_capitals };
        found.then(|| (&text[at..=at + name.len() + 2 * usize::from(braced)], name))
    })
}

fn slot(word: &str, allowed: Allowed, variables: &[&str]) -> Result<Option<Slot>, TextProblem> {
    if let Some(name) = word.strip_prefix("env:") {
        if variables.contains(&name) {
            return Ok(Some(Slot::Env(name.to_owned())));
        }
        return Err(TextProblem(format!("`{{env:{name}}}` needs `{name}` in `pass-env` (or in `env`)")));
    }
    let found = match word {
        "query" => Slot::Query,
        "fetch" => Slot::Fetch,
        "corpus" => Slot::Corpus,
        "repo" => Slot::Repo,
        "scratch" => Slot::Scratch,
        "port" => Slot::Port,
        _ => return Ok(None),
    };
    if allowed.contains(&word) {
        Ok(Some(found))
    } else {
        Err(TextProblem(format!("`{{{word}}}` has no meaning here")))
    }
}

/// As it is written.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fill(&|slot| match slot {
            Slot::Query => "{query}".to_owned(),
            Slot::Fetch => "{fetch}".to_owned(),
            Slot::Corpus => "{corpus}".to_owned(),
            Slot::Repo => "{repo}".to_owned(),
            Slot::Scratch => "{scratch}".to_owned(),
            Slot::Port => "{port}".to_owned(),
            Slot::Env(name) => format!("{{env:{name}}}"),
        }))
    }
}

/// A JSON value whose texts may hold slots; the keys of its tables may not.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Document {
    Text(Text),
    List(Vec<Document>),
    Table(Vec<(String, Document)>),
    Plain(Value),
}

impl Document {
    /// Reads one.
    pub(super) fn new(value: &Value, allowed: Allowed, variables: &[&str]) -> Result<Self, TextProblem> {
        Ok(match value {
            Value::String(text) => Self::Text(Text::new(text, allowed, variables)?),
            Value::Array(list) => Self::List(
                list.iter().map(|value| Self::new(value, allowed, variables)).collect::<Result<_, _>>()?,
            ),
            Value::Object(table) => Self::Table(
                table
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), Self::new(value, allowed, variables)?)))
                    .collect::<Result<_, _>>()?,
            ),
            plain => Self::Plain(plain.clone()),
        })
    }

    /// Some text in it holds that slot.
    pub(super) fn holds(&self, slot: &Slot) -> bool {
        match self {
            Self::Text(text) => text.slots().any(|found| found == slot),
            Self::List(list) => list.iter().any(|inner| inner.holds(slot)),
            Self::Table(table) => table.iter().any(|(_, inner)| inner.holds(slot)),
            Self::Plain(_) => false,
        }
    }

    /// The value, with something in each slot; `"{fetch}"` alone is a number.
    pub(super) fn fill(&self, fetch: usize, value: &dyn Fn(&Slot) -> String) -> Value {
        match self {
            Self::Text(Text(pieces)) if *pieces == [Piece::Slot(Slot::Fetch)] => Value::from(fetch),
            Self::Text(text) => Value::String(text.fill(value)),
            Self::List(list) => list.iter().map(|inner| inner.fill(fetch, value)).collect(),
            Self::Table(table) => {
                let entry = |(key, inner): &(String, Self)| (key.clone(), inner.fill(fetch, value));
                Value::Object(table.iter().map(entry).collect())
            }
            Self::Plain(plain) => plain.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(text: &str) -> Result<Text, String> {
        Text::new(text, OF_A_QUERY, &["KEY"]).map_err(|problem| problem.to_string())
    }

    fn value(slot: &Slot) -> String {
        match slot {
            Slot::Query => "a \"{corpus}\" $(b)".to_owned(),
            Slot::Fetch => "50".to_owned(),
            Slot::Env(name) => format!("value of {name}"),
            other => format!("<{other:?}>"),
        }
    }

    #[test]
    fn a_slot_is_filled_once_and_other_braces_are_left_alone() {
        let filled = |written: &str| text(written).unwrap().fill(&value);
        assert_eq!(filled("{query}/{fetch}"), "a \"{corpus}\" $(b)/50");
        assert_eq!(filled("Bearer {env:KEY}"), "Bearer value of KEY");
        for plain in ["{", "{}", "{{x}}", "{print $1}", "{query", "{\"q\": 1}", "{Kubernetes}", ""] {
            assert_eq!(filled(plain), plain);
            assert_eq!(text(plain).unwrap().to_string(), plain);
        }
        assert_eq!(text("x{{query}}{env:KEY}").unwrap().to_string(), "x{{query}}{env:KEY}");
    }

    #[test]
    fn a_typo_a_variable_nobody_passes_and_a_slot_in_the_wrong_place_are_told() {
        assert_eq!(text("{qurey}").unwrap_err(), "`{qurey}` is no placeholder; did you mean `query`?");
        assert!(text("{top_k}").unwrap_err().contains("did you mean `fetch`, how many hits are asked for?"));
        assert_eq!(
            text("{env:OTHER}").unwrap_err(),
            "`{env:OTHER}` needs `OTHER` in `pass-env` (or in `env`)"
        );
        let problem = Text::new("{query}", OF_A_PLACE, &[]).unwrap_err();
        assert_eq!(problem.to_string(), "`{query}` has no meaning here");
    }

    #[test]
    fn a_variable_of_a_shell_is_found() {
        let name = |written: &'static str| of_a_shell(written).map(|(_, name)| name);
        assert_eq!(of_a_shell("Bearer ${SEARCH_KEY}"), Some(("${SEARCH_KEY}", "SEARCH_KEY")));
        assert_eq!(of_a_shell("Bearer $SEARCH_KEY"), Some(("$SEARCH_KEY", "SEARCH_KEY")));
        assert_eq!(name("${}${a b}${x}"), Some("x"));
        for variable in ["$KEY", "http://h/?key=$KEY&q=", "http://h/$KEY/search"] {
            assert_eq!(name(variable), Some("KEY"), "{variable}");
        }
        for plain in [
            "",
            "${",
            "${KEY",
            "${{ secrets.KEY }}",
            "{env:KEY}",
            "$ {KEY}",
            "$5",
            "a$KEY",
            "?$filter=x",
            "$Key",
            "$K",
        ] {
            assert_eq!(name(plain), None, "{plain}");
        }
    }

    #[test]
    fn a_query_in_a_json_value_is_one_text_and_fetch_alone_is_a_number() {
        let written = json!({"q": "{query}", "n": "{fetch}", "s": "{fetch}!", "deep": [{"k{query}": "x {env:KEY}"}, 1, null]});
        let document = Document::new(&written, OF_A_QUERY, &["KEY"]).unwrap();
        let expected = json!({
            "q": "a \"{corpus}\" $(b)", "n": 50, "s": "50!", "deep": [{"k{query}": "x value of KEY"}, 1, null]
        });
        assert_eq!(document.fill(50, &value), expected);
        assert!(document.holds(&Slot::Query) && !document.holds(&Slot::Corpus));
    }
}
