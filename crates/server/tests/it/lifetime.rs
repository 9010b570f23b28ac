//! How the server ends: with its input, with its output, and when it is told to.

#[cfg(target_os = "linux")]
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::client::{Client, folder, program, run};

fn call(id: i64, path: &str) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id,
        "method": "tools/call",
        "params": {"name": "read_file", "arguments": {"path": path}},
    })
}

/// Whether a process has handlers for the signals that tell it to stop. Without them they do not
/// reach the first process of a container, and elsewhere the end looks like a crash.
#[cfg(target_os = "linux")]
pub fn hears_signals(pid: u32) -> bool {
    const STOP: u64 = (1 << (15 - 1)) | (1 << (2 - 1));
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    u64::from_str_radix(caught.unwrap().trim(), 16).unwrap() & STOP == STOP
}

#[cfg(target_os = "linux")]
#[test]
fn signals_are_heard_as_soon_as_it_is_ready() {
    let folder = folder(&[]);
    for _ in 0..10 {
        let mut server = program(folder.path(), &[])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stderr = BufReader::new(server.stderr.take().unwrap());
        stderr.read_line(&mut line).unwrap();
        assert!(line.contains("ready on stdio"), "{line}");
        assert!(hears_signals(server.id()));
        drop(server.stdin.take());
        assert!(server.wait().unwrap().success());
    }
}

#[test]
fn a_closed_input_ends_it_at_once() {
    let folder = folder(&[]);
    let output = run(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty());
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "[workspace-mcp] ready on stdio (workspaces: default)\n[workspace-mcp] shutting down\n"
    );
}

#[test]
fn calls_in_flight_are_answered_after_the_input_ends() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let mut client = Client::start(folder.path(), &[]);
    let mut batch = String::new();
    for id in 0..200 {
        batch.push_str(&call(id, "a.txt").to_string());
        // The last line has no line break.
        if id < 199 {
            batch.push('\n');
        }
    }
    client.send_bytes(batch.as_bytes());
    let (code, rest) = client.finish();
    assert_eq!(code, Some(0));
    let mut ids: Vec<i64> = rest
        .iter()
        .map(|answer| {
            assert_eq!(answer["result"]["content"][0]["text"], "1: hello");
            answer["id"].as_i64().unwrap()
        })
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..200).collect::<Vec<i64>>());
}

#[test]
fn an_output_nobody_reads_any_more_ends_it_quietly() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let mut child = program(folder.path(), &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, format!("{}\n", call(1, "a.txt")).as_bytes()).unwrap();
    // The input stays open: it is the output that ends the server.
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "[workspace-mcp] ready on stdio (workspaces: default)\n[workspace-mcp] shutting down\n"
    );
}

#[cfg(unix)]
#[test]
fn signals_end_it_with_success() {
    for signal in ["-INT", "-TERM"] {
        let folder = folder(&[]);
        let mut client = Client::start(folder.path(), &[]);
        // The answer shows that the server is up.
        client.request("ping", json!({}));
        let pid = client.pid().to_string();
        let sent = std::process::Command::new("kill")
            .args([signal, &pid])
            .status()
            .unwrap();
        assert!(sent.success());
        assert_eq!(client.wait(), Some(0), "{signal}");
    }
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let folder = folder(&[("a.txt", &"0123456789abcdef\n".repeat(1024))]);
    let mut client = Client::start(folder.path(), &[]);
    let lines: String = (0..64)
        .map(|id| format!("{}\n", call(id, "a.txt")))
        .collect();
    client.send_bytes(lines.as_bytes());
    for id in 0..64 {
        let answer = client.recv(id);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.ends_with("1024: 0123456789abcdef"));
    }
}

/// Node starts programs with sockets in place of pipes.
#[cfg(unix)]
#[test]
fn sockets_do_for_pipes() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    let folder = folder(&[("a.txt", "hello\n")]);
    let (mut input, server_input) = UnixStream::pair().unwrap();
    let (output, server_output) = UnixStream::pair().unwrap();
    let mut child = program(folder.path(), &[])
        .stdin(OwnedFd::from(server_input))
        .stdout(OwnedFd::from(server_output))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(output);
    for id in 0..3 {
        input
            .write_all(format!("{}\n", call(id, "a.txt")).as_bytes())
            .unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["content"][0]["text"], "1: hello");
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
