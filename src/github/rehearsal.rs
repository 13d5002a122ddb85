//! A transport that carries nothing: each request is kept, and answered by what a payload and a tree can tell.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};

use super::Sha;
use super::call::{Accept, Call, Verb};
use super::transport::{Answer, Broken, Headers, Reply, Transport};

/// What a rehearsal knows of the world.
pub struct Supposed {
    /// The event's payload.
    pub payload: Value,
    /// The commit that the tree is taken for.
    pub commit: Sha,
    /// The token only reads.
    pub read_only: bool,
    /// The files of the base.
    pub files: Box<dyn Files>,
    /// The archive of the artifact that a measuring run left.
    pub artifact: Option<Vec<u8>>,
}

/// Files by their paths in a repository.
pub trait Files {
    /// The bytes of one, if it is there.
    fn file(&self, path: &str) -> Option<Vec<u8>>;
    /// The paths of those in a folder, if there is one.
    fn folder(&self, path: &str) -> Option<Vec<String>>;
}

/// The requests that were made so far.
pub type Made = Rc<RefCell<Vec<Call>>>;

/// Answers as GitHub would if everything that the payload does not tell were plain: no comment and no check is there yet,
/// the base's tip is the base's commit, and the base's files are those of the tree.
pub struct Rehearsal {
    supposed: Supposed,
    made: Made,
    written: RefCell<Written>,
}

/// What was written so far, to be found again.
#[derive(Default)]
struct Written {
    check: Option<Value>,
    comment: Option<Value>,
    /// The latest first.
    statuses: Vec<Value>,
}

/// A commit that no payload tells: nobody asks it for anything but its name.
const NOWHERE: &str = "0000000000000000000000000000000000000000";

/// Whose the token would be.
const AUTHOR: &str = "github-actions[bot]";

/// Where an artifact would lie.
const ARCHIVE: &str = "https://artifact.invalid/";

impl Rehearsal {
    /// A rehearsal, and the list that its requests go to.
    pub fn new(supposed: Supposed) -> (Self, Made) {
        let made = Made::default();
        (Self { supposed, made: made.clone(), written: RefCell::default() }, made)
    }

    fn answer(&self, call: &Call) -> Reply {
        let writes = !matches!(call.verb, Verb::Get | Verb::Query);
        if writes && self.supposed.read_only {
            let words = json!({ "message": "Resource not accessible by integration" });
            return Reply { status: 403, body: words.to_string().into_bytes(), ..Reply::default() };
        }
        if call.route.ends_with("/contents/{path}") {
            return self.contents(call);
        }
        if call.route.ends_with("/{archive_format}") {
            let headers = Headers { location: Some(ARCHIVE.to_owned()), ..Headers::default() };
            return Reply { status: 302, headers, body: Vec::new() };
        }
        let body = self.json(call);
        let status = if call.verb == Verb::Post { 201 } else { 200 };
        Reply { status, body: body.to_string().into_bytes(), ..Reply::default() }
    }

    /// Configuration, template and baselines of the base.
    fn contents(&self, call: &Call) -> Reply {
        let path = call.path.split("/contents/").nth(1).unwrap_or_default();
        let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
        let body = match call.accept {
            Accept::Raw => self.supposed.files.file(&path),
            Accept::Json => self.supposed.files.folder(&path).map(|paths| {
                let entry = |path: &String| {
                    let name = path.rsplit('/').next();
                    json!({ "type": "file", "name": name, "path": path, "sha": NOWHERE })
                };
                paths.iter().map(entry).collect::<Value>().to_string().into_bytes()
            }),
        };
        match body {
            Some(body) => Reply { status: 200, body, ..Reply::default() },
            None => Reply { status: 404, body: br#"{"message":"Not Found"}"#.to_vec(), ..Reply::default() },
        }
    }

    fn json(&self, call: &Call) -> Value {
        let payload = &self.supposed.payload;
        let rest = call.route.strip_prefix("/repos/{owner}/{repo}").unwrap_or(call.route);
        match rest {
            "" => payload["repository"].clone(),
            "/pulls/{pull_number}" => self.pull(),
            // No payload but these tells of a pull request.
            "/pulls" if payload.get("pull_request").or(payload.get("workflow_run")).is_none() => json!([]),
            "/pulls" => json!([self.pull()]),
            "/branches/{branch}" => json!({ "commit": { "sha": self.base() } }),
            "/commits/{ref}" => json!({
                "sha": self.supposed.commit,
                "parents": [{ "sha": self.base() }, { "sha": self.pull()["head"]["sha"] }],
            }),
            "/compare/{basehead}" => json!({
                "status": "ahead", "ahead_by": 0, "behind_by": 0, "merge_base_commit": { "sha": self.base() },
            }),
            "/commits/{ref}/check-runs" => {
                let runs: Vec<Value> = self.written.borrow().check.iter().cloned().collect();
                json!({ "total_count": runs.len(), "check_runs": runs })
            }
            "/commits/{ref}/statuses" => json!(self.written.borrow().statuses),
            "/actions/runs/{run_id}" => match payload.get("workflow_run") {
                Some(run) => run.clone(),
                None => json!({
                    "id": 0, "event": "", "path": "", "conclusion": null, "head_sha": self.supposed.commit,
                    "head_branch": null, "head_repository": null,
                }),
            },
            "/actions/runs/{run_id}/artifacts" => {
                let bytes = self.supposed.artifact.as_ref().map(Vec::len);
                let artifacts: Vec<_> = bytes
                    .into_iter()
                    .map(|size| json!({ "id": 1, "name": "rankhold", "size_in_bytes": size, "expired": false }))
                    .collect();
                json!({ "total_count": artifacts.len(), "artifacts": artifacts })
            }
            "/graphql"
                if call.body.as_ref().is_some_and(|body| body["variables"].get("commit").is_some()) =>
            {
                self.history(call)
            }
            "/graphql" => json!({ "data": { "viewer": { "login": AUTHOR } } }),
            "/check-runs" | "/check-runs/{check_run_id}" => self.check(call),
            "/issues/{issue_number}/comments" if call.verb == Verb::Post => self.comment(call),
            "/issues/{issue_number}/comments" => json!(self.written.borrow().comment.as_slice()),
            "/issues/comments/{comment_id}" => self.comment(call),
            "/statuses/{sha}" => {
                let status = call.body.clone().unwrap_or_default();
                self.written.borrow_mut().statuses.insert(0, status.clone());
                status
            }
            // Lists of what is not there yet.
            _ => json!([]),
        }
    }

    /// The pull request as the payload has it; for a run that ended, the one that it must have been about.
    fn pull(&self) -> Value {
        let payload = &self.supposed.payload;
        if let Some(pull) = payload.get("pull_request") {
            return pull.clone();
        }
        let run = &payload["workflow_run"];
        json!({
            "number": 1,
            "state": "open",
            "head": { "ref": run["head_branch"], "sha": run["head_sha"], "repo": run["head_repository"] },
            "base": {
                "ref": payload["repository"]["default_branch"], "sha": NOWHERE, "repo": payload["repository"],
            },
        })
    }

    /// Nobody merged anything that was approved, and the base's baselines came with its last commit.
    fn history(&self, call: &Call) -> Value {
        let asked = call.body.as_ref().map(|body| body["variables"].clone()).unwrap_or_default();
        let has_folder =
            asked["folder"].as_str().is_some_and(|path| self.supposed.files.folder(path).is_some());
        let commit = |oid: &Value, parents: Value, folder: Value| {
            json!({
                "oid": oid, "parents": { "nodes": parents }, "file": folder,
                "associatedPullRequests": { "totalCount": 0, "nodes": [] },
            })
        };
        let folder = if has_folder { json!({ "oid": NOWHERE }) } else { Value::Null };
        let nodes = [
            commit(&asked["commit"], json!([{ "oid": NOWHERE }]), folder),
            commit(&json!(NOWHERE), json!([]), Value::Null),
        ];
        let page = json!({ "endCursor": null, "hasNextPage": false });
        json!({ "data": { "repository": { "object": { "history": { "pageInfo": page, "nodes": nodes } } } } })
    }

    fn base(&self) -> Value {
        let group = &self.supposed.payload["merge_group"]["base_sha"];
        if group.is_string() { group.clone() } else { self.pull()["base"]["sha"].clone() }
    }

    fn check(&self, call: &Call) -> Value {
        let body = call.body.clone().unwrap_or_default();
        let mut written = self.written.borrow_mut();
        let name = written.check.as_ref().map_or(&body["name"], |check| &check["name"]).clone();
        let check = json!({
            "id": 1,
            "name": name,
            "head_sha": self.supposed.commit,
            "status": body["status"],
            "conclusion": body.get("conclusion"),
            "external_id": body["external_id"],
            "output": { "title": body["output"]["title"], "summary": body["output"]["summary"] },
        });
        written.check = Some(check.clone());
        check
    }

    fn comment(&self, call: &Call) -> Value {
        let body = call.body.clone().unwrap_or_default();
        let user = json!({ "id": 1, "login": AUTHOR, "type": "Bot" });
        let url = "https://comment.invalid/";
        let comment = json!({ "id": 1, "body": body["body"], "user": user, "html_url": url });
        self.written.borrow_mut().comment = Some(comment.clone());
        comment
    }
}

impl Transport for Rehearsal {
    fn send<'a>(&'a self, call: &'a Call) -> Answer<'a> {
        self.made.borrow_mut().push(call.clone());
        Box::pin(std::future::ready(Ok(self.answer(call))))
    }

    fn download<'a>(&'a self, url: &'a str, most: usize) -> Answer<'a> {
        let archive = self.supposed.artifact.clone().filter(|_| url == ARCHIVE).unwrap_or_default();
        let fits = archive.len() <= most;
        let reply = Reply { status: 200, body: archive, ..Reply::default() };
        Box::pin(std::future::ready(if fits { Ok(reply) } else { Err(Broken::TooLarge(most)) }))
    }
}
