//! What operations do, alone and together, in the files and in the history.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use workspace::managed::{Code, Encoding, Operation};

use super::world::{
    create, create_over, delete, delete_folder, edit, make, rename, replace, sha256, world,
};

#[test]
fn each_operation_does_what_it_says_and_history_follows() {
    let world = world(&["a", "d/x", "d/y", "e/"]);
    assert!(world.started.created);
    assert_eq!(world.history(), ["initial snapshot"]);
    let done = world
        .apply(&[
            create("new/deep/file", "new"),
            create_over("a", "a", "over"),
            edit("d/x", "d/x", "/", "|"),
            make("made/too"),
            rename("d", "moved/d"),
            delete("moved/d/y", "d/y"),
            delete_folder("e"),
        ])
        .unwrap();
    let told: Vec<_> = done
        .applied
        .iter()
        .map(|one| (one.op, one.path.as_str(), one.sha256.clone()))
        .collect();
    let want = [
        ("create_file", "new/deep/file", Some(sha256("new"))),
        ("create_file", "a", Some(sha256("over"))),
        ("replace_text", "d/x", Some(sha256("d|x"))),
        ("create_directory", "made/too", None),
        ("move", "moved/d", None),
        ("delete_file", "moved/d/y", None),
        ("delete_empty_directory", "e", None),
    ];
    assert_eq!(told, want);
    let tree: Vec<_> = world.tree().into_iter().collect();
    let file = |path: &str, content: &str| (path.to_owned(), Some(content.to_owned()));
    let folder = |path: &str| (path.to_owned(), None);
    assert_eq!(
        tree,
        [
            file("a", "over"),
            folder("made"),
            folder("made/too"),
            folder("moved"),
            folder("moved/d"),
            file("moved/d/x", "d|x"),
            folder("new"),
            folder("new/deep"),
            file("new/deep/file", "new"),
        ]
    );
    let history = world.history();
    let want = [
        "post-change checkpoint",
        "pre-change checkpoint",
        "initial snapshot",
    ];
    assert_eq!(history, want);
    assert_eq!(world.head(), done.checkpoint);
    assert_ne!(done.checkpoint, done.pre_checkpoint);
    world.check();
    // What was there before is in the history.
    let before = super::world::git(
        &world.root(),
        &["ls-tree", "-r", "--name-only", &done.pre_checkpoint],
    );
    assert_eq!(before, "a\nd/x\nd/y\n");
    let after = super::world::git(
        &world.root(),
        &["ls-tree", "-r", "--name-only", &done.checkpoint],
    );
    assert_eq!(after, "a\nmoved/d/x\nnew/deep/file\n");
}

#[test]
fn an_operation_may_use_what_an_earlier_one_made() {
    let world = world(&["f", "g", "d/x"]);
    world
        .apply(&[
            make("n"),
            create("n/a", "one"),
            replace("n/a", "one", "two"),
            edit("n/a", "two", "two", "three"),
            rename("n/a", "n/b"),
            rename("n", "m"),
            replace("m/b", "three", "four"),
            // Two names change places.
            rename("f", "t"),
            rename("g", "f"),
            rename("t", "g"),
            replace("g", "f", "was f"),
            // A folder goes into a new one and gets a new file.
            rename("d", "k/d"),
            create("k/d/new", "new"),
            delete("k/d/x", "d/x"),
            // And its old name is free.
            create("d", "now a file"),
        ])
        .unwrap();
    let tree: Vec<String> = world
        .tree()
        .into_iter()
        .map(|(path, content)| format!("{path}: {}", content.unwrap_or_default()))
        .collect();
    let want = [
        "d: now a file",
        "f: g",
        "g: was f",
        "k: ",
        "k/d: ",
        "k/d/new: new",
        "m: ",
        "m/b: four",
    ];
    assert_eq!(tree, want);
    world.check();
}

#[test]
fn two_replaces_follow_each_other_by_their_hashes() {
    let world = world(&["a"]);
    world
        .apply(&[replace("a", "a", "b"), replace("a", "b", "c")])
        .unwrap();
    assert_eq!(world.read("a"), "c");
    let refused = world.refused(&[replace("a", "c", "d"), replace("a", "c", "e")]);
    assert!(refused.starts_with("ERROR [HASH_MISMATCH]"), "{refused}");
    let done = world.apply(&[replace("a", "c", "d"), delete("a", "d")]);
    done.unwrap();
    assert!(world.tree().is_empty());
    world.check();
}

#[test]
fn a_byte_order_mark_is_written_once_and_kept() {
    let world = world(&[]);
    let with_mark = |path: &str, content: &str| Operation::CreateFile {
        path: path.to_owned(),
        content: content.to_owned(),
        encoding: Encoding::Utf8Sig,
        expected_sha256: None,
    };
    let done = world
        .apply(&[with_mark("a", "x\r\n"), with_mark("b", "\u{feff}x")])
        .unwrap();
    assert_eq!(world.read("a"), "\u{feff}x\r\n");
    assert_eq!(world.read("b"), "\u{feff}x");
    assert_eq!(done.applied[0].sha256, Some(sha256("\u{feff}x\r\n")));
    world
        .apply(&[edit("a", "\u{feff}x\r\n", "x", "y")])
        .unwrap();
    assert_eq!(world.read("a"), "\u{feff}y\r\n");
    world.check();
}

#[test]
fn modes_stay_and_others_are_not_touched() {
    let world = world(&["run", "other", "empty/"]);
    let set = |path: &str, mode| {
        fs::set_permissions(world.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    set("run", 0o750);
    set("other", 0o600);
    let before = fs::metadata(world.path("other")).unwrap();
    world
        .apply(&[replace("run", "run", "new"), rename("other", "d/other")])
        .unwrap();
    let run = fs::metadata(world.path("run")).unwrap();
    assert_eq!(run.mode() & 0o777, 0o750);
    let after = fs::metadata(world.path("d/other")).unwrap();
    assert_eq!(
        (before.ino(), before.mtime_nsec(), before.mode()),
        (after.ino(), after.mtime_nsec(), after.mode())
    );
    let modes = super::world::git(&world.root(), &["ls-tree", "-r", "HEAD"]);
    assert!(modes.contains("100755 blob"), "{modes}");
    assert!(world.path("empty").is_dir());
    world.check();
}

#[test]
fn what_git_ignores_is_tracked_and_what_is_excluded_is_not() {
    let world = world(&["node_modules/x", "Build/y"]);
    world
        .apply(&[
            create(".gitignore", "*.log\nout/\n"),
            create("keep.log", "kept"),
            create("out/kept", "kept"),
            create(".gitattributes", "* text eol=crlf\n"),
        ])
        .unwrap();
    let tracked = super::world::git(&world.root(), &["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(tracked, ".gitattributes\n.gitignore\nkeep.log\nout/kept\n");
    world.check();
    assert_eq!(
        world.managed.rules().parse("build/z").unwrap_err().code,
        Code::ExcludedPath
    );
}
