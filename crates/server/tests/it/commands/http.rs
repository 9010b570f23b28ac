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
