//! What is tracked, how ids are found, and changes that are easy to miss.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use workspace::checkpoint::Error;

use super::world::{World, rel};

#[test]
fn every_file_is_tracked_but_those_left_out() {
    let world = World::with(&[
        "a",
        ".hidden",
        "dir/.gitignore",
        "node_modules/x",
        "dir/Node_Modules/y",
        "BUILD/z",
        "builds/w",
        ".mcp-tmp-1.tmp",
        ".mcp-tmp-1",
        "dir/.workspace-mcp-tmp-0",
        "nested/.git/HEAD",
        "nested/file",
        "nested/.GIT2/x",
        ".workspace-mcp/tx/1",
        "dir/.Workspace-MCP/x",
    ]);
    world.write("large", "x".repeat(100_001));
    world.write("just", "x".repeat(100_000));
    world.write("binary", [0, 159, 146, 150]);
    fs::create_dir(world.path("empty")).unwrap();
    symlink("a", world.path("link")).unwrap();
    symlink("dir", world.path("dirlink")).unwrap();
    let name = world.root().join(OsStr::from_bytes(b"not utf-8 \xff"));
    fs::write(name, "x").unwrap();
    let open = world.open();
    let tracked: Vec<_> = open.repository.files(open.initial.unwrap()).unwrap();
    let tracked: Vec<String> = tracked.iter().map(|file| file.path.to_string()).collect();
    let not_utf8 = tracked
        .iter()
        .filter(|path| path.starts_with("not utf-8"))
        .count();
    assert_eq!(not_utf8, 1);
    let rest: Vec<_> = tracked
        .iter()
        .filter(|path| !path.starts_with("not utf-8"))
        .collect();
    let want = [
        ".hidden",
        ".mcp-tmp-1",
        "a",
        "binary",
        "builds/w",
        "dir/.gitignore",
        "just",
        "nested/.GIT2/x",
        "nested/file",
    ];
    assert_eq!(rest, want);
    assert_eq!(open.status(), [""; 0]);
    world.fsck();
    assert!(open.repository.rules().tracks(&rel("dir/x")));
    assert!(!open.repository.rules().tracks(&rel("dir/NODE_modules/x")));
}

#[test]
fn names_of_odd_bytes_are_kept_and_those_of_the_repository_are_not() {
    let world = World::new();
    let kept: [&[u8]; 9] = [
        b"new\nline",
        b"tab\tand \"quotes\"",
        b"back\\slash",
        b"\x01\xff\xfe",
        b" ",
        b"-rf",
        b".gitx",
        b"git~2",
        "\u{200d}\u{1f468}".as_bytes(),
    ];
    let ignored: [&[u8]; 8] = [
        b"git~1",
        b"GIT~1 .",
        b".git ",
        b".Git.",
        b".git:stream",
        b"a\\.git\\b",
        ".g\u{200c}it".as_bytes(),
        "\u{feff}.GIT".as_bytes(),
    ];
    for name in kept.iter().chain(&ignored) {
        fs::write(world.root().join(OsStr::from_bytes(name)), "x").unwrap();
    }
    let open = world.open();
    let tracked = open.repository.files(open.initial.unwrap()).unwrap();
    let mut tracked: Vec<_> = tracked.iter().map(|file| file.path.as_bytes()).collect();
    tracked.sort_unstable();
    let mut want = kept.to_vec();
    want.sort_unstable();
    assert_eq!(tracked, want);
    assert_eq!(open.status(), [""; 0]);
    assert_eq!(world.git(&["diff", "--name-only"]), "");
    world.fsck();
}

#[test]
fn a_change_whose_times_were_set_back_is_seen() {
    let world = World::with(&["a", "b"]);
    let open = world.open();
    let like = |from: &str, to: &str| {
        let done = std::process::Command::new("touch")
            .args(["-r", from, to])
            .current_dir(world.root())
            .status();
        assert!(done.unwrap().success());
    };
    for n in 0..20 {
        like("a", "../times");
        world.write("a", format!("{}\n", n % 10));
        like("../times", "a");
        assert_eq!(open.status(), ["M a"], "{n}");
        assert_eq!(world.open().status(), ["M a"], "{n}");
        open.commit("next");
        assert_eq!(world.open().status(), [""; 0]);
    }
}

#[test]
fn a_change_of_a_file_from_the_future_is_seen() {
    let world = World::with(&["a", "b"]);
    let ahead = |when: &str| {
        let done = std::process::Command::new("touch")
            .args(["-d", when, "a"])
            .current_dir(world.root())
            .status();
        assert!(done.unwrap().success());
    };
    ahead("2100-01-01 00:00:00.5");
    let open = world.open();
    for n in 0..20 {
        world.write("a", format!("{}\n", n % 10));
        ahead("2100-01-01 00:00:00.5");
        assert_eq!(open.status(), ["M a"], "{n}");
        assert_eq!(world.open().status(), ["M a"], "{n}");
        open.commit("next");
        assert_eq!(open.status(), [""; 0]);
        assert_eq!(world.open().status(), [""; 0]);
        ahead("2101-01-01");
        assert_eq!(open.status(), [""; 0]);
    }
}

#[test]
fn a_change_of_the_same_size_in_the_same_moment_is_seen() {
    let world = World::with(&["a", "b"]);
    let open = world.open();
    for n in 0..50 {
        world.write("a", format!("{:04}", 2 * n));
        open.commit_paths("x", &["a"]);
        world.write("a", format!("{:04}", 2 * n + 1));
        assert_eq!(open.status(), ["M a"]);
        // By somebody who knows only what is on the disk, too.
        assert_eq!(world.open().status(), ["M a"]);
        assert_eq!(world.git(&["status", "--porcelain"]), " M a\n");
        open.commit("y");
        assert_eq!(open.status(), [""; 0]);
    }
}

#[test]
fn the_last_times_of_files_are_kept() {
    let world = World::with(&["a", "dir/b"]);
    let open = world.open();
    world.write("a", "1");
    let before = fs::metadata(world.path("dir/b"))
        .unwrap()
        .modified()
        .unwrap();
    open.commit("x");
    assert_eq!(
        fs::metadata(world.path("dir/b"))
            .unwrap()
            .modified()
            .unwrap(),
        before
    );
    world.remove(".git/index");
    assert_eq!(open.status(), [""; 0]);
    assert_eq!(world.open().status(), [""; 0]);
    open.commit("y");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    world.write(".git/index", "no index");
    assert_eq!(world.open().status(), [""; 0]);
    world.open().commit("z");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    world.git(&["update-index", "--index-version", "4"]);
    assert_eq!(world.open().status(), [""; 0]);
}

#[test]
fn what_cannot_be_read_stays_as_it_was() {
    let world = World::with(&["closed", "dir/inner", "open"]);
    let open = world.open();
    let mode = |name: &str, mode: u32| {
        fs::set_permissions(world.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("dir", 0o000);
    mode("closed", 0o000);
    if fs::read(world.path("closed")).is_ok() {
        // Nothing is closed to root.
        mode("dir", 0o755);
        return;
    }
    open.commit("x");
    assert_eq!(world.ls_tree(), ["closed", "dir/inner", "open"]);
    mode("dir", 0o755);
    mode("closed", 0o644);
    assert_eq!(open.status(), [""; 0]);
}

#[test]
fn a_checkpoint_is_found_by_the_start_of_its_id() {
    let world = World::with(&["a"]);
    let open = world.open();
    let id = open.commit("x");
    let hex = id.to_string();
    for found in [&hex, &hex[..6], &hex[..39], &hex.to_uppercase()] {
        assert_eq!(open.repository.find(found).unwrap(), id);
    }
    let unknown = |text: &str| match open.repository.find(text) {
        Err(Error::Unknown(found)) => assert_eq!(found, text),
        other => panic!("{text}: {other:?}"),
    };
    let tree = world.git(&["rev-parse", "HEAD^{tree}"]);
    for text in [
        "",
        &hex[..5],
        "HEAD",
        "master",
        "0000000",
        &format!("{hex}0"),
        "--all",
        tree.trim(),
    ] {
        unknown(text);
    }
    assert_eq!(
        open.repository.find("HEAD").unwrap_err().to_string(),
        "unknown checkpoint: HEAD"
    );
    let more: Vec<_> = (0..30).map(|_| open.commit("x").to_string()).collect();
    assert_eq!(open.repository.find(&more[3]).unwrap().to_string(), more[3]);
}

#[test]
fn messages_and_names_are_made_fit() {
    let world = World::new();
    let options = workspace::checkpoint::Options {
        author_name: "A <b>\nC".to_owned(),
        author_email: " <> ".to_owned(),
        ..super::world::options()
    };
    let open = super::world::open_with(&world.root(), options).unwrap();
    open.commit(&"ü".repeat(150));
    assert_eq!(open.messages()[0], "ü".repeat(100));
    open.commit("two\nlines\0");
    assert_eq!(open.messages()[0], "two\nlines");
    assert_eq!(
        world.git(&["log", "-1", "--format=%an|%ae|%B"]).trim(),
        "A bC|unknown|two\nlines"
    );
    world.fsck();
}
