//! The command line: clap types only. Parsing never does anything.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use jiff::civil::Date;

use crate::config::Span;
use crate::gate::Decimal;
use crate::suite::FORMATS;

/// Does the ranking hold? A gate for retrieval quality.
#[derive(Debug, Parser)]
#[command(name = "rankhold", version, arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    /// What holds for every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command.
#[derive(Debug, Args)]
pub struct Global {
    /// Configuration file [default: rankhold.toml here or above, up to the folder that holds .git]
    #[arg(long, global = true, help_heading = "Everywhere", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Root of the tree that is searched [default: the configuration's folder, else the one that holds .git, else here]
    #[arg(long, global = true, help_heading = "Everywhere", value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Leave only errors on stderr
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    pub quiet: bool,
    /// Say more on stderr: each failed query, each file left out
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    pub verbose: bool,
    /// Colour on the terminal
    #[arg(long, global = true, help_heading = "Everywhere", value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// Threads for files and cases [default: one per core]
    #[arg(long, global = true, help_heading = "Everywhere", value_name = "N", value_parser = count)]
    pub threads: Option<NonZeroUsize>,
}

/// Text for people or JSON for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shown {
    /// For people
    Text,
    /// For programs
    Json,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure suites, compare with their baselines, say whether the ranking holds
    Run(RunArgs),
    /// Compare whole systems in one table
    Compare(CompareArgs),
    /// Judge a result file against a baseline file, without measuring
    Gate(GateArgs),
    /// Record results as approved baselines
    Approve(ApproveArgs),
    /// Render a result file
    Report(ReportArgs),
    /// Give a pull request its verdict: what the GitHub action runs
    Action,
    /// Check the hashes of baselines, candidates and results, and approvals on GitHub
    Verify(VerifyArgs),
    /// Say why a case ranks as it does
    Explain(ExplainArgs),
    /// Look after suite files
    #[command(subcommand)]
    Suite(SuiteCommand),
    /// Show what the action would do about an event, without a network
    Replay(ReplayArgs),
    /// Say which retrievers can be used here, or what is wrong with the workflows
    ///
    /// An entry of the configuration that cannot be used ends with 2, a retriever that a suite is configured with and that
    /// is not ready with 3. What is `ready (not tried)` is there and was not asked anything: `trial = true` lets it be
    /// asked for a word.
    Doctor(DoctorArgs),
    /// Write a configuration, a starter suite and workflows for this repository
    Init(InitArgs),
    /// Print the JSON Schema of rankhold.toml
    Schema,
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// `--format` and its short form.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// How the report is written: text, markdown, json [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

/// Who records a baseline.
#[derive(Debug, Args)]
pub struct ByArgs {
    /// The approver's name; nothing is recorded without one
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// Why it is approved
    #[arg(long, value_name = "TEXT", requires = "by")]
    pub reason: Option<String>,
}

/// The day that decides about quarantines.
#[derive(Clone, Copy, Debug, Args)]
pub struct TodayArgs {
    /// The day (UTC) that decides which quarantines hold [default: today]
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub today: Option<Date>,
}

/// How many of something that there must be.
fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "must be a whole number from 1 on".to_owned())
}

/// A rate that may be lost: more than all cases is no rate.
fn rate(text: &str) -> Result<Decimal, String> {
    match text.parse::<Decimal>() {
        Ok(rate) if rate.is_above_one() => {
            Err("is an absolute rate from 0 to 1: 0.02 is two points".to_owned())
        }
        rate => rate.map_err(|error| error.to_string()),
    }
}

/// `run`
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Suites: configured names or files [default: all that are configured, else every suites/*.json]
    #[arg(value_name = "SUITE")]
    pub suites: Vec<String>,
    /// Retrievers, instead of the configured ones (comma-separated)
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub retriever: Vec<String>,
    /// Baseline file, for one suite and one retriever; it must be there [default: baselines/SUITE.RETRIEVER.json, if
    /// there is one]
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Absolute rate that may be lost net: 0.02 is two points
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = rate)]
    pub tolerance: Option<Decimal>,
    /// How the report is written
    #[command(flatten)]
    pub format: FormatArgs,
    /// Write the report here instead of stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write DIR/SUITE.RETRIEVER.{result,timings,candidate}.json
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Record the results as approved; needs --by
    #[arg(long, requires = "by")]
    pub update_baseline: bool,
    /// Who records
    #[command(flatten)]
    pub by: ByArgs,
    /// A first run fails instead of being neutral
    #[arg(long)]
    pub require_baseline: bool,
    /// The day
    #[command(flatten)]
    pub today: TodayArgs,
}

/// `compare`
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Suite: a configured name or a file [default: the only configured one]
    #[arg(long, value_name = "SUITE", conflicts_with_all = ["queries", "groundtruth"])]
    pub suite: Option<String>,
    /// Query set, with --groundtruth
    #[arg(long, value_name = "FILE", requires = "groundtruth")]
    pub queries: Option<PathBuf>,
    /// Expected paths per query
    #[arg(long, value_name = "FILE", requires = "queries")]
    pub groundtruth: Option<PathBuf>,
    /// Systems (comma-separated) [default: every one that needs no settings, and every configured one]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub against: Vec<String>,
    /// Hits kept per query
    #[arg(long, value_name = "N", default_value = "10", value_parser = count)]
    pub top_k: NonZeroUsize,
    /// Time for one system, index and all queries
    #[arg(long, value_name = "DURATION", default_value = "5m")]
    pub timeout: Span,
    /// How often every query is asked, to see whether the answer is the same, as far as --timeout allows
    #[arg(long, value_name = "N", default_value = "3", value_parser = count)]
    pub repeats: NonZeroUsize,
    /// Also measure the floor of each system that has one: the same with random vectors in the place of its model's
    #[arg(long, conflicts_with = "smoke")]
    pub floor: bool,
    /// Only say which systems can be used
    #[arg(long)]
    pub smoke: bool,
    /// How the table is written: text, markdown, json [default: text on a terminal, else markdown]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Write the table here instead of stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the figures as JSON here
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a chart of speed against quality here, as SVG: FILE ends in .svg
    #[arg(long, value_name = "FILE", conflicts_with = "smoke")]
    pub chart: Option<PathBuf>,
}

/// `gate`
#[derive(Debug, Args)]
pub struct GateArgs {
    /// Result file
    pub result: PathBuf,
    /// Baseline file
    pub baseline: PathBuf,
    /// How the report is written
    #[command(flatten)]
    pub format: FormatArgs,
    /// Write the report here instead of stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Absolute rate that may be lost net: 0.02 is two points
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = rate)]
    pub tolerance: Option<Decimal>,
    /// The day
    #[command(flatten)]
    pub today: TodayArgs,
}

/// `approve`
#[derive(Debug, Args)]
pub struct ApproveArgs {
    /// Result files; without any, everything that is configured is measured first
    #[arg(value_name = "RESULT")]
    pub results: Vec<PathBuf>,
    /// Who records
    #[command(flatten)]
    pub by: ByArgs,
    /// The day
    #[command(flatten)]
    pub today: TodayArgs,
}

/// `report`
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Result file
    pub result: PathBuf,
    /// Baseline file
    pub baseline: Option<PathBuf>,
    /// How the report is written
    #[command(flatten)]
    pub format: FormatArgs,
    /// A template of your own, for markdown
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// Write the report here instead of stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The day
    #[command(flatten)]
    pub today: TodayArgs,
}

/// `verify`
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Baseline, candidate, result or timings files
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Ask GitHub, too, whether the approval that a baseline records stands there; needs GITHUB_TOKEN or GH_TOKEN
    #[arg(long)]
    pub github: bool,
    /// The repository there [default: GITHUB_REPOSITORY]
    #[arg(long, value_name = "OWNER/NAME", requires = "github")]
    pub repository: Option<String>,
    /// PEM certificates of a private server
    #[arg(long, value_name = "FILE", requires = "github")]
    pub ca_file: Option<PathBuf>,
}

/// `explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Case id, or the query of exactly one case
    pub case: String,
    /// Suite: a configured name or a file [default: the one that has the case]
    #[arg(long, value_name = "SUITE")]
    pub suite: Option<String>,
    /// Retriever [default: the first that the suite is measured with]
    #[arg(long, value_name = "NAME")]
    pub retriever: Option<String>,
}

/// The formats of suites, for help.
fn formats() -> String {
    const WIDTH: usize = 84;
    let mut text = String::from("Formats:");
    for format in FORMATS {
        let mut line = format!("\n  {:<9} ", format.name);
        for word in format.about.split(' ') {
            if line.chars().count() + word.chars().count() > WIDTH {
                text.push_str(&line);
                line = format!("\n  {:<9} ", "");
            }
            line.extend([" ", word]);
        }
        text.push_str(&line);
    }
    text
}

/// `suite …`
#[derive(Debug, Subcommand)]
pub enum SuiteCommand {
    /// Find targets that are gone, duplicates, and suites that cannot fail
    Lint {
        /// Suites: configured names or files [default: all that are configured, else every suites/*.json]
        #[arg(value_name = "SUITE")]
        suites: Vec<String>,
        /// The format of the files, which then make up one suite
        #[arg(long, value_name = "FORMAT", requires = "suites")]
        from: Option<String>,
        /// How findings are written
        #[arg(long, value_enum, default_value_t = Shown::Text, value_name = "FORMAT")]
        format: Shown,
        /// The day
        #[command(flatten)]
        today: TodayArgs,
    },
    /// Count what a suite holds and how small a loss it can see
    Stats {
        /// The suite's name or file, or files for formats that have several [default: every suite there is, one after the
        /// other]
        #[arg(value_name = "SUITE")]
        files: Vec<PathBuf>,
        /// The format of the files [default: guessed from their names]
        #[arg(long, value_name = "FORMAT", requires = "files")]
        from: Option<String>,
        /// Metadata keys to count by (comma-separated)
        #[arg(long, value_name = "KEYS", value_delimiter = ',', default_value = "lang,kind")]
        segments: Vec<String>,
        /// How figures are written
        #[arg(long, value_enum, default_value_t = Shown::Text, value_name = "FORMAT")]
        format: Shown,
        /// The day
        #[command(flatten)]
        today: TodayArgs,
    },
    /// List the cases: id, query, targets
    List {
        /// The suite's name or file, or files for formats that have several [default: every suite there is, one after the
        /// other]
        #[arg(value_name = "SUITE")]
        files: Vec<PathBuf>,
        /// The format of the files [default: guessed from their names]
        #[arg(long, value_name = "FORMAT", requires = "files")]
        from: Option<String>,
        /// How the list is written
        #[arg(long, value_enum, default_value_t = Shown::Text, value_name = "FORMAT")]
        format: Shown,
        /// The day
        #[command(flatten)]
        today: TodayArgs,
    },
    /// Convert another format to a suite
    #[command(after_help = formats())]
    Import {
        /// The file, or files for formats that have several
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Their format: queries, trec, beir, csv [default: guessed from their names]
        #[arg(long, value_name = "FORMAT")]
        from: Option<String>,
        /// Write the suite here instead of stdout
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Convert a suite to another format
    #[command(after_help = formats())]
    Export {
        /// The suite's name or file, or files for formats that have several
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// The format of the files [default: guessed from their names]
        #[arg(long, value_name = "FORMAT")]
        from: Option<String>,
        /// The format wanted: open-eval, queries, trec, beir, csv
        #[arg(long, value_name = "FORMAT")]
        to: String,
        /// Write here instead of stdout: a file, or a folder for formats that have several files
        #[arg(long, value_name = "PATH")]
        out: Option<PathBuf>,
    },
    /// Append a case to a suite
    Add {
        /// Suite: a configured name or a file
        #[arg(value_name = "SUITE")]
        file: PathBuf,
        /// The query
        #[arg(long, value_name = "TEXT")]
        query: String,
        /// A right answer: path or entity id (repeatable)
        #[arg(long, value_name = "NAME")]
        target: Vec<String>,
        /// A wrong answer that must not come near the top (repeatable)
        #[arg(long, value_name = "NAME")]
        forbid: Vec<String>,
        /// The right answer is none
        #[arg(long, conflicts_with = "target")]
        no_result: bool,
        /// Case id [default: from the query]
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        /// Language of the query
        #[arg(long, value_name = "LANG")]
        lang: Option<String>,
        /// Kind of the query
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
        /// Put the case in the place of the one that has its id
        #[arg(long)]
        replace: bool,
        /// Start the file if there is none
        #[arg(long, conflicts_with = "replace")]
        create: bool,
    },
}

/// `doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Check the workflows that use rankhold instead, and show the lines that cure each finding; an error among them
    /// ends with 2
    #[arg(long)]
    pub workflow: bool,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Shown::Text, value_name = "FORMAT")]
    pub format: Shown,
}

/// `replay`
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The event's payload: the file that GITHUB_EVENT_PATH names in a workflow; `-` reads a pipe
    #[arg(value_name = "EVENT.json")]
    pub payload: PathBuf,
    /// The event's name [default: by the payload's shape]
    #[arg(long, value_name = "NAME")]
    pub event: Option<String>,
    /// Print the report and the requests instead of making them; there is no other way yet
    #[arg(long, required = true)]
    pub dry_run: bool,
    /// An input of the action; may be given more than once
    #[arg(long = "with", value_name = "INPUT=VALUE")]
    pub inputs: Vec<String>,
    /// For `workflow_run`: the archive that the measuring run left
    #[arg(long, value_name = "FILE.zip")]
    pub artifact: Option<PathBuf>,
    /// How the requests are written
    #[arg(long, value_enum, default_value_t = Shown::Text, value_name = "FORMAT")]
    pub format: Shown,
}

/// `init`
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Overwrite files that are there
    #[arg(long)]
    pub force: bool,
}
