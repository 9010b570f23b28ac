//! How a connection opens, as it is or encrypted, and how it ends for who is not served.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, InconsistentKeys, ServerConfig};

use super::patience::Patient;
use super::refusal::Refusal;

/// What is still taken from a client after the last bytes for it.
const REST_BYTES: usize = 64 * 1024;

/// The certificate that clients are shown, and the key that belongs to it.
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

/// Why nothing can be encrypted with what was given.
#[derive(Debug, PartialEq, Eq)]
pub enum TlsFault {
    /// This processor lacks instructions that the cryptography is written in.
    Processor,
    /// There is no certificate in the one text.
    NoCertificate,
    /// There is no key in the other.
    NoKey,
    /// The key belongs to another certificate.
    Mismatch,
    /// The two cannot be used, for this reason.
    Unusable(String),
}

impl Tls {
    /// Reads a certificate, with those that vouch for it behind it, and its key, both in PEM.
    ///
    /// # Errors
    /// A [`TlsFault`] when nothing can be encrypted with them.
    pub fn new(certificate: &[u8], key: &[u8]) -> Result<Self, TlsFault> {
        if !has_instructions() {
            return Err(TlsFault::Processor);
        }
        let chain: Vec<_> = CertificateDer::pem_slice_iter(certificate)
            .collect::<Result<_, _>>()
            .map_err(|_| TlsFault::NoCertificate)?;
        if chain.is_empty() {
            return Err(TlsFault::NoCertificate);
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsFault::NoKey)?;
        let provider = Arc::new(rustls_graviola::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|error| match error {
                rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                    TlsFault::Mismatch
                }
                error => TlsFault::Unusable(error.to_string()),
            })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    /// Agrees with a client on how to encrypt.
    async fn agree(&self, stream: TcpStream, patience: Duration) -> io::Result<Box<dyn Stream>> {
        // Whoever sends a letter sends HTTP as it is; a handshake starts with another byte.
        let mut first = [0];
        let n_seen = stream.peek(&mut first).await?;
        if n_seen > 0 && first[0].is_ascii_alphabetic() {
            let text = "this address takes encrypted requests only, at https://";
            turn_away(stream, &Refusal::malformed(text), patience).await;
            return Err(io::Error::other("the client does not encrypt"));
        }
        let stream = Patient::new(stream, patience);
        match self.0.accept(stream).into_fallible().await {
            Ok(stream) => Ok(Box::new(stream)),
            Err((error, stream)) => {
                linger(stream).await;
                Err(error)
            }
        }
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

/// Whether this processor has all that the cryptography takes for granted.
fn has_instructions() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("adx")
        && std::arch::is_x86_feature_detected!("aes")
        && std::arch::is_x86_feature_detected!("avx")
        && std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("pclmulqdq")
        && std::arch::is_x86_feature_detected!("ssse3");
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("aes")
        && std::arch::is_aarch64_feature_detected!("neon")
        && std::arch::is_aarch64_feature_detected!("pmull")
        && std::arch::is_aarch64_feature_detected!("sha2");
}

/// Says why a connection is not served, and ends it.
pub(super) async fn turn_away(stream: TcpStream, refusal: &Refusal, patience: Duration) {
    let mut stream = Patient::new(stream, patience);
    if stream.write_all(&refusal.wire()).await.is_ok() {
        linger(stream).await;
    }
}

/// Ends a connection so that its last bytes arrive: what was not read of the other side's may take
/// them back.
async fn linger(mut stream: Patient<TcpStream>) {
    let mut rest = [0; 1024];
    let mut n_read = 0;
    let mut goes_on = stream.shutdown().await.is_ok();
    while goes_on && n_read < REST_BYTES {
        let read = stream.read(&mut rest).await;
        goes_on = matches!(read, Ok(n) if n > 0);
        n_read += read.unwrap_or(0);
    }
}

/// The bytes of a connection, as they are or encrypted on their way.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Opens a connection within a time for the handshake, if there is one.
///
/// # Errors
/// What went wrong with the handshake.
pub(super) async fn open(
    stream: TcpStream,
    tls: Option<&Tls>,
    time: Duration,
    patience: Duration,
) -> io::Result<Box<dyn Stream>> {
    let Some(tls) = tls else {
        return Ok(Box::new(Patient::new(stream, patience)));
    };
    tokio::time::timeout(time, tls.agree(stream, patience)).await?
}
