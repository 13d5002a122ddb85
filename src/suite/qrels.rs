//! Relevance judgements of one case: what is relevant, in which groups, and what must not appear.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::canon::Digest;
use crate::name::Name;

/// How many of a case's expected targets an answer must find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchMode {
    /// Each expected target is wanted: recall, NDCG and the like count them all.
    #[default]
    All,
    /// One right answer is enough: all expected targets form one group.
    Any,
}

/// What a case asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CaseKind {
    /// It has targets: it enters hit, MRR, NDCG, precision, recall, zero-result and context figures.
    Scored,
    /// `expectNoResult`: it enters the false-positive rate only.
    Negative,
    /// Neither: it is listed, and at most its forbidden targets are looked at.
    Unscored,
}

/// The judgements, validated: names are inside the tree, expected targets have no grade of 0, and a negative case has
/// no targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Qrels {
    targets: Vec<Name>,
    grades: BTreeMap<Name, u32>,
    aliases: Vec<Vec<Name>>,
    forbidden: Vec<Name>,
    expect_no_result: bool,
}

/// Why judgements are refused. Each names the field and the target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QrelsProblem {
    /// An absolute path or one that climbs out of the repository.
    #[error(
        "{field} names `{target}`, which lies outside the tree; write it relative to the repository's root"
    )]
    OutsideTheTree {
        /// The metadata key.
        field: &'static str,
        /// The name as normalised.
        target: Name,
    },
    /// Nothing is left of the name.
    #[error("{field} holds an empty name; remove it")]
    EmptyName {
        /// The metadata key.
        field: &'static str,
    },
    /// An expected target that is graded as worthless.
    #[error(
        "grades gives `{target}` a 0, but expectedTargets expects it; raise the grade or drop the target"
    )]
    ExpectedButWorthless {
        /// The target.
        target: Name,
    },
    /// A target that is wanted and forbidden at once.
    #[error("`{target}` is both expected and forbidden; keep one of the two")]
    ExpectedButForbidden {
        /// The target.
        target: Name,
    },
    /// `expectNoResult` beside targets.
    #[error("expectNoResult is true, but there are targets; a negative case has none")]
    NegativeWithTargets,
}

impl Qrels {
    /// Validates judgements. Repeated names are kept once, the first place counts.
    pub fn new(
        targets: Vec<Name>,
        grades: BTreeMap<Name, u32>,
        aliases: Vec<Vec<Name>>,
        forbidden: Vec<Name>,
        expect_no_result: bool,
    ) -> Result<Self, QrelsProblem> {
        let fields = [
            ("expectedTargets", targets.iter().collect::<Vec<_>>()),
            ("grades", grades.keys().collect()),
            ("aliases", aliases.iter().flatten().collect()),
            ("forbiddenTargets", forbidden.iter().collect()),
        ];
        for (field, names) in fields {
            for name in names {
                if name.is_empty() {
                    return Err(QrelsProblem::EmptyName { field });
                }
                if name.escapes() {
                    return Err(QrelsProblem::OutsideTheTree { field, target: name.clone() });
                }
            }
        }
        if expect_no_result && !(targets.is_empty() && grades.is_empty()) {
            return Err(QrelsProblem::NegativeWithTargets);
        }
        let qrels = Self {
            targets: unique(targets),
            grades,
            aliases,
            forbidden: unique(forbidden),
            expect_no_result,
        };
        for target in &qrels.targets {
            if qrels.grades.get(target) == Some(&0) {
                return Err(QrelsProblem::ExpectedButWorthless { target: target.clone() });
            }
        }
        let expected = qrels.groups(MatchMode::All).into_iter().filter(|group| group.expected);
        for name in expected.flat_map(|group| group.names) {
            if qrels.forbidden.contains(&name) {
                return Err(QrelsProblem::ExpectedButForbidden { target: name });
            }
        }
        Ok(qrels)
    }

    /// Judgements that expect exactly these targets.
    pub fn expecting(targets: &[&str]) -> Result<Self, QrelsProblem> {
        let targets = targets.iter().map(|target| Name::new(target)).collect();
        Self::new(targets, BTreeMap::new(), Vec::new(), Vec::new(), false)
    }

    /// What the case asks.
    pub fn kind(&self) -> CaseKind {
        match (self.targets.is_empty(), self.expect_no_result) {
            (false, _) => CaseKind::Scored,
            (true, true) => CaseKind::Negative,
            (true, false) => CaseKind::Unscored,
        }
    }

    /// A retriever is asked: there is something to judge in its answer.
    pub fn is_asked(&self) -> bool {
        self.kind() != CaseKind::Unscored || !self.forbidden.is_empty()
    }

    /// The expected targets, in the order of the suite.
    pub fn targets(&self) -> &[Name] {
        &self.targets
    }

    /// The grades given, expected or not.
    pub fn grades(&self) -> &BTreeMap<Name, u32> {
        &self.grades
    }

    /// Names and grades as a table of judgements has them: expected ones first, 1 where no grade is given.
    pub fn table(&self) -> impl Iterator<Item = (&Name, u32)> {
        let grade = |name| self.grades.get(name).copied().unwrap_or(1);
        let targets = self.targets.iter().map(move |name| (name, grade(name)));
        let graded = self.grades.iter().filter(|(name, _)| !self.targets.contains(name));
        targets.chain(graded.map(|(name, grade)| (name, *grade)))
    }

    /// The sets of names for one and the same thing.
    pub fn aliases(&self) -> &[Vec<Name>] {
        &self.aliases
    }

    /// Targets that must not appear in the top three.
    pub fn forbidden(&self) -> &[Name] {
        &self.forbidden
    }

    /// The case wants an empty answer.
    pub fn expects_no_result(&self) -> bool {
        self.expect_no_result
    }

    /// The groups of names that count as one answer, expected ones first.
    ///
    /// Each target is its own group; aliases join theirs; with [`MatchMode::Any`] all expected ones form one. A
    /// group's grade is the largest of its members', 1 where none is graded. Alias sets that touch no target or grade
    /// mean nothing and are left out.
    pub fn groups(&self, mode: MatchMode) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let named = self.targets.iter().chain(self.grades.keys());
        for name in named {
            if !groups.iter().any(|group| group.names.contains(name)) {
                groups.push(self.group_around(name));
            }
        }
        if mode == MatchMode::Any {
            let (expected, mut rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.expected);
            if let Some(one) = expected.into_iter().reduce(Group::join) {
                rest.insert(0, one);
            }
            groups = rest;
        }
        groups.sort_by_key(|group| !group.expected);
        groups
    }

    /// The name and everything that alias sets join to it, transitively.
    fn group_around(&self, name: &Name) -> Group {
        let mut names = vec![name.clone()];
        let mut at = 0;
        while at < names.len() {
            let current = names[at].clone();
            for set in self.aliases.iter().filter(|set| set.contains(&current)) {
                let fresh: Vec<_> = set.iter().filter(|alias| !names.contains(alias)).cloned().collect();
                names.extend(fresh);
            }
            at += 1;
        }
        let names = unique(names);
        Group {
            grade: names.iter().filter_map(|name| self.grades.get(name)).copied().max().unwrap_or(1),
            expected: names.iter().any(|name| self.targets.contains(name)),
            names,
        }
    }

    /// Hash of everything that changes a case's score: its input and judgements, in an order that does not matter.
    pub fn digest(&self, input: &str) -> Digest {
        let sorted = |names: &[Name]| {
            let mut names = names.to_vec();
            names.sort();
            names
        };
        let mut aliases: Vec<_> = self.aliases.iter().map(|set| sorted(set)).collect();
        aliases.sort();
        let grades: BTreeMap<&str, u32> =
            self.grades.iter().map(|(name, grade)| (name.as_str(), *grade)).collect();
        Digest::of_json(&json!({
            "input": input,
            "expectedTargets": sorted(&self.targets),
            "grades": grades,
            "aliases": aliases,
            "forbiddenTargets": sorted(&self.forbidden),
            "expectNoResult": self.expect_no_result,
        }))
    }
}

/// Names of one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Any of these matches.
    pub names: Vec<Name>,
    /// The gain in NDCG.
    pub grade: u32,
    /// It is wanted; a group that is only graded counts in NDCG alone.
    pub expected: bool,
}

impl Group {
    fn join(mut self, other: Self) -> Self {
        self.names.extend(other.names);
        self.grade = self.grade.max(other.grade);
        self
    }
}

fn unique(names: Vec<Name>) -> Vec<Name> {
    let mut kept: Vec<Name> = Vec::with_capacity(names.len());
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<Name> {
        texts.iter().map(|text| Name::new(text)).collect()
    }

    fn graded(pairs: &[(&str, u32)]) -> BTreeMap<Name, u32> {
        pairs.iter().map(|(name, grade)| (Name::new(name), *grade)).collect()
    }

    #[test]
    fn aliases_form_one_group_with_the_largest_grade() {
        let qrels = Qrels::new(
            names(&["a", "b"]),
            graded(&[("a", 1), ("a2", 3)]),
            vec![names(&["a", "a1"]), names(&["a1", "a2"])],
            vec![],
            false,
        )
        .expect("valid");
        let groups = qrels.groups(MatchMode::All);
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[0], Group { names: names(&["a", "a1", "a2"]), grade: 3, expected: true });
        assert_eq!(groups[1], Group { names: names(&["b"]), grade: 1, expected: true });
    }

    #[test]
    fn match_any_makes_one_group_of_the_expected_and_leaves_the_graded_alone() {
        let qrels = Qrels::new(names(&["a", "b"]), graded(&[("b", 2), ("c", 1)]), vec![], vec![], false)
            .expect("valid");
        let groups = qrels.groups(MatchMode::Any);
        assert_eq!(groups[0], Group { names: names(&["a", "b"]), grade: 2, expected: true });
        assert_eq!(groups[1], Group { names: names(&["c"]), grade: 1, expected: false });
    }

    #[test]
    fn contradictions_are_refused() {
        let refused = |qrels: Result<Qrels, QrelsProblem>| qrels.expect_err("must be refused").to_string();
        assert!(refused(Qrels::expecting(&["../x"])).contains("outside the tree"));
        assert!(refused(Qrels::expecting(&["./"])).contains("empty name"));
        assert!(
            refused(Qrels::new(names(&["a"]), graded(&[("a", 0)]), vec![], vec![], false)).contains("a 0")
        );
        assert!(refused(Qrels::new(names(&["a"]), graded(&[]), vec![], vec![], true)).contains("negative"));
        let aliased = Qrels::new(names(&["a"]), graded(&[]), vec![names(&["a", "b"])], names(&["b"]), false);
        assert!(refused(aliased).contains("both expected and forbidden"));
    }

    #[test]
    fn the_digest_ignores_order_and_sees_every_judgement() {
        let digest = |targets: &[&str]| Qrels::expecting(targets).expect("valid").digest("q");
        assert_eq!(digest(&["a", "b"]), digest(&["b", "a"]));
        assert_ne!(digest(&["a"]), digest(&["a", "b"]));
        assert_ne!(
            Qrels::expecting(&["a"]).expect("valid").digest("q"),
            Qrels::expecting(&["a"]).expect("valid").digest("r")
        );
    }
}
