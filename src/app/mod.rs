//! The commands, one file each, each a function that reads like a sentence.

mod action;
mod approve;
mod compare;
mod console;
mod destination;
mod doctor;
mod explain;
mod failures;
mod gate;
mod help;
mod in_vain;
mod init;
mod listed;
mod output;
mod pairs;
mod record;
mod review;
mod run;
mod speaker;
pub mod suite;

pub use self::action::{INPUTS, Input, OUTPUTS, OutputSlot, inputs_of_full, outputs_of_full};
mod suites;
mod systems;
mod typed;
mod verify;
mod workspace;
mod workspace_error;

use std::panic;

use clap::Parser;
use jiff::civil::Date;

use self::console::Console;
use self::workspace::Workspace;
use crate::cli::{Cli, Command, TodayArgs};
use crate::error::{Blame, Blamed, Failure};
use crate::exit::Exit;
use crate::github::Patience;
use crate::process;

/// Runs the command line of this process and says how it ends.
pub fn main(arguments: impl Iterator<Item = std::ffi::OsString>) -> Exit {
    main_with(arguments, Patience::default())
}

/// As [`main`], with another patience towards GitHub. Neither a flag nor a variable gives one: it is for whoever calls the
/// program as a library and does not want to wait.
pub fn main_with(arguments: impl Iterator<Item = std::ffi::OsString>, patience: Patience) -> Exit {
    let arguments = help::double_dashes(arguments);
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return help::explain(&error, &arguments),
    };
    let mut console = Console::new(&cli.global);
    process::hide_from_children();
    process::end_jobs_with_us();
    // A bug of ours unwinds, so that children are ended on the way, and must look like neither bad input nor a verdict.
    let ended = panic::catch_unwind(panic::AssertUnwindSafe(|| command(&cli, &console, patience)));
    let exit = match ended {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            console.failure(&failure);
            failure.exit()
        }
        Err(_) => {
            console.failure(&Failure::from(Bug));
            Blame::Bug.exit()
        }
    };
    process::wait_if_interrupted();
    for folder in process::left_behind() {
        console.warning(&format!(
            "{}: a retriever's folder could not be removed; remove it by hand",
            folder.display()
        ));
    }
    // A report that is not there, or only half of it, is no success of any command.
    match console.all_written() {
        Ok(()) => exit,
        Err(failure) => {
            console.failure(&failure);
            exit.and(failure.exit())
        }
    }
}

/// A panic. Its message and place were printed where it happened.
#[derive(Debug, thiserror::Error)]
#[error("the command ended in the middle; nothing was recorded")]
struct Bug;

impl Blamed for Bug {
    fn blame(&self) -> Blame {
        Blame::Bug
    }

    fn hint(&self) -> Option<String> {
        Some("please report it with the lines above and the command that was typed".to_owned())
    }
}

fn command(cli: &Cli, console: &Console, patience: Patience) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Completions { shell } => return Ok(help::completions(*shell, console)),
        Command::Man => return Ok(help::man(console)),
        Command::Schema => return Ok(help::schema(console)),
        Command::Action => return action::action(&cli.global, console, patience),
        Command::Replay(args) => return action::replay(args, &cli.global, console),
        Command::Verify(args) => return verify::verify(args, &cli.global, console, patience),
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
        Command::Action
        | Command::Replay(_)
        | Command::Completions { .. }
        | Command::Man
        | Command::Schema
        | Command::Verify(_) => {
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
