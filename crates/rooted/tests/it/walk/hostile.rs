//! Links, pipes, names of every kind, and folders that are swapped during a walk.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rooted::{Kind, Mode, RelPath, Resolver, Root, WalkOptions};

use super::{check, rel, shown, walk, world};

#[test]
fn links_and_special_files_are_left_out() {
    let (dir, root) = world(&["real/a", "b"]);
    let outside = tempfile::tempdir().expect("a temporary folder");
    fs::write(outside.path().join("secret"), "s").expect("a file");
    fs::write(outside.path().join("rules"), "b\n").expect("a file");
    for (target, name) in [
        (outside.path(), "out"),
        (dir.path(), "up"),
        ("real".as_ref(), "in"),
        ("none".as_ref(), "dangling"),
        (&outside.path().join("rules"), ".gitignore"),
    ] {
        symlink(target, dir.path().join(name)).expect("a link");
    }
    let _socket = UnixListener::bind(dir.path().join("socket")).expect("a socket");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        dir.path().join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .expect("a pipe");
    fs::create_dir(dir.path().join("real/.gitignore")).expect("a folder");
    let start = RelPath::root();
    let options = WalkOptions::new(&start);
    check(
        &root,
        &options,
        &["b", "real/", "real/.gitignore/", "real/a"],
    );
    let start = rel("in");
    let by_link = WalkOptions {
        start: &start,
        ..options
    };
    check(&root, &by_link, &["real/.gitignore/", "real/a"]);
    for path in ["out", "dangling"] {
        rooted::walk(&root, &WalkOptions::new(&rel(path))).expect_err("leads nowhere inside");
    }
    let strict = root.with_mode(Mode::STRICT).expect("the same root");
    rooted::walk(&strict, &by_link).expect_err("no links");
}

#[test]
fn a_pipe_for_rules_is_not_waited_for() {
    let (dir, root) = world(&["a"]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        dir.path().join(".gitignore"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .expect("a pipe");
    let start = rel("a");
    rooted::walk(&root, &WalkOptions::new(&start)).expect_err("a file");
    fs::create_dir(dir.path().join("d")).expect("a folder");
    let start = rel("d");
    check(&root, &WalkOptions::new(&start), &[]);
}

#[test]
fn names_of_every_kind() {
    let (dir, root) = world(&[
        "a b.txt",
        "it's \"q\".md",
        "-rf",
        "🙂.txt",
        "tab\there",
        "new\nline",
        " lead",
        "app/(shop)/[id]/page.tsx",
        "\u{202e}txt",
    ]);
    fs::write(dir.path().join(OsStr::from_bytes(b"bad\xff\xfe")), "x").expect("a file");
    fs::write(dir.path().join(".gitignore"), "bad*\n!bad\u{fffd}*\n").expect("a file");
    let long = "x".repeat(255);
    fs::write(dir.path().join(&long), "x").expect("a file");
    let start = RelPath::root();
    let options = WalkOptions {
        include_ignored: true,
        files_only: true,
        ..WalkOptions::new(&start)
    };
    let want = [
        " lead",
        "-rf",
        ".gitignore",
        "a b.txt",
        "app/(shop)/[id]/page.tsx",
        "bad\\xff\\xfe",
        "it's \"q\".md",
        "new\\nline",
        "tab\\there",
        &long,
        "\\u{202e}txt",
        "🙂.txt",
    ];
    let walked = check(&root, &options, &want);
    for entry in walked.entries.iter() {
        root.open_file(&entry.path).expect("every entry opens");
    }
    let ruled = WalkOptions {
        include_ignored: false,
        ..options
    };
    assert_eq!(walk(&root, &ruled).ignored, 1);
}

#[test]
fn an_unreadable_folder_is_counted_and_the_rest_is_walked() {
    let (dir, root) = world(&["ok/a", "locked/x", "z/b"]);
    let locked = dir.path().join("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o0)).expect("a mode");
    let may_read_all = fs::read_dir(&locked).is_ok();
    let start = RelPath::root();
    if !may_read_all {
        let want = ["locked/", "ok/", "ok/a", "z/", "z/b"];
        let walked = check(&root, &WalkOptions::new(&start), &want);
        assert_eq!(walked.unreadable, 1);
        assert_eq!(walked.unreadable_paths, [rel("locked")]);
    }
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).expect("a mode");
}

#[test]
fn a_tree_deeper_than_one_call_takes_is_walked_and_one_without_end_is_cut() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let root = Root::open(dir.path(), Mode::FOLLOW).expect("the folder just made");
    let mut here = root.open_dir(&RelPath::root()).expect("the root");
    let name = "d".repeat(200);
    for _ in 0..45 {
        here.create_dir(name.as_bytes(), 0o700).expect("a folder");
        here = here.open_dir(name.as_bytes()).expect("just made");
    }
    here.create_file(b"bottom", 0o600).expect("a file");
    let start = RelPath::root();
    let walked = walk(&root, &WalkOptions::new(&start));
    // 201 bytes a level; the limit is 8192.
    assert_eq!(walked.entries.len(), 41);
    assert_eq!(walked.unreadable, 1);
    assert!(!walked.capped && !walked.stopped);
}

#[test]
fn what_changes_during_a_walk_is_dropped() {
    let (dir, root) = world(&["a/x", "b/x", "c/x", "d/x"]);
    let outside = tempfile::tempdir().expect("a temporary folder");
    fs::write(outside.path().join("secret"), "s").expect("a file");
    // The filter is asked after the folder was listed and before the next one is opened.
    let hidden = |path: &RelPath, kind: Kind| {
        if path.as_bytes() == b"a" && kind == Kind::Dir {
            fs::remove_dir_all(dir.path().join("a")).expect("was there");
            fs::remove_dir_all(dir.path().join("b")).expect("was there");
            fs::write(dir.path().join("b"), "a file now").expect("a file");
            fs::rename(dir.path().join("c"), dir.path().join("e")).expect("was there");
            symlink(outside.path(), dir.path().join("c")).expect("a link");
        }
        false
    };
    let start = RelPath::root();
    let options = WalkOptions {
        hidden: Some(&hidden),
        ..WalkOptions::new(&start)
    };
    let walked = walk(&root, &options);
    assert_eq!(shown(&walked), ["d/", "d/x"]);
    assert_eq!(walked.unreadable, 0);
}

#[test]
fn a_folder_swapped_with_a_link_shows_nothing_from_outside() {
    let n_walks = soak().unwrap_or(60);
    let mut names: Vec<String> = (0..80).map(|n| format!("d{n:02}/x/inside")).collect();
    names.push("swap/x/inside".to_owned());
    let (dir, root) = world(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let outside = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(outside.path().join("x")).expect("a folder");
    for name in ["secret", "x/secret", ".gitignore", "x/.gitignore"] {
        fs::write(outside.path().join(name), "inside\n").expect("a file");
    }
    let (swap, link) = (dir.path().join("swap"), dir.path().join("link"));
    symlink(outside.path(), &link).expect("a link");
    let slow = root
        .with_mode(Mode::FOLLOW)
        .expect("the same root")
        .with_resolver(Resolver::Walk);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let cwd = rustix::fs::CWD;
            let flags = rustix::fs::RenameFlags::EXCHANGE;
            while !over.load(Ordering::Relaxed) {
                if rustix::fs::renameat_with(cwd, &swap, cwd, &link, flags).is_err() {
                    break;
                }
            }
        });
        let start = RelPath::root();
        for round in 0..n_walks {
            let options = WalkOptions {
                threads: 1 + round % 2,
                files_only: true,
                ..WalkOptions::new(&start)
            };
            let walked = walk(if round % 3 == 0 { &slow } else { &root }, &options);
            for name in shown(&walked) {
                assert!(name.ends_with("/x/inside"), "{name}");
            }
            assert_eq!(walked.ignored, 0, "rules from outside");
        }
        over.store(true, Ordering::Relaxed);
    });
}

/// Rounds asked for by `WORKSPACE_MCP_SOAK`.
#[expect(
    clippy::disallowed_methods,
    reason = "a longer run is asked for by the environment"
)]
fn soak() -> Option<usize> {
    std::env::var("WORKSPACE_MCP_SOAK").ok()?.parse().ok()
}
