//! The few numbers that shape a ranking.

/// Weight and length normalisation of one BM25F field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// How many occurrences in the body one occurrence in this field is worth.
    pub weight: f64,
    /// How much a long field counts against its terms, from 0 (not at all) to 1 (in full proportion).
    pub b: f64,
}

/// Every number that shapes a ranking. The default is the only configuration that Rankhold ships.
///
/// The values are round on purpose: each was chosen for a plateau over many suites, none for a peak on one.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Lines to a chunk, the unit that is scored. A chunk, unlike a file, is about one thing.
    pub chunk_lines: usize,
    /// BM25 saturation: how soon repeating a term stops counting. Robertson & Zaragoza (2009) give 1.2 to 2.
    pub k1: f64,
    /// The directories of the path.
    pub path: Field,
    /// The file name without extension.
    pub name: Field,
    /// Names that the chunk defines.
    pub symbols: Field,
    /// Headings and titles of the chunk.
    pub headings: Field,
    /// All text of the chunk.
    pub body: Field,
    /// A file's n-th best chunk (from 0) adds its score times this to the power n.
    pub chunk_decay: f64,
    /// Added to a file whose name the query says in full, as a share of the best score; in part, in proportion.
    pub named_file: f64,
    /// The same for the folder around the file.
    pub named_folder: f64,
    /// Added to a file that defines the symbol that is the whole query, as a share of the best score.
    pub defined_symbol: f64,
    /// The same for a symbol that the query mentions among other words.
    pub mentioned_symbol: f64,
    /// Added to a file whose path the query says in full, as a share of the best score; partial paths get less.
    pub exact_path: f64,
    /// Factor for tests, fixtures and mocks.
    pub test: f64,
    /// Factor for examples, benchmarks and demonstrations.
    pub example: f64,
    /// Factor for vendored, generated, minified and archived files.
    pub derived: f64,
    /// Factor for prose if the query asks for code, as most do.
    pub prose: f64,
    /// Factor for code if the query asks for help.
    pub code_as_help: f64,
    /// Factor for documentation in a language that is neither English nor the query's.
    pub translation: f64,
    /// Factor for configuration and data.
    pub data: f64,
    /// Factor for change logs and licences, which mention everything and explain nothing.
    pub history: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            chunk_lines: 50,
            k1: 1.5,
            path: Field { weight: 1.0, b: 0.5 },
            name: Field { weight: 1.0, b: 0.5 },
            symbols: Field { weight: 1.0, b: 0.0 },
            headings: Field { weight: 1.0, b: 0.0 },
            body: Field { weight: 1.0, b: 0.75 },
            chunk_decay: 0.5,
            named_file: 0.6,
            named_folder: 0.2,
            defined_symbol: 1.0,
            mentioned_symbol: 0.3,
            exact_path: 4.0,
            test: 0.5,
            example: 0.5,
            derived: 0.5,
            prose: 0.6,
            code_as_help: 0.8,
            translation: 0.5,
            data: 0.5,
            history: 0.5,
        }
    }
}
