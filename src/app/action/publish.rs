//! What came out, told everywhere it is looked for: log, summary, outputs, files, check, comment.

use std::path::PathBuf;

use super::answer::text_of;
use super::bench::{Row, RowOutcome};
use super::candidates::{Approvable, slash};
use super::inputs::FailStep;
use super::manifest::{self, Manifest};
use super::rules::Rules;
use super::runner::Runner;
use super::subject::Subject;
use super::{Job, Rehearsed, Step, approved};
use crate::app::output::judged;
use crate::app::review::Reviewed;
use crate::approval::{Bundle, Place, places_of};
use crate::artifact::CaseResult;
use crate::config::{ApprovalMode, CommentMode};
use crate::error::Failure;
use crate::exit::Exit;
use crate::files;
use crate::gate::{Change, Verdict};
use crate::github::{
    Annotation, Client, Conclusion, GithubProblem, Level, Outlet, Shown, Standing, Sticky, Us, Want, publish,
};
use crate::report::place::shorten;
use crate::report::view::View;
use crate::report::{
    Commands, Footer, Format, Options, Outcome, PairReport, Remark, RemarkLevel, Rendered, Report, Touched,
    footer, no_verdict, remarks,
};
use crate::suite::open_eval;

/// The folder of results under the runner's temporary folder.
const FOLDER: &str = "rankhold";

/// Where results go, if the runner has a folder for them.
pub(super) fn folder(runner: &Runner) -> Option<PathBuf> {
    runner.temporary.as_ref().map(|temporary| temporary.join(FOLDER))
}

/// Why a verdict is not written: the place is about something else by now.
const MOVED: &str =
    "the pull request has another head or base by now, or was closed: the run for that gives the verdict";

/// Why a verdict is not written: a newer one is there.
const SUPERSEDED: &str = "a newer run gives the verdict on this commit";

/// What the check said when the job began.
pub(super) enum Announced {
    /// There is nobody to tell.
    Nowhere,
    /// The token may not, as is to be expected of a fork's.
    ReadOnly,
    /// The token may not, although it should.
    Refused(GithubProblem),
    /// Ours is the verdict that is waited for.
    Stands,
    /// Somebody else's is, for this reason.
    Silent(&'static str),
}

impl Subject {
    /// Says that a verdict is on its way. It is owed from here on, whatever stops us.
    pub(super) async fn announce(&self, step: &Step<'_>, client: &Client) -> Result<Announced, Failure> {
        let Some(place) = &self.place else { return Ok(Announced::Nowhere) };
        super::post::remember(&step.runner, self)?;
        let shown = Shown {
            conclusion: None,
            title: "Measuring the ranking".to_owned(),
            summary: "The verdict comes when every pair of suite and retriever is measured.".to_owned(),
            text: None,
            annotations: Vec::new(),
        };
        let announced = match place.write(client, &self.stamp, &shown).await {
            Ok(Standing::Stands) => return Ok(Announced::Stands),
            Ok(Standing::Moved) => Announced::Silent(MOVED),
            // Its results are for another workflow, whatever stands here.
            Ok(Standing::Superseded { .. }) if self.read_only => Announced::ReadOnly,
            Ok(Standing::Superseded { .. }) => Announced::Silent(SUPERSEDED),
            Err(problem) if problem.is_forbidden() && self.read_only => Announced::ReadOnly,
            Err(problem) if problem.is_forbidden() => Announced::Refused(problem),
            Err(problem) => return Err(problem.into()),
        };
        super::post::forget(&step.runner)?;
        Ok(announced)
    }
}

/// What a report says beside the verdict.
#[derive(Default)]
pub(super) struct Beside {
    /// What the pull request touches.
    pub touched: Option<Touched>,
    /// What can be approved.
    pub approvable: Option<Approvable>,
    /// What approvals in force stand for.
    pub kept: Vec<Bundle>,
}

/// A verdict on its way to its readers.
pub(super) struct Publication {
    exit: Exit,
    title: String,
    /// For the check and the comment.
    markdown: String,
    /// For the summary, with more room.
    summary: String,
    /// For the log.
    text: Option<Rendered>,
    annotations: Vec<Annotation>,
    /// Below the report in the check: what can be approved.
    text_below: Option<String>,
    /// The same as a file, for an artifact where the check has no room.
    approval: Option<String>,
    outputs: Vec<(&'static str, String)>,
    /// Something a reader wants to know.
    noteworthy: bool,
    neutral: bool,
    comment: CommentMode,
    /// Every pair was measured.
    measured: bool,
}

impl Publication {
    /// Of judged pairs.
    pub(super) fn of(
        job: &Job<'_>,
        rules: &Rules,
        rows: &[Row],
        subject: Option<&Subject>,
        beside: &Beside,
    ) -> Result<Self, Failure> {
        let Beside { touched, approvable, kept } = beside;
        let bundle = approvable.as_ref().map(|approvable| &approvable.bundle);
        let by_comment = approvable.as_ref().filter(|approvable| approvable.by_comment).map(|it| &it.bundle);
        let trusts_files = rules.approvers.mode == ApprovalMode::File;
        let pairs = rows
            .iter()
            .map(|row| {
                // A file that somebody writes counts where files are trusted, and where there is none yet.
                let by_file = subject.is_some() && (trusts_files || row.supersedes.is_none());
                pair(row, rules, by_comment, by_file)
            })
            .collect();
        let report = Report { policy: &rules.policy, pairs, touched: touched.as_ref() };
        let view = View::new(&report);
        let step = job.step;
        let footer = match subject {
            Some(subject) => footer(&Footer {
                branch: subject.base.branch.clone(),
                base: subject.base.measured.short().to_owned(),
                behind: subject.base.behind,
                run: step.runner.run_url(),
                version: env!("CARGO_PKG_VERSION"),
                looser: rules.looser.map(|given| given.to_string()),
                unanswered: !trusts_files
                    && approvable.as_ref().is_some_and(|approvable| !approvable.by_comment),
            })?,
            None => String::new(),
        };
        let markdown = Format::named("markdown")?;
        let render = |budget| {
            let options = Options { budget, template: rules.template.clone(), ..Options::default() };
            Ok::<_, Failure>(format!("{}\n{footer}", markdown.lay_out(&view, &options)?.trim_end()))
        };
        let exit = report.exit();
        let judged: Vec<_> = rows
            .iter()
            .filter_map(|row| match &row.outcome {
                RowOutcome::Judged(reviewed) => Some((row, &**reviewed)),
                RowOutcome::Unjudged(_) | RowOutcome::Gone(_) => None,
            })
            .collect();
        let changed = |change| {
            let comparisons =
                judged.iter().filter_map(|(_, reviewed)| reviewed.judgement.comparison.as_ref());
            comparisons.map(|comparison| comparison.changed(change).count()).sum::<usize>()
        };
        let (lost, won) = (changed(Change::Lost), changed(Change::Won));
        let word = view.pairs.first().map_or("not-measured", |pair| pair.word);
        let gate = view.pairs.first().and_then(|pair| pair.gate.first());
        let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
        let (after, before) = (
            gate.and_then(|gate| gate.after.as_ref()?.value),
            gate.and_then(|gate| gate.before.as_ref()?.value),
        );
        let delta = after.zip(before).map(|(after, before)| crate::metric::round6(after - before));
        let files = |what: &str| {
            let name = |row: &Row| format!("{FOLDER}/{}.{}.{what}.json", row.suite, row.retriever);
            judged.iter().map(|(row, _)| name(row)).collect::<Vec<_>>().join("\n")
        };
        let given = !step.inputs.results.is_empty();
        let outputs = vec![
            ("verdict", word.to_owned()),
            ("exit-code", exit.code().to_string()),
            ("hit-at-3", number(after)),
            ("delta", number(delta)),
            ("lost", lost.to_string()),
            ("won", won.to_string()),
            ("results", if given { String::new() } else { files("result") }),
            ("candidates", if given { String::new() } else { files("candidate") }),
            ("report", folder(&step.runner).map(|_| format!("{FOLDER}/report.md")).unwrap_or_default()),
        ];
        let no_baseline = report.pairs.iter().any(|pair| pair.verdict() == Some(Verdict::NoBaseline));
        let text_below = text_of(bundle, kept.iter().map(|bundle| (bundle, None)), Some(step.runner.run))?;
        let is_status = subject.and_then(|subject| subject.place.as_ref()).map(|place| place.outlet)
            == Some(Outlet::Status);
        let has_no_room = matches!(places_of(&text_below).last(), Some(Place::Uploaded { .. }));
        Ok(Self {
            exit,
            title: view.title.clone(),
            markdown: render(Options::default().budget)?,
            summary: render(step.runner.summary_room() * 9 / 10)?,
            text: Some(Format::named("text")?.lay_out(&view, &Options { width: 120, ..Options::default() })?),
            annotations: annotations(job, &judged),
            text_below: Some(text_below),
            approval: bundle.filter(|_| is_status || has_no_room).map(Bundle::to_json),
            outputs,
            noteworthy: exit != Exit::Pass || no_baseline || lost + won > 0,
            neutral: no_baseline && exit == Exit::Pass,
            comment: step.inputs.comment.unwrap_or(rules.report.comment),
            measured: !rows.iter().any(|row| matches!(row.outcome, RowOutcome::Unjudged(_))),
        })
    }

    /// Of a job that came to nothing: nobody may take silence for a pass.
    pub(super) fn failed(failure: &Failure, step: &Step<'_>) -> Result<Self, Failure> {
        let markdown = no_verdict(&failure.to_string(), failure.hint().as_deref())?;
        Ok(Self {
            exit: failure.exit(),
            title: "There is no verdict".to_owned(),
            summary: markdown.clone(),
            markdown,
            text: None,
            annotations: Vec::new(),
            text_below: None,
            approval: None,
            outputs: vec![
                ("verdict", "not-measured".to_owned()),
                ("exit-code", failure.exit().code().to_string()),
            ],
            noteworthy: true,
            neutral: false,
            comment: step.inputs.comment.unwrap_or(CommentMode::Changes),
            measured: false,
        })
    }

    /// Tells whoever reads the run: log, summary, files, outputs.
    pub(super) fn tell(&self, step: &Step<'_>) -> Result<(), Failure> {
        if step.taken_for.is_some() {
            // Where it stands among the requests the rehearsal says.
            let told = Rehearsed { text: self.text.clone(), markdown: self.markdown.clone() };
            step.rehearsed.replace(Some(told));
        } else if let Some(text) = &self.text {
            step.console.report(text);
        }
        if let Some(folder) = folder(&step.runner) {
            files::write_atomically(&folder.join("report.md"), self.markdown.as_bytes())?;
            if let Some(approval) = &self.approval {
                files::write_atomically(&folder.join(approved::FILE), approval.as_bytes())?;
            }
            // A tree that nobody can name is measured all the same; its results cannot be published.
            if let Ok(commit) = step.checked_out() {
                files::write_atomically(
                    &folder.join(manifest::FILE),
                    Manifest::of(commit).to_text().as_bytes(),
                )?;
            }
        }
        step.runner.summarise(&self.summary)?;
        step.runner.outputs(&self.outputs)?;
        Ok(())
    }

    /// Tells whoever reads the pull request or waits for the commit. True if the verdict stands there (or a newer one).
    pub(super) async fn publish(
        &self,
        step: &Step<'_>,
        client: &Client,
        subject: &Subject,
        announced: &Announced,
    ) -> Result<bool, Failure> {
        let Some(place) = &subject.place else { return Ok(false) };
        match announced {
            Announced::Nowhere | Announced::Silent(_) => return Ok(false),
            Announced::ReadOnly => {
                step.console.note(
                    "this token only reads (a fork's or Dependabot's pull request): the verdict is this step's exit code and summary",
                );
                self.remark(step);
                return Ok(false);
            }
            Announced::Refused(problem) => {
                step.console.failure(&problem.clone().into());
                self.remark(step);
                return Ok(false);
            }
            Announced::Stands => {}
        }
        // The check does not wait for a comment: it is written even if nobody can tell who we are.
        let (sticky, unknown) = match self.sticky(step, client, subject).await {
            Ok(sticky) => (sticky, None),
            Err(problem) => (None, Some(problem)),
        };
        let wanted = sticky.as_ref().map(|sticky| (sticky, self.want()));
        let published = publish(client, place, wanted, &subject.stamp, &self.shown()).await?;
        super::post::forget(&step.runner)?;
        match published.standing {
            Standing::Stands => {
                step.runner.outputs(&[("comment-url", published.comment.unwrap_or_default())])?;
            }
            Standing::Moved => step.console.note(MOVED),
            Standing::Superseded { .. } => step.console.note(SUPERSEDED),
        }
        match published.comment_problem.or(unknown) {
            // A workflow may do without comments, and the log says how it gets them.
            Some(problem) if problem.is_forbidden() => step.console.failure(&problem.into()),
            Some(problem) => return Err(problem.into()),
            None => {}
        }
        Ok(true)
    }

    /// Tells the runner of the most important lines, which it shows where a check would have shown them.
    fn remark(&self, step: &Step<'_>) {
        // A rehearsal speaks to no runner.
        if step.taken_for.is_some() {
            return;
        }
        let remark = |annotation: &'_ Annotation| Remark {
            level: match annotation.level {
                Level::Failure => RemarkLevel::Error,
                Level::Warning | Level::Notice => RemarkLevel::Warning,
            },
            path: annotation.path.clone(),
            line: annotation.start_line,
            title: annotation.title.clone(),
            message: annotation.message.clone(),
        };
        step.console.report(&remarks(self.annotations.iter().map(remark)));
    }

    /// What the check says.
    pub(super) fn shown(&self) -> Shown {
        Shown {
            conclusion: Some(match self.exit {
                Exit::Pass if self.neutral => Conclusion::Neutral,
                Exit::Pass => Conclusion::Success,
                Exit::Held | Exit::Usage | Exit::NotMeasured => Conclusion::Failure,
            }),
            title: self.title.clone(),
            summary: self.markdown.clone(),
            text: self.text_below.clone(),
            annotations: self.annotations.clone(),
        }
    }

    /// Whether a comment is made where there is none.
    fn want(&self) -> Want {
        let wanted = match self.comment {
            CommentMode::Never => false,
            CommentMode::Always => true,
            CommentMode::Changes => self.noteworthy,
            CommentMode::Failures => self.exit != Exit::Pass,
        };
        if wanted { Want::Make } else { Want::Keep }
    }

    /// Our comment, if the verdict is about a pull request and comments are wanted at all.
    async fn sticky(
        &self,
        step: &Step<'_>,
        client: &Client,
        subject: &Subject,
    ) -> Result<Option<Sticky>, GithubProblem> {
        let Some(pull) = subject.pull.as_ref().filter(|_| self.comment != CommentMode::Never) else {
            return Ok(None);
        };
        Ok(Some(Sticky {
            repository: step.runner.repository.clone(),
            number: pull.number,
            key: step.inputs.id.clone(),
            author: Us { login: client.viewer().await? },
        }))
    }

    /// How the step ends. `carried`: a check or status says it already.
    pub(super) fn exit(&self, fail_step: FailStep, carried: bool) -> Exit {
        match (self.exit, fail_step) {
            (Exit::Held, FailStep::Never) => Exit::Pass,
            (Exit::Held, FailStep::Auto) if carried => Exit::Pass,
            (exit, _) => exit,
        }
    }

    /// How a step ends that only measures.
    pub(super) fn measured_exit(&self) -> Exit {
        if self.measured { Exit::Pass } else { self.exit }
    }
}

fn pair<'a>(row: &'a Row, rules: &Rules, by_comment: Option<&Bundle>, by_file: bool) -> PairReport<'a> {
    let outcome = match &row.outcome {
        RowOutcome::Judged(reviewed) => {
            judged(&reviewed.result, reviewed.baseline.as_ref(), &reviewed.judgement, &rules.policy)
        }
        RowOutcome::Gone(baseline) => Outcome::Gone { baseline },
        RowOutcome::Unjudged(failure) => {
            Outcome::Unjudged { message: failure.to_string(), hint: failure.hint(), exit: failure.exit() }
        }
    };
    let commands = match by_comment {
        Some(bundle) => slash(bundle, &row.commands, &row.suite),
        None if by_file => row.commands.clone(),
        None => Commands { approve: Vec::new(), ..row.commands.clone() },
    };
    PairReport { suite: &row.suite, retriever: &row.retriever, commands, outcome }
}

/// The most remarks at lines: more would bury the diff.
const REMARKS: usize = 150;

/// Lost cases, each at its line of the suite, in the order in which a reader wants to know of them: what fails the gate,
/// what is critical, what the suite still asks for.
fn annotations(job: &Job<'_>, judged: &[(&Row, &Reviewed)]) -> Vec<Annotation> {
    let mut all = Vec::new();
    for (row, reviewed) in judged {
        let Some(comparison) = &reviewed.judgement.comparison else { continue };
        let Some(file) = &row.file else { continue };
        let Ok(path) = file.strip_prefix(&job.step.runner.workspace) else { continue };
        let lines =
            files::read(file, files::MAX_BYTES).map(|bytes| open_eval::lines(&bytes)).unwrap_or_default();
        let passes = reviewed.judgement.exit == Exit::Pass;
        for pair in comparison.changed(Change::Lost) {
            let Some(line) = lines.get(pair.id()) else { continue };
            let (before, after) = (pair.before.as_ref(), pair.after.as_ref());
            let rank = |rank: Option<u32>| rank.map_or_else(|| "none".to_owned(), |rank| rank.to_string());
            let query = after.map(|case| case.input.as_str()).unwrap_or_default();
            let annotation = Annotation {
                path: path.to_string_lossy().replace('\\', "/"),
                start_line: *line,
                end_line: *line,
                level: if passes { Level::Warning } else { Level::Failure },
                title: shorten(&format!("Lost with {}", row.retriever), 255),
                message: format!(
                    "{}\nrank {} → {}",
                    shorten(query, QUERY),
                    rank(before.and_then(|case| case.rank)),
                    rank(after.and_then(|case| case.rank)),
                ),
            };
            let critical = after.is_some_and(|case| case.critical);
            let stale = after.is_some_and(CaseResult::asks_for_nothing);
            all.push(((passes, stale, !critical), annotation));
        }
    }
    all.sort_by_key(|(importance, _)| *importance);
    all.into_iter().map(|(_, annotation)| annotation).take(REMARKS).collect()
}

/// The most characters of a query in a remark.
const QUERY: usize = 2000;

impl Job<'_> {
    /// The pairs of the configuration, by name.
    pub(super) fn pairs(&self) -> Result<Vec<(String, String)>, Failure> {
        let suites = self.workspace.choose(&[])?;
        let pairs = crate::app::pairs::pairs(&self.workspace, &suites, &[], None)?;
        Ok(pairs.into_iter().map(|pair| (pair.suite.entry.name, pair.retriever.name)).collect())
    }
}
