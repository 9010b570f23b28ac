//! What lies outside the folder stays there: siblings, links of every kind, special files, and a
//! folder that is swapped for a link amid calls.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, RenameFlags, mknodat, renameat_with};
use serde_json::{Value, json};

use super::{serve_writing, vault};
use crate::races::{Meanwhile, ask_meanwhile, leftovers};
use crate::scenarios::tree;

/// Is in every file outside, and nowhere else.
const OUTSIDE: &str = "outside-7f3a";
/// Far more than any of the calls needs, and less than a client would wait.
const SOON: Duration = Duration::from_secs(10);

/// A call of every tool that takes the path of a note; `a.md` is one.
fn every_call(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("notes_read", json!({"path": path})),
        ("notes_links", json!({"path": path})),
        ("notes_append", json!({"path": path, "text": "x"})),
        ("notes_write", json!({"path": path, "content": "x"})),
        (
            "notes_edit",
            json!({"path": path, "oldString": "side", "newString": "x"}),
        ),
        ("notes_move", json!({"path": path, "to": "moved.md"})),
        ("notes_move", json!({"path": "a.md", "to": path})),
    ]
}

/// Calls of the tools that look at all notes.
fn sweeps() -> Vec<(&'static str, Value)> {
    vec![
        ("notes_list", json!({})),
        ("notes_list", json!({"tag": "x"})),
        ("notes_search", json!({"query": "out"})),
        ("notes_links", json!({"path": "a.md"})),
        ("tasks_list", json!({})),
    ]
}

#[test]
fn siblings_whose_names_begin_alike_are_outside() {
    let folder = vault(&[("a.md", "inside")]);
    for sibling in ["notes2", "notes-x", "Notes", "note"] {
        fs::create_dir(folder.path().join(sibling)).unwrap();
        fs::write(folder.path().join(sibling).join("a.md"), OUTSIDE).unwrap();
    }
    let before = tree(folder.path());
    let mut client = serve_writing(&folder, &[]);
    for sibling in ["notes2", "notes-x", "Notes", "note"] {
        let absolute = folder.path().join(sibling).join("a.md");
        for (path, told) in [
            (
                format!("../{sibling}/a.md"),
                "error: path has a forbidden segment",
            ),
            (
                absolute.to_str().unwrap().to_owned(),
                "error: path must be relative and use \"/\"",
            ),
        ] {
            for (tool, arguments) in every_call(&path) {
                assert_eq!(client.call(tool, arguments), told, "{tool} {path}");
            }
        }
    }
    assert_eq!(tree(folder.path()), before);
}

#[test]
fn links_of_every_kind_that_leave_are_refused_by_every_tool() {
    let folder = vault(&[("a.md", "[[file]] [[dir/a]]\n"), ("s/b.md", "inside")]);
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("out")).unwrap();
    fs::write(at("out/a.md"), format!("{OUTSIDE} #x - [ ] side")).unwrap();
    fs::write(at("outside.md"), OUTSIDE).unwrap();
    for (name, target) in [
        ("file.md", "../outside.md"),
        ("dir", "../out"),
        ("s/chain.md", "../file.md"),
        ("dangling.md", "../made.md"),
        ("back.md", "../notes/a.md"),
        ("up", ".."),
        ("absolute.md", at("outside.md").to_str().unwrap()),
        ("device.md", "/dev/zero"),
        ("memory.md", "/proc/self/mem"),
        ("environment.md", "/proc/self/environ"),
    ] {
        symlink(target, at("notes").join(name)).unwrap();
    }
    let before = (tree(&at("out")), fs::read(at("outside.md")).unwrap());
    let mut client = serve_writing(&folder, &["--markdown-tasks"]);
    for path in [
        "file.md",
        "dir/a.md",
        "dir/new.md",
        "dir/deep/new.md",
        "s/chain.md",
        "dangling.md",
        "back.md",
        "up/outside.md",
        "up/notes/a.md",
        "absolute.md",
        "device.md",
        "memory.md",
        "environment.md",
    ] {
        for (tool, arguments) in every_call(path) {
            let told = client.call(tool, arguments);
            assert_eq!(told, "error: path leaves the root", "{tool} {path}");
        }
    }
    for link in ["dir", "up"] {
        for (tool, arguments) in [
            ("notes_list", json!({"folder": link})),
            ("notes_search", json!({"query": "out", "folder": link})),
        ] {
            let told = client.call(tool, arguments);
            assert_eq!(told, "error: path leaves the root", "{tool} {link}");
        }
    }
    for (tool, arguments) in sweeps() {
        let told = client.call(tool, arguments);
        assert!(!told.contains(OUTSIDE), "{tool}: {told}");
        assert!(!told.starts_with("error: "), "{tool}: {told}");
    }
    assert_eq!(
        (tree(&at("out")), fs::read(at("outside.md")).unwrap()),
        before
    );
    assert!(!at("made.md").exists() && !at("notes/moved.md").exists());
}

#[test]
fn special_files_are_refused_soon() {
    let folder = vault(&[("a.md", "inside\n"), ("folder.md/b.md", "b")]);
    let at = |name: &str| folder.path().join("notes").join(name);
    mknodat(CWD, at("pipe.md"), FileType::Fifo, 0o600.into(), 0).unwrap();
    let _listening = UnixListener::bind(at("socket.md")).unwrap();
    symlink("pipe.md", at("to-pipe.md")).unwrap();
    symlink("loop.md", at("loop.md")).unwrap();
    let mut client = serve_writing(&folder, &["--markdown-tasks"]);
    for path in ["pipe.md", "socket.md", "to-pipe.md", "loop.md", "folder.md"] {
        for (tool, arguments) in every_call(path) {
            let started = Instant::now();
            let told = client.call(tool, arguments);
            assert!(started.elapsed() < SOON, "{tool} {path} took long");
            assert!(told.starts_with("error: "), "{tool} {path}: {told}");
            assert_eq!(told.lines().count(), 1, "{tool} {path}: {told}");
        }
    }
    for (tool, arguments) in sweeps() {
        let told = client.call(tool, arguments);
        assert!(!told.starts_with("error: "), "{tool}: {told}");
    }
    for (make, about) in [
        (
            (|path: &PathBuf| mknodat(CWD, path, FileType::Fifo, 0o600.into(), 0).unwrap())
                as fn(&PathBuf),
            "a pipe",
        ),
        (|path| fs::create_dir(path).unwrap(), "a folder"),
        (|path| symlink("a.md", path).unwrap(), "a link"),
        (|path| symlink("../outside.md", path).unwrap(), "a link out"),
    ] {
        make(&at("tasks.json"));
        for (tool, arguments) in [
            ("tasks_list", json!({})),
            ("tasks_add", json!({"title": "x"})),
            ("tasks_remove", json!({"id": "t1"})),
        ] {
            let started = Instant::now();
            let told = client.call(tool, arguments);
            assert!(started.elapsed() < SOON, "{tool}: {about} took long");
            assert!(told.starts_with("error: "), "{tool}, {about}: {told}");
        }
        if about == "a folder" {
            fs::remove_dir(at("tasks.json")).unwrap();
        } else {
            fs::remove_file(at("tasks.json")).unwrap();
        }
    }
    assert_eq!(fs::read_to_string(at("a.md")).unwrap(), "inside\n");
    assert_eq!(
        fs::read_to_string(folder.path().join("outside.md")).unwrap(),
        "secret"
    );
}

/// The calls of one round, all through the folder that is swapped.
fn calls(round: usize) -> Vec<(&'static str, Value)> {
    vec![
        ("notes_read", json!({"path": "dir/sub/f.md"})),
        (
            "notes_write",
            json!({"path": format!("dir/sub/n{}.md", round % 7), "content": "inside"}),
        ),
        (
            "notes_write",
            json!({"path": "dir/f.md", "content": format!("inside {round}\n")}),
        ),
        (
            "notes_edit",
            json!({"path": "dir/g.md", "oldString": "side", "newString": "side!"}),
        ),
        (
            "notes_append",
            json!({"path": "dir/log.md", "text": "inside"}),
        ),
        ("notes_links", json!({"path": "dir/f.md"})),
        ("notes_list", json!({"folder": "dir"})),
        (
            "notes_search",
            json!({"query": "side", "folder": "dir/sub"}),
        ),
        (
            "notes_move",
            json!({"path": format!("dir/sub/n{}.md", round % 7), "to": format!("dir/m{round}.md")}),
        ),
        ("tasks_list", json!({"status": "all"})),
    ]
}

#[test]
fn a_folder_swapped_for_a_link_lets_nothing_through() {
    let folder = vault(&[
        ("dir/f.md", "inside\n"),
        ("dir/g.md", "inside\n"),
        ("dir/log.md", "inside\n"),
        ("dir/sub/f.md", "inside\n"),
    ]);
    let out = folder.path().join("out");
    fs::create_dir_all(out.join("sub")).unwrap();
    for name in ["f.md", "g.md", "log.md", "sub/f.md", "sub/outside-7f3a.md"] {
        fs::write(out.join(name), format!("- [ ] {OUTSIDE}")).unwrap();
    }
    let root = folder.path().join("notes");
    symlink("../out", root.join("trap")).unwrap();
    let before = tree(&out);
    let mut client = serve_writing(&folder, &["--markdown-tasks"]);
    let (a, b) = (root.join("dir"), root.join("trap"));
    let swapping = Meanwhile::start(move || {
        renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).unwrap();
    });
    ask_meanwhile(&mut client, calls, OUTSIDE, 9);
    drop(swapping);
    assert_eq!(tree(&out), before);
    assert_eq!(client.finish().0, Some(0));
    assert_eq!(leftovers(folder.path()), Vec::<PathBuf>::new());
}
