//! A certificate that nobody trusts unasked (`tests/data/github/ORIGIN.md`).

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::support;

/// What a user would name as `ca-file`.
pub(crate) fn authority() -> Vec<u8> {
    support::read(support::data("github/tls/authority.pem"))
}

/// The server's side.
pub(crate) fn acceptor() -> TlsAcceptor {
    let certificate =
        CertificateDer::from_pem_slice(&support::read(support::data("github/tls/server.pem"))).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&support::read(support::data("github/tls/server.key"))).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}
