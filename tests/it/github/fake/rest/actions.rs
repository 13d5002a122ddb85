//! Workflow runs, and the files that they left.

use crate::github::fake::answer::{Answer, Handled};
use crate::github::fake::render;
use crate::github::fake::visit::Visit;
use crate::github::fake::world::{Artifact, World};

pub(crate) fn run(world: &mut World, visit: &Visit) -> Handled {
    let repository = visit.repo(world);
    let run = repository.runs.get(&visit.number("run_id")).ok_or_else(Answer::not_found)?;
    Ok(Answer::json(200, render::run(world, repository, run)))
}

pub(crate) fn artifacts(world: &mut World, visit: &Visit) -> Handled {
    let repository = visit.repo(world);
    let run = visit.number("run_id");
    repository.runs.get(&run).ok_or_else(Answer::not_found)?;
    let name = visit.query.get("name");
    let artifacts = repository.artifacts.values().rev();
    let artifacts = artifacts.filter(|one| one.run == run && name.is_none_or(|name| one.name == *name));
    visit.counted("artifacts", artifacts.map(render::artifact).collect())
}

fn find<'a>(world: &'a World, visit: &Visit) -> Result<&'a Artifact, Answer> {
    visit.repo(world).artifacts.get(&visit.number("artifact_id")).ok_or_else(Answer::not_found)
}

pub(crate) fn artifact(world: &mut World, visit: &Visit) -> Handled {
    Ok(Answer::json(200, render::artifact(find(world, visit)?)))
}

/// The archive lies elsewhere, under an address that is a secret for a minute.
pub(crate) fn archive(world: &mut World, visit: &Visit) -> Handled {
    let artifact = find(world, visit)?;
    if artifact.expired {
        return Err(Answer::refusal(410, "Artifact has expired"));
    }
    let archive = artifact.archive.clone();
    let key = world.sign(archive);
    Ok(Answer::empty(302).with("location", format!("{}/archive.zip?signature={key}", visit.storage)))
}
