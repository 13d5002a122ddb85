//! The verdict, rule by rule: each known way in which such gates lie is a test here.

use jiff::civil::{Date, date};
use rankhold::artifact::{
    Baseline, Candidate, CorpusIdentity, CorpusRules, Measurement, RetrieverIdentity, SuiteIdentity,
    SuiteResult,
};
use rankhold::canon::Digest;
use rankhold::exit::Exit;
use rankhold::gate::{
    Decimal, Gated, Judgement, Link, Notice, Policy, Reason, SegmentRule, Unjudgeable, Verdict, judge,
};
use rankhold::name::Name;
use rankhold::ranking::{Answer, ErrorClass, Hit, Ranking, Unit};
use rankhold::suite::{Case, CaseId, MatchMode, Qrels, Quarantine};
use serde_json::json;

const TODAY: Date = date(2026, 11, 30);

/// A measured suite, written down in a few words: `case("a", "x")` asks for `x`, `.at(2)` finds it at rank 2.
#[derive(Clone)]
struct Measure {
    measurement: Measurement,
    cases: Vec<(Case, Answer)>,
}

fn answer(target: &str, rank: Option<usize>) -> Answer {
    let mut names: Vec<String> = (1..=6).map(|at| format!("other/{at}")).collect();
    if let Some(rank) = rank {
        names.insert(rank - 1, target.to_owned());
    }
    let hits = (0..).zip(&names).map(|(tie, name)| Hit {
        id: Name::new(name),
        path: Some(Name::new(name)),
        tie,
        unknown: false,
        kind: "file".into(),
        summary: None,
    });
    Answer::Completed(Ranking::from_hits(hits.collect()))
}

impl Measure {
    fn new() -> Self {
        let measurement = Measurement {
            suite: SuiteIdentity {
                name: "docs".into(),
                document_name: "Docs".into(),
                content_hash: Digest::of_bytes(b"suite"),
                case_count: 0,
            },
            match_mode: MatchMode::All,
            corpus: CorpusIdentity {
                content_hash: Digest::of_bytes(b"corpus"),
                file_count: 10,
                rules: CorpusRules {
                    include: vec!["**".into()],
                    exclude: vec![],
                    max_file_bytes: 1 << 20,
                    entities: None,
                },
            },
            retriever: RetrieverIdentity {
                name: "bm25".into(),
                kind: "bm25".into(),
                version: "1".into(),
                model: None,
                unit: Unit::File,
                config_hash: Digest::of_bytes(b"config"),
            },
            fetch: 50,
            limit: 20,
            definitions: 1,
        };
        Self { measurement, cases: Vec::new() }
    }

    /// `found` cases at rank 1, then `missed` ones.
    fn with(found: usize, missed: usize) -> Self {
        let all = (0..found + missed).map(|at| (format!("c{at}"), (at < found).then_some(1)));
        all.fold(Self::new(), |measure, (id, rank)| measure.case(&id, rank))
    }

    fn case(self, id: &str, rank: Option<usize>) -> Self {
        self.case_in(id, "en", rank)
    }

    fn case_in(mut self, id: &str, lang: &str, rank: Option<usize>) -> Self {
        let target = format!("target/{id}");
        let case = Case {
            id: CaseId::from(id),
            input: format!("query {id}"),
            expected: None,
            qrels: Qrels::expecting(&[&target]).unwrap(),
            critical: false,
            quarantined: None,
            metadata: [("lang".to_owned(), json!(lang))].into_iter().collect(),
            extra: serde_json::Map::new(),
        };
        self.cases.push((case, answer(&target, rank)));
        self.measurement.suite.case_count += 1;
        self
    }

    fn change(mut self, id: &str, change: impl FnOnce(&mut (Case, Answer))) -> Self {
        change(self.cases.iter_mut().find(|(case, _)| case.id.0 == id).unwrap());
        self
    }

    fn rank(self, id: &str, rank: Option<usize>) -> Self {
        self.change(id, |(case, reply)| *reply = answer(case.qrels.targets()[0].as_str(), rank))
    }

    fn suite_hash(mut self, text: &str) -> Self {
        self.measurement.suite.content_hash = Digest::of_bytes(text.as_bytes());
        self
    }

    fn result(&self) -> SuiteResult {
        SuiteResult::new(self.measurement.clone(), &["lang".to_owned()], &self.cases)
    }

    fn baseline(&self) -> Baseline {
        let text =
            Candidate::of(&self.result()).approve("Ada", &"2026-11-01T00:00:00Z".parse().unwrap(), None);
        Baseline::read(text.as_bytes()).unwrap()
    }
}

fn tolerance(text: &str) -> Policy {
    Policy { tolerance: text.parse().unwrap(), ..Policy::default() }
}

fn judged(after: &Measure, before: &Measure, policy: &Policy) -> Judgement {
    judge(&after.result(), Some(&before.baseline()), policy, TODAY).unwrap()
}

fn refused(after: &Measure, before: Option<&Measure>, policy: &Policy) -> Unjudgeable {
    judge(&after.result(), before.map(Measure::baseline).as_ref(), policy, TODAY).unwrap_err()
}

#[test]
fn nothing_lost_passes() {
    let before = Measure::with(8, 2);
    let judgement = judged(&before, &before, &Policy::default());
    assert_eq!((judgement.verdict, judgement.exit), (Verdict::Pass, Exit::Pass));
    assert_eq!(judgement.reasons, [Reason::Holds { lost: 0, won: 0 }]);
}

#[test]
fn one_loss_regresses_without_tolerance_and_passes_within_it() {
    let before = Measure::with(10, 0);
    let after = before.clone().rank("c3", Some(4));
    assert_eq!(judged(&after, &before, &Policy::default()).verdict, Verdict::Regressed);
    assert_eq!(judged(&after, &before, &tolerance("0.09")).verdict, Verdict::Regressed);
    assert_eq!(judged(&after, &before, &tolerance("0.1")).verdict, Verdict::Pass);
}

#[test]
fn a_win_makes_up_for_a_loss_but_not_against_max_lost() {
    let before = Measure::with(5, 5);
    let after = before.clone().rank("c0", None).rank("c9", Some(3));
    assert_eq!(judged(&after, &before, &Policy::default()).verdict, Verdict::Pass);
    let strict = Policy { max_lost: Some(0), ..Policy::default() };
    let judgement = judged(&after, &before, &strict);
    assert_eq!(judgement.verdict, Verdict::Regressed);
    assert_eq!(judgement.reasons, [Reason::LostGross { what: "hit@3".into(), lost: 1, allowed: 0 }]);
}

#[test]
fn only_the_gated_figures_block() {
    let before = Measure::with(10, 0);
    let after = before.clone().rank("c0", Some(3)); // hit@1 and MRR fall, hit@3 does not
    let judgement = judged(&after, &before, &Policy::default());
    assert_eq!(judgement.verdict, Verdict::Pass);
    let mrr = judgement.comparison.unwrap();
    assert_eq!(mrr.delta("meanReciprocalRank").unwrap().trend, rankhold::gate::Trend::Worse);
    let strict = Policy { metrics: vec![Gated::named("hit@1").unwrap()], ..Policy::default() };
    assert_eq!(judged(&after, &before, &strict).verdict, Verdict::Regressed);
}

#[test]
fn a_failed_query_counts_as_missed_and_past_max_failed_there_is_no_verdict() {
    let before = Measure::with(10, 0);
    let after = before.clone().change("c0", |(_, answer)| *answer = Answer::Failed(ErrorClass::Timeout));
    assert!(matches!(refused(&after, Some(&before), &Policy::default()), Unjudgeable::NotMeasured(_)));
    let lenient = Policy { max_failed: 1, ..Policy::default() };
    let judgement = judged(&after, &before, &lenient);
    assert_eq!(judgement.verdict, Verdict::Regressed);
    assert!(judgement.notices.contains(&Notice::Failed(vec![CaseId::from("c0")])));
}

#[test]
fn an_empty_index_is_not_measured_instead_of_scoring_zero() {
    let empty = Measure::with(3, 0);
    let empty = ["c0", "c1", "c2"].iter().fold(empty, |measure, id| {
        measure.change(id, |(_, answer)| *answer = Answer::Completed(Ranking::default()))
    });
    for before in [None, Some(&Measure::with(3, 0))] {
        let problem = refused(&empty, before, &Policy::default()).to_string();
        assert!(problem.contains("not a single hit") || problem.contains("got a single hit"), "{problem}");
    }
    let mut hollow = Measure::with(3, 0);
    hollow.measurement.corpus.file_count = 0;
    assert!(refused(&hollow, None, &Policy::default()).to_string().contains("corpus is empty"));
}

#[test]
fn a_gate_that_cannot_fail_is_refused() {
    let before = Measure::with(2, 8);
    assert!(matches!(refused(&before, Some(&before), &tolerance("0.2")), Unjudgeable::CannotFail(_)));
    assert!(judge(&before.result(), Some(&before.baseline()), &tolerance("0.1"), TODAY).is_ok());
    let unscored = Measure::new();
    assert!(refused(&unscored, None, &Policy::default()).to_string().contains("no scored case"));
    let hit_nothing = Measure::with(0, 4);
    assert!(matches!(
        refused(&hit_nothing, Some(&hit_nothing), &Policy::default()),
        Unjudgeable::CannotFail(_)
    ));
    let rule = SegmentRule { key: "lang".into(), value: "pt".into(), tolerance: Decimal::default() };
    let policy = Policy { segments: vec![rule], ..Policy::default() };
    assert!(refused(&before, Some(&before), &policy).to_string().contains("lang = pt"));
}

#[test]
fn a_first_run_is_neutral_unless_a_baseline_is_required() {
    let after = Measure::with(3, 1).result();
    let judgement = judge(&after, None, &Policy::default(), TODAY).unwrap();
    assert_eq!((judgement.verdict, judgement.exit), (Verdict::NoBaseline, Exit::Pass));
    let strict = Policy { require_baseline: true, ..Policy::default() };
    assert_eq!(judge(&after, None, &strict, TODAY).unwrap().exit, Exit::Held);
}

#[test]
fn floors_and_critical_cases_hold_even_without_a_baseline_and_no_approval_lifts_them() {
    let after = Measure::with(3, 1).change("c3", |(case, _)| case.critical = true);
    let judgement = judge(&after.result(), None, &Policy::default(), TODAY).unwrap();
    assert_eq!(judgement.reasons, [Reason::Critical(CaseId::from("c3"))]);
    assert_eq!(judged(&after, &after, &Policy::default()).verdict, Verdict::Regressed);

    let floor = |text: &str| Policy {
        floors: [("hitAt3".to_owned(), text.parse().unwrap())].into(),
        ..Policy::default()
    };
    let after = Measure::with(3, 1);
    assert_eq!(judged(&after, &after, &floor("0.75")).verdict, Verdict::Pass);
    assert_eq!(judged(&after, &after, &floor("0.76")).verdict, Verdict::Regressed);
}

#[test]
fn another_way_of_measuring_is_not_comparable() {
    let before = Measure::with(3, 1);
    let changes: [fn(&mut Measurement); 5] = [
        |it| it.retriever.name = "other".into(),
        |it| it.retriever.kind = "command".into(),
        |it| it.fetch = 51,
        |it| it.limit = 10,
        |it| it.definitions = 2,
    ];
    for change in changes {
        let mut after = before.clone();
        change(&mut after.measurement);
        let judgement = judged(&after, &before, &Policy::default());
        assert_eq!(
            (judgement.verdict, judgement.exit),
            (Verdict::NotComparable, Exit::Held),
            "{:?}",
            judgement.reasons
        );
    }
}

#[test]
fn a_moved_version_model_or_configuration_is_what_the_gate_judges() {
    let before = Measure::with(3, 1);
    let mut after = before.clone();
    after.measurement.retriever.version = "2".into();
    after.measurement.retriever.model = Some("m@abc".into());
    after.measurement.corpus.content_hash = Digest::of_bytes(b"other files");
    let judgement = judged(&after, &before, &Policy::default());
    assert_eq!(judgement.verdict, Verdict::Pass);
    assert_eq!(judgement.notices.iter().filter(|it| matches!(it, Notice::RetrieverMoved { .. })).count(), 2);
}

#[test]
fn an_edited_suite_fails_closed_and_the_unchanged_cases_are_still_compared() {
    let before = Measure::with(4, 0);
    let after = before.clone().rank("c0", None).change("c1", |(case, _)| case.input.push('!'));
    let after = after.case("new", Some(1)).suite_hash("edited");
    let judgement = judged(&after, &before, &Policy::default());
    assert_eq!((judgement.verdict, judgement.exit), (Verdict::SuiteChanged, Exit::Held));
    let edited = Reason::SuiteEdited { edited: 1, added: 1, removed: 0 };
    let lost_too = Reason::LostToo { cases: 1, what: "hit@3", before: 3, after: 2, of: 3 };
    let net = Reason::LostNet { what: "hit@3".into(), lost: 1, won: 0, of: 3, allowed: 0 };
    assert_eq!(judgement.reasons, [edited.clone(), lost_too, net]);
    assert_eq!(judged(&after, &before, &tolerance("0.34")).reasons, [edited], "what is allowed is no reason");
    let comparison = judgement.comparison.unwrap();
    let lost: Vec<_> =
        comparison.changed(rankhold::gate::Change::Lost).map(|pair| pair.id().0.as_str()).collect();
    assert_eq!(lost, ["c0"]);
    assert_eq!(comparison.delta("hitAt3").unwrap().after.unwrap().of, 3);
}

#[test]
fn a_removed_failing_case_does_not_turn_a_suite_green() {
    let before = Measure::with(4, 0);
    let mut after = before.clone().suite_hash("shorter");
    after.cases.remove(0);
    after.measurement.suite.case_count -= 1;
    let judgement = judged(&after, &before, &Policy::default());
    assert_eq!(judgement.verdict, Verdict::SuiteChanged);
    assert_eq!(judgement.reasons, [Reason::SuiteEdited { edited: 0, added: 0, removed: 1 }]);
}

#[test]
fn corpus_rules_and_match_mode_are_part_of_the_question() {
    let before = Measure::with(3, 1);
    let changes: [fn(&mut Measurement); 4] = [
        |it| it.corpus.rules.exclude.push("src/**".into()),
        |it| it.corpus.rules.include = vec!["docs/**".into()],
        |it| it.corpus.rules.max_file_bytes = 10,
        |it| it.match_mode = MatchMode::Any,
    ];
    for change in changes {
        let mut after = before.clone();
        change(&mut after.measurement);
        assert_eq!(judged(&after, &before, &Policy::default()).verdict, Verdict::SuiteChanged);
    }
}

#[test]
fn a_renamed_case_is_the_same_case_and_a_renamed_twin_is_not_guessed() {
    let before = Measure::with(3, 0);
    let renamed =
        before.clone().change("c1", |(case, _)| case.id = CaseId::from("better-name")).suite_hash("renamed");
    let judgement = judged(&renamed.rank("better-name", None), &before, &Policy::default());
    let comparison = judgement.comparison.unwrap();
    assert_eq!(comparison.linked(Link::Renamed).count(), 1);
    assert_eq!(comparison.changed(rankhold::gate::Change::Lost).count(), 1);

    let twin = |id: &str| (before.clone().case(id, Some(1)), id.to_owned());
    let (twins, _) = twin("c9");
    let twins = twins.change("c9", |(case, _)| {
        case.input = "query c1".into();
        case.qrels = Qrels::expecting(&["target/c1"]).unwrap();
    });
    let moved = twins
        .clone()
        .change("c1", |(case, _)| case.id = CaseId::from("x"))
        .change("c9", |(case, _)| case.id = CaseId::from("y"))
        .suite_hash("twins");
    let comparison = judged(&moved, &twins, &Policy::default()).comparison.unwrap();
    assert_eq!(comparison.linked(Link::Renamed).count(), 0);
    assert_eq!((comparison.linked(Link::Added).count(), comparison.linked(Link::Removed).count()), (2, 2));
}

#[test]
fn a_baseline_of_another_suite_is_a_usage_error() {
    let before = Measure::with(3, 1);
    let mut after = before.clone();
    after.measurement.suite.document_name = "Other".into();
    assert!(matches!(refused(&after, Some(&before), &Policy::default()), Unjudgeable::OtherSuite { .. }));
}

#[test]
fn a_quarantined_case_is_left_out_on_both_sides_up_to_its_last_day() {
    let quarantine = Quarantine { reason: "flaky".into(), until: TODAY };
    let before = Measure::with(3, 0).change("c0", |(case, _)| case.quarantined = Some(quarantine));
    let after = before.clone().rank("c0", None);
    let on = |day: Date| judge(&after.result(), Some(&before.baseline()), &Policy::default(), day).unwrap();
    let held = on(TODAY);
    assert_eq!(held.verdict, Verdict::Pass);
    assert_eq!(held.figures.get("hitAt3").unwrap().of, 2);
    assert!(held.notices.iter().any(|notice| matches!(notice, Notice::SetAside(cases) if cases.len() == 1)));
    assert_eq!(on(TODAY.tomorrow().unwrap()).verdict, Verdict::Regressed);
}

#[test]
fn a_segment_with_a_rule_of_its_own_blocks_where_the_whole_would_not() {
    let before = (0..20).fold(Measure::new(), |it, at| it.case_in(&format!("e{at}"), "en", Some(1)));
    let before = (0..4).fold(before, |it, at| it.case_in(&format!("p{at}"), "pt", Some(1)));
    let after = before.clone().rank("p0", None);
    let rule = SegmentRule { key: "lang".into(), value: "pt".into(), tolerance: "0.1".parse().unwrap() };
    let policy = Policy { segments: vec![rule], ..tolerance("0.05") };
    let judgement = judged(&after, &before, &policy);
    assert_eq!(judgement.verdict, Verdict::Regressed);
    let expected = Reason::LostNet { what: "hit@3 for lang = pt".into(), lost: 1, won: 0, of: 4, allowed: 0 };
    assert_eq!(judgement.reasons, [expected]);
    assert_eq!(judged(&after, &before, &tolerance("0.05")).verdict, Verdict::Pass);
}

#[test]
fn a_segment_rule_that_allows_every_loss_is_refused_like_the_gate() {
    let before = (0..20).fold(Measure::new(), |it, at| it.case_in(&format!("e{at}"), "en", Some(1)));
    let before = (0..4).fold(before, |it, at| it.case_in(&format!("p{at}"), "pt", (at < 2).then_some(1)));
    let with = |tolerance: &str, metrics: &[&str]| {
        let rule =
            SegmentRule { key: "lang".into(), value: "pt".into(), tolerance: tolerance.parse().unwrap() };
        let metrics = metrics.iter().map(|name| Gated::named(name).unwrap()).collect();
        Policy { segments: vec![rule], metrics, ..Policy::default() }
    };
    for tolerance in ["1", "0.5"] {
        let refused = refused(&before, Some(&before), &with(tolerance, &["hit@3"])).to_string();
        assert!(refused.contains("with lang = pt the baseline has 2 hits"), "{refused}");
    }
    assert_eq!(judged(&before, &before, &with("0.25", &["hit@3"])).verdict, Verdict::Pass);
    let third = before.clone().rank("p2", Some(3)).rank("p3", Some(3));
    assert_eq!(judged(&third, &third, &with("0.5", &["hit@1", "hit@3"])).verdict, Verdict::Pass);
    // What is said of another suite is that it is another one.
    let other = before.clone().suite_hash("edited");
    assert_eq!(judged(&other, &before, &with("1", &["hit@3"])).verdict, Verdict::SuiteChanged);
}

#[test]
fn a_better_result_says_how_much_could_be_lost_unseen() {
    let before = Measure::with(2, 3);
    let after = before.clone().rank("c3", Some(1)).rank("c4", Some(2));
    let judgement = judged(&after, &before, &Policy::default());
    assert_eq!(judgement.verdict, Verdict::Pass);
    assert!(judgement.notices.contains(&Notice::Headroom { cases: 2 }));
}

#[test]
fn a_tie_across_the_cutoff_is_said() {
    let before = Measure::with(3, 0);
    let after = before.clone().change("c0", |(_, answer)| {
        let mut hits = answer.hits().to_vec();
        for hit in &mut hits {
            hit.tie = 0;
        }
        *answer = Answer::Completed(Ranking::from_hits(hits));
    });
    let judgement = judged(&after, &before, &Policy::default());
    assert!(judgement.notices.contains(&Notice::TieAtCutoff(vec![CaseId::from("c0")])));
}

#[test]
fn the_seed_s_version_1_baseline_verifies_and_is_compared_by_its_counts() {
    let bytes = include_bytes!("../data/seed/retrieval-baseline-v1.json");
    let baseline = Baseline::read(bytes).unwrap();
    let suite = include_bytes!("../data/seed/retrieval-suite-v1.json");
    let suite = rankhold::suite::open_eval::parse(suite).unwrap().suite;
    assert_eq!(baseline.suite_hash, suite.hash);
    assert_eq!(baseline.metrics.get("hitAt3").unwrap().count, Some(14));

    let mut after = Measure::new();
    after.measurement.suite.document_name = suite.name.clone();
    after.measurement.suite.content_hash = suite.hash.clone();
    after.measurement.suite.case_count = 60;
    let run = |found: usize| {
        let cases = suite.cases.iter().enumerate().map(|(at, case)| {
            let target = case.qrels.targets()[0].as_str();
            (case.clone(), answer(target, (at < found).then_some(1)))
        });
        let measure = Measure { cases: cases.collect(), ..after.clone() };
        judge(&measure.result(), Some(&baseline), &Policy::default(), TODAY).unwrap()
    };
    assert_eq!(run(14).verdict, Verdict::Pass);
    assert_eq!(run(13).verdict, Verdict::Regressed);
    assert!(run(14).notices.contains(&Notice::OldFormat));
}

#[test]
fn a_gate_on_a_figure_that_the_baseline_does_not_know_is_not_comparable() {
    let baseline = Baseline::read(include_bytes!("../data/seed/retrieval-baseline-v1.json")).unwrap();
    let mut after = Measure::with(0, 60);
    after.measurement.suite.document_name.clone_from(&baseline.document_name);
    after.measurement.suite.content_hash = baseline.suite_hash.clone();
    let after = after.case("found", Some(1)).result();
    let on = |name: &str, max_lost| Policy {
        metrics: vec![Gated::named(name).unwrap()],
        max_lost,
        ..Policy::default()
    };
    for policy in [on("hit@5", None), on("hit@10", Some(0))] {
        let judgement = judge(&after, Some(&baseline), &policy, TODAY).unwrap();
        assert_eq!(judgement.verdict, Verdict::NotComparable);
        assert!(judgement.reasons.contains(&Reason::NeedsFigure(policy.metrics[0].name)));
    }
    // Nor are counts over another number of cases.
    let judgement = judge(&after, Some(&baseline), &Policy::default(), TODAY).unwrap();
    assert_eq!(judgement.verdict, Verdict::NotComparable);
    assert!(
        matches!(&judgement.reasons[..], [Reason::Differs { before, after, .. }] if before == "60" && after == "61")
    );
}

#[test]
fn two_files_that_name_one_suite_hold_the_same_cases() {
    let before = Measure::with(3, 1);
    let aside = Quarantine { reason: "flaky".into(), until: date(2026, 12, 31) };
    let without_the_lost = Measure { cases: before.cases[1..].to_vec(), ..before.clone() };
    let forged = [
        ("edited", before.clone().change("c0", |(case, _)| case.input = "another query".into())),
        ("quarantined", before.clone().change("c0", |(case, _)| case.quarantined = Some(aside.clone()))),
        ("renamed", before.clone().change("c0", |(case, _)| case.id = CaseId::from("other"))),
        (
            "removed",
            Measure {
                measurement: Measurement {
                    suite: SuiteIdentity { case_count: 3, ..before.measurement.suite.clone() },
                    ..before.measurement.clone()
                },
                ..without_the_lost
            },
        ),
        ("added", before.clone().case("new", Some(1))),
    ];
    for (what, other) in forged {
        for (after, before) in [(&other, &before), (&before, &other)] {
            let refused = refused(after, Some(before), &Policy::default());
            assert!(matches!(refused, Unjudgeable::NotThatSuite { .. }), "{what}: {refused}");
        }
    }
}

#[test]
fn hits_that_are_set_aside_cannot_be_lost() {
    let aside = Quarantine { reason: "flaky".into(), until: date(2026, 12, 31) };
    let with_aside = |measure: Measure| {
        let all = (0..8).map(|at| format!("c{at}"));
        all.fold(measure, |measure, id| {
            measure.change(&id, |(case, _)| case.quarantined = Some(aside.clone()))
        })
    };
    // 28 cases, 8 of the 10 found ones set aside: a tolerance of 0.1 lets 2 of 20 be lost, which is all there is.
    let refused = refused(
        &with_aside(Measure::with(8, 20)),
        Some(&with_aside(Measure::with(10, 18))),
        &tolerance("0.1"),
    );
    assert!(matches!(refused, Unjudgeable::CannotFail(_)), "{refused}");
}

#[test]
fn an_edited_version_1_baseline_is_refused() {
    let text = include_str!("../data/seed/retrieval-baseline-v1.json").replace("0.233333", "0.133333");
    let problem = Baseline::read(text.as_bytes()).unwrap_err().to_string();
    assert!(problem.contains("changed by hand"), "{problem}");
}

#[test]
fn a_baseline_whose_figures_and_cases_disagree_is_refused_even_with_a_right_hash() {
    let text = Candidate::of(&Measure::with(3, 1).result()).approve(
        "Ada",
        &"2026-11-01T00:00:00Z".parse().unwrap(),
        None,
    );
    let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
    document["metrics"]["hitAt3"] = json!({"count": 2, "of": 4, "value": 0.5});
    document.as_object_mut().unwrap().remove("contentHash");
    document["contentHash"] = json!(Digest::of_json(&document));
    let problem = Baseline::read(document.to_string().as_bytes()).unwrap_err().to_string();
    assert!(problem.contains("/metrics/hitAt3"), "{problem}");
}
