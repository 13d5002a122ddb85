//! What the queries of one pair met, said once and not once for each.

use crate::measure::Measured;
use crate::ranking::ErrorClass;
use crate::report::place;
use crate::retriever::QueryError;
use crate::suite::CaseId;

/// The longest a case's id is printed.
const ID: usize = 60;

/// The longest what happened is printed: a tool's words may be many.
const DETAIL: usize = 800;

/// Case ids that are listed of many that met the same.
const LISTED: usize = 5;

/// The queries without an answer, of so many that were asked.
pub(super) struct Failures<'a> {
    asked: usize,
    failures: &'a [(CaseId, QueryError)],
}

impl<'a> Failures<'a> {
    /// Of a measurement.
    pub(super) fn of(measured: &'a Measured) -> Self {
        Self::new(measured.timings.queries_us.len(), &measured.failures)
    }

    /// In the order of the suite.
    pub(super) fn new(asked: usize, failures: &'a [(CaseId, QueryError)]) -> Self {
        Self { asked, failures }
    }

    /// Not one query was answered.
    fn are_all(&self) -> bool {
        !self.failures.is_empty() && self.failures.len() == self.asked
    }

    /// What happened, if not one query was answered.
    pub(super) fn cause_of_all(&self) -> Option<String> {
        self.cause().filter(|_| self.are_all())
    }

    /// What happened, in one sentence: what all of them met, else the first.
    pub(super) fn cause(&self) -> Option<String> {
        self.lines().into_iter().next()
    }

    /// A sentence for everything that happened, in the order of the suite.
    pub(super) fn lines(&self) -> Vec<String> {
        let Some((first, error)) = self.failures.first() else { return Vec::new() };
        let same_class = self.failures.iter().all(|(_, other)| other.class == error.class);
        let groups = self.groups();
        if self.are_all() && same_class && groups.len() > 1 {
            let (class, detail) = told(error);
            return vec![format!(
                "{0} of {0} queries failed ({class}); the first, {1}: {detail}",
                self.asked,
                shown(first)
            )];
        }
        groups.iter().map(|group| self.line(group)).collect()
    }

    fn line(&self, group: &[&(CaseId, QueryError)]) -> String {
        let (case, error) = group[0];
        let (class, detail) = told(error);
        if group.len() == 1 && self.asked > 1 {
            return format!("case {} failed: {class}: {detail}", shown(case));
        }
        let (count, asked) = (group.len(), self.asked);
        if count == asked {
            let queries = if asked == 1 { "query" } else { "queries" };
            return format!("{count} of {asked} {queries} failed: {class}: {detail}");
        }
        let mut cases: Vec<_> = group.iter().take(LISTED).map(|(case, _)| shown(case)).collect();
        if count > LISTED {
            cases.push(format!("{} more", count - LISTED));
        }
        format!("{count} of {asked} queries failed: {class}: {detail} (cases {})", cases.join(", "))
    }

    /// Those that met exactly the same, in the order of their first.
    fn groups(&self) -> Vec<Vec<&'a (CaseId, QueryError)>> {
        let mut groups: Vec<Vec<&'a (CaseId, QueryError)>> = Vec::new();
        for failure in self.failures {
            match groups.iter_mut().find(|group| group[0].1 == failure.1) {
                Some(group) => group.push(failure),
                None => groups.push(vec![failure]),
            }
        }
        groups
    }
}

fn told(error: &QueryError) -> (ErrorClass, String) {
    (error.class, place::terminal(&error.detail, DETAIL))
}

fn shown(case: &CaseId) -> String {
    place::terminal(&case.0, ID)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(cases: &[(&str, ErrorClass, &str)]) -> Vec<(CaseId, QueryError)> {
        cases
            .iter()
            .map(|(case, class, detail)| (CaseId((*case).into()), QueryError::new(*class, *detail)))
            .collect()
    }

    fn lines(asked: usize, cases: &[(&str, ErrorClass, &str)]) -> Vec<String> {
        Failures::new(asked, &failed(cases)).lines()
    }

    #[test]
    fn what_many_met_is_said_once() {
        let (died, tool) = (ErrorClass::Died, ErrorClass::Tool);
        assert_eq!(lines(2, &[("a", died, "x"), ("b", died, "x")]), ["2 of 2 queries failed: died: x"]);
        assert_eq!(
            lines(3, &[("a", died, "x"), ("b", died, "x")]),
            ["2 of 3 queries failed: died: x (cases a, b)"]
        );
        assert_eq!(
            lines(2, &[("a", tool, "no a"), ("b", tool, "no b")]),
            ["2 of 2 queries failed (tool); the first, a: no a"]
        );
        assert_eq!(
            lines(3, &[("a", tool, "no a"), ("b", died, "x")]),
            ["case a failed: tool: no a", "case b failed: died: x"]
        );
        assert_eq!(lines(1, &[("a", tool, "no")]), ["1 of 1 query failed: tool: no"]);
        let many: Vec<_> =
            (0..9).map(|at| (["a", "b", "c", "d", "e", "f", "g", "h", "i"][at], died, "x")).collect();
        assert_eq!(lines(10, &many), ["9 of 10 queries failed: died: x (cases a, b, c, d, e, 4 more)"]);
        assert!(lines(4, &[]).is_empty());
    }

    #[test]
    fn a_long_name_is_cut() {
        let line = lines(2, &[(&"x".repeat(100_000), ErrorClass::Died, &"y".repeat(100_000))]).remove(0);
        assert!(line.chars().count() < 1000, "{}", line.len());
    }
}
