//! Whatever comes, the markdown fits, and what matters most stays.

use rankhold::gate::Policy;
use rankhold::report::view::View;
use rankhold::report::{Format, Options, Report};

use crate::report_scenes::{Scene, markdown, regressed, suite};

#[test]
fn whatever_comes_it_fits() {
    let scene = regressed();
    let policy = Policy::default();
    let view = View::new(&Report { policy: &policy, pairs: vec![scene.pair()], touched: None });
    let laid_out = |view: &View| {
        let text = Format::named("markdown").expect("it exists").lay_out(view, &Options::default());
        let text = text.expect("it renders");
        assert!(text.len() <= 60_000, "{}", text.len());
        text
    };

    let mut lost = view.clone();
    let case = lost.pairs[0].lost[0].clone();
    lost.pairs[0].lost = vec![case; 100_000];
    lost.pairs[0].counts.lost = Some(100_000);
    let text = laid_out(&lost);
    assert!(text.len() > 55_000, "room is left: {}", text.len());
    assert!(
        text.contains("#### Lost (100000)") && text.contains("more, left out for want of room"),
        "{text}"
    );

    let mut long = view.clone();
    for case in &mut long.pairs[0].lost {
        case.query = Some("x@y `|".repeat(1 << 18));
        case.expected = vec!["<|`".repeat(1 << 18); 9];
    }
    long.pairs[0].reasons = vec!["#1 ".repeat(1 << 18); 9];
    assert!(laid_out(&long).contains("#### Lost (5)"));

    let mut many = view.clone();
    many.pairs = vec![view.pairs[0].clone(); 3000];
    many.tally[0].count = 3000;
    let text = laid_out(&many);
    assert!(text.starts_with("## ❌ ") && text.contains("pairs have no section of their own"), "{text}");
}

#[test]
fn the_least_important_rows_go_first() {
    let policy = Policy { tolerance: "0.02".parse().expect("a decimal"), ..Policy::default() };
    let scene = regressed();
    let within = |budget: usize| {
        let text = markdown(vec![scene.pair()], &policy, &Options { budget, ..Options::default() });
        assert!(text.len() <= budget, "{} > {budget}", text.len());
        assert!(text.starts_with("## ❌ The ranking does not hold\n"), "{text}");
        text
    };
    let full = within(60_000);
    let less = within(full.len() - 1);
    assert!(less.contains("#### Lost (5)") && less.contains("Also outside the top 3 (8)"), "{less}");
    assert!(less.contains("_1 more, left out for want of room._"), "{less}");
    let fewer = within(2600);
    assert!(fewer.contains("`q33`") && !fewer.contains("`q60`"), "{fewer}");
    for budget in (300..full.len()).step_by(97) {
        let rows = within(budget);
        let broken = rows.lines().find(|line| line.starts_with("| ") && !line.ends_with('|'));
        assert_eq!(broken, None, "a row is cut at {budget}");
    }
}

#[test]
fn a_suite_that_passes_needs_no_room() {
    let policy = Policy::default();
    let scene = Scene::between(&suite(51, 60), &suite(51, 60), &policy);
    let text = markdown(vec![scene.pair()], &policy, &Options { budget: 120, ..Options::default() });
    assert!(text.len() <= 120 && text.starts_with("## ✅ The ranking holds"), "{text}");
}
