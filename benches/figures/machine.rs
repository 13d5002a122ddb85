//! What the figures were measured on.

use std::fs;

/// Processor, threads, system and load.
pub(crate) fn describe() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        cpu.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (system, model) = (std::env::consts::OS, model.unwrap_or(std::env::consts::ARCH));
    format!("machine: {threads} threads of {model}, {system}; {}", load())
}

/// The load average of the last minute: far above nothing, the figures are worth little.
pub(crate) fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!("load {}", load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown"))
}
