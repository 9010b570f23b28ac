//! Servers that are killed at any moment, and disks that are full.

use std::fs;
use std::hint::spin_loop;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, folder, text_of};
use crate::races::{leftovers, soak};

/// The files that always change together.
const TOGETHER: [&str; 5] = ["d/1", "d/2", "e/3", "e/4", "5"];

/// A version of a file, big enough for a write to be cut short.
fn version(n: u64) -> String {
    let filler = format!("of version {}\n", n % 10).repeat(1000);
    format!("version {n};\n{filler}")
}

/// Reads a file that must be one whole version; `patched` ones keep their first filler.
fn read_version(path: &Path, patched: bool) -> u64 {
    let text = fs::read_to_string(path).unwrap();
    let (head, filler) = text.split_once(";\n").unwrap_or_default();
    let n = head.trim_start_matches("version ").parse().unwrap();
    let whole = version(if patched { 0 } else { n });
    let whole = whole.split_once(";\n").unwrap().1;
    assert!(filler == whole, "{} is torn", path.display());
    n
}

/// What a set of calls under way is about: the version that each makes.
struct Sent {
    id: i64,
    what: usize,
    n: u64,
}

/// Sends a change of one file, one of five files, and an addition to a log.
fn send_changes(client: &mut Client, n: u64) -> [Sent; 3] {
    let (last, now) = (format!("version {};", n - 1), format!("version {n};"));
    let edits: Vec<Value> = TOGETHER
        .iter()
        .map(|path| json!({"path": path, "oldString": last, "newString": now}))
        .collect();
    let line = format!("line {n} {}\n", "x".repeat(5000));
    let calls = [
        (
            "write_file",
            json!({"path": "single", "content": version(n)}),
        ),
        ("patch", json!({"edits": edits})),
        (
            "write_file",
            json!({"path": "log", "content": line, "append": true}),
        ),
    ];
    let mut what = 0;
    calls.map(|(tool, arguments)| {
        let id = client.send_call(tool, arguments);
        what += 1;
        Sent {
            id,
            what: what - 1,
            n,
        }
    })
}

/// The last line of the log; every line must be whole, and none come before an earlier one. One that
/// was not acknowledged may have been sent again.
fn read_log(path: &Path) -> u64 {
    let log = fs::read_to_string(path).unwrap();
    let mut last = 0;
    for line in log.lines() {
        assert!(line.ends_with(&"x".repeat(5000)), "a line is torn");
        let n: u64 = line.split(' ').nth(1).unwrap().parse().unwrap();
        assert!(n >= last, "line {n} follows {last}");
        last = n;
    }
    last
}

#[test]
fn a_kill_tears_nothing_and_loses_nothing_that_was_said() {
    let old = version(0);
    let mut files = TOGETHER.map(|name| (name, old.as_str())).to_vec();
    files.extend([("single", old.as_str()), ("log", "")]);
    let folder = folder(&files);
    let dir = folder.path();
    let mut random: u32 = 1;
    let mut said = [0; 3];
    let mut n_pending = 0;
    for _ in 0..25 * soak() {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let mut client = Client::start(dir, &[]);
        client.call("read_file", json!({"path": "single", "limit": 1}));
        let mut sent: Vec<Sent> = Vec::new();
        let mut note = |sent: &Sent, answer: &Value| {
            let text = text_of(answer);
            assert!(!text.starts_with("error: "), "{text}");
            said[sent.what] = said[sent.what].max(sent.n);
        };
        let mut n = read_version(&dir.join("5"), true);
        for _ in 0..random >> 30 {
            n += 1;
            for sent in send_changes(&mut client, n) {
                note(&sent, &client.recv(sent.id));
            }
        }
        // Some time within what it does next.
        sent.extend(send_changes(&mut client, n + 1));
        let moment = Instant::now() + Duration::from_micros(u64::from(random >> 8 & 0x1fff));
        while Instant::now() < moment {
            spin_loop();
        }
        for answer in client.kill() {
            if let Some(sent) = sent.iter().find(|sent| answer["id"] == sent.id) {
                note(sent, &answer);
            }
        }
        n_pending += usize::from(!leftovers(dir).is_empty());

        // The next server mends what was under way before it answers.
        let mut client = Client::start(dir, &[]);
        client.call("read_file", json!({"path": "single", "limit": 1}));
        assert_eq!(leftovers(dir), Vec::<PathBuf>::new());
        let together = read_version(&dir.join("5"), true);
        for name in TOGETHER {
            assert_eq!(read_version(&dir.join(name), true), together, "{name}");
        }
        let found = [
            read_version(&dir.join("single"), false),
            together,
            read_log(&dir.join("log")),
        ];
        for (found, said) in found.into_iter().zip(said) {
            assert!(found >= said, "{found} on disk, {said} said");
        }
    }
    // Only to know that the kills hit something.
    eprintln!("{n_pending} kills left something under way");
}

#[test]
fn a_server_that_goes_on_mends_what_another_left() {
    let old = version(0);
    let mut files = TOGETHER.map(|name| (name, old.as_str())).to_vec();
    files.extend([("single", old.as_str()), ("log", ""), ("other", "0")]);
    let folder = folder(&files);
    let dir = folder.path();
    let mut survivor = Client::start(dir, &[]);
    survivor.call("write_file", json!({"path": "other", "content": "1"}));
    let mut random: u32 = 7;
    let mut n_pending = 0;
    for _ in 0..15 * soak() {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let mut client = Client::start(dir, &[]);
        client.call("read_file", json!({"path": "single", "limit": 1}));
        let n = read_version(&dir.join("5"), true);
        let [_, patch, _] = send_changes(&mut client, n + 1);
        let moment = Instant::now() + Duration::from_micros(u64::from(random >> 8 & 0x1fff));
        while Instant::now() < moment {
            spin_loop();
        }
        let answers = client.kill();
        let said = answers.iter().any(|answer| answer["id"] == patch.id);
        n_pending += usize::from(!leftovers(dir).is_empty());

        let answer = survivor.call("write_file", json!({"path": "other", "content": "2"}));
        assert_eq!(answer, "Updated other (1 bytes)");
        assert_eq!(leftovers(dir), Vec::<PathBuf>::new());
        let together = read_version(&dir.join("5"), true);
        assert!(together >= n + u64::from(said));
        for name in TOGETHER {
            assert_eq!(read_version(&dir.join(name), true), together, "{name}");
        }
        read_version(&dir.join("single"), false);
    }
    eprintln!("{n_pending} kills left something to another server");
}

/// The server of a folder, with files of at most so many blocks of 512 bytes.
fn with_small_files(folder: &Path, n_blocks: u32) -> Client {
    let mut command = Command::new("/bin/sh");
    command
        .arg("-c")
        .arg(format!("ulimit -f {n_blocks}; exec \"$0\""))
        .arg(env!("CARGO_BIN_EXE_workspace-mcp"))
        .current_dir(folder);
    Client::start_with(&mut command)
}

/// Asks for more than fits in every way there is; all of it must be refused, and nothing be left.
fn fill_the_disk(client: &mut Client, dir: &Path, big: &str) {
    let append = json!({"path": "log", "content": big, "append": true});
    let edit = |path: &str, new: &str| json!({"path": path, "oldString": "old", "newString": new});
    let both = json!({"edits": [edit("b", "new"), edit("old", big)]});
    for (tool, arguments, wanted) in [
        (
            "write_file",
            json!({"path": "old", "content": big}),
            "no space left on device: old",
        ),
        (
            "write_file",
            json!({"path": "new/er", "content": big}),
            "no space left on device: new/er",
        ),
        (
            "edit_file",
            edit("old", big),
            "no space left on device: old",
        ),
        (
            "patch",
            both,
            "edit[1] failed: no space left on device: old",
        ),
        ("write_file", append, "no space left on device: log"),
    ] {
        assert_eq!(client.call(tool, arguments), format!("error: {wanted}"));
        for (name, content) in [("old", "old\n"), ("b", "old\n"), ("log", "log\n")] {
            let found = fs::read_to_string(dir.join(name)).unwrap();
            assert_eq!(found, content, "{name} after {wanted}");
        }
        assert_eq!(leftovers(dir), Vec::<PathBuf>::new(), "after {wanted}");
        assert!(!dir.join("new").exists(), "a folder is left");
    }
    assert_eq!(
        client.call("edit_file", edit("b", "new")),
        "Replaced 1 occurrence in b"
    );
    assert_eq!(fs::read_to_string(dir.join("b")).unwrap(), "new\n");
}

const SMALL: [(&str, &str); 3] = [("old", "old\n"), ("b", "old\n"), ("log", "log\n")];

#[test]
fn a_limit_on_files_leaves_the_old_ones_and_the_server_alive() {
    let folder = folder(&SMALL);
    let mut client = with_small_files(folder.path(), 64);
    fill_the_disk(&mut client, folder.path(), &"x".repeat(100_000));
}

#[test]
fn a_full_disk_leaves_the_old_files() {
    use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

    let folder = folder(&[]);
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let options = Some(c"size=256k");
    if mount("tmpfs", &disk, "tmpfs", MountFlags::empty(), options).is_err() {
        eprintln!("skipped: a disk of its own, which needs more rights");
        return;
    }
    for (name, content) in SMALL {
        fs::write(disk.join(name), content).unwrap();
    }
    let mut client = Client::start(&disk, &[]);
    fill_the_disk(&mut client, &disk, &"x".repeat(1_000_000));
    drop(client);
    unmount(&disk, UnmountFlags::DETACH).unwrap();
}
