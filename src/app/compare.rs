//! `rankhold compare`: whole systems in one table.

use std::path::{Path, PathBuf};

use super::Day;
use super::console::Console;
use super::destination::Destination;
use super::failures::Failures;
use super::output;
use super::pairs::Pair;
use super::review::Reviewer;
use super::suite::load;
use super::systems::SystemProblem;
use super::workspace::{Chosen, Workspace};
use crate::cli::{CompareArgs, TodayArgs};
use crate::config::{RetrieverEntry, SuiteEntry};
use crate::error::{Blame, Blamed, Failure};
use crate::exit::Exit;
use crate::measure::{MeasureError, TEMPORARY, Thorough, Thoroughness};
use crate::report;
use crate::report::table::{Latency, Measured, Row, Steady, System, Table};
use crate::retriever::{self, Availability, RETRIEVERS};
use crate::suite::{CaseKind, Suite};

/// How many sessions of a system with an index are started to see what its first answer takes.
const COLD_STARTS: usize = 5;

/// Several suites are configured and none was named.
#[derive(Debug, thiserror::Error)]
#[error("there are several suites ({0}); one table is about one suite")]
struct SeveralSuites(String);

impl Blamed for SeveralSuites {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some("name one with --suite, or a pair with --queries and --groundtruth".to_owned())
    }
}

/// The chart in a file whose name promises something else.
#[derive(Debug, thiserror::Error)]
#[error("--chart {place}: a chart is SVG, and this name says that the file is none", place = .0.display())]
struct OtherPicture(PathBuf);

impl Blamed for OtherPicture {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(format!(
            "name it {}; programs such as rsvg-convert make other pictures of that",
            self.0.with_extension("svg").display()
        ))
    }
}

/// A floor has a name that is a system's own.
#[derive(Debug, thiserror::Error)]
#[error("the floor of `{system}` is called `{floor}`, and so is a system of this table")]
struct TakenName {
    system: String,
    floor: String,
}

impl TakenName {
    fn of(system: &str, floor: &str) -> Self {
        Self { system: system.to_owned(), floor: floor.to_owned() }
    }
}

impl Blamed for TakenName {
    fn blame(&self) -> Blame {
        Blame::User
    }

    fn hint(&self) -> Option<String> {
        Some(format!("leave `{}` out of --against, or give that [[retriever]] another name", self.floor))
    }
}

/// What is measured: systems, each followed by its floor if floors are wanted and it has one.
struct Asked {
    entries: Vec<(RetrieverEntry, Option<String>)>,
    without_floor: Vec<String>,
}

/// Measures every system and writes the table. A system that is not there is a row with its reason; a name that nobody
/// knows is an error, so that a typo never drops a row.
pub(super) fn compare(args: &CompareArgs, workspace: &Workspace, console: &Console) -> Result<Exit, Failure> {
    let format = output::TableFormat::of(args.format.as_deref(), console)?;
    let asked = systems(args, workspace)?;
    let (chosen, suite, hidden) = question(args, workspace)?;
    let out = Destination::of(args.out.as_deref());
    let json = args.json.as_deref().map(|path| Destination::of(Some(path)));
    if let Some(json) = json {
        json.differs("--json", out, "the table")?;
    }
    let chart = args.chart.as_deref().map(|path| Destination::of(Some(path)));
    if let Some(chart) = chart {
        chart.differs("--chart", out, "the table")?;
        json.map_or(Ok(()), |json| chart.differs("--chart", json, "--json"))?;
    }
    let inputs = || hidden.iter().chain([&chosen.file]).map(PathBuf::as_path);
    for destination in [Some(out), json, chart].into_iter().flatten() {
        destination.spares(inputs())?;
        destination.leaves(workspace)?;
    }
    chart.map_or(Ok(()), draws_svg)?;
    let written = [Some(out), json, chart].into_iter().flatten().filter_map(Destination::place);
    let hidden: Vec<&Path> = inputs().chain(written).collect();
    let corpus = workspace.corpus(std::slice::from_ref(&chosen), &hidden)?;
    let today = Day::of(TodayArgs { today: None });
    let policy = &workspace.settings.policy;
    let reviewer = Reviewer { workspace, corpus: &corpus, policy, today, results: None, console };
    let mut table = Table {
        suite: suite.name.clone(),
        cases: suite.count(CaseKind::Scored) as u64,
        negative: suite.count(CaseKind::Negative) as u64,
        top_k: args.top_k.get() as u64,
        smoke: args.smoke,
        rows: Vec::new(),
        without_floor: asked.without_floor,
    };
    for (entry, floor_of) in asked.entries {
        let pair = Pair { suite: chosen.clone(), baseline: PathBuf::new(), retriever: entry };
        let system = if args.smoke { probe(&pair, workspace) } else { ask(&pair, &suite, args, &reviewer) };
        table.rows.push(Row { retriever: pair.retriever.name, floor_of, system });
    }
    if let Some(json) = json {
        let look = output::Look::at(json, console);
        json.write(&output::TableFormat::json().render(&table, &look)?, console)?;
    }
    if let Some(chart) = chart {
        chart.write(&report::table::chart(&table), console)?;
    }
    out.write(&format.render(&table, &output::Look::at(out, console))?, console)?;
    let nothing_ran = !args.smoke && !table.rows.iter().any(|row| matches!(row.system, System::Ran(_)));
    Ok(if nothing_ran { Exit::NotMeasured } else { Exit::Pass })
}

/// Refuses a place whose name is that of another kind of file; a pipe has none.
fn draws_svg(chart: Destination<'_>) -> Result<(), OtherPicture> {
    let place =
        chart.place().filter(|place| place.extension().is_some_and(|end| !end.eq_ignore_ascii_case("svg")));
    place.map_or(Ok(()), |place| Err(OtherPicture(place.to_owned())))
}

/// The systems asked for, else the embedded and the configured ones. Only a name that nobody knows is refused here.
fn systems(args: &CompareArgs, workspace: &Workspace) -> Result<Asked, Failure> {
    let embedded = RETRIEVERS.iter().filter(|kind| kind.needs_no_entry).map(|kind| kind.name.to_owned());
    let configured = workspace.settings.retrievers.iter().map(|entry| entry.name.clone());
    let names: Vec<String> =
        if args.against.is_empty() { embedded.chain(configured).collect() } else { args.against.clone() };
    let mut asked = Asked { entries: Vec::new(), without_floor: Vec::new() };
    for name in names {
        let mut entry = workspace.retriever(name.trim());
        entry.run_timeout = args.timeout.0;
        if let Some(problem) = workspace.build(&entry).err().filter(SystemProblem::is_mistake) {
            return Err(problem.into());
        }
        match asked.entries.iter().find(|(known, _)| known.name == entry.name) {
            Some((_, None)) => continue,
            Some((floor, Some(system))) => return Err(TakenName::of(system, &floor.name).into()),
            None => {}
        }
        let floor = if args.floor { floor(&entry) } else { None };
        if args.floor && floor.is_none() {
            asked.without_floor.push(entry.name.clone());
        }
        let system = entry.name.clone();
        asked.entries.push((entry, None));
        if let Some(floor) = floor {
            if asked.entries.iter().any(|(known, _)| known.name == floor.name) {
                return Err(TakenName::of(&system, &floor.name).into());
            }
            asked.entries.push((floor, Some(system)));
        }
    }
    Ok(asked)
}

/// The same system with random vectors in the place of its model's, if it can be told.
fn floor(entry: &RetrieverEntry) -> Option<RetrieverEntry> {
    let options = retriever::kind(&entry.kind)?.floor(&entry.options)?;
    Some(RetrieverEntry { name: format!("{}-random", entry.name), options, ..entry.clone() })
}

/// The suite asked about, and the files that hold its answers.
fn question(args: &CompareArgs, workspace: &Workspace) -> Result<(Chosen, Suite, Vec<PathBuf>), Failure> {
    if let (Some(queries), Some(truth)) = (&args.queries, &args.groundtruth) {
        let files = vec![workspace.here.join(queries), workspace.here.join(truth)];
        let suite = load(&files, Some("queries"))?.suite;
        let entry = SuiteEntry::unconfigured("compare", &workspace.name_of(&files[0]));
        return Ok((
            Chosen { entry, file: files[0].clone(), typed: Some(queries.display().to_string()) },
            suite,
            files,
        ));
    }
    let mut chosen = workspace.choose(args.suite.as_slice())?;
    if chosen.len() > 1 {
        let names: Vec<_> = chosen.iter().map(|suite| suite.entry.name.as_str()).collect();
        return Err(SeveralSuites(names.join(", ")).into());
    }
    let chosen = chosen.remove(0);
    let suite = super::workspace::suite_of(&chosen, workspace)?;
    Ok((chosen, suite, Vec::new()))
}

fn probe(pair: &Pair, workspace: &Workspace) -> System {
    match workspace.probe(&pair.retriever) {
        Ok(Ok(Availability::Ready(description))) => System::Ready { version: description.version },
        Ok(Ok(Availability::Missing { what, hint })) => System::Skipped { reason: what, hint: Some(hint) },
        Ok(Ok(Availability::Broken { detail, hint })) => System::Failed { reason: detail, hint },
        Ok(Err(error)) => {
            System::Failed { reason: format!("no scratch folder: {error}"), hint: Some(TEMPORARY.to_owned()) }
        }
        Err(problem) => failed(&problem.into()),
    }
}

/// With the next step that a run would name.
fn failed(failure: &Failure) -> System {
    System::Failed { reason: failure.to_string(), hint: failure.hint() }
}

fn ask(pair: &Pair, suite: &Suite, args: &CompareArgs, reviewer: &Reviewer<'_>) -> System {
    let how = Thoroughness { repeats: args.repeats.get(), cold_starts: COLD_STARTS };
    match reviewer.measure_system(pair, suite, args.top_k.get(), how) {
        Ok(Ok(thorough)) => {
            let failures = Failures::of_scored(&thorough.measured);
            if let Some(reason) = failures.cause_of_all() {
                return System::Failed { reason, hint: failures.advice() };
            }
            tell_unreachable(&pair.retriever.name, &thorough, reviewer.console);
            System::Ran(Box::new(figures(thorough)))
        }
        Ok(Err(MeasureError::Missing { what, hint, .. })) => {
            System::Skipped { reason: what, hint: Some(hint) }
        }
        Ok(Err(error)) => failed(&error.into()),
        Err(problem) => failed(&problem.into()),
    }
}

/// Which targets a system leaves out, one by one for `-v`; or why that is not known.
fn tell_unreachable(system: &str, thorough: &Thorough, console: &Console) {
    match &thorough.unreachable {
        Ok(targets) => targets.iter().flatten().for_each(|target| {
            console.detail(&format!("{system}: unreachable, left out by itself: {target}"));
        }),
        Err(why) => console.warning(&format!("{system}: what it leaves out is not known: {why}")),
    }
}

fn figures(thorough: Thorough) -> Measured {
    let asked = thorough.measured.timings.queries_us.len() as u64;
    let (passes, same) = (thorough.repeats as u64, thorough.steady as u64);
    Measured {
        program: thorough.description.program.as_ref().map(|program| program.hash.short(12)),
        stand_in: thorough.description.stand_in,
        cold: Latency::of(&thorough.cold_us),
        warm: Latency::of(&thorough.warm_us),
        steady: (passes > 1).then_some(Steady { passes, same, of: asked }),
        failed_later: thorough.failed_later as u64,
        unreachable: thorough
            .unreachable
            .ok()
            .flatten()
            .map(|targets| targets.iter().map(ToString::to_string).collect()),
        ..Measured::of(&thorough.measured.result, &thorough.measured.timings)
    }
}
