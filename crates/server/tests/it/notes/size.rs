//! Many notes, and notes that were made to take long: answered all the same, in little memory.

use std::fs;

use serde_json::{Value, json};

use super::{data, serve, vault};
use crate::races::soak;

/// The greatest memory a process has had, in KiB.
fn peak(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.unwrap().trim().trim_end_matches(" kB");
    number.parse().unwrap()
}

/// Calls of all tools that look at every note.
fn sweeps() -> Vec<(&'static str, Value)> {
    vec![
        ("notes_list", json!({})),
        ("notes_list", json!({"tag": "t7"})),
        ("notes_search", json!({"query": "seldom"})),
        ("notes_search", json!({"query": "nowhere"})),
        ("notes_links", json!({"path": "d0/n0.md"})),
        ("tasks_list", json!({})),
    ]
}

#[test]
fn many_notes_are_looked_through_in_little_memory() {
    let folder = vault(&[]);
    let root = folder.path().join("notes");
    let n_notes = (1000 * soak()).min(10_000);
    let body = "Words that fill a line of a note, as people write them.\n".repeat(180);
    for n in 0..n_notes {
        let dir = root.join(format!("d{}", n % 40));
        fs::create_dir_all(&dir).unwrap();
        let text = format!(
            "---\ntags: [t{}]\n---\n# Note {n}\n[[n{}]]\n- [ ] seldom {n}\n{body}",
            n % 50,
            n / 2
        );
        fs::write(dir.join(format!("n{n}.md")), text).unwrap();
    }
    let mut client = serve(&folder, &["--markdown-tasks"]);
    for (tool, arguments) in sweeps() {
        data(&mut client, tool, arguments);
    }
    let listed = data(&mut client, "notes_list", json!({"tag": "t7"}));
    assert_eq!(listed["total"], n_notes / 50);
    let open = data(&mut client, "tasks_list", json!({"limit": 1}));
    assert_eq!(open["total"], n_notes);
    let kib = peak(client.pid());
    assert!(kib < 48 * 1024, "{kib} KiB");
}

#[test]
fn text_that_was_made_to_take_long_is_answered_soon() {
    let ticks: String = (1..2000).map(|n| "`".repeat(n) + " ").collect();
    let folder = vault(&[]);
    let options = ["--markdown-tasks", "--max-read-bytes", "10485760"];
    let mut client = serve(&folder, &options);
    for piece in [
        "[[", "[a](", "[a](<", "[a](b '", "[a](b \"", "[x]: ", "[[a|", "`a`[[b]]", "`", "<", "> ",
        "- ", "1. ", "#", "-", "- [ ] ", "\t", " ", &ticks,
    ] {
        let line = piece.repeat((1 << 18) / piece.len());
        let block = piece.repeat((30 << 10) / piece.len().min(30 << 10));
        let block = format!("---\ntitle: {block}\n---\n{block}");
        // The client gives up on an answer that takes long.
        for (text, tool, arguments) in [
            (&line, "notes_links", json!({"path": "a.md"})),
            (&line, "tasks_list", json!({})),
            (&block, "notes_links", json!({"path": "a.md"})),
            (&block, "notes_list", json!({"tag": "x"})),
        ] {
            fs::write(folder.path().join("notes/a.md"), text).unwrap();
            client.call(tool, arguments);
        }
    }
}
