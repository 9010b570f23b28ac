//! Both eras of the protocol on one pipe, in any order.

use serde_json::{Value, json};

use crate::client::{Client, folder, modern_meta, text_of};

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[test]
fn initialize_agrees_on_a_version_that_has_it() {
    let folder = folder(&[]);
    for (asked, wanted) in [
        ("2024-10-07", "2024-10-07"),
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("nonsense", "2025-11-25"),
    ] {
        let mut client = Client::start(folder.path(), &[]);
        let answer = client.initialize(asked);
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], wanted, "for {asked}");
        assert_eq!(result["capabilities"], json!({"tools": {}}));
        let name = json!({"name": "workspace-mcp", "version": env!("CARGO_PKG_VERSION")});
        assert_eq!(result["serverInfo"], name);
        assert!(result["instructions"].is_string());
        assert!(result.get("resultType").is_none());
    }
}

#[test]
fn legacy_calls_have_the_legacy_shape() {
    let folder = folder(&[("a.txt", "hello\n")]);
    for version in LEGACY {
        let mut client = Client::start(folder.path(), &[]);
        client.initialize(version);
        let params = json!({"name": "read_file", "arguments": {"path": "a.txt"}});
        let answer = client.request("tools/call", params);
        let content = json!([{"type": "text", "text": "1: hello"}]);
        assert_eq!(answer["result"], json!({"content": content}), "{version}");
        assert_eq!(client.request("ping", json!({}))["result"], json!({}));
        let list = client.request("tools/list", json!({}));
        let keys: Vec<&String> = list["result"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["tools"]);
    }
}

#[test]
fn legacy_calls_need_no_initialize() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let mut client = Client::start(folder.path(), &[]);
    assert_eq!(
        client.call("read_file", json!({"path": "a.txt"})),
        "1: hello"
    );
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    client.initialize("2025-06-18");
    assert_eq!(
        client.call("read_file", json!({"path": "a.txt"})),
        "1: hello"
    );
    client.initialize("2025-11-25");
    assert_eq!(
        client.call("read_file", json!({"path": "a.txt"})),
        "1: hello"
    );
}

#[test]
fn modern_results_say_what_they_are_and_who_made_them() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let mut client = Client::start(folder.path(), &[]).modern();
    let list = client.request("tools/list", json!({}));
    assert_eq!(list["result"]["resultType"], "complete");
    assert!(list["result"]["ttlMs"].is_u64());
    assert_eq!(list["result"]["cacheScope"], "public");
    assert_identified(&list);

    let found = client.request("server/discover", json!({}));
    let versions = &found["result"]["supportedVersions"];
    assert_eq!(
        versions,
        &json!([
            "2024-11-05",
            "2025-03-26",
            "2025-06-18",
            "2025-11-25",
            "2026-07-28"
        ])
    );
    assert_eq!(found["result"]["capabilities"], json!({"tools": {}}));
    assert!(found["result"]["ttlMs"].is_u64());
    assert_identified(&found);

    let params = json!({"name": "read_file", "arguments": {"path": "a.txt"}});
    let call = client.request("tools/call", params);
    assert_eq!(call["result"]["resultType"], "complete");
    assert_eq!(text_of(&call), "1: hello");
    assert_identified(&call);

    let params = json!({"name": "read_file", "arguments": {"path": "b.txt"}});
    let failed = client.request("tools/call", params);
    assert_eq!(text_of(&failed), "error: file not found: b.txt");
    assert_eq!(failed["result"]["resultType"], "complete");
    assert_identified(&failed);
}

fn assert_identified(answer: &Value) {
    assert_eq!(
        answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"],
        json!({"name": "workspace-mcp", "version": env!("CARGO_PKG_VERSION")}),
        "{answer}"
    );
}

#[test]
fn modern_requests_with_faults_in_their_meta_are_told() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    let mut params = json!({"_meta": modern_meta()});
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let answer = client.request("server/discover", params);
    assert_eq!(answer["error"]["code"], -32022);
    assert_eq!(answer["error"]["data"]["requested"], "2099-01-01");
    assert!(answer["error"]["data"]["supported"].is_array());

    let mut params = json!({"_meta": modern_meta()});
    let meta = params["_meta"].as_object_mut().unwrap();
    meta.remove("io.modelcontextprotocol/clientCapabilities");
    assert_eq!(
        client.request("tools/list", params)["error"]["code"],
        -32602
    );
    let bare = client.request("server/discover", json!({}));
    assert_eq!(bare["error"]["code"], -32602);
}

#[test]
fn methods_that_2026_took_away_are_not_found_there() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]).modern();
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    for (method, params) in [
        ("ping", json!({})),
        ("initialize", hello),
        ("initialize", json!({})),
        ("logging/setLevel", json!({"level": "info"})),
        ("subscriptions/listen", json!({"notifications": {}})),
        ("resources/subscribe", json!({"uri": "file:///a"})),
    ] {
        let answer = client.request(method, params);
        let error = &answer["error"];
        assert_eq!(error["code"], -32601, "{method}: {answer}");
        assert_eq!(error["message"], "Method not found", "{method}: {answer}");
    }
}

#[test]
fn eras_mix_on_one_pipe() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let mut client = Client::start(folder.path(), &[]);
    let meta = || json!({"_meta": modern_meta()});
    assert!(client.request("server/discover", meta())["result"].is_object());
    client.initialize("2025-06-18");
    assert_eq!(
        client.call("read_file", json!({"path": "a.txt"})),
        "1: hello"
    );
    let modern = client.request("tools/list", meta());
    assert_eq!(modern["result"]["resultType"], "complete");
    let legacy = client.request("tools/list", json!({}));
    assert!(legacy["result"].get("resultType").is_none());
    client.initialize("2024-11-05");
    assert_eq!(
        client.call("read_file", json!({"path": "a.txt"})),
        "1: hello"
    );
}

#[test]
fn a_client_that_declares_roots_and_never_answers_is_served() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let mut client = Client::start(folder.path(), &[]);
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"roots": {"listChanged": true}, "sampling": {}},
        "clientInfo": {"name": "test", "version": "1"},
    });
    client.request("initialize", params);
    assert_eq!(
        client.call("read_file", json!({"path": "a.txt"})),
        "1: hello"
    );
    // Nothing was ever asked of the client.
    assert!(
        client
            .stdout
            .iter()
            .all(|line| !line.contains("\"method\""))
    );
}

#[test]
fn what_the_server_does_not_have_is_not_found() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    client.initialize("2025-11-25");
    for method in [
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "completion/complete",
        "logging/setLevel",
        "tasks/list",
        "no/such/method",
        "rpc.discover",
    ] {
        let answer = client.request(method, json!({}));
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
        assert_eq!(answer["error"]["message"], "Method not found");
    }
}

#[test]
fn a_tool_that_is_not_there_is_a_fault_of_the_protocol() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &["--deny-tool", "grep", "--read-only"]);
    for tool in ["grep", "write_file", "run_command", "nonsense", ""] {
        let answer = client.request("tools/call", json!({"name": tool, "arguments": {}}));
        assert_eq!(answer["error"]["code"], -32602, "{tool}");
        assert_eq!(answer["error"]["message"], format!("Tool {tool} not found"));
    }
    let long = json!({"name": "x".repeat(9000), "arguments": {}});
    let answer = client.request("tools/call", long);
    let told = format!("Tool {}… not found", "x".repeat(128));
    assert_eq!(answer["error"]["message"], told);
}
