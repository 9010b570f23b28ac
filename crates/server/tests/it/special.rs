//! Pipes, sockets, devices and files of the kernel: every tool answers, and soon.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, makedev, mknodat};
use serde_json::json;

use crate::client::{Client, folder};
use crate::fence::every_call;

/// Far more than any of the calls needs, and less than a client would wait.
const SOON: Duration = Duration::from_secs(10);

#[test]
fn special_files_are_refused_by_name_and_by_link() {
    let folder = folder(&[("a.txt", "plain\n"), ("d/b.txt", "needle\n")]);
    let at = |name: &str| folder.path().join(name);
    mknodat(CWD, at("d/pipe"), FileType::Fifo, 0o600.into(), 0).unwrap();
    let _listening = UnixListener::bind(at("d/socket")).unwrap();
    let mut inside = vec!["d/pipe", "d/socket"];
    let (device, mode) = (FileType::CharacterDevice, 0o600.into());
    if mknodat(CWD, at("d/zero"), device, mode, makedev(1, 5)).is_ok() {
        inside.push("d/zero");
    } else {
        eprintln!("skipped: a device by name, which needs more rights");
    }
    for (name, target) in [
        ("to-pipe", "d/pipe"),
        ("to-socket", "d/socket"),
        ("to-zero", "/dev/zero"),
        ("to-random", "/dev/urandom"),
        ("to-terminal", "/dev/tty"),
        ("to-stdin", "/dev/stdin"),
        ("to-own-stdin", "/proc/self/fd/0"),
        ("to-memory", "/proc/self/mem"),
    ] {
        symlink(target, at(name)).unwrap();
    }
    let mut client = Client::start(folder.path(), &[]);
    let links =
        ["to-pipe", "to-socket"].map(|name| (name, &name.replace("to-", "d/")[..].to_owned()).0);
    for path in inside.iter().copied().chain(links) {
        let real = path.replace("to-", "d/");
        for (tool, arguments) in every_call(path) {
            let started = Instant::now();
            let answer = client.call(tool, arguments);
            assert!(started.elapsed() < SOON, "{tool} {path} took long");
            let wanted = match tool {
                "list_files" => format!("error: not a directory: {real}"),
                "patch" => format!("error: edit[1] failed: not a regular file: {real}"),
                _ => format!("error: not a regular file: {real}"),
            };
            assert_eq!(answer, wanted, "{tool} {path}");
        }
    }
    for path in [
        "to-zero",
        "to-random",
        "to-terminal",
        "to-stdin",
        "to-own-stdin",
        "to-memory",
    ] {
        for (tool, arguments) in every_call(path) {
            let started = Instant::now();
            let answer = client.call(tool, arguments);
            assert!(started.elapsed() < SOON, "{tool} {path} took long");
            assert!(
                answer.contains("path outside workspace root: "),
                "{tool}: {answer}"
            );
        }
    }
    // Tools that walk pass them over.
    assert_eq!(
        client.call("grep", json!({"pattern": "needle"})),
        "d/b.txt:1: needle\n\n1 match in 1 file"
    );
    assert_eq!(
        client.call("list_files", json!({"path": "d"})),
        "1 entry\nd/b.txt"
    );
}

#[test]
fn files_of_the_kernel_are_refused_when_the_root_is_everything() {
    let state = folder(&[]);
    // The file that names this very process and its secrets.
    let options = ["--root", "/", "--state-dir", state.path().to_str().unwrap()];
    let mut command = crate::client::program(state.path(), &options);
    command.env("SECRET_FOR_TEST", "7f3a-secret");
    let mut client = Client::start_with(&mut command);
    let pid = client.pid();
    let paths = [
        "proc/self/environ",
        "/proc/self/environ",
        "proc/self/mem",
        "proc/self/maps",
        "proc/self/cmdline",
        "proc/self/fd/0",
        "proc/self/fd/1",
        "proc/self/task/../environ",
        "proc/thread-self/environ",
        "proc/self/root/proc/self/environ",
        "proc/kmsg",
        "proc/kcore",
        "dev/zero",
        "dev/stdin",
        "dev/fd/0",
        "sys/power/state",
        &format!("proc/{pid}/environ"),
        &format!("proc/{pid}/mem"),
    ]
    .map(str::to_owned);
    for path in paths {
        for (tool, arguments) in every_call(&path) {
            let started = Instant::now();
            let answer = client.call(tool, arguments);
            let about = format!("{tool} {path}: {answer}");
            assert!(started.elapsed() < SOON, "{about}");
            assert!(!answer.contains("7f3a-secret"), "{about}");
            assert!(answer.starts_with("error: "), "{about}");
            assert!(!answer.contains("internal error"), "{about}");
        }
    }
    for tool in ["grep", "list_files"] {
        for path in [
            format!("proc/{pid}"),
            format!("proc/{pid}/task"),
            "dev".to_owned(),
        ] {
            let started = Instant::now();
            let arguments = json!({"path": path, "pattern": "7f.a", "includeIgnored": true});
            let answer = client.call(tool, arguments);
            assert!(started.elapsed() < SOON * 2, "{tool} {path}: {answer}");
            assert!(!answer.contains("7f3a-secret"), "{tool} {path}: {answer}");
        }
    }
    let file = state.path().join("plain.txt");
    fs::write(&file, "plain\n").unwrap();
    let arguments = json!({"path": file.to_str().unwrap()});
    assert_eq!(client.call("read_file", arguments), "1: plain");
}
