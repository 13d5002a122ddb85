//! Measuring a system for a table beside others: every query several times, a few from a cold start, and which targets
//! it could not have found.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Instant;

use super::{Case, MeasureError, Measured, Plan, Reply, Run, Watch, asked, micros, with_prepared};
use crate::name::Name;
use crate::ranking::{Hit, Ranking};
use crate::retriever::{Deadline, Description, Query, StartUp};

/// The keys that say which files a system reads.
const REACH: &str = "`reads`, `skips` or `lists`";

/// How thoroughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thoroughness {
    /// How often every query is asked, as far as the run's time allows.
    pub repeats: usize,
    /// How many sessions are started to see what a first answer takes.
    pub cold_starts: usize,
}

/// What queries are asked for after the first pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// To see whether the answers are the same.
    Pass {
        /// Which pass it is, from 2.
        number: usize,
        /// How many are wanted.
        of: usize,
    },
    /// To see what a first answer takes.
    ColdStarts,
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass { number, of } => write!(f, "pass {number} of {of}"),
            Self::ColdStarts => f.write_str("cold starts"),
        }
    }
}

/// What came out.
#[derive(Debug)]
pub struct Thorough {
    /// The first pass, which the figures are of.
    pub measured: Measured,
    /// What the system says of itself.
    pub description: Description,
    /// Passes that came to their end, the first among them.
    pub repeats: usize,
    /// Asked cases that were answered in every pass, each time the same.
    pub steady: usize,
    /// Queries that failed in a pass after the first.
    pub failed_later: usize,
    /// Latencies that contain the start of a process, in microseconds; none of a system that starts none.
    pub cold_us: Vec<u64>,
    /// Latencies of a system that runs already; none of one that is started for each query.
    pub warm_us: Vec<u64>,
    /// Targets that are files of the corpus and that it leaves out; none if it does not say which files it reads. An error
    /// is why that is not known: it could not say so, or its own hits contradict it.
    pub unreachable: Result<Option<Vec<Name>>, String>,
}

/// Measures one pair thoroughly.
pub fn measure_thoroughly(
    plan: &Plan<'_>,
    how: Thoroughness,
    watch: &dyn Watch,
) -> Result<Thorough, MeasureError> {
    with_prepared(plan, |run| run.thoroughly(plan, how, watch))
}

impl Run<'_> {
    fn thoroughly(
        &self,
        plan: &Plan<'_>,
        how: Thoroughness,
        watch: &dyn Watch,
    ) -> Result<Thorough, MeasureError> {
        let asked = asked(plan.suite);
        watch.prepared(asked.len());
        let first = self.ask_all(plan, &asked, watch)?;
        let answers: Vec<_> = first.iter().map(names).collect();
        let start_up = self.prepared.start_up();
        let latencies = |replies: &[Reply]| {
            // The first query of a session waits for its process and whatever is loaded late.
            let late = usize::from(start_up == StartUp::EverySession);
            let answered = replies.iter().skip(late).filter(|(answer, _)| answer.is_ok());
            answered.map(|(_, took)| micros(*took)).collect::<Vec<_>>()
        };
        let mut same: Vec<bool> = answers.iter().map(Option::is_some).collect();
        let mut taken = latencies(&first);
        let mut found: BTreeSet<Name> = called(&first).cloned().collect();
        let measured = self.measured(plan, first);
        let (mut repeats, mut failed_later) = (1, 0);
        while repeats < how.repeats {
            watch.again(Round::Pass { number: repeats + 1, of: how.repeats }, asked.len());
            let again = self.ask_all(plan, &asked, watch)?;
            if self.deadline.passed() {
                break; // what timed out now says nothing about steadiness
            }
            for ((same, before), reply) in same.iter_mut().zip(&answers).zip(&again) {
                *same &= *before == names(reply);
            }
            found.extend(called(&again).cloned());
            failed_later += again.iter().filter(|(answer, _)| answer.is_err()).count();
            taken.extend(latencies(&again));
            repeats += 1;
        }
        let (cold_us, warm_us) = match start_up {
            StartUp::Never => (Vec::new(), taken),
            StartUp::EveryQuery => (taken, Vec::new()),
            StartUp::EverySession => (self.cold_starts(plan, &asked, how.cold_starts, watch), taken),
        };
        let unreachable = self.unreachable(plan, &found);
        self.check(plan)?;
        let steady = same.iter().filter(|same| **same).count();
        let description = self.description();
        Ok(Thorough { measured, description, repeats, steady, failed_later, cold_us, warm_us, unreachable })
    }

    /// From the start of a session, and of all that it needs to run, to its first answer, its index being there.
    fn cold_starts(&self, plan: &Plan<'_>, asked: &[&Case], count: usize, watch: &dyn Watch) -> Vec<u64> {
        let mut taken = Vec::new();
        let count = count.min(asked.len() * count);
        watch.again(Round::ColdStarts, count);
        for case in asked.iter().cycle().take(count) {
            if self.deadline.passed() {
                break;
            }
            self.prepared.rest();
            let start = Instant::now();
            let query = Query { id: &case.id.0, text: &case.input };
            let answered = self.prepared.open().is_ok_and(|mut session| {
                let deadline = Deadline::after(plan.retriever.timeout).min(self.deadline);
                session
                    .ready(self.deadline)
                    .and_then(|()| session.query(&query, plan.fetch, deadline))
                    .is_ok()
            });
            let took = start.elapsed();
            watch.asked();
            if answered {
                taken.push(micros(took));
            }
        }
        taken
    }

    /// Unless it was among what was `found`.
    fn unreachable(&self, plan: &Plan<'_>, found: &BTreeSet<Name>) -> Result<Option<Vec<Name>>, String> {
        let reach = self.prepared.reach().map_err(|why| self.stage.told(plan, &why))?;
        let Some(reach) = reach else { return Ok(None) };
        let reach: BTreeSet<Name> = reach.iter().map(|path| Name::new(path)).collect();
        let files: BTreeSet<Name> =
            plan.corpus.entries().iter().map(|entry| Name::new(&entry.path)).collect();
        if let Some(name) = found.iter().find(|name| files.contains(*name) && !reach.contains(*name)) {
            return Err(format!("it found `{name}`, which it is said to leave out; correct {REACH}"));
        }
        let targets: BTreeSet<&Name> =
            plan.suite.cases.iter().flat_map(|case| case.qrels.targets()).collect();
        let left_out = targets.into_iter().filter(|name| files.contains(*name) && !reach.contains(*name));
        Ok(Some(left_out.cloned().collect()))
    }
}

/// Everything that hits are called, by id or by path, as targets are.
fn called(replies: &[Reply]) -> impl Iterator<Item = &Name> {
    let hits = replies.iter().flat_map(|(answer, _)| answer.as_ref().map_or(&[][..], Ranking::hits));
    hits.flat_map(|hit| std::iter::once(&hit.id).chain(&hit.path))
}

/// The order of an answer's hits; none for a query that failed.
fn names(reply: &Reply) -> Option<Vec<(Name, Option<Name>)>> {
    let named = |hit: &Hit| (hit.id.clone(), hit.path.clone());
    reply.0.as_ref().ok().map(|ranking: &Ranking| ranking.hits().iter().map(named).collect())
}
