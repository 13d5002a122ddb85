//! Measured pairs in every situation a report can meet.

use jiff::civil::{Date, date};
use rankhold::artifact::{
    Baseline, Candidate, CorpusIdentity, CorpusRules, Measurement, RetrieverIdentity, SuiteIdentity,
    SuiteResult,
};
use rankhold::canon::Digest;
use rankhold::gate::{Judgement, Policy, judge};
use rankhold::name::Name;
use rankhold::ranking::{Answer, ErrorClass, Hit, Ranking, Unit};
use rankhold::report::{Commands, Format, Options, Outcome, PairReport, Power, Report};
use rankhold::suite::{Case, CaseId, MatchMode, Qrels, Quarantine};
use serde_json::{Map, json};

/// The day of every test.
pub(crate) const TODAY: Date = date(2026, 11, 30);

/// A case with one target and what came for it: the target's rank among fillers, or none.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) case: Case,
    pub(crate) answer: Answer,
}

impl Asked {
    /// `q01` wants `docs/q01.md` and gets it at that rank of six hits; 0 is nowhere.
    pub(crate) fn at(number: usize, rank: usize) -> Self {
        let lang = if number.is_multiple_of(3) { "pt" } else { "en" };
        Self::new(&format!("q{number:02}"), &format!("how is step {number} of the gate decided"), lang, rank)
    }

    pub(crate) fn new(id: &str, query: &str, lang: &str, rank: usize) -> Self {
        let target = format!("docs/{}.md", id.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        let labels =
            (1..=6).map(|at| if at == rank { target.clone() } else { format!("docs/guide/chapter-{at}.md") });
        Self { case: case(id, query, lang, &[&target]), answer: hits(labels.collect()) }
    }

    pub(crate) fn failed(mut self) -> Self {
        self.answer = Answer::Failed(ErrorClass::Timeout);
        self
    }

    pub(crate) fn critical(mut self) -> Self {
        self.case.critical = true;
        self
    }

    pub(crate) fn quarantined(mut self) -> Self {
        self.case.quarantined =
            Some(Quarantine { reason: "the page moves".into(), until: date(2026, 12, 24) });
        self
    }

    pub(crate) fn renamed(mut self, id: &str) -> Self {
        self.case.id = CaseId::from(id);
        self
    }

    pub(crate) fn asking(mut self, query: &str) -> Self {
        query.clone_into(&mut self.case.input);
        self
    }

    /// All six hits share one score.
    pub(crate) fn tied(mut self) -> Self {
        let Answer::Completed(ranking) = &self.answer else { return self };
        let hits = ranking.hits().iter().cloned().map(|hit| Hit { tie: 0, ..hit });
        self.answer = Answer::Completed(Ranking::from_hits(hits.collect()));
        self
    }
}

pub(crate) fn case(id: &str, query: &str, lang: &str, targets: &[&str]) -> Case {
    Case {
        id: CaseId::from(id),
        input: query.into(),
        expected: None,
        qrels: Qrels::expecting(targets).expect("valid targets"),
        critical: false,
        quarantined: None,
        metadata: [("lang".to_owned(), json!(lang))].into_iter().collect(),
        extra: Map::new(),
    }
}

pub(crate) fn hits(labels: Vec<String>) -> Answer {
    let hit = |(tie, label): (u32, String)| Hit {
        id: Name::new(&label),
        path: Some(Name::new(&label)),
        tie,
        unknown: false,
        kind: "file".into(),
        summary: None,
    };
    Answer::Completed(Ranking::from_hits((0..).zip(labels).map(hit).collect()))
}

/// The first `found` of `of` cases at ranks 1, 2, 3, 1 …, the rest at 5.
pub(crate) fn suite(found: usize, of: usize) -> Vec<Asked> {
    (1..=of).map(|number| Asked::at(number, if number <= found { (number - 1) % 3 + 1 } else { 5 })).collect()
}

pub(crate) fn measurement(suite: &str, retriever: &str, cases: &[Asked]) -> Measurement {
    let questions: Vec<_> = cases.iter().map(|asked| (&asked.case.id, &asked.case.input)).collect();
    Measurement {
        suite: SuiteIdentity {
            name: suite.into(),
            document_name: format!("The {suite} suite"),
            content_hash: Digest::of(&questions),
            case_count: cases.len() as u64,
        },
        match_mode: MatchMode::All,
        corpus: CorpusIdentity {
            content_hash: Digest::of_bytes(b"corpus"),
            file_count: 412,
            rules: CorpusRules {
                include: vec!["**".into()],
                exclude: vec![],
                max_file_bytes: 1 << 20,
                entities: None,
            },
        },
        retriever: RetrieverIdentity {
            name: retriever.into(),
            kind: retriever.into(),
            version: "1".into(),
            model: None,
            unit: Unit::File,
            config_hash: Digest::of_bytes(b"config"),
        },
        fetch: 50,
        limit: 20,
        definitions: 1,
    }
}

pub(crate) fn result_of(measurement: Measurement, cases: &[Asked]) -> SuiteResult {
    let answers: Vec<_> = cases.iter().map(|asked| (asked.case.clone(), asked.answer.clone())).collect();
    SuiteResult::new(measurement, &["lang".to_owned()], &answers)
}

pub(crate) fn result(suite: &str, retriever: &str, cases: &[Asked]) -> SuiteResult {
    result_of(measurement(suite, retriever, cases), cases)
}

pub(crate) fn approved(result: &SuiteResult) -> Baseline {
    let text = Candidate::of(result).approve(
        "ada",
        &"2026-11-01T09:30:00Z".parse().unwrap(),
        Some("first figures worth keeping"),
    );
    Baseline::read(text.as_bytes()).expect("a candidate makes a baseline")
}

/// A judged pair with everything it borrows from.
pub(crate) struct Scene {
    pub(crate) suite: String,
    pub(crate) retriever: String,
    pub(crate) result: SuiteResult,
    pub(crate) baseline: Option<Baseline>,
    pub(crate) judgement: Judgement,
    pub(crate) power: Option<Power>,
}

impl Scene {
    pub(crate) fn new(result: SuiteResult, baseline: Option<Baseline>, policy: &Policy) -> Self {
        let judgement = judge(&result, baseline.as_ref(), policy, TODAY).expect("it can be judged");
        Self {
            suite: result.measurement.suite.name.clone(),
            retriever: result.measurement.retriever.name.clone(),
            result,
            baseline,
            judgement,
            power: None,
        }
    }

    /// `docs × bm25` with these answers before and now.
    pub(crate) fn between(before: &[Asked], after: &[Asked], policy: &Policy) -> Self {
        let baseline = approved(&result("docs", "bm25", before));
        Self::new(result("docs", "bm25", after), Some(baseline), policy)
    }

    pub(crate) fn pair(&self) -> PairReport<'_> {
        PairReport {
            suite: &self.suite,
            retriever: &self.retriever,
            commands: Commands::of_only(&self.suite, &self.retriever),
            outcome: Outcome::Judged {
                result: &self.result,
                baseline: self.baseline.as_ref(),
                judgement: &self.judgement,
                power: self.power,
            },
        }
    }
}

/// hit@3 falls from 51 to 47 of 60: five lost, one won, one failed, one tied at the cut-off, one quarantined.
pub(crate) fn regressed() -> Scene {
    let before = suite(51, 60);
    let mut after = before.clone();
    after[6] = Asked::at(7, 4);
    after[10] = Asked::at(11, 0);
    after[11] = Asked::at(12, 6);
    after[19] = Asked::at(20, 5);
    after[32] = Asked::at(33, 4);
    after[54] = Asked::at(55, 2);
    after[55] = Asked::at(56, 4);
    let policy = Policy { tolerance: "0.02".parse().expect("a decimal"), ..Policy::default() };
    let mut scene = Scene::between(&before, &after, &policy);
    scene.power = Some(Power { lost: 5, won: 1, of: 60, mid_p: 0.0625, detectable_drop: Some(0.09) });
    scene
}

/// The markdown of some pairs.
pub(crate) fn markdown(pairs: Vec<PairReport<'_>>, policy: &Policy, options: &Options) -> String {
    let format = Format::named("markdown").expect("it exists");
    format.render(&Report { policy, pairs, touched: None }, options).expect("it renders").to_string()
}
