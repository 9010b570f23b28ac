//! Notes: none is lost, and success is said only of what is on disk.

use std::fs;
use std::thread;

use workspace::notes::{self, Found, Query};
use workspace::records::Keep;
use workspace::{Cancel, Error, Workspace};

use crate::journal::{open, world};

const ALL: Query<'_> = Query {
    limit: usize::MAX,
    text: "",
    tag: "",
    max_bytes: usize::MAX,
};

fn remember(workspace: &Workspace, text: &str, tags: &[&str]) -> Result<u64, Error> {
    let tags: Vec<String> = tags.iter().map(|&tag| tag.to_owned()).collect();
    notes::remember(workspace, &Cancel::never(), text, &tags)
}

fn recall(workspace: &Workspace, query: &Query<'_>) -> Found {
    notes::recall(workspace, &Cancel::never(), query).expect("notes")
}

fn texts(workspace: &Workspace, query: &Query<'_>) -> Vec<String> {
    let notes = recall(workspace, query).notes.into_iter();
    notes.map(|note| note.text).collect()
}

#[test]
fn a_line_has_its_keys_in_order() {
    let (_temp, workspace, state) = world();
    let total = remember(
        &workspace,
        "  one\ntwo \n",
        &[" Auth ", "", " ", "auth", "Auth"],
    );
    assert_eq!(total.expect("room"), 1);
    assert_eq!(remember(&workspace, " \u{feff}\t", &[]).expect("room"), 2);
    assert_eq!(
        fs::read_to_string(state.join("notes.jsonl")).expect("notes"),
        "{\"ts\":\"2026-09-18T12:00:00.000Z\",\"text\":\"one\\ntwo\",\"tags\":[\"Auth\",\"auth\"]}\n\
         {\"ts\":\"2026-09-18T12:00:00.000Z\",\"text\":\"\",\"tags\":[]}\n"
    );
    assert_eq!(texts(&workspace, &ALL), ["", "one\ntwo"]);
}

#[test]
fn notes_of_the_old_server_are_read() {
    let (_temp, workspace, state) = world();
    fs::create_dir(&state).expect("room");
    let lines = [
        r#"{"ts":"2026-09-18T07:50:12.000Z","text":"Refactored auth middleware","tags":["auth","Next"]}"#,
        r#"{"ts":"2026-09-19T07:50:12.000Z","text":"\u00c4rger mit \"x\"","tags":[]}"#,
        r#"{"ts":"2026-09-19T07:50:12.000Z","text":7}"#,
        r#"{"text":"no time"}"#,
        "nonsense",
        r#"{"ts":"2026-09-20T07:50:12.000Z","text":"no tags","tags":"x","more":1}"#,
    ];
    fs::write(state.join("notes.1.jsonl"), lines[..2].join("\n")).expect("room");
    fs::write(state.join("notes.jsonl"), lines[2..].join("\n")).expect("room");
    let all = [
        "no tags",
        "\u{c4}rger mit \"x\"",
        "Refactored auth middleware",
    ];
    assert_eq!(texts(&workspace, &ALL), all);
    let text = |text| Query { text, ..ALL };
    let tag = |tag| Query { tag, ..ALL };
    assert_eq!(texts(&workspace, &text("\u{e4}RGER")), all[1..2]);
    assert_eq!(texts(&workspace, &text("AUTH")), all[2..]);
    assert_eq!(texts(&workspace, &tag("NEXT")), all[2..]);
    assert_eq!(texts(&workspace, &tag("nex")), [""; 0]);
    let both = Query {
        text: "no",
        tag: "auth",
        ..ALL
    };
    assert_eq!(texts(&workspace, &both), [""; 0]);
    assert_eq!(texts(&workspace, &Query { limit: 2, ..ALL }), all[..2]);
    assert_eq!(remember(&workspace, "four", &[]).expect("room"), 4);
    assert_eq!(texts(&workspace, &ALL).len(), 4);
}

#[test]
fn no_note_is_ever_dropped() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let keep = Keep {
        max_bytes: 300,
        max_files: Some(1),
    };
    let workspace = open(temp.path(), keep);
    for number in 1..=200 {
        let total = remember(&workspace, &format!("note {number}"), &["t"]);
        assert_eq!(total.expect("room"), number);
    }
    let texts = texts(&workspace, &ALL);
    assert_eq!(texts.len(), 200);
    assert_eq!(texts[199], "note 1");
}

#[test]
fn parallel_notes_are_all_kept() {
    let (_temp, workspace, _) = world();
    thread::scope(|scope| {
        for number in 0..7 {
            let workspace = &workspace;
            scope.spawn(move || remember(workspace, &number.to_string(), &[]).expect("room"));
        }
    });
    let mut seen = texts(&workspace, &ALL);
    seen.sort();
    assert_eq!(seen, ["0", "1", "2", "3", "4", "5", "6"]);
}

#[test]
fn a_note_that_is_not_kept_is_no_success() {
    let (temp, workspace, state) = world();
    fs::create_dir_all(state.join("notes.jsonl")).expect("room");
    let error = remember(&workspace, "x", &[]).expect_err("a folder is no file");
    assert_eq!(
        error.to_string(),
        "note was not stored: path is a directory, not a file: .workspace-mcp/notes.jsonl"
    );
    let long = "x".repeat((1 << 20) + 1);
    let error = remember(&workspace, &long, &[]).expect_err("too much");
    assert_eq!(
        error.to_string(),
        "note too large (1048577 bytes; limit 1048576)"
    );
    // On Windows a root that is served cannot be removed.
    if cfg!(unix) {
        drop(temp);
        remember(&workspace, "x", &[]).expect_err("the root is gone");
    }
}

#[test]
fn the_largest_note_comes_back() {
    let (_temp, workspace, _) = world();
    let long = "\u{1}".repeat(1 << 20);
    remember(&workspace, "before", &[]).expect("room");
    remember(&workspace, &long, &[]).expect("room");
    assert!(texts(&workspace, &ALL) == [long.as_str(), "before"]);
    let cut = recall(
        &workspace,
        &Query {
            max_bytes: 9,
            ..ALL
        },
    );
    assert!(cut.is_cut);
    assert_eq!(cut.notes.len(), 1);
}
