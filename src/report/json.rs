//! The view as it is, for programs. `docs/templates.md` describes every field.

use serde::Serialize;

use super::view::View;
use super::{Options, TemplateProblem, place};

/// Two-space indent, the verdict first, a line break at the end; complete, whatever its size.
#[expect(clippy::unnecessary_wraps, reason = "every format has this signature")]
pub(super) fn render(view: &View, _: &Options) -> Result<String, TemplateProblem> {
    Ok(text(view))
}

pub(super) fn text<T: Serialize>(view: &T) -> String {
    let text = serde_json::to_string_pretty(view).expect("views serialise");
    format!("{}\n", place::json(&text))
}
