//! How answers are read.

use super::*;

/// Reads with nothing but a format and fields.
pub(in super::super) fn read(bytes: &[u8], format: Format, fields: &Fields) -> Result<Vec<RawHit>, String> {
    let reader = Reader { format, fields: fields.clone(), ..Reader::default() };
    reader.read(bytes).map_err(|problem| match problem {
        Unread::Unreadable(problem) => problem.to_string(),
        Unread::Refused(words) => words,
    })
}

fn reader() -> Reader {
    Reader {
        error: Some(Pointer::new("/error").unwrap()),
        empty_errors: vec!["No results found.".to_owned()],
        rank_by: RankBy::Score,
        ..Reader::default()
    }
}

#[test]
fn an_error_in_an_answer_is_the_tools_word_unless_it_means_nothing_found() {
    let read = |text: &str| reader().read(text.as_bytes());
    assert_eq!(read(r#"{"error": "No results found."}"#), Ok(Vec::new()));
    for (text, message) in [
        (r#"{"error": "no index"}"#, "said no: no index"),
        (r#"{"error": {"code": 3}}"#, "said no: `/error` is an object with the keys code"),
        (
            r#"{"error": null}"#,
            "gave an answer that cannot be read: there is no list of hits at the top, but an object with the keys error",
        ),
    ] {
        assert_eq!(read(text).unwrap_err().to_string(), message);
    }
    assert_eq!(read(r#"[{"path": "a", "score": 1}]"#).unwrap().len(), 1);
}

#[test]
fn a_score_puts_hits_in_order_and_equal_ones_are_by_path() {
    let text = r#"[{"path": "c", "score": 1}, {"path": "b", "score": 2, "id": "x"}, {"path": "b", "score": 2}, {"path": "a", "score": 2}]"#;
    let hits = reader().read(text.as_bytes()).unwrap();
    let order: Vec<_> = hits.iter().map(|hit| (hit.path.as_deref().unwrap(), hit.id.is_some())).collect();
    assert_eq!(order, [("a", false), ("b", true), ("b", false), ("c", false)]);
    let above = Reader { score_above: Some(1.0), ..reader() }.read(text.as_bytes()).unwrap();
    assert_eq!(above.len(), 3);
    let message = reader().read(br#"[{"path": "a"}]"#).unwrap_err().to_string();
    assert_eq!(message, "gave an answer that cannot be read: hit 1 has no `/score`, which is what counts");
}
