//! Statuses of commits.

use rankhold::github::Sha;

use crate::github::fake::answer::{Answer, Handled};
use crate::github::fake::render;
use crate::github::fake::visit::Visit;
use crate::github::fake::world::{Status, World};

/// The longest description, in characters. GitHub's description does not say so; its answers do (zalando/zappr#378,
/// sclorg/testing-farm-as-github-action#187).
const LONGEST: usize = 140;

pub(crate) fn create(world: &mut World, visit: &Visit) -> Handled {
    let name = visit.parameter("sha");
    let commit = Sha::new(name).filter(|sha| world.graph.get(sha).is_some());
    let commit = commit.ok_or_else(|| Answer::no_commit(name))?;
    let description = visit.text("description");
    if description.as_ref().is_some_and(|text| text.chars().count() > LONGEST) {
        let message = format!("description is too long (maximum is {LONGEST} characters)");
        return Err(Answer::invalid("Status", "description", &message));
    }
    let status = Status {
        id: world.number(),
        commit,
        context: visit.text("context").unwrap_or_else(|| "default".to_owned()),
        state: visit.text("state").unwrap_or_default(),
        description,
        target: visit.text("target_url"),
        creator: visit.login(),
        created: world.now(),
    };
    let answer = render::status(world, &status);
    visit.repo_mut(world).statuses.push(status);
    Ok(Answer::json(201, answer))
}

/// Newest first, superseded ones included.
pub(crate) fn list(world: &mut World, visit: &Visit) -> Handled {
    let name = visit.parameter("ref");
    let commit = visit.commit(world, name).ok_or_else(|| Answer::no_commit(name))?;
    let statuses = visit.repo(world).statuses.iter().rev().filter(|status| status.commit == commit);
    visit.list(statuses.map(|status| render::status(world, status)).collect())
}
