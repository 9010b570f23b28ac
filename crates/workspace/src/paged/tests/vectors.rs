//! Deterministic cursors, worked out apart from this code by the recipe:
//!
//! ```text
//! scope = hex(sha256(tool NUL json(arguments)))
//! state = hex(sha256(part NUL ...)), parts by tool:
//!   list_directory  kind NUL path
//!   search_files    path
//!   search_text     path NUL size ":" hex(sha256(content))
//!   read_text_file  size ":" hex(sha256(content))
//! payload = base64url(json({v: 1, s: scope, t: state, p: position}))
//! cursor = payload "." base64url(hmac_sha256(key, payload))
//! ```
//!
//! The key is the bytes 0 to 31; paths are in the order of their UTF-16.

use super::world::{World, failed};
use crate::Cancel;
use crate::paged::{ListRequest, Options, Paged, ReadRequest, SearchRequest};

const LIST: &str = "eyJ2IjoxLCJzIjoiOGIzNTM3NzE0MTJjZDcxNTNkOTQ4MjBmNDc4YTYzNjc0ZjY0NTA0OTNlNzRkNTI0MmUxZGQxYWI5NDY0YjM2NyIsInQiOiI3YWU0MWIwNjQxMDA3NjI3OTJhNGYyNTJjYzFjNTg2MDBmYzBlOTYwYzg1ZDk0ZTIwN2VhZjE3NjRlMzIwMjVhIiwicCI6MX0.pV-0eoCFnARF0eqErflTeJDfCd2AsP_Qh-AM2N1qci4";
const FILES: &str = "eyJ2IjoxLCJzIjoiYTA0YjhlNzU3ZDJhMTVmMDU5MGM5MGVhOWI4MDJlYjUyN2YzMTA4NTViMjdkMjFmMDJhMzdkNTlmMjEwYzBhNiIsInQiOiJmNTQ1MjA3ZTRlYTA3NzRkYTk2NDBmM2Y3MjI2OTViNTk0Y2EwZDE1MGNiMGYyNTdmZTBkMzcxYmEyNDBmNzM0IiwicCI6Mn0.qKWi3MMOb5RR8viGVxZhYbglmln9xflpHFRvNqDcChI";
const TEXT: &str = "eyJ2IjoxLCJzIjoiYzRkM2ZiOGUzNjk0MTcxMWIxODU5NDExMzQyOWIyNTdmM2M0ZDdjMGI3ZGRmMTY0YWI2NmMyY2FmNmUwZjljNyIsInQiOiJmMTMzNDcxYTdjYTAyZTczZjM1ZDRkNDRiZDEzZjg1ZDY3Njk4OTMyY2UzYTQxZjgyYzMzZTNjMGYxOGVkZjQyIiwicCI6eyJmaWxlIjowLCJvZmZzZXQiOjgsImxpbmVTdGFydCI6OCwibGluZSI6MywibWF0Y2hlZCI6ZmFsc2V9fQ.DV87_IwuQ12gVjWFEHGYzWTgpdgrx5cVg-ppXbg1ZNM";
const TEXT_BELOW: &str = "eyJ2IjoxLCJzIjoiNTYyNGY1ZTVjMDRhMmI5YmE1YWQxZDM5YTVmMDgxY2RkZmViNDgxZmNmNzFjNDNkZGZkNjAxM2FkM2VmMTBmMCIsInQiOiI5Y2YwZmJhOWViZWUzNDk5OTRmOTNiZDA3MDk5OTE1NWQ4MzQ2M2U1MzkyNTJiNTA0N2VjNDQ5YmU0YTQzOTJmIiwicCI6eyJmaWxlIjowLCJvZmZzZXQiOjExLCJsaW5lU3RhcnQiOjExLCJsaW5lIjoyLCJtYXRjaGVkIjpmYWxzZX19._NTaUODjY8ZbfwCOdO26E7zy-Gr4KlPcRtJnM8HG3oA";
const TEXT_BELOW_NEXT: &str = "eyJ2IjoxLCJzIjoiNTYyNGY1ZTVjMDRhMmI5YmE1YWQxZDM5YTVmMDgxY2RkZmViNDgxZmNmNzFjNDNkZGZkNjAxM2FkM2VmMTBmMCIsInQiOiI5Y2YwZmJhOWViZWUzNDk5OTRmOTNiZDA3MDk5OTE1NWQ4MzQ2M2U1MzkyNTJiNTA0N2VjNDQ5YmU0YTQzOTJmIiwicCI6eyJmaWxlIjoxLCJvZmZzZXQiOjAsImxpbmVTdGFydCI6MCwibGluZSI6MSwibWF0Y2hlZCI6ZmFsc2V9fQ.QJ6ov5uvQ0Jrm4BtfpdDFkO9oEn6H6u7O4zk5rNV8tQ";
const READ: &str = "eyJ2IjoxLCJzIjoiNDVjZDhiNmMyZWRiYTRmN2JlYmExYTZkYTg3YmRmY2ZhN2Q2Y2MwNmI1Zjk4ZjhkZmEzMDFiM2M5M2JiOGFiOSIsInQiOiI3NjFhZDI0OGFjODgwOGMyMmQ1ODFhMDdjZDRhZjlkODYxMDQxMzNjNDMyMzZhMTRiNjdmNjczMzM5YmUwODBhIiwicCI6MjA0OH0.qh-ZTIoX9MPpQo6o0xl65H3WxHka0fD-SmLdPAC4nPo";
const READ_LINE: &str = "eyJ2IjoxLCJzIjoiZjZjN2VjZGEwNGI3MmJiM2ViODAwNDY4NDUzZWM5YWRhMzE3YzI5MmQ1ZDU0NzMzZjkyNjhiMzE2MzYwZjZkZSIsInQiOiJlY2I3NjNkYTE2NzdlMjNjM2NlZDZlZTg1Y2M4NDQ2NTA3NTNmOTJlMTBjZmY5OWY2ZjcxOWEzMTJjOGQyZTA3IiwicCI6NH0.ujehF6z5VrE0Zg3c69u35sxAUI1rnUvbLeyMqt09WNY";

fn world() -> World {
    World::new(&[
        ("a.txt", "one\ntwo\nthree\n"),
        ("b/c.txt", "two halves\n"),
        ("b/\u{fffd}.md", "y\n"),
        ("b/😀.md", "x two\n"),
        ("é.txt", "é two\r\n"),
    ])
}

fn open(world: &World) -> Paged {
    world.open_with(|options| Options {
        cursor_key: Some((0..32).collect()),
        ..options
    })
}

#[test]
fn list_directory_gives_and_takes_the_vector() {
    let world = world();
    let request = ListRequest {
        limit: Some(1),
        ..ListRequest::default()
    };
    let page = open(&world)
        .list_directory(&Cancel::never(), &request)
        .unwrap();
    assert_eq!(page.next_cursor.as_deref(), Some(LIST));
    assert_eq!(
        page.content_hash,
        "sha256:39bba00ed8bcc349a79fe2cfe8eb0ce980bcfc6e17ef00a328f831a37a96fdc8"
    );
    let next = ListRequest {
        cursor: Some(LIST),
        ..request
    };
    let page = open(&world)
        .list_directory(&Cancel::never(), &next)
        .unwrap();
    assert_eq!(&*page.items[0].path, "b");
}

#[test]
fn search_files_gives_and_takes_the_vector() {
    let world = world();
    let request = SearchRequest {
        query: Some("."),
        limit: Some(2),
        ..SearchRequest::default()
    };
    let page = open(&world)
        .search_files(&Cancel::never(), &request)
        .unwrap();
    assert_eq!(page.next_cursor.as_deref(), Some(FILES));
    assert_eq!(
        page.content_hash,
        "sha256:25a8b93328ec48892f3e7e2318916c308e019cd8e441e8a6c849d8a3fb1c1ae3"
    );
    let several = [".".to_owned()];
    let next = SearchRequest {
        query: None,
        any_of: Some(&several),
        cursor: Some(FILES),
        ..request
    };
    let page = open(&world).search_files(&Cancel::never(), &next).unwrap();
    let paths: Vec<_> = page.items.iter().map(|found| &*found.path).collect();
    assert_eq!(paths, ["b/😀.md", "b/\u{fffd}.md"]);
}

#[test]
fn search_text_gives_and_takes_the_vector() {
    let world = world();
    let several = ["TWO".to_owned(), "zzz".to_owned()];
    let request = SearchRequest {
        any_of: Some(&several),
        case_insensitive: true,
        limit: Some(1),
        ..SearchRequest::default()
    };
    let page = open(&world)
        .search_text(&Cancel::never(), &request)
        .unwrap();
    assert_eq!(page.next_cursor.as_deref(), Some(TEXT));
    assert_eq!(
        page.content_hash,
        "sha256:0b1cd2f53ae6bf49f61b30a5d89dac4a6adc28dce00e38484ef4522243343502"
    );
    let next = SearchRequest {
        cursor: Some(TEXT),
        ..request
    };
    let page = open(&world).search_text(&Cancel::never(), &next).unwrap();
    assert_eq!(&*page.items[0].path, "b/c.txt");
    let below = SearchRequest {
        query: Some("two"),
        path: Some("b/"),
        limit: Some(1),
        ..SearchRequest::default()
    };
    let page = open(&world).search_text(&Cancel::never(), &below).unwrap();
    // The page is full at the end of its file, so the next one begins with the next.
    assert_eq!(page.next_cursor.as_deref(), Some(TEXT_BELOW_NEXT));
    // The same place, told as the end of the file before it, as a page says that was made shorter.
    for cursor in [TEXT_BELOW, TEXT_BELOW_NEXT] {
        let next = SearchRequest {
            cursor: Some(cursor),
            ..below
        };
        let page = open(&world).search_text(&Cancel::never(), &next).unwrap();
        assert_eq!(&*page.items[0].path, "b/😀.md");
    }
}

#[test]
fn read_text_file_gives_and_takes_the_vector() {
    let world = world();
    world.write("big.txt", &"é".repeat(3000));
    let request = ReadRequest {
        path: "big.txt",
        limit: Some(1),
        ..ReadRequest::default()
    };
    let page = open(&world)
        .read_text_file(&Cancel::never(), &request)
        .unwrap();
    assert_eq!(page.next_cursor.as_deref(), Some(READ));
    let line = ReadRequest {
        path: "a.txt",
        start_line: Some(2),
        cursor: Some(READ_LINE),
        ..ReadRequest::default()
    };
    let page = open(&world)
        .read_text_file(&Cancel::never(), &line)
        .unwrap();
    assert_eq!(page.items[0].text, "two\nthree\n");
}

#[test]
fn equal_bytes_are_the_same_state_and_others_are_not() {
    let world = world();
    let request = SearchRequest {
        any_of: None,
        query: Some("two"),
        limit: Some(1),
        ..SearchRequest::default()
    };
    let paged = open(&world);
    let first = paged.search_text(&Cancel::never(), &request).unwrap();
    let cursor = first.next_cursor.unwrap();
    let next = SearchRequest {
        cursor: Some(&cursor),
        ..request
    };
    world.write("new", "");
    std::fs::remove_file(world.root().join("new")).unwrap();
    std::fs::rename(world.root().join("a.txt"), world.root().join("copy")).unwrap();
    world.write("a.txt", "one\ntwo\nthree\n");
    std::fs::remove_file(world.root().join("copy")).unwrap();
    let page = paged.search_text(&Cancel::never(), &next).unwrap();
    assert_eq!(&*page.items[0].path, "b/c.txt");
    world.write("b/c.txt", "two halveS\n");
    assert_eq!(
        failed(paged.search_text(&Cancel::never(), &next)),
        "the filesystem changed since this cursor was issued; start the traversal again"
    );
}
