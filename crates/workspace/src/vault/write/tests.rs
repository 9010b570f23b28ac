use super::{Moved, append, edit, relocate, write};
use crate::vault::fault::Fault;
use crate::vault::world::World;

fn sentence<T: std::fmt::Debug>(done: Result<T, Fault>) -> String {
    done.expect_err("it is refused").to_string()
}

#[test]
fn text_is_added_as_lines_of_its_own() {
    let world = World::new(&[("a.md", "one"), ("c.md", "a\r\nb\r\n"), ("u.md", "")]);
    world.put("u.md", b"\xff\xfea\0");
    let add = |path: &str, text: &str| append(&world.vault, &world.never, path, text);
    assert_eq!(add("a.md", "two").expect("added").outcome.len, 8);
    add("a.md", "three\n").expect("added");
    assert_eq!(world.text("a.md"), "one\ntwo\nthree\n");
    add("c.md", "c\nd").expect("added");
    assert_eq!(world.text("c.md"), "a\r\nb\r\nc\r\nd\r\n");
    assert!(add("new/folder/b.md", "x").expect("made").outcome.created);
    assert_eq!(world.text("new/folder/b.md"), "x\n");
    assert_eq!(sentence(add("u.md", "x")), "note is not UTF-8 text: u.md");
}

#[test]
fn a_note_of_any_size_takes_more() {
    let mut world = World::new(&[("a.md", &"x\n".repeat(2000))]);
    world.vault.limits.max_read_bytes = 1024;
    world.vault.limits.max_write_bytes = 10;
    append(&world.vault, &world.never, "a.md", "0123456789").expect("added");
    assert!(world.text("a.md").ends_with("x\n0123456789\n"));
    let refused = append(&world.vault, &world.never, "a.md", "01234567891");
    assert_eq!(
        sentence(refused),
        "text is larger than --max-write-bytes (11 bytes; limit 10)"
    );
}

#[test]
fn a_note_that_was_not_read_in_full_is_not_replaced() {
    let mut world = World::new(&[("a.md", &"x".repeat(2000))]);
    world.vault.limits.max_read_bytes = 1024;
    let put = |expected: Option<&str>| write(&world.vault, &world.never, "a.md", "new", expected);
    assert_eq!(
        sentence(put(None)),
        "note is larger than --max-read-bytes and was not read in full"
    );
    assert_eq!(
        sentence(put(Some("00"))),
        "note changed since it was read: a.md"
    );
    let hash = crate::read::sha256("x".repeat(2000).as_bytes());
    let wrote = put(Some(&hash.to_uppercase())).expect("written");
    assert_eq!((wrote.outcome.len, wrote.outcome.created), (3, false));
    assert_eq!(wrote.sha256, Some(crate::read::sha256(b"new")));
    let missing = write(&world.vault, &world.never, "b.md", "x", Some(&hash));
    assert_eq!(sentence(missing), "note not found: b.md");
}

/// Where the file system itself ignores case it is no other name.
#[cfg(windows)]
#[test]
fn a_note_is_met_by_its_name_in_other_letters() {
    let world = World::new(&[("Inbox.md", "a"), ("Caf\u{e9}/x.md", ""), ("straße.md", "")]);
    let put = |path: &str| write(&world.vault, &world.never, path, "x", None);
    let written = put("INBOX.md").expect("the note itself").outcome;
    assert_eq!(
        (written.path.to_string(), written.created),
        ("Inbox.md".to_owned(), false)
    );
    assert_eq!(world.text("Inbox.md"), "x");
    let written = put("cafÉ/new/y.md").expect("the folder itself").outcome;
    assert_eq!(written.path.to_string(), "Caf\u{e9}/new/y.md");
    for (path, twin) in [
        ("Cafe\u{301}/y.md", "Caf\u{e9}"),
        ("STRASSE.md", "straße.md"),
    ] {
        let told = format!("a note or folder with an equivalent name exists: {twin}");
        assert_eq!(sentence(put(path)), told);
    }
}

#[cfg(not(any(windows, target_vendor = "apple")))]
#[test]
fn names_that_are_the_same_somewhere_are_not_made() {
    let world = World::new(&[("Inbox.md", "a"), ("Caf\u{e9}/x.md", ""), ("straße.md", "")]);
    for (path, twin) in [
        ("inbox.md", "Inbox.md"),
        ("INBOX.MD", "Inbox.md"),
        ("Cafe\u{301}/y.md", "Caf\u{e9}"),
        ("cafÉ/new/y.md", "Caf\u{e9}"),
        ("STRASSE.md", "straße.md"),
        ("inbox.md/x.md", "Inbox.md"),
    ] {
        let told = format!("a note or folder with an equivalent name exists: {twin}");
        assert_eq!(
            sentence(write(&world.vault, &world.never, path, "x", None)),
            told
        );
        assert_eq!(
            sentence(append(&world.vault, &world.never, path, "x")),
            told
        );
        assert!(!world.has("new"));
    }
    assert_eq!(world.text("Inbox.md"), "a");
}

#[test]
fn an_edit_is_of_the_only_place() {
    let world = World::new(&[("a.md", "\u{feff}one\r\ntwo\r\ntwo\r\n")]);
    let change = |old: &str, new: &str| edit(&world.vault, &world.never, "a.md", old, new);
    let done = change("one\ntwo", "1\n2").expect("changed");
    assert_eq!(world.text("a.md"), "\u{feff}1\r\n2\r\ntwo\r\n");
    assert_eq!(
        done.sha256,
        Some(crate::read::sha256(world.text("a.md").as_bytes()))
    );
    assert_eq!(sentence(change("nine", "x")), "oldString not found in a.md");
    change("2", "two").expect("changed");
    assert_eq!(
        sentence(change("two", "x")),
        "oldString appears 2 times in a.md; add text around it until it is unique"
    );
    assert!(sentence(change("", "x")).starts_with("oldString: "));
    assert!(sentence(change("1", "1")).starts_with("newString: "));
}

#[test]
fn a_note_moves_to_a_free_path_only() {
    let world = World::new(&[("a.md", "A"), ("b.md", "B"), ("C.md", "C")]);
    let go = |from: &str, to: &str| relocate(&world.vault, &world.never, from, to);
    let Moved { from, path } = go("a.md", "new/deep/a.md").expect("moved");
    assert_eq!(
        (from.to_string(), path.to_string()),
        ("a.md".to_owned(), "new/deep/a.md".to_owned())
    );
    assert_eq!(world.text("new/deep/a.md"), "A");
    assert!(!world.has("a.md"));
    assert_eq!(
        sentence(go("new/deep/a.md", "b.md")),
        "there is a note or folder at the new path: b.md"
    );
    assert_eq!(
        sentence(go("b.md", "b.md")),
        "there is a note or folder at the new path: b.md"
    );
    let taken = if cfg!(windows) {
        "there is a note or folder at the new path: C.md"
    } else {
        "a note or folder with an equivalent name exists: C.md"
    };
    assert_eq!(sentence(go("b.md", "c.md")), taken);
    assert_eq!(sentence(go("none.md", "d.md")), "note not found: none.md");
    assert_eq!(sentence(go("b.md", "d.txt")), "not a note: only .md files");
    let Moved { path, .. } = go("b.md", "B.md").expect("the same name in other letters is fine");
    assert_eq!(path.to_string(), "B.md");
    assert!(world.has("B.md"));
    // Nothing is left of a move that failed.
    assert_eq!(sentence(go("none.md", "x/y.md")), "note not found: none.md");
    assert!(!world.has("x"));
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::super::{append, edit, relocate, write};
    use super::sentence;
    use crate::vault::world::World;

    #[test]
    fn links_are_followed_inside_to_notes_only() {
        let world = World::new(&[
            ("s/a.md", "A"),
            (".h/b.md", "B"),
            ("t.txt", "T"),
            ("tasks.json", "[]"),
        ]);
        std::fs::write(world.path("../out.md"), "out").unwrap();
        for (name, target) in [
            ("in.md", "s/a.md"),
            ("dir", "s"),
            ("hidden.md", ".h/b.md"),
            ("text.md", "t.txt"),
            ("tasks.md", "tasks.json"),
            ("out.md", "../out.md"),
            ("up", ".."),
            ("gone.md", "../new.md"),
        ] {
            symlink(target, world.path(name)).unwrap();
        }
        append(&world.vault, &world.never, "in.md", "x").expect("inside");
        append(&world.vault, &world.never, "dir/a.md", "y").expect("inside");
        assert_eq!(world.text("s/a.md"), "A\nx\ny\n");
        for (path, told) in [
            ("hidden.md", "path has a hidden segment"),
            ("text.md", "not a note: only .md files"),
            ("tasks.md", "not a note: only .md files"),
            ("out.md", "path leaves the root"),
            ("up/out.md", "path leaves the root"),
            ("up/made.md", "path leaves the root"),
            ("gone.md", "path leaves the root"),
        ] {
            let (vault, never) = (&world.vault, &world.never);
            assert_eq!(
                sentence(write(vault, never, path, "x", None)),
                told,
                "{path}"
            );
            assert_eq!(sentence(append(vault, never, path, "x")), told, "{path}");
            assert_eq!(sentence(edit(vault, never, path, "o", "x")), told, "{path}");
            assert_eq!(
                sentence(relocate(vault, never, path, "z.md")),
                told,
                "{path}"
            );
            assert_eq!(
                sentence(relocate(vault, never, "s/a.md", path)),
                told,
                "{path}"
            );
        }
        assert_eq!(
            sentence(relocate(&world.vault, &world.never, "in.md", "z.md")),
            "path is a link; the note itself is s/a.md"
        );
        relocate(&world.vault, &world.never, "dir/a.md", "dir/b.md").expect("a folder may be one");
        assert!(world.has("s/b.md"));
        assert_eq!(world.text("../out.md"), "out");
        assert!(!world.has("../new.md") && !world.has("../made.md"));
    }

    #[test]
    fn other_names_of_a_note_keep_the_old_text() {
        let world = World::new(&[("a.md", "A")]);
        std::fs::hard_link(world.path("a.md"), world.path("../kept")).unwrap();
        append(&world.vault, &world.never, "a.md", "x").expect("added");
        assert_eq!(world.text("a.md"), "A\nx\n");
        assert_eq!(world.text("../kept"), "A");
    }
}
