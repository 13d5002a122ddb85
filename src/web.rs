//! The HTTP client below everything that asks a server: our own roots, the proxies of the environment, no redirect unless
//! somebody says so.
#![expect(clippy::disallowed_methods, reason = "the environment says whether there is a proxy")]

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// Why there can be no client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientProblem {
    /// The certificates of a private server.
    #[error("ca-file: {0}")]
    Certificates(String),
    /// The rest.
    #[error("no HTTP client can be built: {0}")]
    Client(String),
}

/// A client that trusts Mozilla's roots and those of `certificates` (PEM), and follows no redirect: what goes with a
/// request, as a token does, never leaves for another host.
pub fn client(certificates: Option<&[u8]>) -> Result<reqwest::ClientBuilder, ClientProblem> {
    let failed = |error: &dyn Display| ClientProblem::Client(error.to_string());
    let mut roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(pem) = certificates {
        let mut found = 0;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let bad = |error: &dyn Display| ClientProblem::Certificates(error.to_string());
            roots.add(certificate.map_err(|error| bad(&error))?).map_err(|error| bad(&error))?;
            found += 1;
        }
        if found == 0 {
            return Err(ClientProblem::Certificates("holds no certificate".into()));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(15)))
}

/// What went wrong, down to the cause, without an address: one may hold a secret.
pub fn cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// How the HTTP client says that it does not know how to talk to a proxy.
const UNSPOKEN: &str = "unsupported scheme ";

/// What a server that could not be reached means, as a part of a message: behind a proxy, that may be what is not there.
pub fn unreached(error: &reqwest::Error) -> String {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let proxy = error.url().and_then(|url| proxy_for(url, variable));
    let proxy =
        proxy.map(|name| format!("; the proxy in `{name}` may be what is not there")).unwrap_or_default();
    let cause = cause(error);
    if let Some(scheme) = cause.strip_prefix(UNSPOKEN) {
        return format!(
            "could not be reached: nothing here speaks to a proxy of the kind `{scheme}://`{proxy}"
        );
    }
    format!("could not be reached: {cause}{proxy}")
}

/// What to do about a server that could not be reached or talked to; `start` says how it could be started here.
pub fn advice(error: &reqwest::Error, start: &str) -> Option<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    if let Some(proxy) = error.url().filter(|_| error.is_connect()).and_then(|url| proxy_for(url, variable)) {
        let write = if cause(error).starts_with(UNSPOKEN) {
            "write `http://HOST:PORT` in"
        } else {
            "check the proxy in"
        };
        return Some(format!("{write} `{proxy}`, or name the server's host in `NO_PROXY`"));
    }
    let mut causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    let refused = causes.any(|cause| {
        let system = cause.downcast_ref::<std::io::Error>();
        system.is_some_and(|system| system.kind() == std::io::ErrorKind::ConnectionRefused)
    });
    let is_plain = error.url().is_some_and(|url| url.scheme() == "http");
    let cause = cause(error);
    let says = |words: &str| cause.contains(words);
    Some(if refused {
        format!("nothing listens there: is the server running, and is that its address and port? {start}")
    } else if says("InvalidContentType") || says("tls handshake eof") {
        "what answers there speaks no TLS, it seems: write `http://` in the place of `https://`".to_owned()
    } else if is_plain && (says("invalid HTTP version") || says("HTTP/0.9")) {
        "what answers there speaks no plain HTTP: does it take `https://`?".to_owned()
    } else if says("UnknownIssuer") || says("CaUsedAsEndEntity") {
        "nobody who is trusted here signed its certificate: name the certificates of its owner in `ca-file`"
            .to_owned()
    } else if says("failed to lookup address") || says("dns error") {
        "no host of that name is known here: correct the name, or check the network".to_owned()
    } else {
        return None;
    })
}

/// The variable that holds the proxy for an address, if `NO_PROXY` does not except it.
fn proxy_for(url: &reqwest::Url, variable: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    if is_loopback(url) {
        return None;
    }
    let names = match url.scheme() {
        "http" => ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
        _ => ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
    };
    names.into_iter().find(|name| variable(name).is_some())
}

/// It leads to this machine, where no proxy leads.
pub fn is_loopback(url: &reqwest::Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proxy_that_may_be_missing_is_named() {
        let asked = |url: &str, set: &[&str]| {
            let url = reqwest::Url::parse(url).unwrap();
            proxy_for(&url, |name| set.contains(&name).then(|| "http://proxy:3128".to_owned()))
        };
        assert_eq!(asked("https://a.example/", &["HTTPS_PROXY", "HTTP_PROXY"]), Some("HTTPS_PROXY"));
        assert_eq!(asked("http://a.example/", &["HTTPS_PROXY", "ALL_PROXY"]), Some("ALL_PROXY"));
        assert_eq!(asked("http://a.example/", &["HTTPS_PROXY"]), None);
        for here in ["http://localhost:1/", "http://127.0.0.1/", "https://[::1]/"] {
            assert_eq!(asked(here, &["HTTPS_PROXY", "HTTP_PROXY"]), None, "no proxy leads to this machine");
        }
    }
}
