//! Listing, reading and searching.

use std::fs;
use std::os::unix::fs::symlink;

use workspace::Cancel;
use workspace::managed::{DiffRequest, Found, ReadRequest, SearchRequest};

use super::world::{World, create, replace, sha256, world, world_with};

fn search(world: &World, request: &SearchRequest<'_>) -> Found {
    world
        .managed
        .search_text(request, &Cancel::never())
        .unwrap()
}

fn query(query: &str) -> SearchRequest<'_> {
    SearchRequest {
        query,
        regex: false,
        path_limit: None,
        include: None,
    }
}

fn places(found: &Found) -> Vec<String> {
    let place = |hit: &workspace::managed::Hit| {
        format!(
            "{}:{}:{}: {}",
            hit.path, hit.line, hit.column, hit.line_text
        )
    };
    found.hits.iter().map(place).collect()
}

#[test]
fn a_folder_is_listed_by_name() {
    let world = world(&[
        "b",
        "A",
        ".hidden",
        "d/x",
        "node_modules/x",
        ".mcp-tmp-1.tmp",
    ]);
    symlink("nowhere", world.path("link")).unwrap();
    let list = |path: &str| {
        let listed = world.managed.list_directory(path, &Cancel::never());
        listed.map(|entries| {
            entries
                .into_iter()
                .map(|one| (one.name, one.is_directory, one.size))
                .collect::<Vec<_>>()
        })
    };
    let file = |name: &str, size| (name.to_owned(), false, Some(size));
    let want = [
        file(".hidden", 7),
        file("A", 1),
        file("b", 1),
        ("d".to_owned(), true, None),
        file("link", 7),
    ];
    assert_eq!(list("").unwrap(), want);
    assert_eq!(list("d").unwrap(), [file("x", 3)]);
    let said = |path: &str| list(path).unwrap_err().to_string();
    assert_eq!(said("b"), "ERROR [DIRECTORY_EXPECTED]: not a directory: b");
    assert_eq!(
        said("."),
        "ERROR [INVALID_PATH]: '.': components must be explicit"
    );
    assert_eq!(said("none"), "ERROR [FILE_NOT_FOUND]: not found: none");
    assert_eq!(
        said("link"),
        "ERROR [REPARSE_POINT_FORBIDDEN]: reparse point in path: link"
    );
}

#[test]
fn a_file_is_read_whole_or_by_lines() {
    let world = world_with(&["d/x"], |options| options.max_read_bytes = 30);
    world.write("text", "\u{feff}one\r\ntwo\nthree");
    world.write("long", &"x".repeat(31));
    world.write("binary", "\0");
    fs::write(world.path("latin"), b"\xe9").unwrap();
    let read = |path: &str, offset, limit| {
        let request = ReadRequest {
            path,
            offset,
            limit,
        };
        world.managed.read_file(&request, &Cancel::never())
    };
    let whole = read("text", None, None).unwrap();
    assert_eq!(whole.content, "\u{feff}one\r\ntwo\nthree");
    assert_eq!(whole.sha256, sha256("\u{feff}one\r\ntwo\nthree"));
    assert_eq!(whole.size, 17);
    for (offset, limit, want) in [
        (Some(2), Some(1), "two\n"),
        (Some(2), None, "two\nthree"),
        (None, Some(1), "\u{feff}one\r\n"),
        (Some(9), None, ""),
    ] {
        let part = read("text", offset, limit).unwrap();
        assert_eq!(part.content, want);
        assert_eq!((&part.sha256, part.size), (&whole.sha256, whole.size));
    }
    for (path, want) in [
        (
            "long",
            "ERROR [READ_TOO_LARGE]: file exceeds max_read_bytes (30)",
        ),
        (
            "binary",
            "ERROR [BINARY_FILE_UNSUPPORTED]: binary files are not supported",
        ),
        (
            "latin",
            "ERROR [BINARY_FILE_UNSUPPORTED]: file is not valid UTF-8 text",
        ),
        ("d", "ERROR [DIRECTORY_EXPECTED]: not a file: d"),
    ] {
        assert_eq!(read(path, None, None).unwrap_err().to_string(), want);
    }
}

#[test]
fn each_place_is_a_hit() {
    let world = world(&["node_modules/ab", ".dot", "dir/.dot"]);
    world.write("a.txt", "ab é ab\r\nnone\nxab\n");
    world.write("z.TXT", "ab");
    world.write("dir/b.md", "a\u{2028}ab");
    world.write("binary", "ab\0");
    world.write(".dir/in", "ab");
    let found = search(&world, &query("ab"));
    let want = [
        "z.TXT:1:1: ab",
        "a.txt:1:1: ab é ab",
        "a.txt:1:6: ab é ab",
        "a.txt:3:2: xab",
        ".dir/in:1:1: ab",
        "dir/b.md:2:1: ab",
    ];
    assert_eq!(places(&found), want);
    assert!(!found.truncated);
    let regex = SearchRequest {
        regex: true,
        path_limit: Some("dir"),
        ..query("^a.?$")
    };
    assert_eq!(
        places(&search(&world, &regex)),
        ["dir/b.md:1:1: a\u{2028}", "dir/b.md:2:1: ab"],
        "a line ends at any line break"
    );
    let named = SearchRequest {
        include: Some(".txt"),
        ..query("ab")
    };
    assert_eq!(search(&world, &named).hits.len(), 4);
    let bad = SearchRequest {
        regex: true,
        ..query("(")
    };
    world
        .managed
        .search_text(&bad, &Cancel::never())
        .unwrap_err();
}

#[test]
fn a_search_tells_when_there_is_more() {
    let world = world_with(&[], |options| {
        options.max_search_results = 3;
        options.include_hidden = true;
    });
    world.write(".a", &"x".repeat(600));
    let found = search(&world, &query("xx"));
    assert_eq!((found.hits.len(), found.truncated), (3, true));
    assert_eq!(found.hits[0].line_text.len(), 500);
}

#[test]
fn a_difference_is_told_whole_or_counted() {
    let world = world(&["a", "b"]);
    let first = world.head();
    world
        .apply(&[replace("a", "a", "1\n2\n"), create("n", "x\n")])
        .unwrap();
    let diff = |request: &DiffRequest<'_>| world.managed.diff(request, &Cancel::never()).unwrap();
    assert_eq!(diff(&DiffRequest::default()).diff, "");
    let request = DiffRequest {
        checkpoint: Some(&first),
        ..DiffRequest::default()
    };
    let text = diff(&request).diff;
    assert!(text.contains("+++ b/a") && text.contains("new file mode 100644"));
    let counted = diff(&DiffRequest {
        stat: true,
        path: Some("n"),
        ..request
    });
    assert_eq!(counted.diff, "");
    assert_eq!(counted.stat.len(), 1);
    assert_eq!((counted.stat[0].added, counted.stat[0].removed), (1, 0));
}
