//! Writing a verdict: whatever fails on the way, and whoever else writes at the same time, there is one comment and one
//! check in the end, and the newest verdict in both.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rankhold::github::{
    Answer, Call, Client, Conclusion, Connection, GithubProblem, Outlet, Place, PullPlace, Sha, Shown, Stamp,
    Standing, Sticky, Transport, Us, Verb, Want, publish,
};

use super::fake::world::Check;
use super::fake::{Fake, IMPATIENT, PUBLISH};
use super::faults::{Named, each_fault};

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

fn shown(run: u64, conclusion: Option<Conclusion>, annotations: u64) -> Shown {
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
        annotations: (1..=annotations).map(annotation).collect(),
    }
}

/// What the action writes, in its order.
async fn published(fake: &Fake, outlet: Outlet, run: u64) -> Result<Standing, GithubProblem> {
    let token = fake.with(|world| world.workflow_token(REPOSITORY, PUBLISH));
    published_by(&fake.client(&token), fake, outlet, run, 120).await
}

async fn published_by(
    client: &Client,
    fake: &Fake,
    outlet: Outlet,
    run: u64,
    annotations: u64,
) -> Result<Standing, GithubProblem> {
    let (place, base) = place(fake, outlet);
    let stamp = Stamp { base, run, attempt: 1, started: None };
    match place.write(client, &stamp, &shown(run, None, 0)).await? {
        Standing::Stands => {}
        other => return Ok(other),
    }
    let author = Us { login: client.viewer().await? };
    let sticky = Sticky { repository: place.repository.clone(), number: 1, key: "report".to_owned(), author };
    let verdict = shown(run, Some(Conclusion::Failure), annotations);
    let published = publish(client, &place, Some((&sticky, Want::Make)), &stamp, &verdict).await?;
    assert_eq!(published.comment_problem, None);
    Ok(published.standing)
}

/// A connection that lets something else happen before its n-th request that writes, from 1.
struct Interrupted {
    inner: Connection,
    left: Cell<usize>,
    meanwhile: Box<dyn Fn()>,
}

impl Transport for Interrupted {
    fn send<'a>(&'a self, call: &'a Call) -> Answer<'a> {
        if !matches!(call.verb, Verb::Get | Verb::Query) && self.left.get() > 0 {
            self.left.set(self.left.get() - 1);
            if self.left.get() == 0 {
                (self.meanwhile)();
            }
        }
        self.inner.send(call)
    }

    fn download<'a>(&'a self, url: &'a str, most: usize) -> Answer<'a> {
        self.inner.download(url, most)
    }
}

/// Runs one after the other, each from beginning to end before the n-th write of the one before it. How many ran: those
/// before them may have fewer writes.
fn nested(fake: &Arc<Fake>, outlet: Outlet, runs: &[u64], at: &[usize]) -> usize {
    let [run, others @ ..] = runs else { return 0 };
    let inside = Arc::new(AtomicUsize::new(0));
    let (inner_fake, inner_runs, inner_at) = (fake.clone(), others.to_vec(), at.to_vec());
    let here = inner_at.first().copied().unwrap_or_default();
    let ran = inside.clone();
    let meanwhile = move || {
        // A runtime does not run within another.
        let (fake, runs, at) = (inner_fake.clone(), inner_runs.clone(), inner_at[1..].to_vec());
        let all = std::thread::spawn(move || nested(&fake, outlet, &runs, &at)).join().unwrap();
        ran.store(all, Ordering::Relaxed);
    };
    let token = fake.with(|world| world.workflow_token(REPOSITORY, PUBLISH));
    fake.block_on(async |fake| {
        let inner = fake.connection(Some(&token));
        let connection = Interrupted { inner, left: Cell::new(here), meanwhile: Box::new(meanwhile) };
        let client = Client::new(Box::new(connection), IMPATIENT);
        published_by(&client, fake, outlet, *run, 1).await.unwrap();
    });
    1 + inside.load(Ordering::Relaxed)
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
            let lines: Vec<_> =
                checks[0].annotations.iter().map(|it| it["start_line"].as_u64().unwrap()).collect();
            assert_eq!(lines, (1..=120).collect::<Vec<_>>());
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

/// The newest verdict is in the one comment and in whatever shows the check.
fn assert_newest(fake: &Fake, outlet: Outlet, run: u64) {
    fake.with(|world| {
        let title = format!("verdict of run {run}");
        match outlet {
            Outlet::Check => {
                let checks = world.checks(REPOSITORY, &world.tip(REPOSITORY, "topic"));
                let says = |check: &&Check| (check.title.clone(), check.conclusion.clone());
                let all: Vec<_> = checks.iter().map(says).collect();
                let newest = (Some(title.clone()), Some("failure".to_owned()));
                assert!(!all.is_empty() && all.iter().all(|one| *one == newest), "{all:?}");
            }
            Outlet::Status => {
                let status = world.repo(REPOSITORY).statuses.last().unwrap();
                assert_eq!(status.description, Some(format!("{title} [run {run}.1]")));
                assert_eq!(status.state, "failure");
            }
        }
        let bodies: Vec<_> = world.comments(REPOSITORY, 1).iter().map(|it| it.body.clone()).collect();
        assert_eq!(bodies.len(), 1, "{bodies:?}");
        assert!(bodies[0].contains(&title), "{}", bodies[0]);
    });
}

#[test]
fn twenty_runs_at_once_leave_the_newest_verdict_in_one_comment_and_one_check() {
    for outlet in [Outlet::Check, Outlet::Status] {
        let fake = scene();
        std::thread::scope(|scope| {
            for run in 1..=20 {
                let fake = &fake;
                scope.spawn(move || fake.block_on(async |fake| published(fake, outlet, run).await).unwrap());
            }
        });
        assert_newest(&fake, outlet, 20);
    }
}

/// Three runs, the second between any two writes of the first, the third between any two of the second, in every order of
/// age.
#[test]
fn whatever_a_run_is_overtaken_at_the_newest_verdict_stays() {
    let orders = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]];
    let mut reached = 0;
    for outlet in [Outlet::Check, Outlet::Status] {
        for runs in orders {
            for at in (1..=6).flat_map(|first| (1..=6).map(move |second| [first, second])) {
                let _named = Named(format!("{outlet:?}: {runs:?} at {at:?}"));
                let fake = Arc::new(scene());
                let ran = nested(&fake, outlet, &runs, &at);
                assert_newest(&fake, outlet, *runs[..ran].iter().max().unwrap());
                reached += usize::from(ran == 3);
            }
        }
    }
    assert!(reached > 50, "{reached}");
}
