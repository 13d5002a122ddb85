//! Templates of a repository: they replace ours, and their errors are named.

use rankhold::error::{Blame, Blamed as _};
use rankhold::gate::Policy;
use rankhold::report::{Format, Options, Report, Template};

use crate::report_scenes::regressed;

fn themed(source: &str) -> Result<String, rankhold::report::TemplateProblem> {
    let scene = regressed();
    let policy = Policy::default();
    let template = Template { name: "ci/comment.md.j2".into(), source: source.into() };
    let options = Options { template: Some(template), budget: 2000, ..Options::default() };
    let report = Report { policy: &policy, pairs: vec![scene.pair()], touched: None };
    Format::named("markdown").expect("it exists").render(&report, &options).map(|text| text.to_string())
}

#[test]
fn a_template_of_the_repository_replaces_ours() {
    let source = "# {{ title }}\n\n{% for case in pairs[0].lost %}\n- {{ case.id|code }}: {{ case.query }}\n{% endfor %}\n";
    let text = themed(source).expect("it renders");
    assert!(text.starts_with("# The ranking does not hold\n\n- `q07`: how is step 7"), "{text}");
    let joined =
        themed("{{ pairs[0].lost|map(attribute='id')|map('code')|join(', ') }}").expect("it renders");
    assert_eq!(joined, "`q07`, `q11`, `q12`, `q20`, `q33`");
}

#[test]
fn what_is_undefined_is_named_with_file_and_line() {
    let problem = themed("fine\n{{ pairs[0].verdikt }}\n").expect_err("there is no such field");
    assert_eq!((problem.name.as_str(), problem.line), ("ci/comment.md.j2", Some(2)));
    assert_eq!(problem.blame(), Blame::User);
    assert!(problem.to_string().contains("verdikt"), "{problem}");
    let problem = themed("{% if oops %}{% endif %}").expect_err("there is no such variable");
    assert!(problem.to_string().contains("oops"), "{problem}");
    let problem = themed("{{ title|nope }}").expect_err("there is no such filter");
    assert!(problem.to_string().contains("nope"), "{problem}");
    let problem = themed("one\n{% for %}").expect_err("no template");
    assert_eq!(problem.line, Some(2), "{problem}");
    assert!(themed("{% include '/etc/passwd' %}").is_err(), "there is no loader");
}

#[test]
fn a_template_can_neither_unescape_nor_run_for_ever_nor_overflow() {
    for filter in ["safe", "e", "escape"] {
        assert!(themed(&format!("{{{{ title|{filter} }}}}")).is_err(), "{filter}");
    }
    let escaped =
        themed("{{ '<b>@octocat' }}{% macro m(x) %}{{ x }}{% endmacro %}{{ m('#1') }}").expect("it renders");
    assert_eq!(escaped, "&lt;b&gt;@&#8203;octocat&#35;&#8203;1");
    let problem = themed("{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}");
    assert!(problem.expect_err("too much work").to_string().contains("fuel"));
    let long =
        themed("<details>\n{% for a in range(500) %}\nline {{ a }}\n{% endfor %}\n").expect("it renders");
    assert!(
        long.len() <= 2000 && long.ends_with("</details>\n\n_The rest is left out for want of room._\n"),
        "{long}"
    );
}

/// None of these may end the process: what a template can do is bounded by an error, or done.
#[test]
fn a_template_exhausts_neither_stack_nor_memory() {
    let chain = |start: &str, link: &str| format!("{{{{ {start}{} }}}}", link.repeat(60_000 / link.len()));
    for source in [
        chain("1", "+1"),
        chain("'a'", "|upper"),
        chain("'a'", "~1"),
        chain("not 1", " or not 1"),
        chain("1", "<1"),
    ] {
        let _ = themed(&source);
    }
    let deep = "{% set n = namespace(x=[], y=[]) %}{% for i in range(99999) %}{% set n.x = [n.x] %}\
                {% set n.y = [n.y] %}{% endfor %}";
    let uses = [
        "{{ n.x }}",
        "{{ n.x|string }}",
        "{{ n.x ~ n.x }}",
        "{{ n.x == n.y }}",
        "{{ n.x < n.y }}",
        "{{ [n.x, n.y]|sort }}",
        "{{ n.x in [n.y] }}",
        "{{ {n.x: 1} }}",
        "{{ [n.x, n.y]|unique }}",
        "{{ n.x|code }}",
        "{{ [n.x]|join }}",
        "",
    ];
    for rest in uses {
        let _ = themed(&format!("{deep}{rest}"));
    }
    let maps = deep.replace("[n.x]", "{'a': n.x}").replace("[n.y]", "{'a': n.y}");
    let _ = themed(&format!("{maps}{{{{ n.x }}}}{{{{ n.x == n.y }}}}"));
    let doubled = "fine\n{% set n = namespace(x='0123456789') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}\
                   {% endfor %}";
    let problem = themed(doubled).expect_err("too large");
    assert_eq!((problem.line, problem.blame()), (Some(2), Blame::User), "{problem}");
    assert!(themed("{{ 'x' * 99999999 }}").is_err());
}

#[test]
fn a_template_that_is_too_large_is_named() {
    let problem = themed(&"x".repeat(70_000)).expect_err("too large");
    assert_eq!(
        problem.to_string(),
        "the template ci/comment.md.j2: has 70000 bytes, and no more than 65536 are read"
    );
}
