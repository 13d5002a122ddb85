//! Which requests are answered, and who is let in.

use super::answer::{Answer, Handled};
use super::rest::{actions, checks, comments, commits, contents, git, people, pulls, statuses};
use super::token::{Access, Grant};
use super::visit::Visit;
use super::world::World;

/// Something that can be asked.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// Any of these permissions is enough; none is needed where there is none.
    needs: &'static [&'static str],
    /// Parameters of the query that are heeded. Another would be ignored in silence, so it is an error of the test.
    pub(crate) query: &'static [&'static str],
    pub(crate) handle: fn(&mut World, &Visit) -> Handled,
}

macro_rules! routes {
    ($($method:literal $path:literal $needs:expr, $query:expr => $handle:path;)*) => {
        &[$(Route { method: $method, path: $path, needs: $needs, query: $query, handle: $handle }),*]
    };
}

/// A comment of a pull request is one of an issue too.
const COMMENTS: &[&str] = &["pull-requests", "issues"];

/// Everything that is answered.
pub(crate) const ROUTES: &[Route] = routes! {
    "GET" "/user" &[], &[] => people::user;
    "GET" "/repos/{owner}/{repo}" &[], &[] => people::repository;
    "GET" "/repos/{owner}/{repo}/collaborators/{username}/permission" &[], &[] => people::permission;
    "GET" "/repos/{owner}/{repo}/pulls" &["pull-requests"], &["state", "head", "base", "per_page", "page"] => pulls::list;
    "POST" "/repos/{owner}/{repo}/pulls" &["pull-requests"], &[] => pulls::create;
    "PATCH" "/repos/{owner}/{repo}/pulls/{pull_number}" &["pull-requests"], &[] => pulls::update;
    "GET" "/repos/{owner}/{repo}/pulls/{pull_number}" &["pull-requests"], &[] => pulls::get;
    "GET" "/repos/{owner}/{repo}/pulls/{pull_number}/files" &["pull-requests"], &["per_page", "page"] => pulls::files;
    "GET" "/repos/{owner}/{repo}/commits/{commit_sha}/pulls" &["pull-requests"], &["per_page", "page"] => pulls::of_commit;
    "GET" "/repos/{owner}/{repo}/issues/{issue_number}/comments" COMMENTS, &["per_page", "page"] => comments::list;
    "POST" "/repos/{owner}/{repo}/issues/{issue_number}/comments" COMMENTS, &[] => comments::create;
    "GET" "/repos/{owner}/{repo}/issues/comments/{comment_id}" COMMENTS, &[] => comments::get;
    "PATCH" "/repos/{owner}/{repo}/issues/comments/{comment_id}" COMMENTS, &[] => comments::update;
    "DELETE" "/repos/{owner}/{repo}/issues/comments/{comment_id}" COMMENTS, &[] => comments::delete;
    "GET" "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions" COMMENTS, &["per_page", "page"] => comments::reactions;
    "POST" "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions" COMMENTS, &[] => comments::react;
    "POST" "/repos/{owner}/{repo}/check-runs" &["checks"], &[] => checks::create;
    "GET" "/repos/{owner}/{repo}/check-runs/{check_run_id}" &["checks"], &[] => checks::get;
    "PATCH" "/repos/{owner}/{repo}/check-runs/{check_run_id}" &["checks"], &[] => checks::update;
    "GET" "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations" &["checks"], &["per_page", "page"] => checks::annotations;
    "GET" "/repos/{owner}/{repo}/commits/{ref}/check-runs" &["checks"], &["check_name", "filter", "status", "app_id", "per_page", "page"] => checks::list;
    "POST" "/repos/{owner}/{repo}/statuses/{sha}" &["statuses"], &[] => statuses::create;
    "GET" "/repos/{owner}/{repo}/commits/{ref}/statuses" &["statuses"], &["per_page", "page"] => statuses::list;
    "GET" "/repos/{owner}/{repo}/commits/{ref}" &["contents"], &["per_page", "page"] => commits::get;
    "GET" "/repos/{owner}/{repo}/commits" &["contents"], &["sha", "per_page", "page"] => commits::list;
    "POST" "/repos/{owner}/{repo}/git/trees" &["contents"], &[] => git::create_tree;
    "POST" "/repos/{owner}/{repo}/git/commits" &["contents"], &[] => git::create_commit;
    "POST" "/repos/{owner}/{repo}/git/refs" &["contents"], &[] => git::create_reference;
    "PATCH" "/repos/{owner}/{repo}/git/refs/{ref}" &["contents"], &[] => git::update_reference;
    "GET" "/repos/{owner}/{repo}/compare/{basehead}" &["contents"], &["per_page", "page"] => commits::compare;
    "GET" "/repos/{owner}/{repo}/branches/{branch}" &["contents"], &[] => commits::branch;
    "GET" "/repos/{owner}/{repo}/contents/{path}" &["contents"], &["ref"] => contents::get;
    "GET" "/repos/{owner}/{repo}/actions/runs/{run_id}" &["actions"], &[] => actions::run;
    "GET" "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts" &["actions"], &["name", "per_page", "page"] => actions::artifacts;
    "GET" "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}" &["actions"], &[] => actions::artifact;
    "GET" "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}" &["actions"], &[] => actions::archive;
};

impl Route {
    /// Whether that token may, in GitHub's words if it may not.
    pub(crate) fn admit(&self, world: &World, repository: &str, grant: Option<&Grant>) -> Result<(), Answer> {
        if !self.path.starts_with("/repos/") {
            return grant.map(|_| ()).ok_or_else(|| Answer::refusal(401, "Requires authentication"));
        }
        let writes = self.method != "GET";
        let there = world.repositories.get(repository).ok_or_else(|| match world.moved.get(repository) {
            Some(id) => {
                let (status, words) =
                    if writes { (307, "Temporary Redirect") } else { (301, "Moved Permanently") };
                Answer::refusal(status, words)
                    .with("location", format!("https://github.invalid/repositories/{id}"))
            }
            None => Answer::not_found(),
        })?;
        // What a public repository shows everybody, except archives: those want an account.
        let open = !there.private && !writes && !self.path.ends_with("{archive_format}");
        match grant {
            None if there.private => Err(Answer::not_found()),
            None if open => Ok(()),
            None => Err(Answer::refusal(401, "Requires authentication")),
            Some(Grant::App { repository: own, .. }) if own != repository && there.private => {
                Err(Answer::not_found())
            }
            Some(Grant::App { repository: own, permissions, .. }) => {
                let access = if writes { Access::Write } else { Access::Read };
                let granted =
                    self.needs.iter().any(|name| permissions.get(*name).is_some_and(|has| *has >= access));
                let may = open || own == repository && (granted || self.needs.is_empty());
                may.then_some(()).ok_or_else(Answer::forbidden)
            }
            Some(Grant::Person { login }) => {
                let role = there.roles.get(login).map(String::as_str);
                match role {
                    None if there.private => Err(Answer::not_found()),
                    _ if writes && self.path.contains("/check-runs") => {
                        Err(Answer::refusal(403, "You must authenticate via a GitHub App."))
                    }
                    // Everybody who may read may say something; the rest is hidden from those who may not write.
                    None | Some("read" | "triage") if writes && !self.path.contains("/issues/") => {
                        Err(Answer::not_found())
                    }
                    _ => Ok(()),
                }
            }
        }
    }
}
