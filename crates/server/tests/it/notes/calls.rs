//! What a person asks for, as a model sees the answers; the example folder, and HTTP.

use std::path::Path;

use serde_json::{Value, json};

use super::{data, serve, vault};
use crate::client::{Client, program};
use crate::http::peer::{Served, call};

/// A call that a page shows: the tool, its arguments, and what it tells.
type Call = (String, Value, String);

/// The servers that a page registers: the words of each, and the calls below it.
fn walk(page: &str) -> Vec<(Vec<&str>, Vec<Call>)> {
    let mut servers: Vec<(Vec<&str>, Vec<Call>)> = Vec::new();
    for part in page
        .split("\nclaude mcp add my-notes -- workspace-mcp ")
        .skip(1)
    {
        let (command, rest) = part.split_once('\n').unwrap();
        let words = command.split(' ').map(|word| word.trim_matches('"'));
        let words = words.map(|word| word.strip_prefix("$PWD/").unwrap_or(word));
        let calls = rest.split("\n```json\n").skip(1).filter_map(|block| {
            let (message, rest) = block.split_once("\n```\n")?;
            let (answer, _) = rest.strip_prefix("\n```text\n")?.split_once("\n```\n")?;
            let call: Value = serde_json::from_str(message).unwrap();
            let name = call["name"].as_str().unwrap().to_owned();
            Some((name, call["arguments"].clone(), answer.to_owned()))
        });
        servers.push((words.collect(), calls.collect()));
    }
    servers
}

/// Copies a folder into another.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn the_walk_through_the_page_is_what_happens() {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let home = tempfile::tempdir().unwrap();
    copy(
        &checkout.join("examples/notes"),
        &home.path().join("examples/notes"),
    );
    let page = std::fs::read_to_string(checkout.join("docs/notes.md")).unwrap();
    let page = page.replace("\r\n", "\n");
    let servers = walk(&page);
    let n_calls: Vec<usize> = servers.iter().map(|(_, calls)| calls.len()).collect();
    assert_eq!(n_calls, [6, 2]);
    for (words, calls) in &servers {
        let mut client = Client::start(home.path(), words);
        client.initialize("2025-11-25");
        for (tool, arguments, answer) in calls {
            let told = client.call(tool, arguments.clone());
            assert_eq!(told.trim_end_matches('\n'), answer, "{tool} {arguments}");
        }
        // What the clipping asks for can be done by neither.
        let id = client.send_call("notes_append", json!({"path": "inbox.md", "text": "x"}));
        assert_eq!(client.recv(id)["error"]["code"], -32602);
    }
}

#[test]
fn paths_are_refused_alike_by_every_tool_and_tell_nothing() {
    let folder = vault(&[("a.md", "a"), ("tasks.json", "[]"), (".hidden/b.md", "b")]);
    let mut client = super::serve_writing(&folder, &[]);
    let root = folder.path().display().to_string();
    for (path, told) in [
        ("../outside.md", "path has a forbidden segment"),
        ("a/../../outside.md", "path has a forbidden segment"),
        ("/etc/passwd.md", "path must be relative and use \"/\""),
        ("C:\\a.md", "path must be relative and use \"/\""),
        (".hidden/b.md", "path has a hidden segment"),
        ("NUL.md", "path has a name that Windows reserves"),
        ("ab:c.md", "path has a forbidden character"),
        ("tasks.json", "not a note: only .md files"),
        (".workspace-mcp/a.md", "path has a hidden segment"),
    ] {
        for (tool, arguments) in [
            ("notes_read", json!({"path": path})),
            ("notes_links", json!({"path": path})),
            ("notes_append", json!({"path": path, "text": "x"})),
            ("notes_write", json!({"path": path, "content": "x"})),
            (
                "notes_edit",
                json!({"path": path, "oldString": "a", "newString": "x"}),
            ),
            ("notes_move", json!({"path": path, "to": "z.md"})),
            ("notes_move", json!({"path": "a.md", "to": path})),
        ] {
            assert_eq!(
                client.call(tool, arguments),
                format!("error: {told}"),
                "{tool} {path}"
            );
        }
        if path != "tasks.json" {
            let found = client.call("notes_list", json!({"folder": path}));
            assert_eq!(found, format!("error: {told}"), "{path}");
        }
    }
    for (tool, arguments) in [
        ("notes_read", json!({"path": "missing.md"})),
        ("notes_list", json!({"folder": "missing"})),
        ("notes_move", json!({"path": "a.md", "to": "a.md"})),
        ("tasks_complete", json!({"id": "t9"})),
    ] {
        let answer = client.call(tool, arguments);
        assert!(
            answer.starts_with("error: ") && !answer.contains(&root),
            "{answer}"
        );
    }
    assert_eq!(
        std::fs::read_to_string(folder.path().join("notes/a.md")).unwrap(),
        "a"
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("outside.md")).unwrap(),
        "secret"
    );
}

#[test]
fn a_read_only_server_makes_nothing() {
    let folder = vault(&[("a.md", "- [ ] x")]);
    let mut client = serve(&folder, &["--markdown-tasks"]);
    for tool in ["notes_list", "tasks_list"] {
        data(&mut client, tool, json!({}));
    }
    client.finish();
    let names = std::fs::read_dir(folder.path().join("notes")).unwrap();
    assert_eq!(names.count(), 1);
}

#[test]
fn the_same_is_served_over_http() {
    let folder = vault(&[("a.md", "# A\n")]);
    let options = [
        "notes", "--root", "notes", "--http", "--port", "0", "--token", "t0ken",
    ];
    let served = Served::start_with(&mut program(folder.path(), &options));
    assert!(
        served.log.contains(&"token: set".to_owned()),
        "{:?}",
        served.log
    );
    let message = call(1, "notes_list", json!({}));
    assert_eq!(served.post(&message).outcome().0, 401);
    let request = crate::http::peer::Request::post(&message).with("Authorization", "Bearer t0ken");
    let answer = served.send(&request).json();
    assert_eq!(
        answer["result"]["structuredContent"]["notes"][0]["title"],
        "A"
    );
}
