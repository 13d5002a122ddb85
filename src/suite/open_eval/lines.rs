//! At which line of a document each case stands: for remarks in a pull request.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::suite::CaseId;

/// The 1-based line of each case's opening brace; nothing of a document that is no suite.
pub fn lines(document: &[u8]) -> BTreeMap<CaseId, u64> {
    #[derive(Deserialize)]
    struct Document<'a> {
        #[serde(borrow)]
        cases: Vec<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct Named {
        id: CaseId,
    }
    let Ok(text) = std::str::from_utf8(document) else { return BTreeMap::new() };
    let text = text.trim_start_matches('\u{feff}');
    let Ok(Document { cases }) = serde_json::from_str(text) else { return BTreeMap::new() };
    let mut lines = BTreeMap::new();
    let (mut line, mut counted) = (1, 0);
    for case in cases {
        // A raw value borrows from the text, in order.
        let at = case.get().as_ptr().addr() - text.as_ptr().addr();
        line += text[counted..at].matches('\n').count() as u64;
        counted = at;
        if let Ok(Named { id }) = serde_json::from_str(case.get()) {
            lines.insert(id, line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_case_has_its_line() {
        let text = "\u{feff}{\n \"cases\": [\n  {\"id\": \"a\", \"input\": \"x\\n\"},\r\n  {\"id\":\n \"b\"}, {\"id\": \"c\"}\n ]\n}";
        let found = lines(text.as_bytes());
        let found: Vec<_> = found.iter().map(|(id, line)| (id.0.as_str(), *line)).collect();
        assert_eq!(found, [("a", 3), ("b", 4), ("c", 5)]);
        assert!(lines(b"[]").is_empty() && lines(b"\xff").is_empty());
    }
}
