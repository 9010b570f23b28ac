//! Whether a port can be listened on, and whether a server answers at an address.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use super::finding::Findings;
use crate::config::StartFault;
use crate::config::transport::Transport;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);

pub(super) fn look(findings: &mut Findings, transport: &Transport) {
    if !transport.http {
        findings.ok("http", "off; clients start the server".to_owned());
        return;
    }
    let checked = transport.check().and_then(|()| transport.tls().map(drop));
    if let Err(StartFault::Usage(text) | StartFault::Machine(text)) = checked {
        // Each of them ends with what to do.
        findings.fault("http", text, "`workspace-mcp options` explains the options");
    }
    let host = rooted::show(transport.host.as_bytes());
    let port = transport.port;
    match TcpListener::bind((transport.host.as_str(), port)) {
        Ok(_) if port == 0 => findings.ok("http", format!("a free port of {host} is picked")),
        Ok(_) => findings.ok("http", format!("port {port} of {host} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            let whose = match answer(&transport.host, port) {
                Answer::Ours => " by a workspace-mcp that runs already",
                Answer::Other | Answer::Nothing(_) => "",
            };
            findings.fault(
                "http",
                format!("port {port} of {host} is taken{whose}"),
                "stop what listens there, or choose another with --port",
            );
        }
        Err(error) => findings.fault(
            "http",
            format!("cannot listen on port {port} of {host}: {error}"),
            "choose another with --host and --port",
        ),
    }
}

/// What is at an address.
pub(super) enum Answer {
    /// A server like this one.
    Ours,
    /// Something else.
    Other,
    /// Nothing, for this reason.
    Nothing(String),
}

/// Asks a host whether a server like this one listens on a port, without TLS.
pub(super) fn answer(host: &str, port: u16) -> Answer {
    let stream = match connect(host, port) {
        Ok(stream) => stream,
        Err(reason) => return Answer::Nothing(reason),
    };
    match ask(stream, &authority(host, port)) {
        Ok(head) if head.starts_with("HTTP/1.1 200 ") => Answer::Ours,
        Ok(_) | Err(_) => Answer::Other,
    }
}

/// A host and a port, as addresses have them.
pub(super) fn authority(host: &str, port: u16) -> String {
    if host.contains(':') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    }
}

/// Opens a connection, and says why it cannot.
pub(super) fn connect(host: &str, port: u16) -> Result<TcpStream, String> {
    let mut addresses = (host, port)
        .to_socket_addrs()
        .map_err(|error| error.to_string())?;
    let mut reason = "no such host".to_owned();
    let found = addresses.find_map(|address| {
        let opened = TcpStream::connect_timeout(&address, PATIENCE);
        opened.map_err(|error| reason = error.to_string()).ok()
    });
    found.ok_or(reason)
}

/// The beginning of what is said to a question that this server answers without a token.
fn ask(mut stream: TcpStream, name: &str) -> std::io::Result<String> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut head = [0; 64];
    let n = stream.read(&mut head)?;
    let head = head.get(..n).unwrap_or_default();
    Ok(String::from_utf8_lossy(head).into_owned())
}
