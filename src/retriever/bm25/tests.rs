//! The retriever as a whole, over small corpora.

use std::io;

use super::{Entity, Index, Settings, Source};

struct Corpus(Vec<(&'static str, Vec<u8>)>);

impl Source for Corpus {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn path(&self, number: usize) -> &str {
        self.0[number].0
    }
    fn read(&self, number: usize) -> io::Result<Vec<u8>> {
        Ok(self.0[number].1.clone())
    }
}

fn corpus(files: &[(&'static str, &str)]) -> Corpus {
    Corpus(files.iter().map(|(path, text)| (*path, text.as_bytes().to_vec())).collect())
}

fn index_with(corpus: &Corpus, entities: &[Entity]) -> Index {
    Index::build(corpus, entities, 1, Settings::default()).expect("files in memory")
}

fn index(files: &[(&'static str, &str)]) -> Index {
    index_with(&corpus(files), &[])
}

fn paths<'a>(index: &'a Index, query: &str) -> Vec<&'a str> {
    index.search(query, 50).into_iter().map(|hit| hit.path).collect()
}

const PROJECT: &[(&str, &str)] = &[
    ("README.md", "# Project\n\nA router for requests, with sessions.\n"),
    ("docs/mcp.md", "# MCP server\n\nHow to add a tool to the MCP server.\n"),
    ("docs/pt/configuracao.md", "# Configuração\n\nAs configurações do servidor ficam no arquivo.\n"),
    ("src/mcp/server.rs", "pub struct McpServer;\nimpl McpServer {\n    pub fn add_tool(&self) {}\n}\n"),
    ("src/query/search.rs", "pub fn search_index(query: &str) {}\n"),
    ("src/query/parse.rs", "use super::search::search_index;\npub fn parse() { search_index(\"\") }\n"),
    ("src/session.rs", "/// Keeps the session state of a client.\npub struct Session { state: u32 }\n"),
    ("tests/session_test.rs", "// session session session state\nfn session_state_is_kept() { Session; }\n"),
];

#[test]
fn the_file_that_defines_a_symbol_comes_first() {
    let index = index(PROJECT);
    assert_eq!(paths(&index, "search_index")[0], "src/query/search.rs");
    assert_eq!(paths(&index, "searchIndex")[0], "src/query/search.rs");
    assert_eq!(paths(&index, "McpServer struct")[0], "src/mcp/server.rs");
    assert_eq!(paths(&index, "Session")[0], "src/session.rs");
}

#[test]
fn a_path_is_found_in_full_and_in_part() {
    let index = index(PROJECT);
    assert_eq!(paths(&index, "docs/mcp.md")[0], "docs/mcp.md");
    assert_eq!(paths(&index, "mcp.md")[0], "docs/mcp.md");
    assert_eq!(paths(&index, "./docs\\mcp.md")[0], "docs/mcp.md");
    assert_eq!(paths(&index, "query/search")[0], "src/query/search.rs");
    assert!(paths(&index, "src/query")[..2].iter().all(|path| path.starts_with("src/query/")));
    assert_eq!(paths(&index, "tests/session_test.rs")[0], "tests/session_test.rs");
    assert_eq!(paths(&index, "what is in docs/mcp.md")[0], "docs/mcp.md");
}

#[test]
fn a_test_stands_behind_what_it_tests() {
    let index = index(PROJECT);
    assert_eq!(paths(&index, "session state")[..2], ["src/session.rs", "tests/session_test.rs"]);
}

#[test]
fn documentation_answers_who_asks_for_help() {
    let index = index(PROJECT);
    assert_eq!(paths(&index, "how do I add a tool to the MCP server")[0], "docs/mcp.md");
    assert_eq!(paths(&index, "MCP server add tool")[0], "src/mcp/server.rs");
}

#[test]
fn portuguese_is_found_with_and_without_accents_in_singular_and_plural() {
    let index = index(PROJECT);
    for query in
        ["configuração", "configuracao", "configurações", "configuracoes", "como configuro o servidor"]
    {
        assert_eq!(paths(&index, query)[0], "docs/pt/configuracao.md", "{query}");
    }
}

#[test]
fn a_portuguese_question_finds_an_english_page() {
    let index = index(PROJECT);
    assert_eq!(paths(&index, "como adiciono uma ferramenta")[0], "docs/mcp.md");
}

#[test]
fn nothing_is_found_for_nothing() {
    let index = index(PROJECT);
    for query in ["", "   ", "the of and", "como para o", "?!", "\u{0}", "zzyzx"] {
        assert_eq!(paths(&index, query), Vec::<&str>::new(), "{query:?}");
    }
    assert_eq!(index.search("session", 0), []);
    assert_eq!(paths(&index_with(&corpus(&[]), &[]), "session"), Vec::<&str>::new());
}

#[test]
fn an_empty_file_is_found_by_its_path() {
    let index = index(&[("src/empty_module.py", ""), ("src/other.py", "x = 1\n")]);
    assert_eq!(paths(&index, "empty module"), ["src/empty_module.py"]);
}

#[test]
fn equal_scores_are_ordered_by_path() {
    let index = index(&[("b.txt", "same words"), ("a.txt", "same words"), ("c.txt", "same words")]);
    assert_eq!(paths(&index, "same words"), ["a.txt", "b.txt", "c.txt"]);
}

#[test]
fn the_index_depends_neither_on_the_order_of_files_nor_on_threads() {
    let describe = |index: &Index| format!("{index:?}");
    let expected = describe(&index(PROJECT));
    let mut shuffled = PROJECT.to_vec();
    shuffled.reverse();
    shuffled.swap(1, 5);
    for threads in [0, 1, 2, 4, 64] {
        let other =
            Index::build(&corpus(&shuffled), &[], threads, Settings::default()).expect("files in memory");
        assert_eq!(describe(&other), expected, "{threads} threads");
    }
}

#[test]
fn scores_have_the_same_bits_on_every_machine() {
    let index = index(PROJECT);
    let bits: Vec<_> =
        index.search("session state", 3).iter().map(|hit| (hit.path, hit.score.to_bits())).collect();
    // Another value here is another ranking: raise `RANKING_VERSION`.
    assert_eq!(
        bits,
        [
            ("src/session.rs", 4_612_355_595_909_179_902),
            ("tests/session_test.rs", 4_607_312_170_203_513_055),
            ("README.md", 4_599_009_837_233_046_108),
        ]
    );
}

#[test]
fn hostile_bytes_are_harmless() {
    let files = vec![
        ("bom.md", b"\xef\xbb\xbf# Rate limits\r\n\r\ntext\r\n".to_vec()),
        ("invalid.rs", b"fn br\xff\xfeoken() {}\nfn whole_function() {}\n\x00\x01".to_vec()),
        ("minified.js", b"function a(){return throttle};".repeat(30_000)),
        ("line.txt", vec![b'x'; 1 << 20]),
        ("marks.txt", "\u{301}\u{301}_-_-\u{301} --- ___ -".into()),
    ];
    let index = index_with(&Corpus(files), &[]);
    assert_eq!(paths(&index, "rate limits"), ["bom.md"]);
    assert_eq!(paths(&index, "whole_function")[0], "invalid.rs");
    assert_eq!(paths(&index, "throttle"), ["minified.js"]);
}

#[test]
fn an_entity_without_text_names_its_file() {
    let entity = Entity {
        id: "document:docs/mcp.md".into(),
        path: "docs/mcp.md".into(),
        title: Some("Model context protocol".into()),
        kind: Some("document".into()),
        text: None,
    };
    let index = index_with(&corpus(PROJECT), &[entity]);
    let hits = index.search("model context protocol", 5);
    assert_eq!((hits[0].id, hits[0].path, hits[0].kind), ("document:docs/mcp.md", "docs/mcp.md", "document"));
    assert_eq!(hits[0].summary, Some("Model context protocol"));
    assert_eq!(index.search("docs/mcp.md", 5)[0].id, "document:docs/mcp.md");
}

#[test]
fn an_entity_with_text_is_a_document_beside_the_file() {
    let entity = Entity {
        id: "package:query".into(),
        path: "src/query/search.rs".into(),
        text: Some("Deterministic retrieval of knowledge".into()),
        ..Entity::default()
    };
    let index = index_with(&corpus(PROJECT), &[entity]);
    let hits = index.search("deterministic knowledge", 5);
    assert_eq!(hits.len(), 1);
    assert_eq!((hits[0].id, hits[0].path, hits[0].kind), ("package:query", "src/query/search.rs", "file"));
    let both: Vec<_> =
        index.search("src/query/search.rs", 50).into_iter().map(|hit| hit.id).take(2).collect();
    assert_eq!(both, ["src/query/search.rs", "package:query"]);
}

#[test]
fn an_explanation_adds_up_to_the_score() {
    let index = index(PROJECT);
    for query in ["session state", "Session", "tests/session_test.rs", "como adiciono uma ferramenta"] {
        for (rank, hit) in index.search(query, 50).into_iter().enumerate() {
            let why = index.explain(query, hit.path).expect("a known path");
            let words: f64 = why.words.iter().map(|word| word.score).sum();
            let added: f64 = why.additions.iter().map(|reason| reason.size).sum();
            let factor: f64 = why.factors.iter().map(|reason| reason.size).product();
            assert_eq!(
                (why.rank, why.score.to_bits()),
                (Some(rank + 1), hit.score.to_bits()),
                "{query}: {}",
                hit.path
            );
            assert!((words - why.text).abs() < 1e-9, "{query}: {why:?}");
            assert!(((words + added) * factor - hit.score).abs() < 1e-9, "{query}: {why:?}");
        }
    }
    let test = index.explain("session state", "tests/session_test.rs").expect("a known path");
    assert_eq!(test.factors.iter().map(|reason| reason.name).collect::<Vec<_>>(), ["purpose"]);
    assert_eq!(index.explain("session", "absent.rs"), None);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    struct Broken;
    impl Source for Broken {
        fn len(&self) -> usize {
            2
        }
        fn path(&self, number: usize) -> &str {
            ["b.rs", "a.rs"][number]
        }
        fn read(&self, _: usize) -> io::Result<Vec<u8>> {
            Err(io::Error::from(io::ErrorKind::PermissionDenied))
        }
    }
    let error = Index::build(&Broken, &[], 1, Settings::default()).expect_err("nothing can be read");
    assert_eq!(error.path, "a.rs");
    assert_eq!(error.to_string(), "cannot read a.rs to index it");
}
