//! The table of `compare`: who ran, how well, how fast, and who did not.

use rankhold::artifact::Timings;
use rankhold::report::table::{Latency, Measured, Row, Steady, System, Table, chart};
use rankhold::report::{FORMATS, Format, Options};

use crate::report_scenes::{result, suite};
use crate::support::assert_snapshot;

fn row(retriever: &str, system: System) -> Row {
    Row { retriever: retriever.into(), floor_of: None, system }
}

fn ran(retriever: &str, found: usize, failed: usize, us: u64) -> Row {
    let mut cases = suite(found, 12);
    for case in cases.iter_mut().take(failed) {
        *case = case.clone().failed();
    }
    let timings = Timings {
        units: Some(412),
        prepare_us: us * 40,
        queries_us: (1..=12).map(|at| at * us / 6).collect(),
        wall_us: us * 60,
        ..Timings::default()
    };
    let measured = Measured {
        cold: Latency::of(&timings.queries_us).filter(|_| retriever == "ours"),
        warm: Latency::of(&timings.queries_us).filter(|_| retriever != "ours"),
        steady: Some(Steady { passes: 3, same: 12 - failed as u64, of: 12 }),
        unreachable: (retriever == "ours").then(|| vec!["vendor/a.md".to_owned()]),
        ..Measured::of(&result("docs", retriever, &cases), &timings)
    };
    row(retriever, System::Ran(Box::new(measured)))
}

fn skipped(retriever: &str, reason: &str) -> Row {
    let hint =
        Some(format!("{retriever}: `npm install -g @{retriever}labs/{retriever}[all]` (Node 22 or later)"));
    row(retriever, System::Skipped { reason: reason.into(), hint })
}

fn table(rows: Vec<Row>, smoke: bool) -> Table {
    let suite = "queries.json".into();
    Table { suite, cases: 12, negative: 0, top_k: 10, smoke, rows, without_floor: Vec::new() }
}

#[track_caller]
fn assert_looks(name: &str, table: &Table) {
    for (format, extension) in FORMATS.iter().zip(["txt", "md", "json"]) {
        let text = format.render_table(table, &Options::default()).expect("our templates render");
        assert_snapshot(&format!("table/{name}.{extension}"), &text);
    }
}

#[test]
fn systems_stand_side_by_side() {
    let broken = row(
        "semble",
        System::Failed {
            reason: "the index was not ready within 5m".into(),
            hint: Some("give it more time with --timeout".into()),
        },
    );
    let rows = vec![
        ran("ripgrep", 4, 0, 310),
        skipped("probe", "`probe` is not on the PATH"),
        ran("bm25", 9, 0, 950),
        ran("ours", 9, 2, 42_000),
        broken,
        skipped("colgrep", "no GPU | no table"),
    ];
    let table = table(rows, false);
    assert_looks("compared", &table);
    let wide = Options { width: 200, ..Options::default() };
    let text = Format::named("text").expect("it exists").render_table(&table, &wide).expect("it renders");
    assert_snapshot("table/compared-wide.txt", &text);
    assert_snapshot("table/compared.svg", &chart(&table));
}

#[test]
fn a_failed_query_counts_nothing_beside_the_mean_of_the_others() {
    let System::Ran(measured) = ran("ours", 12, 6, 100).system else { unreachable!("it ran") };
    let (all, completed) =
        (measured.ndcg.expect("scored"), measured.ndcg_of_completed.expect("some completed"));
    assert_eq!(measured.completed, 6);
    assert!((completed - 2.0 * all).abs() < 1e-5, "{completed} is not twice {all}");
}

#[test]
fn the_best_is_the_best_as_printed() {
    let text = |rows| {
        let format = Format::named("markdown").expect("it exists");
        format.render_table(&table(rows, false), &Options::default()).expect("it renders")
    };
    assert!(text(vec![ran("a", 9, 0, 1), ran("b", 9, 0, 2)]).contains("Best NDCG@10: `a` and `b`, 0.6"));
    assert!(!text(vec![skipped("a", "gone")]).contains("Best"));
}

#[test]
fn a_stand_in_is_marked_and_is_never_the_best() {
    assert_looks("stand-in", &table(vec![ran("ripgrep", 4, 0, 310), stand_in("colgrep")], false));
}

/// With a stand-in for its model.
fn stand_in(retriever: &str) -> Row {
    let System::Ran(measured) = ran(retriever, 9, 0, 5).system else { unreachable!("it ran") };
    let model = Some("tiny sha256:00".to_owned());
    row(retriever, System::Ran(Box::new(Measured { stand_in: true, model, ..*measured })))
}

#[test]
fn a_floor_is_neither_a_system_nor_a_stand_in() {
    let floor = |of: &str| Row { floor_of: Some(of.into()), ..stand_in(&format!("{of}-random")) };
    let rows = vec![
        ran("bm25", 4, 0, 310),
        stand_in("colgrep"),
        floor("colgrep"),
        ran("semble", 7, 0, 900),
        floor("semble"),
    ];
    let table = Table { without_floor: vec!["bm25".into()], ..table(rows, false) };
    assert_looks("floors", &table);
    let picture = chart(&table);
    assert_snapshot("table/floors.svg", &picture);
    for (name, mark) in [("bm25 0.5", "<circle "), ("colgrep 0.6", "<circle "), ("semble-random", "<path ")] {
        assert!(picture.contains(name) && picture.contains(mark), "{name}: {picture}");
    }
    assert!(picture.contains(">a floor: random vectors for a model<"), "{picture}");
    let json = Format::named("json").expect("it exists").render_table(&table, &Options::default());
    let json: serde_json::Value = serde_json::from_str(&json.expect("it renders")).expect("JSON");
    let said = |at: usize| (json["rows"][at]["floorOf"].as_str(), json["rows"][at]["standIn"].as_bool());
    assert_eq!(
        [0, 1, 2, 4].map(said),
        [
            (None, Some(false)),
            (None, Some(true)),
            (Some("colgrep"), Some(false)),
            (Some("semble"), Some(false))
        ]
    );
    assert_eq!(json["summary"], "compared 3 of 3 systems and 2 of 2 floors");
    assert_eq!(json["best"][0]["retriever"], "semble");
    let points = json["chart"].to_string();
    assert!(points.contains("bm25") && !points.contains("random") && !points.contains("colgrep"), "{points}");
}

/// Whatever the terminal is like: the command that a hint holds is there to the last word.
#[test]
fn what_is_said_of_a_system_is_wrapped_and_never_cut() {
    let words = |what: &str| (1..=120).map(|at| format!("{what}{at}")).collect::<Vec<_>>().join(" ");
    let (reason, hint) = (words("reason"), words("hint"));
    let system = System::Skipped { reason: reason.clone(), hint: Some(hint.clone()) };
    for smoke in [false, true] {
        let table = table(vec![ran("bm25", 4, 0, 310), row("grepai-mcp", system.clone())], smoke);
        for width in [40, 60, 100, 300] {
            let options = Options { width, ..Options::default() };
            let text = Format::named("text").expect("it exists").render_table(&table, &options);
            let text = text.expect("it renders");
            let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains(&reason) && said.contains(&hint), "{text}");
            let sentences = text.lines().filter(|line| line.contains("hint") || line.contains("reason"));
            let longest = sentences.map(|line| line.chars().count()).max();
            assert!(longest <= Some(width), "{longest:?} of {width}:\n{text}");
        }
    }
}

/// `1.000` is no number to Mermaid, and a point that was moved would tell another figure.
#[test]
fn the_chart_for_mermaid_shows_the_figures_as_they_are() {
    let with = |name, ndcg, us| {
        let System::Ran(measured) = ran(name, 9, 0, us).system else { unreachable!("it ran") };
        row(name, System::Ran(Box::new(Measured { ndcg: Some(ndcg), ..*measured })))
    };
    let rows = vec![with("none", 0.0, 1000), with("all", 1.0, 100_000)];
    let markdown = Format::named("markdown").expect("it exists");
    let text = markdown.render_table(&table(rows, false), &Options::default()).expect("it renders");
    assert!(text.contains("\"none\": [1, 0.000]"), "{text}");
    assert!(text.contains("\"all\": [0.333, 1]"), "{text}");
}

/// Rows by what is printed, and nothing of systems without figures between them.
#[test]
fn the_best_stands_first_and_what_has_no_figures_below_the_table() {
    let failed = row("z", System::Failed { reason: "it died".into(), hint: None });
    let rows = vec![skipped("s", "gone"), ran("c", 4, 0, 1), failed, ran("b", 9, 0, 1), ran("a", 9, 0, 1)];
    let table = table(rows, false);
    let wide = Options { width: 400, ..Options::default() };
    for (name, begins) in [
        ("text", ["a  ", "b  ", "c  ", "z  failed: it died", "s  skipped: gone"]),
        ("markdown", ["| `a` |", "| `b` |", "| `c` |", "- `z`: failed: it died", "- `s`: skipped: gone"]),
    ] {
        let text = Format::named(name).expect("it exists").render_table(&table, &wide).expect("it renders");
        let places = begins.map(|begin| text.lines().position(|line| line.starts_with(begin)));
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{text}");
    }
    let json = Format::named("json").expect("it exists").render_table(&table, &wide).expect("it renders");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let order: Vec<_> = json["rows"].as_array().expect("rows").iter().map(|row| &row["retriever"]).collect();
    assert_eq!(order, ["s", "c", "z", "b", "a"]);
}

/// What is copied from the page or from the markdown itself is what the hint says.
#[test]
fn a_command_can_be_copied_from_the_markdown() {
    let rows = |smoke| table(vec![skipped("probe", "`probe` is not on the PATH")], smoke);
    for smoke in [false, true] {
        let format = Format::named("markdown").expect("it exists");
        let text = format.render_table(&rows(smoke), &Options::default()).expect("it renders");
        assert!(
            text.contains("next: probe: `npm install -g @probelabs/probe[all]` (Node 22 or later)"),
            "{text}"
        );
        assert!(!text.contains("8203"), "{text}");
    }
}

#[test]
fn a_smoke_check_says_who_is_there() {
    let ready = row("ripgrep", System::Ready { version: "15.1.0".into() });
    assert_looks("smoke", &table(vec![ready, skipped("probe", "`probe` is not on the PATH")], true));
}
