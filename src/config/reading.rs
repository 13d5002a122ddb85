//! What a strict reader says of a wrong key or value, in the words of whoever wrote the file.
//!
//! serde knows what was found and what its types would take; it says so in the words of Rust. Each of its sentences is
//! turned into one that names the key, what stands there, what must, and how that is written.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};
use toml::de::{DeTable, DeValue};

use super::did_you_mean;

/// A key or value that cannot be read.
#[derive(Clone, Debug)]
pub struct Misread {
    /// The key from the top, such as `corpus.include[0]`; none of what no single key is to blame for.
    pub at: Option<String>,
    /// What stands there, what must, and an example.
    pub what: String,
    path: Path,
    wants_a_list: bool,
}

impl std::fmt::Display for Misread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.at {
            Some(at) => write!(f, "{at}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// Reads a table as a strict type.
pub fn read<T: DeserializeOwned>(table: &Value) -> Result<T, Misread> {
    strictly(table)
        .map_err(|(path, message)| misread(path, &message, &|table| strictly::<T>(table).err(), table))
}

fn strictly<T: DeserializeOwned>(table: &Value) -> Result<T, (Path, String)> {
    serde_path_to_error::deserialize(table)
        .map_err(|error| (error.path().clone(), error.into_inner().to_string()))
}

impl Misread {
    /// A list must stand there.
    pub fn wants_a_list(&self) -> bool {
        self.wants_a_list
    }

    /// The line of it, counted from 1, in the text that the table was read from.
    pub(super) fn line(&self, text: &str) -> Option<usize> {
        let parsed = DeTable::parse(text).ok()?;
        let mut from = None;
        let mut value = &DeValue::Table(parsed.into_inner());
        for segment in &self.path {
            let next = match (segment, value) {
                (Segment::Map { key }, DeValue::Table(table)) => table.get(key.as_str()),
                (Segment::Seq { index }, DeValue::Array(list)) => list.get(*index),
                _ => None,
            };
            let Some(next) = next else { break };
            from = Some(next.span().start);
            value = next.get_ref();
        }
        from.map(|from| 1 + text[..from].matches('\n').count())
    }
}

fn misread(
    path: Path,
    message: &str,
    retry: &dyn Fn(&Value) -> Option<(Path, String)>,
    table: &Value,
) -> Misread {
    let at = path.to_string();
    let mut key = path.iter().filter_map(|segment| match segment {
        Segment::Map { key } => Some(key.as_str()),
        _ => None,
    });
    let key = key.next_back().unwrap_or_default();
    let what = match Sentence::of(message) {
        Sentence::Mistyped { found, wanted: Wanted::Word } => {
            format!("is {found} and must be {}", words_of(&path, retry, table))
        }
        Sentence::Mistyped { found, wanted } => {
            let example = wanted.example(&found);
            let in_a_list = matches!(path.iter().next_back(), Some(Segment::Seq { .. }));
            let example = if in_a_list { format!("[{example}]") } else { example };
            format!("is {found} and must be {}; write it like `{key} = {example}`", wanted.name())
        }
        Sentence::Told(told) => told,
    };
    let wants_a_list = message.ends_with("expected a sequence");
    Misread { at: (at != ".").then_some(at), what, path, wants_a_list }
}

/// `"a", "b" or "c"`: what a type that takes certain words takes, by its answer to a text that is none of them.
fn words_of(path: &Path, retry: &dyn Fn(&Value) -> Option<(Path, String)>, table: &Value) -> String {
    let mut table = table.clone();
    let mut value = Some(&mut table);
    for segment in path {
        value = value.and_then(|value| match segment {
            Segment::Map { key } => value.get_mut(key),
            Segment::Seq { index } => value.get_mut(*index),
            Segment::Enum { .. } | Segment::Unknown => None,
        });
    }
    if let Some(value) = value {
        *value = Value::String(String::new());
    }
    let told = retry(&table).map(|(_, message)| message).unwrap_or_default();
    one_of(&quoted(told.split_once("expected").map_or("", |(_, words)| words)))
}

fn one_of(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// A sentence of serde, understood.
enum Sentence {
    Mistyped { found: String, wanted: Wanted },
    Told(String),
}

impl Sentence {
    fn of(message: &str) -> Self {
        let mistyped =
            ["invalid type: ", "invalid value: "].iter().find_map(|begin| message.strip_prefix(begin));
        if let Some((found, wanted)) = mistyped.and_then(|rest| rest.rsplit_once(", expected ")) {
            return Self::Mistyped { found: found_in_words(found), wanted: Wanted::of(wanted) };
        }
        if let Some((_, wanted)) =
            message.strip_prefix("invalid length ").and_then(|it| it.split_once(", expected "))
        {
            return Self::Mistyped { found: "an empty list".to_owned(), wanted: Wanted::of(wanted) };
        }
        let (names, others) = match quoted(message).split_first() {
            Some((first, others)) => ((*first).to_owned(), others.to_vec()),
            None => return Self::Told(message.to_owned()),
        };
        let near = || did_you_mean(&names, others.iter().copied());
        Self::Told(if message.starts_with("unknown field ") {
            let known = others.join(", ");
            let known = if known.is_empty() {
                "there are none here".to_owned()
            } else {
                format!("there are {known}")
            };
            format!("no key is called `{names}`{} ({known})", near())
        } else if message.starts_with("missing field ") {
            format!("the key `{names}` is missing")
        } else if message.starts_with("unknown variant ") {
            format!("is \"{names}\" and must be {}{}", one_of(&others), near())
        } else {
            message.to_owned()
        })
    }
}

/// What stands in the file.
fn found_in_words(found: &str) -> String {
    let literal = found.split_once(' ').map(|(_, literal)| literal.trim_matches('`'));
    match (found.split(' ').next(), literal) {
        (Some("string"), Some(_)) => format!("the text {}", &found["string ".len()..]),
        (Some("integer"), Some(number)) => format!("the number {number}"),
        (Some("floating"), Some(number)) => format!("the number {}", number.trim_start_matches("point `")),
        (Some("boolean"), Some(word)) => format!("`{word}`"),
        (Some("sequence"), _) => "a list".to_owned(),
        (Some("map"), _) => "a table".to_owned(),
        _ => found.to_owned(),
    }
}

/// What must stand there.
enum Wanted {
    Text,
    List,
    Table,
    YesOrNo,
    Whole,
    Counted,
    Number,
    Word,
    /// A type of ours, in its own words, with an example of it.
    Own {
        name: String,
        example: String,
    },
}

impl Wanted {
    fn of(expected: &str) -> Self {
        match expected {
            "a string" | "string" | "str" => Self::Text,
            "a sequence" => Self::List,
            "a boolean" => Self::YesOrNo,
            "i32" | "i64" => Self::Whole,
            "u16" | "u32" | "u64" | "usize" => Self::Counted,
            "f64" => Self::Number,
            _ if expected.starts_with("struct ") || expected == "a map" => Self::Table,
            _ if expected.contains("variant")
                || expected.contains(" or map")
                || expected.contains("enum ") =>
            {
                Self::Word
            }
            _ => {
                let (name, example) = expected.split_once(" such as ").unwrap_or((expected, "…"));
                Self::Own {
                    name: name.to_owned(),
                    example: example.split(" or ").next().unwrap_or(example).to_owned(),
                }
            }
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Text => "a text in quotes",
            Self::List => "a list in brackets",
            Self::Table => "a table",
            Self::YesOrNo => "true or false",
            Self::Whole => "a whole number",
            Self::Counted => "a whole number from 0 on",
            Self::Number => "a number",
            Self::Word => "one of its words in quotes",
            Self::Own { name, .. } => name,
        }
    }

    /// The value that was most likely meant, else one of the kind.
    fn example(&self, found: &str) -> String {
        let number = found.strip_prefix("the number ");
        let text = found.strip_prefix("the text \"").and_then(|text| text.strip_suffix('"'));
        match self {
            Self::Text => format!(
                "\"{}\"",
                number.unwrap_or(if found.starts_with('`') { found.trim_matches('`') } else { "…" })
            ),
            Self::List => match (number, text) {
                (Some(number), _) => format!("[{number}]"),
                (None, text) => format!("[\"{}\"]", text.unwrap_or("…")),
            },
            Self::Table => "{ … = … }".to_owned(),
            Self::YesOrNo => "true".to_owned(),
            Self::Whole | Self::Counted => {
                text.and_then(|text| text.parse::<u32>().ok()).unwrap_or(1).to_string()
            }
            Self::Number => text.and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.5).to_string(),
            Self::Word => "\"…\"".to_owned(),
            Self::Own { example, .. } => example.clone(),
        }
    }
}
