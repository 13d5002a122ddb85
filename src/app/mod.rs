//! The commands, each a function that reads like a sentence. Printing and the command line are `main`'s.

pub mod suite;
