//! Diffs, held against those of git.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use workspace::Cancel;
use workspace::checkpoint::{Diff, DiffRequest};

use super::world::{Open, World, rel};

fn diff(open: &Open, request: &DiffRequest<'_>) -> Diff {
    open.repository.diff(request, &Cancel::never()).unwrap()
}

fn lines(numbers: impl IntoIterator<Item = u32>) -> String {
    numbers
        .into_iter()
        .map(|n| format!("fn line_{n}() {{\n    {n}\n}}\n"))
        .collect()
}

/// Compares the diff from `from` to the disk with the one that git makes of the next checkpoint.
fn same_as_git(world: &World, open: &Open, from: &str) {
    let id = open.repository.find(from).unwrap();
    let request = DiffRequest {
        checkpoint: Some(id),
        ..DiffRequest::default()
    };
    let ours = diff(open, &request);
    let counts = diff(
        open,
        &DiffRequest {
            counts: true,
            ..request
        },
    );
    open.commit("then");
    let args = [
        "-c",
        "core.quotepath=false",
        "diff",
        "--abbrev=7",
        "--no-renames",
        from,
        "HEAD",
    ];
    assert_eq!(ours.text, world.git(&args));
    assert!(ours.omitted.is_empty());
    let stat: String = counts
        .counts
        .iter()
        .map(|count| match count.is_binary {
            true => format!("-\t-\t{}\n", count.path),
            false => format!("{}\t{}\t{}\n", count.added, count.removed, count.path),
        })
        .collect();
    let args = [
        "-c",
        "core.quotepath=false",
        "diff",
        "--numstat",
        "--no-renames",
        from,
        "HEAD",
    ];
    assert_eq!(stat, world.git(&args));
}

#[test]
fn diffs_are_those_of_git() {
    let world = World::with(&["gone", "mode", "same", "both"]);
    world.write("long", lines(0..300));
    world.write("end", "no newline");
    world.write("empty", "");
    world.write("binary", [0, 1, 2]);
    world.write("name with space", "x\n");
    world.write("ümläut", "x\n");
    let open = world.open();
    let first = open.initial.unwrap().to_string();
    world.remove("gone");
    let mode = |name: &str| {
        fs::set_permissions(world.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    };
    mode("mode");
    world.write("both", "other\n");
    mode("both");
    let mut long: Vec<u32> = (0..300).collect();
    long.remove(250);
    long.insert(100, 1000);
    long[20] = 2000;
    world.write("long", lines(long) + "last");
    world.write("end", "no newline\nmore\n");
    world.write("empty", "not any more\n");
    world.write("new empty", "");
    world.write("new/file", "1\n2\n");
    world.write("binary", [0, 1, 3]);
    world.write("new.bin", [0]);
    world.write("name with space", "y\n");
    world.write("ümläut", "y");
    same_as_git(&world, &open, &first);
    world.write("long", lines(50..200));
    world.remove("name with space");
    world.remove("binary");
    same_as_git(&world, &open, &first);
    same_as_git(&world, &open, &first);
}

#[test]
fn a_name_hides_nothing_in_a_diff() {
    let odd = [
        "a\u{202e}b",
        "zero\u{200b}width",
        "esc\u{1b}[2J",
        "line\nbreak",
        "q\"uote",
    ];
    let world = World::new();
    for name in odd {
        world.write(name, "x\n");
    }
    let open = world.open();
    for name in odd {
        world.write(name, "y\n");
    }
    let diff = diff(&open, &DiffRequest::default()).text;
    for name in [
        r#""a/a\342\200\256b" "b/a\342\200\256b""#,
        r#""a/zero\342\200\213width""#,
        r#""a/esc\033[2J""#,
        r#""a/line\nbreak""#,
        r#""a/q\"uote""#,
    ] {
        assert!(diff.contains(&format!("diff --git {name}")), "{diff}");
    }
    assert!(
        !diff.contains(|c: char| c != '\n' && rooted::is_hidden(c)),
        "{diff}"
    );
}

#[test]
fn a_diff_is_of_a_path_when_asked() {
    let world = World::with(&["a/1", "a/2", "ab", "b"]);
    let open = world.open();
    for path in ["a/1", "a/2", "ab", "b"] {
        world.write(path, "new\n");
    }
    let of = |path: &str| {
        let path = rel(path);
        let request = DiffRequest {
            path: Some(&path),
            counts: true,
            ..DiffRequest::default()
        };
        let counts = diff(&open, &request).counts;
        counts
            .iter()
            .map(|count| count.path.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("a"), ["a/1", "a/2"]);
    assert_eq!(of("ab"), ["ab"]);
    assert_eq!(of("c"), [""; 0]);
}

#[test]
fn a_long_diff_is_cut_between_files() {
    let world = World::new();
    let open = super::world::open_with(
        &world.root(),
        workspace::checkpoint::Options {
            rules: workspace::checkpoint::Rules::new(4_000_000, &[""; 0]),
            ..super::world::options()
        },
    )
    .unwrap();
    world.write("a", "x\n".repeat(10));
    world.write("b", "x\n".repeat(2_000_000));
    world.write("c", "y\n".repeat(200_000));
    world.write("d", "z\n".repeat(200_000));
    world.write("e", "z\n");
    let found = diff(&open, &DiffRequest::default());
    assert_eq!(found.omitted, [rel("b"), rel("d"), rel("e")]);
    assert!(found.text.len() <= 1024 * 1024 && found.text.ends_with("+y\n"));
    assert!(found.text.contains("+++ b/a\n") && found.text.contains("+++ b/c\n"));
}
