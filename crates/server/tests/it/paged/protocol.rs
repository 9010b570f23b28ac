//! What the protocol gives and refuses.

use std::io::Write as _;
use std::process::Stdio;

use expect_test::expect;
use serde_json::{Value, json};

use super::{paged, start};
use crate::client::{Client, folder, modern_meta};
use crate::http::peer::{Request, Served};

#[test]
fn a_client_learns_of_the_server_and_its_tools() {
    let folder = folder(&[]);
    let mut client = start(folder.path(), &["--server-name", "ptc-fs-mcp"]);
    let found = client.request("server/discover", json!({}))["result"].clone();
    assert_eq!(found["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(
        found["capabilities"],
        json!({"tools": {"listChanged": true}})
    );
    assert_eq!(
        (&found["ttlMs"], &found["cacheScope"]),
        (&json!(0), &json!("private"))
    );
    let info = &found["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "ptc-fs-mcp");
    let listed = client.request("tools/list", json!({}))["result"].clone();
    assert_eq!(
        (&listed["ttlMs"], &listed["cacheScope"]),
        (&json!(0), &json!("private"))
    );
    assert_eq!(listed["resultType"], "complete");
    let shapes: Vec<String> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            assert_eq!(
                tool["_meta"],
                json!({"io.modelcontextprotocol/cacheScope": "private"})
            );
            let keys: Vec<&String> = tool.as_object().unwrap().keys().collect();
            format!(
                "{} {keys:?}\n{}\n{}\n{}\n",
                tool["name"], tool["inputSchema"], tool["outputSchema"], tool["annotations"]
            )
        })
        .collect();
    expect![[r#"
        "list_directory" ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta"]
        {"type":"object","properties":{"path":{"type":"string"},"cursor":{"type":"string"},"limit":{"type":"integer","minimum":1}},"additionalProperties":false}
        {"type":"object","properties":{"content_hash":{"type":"string"},"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"kind":{"type":"string"},"path":{"type":"string"}},"additionalProperties":false}}},"required":["content_hash","items"],"additionalProperties":true}
        {"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}
        "search_files" ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta"]
        {"type":"object","properties":{"query":{"type":"string","minLength":1},"any_of":{"type":"array","items":{"type":"string","minLength":1},"minItems":1,"maxItems":16},"case_insensitive":{"type":"boolean"},"cursor":{"type":"string"},"limit":{"type":"integer","minimum":1}},"additionalProperties":false}
        {"type":"object","properties":{"content_hash":{"type":"string"},"items":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}}},"required":["content_hash","items"],"additionalProperties":true}
        {"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}
        "search_text" ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta"]
        {"type":"object","properties":{"query":{"type":"string","minLength":1},"any_of":{"type":"array","items":{"type":"string","minLength":1},"minItems":1,"maxItems":16},"case_insensitive":{"type":"boolean"},"path":{"type":"string"},"cursor":{"type":"string"},"limit":{"type":"integer","minimum":1}},"additionalProperties":false}
        {"type":"object","properties":{"content_hash":{"type":"string"},"items":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer"},"text":{"type":"string"}},"additionalProperties":false}}},"required":["content_hash","items"],"additionalProperties":true}
        {"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}
        "read_text_file" ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta"]
        {"type":"object","properties":{"path":{"type":"string","minLength":1},"start_line":{"type":"integer","minimum":1},"cursor":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":8}},"required":["path"],"additionalProperties":false}
        {"type":"object","properties":{"content_hash":{"type":"string"},"items":{"type":"array","items":{"type":"object","properties":{"byte_offset":{"type":"integer"},"text":{"type":"string"}},"additionalProperties":false}}},"required":["content_hash","items"],"additionalProperties":true}
        {"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}
        "write_text_file" ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta"]
        {"type":"object","properties":{"path":{"type":"string","minLength":1,"description":"A basename of lowercase letters, digits, dots, underscores, or hyphens."},"content":{"type":"string"},"expected_hash":{"type":"string"}},"required":["path","content"],"additionalProperties":false}
        {"type":"object","properties":{"path":{"type":"string"},"bytes":{"type":"integer","minimum":0},"content_hash":{"type":"string"}},"required":["path","bytes","content_hash"],"additionalProperties":false}
        {"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":false}
    "#]]
    .assert_eq(&shapes.concat());
}

#[test]
fn nothing_is_said_on_stderr_but_of_json_that_is_no_message() {
    let folder = folder(&[]);
    let mut command = paged(folder.path(), &["--root", ".", "--include", "**"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let params = json!({"_meta": modern_meta()});
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
    writeln!(stdin, "no json\n[1]\n{{\"a\":1}}\n{list}").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let line = "workspace-mcp transport error\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), line.repeat(2));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let mut codes: Vec<i64> = stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|answer| answer["error"]["code"].as_i64().unwrap_or(0))
        .collect();
    codes.sort_unstable();
    assert_eq!(codes, [-32700, -32600, -32600, 0]);
}

#[test]
fn only_one_revision_is_served_unless_both_are_asked_for() {
    let folder = folder(&[("a.txt", "a")]);
    let options = ["--root", ".", "--include", "**"];
    let mut client = Client::start_with(&mut paged(folder.path(), &options));
    let refused = client.initialize("2025-11-25");
    assert_eq!(
        refused["error"],
        json!({
            "code": -32022,
            "message": "Unsupported protocol version: 2025-11-25",
            "data": {"supported": ["2026-07-28"], "requested": "2025-11-25"},
        })
    );
    let refused = client.request("tools/list", json!({}));
    assert_eq!(
        refused["error"]["message"],
        "Unsupported protocol version: the request did not name a protocol version"
    );
    let mut client = client.modern();
    assert!(client.call("list_directory", json!({})).contains("a.txt"));
    let unknown = client.request("tools/call", json!({"name": "x"}));
    assert_eq!(
        unknown["error"],
        json!({"code": -32602, "message": "Tool x not found"})
    );
    let both = [&options[..], &["--era", "both"]].concat();
    let mut client = Client::start_with(&mut paged(folder.path(), &both));
    assert_eq!(
        client.initialize("2025-11-25")["result"]["protocolVersion"],
        "2025-11-25"
    );
    let id = client.send_call("list_directory", json!({}));
    let answer = client.recv(id);
    assert_eq!(
        answer["result"]["structuredContent"]["items"][0]["path"],
        "a.txt"
    );
    let mut client = client.modern();
    assert!(client.call("list_directory", json!({})).contains("a.txt"));
}

#[test]
fn arguments_are_read_to_the_letter() {
    let folder = folder(&[("a.txt", "a")]);
    let mut client = start(folder.path(), &[]);
    for (tool, arguments, fault) in [
        (
            "list_directory",
            json!({"path": null}),
            "data/path must be string",
        ),
        (
            "list_directory",
            json!({"limit": "5"}),
            "data/limit must be integer",
        ),
        (
            "search_text",
            json!({"query": ""}),
            "data/query must NOT have fewer than 1 characters",
        ),
        (
            "read_text_file",
            json!({}),
            "data must have required property 'path'",
        ),
        (
            "read_text_file",
            json!({"path": "a.txt", "limit": 9}),
            "data/limit must be <= 8",
        ),
        (
            "write_text_file",
            json!({"path": "a.txt", "content": "", "mode": 1}),
            "data must NOT have additional properties",
        ),
    ] {
        let text =
            format!("error: Input validation error: Invalid arguments for tool {tool}: {fault}");
        assert_eq!(client.call(tool, arguments), text);
    }
    assert_eq!(
        client.call("search_text", json!({})),
        "error: query must be a non-empty string"
    );
    let huge = json!({"path": "a.txt", "start_line": 1e20});
    assert_eq!(
        client.call("read_text_file", huge),
        "error: start_line must be a positive integer"
    );
}

#[test]
fn half_a_character_is_not_written() {
    let folder = folder(&[]);
    let mut client = start(folder.path(), &[]);
    let meta = modern_meta();
    for (id, content, expected) in [
        (
            100,
            r"half \ud83d",
            "Input validation error: Invalid arguments for tool write_text_file: data/content must be \
             well-formed Unicode",
        ),
        (101, r"\ud83d\ude00 \ufffd", "sha256:"),
    ] {
        client.send_line(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"write_text_file","arguments":{{"path":"a.txt","content":"{content}"}},"_meta":{meta}}}}}"#
        ));
        let answer = client.recv(id);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(expected), "{text}");
        assert_eq!(folder.path().join("a.txt").exists(), id == 101);
    }
    let written = std::fs::read_to_string(folder.path().join("a.txt")).unwrap();
    assert_eq!(written, "😀 \u{fffd}");
}

#[test]
fn over_http_the_same_is_served_and_refused() {
    let folder = folder(&[("a.txt", "a")]);
    let options = ["--root", ".", "--include", "**", "--http", "--port", "0"];
    let served = Served::start_with(&mut paged(folder.path(), &options));
    let old = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}},
    });
    let (status, code, text) = served.post(&old).fault();
    assert_eq!(
        (status, code, text.as_str()),
        (400, -32022, "Unsupported protocol version: 2025-11-25")
    );
    let (status, code, _) = served.post(&json!([old])).fault();
    assert_eq!((status, code), (400, -32600));
    let call = json!({"name": "list_directory", "arguments": {}});
    let reply = served.send(&Request::modern("tools/call", call));
    assert_eq!(reply.status, 200, "{reply:?}");
    let items = &reply.json()["result"]["structuredContent"]["items"];
    assert_eq!(items[0]["path"], "a.txt");
}
