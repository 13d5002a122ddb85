//! Asking with patience, and never doing twice what was to be done once.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::call::{Call, Verb};
use super::endpoint::PAGE;
use super::patience::{Next, Patience, Seen};
use super::person::Rights;
use super::problem::{GithubProblem, asked};
use super::transport::{Headers, Reply, Transport};

/// A repository's client.
pub struct Client {
    transport: Box<dyn Transport>,
    patience: Patience,
    /// Whose token it is, once that was asked; none if nobody could tell.
    whose: OnceLock<Option<String>>,
    /// What people may do in a repository, once that was asked; none of whom GitHub does not know.
    pub(super) rights: Mutex<BTreeMap<(String, String), Option<Rights>>>,
}

/// What became of something that was to be made once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written<T> {
    /// It was made now.
    New(T),
    /// An attempt whose answer was lost had made it.
    Found(T),
}

impl<T> Written<T> {
    /// The thing itself.
    pub fn into_inner(self) -> T {
        match self {
            Self::New(it) | Self::Found(it) => it,
        }
    }
}

/// The author of what a workflow's own token writes.
pub(super) const WORKFLOW: &str = "github-actions[bot]";

/// No list that we read is longer than this many pages; one that is would be no list of ours.
const PAGES: usize = 100;

impl Client {
    /// A client over that transport.
    pub fn new(transport: Box<dyn Transport>, patience: Patience) -> Self {
        Self { transport, patience, whose: OnceLock::new(), rights: Mutex::default() }
    }

    /// Reads, replaces or removes: what may be repeated.
    pub async fn json<T: DeserializeOwned>(&self, call: &Call) -> Result<T, GithubProblem> {
        read(call, &self.send(call).await?.body)
    }

    /// As [`Client::json`], with nothing to read in the answer.
    pub async fn done(&self, call: &Call) -> Result<(), GithubProblem> {
        self.send(call).await.map(drop)
    }

    /// A file's bytes; none if it is not there.
    pub async fn bytes(&self, call: &Call) -> Result<Option<Vec<u8>>, GithubProblem> {
        match self.send(call).await {
            Ok(reply) => Ok(Some(reply.body)),
            Err(problem) if problem.is_not_found() => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    /// A list over all its pages; `items` takes them out of a page.
    pub async fn all<P: DeserializeOwned, T>(
        &self,
        call: &Call,
        items: impl Fn(P) -> Vec<T>,
    ) -> Result<Vec<T>, GithubProblem> {
        let mut all = Vec::new();
        for page in 1..=PAGES {
            let call = call.clone().with("per_page", PAGE).with("page", page);
            let reply = self.send(&call).await?;
            all.extend(items(read(&call, &reply.body)?));
            if !reply.headers.next_page {
                return Ok(all);
            }
        }
        Err(GithubProblem::Unreadable { asked: asked(call), message: format!("more than {PAGES} pages") })
    }

    /// Makes something once: where the answer to an attempt was lost, `look` says whether it is there, before the next.
    pub async fn once<T, F>(&self, call: &Call, look: impl Fn() -> F) -> Result<Written<T>, GithubProblem>
    where
        T: DeserializeOwned,
        F: Future<Output = Result<Option<T>, GithubProblem>>,
    {
        let mut tries = Tries::default();
        loop {
            let attempt = match self.attempt(call, &mut tries).await {
                // The last attempt may have done it all the same.
                Err(problem @ GithubProblem::Unreachable { .. }) => {
                    return look().await.ok().flatten().map(Written::Found).ok_or(problem);
                }
                attempt => attempt?,
            };
            match attempt {
                Attempt::Reply(reply) => return Ok(Written::New(read(call, &settled(call, reply)?.body)?)),
                Attempt::Refused => {}
                Attempt::Doubt => {
                    if let Some(found) = look().await? {
                        return Ok(Written::Found(found));
                    }
                }
            }
        }
    }

    /// The login of whose token this is. Where nobody can be asked (a server without GraphQL), it is taken for a
    /// workflow's own.
    pub async fn viewer(&self) -> Result<String, GithubProblem> {
        if let Some(Some(login)) = self.whose.get() {
            return Ok(login.clone());
        }
        let asked = self.ask_viewer().await;
        if let Ok(login) = &asked {
            // Whoever asked at the same time was told the same.
            drop(self.whose.set(Some(login.clone())));
        }
        asked
    }

    /// The app whose token this is, as check runs name it; none if nobody can tell, which is asked once.
    pub async fn app(&self) -> Option<String> {
        if self.whose.get().is_none() && self.viewer().await.is_err() {
            drop(self.whose.set(None));
        }
        let login = self.whose.get()?.as_ref()?;
        Some(login.trim_end_matches("[bot]").to_owned())
    }

    async fn ask_viewer(&self) -> Result<String, GithubProblem> {
        #[derive(Deserialize)]
        struct Answer {
            data: Data,
        }
        #[derive(Deserialize)]
        struct Data {
            viewer: Viewer,
        }
        #[derive(Deserialize)]
        struct Viewer {
            login: String,
        }
        match self.json::<Answer>(&super::endpoint::viewer()).await {
            Ok(answer) => Ok(answer.data.viewer.login),
            Err(
                GithubProblem::Forbidden { .. }
                | GithubProblem::NotFound { .. }
                | GithubProblem::Unreadable { .. },
            ) => Ok(WORKFLOW.to_owned()),
            Err(problem) => Err(problem),
        }
    }

    /// Where a redirect leads, read without the token. At most `most` bytes.
    pub async fn follow(&self, call: &Call, most: usize) -> Result<Vec<u8>, GithubProblem> {
        let mut tries = Tries::default();
        loop {
            // The address holds for a minute, so each attempt asks for a new one.
            let reply = self.ask(call).await?;
            let Some(url) = reply.headers.location else {
                let message = "expected a redirect".to_owned();
                return Err(GithubProblem::Unreadable { asked: asked(call), message });
            };
            let seen = self.transport.download(&url, most).await;
            match self.judge(call, seen, &mut tries).await? {
                Attempt::Reply(reply) => return Ok(reply.body),
                Attempt::Refused | Attempt::Doubt => {}
            }
        }
    }

    async fn send(&self, call: &Call) -> Result<Reply, GithubProblem> {
        settled(call, self.ask(call).await?)
    }

    /// As [`Client::send`], where a redirect counts too.
    async fn ask(&self, call: &Call) -> Result<Reply, GithubProblem> {
        debug_assert_ne!(call.verb, Verb::Post, "a POST is made once");
        let mut tries = Tries::default();
        loop {
            if let Attempt::Reply(reply) = self.attempt(call, &mut tries).await? {
                return Ok(reply);
            }
        }
    }

    async fn attempt(&self, call: &Call, tries: &mut Tries) -> Result<Attempt, GithubProblem> {
        let seen = self.transport.send(call).await;
        self.judge(call, seen, tries).await
    }

    /// What an attempt means; waits where another follows.
    #[expect(clippy::disallowed_methods, reason = "edge: rate limits end at a moment")]
    async fn judge(
        &self,
        call: &Call,
        seen: Result<Reply, super::Broken>,
        tries: &mut Tries,
    ) -> Result<Attempt, GithubProblem> {
        tries.attempts += 1;
        if let Err(super::Broken::TooLarge(most)) = seen {
            return Err(GithubProblem::TooLarge { asked: asked(call), most });
        }
        let now = u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default();
        let next = match &seen {
            Ok(reply) => {
                let limited = message(&reply.body).contains("rate limit");
                let seen = Seen::Reply { status: reply.status, headers: &reply.headers, limited };
                self.patience.next(seen, tries.attempts, tries.waited, now)
            }
            Err(_) => self.patience.next(Seen::Broken, tries.attempts, tries.waited, now),
        };
        match (next, seen) {
            (Next::Take, Ok(reply)) if reply.status < 400 => Ok(Attempt::Reply(reply)),
            (Next::Take, Ok(reply)) => Err(GithubProblem::of(call, reply.status, message(&reply.body))),
            (Next::Take | Next::Stop, seen) => Err(stopped(call, seen, tries.attempts)),
            (Next::Again(wait), _) => {
                tries.wait(wait).await;
                Ok(Attempt::Refused)
            }
            (Next::Doubt(wait), _) => {
                tries.wait(wait).await;
                Ok(Attempt::Doubt)
            }
        }
    }
}

/// The attempts of one request.
#[derive(Default)]
struct Tries {
    attempts: u32,
    waited: Duration,
}

impl Tries {
    async fn wait(&mut self, wait: Duration) {
        self.waited += wait;
        tokio::time::sleep(wait).await;
    }
}

/// What one attempt came to.
enum Attempt {
    /// An answer that counts.
    Reply(Reply),
    /// It was certainly not done.
    Refused,
    /// It may have been done.
    Doubt,
}

/// A redirect is no answer: its body is not what was asked for (a repository that was renamed says so in it).
fn settled(call: &Call, reply: Reply) -> Result<Reply, GithubProblem> {
    if (300..400).contains(&reply.status) {
        return Err(GithubProblem::of(call, reply.status, message(&reply.body)));
    }
    Ok(reply)
}

fn stopped(call: &Call, seen: Result<Reply, super::Broken>, attempts: u32) -> GithubProblem {
    let asked = asked(call);
    match seen {
        Ok(Reply { status: 403 | 429, headers: Headers { retry_after, remaining, reset, .. }, .. }) => {
            let reset = reset.filter(|_| retry_after.is_none() && remaining == Some(0));
            let reset = reset.and_then(|at| jiff::Timestamp::from_second(i64::try_from(at).ok()?).ok());
            GithubProblem::Limited { asked, reset }
        }
        Ok(Reply { status, .. }) => {
            GithubProblem::Unreachable { asked, attempts, last: format!("HTTP status {status}") }
        }
        Err(broken) => GithubProblem::Unreachable { asked, attempts, last: broken.to_string() },
    }
}

/// GitHub's own words in an answer that is no success, shortened; a proxy's page is none.
fn message(body: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Words {
        message: String,
        #[serde(default)]
        errors: serde_json::Value,
    }
    let Ok(Words { message, errors }) = serde_json::from_slice(body) else {
        return "no message".to_owned();
    };
    let details = if errors.is_null() { String::new() } else { format!(" {errors}") };
    format!("{message}{details}").chars().filter(|c| !c.is_control()).take(500).collect()
}

fn read<T: DeserializeOwned>(call: &Call, body: &[u8]) -> Result<T, GithubProblem> {
    let mut json = serde_json::Deserializer::from_slice(body);
    serde_path_to_error::deserialize(&mut json).map_err(|error| GithubProblem::Unreadable {
        asked: asked(call),
        message: format!("`{}`: {}", error.path(), error.inner()),
    })
}
