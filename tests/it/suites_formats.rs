//! The formats beside the native one: what is read, what is refused, what a round trip keeps.

use rankhold::name::Name;
use rankhold::suite::open_eval::{self, Loaded};
use rankhold::suite::{
    CaseKind, Exported, Format, Source, Suite, SuiteError, beir, csv, queries_truth, trec,
};
use serde_json::{Value, json};

use crate::support::{Random, random_suite, seed};

fn source<'a>(name: &'a str, text: &'a str) -> Source<'a> {
    Source { name, bytes: text.as_bytes() }
}

fn notes(loaded: &Loaded) -> Vec<String> {
    loaded.notes.iter().map(ToString::to_string).collect()
}

fn targets(suite: &Suite, id: &str) -> Vec<String> {
    suite.case(id).unwrap().qrels.targets().iter().map(ToString::to_string).collect()
}

fn refusal<T: std::fmt::Debug>(result: Result<T, SuiteError>) -> String {
    result.unwrap_err().to_string()
}

fn suite_of(cases: impl Into<Value>) -> Suite {
    let cases: Value = cases.into();
    let document = json!({"evalFormatVersion": "2026-04", "name": "s", "cases": cases});
    open_eval::parse(document.to_string().as_bytes()).unwrap().suite
}

fn write(suite: &Suite, format: &str) -> Result<Exported, SuiteError> {
    (Format::by_name(format).unwrap().write)(suite)
}

/// Reads an export back, as a suite of that name.
fn read_back(exported: &Exported, format: &str, name: &str) -> Loaded {
    let files: Vec<_> = exported.files.iter().map(|(name, text)| source(name, text)).collect();
    match format {
        "queries" => queries_truth::parse(name, files[0], files[1]),
        "trec" => trec::parse(name, Some(files[0]), files[1], 1),
        "beir" => beir::parse(name, files[0], &files[1..], 1),
        "csv" => csv::parse(name, files[0]),
        _ => open_eval::parse(files[0].bytes),
    }
    .unwrap_or_else(|error| panic!("{format} does not read its own export: {error}\n{exported:?}"))
}

#[test]
fn the_other_seeds_pair_loads_with_the_query_as_id() {
    let (queries, truth) = (seed("queries.json"), seed("groundtruth.json"));
    let pair = |name, bytes| Source { name, bytes };
    let loaded =
        queries_truth::parse("gortex", pair("queries.json", &queries), pair("groundtruth.json", &truth))
            .unwrap();
    assert_eq!(loaded.notes, []);
    assert_eq!((loaded.suite.cases.len(), loaded.suite.count(CaseKind::Scored)), (10, 10));
    assert_eq!(targets(&loaded.suite, "MCP server start"), ["internal/mcp/server.go", "cmd/gortex/mcp.go"]);
    let exported = write(&loaded.suite, "queries").unwrap();
    assert_eq!(exported.notes, []);
    for (name, text) in &exported.files {
        let mut ours: Value = serde_json::from_str(text).unwrap();
        let mut theirs: Value = serde_json::from_slice(&seed(name)).unwrap();
        assert_eq!(ours["queries"].take(), theirs["queries"].take(), "{name}");
    }
}

#[test]
fn a_query_without_truth_and_a_truth_without_query_are_said() {
    let loaded = queries_truth::parse(
        "s",
        source("q.json", r#"{"queries": ["a", "b"]}"#),
        source("t.json", r#"{"queries": {"b": ["x"], "c": ["y"]}}"#),
    )
    .unwrap();
    assert_eq!(
        notes(&loaded),
        [
            "t.json: no entry for 1 query, which cannot be scored: a",
            "t.json: 1 entry that q.json does not ask: c",
        ]
    );
    assert_eq!(loaded.suite.case("a").unwrap().qrels.kind(), CaseKind::Unscored);
}

#[test]
fn a_bad_pair_is_refused_with_the_file_and_the_place() {
    let read = |queries, truth| {
        refusal(queries_truth::parse("s", source("q.json", queries), source("t.json", truth)))
    };
    let truth = r#"{"queries": {}}"#;
    assert_eq!(read("{", truth), "q.json: line 1, column 1: not valid JSON: EOF while parsing an object");
    assert_eq!(read("[]", truth), "q.json: must be an object with the key `queries`, not an array");
    assert_eq!(read("{}", truth), "q.json: queries: must be an array of query texts");
    assert!(read(truth, truth).contains("as in a ground-truth file"));
    assert_eq!(
        read(r#"{"queries": ["a", 1]}"#, truth),
        "q.json: queries[1]: must be a query text, not a number"
    );
    assert_eq!(
        read(r#"{"queries": ["a"]}"#, r#"{"queries": []}"#),
        "t.json: queries: must be an object {query text: [path, …]}"
    );
    let twice = read(r#"{"queries": ["a", "a"]}"#, truth);
    assert_eq!(twice, r#"case 2 (id "a"): id: case 1 has the same id; make each id unique"#);
    let bad = read(r#"{"queries": ["a"]}"#, r#"{"queries": {"a": "x"}}"#);
    assert!(bad.contains("metadata.expectedTargets: must be an array of strings"), "{bad}");
    assert!(read(r#"{"queries": []}"#, truth).contains("cases: is empty"));
}

#[test]
fn trec_topics_are_read_in_both_forms() {
    let sgml = "<top>\n<num> Number: 301\n<title> Topic: International\n Organized Crime\n\n<desc> Description:\nWho?\n\
                <narr> Narrative:\nAll of it.\n</top>\n\n<top>\n<num>302</num>\n<title>Poliomyelitis</title>\n</top>\n";
    let tabs = "301\tInternational Organized Crime\r\n\r\n302\tPoliomyelitis\r\n";
    for topics in [sgml, tabs] {
        let qrels = source("qrels", "301 0 a.md 1\n302 0 b.md 2\n302 0 c.md 0\n");
        let suite = trec::parse("s", Some(source("topics", topics)), qrels, 1).unwrap().suite;
        let inputs: Vec<_> = suite.cases.iter().map(|case| case.input.as_str()).collect();
        assert_eq!(inputs, ["International Organized Crime", "Poliomyelitis"], "{topics}");
        assert_eq!(
            (targets(&suite, "301"), targets(&suite, "302")),
            (vec!["a.md".into()], vec!["b.md".into()])
        );
        assert_eq!(suite.case("302").unwrap().metadata["grades"], json!({"b.md": 2, "c.md": 0}));
    }
    let suite = trec::parse("s", Some(source("t", sgml)), source("q", "301 0 a 1\n"), 1).unwrap().suite;
    assert_eq!(
        (suite.cases[0].segment("desc"), suite.cases[0].segment("narr")),
        (Some("Who?"), Some("All of it."))
    );
}

#[test]
fn topics_and_judgements_that_do_not_meet_are_said() {
    let loaded =
        trec::parse("s", Some(source("t", "1\ta\n2\tb\n")), source("q", "1 0 x 1\n1 0 x 1\n3 0 x 1\n"), 1)
            .unwrap();
    assert_eq!(
        notes(&loaded),
        [
            "q: no judgement for 1 topic, which cannot be scored: 2",
            "q: 1 query is judged that no topic asks: 3",
            "q: 1 judgements are there twice: 1",
        ]
    );
}

#[test]
fn bad_topics_are_refused_with_line_numbers() {
    let read = |topics| refusal(trec::parse("s", Some(source("t", topics)), source("q", "1 0 x 1\n"), 1));
    assert_eq!(read("1\ta\n2 b\n"), "t: line 2: must be an id, a tab and the text of the query");
    assert_eq!(read("<top>\n<num>1\n</top>\n"), "t: line 1: the topic lacks a <num> or a <title>");
    assert_eq!(read("<top>\n<num>1\n<title>a\n"), "t: line 1: the topic is not closed with </top>");
    assert!(read("<top>\n<num>1\n<title>a\n<top>\n").contains("t: line 4: <top> within <top>"));
    assert_eq!(read("<top>\n<num"), "t: line 2: a tag is not closed with `>`");
    assert!(read("").contains("cases: is empty"));
}

#[test]
fn beirs_queries_without_a_judgement_are_left_out_and_counted() {
    let queries = "{\"_id\": \"1\", \"text\": \"a\", \"metadata\": {\"lang\": \"en\"}}\n\n{\"_id\": \"2\", \"text\": \"b\"}\n";
    let qrels = "query-id\tcorpus-id\tscore\n1\tx.md\t1\n1\ty.md\t2\n9\tz.md\t1\n";
    let loaded = beir::parse("s", source("queries.jsonl", queries), &[source("test.tsv", qrels)], 1).unwrap();
    assert_eq!(
        notes(&loaded),
        [
            "queries.jsonl: left out 1 query without a judgement: 2",
            "1 query is judged that queries.jsonl does not hold: 9",
        ]
    );
    assert_eq!(targets(&loaded.suite, "1"), ["x.md", "y.md"]);
    assert_eq!(loaded.suite.cases[0].segment("lang"), Some("en"));
}

#[test]
fn bad_beir_files_are_refused_with_file_and_line() {
    let read = |queries: &str, qrels: &str| {
        refusal(beir::parse("s", source("q.jsonl", queries), &[source("test.tsv", qrels)], 1))
    };
    let (queries, qrels) = ("{\"_id\": \"1\", \"text\": \"a\"}\n", "query-id\tcorpus-id\tscore\n1\tx\t1\n");
    assert_eq!(
        read("{\"_id\": 1, \"text\": \"a\"}", qrels),
        "q.jsonl: line 1: must be an object {\"_id\": …, \"text\": …} of strings"
    );
    assert_eq!(
        read(&format!("{queries}{{\"_id\" 1}}"), qrels),
        "q.jsonl: line 2, column 8: not valid JSON: expected `:`"
    );
    assert_eq!(
        read(queries, "1\tx\t0.5\n"),
        "test.tsv: line 1: the grade \"0.5\" is not an integer; grades count whole steps"
    );
    assert_eq!(
        read(queries, "1 x 1\n"),
        "test.tsv: line 1: expected 3 columns with tabs between (query-id, corpus-id, score), found 1"
    );
    assert!(
        read(queries, "1\tx\t1\n1\t./x\t2\n").contains("1 judges `x` with the grade 2, but line 1 with 1")
    );
}

#[test]
fn a_table_is_read_by_its_header_whatever_separates_its_cells() {
    let comma = "\u{feff}id,query,targets,lang,kind,team,critical,expectNoResult\r\n\
                 a,\"find, me\",src/a.rs;src/b.rs,en,symbol,core,yes,\r\nb,nothing,,pt,,,,true\r\n";
    let tabs = "id\tquery\ttargets\tlang\tkind\tteam\tcritical\texpectNoResult\n\
                a\tfind, me\tsrc/a.rs | src/b.rs\ten\tsymbol\tcore\ttrue\tno\nb\tnothing\t\tpt\t\t\t\t1\n";
    let [comma, tabs] = [comma, tabs].map(|text| csv::parse("s", source("t.csv", text)).unwrap().suite);
    assert_eq!(targets(&comma, "a"), ["src/a.rs", "src/b.rs"]);
    let case = comma.case("a").unwrap();
    assert_eq!((case.input.as_str(), case.segment("team"), case.critical), ("find, me", Some("core"), true));
    assert_eq!(comma.case("b").unwrap().qrels.kind(), CaseKind::Negative);
    assert_eq!(targets(&tabs, "a"), targets(&comma, "a"));

    let european = csv::parse("s", source("t.csv", "query;targets\nfind, me;a|b\n")).unwrap().suite;
    assert_eq!(targets(&european, "find, me"), ["a", "b"]);
}

#[test]
fn the_column_of_right_answers_has_three_names_and_must_be_there() {
    for title in ["targets", "target", "expectedTargets"] {
        let table = format!("query,{title}\nfind me,src/a.rs\n");
        let suite = csv::parse("s", source("t.csv", &table)).unwrap().suite;
        assert_eq!(targets(&suite, "find me"), ["src/a.rs"], "{title}");
    }
    let refused = |table| refusal(csv::parse("s", source("t.csv", table)));
    assert_eq!(
        refused("query,path\nfind me,src/a.rs\n"),
        "t.csv: line 1: there is no `targets` column (found: query, path); the header is id,query,targets,lang,kind"
    );
    assert!(refused("query,target,targets\na,b,c\n").contains("`target` and `targets` mean the same"));
    assert!(csv::parse("s", source("t.csv", "query,expectNoResult\na,yes\n")).is_ok());
}

#[test]
fn a_bad_table_is_refused_with_its_line() {
    let read = |text| refusal(csv::parse("s", source("t.csv", text)));
    assert_eq!(
        read("id,text,targets\na,b,c\n"),
        "t.csv: line 1: there is no `query` column (found: id, text, targets); the header is id,query,targets,lang,kind"
    );
    assert_eq!(
        read("id,query,targets\na,b,c\nd,e\n"),
        "t.csv: line 3: has 2 cells, but the header has 3; quote a cell that holds the delimiter"
    );
    assert_eq!(
        read("id,query,id,targets\na,b,c,d\n"),
        "t.csv: line 1: the column `id` is there twice; keep one"
    );
    assert!(read("query,targets,grades\na,b,c\n").contains("a table cannot hold `grades`"));
    assert_eq!(
        read("query,targets,critical\na,b,perhaps\n"),
        "t.csv: line 2: critical is \"perhaps\"; write true or false"
    );
    assert!(read("id,query,targets\na,,x\n").contains("t.csv: line 2: the query is empty"));
    assert!(read("query,targets\na,../x\n").contains("lies outside the tree"));
    assert!(read("query,targets\n").contains("cases: is empty"));
}

#[test]
fn what_a_format_cannot_say_is_said() {
    let suite = suite_of(json!([
        {"id": "a", "input": "x", "expected": "y", "metadata": {"expectedTargets": ["t"], "grades": {"u": 1}}},
        {"id": "b", "input": "y", "metadata": {"expectNoResult": true}}
    ]));
    let said = |format| {
        let exported = write(&suite, format).unwrap();
        exported.notes.iter().map(|note| note.message.clone()).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(said("open-eval"), "");
    assert!(said("queries").contains("2 cases lose their id"));
    assert!(
        said("trec").contains("1 case loses expectNoResult") && said("trec").contains("expected and graded")
    );
    assert!(said("beir").contains("1 case loses expected: BEIR cannot say it"));
    assert!(said("csv").contains("1 case loses grades"));
}

#[test]
fn what_a_format_cannot_write_is_refused() {
    let spaced =
        suite_of(json!([{"id": "a b", "input": "x", "metadata": {"expectedTargets": ["my file", "p|q"]}}]));
    assert!(refusal(write(&spaced, "trec")).contains("TREC's ids have no white space"));
    assert!(refusal(write(&spaced, "csv")).contains("`p|q` has `;` or `|` in it"));
    let twice = suite_of(json!([{"id": "a", "input": "x"}, {"id": "b", "input": "x"}]));
    assert!(
        refusal(write(&twice, "queries")).contains("case 2 (id \"b\"): input: another case asks the same")
    );
}

#[test]
fn a_written_suite_of_any_shape_loads_again_to_the_same_suite() {
    let mut random = Random::new(7);
    for _ in 0..300 {
        let suite = random_suite(&mut random);
        let read = read_back(&write(&suite, "open-eval").unwrap(), "open-eval", &suite.name);
        assert_eq!((read.suite, read.notes), (suite, vec![]));
    }
}

#[test]
fn every_format_keeps_ids_queries_and_targets() {
    let mut random = Random::new(11);
    for _ in 0..300 {
        let mut suite = random_suite(&mut random);
        suite.cases.retain(|case| case.qrels.kind() == CaseKind::Scored);
        for case in &mut suite.cases {
            // What a format documents that it loses or cannot write is another test's matter.
            case.input =
                format!("{} {}", case.id, case.input.split_whitespace().collect::<Vec<_>>().join(" "));
            case.input = case.input.trim().to_owned();
        }
        if suite.cases.is_empty() {
            continue;
        }
        for format in ["queries", "trec", "beir", "csv", "open-eval"] {
            let Ok(exported) = write(&suite, format) else { continue };
            let read = read_back(&exported, format, &suite.name).suite;
            assert_eq!(read.cases.len(), suite.cases.len(), "{format}");
            for (read, case) in read.cases.iter().zip(&suite.cases) {
                let id = if format == "queries" { &case.input } else { &case.id.0 };
                assert_eq!((&read.id.0, &read.input), (id, &case.input), "{format}");
                let expected: Vec<_> = case.qrels.targets().iter().collect();
                let also_graded = |name: &Name| case.qrels.grades().get(name).is_some_and(|grade| *grade > 0);
                let missing = expected.iter().find(|name| !read.qrels.targets().contains(name));
                assert_eq!(missing, None, "{format}");
                let more =
                    read.qrels.targets().iter().find(|name| !expected.contains(name) && !also_graded(name));
                assert_eq!(more, None, "{format}");
            }
        }
    }
}

#[test]
fn conversions_hash_what_they_convert_to() {
    let loaded = csv::parse("s", source("t.csv", "id,query,targets\na,b,c\n")).unwrap();
    let written = open_eval::text(&loaded.suite);
    let read = open_eval::parse(written.as_bytes()).unwrap();
    assert_eq!(read.suite, loaded.suite);
}
