//! Walking: order, ignore rules, limits, and trees that change under it.

#[cfg(target_os = "linux")]
mod hostile;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rooted::{ErrorKind, Kind, Mode, RelPath, Resolver, Root, WalkOptions, Walked};
use tempfile::TempDir;

/// A folder with the given files; a name that ends in `/` is a folder, `name=text` has content.
fn world(names: &[&str]) -> (TempDir, Root) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for name in names {
        let (name, text) = name.split_once('=').unwrap_or((name, "text"));
        let path = dir.path().join(name);
        let folder = if name.ends_with('/') {
            Some(path.as_path())
        } else {
            path.parent()
        };
        fs::create_dir_all(folder.expect("a name in the folder")).expect("a folder");
        if !name.ends_with('/') {
            fs::write(&path, text).expect("a file");
        }
    }
    let root = Root::open(dir.path(), Mode::FOLLOW).expect("the folder just made");
    (dir, root)
}

fn rel(path: &str) -> RelPath {
    RelPath::from_bytes(path.as_bytes()).expect("a plain path")
}

/// Paths in order, folders with a slash.
fn shown(walked: &Walked) -> Vec<String> {
    let show = |entry: rooted::Entry| match entry.kind {
        Kind::Dir => format!("{}/", entry.path),
        _ => entry.path.to_string(),
    };
    walked.entries.iter().map(show).collect()
}

fn walk(root: &Root, options: &WalkOptions) -> Arc<Walked> {
    rooted::walk(root, options).expect("the start is a folder")
}

#[track_caller]
fn check(root: &Root, options: &WalkOptions, want: &[&str]) -> Arc<Walked> {
    let walked = walk(root, options);
    assert_eq!(shown(&walked), want);
    let slow = root
        .with_mode(Mode::FOLLOW)
        .expect("the same root")
        .with_resolver(Resolver::Walk);
    let again = walk(&slow, options);
    assert_eq!(shown(&again), want, "component by component");
    assert_eq!(
        (walked.ignored, walked.unreadable),
        (again.ignored, again.unreadable)
    );
    walked
}

#[test]
fn entries_come_in_the_order_of_their_bytes() {
    let (_dir, root) = world(&[
        "src/a",
        "src-x",
        "src.d/z",
        "src/sub/b",
        "src0",
        "B",
        "a",
        "é",
    ]);
    let start = RelPath::root();
    let options = WalkOptions::new(&start);
    let want = [
        "B",
        "a",
        "src/",
        "src-x",
        "src.d/",
        "src.d/z",
        "src/a",
        "src/sub/",
        "src/sub/b",
        "src0",
        "é",
    ];
    let walked = check(&root, &options, &want);
    let mut sorted: Vec<_> = walked.entries.iter().collect();
    sorted.sort();
    assert!(walked.entries.iter().eq(sorted));
    let files = WalkOptions {
        files_only: true,
        ..options
    };
    let want = [
        "B",
        "a",
        "src-x",
        "src.d/z",
        "src/a",
        "src/sub/b",
        "src0",
        "é",
    ];
    check(&root, &files, &want);
}

#[test]
fn what_lies_behind_a_path_is_found_whether_or_not_it_exists() {
    let (_dir, root) = world(&["a", "b/c", "b/d", "e"]);
    let walked = walk(&root, &WalkOptions::new(&RelPath::root()));
    for (path, want) in [
        ("", 0),
        ("a", 1),
        ("b", 2),
        ("b/c", 3),
        ("b/cc", 3),
        ("z", 5),
    ] {
        assert_eq!(walked.entries.behind(path.as_bytes()), want, "{path}");
    }
    let mut buffer = Vec::new();
    let third = walked.entries.path_bytes(2, &mut buffer);
    assert_eq!(third, Some(b"b/c".as_slice()));
    assert_eq!(walked.entries.kind(1), Some(Kind::Dir));
    assert!(walked.entries.get(5).is_none());
}

#[test]
fn depth_skips_and_temporary_names() {
    let (_dir, root) = world(&[
        "a/b/c/d",
        ".git/config",
        "x/node_modules/m",
        "node_modules",
        ".workspace-mcp-tmp-1",
        "a/.workspace-mcp-tmp-2/x",
    ]);
    let start = RelPath::root();
    let options = WalkOptions {
        skip: &[".git", "node_modules"],
        max_depth: 2,
        ..WalkOptions::new(&start)
    };
    check(&root, &options, &["a/", "a/b/", "node_modules", "x/"]);
    let files = WalkOptions {
        files_only: true,
        max_depth: usize::MAX,
        ..options
    };
    check(&root, &files, &["a/b/c/d", "node_modules"]);
    let start = rel(".git");
    let inside = WalkOptions {
        start: &start,
        ..files
    };
    check(&root, &inside, &[".git/config"]);
}

/// A tree of folders whose names `git check-ignore` was asked about; the answers are git's.
#[test]
fn ignore_rules_mean_what_git_means() {
    for (rules, names, want) in [
        // Negation, and the last line that matches decides.
        (
            "*.log\n!keep.log",
            "a.log keep.log sub/b.log sub/keep.log",
            "keep.log sub/keep.log",
        ),
        ("!keep.log\n*.log", "keep.log", ""),
        ("*.log\n!keep.log\nkeep.log", "keep.log", ""),
        // Anchors.
        ("/build", "build sub/build", "sub/build"),
        ("/build/", "build/x sub/build/y", "sub/build/y"),
        ("doc/api", "doc/api sub/doc/api", "sub/doc/api"),
        ("build/", "build/x sub/build/y other/z", "other/z"),
        ("build/", "build", "build"),
        // Wildcards.
        ("*~", "a~ a~b", "a~b"),
        (".env*", ".env .env.local x.env", "x.env"),
        ("*.py[cod]", "a.pyc a.pyo a.py a.pyx", "a.py a.pyx"),
        ("foo*bar", "foobar fooxbar foox", "foox"),
        ("a?c", "abc a/c ac", "a/c ac"),
        ("**/gen", "gen sub/gen sub/gen2", "sub/gen2"),
        ("gen/**", "gen/a gen/b/c x/gen/d", "x/gen/d"),
        ("a/**/z", "a/z a/b/z a/b/c/z b/z", "b/z"),
        ("*", "a b/c", ""),
        ("/*\n!/src", "a src/b x/y", "src/b"),
        (
            "*\n!*/\n!*.rs",
            "a.txt src/b.rs src/c.txt d.rs",
            "d.rs src/b.rs",
        ),
        // A folder that is left out cannot be looked into again.
        ("out/\n!out/keep", "out/keep out/x y", "y"),
        ("out/*\n!out/keep", "out/keep out/x y", "out/keep y"),
        // Odd lines.
        ("# a\n\n   \n!\n/\nb", "a b", "a"),
        ("\\#a\n\\!b\nc\\ ", "#a !b c", "c"),
        ("a   \nb\r\nc", "a b c d", "d"),
        ("\u{feff}a\nb", "a b c", "c"),
        ("[abc", "[abc a", "[abc a"),
        ("*.{js,ts}", "a.js b.ts x.{js,ts}", "a.js b.ts"),
        ("{a}", "{a} a", "a"),
        ("(shop)/[[]id]", "(shop)/[id] x", "x"),
        ("Foo", "foo x/Foo", "foo"),
    ] {
        let mut all: Vec<&str> = names.split(' ').collect();
        let text = format!(".gitignore={rules}");
        all.push(&text);
        for git in [None, Some(".git/HEAD")] {
            all.extend(git);
            let (_dir, root) = world(&all);
            let start = RelPath::root();
            let options = WalkOptions {
                files_only: true,
                skip: &[".git"],
                ..WalkOptions::new(&start)
            };
            let got = shown(&walk(&root, &options));
            let got: Vec<_> = got.iter().filter(|name| *name != ".gitignore").collect();
            let mut want: Vec<_> = want.split(' ').filter(|name| !name.is_empty()).collect();
            want.sort_unstable();
            assert_eq!(got, want, "{rules:?} on {names}");
            let everything = WalkOptions {
                include_ignored: true,
                ..options
            };
            let walked = walk(&root, &everything);
            assert_eq!(walked.entries.len(), names.split(' ').count() + 1);
            assert_eq!(walked.ignored, 0);
        }
    }
}

#[test]
fn rules_nearest_to_an_entry_decide() {
    let (_dir, root) = world(&[
        ".gitignore=*.log\n/only-here\n",
        "a.log",
        "sub/.gitignore=!b.log\n/c\n",
        "sub/b.log",
        "sub/x.log",
        "sub/c",
        "sub/only-here",
        "sub/deep/b.log",
        "sub/deep/c",
        "ign/.ignore=!d.log\nsecret\n",
        "ign/.gitignore=d.log\n!secret",
        "ign/d.log",
        "ign/secret",
        "target/.gitignore=*",
        "target/x/y",
        "only-here",
    ]);
    let start = RelPath::root();
    let options = WalkOptions {
        files_only: true,
        ..WalkOptions::new(&start)
    };
    let want = [
        ".gitignore",
        "ign/.gitignore",
        "ign/.ignore",
        "ign/d.log",
        "sub/.gitignore",
        "sub/b.log",
        "sub/deep/b.log",
        "sub/deep/c",
        "sub/only-here",
    ];
    let walked = check(&root, &options, &want);
    // a.log, only-here, ign/secret, sub/c, sub/x.log, target/.gitignore, target/x as one.
    assert_eq!(walked.ignored, 7);
}

#[test]
fn a_start_that_is_ignored_is_walked_by_the_other_rules() {
    let (_dir, root) = world(&[
        ".gitignore=dist/\n*.map\nlib*\n",
        "dist/app.js",
        "dist/app.map",
        "dist/dist/x",
        "dist/lib1",
        "dist/sub/.gitignore=y\n",
        "dist/sub/y",
        "dist/sub/z",
        "lib2/lib3",
        "lib2/a.map",
    ]);
    for (start, want) in [
        (
            "dist",
            "dist/app.js dist/dist/x dist/sub/.gitignore dist/sub/z",
        ),
        ("dist/sub", "dist/sub/.gitignore dist/sub/z"),
        ("lib2", "lib2/lib3"),
    ] {
        let start = rel(start);
        let options = WalkOptions {
            files_only: true,
            ..WalkOptions::new(&start)
        };
        check(&root, &options, &want.split(' ').collect::<Vec<_>>());
    }
}

#[test]
fn what_a_filter_hides_is_neither_entered_nor_counted() {
    let (_dir, root) = world(&[
        ".gitignore=*.log",
        "a",
        "secrets/x",
        "secrets/y.log",
        "b.log",
    ]);
    let asked = AtomicUsize::new(0);
    let hidden = |path: &RelPath, kind: Kind| {
        asked.fetch_add(1, Ordering::Relaxed);
        assert!(
            !path.starts_with(&rel("secrets")) || kind == Kind::Dir,
            "{path}"
        );
        path.as_bytes() == b"secrets" || path.as_bytes() == b"b.log"
    };
    let start = RelPath::root();
    let options = WalkOptions {
        hidden: Some(&hidden),
        ..WalkOptions::new(&start)
    };
    let walked = check(&root, &options, &[".gitignore", "a"]);
    assert_eq!(walked.ignored, 0);
    assert!(asked.load(Ordering::Relaxed) > 0);
}

#[test]
fn the_start_must_be_a_folder() {
    let (_dir, root) = world(&["file"]);
    for (path, want) in [
        ("file", "NotADirectory"),
        ("none", "NotFound"),
        ("file/x", "NotADirectory"),
    ] {
        let error = rooted::walk(&root, &WalkOptions::new(&rel(path))).expect_err("no folder");
        assert_eq!(format!("{:?}", error.kind), want, "{path}");
    }
    let start = RelPath::root();
    let empty = world(&[]);
    assert!(walk(&empty.1, &WalkOptions::new(&start)).entries.is_empty());
    let error = rooted::walk(&root, &WalkOptions::new(&rel("none"))).expect_err("missing");
    assert!(matches!(error.kind, ErrorKind::NotFound));
}

/// A tree large enough for several threads.
fn large() -> (TempDir, Root) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join(".gitignore"), "*.o\n").expect("a file");
    for i in 0..12 {
        for j in 0..12 {
            let folder = dir.path().join(format!("d{i}/e{j}"));
            fs::create_dir_all(&folder).expect("a folder");
            for name in ["a.c", "a.o", "b.c"] {
                fs::write(folder.join(name), "").expect("a file");
            }
        }
        fs::write(dir.path().join(format!("d{i}-x")), "").expect("a file");
    }
    let root = Root::open(dir.path(), Mode::FOLLOW).expect("the folder just made");
    (dir, root)
}

#[test]
fn threads_make_no_difference() {
    let (_dir, root) = large();
    let start = RelPath::root();
    let alone = WalkOptions {
        threads: 1,
        ..WalkOptions::new(&start)
    };
    let want = walk(&root, &alone);
    assert_eq!(want.entries.len(), 1 + 12 + 12 + 144 + 288);
    assert_eq!(want.ignored, 144);
    for round in 0..30 {
        let options = WalkOptions {
            threads: 2 + round % 4,
            ..alone
        };
        let walked = walk(&root, &options);
        assert_eq!(shown(&walked), shown(&want));
        assert_eq!(walked.ignored, want.ignored);
    }
}

#[test]
fn too_many_entries_are_cut_in_order() {
    let (_dir, root) = large();
    let start = RelPath::root();
    let all = shown(&walk(&root, &WalkOptions::new(&start)));
    for max_entries in [0, 1, 7, 20, 100, 300, 456, 457, 458] {
        for threads in [1, 3] {
            for files_only in [false, true] {
                let options = WalkOptions {
                    max_entries,
                    threads,
                    files_only,
                    ..WalkOptions::new(&start)
                };
                let walked = walk(&root, &options);
                let wanted = all
                    .iter()
                    .filter(|name| !files_only || !name.ends_with('/'));
                let n_all = wanted.clone().count();
                let want: Vec<_> = wanted.take(max_entries).cloned().collect();
                assert_eq!(shown(&walked), want);
                assert_eq!(walked.capped, n_all > max_entries);
            }
        }
    }
}

#[test]
fn a_walk_stops_when_told() {
    let (_dir, root) = large();
    let start = RelPath::root();
    for threads in [1, 3] {
        for after in [0, 1, 5, 60, 100] {
            let left = AtomicUsize::new(after);
            let stop = || {
                let take = |left: usize| left.checked_sub(1);
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                    .is_err()
            };
            let options = WalkOptions {
                stop: &stop,
                threads,
                ..WalkOptions::new(&start)
            };
            let walked = walk(&root, &options);
            assert!(walked.stopped);
            assert!(walked.entries.len() < 457);
            let mut sorted = shown(&walked);
            sorted.dedup();
            assert_eq!(sorted.len(), walked.entries.len());
        }
    }
}

#[test]
fn a_filter_that_panics_ends_the_walk() {
    let (_dir, root) = large();
    let start = RelPath::root();
    let hidden = |path: &RelPath, _: Kind| {
        assert!(path.as_bytes() != b"d7/e7/b.c", "as planned");
        false
    };
    let options = WalkOptions {
        hidden: Some(&hidden),
        threads: 3,
        ..WalkOptions::new(&start)
    };
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| walk(&root, &options)));
    assert!(ended.is_err());
}

#[test]
fn a_huge_file_of_rules_counts_up_to_its_limit() {
    let (dir, root) = world(&["a", "b", "zz"]);
    let mut text = String::from("a\n");
    text.extend((0..40_000).map(|n| format!("none{n}\n")));
    text.push_str("b\n");
    fs::write(dir.path().join(".gitignore"), text).expect("a file");
    let start = RelPath::root();
    check(&root, &WalkOptions::new(&start), &[".gitignore", "b", "zz"]);
}

#[test]
fn nested_rules_hold_up_to_a_number_of_lines() {
    let (dir, root) = world(&["1/2/3/4/5/mark"]);
    // Those above use up what may hold; below them the name stays.
    for (folder, rules) in [
        ("1", "none\n".repeat(4000)),
        ("1/2", "none\n".repeat(4000)),
        ("1/2/3", "none\n".repeat(2000)),
        ("1/2/3/4", "mark\n".to_owned()),
    ] {
        fs::write(dir.path().join(folder).join(".gitignore"), rules).expect("a file");
    }
    let start = rel("1/2/3/4");
    let options = WalkOptions {
        files_only: true,
        ..WalkOptions::new(&start)
    };
    let want = ["1/2/3/4/.gitignore", "1/2/3/4/5/mark"];
    check(&root, &options, &want);
}
