//! Commands of servers that were started in odd ways: it shall make no difference to them.

use std::process::{Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use super::{eventually, mark, processes};
use crate::client::{Client, folder, program};

/// A server that runs anything, started by way of another program, and its root.
fn started_by(way: &[&str]) -> (Client, TempDir) {
    let root = folder(&[]);
    let server = program(root.path(), &["--shell-any"]);
    let (first, rest) = way.split_first().expect("a program");
    let mut command = Command::new(first);
    command.current_dir(root.path()).args(rest);
    command.arg(server.get_program()).args(server.get_args());
    let variables = server.get_envs();
    command.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    command.env("WORKSPACE_MCP_JOB_DIR", root.path().join("jobs"));
    (Client::start_with(&mut command), root)
}

/// The rights that a namespace needs here, if it can be had at all.
pub(super) fn rights(namespaces: &[&str]) -> Option<&'static [&'static str]> {
    let all = [&[][..], &["--user", "--map-root-user"]];
    let works = |rights: &&&[&str]| {
        let mut unshare = Command::new("unshare");
        unshare.args(**rights).args(namespaces);
        let status = unshare.args(["sh", "-c", "exit 7"]).stderr(Stdio::null());
        status.status().is_ok_and(|status| status.code() == Some(7))
    };
    let found = all.into_iter().find(|rights| works(&rights));
    if found.is_none() {
        eprintln!("skipped: {namespaces:?} needs more rights");
    }
    found
}

/// Does all that commands do. Nothing is left in the end.
#[track_caller]
fn all_is_as_usual(mut client: Client) {
    let mut call = |tool: &str, arguments| client.call(tool, arguments);
    let sh = |script: &str| json!({"command": ["sh", "-c", script], "timeoutMs": 5000});
    let text = call("run_command", sh("echo hi; exit 3"));
    assert!(text.starts_with("hi\n\nexit code: 3"), "{text}");
    let text = call("run_command", sh("git init -q"));
    assert!(text.contains("exit code: 0"), "{text}");
    let text = call("git_status", json!({}));
    assert!(text.starts_with("branch: "), "{text}");

    let ended = mark();
    let script = format!("setsid sleep {ended} & (sleep {ended} &); sleep {ended}");
    let arguments = json!({"command": ["sh", "-c", script], "timeoutMs": 1000});
    let text = call("run_command", arguments);
    assert!(text.contains("timed out after 1000ms"), "{text}");
    assert!(processes(&ended).is_empty());

    let job = call("start_job", json!({"command": ["sleep", ended]}));
    let id = super::line(&job, "jobId: ").to_owned();
    let text = call("job_kill", json!({"jobId": id}));
    assert!(text.contains(": killed  signal: SIGTERM"), "{text}");

    let left = mark();
    let text = call("run_command", sh(&format!("setsid sleep {left} & echo up")));
    assert!(text.starts_with("up\n\nexit code: 0"), "{text}");
    assert!(text.contains("\n(1 process still running: "), "{text}");
    eventually("it runs", || !processes(&left).is_empty());
    let (code, _) = client.finish();
    assert_eq!(code, Some(0));
    eventually("it ends", || processes(&left).is_empty());
}

#[test]
fn what_a_server_inherits_makes_no_difference_to_its_commands() {
    let ways: [&[&str]; 8] = [
        &["sh", "-c", "trap '' CHLD; exec \"$@\"", "sh"],
        &[
            "sh",
            "-c",
            "trap '' TERM PIPE HUP INT QUIT XFSZ USR1; exec \"$@\"",
            "sh",
        ],
        &["sh", "-c", "exec \"$@\" 2>&-", "sh"],
        &[
            "sh",
            "-c",
            "unset HOME PATH SHELL TMPDIR; exec \"$@\"",
            "sh",
        ],
        &["env", "HOME=/none", "PATH=", "SHELL=/none", "TMPDIR=/none"],
        &["prlimit", "--nofile=32:32"],
        &["nice", "-n", "19"],
        &["setsid", "--wait", "nohup"],
    ];
    for way in ways {
        eprintln!("{way:?}");
        let (client, _root) = started_by(way);
        all_is_as_usual(client);
    }
}

#[test]
fn where_a_server_sees_processes_makes_no_difference_to_its_commands() {
    let first = ["--pid", "--fork", "--mount-proc"];
    let hidden = "mount -t tmpfs none /proc; exec \"$@\"";
    let ways: [(&[&str], &[&str]); 3] = [
        // The first process, as in a container.
        (&first, &[]),
        // The table of processes is that of another namespace, with other numbers for all.
        (&["--pid", "--fork"], &[]),
        // There is no such table.
        (&["--mount"], &["sh", "-c", hidden, "sh"]),
    ];
    for (namespaces, then) in ways {
        eprintln!("{namespaces:?} {then:?}");
        let Some(rights) = rights(namespaces) else {
            continue;
        };
        let (client, _root) = started_by(&[&["unshare"], rights, namespaces, then].concat());
        all_is_as_usual(client);
    }
}

#[test]
fn a_server_without_devices_says_what_its_commands_lack() {
    let Some(rights) = rights(&["--mount"]) else {
        return;
    };
    let hidden = "mount -t tmpfs none /dev; exec \"$@\"";
    let way = [&["unshare"], rights, &["--mount", "sh", "-c", hidden, "sh"]].concat();
    let (mut client, _root) = started_by(&way);
    let text = client.call("run_command", json!({"command": ["true"]}));
    assert_eq!(
        text,
        "error: failed to start: its supervisor was ended, or has no /dev/null"
    );
}
