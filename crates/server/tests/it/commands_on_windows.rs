//! Commands and jobs on Windows: batch files, the job object, and the code page.

use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, eventually, folder, line, program};

/// How long what has to end soon may take on a busy machine.
const SOON: Duration = Duration::from_secs(20);
/// A batch file that shows its words.
const TOOL: &str = "@echo off\r\necho 1 %1\r\necho 2 %2\r\necho 3 %3\r\nexit /b 3\r\n";

struct Served {
    client: Client,
    root: TempDir,
    data: TempDir,
}

impl Served {
    fn with(options: &[&str], files: &[(&str, &str)]) -> Self {
        let (root, data) = (folder(files), folder(&[]));
        let tools = root.path().join("tools");
        let path = format!("{};C:\\windows\\system32", tools.display());
        let mut all = vec!["--shell-path", &path];
        all.extend(options);
        let mut program = program(root.path(), &all);
        program.env("LOCALAPPDATA", data.path());
        Self {
            client: Client::start_with(&mut program),
            root,
            data,
        }
    }

    fn any(files: &[(&str, &str)]) -> Self {
        Self::with(&["--shell-any"], files)
    }

    fn run(&mut self, command: &[&str]) -> String {
        self.client.call("run_command", json!({"command": command}))
    }
}

/// The command that starts, by the interpreter, a program that runs until it is ended and says at
/// which port it can be seen to.
fn sleeper(before: &str) -> Value {
    // As this system writes it, wherever it was built.
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().with_file_name("workspace-mcp.exe");
    let program = program.display();
    json!([
        "cmd",
        "/c",
        format!("{before} {program} --http --port 0 --root .")
    ])
}

/// The port that a sleeper said it can be seen at.
fn port(text: &str) -> u16 {
    let (_, rest) = text
        .split_once("http://127.0.0.1:")
        .unwrap_or_else(|| panic!("{text}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

fn is_there(port: u16) -> bool {
    TcpStream::connect(("127.0.0.1", port)).is_ok()
}

#[test]
fn a_program_runs_with_empty_input_and_its_code_is_told() {
    let mut served = Served::any(&[("d/x.txt", "")]);
    let text = served.run(&["cmd", "/c", "echo out& echo err>&2& exit 5"]);
    assert!(
        text.starts_with("out\nerr\n\nexit code: 5  duration: "),
        "{text}"
    );
    let text = served.run(&["CMD.EXE", "/c", "set /p line=& echo end"]);
    assert!(text.contains("end\n\nexit code: 0"), "{text}");
    let arguments = json!({"command": ["cmd", "/c", "cd"], "cwd": "d"});
    let text = served.client.call("run_command", arguments);
    assert!(text.lines().next().unwrap().ends_with("\\d"), "{text}");
    let text = served.run(&["no-such-program"]);
    assert!(
        text.starts_with("error: executable not found: no-such-program\nsearched PATH: "),
        "{text}"
    );
    for odd in ["cmd.", "cmd.exe ", "cmd.exe:x", ".\\nope"] {
        let text = served.run(&[odd]);
        assert!(text.starts_with("error: executable not found: "), "{text}");
    }
}

#[test]
fn batch_files_are_found_and_get_their_words_and_no_more() {
    let tools = [("tools/tool.cmd", TOOL), ("d/here.BAT", TOOL)];
    let mut served = Served::with(&["--shell", "--shell-allow", "Tool.exe"], &tools);
    let text = served.run(&["tool", "a b", "x&echo bad", "(c)!d!^e"]);
    assert!(
        text.starts_with("1 \"a b\"\n2 \"x&echo bad\"\n3 \"(c)!d!^e\"\n\nexit code: 3"),
        "{text}"
    );
    assert_eq!(
        served.run(&["tool", "x", "%PATH%"]),
        "error: failed to start: an argument of a batch file must not hold a percent sign"
    );
    let text = served.run(&["TOOL.CMD", "a|b", "\"& echo bad &\"", "c"]);
    assert!(text.starts_with("1 \"a|b\"\n2 "), "{text}");
    assert!(!text.contains("\nbad"), "{text}");
    assert_eq!(
        served.run(&["tool", "a\r\nb"]),
        "error: failed to start: an argument of a batch file must not hold a line break"
    );
    let text = served.run(&["here"]);
    assert!(
        text.starts_with("error: command not allowed: here."),
        "{text}"
    );
    let mut served = Served::any(&tools);
    let arguments = json!({"command": [".\\here", "x"], "cwd": "d"});
    let text = served.client.call("run_command", arguments);
    assert!(text.starts_with("1 x\n"), "{text}");
}

#[test]
fn time_ends_a_command_with_all_it_started() {
    let mut served = Served::any(&[]);
    let arguments = json!({"command": sleeper(""), "timeoutMs": 5000});
    let text = served.client.call("run_command", arguments);
    assert!(text.contains("timed out after 5000ms"), "{text}");
    assert!(!is_there(port(&text)), "{text}");
}

#[test]
fn what_runs_on_does_not_hold_the_answer_and_ends_with_the_server() {
    let mut served = Served::any(&[]);
    let arguments = json!({"command": sleeper("start /b"), "timeoutMs": 60_000});
    let before = Instant::now();
    let text = served.client.call("run_command", arguments);
    assert!(before.elapsed() < SOON, "{:?}", before.elapsed());
    assert!(text.contains(" still running: "), "{text}");
    // It may have said at which port only after the answer, so that a job tells that.
    let job = served
        .client
        .call("start_job", json!({"command": sleeper("")}));
    let id = line(&job, "jobId: ").to_owned();
    let mut status = String::new();
    eventually("it says where it is", || {
        status = served.client.call("job_status", json!({"jobId": id}));
        status.contains("http://127.0.0.1:")
    });
    let port = port(&status);
    assert!(is_there(port));
    served.client.kill();
    eventually("it is gone", || !is_there(port));
}

#[test]
fn a_job_is_followed_and_killed() {
    let mut served = Served::any(&[]);
    let started = served
        .client
        .call("start_job", json!({"command": sleeper("")}));
    let id = line(&started, "jobId: ").to_owned();
    let log = line(&started, "log: ").to_owned();
    assert!(Path::new(&log).starts_with(served.data.path()), "{log}");
    let mut status = String::new();
    eventually("it says where it is", || {
        let arguments = json!({"jobId": id, "sinceByte": 0, "waitMs": 1000});
        status = served.client.call("job_status", arguments);
        status.contains("http://127.0.0.1:")
    });
    assert!(line(&status, "status: ").starts_with("running"), "{status}");
    let port = port(&status);
    assert!(is_there(port));
    let text = served.client.call("job_kill", json!({"jobId": id}));
    assert!(
        text.starts_with(&format!("job {id}: killed  signal: SIGKILL")),
        "{text}"
    );
    assert!(!is_there(port));
    let text = served.client.call("job_kill", json!({"jobId": id}));
    assert!(
        text.ends_with("already finished with status killed; nothing to kill."),
        "{text}"
    );
}

#[test]
fn what_is_not_utf_8_is_read_by_the_code_page() {
    let mut served = Served::any(&[("utf8.txt", "für\r\n")]);
    std::fs::write(served.root.path().join("oem.txt"), b"f\x81r\r\n").unwrap();
    let text = served.run(&["cmd", "/c", "type oem.txt& type utf8.txt"]);
    // So it is in 437 and 850, which are by far the most common.
    assert!(text.starts_with("für\nfür\n\n"), "{text}");
}

#[test]
fn a_flood_is_cut_in_the_middle() {
    let mut served = Served::any(&[]);
    let big = vec![b'x'; 3_000_000];
    std::fs::write(served.root.path().join("big.txt"), big).unwrap();
    let text = served.run(&["cmd", "/c", "type big.txt"]);
    assert!(
        text.contains("\n... (2934464 bytes truncated) ...\n"),
        "{}",
        &text[text.len() - 200..]
    );
}
