//! What is said where there is no report: why nothing was judged, or why nobody could judge.

use serde::Serialize;

use super::{TemplateProblem, template};

/// As markdown: nobody gave a verdict, for this reason; and what to do next.
pub fn no_verdict(message: &str, hint: Option<&str>) -> Result<String, TemplateProblem> {
    #[derive(Serialize)]
    struct NoVerdict<'a> {
        message: &'a str,
        hint: Option<&'a str>,
    }
    template::ours("no-verdict.md.j2", &NoVerdict { message, hint })
}

/// As markdown: there was nothing to judge, for this reason (a sentence without its full stop).
pub fn idle_summary(why: &str) -> Result<String, TemplateProblem> {
    #[derive(Serialize)]
    struct Idle<'a> {
        why: &'a str,
    }
    template::ours("idle.md.j2", &Idle { why })
}
