//! What the pages of one traversal cost together, counted by the system and not by the clock.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::{data, start};
use crate::client::{Client, folder};

const FILES: u64 = 600;
const FILE_BYTES: u64 = 2_000;

fn tree() -> tempfile::TempDir {
    let folder = folder(&[]);
    for number in 0..FILES {
        let mut text = String::new();
        while text.len() < FILE_BYTES as usize {
            writeln!(text, "line {} of file {number}", text.len()).unwrap();
        }
        let parent = folder.path().join(format!("d{}", number % 12));
        std::fs::create_dir_all(&parent).unwrap();
        std::fs::write(parent.join(format!("f{number}.txt")), text).unwrap();
    }
    folder
}

/// Bytes that a server has read so far, whatever from.
fn n_read(client: &Client) -> u64 {
    let path = Path::new("/proc").join(client.pid().to_string()).join("io");
    let counts = std::fs::read_to_string(path).unwrap();
    let line = counts.lines().find_map(|line| line.strip_prefix("rchar: "));
    line.unwrap().parse().unwrap()
}

/// Pages of a search for what is nowhere, and the bytes that they read.
fn search(folder: &Path, max_scan_bytes: u64) -> (u64, u64) {
    let max_scan_bytes = max_scan_bytes.to_string();
    let mut client = start(folder, &["--max-scan-bytes", &max_scan_bytes]);
    data(&mut client, "list_directory", json!({}));
    let before = n_read(&client);
    let mut arguments = json!({"query": "nowhere at all"});
    let mut n_pages = 0;
    loop {
        let page = data(&mut client, "search_text", arguments.clone());
        assert_eq!(page["items"], json!([]));
        n_pages += 1;
        if page["next_cursor"].is_null() {
            return (n_pages, n_read(&client) - before);
        }
        arguments["cursor"] = page["next_cursor"].clone();
    }
}

#[test]
fn many_pages_read_little_more_than_one() {
    let tree = tree();
    let (n_pages, one) = search(tree.path(), 1_000_000_000);
    assert_eq!(n_pages, 1);
    assert!(one > FILES * FILE_BYTES, "{one}");
    let (n_pages, many) = search(tree.path(), 64 * 1024);
    // Every file is charged twice.
    assert!(n_pages > 35, "{n_pages}");
    assert!(
        many * 2 <= one * 3,
        "{many} bytes in {n_pages} pages, {one} in one"
    );
}
