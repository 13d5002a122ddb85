//! Paths in a query.

use super::super::place::{file_stem, split_name, stands_for_folder};

/// A path or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct PathMention {
    path: String,
    /// The query is this path and nothing else.
    pub(super) alone: bool,
}

/// A path among other words says less than a path alone.
const MENTIONED: f64 = 0.25;

/// The paths among `tokens`: what has a slash or an extension, or stands alone.
pub(super) fn among(tokens: &[&str]) -> Vec<PathMention> {
    let alone = tokens.len() == 1;
    let mut found = Vec::new();
    for token in tokens.iter().filter(|token| !token.contains("://")) {
        let path = token.replace('\\', "/");
        let path = path.trim_start_matches("./").trim_matches('/');
        if !path.is_empty() && (alone || path.contains('/') || has_extension(path)) {
            found.push(PathMention { path: path.to_owned(), alone });
        }
    }
    found
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

impl PathMention {
    /// How well `path` answers, from 0 to 1.
    pub(super) fn matches(&self, path: &str) -> f64 {
        let whole = self.matches_alone(path);
        if self.alone { whole } else { whole * MENTIONED }
    }

    /// The path itself; its end; its end without extension, or the page of a folder; a file in the folder.
    fn matches_alone(&self, path: &str) -> f64 {
        let wanted = self.path.as_str();
        if path == wanted {
            return 1.0;
        }
        if is_end_of(path, wanted) {
            return 0.75;
        }
        if !wanted.contains('/') || path.len() < wanted.len() {
            return 0.0;
        }
        let (folder, name) = split_name(path);
        let stem = file_stem(name);
        let without_extension = &path[..path.len() - (name.len() - stem.len())];
        if is_end_of(without_extension, wanted) || (stands_for_folder(stem) && is_end_of(folder, wanted)) {
            0.6
        } else if is_end_of(folder, wanted) || is_within(folder, wanted) {
            0.4
        } else {
            0.0
        }
    }
}

fn is_end_of(path: &str, wanted: &str) -> bool {
    path.strip_suffix(wanted).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether `wanted` is a run of whole segments of `folder` that does not reach its end.
fn is_within(folder: &str, wanted: &str) -> bool {
    let mut tails = std::iter::successors(Some(folder), |tail| tail.split_once('/').map(|(_, after)| after));
    tails.any(|tail| tail.strip_prefix(wanted).is_some_and(|after| after.starts_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn match_of(query: &str, path: &str) -> f64 {
        among(&[query]).first().map_or(0.0, |mention| mention.matches(path))
    }

    #[test]
    fn the_closer_the_path_the_better_the_match() {
        let paths = [
            "docs/mcp/index.md",
            "x/docs/mcp/index.md",
            "x/docs/mcp.md",
            "docs/mcp/tools/a.md",
            "docs/mcps/a.md",
        ];
        let matches = paths.map(|path| match_of("docs/mcp", path).to_string());
        assert_eq!(matches, ["0.6", "0.6", "0.6", "0.4", "0"]);
        assert!(match_of("docs/mcp.md", "docs/mcp.md") > match_of("docs/mcp.md", "x/docs/mcp.md"));
        assert!(match_of("mcp.md", "docs/mcp.md") > match_of("docs/mcp", "docs/mcp.md"));
    }

    #[test]
    fn only_whole_segments_match() {
        assert!(match_of("mcp.md", "docs/xmcp.md") <= 0.0);
        assert!(match_of("src/query", "old_src/query/a.rs") <= 0.0);
    }

    #[test]
    fn addresses_and_plain_words_in_a_sentence_are_no_paths() {
        assert_eq!(among(&["see", "https://example.com/a.html"]), []);
        assert_eq!(among(&["add", "docs/mcp.md", "main.rs", "Node.js-like"]).len(), 2);
    }
}
