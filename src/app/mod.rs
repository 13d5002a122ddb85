//! The commands, one file each, each a function that reads like a sentence.

mod approve;
mod compare;
mod console;
mod doctor;
mod explain;
mod gate;
mod help;
mod init;
mod output;
mod pairs;
mod record;
mod review;
mod run;
pub mod suite;
mod suites;
mod verify;
mod workspace;

use clap::Parser;
use jiff::civil::Date;

use self::console::Console;
use self::workspace::Workspace;
use crate::cli::{Cli, Command, TodayArgs};
use crate::error::Failure;
use crate::exit::Exit;

/// Runs the command line of this process and says how it ends.
pub fn main(arguments: impl Iterator<Item = std::ffi::OsString>) -> Exit {
    let cli = match Cli::try_parse_from(help::double_dashes(arguments)) {
        Ok(cli) => cli,
        Err(error) => return help::explain(&error),
    };
    let console = Console::new(&cli.global);
    crate::process::end_jobs_with_us();
    command(&cli, &console).unwrap_or_else(|failure| {
        console.failure(&failure);
        failure.exit()
    })
}

fn command(cli: &Cli, console: &Console) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Completions { shell } => return Ok(help::completions(*shell, console)),
        Command::Man => return Ok(help::man(console)),
        Command::Schema => return Ok(help::schema(console)),
        Command::Verify(args) => return Ok(verify::verify(args, console)),
        _ => {}
    }
    let workspace = Workspace::open(&cli.global)?;
    match &cli.command {
        Command::Run(args) => run::run(args, &workspace, console),
        Command::Gate(args) => gate::gate(args, &workspace, console),
        Command::Approve(args) => approve::approve(args, &workspace, console),
        Command::Report(args) => gate::report(args, &workspace, console),
        Command::Suite(args) => suites::suites(args, &workspace, console),
        Command::Compare(args) => compare::compare(args, &workspace, console),
        Command::Explain(args) => explain::explain(args, &workspace, console),
        Command::Doctor(args) => doctor::doctor(args, &workspace, console),
        Command::Init(args) => init::init(args, &workspace, console),
        Command::Completions { .. } | Command::Man | Command::Schema | Command::Verify(_) => {
            unreachable!("answered above, without a workspace")
        }
    }
}

/// The day that decides about quarantines.
struct Day;

impl Day {
    /// As given, else today (UTC).
    #[expect(clippy::disallowed_methods, reason = "edge: the one place that asks what day it is")]
    fn of(args: TodayArgs) -> Date {
        args.today.unwrap_or_else(|| jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).date())
    }
}
