//! What the answers say, to the word: numbers that agree, failures by what is really wrong, and no
//! place on this machine.

use serde_json::{Value, json};

use super::{data, serve, serve_writing, vault};
use crate::client::text_of;

#[test]
fn one_is_told_as_one() {
    let folder = vault(&[
        ("a.md", "x"),
        ("b.md", "[[a]]\n"),
        ("c/c.md", "[[a]] [[b]]\n"),
        ("tasks.json", r#"[{"id": "t1", "title": "One"}]"#),
    ]);
    let mut client = serve_writing(&folder, &[]);
    for (tool, arguments, told) in [
        (
            "notes_write",
            json!({"path": "one.md", "content": "1"}),
            "Created one.md (1 byte)",
        ),
        (
            "notes_edit",
            json!({"path": "one.md", "oldString": "1", "newString": "12"}),
            "Edited one.md (2 bytes)",
        ),
        (
            "notes_write",
            json!({"path": "one.md", "content": ""}),
            "Replaced one.md (0 bytes)",
        ),
        (
            "notes_append",
            json!({"path": "one.md", "text": "\n"}),
            "Added to one.md (1 byte)",
        ),
        (
            "notes_links",
            json!({"path": "b.md"}),
            "b.md: 1 link to notes, 1 from other notes\n-> a.md (line 1, as a)\n<- c/c.md (line 1)",
        ),
        (
            "notes_links",
            json!({"path": "a.md", "limit": 1}),
            "a.md: 0 links to notes, 1 of 2 from other notes\n<- b.md (line 1)\n\
             ... (cut; a greater limit shows more, up to --max-results)",
        ),
        (
            "notes_links",
            json!({"path": "c/c.md", "limit": 1}),
            "c/c.md: 1 of 2 links to notes, 0 from other notes\n-> a.md (line 1, as a)\n\
             ... (cut; a greater limit shows more, up to --max-results)",
        ),
        ("notes_list", json!({"folder": "c"}), "c/c.md\n1 note"),
        (
            "notes_list",
            json!({"folder": "c", "after": "c/c.md"}),
            "0 of 1 note",
        ),
        ("notes_list", json!({"tag": "none"}), "no notes"),
        ("tasks_list", json!({}), "- [ ] One (id t1)\n1 open task"),
        ("tasks_list", json!({"after": "t1"}), "0 of 1 open task"),
        ("tasks_list", json!({"status": "done"}), "no done tasks"),
    ] {
        assert_eq!(
            client.call(tool, arguments.clone()),
            told,
            "{tool} {arguments}"
        );
    }
    let past = client.call("notes_read", json!({"path": "a.md", "offset": 2}));
    assert!(
        past.starts_with("... (offset is past the end; the note has 1 line; "),
        "{past}"
    );
}

/// Calls of every tool, on things that are there.
fn every_call() -> Vec<(&'static str, Value)> {
    vec![
        ("notes_list", json!({})),
        ("notes_read", json!({"path": "a.md"})),
        ("notes_search", json!({"query": "x"})),
        ("notes_links", json!({"path": "a.md"})),
        ("tasks_list", json!({})),
        ("notes_append", json!({"path": "a.md", "text": "y"})),
        ("notes_write", json!({"path": "a.md", "content": "y"})),
        (
            "notes_edit",
            json!({"path": "a.md", "oldString": "x", "newString": "y"}),
        ),
        ("notes_move", json!({"path": "a.md", "to": "b.md"})),
        ("tasks_add", json!({"title": "y"})),
        ("tasks_complete", json!({"id": "t1"})),
        ("tasks_update", json!({"id": "t1", "title": "y"})),
        ("tasks_remove", json!({"id": "t1"})),
    ]
}

#[test]
fn a_folder_that_is_gone_is_told_without_its_place() {
    let folder = vault(&[
        ("a.md", "x\n"),
        ("tasks.json", r#"[{"id": "t1", "title": "One"}]"#),
    ]);
    let mut client = serve_writing(&folder, &["--markdown-tasks"]);
    // It has started when it has answered.
    client.call("tasks_list", json!({}));
    let (here, there) = (folder.path().join("notes"), folder.path().join("gone"));
    std::fs::rename(&here, &there).unwrap();
    for (tool, arguments) in every_call() {
        assert_eq!(
            client.call(tool, arguments),
            "error: the folder of notes is gone\n\
             it must be put back, or the server started with its new place",
            "{tool}"
        );
    }
    std::fs::rename(&there, &here).unwrap();
    let read = client.call("notes_read", json!({"path": "a.md"}));
    assert!(read.starts_with("x\n"), "{read}");
}

#[test]
fn what_is_no_note_is_told_for_what_it_is() {
    let folder = vault(&[("a.md", "x"), ("folder.md/b.md", "x")]);
    let mut client = serve_writing(&folder, &[]);
    let (is_folder, below_a_note) = (
        "error: path is a directory, not a file: folder.md",
        "error: invalid path (a path component is not a directory): a.md/b.md",
    );
    for (tool, arguments, told) in [
        ("notes_read", json!({"path": "folder.md"}), is_folder),
        ("notes_links", json!({"path": "folder.md"}), is_folder),
        (
            "notes_append",
            json!({"path": "folder.md", "text": "x"}),
            is_folder,
        ),
        (
            "notes_write",
            json!({"path": "folder.md", "content": "x"}),
            is_folder,
        ),
        (
            "notes_move",
            json!({"path": "folder.md", "to": "b.md"}),
            is_folder,
        ),
        (
            "notes_move",
            json!({"path": "a.md", "to": "folder.md"}),
            is_folder,
        ),
        (
            "notes_read",
            json!({"path": "a.md/b.md"}),
            "error: note not found: a.md/b.md",
        ),
        (
            "notes_write",
            json!({"path": "a.md/b.md", "content": "x"}),
            below_a_note,
        ),
        (
            "notes_append",
            json!({"path": "a.md/b.md", "text": "x"}),
            below_a_note,
        ),
    ] {
        assert_eq!(
            client.call(tool, arguments.clone()),
            told,
            "{tool} {arguments}"
        );
    }
}

#[test]
fn half_a_character_is_not_written() {
    let folder = vault(&[
        ("a.md", "x \u{fffd}\n"),
        ("tasks.json", r#"[{"id": "t1", "title": "One"}]"#),
    ]);
    let before = crate::scenarios::tree(folder.path());
    let mut client = serve_writing(&folder, &[]);
    let half = r"half \ud83d";
    for (id, tool, argument, arguments) in [
        (
            100,
            "notes_append",
            "text",
            format!(r#""path":"a.md","text":"{half}""#),
        ),
        (
            101,
            "notes_write",
            "content",
            format!(r#""path":"a.md","content":"{half}""#),
        ),
        (
            102,
            "notes_write",
            "path",
            r#""path":"\ud83d.md","content":"x""#.to_owned(),
        ),
        (
            103,
            "notes_edit",
            "newString",
            format!(r#""path":"a.md","oldString":"x","newString":"{half}""#),
        ),
        // What stands in for the half would be found.
        (
            104,
            "notes_edit",
            "oldString",
            r#""path":"a.md","oldString":"\udc00","newString":"y""#.to_owned(),
        ),
        (
            105,
            "notes_move",
            "to",
            r#""path":"a.md","to":"\udc00.md""#.to_owned(),
        ),
        (106, "tasks_add", "title", format!(r#""title":"{half}""#)),
        (
            107,
            "tasks_update",
            "title",
            format!(r#""id":"t1","title":"{half}""#),
        ),
    ] {
        client.send_line(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{{arguments}}}}}}}"#
        ));
        let told = text_of(&client.recv(id));
        assert_eq!(
            told,
            format!(
                "error: invalid arguments for {tool}: {argument}: half of a surrogate pair is no \
                 character"
            )
        );
    }
    assert_eq!(crate::scenarios::tree(folder.path()), before);
    client.send_line(
        r#"{"jsonrpc":"2.0","id":108,"method":"tools/call","params":{"name":"notes_write","arguments":{"path":"b.md","content":"\ud83d\ude00 \ufffd"}}}"#,
    );
    assert_eq!(text_of(&client.recv(108)), "Created b.md (8 bytes)");
}

#[test]
fn what_is_left_out_is_told_where_it_is() {
    let folder = vault(&[("a.md", "x"), ("con.md", "x"), ("c/a.md", "x")]);
    let mut client = serve(&folder, &[]);
    let one = "\n... (1 left out: its name is not allowed here)";
    let more = "\n... (2 left out: their names are not allowed here)";
    for (of, n, told) in [("", Some(1), one), ("c", None, ""), ("", Some(2), more)] {
        if n == Some(2) {
            std::fs::write(folder.path().join("notes/nul.md"), "x").unwrap();
        }
        for (tool, arguments) in [
            ("notes_list", json!({"folder": of})),
            ("notes_search", json!({"folder": of, "query": "x"})),
        ] {
            let listed = data(&mut client, tool, arguments.clone());
            assert_eq!(listed["unnamable"].as_u64(), n, "{tool} {of}");
            let text = client.call(tool, arguments);
            let behind = text
                .split_once("\n...")
                .map_or("", |(head, _)| &text[head.len()..]);
            assert_eq!(behind, told, "{tool} {of}");
        }
    }
}
