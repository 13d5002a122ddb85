//! Pull requests.

use serde_json::json;

use crate::github::fake::answer::{Answer, Handled};
use crate::github::fake::render;
use crate::github::fake::visit::Visit;
use crate::github::fake::world::{Pull, Repository, World};

fn find<'a>(repository: &'a Repository, visit: &Visit) -> Result<&'a Pull, Answer> {
    repository.pulls.get(&visit.number("pull_number")).ok_or_else(Answer::not_found)
}

pub(crate) fn get(world: &mut World, visit: &Visit) -> Handled {
    let repository = visit.repo(world);
    Ok(Answer::json(200, render::pull(world, repository, find(repository, visit)?)))
}

/// Newest first. A filter `head` without an owner filters nothing.
pub(crate) fn list(world: &mut World, visit: &Visit) -> Handled {
    let repository = visit.repo(world);
    let state = visit.query.get("state").map_or("open", String::as_str);
    let head = visit.query.get("head").and_then(|head| head.split_once(':'));
    let base = visit.query.get("base");
    let wanted = |pull: &&Pull| {
        let owner = pull.head_repository.0.split('/').next();
        (state == "all" || pull.state == state)
            && head.is_none_or(|(of, branch)| owner == Some(of) && pull.head == branch)
            && base.is_none_or(|base| pull.base == *base)
    };
    let pulls = repository.pulls.values().rev().filter(wanted);
    visit.list(pulls.map(|pull| render::pull(world, repository, pull)).collect())
}

/// Against where head and base parted.
pub(crate) fn files(world: &mut World, visit: &Visit) -> Handled {
    let pull = find(visit.repo(world), visit)?;
    let Some(base) = world.graph.merge_base(&pull.base_sha, &pull.head_sha) else {
        return visit.list(Vec::new());
    };
    let changes = world.graph.changes(&base, &pull.head_sha).into_iter().map(|change| {
        let mut file = json!({ "filename": change.path, "status": change.status, "sha": pull.head_sha });
        if let Some(previous) = change.previous {
            file["previous_filename"] = json!(previous);
        }
        file
    });
    visit.list(changes.collect())
}

/// The pull requests that brought a commit, or want to. The base repository knows nothing of a fork's commit before it is
/// merged.
pub(crate) fn of_commit(world: &mut World, visit: &Visit) -> Handled {
    let repository = visit.repo(world);
    let name = visit.parameter("commit_sha");
    let commit = visit.commit(world, name).ok_or_else(|| Answer::no_commit(name))?;
    let pulls = repository.pulls.values().filter(|pull| pull.brings(world, repository, &commit));
    visit.list(pulls.map(|pull| render::pull(world, repository, pull)).collect())
}

/// A setting keeps workflows from it; GitHub's words (peter-evans/create-pull-request#3979, danielroe/uppt#11).
pub(crate) fn create(world: &mut World, visit: &Visit) -> Handled {
    let (login, repository) = (visit.login(), visit.repo(world));
    let (head, base) = (visit.text("head").unwrap_or_default(), visit.text("base").unwrap_or_default());
    let is_workflow = visit.app().is_some_and(|app| app.slug == "github-actions");
    if is_workflow && !repository.workflows_open {
        return Err(Answer::refusal(
            403,
            "GitHub Actions is not permitted to create or approve pull requests.",
        ));
    }
    let (from, onto) = (repository.branches.get(&head), repository.branches.get(&base));
    let (Some(from), Some(onto)) = (from, onto) else {
        let field = if from.is_none() { "head" } else { "base" };
        return Err(Answer::invalid("PullRequest", field, "invalid"));
    };
    if world.graph.only(from, onto).is_empty() {
        let message = format!("No commits between {base} and {head}");
        return Err(Answer::invalid("PullRequest", "head", &message));
    }
    let same = |pull: &&Pull| {
        pull.state == "open"
            && pull.head == head
            && pull.base == base
            && pull.head_repository.0 == repository.name
    };
    if repository.pulls.values().any(|pull| same(&pull)) {
        let message = format!("A pull request already exists for {}:{head}.", repository.owner());
        return Err(Answer::invalid("PullRequest", "head", &message));
    }
    let number = world.pull(&visit.repository, &head, &base);
    let (title, body) = (visit.text("title").unwrap_or_default(), visit.text("body"));
    let pull = world.pull_mut(&visit.repository, number);
    (pull.author, pull.title, pull.body) = (login, title, body);
    let repository = visit.repo(world);
    Ok(Answer::json(201, render::pull(world, repository, &repository.pulls[&number])))
}

pub(crate) fn update(world: &mut World, visit: &Visit) -> Handled {
    find(visit.repo(world), visit)?;
    let number = visit.number("pull_number");
    let pull = world.pull_mut(&visit.repository, number);
    pull.title = visit.text("title").unwrap_or_else(|| pull.title.clone());
    pull.body = visit.text("body").or_else(|| pull.body.clone());
    match visit.text("state").as_deref() {
        Some("closed") => pull.state = "closed",
        Some("open") => pull.state = "open",
        _ => {}
    }
    let repository = visit.repo(world);
    Ok(Answer::json(200, render::pull(world, repository, &repository.pulls[&number])))
}
