//! The bot against stand-ins for GitHub that are held to its published description.

mod action;
mod client;
mod connection;
mod endpoints;
mod fake;
mod faults;
mod flows;
mod limits;
mod openapi;
mod publish;
pub(crate) mod stage;
mod strangers;
