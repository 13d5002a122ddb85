//! Writing a verdict: whatever fails on the way, and whoever else writes at the same time, there is one comment and one
//! check in the end, and the newest verdict in both.

use rankhold::github::{
    Conclusion, GithubProblem, Outlet, Place, PullPlace, Sha, Shown, Stamp, Standing, Sticky, Us, Want,
    publish,
};

use super::fake::{Fake, PUBLISH};
use super::faults::each_fault;

const REPOSITORY: &str = "o/r";

fn scene() -> Fake {
    let fake = Fake::start();
    fake.with(|world| {
        let root = world.repository(REPOSITORY);
        let head = world.commit(&root, &[("docs/a.md", "text")]);
        world.push(REPOSITORY, "topic", &head);
        world.pull(REPOSITORY, "topic", "main");
    });
    fake
}

fn place(fake: &Fake, outlet: Outlet) -> (Place, Sha) {
    let (head, main) = fake.with(|world| (world.tip(REPOSITORY, "topic"), world.tip(REPOSITORY, "main")));
    let place = Place {
        repository: REPOSITORY.parse().unwrap(),
        commit: head,
        name: "rankhold/verdict".to_owned(),
        outlet,
        pull: Some(PullPlace { number: 1, base: "main".to_owned() }),
        details: None,
    };
    (place, main)
}

fn shown(run: u64, conclusion: Option<Conclusion>) -> Shown {
    let annotation = |line| rankhold::github::Annotation {
        path: "suites/x.json".to_owned(),
        start_line: line,
        end_line: line,
        level: rankhold::github::Level::Failure,
        title: "Lost".to_owned(),
        message: "query".to_owned(),
    };
    Shown {
        conclusion,
        title: format!("verdict of run {run}"),
        summary: format!("## verdict of run {run}"),
        text: None,
        annotations: if conclusion.is_some() { (1..=120).map(annotation).collect() } else { Vec::new() },
    }
}

/// What the action writes, in its order.
async fn published(fake: &Fake, outlet: Outlet, run: u64) -> Result<Standing, GithubProblem> {
    let token = fake.with(|world| world.workflow_token(REPOSITORY, PUBLISH));
    let client = fake.client(&token);
    let (place, base) = place(fake, outlet);
    let stamp = Stamp { base, run, attempt: 1, started: None };
    match place.write(&client, &stamp, &shown(run, None)).await? {
        Standing::Stands => {}
        other => return Ok(other),
    }
    let author = Us { login: client.viewer().await? };
    let sticky = Sticky { repository: place.repository.clone(), number: 1, key: "report".to_owned(), author };
    let verdict = shown(run, Some(Conclusion::Failure));
    let published = publish(&client, &place, Some((&sticky, Want::Make)), &stamp, &verdict).await?;
    assert_eq!(published.comment_refused, None);
    Ok(published.standing)
}

#[test]
fn a_fault_at_any_call_leaves_one_comment_and_one_check() {
    each_fault(scene, &async |fake: &Fake| published(fake, Outlet::Check, 7).await, |case| {
        assert_eq!(case.outcome, Ok(Standing::Stands));
        case.fake.with(|world| {
            let comments = world.comments(REPOSITORY, 1);
            assert_eq!(comments.len(), 1);
            assert!(comments[0].body.starts_with("## verdict of run 7"));
            let checks = world.checks(REPOSITORY, &world.tip(REPOSITORY, "topic"));
            assert_eq!(checks.len(), 1);
            assert_eq!(checks[0].conclusion.as_deref(), Some("failure"));
            assert_eq!(checks[0].title.as_deref(), Some("verdict of run 7"));
            // Annotations are only ever added: a repeated request would show one twice.
            let lines: std::collections::BTreeSet<_> =
                checks[0].annotations.iter().map(|it| it["start_line"].as_u64()).collect();
            assert_eq!(lines.len(), 120);
        });
    });
}

#[test]
fn a_fault_at_any_call_leaves_the_verdict_in_the_status() {
    each_fault(scene, &async |fake: &Fake| published(fake, Outlet::Status, 7).await, |case| {
        assert_eq!(case.outcome, Ok(Standing::Stands));
        case.fake.with(|world| {
            assert_eq!(world.comments(REPOSITORY, 1).len(), 1);
            let status = world.repo(REPOSITORY).statuses.last().unwrap();
            assert_eq!(status.state, "failure");
            assert_eq!(status.description.as_deref(), Some("verdict of run 7 [run 7.1]"));
        });
    });
}

#[test]
fn twenty_runs_at_once_leave_the_newest_verdict_in_one_comment_and_one_check() {
    let fake = scene();
    std::thread::scope(|scope| {
        for run in 1..=20 {
            let fake = &fake;
            scope.spawn(move || {
                fake.block_on(async |fake| published(fake, Outlet::Check, run).await).unwrap()
            });
        }
    });
    fake.with(|world| {
        let checks = world.checks(REPOSITORY, &world.tip(REPOSITORY, "topic"));
        let titles: Vec<_> = checks.iter().map(|check| check.title.as_deref().unwrap()).collect();
        assert!(titles.iter().all(|title| *title == "verdict of run 20"), "{titles:?}");
        let bodies: Vec<_> = world.comments(REPOSITORY, 1).iter().map(|it| it.body.clone()).collect();
        assert_eq!(bodies.len(), 1, "{bodies:?}");
        assert!(bodies[0].starts_with("## verdict of run 20"), "{}", bodies[0]);
    });
}
