//! The bot against stand-ins for GitHub that are held to its published description.

mod client;
