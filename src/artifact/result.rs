//! A result: one suite × retriever × corpus, comparable and recomputable.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::seal::{self, Kind, VERSION};
use super::{ArtifactProblem, CaseResult, Counts, Measurement};
use crate::canon::Digest;
use crate::metric::{CaseFigures, Figures, State};
use crate::name::Name;
use crate::ranking::Answer;
use crate::suite::{Case, CaseKind};

/// Figures by segment: `byLang` → `en` → figures.
pub type Segments = BTreeMap<String, BTreeMap<String, Figures>>;

/// The value of a segment for cases that have none.
const NO_VALUE: &str = "(none)";

/// The comparable outcome of one pair. No clock, no latency, no machine path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SuiteResult {
    /// What was measured with what.
    pub measurement: Measurement,
    /// The metadata keys that are reported apart.
    pub segment_keys: Vec<String>,
    /// How many cases of which sort.
    pub counts: Counts,
    /// Over all cases.
    pub metrics: Figures,
    /// By segment.
    pub segments: Segments,
    /// Per case, in the order of the suite.
    pub cases: Vec<CaseResult>,
}

impl SuiteResult {
    /// Judges answers, case by case, and sums up.
    pub fn new(measurement: Measurement, segment_keys: &[String], answers: &[(Case, Answer)]) -> Self {
        let mode = measurement.match_mode;
        let (cases, figures): (Vec<_>, Vec<_>) =
            answers.iter().map(|(case, answer)| CaseResult::judge(case, segment_keys, mode, answer)).unzip();
        Self {
            counts: counts(answers, &cases),
            metrics: Figures::over(&figures),
            segments: segments(segment_keys, &cases, &figures),
            segment_keys: segment_keys.to_vec(),
            measurement,
            cases,
        }
    }

    /// Notes which expected targets name nothing in the corpus.
    #[must_use]
    pub fn with_absent_targets(mut self, is_absent: impl Fn(&Name) -> bool) -> Self {
        for case in &mut self.cases {
            case.absent_targets = case.targets().iter().filter(|name| is_absent(name)).cloned().collect();
        }
        self
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        seal::seal_text(Kind::Result, self)
    }

    /// The content hash that the file carries.
    pub fn digest(&self) -> Digest {
        seal::seal(Kind::Result, self).1
    }

    /// Reads a file as hostile input: strict shape, verified hash, and every figure recomputed from the rankings.
    pub fn read(bytes: &[u8]) -> Result<Self, ArtifactProblem> {
        let result: Self = seal::open(Kind::Result, bytes, &[VERSION])?.read()?;
        result.recompute()?;
        Ok(result)
    }

    fn recompute(&self) -> Result<(), ArtifactProblem> {
        self.measurement.check(self.cases.len())?;
        let mut ids = HashSet::new();
        let mut answers = Vec::with_capacity(self.cases.len());
        for (at, case) in self.cases.iter().enumerate() {
            let shape = |message: String| ArtifactProblem::Shape { at: format!("cases[{at}]"), message };
            if !ids.insert(&case.id) {
                return Err(shape(format!("a second case has the id `{}`", case.id)));
            }
            if case.hit_count() as u64 > self.measurement.limit {
                return Err(shape(format!("more than {} hits", self.measurement.limit)));
            }
            answers.push((case.asked().map_err(|problem| shape(problem.to_string()))?, case.answer()));
        }
        let mut again = Self::new(self.measurement.clone(), &self.segment_keys, &answers);
        // Which targets were in the corpus only the corpus can say; that they are targets can be checked.
        for (stated, again) in self.cases.iter().zip(&mut again.cases) {
            let known = again.targets().iter().filter(|name| stated.absent_targets.contains(name));
            again.absent_targets = known.cloned().collect();
        }
        if *self == again {
            return Ok(());
        }
        let (stated, actual) = (json(self), json(&again));
        let at = first_difference(&stated, &actual).unwrap_or_default();
        let show = |value: &Value| value.pointer(&at).map_or_else(|| "nothing".to_owned(), brief);
        Err(ArtifactProblem::Contradiction { stated: show(&stated), actual: show(&actual), at })
    }

    /// Scored cases that got no failure and at least one hit: without any there is nothing to judge.
    pub fn is_answered(&self) -> bool {
        self.counts.answered > 0
    }
}

fn json(result: &SuiteResult) -> Value {
    serde_json::to_value(result).expect("our own types serialise")
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 80 { text.chars().take(79).chain(['…']).collect() } else { text }
}

/// JSON pointer of the first place, in sorted order, where two values differ.
fn first_difference(a: &Value, b: &Value) -> Option<String> {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => a.keys().chain(b.keys()).find_map(|key| {
            let escaped = key.replace('~', "~0").replace('/', "~1");
            match (a.get(key), b.get(key)) {
                (Some(a), Some(b)) => first_difference(a, b).map(|rest| format!("/{escaped}{rest}")),
                _ => Some(format!("/{escaped}")),
            }
        }),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(at, (a, b))| first_difference(a, b).map(|rest| format!("/{at}{rest}")))
        }
        _ => (a != b).then(String::new),
    }
}

fn counts(answers: &[(Case, Answer)], cases: &[CaseResult]) -> Counts {
    let kind = |kind: CaseKind| answers.iter().filter(|(case, _)| case.qrels.kind() == kind).count() as u64;
    let answered =
        |(case, answer): &&(Case, Answer)| case.qrels.kind() == CaseKind::Scored && !answer.hits().is_empty();
    Counts {
        cases: cases.len() as u64,
        scored: kind(CaseKind::Scored),
        negative: kind(CaseKind::Negative),
        unscored: kind(CaseKind::Unscored),
        answered: answers.iter().filter(answered).count() as u64,
        failed: cases.iter().filter(|case| case.state == State::Failed).count() as u64,
        quarantined: cases.iter().filter(|case| case.quarantined.is_some()).count() as u64,
        unknown_paths: cases.iter().map(CaseResult::unknown_paths).sum(),
    }
}

fn segments(keys: &[String], cases: &[CaseResult], figures: &[CaseFigures]) -> Segments {
    keys.iter()
        .map(|key| {
            let mut by_value: BTreeMap<String, Vec<&CaseFigures>> = BTreeMap::new();
            for (case, figures) in cases.iter().zip(figures) {
                let value = case.segments.get(key).map_or(NO_VALUE, String::as_str);
                by_value.entry(value.to_owned()).or_default().push(figures);
            }
            let figures = by_value.into_iter().map(|(value, cases)| (value, Figures::over(cases)));
            (segment_key(key), figures.collect())
        })
        .collect()
}

/// How a segment key is written in artifacts: `lang` → `byLang`.
pub fn segment_key(key: &str) -> String {
    let mut letters = key.chars();
    letters
        .next()
        .map_or_else(|| "by".to_owned(), |first| format!("by{}{}", first.to_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::{CorpusIdentity, CorpusRules, RetrieverIdentity, SuiteIdentity};
    use crate::ranking::{ErrorClass, Hit, Ranking, Unit};
    use crate::suite::{CaseId, MatchMode, Qrels};
    use serde_json::json;

    fn measurement() -> Measurement {
        Measurement {
            suite: SuiteIdentity {
                name: "docs".into(),
                document_name: "Docs".into(),
                content_hash: Digest::of_bytes(b"suite"),
                case_count: 3,
            },
            match_mode: MatchMode::All,
            corpus: CorpusIdentity {
                content_hash: Digest::of_bytes(b"corpus"),
                file_count: 2,
                rules: CorpusRules {
                    include: vec!["**".into()],
                    exclude: vec![],
                    max_file_bytes: 1,
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
        }
    }

    fn case(id: &str, lang: &str, targets: &[&str]) -> Case {
        Case {
            id: CaseId::from(id),
            input: format!("query {id}"),
            expected: None,
            qrels: Qrels::expecting(targets).expect("valid"),
            critical: false,
            quarantined: None,
            metadata: [("lang".to_owned(), json!(lang))].into_iter().collect(),
            extra: serde_json::Map::new(),
        }
    }

    fn answer(paths: &[&str]) -> Answer {
        let hits = (0..).zip(paths).map(|(tie, path)| Hit {
            id: Name::new(path),
            path: Some(Name::new(path)),
            tie,
            unknown: false,
            kind: "file".into(),
            summary: None,
        });
        Answer::Completed(Ranking::from_hits(hits.collect()))
    }

    fn result() -> SuiteResult {
        let answers = [
            (case("a", "en", &["x"]), answer(&["x", "y"])),
            (case("b", "pt", &["y"]), answer(&["x", "z", "w", "y"])),
            (case("c", "pt", &["y"]), Answer::Failed(ErrorClass::Timeout)),
        ];
        SuiteResult::new(measurement(), &["lang".to_owned()], &answers)
    }

    #[test]
    fn a_failed_case_stays_in_every_mean() {
        let result = result();
        let hit = result.metrics.get("hitAt3").expect("gated");
        assert_eq!((hit.count, hit.of), (Some(1), 3));
        assert_eq!(result.metrics.get("meanReciprocalRank").expect("there").value, Some(0.416_667));
        assert_eq!(result.metrics.get("zeroResultRate").expect("there").count, Some(0));
        assert_eq!((result.counts.failed, result.counts.answered), (1, 2));
        assert_eq!(result.segments["byLang"]["pt"].get("hitAt3").expect("there").of, 2);
    }

    #[test]
    fn a_result_reads_back_as_it_was_written() {
        let result = result();
        let text = result.to_text();
        assert_eq!(SuiteResult::read(text.as_bytes()), Ok(result.clone()));
        assert_eq!(SuiteResult::read(text.as_bytes()).expect("valid").to_text(), text);
        assert!(text.contains(&result.digest().to_string()));
    }

    #[test]
    fn an_edited_figure_is_refused_even_with_a_new_hash() {
        let mut edited = result();
        edited.cases[1].rank = Some(1);
        let text = edited.to_text(); // sealed anew, so the hash is right
        let problem = SuiteResult::read(text.as_bytes()).expect_err("contradiction");
        assert!(
            matches!(&problem, ArtifactProblem::Contradiction { at, .. } if at == "/cases/1/rank"),
            "{problem}"
        );

        let text = result().to_text().replace("\"value\": 0.333333", "\"value\": 0.9");
        let problem = SuiteResult::read(text.as_bytes()).expect_err("hash");
        assert!(matches!(problem, ArtifactProblem::Hash { .. }), "{problem}");
        assert!(result().to_text() != text);
    }

    #[test]
    fn an_unknown_field_is_named() {
        let mut document: Value = serde_json::from_str(&result().to_text()).expect("JSON");
        document["cases"][0]["rankk"] = json!(1);
        document.as_object_mut().expect("object").remove("contentHash");
        document["contentHash"] = json!(Digest::of_json(&document));
        let problem =
            SuiteResult::read(document.to_string().as_bytes()).expect_err("unknown field").to_string();
        assert!(problem.contains("cases[0]") && problem.contains("rankk"), "{problem}");
    }
}
