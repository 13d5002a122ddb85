//! The embedded ripgrep over a corpus on disk.

use rankhold::ranking::ErrorClass;
use rankhold::retriever::ripgrep::{Ripgrep, RipgrepOptions};
use rankhold::retriever::{Deadline, Query, Retriever};

use crate::grounds::{Grounds, paths};

fn grounds() -> Grounds {
    Grounds::new(&[
        ("docs/Verdict.md", "How a verdict is reached.\n"),
        ("src/gate.rs", "// The verdict of the gate.\nfn verdict() {}\n// verdict\n"),
        ("src/report.rs", "// Prints the verdict.\n"),
        ("src/other.rs", "// The gate has no word of it.\n"),
        ("src/image.bin", "verdict gate\n\0"),
        ("src/none.rs", "// nothing\n"),
    ])
}

fn literal() -> Ripgrep {
    Ripgrep::default()
}

fn regex() -> Ripgrep {
    Ripgrep::new(RipgrepOptions { regex: true })
}

#[test]
fn a_word_ranks_by_path_and_then_by_count_and_ignores_case() {
    let grounds = grounds();
    let hits = grounds.ask(&literal(), "VERDICT").unwrap();
    assert_eq!(paths(&hits), ["docs/Verdict.md", "src/gate.rs", "src/report.rs"]);
}

#[test]
fn the_whole_query_goes_before_its_words_and_equal_evidence_is_a_tie_in_path_order() {
    let grounds = grounds();
    let hits = grounds.ask(&literal(), "the gate").unwrap();
    assert_eq!(paths(&hits), ["src/gate.rs", "src/other.rs", "src/report.rs"]);
    let ties = Grounds::new(&[("b", "x y"), ("a", "x y"), ("c", "y")]);
    let hits = ties.ask(&literal(), "x").unwrap();
    assert_eq!(paths(&hits), ["a", "b"]);
    assert_eq!(hits[0].score, hits[1].score);
}

#[test]
fn punctuation_is_looked_for_as_it_stands() {
    let grounds = grounds();
    assert_eq!(paths(&grounds.ask(&literal(), "verdict()").unwrap())[0], "src/gate.rs");
    assert_eq!(grounds.ask(&literal(), "()").unwrap().len(), 1);
    assert_eq!(grounds.ask(&literal(), "-e").unwrap(), []);
}

#[test]
fn nothing_found_is_an_empty_answer_and_an_empty_query_is_an_error() {
    let grounds = grounds();
    assert_eq!(grounds.ask(&literal(), "absent").unwrap(), []);
    assert_eq!(grounds.ask(&literal(), "  ").unwrap_err().class, ErrorClass::Tool);
}

#[test]
fn regex_mode_counts_matches_and_names_a_bad_one() {
    let grounds = grounds();
    let hits = grounds.ask(&regex(), r"^//.*verdict").unwrap();
    assert_eq!(paths(&hits), ["src/gate.rs", "src/report.rs"]);
    let error = grounds.ask(&regex(), "map[").unwrap_err();
    assert_eq!(error.class, ErrorClass::Tool);
    assert!(error.detail.contains("`map[`"), "{error}");
}

#[test]
fn the_answer_is_the_same_with_any_number_of_threads() {
    let files: Vec<_> =
        (0..300).map(|n| (format!("f{n}.txt"), format!("word {}\n", "more ".repeat(n % 7)))).collect();
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let grounds = Grounds::new(&files);
    let ask = |threads| {
        grounds.site(threads, |site| {
            let retriever = literal();
            let prepared = retriever.prepare(site).unwrap();
            let query = Query { id: "1", text: "more word" };
            prepared.open().unwrap().query(&query, 50, site.deadline).unwrap()
        })
    };
    let once = ask(1);
    assert_eq!(once.len(), 50);
    assert_eq!(once, ask(4));
}

#[test]
fn fewer_hits_are_the_beginning_of_more() {
    let grounds = grounds();
    grounds.site(1, |site| {
        let retriever = literal();
        let prepared = retriever.prepare(site).unwrap();
        let mut session = prepared.open().unwrap();
        let query = Query { id: "1", text: "the verdict" };
        let all = session.query(&query, 50, site.deadline).unwrap();
        assert_eq!(all.len(), 4);
        for fetch in 0..=5 {
            assert_eq!(session.query(&query, fetch, site.deadline).unwrap(), all[..fetch.min(4)]);
        }
    });
}

#[test]
fn time_that_has_run_out_is_a_time_out() {
    let grounds = grounds();
    grounds.site(1, |site| {
        let retriever = literal();
        let prepared = retriever.prepare(site).unwrap();
        let over = Deadline::after(std::time::Duration::ZERO);
        let error = prepared.open().unwrap().query(&Query { id: "1", text: "x" }, 5, over).unwrap_err();
        assert_eq!(error.class, ErrorClass::Timeout);
    });
}

#[test]
fn an_explanation_gives_the_parts_of_a_score_and_its_rank() {
    let grounds = grounds();
    grounds.site(1, |site| {
        let retriever = literal();
        let prepared = retriever.prepare(site).unwrap();
        let told = prepared.explain("verdict", "./src/gate.rs").unwrap();
        assert_eq!(told.rank, Some(2));
        assert!(
            told.parts
                .iter()
                .any(|part| part.label == "whole query in text, times" && (part.amount - 3.0).abs() < 1e-9)
        );
        assert_eq!(prepared.explain("verdict", "src/none.rs").unwrap().rank, None);
        assert_eq!(prepared.explain("verdict", "gone.rs"), None);
    });
}
