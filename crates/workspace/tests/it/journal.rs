//! The journal: its lines to the byte, its files through rotations, and who may write to it at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use tempfile::TempDir;
use workspace::clock::{Clock, Time};
use workspace::journal::{self, Entry, Logged, Query};
use workspace::records::Keep;
use workspace::{Cancel, Workspace, WorkspaceOptions};

const NOON: &str = "2026-09-18T12:00:00.000Z";

pub(crate) fn open(path: &Path, keep: Keep) -> Workspace {
    let noon = Time::parse(NOON).expect("a time");
    Workspace::open(WorkspaceOptions {
        keep,
        clock: Clock::Stopped(noon),
        ..WorkspaceOptions::new("default", path)
    })
    .expect("a folder")
}

/// A folder, its workspace with default limits, and the path of its state.
pub(crate) fn world() -> (TempDir, Workspace, PathBuf) {
    let temp = tempfile::tempdir().expect("a temp folder");
    let workspace = open(temp.path(), Keep::default());
    let state = temp.path().join(".workspace-mcp");
    (temp, workspace, state)
}

fn entry(detail: &str) -> Entry {
    Entry {
        tool: "write_file".to_owned(),
        paths: vec!["src/a.rs".to_owned()],
        detail: Some(detail.to_owned()),
        result: "ok".to_owned(),
        change: None,
    }
}

const ALL: Query<'_> = Query {
    limit: usize::MAX,
    since: None,
    path: None,
    change: None,
    max_bytes: usize::MAX,
};

fn read(workspace: &Workspace, query: &Query<'_>) -> Vec<Logged> {
    journal::read(workspace, &Cancel::never(), query)
        .expect("a journal")
        .entries
}

fn details(workspace: &Workspace, query: &Query<'_>) -> Vec<String> {
    let entries = read(workspace, query).into_iter();
    entries.filter_map(|entry| entry.detail).collect()
}

#[test]
fn a_line_has_its_keys_in_order_and_leaves_out_what_there_is_not() {
    let (_temp, workspace, state) = world();
    let add = |entry: &Entry| journal::append(&workspace, entry).expect("room");
    add(&entry("created 3 bytes"));
    add(&Entry {
        tool: "run_command".to_owned(),
        paths: Vec::new(),
        detail: None,
        result: "exit 0 (5ms)".to_owned(),
        change: None,
    });
    fs::write(
        state.join("state.json"),
        "{\"activeChange\":\"add-login\"}\n",
    )
    .expect("room");
    add(&entry("updated \u{1b}[2J\nfake\u{2028} \"x\""));
    add(&Entry {
        change: Some("other".to_owned()),
        ..entry("T1: x")
    });
    assert_eq!(
        fs::read_to_string(state.join("journal.jsonl")).expect("a journal"),
        format!(
            "{{\"ts\":\"{NOON}\",\"tool\":\"write_file\",\"paths\":[\"src/a.rs\"],\"detail\":\"created 3 bytes\",\"result\":\"ok\"}}\n\
             {{\"ts\":\"{NOON}\",\"tool\":\"run_command\",\"result\":\"exit 0 (5ms)\"}}\n\
             {{\"ts\":\"{NOON}\",\"tool\":\"write_file\",\"paths\":[\"src/a.rs\"],\"detail\":\"updated \\u001b[2J\\nfake\u{2028} \\\"x\\\"\",\"result\":\"ok\",\"change\":\"add-login\"}}\n\
             {{\"ts\":\"{NOON}\",\"tool\":\"write_file\",\"paths\":[\"src/a.rs\"],\"detail\":\"T1: x\",\"result\":\"ok\",\"change\":\"other\"}}\n"
        )
    );
    let back = read(&workspace, &ALL);
    assert_eq!(back.len(), 4);
    assert_eq!(
        back[1].detail.as_deref(),
        Some("updated \u{1b}[2J\nfake\u{2028} \"x\"")
    );
}

#[test]
fn details_and_results_are_cut_at_300_characters() {
    let (_temp, workspace, _) = world();
    let long = "\u{1f980}".repeat(301);
    let long = Entry {
        result: long.clone(),
        ..entry(&long)
    };
    journal::append(&workspace, &long).expect("room");
    let entries = read(&workspace, &ALL);
    let crabs = "\u{1f980}".repeat(300);
    assert_eq!(entries[0].detail.as_ref(), Some(&crabs));
    assert_eq!(entries[0].result.as_ref(), Some(&crabs));
}

#[test]
fn unfit_state_files_name_no_change() {
    let (_temp, workspace, state) = world();
    journal::append(&workspace, &entry("x")).expect("room");
    for content in [
        "",
        "garbage",
        "[]",
        "[\"x\"]",
        "{}",
        "{\"activeChange\":7}",
        "{\"activeChange\":\"\"}",
    ] {
        fs::write(state.join("state.json"), content).expect("room");
        assert_eq!(workspace.active_change(), None, "{content}");
    }
}

#[test]
fn full_files_move_on_and_nothing_is_lost() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let keep = Keep {
        max_bytes: 500,
        max_files: None,
    };
    let workspace = open(temp.path(), keep);
    for number in 0..100 {
        journal::append(&workspace, &entry(&number.to_string())).expect("room");
    }
    let wanted: Vec<String> = (0..100).rev().map(|number| number.to_string()).collect();
    assert_eq!(details(&workspace, &ALL), wanted);
    let state = temp.path().join(".workspace-mcp");
    assert!(state.join("journal.10.jsonl").exists());
    assert!(!state.join("journal.30.jsonl").exists());
    let sizes: Vec<u64> = (1..10)
        .map(|number| state.join(format!("journal.{number}.jsonl")))
        .map(|path| fs::metadata(path).expect("a file").len())
        .collect();
    assert!(
        sizes.iter().all(|size| (501..700).contains(size)),
        "{sizes:?}"
    );
    // A process that ended in the middle of moving files leaves a gap.
    fs::rename(
        state.join("journal.9.jsonl"),
        state.join("journal.90.jsonl"),
    )
    .expect("a file");
    assert!(details(&workspace, &ALL).len() < 100);
    fs::rename(
        state.join("journal.90.jsonl"),
        state.join("journal.9.jsonl"),
    )
    .expect("a file");
    fs::remove_file(state.join("journal.4.jsonl")).expect("a file");
    assert!(details(&workspace, &ALL).contains(&"0".to_owned()));
}

#[test]
fn as_many_full_files_stay_as_were_asked_for() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let state = temp.path().join(".workspace-mcp");
    let fill = |max_files| {
        let keep = Keep {
            max_bytes: 1,
            max_files: Some(max_files),
        };
        let workspace = open(temp.path(), keep);
        for number in 0..8 {
            journal::append(&workspace, &entry(&number.to_string())).expect("room");
        }
        details(&workspace, &ALL)
    };
    assert_eq!(fill(3), ["7", "6", "5", "4"]);
    assert!(!state.join("journal.4.jsonl").exists());
    // Fewer from now on.
    assert_eq!(fill(1), ["7", "6"]);
    assert!(!state.join("journal.2.jsonl").exists());
}

#[test]
fn a_line_that_was_cut_short_spoils_no_other() {
    let (_temp, workspace, state) = world();
    journal::append(&workspace, &entry("1")).expect("room");
    let path = state.join("journal.jsonl");
    let mut text = fs::read_to_string(&path).expect("a journal");
    text.push_str("{\"ts\":\"2026-09-");
    fs::write(&path, text).expect("room");
    journal::append(&workspace, &entry("2")).expect("room");
    journal::append(&workspace, &entry("3")).expect("room");
    assert_eq!(details(&workspace, &ALL), ["3", "2", "1"]);
    let text = fs::read_to_string(&path).expect("a journal");
    assert_eq!(text.lines().count(), 4);
}

#[test]
fn lines_of_other_programs_are_read_with_patience() {
    let (temp, workspace, state) = world();
    let long = format!("{{\"ts\":\"a\",\"tool\":\"{}\"}}", "x".repeat(9 << 20));
    let lines = [
        r#"{"ts":"2026-09-18T07:50:12.000Z","tool":"edit_file","paths":["src/x.ts",5,null],"detail":"2 replacements","result":"ok","change":"add-login","more":{"a":[1]}}"#,
        r#"{"ts":"2026-09-18T07:50:13.000Z","tool":"run_command","paths":"x","detail":7,"result":{"a":1},"change":null}"#,
        r#"{"ts":5,"tool":"edit_file"}"#,
        r#"{"ts":"2026-09-18T07:50:14.000Z"}"#,
        r#"{"tool":"edit_file"}"#,
        r#"["ts","tool"]"#,
        "",
        "nonsense",
        &long,
        r#"{"tool":"patch","ts":"yesterday"}"#,
    ];
    fs::create_dir(&state).expect("room");
    let mut bytes = lines.join("\n").into_bytes();
    bytes.extend_from_slice(b"\r\n\xff\xfe\n");
    fs::write(state.join("journal.jsonl"), bytes).expect("room");
    let entries = read(&workspace, &ALL);
    let tools: Vec<&str> = entries.iter().map(|entry| entry.tool.as_str()).collect();
    assert_eq!(tools, ["patch", "run_command", "edit_file"]);
    assert_eq!(entries[2].paths, ["src/x.ts"]);
    assert_eq!(entries[2].change.as_deref(), Some("add-login"));
    assert_eq!(
        entries[1],
        Logged {
            ts: "2026-09-18T07:50:13.000Z".to_owned(),
            tool: "run_command".to_owned(),
            paths: Vec::new(),
            detail: None,
            result: None,
            change: None,
        }
    );
    let since = |text| Query {
        since: Time::parse(text),
        ..ALL
    };
    assert_eq!(read(&workspace, &since("2026-09-18T07:50:12Z")).len(), 2);
    assert_eq!(
        read(&workspace, &since("2026-09-18T09:50:13+02:00")).len(),
        1
    );
    drop(temp);
}

#[test]
fn what_is_asked_for_is_found_however_far_back_it_is() {
    let (_temp, workspace, state) = world();
    fs::create_dir(&state).expect("room");
    let line = |number: usize| {
        let change = if number.is_multiple_of(2) {
            ",\"change\":\"c\""
        } else {
            ""
        };
        format!(
            "{{\"ts\":\"2026-01-01T00:00:00.000Z\",\"tool\":\"write_file\",\"paths\":[\"dir/file-{number}.txt\"],\"detail\":\"created {number} bytes\",\"result\":\"ok\"{change}}}\n"
        )
    };
    let lines = |numbers: std::ops::Range<usize>| numbers.map(line).collect::<String>();
    fs::write(state.join("journal.1.jsonl"), lines(0..2000)).expect("room");
    fs::write(state.join("journal.jsonl"), lines(2000..14_000)).expect("room");
    let path = |path| Query {
        path: Some(path),
        ..ALL
    };
    assert_eq!(
        details(&workspace, &path("file-2000.")),
        ["created 2000 bytes"]
    );
    assert_eq!(
        details(&workspace, &path("file-0.txt")),
        ["created 0 bytes"]
    );
    assert_eq!(details(&workspace, &path("File-0.txt")), [""; 0]);
    assert_eq!(read(&workspace, &path("")).len(), 14_000);
    let change = Query {
        change: Some("c"),
        limit: 2,
        ..ALL
    };
    let wanted = ["created 13998 bytes", "created 13996 bytes"];
    assert_eq!(details(&workspace, &change), wanted);
    let small = Query {
        max_bytes: 200,
        ..ALL
    };
    let found = journal::read(&workspace, &Cancel::never(), &small).expect("a journal");
    assert!(found.is_cut);
    assert_eq!(found.entries.len(), 2);
    let cancel = Cancel::never();
    cancel.cancel();
    journal::read(&workspace, &cancel, &ALL).expect_err("nobody waits for it");
}

#[test]
fn nothing_is_written_where_nothing_may_be_changed() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let workspace = Workspace::open(WorkspaceOptions {
        writable: false,
        ..WorkspaceOptions::new("default", temp.path())
    })
    .expect("a folder");
    journal::append(&workspace, &entry("x")).expect("nothing to do");
    assert_eq!(read(&workspace, &ALL), []);
    assert_eq!(fs::read_dir(temp.path()).expect("a folder").count(), 0);
}

#[test]
fn a_removed_folder_or_file_is_made_anew() {
    let (_temp, workspace, state) = world();
    journal::append(&workspace, &entry("1")).expect("room");
    if cfg!(unix) {
        fs::remove_dir_all(&state).expect("own folder");
    } else {
        // On Windows the folder is held and cannot go.
        fs::remove_file(state.join("journal.jsonl")).expect("own file");
    }
    journal::append(&workspace, &entry("2")).expect("room");
    assert_eq!(details(&workspace, &ALL), ["2"]);
    fs::remove_file(state.join("journal.jsonl")).expect("own file");
    journal::append(&workspace, &entry("3")).expect("room");
    assert_eq!(details(&workspace, &ALL), ["3"]);
}

#[cfg(unix)]
#[test]
fn a_planted_link_is_neither_written_nor_read() {
    use std::os::unix::fs::symlink;

    let outside = tempfile::tempdir().expect("a temp folder");
    let victim = outside.path().join("victim");
    fs::write(&victim, "{\"ts\":\"a\",\"tool\":\"secret\"}\n").expect("room");
    let before = fs::read(&victim).expect("a file");

    let (_temp, workspace, state) = world();
    fs::create_dir(&state).expect("room");
    symlink(&victim, state.join("journal.jsonl")).expect("room");
    let error = journal::append(&workspace, &entry("x")).expect_err("a link");
    assert_eq!(
        error.to_string(),
        "not a regular file: .workspace-mcp/journal.jsonl"
    );
    journal::read(&workspace, &Cancel::never(), &ALL).expect_err("a link");

    // Once it is open, too.
    fs::remove_file(state.join("journal.jsonl")).expect("own link");
    journal::append(&workspace, &entry("1")).expect("room");
    fs::remove_file(state.join("journal.jsonl")).expect("own file");
    symlink(&victim, state.join("journal.jsonl")).expect("room");
    journal::append(&workspace, &entry("x")).expect_err("a link");

    // Another name of a file outside is moved out of the way.
    fs::remove_file(state.join("journal.jsonl")).expect("own link");
    fs::hard_link(&victim, state.join("journal.jsonl")).expect("one file system");
    journal::append(&workspace, &entry("2")).expect("room");
    assert_eq!(details(&workspace, &Query { limit: 1, ..ALL }), ["2"]);

    let (_temp, workspace, state) = world();
    symlink(outside.path(), &state).expect("room");
    journal::append(&workspace, &entry("x")).expect_err("a link");
    assert!(!workspace.has_state());

    assert_eq!(fs::read(&victim).expect("a file"), before);
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 1);
}

const TINY: Keep = Keep {
    max_bytes: 4000,
    max_files: None,
};
const N_EACH: usize = 250;

/// What each of several processes does at once.
#[cfg(unix)]
pub(crate) fn append_many(dir: &Path) {
    append_as(dir, &std::process::id().to_string());
}

fn append_as(dir: &Path, who: &str) {
    let workspace = open(dir, TINY);
    for number in 0..N_EACH {
        journal::append(&workspace, &entry(&format!("{who} {number}"))).expect("room");
    }
}

/// Checks that all lines of `n` writers are there, each once, and in the order of its writer.
fn check_many(dir: &Path, n: usize) {
    let workspace = open(dir, TINY);
    let mut seen = details(&workspace, &ALL);
    assert_eq!(seen.len(), n * N_EACH);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), n * N_EACH);
    let state = dir.join(".workspace-mcp");
    let mut n_lines = 0;
    for file in fs::read_dir(state).expect("a folder") {
        let path = file.expect("an entry").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "jsonl")
        {
            n_lines += fs::read_to_string(path).expect("text").lines().count();
        }
    }
    assert_eq!(n_lines, n * N_EACH, "no line is empty, torn or lost");
}

#[test]
fn several_threads_append_at_once() {
    let temp = tempfile::tempdir().expect("a temp folder");
    thread::scope(|scope| {
        for who in ["a", "b", "c", "d"] {
            scope.spawn(|| append_as(temp.path(), who));
        }
    });
    check_many(temp.path(), 4);
}

#[cfg(unix)]
#[test]
fn several_processes_append_at_once() {
    use crate::process::{Task, task};

    let temp = tempfile::tempdir().expect("a temp folder");
    let tasks: Vec<Task> = (0..4)
        .map(|_| Task::start(task("journal-many", temp.path())))
        .collect();
    for task in tasks {
        assert!(task.finish().1);
    }
    check_many(temp.path(), 4);
}
