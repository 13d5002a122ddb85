//! The template engine: strict about what is undefined, blind to the file system, and inert by default.
//!
//! Whatever a template prints without naming a place is escaped as inline text ([`place::text`]), so that a template
//! that forgets a filter is ugly at worst. There is no filter that lifts this.

use std::panic::resume_unwind;
use std::thread;

use minijinja::value::{Kwargs, Serde, ValueKind};
use minijinja::{
    AutoEscape, Environment, Error, Output, State, UndefinedBehavior, Value, syntax::SyntaxConfig,
};
use serde::Serialize;

use super::place;
use crate::error::{Blame, Blamed, docs};

/// Our own templates, by the name they import each other with.
const OURS: [(&str, &str); 10] = [
    ("words.md.j2", include_str!("../../templates/words.md.j2")),
    ("pair.md.j2", include_str!("../../templates/pair.md.j2")),
    ("report.md.j2", include_str!("../../templates/report.md.j2")),
    ("table.md.j2", include_str!("../../templates/table.md.j2")),
    ("footer.md.j2", include_str!("../../templates/footer.md.j2")),
    ("reply.md.j2", include_str!("../../templates/reply.md.j2")),
    ("proposal.md.j2", include_str!("../../templates/proposal.md.j2")),
    ("candidates.md.j2", include_str!("../../templates/candidates.md.j2")),
    ("no-verdict.md.j2", include_str!("../../templates/no-verdict.md.j2")),
    ("idle.md.j2", include_str!("../../templates/idle.md.j2")),
];

/// The longest text a template prints without saying how long it may be.
const LIMIT: usize = 2000;

/// What a template may do: a million steps, or 64 MiB of values, far more than any report takes. It also bounds how deep
/// values may lie in each other.
const FUEL: u64 = 1_000_000;

/// Bytes of a template. It bounds how long a chain of operators may be.
const LARGEST: usize = 64 << 10;

/// The engine calls itself once for each operator of a chain and each level of a value. This holds the deepest of both
/// that [`LARGEST`] and [`FUEL`] let through, and is taken from memory only as far as it is used.
const STACK: usize = 512 << 20;

/// A template of the repository (`[report] template`), read by the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its path, for messages.
    pub name: String,
    /// Its text.
    pub source: String,
}

/// A template that cannot be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the template {name}{}: {message}", line.map(|line| format!(", line {line}")).unwrap_or_default())]
pub struct TemplateProblem {
    /// Its path.
    pub name: String,
    /// 1-based.
    pub line: Option<usize>,
    /// What is wrong there.
    pub message: String,
    ours: bool,
}

impl Blamed for TemplateProblem {
    fn blame(&self) -> Blame {
        if self.ours { Blame::Bug } else { Blame::User }
    }

    fn hint(&self) -> Option<String> {
        (!self.ours).then(|| concat!("every field and filter: ", docs!("templates.md")).to_owned())
    }
}

impl TemplateProblem {
    fn new(name: &str, error: &Error) -> Self {
        let message = match error.detail() {
            Some(detail) => format!("{}: {detail}", error.kind()),
            None => error.kind().to_string(),
        };
        Self {
            name: error.name().unwrap_or(name).to_owned(),
            line: error.line(),
            message,
            ours: OURS.iter().any(|(ours, _)| *ours == name),
        }
    }
}

/// Renders one of our own templates.
pub(super) fn ours<T: Serialize>(name: &str, view: &T) -> Result<String, TemplateProblem> {
    let rendered = environment().get_template(name).and_then(|template| template.render(context(view)));
    rendered.map(|text| tidy(&text)).map_err(|error| TemplateProblem::new(name, &error))
}

/// Renders a repository's template, on a thread whose stack it cannot exhaust. It may import ours.
pub(super) fn theirs<T: Serialize + Sync>(template: &Template, view: &T) -> Result<String, TemplateProblem> {
    let problem = |message| TemplateProblem { name: template.name.clone(), line: None, message, ours: false };
    if template.source.len() > LARGEST {
        let message = format!("has {} bytes, and no more than {LARGEST} are read", template.source.len());
        return Err(problem(message));
    }
    let render = || {
        let mut environment = environment();
        environment.set_fuel(Some(FUEL));
        let rendered = environment.render_named_str(&template.name, &template.source, context(view));
        rendered
            .map_err(|error| TemplateProblem { ours: false, ..TemplateProblem::new(&template.name, &error) })
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, render);
        let thread =
            thread.map_err(|error| problem(format!("no thread could be started for it: {error}")))?;
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn context<T: Serialize>(view: &T) -> Value {
    Value::from(Serde(view))
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    let syntax =
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("these delimiters are the usual ones"));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_debug(true);
    // Any escaping but none marks what a macro returns as ready; ours is done by the formatter.
    environment.set_auto_escape_callback(|_| AutoEscape::Custom("markdown".into()));
    environment.set_formatter(print);
    for name in ["safe", "escape", "e", "indent", "pprint"] {
        environment.remove_filter(name);
    }
    for (name, escape) in FILTERS {
        environment.add_filter(*name, move |value: String, limit: Option<usize>, rest: Kwargs| {
            rest.assert_all_used()?;
            Ok::<_, Error>(Value::from_safe_string(escape(&value, limit.unwrap_or(LIMIT))))
        });
    }
    environment.add_filter("join", join);
    for (name, source) in OURS {
        environment.add_template(name, source).expect("our templates parse: a test renders each");
    }
    environment
}

type Escape = fn(&str, usize) -> String;

/// The places a template can put text in. Each takes the longest length it may have.
pub(super) const FILTERS: &[(&str, Escape)] = &[
    ("text", place::text),
    ("cell", place::text),
    ("link", place::text),
    ("html", place::html),
    ("code", place::code),
    ("sentence", place::sentence),
    ("fence", place::fence),
    ("url", place::url),
    ("terminal", place::terminal),
];

/// Joins texts; what no filter made ready is escaped as inline text.
#[expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over by value")]
fn join(values: Vec<Value>, separator: Option<Value>) -> Value {
    let separator = separator.as_ref().map(inert).unwrap_or_default();
    Value::from_safe_string(values.iter().map(inert).collect::<Vec<_>>().join(&separator))
}

fn print(out: &mut Output<'_>, _: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    out.write_str(&inert(value)).map_err(Error::from)
}

fn inert(value: &Value) -> String {
    match value.kind() {
        ValueKind::Number | ValueKind::Bool => value.to_string(),
        _ if value.is_safe() => value.to_string(),
        _ => spaced(&value.to_string()),
    }
}

/// Inert, with the blanks around it kept: a separator is mostly blank.
fn spaced(text: &str) -> String {
    let start = &text[..text.len() - text.trim_start_matches(' ').len()];
    let end = &text[text.trim_end_matches(' ').len()..];
    match text.trim_matches(' ') {
        "" => start.to_owned(),
        inner => format!("{}{}{}", blank(start), place::text(inner, LIMIT), blank(end)),
    }
}

fn blank(spaces: &str) -> &str {
    if spaces.is_empty() { "" } else { " " }
}

/// Blank lines come one at a time, and the text ends with one line break. What users wrote has no line breaks.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = true;
    for line in text.lines().map(str::trim_end) {
        if !(line.is_empty() && blank) {
            out.push_str(line);
            out.push('\n');
        }
        blank = line.is_empty();
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}
