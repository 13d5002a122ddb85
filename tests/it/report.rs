//! Every situation in every format, compared with snapshots.

use rankhold::exit::Exit;
use rankhold::gate::{Policy, Verdict};
use rankhold::name::Name;
use rankhold::report::{
    Colour, Commands, FORMATS, Format, Options, Outcome, PairReport, Report, Touch, Touched,
};

use crate::report_scenes::{Asked, Scene, approved, measurement, regressed, result, result_of, suite};
use crate::support::assert_snapshot;

const EXTENSIONS: [(&str, &str); 3] = [("text", "txt"), ("markdown", "md"), ("json", "json")];

#[track_caller]
fn assert_looks(name: &str, pairs: Vec<PairReport<'_>>, policy: &Policy) {
    assert_looks_with(name, pairs, policy, None);
}

#[track_caller]
fn assert_looks_with(name: &str, pairs: Vec<PairReport<'_>>, policy: &Policy, touched: Option<&Touched>) {
    let report = Report { policy, pairs, touched };
    for format in FORMATS {
        let extension = EXTENSIONS.iter().find(|(name, _)| *name == format.name).expect("known").1;
        let text = format.render(&report, &Options::default()).expect("our templates render");
        assert_snapshot(&format!("report/{name}.{extension}"), &text);
    }
}

fn gone(before: &Scene) -> PairReport<'_> {
    let baseline = before.baseline.as_ref().expect("it has one");
    let commands = Commands::of_only("guides", "semble");
    PairReport { suite: "guides", retriever: "semble", commands, outcome: Outcome::Gone { baseline } }
}

fn unjudged() -> PairReport<'static> {
    PairReport {
        suite: "code",
        retriever: "probe",
        commands: Commands::of_only("code", "probe"),
        outcome: Outcome::Unjudged {
            message: "could not be measured: `probe` is not installed".into(),
            hint: Some("`npm install -g @probelabs/probe`, or `cargo install probe-code`".into()),
            exit: Exit::NotMeasured,
        },
    }
}

#[test]
fn a_pass_without_any_change() {
    let policy = Policy::default();
    let scene = Scene::between(&suite(51, 60), &suite(51, 60), &policy);
    assert_looks("pass", vec![scene.pair()], &policy);
}

#[test]
fn a_pass_that_is_better_offers_an_approval() {
    let policy = Policy::default();
    let scene = Scene::between(&suite(51, 60), &suite(54, 60), &policy);
    assert_looks("better", vec![scene.pair()], &policy);
}

#[test]
fn a_regression_shows_the_lost_cases_first() {
    let scene = regressed();
    assert_eq!(scene.judgement.verdict, Verdict::Regressed);
    let policy = Policy { tolerance: "0.02".parse().expect("a decimal"), ..Policy::default() };
    assert_looks("regressed", vec![scene.pair()], &policy);
}

#[test]
fn a_critical_case_and_a_floor_are_lifted_by_no_approval() {
    let mut policy = Policy::default();
    policy.floors.insert("hitAt3".into(), "0.9".parse().expect("a decimal"));
    let mut cases = suite(51, 60);
    cases[55] = cases[55].clone().critical();
    let scene = Scene::new(result("docs", "bm25", &cases), None, &policy);
    assert_looks("critical", vec![scene.pair()], &policy);
}

#[test]
fn a_first_run_shows_what_an_approval_would_record() {
    let policy = Policy::default();
    let scene = Scene::new(result("docs", "bm25", &suite(5, 8)), None, &policy);
    assert_looks("no-baseline", vec![scene.pair()], &policy);
}

#[test]
fn an_edited_suite_is_compared_on_the_unchanged_cases() {
    let policy = Policy::default();
    let before = suite(9, 12);
    let mut after = before.clone();
    after[0] = after[0].clone().asking("quite another question");
    after[1] = after[1].clone().renamed("q02-renamed");
    after.remove(5);
    after.push(Asked::new("q13", "what is new here", "pt", 1));
    after.push(Asked::new("q14", "what is new and set aside", "pt", 0).quarantined());
    let scene = Scene::between(&before, &after, &policy);
    assert_looks("suite-changed", vec![scene.pair()], &policy);
}

#[test]
fn another_limit_is_not_comparable() {
    let policy = Policy::default();
    let cases = suite(9, 12);
    let now = measurement("docs", "bm25", &cases);
    let before = result("docs", "bm25", &cases);
    let now = rankhold::artifact::Measurement { limit: 10, ..now };
    let scene = Scene::new(result_of(now, &cases), Some(approved(&before)), &policy);
    assert_looks("not-comparable", vec![scene.pair()], &policy);
}

#[test]
fn ties_quarantine_and_failures_are_said() {
    let policy = Policy { max_failed: 1, ..Policy::default() };
    let mut cases = suite(9, 12);
    cases[2] = cases[2].clone().tied();
    cases[3] = cases[3].clone().quarantined();
    let mut after = cases.clone();
    after[11] = after[11].clone().failed();
    after[3] = Asked::at(4, 0).quarantined();
    let scene = Scene::between(&cases, &after, &policy);
    assert_looks("notices", vec![scene.pair()], &policy);
}

#[test]
fn a_version_1_baseline_is_compared_by_its_figures() {
    let policy = Policy::default();
    let path = "data/seed/retrieval-baseline-v1.json";
    #[expect(clippy::disallowed_methods, reason = "a fixture is a file")]
    let bytes = std::fs::read(crate::support::fixture(path)).expect("the seed's baseline");
    let baseline = rankhold::artifact::Baseline::read(&bytes).expect("version 1 is read");
    let cases = suite(50, 60);
    let mut now = measurement("docs", "bm25", &cases);
    now.suite.document_name = baseline.document_name.clone();
    now.suite.content_hash = baseline.suite_hash.clone();
    let scene = Scene::new(result_of(now, &cases), Some(baseline), &policy);
    assert_looks("version-1", vec![scene.pair()], &policy);
}

#[test]
fn a_pair_that_could_not_be_measured_says_why() {
    assert_looks("unjudged", vec![unjudged()], &Policy::default());
}

#[test]
fn a_pair_that_is_gone_is_no_silent_pass() {
    let policy = Policy::default();
    let scene = Scene::between(&suite(9, 12), &suite(9, 12), &policy);
    assert_looks("gone", vec![gone(&scene)], &policy);
}

#[test]
fn what_the_change_touches_is_marked_beside_lost_cases() {
    let scene = regressed();
    let policy = Policy { tolerance: "0.02".parse().expect("a decimal"), ..Policy::default() };
    let name = |text: &str| Name::new(text);
    let touched = Touched::new([
        (name("docs/guide/chapter-1.md"), Touch::Added),
        (name("docs/guide/chapter-3.md"), Touch::Changed),
        (name("docs/moved|away.md"), Touch::RenamedFrom(name("docs/q11.md"))),
        (name("docs/q12.md"), Touch::Removed),
        (name("docs/q20.md"), Touch::Changed),
    ]);
    assert_looks_with("touched", vec![scene.pair()], &policy, Some(&touched));
}

#[test]
fn many_pairs_start_with_a_table_and_the_worst() {
    let policy = Policy { tolerance: "0.02".parse().expect("a decimal"), ..Policy::default() };
    let pass = Scene::between(&suite(9, 12), &suite(9, 12), &policy);
    let first = Scene::new(result("guides", "bm25", &suite(5, 8)), None, &policy);
    let worse = regressed();
    let pairs = vec![pass.pair(), first.pair(), gone(&pass), worse.pair(), unjudged()];
    let report = Report { policy: &policy, pairs: pairs.clone(), touched: None };
    assert_eq!(report.exit(), Exit::NotMeasured);
    assert_looks("many", pairs, &policy);
}

#[test]
fn nothing_to_report_is_said() {
    assert_looks("empty", vec![], &Policy::default());
}

#[test]
fn a_wide_terminal_shows_more_and_colours_only_when_asked() {
    let scene = regressed();
    let policy = Policy::default();
    let report = Report { policy: &policy, pairs: vec![scene.pair()], touched: None };
    let text = |colour, width| {
        let options = Options { colour, width, ..Options::default() };
        Format::named("text").expect("it exists").render(&report, &options).expect("it renders")
    };
    assert_snapshot("report/regressed-120.txt", &text(Colour::Off, 120));
    assert_snapshot("report/regressed-colour.txt", &text(Colour::On, 80));
    assert!(!text(Colour::Off, 80).contains('\u{1b}'));
    for width in [40, 60, 80, 120] {
        let text = text(Colour::Off, width);
        let widest = text.lines().map(unicode_width::UnicodeWidthStr::width).max().unwrap_or(0);
        assert!(widest <= width.max(80), "{widest} columns at {width}");
    }
}

#[test]
fn an_unknown_format_has_a_suggestion() {
    use rankhold::error::Blamed as _;
    let unknown = Format::named("markdwon").err().expect("no such format");
    assert_eq!(unknown.hint().as_deref(), Some("did you mean `markdown`?"));
    let unknown = Format::named("pdf").err().expect("no such format");
    assert_eq!(unknown.hint().as_deref(), Some("the formats are text, markdown, json"));
    assert_eq!(Format::named("md").expect("short for markdown").name, "markdown");
}
