//! What happens at each limit.

use super::world::{World, failed};
use crate::Cancel;
use crate::paged::{Limits, ListRequest, Options, Paged, ReadRequest, SearchRequest};

fn open(world: &World, limits: Limits) -> Paged {
    world.open_with(|options| Options { limits, ..options })
}

const FIND: SearchRequest<'_> = SearchRequest {
    query: Some("needle"),
    any_of: None,
    case_insensitive: false,
    path: None,
    cursor: None,
    limit: None,
};

#[test]
fn each_ceiling_of_a_walk_fails_the_call() {
    let world = World::new(&[("a/b/c/x", "x"), ("a/y", "y"), ("z", "z")]);
    let usual = Limits::default();
    for (limits, text) in [
        (
            Limits {
                max_depth: 2,
                ..usual.clone()
            },
            "directory depth limit exceeded",
        ),
        (
            Limits {
                max_directories: 3,
                ..usual.clone()
            },
            "directory limit exceeded",
        ),
        (
            Limits {
                max_entries: 5,
                ..usual.clone()
            },
            "directory entry limit exceeded",
        ),
        (
            Limits {
                max_files: 2,
                ..usual.clone()
            },
            "file limit exceeded",
        ),
    ] {
        let paged = open(&world, limits.clone());
        assert_eq!(failed(paged.search_files(&Cancel::never(), &FIND)), text);
        assert_eq!(failed(paged.search_text(&Cancel::never(), &FIND)), text);
    }
    let fits = Limits {
        max_depth: 3,
        max_directories: 4,
        max_entries: 6,
        max_files: 3,
        ..usual.clone()
    };
    let paged = open(&world, fits);
    assert!(paged.search_text(&Cancel::never(), &FIND).is_ok());
    // A listing looks no further than the first file that is served.
    let list = |limits, path| {
        let request = ListRequest {
            path: Some(path),
            ..ListRequest::default()
        };
        open(&world, limits).list_directory(&Cancel::never(), &request)
    };
    assert!(
        list(
            Limits {
                max_depth: 1,
                ..usual.clone()
            },
            ""
        )
        .is_ok()
    );
    assert_eq!(
        failed(list(
            Limits {
                max_depth: 0,
                ..usual.clone()
            },
            ""
        )),
        "directory depth limit exceeded"
    );
    assert_eq!(
        failed(list(
            Limits {
                max_files: 1,
                ..usual.clone()
            },
            ""
        )),
        "file limit exceeded"
    );
    assert_eq!(
        failed(list(
            Limits {
                max_directories: 2,
                ..usual.clone()
            },
            "a/b"
        )),
        "directory limit exceeded"
    );
    assert!(
        list(
            Limits {
                max_directories: 4,
                ..usual
            },
            "a/b"
        )
        .is_ok()
    );
}

#[test]
fn large_files_are_left_out() {
    let world = World::new(&[("large", "0123456789"), ("small", "1")]);
    let paged = open(
        &world,
        Limits {
            max_file_bytes: 9,
            ..Limits::default()
        },
    );
    let page = paged
        .list_directory(&Cancel::never(), &ListRequest::default())
        .unwrap();
    assert_eq!(page.items.len(), 1);
    let request = SearchRequest {
        query: Some("l"),
        ..FIND
    };
    assert_eq!(
        paged
            .search_files(&Cancel::never(), &request)
            .unwrap()
            .items
            .len(),
        1
    );
}

/// Searches page by page: number and length of each line that is found, and where each page but the
/// last ended.
fn traverse(paged: &Paged) -> (Vec<(u64, usize)>, Vec<String>) {
    let mut cursor = None;
    let mut found = Vec::new();
    let mut positions = Vec::new();
    loop {
        let request = SearchRequest {
            cursor: cursor.as_deref(),
            ..FIND
        };
        let page = paged.search_text(&Cancel::never(), &request).unwrap();
        let lines = page.items.into_iter();
        found.extend(lines.map(|line| (line.line, line.text.len())));
        let Some(next) = page.next_cursor else {
            return (found, positions);
        };
        positions.push(position(&next));
        cursor = Some(next);
    }
}

#[test]
fn a_page_ends_where_it_has_cost_enough() {
    // Each file costs its size twice: to tell what it is, and to be searched.
    let content = "x".repeat(4000);
    let files: Vec<(String, &str)> = (0..7)
        .map(|n| (format!("f{n}"), content.as_str()))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(n, c)| (n.as_str(), *c)).collect();
    let world = World::new(&files);
    let paged = open(
        &world,
        Limits {
            max_scan_bytes: 20_000,
            ..Limits::default()
        },
    );
    let (found, positions) = traverse(&paged);
    assert_eq!(found, []);
    assert_eq!(
        positions,
        [
            r#"{"file":2,"offset":0,"lineStart":0,"line":1,"matched":false}"#,
            r#"{"file":4,"offset":0,"lineStart":0,"line":1,"matched":false}"#,
            r#"{"file":6,"offset":0,"lineStart":0,"line":1,"matched":false}"#,
        ]
    );
}

#[test]
fn a_page_may_end_in_the_midst_of_a_line() {
    let line = format!("{}needle{}\nneedle\n", "a".repeat(8190), "b".repeat(30_000));
    let world = World::new(&[("f", &line)]);
    let paged = open(
        &world,
        Limits {
            max_scan_bytes: 16_384,
            ..Limits::default()
        },
    );
    let (found, positions) = traverse(&paged);
    assert_eq!(found, [(1, 1024), (2, 6)]);
    assert_eq!(
        positions,
        [
            r#"{"file":0,"offset":8192,"lineStart":0,"line":1,"matched":false}"#,
            r#"{"file":0,"offset":24576,"lineStart":0,"line":1,"matched":true}"#,
        ]
    );
}

#[test]
fn start_line_costs_what_a_page_may() {
    let world = World::new(&[("a.csv", &"row\n".repeat(10_000))]);
    let paged = open(
        &world,
        Limits {
            max_scan_bytes: 16_384,
            ..Limits::default()
        },
    );
    let read = |line| {
        let request = ReadRequest {
            path: "a.csv",
            start_line: Some(line),
            ..ReadRequest::default()
        };
        paged
            .read_text_file(&Cancel::never(), &request)
            .map(|page| page.items.len())
    };
    assert_eq!(read(4097).unwrap(), 8);
    assert_eq!(
        failed(read(4098)),
        "start_line is further into the file than one page may scan"
    );
    assert_eq!(
        failed(read(u64::MAX)),
        "start_line must be a positive integer"
    );
}

#[test]
fn hashing_has_a_ceiling_and_what_is_hashed_is_known() {
    let world = World::new(&[("a", "0123456789"), ("b", "0123456789")]);
    let paged = world.open_with(|options| Options {
        cursor_key: Some(vec![7; 32]),
        limits: Limits {
            max_cursor_hash_bytes: 15,
            ..options.limits
        },
        ..options
    });
    let text = "deterministic cursor hashing exceeds the configured byte ceiling";
    assert_eq!(failed(paged.search_text(&Cancel::never(), &FIND)), text);
    assert!(paged.search_text(&Cancel::never(), &FIND).is_ok());
}

#[test]
fn the_longest_page_that_fits_is_kept() {
    let content = "\u{1}\"\\".repeat(2000);
    let world = World::new(&[("a.txt", &content)]);
    let paged = open(
        &world,
        Limits {
            max_read_bytes: 100_000,
            ..Limits::default()
        },
    );
    let request = ReadRequest {
        path: "a.txt",
        ..ReadRequest::default()
    };
    let page = paged.read_text_file(&Cancel::never(), &request).unwrap();
    let whole = |page: &crate::paged::Page<crate::paged::Chunk>| {
        let text = serde_json::to_string(page).unwrap();
        let text_json = serde_json::to_string(&text).unwrap();
        format!(
            "{{\"content\":[{{\"type\":\"text\",\"text\":{text_json}}}],\"structuredContent\":{text},\
             \"resultType\":\"complete\",\"_meta\":{{\"io.modelcontextprotocol/serverInfo\":\
             {{\"name\":\"ptc-fs-mcp\",\"version\":\"0.4.0\"}}}}}}"
        )
        .len()
    };
    assert_eq!(page.items.len(), 2);
    assert!(whole(&page) <= 48_000);
    let next = ReadRequest {
        cursor: page.next_cursor.as_deref(),
        ..request
    };
    let rest = paged.read_text_file(&Cancel::never(), &next).unwrap();
    let mut more = page.clone();
    more.items.push(rest.items[0].clone());
    assert!(whole(&more) > 48_000, "one more item would have fitted");
}

#[test]
fn a_cancelled_call_ends() {
    let world = World::new(&[("a", "needle")]);
    let paged = world.open();
    let cancel = Cancel::never();
    cancel.cancel();
    assert_eq!(
        failed(paged.search_text(&cancel, &FIND)),
        "cancelled before it was done"
    );
}

fn position(cursor: &str) -> String {
    use base64::Engine as _;
    let (payload, _) = cursor.split_once('.').unwrap();
    let json = base64::engine::general_purpose::URL_SAFE_NO_PAD
        .decode(payload)
        .unwrap();
    let json = String::from_utf8(json).unwrap();
    let (_, position) = json.split_once("\"p\":").unwrap();
    position.strip_suffix('}').unwrap().to_owned()
}
