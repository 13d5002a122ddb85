//! The doorway.

use std::process::ExitCode;

fn main() -> ExitCode {
    rankhold::app::main(std::env::args_os()).into()
}
