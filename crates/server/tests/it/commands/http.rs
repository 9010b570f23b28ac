//! Commands over HTTP, where the server allows itself more open files.

use std::process::Command;

use serde_json::json;

use super::{eventually, mark, processes};
use crate::client::folder;
use crate::http::peer::{Reply, Request, Served, call};

fn text(reply: &Reply) -> String {
    let message = reply.json();
    message["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{message}"))
        .to_owned()
}

#[test]
fn a_command_gets_the_limit_that_the_server_was_started_with() {
    let root = folder(&[]);
    let server = Served::start(root.path(), &["--shell-any"]);
    let script = "ulimit -Sn; ulimit -Hn";
    let own = Command::new("sh").args(["-c", script]).output().unwrap();
    let own = String::from_utf8_lossy(&own.stdout).into_owned();
    let command = json!({"command": ["sh", "-c", script]});
    let got = text(&server.post(&call(1, "run_command", command)));
    assert!(got.starts_with(&own), "{got} {own}");
}

#[test]
fn commands_in_batches_hold_up_no_other_calls() {
    let root = folder(&[("a.txt", "hello\n")]);
    let server = Served::start(root.path(), &["--shell-any"]);
    let mark = mark();
    let command = json!({"command": ["sleep", mark]});
    // More than there are places for calls that start no program.
    let mut held: Vec<_> = (0..40).map(|_| server.connect()).collect();
    for (n, conn) in (0..).zip(&mut held) {
        let batch = json!([call(n, "run_command", command.clone())]);
        conn.send(&Request::post(&batch));
    }
    eventually("they run", || processes(&mark).len() == 40);
    let got = text(&server.post(&call(1, "read_file", json!({"path": "a.txt"}))));
    assert_eq!(got, "1: hello");
}

#[test]
fn who_hangs_up_ends_a_modern_command() {
    let root = folder(&[]);
    let server = Served::start(root.path(), &["--shell-any"]);
    let mark = mark();
    let script = format!("echo started; exec sleep {mark}");
    let params = json!({"name": "run_command", "arguments": {"command": ["sh", "-c", script]}});
    let mut conn = server.connect();
    conn.send(&Request::modern("tools/call", params));
    eventually("it runs", || processes(&mark).len() == 1);
    drop(conn);
    eventually("it ends", || processes(&mark).is_empty());
}

#[test]
fn who_leaves_amid_the_events_ends_a_modern_command() {
    let root = folder(&[]);
    let server = Served::start(root.path(), &["--shell-any"]);
    let mark = mark();
    let script = format!("echo started; exec sleep {mark}");
    let mut request = Request::modern(
        "tools/call",
        json!({
            "name": "run_command",
            "arguments": {"command": ["sh", "-c", script]},
        }),
    );
    request.edit(|message| message["params"]["_meta"]["progressToken"] = json!(7));
    let mut conn = server.connect();
    conn.send(&request);
    let head = conn.head().unwrap();
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    let event = conn.chunk();
    assert!(
        event.contains(r#""progressToken":7,"progress":1,"message":"started""#),
        "{event}"
    );
    eventually("it runs", || processes(&mark).len() == 1);
    drop(conn);
    eventually("it ends", || processes(&mark).is_empty());
}

#[test]
fn an_older_command_goes_on_without_its_client() {
    let root = folder(&[]);
    let server = Served::start(root.path(), &["--shell-any"]);
    let script = "touch started; until [ -e go ]; do sleep 0.05; done; touch done";
    let command = json!({"command": ["sh", "-c", script]});
    let mut conn = server.connect();
    conn.send(&Request::post(&call(1, "run_command", command)));
    let is_there = |name: &str| root.path().join(name).exists();
    eventually("it runs", || is_there("started"));
    drop(conn);
    std::fs::write(root.path().join("go"), "").unwrap();
    eventually("it goes on", || is_there("done"));
    // What came of it can be looked up.
    eventually("it is told", || {
        let log = text(&server.post(&call(2, "work_log", json!({}))));
        log.contains("run_command") && log.contains("exit 0")
    });
}
