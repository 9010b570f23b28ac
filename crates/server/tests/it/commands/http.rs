//! Commands over HTTP, where the server allows itself more open files.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{eventually, line, mark, processes};
use crate::client::{folder, program};
use crate::http::peer::{Reply, Request, Served, call, ping};

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

/// With Nagle's algorithm on, the answer would wait until the client's system acknowledges the
/// event before it, which it does after 40 ms.
#[test]
fn no_event_waits_for_the_one_before() {
    const STEP: Duration = Duration::from_millis(30);
    let root = folder(&[]);
    let server = Served::start(root.path(), &["--shell-any"]);
    let mut request = Request::post(&call(
        1,
        "run_command",
        json!({"command": ["echo", "told"]}),
    ));
    request.edit(|message| message["params"]["_meta"] = json!({"progressToken": 1}));
    let mut conn = server.connect();
    let mut took: Vec<_> = (0..30)
        .map(|_| {
            conn.send(&request);
            let head = conn.head().unwrap();
            assert_eq!(head.header("content-type"), Some("text/event-stream"));
            assert!(conn.chunk().contains("told"));
            let before = Instant::now();
            while !conn.chunk().is_empty() {}
            before.elapsed()
        })
        // Systems acknowledge at once for some time at first.
        .skip(10)
        .collect();
    took.sort();
    let middle = took[took.len() / 2];
    assert!(middle < STEP, "{took:?}");
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

#[test]
fn the_end_waits_for_a_command_and_then_ends_jobs() {
    let root = folder(&[]);
    let mut server = Served::start(root.path(), &["--shell-any"]);
    let (job, mark) = (mark(), mark());
    let command = json!({"command": ["sleep", job]});
    text(&server.post(&call(1, "start_job", command)));
    let script = format!("until [ -e go ]; do sleep 0.05; : {mark}; done; echo done");
    let mut conn = server.connect();
    let mut idle = server.connect();
    assert_eq!(idle.post(&ping(1)).status, 200);
    let command = json!({"command": ["sh", "-c", script]});
    conn.send(&Request::post(&call(2, "run_command", command)));
    eventually("it runs", || processes(&mark).len() == 1);
    server.terminate();
    assert!(idle.is_closed(), "it stops");
    assert_eq!(processes(&job).len(), 1, "calls under way may ask for it");
    std::fs::write(root.path().join("go"), "").unwrap();
    let got = text(&conn.recv());
    assert!(got.starts_with("done\n\nexit code: 0"), "{got}");
    assert_eq!(server.wait().0, Some(0));
    eventually("the job ends", || processes(&job).is_empty());
}

#[test]
fn a_command_that_does_not_end_does_not_hold_up_the_end() {
    let root = folder(&[]);
    let mut server = Served::start(root.path(), &["--shell-any"]);
    let mark = mark();
    let mut conn = server.connect();
    let script = format!("trap '' TERM; sleep {mark}; sleep {mark}");
    let command = json!({"command": ["sh", "-c", script]});
    conn.send(&Request::post(&call(1, "run_command", command)));
    eventually("it runs", || processes(&mark).len() == 2);
    server.terminate();
    assert_eq!(server.wait().0, Some(0));
    eventually("the command ends", || processes(&mark).is_empty());
}

#[test]
fn a_job_outlives_the_connection_that_started_it() {
    let (root, logs) = (folder(&[]), folder(&[]));
    let options = ["--http", "--port", "0", "--shell-any"];
    let server = Served::start_with(
        program(root.path(), &options).env("WORKSPACE_MCP_JOB_DIR", logs.path()),
    );
    let script = "until [ -e go ]; do sleep 0.05; done; echo went on";
    let start = json!({"name": "start_job", "arguments": {"command": ["sh", "-c", script]}});
    let mut conn = server.connect();
    conn.send(&Request::modern("tools/call", start));
    let started = text(&conn.recv());
    drop(conn);
    let id = line(&started, "jobId: ").to_owned();
    let status = |wait: u64| {
        let arguments = json!({"jobId": id, "waitMs": wait, "sinceByte": 0});
        text(&server.post(&call(2, "job_status", arguments)))
    };
    assert!(line(&status(0), "status: ").starts_with("running"));
    std::fs::write(root.path().join("go"), "").unwrap();
    eventually("it goes on", || status(1000).ends_with("\nwent on"));
}
