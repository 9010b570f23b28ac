//! What happens at the same time: links swapped in, many calls on one file, several servers.
//!
//! `WORKSPACE_MCP_SOAK=50` does everything fifty times as often.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

pub use crate::client::soak;
use crate::client::{Client, folder, text_of};
use crate::scenarios::tree;

/// Is in every file outside, and nowhere else.
const OUTSIDE: &str = "outside-7f3a";

/// Temporary files and records of changes under way that are left beneath a folder.
pub fn leftovers(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(".workspace-mcp-tmp-") || dir.ends_with(".workspace-mcp/tx") {
            found.push(entry.path());
        } else if entry.file_type().unwrap().is_dir() {
            found.extend(leftovers(&entry.path()));
        }
    }
    found
}

/// Something done over and over by a thread of its own, until this is dropped.
pub struct Meanwhile {
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Meanwhile {
    pub fn start(mut act: impl FnMut() + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                act();
            }
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Meanwhile {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(
                ended.is_ok() || thread::panicking(),
                "what was done meanwhile failed"
            );
        }
    }
}

/// Asks round after round while something else happens, until each of `n_tools` tools has done its work
/// and something was refused; no answer may hold the secret.
pub fn ask_meanwhile(
    client: &mut Client,
    calls: impl Fn(usize) -> Vec<(&'static str, Value)>,
    secret: &str,
    n_tools: usize,
) {
    let (mut done, mut refused) = (BTreeSet::new(), 0);
    let rounds = 60 * soak();
    let mut round = 0;
    // A starved machine may let one side run alone for a while: wait until both had their turns.
    while round < rounds || (round < rounds * 20 && (done.len() < n_tools || refused == 0)) {
        round += 1;
        let calls = calls(round);
        let ids: Vec<i64> = calls
            .iter()
            .map(|(tool, arguments)| client.send_call(tool, arguments.clone()))
            .collect();
        for ((tool, arguments), id) in calls.iter().zip(ids) {
            let answer = text_of(&client.recv(id));
            let about = format!("{tool} {arguments}: {answer}");
            assert!(!answer.contains(secret), "{about}");
            assert!(!answer.contains("internal error"), "{about}");
            if answer.starts_with("error: ") {
                refused += 1;
            } else {
                done.insert(*tool);
            }
        }
    }
    assert!(refused > 0, "nothing was refused in {round} rounds");
    assert_eq!(done.len(), n_tools, "only {done:?} were ever done");
}

/// The calls of one round, all through the folder that is swapped.
fn calls(round: usize) -> Vec<(&'static str, Value)> {
    let grown = "!".repeat(round);
    vec![
        ("read_file", json!({"path": "dir/sub/f", "withHash": true})),
        (
            "write_file",
            json!({"path": format!("dir/sub/n{}", round % 7), "content": "inside"}),
        ),
        (
            "write_file",
            json!({"path": format!("dir/m{round}/n"), "content": "inside"}),
        ),
        (
            "write_file",
            json!({"path": "dir/sub/f", "content": format!("inside {round}\n")}),
        ),
        ("read_file", json!({"path": "dir/f"})),
        (
            "edit_file",
            json!({"path": "dir/f", "oldString": "side", "newString": "side!"}),
        ),
        ("grep", json!({"pattern": "out.ide-"})),
        ("grep", json!({"pattern": ".", "path": "dir"})),
        (
            "patch",
            json!({"edits": [
                {"path": "stays", "oldString": "[", "newString": format!("[{grown}")},
                {"path": "dir/g", "oldString": "side", "newString": "side!"},
            ]}),
        ),
        ("list_files", json!({})),
        ("list_files", json!({"path": "dir"})),
        (
            "write_file",
            json!({"path": "dir/log", "content": "inside", "append": true}),
        ),
        ("read_file", json!({"path": "dir/sub/../sub/f"})),
    ]
}

#[test]
fn a_folder_swapped_for_a_link_lets_nothing_through() {
    let world = folder(&[
        ("ws/stays", "[]\n"),
        ("ws/dir/f", "inside\n"),
        ("ws/dir/g", "inside\n"),
        ("ws/dir/log", "inside\n"),
        ("ws/dir/sub/f", "inside\n"),
        ("out/f", OUTSIDE),
        ("out/g", OUTSIDE),
        ("out/log", OUTSIDE),
        ("out/sub/f", OUTSIDE),
        ("out/sub/outside-7f3a-name", OUTSIDE),
    ]);
    let ws = world.path().join("ws");
    symlink("../out", ws.join("trap")).unwrap();
    let before = tree(&world.path().join("out"));
    let mut client = Client::start(&ws, &[]);
    let (a, b) = (ws.join("dir"), ws.join("trap"));
    let swapping = Meanwhile::start(move || {
        renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).unwrap();
    });
    ask_meanwhile(&mut client, calls, OUTSIDE, 6);
    drop(swapping);
    assert_eq!(tree(&world.path().join("out")), before);
    assert_eq!(client.finish().0, Some(0));
    assert_eq!(leftovers(world.path()), Vec::<PathBuf>::new());
}

/// An edit that puts a line in front of the last one of a file.
fn add_line(path: &str, line: &str) -> Value {
    json!({"path": path, "oldString": "end\n", "newString": format!("{line}\nend\n")})
}

/// The lines of a file but the last.
fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(lines.pop().as_deref(), Some("end"));
    lines
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

fn assert_done(client: &mut Client, ids: Vec<i64>) {
    for id in ids {
        let answer = text_of(&client.recv(id));
        assert!(!answer.starts_with("error: "), "{answer}");
    }
}

#[test]
fn edits_of_one_file_at_once_all_land() {
    let folder = folder(&[("a.txt", "end\n")]);
    let mut client = Client::start(folder.path(), &[]);
    let n = 50 * soak();
    let wanted: Vec<String> = (0..n).map(|i| format!("line {i:05}")).collect();
    let ids = wanted
        .iter()
        .map(|line| client.send_call("edit_file", add_line("a.txt", line)))
        .collect();
    assert_done(&mut client, ids);
    assert_eq!(sorted(lines(&folder.path().join("a.txt"))), wanted);
}

#[test]
fn patches_of_the_same_files_at_once_all_land_whole() {
    let names = ["a.txt", "b.txt", "d/c.txt", "d/e/d.txt"];
    let folder = folder(&names.map(|name| (name, "end\n")));
    let mut client = Client::start(folder.path(), &[]);
    let n = 20 * soak();
    let wanted: Vec<String> = (0..n).map(|i| format!("line {i:05}")).collect();
    let ids = wanted
        .iter()
        .enumerate()
        .map(|(i, line)| {
            let mut edits = names.map(|name| add_line(name, line));
            // Whatever the order they are named in, none waits for another for ever.
            edits.rotate_left(i % names.len());
            client.send_call("patch", json!({"edits": edits}))
        })
        .collect();
    assert_done(&mut client, ids);
    let first = lines(&folder.path().join("a.txt"));
    for name in names {
        // One patch after the other, so in the same order everywhere.
        assert_eq!(lines(&folder.path().join(name)), first, "{name}");
    }
    assert_eq!(sorted(first), wanted);
}

#[test]
fn edits_from_two_servers_all_land() {
    let folder = folder(&[("a.txt", "end\n"), ("log.txt", "")]);
    let mut clients = [(); 2].map(|()| Client::start(folder.path(), &[]));
    let n = 50 * soak();
    let mut wanted = Vec::new();
    let mut ids = [Vec::new(), Vec::new()];
    for i in 0..n {
        for (who, client) in clients.iter_mut().enumerate() {
            let line = format!("line {i:05} of {who}");
            ids[who].push(client.send_call("edit_file", add_line("a.txt", &line)));
            let content = format!("{line}\n");
            let log = json!({"path": "log.txt", "content": content, "append": true});
            ids[who].push(client.send_call("write_file", log));
            wanted.push(line);
        }
    }
    for (client, ids) in clients.iter_mut().zip(ids) {
        assert_done(client, ids);
    }
    assert_eq!(sorted(lines(&folder.path().join("a.txt"))), wanted);
    let log = fs::read_to_string(folder.path().join("log.txt")).unwrap();
    assert_eq!(sorted(log.lines().map(str::to_owned).collect()), wanted);
    assert_eq!(leftovers(folder.path()), Vec::<PathBuf>::new());
}

#[test]
fn another_program_that_writes_in_place_is_noticed_or_overtaken_whole() {
    let folder = folder(&[("a.txt", "0\nend\n")]);
    let path = folder.path().join("a.txt");
    let mut client = Client::start(folder.path(), &[]);
    let renaming = {
        let (beside, path) = (folder.path().join("beside"), path.clone());
        Meanwhile::start(move || {
            fs::write(&beside, "other\nend\n").unwrap();
            fs::rename(&beside, &path).unwrap();
        })
    };
    let (mut done, mut said) = (0, String::new());
    for i in 0..100 * soak() {
        let answer = client.call("edit_file", add_line("a.txt", &format!("line {i}")));
        if !answer.starts_with("error: ") {
            done += 1;
            continue;
        }
        // Saved over four times in a row: said, and nothing done.
        let text = "error: file is being changed by another process: a.txt";
        assert!(answer.starts_with(text), "{answer}");
        said.push_str(&answer);
    }
    drop(renaming);
    eprintln!("{done} edits between the writes of another program");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.ends_with("\nend\n"), "{text:?}");
    // A version that found no way back is kept, and the answer says where.
    for copy in leftovers(folder.path()) {
        let name = copy.file_name().unwrap().to_str().unwrap();
        assert!(
            said.contains(name),
            "{name} is left, and nothing said of it"
        );
    }
}

#[test]
fn a_reader_never_sees_half_a_file() {
    const BYTES: usize = 8 * 1024 * 1024;
    let folder = folder(&[]);
    let path = folder.path().join("big.txt");
    let version = |n: usize| (if n.is_multiple_of(2) { "a" } else { "b" }).repeat(BYTES);
    fs::write(&path, version(0)).unwrap();
    let mut client = Client::start(folder.path(), &[]);
    let mut reader = Client::start(folder.path(), &[]);
    let hashes = [0, 1].map(|n| {
        fs::write(folder.path().join("copy"), version(n)).unwrap();
        let arguments = json!({"path": "copy", "withHash": true, "limit": 1});
        reader.call("read_file", arguments)
    });
    let watching = Meanwhile::start(move || {
        let found = fs::read(&path).unwrap();
        assert_eq!(found.len(), BYTES, "a part of the file was seen");
        let first = found[0];
        assert!(found.iter().all(|byte| *byte == first), "two files in one");
    });
    for n in 0..6 * soak() {
        let arguments = json!({"path": "big.txt", "content": version(n + 1)});
        let write = client.send_call("write_file", arguments);
        for _ in 0..3 {
            let arguments = json!({"path": "big.txt", "withHash": true, "limit": 1});
            let seen = reader.call("read_file", arguments);
            assert!(hashes.contains(&seen), "{}", &seen[seen.len() - 120..]);
        }
        let answer = text_of(&client.recv(write));
        assert_eq!(answer, format!("Updated big.txt ({BYTES} bytes)"));
    }
    drop(watching);
}
