//! Comments of pull requests, and reactions to them.

use serde_json::{Value, json};

use crate::github::fake::answer::{Answer, Handled};
use crate::github::fake::render;
use crate::github::fake::visit::Visit;
use crate::github::fake::world::{Comment, World};

/// The longest comment, in characters. GitHub's description does not say so; its answers do
/// (peter-evans/create-or-update-comment#181).
const LONGEST: usize = 65_536;

pub(crate) fn list(world: &mut World, visit: &Visit) -> Handled {
    let number = visit.number("issue_number");
    let repository = visit.repo(world);
    repository.pulls.get(&number).ok_or_else(Answer::not_found)?;
    let comments = world.comments(&visit.repository, number);
    visit.list(comments.iter().map(|comment| render::comment(world, repository, comment)).collect())
}

fn find<'a>(world: &'a World, visit: &Visit) -> Result<&'a Comment, Answer> {
    visit.repo(world).comments.get(&visit.number("comment_id")).ok_or_else(Answer::not_found)
}

pub(crate) fn get(world: &mut World, visit: &Visit) -> Handled {
    let comment = find(world, visit)?;
    Ok(Answer::json(200, render::comment(world, visit.repo(world), comment)))
}

pub(crate) fn create(world: &mut World, visit: &Visit) -> Handled {
    let number = visit.number("issue_number");
    visit.repo(world).pulls.get(&number).ok_or_else(Answer::not_found)?;
    let body = text(visit)?;
    let id = world.comment(&visit.repository, number, &visit.login(), &body);
    let repository = visit.repo(world);
    Ok(Answer::json(201, render::comment(world, repository, &repository.comments[&id])))
}

/// Whoever may write may change anybody's.
pub(crate) fn update(world: &mut World, visit: &Visit) -> Handled {
    let id = find(world, visit)?.id;
    world.edit_comment(&visit.repository, id, &text(visit)?);
    get(world, visit)
}

pub(crate) fn delete(world: &mut World, visit: &Visit) -> Handled {
    let id = find(world, visit)?.id;
    world.delete_comment(&visit.repository, id);
    Ok(Answer::empty(204))
}

fn text(visit: &Visit) -> Result<String, Answer> {
    let body = visit.text("body").unwrap_or_default();
    if body.trim().is_empty() {
        return Err(Answer::invalid("IssueComment", "body", "body cannot be blank"));
    }
    if body.chars().count() > LONGEST {
        let message = format!("body is too long (maximum is {LONGEST} characters)");
        return Err(Answer::invalid("IssueComment", "body", &message));
    }
    Ok(body)
}

pub(crate) fn reactions(world: &mut World, visit: &Visit) -> Handled {
    let reactions = &find(world, visit)?.reactions;
    visit.list(reactions.iter().map(|reaction| reaction_json(world, reaction)).collect())
}

/// The same of the same person twice is there once.
pub(crate) fn react(world: &mut World, visit: &Visit) -> Handled {
    let (login, content) = (visit.login(), visit.text("content").unwrap_or_default());
    let there = find(world, visit)?.reactions.iter().find(|(_, by, what)| *by == login && *what == content);
    if let Some(reaction) = there {
        return Ok(Answer::json(200, reaction_json(world, reaction)));
    }
    let reaction = (world.number(), login, content);
    let answer = reaction_json(world, &reaction);
    let comments = &mut visit.repo_mut(world).comments;
    comments.get_mut(&visit.number("comment_id")).expect("just found").reactions.push(reaction);
    Ok(Answer::json(201, answer))
}

fn reaction_json(world: &World, (id, login, content): &(u64, String, String)) -> Value {
    json!({ "id": id, "user": render::user(world, login), "content": content })
}
