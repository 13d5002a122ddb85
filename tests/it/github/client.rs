//! Asking GitHub: patience, and never doing twice what was to be done once. Time is paused, so that waiting is counted
//! and not done.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use rankhold::github::{
    Answer, Broken, Call, Client, Comment, GithubProblem, Headers, Patience, Reply, Repository, Transport,
    Written, endpoint,
};
use serde_json::json;

/// Replies in order, and what was asked for them.
#[derive(Clone, Default)]
struct Script {
    replies: Rc<RefCell<VecDeque<Result<Reply, Broken>>>>,
    asked: Rc<RefCell<Vec<String>>>,
}

impl Script {
    fn of(replies: impl IntoIterator<Item = Result<Reply, Broken>>) -> Self {
        Self { replies: Rc::new(RefCell::new(replies.into_iter().collect())), asked: Rc::default() }
    }

    fn next(&self, asked: String) -> Answer<'static> {
        self.asked.borrow_mut().push(asked);
        let reply = self.replies.borrow_mut().pop_front().expect("one request more than the script knows");
        Box::pin(async move { reply })
    }

    fn client(&self) -> Client {
        Client::new(Box::new(self.clone()), Patience::default())
    }
}

impl Transport for Script {
    fn send<'a>(&'a self, call: &'a Call) -> Answer<'a> {
        self.next(format!("{} {}", call.verb.word(), call.target()))
    }

    fn download<'a>(&'a self, url: &'a str, _: usize) -> Answer<'a> {
        self.next(format!("download {url}"))
    }
}

fn reply(status: u16, body: &serde_json::Value) -> Reply {
    Reply { status, headers: Headers::default(), body: body.to_string().into_bytes() }
}

fn comment(id: u64) -> serde_json::Value {
    json!({
        "id": id, "body": "text", "html_url": "https://example.invalid/1",
        "user": { "id": 1, "login": "github-actions[bot]", "type": "Bot" },
    })
}

fn page() -> Result<Reply, Broken> {
    Ok(Reply { status: 502, headers: Headers::default(), body: b"<html>bad gateway</html>".to_vec() })
}

fn repository() -> Repository {
    "o/r".parse().unwrap()
}

/// Runs with paused time; gives what came out and how long was waited.
fn wait<T>(future: impl Future<Output = T>) -> (T, Duration) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let start = tokio::time::Instant::now();
        let out = future.await;
        (out, start.elapsed())
    })
}

#[test]
fn a_list_is_read_to_its_last_page() {
    let mut first = reply(200, &json!([comment(1), comment(2)]));
    first.headers.next_page = true;
    let script = Script::of([Ok(first), Ok(reply(200, &json!([comment(3)])))]);
    let call = endpoint::comments(&repository(), 7);
    let client = script.client();
    let (all, _) = wait(client.all(&call, |page: Vec<Comment>| page));
    assert_eq!(all.unwrap().iter().map(|comment| comment.id).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(
        script.asked.borrow().as_slice(),
        [
            "GET /repos/o/r/issues/7/comments?per_page=100&page=1",
            "GET /repos/o/r/issues/7/comments?per_page=100&page=2",
        ]
    );
}

#[test]
fn reading_is_repeated_after_a_failure_of_the_server_ever_later() {
    let script = Script::of([page(), Err(Broken("cut off".into())), Ok(reply(200, &comment(5)))]);
    let client = script.client();
    let call = endpoint::update_comment(&repository(), 5, "text");
    let (read, waited) = wait(client.json::<Comment>(&call));
    assert_eq!(read.unwrap().id, 5);
    assert_eq!(waited, Duration::from_secs(1 + 2));
}

#[test]
fn a_secondary_limit_is_waited_for_as_long_as_it_says() {
    let mut limited = reply(403, &json!({ "message": "You have exceeded a secondary rate limit" }));
    limited.headers.retry_after = Some(Duration::from_secs(17));
    let nameless = reply(403, &json!({ "message": "You have exceeded a secondary rate limit" }));
    let script = Script::of([Ok(limited), Ok(nameless), Ok(reply(200, &comment(5)))]);
    let client = script.client();
    let call = endpoint::update_comment(&repository(), 5, "text");
    let (read, waited) = wait(client.json::<Comment>(&call));
    assert_eq!((read.unwrap().id, waited), (5, Duration::from_secs(17 + 60)));
}

#[test]
fn a_refusal_without_a_limit_is_a_missing_permission_and_names_it() {
    let script =
        Script::of([Ok(reply(403, &json!({ "message": "Resource not accessible by integration" })))]);
    let client = script.client();
    let call = endpoint::create_comment(&repository(), 7, "text");
    let (written, waited) = wait(client.once::<Comment, _>(&call, async || Ok(None)));
    let problem = written.unwrap_err();
    assert!(
        matches!(&problem, GithubProblem::Forbidden { permission: Some("pull-requests: write"), .. }),
        "{problem}"
    );
    assert_eq!(waited, Duration::ZERO);
}

#[test]
fn what_may_have_been_made_is_looked_for_before_it_is_made_again() {
    let call = endpoint::create_comment(&repository(), 7, "text");
    // The answer was lost, and it is there: one POST.
    let script = Script::of([page()]);
    let client = script.client();
    let there = || async { Ok(Some(serde_json::from_value::<Comment>(comment(9)).unwrap())) };
    let (written, _) = wait(client.once(&call, there));
    assert!(matches!(written, Ok(Written::Found(comment)) if comment.id == 9));
    assert_eq!(script.asked.borrow().len(), 1);
    // It is not there: a second POST.
    let script = Script::of([Err(Broken("timed out".into())), Ok(reply(201, &comment(10)))]);
    let client = script.client();
    let (written, _) = wait(client.once::<Comment, _>(&call, async || Ok(None)));
    assert!(matches!(written, Ok(Written::New(comment)) if comment.id == 10));
    assert_eq!(script.asked.borrow().len(), 2);
    // A limit was certainly no success: nothing to look for.
    let limited = reply(429, &json!({ "message": "slow down" }));
    let script = Script::of([Ok(limited), Ok(reply(201, &comment(11)))]);
    let client = script.client();
    let never = || async { panic!("nothing can be there") };
    let (written, _) = wait(client.once::<Comment, _>(&call, never));
    assert!(matches!(written, Ok(Written::New(comment)) if comment.id == 11));
}

#[test]
fn patience_has_an_end_and_says_how_often_it_was_tried() {
    let script = Script::of((0..6).map(|_| page()));
    let client = script.client();
    let (read, _) = wait(client.done(&endpoint::pull(&repository(), 1)));
    let problem = read.unwrap_err().to_string();
    assert!(problem.contains("tried 6 times") && problem.contains("502"), "{problem}");
}

#[test]
fn an_answer_without_a_field_that_is_needed_names_it() {
    let script =
        Script::of([Ok(reply(200, &json!({ "number": 1, "state": "open", "head": { "ref": "x" } })))]);
    let client = script.client();
    let (read, _) = wait(client.json::<rankhold::github::Pull>(&endpoint::pull(&repository(), 1)));
    let problem = read.unwrap_err().to_string();
    assert!(problem.contains("`head`") && problem.contains("sha"), "{problem}");
}

#[test]
fn a_redirect_is_followed_without_the_token_and_anew_after_a_failure() {
    let mut redirect = reply(302, &json!(null));
    redirect.headers.location = Some("https://store.invalid/a?secret".into());
    let zip = Reply { status: 200, headers: Headers::default(), body: b"PK".to_vec() };
    let script = Script::of([Ok(redirect.clone()), Err(Broken("cut off".into())), Ok(redirect), Ok(zip)]);
    let client = script.client();
    let (read, _) = wait(client.follow(&endpoint::artifact_archive(&repository(), 3), 1000));
    assert_eq!(read.unwrap(), b"PK");
    assert_eq!(script.asked.borrow()[1], "download https://store.invalid/a?secret");
}
