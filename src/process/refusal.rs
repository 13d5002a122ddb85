//! Why the system would not start a program, in words that say what to do.

use std::io;

/// A first line longer than this names no interpreter to any system.
#[cfg(unix)]
const FIRST_LINE: u64 = 256;

/// What is wrong with the interpreter that a script names in its first line, if anything is.
#[cfg(unix)]
pub(super) fn interpreter_problem(script: &std::path::Path) -> Option<String> {
    use std::io::Read;
    let mut head = Vec::new();
    std::fs::File::open(script).ok()?.take(FIRST_LINE).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let interpreter = line.trim_start_matches([' ', '\t']).split([' ', '\t']).next()?;
    if !interpreter.starts_with('/') || std::path::Path::new(interpreter).exists() {
        return None;
    }
    Some(match interpreter.strip_suffix('\r') {
        Some(name) => format!("`{}`, and the line ends with CR LF", name.escape_debug()),
        None => format!("`{}`, which is not there", interpreter.escape_debug()),
    })
}

/// The system's word, and what it means for a program that is there.
pub(super) fn explain(error: &io::Error, arguments: &[String]) -> String {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let is = |errno: Errno| error.raw_os_error() == Some(errno.raw_os_error());
        if is(Errno::NOEXEC) {
            return format!(
                "{error}; it is no program for this machine and has no `#!` line: name its interpreter first in `argv`"
            );
        }
        if is(Errno::TOOBIG) {
            let longest = arguments.iter().map(String::len).max().unwrap_or(0);
            return format!(
                "{error}; its longest argument has {longest} bytes: a `worker` is given queries of any length"
            );
        }
    }
    let _ = arguments;
    error.to_string()
}
