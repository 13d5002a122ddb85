//! Markdown for a pull-request comment, a check or a job summary, from `templates/`.

use super::view::View;
use super::{Options, TemplateProblem, budget, template};

/// Renders within the budget; by the repository's own template if there is one.
pub(super) fn render(view: &View, options: &Options) -> Result<String, TemplateProblem> {
    match &options.template {
        None => budget::fit(view, options.budget, |view| template::ours("report.md.j2", view)),
        Some(theirs) => {
            let text = template::theirs(theirs, &budget::bounded(view, options.budget))?;
            Ok(budget::cut(&text, options.budget))
        }
    }
}
