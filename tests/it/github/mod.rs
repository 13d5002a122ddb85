//! The bot against stand-ins for GitHub that are held to its published description.

mod action;
mod client;
mod connection;
mod demo;
mod endpoints;
mod fake;
mod faults;
mod graphql;
mod openapi;
mod publish;
mod replay;
mod stage;
