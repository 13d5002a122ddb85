//! GitHub's own description of its API, and what of it a request or an answer breaks.
//!
//! It also fills in what an answer must have and our code never reads, so that the stand-in says only what matters.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use jsonschema::{Draft, Validator};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use crate::support;

/// The description, read once.
pub(crate) struct Description {
    document: Value,
    validators: Mutex<BTreeMap<String, Arc<Validator>>>,
}

/// Where GitHub sends null for a repository that was deleted, although its description does not say so.
const GONE: &[&str] = &["/head/repo", "/head_repository"];

/// A request's place in the description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// `/repos/{owner}/{repo}/pulls/{pull_number}`.
    pub(crate) route: String,
    /// The values of its parameters by name, decoded.
    pub(crate) parameters: BTreeMap<String, String>,
}

/// A request as it is held against the description.
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a str,
    /// Percent-encoded, without query.
    pub(crate) path: &'a str,
    /// Decoded.
    pub(crate) query: &'a [(String, String)],
    pub(crate) body: Option<&'a Value>,
}

/// GitHub's description, cut to what rankhold asks (`tests/data/github/ORIGIN.md`).
pub(crate) fn description() -> &'static Description {
    static DESCRIPTION: OnceLock<Description> = OnceLock::new();
    DESCRIPTION.get_or_init(|| {
        let bytes = support::read(support::data("github/openapi.json"));
        let mut document = serde_json::from_slice(&bytes).unwrap();
        as_json_schema(&mut document);
        Description { document, validators: Mutex::default() }
    })
}

impl Description {
    /// Where that path belongs; the route with the most literal parts wins.
    pub(crate) fn place(&self, method: &str, path: &str) -> Option<Place> {
        let routes = self.document["paths"].as_object().unwrap().iter();
        let routes = routes.filter(|(_, verbs)| verbs.get(method.to_lowercase()).is_some());
        let places = routes
            .filter_map(|(route, _)| Some(Place { parameters: fit(route, path)?, route: route.clone() }));
        places.min_by_key(|place| place.parameters.len())
    }

    /// What is wrong with a request, in words.
    pub(crate) fn request(&self, asked: &Asked<'_>) -> Vec<String> {
        let Some(place) = self.place(asked.method, asked.path) else {
            return vec![format!("the description has no {} {}", asked.method, asked.path)];
        };
        let operation = self.operation(asked.method, &place.route);
        let mut problems = self.parameters(operation, &place, asked.query);
        let pointer = format!("{}/requestBody", pointer(asked.method, &place.route));
        match (operation.get("requestBody"), asked.body) {
            (None, Some(_)) => problems.push("it takes no body".to_owned()),
            (Some(described), None) if described["required"] == true => {
                problems.push("it needs a body".to_owned());
            }
            (_, None) => {}
            (Some(described), Some(body)) => {
                let schema = &described["content"]["application/json"]["schema"];
                self.unknown_fields(schema, body, "", &mut problems);
                problems.extend(self.breaks(&format!("{pointer}/content/application~1json/schema"), body));
            }
        }
        problems
    }

    /// What is wrong with an answer in JSON (`None`: an empty one).
    pub(crate) fn answer(&self, method: &str, route: &str, status: u16, body: Option<&Value>) -> Vec<String> {
        match (self.answer_pointer(method, route, status), body) {
            (Err(problem), _) => vec![problem],
            (Ok(Some(pointer)), Some(body)) => self.breaks(&pointer, body),
            (Ok(None), None) => Vec::new(),
            (Ok(Some(_)), None) => vec![format!("{method} {route}: {status} has a body")],
            (Ok(None), Some(_)) => vec![format!("{method} {route}: {status} has no body")],
        }
    }

    /// Adds what an answer must have and does not say yet: null where that may be, else something empty.
    pub(crate) fn complete(&self, method: &str, route: &str, status: u16, body: &mut Value) {
        if let Ok(Some(pointer)) = self.answer_pointer(method, route, status) {
            let schema = self.document.pointer(&pointer.replace("%7B", "{").replace("%7D", "}")).unwrap();
            self.fill(schema, body);
        }
    }

    fn operation(&self, method: &str, route: &str) -> &Value {
        &self.document["paths"][route][method.to_lowercase()]
    }

    /// The schema of an answer; none for one without a body. A failure or a
    /// redirect that the description does not list is a `basic-error`.
    fn answer_pointer(&self, method: &str, route: &str, status: u16) -> Result<Option<String>, String> {
        let responses = &self.operation(method, route)["responses"];
        let Some(response) = responses.get(status.to_string()) else {
            let failure = (300..600).contains(&status);
            return if failure {
                Ok(Some("/components/schemas/basic-error".to_owned()))
            } else {
                Err(format!("{method} {route} never answers {status}"))
            };
        };
        let (response, base) = match response["$ref"].as_str() {
            Some(reference) => (self.resolve(response), reference.trim_start_matches('#').to_owned()),
            None => (response, format!("{}/responses/{status}", pointer(method, route))),
        };
        let has_schema = response["content"]["application/json"].get("schema").is_some();
        Ok(has_schema.then(|| format!("{base}/content/application~1json/schema")))
    }

    fn parameters(&self, operation: &Value, place: &Place, query: &[(String, String)]) -> Vec<String> {
        let none = Vec::new();
        let described = operation["parameters"].as_array().unwrap_or(&none);
        let described: Vec<_> = described.iter().map(|parameter| self.resolve(parameter)).collect();
        let find = |name: &str, kind: &str| {
            described.iter().find(|parameter| parameter["name"] == name && parameter["in"] == kind)
        };
        let mut problems = Vec::new();
        let given = place.parameters.iter().map(|(name, value)| (name, value, "path"));
        for (name, value, kind) in given.chain(query.iter().map(|(name, value)| (name, value, "query"))) {
            match find(name, kind) {
                None => problems.push(format!("{} has no {kind} parameter `{name}`", place.route)),
                Some(parameter) => {
                    let schema = self.resolve(&parameter["schema"]);
                    if let Err(problem) = parameter_fits(schema, value) {
                        problems.push(format!("{kind} parameter `{name}`: {problem}"));
                    }
                }
            }
        }
        let missing =
            described.iter().filter(|parameter| parameter["in"] == "query" && parameter["required"] == true);
        let missing = missing.filter(|parameter| !query.iter().any(|(name, _)| parameter["name"] == *name));
        problems.extend(missing.map(|parameter| format!("query parameter {} is missing", parameter["name"])));
        problems
    }

    /// Fields that the description does not know; GitHub ignores them, and so a typing error would go unseen.
    fn unknown_fields(&self, schema: &Value, value: &Value, at: &str, problems: &mut Vec<String>) {
        let schema = self.resolve(schema);
        match value {
            Value::Object(fields) => {
                let Some(known) = schema["properties"].as_object() else { return };
                for (name, value) in fields {
                    match known.get(name) {
                        Some(schema) => self.unknown_fields(schema, value, &format!("{at}/{name}"), problems),
                        None => problems.push(format!("`{at}/{name}` is no field of the request")),
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.unknown_fields(&schema["items"], item, at, problems);
                }
            }
            _ => {}
        }
    }

    /// What of the schema at that place the value breaks.
    fn breaks(&self, pointer: &str, value: &Value) -> Vec<String> {
        let validator = self.validator(pointer);
        let shortened = |text: String| {
            if text.len() > 300 {
                text[text.floor_char_boundary(text.len() - 300)..].to_owned()
            } else {
                text
            }
        };
        let errors = validator.iter_errors(value);
        let gone = |at: &str| {
            value.pointer(at).is_some_and(Value::is_null) && GONE.iter().any(|end| at.ends_with(end))
        };
        errors
            .filter(|error| !gone(error.instance_path().as_str()))
            .map(|error| format!("`{}`: {}", error.instance_path(), shortened(error.to_string())))
            .collect()
    }

    fn validator(&self, pointer: &str) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        let build = || {
            // References start at the root of the whole document, so the root itself refers to the schema.
            let mut root = self.document.clone();
            root["$ref"] = json!(format!("#{pointer}"));
            let options = jsonschema::options().with_draft(Draft::Draft4).should_validate_formats(true);
            Arc::new(options.build(&root).unwrap_or_else(|error| panic!("{pointer}: {error}")))
        };
        validators.entry(pointer.to_owned()).or_insert_with(build).clone()
    }

    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value.get("$ref").and_then(Value::as_str) {
            Some(reference) => {
                let found = self.document.pointer(reference.trim_start_matches('#'));
                self.resolve(found.unwrap_or_else(|| panic!("{reference} leads nowhere")))
            }
            None => value,
        }
    }

    fn fill(&self, schema: &Value, value: &mut Value) {
        let schema = self.resolve(schema);
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.fill(part, value);
        }
        if let Some(variant) = self.variant(schema, value) {
            self.fill(variant, value);
        }
        match value {
            Value::Object(fields) => {
                let none = Map::new();
                let known = schema["properties"].as_object().unwrap_or(&none);
                for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                    if !fields.contains_key(name) {
                        let empty = known.get(name).map_or(Value::Null, |schema| self.empty(schema));
                        fields.insert(name.to_owned(), empty);
                    }
                }
                for (name, value) in fields {
                    if let Some(schema) = known.get(name) {
                        self.fill(schema, value);
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill(&schema["items"], item)),
            _ => {}
        }
    }

    /// The first alternative that is of the value's type.
    fn variant<'a>(&'a self, schema: &'a Value, value: &Value) -> Option<&'a Value> {
        let kind = match value {
            Value::Object(_) => "object",
            Value::Array(_) => "array",
            _ => return None,
        };
        let of_kind = |schema: &&Value| match &self.resolve(schema)["type"] {
            Value::String(one) => one == kind,
            Value::Array(several) => several.iter().any(|one| one == kind),
            _ => true,
        };
        ["oneOf", "anyOf"].iter().find_map(|word| schema[*word].as_array()?.iter().find(of_kind))
    }

    /// The least that a schema accepts.
    fn empty(&self, schema: &Value) -> Value {
        let schema = self.resolve(schema);
        let alternatives = ["anyOf", "oneOf"].iter().find_map(|word| schema[*word].as_array());
        let types: Vec<_> = match &schema["type"] {
            Value::String(one) => vec![one.as_str()],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let may_be_null = types.contains(&"null")
            || alternatives.is_some_and(|all| all.iter().any(|one| one["type"] == "null"));
        if may_be_null {
            return Value::Null;
        }
        if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
            return first.clone();
        }
        if let (true, Some(first)) = (types.is_empty(), alternatives.and_then(|all| all.first())) {
            return self.empty(first);
        }
        match types.first() {
            Some(&"string") => json!(match schema["format"].as_str() {
                Some("uri") => "https://github.invalid/",
                Some("date-time") => "2026-01-01T00:00:00Z",
                Some("email") => "nobody@github.invalid",
                _ => "",
            }),
            Some(&"integer" | &"number") => json!(0),
            Some(&"boolean") => json!(false),
            Some(&"array") => json!([]),
            _ => {
                let mut object = json!({});
                self.fill(schema, &mut object);
                object
            }
        }
    }
}

/// OpenAPI 3.0 says `nullable: true` where JSON Schema has a type `null`.
fn as_json_schema(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(as_json_schema);
            if fields.get("nullable") != Some(&json!(true)) {
                return;
            }
            fields.remove("nullable");
            if let Some(Value::Array(values)) = fields.get_mut("enum")
                && !values.contains(&Value::Null)
            {
                values.push(Value::Null);
            }
            match fields.get("type").cloned() {
                Some(kind) => fields["type"] = json!([kind, "null"]),
                None => *value = json!({ "anyOf": [value.clone(), { "type": "null" }] }),
            }
        }
        Value::Array(items) => items.iter_mut().for_each(as_json_schema),
        _ => {}
    }
}

/// A JSON pointer to an operation, as a reference writes it.
fn pointer(method: &str, route: &str) -> String {
    let route = route.replace('~', "~0").replace('/', "~1").replace('{', "%7B").replace('}', "%7D");
    format!("/paths/{route}/{}", method.to_lowercase())
}

/// The parameters of a path, if the route is its route. `{path}`, the last of a route, keeps slashes.
fn fit(route: &str, path: &str) -> Option<BTreeMap<String, String>> {
    let decode = |text: &str| percent_decode_str(text).decode_utf8().ok().map(String::from);
    let mut parameters = BTreeMap::new();
    let mut rest = path.split('/');
    for part in route.split('/') {
        let name = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
        match name {
            Some("path") => {
                let whole = rest.by_ref().map(decode).collect::<Option<Vec<_>>>()?;
                if whole.is_empty() {
                    return None;
                }
                parameters.insert("path".to_owned(), whole.join("/"));
            }
            Some(name) => {
                let value = decode(rest.next().filter(|value| !value.is_empty())?)?;
                parameters.insert(name.to_owned(), value);
            }
            None if rest.next()? == part => {}
            None => return None,
        }
    }
    rest.next().is_none().then_some(parameters)
}

/// A parameter arrives as text and is meant as its type.
fn parameter_fits(schema: &Value, value: &str) -> Result<(), String> {
    let fits = match schema["type"].as_str() {
        Some("integer") => value.parse::<i64>().is_ok(),
        Some("boolean") => matches!(value, "true" | "false"),
        _ => true,
    };
    if !fits {
        return Err(format!("`{value}` is no {}", schema["type"]));
    }
    match schema["enum"].as_array() {
        Some(values) if !values.iter().any(|one| one == value) => {
            Err(format!("`{value}` is none of {values:?}"))
        }
        _ => Ok(()),
    }
}

#[test]
fn a_path_has_the_place_with_the_most_words() {
    let place = |method: &str, path: &str| {
        description().place(method, path).map(|place| (place.route, place.parameters))
    };
    let (route, parameters) = place("GET", "/repos/o/r/contents/docs/a%20b.md").unwrap();
    assert_eq!(route, "/repos/{owner}/{repo}/contents/{path}");
    assert_eq!(parameters["path"], "docs/a b.md");
    let (route, _) = place("PATCH", "/repos/o/r/issues/comments/5").unwrap();
    assert_eq!(route, "/repos/{owner}/{repo}/issues/comments/{comment_id}");
    let (_, parameters) = place("GET", "/repos/o/r/branches/feat%2Fx").unwrap();
    assert_eq!(parameters["branch"], "feat/x");
    assert_eq!(place("POST", "/repos/o/r/issues/comments/5"), None, "the description has no such verb there");
    assert_eq!(place("GET", "/repos/o/r/branches/feat/x"), None, "a slash in a name must be encoded");
}

#[test]
fn a_request_that_breaks_the_description_is_named() {
    let problems = |method: &str, path: &str, query: &[(&str, &str)], body: Option<Value>| {
        let query: Vec<_> =
            query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        description().request(&Asked { method, path, query: &query, body: body.as_ref() }).join("\n")
    };
    let check = |body: Value| problems("POST", "/repos/o/r/check-runs", &[], Some(body));
    let fine = json!({ "name": "n", "head_sha": "a", "status": "completed", "conclusion": "failure" });
    assert_eq!(check(fine.clone()), "");
    let with = |field: &str, value: Value| {
        let mut body = fine.clone();
        body[field] = value;
        check(body)
    };
    let note =
        json!({ "path": "a", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "m" });
    let output = |summary: usize, notes: usize| json!({ "title": "t", "summary": "s".repeat(summary), "annotations": vec![note.clone(); notes] });
    assert_eq!(with("output", output(65_535, 50)), "");
    for (broken, word) in [
        (with("conclusion", json!("red")), "conclusion"),
        (with("output", output(65_536, 1)), "/output/summary"),
        (with("output", output(1, 51)), "/output/annotations"),
        (with("sumary", json!("x")), "sumary"),
        (check(json!({ "name": "n" })), "head_sha"),
        (problems("POST", "/repos/o/r/check-runs", &[], None), "needs a body"),
        (problems("GET", "/repos/o/r", &[], Some(json!({}))), "no body"),
        (problems("GET", "/repos/o/r/pulls", &[("sate", "open")], None), "sate"),
        (problems("GET", "/repos/o/r/pulls", &[("state", "ajar")], None), "ajar"),
        (problems("GET", "/repos/o/r/pulls", &[("page", "x")], None), "page"),
        (problems("GET", "/repos/o/r/pulls/x", &[], None), "pull_number"),
        (problems("POST", "/repos/o/r/issues/comments/5", &[], Some(json!({ "body": "x" }))), "no POST"),
    ] {
        assert!(broken.contains(word), "{word}: {broken}");
    }
}

#[test]
fn what_the_description_demands_is_filled_in() {
    let mut body = json!({ "id": 7, "user": { "login": "ada" } });
    let route = "/repos/{owner}/{repo}/issues/comments/{comment_id}";
    assert!(!description().answer("GET", route, 200, Some(&body)).is_empty());
    description().complete("GET", route, 200, &mut body);
    assert_eq!(description().answer("GET", route, 200, Some(&body)), [""; 0]);
    assert_eq!((&body["id"], &body["user"]["login"]), (&json!(7), &json!("ada")));
    assert!(!description().answer("GET", route, 299, None).is_empty());
    assert!(!description().answer("DELETE", route, 204, Some(&body)).is_empty());
}
