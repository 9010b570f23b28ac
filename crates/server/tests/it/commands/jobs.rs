//! Jobs: started, looked at, waited for, ended.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Served, eventually, line, mark, processes, timeless};
use crate::client::{Client, folder, program};

impl Served {
    fn start(&mut self, script: &str) -> String {
        let arguments = json!({"command": ["sh", "-c", script]});
        let text = self.client.call("start_job", arguments);
        line(&text, "jobId: ").to_owned()
    }

    fn status(&mut self, id: &str) -> String {
        self.client.call("job_status", json!({"jobId": id}))
    }

    /// The status of a job once it is over.
    fn end(&mut self, id: &str) -> String {
        loop {
            let text = self
                .client
                .call("job_status", json!({"jobId": id, "waitMs": 5000}));
            if !line(&text, "status: ").starts_with("running") {
                return text;
            }
        }
    }
}

#[test]
fn a_job_is_started_followed_and_over() {
    let mut served = Served::new();
    assert_eq!(
        served.client.call("job_status", json!({})),
        "No jobs have been started in this process."
    );
    let script = "echo hello; echo world >&2; cat; exit 4";
    let arguments = json!({"command": ["sh", "-c", script], "name": " my\n\u{1b}[1mjob "});
    let text = served.client.call("start_job", arguments);
    let id = line(&text, "jobId: ").to_owned();
    assert!(id.len() == 12 && id.starts_with("job_"), "{id}");
    let keys = [
        "jobId: ",
        "name: my job",
        "pid: ",
        "startedAt: 20",
        "log: /",
        "maxRuntimeMs: 1800000",
    ];
    for (line, key) in text.lines().zip(keys) {
        assert!(line.starts_with(key), "{text}");
    }
    assert!(text.ends_with("\n\nCall job_status with this jobId to see how it goes."));
    let log = line(&text, "log: ").to_owned();
    let status = served.end(&id);
    let expected = format!(
        "job {id} - my job\nstatus: exited  exit code: 4  duration: Nms\npid: {}\nstartedAt: {}\n\
         log: {log} (12 bytes)\n\n--- output tail (last 12 bytes) ---\nhello\nworld",
        line(&text, "pid: "),
        line(&text, "startedAt: ")
    );
    assert_eq!(timeless(&status), expected);
    assert_eq!(fs::read_to_string(&log).unwrap(), "hello\nworld\n");
    assert_eq!(
        fs::metadata(&log).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let list = served.client.call("job_status", json!({}));
    assert_eq!(
        timeless(&list),
        format!(
            "Recent jobs (newest first, up to 20):\n\n{id}  my job  started {}  exit code 4, duration: Nms",
            line(&text, "startedAt: ")
        )
        .replace("duration: N", "duration N")
        .replace("duration Nms", list.rsplit_once(", ").unwrap().1)
    );
    let none = served
        .client
        .call("job_status", json!({"jobId": id, "tailBytes": 0}));
    assert!(none.ends_with("\n\n(no output)"), "{none}");
    let killed = served.client.call("job_kill", json!({"jobId": id}));
    assert_eq!(
        killed,
        format!("job {id} already finished with status exited (exit code 4); nothing to kill.")
    );
    for id in ["", "job_00000000"] {
        let text = served.status(id);
        assert_eq!(text, format!("error: unknown job id: {id}"));
    }
}

#[test]
fn a_log_is_read_on_without_loss_or_doubles() {
    let mut served = Served::new();
    let script = "for i in $(seq 300); do echo \"line $i → €€€\"; done; sleep 0.3; echo end";
    let id = served.start(script);
    let mut since = 0;
    let mut read = String::new();
    loop {
        let arguments = json!({"jobId": id, "sinceByte": since, "tailBytes": 100, "waitMs": 5000});
        let text = served.client.call("job_status", arguments);
        let (_, rest) = text.split_once("\n--- output from byte ").unwrap();
        let (head, piece) = rest.split_once(" ---").unwrap();
        let numbers: Vec<u64> = head
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|word| word.parse().ok())
            .collect();
        let [from, to, total] = numbers[..] else {
            panic!("{head}")
        };
        assert_eq!(from, since);
        assert!(to - from <= 100);
        // A piece that ends with a line does not show that.
        let piece = piece.strip_prefix('\n').unwrap_or(piece);
        read.push_str(piece);
        let log = fs::read(line(&text, "log: ").rsplit_once(" (").unwrap().0).unwrap();
        if log[..usize::try_from(to).unwrap()].ends_with(b"\n") && to > from {
            read.push('\n');
        }
        since = to;
        if to == total && line(&text, "status: ").starts_with("exited") {
            break;
        }
    }
    let mut expected: String = (1..=300).map(|i| format!("line {i} → €€€\n")).collect();
    expected.push_str("end\n");
    assert_eq!(read, expected);
}

#[test]
fn waiting_ends_with_news_and_with_time() {
    let mut served = Served::new();
    let id = served.start("sleep 0.5; echo news; sleep 600");
    let before = Instant::now();
    let text = served.client.call(
        "job_status",
        json!({"jobId": id, "sinceByte": 0, "waitMs": 20_000}),
    );
    assert!(
        text.ends_with("--- output from byte 0 to 5 of 5 ---\nnews"),
        "{text}"
    );
    assert!(before.elapsed() < Duration::from_secs(10));
    let text = served.client.call(
        "job_status",
        json!({"jobId": id, "sinceByte": 5, "waitMs": 100}),
    );
    assert!(
        text.ends_with("--- output from byte 5 to 5 of 5 ---"),
        "{text}"
    );
}

#[test]
fn a_killed_job_ends_with_all_it_started() {
    let other = folder(&[]);
    let named = format!("other={}", other.path().display());
    let mut served = Served::with(
        &["--root", ".", "--workspace", &named, "--shell-any"],
        &[],
        &[],
    );
    let mark = mark();
    let script = format!("setsid sleep {mark} & sleep {mark}");
    let text = served.client.call(
        "start_job",
        json!({"command": ["sh", "-c", script], "workspace": "other"}),
    );
    let id = line(&text, "jobId: ").to_owned();
    eventually("the sleepers run", || {
        processes(&format!("sleep {mark}")).len() >= 2
    });
    let text = served.client.call("job_kill", json!({"jobId": id}));
    assert_eq!(
        timeless(&text),
        format!("job {id}: killed  signal: SIGTERM  duration: Nms")
    );
    assert_eq!(processes(&mark), HashSet::new());
    let text = served.client.call("job_kill", json!({"jobId": id}));
    assert_eq!(
        text,
        format!("job {id} already finished with status killed; nothing to kill.")
    );
    // The journal of the job's own workspace tells of it.
    let log = served
        .client
        .call("work_log", json!({"workspace": "other"}));
    assert!(
        log.contains(&format!("job_kill  — {id}  [killed]")),
        "{log}"
    );
    let log = served.client.call("work_log", json!({}));
    assert!(!log.contains("job_kill"), "{log}");
}

#[test]
fn a_job_ends_when_its_time_is_up() {
    let mut served = Served::new();
    let mark = mark();
    let text = served.client.call(
        "start_job",
        json!({"command": ["sh", "-c", format!("sleep {mark} & sleep {mark}")], "maxRuntimeMs": 1000}),
    );
    let id = line(&text, "jobId: ").to_owned();
    let text = served.end(&id);
    assert_eq!(
        timeless(line(&text, "status: ")),
        "timed-out  maxRuntimeMs: 1000  duration: Nms"
    );
    assert_eq!(processes(&mark), HashSet::new());
}

#[test]
fn a_log_takes_64_mib_and_the_job_goes_on() {
    let mut served = Served::new();
    let id = served.start("head -c 70000000 /dev/zero; exit 5");
    let text = served.end(&id);
    assert!(
        text.contains(" (67108864 bytes)\nlog capped at 64 MiB; further output was discarded\n"),
        "{}",
        &text[..400]
    );
    assert!(line(&text, "status: ").starts_with("exited  exit code: 5"));
}

#[test]
fn the_folder_of_logs_is_the_owners_alone() {
    let root = folder(&[]);
    let temp = folder(&[]);
    let start = |client: &mut Client| client.call("start_job", json!({"command": ["true"]}));
    let mut client =
        Client::start_with(program(root.path(), &["--shell-any"]).env("TMPDIR", temp.path()));
    let text = start(&mut client);
    let log = line(&text, "log: ").to_owned();
    let jobs = fs::read_dir(temp.path()).unwrap().next().unwrap().unwrap();
    let name = jobs.file_name().to_string_lossy().into_owned();
    assert!(name.starts_with("workspace-mcp-jobs-"), "{name}");
    assert_eq!(jobs.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert!(log.contains(&name), "{log}");

    let (elsewhere, temp) = (folder(&[]), folder(&[]));
    symlink(elsewhere.path(), temp.path().join(&name)).unwrap();
    let mut planted = program(root.path(), &["--shell-any"]);
    let mut client = Client::start_with(planted.env("TMPDIR", temp.path()));
    let text = start(&mut client);
    let elsewhere_is_empty = fs::read_dir(elsewhere.path()).unwrap().next().is_none();
    assert!(elsewhere_is_empty, "{text}");

    let open = folder(&[]);
    fs::set_permissions(open.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let mut program = program(root.path(), &["--shell-any"]);
    let mut client = Client::start_with(program.env("WORKSPACE_MCP_JOB_DIR", open.path()));
    let text = start(&mut client);
    assert!(text.starts_with("error: cannot keep job logs: "), "{text}");

    let taken = open.path().join("file");
    fs::write(&taken, "").unwrap();
    let mut program = crate::client::program(root.path(), &["--shell-any"]);
    let mut client = Client::start_with(program.env("WORKSPACE_MCP_JOB_DIR", &taken));
    let expected = format!(
        "error: cannot keep job logs: {}: Not a directory\nWORKSPACE_MCP_JOB_DIR of the server \
         names another folder for them",
        taken.display()
    );
    assert_eq!(start(&mut client), expected);
}

#[test]
fn old_logs_of_servers_that_ended_are_removed() {
    let mut served = Served::new();
    let id = served.start("echo mine; sleep 600");
    let folder = served.jobs.path().to_owned();
    let old = std::time::SystemTime::now() - Duration::from_secs(8 * 24 * 60 * 60);
    let age = |name: &str| {
        let file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join(name))
            .unwrap();
        file.set_modified(old).unwrap();
    };
    eventually("it has written", || served.status(&id).ends_with("mine"));
    for name in [
        "job_00000001.log",
        "job_x.log",
        "other.txt",
        &format!("{id}.log"),
    ] {
        age(name);
    }
    fs::write(folder.join("job_00000002.log"), "new").unwrap();
    let mut second = program(served.root.path(), &["--shell-any"]);
    second.env("WORKSPACE_MCP_JOB_DIR", &folder);
    let mut second = Client::start_with(&mut second);
    second.call("job_status", json!({}));
    let mut left: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    let mut expected = vec![
        "job_00000002.log".to_owned(),
        "job_x.log".to_owned(),
        "other.txt".to_owned(),
        format!("{id}.log"),
    ];
    expected.sort();
    assert_eq!(left, expected);
}

#[test]
fn a_job_outlives_the_folder_it_runs_in() {
    let mut served = Served::with(&["--shell-any"], &[], &[("d/x", "")]);
    let script = "while test -e x; do sleep 0.02; done; echo still here";
    let arguments = json!({"command": ["sh", "-c", script], "cwd": "d"});
    let text = served.client.call("start_job", arguments);
    let id = line(&text, "jobId: ").to_owned();
    fs::remove_dir_all(served.root.path().join("d")).unwrap();
    assert!(served.end(&id).ends_with("still here"));
    let text = served
        .client
        .call("run_command", json!({"command": ["true"], "cwd": "d"}));
    assert_eq!(text, "error: working directory not found: d");
}

#[test]
fn there_is_an_end_to_jobs_and_the_server_answers_all_the_same() {
    let mut served = Served::with(&["--shell-any"], &[], &[("a.txt", "hello\n")]);
    let mark = mark();
    let start = json!({"command": ["sleep", mark]});
    let ids: Vec<String> = (0..64)
        .map(|_| {
            let text = served.client.call("start_job", start.clone());
            line(&text, "jobId: ").to_owned()
        })
        .collect();
    assert_eq!(
        served.client.call("start_job", start.clone()),
        "error: too many jobs are running (64)\nend one with job_kill"
    );
    let read = json!({"path": "a.txt"});
    assert_eq!(served.client.call("read_file", read), "1: hello");
    let list = served.client.call("job_status", json!({}));
    assert_eq!(
        list.lines().filter(|line| line.starts_with("job_")).count(),
        20
    );
    served.client.call("job_kill", json!({"jobId": ids[0]}));
    let text = served.client.call("start_job", start);
    assert!(text.starts_with("jobId: "), "{text}");
}
