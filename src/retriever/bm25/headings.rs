//! Headings and titles of prose.

/// Which kinds of heading a file can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Markup {
    /// No headings.
    None,
    /// `# Heading`, and `title:` of the front matter.
    Markdown,
    /// `== Heading`.
    AsciiDoc,
    /// A line of punctuation under the heading.
    ReStructuredText,
}

impl Markup {
    /// The markup of files with this extension.
    pub(super) fn for_extension(extension: &str) -> Self {
        match extension {
            "md" | "mdx" | "markdown" => Self::Markdown,
            "adoc" | "asciidoc" => Self::AsciiDoc,
            "rst" => Self::ReStructuredText,
            _ => Self::None,
        }
    }

    /// The heading that `line` is, given the line before it.
    pub(super) fn heading<'a>(self, before: &'a str, line: &'a str) -> Option<&'a str> {
        match self {
            Self::None => None,
            Self::Markdown => marked(line, '#')
                .or_else(|| line.strip_prefix("title:"))
                .or_else(|| line.strip_prefix("description:")),
            Self::AsciiDoc => marked(line, '='),
            Self::ReStructuredText => {
                let rule = line.trim_end();
                let mark = rule.chars().next().filter(|mark| "=-~^\"'*+#".contains(*mark))?;
                let underlines = rule.len() >= 3 && rule.chars().all(|found| found == mark);
                (underlines && !before.trim().is_empty() && !before.starts_with(mark)).then_some(before)
            }
        }
    }
}

/// One to six marks, then a space, then the heading.
fn marked(line: &str, mark: char) -> Option<&str> {
    let text = line.trim_start_matches(mark);
    let level = line.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with(' ')).then(|| text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_each_markup_are_found() {
        assert_eq!(Markup::Markdown.heading("", "## Rate limits"), Some("Rate limits"));
        assert_eq!(Markup::Markdown.heading("---", "title: Rate limits"), Some(" Rate limits"));
        assert_eq!(Markup::Markdown.heading("", "#tag"), None);
        assert_eq!(Markup::AsciiDoc.heading("", "== Use"), Some("Use"));
        assert_eq!(Markup::ReStructuredText.heading("Quickstart", "=========="), Some("Quickstart"));
        assert_eq!(Markup::ReStructuredText.heading("", "=========="), None);
        assert_eq!(Markup::None.heading("", "# comment"), None);
    }
}
