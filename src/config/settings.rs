//! Settings that cannot be wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::raw::{RawConfig, RawGate, RawRetriever, RawSuite, Table};
use super::{ConfigProblem, did_you_mean, suggestion};
use crate::artifact::CorpusRules;
use crate::gate::{Decimal, Gated, Policy, SegmentRule};
use crate::metric::{Direction, METRICS, by_name};
use crate::name::{Name, is_slug};
use crate::suite::MatchMode;

/// Everything a run needs to know, with defaults filled in.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which files are searched.
    pub corpus: CorpusRules,
    /// Hits asked of a retriever.
    pub fetch: usize,
    /// Hits kept.
    pub limit: usize,
    /// Configured suites; empty means every `suites/*.json`.
    pub suites: Vec<SuiteEntry>,
    /// Configured retrievers.
    pub retrievers: Vec<RetrieverEntry>,
    /// The gate's rules.
    pub policy: Policy,
    /// Who may approve.
    pub approval: Approvers,
    /// What the reader gets.
    pub report: ReportSettings,
}

/// One suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteEntry {
    /// `[a-z0-9-]+`
    pub name: String,
    /// Relative to the root.
    pub path: Name,
    /// At least one.
    pub retrievers: Vec<String>,
    /// Metadata keys reported apart.
    pub segments: Vec<String>,
    /// How many of a case's targets are wanted.
    pub match_mode: MatchMode,
}

impl SuiteEntry {
    /// A suite that no configuration names: its name is the file's stem.
    pub fn of_file(path: &Name) -> Result<Self, ConfigProblem> {
        let file = path.as_str().rsplit('/').next().unwrap_or_default();
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        if !is_slug(stem) {
            return Err(ConfigProblem::value(
                format!("suite {path}"),
                "its file's stem is no name ([a-z0-9-]+); give it one: [[suite]] name = \"…\", path = \"…\"",
            ));
        }
        Ok(Self::unconfigured(stem, path))
    }

    /// A suite of that name with every default.
    pub fn unconfigured(name: &str, path: &Name) -> Self {
        Self {
            name: name.to_owned(),
            path: path.clone(),
            retrievers: vec!["bm25".to_owned()],
            segments: default_segments(),
            match_mode: MatchMode::All,
        }
    }
}

/// One retriever as configured; what its other keys mean is its kind's business.
#[derive(Clone, Debug, PartialEq)]
pub struct RetrieverEntry {
    /// `[a-z0-9-]+`
    pub name: String,
    /// One of the table's kinds.
    pub kind: String,
    /// Time for one query.
    pub timeout: Duration,
    /// Time for everything, preparation included.
    pub run_timeout: Duration,
    /// Keys of the kind.
    pub options: BTreeMap<String, Value>,
}

impl RetrieverEntry {
    /// A retriever that needs no settings.
    pub fn plain(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: name.to_owned(),
            timeout: Duration::from_secs(10),
            run_timeout: Duration::from_mins(5),
            options: BTreeMap::new(),
        }
    }
}

/// What an approval on GitHub does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalMode {
    /// Commits the baseline to the head branch.
    #[default]
    Commit,
    /// The comment is the approval; nothing is committed.
    Record,
    /// The file is trusted as it is.
    File,
}

/// When the bot comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CommentMode {
    /// When something changed.
    #[default]
    Changes,
    /// Always.
    Always,
    /// When the verdict fails.
    Failures,
    /// Never.
    Never,
}

/// Where the verdict goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Publish {
    /// A check run.
    #[default]
    Check,
    /// A commit status.
    Status,
}

/// Who may approve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approvers {
    /// What an approval does.
    pub mode: ApprovalMode,
    /// Repository roles.
    pub roles: Vec<String>,
    /// Logins.
    pub users: Vec<String>,
    /// The author of a pull request may.
    pub allow_author: bool,
}

/// The roles that every repository has. An organisation may have others.
const ROLES: [&str; 5] = ["read", "triage", "write", "maintain", "admin"];

impl Approvers {
    /// Roles that are none of GitHub's own and look like one of them, each with a sentence.
    pub fn doubtful_roles(&self) -> Vec<String> {
        let unknown = self.roles.iter().filter(|role| !ROLES.contains(&role.as_str()));
        let doubt = |role: &String| {
            let near = suggestion(role, ROLES)?;
            Some(format!(
                "approval.roles: `{role}` is no role that every repository has; did you mean `{near}`? As it is, it counts only \
                 if the organisation has a role of that name"
            ))
        };
        unknown.filter_map(doubt).collect()
    }
}

/// What the reader gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportSettings {
    /// When to comment.
    pub comment: CommentMode,
    /// Where the verdict goes.
    pub publish: Publish,
    /// A template of the user's own.
    pub template: Option<Name>,
}

fn default_segments() -> Vec<String> {
    vec!["lang".to_owned(), "kind".to_owned()]
}

impl Default for Settings {
    fn default() -> Self {
        Self::validate(RawConfig::default()).expect("the defaults are valid")
    }
}

impl Settings {
    /// Reads the text of a rankhold.toml.
    pub fn parse(text: &str) -> Result<Self, ConfigProblem> {
        let text = text.trim_start_matches('\u{feff}');
        let file: Table = toml::from_str(text)
            .map_err(|error| ConfigProblem::Syntax(error.to_string().trim_end().to_owned()))?;
        brackets(&file, text)?;
        if let Some(at) = file.iter().find_map(|(key, value)| infinite(key, value)) {
            return Err(ConfigProblem::value(at, "is `nan` or `inf` and must be a number"));
        }
        let raw: RawConfig = super::read(&Value::Object(file.into_iter().collect())).map_err(|misread| {
            let at = misread.at.as_deref().unwrap_or("the file");
            let line = misread.line(text).map(|line| format!("line {line}, ")).unwrap_or_default();
            ConfigProblem::value(format!("{line}{at}"), misread.what)
        })?;
        match raw.version {
            Some(1) => Self::validate(raw),
            Some(other) => Err(ConfigProblem::value("version", format!("is {other}; this rankhold reads 1"))),
            None => Err(ConfigProblem::value("version", "is missing; write `version = 1` on the first line")),
        }
    }

    fn validate(raw: RawConfig) -> Result<Self, ConfigProblem> {
        let inside = |at: &str, path: &str| {
            let name = Name::new(path);
            if name.is_empty() || name.escapes() {
                return Err(ConfigProblem::value(at, format!("`{path}` lies outside the repository")));
            }
            Ok(name)
        };
        let fetch = size("measure.fetch", raw.measure.fetch, 50)?;
        let limit = size("measure.limit", raw.measure.limit, 20)?;
        if limit > fetch {
            let message = format!(
                "limit ({limit}) is larger than fetch ({fetch}): more hits would be kept than asked for"
            );
            return Err(ConfigProblem::value("measure", message));
        }
        let suites = raw
            .suite
            .into_iter()
            .enumerate()
            .map(|(at, entry)| suite(at, entry, &inside))
            .collect::<Result<Vec<_>, _>>()?;
        let retrievers = raw.retriever.into_iter().map(retriever).collect::<Result<Vec<_>, _>>()?;
        unique("suite", suites.iter().map(|suite| suite.name.as_str()))?;
        unique("retriever", retrievers.iter().map(|retriever| retriever.name.as_str()))?;
        let include = raw.corpus.include.unwrap_or_else(|| vec!["**".to_owned()]);
        if include.is_empty() {
            return Err(ConfigProblem::value("corpus.include", "is empty: no file could be searched"));
        }
        Ok(Self {
            corpus: CorpusRules {
                include,
                exclude: raw.corpus.exclude,
                max_file_bytes: raw.corpus.max_file_bytes.map_or(1 << 20, |size| size.0),
                entities: raw
                    .corpus
                    .entities
                    .map(|path| inside("corpus.entities", &path).map(|name| name.to_string()))
                    .transpose()?,
            },
            fetch,
            limit,
            suites,
            retrievers,
            policy: policy(raw.gate)?,
            approval: somebody(Approvers {
                mode: raw.approval.mode,
                roles: raw.approval.roles.unwrap_or_else(|| vec!["maintain".to_owned(), "admin".to_owned()]),
                users: raw.approval.users,
                allow_author: raw.approval.allow_author.unwrap_or(true),
            })?,
            report: ReportSettings {
                comment: raw.report.comment,
                publish: raw.report.publish,
                template: raw.report.template.map(|path| inside("report.template", &path)).transpose()?,
            },
        })
    }
}

/// Approvers of whom one can approve: a gate that nobody can open is found out when it is shut.
fn somebody(approvers: Approvers) -> Result<Approvers, ConfigProblem> {
    if let Some(user) = approvers.users.iter().find(|user| user.starts_with('@')) {
        let message = format!("`{user}` is no login: write it without the @");
        return Err(ConfigProblem::value("approval.users", message));
    }
    // A role that cannot write approves nothing, whoever has it.
    let may_write = |role: &String| !["read", "triage"].contains(&role.as_str());
    let is_nobody = approvers.users.is_empty() && !approvers.roles.iter().any(may_write);
    if is_nobody && approvers.mode != ApprovalMode::File {
        let message = "leaves nobody who can approve: name a role that may write, or `users`; with `mode = \"file\"` nobody needs to";
        return Err(ConfigProblem::value("approval", message));
    }
    Ok(approvers)
}

/// Sections of which there may be several take two pairs of brackets, and the others one.
fn brackets(file: &Table, text: &str) -> Result<(), ConfigProblem> {
    for (key, value) in file {
        let message = match (["suite", "retriever"].contains(&key.as_str()), value) {
            (true, Value::Object(_)) => {
                format!("there may be several, so it takes two pairs of brackets: [[{key}]]")
            }
            (false, Value::Array(_)) => {
                format!("there is only one of it, so it takes one pair of brackets: [{key}]")
            }
            _ => continue,
        };
        let header = if value.is_object() { format!("[{key}]") } else { format!("[[{key}]]") };
        let line = text.lines().position(|line| line.trim_start().starts_with(&header));
        let line = line.map(|at| format!("line {}, ", at + 1)).unwrap_or_default();
        return Err(ConfigProblem::value(format!("{line}{header}"), message));
    }
    Ok(())
}

/// The key of a float without a value: it has no place in a table of values, and would be taken for a key that is absent.
fn infinite(at: &str, value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(at.to_owned()),
        Value::Array(list) => list.iter().find_map(|value| infinite(at, value)),
        Value::Object(table) => table.iter().find_map(|(key, value)| infinite(&format!("{at}.{key}"), value)),
        _ => None,
    }
}

fn size(at: &str, value: Option<u64>, default: usize) -> Result<usize, ConfigProblem> {
    match value.map(usize::try_from) {
        None => Ok(default),
        Some(Ok(size)) if (1..=10_000).contains(&size) => Ok(size),
        Some(_) => Err(ConfigProblem::value(at, "must be a number from 1 to 10000")),
    }
}

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), ConfigProblem> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(ConfigProblem::value(
                format!("[[{what}]]"),
                format!("two are called `{name}`; rename one"),
            ));
        }
    }
    Ok(())
}

fn suite(
    at: usize,
    raw: RawSuite,
    inside: &dyn Fn(&str, &str) -> Result<Name, ConfigProblem>,
) -> Result<SuiteEntry, ConfigProblem> {
    let place = format!("[[suite]] number {}", at + 1);
    let path = inside(&format!("{place}, path"), &raw.path)?;
    let mut entry = match raw.name {
        Some(name) if is_slug(&name) => SuiteEntry { name, ..SuiteEntry::of_file(&Name::new("x.json"))? },
        Some(name) => {
            return Err(ConfigProblem::value(
                format!("{place}, name"),
                format!("`{name}` must match [a-z0-9-]+"),
            ));
        }
        None => SuiteEntry::of_file(&path)?,
    };
    entry.path = path;
    entry.match_mode = raw.match_mode;
    entry.retrievers = raw.retrievers.unwrap_or(entry.retrievers);
    entry.segments = raw.segments.unwrap_or(entry.segments);
    if entry.retrievers.is_empty() {
        return Err(ConfigProblem::value(
            format!("{place}, retrievers"),
            "is empty: nothing would be measured",
        ));
    }
    unique(&format!("suite]] `{}` retrievers [[", entry.name), entry.retrievers.iter().map(String::as_str))?;
    Ok(entry)
}

/// The keys that every retriever has, validated; the rest goes to its kind as it is.
fn retriever(mut table: Table) -> Result<RetrieverEntry, ConfigProblem> {
    let name = table.get("name").and_then(Value::as_str).unwrap_or("without a name").to_owned();
    let common: Value =
        RawRetriever::KEYS.iter().filter_map(|key| Some(((*key).to_owned(), table.remove(*key)?))).collect();
    let raw: RawRetriever = super::read(&common)
        .map_err(|misread| ConfigProblem::value(format!("[[retriever]] `{name}`"), misread.to_string()))?;
    if !is_slug(&raw.name) {
        return Err(ConfigProblem::value(
            "[[retriever]], name",
            format!("`{}` must match [a-z0-9-]+", raw.name),
        ));
    }
    let plain = RetrieverEntry::plain(raw.kind.as_deref().unwrap_or(&raw.name));
    Ok(RetrieverEntry {
        name: raw.name,
        timeout: raw.timeout.map_or(plain.timeout, |span| span.0),
        run_timeout: raw.run_timeout.map_or(plain.run_timeout, |span| span.0),
        kind: plain.kind,
        options: table,
    })
}

fn policy(raw: RawGate) -> Result<Policy, ConfigProblem> {
    let gateable = || METRICS.iter().filter(|metric| metric.gates_at().is_some()).map(|metric| metric.name());
    let metrics = raw.metrics.unwrap_or_else(|| vec![crate::metric::GATE.to_owned()]);
    if metrics.is_empty() {
        return Err(ConfigProblem::value("gate.metrics", "is empty: the gate could not fail"));
    }
    let metrics = metrics
        .iter()
        .map(|name| {
            Gated::named(name).ok_or_else(|| {
                let known = gateable().collect::<Vec<_>>().join(", ");
                let near = did_you_mean(name, gateable());
                ConfigProblem::value(
                    "gate.metrics",
                    format!("`{name}` cannot be gated (these can: {known}){near}"),
                )
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    if raw.tolerance.is_above_one() {
        return Err(ConfigProblem::value(
            "gate.tolerance",
            "is an absolute rate from 0 to 1: 0.02 is two points",
        ));
    }
    let floors = raw
        .floors
        .into_iter()
        .map(|(name, floor)| {
            let at = format!("gate.floors, {name}");
            let metric = by_name(&name).ok_or_else(|| {
                let near = did_you_mean(&name, METRICS.iter().map(|metric| metric.name()));
                ConfigProblem::value(&at, format!("is no metric{near}"))
            })?;
            if metric.direction() == Direction::Lower || floor.is_above_one() {
                return Err(ConfigProblem::value(
                    &at,
                    "a floor is for a figure from 0 to 1 of which more is better",
                ));
            }
            Ok((metric.key().to_owned(), floor))
        })
        .collect::<Result<BTreeMap<_, _>, _>>()?;
    Ok(Policy {
        metrics,
        tolerance: raw.tolerance,
        max_lost: raw.max_lost,
        max_failed: raw.max_failed,
        require_baseline: raw.require_baseline,
        floors,
        segments: raw.segments.into_iter().map(segment_rule).collect::<Result<_, _>>()?,
    })
}

/// `{ lang = "pt", tolerance = 0.05 }`: one key with a text, and the tolerance.
fn segment_rule(raw: Table) -> Result<SegmentRule, ConfigProblem> {
    let malformed = || {
        let example = "each is one key with its value and a tolerance: { lang = \"pt\", tolerance = 0.05 }";
        ConfigProblem::value("gate.segments", example)
    };
    let (mut rule, mut tolerance) = (None, None);
    for (key, value) in raw {
        match value {
            Value::String(value) if key != "tolerance" && rule.is_none() => rule = Some((key, value)),
            number if key == "tolerance" => {
                let number = Decimal::deserialize(number).map_err(|_| malformed())?;
                tolerance = Some(number).filter(|number| !number.is_above_one());
                tolerance.ok_or_else(malformed)?;
            }
            _ => return Err(malformed()),
        }
    }
    let (key, value) = rule.ok_or_else(malformed)?;
    Ok(SegmentRule { key, value, tolerance: tolerance.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_that_is_nearly_one_of_github_s_is_doubted_and_one_of_an_organisation_is_not() {
        let doubtful = |roles: &str| {
            Settings::parse(&format!("version = 1\n[approval]\nroles = [{roles}]"))
                .unwrap()
                .approval
                .doubtful_roles()
        };
        assert_eq!(doubtful("\"maintain\", \"release-manager\", \"owners\""), [] as [String; 0]);
        let said = doubtful("\"maintainer\", \"Admin\"");
        assert!(
            said[0].contains("did you mean `maintain`?") && said[1].contains("did you mean `admin`?"),
            "{said:?}"
        );
    }

    fn refused(text: &str) -> String {
        Settings::parse(&format!("version = 1\n{text}")).expect_err("must be refused").to_string()
    }

    #[test]
    fn the_design_s_example_is_read_as_written() {
        let settings = Settings::parse(include_str!("../../tests/data/config/full.toml")).expect("valid");
        assert_eq!(settings.suites[0].retrievers, ["bm25", "ours"]);
        assert_eq!(settings.retrievers[0].options["hits"], "/results");
        assert_eq!(settings.retrievers[0].timeout, Duration::from_secs(10));
        assert_eq!(settings.policy.max_lost, Some(2));
        assert_eq!(settings.policy.segments[0].value, "pt");
        assert_eq!(settings.policy.floors["hitAt3"].to_string(), "0.6");
        assert_eq!(settings.corpus.max_file_bytes, 1 << 20);
    }

    #[test]
    fn an_unknown_key_is_named_with_a_suggestion() {
        let message = refused("[gate]\ntolerence = 0.1\n");
        assert!(message.contains("tolerence") && message.contains("did you mean `tolerance`?"), "{message}");
    }

    #[test]
    fn the_wrong_number_of_brackets_is_told() {
        assert!(refused("[suite]\npath = \"a.json\"").contains("two pairs of brackets: [[suite]]"));
        assert!(refused("[[gate]]\ntolerance = 0").contains("one pair of brackets: [gate]"));
    }

    #[test]
    fn values_that_make_no_sense_are_refused_with_their_place() {
        for (text, part) in [
            ("[gate]\nmetrics = []", "could not fail"),
            ("[approval]\nusers = [\"@ada\"]", "without the @"),
            ("[approval]\nroles = []", "nobody who can approve"),
            ("[approval]\nroles = [\"triage\", \"read\"]", "nobody who can approve"),
            ("[gate]\nmetrics = [\"hit@4\"]", "did you mean"),
            ("[gate]\nmetrics = [\"MRR\"]", "cannot be gated"),
            ("[gate]\ntolerance = 2", "two points"),
            ("[gate]\ntolerance = -0.1", "-0.1"),
            ("[gate]\nfloors = { \"hit@33\" = 0.5 }", "no metric"),
            ("[gate]\nfloors = { \"zero-result rate\" = 0.5 }", "more is better"),
            ("[gate]\nsegments = [{ lang = \"pt\", kind = \"x\" }]", "one key"),
            ("[measure]\nfetch = 10\nlimit = 20", "larger than fetch"),
            ("[measure]\nfetch = 0", "1 to 10000"),
            ("[[suite]]\npath = \"../x.json\"", "outside the repository"),
            ("[[suite]]\npath = \"suites/My Suite.json\"", "is no name"),
            ("[[suite]]\npath = \"a.json\"\nretrievers = []", "nothing would be measured"),
            ("[[suite]]\npath = \"a.json\"\n[[suite]]\npath = \"b/a.json\"", "two are called"),
            ("[[retriever]]\nname = \"A\"", "[a-z0-9-]+"),
            ("[[retriever]]\nname = \"a\"\ntimeout = \"ten\"", "no duration"),
            ("[corpus]\nmax-file-bytes = \"1MB\"", "no size"),
            ("[corpus]\ninclude = []", "no file"),
            ("[approval]\nmode = \"maybe\"", "maybe"),
        ] {
            let message = refused(text);
            assert!(message.contains(part), "{text}: {message}");
        }
        assert!(Settings::parse("").expect_err("no version").to_string().contains("version = 1"));
        assert!(Settings::parse("version = 2").expect_err("newer").to_string().contains("reads 1"));
    }
}
