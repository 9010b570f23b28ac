//! How the server ends, and what its clients see of that.

#![cfg(unix)]

use std::net::TcpStream;

use serde_json::json;

use super::peer::{Request, Served, call, ping};
use crate::client::{folder, text_of};
#[cfg(target_os = "linux")]
use crate::lifetime::hears_signals;

#[test]
fn a_signal_ends_it_and_idle_connections_with_success() {
    let folder = folder(&[]);
    let mut served = Served::start(folder.path(), &[]);
    let address = format!(
        "[workspace-mcp] ready on http://127.0.0.1:{}/mcp (workspaces: default)",
        served.port
    );
    assert_eq!(served.log, [address]);
    let mut idle = served.connect();
    assert_eq!(idle.post(&ping(1)).status, 200);
    served.terminate();
    assert!(idle.is_closed());
    let (code, log) = served.wait();
    assert_eq!(
        (code, log.as_str()),
        (Some(0), "[workspace-mcp] shutting down\n")
    );
    assert!(TcpStream::connect(("127.0.0.1", served.port)).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn signals_are_heard_as_soon_as_it_is_ready() {
    let folder = folder(&[]);
    for _ in 0..10 {
        let mut served = Served::start(folder.path(), &[]);
        assert!(hears_signals(served.pid()));
        served.terminate();
        assert_eq!(served.wait().0, Some(0));
    }
}

#[test]
fn a_request_under_way_is_answered_before_the_end() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let mut served = Served::start(folder.path(), &[]);
    let mut conn = served.connect();
    let mut other = served.connect();
    let request = Request::post(&call(1, "read_file", json!({"path": "a.txt"}))).bytes();
    let (first, rest) = request.split_at(request.len() - 10);
    conn.send_bytes(first);
    // That this is answered shows that the other one has been read so far.
    assert_eq!(other.post(&ping(1)).status, 200);
    served.terminate();
    assert!(other.is_closed(), "it stops");
    conn.send_bytes(rest);
    let reply = conn.recv();
    assert_eq!(text_of(&reply.json()), "1: hello");
    assert!(conn.is_closed());
    assert_eq!(served.wait().0, Some(0));
}

#[test]
fn a_root_that_vanishes_is_a_failure_of_its_calls_only() {
    let folder = folder(&[("root/a.txt", "hello\n")]);
    let served = Served::start(folder.path(), &["--root", "root"]);
    std::fs::remove_dir_all(folder.path().join("root")).unwrap();
    let reply = served.post(&call(1, "read_file", json!({"path": "a.txt"})));
    assert_eq!(reply.status, 200);
    assert!(text_of(&reply.json()).starts_with("error: "));
    assert_eq!(served.post(&ping(1)).status, 200);
}
