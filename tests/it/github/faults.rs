//! What can go wrong between us and GitHub, at any request of a flow.

use std::sync::atomic::{AtomicUsize, Ordering};

use rankhold::github::{Comment, GithubProblem, Transport, Written, endpoint};

use super::fake::answer::{Answer, Body};
use super::fake::{Fake, PUBLISH, STORAGE};

/// One thing that goes wrong with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The server fails and says so in JSON; nothing was done.
    ServerError,
    /// A page of a proxy; nothing was done.
    BadGateway,
    /// The same page, after it was done.
    BadGatewayAfterwards,
    /// A rate limit, to be waited out for no time.
    TooManyRequests,
    /// GitHub's other limit, likewise.
    SecondaryLimit,
    /// The connection is closed; nothing was done.
    Unanswered,
    /// It was done, and the connection closed before the answer.
    AnswerLost,
    /// It was done, and half the answer came.
    AnswerCut,
    /// The connection stays open, and nothing comes.
    Silence,
    /// GitHub says no in somebody else's words. None of [`FAULTS`]: asking again does not help.
    Refusal(&'static str),
}

/// Every one.
pub(crate) const FAULTS: &[Fault] = &[
    Fault::ServerError,
    Fault::BadGateway,
    Fault::BadGatewayAfterwards,
    Fault::TooManyRequests,
    Fault::SecondaryLimit,
    Fault::Unanswered,
    Fault::AnswerLost,
    Fault::AnswerCut,
    Fault::Silence,
];

/// What a server does in the end.
#[derive(Debug)]
pub(crate) enum Outcome {
    Answer(Answer),
    /// Nothing is sent, and the connection closed.
    Closed,
    /// Half the body is sent.
    Cut(Answer),
    /// Nothing is sent, ever.
    Silent,
}

impl Fault {
    /// The request is carried out all the same.
    pub(crate) fn is_after_the_deed(self) -> bool {
        matches!(self, Self::BadGatewayAfterwards | Self::AnswerLost | Self::AnswerCut)
    }

    /// Whoever asked cannot know whether it was carried out.
    pub(crate) fn leaves_doubt(self) -> bool {
        !matches!(self, Self::TooManyRequests | Self::SecondaryLimit)
    }

    /// What comes instead of the answer, if there was one.
    pub(crate) fn instead_of(self, answer: Option<Answer>) -> Outcome {
        let page = b"<html><body><h1>502 Bad Gateway</h1></body></html>".to_vec();
        Outcome::Answer(match self {
            Self::Unanswered | Self::AnswerLost => return Outcome::Closed,
            Self::Silence => return Outcome::Silent,
            Self::AnswerCut => match answer {
                Some(answer) if !matches!(answer.body, Body::Empty) => return Outcome::Cut(answer),
                // Of nothing there is no half.
                _ => return Outcome::Closed,
            },
            Self::Refusal(words) => Answer::refusal(422, words),
            Self::ServerError => Answer::refusal(500, "Server Error"),
            Self::BadGateway | Self::BadGatewayAfterwards => {
                Answer { status: 502, ..Answer::bytes("text/html", page) }
            }
            Self::TooManyRequests => Answer::refusal(429, "API rate limit exceeded")
                .with("retry-after", "0")
                .with("x-ratelimit-remaining", "0"),
            Self::SecondaryLimit => {
                let words = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
                Answer::refusal(403, words).with("retry-after", "0")
            }
        })
    }
}

/// One run of a flow: what went wrong, where, and what came of it.
pub(crate) struct Case<'a, T> {
    /// Nothing in the first run.
    pub(crate) fault: Option<Fault>,
    /// The request's route as `GET /repos/{owner}/{repo}`; empty in the first run.
    pub(crate) route: &'a str,
    pub(crate) fake: &'a Fake,
    pub(crate) outcome: T,
}

/// Runs a flow undisturbed, then once for each of its requests and each fault, every time against a new world, and lets
/// `check` look at what came of it. A check that fails says which case it was.
pub(crate) fn each_fault<T>(
    start: impl Fn() -> Fake + Sync,
    flow: &(impl AsyncFn(&Fake) -> T + Sync),
    check: impl Fn(&Case<'_, T>) + Sync,
) {
    let undisturbed = start();
    let outcome = undisturbed.block_on(async |fake| flow(fake).await);
    let routes: Vec<_> = undisturbed.log().into_iter().map(|logged| logged.route).collect();
    assert!(!routes.is_empty(), "the flow asks nothing");
    check(&Case { fault: None, route: "", fake: &undisturbed, outcome });
    let places = routes.iter().enumerate();
    let cases: Vec<_> = places.flat_map(|place| FAULTS.iter().map(move |fault| (place, *fault))).collect();
    side_by_side(&cases, |&((position, route), fault)| {
        let _named = Named(format!("{fault:?} at request {position}, {route}"));
        let fake = start();
        fake.fail_at(position, fault);
        let outcome = fake.block_on(async |fake| flow(fake).await);
        check(&Case { fault: Some(fault), route, fake: &fake, outcome });
    });
}

/// Does something with each, several at a time: most of them wait.
pub(crate) fn side_by_side<T: Sync>(all: &[T], each: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    each(one);
                }
            });
        }
    });
}

/// Says during a panic which case it was.
pub(crate) struct Named(pub(crate) String);

impl Drop for Named {
    #[expect(clippy::print_stderr, reason = "shown with the panic of a failed test")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the case: {}", self.0);
        }
    }
}

fn scene() -> Fake {
    let fake = Fake::start();
    fake.with(|world| {
        let root = world.repository("o/r");
        let head = world.commit(&root, &[("docs/a.md", "text")]);
        world.push("o/r", "topic", &head);
        world.pull("o/r", "topic", "main");
    });
    fake
}

#[test]
fn a_fault_does_what_it_says_to_one_request_and_nothing_to_the_next() {
    let create = endpoint::create_comment(&"o/r".parse().unwrap(), 1, "text");
    let route = format!("{} {}", create.verb.word(), create.route);
    for (fault, seen, done) in [
        (Fault::ServerError, Some(500), false),
        (Fault::BadGateway, Some(502), false),
        (Fault::BadGatewayAfterwards, Some(502), true),
        (Fault::TooManyRequests, Some(429), false),
        (Fault::SecondaryLimit, Some(403), false),
        (Fault::Unanswered, None, false),
        (Fault::AnswerLost, None, true),
        (Fault::AnswerCut, None, true),
        (Fault::Silence, None, false),
    ] {
        let fake = scene();
        fake.fail(&route, 2, fault);
        let token = fake.with(|world| world.workflow_token("o/r", PUBLISH));
        let statuses = fake.block_on(async |fake| {
            let connection = fake.connection(Some(&token));
            let mut statuses = Vec::new();
            for _ in 0..3 {
                statuses.push(connection.send(&create).await.ok().map(|reply| reply.status));
            }
            statuses
        });
        assert_eq!(statuses, [Some(201), seen, Some(201)], "{fault:?}");
        // Nothing below the client repeats a request.
        assert_eq!(fake.log().len(), 3, "{fault:?}");
        assert_eq!(fake.with(|world| world.comments("o/r", 1).len()), 2 + usize::from(done), "{fault:?}");
    }
}

#[test]
fn something_that_is_made_once_is_there_once_whatever_went_wrong() {
    let flow = async |fake: &Fake| -> Result<Comment, GithubProblem> {
        let token = fake.with(|world| world.workflow_token("o/r", PUBLISH));
        let (client, repository) = (fake.client(&token), "o/r".parse().unwrap());
        let list = endpoint::comments(&repository, 1);
        let look = async || {
            let mut all = client.all(&list, |page: Vec<Comment>| page).await?;
            all.retain(|comment| comment.body.as_deref() == Some("text"));
            Ok(all.pop())
        };
        if let Some(found) = look().await? {
            return Ok(found);
        }
        let create = endpoint::create_comment(&repository, 1, "text");
        client.once(&create, look).await.map(Written::into_inner)
    };
    each_fault(scene, &flow, |case| {
        let comments =
            case.fake.with(|world| world.comments("o/r", 1).iter().map(|one| one.id).collect::<Vec<_>>());
        let made = case.outcome.as_ref().map(|comment| comment.id);
        assert_eq!(comments, [made.unwrap()]);
        if case.fault == Some(Fault::Silence) {
            return; // a busy machine is silent too, and asked once more
        }
        let asked = case.fake.log().len();
        let looked = case.route.starts_with("POST") && case.fault.is_some_and(Fault::leaves_doubt);
        assert_eq!(asked, 2 + usize::from(case.fault.is_some()) + usize::from(looked && !landed(case)));
    });
}

#[test]
fn what_the_last_attempt_made_is_found() {
    let create = endpoint::create_comment(&"o/r".parse().unwrap(), 1, "text");
    let route = format!("{} {}", create.verb.word(), create.route);
    for (last, there) in [(Fault::AnswerLost, 1), (Fault::Unanswered, 0)] {
        let fake = scene();
        for (nth, fault) in [(1, Fault::Unanswered), (2, Fault::BadGateway), (3, last)] {
            fake.fail(&route, nth, fault);
        }
        let token = fake.with(|world| world.workflow_token("o/r", PUBLISH));
        let written = fake.block_on(async |fake| {
            let client = fake.client(&token);
            let list = endpoint::comments(&"o/r".parse().unwrap(), 1);
            let look = async || Ok(client.all(&list, |page: Vec<Comment>| page).await?.pop());
            client.once(&create, look).await
        });
        assert_eq!(fake.with(|world| world.comments("o/r", 1).len()), there);
        match written {
            Ok(Written::Found(_)) => assert_eq!(there, 1),
            Err(GithubProblem::Unreachable { attempts: 3, .. }) => assert_eq!(there, 0),
            other => panic!("{other:?}"),
        }
    }
}

/// The request was carried out before something went wrong.
fn landed<T>(case: &Case<'_, T>) -> bool {
    case.fault.is_some_and(Fault::is_after_the_deed)
}

#[test]
fn a_download_that_fails_is_asked_for_anew() {
    let start = || {
        let fake = scene();
        fake.with(|world| {
            let run = world.run("o/r", "pull_request", "hold.yml", "topic");
            world.artifact("o/r", run, "rankhold", b"PK archive");
        });
        fake
    };
    let flow = async |fake: &Fake| {
        let (token, id) = fake.with(|world| {
            let id = *world.repo("o/r").artifacts.keys().next().unwrap();
            (world.workflow_token("o/r", PUBLISH), id)
        });
        let call = endpoint::artifact_archive(&"o/r".parse().unwrap(), id);
        fake.client(&token).follow(&call, 1000).await
    };
    each_fault(start, &flow, |case| {
        assert_eq!(case.outcome.as_deref().unwrap(), b"PK archive");
        if case.fault == Some(Fault::Silence) {
            return;
        }
        let asked = if case.route == STORAGE { 4 } else { 2 + usize::from(case.fault.is_some()) };
        assert_eq!(case.fake.log().len(), asked);
    });
}
