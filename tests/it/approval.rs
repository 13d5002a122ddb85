//! Candidates on their way to a baseline: packed, read back, recorded, and refused if anything of it is another's.

use rankhold::approval::{Bundle, Place, places_of};
use rankhold::artifact::{Baseline, Candidate, Covered, CoveredPair, Record};

use crate::report_scenes::{result, suite};

fn candidate(name: &str, found: usize) -> Candidate {
    Candidate::of(&result(name, "bm25", &suite(found, 12)))
}

fn bundle() -> Bundle {
    let candidates = vec![candidate("code", 9), candidate("docs", 7)];
    let pair = |candidate: &Candidate| CoveredPair {
        suite: candidate.measurement().suite.name.clone(),
        retriever: "bm25".to_owned(),
        supersedes: None,
        candidate: Some(candidate.digest()),
        exit: 1,
        approved_exit: 0,
    };
    let mut pairs: Vec<_> = candidates.iter().map(pair).collect();
    pairs.push(CoveredPair {
        suite: "gone".to_owned(),
        supersedes: Some(candidates[0].digest()),
        candidate: None,
        ..pairs[0].clone()
    });
    Bundle {
        covered: Covered {
            repository: 1,
            pull_request: 2,
            base: "main".to_owned(),
            head: "a".repeat(40),
            pairs,
        },
        candidates,
    }
}

#[test]
fn a_bundle_comes_back_from_a_check_s_text() {
    let bundle = bundle();
    let text = format!("## Report\n\n```sh\nx\n```\n\n{}", bundle.block(60_000).unwrap());
    let [Place::Here(packed)] = &places_of(&text)[..] else { panic!("{text}") };
    assert_eq!(packed.parse::<Bundle>(), Ok(bundle.clone()));
    assert_eq!(places_of(text.trim_end()), [Place::Here(packed.clone())], "GitHub may trim");
    assert_eq!(bundle.block(100), None, "what has no room is uploaded");
    let text = format!("{text}\n\n{}", bundle.pointer(7));
    assert_eq!(places_of(&text)[1..], [Place::Uploaded { run: 7, token: bundle.covered.token() }]);
    for text in ["", "report", "```rankhold-candidates", "```rankhold-candidates-other\n1\n```"] {
        assert_eq!(places_of(text), [], "{text}");
    }
}

#[test]
fn a_bundle_in_which_anything_is_another_s_is_refused() {
    let honest = bundle();
    assert_eq!(Bundle::read(honest.to_json().as_bytes()), Ok(honest.clone()));
    let other = Bundle { candidates: vec![candidate("code", 8), candidate("docs", 7)], ..honest.clone() };
    let swapped = Bundle { candidates: vec![candidate("docs", 7), candidate("code", 9)], ..honest.clone() };
    let fewer = Bundle { candidates: vec![candidate("code", 9)], ..honest.clone() };
    let mut renamed = honest.clone();
    "other".clone_into(&mut renamed.covered.pairs[0].suite);
    let mut twice = honest.clone();
    twice.covered.pairs[2] = CoveredPair { candidate: None, ..twice.covered.pairs[1].clone() };
    for forged in [other, swapped, fewer, renamed, twice] {
        assert!(Bundle::read(forged.to_json().as_bytes()).is_err(), "{forged:?}");
    }
    for text in
        ["", "{}", "[]", "null", &honest.to_json()[1..], &honest.to_json().replace("-candidates", "-x")]
    {
        assert!(Bundle::read(text.as_bytes()).is_err());
    }
    for packed in ["", "!", "AAAA", "eJw="] {
        assert!(packed.parse::<Bundle>().is_err(), "{packed}");
    }
}

#[test]
fn a_record_must_be_about_the_figures_that_it_stands_beside() {
    let bundle = bundle();
    let record =
        Record { comment: 5, author: 6, token: bundle.covered.token(), covered: bundle.covered.clone() };
    let at = "2026-11-01T09:30:00Z".parse().unwrap();
    let text = |record: Record| candidate("docs", 7).approve_on_github("ada", &at, Some("meant"), record);
    let baseline = Baseline::read(text(record.clone()).as_bytes()).unwrap();
    assert_eq!(baseline.candidate, Some(candidate("docs", 7).digest()));
    assert_eq!(baseline.approval.github, Some(record.clone()));
    // Beside other figures, and with anything that the token covers changed.
    let beside = candidate("docs", 6).approve_on_github("ada", &at, None, record.clone());
    assert!(Baseline::read(beside.as_bytes()).is_err());
    let mut elsewhere = record.clone();
    elsewhere.covered.pull_request = 3;
    assert!(Baseline::read(text(elsewhere).as_bytes()).is_err());
    // On the command line nobody claims a comment.
    let local = Baseline::read(candidate("docs", 7).approve("ada", &at, None).as_bytes()).unwrap();
    assert_eq!((local.approval.github, local.candidate), (None, baseline.candidate));
}
