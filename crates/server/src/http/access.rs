//! Who may ask: the names that requests use for the server, the web pages they come from, and the
//! token they carry.
//!
//! Names matter because of DNS rebinding: a page may point its own name at this machine, and its
//! requests then carry that name as the host. So a name must be known, whatever the address is.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Who may ask.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Names of the server, beside those of this machine's loopback.
    pub hosts: Vec<HostRule>,
    /// Origins of web pages, beside those on this machine's loopback.
    pub origins: Vec<Origin>,
    /// What requests must carry.
    pub token: Option<Token>,
}

impl Access {
    /// Whether requests may call the server by this name.
    #[must_use]
    pub fn allows_host(&self, host: &Authority) -> bool {
        host.is_loopback() || self.hosts.iter().any(|rule| rule.covers(host))
    }

    /// Whether pages of this origin may send requests.
    #[must_use]
    pub fn allows_origin(&self, origin: &Origin) -> bool {
        origin.is_loopback() || self.origins.contains(origin)
    }

    /// Whether a request with this `Authorization` may pass.
    #[must_use]
    pub fn allows_authorization(&self, authorization: Option<&[u8]>) -> bool {
        let Some(token) = &self.token else {
            return true;
        };
        authorization
            .and_then(bearer)
            .is_some_and(|sent| token.is(sent))
    }
}

/// The credentials in an `Authorization` of the scheme `Bearer`.
fn bearer(authorization: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = authorization.split_at_checked(b"bearer".len())?;
    let spaced = scheme.eq_ignore_ascii_case(b"bearer") && rest.first() == Some(&b' ');
    spaced.then(|| rest.trim_ascii())
}

/// A host and perhaps a port, as a `Host` header has them; comparable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    name: String,
    port: Option<u16>,
}

impl Authority {
    /// Reads it; `None` when it is malformed.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (name, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, after) = rest.split_once(']')?;
                let address: Ipv6Addr = address.parse().ok()?;
                let port = match after {
                    "" => None,
                    after => Some(after.strip_prefix(':')?),
                };
                (format!("[{address}]"), port)
            }
            None => {
                let (name, port) = match text.split_once(':') {
                    Some((name, port)) => (name, Some(port)),
                    None => (text, None),
                };
                let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
                if name.is_empty() || !name.chars().all(plain) {
                    return None;
                }
                (name.to_ascii_lowercase(), port)
            }
        };
        let port = match port {
            Some(port) => Some(read_port(port)?),
            None => None,
        };
        Some(Self { name, port })
    }

    fn is_loopback(&self) -> bool {
        let is_v4 = |name: &str| name.parse().is_ok_and(|ip: Ipv4Addr| ip.is_loopback());
        self.name == "localhost" || self.name == "[::1]" || is_v4(&self.name)
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

fn read_port(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// A name that requests may use for the server; without a port it is good for any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRule(Authority);

impl HostRule {
    /// Reads a rule as a person writes it; an IPv6 address may lack its brackets.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bare = text.parse().is_ok_and(|_: Ipv6Addr| true);
        let authority = if bare {
            Authority::parse(&format!("[{text}]"))
        } else {
            Authority::parse(text)
        };
        authority.map(Self)
    }

    fn covers(&self, host: &Authority) -> bool {
        self.0.name == host.name && (self.0.port.is_none() || self.0.port == host.port)
    }
}

/// Where a web page comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    scheme: String,
    authority: Authority,
}

impl Origin {
    /// Reads an `Origin` header; `None` for `null` and for what is malformed.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        if scheme.is_empty() || !scheme.chars().all(plain) {
            return None;
        }
        let scheme = scheme.to_ascii_lowercase();
        let mut authority = Authority::parse(authority)?;
        if matches!(
            (scheme.as_str(), authority.port),
            ("http", Some(80)) | ("https", Some(443))
        ) {
            authority.port = None;
        }
        Some(Self { scheme, authority })
    }

    fn is_loopback(&self) -> bool {
        matches!(self.scheme.as_str(), "http" | "https") && self.authority.is_loopback()
    }
}

/// What requests must carry. Only its digest is kept, so that no log can show it.
#[derive(Clone)]
pub struct Token([u8; 32]);

impl Token {
    /// Takes the secret; `None` when it is blank or no header can carry it.
    #[must_use]
    pub fn new(secret: &str) -> Option<Self> {
        let fits = !secret.is_empty() && secret.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(Sha256::digest(secret.as_bytes()).into()))
    }

    /// Compares digests, in a time that does not depend on where they differ.
    fn is(&self, sent: &[u8]) -> bool {
        let sent: [u8; 32] = Sha256::digest(sent).into();
        self.0.ct_eq(&sent).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Whether only this machine can reach an address of that name.
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    HostRule::parse(host).is_some_and(|HostRule(host)| host.is_loopback())
}

#[cfg(test)]
mod tests;
