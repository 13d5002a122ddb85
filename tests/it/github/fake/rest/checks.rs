//! Check runs.

use std::collections::BTreeSet;

use rankhold::github::Sha;
use serde_json::{Value, json};

use crate::github::fake::answer::{Answer, Handled};
use crate::github::fake::render;
use crate::github::fake::visit::Visit;
use crate::github::fake::world::{Check, World};

/// The longest summary and text, in characters.
const LONGEST: usize = 65_535;

/// The most annotations of one request; more come with later ones.
const ANNOTATIONS: usize = 50;

/// The longest title of an annotation, in characters.
const TITLE: usize = 255;

/// The longest message of an annotation, in bytes.
const MESSAGE: usize = 64 << 10;

fn find<'a>(world: &'a World, visit: &Visit) -> Result<&'a Check, Answer> {
    visit.repo(world).checks.get(&visit.number("check_run_id")).ok_or_else(Answer::not_found)
}

pub(crate) fn get(world: &mut World, visit: &Visit) -> Handled {
    Ok(Answer::json(200, render::check(visit.repo(world), find(world, visit)?)))
}

pub(crate) fn create(world: &mut World, visit: &Visit) -> Handled {
    let head = visit.text("head_sha").unwrap_or_default();
    let commit = Sha::new(&head).filter(|sha| world.graph.get(sha).is_some());
    let commit = commit.ok_or_else(|| Answer::no_commit(&head))?;
    let app = visit.app().expect("people are turned away at the door").clone();
    let (id, name) = (world.number(), visit.text("name").unwrap_or_default());
    let mut check = Check::queued(id, app, name, commit, world.now());
    apply(&mut check, &visit.body, &world.now())?;
    let answer = render::check(visit.repo(world), &check);
    visit.repo_mut(world).checks.insert(check.id, check);
    Ok(Answer::json(201, answer))
}

/// Only the app that made it may change it.
pub(crate) fn update(world: &mut World, visit: &Visit) -> Handled {
    let mut check = find(world, visit)?.clone();
    if visit.app() != Some(&check.app) {
        let app = check.app.id;
        let message = format!(
            "Invalid app_id `{app}` - check run can only be modified by the GitHub App that created it."
        );
        return Err(Answer::refusal(403, &message));
    }
    apply(&mut check, &visit.body, &world.now())?;
    let answer = render::check(visit.repo(world), &check);
    visit.repo_mut(world).checks.insert(check.id, check);
    Ok(Answer::json(200, answer))
}

/// The fields of a request. The output is replaced as a whole: GitHub does not say what becomes of a text that is not sent
/// again, so whoever wants to keep it must send it. Annotations are added.
fn apply(check: &mut Check, body: &Value, now: &str) -> Result<(), Answer> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    within_limits(&body["output"])?;
    if let Some(name) = text(&body["name"]) {
        check.name = name;
    }
    if let Some(id) = text(&body["external_id"]) {
        check.external_id = id;
    }
    if let Some(url) = text(&body["details_url"]) {
        check.details_url = Some(url);
    }
    match (text(&body["status"]).as_deref(), text(&body["conclusion"])) {
        (_, Some(conclusion)) if conclusion == "stale" => {
            return Err(invalid("only GitHub makes a check run stale"));
        }
        (_, Some(conclusion)) => {
            "completed".clone_into(&mut check.status);
            check.conclusion = Some(conclusion);
            check.completed = Some(now.to_owned());
        }
        (Some("completed"), None) => return Err(invalid("`conclusion` is missing")),
        (Some(status), None) => {
            status.clone_into(&mut check.status);
            (check.conclusion, check.completed) = (None, None);
        }
        (None, None) => {}
    }
    if let Some(output) = body.get("output") {
        check.title = text(&output["title"]).or(check.title.take());
        check.summary = text(&output["summary"]);
        check.text = text(&output["text"]);
        check.annotations.extend(output["annotations"].as_array().into_iter().flatten().cloned());
    }
    Ok(())
}

fn within_limits(output: &Value) -> Result<(), Answer> {
    let characters = |value: &Value| value.as_str().map_or(0, |text| text.chars().count());
    let too_long = |most: usize, found: usize| {
        Err(invalid(&format!("Only {most} characters are allowed; {found} were supplied.")))
    };
    for field in ["summary", "text"] {
        let found = characters(&output[field]);
        if found > LONGEST {
            return too_long(LONGEST, found);
        }
    }
    let none = Vec::new();
    let annotations = output["annotations"].as_array().unwrap_or(&none);
    if annotations.len() > ANNOTATIONS {
        let found = annotations.len();
        return Err(invalid(&format!(
            "No more than {ANNOTATIONS} items are allowed; {found} were supplied."
        )));
    }
    for annotation in annotations {
        if characters(&annotation["title"]) > TITLE {
            return too_long(TITLE, characters(&annotation["title"]));
        }
        let message = annotation["message"].as_str().map_or(0, str::len);
        if message > MESSAGE {
            return too_long(MESSAGE, message);
        }
    }
    Ok(())
}

fn invalid(message: &str) -> Answer {
    Answer::refusal(422, &format!("Invalid request.\n\n{message}"))
}

/// Newest first; `latest` shows the newest of each name and app.
pub(crate) fn list(world: &mut World, visit: &Visit) -> Handled {
    let name = visit.parameter("ref");
    let commit = visit.commit(world, name).ok_or_else(|| Answer::no_commit(name))?;
    let asked = |name: &str, value: &str| visit.query.get(name).is_none_or(|wanted| wanted == value);
    let latest = visit.query.get("filter").is_none_or(|filter| filter == "latest");
    let mut seen = BTreeSet::new();
    let checks = world.checks(&visit.repository, &commit).into_iter().rev().filter(|check| {
        let newest = seen.insert((check.app.id, check.name.clone()));
        (newest || !latest)
            && asked("check_name", &check.name)
            && asked("status", &check.status)
            && asked("app_id", &check.app.id.to_string())
    });
    visit.counted("check_runs", checks.map(|check| render::check(visit.repo(world), check)).collect())
}

pub(crate) fn annotations(world: &mut World, visit: &Visit) -> Handled {
    let annotations = find(world, visit)?.annotations.iter().map(|annotation| {
        let mut annotation = annotation.clone();
        annotation["blob_href"] = json!("https://github.invalid/blob");
        annotation
    });
    visit.list(annotations.collect())
}
