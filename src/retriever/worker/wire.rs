//! The worker protocol, version 1: requests as lines, replies read strictly. Pure. `docs/protocol.md` is its prose.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::super::Description;
use super::super::output::{Fields, hit_from};
use crate::ranking::{ErrorClass, RawHit, Unit};
use crate::strict::read_answer;

/// The version we speak.
pub(super) const VERSION: u64 = 1;

/// Who are you, and can you work?
pub(super) fn hello(id: u64) -> String {
    json!({ "id": id, "op": "hello", "protocol": VERSION }).to_string()
}

/// Read the corpus and build what queries need.
pub(super) fn prepare(id: u64, corpus: &Path, scratch: &Path, threads: usize) -> String {
    let folder = |path: &Path| path.to_string_lossy().into_owned();
    json!({ "id": id, "op": "prepare", "corpus": folder(corpus), "scratch": folder(scratch), "threads": threads })
        .to_string()
}

/// Rank.
pub(super) fn query(id: u64, text: &str, fetch: usize) -> String {
    json!({ "id": id, "op": "query", "query": text, "fetch": fetch }).to_string()
}

/// End yourself.
pub(super) fn stop(id: u64) -> String {
    json!({ "id": id, "op": "stop" }).to_string()
}

/// A reply that is none, or one that says no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// `Tool` when the worker says no, else `Protocol`.
    pub(super) class: ErrorClass,
    /// As the end of a sentence that begins with the worker.
    pub(super) detail: String,
    /// What is not there and how to get it, if the worker says so.
    pub(super) missing: Option<(String, String)>,
}

fn broken(detail: impl Into<String>) -> Problem {
    Problem { class: ErrorClass::Protocol, detail: detail.into(), missing: None }
}

/// What a `prepare` says it has read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Read {
    /// How many units, if it says.
    pub(super) units: Option<u64>,
    /// Which files, if it says.
    pub(super) files: Option<BTreeSet<String>>,
}

/// The reply to request `id`.
pub(super) struct Reply(Map<String, Value>);

impl Reply {
    /// Reads a line. Unknown fields are ignored.
    pub(super) fn read(line: &[u8], id: u64) -> Result<Self, Problem> {
        let value = read_answer(line).map_err(|error| {
            let what = if error.is_data() { "not taken" } else { "not JSON" };
            broken(format!("gave a line that is {what}: {error}"))
        })?;
        let Value::Object(reply) = value else { return Err(broken("gave a reply that is no JSON object")) };
        match reply.get("id").map(|found| (found.as_u64(), found)) {
            Some((Some(found), _)) if found == id => {}
            Some((Some(found), _)) => {
                return Err(broken(format!("replied to request {found} when {id} was asked")));
            }
            Some((None, _)) => return Err(broken("gave a reply whose `id` is no whole number")),
            None => return Err(broken("gave a reply without `id`")),
        }
        match reply.get("ok").and_then(Value::as_bool) {
            Some(true) if reply.get("error").is_some_and(|error| !error.is_null()) => {
                Err(broken("gave a reply whose `ok` is true and which has an `error`"))
            }
            Some(true) => Ok(Self(reply)),
            Some(false) => {
                let said = |key| reply.get("error").and_then(|error| error.get(key)).and_then(Value::as_str);
                let detail = said("detail").ok_or_else(|| broken("said no without `error.detail`"))?;
                let missing = said("hint").map(|hint| (detail.to_owned(), hint.to_owned()));
                Err(Problem { class: ErrorClass::Tool, detail: format!("said no: {detail}"), missing })
            }
            None => Err(broken("gave a reply whose `ok` is neither true nor false")),
        }
    }

    /// What a `hello` says.
    pub(super) fn hello(&self) -> Result<Description, Problem> {
        match self.0.get("protocol").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(other) => {
                let hint = "start it in a mode for that version, or update one of the two";
                return Err(broken(format!(
                    "speaks version {other} of the protocol, Rankhold {VERSION}; {hint}"
                )));
            }
            None => return Err(broken(format!("said hello without `protocol`; it must say {VERSION}"))),
        }
        let (name, version) = (self.text("name")?, self.text("version")?);
        let (Some(name), Some(version)) = (name, version) else {
            return Err(broken("said hello without `name` and `version`"));
        };
        let unit = match self.text("unit")? {
            None | Some("file") => Unit::File,
            Some("chunk") => Unit::Chunk,
            Some("entity") => Unit::Entity,
            Some(_) => return Err(broken("has a `unit` that is none of file, chunk, entity")),
        };
        let ranked = match self.0.get("ranked") {
            None => true,
            Some(value) => {
                value.as_bool().ok_or_else(|| broken("has a `ranked` that is neither true nor false"))?
            }
        };
        let version = format!("{name} {version}");
        let (model, stand_in) = self.model()?;
        Ok(Description { version, program: None, model, stand_in, tried: false, unit, ranked })
    }

    /// The model, and whether it is a substitute.
    fn model(&self) -> Result<(Option<String>, bool), Problem> {
        let Some(model) = self.0.get("model").filter(|model| !model.is_null()) else {
            return Ok((None, false));
        };
        let stand_in = match model.get("stand-in") {
            None | Some(Value::Null) => false,
            Some(value) => {
                value.as_bool().ok_or_else(|| broken("has a `stand-in` that is neither true nor false"))?
            }
        };
        let text = |key| model.get(key).and_then(Value::as_str);
        match (text("name"), text("sha256")) {
            (Some(name), Some(hash))
                if hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
            {
                Ok((Some(format!("{name} sha256:{}", hash.to_ascii_lowercase())), stand_in))
            }
            _ => Err(broken("has a `model` without `name` and a `sha256` of 64 hexadecimal digits")),
        }
    }

    /// How much a `prepare` read, as far as it says. A number of `files` is no list of them, and is not needed.
    pub(super) fn read_by_prepare(&self) -> Result<Read, Problem> {
        let told = |key| self.0.get(key).filter(|value: &&Value| !value.is_null());
        let units = told("units")
            .map(|units| units.as_u64().ok_or_else(|| broken("has `units` that are no whole number")));
        let files = told("files").filter(|files| !files.is_number()).map(|files| {
            let paths = files.as_array().map(|files| files.iter().map(Value::as_str));
            let paths = paths.and_then(|paths| paths.map(|path| path.map(str::to_owned)).collect());
            paths.ok_or_else(|| broken("has `files` that are no list of paths"))
        });
        Ok(Read { units: units.transpose()?, files: files.transpose()? })
    }

    /// The hits of a `query`, at most `fetch`.
    pub(super) fn hits(&self, fetch: usize) -> Result<Vec<RawHit>, Problem> {
        let hits = self.0.get("hits").and_then(Value::as_array);
        let hits = hits.ok_or_else(|| broken("gave no list of `hits`; nothing found is an empty list"))?;
        let fields = Fields::default();
        let mut read = Vec::with_capacity(hits.len());
        for (at, hit) in hits.iter().enumerate() {
            let hit = hit_from(hit, &fields, &format!("hit {}", at + 1));
            read.push(
                hit.map_err(|problem| broken(format!("gave an answer that cannot be read: {problem}")))?,
            );
        }
        read.truncate(fetch); // the rest is still read: an answer with a bad hit is bad
        Ok(read)
    }

    fn text(&self, key: &str) -> Result<Option<&str>, Problem> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(broken(format!("has a `{key}` that is no text"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Reply, String> {
        Reply::read(line.as_bytes(), 3).map_err(|problem| problem.detail)
    }

    fn reply(rest: &str) -> Reply {
        read(&format!(r#"{{"id": 3, "ok": true, {rest}}}"#)).unwrap_or_else(|problem| panic!("{problem}"))
    }

    #[test]
    fn requests_are_one_line_whatever_a_query_holds() {
        assert_eq!(hello(1), r#"{"id":1,"op":"hello","protocol":1}"#);
        let request = query(2, "a\n\"b\"\u{2028}", 50);
        assert!(!request.contains('\n'));
        assert_eq!(serde_json::from_str::<Value>(&request).unwrap()["query"], "a\n\"b\"\u{2028}");
    }

    #[test]
    fn a_reply_is_an_object_with_the_id_that_was_asked() {
        for (line, detail) in [
            ("[]", "gave a reply that is no JSON object"),
            ("{}", "gave a reply without `id`"),
            (r#"{"id": "3", "ok": true}"#, "gave a reply whose `id` is no whole number"),
            (r#"{"id": 2, "ok": true}"#, "replied to request 2 when 3 was asked"),
            (r#"{"id": 3}"#, "gave a reply whose `ok` is neither true nor false"),
            (
                r#"{"id": 3, "ok": true, "error": {"detail": "disk full"}, "hits": []}"#,
                "gave a reply whose `ok` is true and which has an `error`",
            ),
            (
                r#"{"id":3,"ok":false,"ok":true}"#,
                "gave a line that is not taken: the key `ok` appears twice in one object at line 1 column 23",
            ),
            (r#"{"id": 3, "ok": false, "error": "x"}"#, "said no without `error.detail`"),
            (r#"{"id": 3, "ok": false, "error": {"detail": "no index"}}"#, "said no: no index"),
        ] {
            assert_eq!(read(line).err().as_deref(), Some(detail), "{line}");
        }
        assert!(read("Loading model…").err().unwrap().starts_with("gave a line that is not JSON"));
        assert!(read(r#"{"id": 3, "ok": true, "later": "field", "error": null}"#).is_ok());
    }

    #[test]
    fn a_hello_says_who_and_in_which_version() {
        let hash = "A".repeat(64);
        let full = format!(
            r#""protocol": 1, "name": "n", "version": "2", "unit": "chunk", "ranked": false, "model": {{"name": "m", "sha256": "{hash}", "stand-in": true}}"#
        );
        let said = reply(&full).hello().unwrap();
        let model = format!("m sha256:{}", "a".repeat(64));
        assert_eq!((said.version.as_str(), said.model), ("n 2", Some(model)));
        assert_eq!((said.unit, said.ranked, said.stand_in), (Unit::Chunk, false, true));
        let least = reply(r#""protocol": 1, "name": "n", "version": "2""#).hello().unwrap();
        assert_eq!((least.unit, least.ranked, least.model, least.stand_in), (Unit::File, true, None, false));

        let problem = |rest: &str| reply(rest).hello().unwrap_err().detail;
        assert!(problem(r#""protocol": 2"#).starts_with("speaks version 2 of the protocol, Rankhold 1"));
        assert_eq!(problem(r#""name": "n""#), "said hello without `protocol`; it must say 1");
        assert_eq!(problem(r#""protocol": 1, "name": "n""#), "said hello without `name` and `version`");
        assert!(problem(r#""protocol": 1, "name": "n", "version": "2", "unit": "line""#).contains("`unit`"));
        assert!(problem(r#""protocol": 1, "name": "n", "version": "2", "model": "m""#).contains("`sha256`"));
    }

    #[test]
    fn a_no_may_say_what_is_missing() {
        let no = |error: &str| {
            let line = format!(r#"{{"id": 3, "ok": false, "error": {error}}}"#);
            Reply::read(line.as_bytes(), 3).err().unwrap().missing
        };
        let missing = Some(("no model".to_owned(), "download it".to_owned()));
        assert_eq!(no(r#"{"detail": "no model", "hint": "download it"}"#), missing);
        assert_eq!(no(r#"{"detail": "no model"}"#), None);
    }

    #[test]
    fn a_prepare_says_what_it_read_or_nothing() {
        let read = |rest: &str| reply(rest).read_by_prepare();
        assert_eq!(read(r#""units": null"#).unwrap(), Read::default());
        assert_eq!(read(r#""units": 3, "files": 2"#).unwrap(), Read { units: Some(3), files: None });
        let files = read(r#""files": ["b.rs", "a.rs", "b.rs"]"#).unwrap().files.unwrap();
        assert_eq!(files.into_iter().collect::<Vec<_>>(), ["a.rs", "b.rs"]);
        for bad in
            [r#""units": -1"#, r#""units": "3""#, r#""files": "a.rs""#, r#""files": [{"path": "a.rs"}]"#]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn hits_are_cut_but_all_are_read() {
        assert_eq!(reply(r#""hits": ["a", {"path": "b"}, "c"]"#).hits(2).unwrap().len(), 2);
        assert_eq!(reply(r#""hits": []"#).hits(2).unwrap(), []);
        assert!(reply(r#""hits": ["a", 1]"#).hits(1).is_err());
        assert!(reply(r#""hit": []"#).hits(1).unwrap_err().detail.contains("no list of `hits`"));
    }
}
