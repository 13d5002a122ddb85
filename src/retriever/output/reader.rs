//! How the answers of one tool are read: its format, where things are, and how it says that it found nothing or failed.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Fields, Format, Listener, OutputProblem, Pointer, json, read};
use crate::ranking::RawHit;

/// The keys of a configuration that say where things are, as written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keys<'a> {
    /// The list of hits.
    pub hits: Option<&'a str>,
    /// In a hit: its path.
    pub path: Option<&'a str>,
    /// … its id.
    pub id: Option<&'a str>,
    /// … its score.
    pub score: Option<&'a str>,
    /// … its summary.
    pub summary: Option<&'a str>,
    /// … what it is.
    pub hit_kind: Option<&'a str>,
    /// What the tool says went wrong.
    pub error: Option<&'a str>,
}

/// What puts a tool's hits in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RankBy {
    /// They are printed best first.
    #[default]
    Printed,
    /// Their score, largest first; equal scores by path, then as printed.
    Score,
}

/// Bytes or a value in, hits out.
#[derive(Clone, Debug, PartialEq)]
pub struct Reader {
    format: Format,
    fields: Fields,
    error: Option<Pointer>,
    empty_texts: Vec<String>,
    rank_by: RankBy,
    score_above: Option<f64>,
}

impl Reader {
    /// Checks the keys; those that have no meaning in the format are refused, with the key.
    pub fn new(
        format: Format,
        keys: Keys<'_>,
        empty_texts: &[String],
    ) -> Result<Self, (&'static str, String)> {
        let mut fields = Fields::default();
        let mut error = Pointer::root();
        let given = [
            ("hits", keys.hits, &mut fields.hits),
            ("path", keys.path, &mut fields.path),
            ("id", keys.id, &mut fields.id),
            ("score", keys.score, &mut fields.score),
            ("summary", keys.summary, &mut fields.summary),
            ("hit-kind", keys.hit_kind, &mut fields.kind),
            ("error", keys.error, &mut error),
        ];
        for (key, text, pointer) in given {
            let Some(text) = text else { continue };
            let useless = match format {
                Format::Json | Format::JsonInText => false,
                Format::JsonLines => ["hits", "error"].contains(&key),
                Format::Paths | Format::Grep | Format::Ripgrep => true,
            };
            if useless {
                return Err((key, "has no meaning in this `format`; take it out".to_owned()));
            }
            *pointer = Pointer::new(text).map_err(|problem| (key, problem.to_string()))?;
        }
        let error = keys.error.map(|_| error);
        if error == Some(Pointer::root()) {
            return Err(("error", "the whole answer cannot be an error; write where one is".to_owned()));
        }
        if empty_texts.iter().any(|text| text.trim().is_empty()) {
            return Err(("empty-texts", "an empty text means nothing".to_owned()));
        }
        let empty_texts = empty_texts.to_vec();
        Ok(Self { format, fields, error, empty_texts, rank_by: RankBy::Printed, score_above: None })
    }

    /// The same with its hits put in order, and without those whose score is not above a threshold.
    pub fn in_order(self, rank_by: RankBy, score_above: Option<f64>) -> Result<Self, (&'static str, String)> {
        let key = match (rank_by, score_above) {
            _ if self.format.is_json() => None,
            (RankBy::Score, _) => Some("rank-by"),
            (RankBy::Printed, above) => above.map(|_| "score-above"),
        };
        match key {
            Some(key) => Err((key, "has no meaning in this `format`; take it out".to_owned())),
            None if score_above.is_some_and(|least| !least.is_finite()) => {
                Err(("score-above", "must be a number that scores can be above".to_owned()))
            }
            None => Ok(Self { rank_by, score_above, ..self }),
        }
    }

    /// The form of what it reads.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Everything that decides what an answer means, by key; what is not used is not named.
    pub fn configuration(&self) -> Map<String, Value> {
        let fields = &self.fields;
        let pointers = [&fields.hits, &fields.path, &fields.id, &fields.score, &fields.summary, &fields.kind];
        let mut keys = Map::new();
        keys.insert("format".to_owned(), format!("{:?}", self.format).into());
        keys.insert("pointers".to_owned(), pointers.map(ToString::to_string).to_vec().into());
        if let Some(error) = &self.error {
            keys.insert("error".to_owned(), error.to_string().into());
        }
        if !self.empty_texts.is_empty() {
            keys.insert("empty-texts".to_owned(), self.empty_texts.clone().into());
        }
        if let Some(least) = self.score_above {
            keys.insert("score-above".to_owned(), least.into());
        }
        if self.rank_by == RankBy::Score {
            keys.insert("rank-by".to_owned(), "score".into());
        }
        keys
    }

    /// The answer itself is the list of hits.
    pub fn takes_the_whole(&self) -> bool {
        self.fields.hits == Pointer::root()
    }

    /// The text is one that says that nothing was found.
    pub fn says_nothing_found(&self, text: &str) -> bool {
        self.empty_texts.iter().any(|empty| empty.trim() == text.trim())
    }

    /// Reads everything a tool printed when it was asked this.
    pub fn read(&self, bytes: &[u8], asked: &str) -> Result<Vec<RawHit>, OutputProblem> {
        if std::str::from_utf8(bytes).is_ok_and(|text| self.says_nothing_found(text)) {
            return Ok(Vec::new());
        }
        match self.format {
            Format::Json => self.read_value(&json::value(bytes)?),
            Format::JsonInText => {
                self.read_value(&json::in_text(bytes, asked, |value| self.is_an_answer(value))?)
            }
            _ => self.ordered(read(bytes, self.format, &self.fields)?),
        }
    }

    /// One who hears answers, in a format in which they may be too large to keep.
    pub fn listener(&self) -> Option<Listener> {
        (self.format == Format::Ripgrep).then(Listener::default)
    }

    /// Reads what was heard of an answer that began like this. A beginning that says that nothing was found counts if it is
    /// all that was heard.
    pub fn read_heard(&self, heard: Listener, beginning: &[u8]) -> Result<Vec<RawHit>, OutputProblem> {
        let whole = std::str::from_utf8(beginning).ok().filter(|text| text.len() == heard.length);
        if whole.is_some_and(|text| self.says_nothing_found(text)) {
            return Ok(Vec::new());
        }
        self.ordered(heard.events.finish()?)
    }

    /// Reads an answer that is a JSON value already.
    pub fn read_value(&self, answer: &Value) -> Result<Vec<RawHit>, OutputProblem> {
        match self.error_in(answer) {
            Some(said) if self.says_nothing_found(&said) => match self.fields.hits.of(answer) {
                Some(Value::Array(hits)) if !hits.is_empty() => Err(OutputProblem::new(format!(
                    "it says `{said}`, which means that nothing was found, beside a list of hits"
                ))),
                _ => Ok(Vec::new()),
            },
            Some(said) => Err(OutputProblem::said(&said)),
            None => self.ordered(json::hits_in(answer, &self.fields)?),
        }
    }

    fn ordered(&self, mut hits: Vec<RawHit>) -> Result<Vec<RawHit>, OutputProblem> {
        let score = |hit: &RawHit| hit.score.unwrap_or_default();
        if (self.rank_by == RankBy::Score || self.score_above.is_some())
            && let Some(at) = hits.iter().position(|hit| hit.score.is_none())
        {
            let what = format!("hit {} has no `{}`, which is what counts", at + 1, self.fields.score);
            return Err(OutputProblem::new(what));
        }
        if let Some(least) = self.score_above {
            hits.retain(|hit| score(hit) > least);
        }
        if self.rank_by == RankBy::Score {
            hits.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.path.cmp(&b.path)));
        }
        Ok(hits)
    }

    /// The value is an answer of the configured form, whether good or bad: there is a list of hits or an error in it.
    pub fn is_an_answer(&self, value: &Value) -> bool {
        self.error_in(value).is_some() || self.fields.hits.of(value).is_some_and(Value::is_array)
    }

    /// What it says went wrong. `false` and an empty text say that nothing did.
    fn error_in(&self, answer: &Value) -> Option<String> {
        match self.error.as_ref()?.of(answer)? {
            Value::Bool(false) => None,
            Value::String(said) if said.trim().is_empty() => None,
            Value::String(said) => Some(said.clone()),
            other => Some(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::ErrorClass;

    fn reader(format: Format, keys: Keys<'_>, empty: &[&str]) -> Result<Reader, (&'static str, String)> {
        let empty: Vec<String> = empty.iter().map(|text| (*text).to_owned()).collect();
        Reader::new(format, keys, &empty)
    }

    #[test]
    fn nothing_found_and_an_error_are_told_apart() {
        let keys = Keys { hits: Some("/results"), error: Some("/error"), ..Keys::default() };
        let semble = reader(Format::Json, keys, &["No results found."]).unwrap();
        let read = |text: &str| semble.read(text.as_bytes(), "");
        assert_eq!(read(r#"{"results": ["a"]}"#).unwrap(), [RawHit::file("a")]);
        assert_eq!(read(r#"{"results": [], "error": null}"#).unwrap(), []);
        assert_eq!(read(r#"{"results": ["a"], "error": false}"#).unwrap(), [RawHit::file("a")]);
        assert_eq!(read(r#"{"error": "No results found."}"#).unwrap(), []);
        assert_eq!(read(r#"{"results": [], "error": "No results found."}"#).unwrap(), []);
        let both = read(r#"{"results": ["a"], "error": "No results found."}"#).unwrap_err();
        assert_eq!(both.class(), ErrorClass::Protocol);
        assert!(both.to_string().ends_with("nothing was found, beside a list of hits"), "{both}");
        assert_eq!(read("No results found.\n").unwrap(), []);
        let said = read(r#"{"results": [], "error": {"code": 3}}"#).unwrap_err();
        assert_eq!((said.class(), said.to_string().as_str()), (ErrorClass::Tool, r#"it says `{"code":3}`"#));
        let other = read(r#"{"message": "No results found."}"#).unwrap_err();
        assert_eq!(other.class(), ErrorClass::Protocol);
        assert_eq!(read("Failed to index").unwrap_err().class(), ErrorClass::Protocol);
    }

    #[test]
    fn a_text_that_says_nothing_was_found_is_no_path() {
        let paths = reader(Format::Paths, Keys::default(), &["No matches found"]).unwrap();
        assert_eq!(paths.read(b"No matches found", "").unwrap(), []);
        assert_eq!(paths.read(b"a.rs\nNo matches found", "").unwrap().len(), 2);
    }

    #[test]
    fn a_score_puts_hits_in_order_and_equal_ones_are_by_path() {
        let by_score = |above| {
            let reader = reader(Format::Json, Keys::default(), &[]).unwrap();
            reader.in_order(RankBy::Score, above).unwrap()
        };
        let text = br#"[{"path": "c", "score": 1}, {"path": "b", "score": 2, "id": "x"}, {"path": "b", "score": 2}, {"path": "a", "score": 2}]"#;
        let hits = by_score(None).read(text, "").unwrap();
        let order: Vec<_> = hits.iter().map(|hit| (hit.path.as_deref().unwrap(), hit.id.is_some())).collect();
        assert_eq!(order, [("a", false), ("b", true), ("b", false), ("c", false)]);
        assert_eq!(by_score(Some(1.0)).read(text, "").unwrap().len(), 3);
        let message = by_score(None).read(br#"[{"path": "a"}]"#, "").unwrap_err().to_string();
        assert_eq!(message, "hit 1 has no `/score`, which is what counts");
        let paths = reader(Format::Paths, Keys::default(), &[]).unwrap();
        assert_eq!(paths.clone().in_order(RankBy::Score, None).unwrap_err().0, "rank-by");
        assert_eq!(paths.in_order(RankBy::Printed, Some(0.0)).unwrap_err().0, "score-above");
    }

    #[test]
    fn keys_without_a_meaning_are_refused() {
        let refused = |format, keys: Keys<'_>| reader(format, keys, &[]).unwrap_err().0;
        assert_eq!(refused(Format::Paths, Keys { path: Some("/x"), ..Keys::default() }), "path");
        assert_eq!(refused(Format::JsonLines, Keys { error: Some("/x"), ..Keys::default() }), "error");
        assert_eq!(refused(Format::Json, Keys { error: Some(""), ..Keys::default() }), "error");
        assert_eq!(refused(Format::Json, Keys { hits: Some("x"), ..Keys::default() }), "hits");
        assert_eq!(reader(Format::Json, Keys::default(), &[" "]).unwrap_err().0, "empty-texts");
    }
}
