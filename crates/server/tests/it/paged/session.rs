//! Sessions of a client: pages, citations, cursors.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{all, data, paged, start};
use crate::client::{Client, folder};

const CHANGED: &str =
    "error: the filesystem changed since this cursor was issued; start the traversal again";

fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn what_is_written_is_read_found_and_cited() {
    let folder = folder(&[("lib/a.md", "# A\n")]);
    let mut client = start(folder.path(), &[]);
    let content = "first\nsecond ☃\n".repeat(800);
    let written = data(
        &mut client,
        "write_text_file",
        json!({"path": "b.md", "content": content}),
    );
    assert_eq!(
        written,
        json!({"path": "b.md", "bytes": content.len(), "content_hash": hash(content.as_bytes())})
    );
    let read = json!({"path": "b.md", "limit": 3});
    let chunks = all(&mut client, "read_text_file", &read);
    let whole: String = chunks.iter().map(|chunk| text(&chunk["text"])).collect();
    assert_eq!(whole, content);
    let page = data(&mut client, "read_text_file", read);
    let cited: String = page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| text(&c["text"]))
        .collect();
    assert_eq!(page["content_hash"], hash(cited.as_bytes()));
    let page = data(&mut client, "list_directory", json!({}));
    assert_eq!(
        page,
        json!({
            "items": [
                {"name": "b.md", "kind": "file", "path": "b.md"},
                {"name": "lib", "kind": "directory", "path": "lib"},
            ],
            "next_cursor": null,
            "content_hash": hash(b"file\0b.md\ndirectory\0lib\n"),
        })
    );
    let found = all(
        &mut client,
        "search_text",
        &json!({"query": "second", "limit": 150}),
    );
    assert_eq!(found.len(), 800);
    assert_eq!(
        found[799],
        json!({"path": "b.md", "line": 1600, "text": "second ☃"})
    );
    let page = data(
        &mut client,
        "search_files",
        json!({"any_of": ["A", "zzz"], "case_insensitive": true}),
    );
    assert_eq!(page["items"], json!([{"path": "lib/a.md"}]));
    assert_eq!(page["content_hash"], hash(b"lib/a.md\n"));
    // Another version than the one that was cited is not overwritten.
    let mut write = json!({"path": "b.md", "content": "new", "expected_hash": hash(b"other")});
    assert_eq!(
        client.call("write_text_file", write.clone()),
        "error: file changed since it was read"
    );
    write["expected_hash"] = written["content_hash"].clone();
    assert_eq!(data(&mut client, "write_text_file", write)["bytes"], 3);
}

#[test]
fn a_cursor_is_for_its_question_and_its_state() {
    let folder = folder(&[
        ("a.txt", "one\none\n"),
        ("b.txt", "one\n"),
        ("c/d.txt", "x"),
    ]);
    let mut client = start(folder.path(), &[]);
    let cursor = |client: &mut Client, tool: &str, arguments: &Value| {
        let mut arguments = arguments.clone();
        arguments["limit"] = json!(1);
        data(client, tool, arguments)["next_cursor"].clone()
    };
    let find = json!({"query": "one"});
    let list = json!({});
    let read = json!({"path": "big.txt"});
    std::fs::write(folder.path().join("big.txt"), "x".repeat(5000)).unwrap();
    let found = cursor(&mut client, "search_text", &find);
    let listed = cursor(&mut client, "list_directory", &list);
    let files = cursor(&mut client, "search_files", &json!({"query": ".txt"}));
    let chunk = cursor(&mut client, "read_text_file", &read);
    let with = |arguments: &Value, cursor: &Value| {
        let mut arguments = arguments.clone();
        arguments["cursor"] = cursor.clone();
        arguments
    };
    let other = with(&json!({"query": "two"}), &found);
    assert_eq!(
        client.call("search_text", other),
        "error: cursor was issued for a different traversal"
    );
    for bad in ["", "x", "a.b", &text(&found)[1..]] {
        assert_eq!(
            client.call("search_text", with(&find, &bad.into())),
            "error: cursor is not valid"
        );
    }
    // What the answer does not rest on may change.
    std::fs::write(folder.path().join("b.txt"), "two\n").unwrap();
    std::fs::write(folder.path().join("c/e.txt"), "x").unwrap();
    assert!(
        !client
            .call("list_directory", with(&list, &listed))
            .starts_with("error")
    );
    assert!(
        !client
            .call("read_text_file", with(&read, &chunk))
            .starts_with("error")
    );
    assert_eq!(client.call("search_text", with(&find, &found)), CHANGED);
    let files = with(&json!({"query": ".txt"}), &files);
    assert_eq!(client.call("search_files", files), CHANGED);
    std::fs::write(folder.path().join("e.txt"), "x").unwrap();
    std::fs::write(folder.path().join("big.txt"), "y".repeat(5000)).unwrap();
    assert_eq!(client.call("list_directory", with(&list, &listed)), CHANGED);
    assert_eq!(client.call("read_text_file", with(&read, &chunk)), CHANGED);
}

#[test]
fn deterministic_cursors_go_on_in_another_process() {
    let folder = folder(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
    let keyed = || {
        let options = ["--root", ".", "--include", "**", "--cursor-key-env", "KEY"];
        let mut command = paged(folder.path(), &options);
        command.env("KEY", "A".repeat(43));
        Client::start_with(&mut command).modern()
    };
    let first = json!({"query": "one", "limit": 1});
    let page = data(&mut keyed(), "search_text", first.clone());
    assert_eq!(page, data(&mut keyed(), "search_text", first.clone()));
    let mut next = first;
    next["cursor"] = page["next_cursor"].clone();
    let rest = data(&mut keyed(), "search_text", next.clone());
    assert_eq!(
        rest["items"],
        json!([{"path": "b.txt", "line": 1, "text": "one"}])
    );
    // Without the key it is another server's.
    let mut plain = start(folder.path(), &[]);
    assert_eq!(
        plain.call("search_text", next),
        "error: cursor is not valid"
    );
}

#[test]
fn a_long_search_holds_up_nobody_and_can_be_cancelled() {
    let folder = folder(&[("small.txt", "needle\n")]);
    let line = "nothing to be found in this line at all\n".repeat(25_000);
    for n in 0..40 {
        std::fs::write(folder.path().join(format!("large-{n}.txt")), &line).unwrap();
    }
    let mut client = start(folder.path(), &["--max-scan-bytes", "1000000000"]);
    let long = client.send_call(
        "search_text",
        json!({"any_of": ["zzz", "yyy"], "case_insensitive": true}),
    );
    let short = client.send_call("read_text_file", json!({"path": "small.txt"}));
    let cancel = json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": long},
    });
    client.send(&cancel);
    let answer = client.recv(short);
    assert_eq!(
        answer["result"]["structuredContent"]["items"][0]["text"],
        "needle\n"
    );
    let (code, rest) = client.finish();
    assert_eq!(code, Some(0));
    assert!(
        rest.iter().all(|answer| answer["id"] != long),
        "a cancelled call is not answered"
    );
}
