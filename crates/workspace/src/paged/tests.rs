//! A world of files, and what each of the five things tells of it.

#![cfg(unix)]

mod changing;
mod limits;
mod vectors;
mod world;
mod writing;

use rooted::Kind;

use self::world::{World, ends, failed};
use super::{ListRequest, Options, ReadRequest, SearchRequest};

fn names(world: &World, path: &str) -> Vec<String> {
    let paged = world.open();
    let page = paged.list_directory(
        &crate::Cancel::never(),
        &ListRequest {
            path: Some(path),
            ..ListRequest::default()
        },
    );
    let items = page.unwrap().items.into_iter();
    items
        .map(|entry| format!("{} {}", entry.kind, entry.path))
        .collect()
}

#[test]
fn a_folder_is_listed_only_for_what_is_served_in_it() {
    let world = World::new(&[
        ("a.txt", "a"),
        ("full/deep/er/x", "x"),
        ("node_modules/x", "x"),
        (".env", "secret"),
        (".workspace-mcp/lock", ""),
        (".workspace-mcp-tmp-1", "t"),
    ]);
    world.make_dir("empty/below");
    world.link("a.txt", "link");
    world.link("full", "linked");
    assert_eq!(names(&world, ""), ["file a.txt", "directory full"]);
    assert_eq!(names(&world, "."), names(&world, ""));
    assert_eq!(names(&world, "full"), ["directory full/deep"]);
    for path in [
        "missing",
        "a.txt",
        "linked",
        "node_modules",
        "empty",
        ".workspace-mcp",
        "a.txt/x",
    ] {
        assert!(names(&world, path).is_empty(), "{path}");
    }
}

#[test]
fn names_that_cannot_be_arguments_are_left_out_and_bad_ones_counted() {
    let world = World::new(&[
        ("a\\b", ""),
        ("C:x", ""),
        ("d/C:x", ""),
        ("line\nbreak", ""),
        ("ok", ""),
    ]);
    world.make_raw(b"bad\xff", b"x");
    world.make_raw(b"d/bad\xfe", b"x");
    let paged = world.open();
    let page = paged.search_files(
        &crate::Cancel::never(),
        &SearchRequest {
            any_of: Some(&[
                "a".to_owned(),
                "o".to_owned(),
                "x".to_owned(),
                "k".to_owned(),
            ]),
            ..SearchRequest::default()
        },
    );
    let page = page.unwrap();
    let paths: Vec<_> = page.items.iter().map(|found| &*found.path).collect();
    assert_eq!(paths, ["d/C:x", "line\nbreak", "ok"]);
    assert_eq!(page.skipped.names, 2);
}

#[test]
fn bad_names_are_counted_where_they_were_asked_for_only() {
    let world = World::new(&[("ok", "x"), ("d/ok", "x"), ("d/e/ok", "x"), ("f/ok", "x")]);
    world.make_raw(b"bad\xff", b"x");
    world.make_raw(b"d/bad\xfe", b"x");
    world.make_raw(b"d/e/bad\xfe", b"x");
    let paged = world.open();
    let never = crate::Cancel::never();
    for (path, in_folder, beneath) in [
        ("", 1, 3),
        ("d", 1, 2),
        ("d/e", 1, 1),
        ("f", 0, 0),
        ("ok", 0, 0),
    ] {
        let list = ListRequest {
            path: Some(path),
            ..ListRequest::default()
        };
        let search = SearchRequest {
            query: Some("x"),
            path: Some(path),
            ..SearchRequest::default()
        };
        let listed = paged.list_directory(&never, &list).unwrap().skipped.names;
        let searched = paged.search_text(&never, &search).unwrap().skipped.names;
        assert_eq!((listed, searched), (in_folder, beneath), "{path}");
    }
}

#[test]
fn searching_paths() {
    let world = World::new(&[
        ("Ab.md", ""),
        ("lib/ab.md", ""),
        ("lib/É.md", ""),
        ("x", ""),
    ]);
    let find = |query: &str, folds: bool| {
        let paged = world.open();
        let request = SearchRequest {
            query: Some(query),
            case_insensitive: folds,
            ..SearchRequest::default()
        };
        let page = paged
            .search_files(&crate::Cancel::never(), &request)
            .unwrap();
        page.items
            .iter()
            .map(|found| found.path.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(find("ab", false), ["lib/ab.md"]);
    assert_eq!(find("AB", true), ["Ab.md", "lib/ab.md"]);
    assert_eq!(find("é", true), Vec::<String>::new());
    assert_eq!(find("b/", false), ["lib/ab.md", "lib/É.md"]);
}

#[test]
fn lines_as_they_are_told() {
    let long = format!("{}needle", "é".repeat(600));
    let world = World::new(&[
        (
            "a.txt",
            "one needle\r\nnothing\nneedle needle\n\nlast needle",
        ),
        ("bom.txt", "\u{feff}needle\n"),
        ("long.txt", &long),
        ("sub/b.txt", "needle\n"),
    ]);
    world.make_raw(b"bad.txt", b"needle \xff\nneedle ok\n");
    world.make_raw(b"bin", b"\0\xff needle\n");
    world.make_raw(b"late", b"needle\n\0 alone\nbad \xff\n");
    let paged = world.open();
    let request = SearchRequest {
        query: Some("needle"),
        ..SearchRequest::default()
    };
    let page = paged
        .search_text(&crate::Cancel::never(), &request)
        .unwrap();
    let told: Vec<_> = page
        .items
        .iter()
        .map(|line| (&*line.path, line.line, &*line.text))
        .collect();
    let cut = "é".repeat(512);
    assert_eq!(
        told,
        [
            ("a.txt", 1, "one needle"),
            ("a.txt", 3, "needle needle"),
            ("a.txt", 5, "last needle"),
            ("bad.txt", 2, "needle ok"),
            ("bom.txt", 1, "needle"),
            ("late", 1, "needle"),
            ("long.txt", 1, &cut),
            ("sub/b.txt", 1, "needle"),
        ]
    );
    assert_eq!((page.skipped.binary, page.skipped.lines), (1, 1));
    assert_eq!(page.next_cursor, None);
    let within = |path: &str| {
        let request = SearchRequest {
            path: Some(path),
            ..request
        };
        let page = paged
            .search_text(&crate::Cancel::never(), &request)
            .unwrap();
        page.items.len()
    };
    assert_eq!(within("sub"), 1);
    assert_eq!(within("sub/b.txt"), 1);
    assert_eq!(within("missing"), 0);
}

#[test]
fn bad_questions() {
    let world = World::new(&[("a.txt", "a")]);
    let paged = world.open();
    let never = crate::Cancel::never();
    let search = |request: SearchRequest<'_>| {
        assert_eq!(
            paged.search_files(&never, &request).map(|_| ()),
            paged.search_text(&never, &request).map(|_| ())
        );
        failed(paged.search_text(&never, &request))
    };
    let none = SearchRequest::default();
    let several = ["a".to_owned()];
    let long = "é".repeat(129);
    assert_eq!(search(none), "query must be a non-empty string");
    for (request, text) in [
        (
            SearchRequest {
                query: Some("a"),
                any_of: Some(&several),
                ..none
            },
            "pass either query or any_of, not both",
        ),
        (
            SearchRequest {
                query: Some("a\nb"),
                ..none
            },
            "query must be one line of at most 256 UTF-8 bytes",
        ),
        (
            SearchRequest {
                query: Some(&long),
                ..none
            },
            "query must be one line of at most 256 UTF-8 bytes",
        ),
        (
            SearchRequest {
                query: Some("a"),
                limit: Some(u64::MAX),
                ..none
            },
            "limit must be a positive integer",
        ),
    ] {
        assert_eq!(search(request), text);
    }
    let bad = ListRequest {
        path: Some("../x"),
        ..ListRequest::default()
    };
    assert_eq!(
        failed(paged.list_directory(&never, &bad)),
        "path is not a relative path inside the root"
    );
}

#[test]
fn reading_what_is_not_to_be_read() {
    let world = World::new(&[
        ("a.txt", "a"),
        ("d/x", "x"),
        ("b.bin", "x"),
        (".env", "x"),
        ("big.txt", "0123456789"),
        (".workspace-mcp/state.json", "{}"),
    ]);
    world.make_raw(b"bad.txt", b"ok\xff");
    world.link("a.txt", "link");
    world.link("d", "linked");
    let paged = world.open_with(|options| Options {
        include: vec![
            "**/*.txt".into(),
            "d/**".into(),
            "link*/**".into(),
            "link".into(),
            ".*".into(),
        ],
        exclude: vec!["d/secret".into()],
        limits: super::Limits {
            max_file_bytes: 9,
            ..options.limits
        },
        ..options
    });
    for (path, text) in [
        ("", "path must name a file"),
        (".", "path must name a file"),
        ("a/../b", "path is not a relative path inside the root"),
        (".env", "path matches an --exclude pattern of this root"),
        (
            "d/secret/x",
            "path matches an --exclude pattern of this root",
        ),
        ("b.bin", "path is not served by this root"),
        ("linked/x", "path is not served by this root"),
        ("missing/x.txt", "path is not served by this root"),
        (
            ".workspace-mcp/state.json",
            "path is not served by this root",
        ),
        ("d/missing", "path is not a readable regular file"),
        ("link", "path is not a readable regular file"),
        ("big.txt", "file exceeds the configured size limit"),
        ("bad.txt", "file is not valid UTF-8"),
    ] {
        let request = ReadRequest {
            path,
            ..ReadRequest::default()
        };
        assert_eq!(
            failed(paged.read_text_file(&crate::Cancel::never(), &request)),
            text,
            "{path}"
        );
    }
    let dir = world.open_with(|options| Options {
        include: vec!["**".into()],
        ..options
    });
    let request = ReadRequest {
        path: "d",
        ..ReadRequest::default()
    };
    assert_eq!(
        failed(dir.read_text_file(&crate::Cancel::never(), &request)),
        "path is not a readable regular file"
    );
}

#[test]
fn a_file_comes_back_whole_from_its_pages() {
    let text: String = (0..4000)
        .map(|n| if n % 7 == 0 { "😀é\n" } else { "abcd" })
        .collect();
    let world = World::new(&[("a.txt", &text), ("empty.txt", "")]);
    for max_read_bytes in [4, 5, 2047, 2049, 16_384, 1_048_576] {
        let paged = world.open_with(|options| Options {
            limits: super::Limits {
                max_read_bytes,
                ..options.limits
            },
            ..options
        });
        // Small pages are many, and each is made alike.
        let wanted = if max_read_bytes < 100 {
            400
        } else {
            text.len()
        };
        let mut whole = String::new();
        let mut cursor = None;
        while whole.len() < wanted {
            let request = ReadRequest {
                path: "a.txt",
                cursor: cursor.as_deref(),
                ..ReadRequest::default()
            };
            let page = paged
                .read_text_file(&crate::Cancel::never(), &request)
                .unwrap();
            let part: String = page.items.iter().map(|chunk| chunk.text.as_str()).collect();
            assert_eq!(page.items[0].byte_offset, whole.len() as u64);
            assert_eq!(
                page.content_hash,
                super::page::content_hash(part.as_bytes())
            );
            whole.push_str(&part);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert!(
            text.starts_with(&whole) && (whole.len() >= wanted),
            "{max_read_bytes}"
        );
    }
    let paged = world.open();
    let empty = ends(paged.read_text_file(
        &crate::Cancel::never(),
        &ReadRequest {
            path: "empty.txt",
            ..ReadRequest::default()
        },
    ));
    assert!(empty.is_empty());
}

#[test]
fn a_file_from_a_line_on() {
    let world = World::new(&[("a.txt", "one\ntwo\nthree")]);
    world.make_raw(b"late.txt", b"\xff\xff\nfine\n");
    let paged = world.open();
    let read = |path: &str, line: u64| {
        let request = ReadRequest {
            path,
            start_line: Some(line),
            ..ReadRequest::default()
        };
        ends(paged.read_text_file(&crate::Cancel::never(), &request))
    };
    let texts =
        |path, line| -> String { read(path, line).iter().map(|c| c.text.as_str()).collect() };
    assert_eq!(texts("a.txt", 1), "one\ntwo\nthree");
    assert_eq!(texts("a.txt", 3), "three");
    assert_eq!(read("a.txt", 3)[0].byte_offset, 8);
    assert_eq!(texts("a.txt", 4), "");
    assert_eq!(texts("late.txt", 2), "fine\n");
}

#[test]
fn a_pipe_never_blocks() {
    let world = World::new(&[("a.txt", "needle")]);
    world.make_pipe("pipe.txt");
    assert_eq!(world.kind("pipe.txt"), Kind::Special);
    let paged = world.open();
    let never = crate::Cancel::never();
    assert_eq!(names(&world, ""), ["file a.txt"]);
    let request = SearchRequest {
        query: Some("needle"),
        ..SearchRequest::default()
    };
    assert_eq!(ends(paged.search_text(&never, &request)).len(), 1);
    let request = ReadRequest {
        path: "pipe.txt",
        ..ReadRequest::default()
    };
    assert_eq!(
        failed(paged.read_text_file(&never, &request)),
        "path is not a readable regular file"
    );
    let write = super::WriteRequest {
        path: "pipe.txt",
        content: "x",
        expected_hash: None,
    };
    assert_eq!(
        failed(paged.write_text_file(&never, &write)),
        "destination is not a writable regular file"
    );
    assert_eq!(world.kind("pipe.txt"), Kind::Special);
}
