//! How clients reach the server, as the options say it.

use std::io::{self, ErrorKind};
use std::net::{Ipv6Addr, TcpListener};
use std::path::{Path, PathBuf};

use super::keys::Key;
use super::{Source, StartFault, WorkspaceConfig, file, location, values};
use crate::http::access::{Access, HostRule, Origin, Token, is_loopback};
use crate::http::stream::{Tls, TlsFault};
use crate::http::{BODY_BYTES, Limits};

/// The least `--max-body-bytes`.
pub(super) const BODY_BYTES_MIN: usize = 1024;

/// How clients reach the server.
#[derive(Clone, Debug)]
pub struct Transport {
    /// Over HTTP, and not over stdin and stdout.
    pub http: bool,
    /// The address to listen on.
    pub host: String,
    /// The port; 0 picks a free one.
    pub port: u16,
    /// Who may ask.
    pub access: Access,
    /// The file with the certificate, absolute.
    pub tls_cert: Option<PathBuf>,
    /// The file with the key that belongs to it, absolute.
    pub tls_key: Option<PathBuf>,
    /// How much is served at once.
    pub limits: Limits,
    /// Whether other machines may ask without a token.
    insecure: bool,
    /// The environment has a token, and it is no good.
    bad_variable: bool,
}

impl Default for Transport {
    fn default() -> Self {
        Self {
            http: false,
            host: "127.0.0.1".to_owned(),
            port: 3333,
            access: Access::default(),
            tls_cert: None,
            tls_key: None,
            limits: Limits::with_body_bytes(BODY_BYTES),
            insecure: false,
            bad_variable: false,
        }
    }
}

impl Transport {
    /// Takes an option if it is about this.
    ///
    /// # Errors
    /// When the value is none that the option takes.
    pub fn apply(&mut self, option: &str, value: &str, source: Source) -> Result<(), StartFault> {
        let invalid = |wanted: &str| Err(invalid(option, value, wanted, source));
        match option {
            // The option has no value, the key of the file has.
            "http" => self.http = value != "stdio",
            "host" => {
                let host = value.trim();
                let bare = host
                    .strip_prefix('[')
                    .and_then(|rest| rest.strip_suffix(']'));
                let host = bare.unwrap_or(host);
                if host.is_empty() {
                    return invalid(" (expected a name or an address)");
                }
                // A zone may follow an address.
                let address = host.split('%').next().unwrap_or_default();
                if host.contains(':') && address.parse::<Ipv6Addr>().is_err() {
                    return invalid(" (expected a name or an address; a port goes into --port)");
                }
                host.clone_into(&mut self.host);
            }
            "port" => match read_number(value).and_then(|port| port.try_into().ok()) {
                Some(port) => self.port = port,
                None => return invalid(""),
            },
            "token" if source == Source::Environment => {
                self.access.token = Token::new(value);
                self.bad_variable = self.access.token.is_none();
            }
            "token" => {
                self.access.token = Some(Token::new(value).ok_or_else(|| bad_token("--token"))?);
                self.bad_variable = false;
            }
            "allowed-host" => match HostRule::parse(value) {
                Some(rule) => self.access.hosts.push(rule),
                None => return invalid(" (expected <name> or <name>:<port>)"),
            },
            "allowed-origin" => match Origin::parse(value) {
                Some(origin) => self.access.origins.push(origin),
                None => return invalid(" (expected <scheme>://<name>[:<port>])"),
            },
            // A configuration file has a folder of its own, and calls the same.
            "tls-cert" | "tls-key" => self.tls_file(option, value, Path::new(""))?,
            "max-body-bytes" => match read_number(value) {
                Some(bytes) if bytes >= BODY_BYTES_MIN => self.limits.body_bytes = bytes,
                _ => {
                    let wanted = format!(" (expected an integer of at least {BODY_BYTES_MIN})");
                    return invalid(&wanted);
                }
            },
            "insecure" => self.insecure = true,
            _ => {}
        }
        Ok(())
    }

    /// Takes the option that names one of the two files for TLS; a relative path starts at `folder`.
    ///
    /// # Errors
    /// When the path is empty.
    pub fn tls_file(&mut self, option: &str, path: &str, folder: &Path) -> Result<(), StartFault> {
        let path = Some(values::path(&format!("--{option}"), path, folder)?);
        if option == "tls-key" {
            self.tls_key = path;
        } else {
            self.tls_cert = path;
        }
        Ok(())
    }

    /// Looks whether it may be served so.
    ///
    /// # Errors
    /// [`StartFault::Usage`] with one line that says how to mend it.
    pub fn check(&self) -> Result<(), StartFault> {
        if !self.http {
            return Ok(());
        }
        if self.bad_variable {
            return Err(bad_token("MCP_TOKEN"));
        }
        if self.is_open() && !self.insecure {
            let host = rooted::show(self.host.as_bytes());
            return Err(StartFault::Usage(format!(
                "refusing to listen on {host} without a token: set MCP_TOKEN, or let in \
                 everybody who can reach this machine with --insecure"
            )));
        }
        Ok(())
    }

    /// Whether other machines may ask without a token.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.access.token.is_none() && !is_loopback(&self.host)
    }

    /// The certificate to encrypt with, if one is configured.
    ///
    /// # Errors
    /// [`StartFault`] with one line that says which file is wrong.
    pub fn tls(&self) -> Result<Option<Tls>, StartFault> {
        let (cert, key) = match (&self.tls_cert, &self.tls_key) {
            _ if !self.http => return Ok(None),
            (None, None) => return Ok(None),
            (Some(cert), Some(key)) => (cert, key),
            (Some(_), None) => return Err(half("certificate", "--tls-cert", "--tls-key")),
            (None, Some(_)) => return Err(half("key", "--tls-key", "--tls-cert")),
        };
        let read = |what, path| {
            file::named(path).map_err(|reason| {
                let path = file::shown(path);
                StartFault::Machine(format!("cannot read the {what} in {path}: {reason}"))
            })
        };
        let tls = Tls::new(&read("certificate", cert)?, &read("key", key)?);
        let (cert, key) = (file::shown(cert), file::shown(key));
        let fault = |fault| match fault {
            TlsFault::Processor => "TLS needs a newer processor than this one: let a proxy \
                                    encrypt"
                .to_owned(),
            TlsFault::NoCertificate => format!("no certificate in {cert}: it must be PEM"),
            TlsFault::NoKey => {
                format!("no private key in {key}: it must be PEM, and not encrypted")
            }
            TlsFault::Mismatch => {
                format!("the key in {key} does not belong to the certificate in {cert}")
            }
            TlsFault::Unusable(reason) => {
                format!("cannot use the certificate in {cert} and the key in {key}: {reason}")
            }
        };
        tls.map(Some)
            .map_err(|error| StartFault::Machine(fault(error)))
    }

    /// The warning that clients can read the key, when it lies in a folder that is served.
    #[must_use]
    pub fn exposed_key(&self, workspaces: &[WorkspaceConfig]) -> Option<String> {
        let key = self.tls_key.as_ref().filter(|_| self.http)?;
        let holds_it = |one: &&WorkspaceConfig| !location::within(&one.root, key).is_empty();
        let one = workspaces.iter().find(holds_it)?;
        Some(format!(
            "WARNING: the TLS key {} lies in workspace \"{}\", where clients can read it",
            file::shown(key),
            one.name
        ))
    }

    /// Listens, and gives the address of the endpoint too.
    ///
    /// # Errors
    /// [`StartFault::Machine`] with what the operating system says.
    pub fn listen(&self) -> Result<(TcpListener, String), StartFault> {
        let shown = if self.host.contains(':') {
            format!("[{}]", rooted::show(self.host.as_bytes()))
        } else {
            rooted::show(self.host.as_bytes())
        };
        let fault = |error: io::Error| {
            let hint = match error.kind() {
                ErrorKind::AddrInUse => " (choose another port with --port, or 0 for a free one)",
                _ => "",
            };
            StartFault::Machine(format!(
                "cannot listen on {shown}:{}: {error}{hint}",
                self.port
            ))
        };
        let listener = TcpListener::bind((self.host.as_str(), self.port)).map_err(fault)?;
        let port = listener.local_addr().map_err(fault)?.port();
        let scheme = if self.tls_cert.is_some() {
            "https"
        } else {
            "http"
        };
        Ok((listener, format!("{scheme}://{shown}:{port}/mcp")))
    }
}

/// The fault of one file without the other.
fn half(what: &str, given: &str, missing: &str) -> StartFault {
    StartFault::Usage(format!(
        "a {what} alone encrypts nothing: {given} needs {missing}"
    ))
}

fn bad_token(place: &str) -> StartFault {
    StartFault::Usage(format!(
        "{place} is no token: it is empty, or holds something else than visible ASCII characters"
    ))
}

/// A whole number in plain digits.
fn read_number(value: &str) -> Option<usize> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| value.parse().ok()).flatten()
}

/// The fault of a value, named as it was written.
fn invalid(option: &str, value: &str, wanted: &str, source: Source) -> StartFault {
    let value = rooted::show(value.as_bytes());
    match Key::of_option(option) {
        Some(key) if source == Source::File => {
            StartFault::Machine(format!("invalid {}: {value}{wanted}", key.name))
        }
        _ => StartFault::Usage(format!("invalid --{option}: {value}{wanted}")),
    }
}
