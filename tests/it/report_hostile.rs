//! What hostile text does in a report: nothing but show.

use std::sync::LazyLock;

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options as Gfm, parse_document};
use rankhold::exit::Exit;
use rankhold::gate::Policy;
use rankhold::report::table::{Row, System, Table};
use rankhold::report::{
    Commands, Footer, Format, Options, Outcome, PairReport, Remark, RemarkLevel, Rendered, Report,
    footer as footer_of, idle_summary, no_verdict, place, remarks,
};
use regex::Regex;

use crate::github::stage::remarks as remarks_in;
use crate::report_scenes::{Asked, Scene, markdown};

/// A deterministic stream of numbers (xorshift), so that a failure can be had again.
pub(crate) struct Dice {
    state: u64,
    /// How many texts were made.
    texts: usize,
}

impl Dice {
    pub(crate) fn of(seed: u64) -> Self {
        Self { state: seed, texts: 0 }
    }

    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state % n as u64).expect("small")
    }

    pub(crate) fn hostile(&mut self) -> String {
        self.texts += 1;
        (0..=self.below(12)).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }

    /// So many texts were tried.
    #[track_caller]
    fn tried(&self, wanted: usize) {
        assert!(self.texts >= wanted, "{} texts instead of {wanted}", self.texts);
    }
}

/// How many texts each test tries at least. The whole of it is what was promised.
const IN_REPORTS: usize = 25_000;
const IN_TABLES: usize = 10_000;
const IN_PLACES: usize = 20_000;
const IN_OTHER_FORMATS: usize = 8_000;
const IN_BRIEF: usize = 6_000;
const IN_LOGS: usize = 40_000;
const _: () = assert!(IN_REPORTS + IN_TABLES + IN_PLACES + IN_OTHER_FORMATS + IN_BRIEF + IN_LOGS >= 100_000);

/// What could act somewhere: markdown, HTML, GitHub's own additions, workflow commands, invisible characters, and marks
/// of our own templates.
const PIECES: &[&str] = &[
    "a",
    "Zz",
    "9",
    " ",
    "  ",
    "    ",
    "`",
    "``",
    "```",
    "~~~",
    "|",
    "||",
    "\\",
    "\\|",
    "<",
    ">",
    "!",
    "-",
    "---",
    "@",
    "@octocat",
    "#12",
    "#",
    "## ",
    "[",
    "](",
    "](https://e.vil)",
    "![",
    "(",
    ")",
    "*",
    "**",
    "_",
    "__",
    "~",
    "~~",
    "&",
    "&amp;",
    "&#124;",
    "&lt;b&gt;",
    ";",
    ":",
    ":x:",
    "::",
    "/",
    "//",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "\t",
    "\"",
    "'",
    "{",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "}",
    "$",
    "$$",
    "$`",
    "^",
    "=",
    "===",
    "+",
    "+ ",
    "- ",
    "1. ",
    "> ",
    ".",
    "www.",
    "www.evil.example",
    "https://e.vil/x",
    "http://",
    "ftp://e.vil",
    "mailto:a@b.co",
    "a@b.co",
    "xmpp:a@b.co/r",
    "<!--",
    "-->",
    "</details>",
    "<details>",
    "<td>",
    "</td>",
    "<script>",
    "<img src=x onerror=y>",
    "</code>",
    "| --- |",
    "|---|",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{0}",
    "\u{1b}[31m",
    "\u{9b}",
    "GH-1",
    "owner/repo#3",
    "owner/repo@deadbeef",
    "deadbeefdeadbeef",
    "[^1]",
    "[x] ",
    "[!NOTE]",
    "::error::x",
    "##[error]x",
    "é",
    "如何",
    "❤\u{fe0f}",
    "\u{2028}",
    "⏎",
    "&#64;octocat",
    "\\@octocat",
    "–",
    "@a/b",
    "…",
];

fn gfm() -> Gfm<'static> {
    let mut options = Gfm::default();
    let extension = &mut options.extension;
    extension.autolink = true;
    extension.table = true;
    extension.strikethrough = true;
    extension.tasklist = true;
    extension.footnotes = true;
    extension.math_dollars = true;
    extension.math_code = true;
    extension.alerts = true;
    options
}

/// What a report consists of, user text aside.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Skeleton {
    /// Kinds of nodes in document order; text and code only as such.
    pub(crate) nodes: Vec<String>,
    /// What GitHub would search for names: text outside code.
    pub(crate) text: String,
}

pub(crate) fn skeleton(markdown: &str) -> Skeleton {
    fn walk<'a>(node: &'a AstNode<'a>, into: &mut Skeleton) {
        let value = &node.data.borrow().value;
        match value {
            NodeValue::Text(text) => {
                into.text.push_str(text);
                return;
            }
            NodeValue::Code(_) => {
                into.text.push('\u{fffc}');
                return;
            }
            NodeValue::SoftBreak | NodeValue::LineBreak => into.text.push('\n'),
            NodeValue::HtmlInline(html) => into.nodes.push(format!("html {html}")),
            NodeValue::HtmlBlock(html) => into.nodes.push(format!("html {}", html.literal.trim())),
            NodeValue::CodeBlock(code) => into.nodes.push(format!("code {}", code.literal)),
            NodeValue::Table(table) => into.nodes.push(format!("table of {} columns", table.num_columns)),
            NodeValue::Heading(heading) => into.nodes.push(format!("heading {}", heading.level)),
            NodeValue::Link(link) => into.nodes.push(format!("link {}", link.url)),
            other => {
                into.nodes.push(format!("{other:?}").chars().take_while(|c| c.is_alphanumeric()).collect());
            }
        }
        into.text.push(' ');
        for child in node.children() {
            walk(child, into);
        }
        into.text.push(' ');
    }
    let arena = Arena::new();
    let mut into = Skeleton::default();
    walk(parse_document(&arena, markdown, &gfm()), &mut into);
    into
}

/// Without the figures that depend on how long texts are.
fn lines_of_any_length(markdown: &str) -> String {
    let depends = |line: &&str| line.starts_with("| context bytes") || line.starts_with("| tokens");
    markdown.lines().filter(|line| !depends(line)).flat_map(|line| [line, "\n"]).collect()
}

/// The first row that has not as many cells as the one above it.
pub(crate) fn uneven_row(markdown: &str) -> Option<(String, String)> {
    let cells = |line: &str| line.starts_with('|').then(|| line.matches('|').count());
    let uneven =
        |(above, row): &(&str, &str)| cells(above).zip(cells(row)).is_some_and(|(above, row)| above != row);
    let mut rows = markdown.lines().zip(markdown.lines().skip(1));
    rows.find(uneven).map(|(above, row)| (above.to_owned(), row.to_owned()))
}

/// What GitHub looks for in text once markdown and entities are read.
static FINDS: LazyLock<Regex> = LazyLock::new(|| {
    let patterns = [
        r"(?:^|[^\w`/])@[A-Za-z0-9][A-Za-z0-9-]*",
        r"(?:^|[^\w&])#[0-9]+",
        r"(?i)\bgh-[0-9]+",
        r"[\w./-]+[#@][0-9a-f]{7,}",
        r"[\w.-]+/[\w.-]+#[0-9]+",
        r"\b[0-9a-f]{7,40}\b",
        r":[\w+-]+:",
        r"(?i)(?:https?|ftp)://|www\.",
        r"[\w.+-]+@[\w-]+\.[\w.-]+",
        "[\u{202a}-\u{202e}\u{2066}-\u{2069}]",
    ];
    Regex::new(&patterns.join("|")).expect("patterns")
});

pub(crate) fn found_by_github(text: &str) -> Option<&str> {
    FINDS.find(text).map(|found| found.as_str())
}

/// A pair in which everything a stranger can write is `text()`: names, queries, ids, targets, segments, reasons.
fn scene_of(mut text: impl FnMut() -> String) -> Scene {
    let before: Vec<_> = (0..8)
        .map(|at| {
            let mut asked = Asked::new(&format!("{at}{}", text()), &text(), &text(), 1 + at % 3);
            let target = format!("t{at}/{}", text());
            asked.case.qrels = rankhold::suite::Qrels::expecting(&[&target]).expect("a target");
            asked.answer = crate::report_scenes::hits(vec![target, format!("x/{}", text())]);
            asked
        })
        .collect();
    let mut after = before.clone();
    for (at, asked) in after.iter_mut().enumerate() {
        match at {
            0 | 1 => {
                asked.answer =
                    crate::report_scenes::hits(vec![format!("x/{}", text()), format!("y/{}", text())]);
            }
            2 => *asked = asked.clone().asking(&format!("other {}", text())),
            3 => *asked = asked.clone().renamed(&format!("renamed {}", text())),
            4 => {
                let quarantined = asked.clone().quarantined();
                *asked = quarantined;
            }
            _ => {}
        }
    }
    after.remove(5);
    after.push(Asked::new(&format!("new {}", text()), &text(), &text(), 1));
    let mut scene = Scene::between(&before, &after, &Policy::default());
    scene.suite = text();
    scene.retriever = text();
    scene
}

#[test]
fn nothing_a_stranger_writes_acts_in_a_report() {
    let mut dice = Dice::of(0x5eed_0007);
    let policy = Policy::default();
    // Numbered, so that as many segments come of them; and with a name that no shell reads as it stands, so that there is no command in some
    // rounds alone.
    let mut number = 0;
    let mut numbered = |text: String| {
        number += 1;
        format!("{text} '{number}").replace("..", ".")
    };
    let unjudged = |message: String, hint: String| PairReport {
        suite: "a|b",
        retriever: "@octocat",
        commands: Commands::of_only("a|b", "@octocat"),
        outcome: Outcome::Unjudged { message, hint: Some(hint), exit: Exit::Usage },
    };
    let plain = scene_of(|| numbered("plain".to_owned()));
    let pairs = vec![plain.pair(), unjudged("plain".into(), "plain".into())];
    let intended = markdown(pairs, &policy, &Options::default());
    let intended = skeleton(&lines_of_any_length(&intended)).nodes;
    for round in 0..520 {
        let scene = scene_of(|| numbered(dice.hostile()));
        let pairs = vec![scene.pair(), unjudged(numbered(dice.hostile()), numbered(dice.hostile()))];
        let text = markdown(pairs, &policy, &Options::default());
        assert_eq!(uneven_row(&text), None, "round {round}");
        let seen = skeleton(&lines_of_any_length(&text));
        let other = seen.nodes.iter().zip(&intended).position(|(seen, intended)| seen != intended);
        let other = other.map(|at| (&seen.nodes[at.saturating_sub(3)..=at], &intended[at]));
        assert_eq!(other, None, "round {round}: the structure is another one\n{text}");
        assert_eq!(seen.nodes.len(), intended.len(), "round {round}: the structure is another one\n{text}");
        assert_eq!(found_by_github(&seen.text), None, "round {round}: GitHub would find something\n{text}");
        let raw = text.lines().find(|line| line.trim_start().starts_with("::") || line.contains("##["));
        assert_eq!(raw, None, "round {round}: the runner would find a command");
    }
    dice.tried(IN_REPORTS);
}

#[test]
fn nothing_acts_in_the_table_of_systems() {
    let mut dice = Dice::of(0x0ca_b1e5);
    let render = |text: &mut dyn FnMut() -> String| {
        let mut row = |at: usize| Row {
            retriever: text(),
            floor_of: None,
            system: match at % 2 {
                0 => System::Failed { reason: text(), hint: Some(text()) },
                _ => System::Skipped { reason: text(), hint: Some(text()) },
            },
        };
        let rows = (0..4).map(&mut row).collect();
        let without_floor = vec![text(), text()];
        let table =
            Table { suite: text(), cases: 7, negative: 2, top_k: 10, smoke: false, rows, without_floor };
        let [markdown, smoke] = [false, true].map(|smoke| {
            let format = Format::named("markdown").expect("it exists");
            format.render_table(&Table { smoke, ..table.clone() }, &Options::default()).expect("it renders")
        });
        format!("{markdown}\n{smoke}")
    };
    let intended = skeleton(&render(&mut || "plain".to_owned())).nodes;
    for _ in 0..950 {
        let text = render(&mut || format!("{}.", dice.hostile()));
        let seen = skeleton(&text);
        assert_eq!(seen.nodes, intended, "{text}");
        assert_eq!(found_by_github(&seen.text), None, "{text}");
        assert_eq!(uneven_row(&text), None);
    }
    dice.tried(IN_TABLES);
}

type Escape = fn(&str, usize) -> String;

#[test]
fn every_place_keeps_thousands_of_hostile_texts_inert() {
    let mut dice = Dice::of(0x0dd_ba11);
    for _ in 0..IN_PLACES {
        let raw = dice.hostile();
        let places: [(_, Escape); 3] =
            [("text", place::text), ("code", place::code), ("sentence", place::sentence)];
        for (name, escape) in places {
            let escaped = escape(&raw, 400);
            let table = format!(
                "| a | b |\n| --- | --- |\n| {escaped} | ok |\n| x {escaped} y | {escaped} |\n\nafter\n"
            );
            let seen = skeleton(&table);
            let kinds: Vec<_> = seen.nodes.iter().map(String::as_str).collect();
            let row = ["TableRow", "TableCell", "TableCell"];
            let expected =
                [&["Document", "table of 2 columns"][..], &row, &row, &row, &["Paragraph"]].concat();
            assert_eq!(kinds, expected, "{name} of {raw:?}: {escaped}");
            assert_eq!(found_by_github(&seen.text), None, "{name} of {raw:?}: {escaped}");
            if escaped.is_empty() {
                continue; // nothing but blanks
            }
            let alone = skeleton(&format!("before\n{escaped}\nafter\n"));
            assert_eq!(alone.nodes[..2], ["Document", "Paragraph"], "{name} of {raw:?}: {escaped}");
            assert!(
                alone.nodes[2..].iter().all(|node| node == "SoftBreak"),
                "{name} of {raw:?}: {:?}",
                alone.nodes
            );
        }
        let html = format!("<p title=\"{0}\" lang='{0}'>{0}</p>\n", place::html(&raw, 400));
        assert_eq!(html.matches(['<', '>']).count(), 4, "{raw:?}");
        assert_eq!(html.matches(['"', '\'']).count(), 4, "{raw:?}");
        let fenced = skeleton(&format!("```sh\n{}\n```\n\nafter\n", place::fence(&raw, 400)));
        assert_eq!(fenced.nodes.len(), 3, "{raw:?}");
        let line = place::terminal(&raw, 60);
        assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{raw:?}: {line}");
        assert!(
            !line.chars().any(|c| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c)),
            "{raw:?}: {line}"
        );
        assert!(unicode_width::UnicodeWidthStr::width(&*line) <= 60 + 12, "{raw:?}: {line}");
    }
}

#[test]
fn the_terminal_and_the_json_hold_no_command_either() {
    let mut dice = Dice::of(0xfeed_f00d);
    let policy = Policy::default();
    for _ in 0..170 {
        let scene = scene_of(|| dice.hostile().replace("..", "."));
        for name in ["text", "json"] {
            let format = Format::named(name).expect("it exists");
            let report = Report { policy: &policy, pairs: vec![scene.pair()], touched: None };
            let text = format.render(&report, &Options::default()).expect("it renders");
            let bad = text.lines().find(|line| {
                line.trim_start().starts_with("::")
                    || line.contains("##[")
                    || line.chars().any(char::is_control)
            });
            assert_eq!(bad, None, "{name}");
            assert!(name == "text" || serde_json::from_str::<serde_json::Value>(&text).is_ok());
        }
    }
    dice.tried(IN_OTHER_FORMATS);
}

#[test]
fn nothing_acts_where_there_is_no_report() {
    let mut dice = Dice::of(0x51_1e_4c_e5);
    let render = |text: &mut dyn FnMut() -> String| {
        let hint = text();
        let footer = Footer {
            branch: text(),
            base: text(),
            behind: 2,
            run: "https://github.example/o/r/actions/runs/1".to_owned(),
            version: "1.2.3",
            looser: None,
            unanswered: true,
        };
        [
            no_verdict(&text(), Some(&hint)).expect("it renders"),
            no_verdict(&text(), None).expect("it renders"),
            idle_summary(&text()).expect("it renders"),
            footer_of(&footer).expect("it renders"),
        ]
    };
    let intended = render(&mut || "plain.".to_owned()).map(|text| skeleton(&text).nodes);
    while dice.texts < IN_BRIEF {
        let all = render(&mut || format!("{}.", dice.hostile()));
        for (text, intended) in all.iter().zip(&intended) {
            let seen = skeleton(text);
            assert_eq!(&seen.nodes, intended, "{text}");
            assert_eq!(found_by_github(&seen.text), None, "{text}");
            assert_eq!(acting(text), None, "{text}");
        }
    }
    dice.tried(IN_BRIEF);
}

/// What the program says on stderr, and the remarks that it makes to the runner on stdout.
#[test]
fn nothing_acts_in_the_log_but_our_own_remarks() {
    let mut dice = Dice::of(0x1091_1091);
    while dice.texts < IN_LOGS {
        let said: Vec<String> = (0..20).map(|_| dice.hostile()).collect();
        let lines = Rendered::lines(said.iter().flat_map(|text| text.lines()));
        assert_eq!(acting(&lines), None, "{lines}");
        assert_eq!(lines.lines().count(), said.iter().flat_map(|text| text.lines()).count(), "{said:?}");
        assert_eq!(remarks_in(&lines), []);

        let made: Vec<Remark> = (0..10)
            .map(|at| Remark {
                level: if at % 2 == 0 { RemarkLevel::Error } else { RemarkLevel::Warning },
                path: format!("suites/{}.json", dice.hostile()),
                line: at,
                title: dice.hostile(),
                message: format!("{}\nrank 1 → none", dice.hostile()),
            })
            .collect();
        let text = remarks(made.clone());
        assert!(!text.lines().any(|line| line.chars().any(char::is_control)), "{text}");
        let found = remarks_in(&text);
        assert_eq!(found.len(), made.len(), "{text}");
        let shown = |text: &str| place::visible(text).replace("##[", "#\\u{23}[");
        for (found, made) in found.iter().zip(&made) {
            let property = |name: &str| found.properties[name].as_str();
            assert_eq!(found.properties.len(), 3, "{text}");
            let said = (property("file"), property("line"), property("title"));
            let meant = (shown(&made.path), made.line.to_string(), shown(&made.title));
            assert_eq!(said, (meant.0.as_str(), meant.1.as_str(), meant.2.as_str()), "{text}");
            let message: Vec<String> = made.message.split('\n').map(shown).collect();
            assert_eq!(found.message, message.join("\n"), "{text}");
        }
    }
    dice.tried(IN_LOGS);
}

/// The first line in which a terminal or a runner would find something to do.
pub(crate) fn acting(text: &str) -> Option<&str> {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{feff}')
    };
    text.split('\n')
        .find(|line| line.trim_start().starts_with("::") || line.contains("##[") || line.chars().any(hidden))
}
