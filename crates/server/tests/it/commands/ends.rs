//! The ways a command ends, and that nothing of it is left.

use std::collections::HashSet;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use super::surroundings::rights;
use super::{SOON, Served, eventually, mark, processes, timeless};
use crate::client::{Client, folder, program};
use crate::races::soak;

/// A script that starts five sleepers which do what they can to stay: in the background, in a
/// session of their own, orphaned twice, deaf to SIGTERM, and the script itself.
fn hostile(mark: &str) -> String {
    let deaf = format!("trap \"\" TERM; while :; do sleep {mark}; done");
    format!(
        "sleep {mark} & setsid sleep {mark} & (setsid sh -c '(sleep {mark} &) &' &); \
         setsid sh -c '{deaf}' & trap '' TERM; echo up; sleep {mark}; sleep {mark}"
    )
}

#[test]
fn the_ends_of_a_command_are_told() {
    let mut served = Served::new();
    let mut told = |script: &str| timeless(&served.sh(script));
    assert_eq!(told("exit 0"), "(no output)\n\nexit code: 0  duration: Nms");
    assert_eq!(
        told("echo out; echo err >&2; exit 3"),
        "out\nerr\n\nexit code: 3  duration: Nms"
    );
    assert_eq!(
        told("kill -9 $$"),
        "(no output)\n\nterminated by signal SIGKILL  duration: Nms"
    );
    assert_eq!(
        told("kill -TERM $$"),
        "(no output)\n\nterminated by signal SIGTERM  duration: Nms"
    );
    let log = served.client.call("work_log", json!({"limit": 1}));
    assert!(
        log.contains("— sh -c kill -TERM $$  [signal SIGTERM ("),
        "{log}"
    );
}

#[test]
fn a_command_that_takes_too_long_ends_with_all_it_started() {
    let mut served = Served::new();
    let mark = mark();
    let script = format!("echo part; sleep {mark} & sleep {mark}");
    let before = Instant::now();
    let text = served.client.call(
        "run_command",
        json!({"command": ["sh", "-c", script], "timeoutMs": 1000}),
    );
    assert_eq!(
        timeless(&text),
        "part\n\ntimed out after 1000ms  duration: Nms"
    );
    assert!(
        before.elapsed() < Duration::from_secs(3),
        "{:?}",
        before.elapsed()
    );
    assert_eq!(processes(&mark), HashSet::new());
}

#[test]
fn no_hostile_sleeper_survives() {
    // With the usual factor of the long form it is 40.
    let n_trees = (8 * soak()).min(40);
    let mut served = Served::new();
    let marks: Vec<String> = (0..n_trees).map(|_| mark()).collect();
    // All of them have to be seen before the first is ended.
    let limit = 2000 * n_trees / 8;
    let ids: Vec<i64> = marks
        .iter()
        .map(|mark| {
            let command = ["sh", "-c", &hostile(mark)];
            let arguments = json!({"command": command, "timeoutMs": limit});
            served.client.send_call("run_command", arguments)
        })
        .collect();
    for mark in &marks {
        eventually("the sleepers run", || processes(mark).len() >= 5);
    }
    for id in ids {
        let text = crate::client::text_of(&served.client.recv(id));
        let told = format!("up\n\ntimed out after {limit}ms");
        assert!(text.starts_with(&told), "{text}");
    }
    for mark in &marks {
        assert_eq!(processes(mark), HashSet::new());
    }
}

#[test]
fn what_multiplies_ends_too_and_holds_up_nobody() {
    let mut served = Served::with(&["--shell-any"], &[], &[("a.txt", "hello\n")]);
    let mark = mark();
    // Each starts two until there are 127, and all of them stay.
    let script = "test $1 -gt 0 && for i in 1 2; do sh tree $(($1 - 1)) $2 & done; sleep $2";
    std::fs::write(served.root.path().join("tree"), script).unwrap();
    let command = ["sh", "tree", "6", &mark];
    let id = served
        .client
        .send_call("run_command", json!({"command": command}));
    eventually("it has multiplied", || {
        processes(&format!("sleep {mark}")).len() == 127
    });
    let read = json!({"path": "a.txt"});
    assert_eq!(served.client.call("read_file", read), "1: hello");
    let cancelled = json!({"requestId": id});
    served
        .client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}));
    eventually("all end", || processes(&mark).is_empty());
}

#[test]
fn a_cancelled_call_ends_its_command() {
    let mut served = Served::new();
    let mark = mark();
    let command = ["sh", "-c", &hostile(&mark)];
    let id = served
        .client
        .send_call("run_command", json!({"command": command}));
    eventually("the sleepers run", || processes(&mark).len() >= 5);
    let cancelled = json!({"requestId": id});
    served
        .client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}));
    eventually("the sleepers end", || processes(&mark).is_empty());
}

/// Starts a hostile command, a hostile job, and a command that leaves something running.
fn busy(served: &mut Served) -> [String; 3] {
    let marks = [mark(), mark(), mark()];
    let hostile = |mark: &str| json!({"command": ["sh", "-c", hostile(mark)]});
    served.client.send_call("run_command", hostile(&marks[0]));
    served.client.call("start_job", hostile(&marks[1]));
    let text = served.sh(&format!("setsid sleep {} & echo left", marks[2]));
    assert!(text.contains("(1 process still running: "), "{text}");
    for mark in &marks[..2] {
        eventually("the sleepers run", || processes(mark).len() >= 5);
    }
    assert_eq!(processes(&marks[2]).len(), 1);
    marks
}

fn none_left(marks: &[String]) {
    for mark in marks {
        eventually("the sleepers end", || processes(mark).is_empty());
    }
}

#[test]
fn nothing_outlives_a_server_whose_input_ends() {
    let mut served = Served::new();
    let marks = busy(&mut served);
    assert_eq!(served.client.finish().0, Some(0));
    none_left(&marks);
}

#[test]
fn nothing_outlives_a_server_that_is_told_to_stop() {
    let mut served = Served::new();
    let marks = busy(&mut served);
    let pid = served.client.pid().to_string();
    Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    served.client.wait();
    none_left(&marks);
}

#[test]
fn nothing_outlives_a_server_that_is_killed() {
    let mut served = Served::new();
    let marks = busy(&mut served);
    served.client.kill();
    none_left(&marks);
}

#[test]
fn nothing_outlives_a_server_that_is_killed_amid_starts() {
    let mark = mark();
    for _ in 0..8 * soak() {
        let mut served = Served::new();
        for _ in 0..4 {
            let command = ["sh", "-c", &hostile(&mark)];
            served
                .client
                .send_call("run_command", json!({"command": command}));
        }
        served.client.kill();
    }
    eventually("all sleepers end", || processes(&mark).is_empty());
}

/// A command can halt its supervisor as it can kill it.
#[test]
fn a_halted_supervisor_holds_up_nothing() {
    let mut served = Served::new();
    let mark = mark();
    let script = format!("kill -STOP $PPID; echo up; setsid sleep {mark} & sleep {mark}");
    let command = ["sh", "-c", &script];
    let arguments = json!({"command": command, "timeoutMs": 1000});
    let text = served.client.call("run_command", arguments);
    assert!(text.starts_with("up\n\ntimed out after 1000ms"), "{text}");
    assert!(processes(&mark).is_empty());

    let job = served.client.call("start_job", json!({"command": command}));
    let id = super::line(&job, "jobId: ").to_owned();
    eventually("it runs", || processes(&mark).len() > 1);
    let text = served.client.call("job_kill", json!({"jobId": id}));
    assert!(text.contains(": killed  signal: SIGTERM"), "{text}");
    assert!(processes(&mark).is_empty());

    served
        .client
        .send_call("run_command", json!({"command": command}));
    eventually("it runs", || processes(&mark).len() > 1);
    served.client.kill();
    eventually("all of it ends", || processes(&mark).is_empty());
}

#[test]
fn a_supervisor_that_is_halted_again_and_again_is_killed() {
    let mut served = Served::new();
    let mark = mark();
    let halt = "while kill -STOP $PPID; do :; done";
    let script = format!("({halt}) & setsid sleep {mark} & sleep {mark}");
    let arguments = json!({"command": ["sh", "-c", script], "timeoutMs": 1000});
    let text = served.client.call("run_command", arguments);
    assert!(text.contains("timed out after 1000ms"), "{text}");
    eventually("all of it ends", || processes(&mark).is_empty());
}

#[test]
fn what_holds_the_output_does_not_hold_the_answer() {
    let mut served = Served::new();
    for _ in 0..20 * soak() {
        let mark = mark();
        let before = Instant::now();
        let text = served.sh(&format!("sleep {mark} & echo done"));
        let took = before.elapsed();
        assert!(text.starts_with("done\n\nexit code: 0"), "{text}");
        assert!(took < Duration::from_secs(1), "{took:?}");
        let pid = processes(&mark).into_iter().next().unwrap();
        // It may not have become `sleep` yet.
        let named = format!("\n(1 process still running: {pid} s");
        assert!(text.contains(&named), "{text}");
    }
}

#[test]
fn a_wrapper_that_leaves_something_does_not_hold_the_answer() {
    let mut served = Served::new();
    let mark = mark();
    let before = Instant::now();
    let text = served.sh(&format!("echo hi | sh -c 'sleep {mark} & cat'"));
    assert!(text.starts_with("hi\n\nexit code: 0"), "{text}");
    assert!(before.elapsed() < Duration::from_secs(2));
}

#[test]
fn what_keeps_talking_does_not_hold_the_answer_and_lives_on() {
    let mut served = Served::with(&["--shell-any"], &[], &[("a.txt", "hello\n")]);
    let mark = mark();
    let talker = format!("(while :; do echo x; sleep 0.01; : {mark}; done) & sleep 0.2; echo ok");
    let before = Instant::now();
    let text = served.sh(&talker);
    assert!(
        before.elapsed() < Duration::from_secs(2),
        "{:?}",
        before.elapsed()
    );
    assert!(text.contains("x\n") && text.contains("ok\n"), "{text}");
    assert!(text.contains("still running: "), "{text}");
    assert_eq!(
        served.client.call("read_file", json!({"path": "a.txt"})),
        "1: hello"
    );
    // It writes more than any pipe holds, to nobody, and is there all the same.
    let writer = format!("(trap '' PIPE; yes {mark} | head -c 1000000; sleep {mark}) & sleep 0.1");
    let text = served.sh(&writer);
    assert!(text.contains("still running"), "{text}");
    eventually("it has written all", || {
        let names = processes(&format!("sleep {mark}"));
        names.len() == 1
    });
}

/// Starts 64 commands and reads a file among them. Gives how long the read took.
fn read_among_commands(served: &mut Served) -> Duration {
    let ids: Vec<i64> = (0..64)
        .map(|n| {
            let command = ["sh", "-c", &format!("sleep 1; echo {n}")];
            served
                .client
                .send_call("run_command", json!({"command": command}))
        })
        .collect();
    let before = Instant::now();
    served.client.call("read_file", json!({"path": "a.txt"}));
    let took = before.elapsed();
    for (n, id) in ids.into_iter().enumerate() {
        let text = crate::client::text_of(&served.client.recv(id));
        assert!(text.starts_with(&format!("{n}\n\nexit code: 0")), "{text}");
    }
    assert!(before.elapsed() < SOON);
    took
}

/// What is quick is quick now and then on a busy machine too.
#[track_caller]
fn once_within(limit: Duration, n_tries: usize, mut time: impl FnMut() -> Duration) {
    let mut times = Vec::new();
    while times.iter().all(|took| *took > limit) {
        assert!(times.len() < n_tries, "not within {limit:?}: {times:?}");
        times.push(time());
    }
}

#[test]
fn sixty_four_commands_at_once_all_answer_and_a_read_is_quick() {
    let mut served = Served::with(&["--shell-any"], &[], &[("a.txt", "hello\n")]);
    let limit = Duration::from_millis(50);
    once_within(limit, 10, || read_among_commands(&mut served));
}

#[test]
fn a_command_costs_little_more_than_its_start() {
    let mut served = Served::new();
    served.run(&["true"]);
    let time = |work: &mut dyn FnMut()| {
        let before = Instant::now();
        work();
        before.elapsed()
    };
    let plain = |_| {
        time(&mut || {
            let program = &mut Command::new("true");
            assert!(program.status().unwrap().success());
        })
    };
    let limit = (0..50).map(plain).min().unwrap() + Duration::from_millis(5);
    once_within(limit, 500, || {
        time(&mut || {
            served.run(&["true"]);
        })
    });
}

#[test]
fn what_is_left_by_a_command_that_kills_its_supervisor_ends() {
    let mut served = Served::new();
    let mark = mark();
    // One that stays in the group, one in a session of its own, and one orphaned twice.
    let others = format!("setsid sleep {mark} & (setsid sh -c '(sleep {mark} &) &' &)");
    let script = format!("{others}; sleep 0.3; kill -9 $PPID; sleep {mark}");
    let text = served.sh(&script);
    assert!(text.contains("ended in an unknown way"), "{text}");
    eventually("the sleepers end", || processes(&mark).is_empty());
    // Other commands, and their supervisors, are not touched by that.
    let other = super::mark();
    let id = served.client.send_call(
        "run_command",
        json!({"command": ["sh", "-c", format!("sleep {other}; echo untouched")], "timeoutMs": 2000}),
    );
    eventually("it runs", || !processes(&other).is_empty());
    served.sh("kill -9 $PPID");
    assert!(!processes(&other).is_empty());
    let text = crate::client::text_of(&served.client.recv(id));
    assert!(text.contains("timed out after 2000ms"), "{text}");
}

#[test]
fn what_runs_on_ends_too_when_its_supervisor_is_killed() {
    let mut served = Served::new();
    let mark = mark();
    let script = format!("echo $PPID; setsid sleep {mark} & exit 0");
    let text = served.sh(&script);
    assert!(text.contains("1 process still running"), "{text}");
    let supervisor = text.lines().next().unwrap().to_owned();
    served.run(&["kill", "-9", &supervisor]);
    eventually("the sleeper ends", || processes(&mark).is_empty());
}

/// A server that was started into a namespace of processes from outside is in a session that it
/// cannot see, and the number of that is 0.
#[test]
fn what_a_killed_supervisor_leaves_ends_where_the_session_is_out_of_sight() {
    let inner = ["--pid", "--fork", "--mount-proc", "sh", "-c"];
    // Whoever is first there must not be the server, which may end then as any other process.
    let run = |rights: &[&str], script: &str| {
        let mut program = Command::new("unshare");
        program.args(rights).args(inner).arg(script);
        program
    };
    let Some(rights) = rights(&inner[..3]) else {
        return;
    };
    let root = folder(&[]);
    let server = program(root.path(), &["--shell-any"]);
    let mut program = run(rights, "\"$@\"; exit $?");
    program.current_dir(root.path()).arg("sh");
    program.arg(server.get_program()).args(server.get_args());
    let variables = server.get_envs();
    program.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    program.env("WORKSPACE_MCP_JOB_DIR", root.path().join("jobs"));
    let mut client = Client::start_with(&mut program);
    let mut sh =
        |script: &str| client.call("run_command", json!({"command": ["sh", "-c", script]}));
    let session = "read -r _ _ _ server _ < /proc/$PPID/stat; \
         read -r _ _ _ _ _ session _ < /proc/$server/stat; echo $session";
    let session = sh(session);
    assert!(session.starts_with("0\n"), "{session}");
    let mark = mark();
    let text = sh(&format!(
        "setsid sleep {mark} & sleep 0.3; kill -9 $PPID; sleep {mark}"
    ));
    assert!(text.contains("ended in an unknown way"), "{text}");
    eventually("the sleepers end", || processes(&mark).is_empty());
    let text = sh(&format!("echo $PPID; setsid sleep {mark} & exit 0"));
    let supervisor = text.lines().next().unwrap();
    sh(&format!("kill -9 {supervisor}"));
    eventually("the sleeper ends", || processes(&mark).is_empty());
}
