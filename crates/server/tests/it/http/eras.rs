//! Both eras of the protocol at one address.

use serde_json::{Value, json};

use super::peer::{Request, Served, call, ping};
use crate::client::{folder, modern_meta, text_of};

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn initialize(version: &str) -> Value {
    let params = json!({
        "protocolVersion": version,
        // Whoever declares something is not asked for it.
        "capabilities": {"roots": {"listChanged": true}, "sampling": {}, "elicitation": {}},
        "clientInfo": {"name": "test", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

#[test]
fn legacy_clients_open_call_and_close() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let served = Served::start(folder.path(), &[]);
    let mut conn = served.connect();
    for version in LEGACY {
        let reply = conn.post(&initialize(version));
        assert_eq!(reply.status, 200);
        assert_eq!(reply.json()["result"]["protocolVersion"], version);
        let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        conn.send(&Request::post(&note).with("MCP-Protocol-Version", version));
        assert_eq!(conn.recv().outcome(), (202, String::new()));
        let read = call("r", "read_file", json!({"path": "a.txt"}));
        conn.send(&Request::post(&read).with("MCP-Protocol-Version", version));
        let content = json!([{"type": "text", "text": "1: hello"}]);
        let answer = conn.recv().json();
        assert_eq!(answer["result"], json!({"content": content}), "{version}");
        assert_eq!(answer["id"], "r");
    }
    for (asked, wanted) in [("2026-07-28", "2025-11-25"), ("nonsense", "2025-11-25")] {
        let answer = conn.post(&initialize(asked)).json();
        assert_eq!(answer["result"]["protocolVersion"], wanted);
    }
    // A client that probes may name the newest revision and open in the old way all the same.
    conn.send(&Request::post(&initialize("2025-11-25")).with("MCP-Protocol-Version", "2026-07-28"));
    assert_eq!(conn.recv().status, 200);
}

#[test]
fn legacy_errors_come_with_200() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &[]);
    for (message, code) in [
        (call(1, "format_disk", json!({})), -32602),
        (call(1, "read_file", json!([])), -32602),
        (
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}),
            -32602,
        ),
        (
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}),
            -32602,
        ),
        (
            json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}),
            -32602,
        ),
        (
            json!({"jsonrpc": "2.0", "id": 1, "method": "resources/list"}),
            -32601,
        ),
        (
            json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover"}),
            -32602,
        ),
    ] {
        let reply = served.post(&message);
        assert_eq!(reply.status, 200, "{message}");
        assert_eq!(reply.json()["error"]["code"], code, "{message}");
        assert_eq!(reply.json()["id"], 1, "{message}");
    }
    let reply = served.post(&call(1, "read_file", json!({"path": "gone"})));
    assert_eq!(text_of(&reply.json()), "error: file not found: gone");
}

#[test]
fn what_is_no_message_is_refused() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &[]);
    let text = "Parse error: Invalid JSON-RPC message";
    for body in [
        "5",
        "null",
        "\"x\"",
        "{}",
        r#"{"id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        r#"[5]"#,
        r#"[[]]"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{}]"#,
    ] {
        let reply = served.send(&Request::body(body.as_bytes()));
        assert_eq!(reply.fault(), (400, -32700, text.to_owned()), "{body}");
        let modern = Request::body(body.as_bytes()).with("MCP-Protocol-Version", "2026-07-28");
        let (status, code, _) = served.send(&modern).fault();
        assert_eq!(status, 400, "{body}");
        assert!([-32600, -32602, -32020].contains(&code), "{body}: {code}");
    }
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/made/up"}"#,
        "[]",
        r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#,
    ] {
        let reply = served.send(&Request::body(body.as_bytes()));
        assert_eq!(reply.outcome(), (202, String::new()), "{body}");
    }
}

#[test]
fn batches_are_unpacked() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let served = Served::start(folder.path(), &[]);
    let batch = json!([
        ping(1),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        call("b", "read_file", json!({"path": "a.txt"})),
        call(3, "format_disk", json!({})),
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": 1},
    ]);
    let reply = served.post(&batch);
    assert_eq!(reply.status, 200);
    let answers = reply.json();
    let ids: Vec<&Value> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| &answer["id"])
        .collect();
    assert_eq!(ids, [&json!(1), &json!("b"), &json!(3), &json!(4)]);
    assert_eq!(text_of(&answers[1]), "1: hello");
    assert_eq!(answers[2]["error"]["code"], -32602);
    assert_eq!(answers[3]["error"]["code"], -32602);
    // An id belongs to its request; who uses one twice gets it twice.
    let answers = served.post(&json!([ping(7), ping(7)])).json();
    assert_eq!(
        (&answers[0]["id"], &answers[1]["id"]),
        (&json!(7), &json!(7))
    );
    assert!(served.post(&json!([initialize("2025-03-26")])).json()[0]["result"].is_object());
    for (batch, text) in [
        (
            json!([initialize("2025-03-26"), ping(1)]),
            "Invalid Request: Only one initialization request is allowed",
        ),
        (
            (0..101).map(ping).collect(),
            "Invalid Request: a batch may have at most 100 messages",
        ),
        (
            json!([{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": modern_meta()}}]),
            "Invalid Request: there are no batches in 2026-07-28",
        ),
    ] {
        assert_eq!(served.post(&batch).fault(), (400, -32600, text.to_owned()));
    }
}

#[test]
fn modern_answers_say_what_they_are() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let served = Served::start(folder.path(), &[]);
    let read = json!({"name": "read_file", "arguments": {"path": "a.txt"}});
    let reply = served.send(&Request::modern("tools/call", read.clone()));
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["result"]["resultType"], "complete");
    assert_eq!(text_of(&reply.json()), "1: hello");
    let reply = served.send(&Request::modern("server/discover", json!({})));
    assert_eq!(reply.status, 200);
    assert!(reply.json()["result"]["supportedVersions"].is_array());
    let reply = served.send(&Request::modern("tools/list", json!({})));
    assert_eq!(reply.json()["result"]["cacheScope"], "public");
    let note =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let note = Request::post(&note).with("MCP-Protocol-Version", "2026-07-28");
    let reply = served.send(&note.clone().with("Mcp-Method", "notifications/cancelled"));
    assert_eq!(reply.outcome(), (202, String::new()));
    assert_eq!(served.send(&note).fault().1, -32020);
    // One client's revision is no other's.
    assert_eq!(served.post(&initialize("2024-11-05")).status, 200);
    let reply = served.send(&Request::modern("tools/call", read));
    assert_eq!(reply.json()["result"]["resultType"], "complete");
}

#[test]
fn an_unknown_version_is_told_the_known_ones() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &[]);
    let mut meta = modern_meta();
    for (method, version) in [
        ("server/discover", "2099-01-01"),
        ("tools/list", "2099-01-01"),
        ("tools/list", "2026-07-27"),
        ("tools/list", "1999-01-01"),
        ("tools/list", "draft"),
    ] {
        meta["io.modelcontextprotocol/protocolVersion"] = json!(version);
        let message =
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": &meta}});
        let request = Request::post(&message).with("MCP-Protocol-Version", version);
        let reply = served.send(&request);
        assert_eq!(reply.status, 400);
        let error = &reply.json()["error"];
        assert_eq!(error["code"], -32022);
        assert_eq!(error["data"]["requested"], version);
        let supported = error["data"]["supported"].as_array().unwrap();
        assert!(supported.contains(&json!("2026-07-28")), "{supported:?}");
        assert!(supported.contains(&json!("2025-11-25")), "{supported:?}");
    }
}

#[test]
fn modern_errors_have_their_status() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &[]);
    let list = || Request::modern("tools/list", json!({}));
    let read = json!({"name": "read_file", "arguments": {"path": "gone"}});
    let call = || Request::modern("tools/call", read.clone());
    let with_meta = |change: fn(&mut Value)| {
        let mut params = json!({"_meta": modern_meta()});
        change(&mut params["_meta"]);
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
        Request::post(&message)
            .with("MCP-Protocol-Version", "2026-07-28")
            .with("Mcp-Method", "tools/list")
    };
    let unknown =
        with_meta(|meta| meta["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01"));
    let bare = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let bare = Request::post(&bare).with("MCP-Protocol-Version", "2026-07-28");
    for (what, request, status, code) in [
        (
            "no version",
            list().without("MCP-Protocol-Version"),
            400,
            -32020,
        ),
        (
            "other version",
            list().with("MCP-Protocol-Version", "2025-11-25"),
            400,
            -32020,
        ),
        (
            "two versions",
            list().adding("MCP-Protocol-Version", "2026-07-28"),
            400,
            -32020,
        ),
        ("no method", list().without("Mcp-Method"), 400, -32020),
        (
            "other method",
            list().with("Mcp-Method", "tools/call"),
            400,
            -32020,
        ),
        (
            "method in capitals",
            list().with("Mcp-Method", "Tools/List"),
            400,
            -32020,
        ),
        (
            "two methods",
            list().adding("Mcp-Method", "tools/list"),
            400,
            -32020,
        ),
        ("no name", call().without("Mcp-Name"), 400, -32020),
        ("other name", call().with("Mcp-Name", "grep"), 400, -32020),
        (
            "bad base64",
            call().with("Mcp-Name", "=?base64?*?="),
            400,
            -32020,
        ),
        (
            "base64",
            call().with("Mcp-Name", "=?base64?cmVhZF9maWxl?="),
            200,
            0,
        ),
        (
            "spaces around",
            call().with("Mcp-Name", "  read_file\t"),
            200,
            0,
        ),
        ("a session", call().with("Mcp-Session-Id", "x"), 200, 0),
        (
            "unknown version",
            unknown.clone().with("MCP-Protocol-Version", "2099-01-01"),
            400,
            -32022,
        ),
        ("unknown in the body only", unknown, 400, -32020),
        (
            "no _meta",
            bare.with("Mcp-Method", "tools/list"),
            400,
            -32602,
        ),
        (
            "no capabilities",
            with_meta(|meta| meta["io.modelcontextprotocol/clientCapabilities"] = Value::Null),
            400,
            -32602,
        ),
        (
            "version is a number",
            with_meta(|meta| meta["io.modelcontextprotocol/protocolVersion"] = json!(1)),
            400,
            -32602,
        ),
        (
            "unknown method",
            Request::modern("made/up", json!({})),
            404,
            -32601,
        ),
        ("ping", Request::modern("ping", json!({})), 404, -32601),
        (
            "initialize",
            Request::modern("initialize", initialize("2025-11-25")["params"].clone()),
            404,
            -32601,
        ),
        (
            "unknown tool",
            Request::modern("tools/call", json!({"name": "format_disk"})),
            200,
            -32602,
        ),
        (
            "malformed call",
            Request::modern("tools/call", json!({"name": 5})),
            200,
            -32602,
        ),
        (
            "bad cursor",
            Request::modern("tools/list", json!({"cursor": "x"})),
            200,
            -32602,
        ),
    ] {
        let reply = served.send(&request);
        let answer = reply.json();
        let seen = answer["error"]["code"].as_i64().unwrap_or_default();
        assert_eq!((reply.status, seen), (status, code), "{what}: {answer}");
        assert_eq!(answer["id"], 1, "{what}");
    }
}
