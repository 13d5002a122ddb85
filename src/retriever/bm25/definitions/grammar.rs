//! What a definition looks like, language by language: plain data.

/// How one family of languages writes definitions.
#[derive(Debug)]
pub(in super::super) struct Grammar {
    /// File name extensions, in small letters.
    pub(super) extensions: &'static [&'static str],
    /// Words before a name that define it.
    pub(super) keywords: &'static [&'static str],
    /// Words before a name that bind it to a value: definitions at the left margin or after a modifier, locals elsewhere.
    pub(super) bindings: &'static [&'static str],
    /// What defines without a keyword.
    pub(super) shape: Shape,
    /// `class Name;` announces a type that is defined elsewhere.
    pub(super) forward_declarations: bool,
}

/// Definitions that no keyword announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// None.
    Keywords,
    /// `Type name(`: C and what took its syntax.
    TypeThenName,
    /// `name(…) {`: methods of JavaScript and TypeScript.
    NameThenBlock,
    /// `name() {`: shell functions.
    NameThenParentheses,
    /// `name ::`: Haskell signatures.
    NameThenColons,
}

impl Grammar {
    /// The grammar for files with this extension (small letters, no dot).
    pub(in super::super) fn for_extension(extension: &str) -> Option<&'static Self> {
        GRAMMARS.iter().find(|grammar| grammar.extensions.contains(&extension))
    }
}

/// Words that may stand before a keyword or a type, in any of the languages.
pub(super) const MODIFIERS: &[&str] = &[
    "abstract",
    "annotation",
    "async",
    "case",
    "companion",
    "constexpr",
    "data",
    "declare",
    "default",
    "export",
    "extern",
    "external",
    "fileprivate",
    "final",
    "implicit",
    "indirect",
    "infix",
    "inline",
    "inner",
    "internal",
    "lazy",
    "local",
    "mutating",
    "native",
    "nonisolated",
    "open",
    "operator",
    "opaque",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "readonly",
    "ref",
    "sealed",
    "static",
    "suspend",
    "synchronized",
    "tailrec",
    "template",
    "threadlocal",
    "transparent",
    "typedef",
    "unsafe",
    "virtual",
];

/// Words that start a statement, so that what follows is a use and no definition.
pub(super) const STATEMENTS: &[&str] = &[
    "assert",
    "await",
    "break",
    "case",
    "catch",
    "co_return",
    "continue",
    "defer",
    "delete",
    "do",
    "else",
    "for",
    "foreach",
    "goto",
    "if",
    "import",
    "include",
    "lock",
    "new",
    "package",
    "return",
    "switch",
    "throw",
    "try",
    "using",
    "when",
    "while",
    "with",
    "yield",
];

const GRAMMARS: &[Grammar] = &[
    Grammar {
        extensions: &["rs"],
        keywords: &["fn", "struct", "enum", "trait", "type", "union", "mod", "macro_rules"],
        bindings: &["const", "static"],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["go"],
        keywords: &["func", "type"],
        bindings: &["const", "var"],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["py", "pyi", "pyx"],
        keywords: &["def", "class"],
        bindings: &[],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro"],
        keywords: &["function", "class", "interface", "type", "enum", "namespace"],
        bindings: &["const", "let", "var"],
        shape: Shape::NameThenBlock,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["java", "cs", "dart", "groovy", "gradle"],
        keywords: &["class", "interface", "enum", "record", "struct", "delegate", "mixin", "def"],
        bindings: &[],
        shape: Shape::TypeThenName,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "ipp", "m", "mm", "cu"],
        keywords: &["class", "struct", "enum", "union", "concept", "define"],
        bindings: &[],
        shape: Shape::TypeThenName,
        forward_declarations: true,
    },
    Grammar {
        extensions: &["kt", "kts"],
        keywords: &["fun", "class", "interface", "object", "typealias"],
        bindings: &["val", "var"],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["scala", "sc"],
        keywords: &["def", "class", "trait", "object", "type", "enum", "given"],
        bindings: &["val", "var"],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["swift"],
        keywords: &["func", "class", "struct", "enum", "protocol", "actor", "typealias"],
        bindings: &["let", "var"],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["rb", "rake", "cr"],
        keywords: &["def", "class", "module"],
        bindings: &[],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["php"],
        keywords: &["function", "class", "interface", "trait", "enum"],
        bindings: &["const"],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["lua", "luau"],
        keywords: &["function"],
        bindings: &[],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["ex", "exs"],
        keywords: &[
            "def",
            "defp",
            "defmodule",
            "defmacro",
            "defmacrop",
            "defprotocol",
            "defguard",
            "defdelegate",
        ],
        bindings: &[],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["hs", "lhs", "elm", "purs"],
        keywords: &["data", "newtype", "class", "type"],
        bindings: &[],
        shape: Shape::NameThenColons,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["zig"],
        keywords: &["fn"],
        bindings: &["const", "var"],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["sh", "bash", "zsh", "ksh", "bats", "fish"],
        keywords: &["function"],
        bindings: &[],
        shape: Shape::NameThenParentheses,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["ml", "mli", "fs", "fsi", "nim", "jl", "pl", "pm", "r"],
        keywords: &["type", "module", "struct", "function", "macro", "sub", "proc", "func", "class"],
        bindings: &["let", "val"],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["clj", "cljs", "cljc", "el", "lisp", "scm"],
        keywords: &[
            "def",
            "defn",
            "defmacro",
            "defprotocol",
            "defrecord",
            "deftype",
            "defmulti",
            "defun",
            "defvar",
        ],
        bindings: &[],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
    Grammar {
        extensions: &["proto", "graphql", "gql", "thrift"],
        keywords: &[
            "message",
            "service",
            "rpc",
            "enum",
            "type",
            "input",
            "interface",
            "union",
            "scalar",
            "struct",
        ],
        bindings: &[],
        shape: Shape::Keywords,
        forward_declarations: false,
    },
];
