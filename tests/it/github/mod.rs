//! The bot against stand-ins for GitHub that are held to its published description.

mod action;
mod approve;
mod attacks;
mod broken;
mod client;
mod connection;
mod cost;
mod demo;
mod endpoints;
pub(crate) mod fake;
mod faults;
mod flows;
mod graphql;
mod landing;
mod limits;
mod model;
mod openapi;
mod publish;
mod replay;
mod scene;
pub(crate) mod stage;
mod strangers;
pub(crate) mod verify;
mod waits;
mod ways;
