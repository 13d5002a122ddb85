//! Reading one line.

use super::grammar::{Grammar, MODIFIERS, STATEMENTS, Shape};

impl Grammar {
    /// The name that `line` defines, if it defines one.
    pub(in super::super) fn definition<'a>(&self, line: &'a str) -> Option<&'a str> {
        let trimmed = line.trim_start();
        let lead = *trimmed.as_bytes().first()?;
        if !(lead.is_ascii_alphabetic() || matches!(lead, b'_' | b'#' | b'(' | b'@')) {
            return None;
        }
        let at_margin = trimmed.len() == line.len();
        match self.after_keyword(trimmed, at_margin) {
            Lead::Name(name) => Some(name),
            Lead::Forward | Lead::Local => None,
            Lead::NoKeyword => self.by_shape(trimmed, at_margin),
        }
    }

    fn after_keyword<'a>(&self, line: &'a str, at_margin: bool) -> Lead<'a> {
        let mut cursor = Cursor { rest: line };
        cursor.eat(['#', '(']);
        let mut announced = false;
        let mut bound = false;
        let mut modified = false;
        loop {
            cursor.skip_annotations();
            let before = cursor.rest;
            let Some(word) = cursor.word() else { break };
            if self.keywords.contains(&word) {
                announced = true;
            } else if self.bindings.contains(&word) {
                bound = true;
            } else if MODIFIERS.contains(&word) && !announced {
                modified |= !bound;
            } else {
                cursor.rest = before;
                break;
            }
            cursor.eat(['!']);
            cursor.skip_group();
        }
        let ends_here = || self.forward_declarations && line.trim_end().ends_with(';') && !line.contains('{');
        match (announced, bound) {
            (false, false) => Lead::NoKeyword,
            (false, true) if !at_margin && !modified => Lead::Local,
            (true, _) if ends_here() => Lead::Forward,
            _ => cursor.dotted_name().map_or(Lead::NoKeyword, Lead::Name),
        }
    }

    fn by_shape<'a>(&self, line: &'a str, at_margin: bool) -> Option<&'a str> {
        match self.shape {
            Shape::Keywords => None,
            Shape::TypeThenName => type_then_name(line),
            Shape::NameThenBlock => name_then_block(line, at_margin),
            Shape::NameThenParentheses => {
                let (name, _) = line.split_once("()")?;
                let name = name.trim_end();
                is_name(name).then_some(name)
            }
            Shape::NameThenColons => {
                let (name, _) = line.split_once("::")?;
                let name = name.trim_end();
                (at_margin && is_name(name)).then_some(name)
            }
        }
    }
}

/// What the first words of a line are.
enum Lead<'a> {
    /// A keyword and the name it defines.
    Name(&'a str),
    /// A forward declaration.
    Forward,
    /// A local variable.
    Local,
    /// No keyword.
    NoKeyword,
}

/// `static int32_t Mutex::lock(bool fair) {` defines `lock`; `return lock(fair);` and `lock(fair);` define nothing.
fn type_then_name(line: &str) -> Option<&str> {
    let (before, _) = line.split_once('(')?;
    if before.contains(['=', '.', '"', '?']) {
        return None;
    }
    let first = leading_name(before);
    if STATEMENTS.contains(&first) {
        return None;
    }
    let before = before.trim_end();
    let name = trailing_name(before);
    // What stands before the name must be more than the name's own scope: `void Mutex::`, but not `Mutex::`.
    let kind = before[..before.len() - name.len()].trim_end_matches("::");
    let has_type = kind.ends_with(['\t', '*', '&', '>']) || kind.contains(' ');
    (is_name(name) && has_type).then_some(name)
}

/// `async find(id: string): Promise<Row> {` defines `find`; `if (found) {` and `it('finds', () => {` define nothing.
fn name_then_block(line: &str, at_margin: bool) -> Option<&str> {
    if at_margin || !line.trim_end().ends_with('{') || line.contains("=>") {
        return None;
    }
    let (before, _) = line.split_once('(')?;
    let mut words = before.split_ascii_whitespace().rev();
    let name = words.next()?;
    let name = name.split('<').next().unwrap_or(name).trim_start_matches(['#', '*']);
    let known = |word: &str| MODIFIERS.contains(&word) || matches!(word, "get" | "set" | "*");
    (is_name(name) && !STATEMENTS.contains(&name) && name != "function" && words.all(known)).then_some(name)
}

fn is_name_char(found: char) -> bool {
    found.is_alphanumeric() || found == '_' || found == '$'
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| is_name_char(first) && !first.is_ascii_digit())
        && text.chars().all(|found| is_name_char(found) || matches!(found, '\'' | '-' | '?' | '!'))
}

fn leading_name(text: &str) -> &str {
    let end = text.find(|found: char| !is_name_char(found)).unwrap_or(text.len());
    &text[..end]
}

fn trailing_name(text: &str) -> &str {
    &text[text.trim_end_matches(is_name_char).len()..]
}

/// A place in a line.
struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn eat<const N: usize>(&mut self, characters: [char; N]) {
        self.rest = self.rest.trim_start_matches(characters);
    }

    /// `@Override`, `@Inject(lazy)`, `#[inline]`.
    fn skip_annotations(&mut self) {
        self.rest = self.rest.trim_start();
        while let Some(annotation) = self.rest.strip_prefix('@') {
            self.rest = annotation.trim_start_matches(|found: char| is_name_char(found) || found == '.');
            self.skip_group();
            self.rest = self.rest.trim_start();
        }
    }

    fn word(&mut self) -> Option<&'a str> {
        let word = leading_name(self.rest);
        self.rest = &self.rest[word.len()..];
        (!word.is_empty()).then_some(word)
    }

    /// `(crate)` after `pub`, `(s *Store)` after `func`, `<T>` after `fun`, `<typename T>` after `template`.
    fn skip_group(&mut self) {
        let after = self.rest.trim_start();
        let close = match after.chars().next() {
            Some('(') => ')',
            Some('<') => '>',
            _ => return,
        };
        if let Some(end) = after.find(close) {
            self.rest = after[end + 1..].trim_start();
        }
    }

    /// The last segment of `M.picker:find`, `Phoenix.Channel.Server`, `self.call`, `Foo::bar`.
    fn dotted_name(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start();
        let end = rest
            .find(|found: char| !(is_name_char(found) || matches!(found, '.' | ':' | '-')))
            .unwrap_or(rest.len());
        let path = rest[..end].trim_end_matches(['.', ':', '-']);
        let name = path.rsplit(['.', ':']).next()?;
        is_name(name).then_some(name)
    }
}
