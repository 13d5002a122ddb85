//! The GraphQL documents, held against the part of GitHub's schema that they use (`tests/data/github/schema.graphql`).

use std::collections::BTreeMap;

use rankhold::github::endpoint::{self, Changes};
use rankhold::github::{Call, Sha};
use serde_json::Value;

use crate::pages;

/// The fields of a type: each with the type it has and the arguments it takes.
type Fields = BTreeMap<String, Field>;

struct Field {
    kind: String,
    arguments: BTreeMap<String, String>,
}

/// `input` types and object types alike, by name.
fn schema() -> BTreeMap<String, Fields> {
    let text = pages::page("tests/data/github/schema.graphql").text;
    let mut types: BTreeMap<String, Fields> = BTreeMap::new();
    let mut current = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("type ").or_else(|| line.strip_prefix("input ")) {
            name.trim_end_matches(" {").clone_into(&mut current);
        } else if let Some((field, kind)) =
            line.trim().rsplit_once("): ").or_else(|| line.trim().split_once(": "))
        {
            let (name, arguments) = field.split_once('(').unwrap_or((field, ""));
            let arguments = arguments.split(", ").filter_map(|argument| argument.split_once(": "));
            let arguments = arguments.map(|(name, kind)| (name.to_owned(), kind.to_owned())).collect();
            let kind = kind.split(" = ").next().unwrap().to_owned();
            types.entry(current.clone()).or_default().insert(name.to_owned(), Field { kind, arguments });
        }
    }
    types
}

fn bare(kind: &str) -> String {
    kind.trim_matches(['[', ']', '!']).to_owned()
}

/// Why a document does not fit the schema.
fn misfit(document: &str) -> Option<String> {
    let schema = schema();
    let spaced: String = document
        .chars()
        .flat_map(|c| if "{}(),".contains(c) { vec![' ', c, ' '] } else { vec![c] })
        .collect();
    let mut words = spaced.split_whitespace().filter(|word| *word != ",").peekable();
    let mut last = match words.next() {
        Some("query") => "Query".to_owned(),
        Some("mutation") => "Mutation".to_owned(),
        other => return Some(format!("{other:?} begins no operation")),
    };
    let mut variables = BTreeMap::new();
    if words.next_if_eq(&"(").is_some() {
        while let Some(name) = words.next().filter(|word| *word != ")") {
            let name = name.strip_prefix('$')?.strip_suffix(':')?.to_owned();
            variables.insert(name, words.next()?.to_owned());
        }
    }
    let mut within: Vec<String> = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "{" => within.push(last.clone()),
            "}" => drop(within.pop()),
            "..." => {
                if words.next() != Some("on") {
                    return Some("only `... on TYPE` is known".to_owned());
                }
                words.next()?.clone_into(&mut last);
                if !schema.contains_key(&last) {
                    return Some(format!("there is no type {last}"));
                }
            }
            name => {
                let field = within.last().and_then(|kind| schema.get(kind)?.get(name));
                let Some(field) = field else {
                    return Some(format!("`{name}` is no field of {:?}", within.last()));
                };
                let mut given = BTreeMap::new();
                if words.next_if_eq(&"(").is_some() {
                    while let Some(argument) = words.next().filter(|word| *word != ")") {
                        let variable = words.next()?.strip_prefix('$')?;
                        given
                            .insert(argument.strip_suffix(':')?.to_owned(), variables.get(variable)?.clone());
                    }
                }
                if given != field.arguments {
                    return Some(format!("`{name}` takes {:?}, not {given:?}", field.arguments));
                }
                last = bare(&field.kind);
            }
        }
    }
    (!within.is_empty()).then(|| "it does not end".to_owned())
}

/// Why a value is none of that type.
fn unfit(value: &Value, kind: &str) -> Option<String> {
    let schema = schema();
    if let Some(required) = kind.strip_suffix('!') {
        return if value.is_null() { Some(format!("null is no {kind}")) } else { unfit(value, required) };
    }
    if value.is_null() {
        return None;
    }
    if let Some(item) = kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')) {
        let Some(items) = value.as_array() else { return Some(format!("{value} is no {kind}")) };
        return items.iter().find_map(|value| unfit(value, item));
    }
    let Some(fields) = schema.get(kind) else {
        let fits = if kind == "Int" { value.is_u64() } else { value.is_string() };
        return (!fits).then(|| format!("{value} is no {kind}"));
    };
    let Some(given) = value.as_object() else { return Some(format!("{value} is no {kind}")) };
    let unknown =
        given.keys().find(|name| !fields.contains_key(*name)).map(|name| format!("{kind} has no {name}"));
    let inside = || {
        fields.iter().find_map(|(name, field)| unfit(given.get(name).unwrap_or(&Value::Null), &field.kind))
    };
    unknown.or_else(inside)
}

/// Every request that carries a document.
fn calls() -> Vec<(Call, Vec<(&'static str, &'static str)>)> {
    let sha = Sha::new(&"a".repeat(40)).unwrap();
    let changes = Changes {
        written: vec![("baselines/a.bm25.json".to_owned(), b"{}".to_vec())],
        removed: vec!["baselines/b.bm25.json".to_owned()],
    };
    let repository = "o/r".parse().unwrap();
    vec![
        (endpoint::viewer(), vec![]),
        (endpoint::last_edited("IC_1"), vec![("id", "ID!")]),
        (
            endpoint::create_commit(&repository, "topic", &sha, "headline", &changes),
            vec![("input", "CreateCommitOnBranchInput!")],
        ),
        (
            endpoint::merged(&repository, &sha, "baselines", Some("100")),
            vec![
                ("after", "String"),
                ("comments", "Int!"),
                ("commit", "GitObjectID!"),
                ("commits", "Int!"),
                ("folder", "String!"),
                ("name", "String!"),
                ("owner", "String!"),
                ("parents", "Int!"),
                ("pulls", "Int!"),
            ],
        ),
    ]
}

#[test]
fn every_graphql_document_fits_the_schema() {
    for wrong in [
        "query { viewer { name } }",
        "query { viewer { login }",
        "subscription { viewer { login } }",
        "query ($id: ID!) { node { ... on IssueComment { lastEditedAt } } }",
        "query ($id: ID) { node(id: $id) { ... on IssueComment { lastEditedAt } } }",
        "query ($id: ID!) { node(id: $id) { ... on Comment { lastEditedAt } } }",
    ] {
        assert!(misfit(wrong).is_some(), "{wrong}");
    }
    let files = pages::files("src/github").into_iter().filter(|path| path.ends_with(".graphql"));
    let documents: Vec<_> = files.map(|path| (pages::page(&path).text, path)).collect();
    for (text, path) in &documents {
        assert_eq!(misfit(text), None, "{path}");
    }
    for path in pages::files_of("src/github", "rs") {
        let text = pages::page(&path).text;
        let inline = ["mutation(", "mutation (", "query(", "query (", "query {"];
        let inline = inline.iter().find(|word| text.contains(**word));
        assert_eq!(inline, None, "{path}: a document belongs into src/github/graphql/NAME.graphql");
    }
    assert_eq!(documents.len(), calls().len(), "a document that no request of this file carries");
}

#[test]
fn every_variable_fits_its_type() {
    for (call, kinds) in calls() {
        let body = call.body.unwrap();
        let document = body["query"].as_str().unwrap();
        assert_eq!(misfit(document), None);
        let given: BTreeMap<_, _> = body["variables"].as_object().into_iter().flatten().collect();
        let names: Vec<_> = kinds.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert!(given.keys().map(|name| (*name).clone()).eq(names));
        for (name, kind) in kinds {
            assert!(document.contains(&format!("${name}: {kind}")), "{name}");
            assert_eq!(unfit(given[&name.to_owned()], kind), None, "{name}");
        }
    }
    assert!(unfit(&serde_json::json!({ "path": "a" }), "FileAddition!").is_some());
    assert!(
        unfit(&serde_json::json!({ "path": "a", "contents": "", "mode": "x" }), "FileAddition!").is_some()
    );
}
