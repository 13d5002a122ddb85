//! `docs/templates.md` names every field of the view, and none that is not there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::fixture;

type Fields = BTreeMap<String, BTreeSet<String>>;

/// The fields of every object of a document, by where it stands: `pairs[].lost[]`.
fn collect(value: &Value, at: &str, into: &mut Fields) {
    match value {
        Value::Object(fields) => {
            let here = into.entry(at.to_owned()).or_default();
            here.extend(fields.keys().cloned());
            for (key, value) in fields {
                let below = if at == "." { key.clone() } else { format!("{at}.{key}") };
                collect(value, &below, into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, &format!("{at}[]"), into)),
        _ => {}
    }
}

#[expect(clippy::disallowed_methods, reason = "documents and snapshots are files")]
fn read(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).expect("it is there")
}

fn documented() -> Fields {
    let text = read(&fixture("../docs/templates.md"));
    let mut fields = Fields::new();
    for section in text.split("<!-- at: ").skip(1) {
        let (places, table) = section.split_once(" -->").expect("the comment ends");
        let table = table.split("\n### ").next().unwrap_or_default();
        let names = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        let names: BTreeSet<_> = names.map(str::to_owned).collect();
        fields.extend(places.split(' ').map(|place| (place.to_owned(), names.clone())));
    }
    fields
}

#[test]
fn the_docs_list_the_fields_of_the_view_and_no_others() {
    let mut seen = Fields::new();
    for name in ["regressed", "touched", "suite-changed", "many", "notices"] {
        let text = read(&fixture(&format!("snapshots/report/{name}.json")));
        collect(&serde_json::from_str(&text).expect("JSON"), ".", &mut seen);
    }
    let documented = documented();
    for (place, fields) in &seen {
        assert_eq!(documented.get(place), Some(fields), "docs/templates.md at `{place}`");
    }
    let gone: Vec<_> = documented.keys().filter(|place| !seen.contains_key(*place)).collect();
    assert!(gone.is_empty(), "docs/templates.md describes what no report has: {gone:?}");
}
