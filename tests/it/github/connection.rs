//! The connection that users run: where a token goes, where it does not, and what becomes of a network that fails.
#![expect(clippy::disallowed_methods, reason = "a test of proxies plays a part in a process of its own")]

use std::process::Command;

use rankhold::github::{
    Broken, Client, Connection, ConnectionProblem, GithubProblem, Pull, Repository, Token, Transport,
    endpoint,
};

use super::fake::{Fake, IMPATIENT, PUBLISH, STORAGE, tls};
use super::faults::{FAULTS, Fault};

const PULL: &str = "GET /repos/{owner}/{repo}/pulls/{pull_number}";

fn repository() -> Repository {
    "o/r".parse().unwrap()
}

/// Fills a world; gives a token and the number of an artifact.
fn fill(fake: &Fake) -> (Token, u64) {
    fake.with(|world| {
        let root = world.repository("o/r");
        let head = world.commit(&root, &[("docs/a.md", "text")]);
        world.push("o/r", "topic", &head);
        world.pull("o/r", "topic", "main");
        let run = world.run("o/r", "pull_request", "hold.yml", "topic");
        let artifact = world.artifact("o/r", run, "rankhold", b"PK archive");
        (world.workflow_token("o/r", PUBLISH), artifact)
    })
}

fn pull(fake: &Fake, token: &Token) -> Result<Pull, GithubProblem> {
    fake.block_on(async |fake| fake.client(token).json(&endpoint::pull(&repository(), 1)).await)
}

#[test]
fn the_token_goes_to_the_api_and_nowhere_else() {
    let fake = Fake::start();
    let (token, artifact) = fill(&fake);
    let call = endpoint::artifact_archive(&repository(), artifact);
    let archive = fake.block_on(async |fake| fake.client(&token).follow(&call, 100).await);
    assert_eq!(archive.unwrap(), b"PK archive");
    let (api, storage) = fake.hosts();
    let secret = format!("Bearer {}", fake.with(|world| world.secret(&token)));
    let seen: Vec<_> = fake.log().into_iter().map(|logged| (logged.host, logged.authorization)).collect();
    assert_eq!(seen, [(api, Some(secret)), (storage, None)]);
}

#[test]
fn a_redirect_is_an_answer_and_not_followed() {
    let fake = Fake::start();
    let (token, artifact) = fill(&fake);
    let call = endpoint::artifact_archive(&repository(), artifact);
    let reply = fake.block_on(async |fake| fake.connection(Some(&token)).send(&call).await).unwrap();
    assert_eq!(reply.status, 302);
    assert!(reply.headers.location.is_some());
    assert_eq!(fake.log().len(), 1);
}

#[test]
fn without_a_token_no_header_is_sent() {
    let fake = Fake::start();
    fill(&fake);
    let call = endpoint::pull(&repository(), 1);
    let reply = fake.block_on(async |fake| fake.connection(None).send(&call).await).unwrap();
    assert_eq!((reply.status, fake.log()[0].authorization.clone()), (200, None));
}

#[test]
fn the_path_of_a_private_server_comes_before_every_request() {
    let fake = Fake::private_server();
    let (token, artifact) = fill(&fake);
    for address in [fake.address(), format!("{}/", fake.address())] {
        let read = fake.block_on(async |_| {
            let connection = Connection::open(&address, Some(&token), None, IMPATIENT.answer).unwrap();
            Client::new(Box::new(connection), IMPATIENT).json::<Pull>(&endpoint::pull(&repository(), 1)).await
        });
        assert_eq!(read.unwrap().number, 1, "{address}");
    }
    let call = endpoint::artifact_archive(&repository(), artifact);
    fake.block_on(async |fake| fake.client(&token).follow(&call, 100).await).unwrap();
    let targets: Vec<_> = fake.log().into_iter().map(|logged| logged.target).collect();
    assert_eq!(targets[0], "/api/v3/repos/o/r/pulls/1");
    assert_eq!(targets[1], targets[0]);
    assert!(targets[3].starts_with("/archive.zip"), "{targets:?}");
}

#[test]
fn graphql_lies_beside_the_rest_of_a_private_server() {
    let fake = Fake::private_server();
    let (token, _) = fill(&fake);
    let comment = fake.with(|world| world.comment("o/r", 1, "ada", "text"));
    let unedited = fake.block_on(async |fake| {
        let client = fake.client(&token);
        let comment = client.json(&endpoint::comment(&repository(), comment)).await.unwrap();
        rankhold::github::is_unedited(&client, &comment).await
    });
    assert_eq!(unedited, Ok(Some(true)));
    assert_eq!(fake.log()[1].target, "/api/graphql");
}

#[test]
fn a_download_has_a_largest_size() {
    let fake = Fake::start();
    let (token, artifact) = fill(&fake);
    let call = endpoint::artifact_archive(&repository(), artifact);
    let follow = |most| fake.block_on(async |fake| fake.client(&token).follow(&call, most).await);
    assert_eq!(follow(10).unwrap(), b"PK archive");
    let asked = fake.log().len();
    let problem = follow(9).unwrap_err();
    assert!(matches!(problem, GithubProblem::TooLarge { most: 9, .. }), "{problem}");
    assert_eq!(fake.log().len() - asked, 2, "it would be as large the next time");
}

#[test]
fn a_page_of_a_proxy_is_waited_out_and_named_by_its_status_in_the_end() {
    let fake = Fake::start();
    let (token, _) = fill(&fake);
    fake.fail(PULL, 1, Fault::BadGateway);
    assert_eq!(pull(&fake, &token).unwrap().number, 1);
    for nth in 1..=3 {
        fake.fail(PULL, nth, Fault::BadGateway);
    }
    let problem = pull(&fake, &token).unwrap_err().to_string();
    assert!(problem.contains("tried 3 times: HTTP status 502"), "{problem}");
}

#[test]
fn half_an_answer_is_none() {
    let fake = Fake::start();
    let (token, artifact) = fill(&fake);
    fake.fail(PULL, 1, Fault::AnswerCut);
    assert_eq!(pull(&fake, &token).unwrap().number, 1);
    assert_eq!(fake.log().len(), 2);
    fake.fail(STORAGE, 1, Fault::AnswerCut);
    let url = fake.block_on(async |fake| {
        let call = endpoint::artifact_archive(&repository(), artifact);
        fake.connection(Some(&token)).send(&call).await.unwrap().headers.location.unwrap()
    });
    let cut = fake.block_on(async |fake| fake.connection(None).download(&url, 100).await);
    assert!(cut.is_err(), "{cut:?}");
}

#[test]
fn a_server_of_an_unknown_authority_is_refused_and_one_of_the_named_authority_trusted() {
    let fake = Fake::over_tls();
    let (token, artifact) = fill(&fake);
    let call = endpoint::artifact_archive(&repository(), artifact);
    assert_eq!(pull(&fake, &token).unwrap().number, 1);
    fake.block_on(async |fake| fake.client(&token).follow(&call, 100).await).unwrap();
    let asked = fake.log().len();
    let broken = fake.block_on(async |fake| {
        let connection = Connection::open(&fake.address(), Some(&token), None, IMPATIENT.answer).unwrap();
        connection.send(&call).await.unwrap_err()
    });
    assert!(matches!(&broken, Broken::Lost(words) if words.contains("certificate")), "{broken}");
    assert_eq!(fake.log().len(), asked, "nothing was asked of it");
}

#[test]
fn a_file_of_certificates_without_one_is_named() {
    let key = b"-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----\n".to_vec();
    let broken = b"-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n".to_vec();
    for bytes in [Vec::new(), b"no PEM".to_vec(), key, broken, tls::authority()[..100].to_vec()] {
        let opened = Connection::open("https://x.invalid", None, Some(&bytes), IMPATIENT.answer);
        let problem = opened.err().expect("it is no file of certificates");
        assert!(matches!(problem, ConnectionProblem::Certificates(_)), "{problem}");
    }
}

#[test]
fn an_address_that_is_none_is_named() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _guard = runtime.enter();
    for address in ["", "api.github.com", "ftp://x.invalid", "https://", "https://a b", "\u{e9}"] {
        let problem = Connection::open(address, None, None, IMPATIENT.answer).err().expect(address);
        assert!(matches!(problem, ConnectionProblem::Address(_)), "{address}: {problem}");
    }
}

#[test]
fn no_problem_shows_the_token_or_the_secret_address_of_an_archive() {
    let fake = Fake::start();
    let (token, artifact) = fill(&fake);
    let (secret, unknown) =
        (fake.with(|world| world.secret(&token)), Token::new("ghs_secret_unknown").unwrap());
    let archive = endpoint::artifact_archive(&repository(), artifact);
    let mut problems = Vec::new();
    fake.block_on(async |fake| {
        for fault in FAULTS {
            for route in [PULL, STORAGE] {
                for nth in 1..=3 {
                    fake.fail(route, nth, *fault);
                }
                let client = fake.client(&token);
                let read = match route {
                    PULL => client.json::<Pull>(&endpoint::pull(&repository(), 1)).await.map(drop),
                    _ => client.follow(&archive, 100).await.map(drop),
                };
                problems.push(read.unwrap_err());
            }
        }
        let client = fake.client(&token);
        problems.push(client.follow(&archive, 1).await.unwrap_err());
        problems.push(client.done(&endpoint::pull(&repository(), 9)).await.unwrap_err());
        let read = fake.client(&unknown).done(&endpoint::pull(&repository(), 1)).await;
        problems.push(read.unwrap_err());
        // Nobody listens here.
        let nobody = Connection::open("http://127.0.0.1:1", Some(&token), None, IMPATIENT.answer).unwrap();
        let read = Client::new(Box::new(nobody), IMPATIENT).done(&endpoint::pull(&repository(), 1)).await;
        problems.push(read.unwrap_err());
    });
    assert!(secret.starts_with("ghs_secret"));
    for problem in problems {
        let shown = format!("{problem} {problem:?}");
        assert!(!shown.contains("ghs_") && !shown.contains("signature"), "{shown}");
    }
}

/// Two environment variables for the part below: the proxy is in the usual one, the token in ours.
const TOKEN: &str = "RANKHOLD_TEST_TOKEN";

#[test]
fn a_proxy_of_the_environment_is_used_and_nothing_is_written_to_a_log() {
    let fake = Fake::start();
    let (token, _) = fill(&fake);
    let secret = fake.with(|world| world.secret(&token));
    let (proxy, _) = fake.hosts();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["github::connection::role_behind_a_proxy", "--exact", "--ignored", "--nocapture"]);
    for name in ["NO_PROXY", "no_proxy", "http_proxy", "ALL_PROXY", "all_proxy", "REQUEST_METHOD"] {
        command.env_remove(name);
    }
    command.env("HTTP_PROXY", format!("http://{proxy}")).env(TOKEN, &secret).env("RUST_LOG", "trace");
    let output = command.output().unwrap();
    let shown =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{shown}");
    assert!(!shown.contains(&secret), "{shown}");
    let seen: Vec<_> = fake.log().into_iter().map(|logged| (logged.host, logged.target)).collect();
    assert_eq!(seen, [("api.github.invalid".to_owned(), "/repos/o/r/pulls/1".to_owned())]);
}

#[test]
#[ignore = "a part that another test plays in a process of its own"]
fn role_behind_a_proxy() {
    let Some(token) = std::env::var_os(TOKEN) else { return };
    let token = Token::new(token.to_str().unwrap()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let read = runtime.block_on(async {
        // Only the proxy knows this host.
        let connection =
            Connection::open("http://api.github.invalid", Some(&token), None, IMPATIENT.answer).unwrap();
        Client::new(Box::new(connection), IMPATIENT).json::<Pull>(&endpoint::pull(&repository(), 1)).await
    });
    assert_eq!(read.unwrap().number, 1);
}

#[test]
fn a_path_that_climbs_asks_for_nothing_else() {
    let fake = Fake::start();
    let (token, _) = fill(&fake);
    let at = fake.with(|world| world.tip("o/r", "topic"));
    let read = |path: &str| {
        let call = endpoint::file(&repository(), path, &at);
        fake.block_on(async |fake| fake.client(&token).bytes(&call).await).unwrap()
    };
    for path in ["docs/../../pulls", "..", "./docs/a.md", "docs/./a.md", "../../../s/t/contents/a.md"] {
        assert_eq!(read(path), None, "{path}");
    }
    assert_eq!(fake.log().len(), 0, "no tree has such a path, so nobody need be asked");
    assert_eq!(read("docs/a.md").unwrap(), b"text");
    assert_eq!(read("docs/%2e%2e/a.md"), None);
    assert!(fake.log()[1].target.starts_with("/repos/o/r/contents/docs/%252e%252e/a.md"));
}
