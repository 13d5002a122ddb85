//! What a path says about a file before it is read.

/// What a file is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The thing itself.
    Main,
    /// Tests, fixtures, mocks.
    Test,
    /// Examples, benchmarks, demonstrations, the code of a documentation site.
    Example,
    /// Vendored, generated, minified or archived.
    Derived,
}

/// What a file is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Source code, and whatever is not known to be something else.
    Code,
    /// Documentation.
    Prose,
    /// Configuration and data.
    Data,
    /// Change logs, licences, lists of authors.
    History,
}

const PROSE: &[&str] = &["md", "mdx", "markdown", "rst", "adoc", "asciidoc", "txt", "org", "tex"];

const DATA: &[&str] = &[
    "cfg",
    "cmake",
    "conf",
    "csproj",
    "csv",
    "css",
    "env",
    "html",
    "ini",
    "json",
    "json5",
    "jsonc",
    "jsonl",
    "less",
    "lock",
    "map",
    "plist",
    "po",
    "pot",
    "properties",
    "sass",
    "scss",
    "snap",
    "sum",
    "svg",
    "toml",
    "tsv",
    "xml",
    "yaml",
    "yml",
];

const HISTORY: &[&str] = &[
    "authors",
    "changelog",
    "changes",
    "contributors",
    "copying",
    "history",
    "licence",
    "license",
    "news",
    "notice",
    "releases",
];

const TEST_FOLDERS: &[&str] = &[
    "e2e",
    "fixture",
    "fixtures",
    "mock",
    "mocks",
    "snapshots",
    "spec",
    "specs",
    "test",
    "testdata",
    "testing",
    "tests",
];

const EXAMPLE_FOLDERS: &[&str] = &[
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "demo",
    "demos",
    "example",
    "examples",
    "playground",
    "sample",
    "samples",
];

const DERIVED_FOLDERS: &[&str] = &[
    "archive",
    "archived",
    "build",
    "deprecated",
    "dist",
    "external",
    "generated",
    "legacy",
    "node_modules",
    "third_party",
    "thirdparty",
    "vendor",
];

/// Languages that documentation is translated into, by two-letter code; codes that are usual folder names are left out.
const LANGUAGES: &[&str] = &[
    "ar", "bn", "cs", "da", "de", "el", "es", "fa", "fi", "fr", "hi", "hu", "it", "ja", "ko", "nl", "pl",
    "pt", "ro", "ru", "sv", "th", "tr", "uk", "vi", "zh",
];

/// The file name of `path`, and the folder before it (empty at the root).
pub(super) fn split_name(path: &str) -> (&str, &str) {
    match path.rsplit_once('/') {
        Some((folder, name)) => (folder, name),
        None => ("", path),
    }
}

/// A file name without its extension; `.gitignore` has none.
pub(super) fn file_stem(name: &str) -> &str {
    match name.rfind('.') {
        Some(dot) if dot > 0 => &name[..dot],
        _ => name,
    }
}

/// Whether a file with this stem is its folder's own page or module: `mod.rs`, `index.ts`, `README.md`.
pub(super) fn stands_for_folder(stem: &str) -> bool {
    matches!(stem.to_ascii_lowercase().as_str(), "index" | "mod" | "readme" | "__init__" | "init")
}

/// The extension of a path in small letters, empty if there is none.
pub(super) fn extension(path: &str) -> String {
    let (_, name) = split_name(path);
    let stem = file_stem(name);
    name[stem.len()..].trim_start_matches('.').to_ascii_lowercase()
}

impl Form {
    /// The form of the file at `path`.
    pub fn of(path: &str) -> Self {
        let (_, name) = split_name(path);
        let extension = extension(path);
        let prose = extension.is_empty() || PROSE.contains(&extension.as_str());
        let first_word = name.split(['.', '-', '_']).next().unwrap_or(name).to_ascii_lowercase();
        if prose && HISTORY.contains(&first_word.as_str()) {
            Self::History
        } else if PROSE.contains(&extension.as_str()) || first_word == "readme" {
            Self::Prose
        } else if DATA.contains(&extension.as_str()) || name.starts_with('.') {
            Self::Data
        } else {
            Self::Code
        }
    }
}

impl Purpose {
    /// The purpose of the file at `path`; the innermost folder that tells decides after the file's own name.
    pub fn of(path: &str) -> Self {
        let (folder, name) = split_name(path);
        let stem = file_stem(name);
        if is_test_name(stem, &extension(path)) {
            return Self::Test;
        }
        if matches!(stem.rsplit_once('.'), Some((_, "min" | "bundle"))) {
            return Self::Derived;
        }
        let code = Form::of(path) == Form::Code;
        folder.rsplit('/').find_map(|folder| Self::of_folder(folder, code)).unwrap_or(Self::Main)
    }

    fn of_folder(folder: &str, code: bool) -> Option<Self> {
        let folder = folder.trim_matches('_').to_ascii_lowercase();
        let first = folder.split(['-', '_', '.']).next().unwrap_or(&folder);
        let last = folder.rsplit(['-', '_', '.']).next().unwrap_or(&folder);
        let is_any =
            |list: &[&str]| list.contains(&folder.as_str()) || list.contains(&first) || list.contains(&last);
        if is_any(TEST_FOLDERS) {
            Some(Self::Test)
        } else if is_any(EXAMPLE_FOLDERS) || (code && matches!(first, "doc" | "docs")) {
            Some(Self::Example)
        } else if DERIVED_FOLDERS.contains(&folder.as_str()) || DERIVED_FOLDERS.contains(&last) {
            Some(Self::Derived)
        } else {
            None
        }
    }
}

/// The language that prose at `path` was translated into: `docs/pt/index.md`, `i18n/zh-Hans/a.md`, `README.pt-BR.md`.
pub(super) fn translation(path: &str) -> Option<&'static str> {
    if Form::of(path) == Form::Code {
        return None;
    }
    let (folder, name) = split_name(path);
    let suffix = file_stem(name).rsplit_once(['.', '_']).map(|(_, suffix)| suffix);
    folder.split('/').chain(suffix).find_map(|part| {
        let code = part.split(['-', '_']).next().unwrap_or(part);
        LANGUAGES.iter().copied().find(|language| *language == code)
    })
}

/// The conventions of test runners for file names.
fn is_test_name(stem: &str, extension: &str) -> bool {
    const PREFIX_LANGUAGES: &[&str] = &["c", "cc", "cpp", "js", "lua", "php", "py", "rb"];
    let lower = stem.to_ascii_lowercase();
    ["_test", "-test", ".test", "_spec", "-spec", ".spec", "_tests", "-tests"]
        .iter()
        .any(|end| lower.ends_with(end))
        || ["Test", "Tests", "Spec", "Specs"].iter().any(|end| stem.len() > end.len() && stem.ends_with(end))
        || (lower.starts_with("test_") && PREFIX_LANGUAGES.contains(&extension))
        || lower == "conftest"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_known_by_folder_or_name() {
        for path in [
            "tests/data/a.json",
            "src/__tests__/a.ts",
            "pkg/server_test.go",
            "src/a.spec.ts",
            "java/src/test/java/GsonTest.java",
            "lib/test_helper.rb",
            "kotlinx-coroutines-test/src/A.kt",
        ] {
            assert_eq!(Purpose::of(path), Purpose::Test, "{path}");
        }
    }

    #[test]
    fn a_name_that_merely_contains_test_is_no_test() {
        for path in [
            "lib/bats-core/test_functions.bash",
            "src/latest.rs",
            "packages/vitest/src/node/core.ts",
            "src/spec.rs",
        ] {
            assert_eq!(Purpose::of(path), Purpose::Main, "{path}");
        }
    }

    #[test]
    fn examples_and_derived_files_are_known() {
        assert_eq!(Purpose::of("examples/hello/main.rs"), Purpose::Example);
        assert_eq!(Purpose::of("docs_src/body/tutorial001.py"), Purpose::Example);
        assert_eq!(Purpose::of("docs/guide.md"), Purpose::Main);
        assert_eq!(Purpose::of("vendor/lib/a.c"), Purpose::Derived);
        assert_eq!(Purpose::of("assets/app.min.js"), Purpose::Derived);
    }

    #[test]
    fn translations_are_known_by_folder_or_suffix() {
        assert_eq!(translation("docs/pt/index.md"), Some("pt"));
        assert_eq!(translation("i18n/zh-Hans/intro.mdx"), Some("zh"));
        assert_eq!(translation("README.pt-BR.md"), Some("pt"));
        assert_eq!(translation("docs/en/index.md"), None);
        assert_eq!(translation("src/de/mod.rs"), None);
    }

    #[test]
    fn forms_follow_the_extension() {
        assert_eq!(Form::of("docs/guide.MD"), Form::Prose);
        assert_eq!(Form::of("README"), Form::Prose);
        assert_eq!(Form::of("package.json"), Form::Data);
        assert_eq!(Form::of(".gitignore"), Form::Data);
        assert_eq!(Form::of("CHANGELOG.md"), Form::History);
        assert_eq!(Form::of("LICENSE-MIT"), Form::History);
        assert_eq!(Form::of("src/history.rs"), Form::Code);
        assert_eq!(Form::of("Makefile"), Form::Code);
    }
}
