//! The generated parts of docs/approvals.md: the answers are those that are given, the record is one.

use rankhold::approval::Refusal;
use rankhold::artifact::{Approval, Covered, CoveredPair, Record};
use rankhold::canon::Digest;
use rankhold::report::{Reply, ReplyPair, reply};

/// What stands for a name, if it is one of these.
pub(crate) fn generated(name: &str) -> Option<String> {
    Some(match name {
        "answer to an approval" => quoted(&approved()),
        "answer to a stale token" => quoted(&refused(&Refusal::Stale(Some(covered().token())))),
        "refusals of commands" => refusals(),
        "record of an approval" => record(),
        "what verify --github says" => crate::github::verify::sample(),
        _ => return None,
    })
}

fn covered() -> Covered {
    let pair = |suite: &str| CoveredPair {
        suite: suite.to_owned(),
        retriever: "bm25".to_owned(),
        supersedes: Some(Digest::of(&format!("baseline of {suite}"))),
        candidate: Some(Digest::of(&format!("candidate of {suite}"))),
        exit: 1,
        approved_exit: 0,
    };
    let head = "5f2b9c0e41d7a8836a1b0c9d2e3f405162738495".to_owned();
    Covered {
        repository: 4_800_211,
        pull_request: 57,
        base: "main".to_owned(),
        head,
        pairs: vec![pair("docs")],
    }
}

fn approved() -> Reply {
    let pair = ReplyPair {
        suite: "docs".to_owned(),
        retriever: "bm25".to_owned(),
        before: Some("hit@3 41/44 (93.2 %)".to_owned()),
        after: Some("hit@3 40/44 (90.9 %)".to_owned()),
        note: String::new(),
    };
    Reply::Approved {
        by: "ada".to_owned(),
        own: false,
        reason: Some("the page on restoring was split in two".to_owned()),
        pairs: vec![pair],
        rest: Vec::new(),
        commit: Some("c41d9e7".to_owned()),
        app: false,
        record: false,
    }
}

fn refused(refusal: &Refusal) -> Reply {
    let token = match refusal {
        Refusal::Stale(Some(token)) => Some(token.to_string()),
        _ => None,
    };
    Reply::Refused { to: "ada".to_owned(), what: refusal.to_string(), hint: refusal.hint().to_owned(), token }
}

fn quoted(answer: &Reply) -> String {
    let text = reply(answer).unwrap();
    // One empty line is as good as several.
    let mut lines: Vec<&str> = text.trim_end().lines().collect();
    lines.dedup_by(|a, b| a.is_empty() && b.is_empty());
    lines.iter().map(|line| format!("> {line}").trim_end().to_owned() + "\n").collect()
}

/// Every refusal that says something of the comment, by its own words.
fn refusals() -> String {
    let all = [
        Refusal::NotAllowed,
        Refusal::OwnPull,
        Refusal::Edited,
        Refusal::Stale(None),
        Refusal::Nothing,
        Refusal::UnknownSuite,
        Refusal::CandidatesMissing,
        Refusal::CandidatesDamaged,
        Refusal::NotOpen,
        Refusal::FileMode,
        Refusal::Malformed("there is no command `aprove`".to_owned()),
    ];
    for refusal in &all {
        // A new refusal belongs into the list above.
        match refusal {
            Refusal::EditsUnknown
            | Refusal::RulesUnknown
            | Refusal::PermissionUnknown
            | Refusal::PullUnknown
            | Refusal::NowUnknown => unreachable!("doubt is told in the text"),
            Refusal::NotAllowed
            | Refusal::OwnPull
            | Refusal::Edited
            | Refusal::Stale(_)
            | Refusal::Nothing
            | Refusal::UnknownSuite
            | Refusal::CandidatesMissing
            | Refusal::CandidatesDamaged
            | Refusal::NotOpen
            | Refusal::FileMode
            | Refusal::Malformed(_) => {}
        }
    }
    let row = |refusal: &Refusal| format!("| {refusal} | {} |\n", refusal.hint());
    format!("| the answer | what to do |\n| --- | --- |\n{}", all.iter().map(row).collect::<String>())
}

/// What a baseline says of its approval.
fn record() -> String {
    let covered = covered();
    let github = Record { comment: 2_911_305_114, author: 583_231, token: covered.token(), covered };
    let approval = Approval {
        approved_at: "2026-11-30T09:12:44Z".parse().unwrap(),
        approved_by: "ada".to_owned(),
        reason: Some("the page on restoring was split in two".to_owned()),
        result_hash: Digest::of(&"result"),
        index_hash: Digest::of(&"index"),
        github: Some(github),
    };
    format!("```json\n{}\n```", serde_json::to_string_pretty(&approval).unwrap())
}
