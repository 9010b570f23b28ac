//! Many clients at once, slow ones among them.

use std::thread;

use serde_json::json;

use super::peer::{Request, Served, call, ping};
#[cfg(unix)]
use crate::client::program;
use crate::client::{folder, soak, text_of};

#[test]
fn parallel_clients_lose_nothing() {
    const CLIENTS: usize = 64;
    // Every fifth call edits the file that all of them share.
    let n_calls = 25 * soak();
    let n_edits = n_calls / 5;
    let lines: String = (0..CLIENTS * n_edits)
        .map(|n| format!("line {n:05};\n"))
        .collect();
    let folder = folder(&[("shared.txt", &lines), ("a.txt", "hello\n")]);
    let served = Served::start(folder.path(), &[]);
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let served = &served;
            scope.spawn(move || {
                let mut conn = served.connect();
                for n in client * n_edits..(client + 1) * n_edits {
                    let (old, new) = (format!("line {n:05};"), format!("done {n:05};"));
                    let own = format!("own/{client}.txt");
                    let mixed = [
                        (
                            "edit_file",
                            json!({"path": "shared.txt", "oldString": old, "newString": new}),
                            "Replaced 1 occurrence in shared.txt",
                        ),
                        ("read_file", json!({"path": "a.txt"}), "1: hello"),
                        (
                            "write_file",
                            json!({"path": own, "content": new}),
                            "ed own/",
                        ),
                        ("grep", json!({"pattern": new, "path": own}), &new),
                        ("list_files", json!({"path": "own"}), &own),
                    ];
                    for (tool, arguments, wanted) in mixed {
                        let reply = conn.post(&call(n, tool, arguments));
                        assert_eq!(reply.status, 200);
                        let answer = reply.json();
                        assert_eq!(answer["id"], n);
                        assert_eq!(answer["result"]["isError"], json!(null), "{answer}");
                        let text = text_of(&answer);
                        assert!(text.contains(wanted), "{tool}: {text}");
                    }
                }
            });
        }
    });
    let after = std::fs::read_to_string(folder.path().join("shared.txt")).unwrap();
    assert_eq!(after, lines.replace("line", "done"));
}

#[test]
fn slow_clients_hold_nobody_up() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &[]);
    let slow: Vec<_> = (0..200)
        .map(|n| {
            let mut conn = served.connect();
            let bytes = Request::body(&[b' '; 64]).bytes();
            let so_far = if n % 2 == 0 { bytes.len() - 60 } else { 20 };
            conn.send_bytes(&bytes[..so_far]);
            conn
        })
        .collect();
    let mut conn = served.connect();
    for n in 0..100 {
        assert_eq!(conn.post(&ping(n)).json()["id"], n);
    }
    drop(slow);
}

#[cfg(unix)]
#[test]
fn connections_leave_files_for_calls() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let server = program(folder.path(), &["--http", "--port", "0"]);
    let mut limited = std::process::Command::new("sh");
    limited
        .args(["-c", "ulimit -n 64; exec \"$0\" \"$@\""])
        .arg(server.get_program())
        .args(server.get_args())
        .current_dir(folder.path())
        .env("HOME", folder.path());
    let served = Served::start_with(&mut limited);
    let mut held: Vec<_> = (0..32).map(|_| served.connect()).collect();
    assert_eq!(served.post(&ping(1)).status, 503);
    for conn in &mut held {
        let reply = conn.post(&call(1, "read_file", json!({"path": "a.txt"})));
        assert_eq!(text_of(&reply.json()), "1: hello");
    }
}

#[test]
fn requests_sent_at_once_on_one_connection_are_answered_in_order() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let served = Served::start(folder.path(), &[]);
    let mut conn = served.connect();
    let message = |n: usize| match n % 2 {
        0 => call(n, "read_file", json!({"path": "a.txt"})),
        _ => ping(n),
    };
    let bytes: Vec<u8> = (0..20)
        .flat_map(|n| Request::post(&message(n)).bytes())
        .collect();
    conn.send_bytes(&bytes);
    for n in 0..20 {
        assert_eq!(conn.recv().json()["id"], n);
    }
}

/// The resident memory of a process in KiB.
#[cfg(target_os = "linux")]
pub fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn idle_connections_and_abandoned_handshakes_cost_little() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &[]);
    let mut idle = Vec::new();
    for n in 0..if soak() > 1 { 1000 } else { 400 } {
        let mut conn = served.connect();
        assert_eq!(conn.post(&ping(n)).status, 200);
        idle.push(conn);
    }
    assert!(resident(served.pid()) < 64 * 1024);
    drop(idle);
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    });
    let mut conn = served.connect();
    assert_eq!(conn.post(&hello).status, 200);
    let before = resident(served.pid());
    for _ in 0..2000 {
        assert_eq!(conn.post(&hello).status, 200);
    }
    let grown = resident(served.pid()).saturating_sub(before);
    assert!(grown < 4 * 1024, "grew by {grown} KiB");
}
