//! Encrypted connections, and the files that they need.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, ProtocolVersion, RootCertStore, StreamOwned,
    SupportedProtocolVersion,
};

use super::certificate;
#[cfg(target_os = "linux")]
use super::load::resident;
use super::peer::{Conn, Request, Served, call, ping};
use crate::client::{folder, program, run, text_of};

/// A folder with `cert.pem` for `localhost` and `key.pem` in `tls`, and a root beside it.
fn world() -> TempDir {
    let (cert, key) = certificate::pair();
    folder(&[
        ("tls/cert.pem", &cert),
        ("tls/key.pem", &key),
        ("tls/other.pem", &certificate::pair().1),
        ("tls/none.pem", "nothing of the kind\n"),
        (
            "tls/broken.pem",
            "-----BEGIN CERTIFICATE-----\nMAo=\n-----END CERTIFICATE-----\n",
        ),
        ("root/a.txt", "hello\n"),
    ])
}

const OPTIONS: [&str; 6] = [
    "--root",
    "root",
    "--tls-cert",
    "tls/cert.pem",
    "--tls-key",
    "tls/key.pem",
];

/// The connection of a client that trusts the certificate, with this protocol offered.
fn session(
    world: &TempDir,
    versions: &[&'static SupportedProtocolVersion],
    protocol: &str,
) -> ClientConnection {
    let mut roots = RootCertStore::empty();
    let cert = CertificateDer::from_pem_file(world.path().join("tls/cert.pem")).unwrap();
    roots.add(cert).unwrap();
    let provider = Arc::new(rustls_graviola::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let name = ServerName::try_from("localhost").unwrap();
    ClientConnection::new(Arc::new(config), name).unwrap()
}

fn stream(world: &TempDir, served: &Served) -> StreamOwned<ClientConnection, TcpStream> {
    let session = session(world, &[&TLS12, &TLS13], "http/1.1");
    StreamOwned::new(session, served.stream())
}

#[test]
fn calls_go_over_an_encrypted_connection() {
    let world = world();
    let served = Served::start(world.path(), &OPTIONS);
    let address = format!(
        "[workspace-mcp] ready on https://127.0.0.1:{}/mcp (workspaces: default)",
        served.port
    );
    assert_eq!(served.log, [address]);
    let mut conn = Conn::over(stream(&world, &served));
    for n in 0..3 {
        let reply = conn.post(&call(n, "read_file", json!({"path": "a.txt"})));
        assert_eq!(text_of(&reply.json()), "1: hello");
    }
    // Longer than a record, both ways.
    let long = format!("{}\n", "0123456789".repeat(100)).repeat(200);
    let write = json!({"path": "long.txt", "content": long});
    assert_eq!(conn.post(&call(1, "write_file", write)).status, 200);
    let read = json!({"path": "long.txt"});
    let text = text_of(&conn.post(&call(2, "read_file", read)).json());
    assert_eq!(text.matches("0123456789").count(), 20_000);
    let evil = Request::post(&ping(1)).with("Host", "evil.example");
    conn.send(&evil);
    assert_eq!(conn.recv().status, 403);
}

#[test]
fn both_versions_that_are_safe_are_spoken_and_http_1_only() {
    let world = world();
    let served = Served::start(world.path(), &OPTIONS);
    for (versions, wanted) in [
        (&[&TLS12][..], ProtocolVersion::TLSv1_2),
        (&[&TLS13], ProtocolVersion::TLSv1_3),
    ] {
        let mut stream = StreamOwned::new(session(&world, versions, "http/1.1"), served.stream());
        stream.write_all(&Request::post(&ping(1)).bytes()).unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        assert_eq!(stream.conn.protocol_version(), Some(wanted));
        assert_eq!(stream.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
    }
    let mut stream = StreamOwned::new(session(&world, &[&TLS12], "h2"), served.stream());
    let error = stream.write_all(b"x").unwrap_err().to_string();
    assert_eq!(error, "received fatal alert: NoApplicationProtocol");
}

#[test]
fn who_does_not_encrypt_is_told_to() {
    let world = world();
    let served = Served::start(world.path(), &OPTIONS);
    let text = "Bad Request: this address takes encrypted requests only, at https://";
    let reply = served.post(&ping(1));
    assert_eq!(reply.fault(), (400, -32000, text.to_owned()));
    // What is neither is no reason to stop.
    let mut noise = served.stream();
    noise
        .write_all(&[0x16, 3, 1, 0, 4, 1, 2, 3, 4, 0, 0])
        .unwrap();
    let _ = noise.read_to_end(&mut Vec::new());
    let mut conn = Conn::over(stream(&world, &served));
    assert_eq!(conn.post(&ping(1)).status, 200);
}

#[test]
fn stalled_handshakes_hold_nobody_up() {
    let world = world();
    let served = Served::start(world.path(), &OPTIONS);
    let stalled: Vec<_> = (0..200)
        .map(|n| {
            let mut stream = served.stream();
            let mut hello = Vec::new();
            let mut session = session(&world, &[&TLS13], "http/1.1");
            session.write_tls(&mut hello).unwrap();
            stream.write_all(&hello[..n.min(hello.len())]).unwrap();
            stream
        })
        .collect();
    let mut conn = Conn::over(stream(&world, &served));
    for n in 0..20 {
        assert_eq!(conn.post(&ping(n)).json()["id"], n);
    }
    drop(stalled);
}

#[cfg(target_os = "linux")]
#[test]
fn abandoned_handshakes_leave_nothing_behind() {
    let world = world();
    let served = Served::start(world.path(), &OPTIONS);
    let abandon = |n: usize| {
        for n in 0..n {
            let mut stream = served.stream();
            let mut hello = Vec::new();
            let mut session = session(&world, &[&TLS13], "http/1.1");
            session.write_tls(&mut hello).unwrap();
            stream.write_all(&hello).unwrap();
            if n % 2 == 0 {
                // The server has answered, so it keeps whatever it keeps.
                stream.read_exact(&mut [0; 5]).unwrap();
            }
        }
        let mut conn = Conn::over(stream(&world, &served));
        assert_eq!(conn.post(&ping(1)).status, 200);
    };
    abandon(200);
    let before = resident(served.pid());
    abandon(2000);
    let grown = resident(served.pid()).saturating_sub(before);
    assert!(grown < 4 * 1024, "grew by {grown} KiB");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_in_the_middle_of_a_handshake() {
    let world = world();
    let mut served = Served::start(world.path(), &OPTIONS);
    let mut half = served.stream();
    half.write_all(&[0x16, 3, 1]).unwrap();
    let mut idle = Conn::over(stream(&world, &served));
    assert_eq!(idle.post(&ping(1)).status, 200);
    served.terminate();
    assert_eq!(served.wait().0, Some(0));
}

#[test]
fn files_that_do_not_fit_stop_the_start_in_one_line() {
    let world = world();
    for (cert, key, code, line) in [
        (
            "tls/cert.pem",
            "",
            2,
            "a certificate alone encrypts nothing: --tls-cert needs --tls-key",
        ),
        (
            "",
            "tls/key.pem",
            2,
            "a key alone encrypts nothing: --tls-key needs --tls-cert",
        ),
        (
            "tls/gone.pem",
            "tls/key.pem",
            1,
            "cannot read the certificate in WORLD/tls/gone.pem: no such file",
        ),
        (
            "tls/cert.pem",
            "tls",
            1,
            "cannot read the key in WORLD/tls: ",
        ),
        (
            "tls/none.pem",
            "tls/key.pem",
            1,
            "no certificate in WORLD/tls/none.pem: it must be PEM",
        ),
        (
            "tls/key.pem",
            "tls/key.pem",
            1,
            "no certificate in WORLD/tls/key.pem: it must be PEM",
        ),
        (
            "tls/cert.pem",
            "tls/cert.pem",
            1,
            "no private key in WORLD/tls/cert.pem: it must be PEM, and not encrypted",
        ),
        (
            "tls/cert.pem",
            "tls/other.pem",
            1,
            "the key in WORLD/tls/other.pem does not belong to the certificate in WORLD/tls/cert.pem",
        ),
        (
            "tls/broken.pem",
            "tls/key.pem",
            1,
            "cannot use the certificate in WORLD/tls/broken.pem and the key in WORLD/tls/key.pem: ",
        ),
    ] {
        let mut options = vec!["--http", "--port", "0", "--root", "root"];
        for (option, file) in [("--tls-cert", cert), ("--tls-key", key)] {
            if !file.is_empty() {
                options.extend([option, file]);
            }
        }
        let here = world.path().to_str().unwrap();
        for command in [&[][..], &["check-config"]] {
            let output = run(world.path(), &[command, &options].concat());
            let stderr = String::from_utf8_lossy(&output.stderr).replace(here, "WORLD");
            let stderr = stderr.replace(std::path::MAIN_SEPARATOR_STR, "/");
            assert_eq!(output.status.code(), Some(code), "{stderr}");
            let wanted = format!("[workspace-mcp] {line}");
            assert!(stderr.starts_with(&wanted), "{stderr}\n{wanted}");
        }
    }
}

#[test]
fn a_key_that_clients_can_read_is_warned_of() {
    let world = world();
    let mut options = OPTIONS;
    options[1] = ".";
    let served = Served::start(world.path(), &options);
    let key = world.path().join("tls").join("key.pem");
    let warning = format!(
        "[workspace-mcp] WARNING: the TLS key {} lies in workspace \"default\", where clients can read it",
        key.display()
    );
    assert_eq!(served.log[0], warning);
}

#[test]
fn the_configuration_file_may_name_both_files() {
    let world = world();
    let config = r#"{"workspaces": {"default": "root"}, "transport": {"type": "http", "port": 0,
        "tlsCert": "tls/cert.pem", "tlsKey": "tls/key.pem"}}"#;
    std::fs::write(world.path().join("c.json"), config).unwrap();
    let served = Served::start_with(&mut program(
        &world.path().join("root"),
        &["--config", "../c.json"],
    ));
    let mut conn = Conn::over(stream(&world, &served));
    assert_eq!(conn.post(&ping(1)).status, 200);
}
