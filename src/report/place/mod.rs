//! Text that somebody else wrote, made inert for the place it is put in.
//!
//! Queries, ids, paths and messages are a stranger's. In every place they must show and never act: no mention, no
//! reference, no link, no markup, no table cell, no colour, no reordering of what stands around them, no command to the
//! machine that reads the log.

mod code;
mod inline;
mod log;
mod sentence;
mod url;
mod visible;

pub use code::{code, fence};
pub use inline::{html, text};
pub use log::{guard, json, terminal};
pub use sentence::sentence;
pub use url::url;
pub use visible::{columns, shorten, visible};
