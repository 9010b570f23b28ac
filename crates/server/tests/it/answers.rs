//! What tools answer: arguments read kindly, faults named, answers cut with notice.

use serde_json::json;

use crate::client::{Client, folder, shown, text_of};

#[test]
fn arguments_are_read_kindly() {
    let folder = folder(&[("a.txt", "one\ntwo\nthree\n")]);
    let mut client = Client::start(folder.path(), &[]);
    for (arguments, wanted) in [
        (
            json!({"path": "a.txt", "offset": null, "limit": null}),
            "1: one\n2: two\n3: three",
        ),
        (
            json!({"path": "a.txt", "limit": "null", "workspace": null}),
            "1: one\n2: two\n3: three",
        ),
        (
            json!({"path": "a.txt", "offset": "2", "limit": 1.0}),
            "2: two\n... (truncated at line 2 of 3)",
        ),
        (json!({"path": "a.txt", "offset": -1}), "3: three"),
        (
            json!({"path": "a.txt", "offset": 9}),
            "... (offset 9 is past the end of file; file has 3 lines)",
        ),
        (
            json!({"path": "a.txt", "offset": 3, "file_path": "b"}),
            "3: three\n(ignored argument: file_path)",
        ),
        (
            json!({"path": "a.txt", "offset": 3, "why": 1, "because": null}),
            "3: three\n(ignored arguments: why, because)",
        ),
        (
            json!({"path": "gone.txt", "why": 1}),
            "error: file not found: gone.txt\n(ignored argument: why)",
        ),
        (
            json!({"limit": "x"}),
            "error: invalid arguments for read_file: path: missing, expected text; \
             limit: expected an integer of at least 1, got \"x\"",
        ),
        (
            json!({"path": "a.txt", "offset": 0}),
            "error: invalid arguments for read_file: offset: expected a line from 1, or from -1 at the end, got 0",
        ),
        (
            json!({"path": "a.txt", "workspace": "api"}),
            "error: unknown workspace \"api\". Available: default",
        ),
    ] {
        assert_eq!(
            client.call("read_file", arguments.clone()),
            wanted,
            "{arguments}"
        );
    }
}

#[test]
fn a_file_can_be_hashed() {
    let folder = folder(&[("a.txt", "abc")]);
    let mut client = Client::start(folder.path(), &[]);
    assert_eq!(
        client.call("read_file", json!({"path": "a.txt", "withHash": true})),
        "1: abc\n... (sha256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad, 3 bytes, 1 lines)"
    );
}

#[test]
fn a_picture_comes_as_one() {
    let folder = folder(&[]);
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    std::fs::write(folder.path().join("p.png"), png).unwrap();
    let mut client = Client::start(folder.path(), &[]);
    let params = json!({"name": "read_file", "arguments": {"path": "p.png"}});
    let answer = client.request("tools/call", params);
    assert_eq!(text_of(&answer), "image: p.png (image/png, 16 bytes)");
    assert_eq!(
        answer["result"]["content"][1],
        json!({"type": "image", "data": "iVBORw0KGgoAAAANSUhEUg==", "mimeType": "image/png"})
    );
}

#[test]
fn answers_keep_to_their_size() {
    let folder = folder(&[("a.txt", &"0123456789\n".repeat(1000))]);
    let mut client = Client::start(folder.path(), &["--max-answer-bytes", "2000"]);
    let answer = client.call("read_file", json!({"path": "a.txt", "foo": 1}));
    assert!(answer.len() <= 2000, "{} bytes", answer.len());
    let tail: Vec<&str> = answer.lines().rev().take(2).collect();
    assert_eq!(tail[0], "(ignored argument: foo)");
    assert!(
        tail[1].starts_with("... (truncated at line "),
        "{}",
        tail[1]
    );
}

#[test]
fn grep_goes_on_where_an_answer_was_full() {
    let names: Vec<String> = (0..90).map(|n| format!("a-long-name-{n:03}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "key\nkey\n")).collect();
    let folder = folder(&files);
    let mut client = Client::start(folder.path(), &["--max-answer-bytes", "2000"]);
    for (files_only, wanted) in [(false, 180), (true, 90)] {
        let mut hits = Vec::new();
        let mut after = None;
        loop {
            let answer = client.call(
                "grep",
                json!({"pattern": "key", "maxResults": 1000, "filesOnly": files_only, "after": after}),
            );
            assert!(answer.len() <= 2000, "{} bytes", answer.len());
            let (lines, summary) = answer.split_once("\n\n").unwrap();
            hits.extend(lines.lines().map(str::to_owned));
            after = summary
                .split_once("after=\"")
                .map(|(_, rest)| rest.split('"').next().unwrap().to_owned());
            if after.is_none() {
                break;
            }
            let why = "(stopped at the size limit of an answer; narrow the pattern or path to see more; after=\"";
            assert!(summary.contains(why), "{summary}");
        }
        assert_eq!(hits.len(), wanted);
        assert!(hits.is_sorted());
    }
}

#[test]
fn workspaces_are_listed_with_their_state() {
    let folder = folder(&[
        (
            "api/.workspace-mcp/state.json",
            "{\"activeChange\":\"add-login\"}\n",
        ),
        ("web/a.txt", ""),
    ]);
    let options = ["--workspace", "web=web", "--workspace", "api=api:ro"];
    let mut client = Client::start(folder.path(), &options);
    let [web, api] = ["web", "api"].map(|name| shown(&folder.path().join(name)));
    assert_eq!(
        client.call("workspace_list", json!({})),
        format!(
            "Workspaces (2):\n\
             - web  {web}  (primary)  state: absent  active change: none\n\
             - api  {api}  (read-only)  state: present  active change: add-login"
        )
    );
}

#[test]
fn failures_name_no_host_path() {
    let folder = folder(&[("dir/a.txt", "")]);
    let mut client = Client::start(folder.path(), &["--deny-path", "secret/**"]);
    for path in [
        "gone",
        "dir",
        "../x",
        "/etc/passwd",
        "secret/a",
        "dir/a.txt/b",
        "",
        "a\0b",
    ] {
        let answer = client.call("read_file", json!({"path": path}));
        assert!(answer.starts_with("error: "), "{path}: {answer}");
        let root = folder.path().display().to_string();
        assert!(!answer.contains(&root), "{path}: {answer}");
    }
}
