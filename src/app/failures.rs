//! What the queries of one pair met, said once and not once for each.

use std::collections::BTreeSet;

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

/// Different texts of one class that are told one by one. Where there are more, each most likely quotes its own query.
const TOLD: usize = 3;

/// The queries without an answer, of so many that were asked.
pub(super) struct Failures<'a> {
    asked: usize,
    queries: &'static str,
    met: Vec<&'a (CaseId, QueryError)>,
}

impl<'a> Failures<'a> {
    /// Of a measurement.
    pub(super) fn of(measured: &'a Measured) -> Self {
        Self::new(measured.timings.queries_us.len(), &measured.failures)
    }

    /// Of a measurement, those queries alone that have targets; all of them where none has. What finds nothing answers a
    /// query that has nothing to find by accident.
    pub(super) fn of_scored(measured: &'a Measured) -> Self {
        let cases = &measured.result.cases;
        let scored: BTreeSet<_> =
            cases.iter().filter(|case| !case.targets().is_empty()).map(|case| &case.id).collect();
        let all = Self::of(measured);
        if scored.is_empty() || scored.len() == all.asked {
            return all;
        }
        let met = all.met.into_iter().filter(|(case, _)| scored.contains(case)).collect();
        Self { asked: scored.len(), queries: "queries with targets", met }
    }

    /// In the order of the suite.
    pub(super) fn new(asked: usize, failures: &'a [(CaseId, QueryError)]) -> Self {
        let queries = if asked == 1 { "query" } else { "queries" };
        Self { asked, queries, met: failures.iter().collect() }
    }

    /// Not one query was answered.
    fn are_all(&self) -> bool {
        !self.met.is_empty() && self.met.len() == self.asked
    }

    /// What happened, if not one query was answered.
    pub(super) fn cause_of_all(&self) -> Option<String> {
        self.cause().filter(|_| self.are_all())
    }

    /// What happened, in one sentence: what all of them met, else the first.
    pub(super) fn cause(&self) -> Option<String> {
        self.lines().into_iter().next()
    }

    /// What to do about what [`Failures::cause`] says, where that is known.
    pub(super) fn advice(&self) -> Option<String> {
        self.met.first().and_then(|(_, error)| error.advice.clone())
    }

    /// A sentence for everything that happened, in the order of the suite.
    pub(super) fn lines(&self) -> Vec<String> {
        self.groups().iter().map(|group| self.line(group)).collect()
    }

    /// A sentence for each query whose own is not among [`Failures::lines`].
    pub(super) fn untold(&self) -> Vec<String> {
        let groups = self.groups().into_iter().filter(|group| group.len() > 1);
        groups.flatten().map(one).collect()
    }

    fn line(&self, group: &[&(CaseId, QueryError)]) -> String {
        let (case, error) = group[0];
        if group.len() == 1 && self.asked > 1 {
            return one(group[0]);
        }
        let (class, detail) = told(error);
        let (count, asked, queries) = (group.len(), self.asked, self.queries);
        let same = group.iter().all(|(_, other)| other == error);
        let what = if same {
            format!("failed: {class}: {detail}")
        } else {
            format!("failed ({class}); the first, {}: {detail}", shown(case))
        };
        if count == asked {
            return format!("{count} of {asked} {queries} {what}");
        }
        let mut cases: Vec<_> = group.iter().take(LISTED).map(|(case, _)| shown(case)).collect();
        if count > LISTED {
            cases.push(format!("{} more", count - LISTED));
        }
        format!("{count} of {asked} {queries} {what} (cases {})", cases.join(", "))
    }

    /// Those that met exactly the same, and those of a class with many texts, in the order of their first.
    fn groups(&self) -> Vec<Vec<&'a (CaseId, QueryError)>> {
        let alike = self.grouped(|one, other| one == other);
        let texts = |class| alike.iter().filter(|group| group[0].1.class == class).count();
        let is_one = |class| texts(class) > TOLD || (self.are_all() && texts(class) == alike.len());
        self.grouped(|one, other| one == other || (one.class == other.class && is_one(one.class)))
    }

    fn grouped(
        &self,
        together: impl Fn(&QueryError, &QueryError) -> bool,
    ) -> Vec<Vec<&'a (CaseId, QueryError)>> {
        let mut groups: Vec<Vec<&'a (CaseId, QueryError)>> = Vec::new();
        for failure in &self.met {
            match groups.iter_mut().find(|group| together(&group[0].1, &failure.1)) {
                Some(group) => group.push(failure),
                None => groups.push(vec![failure]),
            }
        }
        groups
    }
}

/// A sentence for one query.
fn one((case, error): &(CaseId, QueryError)) -> String {
    let (class, detail) = told(error);
    format!("case {} failed: {class}: {detail}", shown(case))
}

fn told(error: &QueryError) -> (ErrorClass, String) {
    (error.class, place::terminal(&error.told(), DETAIL))
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
    fn many_texts_of_one_class_are_one_line_and_a_few_are_each_told() {
        let (died, tool) = (ErrorClass::Died, ErrorClass::Tool);
        let met = [
            ("a", tool, "no a"),
            ("b", died, "x"),
            ("c", tool, "no c"),
            ("d", tool, "no d"),
            ("e", tool, "no e"),
            ("f", tool, "no f"),
            ("g", tool, "no g"),
        ];
        assert_eq!(
            lines(8, &met),
            [
                "6 of 8 queries failed (tool); the first, a: no a (cases a, c, d, e, f, 1 more)",
                "case b failed: died: x"
            ]
        );
        let failures = failed(&met);
        let untold = Failures::new(8, &failures).untold();
        assert_eq!(untold.len(), 6);
        assert_eq!(untold[5], "case g failed: tool: no g");
        assert_eq!(lines(8, &met[..4]).len(), 4);
        assert_eq!(Failures::new(8, &failures[..4]).untold(), [""; 0]);
    }

    #[test]
    fn a_long_name_is_cut() {
        let line = lines(2, &[(&"x".repeat(100_000), ErrorClass::Died, &"y".repeat(100_000))]).remove(0);
        assert!(line.chars().count() < 1000, "{}", line.len());
    }
}
