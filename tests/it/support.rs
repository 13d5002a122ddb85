//! What the tests share.

use std::path::{Path, PathBuf};

/// A file under `tests/data`.
pub(crate) fn data(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(path)
}

/// The bytes of a file under `tests/data/seed`.
pub(crate) fn seed(name: &str) -> Vec<u8> {
    read(data("seed").join(name))
}

/// The bytes of a file.
#[expect(clippy::disallowed_methods, reason = "tests read their own data")]
pub(crate) fn read(path: impl AsRef<Path>) -> Vec<u8> {
    std::fs::read(path.as_ref()).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// A file of the `tests` folder.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Compares with `tests/snapshots/NAME`, byte for byte. `RANKHOLD_BLESS=1` writes the file instead.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "a snapshot is a file")]
pub(crate) fn assert_snapshot(name: &str, actual: &str) {
    let path = fixture("snapshots").join(name);
    if std::env::var_os("RANKHOLD_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder can be made");
        std::fs::write(&path, actual).expect("the snapshot can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let lines = expected.lines().zip(actual.lines()).enumerate();
    let differs = lines.into_iter().find(|(_, (expected, actual))| expected != actual);
    assert!(
        expected == actual,
        "tests/snapshots/{name} is not what is rendered (RANKHOLD_BLESS=1 rewrites it); first difference: {differs:?}"
    );
}

/// A tiny deterministic generator (SplitMix64): the same seed gives the same tests everywhere.
pub(crate) struct Random(u64);

impl Random {
    /// A generator with that seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }

    /// One time in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Up to `most` names; some need normalising or quoting.
    pub(crate) fn names(&mut self, most: usize) -> Vec<String> {
        let stems = [
            "src/a.rs",
            "./src\\b.rs",
            "docs/caf\u{e9}.md",
            "docs/cafe\u{301}2.md",
            "my file.md",
            "x,\"y\".md",
        ];
        let more =
            ["entity:one", "README", "a|b", "t;u", "deep/er/path/", "line\nbreak", "tab\there", "\u{1f600}"];
        (0..self.below(most + 1))
            .map(|_| match self.below(3) {
                0 => self.pick(&more).to_owned(),
                _ => format!("{}{}", self.pick(&stems), self.below(4)),
            })
            .collect()
    }
}

/// A valid suite of up to eight cases with every key of the format in some of them.
pub(crate) fn random_suite(random: &mut Random) -> rankhold::suite::Suite {
    use serde_json::{Value, json};
    let texts = [
        "find me",
        "two  spaces",
        " edge ",
        "quote\"s",
        "komma, punkt; strich|",
        "zeile\numbruch",
        "\u{1f600}",
        "",
    ];
    let mut cases = Vec::new();
    for at in 0..=random.below(8) {
        let mut metadata = serde_json::Map::new();
        let mut put = |key: &str, value: Value| drop(metadata.insert(key.to_owned(), value));
        match random.below(6) {
            0 => put("expectNoResult", true.into()),
            1 => {}
            _ => {
                let targets = random.names(4);
                if random.once_in(3) {
                    let others = random.names(2);
                    let graded = targets.iter().chain(&others).map(|name| {
                        (rankhold::name::Name::new(name).to_string(), Value::from(1 + random.below(3)))
                    });
                    put("grades", Value::Object(graded.collect()));
                }
                put("expectedTargets", targets.into());
            }
        }
        if random.once_in(4) {
            put("aliases", json!([["src/a.rs0", "alias:a"]]));
        }
        if random.once_in(4) {
            put("forbiddenTargets", json!(["never/this.md"]));
        }
        if random.once_in(4) {
            put("quarantined", json!({"reason": "moved", "until": "2027-01-31"}));
        }
        for (key, values) in [("lang", ["en", "pt"]), ("kind", ["symbol", "path"]), ("team", ["a", "b"])] {
            if random.once_in(2) {
                put(key, random.pick(&values).into());
            }
        }
        if random.once_in(5) {
            put("weight", json!({"a": [1, 2.5, null]}));
        }
        if random.once_in(5) {
            put("critical", random.once_in(2).into());
        }
        let mut case = json!({"id": format!("c{at}"), "input": random.pick(&texts)});
        // The writer leaves an empty object out, and the hash of a document sees that.
        if !metadata.is_empty() {
            case["metadata"] = metadata.into();
        }
        match random.below(6) {
            0 => case["expected"] = json!("part"),
            1 => case["expected"] = json!({"regex": {"body": "a+", "flags": "i"}}),
            2 => case["expected"] = json!({"equalsNormalized": "x y"}),
            3 => case["expected"] = json!({"semanticSimilarity": 0.75}),
            4 => case["owner"] = json!(["me"]),
            _ => {}
        }
        cases.push(case);
    }
    let mut document =
        json!({"evalFormatVersion": "2026-04", "name": format!("s{}", random.below(9)), "cases": cases});
    if random.once_in(2) {
        document["description"] = "what it is about".into();
        document["tags"] = json!(["a", "b"]);
    }
    rankhold::suite::open_eval::parse(document.to_string().as_bytes()).unwrap().suite
}
