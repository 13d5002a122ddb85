//! What a child could learn from us without being told.

/// Makes this process unreadable for others of the same user: its environment, memory and open files under `/proc`
/// (Linux). Children are given a scrubbed environment, and ours would be one `open` away.
///
/// It holds neither against root with the capability to trace, nor for processes above us that were given the same
/// environment, such as the shell of a CI step: `docs/protocol.md` says what follows.
pub fn hide_from_children() {
    #[cfg(target_os = "linux")]
    {
        // A system that refuses leaves us as readable as any other program.
        let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    }
}
