//! Names that a line of source text defines.
//!
//! No parser and no regular expressions: in every language of the table a definition starts its line, after a few
//! modifiers, with a keyword (`fn`, `class`, `defmodule`) or has one of four shapes. A line that is read wrongly costs a
//! ranking a little; a grammar per language would cost far more.

mod grammar;
mod line;

pub(super) use grammar::Grammar;

#[cfg(test)]
mod tests;
