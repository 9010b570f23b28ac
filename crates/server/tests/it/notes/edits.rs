//! Edits and writes as models send them, and what the note holds afterwards.

use serde_json::json;

use super::{data, serve_writing, vault};

/// What is told of an edit, and the note after it.
fn edited(before: &[u8], old: &str, new: &str) -> (String, Vec<u8>) {
    let folder = vault(&[]);
    let path = folder.path().join("notes/a.md");
    std::fs::write(&path, before).unwrap();
    let mut client = serve_writing(&folder, &[]);
    let told = client.call(
        "notes_edit",
        json!({"path": "a.md", "oldString": old, "newString": new}),
    );
    (told, std::fs::read(path).unwrap())
}

/// Expects that the edit is done.
#[track_caller]
fn assert_edit(before: &str, old: &str, new: &str, after: &str) {
    let (told, now) = edited(before.as_bytes(), old, new);
    assert!(told.starts_with("Edited a.md ("), "{told}");
    assert_eq!(String::from_utf8(now).unwrap(), after);
}

/// Expects that the edit is refused, and the note stays.
#[track_caller]
fn assert_refused(before: &str, old: &str, new: &str, why: &str) {
    let (told, now) = edited(before.as_bytes(), old, new);
    assert!(told.starts_with(&format!("error: {why}")), "{told}");
    assert_eq!(now, before.as_bytes());
}

#[test]
fn dollar_signs_land_as_given() {
    let new = "$$5 $& $1 $' $`";
    assert_edit("cost: HERE\n", "HERE", new, &format!("cost: {new}\n"));
}

#[test]
fn a_backslash_and_n_stay_two_characters() {
    assert_edit("say(\"a\")\n", "\"a\"", "\"a\\n\"", "say(\"a\\n\")\n");
}

#[test]
fn line_ends_of_the_note_are_kept_and_that_is_said() {
    let before = b"one\r\ntwo\r\nthree\r\n";
    let (told, now) = edited(before, "one\ntwo", "ONE\nTWO");
    assert_eq!(told, "Edited a.md (17 bytes) (line endings adapted)");
    assert_eq!(now, b"ONE\r\nTWO\r\nthree\r\n");
}

#[test]
fn a_lone_line_feed_among_others_stays() {
    assert_edit("a\r\nb\nc\r\nd\r\n", "d", "D", "a\r\nb\nc\r\nD\r\n");
}

#[test]
fn lone_carriage_returns_stay() {
    assert_edit("a\rb\rc", "b", "B", "a\rB\rc");
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line() {
    assert_edit(
        "\u{feff}# One\r\n",
        "# One\n",
        "# Two\n",
        "\u{feff}# Two\r\n",
    );
}

#[test]
fn a_missing_last_newline_is_not_added() {
    assert_edit("a\nb", "a\n", "c\n", "c\nb");
}

#[test]
fn a_lost_last_newline_is_said() {
    let (told, now) = edited(b"a\nb\n", "b\n", "B");
    assert_eq!(
        told,
        "Edited a.md (3 bytes) (the last line has no line break now)"
    );
    assert_eq!(now, b"a\nB");
}

#[test]
fn a_part_of_a_line_is_found() {
    assert_edit(
        "- build things with care\n",
        "build things",
        "make things",
        "- make things with care\n",
    );
}

#[test]
fn what_only_looks_alike_is_not_replaced() {
    let far = format!("top {{ a }}\n{}end {{ b }}\n", "x { y }\n".repeat(280));
    for (before, old) in [
        ("foo   bar baz\n", "foo bar"),
        (
            "func f() {\n  x := 1\n  y := 2\n}\n",
            "func f() {\n  x := 1\n  y := 99\n}\n",
        ),
        (&far, "top { a }\nend { b }"),
        ("“quoted”\n", "\"quoted\""),
    ] {
        assert_refused(before, old, "XY", "oldString not found in a.md");
    }
}

#[test]
fn nothing_to_change_is_refused() {
    assert_refused(
        "a\n",
        "a",
        "a",
        "invalid arguments for notes_edit: newString: is the same as oldString",
    );
    assert_refused(
        "a\n",
        "",
        "z",
        "invalid arguments for notes_edit: oldString: ",
    );
    assert_refused("a a\n", "a", "z", "oldString appears 2 times in a.md");
}

#[test]
fn a_note_in_another_encoding_stays_as_it_is() {
    for before in [
        &b"title\nbrand\x99\n"[..],
        b"\xff\xfet\0i\0t\0l\0e\0\n\0",
        b"t\0i\0t\0l\0e\0\x99\0",
        b"\x89PNG\r\n\x1a\n title",
    ] {
        let (told, now) = edited(before, "title", "Title");
        assert_eq!(told, "error: note is not UTF-8 text: a.md");
        assert_eq!(now, before);
    }
}

#[test]
fn a_new_note_has_the_bytes_that_were_given() {
    let folder = vault(&[]);
    let mut client = serve_writing(&folder, &[]);
    for content in ["x\r\ny\r\n", "\u{feff}x", "a\rb", "no end", "", "\n\n"] {
        client.call("notes_write", json!({"path": "a.md", "content": content}));
        let now = std::fs::read_to_string(folder.path().join("notes/a.md")).unwrap();
        assert_eq!(now, content);
    }
}

#[test]
fn the_expected_version_is_told_by_its_text_and_not_its_time() {
    let folder = vault(&[("a.md", "one")]);
    let path = folder.path().join("notes/a.md");
    let mut client = serve_writing(&folder, &[]);
    let sha256 = data(&mut client, "notes_read", json!({"path": "a.md"}))["sha256"].clone();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(later).unwrap();
    drop(file);
    let write = json!({"path": "a.md", "content": "two", "expected_sha256": sha256});
    assert_eq!(
        client.call("notes_write", write.clone()),
        "Replaced a.md (3 bytes)"
    );
    let told = client.call("notes_write", write);
    assert!(
        told.starts_with("error: note changed since it was read: a.md"),
        "{told}"
    );
}

#[test]
fn names_that_windows_keeps_are_not_made() {
    let folder = vault(&[]);
    let mut client = serve_writing(&folder, &[]);
    for path in [
        "nul.md",
        "x/CON.md",
        "aux.",
        "a.md:stream",
        "name .md ",
        "COM1.x.md",
    ] {
        for (tool, arguments) in [
            ("notes_write", json!({"path": path, "content": "x"})),
            ("notes_append", json!({"path": path, "text": "x"})),
        ] {
            let told = client.call(tool, arguments);
            assert!(told.starts_with("error: path "), "{path}: {told}");
        }
    }
    let made = std::fs::read_dir(folder.path().join("notes")).unwrap();
    let made: Vec<_> = made.map(|entry| entry.unwrap().file_name()).collect();
    assert!(made.iter().all(|name| name == ".workspace-mcp"), "{made:?}");
}

#[test]
fn a_note_is_not_moved_onto_another() {
    let folder = vault(&[("a.md", "A"), ("b.md", "B"), ("c.md/d.md", "D")]);
    let mut client = serve_writing(&folder, &[]);
    assert_eq!(
        client.call("notes_move", json!({"path": "a.md", "to": "b.md"})),
        "error: there is a note or folder at the new path: b.md"
    );
    let told = client.call("notes_move", json!({"path": "a.md", "to": "c.md"}));
    assert!(told.starts_with("error: "), "{told}");
    for (path, text) in [("a.md", "A"), ("b.md", "B"), ("c.md/d.md", "D")] {
        let now = std::fs::read_to_string(folder.path().join("notes").join(path)).unwrap();
        assert_eq!(now, text);
    }
}

#[cfg(unix)]
mod modes {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use serde_json::json;

    use super::{serve_writing, vault};

    #[test]
    fn every_write_keeps_the_mode() {
        for mode in [0o600, 0o644, 0o755, 0o660] {
            let folder = vault(&[
                ("a.md", "- [ ] one\n"),
                ("tasks.json", r#"[{"id": "t1", "title": "x"}]"#),
            ]);
            let path = |name: &str| folder.path().join("notes").join(name);
            for name in ["a.md", "tasks.json"] {
                fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).unwrap();
            }
            let mut client = serve_writing(&folder, &["--markdown-tasks"]);
            for (tool, arguments) in [
                (
                    "notes_edit",
                    json!({"path": "a.md", "oldString": "one", "newString": "two"}),
                ),
                ("notes_append", json!({"path": "a.md", "text": "more"})),
                (
                    "notes_write",
                    json!({"path": "a.md", "content": "- [ ] x\n"}),
                ),
                ("tasks_complete", json!({"id": "t1"})),
                ("tasks_add", json!({"title": "y"})),
            ] {
                let told = client.call(tool, arguments);
                assert!(!told.starts_with("error: "), "{told}");
                for name in ["a.md", "tasks.json"] {
                    let now = fs::metadata(path(name)).unwrap().permissions().mode();
                    assert_eq!(now & 0o7777, mode, "{tool}: {name}");
                }
            }
        }
    }

    #[test]
    fn a_hard_link_to_a_file_outside_keeps_its_text_and_that_is_said() {
        let folder = vault(&[]);
        let note = folder.path().join("notes/a.md");
        for (tool, arguments) in [
            (
                "notes_edit",
                json!({"path": "a.md", "oldString": "secret", "newString": "x"}),
            ),
            ("notes_append", json!({"path": "a.md", "text": "x"})),
            ("notes_write", json!({"path": "a.md", "content": "x"})),
        ] {
            let _ = fs::remove_file(&note);
            fs::hard_link(folder.path().join("outside.md"), &note).unwrap();
            let told = serve_writing(&folder, &[]).call(tool, arguments);
            assert!(
                told.ends_with(" (was hard-linked; other names keep the old content)"),
                "{tool}: {told}"
            );
            let outside = fs::read_to_string(folder.path().join("outside.md")).unwrap();
            assert_eq!(outside, "secret", "{tool}");
        }
    }

    #[test]
    fn the_state_of_the_server_is_for_its_user_only() {
        let folder = vault(&[]);
        let mut client = serve_writing(&folder, &[]);
        client.call("tasks_add", json!({"title": "x"}));
        client.finish();
        let mut open = vec![folder.path().join("notes/.workspace-mcp")];
        while let Some(path) = open.pop() {
            let meta = fs::symlink_metadata(&path).unwrap();
            assert_eq!(meta.mode() & 0o077, 0, "{path:?}");
            if meta.is_dir() {
                let entries = fs::read_dir(&path).unwrap();
                open.extend(entries.map(|entry| entry.unwrap().path()));
            }
        }
    }
}
