//! The repository itself, and who may do what in it.

use serde_json::json;

use crate::github::fake::answer::{Answer, Handled};
use crate::github::fake::render;
use crate::github::fake::token::Grant;
use crate::github::fake::visit::Visit;
use crate::github::fake::world::World;

/// Whose token it is. An app's is nobody's.
pub(crate) fn user(world: &mut World, visit: &Visit) -> Handled {
    match &visit.grant {
        Some(Grant::Person { login }) => Ok(Answer::json(200, render::user(world, login))),
        _ => Err(Answer::forbidden()),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "every handler has this shape")]
pub(crate) fn repository(world: &mut World, visit: &Visit) -> Handled {
    Ok(Answer::json(200, render::repository(world, visit.repo(world))))
}

/// Whoever asks must be able to write; an app may ask about its repository. `permission` is the older, coarser word, `role_name` the exact one; a public repository is read by everybody.
pub(crate) fn permission(world: &mut World, visit: &Visit) -> Handled {
    let login = visit.parameter("username");
    let asks = match &visit.grant {
        None => return Err(Answer::refusal(401, "Requires authentication")),
        Some(Grant::App { .. }) => true,
        Some(Grant::Person { login }) => {
            let role = visit.repo(world).roles.get(login).map(String::as_str);
            !matches!(role, None | Some("read" | "triage"))
        }
    };
    if !asks {
        // GitHub's words (yegor256/rultor#1407).
        return Err(Answer::refusal(403, "Must have push access to view collaborator permission."));
    }
    if !world.users.contains_key(login) {
        return Err(Answer::refusal(404, &format!("{login} is not a user")));
    }
    let repository = visit.repo(world);
    let nothing = if repository.private { "none" } else { "read" };
    let role = repository.roles.get(login).map_or(nothing, String::as_str);
    let permission = match role {
        "admin" | "read" | "none" => role,
        "triage" => "read",
        // maintain, write, and whatever an organisation calls its own roles.
        _ => "write",
    };
    let mut user = render::user(world, login);
    user["role_name"] = json!(role);
    Ok(Answer::json(200, json!({ "permission": permission, "role_name": role, "user": user })))
}
